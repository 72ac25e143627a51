"""What a parameter of a call can be.

Integer parameters are ``Annotated`` integers: to the type checker and to the oracle they are
plain ``int``, the symbolic reading and the generators take the bounds from the annotation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar, get_type_hints

import msgspec
from typing_extensions import Self

T = TypeVar("T")


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
Given = Annotated[bool, Domain(0, 1, "given")]
"""Whether the caller passes the (in) pointer at all."""
OutPointer = Annotated[bool, Domain(0, 1, "out")]
"""Whether the caller gives a place for an output; false is a null pointer."""


class Record(msgspec.Struct, frozen=True):
    """A structure that a call takes or gives by pointer; ``given`` is false for null."""

    given: Given

    @classmethod
    def from_plain(cls, value: Mapping[str, int] | None) -> Self:
        """Build the record from its JSON form: a mapping of fields, or null."""
        names = cls.__struct_fields__[1:]
        if value is None:
            return cls(False, *(0 for _ in names))
        return cls(True, *(value.get(name, 0) for name in names))


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

    def any(self, predicate: Callable[[T], bool]) -> bool:
        """Tell whether the predicate holds for some element."""
        return any(predicate(item) for item in self.items)

    def all(self, predicate: Callable[[T], bool]) -> bool:
        """Tell whether the predicate holds for every element."""
        return all(predicate(item) for item in self.items)


def domain_of(annotation: Any) -> Domain | None:
    """Return the domain that an ``Annotated`` integer carries, if it is one."""
    for extra in getattr(annotation, "__metadata__", ()):
        if isinstance(extra, Domain):
            return extra
    return None


def annotations_of(cls: type) -> dict[str, Any]:
    """Return the field annotations of a class, with their domains kept."""
    return get_type_hints(cls, include_extras=True)
