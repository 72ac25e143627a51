"""Variables for what a call takes and gives, made from the annotations of its class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from halcert.model.symbolic.paths import merged
from halcert.model.symbolic.term import (
    Bool,
    BoolLike,
    Int,
    IntLike,
    both,
    either,
    implies,
    integer,
    less,
    negation,
    truth,
)
from halcert.spec.language import BitWord, Domain, Flag, Record, Sequence
from halcert.spec.language.domain import annotations_of, domain_of

MOST_ELEMENTS = 2
WORD = Domain(0, 2**64 - 1)


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

    def __init__(self, given: BoolLike, count: IntLike, items: tuple[Any, ...]) -> None:
        """Take whether there is an array, how many elements it has, and all that it may have."""
        self.given = given
        self.count = count
        self.items = items

    def __len__(self) -> int:
        """Return the number of elements; the rule that asks forks."""
        for number in range(len(self.items)):
            if self.count == number:
                return number
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the elements; the rule that asks forks."""
        return iter(self.items[: len(self)])

    def __getitem__(self, place: int) -> Any:
        """Return an element."""
        return self.items[place]

    def any(self, predicate: Callable[[Any], Any]) -> BoolLike:
        """Tell whether the predicate holds for some element."""
        return either(
            *(
                both(less(place, self.count), merged(lambda item=item: predicate(item)))
                for place, item in enumerate(self.items)
            )
        )

    def all(self, predicate: Callable[[Any], Any]) -> BoolLike:
        """Tell whether the predicate holds for every element."""
        return both(
            *(
                implies(less(place, self.count), merged(lambda item=item: predicate(item)))
                for place, item in enumerate(self.items)
            )
        )


class Opaque:
    """An output of which rules only say where it comes from: bytes."""


class _Maker:
    """Makes variables for one call or result and keeps count of them."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.leaves: list[Variable] = []
        self.bounds: list[BoolLike] = []

    def value(self, annotation: Any, path: tuple[str | int, ...]) -> Any:
        domain = domain_of(annotation)
        plain = getattr(annotation, "__origin__", annotation)
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
        self.bounds.append(either(given, count == 0))
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
        fields = {
            name: self.value(annotation, (*path, name))
            for name, annotation in annotations_of(kind).items()
            if name != "given" and name in kind.__struct_fields__
        }
        return kind(given=given, **fields)

    def _name(self, path: tuple[str | int, ...]) -> str:
        return ".".join(map(str, (self.prefix, *path)))


def variables(kind: Any, prefix: str) -> Variables:
    """Return variables for every field of a call or result class, named after ``prefix``."""
    maker = _Maker(prefix)
    hints = annotations_of(kind)
    fields = {name: maker.value(hints[name], (name,)) for name in kind.__struct_fields__}
    return Variables(kind(**fields), tuple(maker.leaves), both(*maker.bounds))
