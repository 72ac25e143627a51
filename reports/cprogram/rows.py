"""Stretches of bytes that come again and again, as rows of a rectangle do: a loop says them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from halcert.results.story import Stretch

MOST_PARTS = 4
"""Stretches that a row may have: its bytes, and what lies between it and the next."""
FEWEST_ROWS = 3
"""Of fewer rows each is said by itself."""


@dataclass(frozen=True)
class Rows:
    """Rows that are alike.

    Attributes:
        first: the stretches of the first row.
        count: number of rows.
        apart: distance of the rows in bytes.
        steps: for each stretch, how much further in its pattern it is in the next row.
    """

    first: tuple[Stretch, ...]
    count: int = 1
    apart: int = 0
    steps: tuple[int, ...] = (0,)


def rows_of(stretches: Sequence[Stretch]) -> Iterator[Rows]:
    """Iterate over the rows that stretches are made of; what is in none is a row by itself."""
    place = 0
    while place < len(stretches):
        found = max(
            (_rows(stretches, place, parts) for parts in range(1, MOST_PARTS + 1)),
            key=lambda rows: rows.count * len(rows.first),
        )
        if found.count < FEWEST_ROWS:
            found = Rows((stretches[place],))
        yield found
        place += found.count * len(found.first)


def _rows(stretches: Sequence[Stretch], place: int, parts: int) -> Rows:
    """Return as many rows of so many parts as there are from a place on."""
    first = tuple(stretches[place : place + parts])
    second = stretches[place + parts : place + 2 * parts]
    if len(second) < parts:
        return Rows(first[:1])
    apart = second[0].start - first[0].start
    steps = tuple(b.value - a.value for a, b in zip(first, second, strict=True))
    count = 1
    while all(
        _follows(one, stretches, place + count * parts + part, count * apart, count * step)
        for part, (one, step) in enumerate(zip(first, steps, strict=True))
    ):
        count += 1
    return Rows(first, count, apart, steps)


def _follows(
    one: Stretch, stretches: Sequence[Stretch], place: int, further: int, later: int
) -> bool:
    """Tell whether the stretch at a place is another one, further on and later in its pattern."""
    if place >= len(stretches) or later < 0 or (later and one.pattern is None):
        return False
    other = stretches[place]
    return (other.start, other.length, other.pattern, other.value) == (
        one.start + further,
        one.length,
        one.pattern,
        one.value + later,
    )
