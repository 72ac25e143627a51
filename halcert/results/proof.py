"""What the proofs found, rule by rule, as reports need it: obligations and witnesses.

The file ``proofs.json`` beside a certificate holds one :class:`Proofs`; its notes let a reader
go from a verdict to what was proved of the rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from halcert.results.files import contents
from halcert.results.trace import TraceStep

FORMAT = "halcert-proofs/1"
FILE_NAME = "proofs.json"


class Obligation(msgspec.Struct, frozen=True):
    """One thing that was to be proved.

    Attributes:
        name: name of the obligation, such as reachable or inductive.
        status: how it was settled: proved, refuted, unsettled, or disputed where two solvers
            contradict each other.
        seconds: how long that took.
        note: what else helps, such as the counterexample in words.
        scope: of what it holds: words of calls, states of which size, samples.
    """

    name: str
    status: str
    seconds: float = 0.0
    note: str = ""
    scope: str = ""


class ProofNote(msgspec.Struct, frozen=True):
    """What was proved of one rule.

    Attributes:
        rule: id of the rule.
        obligations: its obligations in the order in which they were checked.
        witness: the shortest calls that reach the rule; the last one shows it.
    """

    rule: str
    obligations: tuple[Obligation, ...] = ()
    witness: tuple[TraceStep, ...] = ()


class Proofs(msgspec.Struct, frozen=True):
    """The notes of all rules.

    Attributes:
        rules: one note for each rule that was looked at.
        halcert: version of halcert.
        spec: digest of the specification.
        profile: name of the product; empty if the proofs hold for all.
        format: name and version of the format.
    """

    rules: tuple[ProofNote, ...]
    halcert: str = ""
    spec: str = ""
    profile: str = ""
    format: str = FORMAT


class ProofsError(Exception):
    """A file of proofs cannot be used; the message names the file."""


def write_proofs(
    notes: Iterable[ProofNote], path: Path, *, halcert: str = "", spec: str = "", profile: str = ""
) -> None:
    """Write the notes, in the order of their rules.

    Raises:
        OSError: the file cannot be written.
    """
    ordered = tuple(sorted(notes, key=lambda note: note.rule))
    encoded = msgspec.json.encode(Proofs(ordered, halcert, spec, profile), order="deterministic")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(encoded, indent=2) + b"\n")


def read_proofs(path: Path) -> Mapping[str, ProofNote]:
    """Read the notes, by rule id.

    Raises:
        ProofsError: the file cannot be read, is malformed or of another version.
    """
    try:
        proofs = msgspec.json.decode(contents(path), type=Proofs)
    except OSError as error:
        raise ProofsError(f"{path}: cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProofsError(f"{path}: {error}") from error
    if proofs.format != FORMAT:
        raise ProofsError(f"{path}: format is {proofs.format!r}, this halcert reads {FORMAT!r}")
    return {note.rule: note for note in proofs.rules}
