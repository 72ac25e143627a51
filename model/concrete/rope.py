"""Contents of memory as ropes: stretches of patterns instead of arrays of bytes.

A copy of 64 GiB costs what a copy of 4 KiB costs. Bytes that nobody wrote are gaps in the rope
and match anything. Every stretch remembers which call wrote it and by which rule, so that a
wrong byte is blamed on the call that should have written it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from halcert.model.concrete.sortedmap import SortedMap
from halcert.spec.pattern import pattern_bytes


class Author(NamedTuple):
    """The call that wrote a stretch: its number in the run, and the rule it followed."""

    step: int
    rule: str


class Stretch(NamedTuple):
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


def parts(rope: Rope, start: int, end: int) -> Iterator[Stretch]:
    """Iterate over the written stretches of ``[start, end)``, cut to it, in order."""
    first = rope.floor(start)
    if first is not None and first.start < start < first.end:
        yield first.cut(start, min(end, first.end))
    for _, stretch in rope.between(start, end):
        yield stretch if stretch.end <= end else stretch.cut(stretch.start, end)


def erased(rope: Rope, start: int, end: int) -> Rope:
    """Return the rope with ``[start, end)`` undefined."""
    first = rope.floor(start)
    if first is not None and first.start < start < first.end:
        rope = rope.set(first.start, first.cut(first.start, start))
        if first.end > end:
            return rope.set(end, first.cut(end, first.end))
    for key, stretch in list(rope.between(start, end)):
        rope = rope.delete(key)
        if stretch.end > end:
            rope = rope.set(end, stretch.cut(end, stretch.end))
    return rope


def written(rope: Rope, stretch: Stretch) -> Rope:
    """Return the rope with a stretch in place of what was there."""
    if not len(rope):
        return rope.set(stretch.start, stretch)
    return erased(rope, stretch.start, stretch.end).set(stretch.start, stretch)


def spliced(
    target: Rope, at: int, source: Rope, start: int, length: int, author: Author
) -> Rope:
    """Return the target with ``length`` bytes of the source from ``start`` on placed at ``at``.

    The author is whoever copies: a byte that arrives wrong is the copy's fault.
    """
    taken = [
        stretch.moved(at - start, author) for stretch in parts(source, start, start + length)
    ]
    target = erased(target, at, at + length)
    for stretch in taken:
        target = target.set(stretch.start, stretch)
    return target


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
            return Mismatch(
                stretch.start + place, expected[place], found[place], stretch.author
            )
    return None
