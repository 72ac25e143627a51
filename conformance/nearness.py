"""Results that are next to one: what a wrong implementation might give in its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from halcert.conformance.stages import Scene
from halcert.conformance.values import constants_of
from halcert.model.concrete import World
from halcert.model.concrete.world import ROW_TYPES
from halcert.spec.language import BitWord, Record, Returned, align_up, poison
from halcert.spec.language import Sequence as ArraySequence
from halcert.spec.profiles import GIB, MIB, PROFILES

ANY_PRODUCT = next(iter(PROFILES))
PAGES = (4096, 2 * MIB, GIB)
TOP = 2**64


def odd_numbers(scene: Scene, world: World) -> tuple[int, ...]:
    """Return numbers that a wrong output might well be: what there is, and where spaces end.

    Those are the keys and lengths of all rows with their ends, and for each argument the last
    number from which so many fit below what the rules of the interface compare with.
    """
    view = world.views[scene.actor]
    found = set[int]()
    for name, kind in ROW_TYPES.items():
        for row in getattr(view, name):
            key, extent = getattr(row, kind.key_column), kind.extent_column
            length = getattr(row, extent) if extent else 1
            if isinstance(key, int):
                found |= {length, key, key + length - 1, key + length}
    limits = {TOP, *constants_of(scene.call.interface, PROFILES[ANY_PRODUCT])}
    sizes = {n for n in _numbers(scene.call) if n}
    rounded = {align_up(size, page) for size in sizes for page in PAGES}
    found |= {limit - size for limit in limits for size in sizes | rounded}
    found |= {limit - size + 1 for limit in limits for size in sizes | rounded}
    return tuple(sorted(each for each in found | limits if 0 <= each < TOP))


def _numbers(value: Any) -> Iterator[int]:
    """Iterate over the numbers in a call."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _numbers(getattr(value, name))


def near(result: Returned, codes: Iterable[int], odd: Iterable[int]) -> Iterator[Returned]:
    """Iterate over a result and results next to it: other codes, outputs a little different.

    Args:
        result: the result.
        codes: the codes to try.
        odd: further numbers that outputs are tried with.
    """
    yield result
    names = result.__struct_fields__[1:]
    for code in sorted(set(codes)):
        other = msgspec.structs.replace(result, code=code)
        yield other
        if code in (0, result.code):  # what other failures leave is as open as what this one does
            for name in names:
                for value in values_near(getattr(result, name), odd):
                    yield msgspec.structs.replace(other, **{name: value})


def values_near(value: Any, odd: Iterable[int]) -> Iterator[Any]:
    """Iterate over values that are a little different from an output."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from {value + 1, value - 1, 0, poison(64), poison(32), *odd} - {value}
    elif isinstance(value, bytes) and value:
        yield bytes([value[0] ^ 1]) + value[1:]
        yield value[:-1] + bytes([value[-1] ^ 1])
    else:
        yield from _different_in_a_part(value, odd)


def _different_in_a_part(value: Any, odd: Iterable[int]) -> Iterator[Any]:
    """Iterate over words, records and arrays that differ in one field, member or element."""
    if isinstance(value, BitWord):
        for part in value.layout.values():
            yield value.from_plain(value.word ^ part.place(1))
    elif isinstance(value, Record):
        for name in value.__struct_fields__:
            for each in values_near(getattr(value, name), odd):
                yield msgspec.structs.replace(value, **{name: each})
    elif isinstance(value, ArraySequence):
        for place in _telling_places(value.items):
            for each in values_near(value.items[place], ()):
                yield ArraySequence((*value.items[:place], each, *value.items[place + 1 :]))


def _telling_places(items: Sequence[Any]) -> Iterator[int]:
    """Iterate over the places at which runs of equal elements begin and end.

    What is said of an element is said of the equal ones beside it; arrays have thousands.
    """
    for place, item in enumerate(items):
        begins = place == 0 or items[place - 1] != item
        ends = place == len(items) - 1 or items[place + 1] != item
        if begins or ends:
            yield place
