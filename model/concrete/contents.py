"""The bytes of all memory objects, as ropes by object."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from halcert.model.concrete.rope import (
    EMPTY,
    Author,
    Rope,
    Stretch,
    differing,
    erased,
    parts,
    spliced,
    written,
)
from halcert.model.concrete.sortedmap import SortedMap
from halcert.spec.language import Extent, Row

R = TypeVar("R", bound=Row)


class Pen:
    """Who writes at the moment; the oracle sets it before it runs an effect."""

    __slots__ = ("author", "observing")

    def __init__(self) -> None:
        """Start with nobody."""
        self.author = Author(0, "")
        self.observing = False


NO_OBJECTS: SortedMap[Rope] = SortedMap()


class ConcreteContents(msgspec.Struct, frozen=True, eq=False):
    """The concrete form of :class:`halcert.spec.language.Contents`.

    Attributes:
        pen: who writes.
    """

    pen: Pen
    _ropes: SortedMap[Rope] = NO_OBJECTS
    _next: int = 1

    def rope(self, memory: int) -> Rope:
        """Return the bytes of an object."""
        found = self._ropes.get(memory)
        return EMPTY if found is None else found

    def fresh(self) -> int:
        """Return the name that the next created object gets."""
        return self._next

    def create(self) -> ConcreteContents:
        """Return the contents with one more object, whose bytes are undefined."""
        return ConcreteContents(self.pen, self._ropes, self._next + 1)

    def drop(self, memory: int) -> ConcreteContents:
        """Return the contents after an object has gone."""
        return ConcreteContents(self.pen, self._ropes.delete(memory), self._next)

    def keep(self, table: Iterable[Row], column: str) -> ConcreteContents:
        """Return the contents with the objects only that some row names in ``column``."""
        names = {getattr(row, column) for row in table}
        ropes = self._ropes
        for memory in self._ropes:
            if memory not in names:
                ropes = ropes.delete(memory)
        return ConcreteContents(self.pen, ropes, self._next)

    def fill(self, memory: int, offset: int, length: int, value: int) -> ConcreteContents:
        """Return the contents after each byte of the range became ``value``."""
        stretch = Stretch(offset, offset + length, None, value, self.pen.author)
        return self._changed(memory, lambda rope: written(rope, stretch))

    def store(
        self, memory: int, offset: int, length: int, pattern: int, start: int
    ) -> ConcreteContents:
        """Return the contents after a program wrote a pattern from its byte ``start`` on."""
        stretch = Stretch(offset, offset + length, pattern, start, self.pen.author)
        return self._changed(memory, lambda rope: written(rope, stretch))

    def copy(
        self, target: int, target_offset: int, source: int, source_offset: int, length: int
    ) -> ConcreteContents:
        """Return the contents after a copy."""
        pen, taken = self.pen, self.rope(source)
        return self._changed(
            target,
            lambda rope: spliced(
                rope,
                target_offset,
                taken,
                source_offset,
                length,
                pen.author,
                observing=pen.observing,
            ),
        )

    def forget(self, memory: int, offset: int, length: int) -> ConcreteContents:
        """Return the contents after the range became undefined."""
        return self._changed(memory, lambda rope: erased(rope, offset, offset + length))

    def forget_each(self, table: Iterable[R], extent: Callable[[R], Extent]) -> ConcreteContents:
        """Return the contents after the range that each row stands for became undefined."""
        contents = self
        for row in table:
            memory, offset, length = extent(row)
            if length > 0:
                contents = contents.forget(memory, offset, length)
        return contents

    def doubting(self, other: ConcreteContents) -> ConcreteContents:
        """Return the contents in which bytes are undefined that others hold differently."""
        contents = self
        for memory, rope in self._ropes.items():
            there = other._ropes.get(memory)
            if there is not None and there is not rope:
                for start, end in differing(rope, there):
                    contents = contents.forget(memory, start, end - start)
        return contents

    def byte(self, memory: int, offset: int) -> tuple[int | None, int] | None:
        """Return the pattern (None for a constant) and value of a byte, or None if undefined."""
        for stretch in parts(self.rope(memory), offset, offset + 1):
            return stretch.pattern, stretch.value
        return None

    def _changed(self, memory: int, make: Callable[[Rope], Rope]) -> ConcreteContents:
        return ConcreteContents(self.pen, self._ropes.change(memory, EMPTY, make), self._next)
