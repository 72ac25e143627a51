"""Whether a certificate is what it was when it was made: signature, form, completeness, sense.

A signature alone says that nothing was edited. What is checked besides catches what no signature
can: a certificate that leaves rules out, or whose verdict does not follow from its rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from halcert.reports.attest import payload_of as payload_for
from halcert.reports.attest import statement_of
from halcert.reports.completeness import gaps, nonsense
from halcert.reports.dsse import is_signed_by, key_id, payload_of
from halcert.results import Certificate, TraceError, TraceStep, read_trace
from halcert.results.attestation import (
    FILE_NAME,
    PAYLOAD,
    PREDICATE,
    STATEMENT,
    Envelope,
    Statement,
)
from halcert.results.certificate import FORMAT
from halcert.results.files import contents

WHOLE = "certificate.json"


class EnvelopeError(Exception):
    """A file is no certificate that this halcert can read; the message says why."""


class State(Enum):
    """How a check came out."""

    HOLDS = "holds"
    OPEN = "not checked"
    BROKEN = "does not hold"


class Check(NamedTuple):
    """One check: what was looked at, how it came out, and what was seen."""

    name: str
    state: State
    words: str


class Sealed(NamedTuple):
    """A certificate that was read: with its envelope, and the statement as it was signed."""

    envelope: Envelope
    payload: bytes
    statement: Statement

    @property
    def certificate(self) -> Certificate:
        """The certificate."""
        return self.statement.predicate.halcert_certificate


def read_sealed(path: Path) -> Sealed:
    """Read a certificate in its envelope; nothing is checked but its form.

    Raises:
        EnvelopeError: it cannot be read, is cut off, is something else, or of another version.
    """
    try:
        raw = contents(path)
    except OSError as error:
        raise EnvelopeError(f"{path}: cannot be read: {error.strerror}") from error
    plain = _json(f"{path}", raw)
    if str(_member(plain, "format")).startswith("halcert-certificate/"):
        raise EnvelopeError(f"{path}: this has no envelope; verify {FILE_NAME} beside it")
    try:
        envelope = msgspec.convert(plain, Envelope)
        payload = payload_of(envelope)
    except (msgspec.ValidationError, ValueError) as error:
        raise EnvelopeError(f"{path}: no DSSE envelope: {error}") from error
    return Sealed(envelope, payload, _statement(path, envelope, payload))


def _statement(path: Path, envelope: Envelope, payload: bytes) -> Statement:
    if envelope.payload_type != PAYLOAD:
        raise EnvelopeError(
            f"{path}: the envelope holds {envelope.payload_type!r}, no in-toto statement"
        )
    plain = _json(f"{path}: payload", payload)
    for name, wanted in (("_type", STATEMENT), ("predicateType", PREDICATE)):
        if _member(plain, name) != wanted:
            raise EnvelopeError(f"{path}: {name} is {_member(plain, name)!r}, not {wanted!r}")
    inner = _member(_member(plain, "predicate"), "halcertCertificate")
    if inner is None:
        raise EnvelopeError(f"{path}: a test result, but not one of halcert")
    if _member(inner, "format") != FORMAT:
        raise EnvelopeError(
            f"{path}: format is {_member(inner, 'format')!r}, this halcert reads {FORMAT!r}"
        )
    try:
        return msgspec.convert(plain, Statement, strict=True)
    except msgspec.ValidationError as error:
        raise EnvelopeError(f"{path}: does not fit its schema: {error}") from error


def _json(place: str, raw: bytes) -> Any:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise EnvelopeError(f"{place}: cut off, or no JSON: {error}") from error


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def checks(
    sealed: Sealed, folder: Path, *, key: Ed25519PublicKey | None, spec: str, library: str | None
) -> Iterator[Check]:
    """Check a certificate, one thing after the other.

    Args:
        sealed: the certificate.
        folder: where it lies; files that were written with it may lie beside it.
        key: public key of who should have signed it; None if nobody is named.
        spec: digest of the specification that this halcert has.
        library: digest of the file that should have been certified; None for any.
    """
    certificate = sealed.certificate
    yield _signature(sealed.envelope, key)
    same = sealed.payload == payload_for(statement_of(certificate))
    yield _told("statement", [] if same else ["it does not say what the certificate says"])
    yield _told("sense", nonsense(certificate))
    if certificate.spec == spec:
        yield Check("specification", State.HOLDS, spec[:16])
        yield _told("complete", gaps(certificate))
    else:
        made = f"made by halcert {certificate.halcert} with specification {certificate.spec[:16]}"
        yield Check("specification", State.OPEN, f"{made}, this one has {spec[:16]}")
    if library is not None:
        same = library == certificate.implementation.sha256
        told = f"certified was {certificate.implementation.sha256[:16] or 'no file'}"
        yield _told("library", [] if same else [f"its sha256 is {library[:16]}, {told}"])
    yield from _beside(certificate, folder)


def _told(name: str, wrong: list[str]) -> Check:
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return Check(name, State.BROKEN if wrong else State.HOLDS, wrong[0] + more if wrong else "")


def _signature(envelope: Envelope, key: Ed25519PublicKey | None) -> Check:
    name = "signature"
    if not envelope.signatures:
        state = State.OPEN if key is None else State.BROKEN
        return Check(name, state, "unsigned: anybody may have written this")
    if key is None:
        hint = ", ".join(
            each.keyid[:16] or "a key that is not named" for each in envelope.signatures
        )
        return Check(name, State.OPEN, f"says to be by {hint}; give the public key with --key")
    if is_signed_by(envelope, key):
        return Check(name, State.HOLDS, f"by key {key_id(key)[:16]}")
    return Check(name, State.BROKEN, f"not by key {key_id(key)[:16]}, or edited since")


def _beside(certificate: Certificate, folder: Path) -> Iterator[Check]:
    """Compare with the files that were written with the certificate, where they are there."""
    whole = folder / WHOLE
    if whole.exists():
        try:
            same = msgspec.json.decode(contents(whole), type=Certificate) == certificate
        except (OSError, msgspec.DecodeError):
            same = False
        yield _told(WHOLE, [] if same else ["it differs from the certificate in the envelope"])
    traces = [each for each in certificate.findings if each.trace]
    if traces:
        wrong = [each.trace for each in traces if not _same_trace(folder, each.trace, each.steps)]
        yield _told("traces", [f"{name} is missing or differs" for name in wrong])


def _same_trace(folder: Path, name: str, steps: tuple[TraceStep, ...]) -> bool:
    if Path(name).is_absolute() or ".." in Path(name).parts:
        return False
    try:
        return read_trace(folder / name).steps == steps
    except TraceError:
        return False
