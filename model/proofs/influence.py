"""What a rule or call reads of the state, and what a call writes: columns of tables by name.

Both are read off terms over a state of which nothing is known, so they err on the safe side.
A word after which a rule can have a say for the first time ends in a call that writes something
that the rule reads; the search looks at no other ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from halcert.model.proofs.goals import goal_of
from halcert.model.proofs.situation import ROWS, Situation
from halcert.model.proofs.words import Operation
from halcert.model.symbolic.algebra import both, negation
from halcert.model.symbolic.solver import Answer
from halcert.model.symbolic.state import changed_tables
from halcert.model.symbolic.table import crowds
from halcert.model.symbolic.term import Term
from halcert.spec.language import Interface, Invariant, Kind, Rule
from halcert.spec.profiles import Profile

Columns = frozenset[tuple[str, str]]
LIVE = "live"
FEW_ROWS = 2
"""Rows that show what depends on what, and nearly always what can be."""


def columns_in(*values: object) -> Columns:
    """Return the columns of the state that occur in terms."""
    found: set[tuple[str, str]] = set()
    seen: set[Term] = set()
    stack = [value for value in values if isinstance(value, Term)]
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen.add(term)
        if term.op in ("int", "bool"):
            parts = term.args[0].split(".")
            if parts[0] == "before" and len(parts) == len(("before", "table", "row", "column")):
                found.add((parts[1], parts[3]))
        stack += [each for each in term.args if isinstance(each, Term)]
    return frozenset(found)


class Influence:
    """Reads, writes and prospects of rules and operations, each worked out once."""

    def __init__(
        self,
        interfaces: Iterable[Interface],
        profile: Profile,
        invariants: tuple[Invariant, ...],
        rows: int = ROWS,
    ) -> None:
        """Take what the words are made of, what makes a state valid, and how large it may be."""
        self.rows = rows
        self._situations = {
            each.name: Situation(each, profile, invariants, min(rows, FEW_ROWS))
            for each in interfaces
        }
        self._reads: dict[str, Columns] = {}
        self._writes: dict[str, Columns] = {}
        self._needs: dict[str, Columns] = {}

    def situation(self, interface: str) -> Situation:
        """Return any call of an interface in any valid state."""
        return self._situations[interface]

    def reads(self, rule: Rule) -> Columns:
        """Return what it depends on whether a rule has a say, or decides alone."""
        if rule.id not in self._reads:
            goal = goal_of(rule, self.situation(rule.interface).reading)
            self._reads[rule.id] = columns_in(goal.reach, goal.alone)
        return self._reads[rule.id]

    def needs(self, operation: Operation) -> Columns:
        """Return what it depends on whether a call is possible."""
        if operation.rule.id not in self._needs:
            reading = self.situation(operation.interface.name).reading
            fact = both(reading.acceptable, reading.promised, reading.when(operation.rule))
            self._needs[operation.rule.id] = columns_in(fact)
        return self._needs[operation.rule.id]

    def writes(self, operation: Operation) -> Columns:
        """Return what a call can change."""
        if operation.rule.id not in self._writes:
            self._writes[operation.rule.id] = self._written(operation)
        return self._writes[operation.rule.id]

    def _written(self, operation: Operation) -> Columns:
        reading = self.situation(operation.interface.name).reading
        after = reading.outcome(operation.rule).after
        found: set[tuple[str, str]] = set()
        for name in changed_tables(reading.view, after):
            if name == "contents":
                continue
            old, new = getattr(reading.view, name), getattr(after, name)
            columns = new.shape.columns
            if len(new.lines) != len(old.lines):
                found |= {(name, column) for column in (*columns, LIVE)}
            for one, other in zip(old.lines, new.lines, strict=False):
                if one.live is not other.live:
                    found.add((name, LIVE))
                pairs = zip(columns, one.values, other.values, strict=True)
                found |= {(name, column) for column, a, b in pairs if a is not b}
        return frozenset(found)

    def prospects(self, rule: Rule) -> tuple[Answer, Answer]:
        """Return whether some valid state lets a rule have a say, and lets it decide alone."""
        situation = self.situation(rule.interface)
        reach, alone = _prospects(rule, situation)
        if Answer.NO in (reach, alone) and situation.rows < self.rows:
            return _prospects(rule, replace(situation, rows=self.rows))
        return reach, alone

    def crowd_prospects(self, rule: Rule) -> bool:
        """Tell whether a rule can decide where tables may have any number of further rows."""
        situation = self.situation(rule.interface)
        crowded = replace(situation)
        with crowds():
            goal = goal_of(rule, crowded.reading)
        return crowded.solver.check(goal.alone) is Answer.YES

    def shadow_of(self, rule: Rule) -> str:
        """Return which rules stand in front of a rule whenever it holds."""
        situation = self.situation(rule.interface)
        reading = situation.reading
        goal = goal_of(rule, reading)
        if rule.kind is Kind.ENSURES:
            return "every result that breaks it breaks another rule as well"
        rivals = reading.rejects if rule.kind is Kind.REJECTS else reading.undefined_rules
        always = [
            held.rule.id
            for held in rivals
            if held.rule.id != rule.id
            and situation.solver.check(goal.reach, negation(held.holds)) is Answer.NO
        ]
        if always:
            return f"whenever it holds, so does {' and '.join(always)}"
        return "whenever it holds, one of several others does, too"


def _prospects(rule: Rule, situation: Situation) -> tuple[Answer, Answer]:
    goal = goal_of(rule, situation.reading)
    alone = situation.solver.check(goal.alone)
    if alone is Answer.YES and goal.alone is goal.reach:
        return alone, alone
    return situation.solver.check(goal.reach), alone


class Relevance:
    """Which operations can matter at which distance from the rule that is searched for."""

    def __init__(self, influence: Influence, letters: tuple[Operation, ...]) -> None:
        """Take the letters of the words."""
        self.influence = influence
        self.letters = letters

    def feeding(self, columns: Columns) -> frozenset[Operation]:
        """Return the operations that write one of the columns."""
        return frozenset(each for each in self.letters if self.influence.writes(each) & columns)

    def at_distance(self, rules: Iterable[Rule], distance: int) -> frozenset[Operation]:
        """Return the operations that can matter this many calls before the last one."""
        columns: Columns = frozenset().union(*(self.influence.reads(rule) for rule in rules))
        found = self.feeding(columns)
        for _ in range(distance):
            needed: Columns = frozenset().union(*(self.influence.needs(each) for each in found))
            wider = found | self.feeding(columns | needed)
            if wider == found:
                break
            found, columns = wider, columns | needed
        return found

    @cached_property
    def order(self) -> dict[Operation, int]:
        """The place of each letter in the alphabet."""
        return {letter: place for place, letter in enumerate(self.letters)}
