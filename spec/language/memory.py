"""Contents of memory, as rules speak of them.

Physical memory is a set of objects named by integers; an object is created with an allocation
and lives as long as somebody holds it. Addresses lead to ``(object, offset)``, so two mappings
of one object show the same bytes. The oracle keeps ropes of patterns, the proofs keep an array
of tokens; a rule cannot tell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

from typing_extensions import Self

from halcert.spec.language.table import Row, Table

R = TypeVar("R", bound=Row)


class Extent(NamedTuple):
    """A stretch of a memory object; offset and length in bytes."""

    memory: int
    offset: int
    length: int


class Contents(Protocol):
    """The bytes of all memory objects. Offsets and lengths are in bytes."""

    def fresh(self) -> int:
        """Return the name that the next created object gets."""

    def create(self) -> Self:
        """Return the contents with one more object, named ``fresh()``; its bytes are undefined."""

    def drop(self, memory: int) -> Self:
        """Return the contents after an object has gone; nothing may be read from it again."""

    def keep(self, table: Table[Any], column: str) -> Self:
        """Return the contents after every object that no row names in ``column`` has gone."""

    def fill(self, memory: int, offset: int, length: int, value: int) -> Self:
        """Return the contents after each byte of the range became ``value``."""

    def store(self, memory: int, offset: int, length: int, pattern: int, start: int) -> Self:
        """Return the contents after a program wrote a pattern from its byte ``start`` on."""

    def copy(
        self, target: int, target_offset: int, source: int, source_offset: int, length: int
    ) -> Self:
        """Return the contents after a copy; the ranges must not overlap."""

    def byte(self, memory: int, offset: int) -> Any:
        """Return what stands for one byte; it is equal for bytes that come from one write.

        Rules have no use for it; theorems about what is read do.
        """

    def forget(self, memory: int, offset: int, length: int) -> Self:
        """Return the contents after the range became undefined."""

    def forget_each(self, table: Table[R], extent: Callable[[R], Extent]) -> Self:
        """Return the contents after the range that each row stands for became undefined."""
