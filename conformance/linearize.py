"""Linearizability: calls made at the same time answer as if made one after the other.

Calls of one thread keep their order; a call that had returned before another began comes before
it. The search walks through the orders that this leaves and asks the oracle about each call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    """Too many orders to try them all."""


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
        that are no more than recommended stand against an order, it is one of those.

    Raises:
        Undecided: the limit was reached.
    """
    search = _Search(oracle, threads, limit)
    begin = tuple(0 for _ in threads)
    found = search.from_(world, begin)
    if found is not None:
        return found
    assert search.worst is not None
    lenient = _Search(oracle, threads, limit, lenient=True)
    return lenient.overlooked[-1] if lenient.from_(world, begin) is not None else search.worst


def code_alone(violation: Violation) -> bool:
    """Tell whether nothing is wrong but the code of a failure, and that is a recommendation."""
    return violation.shape == "code" and violation.strength is not Strength.MUST


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
        self.overlooked: list[Violation] = []
        self.depth = -1
        self.worst: Violation | None = None

    def from_(self, world: World, places: tuple[int, ...]) -> World | None:
        waiting = [
            (number, self.threads[number][place])
            for number, place in enumerate(places)
            if place < len(self.threads[number])
        ]
        if not waiting:
            return world
        first_end = min(timed.answer.ended for _, timed in waiting)
        for number, timed in sorted(waiting, key=lambda each: each[1].answer.ended):
            if timed.answer.began > first_end:
                continue
            after = self._after(world, timed, sum(places))
            if after is None:
                continue
            further = tuple(p + (n == number) for n, p in enumerate(places))
            found = self.from_(after, further)
            if found is not None:
                return found
        return None

    def _after(self, world: World, timed: Timed, depth: int) -> World | None:
        self.left -= 1
        if self.left < 0:
            raise Undecided
        judgement = self.oracle.judge(world, timed.call, timed.result)
        if judgement.violation is None:
            return judgement.world
        if self.lenient and code_alone(judgement.violation):
            self.overlooked.append(judgement.violation)
            return world  # a call that failed changed nothing
        if depth > self.depth:
            self.depth, self.worst = depth, judgement.violation
        return None
