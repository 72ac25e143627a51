"""Columns of the state that terms speak of, and in which direction a change could matter.

A truth value that a condition asks for only where it is true cannot help the condition by
becoming false. So a column stands for each of its directions by itself; numbers have both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from halcert.model.symbolic.row import Line
from halcert.model.symbolic.state import TABLES
from halcert.model.symbolic.table import SymbolicTable
from halcert.model.symbolic.term import Bool, Int, Term

LIVE = "live"


class Column(NamedTuple):
    """A column of a table, or whether rows are there, that becomes true or false.

    Attributes:
        table: name of the table.
        name: name of the column, or :data:`LIVE`.
        rises: it becomes true; a number has a column of each kind.
    """

    table: str
    name: str
    rises: bool


Columns = frozenset[Column]


def marked(view: Any) -> Columns:
    """Return the columns that some row of a state may have true."""
    return frozenset(column for column, cell in _truths(view) if cell is not False)


def unmarked(view: Any, marks: Columns) -> dict[Bool, bool]:
    """Return what the truth values of a state are if no row has other columns true."""
    return {
        cell: False
        for column, cell in _truths(view)
        if column not in marks and isinstance(cell, Bool)
    }


def _truths(view: Any) -> Iterator[tuple[Column, Any]]:
    for name in TABLES:
        table = getattr(view, name)
        columns = shape_columns(table)
        for line in table.lines:
            for column, cell in zip(columns, cells_of(line), strict=True):
                if isinstance(cell, (bool, Bool)):
                    yield Column(name, column, rises=True), cell


def column_of(term: Term) -> tuple[str, str] | None:
    """Return the table and column that a variable of the state before a call stands for."""
    if term.op not in ("int", "bool"):
        return None
    parts = term.args[0].split(".")
    if parts[0] != "before" or len(parts) != len(("before", "table", "row", "column")):
        return None
    return parts[1], parts[3]


def asked_by(*conditions: object) -> Columns:
    """Return the columns that can make one of the conditions true by their changes."""
    return _found([(each, True) for each in conditions])


def used_by(*values: object) -> Columns:
    """Return the columns that values depend on, in both directions."""
    return _found([(each, sign) for each in values for sign in (True, False)])


def _found(stack: list[tuple[object, bool]]) -> Columns:
    found: set[Column] = set()
    seen: set[tuple[Term, bool]] = set()
    while stack:
        term, sign = stack.pop()
        if not isinstance(term, Term) or (term, sign) in seen:
            continue
        seen.add((term, sign))
        column = column_of(term)
        if column is not None:
            signs = (sign,) if isinstance(term, Bool) else (True, False)
            found |= {Column(*column, each) for each in signs}
        elif term.op in ("and", "or"):
            stack += [(each, sign) for each in term.args]
        elif term.op == "not":
            stack.append((term.args[0], not sign))
        else:
            stack += [(each, side) for each in term.args for side in (True, False)]
    return frozenset(found)


def written(name: str, old: SymbolicTable, new: SymbolicTable) -> tuple[Columns, Columns]:
    """Return what a change of a table writes, and the columns that what is written comes from."""
    columns = shape_columns(new)
    writes: set[Column] = set()
    sources: set[Column] = set()
    for line in new.lines[len(old.lines) :]:
        writes |= {Column(name, each, rises) for each in columns[:-1] for rises in (True, False)}
        writes.add(Column(name, LIVE, rises=True))
        sources |= used_by(line.live, *line.values)
    for one, other in zip(old.lines, new.lines, strict=False):
        for column, before, after in zip(columns, cells_of(one), cells_of(other), strict=True):
            if before is after:
                continue
            writes |= {Column(name, column, rises) for rises in _directions(before, after)}
            own = {Column(name, column, rises) for rises in (True, False)}
            sources |= used_by(after) - own
    return frozenset(writes), frozenset(sources)


def shape_columns(table: SymbolicTable) -> tuple[str, ...]:
    """Return the names of the cells of each line of a table."""
    return (*table.shape.columns, LIVE)


def cells_of(line: Line) -> tuple[Any, ...]:
    """Return the cells of a line: its columns, then whether it is there."""
    return (*line.values, line.live)


def _directions(before: Any, after: Any) -> tuple[bool, ...]:
    """Return the directions in which a truth value can change; numbers go both ways."""
    if isinstance(before, (Int, int)) and not isinstance(before, bool):
        return True, False
    if not isinstance(after, Bool):
        return (bool(after),)
    if after.op in ("and", "or") and any(each is before for each in after.args):
        return (after.op == "or",)
    return True, False
