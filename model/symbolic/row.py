"""Rows of terms: what a look-up finds, with the columns merged over the rows that it may be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, get_type_hints

from halcert.model.symbolic.algebra import choose
from halcert.model.symbolic.term import BoolLike
from halcert.spec.language import Row


class Line(NamedTuple):
    """A place for a row: whether one is there, and its columns in declared order."""

    live: BoolLike
    values: tuple[Any, ...]


class Found(NamedTuple):
    """Where a row came from: the lines of the table, and which of them it is."""

    lines: tuple[Line, ...]
    selectors: tuple[BoolLike, ...]


class Shape(NamedTuple):
    """What a row type looks like: its columns, and what a missing row shows in each."""

    columns: tuple[str, ...]
    missing: tuple[Any, ...]
    key: int
    extent: int | None


@cache
def shape_of(row_type: type[Row]) -> Shape:
    """Return the shape of a row type."""
    columns: tuple[str, ...] = row_type.__struct_fields__
    hints = get_type_hints(row_type)
    extent = row_type.extent_column
    return Shape(
        columns,
        tuple(hints[name](getattr(row_type.absent, name)) for name in columns),
        columns.index(row_type.key_column),
        None if extent is None else columns.index(extent),
    )


class SymbolicRow:
    """A row as a rule sees it; columns that a look-up merges are merged when they are asked for."""

    def __init__(self, shape: Shape, exists: BoolLike, found: Found | None) -> None:
        """Take the shape of the row and where it came from."""
        self._shape = shape
        self._found = found
        self._changed: frozenset[str] = frozenset()
        self.exists = exists

    def __getattr__(self, name: str) -> Any:
        """Merge a column over the lines that the row may be."""
        if name.startswith("_") or name not in self._shape.columns or self._found is None:
            raise AttributeError(name)
        place = self._shape.columns.index(name)
        value = self._shape.missing[place]
        for chosen, line in zip(
            reversed(self._found.selectors), reversed(self._found.lines), strict=True
        ):
            if chosen is not False:
                value = choose(chosen, line.values[place], value)
        setattr(self, name, value)
        return value

    def but(self, **changes: Any) -> SymbolicRow:
        """Return the row with the named columns changed."""
        new = SymbolicRow(self._shape, self.exists, self._found)
        for name in self._shape.columns:
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name])
        for name, value in changes.items():
            if name not in self._shape.columns:
                raise TypeError(f"no column {name}")
            setattr(new, name, value)
        new._changed = self._changed | changes.keys()
        return new

    def values(self) -> tuple[Any, ...]:
        """Return all columns in declared order."""
        return tuple(getattr(self, name) for name in self._shape.columns)


def origin_of(row: Any) -> Found | None:
    """Return where a row came from, if a look-up found it."""
    return row._found if isinstance(row, SymbolicRow) else None  # noqa: SLF001 - columns own the other names


def changed_in(row: SymbolicRow) -> frozenset[str]:
    """Return the columns that were changed since the look-up."""
    return row._changed  # noqa: SLF001 - columns own the other names


def values_of(row: Any) -> tuple[Any, ...]:
    """Return the columns of a row in declared order."""
    if isinstance(row, SymbolicRow):
        return row.values()
    return tuple(getattr(row, name) for name in row.__struct_fields__)


def joined_rows(condition: BoolLike, yes: Any, no: Any) -> Any:
    """Return the row that is ``yes`` where the condition is true, and ``no`` elsewhere."""
    if yes is no:
        return yes
    kind = yes.__class__ if isinstance(no, SymbolicRow) else no.__class__
    values = chosen_values(condition, values_of(yes), values_of(no))
    if kind is not SymbolicRow:
        return kind(*values)
    shape = yes._shape  # noqa: SLF001 - columns own the other names
    row = SymbolicRow(shape, choose(condition, yes.exists, no.exists), None)
    for name, value in zip(shape.columns, values, strict=True):
        setattr(row, name, value)
    return row


def chosen_values(condition: BoolLike, yes: Sequence[Any], no: Sequence[Any]) -> tuple[Any, ...]:
    """Return ``yes`` or ``no``, column by column."""
    return tuple(choose(condition, a, b) for a, b in zip(yes, no, strict=True))
