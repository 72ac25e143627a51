"""A persistent sorted map from integers, in chunks.

Look-up costs O(log n). A change copies one chunk and the list of chunks, which stays within
microseconds for the sizes that runs reach; the old map stays as it was. No library offers a
persistent map that can be asked for the neighbour of a key, which look-up by address needs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

V = TypeVar("V")
_FULL = 128


class SortedMap(Generic[V]):
    """An immutable map with integer keys in ascending order."""

    __slots__ = ("_firsts", "_keys", "_size", "_values")

    def __init__(self) -> None:
        """Make an empty map."""
        self._firsts: tuple[int, ...] = ()
        self._keys: tuple[tuple[int, ...], ...] = ()
        self._values: tuple[tuple[V, ...], ...] = ()
        self._size = 0

    def __len__(self) -> int:
        """Return the number of entries."""
        return self._size

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
        place = bisect_left(keys, key)
        return self._values[chunk][place] if place < len(keys) and keys[place] == key else None

    def floor(self, key: int) -> V | None:
        """Return the value of the greatest key that is not above ``key``, or None."""
        chunk = bisect_right(self._firsts, key) - 1
        if chunk < 0:
            return None
        return self._values[chunk][bisect_right(self._keys[chunk], key) - 1]

    def between(self, low: int, high: int) -> Iterator[tuple[int, V]]:
        """Iterate over the entries with ``low <= key < high``."""
        chunk = max(bisect_right(self._firsts, low) - 1, 0)
        for keys, values in zip(self._keys[chunk:], self._values[chunk:], strict=True):
            for place in range(bisect_left(keys, low), len(keys)):
                if keys[place] >= high:
                    return
                yield keys[place], values[place]

    def set(self, key: int, value: V) -> SortedMap[V]:
        """Return the map with an entry added or replaced."""
        chunk = bisect_right(self._firsts, key) - 1
        if chunk < 0:
            if not self._firsts:
                return _made(((key,),), ((value,),), 1)
            chunk = 0
        keys, values = self._keys[chunk], self._values[chunk]
        place = bisect_left(keys, key)
        if place < len(keys) and keys[place] == key:
            return self._with(chunk, keys, (*values[:place], value, *values[place + 1 :]), 0)
        return self._with(
            chunk,
            (*keys[:place], key, *keys[place:]),
            (*values[:place], value, *values[place:]),
            1,
        )

    def delete(self, key: int) -> SortedMap[V]:
        """Return the map without a key; a key that is not there changes nothing."""
        chunk = bisect_right(self._firsts, key) - 1
        if chunk < 0:
            return self
        keys, values = self._keys[chunk], self._values[chunk]
        place = bisect_left(keys, key)
        if place == len(keys) or keys[place] != key:
            return self
        return self._with(
            chunk, keys[:place] + keys[place + 1 :], values[:place] + values[place + 1 :], -1
        )

    def _with(
        self, chunk: int, keys: tuple[int, ...], values: tuple[V, ...], change: int
    ) -> SortedMap[V]:
        if not keys:
            new_keys: tuple[tuple[int, ...], ...] = ()
            new_values: tuple[tuple[V, ...], ...] = ()
        elif len(keys) > _FULL:
            half = _FULL // 2
            new_keys, new_values = (keys[:half], keys[half:]), (values[:half], values[half:])
        else:
            new_keys, new_values = (keys,), (values,)
        return _made(
            self._keys[:chunk] + new_keys + self._keys[chunk + 1 :],
            self._values[:chunk] + new_values + self._values[chunk + 1 :],
            self._size + change,
        )


def _made(keys: tuple[tuple[int, ...], ...], values: tuple[Any, ...], size: int) -> SortedMap[Any]:
    new: SortedMap[Any] = SortedMap.__new__(SortedMap)
    new._firsts = tuple([chunk[0] for chunk in keys])  # noqa: SLF001 - the class's own maker
    new._keys, new._values, new._size = keys, values, size  # noqa: SLF001 - likewise
    return new
