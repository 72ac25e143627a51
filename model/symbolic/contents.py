"""The bytes of all memory objects as a log of writes that can be asked for one byte.

Proofs look at one arbitrary byte, so nothing is stored: a read walks the log from the last
write to the first and gives a choice between tokens. A token is the constant byte, a number
that stands for a byte of a pattern, or what an unknown function says of bytes that nobody
wrote; no quantifier and no array is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from halcert.model.symbolic.algebra import add, both, choose, equal, less, negation
from halcert.model.symbolic.row import SymbolicRow
from halcert.model.symbolic.table import SymbolicTable
from halcert.model.symbolic.term import BoolLike, IntLike, unknown
from halcert.spec.language import Extent

Read = Callable[[IntLike, IntLike], IntLike]
PATTERN = "byte of pattern"


class SymbolicContents:
    """The symbolic form of :class:`halcert.spec.language.Contents`."""

    __slots__ = ("_next", "_read", "byte", "erasures")

    def __init__(self, read: Read, next_name: IntLike, erasures: int = 0) -> None:
        """Take how a byte is read, the next name, and how often bytes became undefined."""
        self._read = read
        self._next = next_name
        self.erasures = erasures
        self.byte = lru_cache(maxsize=None)(read)

    @classmethod
    def named(cls, name: str, next_name: IntLike) -> SymbolicContents:
        """Return contents of which nothing is known; ``name`` tells them from others."""
        return cls(lambda memory, offset: unknown(name, memory, offset), next_name)

    def fresh(self) -> IntLike:
        """Return the name that the next created object gets."""
        return self._next

    def create(self) -> SymbolicContents:
        """Return the contents with one more object, whose bytes are undefined."""
        return self._erased(lambda memory, _offset: equal(memory, self._next), add(self._next, 1))

    def drop(self, memory: IntLike) -> SymbolicContents:
        """Return the contents after an object has gone."""
        return self._erased(lambda other, _offset: equal(other, memory))

    def keep(self, table: SymbolicTable, column: str) -> SymbolicContents:
        """Return the contents with the objects only that some row names in ``column``."""
        place = table.shape.columns.index(column)

        def gone(memory: IntLike, _offset: IntLike) -> BoolLike:
            return both(
                *(
                    negation(both(line.live, equal(line.values[place], memory)))
                    for line in table.lines
                )
            )

        return self._erased(gone)

    def fill(
        self, memory: IntLike, offset: IntLike, length: IntLike, value: IntLike
    ) -> SymbolicContents:
        """Return the contents after each byte of the range became ``value``."""
        return self._written(memory, offset, length, lambda _place: value)

    def store(
        self, memory: IntLike, offset: IntLike, length: IntLike, pattern: IntLike, start: IntLike
    ) -> SymbolicContents:
        """Return the contents after a program wrote a pattern from its byte ``start`` on."""
        return self._written(
            memory, offset, length, lambda place: pattern_token(pattern, add(start, place))
        )

    def copy(
        self,
        target: IntLike,
        target_offset: IntLike,
        source: IntLike,
        source_offset: IntLike,
        length: IntLike,
    ) -> SymbolicContents:
        """Return the contents after a copy."""
        return self._written(
            target,
            target_offset,
            length,
            lambda place: self.byte(source, add(source_offset, place)),
        )

    def forget(self, memory: IntLike, offset: IntLike, length: IntLike) -> SymbolicContents:
        """Return the contents after the range became undefined."""
        return self._erased(
            lambda other, place: both(equal(other, memory), within(place, offset, length))
        )

    def forget_each(
        self, table: SymbolicTable, extent: Callable[[SymbolicRow], Extent]
    ) -> SymbolicContents:
        """Return the contents after the range that each row stands for became undefined."""

        def gone(memory: IntLike, place: IntLike) -> BoolLike:
            def covers(row: SymbolicRow) -> BoolLike:
                found = extent(row)
                return both(equal(found.memory, memory), within(place, found.offset, found.length))

            return table.any(covers)

        return self._erased(gone)

    def joined(self, condition: BoolLike, other: SymbolicContents) -> SymbolicContents:
        """Return these contents where the condition is true, and the other ones elsewhere."""
        if other is self:
            return self
        return SymbolicContents(
            lambda memory, offset: choose(
                condition, self.byte(memory, offset), other.byte(memory, offset)
            ),
            choose(condition, self._next, other._next),
            max(self.erasures, other.erasures),
        )

    def _written(
        self,
        memory: IntLike,
        offset: IntLike,
        length: IntLike,
        token: Callable[[IntLike], IntLike],
    ) -> SymbolicContents:
        def read(other: IntLike, place: IntLike) -> IntLike:
            hit = both(equal(other, memory), within(place, offset, length))
            if hit is False:
                return self.byte(other, place)
            value: IntLike = choose(hit, token(place - offset), self.byte(other, place))
            return value

        return SymbolicContents(read, self._next, self.erasures)

    def _erased(
        self, gone: Callable[[IntLike, IntLike], BoolLike], next_name: IntLike | None = None
    ) -> SymbolicContents:
        name = f"undefined {self.erasures}"

        def read(memory: IntLike, offset: IntLike) -> IntLike:
            value: IntLike = choose(
                gone(memory, offset), unknown(name, memory, offset), self.byte(memory, offset)
            )
            return value

        following = self._next if next_name is None else next_name
        return SymbolicContents(read, following, self.erasures + 1)


def within(place: IntLike, start: IntLike, length: IntLike) -> BoolLike:
    """Tell whether an offset lies in ``[start, start + length)``."""
    return both(negation(less(place, start)), less(place, add(start, length)))


def pattern_token(pattern: IntLike, place: IntLike) -> IntLike:
    """Return the token for a byte of a pattern."""
    return unknown(PATTERN, pattern, place)
