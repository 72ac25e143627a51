"""Witnesses: concrete words of calls that make a rule decide, as plain data."""

from __future__ import annotations

import re
from typing import Any

import msgspec

FORMAT = "halcert-witnesses/1"

REJECTED = "rejected"
ACCEPTED = "accepted"
EITHER = "either"
UNDEFINED = "undefined"


class Expected(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the spec says of a call.

    Attributes:
        verdict: rejected, accepted, either (the call may also be refused) or undefined (nothing
            is promised, so the call must not be made when certifying).
        codes: allowed return codes of a refusal; empty when any failure will do.
        rules: ids of the rules that decide.
    """

    verdict: str
    codes: tuple[int, ...] = ()
    rules: tuple[str, ...] = ()


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call of a witness.

    Attributes:
        interface: name of the interface.
        args: its arguments in JSON form; a value that an earlier call gave is a reference
            ``{"$": number of the call from 1, "field": output, "plus": distance in bytes}``.
        expected: what the spec says of it.
        actor: the process that makes it.
    """

    interface: str
    args: dict[str, Any]
    expected: Expected
    actor: int = 0


def process_number(actor: int) -> dict[str, Any]:
    """Return the reference to the number that the operating system gave a process.

    The start of all things counts as call 0; it gave the numbers.
    """
    return {"$": 0, "field": f"pid.{actor}"}


class Witness(msgspec.Struct, frozen=True, omit_defaults=True):
    """A word of calls that ends in one that a rule decides.

    Attributes:
        rule: id of the rule.
        profile: name of the product.
        kind: ``rule`` or ``boundary``.
        note: for a boundary, which comparison and on which side of it.
        steps: the calls from the initial state, in which devices 0 and 1 are present and closed.
        alone: the rule is the only one that decides the last call.
    """

    rule: str
    profile: str
    kind: str
    steps: tuple[Step, ...]
    note: str = ""
    alone: bool = True

    @property
    def id(self) -> str:
        """Return its name: rule and product, and for a boundary the comparison and the side."""
        side = re.sub(r"[^a-z0-9.*]+", "-", self.note.lower()).strip("-")
        return f"{self.rule}@{self.profile}" + (f"/{side}" if side else "")

    @property
    def shows(self) -> tuple[str, ...]:
        """Return the rules that it is a test of: its own, and those that decide its last call."""
        decided = self.steps[-1].expected.rules if self.steps else ()
        return tuple(dict.fromkeys((self.rule, *decided)))
