"""What became of an obligation, as plain data."""

from __future__ import annotations

import msgspec

from halcert.model.proofs.witness import Witness

PROVED = "proved"
REFUTED = "refuted"
UNSETTLED = "unsettled"

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
        status: proved, refuted or unsettled.
        seconds: how long it took.
        note: the counterexample in words, or why it is not settled.
    """

    kind: str
    subject: str
    area: str
    generation: str
    status: str
    seconds: float = 0.0
    note: str = ""

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
    """

    records: tuple[Record, ...]
    witnesses: tuple[Witness, ...] = ()
    objections: tuple[str, ...] = ()
