"""Tables of concrete rows in persistent sorted maps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from halcert.model.concrete.sortedmap import SortedMap
from halcert.spec.language import Row

R = TypeVar("R", bound=Row)


class ConcreteTable(Generic[R]):
    """The concrete form of :class:`halcert.spec.language.Table`."""

    __slots__ = ("_absent", "_extent", "_key", "_last", "_rows", "row_type")

    def __init__(self, row_type: type[R], rows: SortedMap[R] | None = None) -> None:
        """Make a table of a row type, empty unless rows are given."""
        self.row_type = row_type
        self._rows: SortedMap[R] = SortedMap() if rows is None else rows
        self._absent: R = row_type.absent
        self._key = row_type.key_column
        self._extent = row_type.extent_column
        self._last = (-1, self._absent)

    def __iter__(self) -> Iterator[R]:
        """Iterate over the rows in ascending order of their keys."""
        return self._rows.values()

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def at(self, key: int) -> R:
        """Return the row with exactly this key."""
        found = self._rows.get(key)
        return self._absent if found is None else found

    def covering(self, address: int) -> R:
        """Return the row whose range contains the address."""
        # The rules about one call ask for the same address again and again.
        asked, last = self._last
        if asked == address:
            return last
        found = self._rows.floor(address)
        if found is None or address >= getattr(found, self._key) + self._length(found):
            found = self._absent
        self._last = (address, found)
        return found

    def overlaps(self, base: int, size: int) -> bool:
        """Tell whether some row's range meets ``[base, base + size)``."""
        found = self._rows.floor(base + size - 1)
        return found is not None and getattr(found, self._key) + self._length(found) > base

    def any(self, predicate: Callable[[R], bool]) -> bool:
        """Tell whether the predicate holds for some row."""
        return len(self._rows) > 0 and any(predicate(each) for each in self)

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
            end = base + self._length(each)
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
        for key, each in self._rows.items():
            if predicate(each):
                rows = rows.set(key, change(each))
        return self if rows is self._rows else self._with(rows)

    def delete_where(self, predicate: Callable[[R], bool]) -> ConcreteTable[R]:
        """Return the table without the rows for which the predicate holds."""
        rows = self._rows
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
        for key, each in self._rows.between(low, high):
            rows = rows.set(key, each)
        return self._with(rows)

    def update_range(self, low: int, high: int, change: Callable[[R], R]) -> ConcreteTable[R]:
        """Return the table with what lies in ``[low, high)`` changed."""
        if low >= high:
            return self
        rows = self._cut(self._cut(self._rows, low), high)
        for key, each in list(rows.between(low, high)):
            rows = rows.set(key, change(each))
        return self._with(rows)

    def delete_range(self, low: int, high: int) -> ConcreteTable[R]:
        """Return the table without what lies in ``[low, high)``."""
        if low >= high:
            return self
        rows = self._cut(self._cut(self._rows, low), high)
        for key, _ in list(rows.between(low, high)):
            rows = rows.delete(key)
        return self._with(rows)

    def _cut(self, rows: SortedMap[R], address: int) -> SortedMap[R]:
        """Return the rows with the one whose range contains the address cut in two there."""
        found = rows.floor(address)
        if found is None:
            return rows
        start, extent = getattr(found, self._key), str(self._extent)
        left = start + self._length(found) - address
        if start == address or left <= 0:
            return rows
        first = found.but(**{extent: address - start})
        second = found.but(**{self._key: address, extent: left})
        return rows.set(start, first).set(address, second)

    def _length(self, row: R) -> int:
        length: int = getattr(row, self._extent)  # type: ignore[arg-type]
        return length

    def _with(self, rows: SortedMap[R]) -> ConcreteTable[R]:
        new: ConcreteTable[R] = ConcreteTable.__new__(ConcreteTable)
        new.row_type = self.row_type
        new._rows = rows
        new._absent = self._absent
        new._key = self._key
        new._extent = self._extent
        new._last = (-1, self._absent)
        return new
