"""Tables of state and the algebra in which rules speak of them.

A table is a set of rows with a key. The oracle holds rows in persistent sorted maps, the
proofs hold a bounded number of rows of z3 terms; both implement :class:`Table`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, ClassVar, Protocol, TypeVar

import msgspec
from typing_extensions import Self


class Scope(Enum):
    """Who sees a table."""

    PROCESS = "process"
    """Each process has rows of its own; a rule sees those of the calling process."""
    HOST = "host"
    """One table for all processes."""


class Row(msgspec.Struct, frozen=True):
    """Base of the rows. A look-up that finds nothing gives a row with ``exists`` false.

    Columns are annotated integers and truth values.

    Attributes:
        exists: whether the row is there; class-level, so that it costs nothing.
        key_column: name of the column that identifies a row within its scope.
        extent_column: name of the column that gives the length in bytes of the address range
            starting at the key, for tables that can be asked by address.
        scope: who sees the rows.
        most: how many rows there can be, where that is known; 0 for any number.
        absent: the row that a look-up gives when there is none; every column is zero.
    """

    exists: ClassVar[bool] = True
    key_column: ClassVar[str]
    extent_column: ClassVar[str | None] = None
    scope: ClassVar[Scope] = Scope.PROCESS
    most: ClassVar[int] = 0
    absent: ClassVar[Any]

    def but(self, **changes: Any) -> Self:
        """Return the row with the named columns changed."""
        return msgspec.structs.replace(self, **changes)


R = TypeVar("R", bound=Row)


def row(
    key: str, *, extent: str | None = None, scope: Scope = Scope.PROCESS, most: int = 0
) -> Callable[[type[R]], type[R]]:
    """Declare a row type: the column that identifies a row and the length of its range."""

    def declare(cls: type[R]) -> type[R]:
        cls.key_column, cls.extent_column, cls.scope, cls.most = key, extent, scope, most
        missing = type(f"No{cls.__name__}", (cls,), {"exists": False}, frozen=True)
        cls.absent = missing(*(0 for _ in cls.__struct_fields__))
        return cls

    return declare


class Table(Protocol[R]):
    """What a rule may ask of a table, and how an outcome changes it.

    Changes return a new table; the old one stays as it was.
    """

    def at(self, key: int) -> R:
        """Return the row with exactly this key."""

    def covering(self, address: int) -> R:
        """Return the row whose range ``[key, key + extent)`` contains the address."""

    def overlaps(self, base: int, size: int) -> bool:
        """Tell whether some row's range meets ``[base, base + size)``."""

    def any(self, predicate: Callable[[R], bool]) -> bool:
        """Tell whether the predicate holds for some row."""

    def all(self, predicate: Callable[[R], bool]) -> bool:
        """Tell whether the predicate holds for every row."""

    def count(self, predicate: Callable[[R], bool]) -> int:
        """Return the number of rows for which the predicate holds."""

    def sum(self, expression: Callable[[R], int]) -> int:
        """Return the sum of the expression over all rows."""

    def disjoint(self) -> bool:
        """Tell whether no two rows' ranges meet."""

    def distinct(self, expression: Callable[[R], int]) -> bool:
        """Tell whether the expression differs between any two rows."""

    def insert(self, row: R) -> Self:
        """Return the table with one more row; its key must be new."""

    def put(self, row: R) -> Self:
        """Return the table with this row in place of the one with the same key."""

    def copy_where(self, predicate: Callable[[R], bool], change: Callable[[R], R]) -> Self:
        """Return the table with a changed copy of each row for which the predicate holds.

        Keys say all about a row where this is used: a copy with the key of a row that is there
        is that row.
        """

    def delete(self, key: int) -> Self:
        """Return the table without the row that has this key."""

    def update_where(self, predicate: Callable[[R], bool], change: Callable[[R], R]) -> Self:
        """Return the table with every row for which the predicate holds changed."""

    def delete_where(self, predicate: Callable[[R], bool]) -> Self:
        """Return the table without the rows for which the predicate holds."""

    def meeting(self, low: int, high: int) -> Self:
        """Return the table with only the rows whose range meets ``[low, high)``."""

    def update_range(self, low: int, high: int, change: Callable[[R], R]) -> Self:
        """Return the table with what lies in ``[low, high)`` changed.

        Rows that reach out of the range are cut at its ends; their outer parts stay as they are,
        but for key and extent. The change leaves key and extent alone.
        """

    def delete_range(self, low: int, high: int) -> Self:
        """Return the table without what lies in ``[low, high)``; rows are cut at its ends."""


class StateBase:
    """Base of the state: a subclass annotates its tables and its contents.

    What a rule receives is the view of the calling process: its own rows of process tables
    and all rows of host tables.
    """

    def but(self, **changes: Any) -> Self:
        """Return the state with the named tables replaced."""
        raise NotImplementedError
