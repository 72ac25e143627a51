"""Boundary witnesses: calls just below, at and just above what a rule compares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from halcert.model.proofs.pleasant import Instance, instance_of
from halcert.model.proofs.search import Reached
from halcert.model.proofs.situation import shown
from halcert.model.proofs.witness import UNDEFINED, Witness
from halcert.model.symbolic.algebra import both, equal, negation
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.solver import Answer, Solver
from halcert.model.symbolic.term import Bool, BoolLike, Int, Term
from halcert.model.symbolic.values import Variable
from halcert.spec.language import Rule
from halcert.spec.profiles import Profile

TOP = 2**64
SIDES = ((-1, "just below"), (0, "at"), (1, "just above"))
COUNTED = ("size", "number", "address", "device", "count", "rounds")


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


class Boundaries:
    """Finds boundary witnesses for one product; every edge of an interface is taken once."""

    def __init__(self, solver: Solver, profile: Profile) -> None:
        """Take the solver that finds values."""
        self.solver = solver
        self.profile = profile
        self.objections: list[str] = []
        self._taken: set[tuple[object, ...]] = set()

    def of_rule(self, found: Reached, accepting: list[Reached]) -> Iterator[Witness]:
        """Iterate over the witnesses at the comparisons of a rule.

        Args:
            found: where the rule decides.
            accepting: where calls of the interface are accepted; a call that is just good
                enough can be shown there.
        """
        places = [found, *accepting]
        edges = [self._edges(found.rule, place.reading) for place in places]
        for text in edges[0]:
            for distance, side in SIDES:
                claims = [
                    _Claim(place, equal(known[text].value, known[text].bound + distance))
                    for place, known in zip(places, edges, strict=True)
                    if text in known
                ]
                yield from self._witness(found.rule, claims, f"{text}, {side}")

    def of_top(self, found: Reached) -> Iterator[Witness]:
        """Iterate over the witnesses in which a range ends at the top of the address space."""
        for address, size in _ranges(found.reading):
            names = (".".join(map(str, leaf.path)) for leaf in (address, size))
            text = f"{' + '.join(names)} against 2**64"
            for distance, side in SIDES:
                claim = equal(_as_int(address) + _as_int(size), TOP + distance)
                yield from self._witness(found.rule, [_Claim(found, claim)], f"{text}, {side}")

    def _edges(self, rule: Rule, reading: Reading) -> dict[str, Edge]:
        return {edge.text: edge for edge in edges_of(reading.holds(rule), reading)}

    def _witness(self, rule: Rule, claims: list[_Claim], note: str) -> Iterator[Witness]:
        name = (rule.interface, note)
        if name in self._taken:
            return
        self._taken.add(name)
        found = self._instance(rule, claims)
        if found is None:
            return
        if found.objection:
            self.objections.append(f"{rule.id}, {note}: {found.objection}")
        if found.steps[-1].expected.verdict != UNDEFINED:
            yield Witness(rule.id, self.profile.name, "boundary", found.steps, note, alone=False)

    def _instance(self, rule: Rule, claims: list[_Claim]) -> Instance | None:
        """Prefer a call that nothing but the rule itself refuses, wherever it can be made."""
        for strict in (True, False):
            for place, claim in claims:
                found = self._at(rule, place, claim, strict=strict)
                if found is not None:
                    return found
        return None

    def _at(self, rule: Rule, place: Reached, claim: BoolLike, *, strict: bool) -> Instance | None:
        reading = place.reading
        wanted = both(reading.executable, claim)
        if strict:
            others = (held.holds for held in reading.rejects if held.rule.id != rule.id)
            wanted = both(wanted, *(negation(each) for each in others))
        if wanted is False:
            return None
        self.solver.push()
        self.solver.add(*place.word.facts)
        found = None
        if self.solver.check(wanted) is Answer.YES:
            found = instance_of(self.solver, place.word, reading, wanted)
        self.solver.pop()
        return found
