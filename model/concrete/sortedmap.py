"""A persistent sorted map from integers, in chunks.

Look-up costs O(log n). A change copies one chunk and the list of chunks, which stays within
microseconds for the sizes that runs reach; the old map stays as it was. No library offers a
persistent map that can be asked for the neighbour of a key, which look-up by address needs.

Chunks are lists that nobody changes once a map has them: a list is copied and changed in half the
time that a tuple takes to be put together anew.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import msgspec

V = TypeVar("V")
_FULL = 64


class SortedMap(msgspec.Struct, Generic[V], frozen=True, eq=False, gc=False):
    """An immutable map with integer keys in ascending order.

    Attributes:
        size: number of entries.
    """

    _firsts: list[int] = []
    _keys: list[list[int]] = []
    _values: list[list[V]] = []
    size: int = 0

    def __len__(self) -> int:
        """Return the number of entries."""
        return self.size

    def __iter__(self) -> Iterator[int]:
        """Iterate over the keys in ascending order."""
        for chunk in self._keys:
            yield from chunk

    def values(self) -> Iterator[V]:
        """Iterate over the values in ascending order of their keys."""
        for chunk in self._values:
            yield from chunk

    def items(self) -> Iterator[tuple[int, V]]:
        """Iterate over the entries in ascending order of their keys."""
        return zip(self, self.values(), strict=True)

    def get(self, key: int) -> V | None:
        """Return the value of a key, or None."""
        chunk = bisect_right(self._firsts, key) - 1
        if chunk < 0:
            return None
        keys = self._keys[chunk]
        place = bisect_right(keys, key) - 1
        return self._values[chunk][place] if keys[place] == key else None

    def floor(self, key: int) -> V | None:
        """Return the value of the greatest key that is not above ``key``, or None."""
        chunk = bisect_right(self._firsts, key) - 1
        if chunk < 0:
            return None
        return self._values[chunk][bisect_right(self._keys[chunk], key) - 1]

    def between(self, low: int, high: int) -> list[V]:
        """Return the values of the keys with ``low <= key < high``, in ascending order."""
        if not self._firsts:
            return []
        first, last = self._chunks(low, high)
        if first == last:
            keys = self._keys[first]
            return self._values[first][bisect_left(keys, low) : bisect_left(keys, high)]
        found = self._values[first][bisect_left(self._keys[first], low) :]
        for values in self._values[first + 1 : last]:
            found += values
        return found + self._values[last][: bisect_left(self._keys[last], high)]

    def set(self, key: int, value: V) -> SortedMap[V]:
        """Return the map with an entry added or replaced."""
        chunk = bisect_right(self._firsts, key) - 1
        if chunk < 0:
            if not self._firsts:
                return SortedMap([key], [[key]], [[value]], 1)
            chunk = 0
        keys, values = self._keys[chunk], self._values[chunk].copy()
        behind = bisect_right(keys, key)
        if behind and keys[behind - 1] == key:
            values[behind - 1] = value
            chunks = self._values.copy()
            chunks[chunk] = values
            return SortedMap(self._firsts, self._keys, chunks, self.size)
        keys = keys.copy()
        keys.insert(behind, key)
        values.insert(behind, value)
        return self._with(chunk, chunk + 1, keys, values, 1)

    def change(self, key: int, missing: V, make: Callable[[V], V]) -> SortedMap[V]:
        """Return the map with another value made of that of a key, or of ``missing``."""
        chunk = bisect_right(self._firsts, key) - 1
        if chunk >= 0:
            place = bisect_right(self._keys[chunk], key) - 1
            if self._keys[chunk][place] == key:
                values, chunks = self._values[chunk].copy(), self._values.copy()
                values[place] = make(values[place])
                chunks[chunk] = values
                return SortedMap(self._firsts, self._keys, chunks, self.size)
        return self.set(key, make(missing))

    def delete(self, key: int) -> SortedMap[V]:
        """Return the map without a key; a key that is not there changes nothing."""
        chunk = bisect_right(self._firsts, key) - 1
        if chunk < 0:
            return self
        keys = self._keys[chunk]
        place = bisect_right(keys, key) - 1
        if keys[place] != key:
            return self
        keys, values = keys.copy(), self._values[chunk].copy()
        del keys[place]
        del values[place]
        return self._with(chunk, chunk + 1, keys, values, -1)

    def splice(self, low: int, high: int, keys: list[int], values: list[V]) -> SortedMap[V]:
        """Return the map with other entries in place of those with ``low <= key < high``.

        The keys ascend, none is below ``low``, and none is or is above the next one of the map.
        """
        if not self._firsts:
            return self._with(0, 0, keys, values, len(keys))
        first, last = self._chunks(low, high)
        before, behind = self._keys[first], self._keys[last]
        start, end = bisect_left(before, low), bisect_left(behind, high)
        put = before[:start] + keys + behind[end:]
        more = len(put) - len(before)
        if first != last:
            more -= sum(len(chunk) for chunk in self._keys[first + 1 : last + 1])
        values = self._values[first][:start] + values + self._values[last][end:]
        return self._with(first, last + 1, put, values, more)

    def _chunks(self, low: int, high: int) -> tuple[int, int]:
        """Return the first and the last chunk in which there may be keys ``low <= key < high``.

        The map is not empty.
        """
        if len(self._firsts) == 1:
            return 0, 0
        first = max(bisect_right(self._firsts, low) - 1, 0)
        return first, max(bisect_left(self._firsts, high) - 1, first)

    def _with(
        self, first: int, behind: int, keys: list[int], values: list[V], more: int
    ) -> SortedMap[V]:
        """Return the map with these entries in place of the chunks ``[first, behind)``.

        ``more`` is by how many entries the map grows.
        """
        count = len(keys)
        if 0 < count <= _FULL and behind - first == len(self._firsts):
            return SortedMap([keys[0]], [keys], [values], self.size + more)
        firsts, key_chunks, value_chunks = self._firsts, self._keys.copy(), self._values.copy()
        if 0 < count <= _FULL and behind - first == 1:
            key_chunks[first], value_chunks[first] = keys, values
            if keys[0] != firsts[first]:
                firsts = firsts.copy()
                firsts[first] = keys[0]
        else:
            step = _FULL if count <= _FULL else _FULL // 2
            starts = range(0, count, step)
            key_chunks[first:behind] = [keys[i : i + step] for i in starts]
            value_chunks[first:behind] = [values[i : i + step] for i in starts]
            firsts = firsts.copy()
            firsts[first:behind] = [keys[i] for i in starts]
        return SortedMap(firsts, key_chunks, value_chunks, self.size + more)
