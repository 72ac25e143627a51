"""Contents of memory as ropes: stretches of patterns instead of arrays of bytes.

A copy of 64 GiB costs what a copy of 4 KiB costs. Bytes that nobody wrote are gaps in the rope
and match anything. Every stretch remembers which call wrote it and by which rule, so that a
wrong byte is blamed on the call that should have written it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import msgspec

from halcert.model.concrete.sortedmap import SortedMap
from halcert.spec.pattern import pattern_bytes


class Author(msgspec.Struct, frozen=True, gc=False):
    """The call that wrote a stretch: its number in the run, and the rule it followed.

    ``path`` tells, for bytes that were copied, who wrote them and who copied them.
    """

    step: int
    rule: str
    path: tuple[tuple[int, str], ...] = ()

    def copied_by(self, copier: Author, *, observing: bool) -> Author:
        """Return the author of a copy of the bytes.

        Whoever copies answers for them from then on, except a copy by which the suite only
        looks at them.
        """
        path = (*(self.path or ((self.step, self.rule),)), (copier.step, copier.rule))[-3:]
        first = self if observing else copier
        return Author(first.step, first.rule, path)

    def told(self) -> str:
        """Return who wrote, in words."""
        if not self.path:
            return f"written by call {self.step} under {self.rule}"
        first, *further = self.path
        copies = "".join(f", copied by call {step} under {rule}" for step, rule in further)
        return f"written by call {first[0]} under {first[1]}{copies}"


class Stretch(msgspec.Struct, frozen=True, gc=False):
    """Bytes ``[start, end)`` of an object that come from one source.

    Attributes:
        start: first offset in the object.
        end: offset behind the last byte.
        pattern: number of the pattern, or None for a constant byte.
        value: the constant byte, or the offset in the pattern that ``start`` shows.
        author: who wrote it.
    """

    start: int
    end: int
    pattern: int | None
    value: int
    author: Author

    def cut(self, start: int, end: int) -> Stretch:
        """Return the part ``[start, end)``."""
        value = self.value if self.pattern is None else self.value + start - self.start
        return Stretch(start, end, self.pattern, value, self.author)

    def moved(self, shift: int, author: Author) -> Stretch:
        """Return the same bytes ``shift`` further on, as another author's."""
        return Stretch(self.start + shift, self.end + shift, self.pattern, self.value, author)

    def render(self) -> bytes:
        """Return the bytes of the stretch."""
        if self.pattern is None:
            return bytes([self.value]) * (self.end - self.start)
        return pattern_bytes(self.pattern, self.value, self.end - self.start)


Rope = SortedMap[Stretch]
EMPTY: Rope = SortedMap()


def parts(rope: Rope, start: int, end: int) -> list[Stretch]:
    """Return the written stretches of ``[start, end)``, cut to it, in order."""
    first = rope.floor(start)
    if first is not None and first.start < start < first.end:
        if first.end >= end:
            return [first.cut(start, end)]
        found = [first.cut(start, first.end), *rope.between(start, end)]
    else:
        found = rope.between(start, end)
    if found and found[-1].end > end:
        found[-1] = found[-1].cut(found[-1].start, end)
    return found


def _replaced(rope: Rope, start: int, end: int, stretches: list[Stretch]) -> Rope:
    """Return the rope with only these stretches in ``[start, end)``, in which they lie in order."""
    if start >= end:
        return rope
    low, left = start, rope.floor(start)
    if left is not None and left.start < start < left.end:
        low = left.start
        stretches = [left.cut(low, start), *stretches]
    right = left if left is not None and left.end >= end else rope.floor(end - 1)
    if right is not None and right.end > end:
        stretches = [*stretches, right.cut(end, right.end)]
    return rope.splice(low, end, [each.start for each in stretches], stretches)


def erased(rope: Rope, start: int, end: int) -> Rope:
    """Return the rope with ``[start, end)`` undefined."""
    return _replaced(rope, start, end, [])


def written(rope: Rope, stretch: Stretch) -> Rope:
    """Return the rope with a stretch in place of what was there."""
    return _replaced(rope, stretch.start, stretch.end, [stretch])


def spliced(
    target: Rope,
    at: int,
    source: Rope,
    start: int,
    length: int,
    copier: Author,
    *,
    observing: bool,
) -> Rope:
    """Return the target with ``length`` bytes of the source from ``start`` on placed at ``at``."""
    taken = [
        stretch.moved(at - start, stretch.author.copied_by(copier, observing=observing))
        for stretch in parts(source, start, start + length)
    ]
    return _replaced(target, at, at + length, taken)


def differing(rope: Rope, other: Rope) -> list[tuple[int, int]]:
    """Return the ranges, in order, in which two ropes do not hold the same bytes."""
    changed = set(rope.values()) ^ set(other.values())
    edges = sorted({edge for each in changed for edge in (each.start, each.end)})
    return [
        (start, end)
        for start, end in pairwise(edges)
        if _sources(rope, start, end) != _sources(other, start, end)
    ]


def _sources(rope: Rope, start: int, end: int) -> list[tuple[int, int, int | None, int]]:
    return [(each.start, each.end, each.pattern, each.value) for each in parts(rope, start, end)]


class Mismatch(NamedTuple):
    """The first byte that is not what was written: where, what and whose."""

    offset: int
    expected: int
    found: int
    author: Author


def first_mismatch(rope: Rope, start: int, data: bytes) -> Mismatch | None:
    """Compare bytes read from ``start`` on with the rope; gaps match anything."""
    for stretch in parts(rope, start, start + len(data)):
        found = data[stretch.start - start : stretch.end - start]
        expected = stretch.render()
        if found != expected:
            place = next(i for i, (a, b) in enumerate(zip(found, expected, strict=True)) if a != b)
            return Mismatch(stretch.start + place, expected[place], found[place], stretch.author)
    return None
