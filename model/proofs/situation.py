"""The situation in which a rule is proved: any valid state, and any call in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from halcert.model.proofs.cone import WHOLE, Cone, Ground, cone_of, ground, grown
from halcert.model.symbolic.algebra import all_parts_of, both, equal, implies
from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.reading import Accepted, Reading
from halcert.model.symbolic.second import DISAGREEMENT, opinion
from halcert.model.symbolic.solver import Answer, Solver
from halcert.model.symbolic.state import TABLES
from halcert.model.symbolic.term import BoolLike, Term
from halcert.model.symbolic.values import SymbolicSequence, variables
from halcert.spec.language import BitWord, Interface, Invariant, Kind, Record
from halcert.spec.profiles import Profile

ROWS = 3
STEPS = 200_000_000
LARGE = 4096
Together = frozenset[BoolLike]


@dataclass(frozen=True)
class Situation:
    """Any call of an interface in any valid state.

    Attributes:
        interface: the interface.
        profile: the product.
        invariants: what makes a state valid.
        rows: how many rows each table has at most.
        filled: the tables that may have rows.
        steps: how much work a question may take, as the solver counts it.
        second: a second solver is asked whatever the first one calls proved.
        remarks: what the second solver had to say.
        contradictions: terms that no valid state and call make all true, as was found out; so
            nor do more of them. Who shares the list asks nothing twice.
    """

    interface: Interface
    profile: Profile
    invariants: tuple[Invariant, ...]
    rows: int = ROWS
    filled: Cone = WHOLE
    steps: int = STEPS
    second: bool = False
    remarks: list[str] = field(default_factory=list)
    contradictions: list[Together] = field(default_factory=list)
    _solvers: dict[Cone, Solver] = field(default_factory=dict, init=False, repr=False)

    @property
    def ground(self) -> Ground:
        """Any state with so many rows."""
        return ground(self.rows, self.filled)

    @cached_property
    def reading(self) -> Reading:
        """The rules of the interface at the call."""
        view = self.ground.view
        call = variables(self.interface.call, "call")
        result = variables(self.interface.result, "result")
        return Reading(self.interface, self.profile, view, call, result)

    def solver(self, cone: Cone) -> Solver:
        """Return a solver that knows what a valid state says of some tables."""
        if cone not in self._solvers:
            solver = self._solvers[cone] = Solver(self.steps)
            solver.add(self.ground.valid(self.invariants, cone))
        return self._solvers[cone]

    def excludes(self, *terms: BoolLike) -> bool:
        """Tell whether it is plain from the tables spoken of that the terms are not all true."""
        return self.solver(cone_of(*terms)).check(*terms) is Answer.NO

    def check(self, *terms: BoolLike) -> Answer:
        """Ask whether some valid state lets all of the terms be true."""
        cone = cone_of(*terms)
        answer = self.solver(cone).check(*terms)
        if answer is Answer.NO or cone == self.filled:
            return answer
        return self.solver(self.filled).check(*terms)

    def accepted(self, outcome: Accepted) -> BoolLike:
        """Return whether the call ends with this outcome and a result that is allowed."""
        reading = self.reading
        if outcome.rule.kind is Kind.LEAVES:
            return both(reading.failed, outcome.applies, outcome.scope)
        succeeds = equal(reading.result.value.code, 0)
        return both(succeeds, reading.acceptable, reading.promised, outcome.applies, outcome.scope)

    def refutes(
        self, claim: BoolLike, *given: BoolLike, extra: tuple[Term, ...] = ()
    ) -> tuple[Answer, str]:
        """Look for a state and call in which the claim is false.

        Args:
            claim: what has to hold.
            given: what may be assumed.
            extra: further variables that a counterexample shows.

        Returns:
            What the solver says, and the counterexample in words if there is one.
        """
        if claim is True:
            return Answer.NO, ""
        denied = implies(claim, False)
        if self._follows(denied, given):
            return Answer.NO, ""
        terms = (*given, denied)
        cone = cone_of(*terms)
        answer, note = Answer.UNKNOWN, ""
        for each in dict.fromkeys((cone, grown(cone, self.invariants, self.filled), self.filled)):
            answer, note = self._asked(each, terms, extra)
            if answer is Answer.NO:
                break
        return answer, note

    def _follows(self, denied: BoolLike, given: tuple[BoolLike, ...]) -> bool:
        """Tell whether a claim follows from that alone which speaks of no tables but its own.

        A call has many conditions, and most speak of tables with which a claim has to do nothing.
        """
        cone = cone_of(denied)
        parts = [each for whole in given for each in all_parts_of(whole)]
        near = [each for each in parts if cone_of(each) <= cone]
        if len(near) == len(parts):
            return False
        return self._asked(cone, (*near, denied), ())[0] is Answer.NO

    def _asked(
        self, cone: Cone, terms: tuple[BoolLike, ...], extra: tuple[Term, ...]
    ) -> tuple[Answer, str]:
        """Ask for a state and call where all terms are true, with what is known of some tables."""
        valid = self.ground.valid(self.invariants, cone)
        facts = frozenset(each for whole in (valid, *terms) for each in all_parts_of(whole))
        if any(each <= facts for each in self.contradictions):
            return Answer.NO, ""
        remarks = len(self.remarks)
        answer, note = self._answered(cone, terms, extra)
        if answer is Answer.NO and len(self.remarks) == remarks:
            self.contradictions.append(facts)
        return answer, note

    def _answered(
        self, cone: Cone, terms: tuple[BoolLike, ...], extra: tuple[Term, ...]
    ) -> tuple[Answer, str]:
        """Have the solver answer the question."""
        solver = self.solver(cone)
        solver.push()
        solver.add(*terms)
        answer = solver.check()
        if answer is Answer.NO and self.second:
            answer = self._confirmed(solver)
        note = self.described(solver, extra) if answer is Answer.YES and cone == self.filled else ""
        solver.pop()
        return answer, note

    def _confirmed(self, solver: Solver) -> Answer:
        """Return what is left of a proof when the second solver was asked, too."""
        answer = opinion(solver.text())
        if answer is Answer.YES:
            self.remarks.append(DISAGREEMENT)
            return Answer.UNKNOWN
        if answer is Answer.UNKNOWN:
            self.remarks.append("proved by z3 alone: cvc5 found no answer in time")
        return Answer.NO

    def described(self, solver: Solver, extra: tuple[Term, ...] = ()) -> str:
        """Return the state and call of a solver's last answer in words."""
        reading = self.reading
        terms: list[Term] = [leaf.term for leaf in (*reading.call.leaves, *reading.result.leaves)]
        for name in TABLES:
            for line in getattr(reading.view, name).lines:
                terms += [each for each in (line.live, *line.values) if isinstance(each, Term)]
        value = Evaluator(solver.model([*terms, *extra]))
        lines = [*_rows(reading.view, value), _call(reading, value)]
        lines += [f"{term.args[0]} = {shown(value(term))}" for term in extra]
        return "\n".join(lines)


def _rows(view: Any, value: Evaluator) -> Iterator[str]:
    found = False
    for name in TABLES:
        table = getattr(view, name)
        for line in table.lines:
            if value(line.live):
                found = True
                columns = zip(table.shape.columns, map(value, line.values), strict=True)
                yield f"{name}: " + ", ".join(f"{c} = {shown(v)}" for c, v in columns)
    if not found:
        yield "all tables are empty"


def _call(reading: Reading, value: Evaluator) -> str:
    args = _fields(reading.call.value, value)
    outputs = _fields(reading.result.value, value)
    return f"{reading.interface.name}({args}) gives {outputs}"


def _fields(struct: Any, value: Evaluator) -> str:
    parts = [(name, _shown(getattr(struct, name), value)) for name in struct.__struct_fields__]
    return ", ".join(f"{name} = {text}" for name, text in parts)


def _shown(part: Any, value: Evaluator) -> str:
    if isinstance(part, BitWord):
        values = {name: value(getattr(part, name)) for name in part.layout}
        return "{" + ", ".join(f"{n} {shown(v)}" for n, v in values.items() if v) + "}"
    if isinstance(part, Record):
        return "{" + _fields(part, value) + "}"
    if isinstance(part, SymbolicSequence):
        if not value(part.given):
            return "null"
        return "[" + ", ".join(_shown(e, value) for e in part.places[: value(part.count)]) + "]"
    if isinstance(part, (Term, int)):
        return shown(value(part))
    return "..."


def shown(value: int | bool) -> str:
    """Return a value as people read it: addresses and large sizes in hexadecimal."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return hex(value) if abs(value) > LARGE else str(value)
