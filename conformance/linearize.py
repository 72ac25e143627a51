"""Linearizability: calls made at the same time answer as if made one after the other.

Calls of one thread keep their order; a call that had returned before another began comes before
it. The search walks through the orders that this leaves and asks the oracle about each call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from halcert.conformance.mishaps import failed_on_request
from halcert.model.concrete import Oracle, Violation, World
from halcert.results import Answered
from halcert.spec.language import Call, Returned, Strength


@dataclass(frozen=True)
class Timed:
    """A call with its result and the time it took, in nanoseconds of one clock."""

    call: Call
    result: Returned
    answer: Answered


class Undecided(Exception):
    """Too many orders to try them all, or the calls promise nothing."""


def linearized(
    oracle: Oracle, world: World, threads: Sequence[Sequence[Timed]], limit: int = 20_000
) -> World | Violation:
    """Find an order of the calls that the oracle allows.

    Args:
        oracle: the judge.
        world: the state before the first call.
        threads: the calls of each thread in order.
        limit: number of judged calls after which the search is given up.

    Returns:
        The state after all calls, or the violation of the order that got furthest. If only codes
        that are no more than recommended stand against an order, it is the first of those in it.

    Raises:
        Undecided: the limit was reached, or in some order a call was made of which nothing is
            promised.
    """
    search = _Search(oracle, threads, limit)
    begin = tuple(0 for _ in threads)
    found = search.from_(_Reached(world), begin)
    if found is not None:
        return found.world
    if search.vague or search.worst is None:
        raise Undecided
    against = _Search(oracle, threads, limit, lenient=True).from_(_Reached(world), begin)
    return search.worst if against is None or against.overlooked is None else against.overlooked


def code_alone(violation: Violation) -> bool:
    """Tell whether nothing is wrong but the code of a failure, and that is a recommendation."""
    return violation.shape == "code" and violation.strength is not Strength.MUST


@dataclass(frozen=True)
class _Reached:
    """How far an order got: the state, and the first violation that was overlooked on the way."""

    world: World
    overlooked: Violation | None = None


class _Search:
    def __init__(
        self,
        oracle: Oracle,
        threads: Sequence[Sequence[Timed]],
        limit: int,
        *,
        lenient: bool = False,
    ) -> None:
        self.oracle = oracle
        self.threads = threads
        self.left = limit
        self.lenient = lenient
        self.vague = False
        self.depth = -1
        self.worst: Violation | None = None

    def from_(self, reached: _Reached, places: tuple[int, ...]) -> _Reached | None:
        waiting = [
            (number, self.threads[number][place])
            for number, place in enumerate(places)
            if place < len(self.threads[number])
        ]
        if not waiting:
            return reached
        first_end = min(timed.answer.ended for _, timed in waiting)
        for number, timed in sorted(waiting, key=lambda each: each[1].answer.ended):
            if timed.answer.began > first_end:
                continue
            after = self._after(reached, timed, sum(places))
            if after is None:
                continue
            further = tuple(p + (n == number) for n, p in enumerate(places))
            found = self.from_(after, further)
            if found is not None:
                return found
        return None

    def _after(self, reached: _Reached, timed: Timed, depth: int) -> _Reached | None:
        self.left -= 1
        if self.left < 0:
            raise Undecided
        if failed_on_request(timed.answer):
            return reached
        judgement = self.oracle.judge(reached.world, timed.call, timed.result)
        if judgement.violation is None:
            return replace(reached, world=judgement.world)
        name = timed.call.interface.name
        if self.oracle.undefined(name, timed.call, reached.world) is not None:
            self.vague = True
            return None
        if self.lenient and code_alone(judgement.violation):
            # A call that failed changed nothing.
            return replace(reached, overlooked=reached.overlooked or judgement.violation)
        if depth > self.depth:
            self.depth, self.worst = depth, judgement.violation
        return None
