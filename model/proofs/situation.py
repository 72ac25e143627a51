"""The situation in which a rule is proved: any valid state, and any call in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from halcert.model.symbolic.algebra import both, equal, implies
from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.paths import merged
from halcert.model.symbolic.reading import Accepted, Reading
from halcert.model.symbolic.second import DISAGREEMENT, opinion
from halcert.model.symbolic.solver import Answer, Solver
from halcert.model.symbolic.state import TABLES, any_state, keyed, named
from halcert.model.symbolic.term import BoolLike, Term, when_forgetting
from halcert.model.symbolic.values import SymbolicSequence, variables
from halcert.spec.language import BitWord, Interface, Invariant, Kind, Record
from halcert.spec.profiles import Profile

ROWS = 3
STEPS = 200_000_000
LARGE = 4096


def invariant_holds(invariant: Invariant, view: Any) -> BoolLike:
    """Return whether an invariant holds in a state."""
    found: BoolLike = merged(lambda: invariant.holds(view))
    return found


def valid(view: Any, invariants: tuple[Invariant, ...]) -> BoolLike:
    """Return whether tables are tables and all invariants hold."""
    return both(keyed(view), named(view), *(invariant_holds(each, view) for each in invariants))


class Ground(NamedTuple):
    """Any valid state: its tables, and what makes it valid."""

    view: Any
    valid: BoolLike


_grounds: dict[tuple[int, tuple[Invariant, ...]], Ground] = {}


def ground(rows: int, invariants: tuple[Invariant, ...]) -> Ground:
    """Return any valid state with at most so many rows in each table."""
    found = _grounds.get((rows, invariants))
    if found is None:
        view = any_state("before", rows)
        found = _grounds[rows, invariants] = Ground(view, valid(view, invariants))
    return found


@when_forgetting
def _forget() -> None:
    _grounds.clear()


@dataclass(frozen=True)
class Situation:
    """Any call of an interface in any valid state.

    Attributes:
        interface: the interface.
        profile: the product.
        invariants: what makes a state valid.
        rows: how many rows each table has at most.
        steps: how much work a question may take, as the solver counts it.
        second: a second solver is asked whatever the first one calls proved.
        remarks: what the second solver had to say.
    """

    interface: Interface
    profile: Profile
    invariants: tuple[Invariant, ...]
    rows: int = ROWS
    steps: int = STEPS
    second: bool = False
    remarks: list[str] = field(default_factory=list)

    @cached_property
    def reading(self) -> Reading:
        """The rules of the interface at the call."""
        view = ground(self.rows, self.invariants).view
        call = variables(self.interface.call, "call")
        result = variables(self.interface.result, "result")
        return Reading(self.interface, self.profile, view, call, result)

    @cached_property
    def solver(self) -> Solver:
        """A solver that knows that the state is valid."""
        solver = Solver(self.steps)
        solver.add(ground(self.rows, self.invariants).valid)
        return solver

    def accepted(self, outcome: Accepted) -> BoolLike:
        """Return whether the call ends with this outcome and a result that is allowed."""
        reading = self.reading
        if outcome.rule.kind is Kind.LEAVES:
            return both(reading.failed, outcome.applies, outcome.scope)
        succeeds = equal(reading.result.value.code, 0)
        return both(succeeds, reading.acceptable, reading.promised, outcome.applies, outcome.scope)

    @contextmanager
    def assuming(self, *given: BoolLike) -> Iterator[None]:
        """Let the solver take more for granted while the block runs."""
        self.solver.push()
        self.solver.add(*given)
        try:
            yield
        finally:
            self.solver.pop()

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
        self.solver.push()
        self.solver.add(*given)
        self.solver.add(implies(claim, False))
        answer = self.solver.check()
        if answer is Answer.NO and self.second:
            answer = self._confirmed()
        note = self.described(extra) if answer is Answer.YES else ""
        self.solver.pop()
        return answer, note

    def _confirmed(self) -> Answer:
        """Return what is left of a proof when the second solver was asked, too."""
        answer = opinion(self.solver.text())
        if answer is Answer.YES:
            self.remarks.append(DISAGREEMENT)
            return Answer.UNKNOWN
        if answer is Answer.UNKNOWN:
            self.remarks.append("proved by z3 alone: cvc5 found no answer in time")
        return Answer.NO

    def described(self, extra: tuple[Term, ...] = ()) -> str:
        """Return the state and call of the solver's last answer in words."""
        reading = self.reading
        terms: list[Term] = [leaf.term for leaf in (*reading.call.leaves, *reading.result.leaves)]
        for name in TABLES:
            for line in getattr(reading.view, name).lines:
                terms += [each for each in (line.live, *line.values) if isinstance(each, Term)]
        value = Evaluator(self.solver.model([*terms, *extra]))
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
