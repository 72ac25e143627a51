"""What a parameter of a call can be.

Integer parameters are ``Annotated`` integers: to the type checker and to the oracle they are
plain ``int``, the symbolic reading and the generators take the bounds from the annotation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from typing_extensions import Self

from halcert.spec.language.bits import BitWord

T = TypeVar("T")
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Domain:
    """The values an integer parameter can take, and what they mean.

    Attributes:
        low: smallest value.
        high: largest value.
        role: what the number stands for; generators draw addresses from live memory,
            device ids from the devices that exist, and so on.
    """

    low: int
    high: int
    role: str = "number"


U8 = Annotated[int, Domain(0, 2**8 - 1)]
U32 = Annotated[int, Domain(0, 2**32 - 1)]
I32 = Annotated[int, Domain(-(2**31), 2**31 - 1)]
U64 = Annotated[int, Domain(0, 2**64 - 1)]
Address = Annotated[int, Domain(0, 2**64 - 1, "address")]
Size = Annotated[int, Domain(0, 2**64 - 1, "size")]
DeviceId = Annotated[int, Domain(0, 2**32 - 1, "device")]
Handle = Annotated[int, Domain(0, 2**64 - 1, "handle")]
"""A number that an earlier call gave and that is passed on unchanged."""
ProcessId = Annotated[int, Domain(-(2**31), 2**31 - 1, "process")]
"""Number of a process, as the operating system gives it."""
Token = Annotated[int, Domain(0, 2**528 - 1, "name")]
"""The bytes of a name as one number, least significant first; up to 66 of them."""
Bytes128 = Annotated[int, Domain(0, 2**1024 - 1, "name")]
"""Opaque bytes, 128 of them, as one number, least significant first."""
Rounds = Annotated[int, Domain(0, 2**64 - 1, "rounds")]
"""How often a rule repeats a step; the symbolic reading looks at a few rounds only."""
Given = Annotated[bool, Domain(0, 1, "given")]
"""Whether the caller passes the (in) pointer at all."""
OutPointer = Annotated[bool, Domain(0, 1, "out")]
"""Whether the caller gives a place for an output; false is a null pointer."""


class Record(msgspec.Struct, frozen=True):
    """A structure that a call takes or gives by pointer; ``given`` is false for null.

    Members are annotated integers, words of bits, arrays of integers and other records.
    """

    given: Given

    @classmethod
    def from_plain(cls, value: Any) -> Self:
        """Build the record from its JSON form: a mapping of members, true for blank, or null."""
        if value is None or value is False:
            value, given = {}, False
        else:
            value, given = value if isinstance(value, Mapping) else {}, True
        return cls(given, *(convert(value.get(name)) for name, convert in _members(cls)))

    @classmethod
    def to_plain(cls, members: dict[str, Any]) -> Any:
        """Return the JSON form of a record that is given, from its members that are not blank."""
        return members

    def possible(self) -> bool:
        """Tell whether a caller can have this combination of members; generators ask."""
        return True


class InOut(Record, frozen=True):
    """A place with a number in it, which the call may change; or null."""

    value: U64
    """The number before the call."""

    @classmethod
    def from_plain(cls, value: Any) -> Self:
        """Build the record from its JSON form: the number, or null."""
        return cls(isinstance(value, int), value if isinstance(value, int) else 0)

    @classmethod
    def to_plain(cls, members: dict[str, Any]) -> Any:
        """Return the JSON form: the number, or the reference to one that a call gave."""
        value = members.get("value", 0)
        if isinstance(value, Mapping):
            return {**value, "field": str(value["field"]).removesuffix(".value")}
        return value


class InNumber(Record, frozen=True):
    """A place with a number in it, which the call reads; or null."""

    value: U64
    """The number."""

    @classmethod
    def from_plain(cls, value: Any) -> Self:
        """Build the record from its JSON form: an array of the number alone, or null."""
        return cls(isinstance(value, list), value[0] if value else 0)

    @classmethod
    def to_plain(cls, members: dict[str, Any]) -> Any:
        """Return the JSON form: an array of the number, or of the reference to it."""
        value = members.get("value", 0)
        if isinstance(value, Mapping):
            return [{**value, "field": str(value["field"]).removesuffix(".value")}]
        return [value]


class Sequence(Generic[T]):
    """An array parameter: given or null, with elements in index order.

    The symbolic reading substitutes an implementation with a bounded number of elements.
    """

    __slots__ = ("given", "items")

    def __init__(self, items: Iterable[T] | None) -> None:
        """Take the elements, or None for a null pointer."""
        self.given = items is not None
        self.items: tuple[T, ...] = tuple(items) if items is not None else ()

    def __iter__(self) -> Iterator[T]:
        """Iterate over the elements in index order."""
        return iter(self.items)

    def __len__(self) -> int:
        """Return the number of elements."""
        return len(self.items)

    def __repr__(self) -> str:
        """Return the elements as a list, or null."""
        return repr(list(self.items)) if self.given else "null"

    def any(self, predicate: Callable[[T], bool]) -> bool:
        """Tell whether the predicate holds for some element."""
        return any(predicate(item) for item in self.items)

    def all(self, predicate: Callable[[T], bool]) -> bool:
        """Tell whether the predicate holds for every element."""
        return all(predicate(item) for item in self.items)

    def number(self, predicate: Callable[[T], bool]) -> int:
        """Return for how many elements the predicate holds."""
        return sum(1 for item in self.items if predicate(item))


class Elements(Generic[T]):
    """Several arrays read side by side: the first ``count`` elements, each a tuple.

    Calls that take parallel arrays and their common length speak of these. Where an array holds
    fewer elements than ``count`` says, the missing ones are simply not there.
    """

    __slots__ = ("_count", "_rows")

    def __new__(cls, _count: int, *arrays: Sequence[T]) -> Self:
        """Take the form that the arrays have: arrays of terms bring a subclass of their own."""
        made: Self = object.__new__(getattr(arrays[0], "elements", cls))
        return made

    def __init__(self, count: int, *arrays: Sequence[T]) -> None:
        """Take the number of elements and the arrays."""
        self._count = count
        self._rows = tuple(zip(*(array.items for array in arrays), strict=False))

    def any(self, predicate: Callable[..., bool]) -> bool:
        """Tell whether the predicate, called with one value of each array, holds for some."""
        for index, values in enumerate(self._rows):
            if index < self._count and predicate(*values):
                return True
        return False

    def all(self, predicate: Callable[..., bool]) -> bool:
        """Tell whether the predicate holds for every element."""
        return not self.any(lambda *values: not predicate(*values))

    def fold(self, step: Callable[..., S], start: S) -> S:
        """Return what ``start`` becomes when every element in turn is applied to it."""
        for index, values in enumerate(self._rows):
            if index < self._count:
                start = step(start, *values)
        return start

    def disjoint(self, extent: Callable[..., tuple[int, int]]) -> bool:
        """Tell whether the ranges ``(base, size)`` of the elements share no byte."""
        rows = self._rows[: self._count]
        ranges = sorted(extent(*values) for values in rows)
        ends = [base + size for base, size in ranges]
        return all(end <= ranges[place + 1][0] for place, end in enumerate(ends[:-1]))


def repeat(rounds: int, step: Callable[[S, int], S], start: S) -> S:
    """Return ``start`` after ``rounds`` steps, each called with what is there and its number.

    A number of rounds that is not known yet looks at a few of them only.
    """
    unroll: Callable[[Callable[[S, int], S], S], S] | None = getattr(rounds, "unroll", None)
    if unroll is not None:
        return unroll(step, start)
    number = 0
    while number < rounds:
        start = step(start, number)
        number += 1
    return start


def converter_of(annotation: Any) -> Callable[[Any], Any]:
    """Return what makes a value of an annotated type out of its JSON form; null is blank."""
    if isinstance(annotation, type) and issubclass(annotation, BitWord):
        return lambda value: annotation.from_plain(value or 0)
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return annotation.from_plain
    if get_origin(annotation) is Sequence:
        element = converter_of(get_args(annotation)[0])
        return lambda value: Sequence(None if value is None else map(element, value))
    return lambda value: value or 0


@cache
def _members(cls: type[Record]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    kinds = annotations_of(cls)
    return tuple((name, converter_of(kinds[name])) for name in cls.__struct_fields__[1:])


def domain_of(annotation: Any) -> Domain | None:
    """Return the domain that an ``Annotated`` integer carries, if it is one."""
    for extra in getattr(annotation, "__metadata__", ()):
        if isinstance(extra, Domain):
            return extra
    return None


@cache
def annotations_of(cls: type) -> dict[str, Any]:
    """Return the field annotations of a class, with their domains kept."""
    return get_type_hints(cls, include_extras=True)
