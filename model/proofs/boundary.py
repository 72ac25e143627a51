"""Boundary witnesses: calls just below, at and just above what a rule compares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from halcert.model.proofs.pleasant import Instance, instance_of
from halcert.model.proofs.search import Reached
from halcert.model.proofs.witness import UNDEFINED, Witness
from halcert.model.proofs.words import Word
from halcert.model.symbolic.algebra import both, equal, negation
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.solver import Answer, Solver
from halcert.model.symbolic.term import Bool, BoolLike, Int, Term
from halcert.spec.profiles import Profile

TOP = 2**64
SIDES = ((-1, "just below"), (0, "at"), (1, "just above"))
COUNTED = ("size", "number", "address", "device", "count", "rounds")


class Edge(NamedTuple):
    """A comparison: the side that the caller chooses, and what it is compared with."""

    value: Int
    bound: int | Int
    text: str


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
                text = leaves[bound] if isinstance(bound, Int) else _number(bound)
                yield Edge(value, bound, f"{leaves[value]} against {text}")


def _number(value: int) -> str:
    return hex(value) if value > 4096 else str(value)


class Boundaries:
    """Finds boundary witnesses for one product; every edge of an interface is taken once."""

    def __init__(self, solver: Solver, profile: Profile) -> None:
        """Take the solver that finds values."""
        self.solver = solver
        self.profile = profile
        self.objections: list[str] = []
        self._taken: set[tuple[object, ...]] = set()

    def of_rule(self, found: Reached) -> Iterator[Witness]:
        """Iterate over the witnesses at the comparisons of a rule."""
        reading, rule = found.reading, found.rule
        condition = reading.holds(rule)
        for edge in edges_of(condition, reading):
            for distance, side in SIDES:
                claim = equal(edge.value, edge.bound + distance)
                note = f"{edge.text}, {side}"
                yield from self._witness(rule.id, found.word, reading, claim, note, condition)

    def of_top(self, found: Reached) -> Iterator[Witness]:
        """Iterate over the witnesses in which a range ends at the top of the address space."""
        reading = found.reading
        addresses = [leaf for leaf in reading.call.leaves if leaf.domain.role == "address"]
        sizes = [leaf for leaf in reading.call.leaves if leaf.domain.role == "size"]
        for address in addresses:
            for size in sizes:
                if len(address.path) != len(size.path):
                    continue
                for distance, side in SIDES:
                    claim = equal(address.term + size.term, TOP + distance)
                    names = (".".join(map(str, leaf.path)) for leaf in (address, size))
                    note = f"{' + '.join(names)} against 2**64, {side}"
                    yield from self._witness(found.rule.id, found.word, reading, claim, note, False)

    def _witness(
        self,
        rule: str,
        word: Word,
        reading: Reading,
        claim: BoolLike,
        note: str,
        condition: BoolLike,
    ) -> Iterator[Witness]:
        name = (reading.interface.name, note)
        if claim is False or name in self._taken:
            return
        self._taken.add(name)
        self.solver.push()
        self.solver.add(*word.facts)
        found = self._instance(word, reading, claim, condition)
        self.solver.pop()
        if found is None:
            return
        if found.objection:
            self.objections.append(f"{rule}, {note}: {found.objection}")
        if found.steps[-1].expected.verdict != UNDEFINED:
            yield Witness(rule, self.profile.name, "boundary", found.steps, note, alone=False)

    def _instance(
        self, word: Word, reading: Reading, claim: BoolLike, condition: BoolLike
    ) -> Instance | None:
        """Prefer that nothing but the rule itself refuses the call."""
        others = [h.holds for h in reading.rejects if h.holds is not condition]
        wanted = (
            both(reading.executable, claim, *(negation(each) for each in others)),
            both(reading.executable, claim),
        )
        for each in wanted:
            if each is not False and self.solver.check(each) is Answer.YES:
                return instance_of(self.solver, word, reading, each)
        return None
