"""Tables of symbolic rows: a list of lines, each with a condition under which it is there.

A change makes a new list; ``insert`` puts a line at the end, so it never lacks room, and lines
that a change leaves alone stay the same objects. A row that a look-up found remembers which
lines it may be, so that ``put`` of a changed row touches the changed columns only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import combinations, zip_longest
from typing import Any

from halcert.model.symbolic.algebra import both, choose, either, equal, less, modulo, negation
from halcert.model.symbolic.paths import merged
from halcert.model.symbolic.row import (
    Found,
    Line,
    SymbolicRow,
    changed_in,
    chosen_values,
    joined_rows,
    origin_of,
    shape_of,
    values_of,
)
from halcert.model.symbolic.term import Bool, BoolLike, Int, IntLike, Term, integer
from halcert.spec.language import Row

_crowded: list[bool] = []


@contextmanager
def crowds() -> Iterator[None]:
    """Read counts, while the block runs, as if tables had any number of further rows."""
    _crowded.append(True)
    try:
        yield
    finally:
        _crowded.pop()


class SymbolicTable:
    """The symbolic form of :class:`halcert.spec.language.Table`."""

    __slots__ = ("_cache", "lines", "row_type", "shape")

    def __init__(self, row_type: type[Row], lines: Sequence[Line] = ()) -> None:
        """Make a table of a row type with the given lines."""
        self.row_type = row_type
        self.shape = shape_of(row_type)
        self.lines = tuple(lines)
        self._cache: dict[Any, Any] = {}

    # -------------------------------------------------------------------------------- look-ups

    def at(self, key: IntLike) -> SymbolicRow:
        """Return the row with exactly this key."""
        return self._looked_up(("at", key), lambda line: equal(self._key(line), key))

    def covering(self, address: IntLike) -> SymbolicRow:
        """Return the row whose range contains the address."""
        return self._looked_up(
            ("covering", address),
            lambda line: both(
                negation(less(address, self._key(line))), less(address, self._end(line))
            ),
        )

    def overlaps(self, base: IntLike, size: IntLike) -> BoolLike:
        """Tell whether some row's range meets ``[base, base + size)``."""
        return either(
            *(
                both(line.live, less(self._key(line), base + size), less(base, self._end(line)))
                for line in self.lines
            )
        )

    def _looked_up(self, name: Any, matches: Callable[[Line], BoolLike]) -> SymbolicRow:
        found: SymbolicRow | None = self._cache.get(name)
        if found is None:
            selectors = tuple(both(line.live, matches(line)) for line in self.lines)
            found = SymbolicRow(self.shape, either(*selectors), Found(self.lines, selectors))
            self._cache[name] = found
        return found

    # ----------------------------------------------------------------------- questions over rows

    def any(self, predicate: Callable[[Any], Any]) -> BoolLike:
        """Tell whether the predicate holds for some row."""
        held = self._of_each("truth", predicate)
        return either(*(both(line.live, each) for line, each in zip(self.lines, held, strict=True)))

    def all(self, predicate: Callable[[Any], Any]) -> BoolLike:
        """Tell whether the predicate holds for every row."""
        held = self._of_each("truth", predicate)
        return both(
            *(
                either(negation(line.live), each)
                for line, each in zip(self.lines, held, strict=True)
            )
        )

    def count(self, predicate: Callable[[Any], Any]) -> IntLike:
        """Return the number of rows for which the predicate holds."""
        total: IntLike = _crowd(self) if _crowded else 0
        for line, held in zip(self.lines, self._of_each("truth", predicate), strict=True):
            total = total + choose(both(line.live, held), 1, 0)
        return total

    def sum(self, expression: Callable[[Any], Any]) -> IntLike:
        """Return the sum of the expression over all rows."""
        total: IntLike = 0
        for line, value in zip(self.lines, self._of_each("number", expression), strict=True):
            total = total + choose(line.live, value, 0)
        return total

    def disjoint(self) -> BoolLike:
        """Tell whether no two rows' ranges meet."""
        return both(
            *(
                either(
                    negation(one.live),
                    negation(other.live),
                    negation(less(self._key(one), self._end(other))),
                    negation(less(self._key(other), self._end(one))),
                )
                for one, other in combinations(self.lines, 2)
            )
        )

    def distinct(self, expression: Callable[[Any], Any]) -> BoolLike:
        """Tell whether the expression differs between any two rows."""
        values = self._of_each("number", expression)
        return both(
            *(
                either(negation(one.live), negation(other.live), negation(equal(a, b)))
                for (one, a), (other, b) in combinations(zip(self.lines, values, strict=True), 2)
            )
        )

    def keyed(self) -> BoolLike:
        """Tell whether no two rows have the same key, as every table must."""
        place = self.shape.key
        return both(
            *(
                either(
                    negation(one.live),
                    negation(other.live),
                    negation(equal(one.values[place], other.values[place])),
                )
                for one, other in combinations(self.lines, 2)
            )
        )

    def ordered(self) -> BoolLike:
        """Tell whether rows come by their keys, and lines without one at the end.

        Every set of rows has one such order, and in it no two rows have the same key.
        """
        return both(
            *(
                either(negation(other.live), both(one.live, less(self._key(one), self._key(other))))
                for one, other in combinations(self.lines, 2)
            )
        )

    # --------------------------------------------------------------------------------- changes

    def insert(self, row: Any) -> SymbolicTable:
        """Return the table with one more row."""
        return self._with((*self.lines, Line(True, values_of(row))))

    def put(self, row: Any) -> SymbolicTable:
        """Return the table with this row in place of the one with the same key."""
        origin = origin_of(row)
        if (
            origin is not None
            and origin.lines is self.lines
            and self.row_type.key_column not in changed_in(row)
        ):
            return self._put_back(row, origin.selectors)
        values = values_of(row)
        place = self.shape.key
        same = [both(line.live, equal(line.values[place], values[place])) for line in self.lines]
        lines = [
            Line(line.live, chosen_values(match, values, line.values))
            for match, line in zip(same, self.lines, strict=True)
        ]
        return self._with(_and_new(lines, negation(either(*same)), values))

    def copy_where(
        self, predicate: Callable[[Any], Any], change: Callable[[Any], Any]
    ) -> SymbolicTable:
        """Return the table with a changed copy of each row for which the predicate holds."""
        held = self._of_each("truth", predicate)
        place = self.shape.key
        copies = []
        for line, match, row in zip(self.lines, held, self._rows(), strict=True):
            values = values_of(merged(partial(change, row), joined_rows))
            there = (both(old.live, equal(old.values[place], values[place])) for old in self.lines)
            copies.append(Line(both(line.live, match, negation(either(*there))), values))
        return self._with([*self.lines, *copies])

    def delete(self, key: IntLike) -> SymbolicTable:
        """Return the table without the row that has this key."""
        return self._with(
            Line(both(line.live, negation(equal(self._key(line), key))), line.values)
            for line in self.lines
        )

    def update_where(
        self, predicate: Callable[[Any], Any], change: Callable[[Any], Any]
    ) -> SymbolicTable:
        """Return the table with every row for which the predicate holds changed."""
        held = self._of_each("truth", predicate)
        new = [merged(partial(change, row), joined_rows) for row in self._rows()]
        return self._with(
            Line(line.live, chosen_values(match, values_of(row), line.values))
            for line, match, row in zip(self.lines, held, new, strict=True)
        )

    def delete_where(self, predicate: Callable[[Any], Any]) -> SymbolicTable:
        """Return the table without the rows for which the predicate holds."""
        held = self._of_each("truth", predicate)
        return self._with(
            Line(both(line.live, negation(match)), line.values)
            for line, match in zip(self.lines, held, strict=True)
        )

    def meeting(self, low: IntLike, high: IntLike) -> SymbolicTable:
        """Return the table with only the rows whose range meets ``[low, high)``."""
        return self._with(
            Line(both(line.live, self._meets(line, low, high)), line.values) for line in self.lines
        )

    def update_range(
        self, low: IntLike, high: IntLike, change: Callable[[Any], Any]
    ) -> SymbolicTable:
        """Return the table with what lies in ``[low, high)`` changed.

        Keys of lines stay as they are: the line of a row that runs into the range becomes the
        part before it. Rows do not overlap, so one line more is enough for what starts at the
        range, and one for what starts behind it.
        """
        inner = self._with([*self.lines, self._starting(low, low, high)])
        rows = inner._rows()  # noqa: SLF001 - a table of the same class
        new = (merged(partial(change, row), joined_rows) for row in rows)
        changed = [
            Line(
                line.live, chosen_values(self._inside(line, low, high), values_of(row), line.values)
            )
            for line, row in zip(inner.lines, new, strict=True)
        ]
        return self._with([*self._trimmed(changed, low, high), self._starting(high, low, high)])

    def delete_range(self, low: IntLike, high: IntLike) -> SymbolicTable:
        """Return the table without what lies in ``[low, high)``; rows are cut at its ends."""
        left = [
            Line(both(line.live, negation(self._inside(line, low, high))), line.values)
            for line in self.lines
        ]
        return self._with([*self._trimmed(left, low, high), self._starting(high, low, high)])

    def joined(self, condition: BoolLike, other: SymbolicTable) -> SymbolicTable:
        """Return this table where the condition is true, and the other one elsewhere."""
        if other is self:
            return self
        lines = [
            _joined_line(condition, mine, theirs)
            for mine, theirs in zip_longest(self.lines, other.lines)
        ]
        return self._with(lines)

    # ----------------------------------------------------------------------------------- inside

    def _trimmed(self, lines: Sequence[Line], low: IntLike, high: IntLike) -> Iterator[Line]:
        """Return lines cut where the range ends, and before where it starts."""
        place = self._extent()
        some = less(low, high)
        for line in lines:
            start, end = self._key(line), self._end(line)
            cut = choose(less(start, low), low, choose(less(start, high), high, end))
            shorter = both(some, less(cut, end))
            values = list(line.values)
            values[place] = choose(shorter, cut - start, values[place])
            yield Line(line.live, tuple(values))

    def _starting(self, address: IntLike, low: IntLike, high: IntLike) -> Line:
        """Return the part from an address on of the row that it cuts in two."""
        found = self.covering(address)
        values = list(found.values())
        key, extent = self.shape.key, self._extent()
        cut = negation(equal(values[key], address))
        values[key], values[extent] = address, values[key] + values[extent] - address
        return Line(both(found.exists, cut, less(low, high)), tuple(values))

    def _inside(self, line: Line, low: IntLike, high: IntLike) -> BoolLike:
        return both(negation(less(self._key(line), low)), less(self._key(line), high))

    def _meets(self, line: Line, low: IntLike, high: IntLike) -> BoolLike:
        return both(less(self._key(line), high), less(low, self._end(line)), less(low, high))

    def _rows(self) -> list[SymbolicRow]:
        rows: list[SymbolicRow] | None = self._cache.get("rows")
        if rows is None:
            rows = [self._row(place) for place in range(len(self.lines))]
            self._cache["rows"] = rows
        return rows

    def _row(self, place: int) -> SymbolicRow:
        chosen = tuple(each == place for each in range(len(self.lines)))
        return SymbolicRow(self.shape, True, Found(self.lines, chosen))

    def _of_each(self, kind: str, function: Callable[[Any], Any]) -> list[Any]:
        """Run a function of a row for each line, once for the same function and surroundings."""
        name = (kind, *signature(function))
        known: tuple[Any, list[Any]] | None = self._cache.get(name)
        if known is None:
            read = _truth if kind == "truth" else _itself
            values = [merged(partial(_read, read, function, row)) for row in self._rows()]
            # The function is kept, so that what its name was made of stays where it is.
            known = self._cache[name] = (function, values)
        return known[1]

    def _put_back(self, row: SymbolicRow, selectors: tuple[BoolLike, ...]) -> SymbolicTable:
        """Put a row back that came from here: only what was changed differs."""
        lines = []
        changed = changed_in(row)
        for chosen, line in zip(selectors, self.lines, strict=True):
            values = tuple(
                choose(chosen, getattr(row, name), old) if name in changed else old
                for name, old in zip(self.shape.columns, line.values, strict=True)
            )
            lines.append(Line(line.live, values))
        missing = negation(row.exists)
        return self._with(lines if missing is False else _and_new(lines, missing, row.values()))

    def _key(self, line: Line) -> Any:
        return line.values[self.shape.key]

    def _end(self, line: Line) -> Any:
        return self._key(line) + line.values[self._extent()]

    def _extent(self) -> int:
        if self.shape.extent is None:
            raise TypeError(f"{self.row_type.__name__} has no ranges to be asked by address")
        return self.shape.extent

    def _with(self, lines: Any) -> SymbolicTable:
        return SymbolicTable(self.row_type, [line for line in lines if line.live is not False])


def _crowd(table: SymbolicTable) -> IntLike:
    rows: IntLike = modulo(integer(f"further rows of {table.row_type.__name__}"), 2**64)
    return rows


def signature(function: Callable[..., Any]) -> tuple[Any, ...]:
    """Return what a function's answer depends on: its code and the values it closes over."""
    cells = getattr(function, "__closure__", None) or ()
    code = getattr(function, "__code__", function)
    return (code, *(_fingerprint(cell.cell_contents) for cell in cells))


def _fingerprint(value: Any) -> Any:
    if isinstance(value, (Term, int, str)):
        return value
    if callable(value) and hasattr(value, "__code__"):
        return signature(value)
    return ("object", id(value))


def _read(read: Callable[[Any], Any], function: Callable[[Any], Any], row: SymbolicRow) -> Any:
    return read(function(row))


def _itself(value: Any) -> Any:
    return value


def _truth(value: Any) -> BoolLike:
    if isinstance(value, Int):
        return negation(equal(value, 0))
    return value if isinstance(value, Bool) else bool(value)


def _and_new(lines: list[Line], live: BoolLike, values: tuple[Any, ...]) -> list[Line]:
    return lines if live is False else [*lines, Line(live, values)]


def _joined_line(condition: BoolLike, mine: Line | None, theirs: Line | None) -> Line:
    if mine is None:
        assert theirs is not None  # noqa: S101 - the longer list has it
        return Line(both(negation(condition), theirs.live), theirs.values)
    if theirs is None:
        return Line(both(condition, mine.live), mine.values)
    if mine is theirs:
        return mine
    return Line(
        choose(condition, mine.live, theirs.live),
        chosen_values(condition, mine.values, theirs.values),
    )
