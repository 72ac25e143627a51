"""Variables for what a call takes and gives, made from the annotations of its class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

from halcert.model.symbolic.algebra import both, choose, either, equal, implies, less, negation
from halcert.model.symbolic.join import joined
from halcert.model.symbolic.paths import merged
from halcert.model.symbolic.term import Bool, BoolLike, Int, IntLike, integer, truth
from halcert.spec.language import BitWord, Domain, Elements, Flag, Record, Sequence
from halcert.spec.language.domain import annotations_of, domain_of

MOST_ELEMENTS = 2
WORD = Domain(0, 2**64 - 1)
NOTHING: Mapping[str, Any] = {}


class Variable(NamedTuple):
    """A leaf of the arguments or results: the term, where it stands, and its domain."""

    term: Int | Bool
    path: tuple[str | int, ...]
    domain: Domain


class Variables(NamedTuple):
    """A call or a result of variables.

    Attributes:
        value: what the rules receive.
        leaves: every variable in it.
        bounds: every variable is within its domain.
    """

    value: Any
    leaves: tuple[Variable, ...]
    bounds: BoolLike


class SymbolicSequence:
    """An array of up to :data:`MOST_ELEMENTS` elements; its length is a variable."""

    def __init__(self, given: BoolLike, count: IntLike, places: tuple[Any, ...]) -> None:
        """Take whether there is an array, how many elements it has, and all that it may have."""
        self.given = given
        self.count = count
        self.places = places

    @property
    def elements(self) -> type[SymbolicElements]:
        """How several such arrays are read side by side."""
        return SymbolicElements

    @property
    def items(self) -> SymbolicSequence:
        """The elements; a rule asks for their number or iterates over them."""
        return self

    def __len__(self) -> int:
        """Return the number of elements; the rule that asks forks."""
        for number in range(len(self.places)):
            if self.count == number:
                return number
        return len(self.places)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the elements; the rule that asks forks."""
        return iter(self.places[: len(self)])

    def any(self, predicate: Callable[[Any], Any]) -> Any:
        """Tell whether the predicate holds for some element."""
        return SymbolicElements(self.count, self).any(predicate)

    def all(self, predicate: Callable[[Any], Any]) -> Any:
        """Tell whether the predicate holds for every element."""
        return SymbolicElements(self.count, self).all(predicate)

    def number(self, predicate: Callable[[Any], Any]) -> Any:
        """Return for how many elements the predicate holds."""
        found: Any = 0
        for place, value in enumerate(self.places):
            fits = both(less(place, self.count), merged(partial(predicate, value)))
            found = found + choose(fits, 1, 0)
        return found


class SymbolicElements(Elements[Any]):
    """The symbolic form of :class:`halcert.spec.language.Elements`."""

    __slots__ = ("_there",)

    def __init__(self, count: IntLike, *arrays: Any) -> None:
        """Take the number of elements and the arrays."""
        self._rows = tuple(zip(*(array.places for array in arrays), strict=True))
        self._there = [
            both(less(place, count), *(less(place, array.count) for array in arrays))
            for place in range(len(self._rows))
        ]

    def any(self, predicate: Callable[..., Any]) -> Any:
        """Tell whether the predicate, called with one value of each array, holds for some."""
        return either(
            *(
                both(there, merged(partial(predicate, *values)))
                for there, values in zip(self._there, self._rows, strict=True)
                if there is not False
            )
        )

    def all(self, predicate: Callable[..., Any]) -> Any:
        """Tell whether the predicate holds for every element."""
        return both(
            *(
                implies(there, merged(partial(predicate, *values)))
                for there, values in zip(self._there, self._rows, strict=True)
                if there is not False
            )
        )

    def fold(self, step: Callable[..., Any], start: Any) -> Any:
        """Return what ``start`` becomes when every element in turn is applied to it."""
        for there, values in zip(self._there, self._rows, strict=True):
            if there is not False:
                now = start
                after = merged(partial(step, now, *values), joined)
                start = joined(there, after, now)
        return start

    def disjoint(self, extent: Callable[..., Any]) -> Any:
        """Tell whether the ranges ``(base, size)`` of the elements share no byte."""
        ranges = [extent(*values) for values in self._rows]
        return both(
            *(
                implies(both(one, other), _apart(mine, theirs))
                for (one, mine), (other, theirs) in combinations(
                    zip(self._there, ranges, strict=True), 2
                )
            )
        )


def _apart(one: tuple[Any, Any], other: tuple[Any, Any]) -> Any:
    """Tell whether two ranges come one after the other, as sorted by their starts."""
    (base, size), (start, length) = one, other
    first = either(less(base, start), both(equal(base, start), negation(less(length, size))))
    return choose(first, negation(less(start, base + size)), negation(less(base, start + length)))


class Opaque:
    """An output of which rules only say where it comes from: bytes."""


class _Maker:
    """Makes variables for one call or result and keeps count of them."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.leaves: list[Variable] = []
        self.bounds: list[BoolLike] = []

    def value(self, annotation: Any, path: tuple[str | int, ...], like: Any = None) -> Any:
        domain = domain_of(annotation)
        plain = getattr(annotation, "__origin__", annotation)
        if plain is Sequence and like is not None:
            element = annotation.__args__[0]
            places = [self.value(element, (*path, at), each) for at, each in enumerate(like)]
            return SymbolicSequence(True, len(places), tuple(places))
        if plain is bool:
            return self.truth(path, domain or Domain(0, 1))
        if plain is int:
            return self.integer(path, domain or WORD)
        if plain is Sequence:
            return self.sequence(annotation.__args__[0], path)
        if isinstance(plain, type) and issubclass(plain, BitWord):
            return self.word(plain, path)
        if isinstance(plain, type) and issubclass(plain, Record):
            return self.record(plain, path)
        return Opaque()

    def integer(self, path: tuple[str | int, ...], domain: Domain) -> Int:
        term = integer(self._name(path))
        self.leaves.append(Variable(term, path, domain))
        self.bounds += [negation(less(term, domain.low)), negation(less(domain.high, term))]
        return term

    def truth(self, path: tuple[str | int, ...], domain: Domain) -> Bool:
        term = truth(self._name(path))
        self.leaves.append(Variable(term, path, domain))
        return term

    def sequence(self, element: Any, path: tuple[str | int, ...]) -> SymbolicSequence:
        given = self.truth((*path, "given"), Domain(0, 1, "given"))
        count = self.integer((*path, "count"), Domain(0, MOST_ELEMENTS, "count"))
        self.bounds.append(either(given, equal(count, 0)))
        items = tuple(self.value(element, (*path, place)) for place in range(MOST_ELEMENTS))
        return SymbolicSequence(given, count, items)

    def word(self, kind: type[BitWord], path: tuple[str | int, ...]) -> BitWord:
        word = kind.__new__(kind)
        for name, part in kind.layout.items():
            inner = (*path, name)
            if isinstance(part, Flag):
                setattr(word, name, self.truth(inner, Domain(0, 1, "flag")))
            else:
                setattr(word, name, self.integer(inner, Domain(0, 2**part.width - 1, "field")))
        return word

    def record(self, kind: type[Record], path: tuple[str | int, ...]) -> Record:
        given = self.truth((*path, "given"), Domain(0, 1, "given"))
        first = len(self.leaves)
        fields = {
            name: self.value(annotation, (*path, name))
            for name, annotation in annotations_of(kind).items()
            if name != "given" and name in kind.__struct_fields__
        }
        members: dict[str, Any] = {"given": given, **fields}
        record = kind(**members)
        blank = [_blank(leaf.term) for leaf in self.leaves[first:] if leaf.path[-1] != "count"]
        self.bounds += [either(given, both(*blank)), merged(record.possible)]
        return record

    def _name(self, path: tuple[str | int, ...]) -> str:
        return ".".join(map(str, (self.prefix, *path)))


def _blank(term: Int | Bool) -> BoolLike:
    return negation(term) if isinstance(term, Bool) else equal(term, 0)


def variables(kind: Any, prefix: str, like: Mapping[str, Any] = NOTHING) -> Variables:
    """Return variables for every field of a call or result class.

    Args:
        kind: the class.
        prefix: the variables are named after it.
        like: values of fields, for arrays of which the number of elements is known.
    """
    maker = _Maker(prefix)
    hints = annotations_of(kind)
    fields = {
        name: maker.value(hints[name], (name,), like.get(name)) for name in kind.__struct_fields__
    }
    return Variables(kind(**fields), tuple(maker.leaves), both(*maker.bounds))
