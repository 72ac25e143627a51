"""A persistent sorted map from integers, in chunks.

Look-up costs O(log n). A change copies one chunk and the list of chunks, which stays within
microseconds for the sizes that runs reach; the old map stays as it was. No library offers a
persistent map that can be asked for the neighbour of a key, which look-up by address needs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Generic, TypeVar

V = TypeVar("V")
_FULL = 64


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
                return _made((key,), ((key,),), ((value,),), 1)
            chunk = 0
        keys, values = self._keys[chunk], self._values[chunk]
        place = bisect_left(keys, key)
        if place < len(keys) and keys[place] == key:
            replaced = (*values[:place], value, *values[place + 1 :])
            chunks = (*self._values[:chunk], replaced, *self._values[chunk + 1 :])
            return _made(self._firsts, self._keys, chunks, self._size)
        return self._with(
            chunk,
            chunk + 1,
            (*keys[:place], key, *keys[place:]),
            (*values[:place], value, *values[place:]),
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
            chunk, chunk + 1, keys[:place] + keys[place + 1 :], values[:place] + values[place + 1 :]
        )

    def splice(self, low: int, high: int, keys: list[int], values: list[V]) -> SortedMap[V]:
        """Return the map with other entries in place of those with ``low <= key < high``.

        The keys ascend, none is below ``low``, and none is or is above the next one of the map.
        """
        if not self._firsts:
            return self._with(0, 0, tuple(keys), tuple(values))
        first = max(bisect_right(self._firsts, low) - 1, 0)
        last = max(bisect_left(self._firsts, high) - 1, first)
        start, end = bisect_left(self._keys[first], low), bisect_left(self._keys[last], high)
        return self._with(
            first,
            last + 1,
            (*self._keys[first][:start], *keys, *self._keys[last][end:]),
            (*self._values[first][:start], *values, *self._values[last][end:]),
        )

    def _with(
        self, first: int, behind: int, keys: tuple[int, ...], values: tuple[V, ...]
    ) -> SortedMap[V]:
        """Return the map with these entries in place of the chunks ``[first, behind)``."""
        count = len(keys)
        size = self._size + count
        for chunk in self._keys[first:behind]:
            size -= len(chunk)
        if 0 < count <= _FULL:
            firsts: tuple[int, ...] = (keys[0],)
            key_chunks: tuple[tuple[int, ...], ...] = (keys,)
            value_chunks: tuple[tuple[V, ...], ...] = (values,)
        else:
            starts = range(0, count, _FULL // 2)
            firsts = tuple(keys[i] for i in starts)
            key_chunks = tuple(keys[i : i + _FULL // 2] for i in starts)
            value_chunks = tuple(values[i : i + _FULL // 2] for i in starts)
        if behind - first == len(self._keys):
            return _made(firsts, key_chunks, value_chunks, size)
        return _made(
            self._firsts[:first] + firsts + self._firsts[behind:],
            self._keys[:first] + key_chunks + self._keys[behind:],
            self._values[:first] + value_chunks + self._values[behind:],
            size,
        )


def _made(
    firsts: tuple[int, ...],
    keys: tuple[tuple[int, ...], ...],
    values: tuple[tuple[V, ...], ...],
    size: int,
) -> SortedMap[V]:
    new: SortedMap[V] = SortedMap.__new__(SortedMap)
    new._firsts, new._keys = firsts, keys  # noqa: SLF001 - the class's own maker
    new._values, new._size = values, size  # noqa: SLF001 - likewise
    return new
