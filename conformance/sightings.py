"""Sightings: which bytes were seen to be right, and after which calls.

A wrong byte that was right a moment ago is the fault of what was called since, not of the call
that wrote it. Where one call was made since, or refused ones only, they are to blame; where
several were, nobody can tell, and the writer stays the one to ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from msgspec.structs import replace

from halcert.model.concrete import Violation
from halcert.spec.language import Rule
from halcert.spec.universal import REFUSAL_HAS_NO_EFFECT


class Act(NamedTuple):
    """A call that may change memory: its number, its name, and the rule that allows it.

    ``rule`` is None if the call was refused.
    """

    step: int
    interface: str
    rule: str | None


class Place(NamedTuple):
    """Bytes ``[start, end)`` of an object of memory."""

    memory: int
    start: int
    end: int


class Sightings:
    """What has been seen so far in one experiment."""

    def __init__(self) -> None:
        """Nothing was called and nothing seen yet."""
        self._acts: list[Act] = []
        self._seen: dict[int, list[tuple[Place, int]]] = {}
        self._mirrors: dict[int, tuple[int, Place]] = {}

    def forget(self) -> None:
        """Start anew: calls were made of which the order is not known."""
        self._seen.clear()
        self._acts.clear()
        self._mirrors.clear()

    def acted(self, act: Act) -> None:
        """Remember that a call was made that was not a look; it may have written to a mirror."""
        self._acts.append(act)
        self._mirrors.clear()

    def mirrored(self, copy: int, start: int, source: Place) -> None:
        """Remember that bytes of ``copy`` from ``start`` on are a source's, until the next act."""
        self._mirrors[copy] = start, source

    def original(self, place: Place) -> Place:
        """Return what is seen when a place is looked at that may be a mere copy."""
        mirror = self._mirrors.get(place.memory)
        if mirror is None or place.start < mirror[0]:
            return place
        start, source = mirror
        shift = source.start - start
        return Place(source.memory, place.start + shift, min(place.end + shift, source.end))

    def looked(self, place: Place, step: int) -> bool:
        """Remember that bytes were right.

        Returns:
            Whether they had been seen before and only refused calls were made since.
        """
        seen = self._seen.setdefault(place.memory, [])
        since = self._since(place, 0)
        kept = [
            each for each in seen if not place.start <= each[0].start < each[0].end <= place.end
        ]
        self._seen[place.memory] = [*kept, (place, step)]
        return bool(since) and all(act.rule is None for act in since)

    def blamed(self, violation: Violation, place: Place, *, pending: bool) -> Violation:
        """Return a violation by a wrong byte, blamed on what was called since the byte was right.

        Args:
            violation: blames the writer of the byte.
            place: the wrong byte.
            pending: whether copies are under way, which may change memory at any time.
        """
        since = self._since(place, violation.culprit or 0)
        if not since or pending:
            return violation
        if all(act.rule is None for act in since):
            rule, calls = REFUSAL_HAS_NO_EFFECT.id, "refused"
        elif len(since) == 1 and not since[0].interface.startswith("host."):
            rule, calls = since[0].rule or "", "made"
        else:
            return violation
        told = ", ".join(f"{act.step} ({act.interface})" for act in since[-3:])
        allowed = f"{violation.allowed}; it still was before call {told} was {calls}"
        return replace(violation, rule=rule, allowed=allowed, culprit=since[-1].step)

    def _since(self, place: Place, written: int) -> Sequence[Act]:
        """Return the calls after the last look at the first byte, if it was not written since."""
        looks = [
            step
            for seen, step in self._seen.get(place.memory, ())
            if seen.start <= place.start < seen.end
        ]
        if not looks or max(looks) < written:
            return ()
        last = max(looks)
        since = list(takewhile(lambda act: act.step > last, reversed(self._acts)))
        return since[::-1]


def accepting(shown: Sequence[str], accepts: Sequence[Rule]) -> str | None:
    """Return the accepting rule among those that a successful call showed."""
    ids = {rule.id for rule in accepts}
    return next((rule for rule in reversed(shown) if rule in ids), None)
