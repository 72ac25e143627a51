"""Making a failing trace small: fewer processes first, then fewer calls, then simpler arguments.

A candidate counts only if it fails with the same cause (rule, interface, shape), so that a
reduction cannot drift to another fault.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from halcert.conformance.book import REFERENCE, references
from halcert.conformance.lab import Broken
from halcert.results import TraceStep

PAGE = 4096
"""A size or distance that is worth trying between 1 and what it was (bytes)."""

Repeat = Callable[[Sequence[TraceStep]], Broken | None]


def reduced(broken: Broken, again: Repeat, seconds: float) -> Broken:
    """Return the smallest failure with the same cause that is found in time and comes again.

    Memory of a process that died comes back a little later, so now and then a candidate fails
    without calls that it needs. It counts only if it fails twice.

    Args:
        broken: the failure as it was met.
        again: repeats calls on a fresh implementation.
        seconds: how long to look.
    """
    until = time.monotonic() + seconds
    best = broken
    threaded = any(step.thread for step in broken.steps)
    # Nobody asks whether something is promised about the calls of threads, so that their
    # arguments have to stay those that were chosen with care.
    for candidates in (
        (_fewer_actors, _shorter) if threaded else (_fewer_actors, _shorter, _simpler)
    ):
        improved = True
        while improved and time.monotonic() < until:
            improved = False
            for candidate in candidates(best.steps):
                if time.monotonic() >= until:
                    break
                met = _same(candidate, broken, again)
                if met is not None and _less(met, best) and _same(met.steps, broken, again):
                    best, improved = met, True
                    break
    return best


def _same(steps: Sequence[TraceStep], broken: Broken, again: Repeat) -> Broken | None:
    """Repeat calls and return the failure if its cause is that of another."""
    met = again(steps)
    return met if met is not None and met.cause == broken.cause else None


def _less(one: Broken, other: Broken) -> bool:
    return _weight(one.steps) < _weight(other.steps)


def _weight(steps: Sequence[TraceStep]) -> tuple[int, int, int]:
    actors = len({step.actor for step in steps})
    return actors, len(steps), sum(_size(step.args) for step in steps)


def _size(value: Any) -> int:
    if isinstance(value, dict):
        if REFERENCE in value:
            return 1 + _size(value.get("plus", 0))
        return sum(_size(each) for each in value.values())
    if isinstance(value, list | tuple):
        return 1 + sum(_size(each) for each in value)
    if isinstance(value, bool) or value is None:
        return 0
    return abs(value).bit_length() + value.bit_count() if isinstance(value, int) else 0


def _fewer_actors(steps: Sequence[TraceStep]) -> Iterator[list[TraceStep]]:
    """Leave out a process with everything that depends on it, or let another make its calls."""
    actors = sorted({step.actor for step in steps})
    if len(actors) == 1:
        return
    for gone in reversed(actors):
        kept = _without(steps, [place for place, each in enumerate(steps) if each.actor == gone])
        if kept and kept[-1] is steps[-1]:
            yield kept
    for gone, other in pairwise(reversed(actors)):
        yield [
            msgspec.structs.replace(step, actor=other) if step.actor == gone else step
            for step in steps
        ]


def _shorter(steps: Sequence[TraceStep]) -> Iterator[list[TraceStep]]:
    """Leave out runs of calls, long ones first, with everything that depends on them."""
    count = len(steps) - 1
    width = count
    while width >= 1:
        for start in range(count - width, -1, -max(width // 2, 1)):
            kept = _without(steps, range(start, start + width))
            if kept and kept[-1] is steps[-1]:
                yield kept
        width //= 2


def _without(steps: Sequence[TraceStep], places: Sequence[int]) -> list[TraceStep]:
    gone = {steps[place].number for place in places}
    kept = []
    for place, step in enumerate(steps):
        if place in places:
            continue
        if references(step.args) & gone:
            gone.add(step.number)
        else:
            kept.append(step)
    return kept


def _simpler(steps: Sequence[TraceStep]) -> Iterator[list[TraceStep]]:
    """Make one argument of one call smaller, or one distance into a block."""
    for place, step in enumerate(steps):
        for name, value in step.args.items():
            for simpler in _simpler_values(value):
                changed = msgspec.structs.replace(step, args={**step.args, name: simpler})
                yield [*steps[:place], changed, *steps[place + 1 :]]


def _simpler_values(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from _simpler_members(value)
    elif isinstance(value, list | tuple):
        yield from _simpler_lists(list(value))
    elif isinstance(value, int) and not isinstance(value, bool):
        smaller = (0, 1, PAGE, value // 2, value & (value - 1))
        yield from (number for number in smaller if 0 <= number < value)


def _simpler_members(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if REFERENCE in value:
        for plus in _simpler_values(value.get("plus", 0)):
            yield {**value, "plus": plus}
        return
    for key, inner in value.items():
        for simpler in _simpler_values(inner):
            yield {**value, key: simpler}


def _simpler_lists(value: list[Any]) -> Iterator[list[Any]]:
    if len(value) > 1:
        yield value[:1]
    for place, inner in enumerate(value):
        for simpler in _simpler_values(inner):
            yield [*value[:place], simpler, *value[place + 1 :]]
