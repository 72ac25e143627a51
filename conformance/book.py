"""The address book: names for what calls gave, so that a trace holds no naked addresses.

A run passes plain numbers to the implementation. When a call is written down, a number that
lies in something an earlier call gave is replaced by a reference to that call, so that the
trace can be replayed where addresses differ.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Any, get_args, get_origin

from halcert.spec.language import Call, Record, Sequence
from halcert.spec.language.domain import annotations_of, domain_of
from halcert.spec.sharing.names import altered

REFERENCE = "$"
ALTERED = "altered"
"""Member of a reference to a name: number of the byte in which it differs from what came."""
BYTES = "$bytes"
"""Member under which a trace holds bytes, in hexadecimal."""


class Book:
    """What calls gave, by value.

    Each process has a book of its own for what means something there only; what it does not hold
    is looked up in one that all have in common.
    """

    def __init__(self, common: Book | None = None) -> None:
        """Start empty, with the book that all have in common."""
        self._common = common
        self._bases: list[int] = []
        self._entries: list[tuple[int, int, str]] = []
        self._exact: dict[int | str, tuple[int, str]] = {}

    def learn_range(self, base: int, length: int, step: int, field: str) -> None:
        """Remember that ``step`` gave an address range; a newer range hides older ones."""
        low = bisect_right(self._bases, base - 1)
        high = low
        while high < len(self._bases) and self._bases[high] < base + length:
            high += 1
        self._bases[low:high] = [base]
        self._entries[low:high] = [(length, step, field)]

    def learn_exact(self, value: int | str, step: int, field: str) -> None:
        """Remember that ``step`` gave a number or string that later calls pass unchanged."""
        self._exact[value] = (step, field)

    def exact(self, value: Any) -> Any:
        """Return the reference for what a call gave as it is, or the value itself."""
        found = self._exact.get(value)
        if found is None and self._common is not None:
            return self._common.exact(value)
        return value if found is None else {REFERENCE: found[0], "field": found[1], "plus": 0}

    def text(self, value: str) -> Any:
        """Return the reference for a string that a call gave, also if one byte of it is altered."""
        found = self.exact(value)
        if found is not value:
            return found
        if self._common is not None:
            return self._common.text(value)
        for given in self._exact:
            place = _altered_at(given, value) if isinstance(given, str) else None
            if place is not None:
                return {**self.exact(given), ALTERED: place}
        return value

    def in_range(self, value: int) -> dict[str, Any] | int:
        """Return the reference for an address in something a call gave, or the number itself."""
        place = bisect_right(self._bases, value) - 1
        if place < 0:
            return value
        length, step, field = self._entries[place]
        plus = value - self._bases[place]
        return {REFERENCE: step, "field": field, "plus": plus} if plus <= length else value


def _altered_at(given: str, value: str) -> int | None:
    """Return the number of the byte in which a string is altered that a call gave."""
    if len(given) != len(value):
        return None
    first = next(at for at in range(len(value)) if given[at] != value[at]) // 2
    try:
        return first if altered(given, first) == value else None
    except ValueError:  # it is no name
        return None


def references(value: Any) -> set[int]:
    """Return the numbers of the calls that an argument refers to."""
    if isinstance(value, Mapping):
        if REFERENCE in value:
            return {int(value[REFERENCE])}
        return {number for each in value.values() for number in references(each)}
    if isinstance(value, list | tuple):
        return {number for each in value for number in references(each)}
    return set()


def resolve(
    value: Any, outputs: Mapping[int, Mapping[str, Any]], later: AbstractSet[int] = frozenset()
) -> Any:
    """Return an argument with its references replaced by what the calls gave this time.

    Args:
        value: the argument.
        outputs: what calls gave, by number.
        later: calls that are still to be made; references to them stay as they are.

    Raises:
        KeyError: a call that is referred to gave nothing of that name.
    """
    if isinstance(value, Mapping):
        if REFERENCE in value:
            if int(value[REFERENCE]) in later:
                return dict(value)
            found: Any = outputs[int(value[REFERENCE])]
            for part in str(value["field"]).split("."):
                if not isinstance(found, Mapping):
                    raise KeyError(value["field"])
                found = found[part]
            if isinstance(found, str):
                return _of_string(found, value)
            if not isinstance(found, int):
                raise KeyError(value["field"])
            return found + int(value.get("plus", 0))
        if BYTES in value:
            return bytes.fromhex(str(value[BYTES]))
        return {key: resolve(each, outputs, later) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(each, outputs, later) for each in value]
    return value


def _of_string(found: str, reference: Mapping[str, Any]) -> str:
    try:
        return altered(found, int(reference[ALTERED])) if ALTERED in reference else found
    except ValueError as error:
        raise KeyError(reference["field"]) from error


@cache
def roles_of(call: type[Call]) -> dict[str, str]:
    """Return the role of each parameter, and of each ``parameter.member``.

    Elements of a list have the role of the list.
    """
    found: dict[str, str] = {}
    for name, kind in annotations_of(call).items():
        if name in call.__struct_fields__:
            _add_roles(found, name, kind)
    return found


def _add_roles(found: dict[str, str], path: str, kind: Any) -> None:
    domain = domain_of(kind)
    if domain is not None:
        found.setdefault(path, domain.role)
    elif get_origin(kind) is Sequence:
        _add_roles(found, path, get_args(kind)[0])
    elif isinstance(kind, type) and issubclass(kind, Record):
        hints = annotations_of(kind)
        for member in kind.__struct_fields__[1:]:
            _add_roles(found, f"{path}.{member}", hints[member])
            if member in STANDS_FOR_ITSELF:
                _add_roles(found, path, hints[member])


PASSED_ON = ("handle", "process")
"""Roles of numbers that are passed on as they were given."""
STANDS_FOR_ITSELF = ("dma", "refs")
"""Members that may be written in place of their record: a descriptor's number, a list of them."""


def named(roles: Mapping[str, str], args: Mapping[str, Any], book: Book) -> dict[str, Any]:
    """Return arguments with references in place of numbers that calls gave.

    Args:
        roles: role of each parameter, as ``roles_of`` gives them.
        args: the arguments as they are passed.
        book: what calls gave.
    """
    return {key: _named(roles, key, value, book) for key, value in args.items()}


def _named(roles: Mapping[str, str], path: str, value: Any, book: Book) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        role = roles.get(path)
        if role == "address":
            return book.in_range(value)
        return book.exact(value) if role in PASSED_ON else value
    if isinstance(value, str):
        return book.text(value)
    if isinstance(value, bytes):
        return {BYTES: value.hex()}
    if isinstance(value, Mapping):
        return {k: _named(roles, f"{path}.{k}", each, book) for k, each in value.items()}
    if isinstance(value, list | tuple):
        return [_named(roles, path, each, book) for each in value]
    return value
