"""States of terms: any state at all, one that is known, and two states joined."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from halcert.model.concrete.world import ROW_TYPES, View
from halcert.model.symbolic.algebra import both, choose, either, less, negation, same_truth
from halcert.model.symbolic.contents import SymbolicContents
from halcert.model.symbolic.row import Line, shape_of
from halcert.model.symbolic.table import SymbolicTable
from halcert.model.symbolic.term import BoolLike, integer, truth
from halcert.spec.language import Row

TABLES = tuple(ROW_TYPES)
"""Names of all tables of the state."""


def any_state(name: str, rows: int, filled: Collection[str] = TABLES) -> Any:
    """Return a view of which nothing is known but how many rows its tables have at most.

    Args:
        name: what its variables are named after.
        rows: the most rows of a table.
        filled: the tables that may have rows.
    """

    def table(place: str, kind: type[Row]) -> SymbolicTable:
        most = min(rows, kind.most or rows) if place in filled else 0
        return SymbolicTable(kind, [_any_line(f"{name}.{place}.{n}", kind) for n in range(most)])

    tables = {place: table(place, kind) for place, kind in ROW_TYPES.items()}
    contents = SymbolicContents.named(f"{name} byte", integer(f"{name}.next"))
    return View(**tables, contents=contents)


def _any_line(name: str, kind: type[Row]) -> Line:
    shape = shape_of(kind)
    values = tuple(
        (truth if isinstance(missing, bool) else integer)(f"{name}.{column}")
        for column, missing in zip(shape.columns, shape.missing, strict=True)
    )
    return Line(truth(f"{name}.live"), values)


def known_state(view: Any, name: str = "start") -> Any:
    """Return the symbolic form of a concrete view; its bytes stay unknown."""
    tables = {table: known_table(kind, getattr(view, table)) for table, kind in ROW_TYPES.items()}
    contents = SymbolicContents.named(f"{name} byte", view.contents.fresh())
    return View(**tables, contents=contents)


def known_table(kind: type[Row], rows: Any) -> SymbolicTable:
    """Return the symbolic form of a concrete table."""
    lines = [Line(True, tuple(getattr(row, c) for c in kind.__struct_fields__)) for row in rows]
    return SymbolicTable(kind, lines)


def keyed(view: Any, tables: Collection[str] = TABLES) -> BoolLike:
    """Tell whether in each of the tables no two rows have the same key."""
    return both(*(getattr(view, name).keyed() for name in TABLES if name in tables))


def ordered(view: Any, tables: Collection[str] = TABLES) -> BoolLike:
    """Tell whether in each of the tables rows come by their keys, which no two have in common."""
    return both(*(getattr(view, name).ordered() for name in TABLES if name in tables))


def named(view: Any) -> BoolLike:
    """Tell whether the next name for a memory object is a possible one."""
    return less(0, view.contents.fresh())


def changed_tables(before: Any, after: Any) -> tuple[str, ...]:
    """Return the parts of the state that are not the same objects."""
    return tuple(
        name for name in (*TABLES, "contents") if getattr(before, name) is not getattr(after, name)
    )


def differs(before: SymbolicTable, after: SymbolicTable) -> BoolLike:
    """Tell whether two versions of a table have different rows, line by line."""
    parts: list[BoolLike] = []
    for place, new in enumerate(after.lines):
        if place >= len(before.lines):
            parts.append(new.live)
            continue
        old = before.lines[place]
        if old is new:
            continue
        other = either(
            *(negation(_same(a, b)) for a, b in zip(old.values, new.values, strict=True))
        )
        parts += [negation(same_truth(old.live, new.live)), both(old.live, new.live, other)]
    return either(*parts, *(line.live for line in before.lines[len(after.lines) :]))


def _same(one: Any, other: Any) -> BoolLike:
    value: BoolLike = choose(True, one == other, False)
    return value
