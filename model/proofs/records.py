"""What became of an obligation, as plain data."""

from __future__ import annotations

import msgspec

from halcert.model.proofs.specimens import Page
from halcert.model.proofs.witness import Witness
from halcert.model.proofs.wordbook import Noted

PROVED = "proved"
REFUTED = "refuted"
UNSETTLED = "unsettled"
DISPUTED = "disputed"
"""The two solvers contradict each other: one of them, or the way to it, is wrong."""

REACHABLE = "reachable"
NOT_SHADOWED = "not shadowed"
TOTAL = "total"
UNAMBIGUOUS = "unambiguous"
INDUCTIVE = "inductive"
FRAMED = "framed"
THEOREM = "theorem"
AGREEMENT = "agreement"
KINDS = (
    REACHABLE,
    NOT_SHADOWED,
    TOTAL,
    UNAMBIGUOUS,
    INDUCTIVE,
    FRAMED,
    THEOREM,
    AGREEMENT,
)


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """One obligation and how it was settled.

    Attributes:
        kind: one of :data:`KINDS`.
        subject: id of the rule, invariant or theorem, or name of the interface.
        area: name of the area.
        generation: generation of the products for which it was looked at.
        status: proved, refuted, unsettled or disputed.
        seconds: how long it took.
        note: the counterexample in words, or why it is not settled.
        scope: of what it holds: words of calls, states of which size, samples.
    """

    kind: str
    subject: str
    area: str
    generation: str
    status: str
    seconds: float = 0.0
    note: str = ""
    scope: str = ""

    @property
    def id(self) -> str:
        """Return the name of the obligation."""
        return f"prove/{self.subject}/{self.kind.replace(' ', '-')}/{self.generation}"


class Findings(msgspec.Struct, frozen=True):
    """What one piece of work gave.

    Attributes:
        records: the obligations that it settled.
        witnesses: the witnesses that fell out of it.
        objections: what the oracle has against them.
        noted: what to write down about the words of a search, by id of the rule.
        pages: what to write down about witnesses, by the name of the interface.
    """

    records: tuple[Record, ...]
    witnesses: tuple[Witness, ...] = ()
    objections: tuple[str, ...] = ()
    noted: dict[str, Noted] = {}
    pages: dict[str, Page] = {}


def scope_of(kind: str, rows: int) -> str:
    """Return of what an obligation of a kind holds once it is proved."""
    if kind in (REACHABLE, NOT_SHADOWED):
        return "some word of calls shows it"
    if kind == AGREEMENT:
        return "samples of states and calls, and all witnesses"
    size = f"at most {rows} rows in each table"
    if kind in (INDUCTIVE, THEOREM):
        return f"inductive: words of calls of any length; {size}"
    return f"any call in any valid state; {size}"
