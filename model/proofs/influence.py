"""What rules and calls want of the state and what calls do to it: columns of tables by name.

Both are read off terms over a state of which nothing is known, so they err on the safe side.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from halcert.model.proofs.columns import (
    Columns,
    asked_by,
    unmarked,
    written,
)
from halcert.model.proofs.filled import filled_by
from halcert.model.proofs.goals import Goal, goal_of
from halcert.model.proofs.situation import ROWS, Situation
from halcert.model.proofs.words import Operation
from halcert.model.symbolic.algebra import both, either, negation
from halcert.model.symbolic.solver import Answer
from halcert.model.symbolic.state import changed_tables, differs
from halcert.model.symbolic.substitute import Substitution
from halcert.model.symbolic.table import SymbolicTable, crowds
from halcert.model.symbolic.term import BoolLike
from halcert.spec.language import Interface, Invariant, Kind, Rule
from halcert.spec.profiles import Profile

FEW_ROWS = 2
"""Rows that show what depends on what, and nearly always what can be."""


class Effect(NamedTuple):
    """What a call does to the state, as columns.

    Attributes:
        writes: what it can change.
        uses: what it depends on whether the call is possible, and what it writes then.
    """

    writes: Columns
    uses: Columns


class Influence:
    """Reads, writes and prospects of rules and operations, each worked out once.

    Attributes:
        rows: how many rows each table has at most.
        filled: the tables that can have rows after words of these calls.
    """

    def __init__(
        self,
        interfaces: Iterable[Interface],
        profile: Profile,
        invariants: tuple[Invariant, ...],
        rows: int = ROWS,
    ) -> None:
        """Take what the words are made of, what makes a state valid, and how large it may be.

        Tables that no call of a word fills are empty after every word, so they have no rows here.
        """
        self.rows = rows
        known = tuple(interfaces)
        self.filled = filled_by(known, profile)
        self._situations = {
            each.name: Situation(each, profile, invariants, min(rows, FEW_ROWS), self.filled)
            for each in known
        }
        self._goals: dict[str, Goal] = {}
        self._asks: dict[str, Columns] = {}
        self._effects: dict[str, Effect] = {}
        self._spoken: dict[tuple[str, str], Columns] = {}
        self._steps: dict[str, BoolLike] = {}
        self._where: dict[tuple[str, Columns], Substitution] = {}
        self._possible: dict[tuple[tuple[str, str], Columns], bool] = {}

    def situation(self, interface: str) -> Situation:
        """Return any call of an interface in any valid state."""
        return self._situations[interface]

    def asks(self, rule: Rule) -> Columns:
        """Return what it depends on whether a rule has a say, or decides alone."""
        if rule.id not in self._asks:
            goal = self._goal(rule)
            self._asks[rule.id] = asked_by(goal.reach, goal.alone)
        return self._asks[rule.id]

    def effect(self, operation: Operation) -> Effect:
        """Return what a call does to the state."""
        if operation.rule.id not in self._effects:
            self._effects[operation.rule.id] = self._effect(operation)
        return self._effects[operation.rule.id]

    def _effect(self, operation: Operation) -> Effect:
        reading = self.situation(operation.interface.name).reading
        after = reading.outcome(operation.rule).after
        fact = self._fact(operation)
        writes, uses = Columns(), asked_by(fact)
        changes: list[BoolLike] = []
        for name in changed_tables(reading.view, after):
            if name != "contents":
                old, new = getattr(reading.view, name), getattr(after, name)
                new = self._without_idle_lines(operation, fact, old, new)
                changed, sources = written(name, old, new)
                writes, uses = writes | changed, uses | sources
                changes.append(differs(old, new))
        self._steps[operation.rule.id] = both(fact, either(*changes))
        return Effect(writes, uses)

    def _without_idle_lines(
        self, operation: Operation, fact: BoolLike, old: SymbolicTable, new: SymbolicTable
    ) -> SymbolicTable:
        """Return a table without new lines in which no row ever is.

        A row that is put back gets a line of its own for the case that it was not there, which
        the conditions of the call or the invariants may well rule out.
        """
        situation = self.situation(operation.interface.name)
        kept = len(old.lines)
        idle = [line for line in new.lines[kept:] if situation.excludes(fact, line.live)]
        lines = [line for line in new.lines if not any(line is each for each in idle)]
        return SymbolicTable(new.row_type, lines) if idle else new

    def can_come(self, operation: Operation, marks: Columns) -> bool:
        """Tell whether a call can change anything where no rows have other columns true."""
        self.effect(operation)
        step = self._steps[operation.rule.id]
        return self._can_be(operation.interface.name, step, marks, "call", operation.rule)

    def can_decide(self, rule: Rule, marks: Columns) -> bool:
        """Tell whether a rule can have a say where no rows have other columns true."""
        return self._can_be(rule.interface, self._goal(rule).reach, marks, "goal", rule)

    def _goal(self, rule: Rule) -> Goal:
        if rule.id not in self._goals:
            self._goals[rule.id] = goal_of(rule, self.situation(rule.interface).reading)
        return self._goals[rule.id]

    def _fact(self, operation: Operation) -> BoolLike:
        reading = self.situation(operation.interface.name).reading
        return both(reading.acceptable, reading.promised, reading.when(operation.rule))

    def _can_be(
        self, interface: str, condition: BoolLike, marks: Columns, what: str, rule: Rule
    ) -> bool:
        """Tell whether a condition is not plainly false."""
        name = (what, rule.id)
        if name not in self._spoken:
            self._spoken[name] = frozenset(c for c in asked_by(condition) if c.rises)
        kept = marks & self._spoken[name]
        if (name, kept) not in self._possible:
            where = self._where.get((interface, kept))
            if where is None:
                where = Substitution(unmarked(self.situation(interface).reading.view, kept))
                self._where[interface, kept] = where
            self._possible[name, kept] = where(condition) is not False
        return self._possible[name, kept]

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
        return crowded.check(goal.alone) is Answer.YES

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
            and situation.check(goal.reach, negation(held.holds)) is Answer.NO
        ]
        if always:
            return f"whenever it holds, so does {' and '.join(always)}"
        return "whenever it holds, one of several others does, too"


def _prospects(rule: Rule, situation: Situation) -> tuple[Answer, Answer]:
    goal = goal_of(rule, situation.reading)
    alone = situation.check(goal.alone)
    if alone is Answer.YES and goal.alone is goal.reach:
        return alone, alone
    return situation.check(goal.reach), alone
