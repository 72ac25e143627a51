"""Tables of concrete rows in persistent sorted maps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from halcert.model.concrete.sortedmap import SortedMap
from halcert.spec.language import Row

R = TypeVar("R", bound=Row)


class ConcreteTable(Generic[R]):
    """The concrete form of :class:`halcert.spec.language.Table`."""

    __slots__ = (
        "_absent",
        "_extent",
        "_key",
        "_last_at",
        "_last_covering",
        "_last_key",
        "_last_place",
        "_older_covering",
        "_older_place",
        "_rows",
        "row_type",
    )
    _last_key: int | None
    _last_at: R
    _last_place: int | None
    _last_covering: R
    _older_place: int | None
    _older_covering: R

    def __init__(self, row_type: type[R], rows: SortedMap[R] | None = None) -> None:
        """Make a table of a row type, empty unless rows are given."""
        self.row_type = row_type
        self._rows: SortedMap[R] = SortedMap() if rows is None else rows
        self._absent: R = row_type.absent
        self._key = row_type.key_column
        self._extent = row_type.extent_column
        self._forget()

    def __iter__(self) -> Iterator[R]:
        """Iterate over the rows in ascending order of their keys."""
        return self._rows.values()

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._rows.size

    def at(self, key: int) -> R:
        """Return the row with exactly this key."""
        # The rules about one call ask for the same key again and again.
        if key == self._last_key:
            return self._last_at
        row = self._rows.get(key)
        found = self._absent if row is None else row
        self._last_key, self._last_at = key, found
        return found

    def covering(self, address: int) -> R:
        """Return the row whose range contains the address."""
        # Likewise for one or two addresses.
        if address == self._last_place:
            return self._last_covering
        if address == self._older_place:
            return self._older_covering
        found = self._rows.floor(address)
        if found is None or address >= self._end(found):
            found = self._absent
        self._older_place, self._older_covering = self._last_place, self._last_covering
        self._last_place, self._last_covering = address, found
        return found

    def overlaps(self, base: int, size: int) -> bool:
        """Tell whether some row's range meets ``[base, base + size)``."""
        found = self._rows.floor(base + size - 1)
        return found is not None and self._end(found) > base

    def any(self, predicate: Callable[[R], bool]) -> bool:
        """Tell whether the predicate holds for some row."""
        if not self._rows.size:
            return False
        return any(predicate(each) for each in self)

    def all(self, predicate: Callable[[R], bool]) -> bool:
        """Tell whether the predicate holds for every row."""
        return all(predicate(each) for each in self)

    def count(self, predicate: Callable[[R], bool]) -> int:
        """Return the number of rows for which the predicate holds."""
        return sum(1 for each in self if predicate(each))

    def sum(self, expression: Callable[[R], int]) -> int:
        """Return the sum of the expression over all rows."""
        return sum(expression(each) for each in self)

    def disjoint(self) -> bool:
        """Tell whether no two rows' ranges meet."""
        end = 0
        for each in self:
            base = getattr(each, self._key)
            if base < end:
                return False
            end = self._end(each)
        return True

    def distinct(self, expression: Callable[[R], int]) -> bool:
        """Tell whether the expression differs between any two rows."""
        return len({expression(each) for each in self}) == len(self)

    def insert(self, row: R) -> ConcreteTable[R]:
        """Return the table with one more row."""
        return self.put(row)

    def put(self, row: R) -> ConcreteTable[R]:
        """Return the table with this row in place of the one with the same key."""
        return self._with(self._rows.set(getattr(row, self._key), row))

    def copy_where(
        self, predicate: Callable[[R], bool], change: Callable[[R], R]
    ) -> ConcreteTable[R]:
        """Return the table with a changed copy of each row for which the predicate holds."""
        rows = self._rows
        for each in self:
            if predicate(each):
                copy = change(each)
                rows = rows.set(getattr(copy, self._key), copy)
        return self if rows is self._rows else self._with(rows)

    def delete(self, key: int) -> ConcreteTable[R]:
        """Return the table without the row that has this key."""
        return self._with(self._rows.delete(key))

    def update_where(
        self, predicate: Callable[[R], bool], change: Callable[[R], R]
    ) -> ConcreteTable[R]:
        """Return the table with every row for which the predicate holds changed."""
        rows = self._rows
        if not rows.size:
            return self
        for key, each in self._rows.items():
            if predicate(each):
                rows = rows.set(key, change(each))
        return self if rows is self._rows else self._with(rows)

    def delete_where(self, predicate: Callable[[R], bool]) -> ConcreteTable[R]:
        """Return the table without the rows for which the predicate holds."""
        rows = self._rows
        if not rows.size:
            return self
        for key, each in self._rows.items():
            if predicate(each):
                rows = rows.delete(key)
        return self if rows is self._rows else self._with(rows)

    def meeting(self, low: int, high: int) -> ConcreteTable[R]:
        """Return the table with only the rows whose range meets ``[low, high)``."""
        rows: SortedMap[R] = SortedMap()
        first = self.covering(low)
        if low >= high:
            return self._with(rows)
        if first.exists:
            rows = rows.set(getattr(first, self._key), first)
        for each in self._rows.between(low, high):
            rows = rows.set(getattr(each, self._key), each)
        return self._with(rows)

    def update_range(self, low: int, high: int, change: Callable[[R], R]) -> ConcreteTable[R]:
        """Return the table with what lies in ``[low, high)`` changed."""
        if low >= high:
            return self
        rows = self._cut(self._cut(self._rows, low), high)
        for each in rows.between(low, high):
            rows = rows.set(getattr(each, self._key), change(each))
        return self._with(rows)

    def delete_range(self, low: int, high: int) -> ConcreteTable[R]:
        """Return the table without what lies in ``[low, high)``."""
        if low >= high:
            return self
        rows = self._cut(self._cut(self._rows, low), high)
        return self._with(rows.splice(low, high, [], []))

    def _cut(self, rows: SortedMap[R], address: int) -> SortedMap[R]:
        """Return the rows with the one whose range contains the address cut in two there."""
        found = rows.floor(address)
        if found is None:
            return rows
        start, extent = getattr(found, self._key), str(self._extent)
        left = self._end(found) - address
        if start == address or left <= 0:
            return rows
        first = found.but(**{extent: address - start})
        second = found.but(**{self._key: address, extent: left})
        return rows.set(start, first).set(address, second)

    def _forget(self) -> None:
        """Forget what was asked last."""
        self._last_key = self._last_place = self._older_place = None
        self._last_at = self._last_covering = self._older_covering = self._absent

    def _end(self, row: R) -> int:
        end: int = getattr(row, self._key) + getattr(row, self._extent)  # type: ignore[arg-type]
        return end

    def _with(self, rows: SortedMap[R]) -> ConcreteTable[R]:
        new: ConcreteTable[R] = ConcreteTable.__new__(ConcreteTable)
        new.row_type = self.row_type
        new._rows = rows
        new._absent = self._absent
        new._key = self._key
        new._extent = self._extent
        new._forget()
        return new
