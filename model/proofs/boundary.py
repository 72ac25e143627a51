"""Boundary witnesses: calls just below, at and just above what a rule compares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from halcert.model.proofs.pleasant import Instance, Request, instances_of
from halcert.model.proofs.search import Reached
from halcert.model.proofs.situation import shown
from halcert.model.symbolic.algebra import both, equal, negation, same_truth
from halcert.model.symbolic.bits import OP as BITS
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.solver import Solver
from halcert.model.symbolic.substitute import Substitution
from halcert.model.symbolic.term import Bool, BoolLike, Int, Term, terms_in
from halcert.model.symbolic.values import Variable
from halcert.spec.language import Rule

TOP = 2**64
SIDES = ((-1, "just below"), (0, "at"), (1, "just above"))
LOWEST, HIGHEST, ALL = 1, 2**63, 2**64 - 1
BIT_SIDES = (
    ((LOWEST, LOWEST), "the lowest in both"),
    ((HIGHEST, HIGHEST), "the highest in both"),
    ((LOWEST, HIGHEST), "none in both"),
    ((ALL - LOWEST, ALL - LOWEST), "the lowest in neither"),
    ((ALL - HIGHEST, ALL - HIGHEST), "the highest in neither"),
    ((ALL - HIGHEST, HIGHEST), "each in one"),
)
"""Two numbers, and the bits that tell them apart."""
COUNTED = ("size", "number", "address", "device", "count", "rounds")

EXTREME = ("size", "number", "count", "rounds")
"""Roles of parameters that are tried with the largest number there is."""


class Edge(NamedTuple):
    """A comparison: the side that the caller chooses, and what it is compared with."""

    value: Int
    bound: int | Int
    text: str


class _Claim(NamedTuple):
    """Where a comparison is looked at, and what makes the call lie on one side of it."""

    place: Reached
    holds: BoolLike


def edges_of(condition: BoolLike, reading: Reading) -> Iterator[Edge]:
    """Iterate over the comparisons of a condition that the arguments of the call decide."""
    leaves = {
        leaf.term: ".".join(map(str, leaf.path))
        for leaf in reading.call.leaves
        if leaf.domain.role in COUNTED
    }
    seen: set[Term] = set()
    stack: list[object] = [condition]
    while stack:
        term = stack.pop()
        if not isinstance(term, Bool) or term in seen:
            continue
        seen.add(term)
        stack += term.args
        if term.op in ("lt", "eq"):
            value, bound = term.args
            if value in leaves and (not isinstance(bound, Int) or bound in leaves):
                text = leaves[bound] if isinstance(bound, Int) else shown(bound)
                yield Edge(value, bound, f"{leaves[value]} against {text}")


def bits_asked_by(guard: BoolLike) -> Iterator[tuple[Bool, Term]]:
    """Iterate over the comparisons of a guard that look at the bits that two numbers share."""
    for part in terms_in(guard):
        if isinstance(part, Bool) and part.op in ("lt", "eq"):
            yield from ((part, each) for each in terms_in(part) if each.op == BITS)


def _matters(guard: BoolLike, part: Bool) -> BoolLike:
    """Return whether a guard says one thing if a part of it holds, and another if it does not."""
    return negation(same_truth(*(Substitution({part: each})(guard) for each in (True, False))))


def _ranges(reading: Reading) -> Iterator[tuple[Variable, Variable]]:
    """Iterate over the addresses and sizes of a call that stand beside each other."""
    leaves = [leaf for leaf in reading.call.leaves if not isinstance(leaf.term, Bool)]
    for address in leaves:
        for size in leaves:
            if address.domain.role == "address" and size.domain.role == "size":
                one, other = address.path[1:], size.path[1:]
                if len(one) == len(other) and _indices(one) == _indices(other):
                    yield address, size


def _indices(path: tuple[str | int, ...]) -> list[int]:
    return [part for part in path if isinstance(part, int)]


def _as_int(leaf: Variable) -> Any:
    return leaf.term


class Boundary(NamedTuple):
    """A comparison looked at from one side, and the places where that may be possible."""

    rule: Rule
    note: str
    claims: tuple[_Claim, ...]

    def attempts(self) -> Iterator[Request]:
        """Iterate over the calls that would show it, the best first.

        A call that nothing but the rule itself refuses is preferred, wherever it can be made.
        """
        for strict in (True, False):
            for place, claim in self.claims:
                wanted = both(place.reading.executable, claim)
                if strict:
                    others = (h.holds for h in place.reading.rejects if h.rule.id != self.rule.id)
                    wanted = both(wanted, *(negation(each) for each in others))
                if wanted is not False:
                    yield Request(place.word, place.reading, wanted)


class Boundaries:
    """Collects the boundaries of rules; every comparison of an interface is taken once."""

    def __init__(self) -> None:
        """Start with none."""
        self.found: list[Boundary] = []
        self._taken: set[tuple[str, str]] = set()

    def add_rule(self, found: Reached, accepting: list[Reached]) -> None:
        """Take the comparisons of a rule.

        Args:
            found: where the rule decides.
            accepting: where calls of the interface are accepted; a call that is just good
                enough can be shown there.
        """
        places = [found, *accepting]
        edges = [_edges(found.rule, place.reading) for place in places]
        for text in edges[0]:
            for distance, side in SIDES:
                claims = tuple(
                    _Claim(place, equal(known[text].value, known[text].bound + distance))
                    for place, known in zip(places, edges, strict=True)
                    if text in known
                )
                self._add(Boundary(found.rule, f"{text}, {side}", claims))

    def add_top(self, found: Reached) -> None:
        """Take the ranges of a call that can end at the top of the address space."""
        for address, size in _ranges(found.reading):
            names = (".".join(map(str, leaf.path)) for leaf in (address, size))
            text = f"{' + '.join(names)} against 2**64"
            for distance, side in SIDES:
                claim = equal(_as_int(address) + _as_int(size), TOP + distance)
                self._add(Boundary(found.rule, f"{text}, {side}", (_Claim(found, claim),)))

    def add_extremes(self, found: Reached) -> None:
        """Take the largest number for each 64-bit parameter that is a size or a plain number."""
        for leaf in found.reading.call.leaves:
            if leaf.domain.role in EXTREME and leaf.domain.high == TOP - 1:
                text = f"{'.'.join(map(str, leaf.path))} against 2**64"
                claim = equal(_as_int(leaf), TOP - 1)
                self._add(Boundary(found.rule, f"{text}, {SIDES[0][1]}", (_Claim(found, claim),)))

    def add_bits(self, found: Reached) -> None:
        """Take the bits that decide how a call is accepted: none, and the outermost ones alone."""
        guard = found.reading.outcome(found.rule).applies
        for place, (part, shared) in enumerate(bits_asked_by(guard)):
            for (one, other), side in BIT_SIDES:
                left, right = shared.args
                claim = both(_matters(guard, part), equal(left, one), equal(right, other))
                text = f"bits, question {place + 1}, {side}"
                self._add(Boundary(found.rule, text, (_Claim(found, claim),)))

    def _add(self, boundary: Boundary) -> None:
        name = (boundary.rule.interface, boundary.note)
        if name not in self._taken:
            self._taken.add(name)
            self.found.append(boundary)


def _edges(rule: Rule, reading: Reading) -> dict[str, Edge]:
    return {edge.text: edge for edge in edges_of(reading.holds(rule), reading)}


def shown_by(solver: Solver, boundaries: list[Boundary]) -> Iterator[tuple[Boundary, Instance]]:
    """Iterate over the boundaries that some call shows, with the call."""
    found: dict[int, Instance] = {}
    attempts = {place: each.attempts() for place, each in enumerate(boundaries)}
    while attempts:
        wanted = {place: next(each, None) for place, each in attempts.items()}
        requests = {place: each for place, each in wanted.items() if each is not None}
        made = instances_of(solver, list(requests.values()))
        found |= {p: each for p, each in zip(requests, made, strict=True) if each is not None}
        attempts = {p: attempts[p] for p in requests if p not in found}
    return ((boundaries[place], found[place]) for place in sorted(found))
