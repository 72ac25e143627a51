"""The search for the shortest words that make rules decide; one search serves all rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from time import perf_counter
from typing import NamedTuple

from halcert.model.proofs.goals import Goal, goal_of
from halcert.model.proofs.words import Operation, Word, alphabet, empty_word, extended
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.solver import Answer, Solver
from halcert.model.symbolic.term import BoolLike
from halcert.spec.language import Interface, Kind, Rule
from halcert.spec.profiles import Profile

DEPTH = 5


class Reached(NamedTuple):
    """Where a rule was reached: the word, the call after it, and the condition that was met."""

    rule: Rule
    word: Word
    reading: Reading
    condition: BoolLike
    alone: bool
    seconds: float


@dataclass
class Search:
    """Breadth-first search over words.

    Attributes:
        profile: the product.
        interfaces: the interfaces whose calls make up the words.
        reached: for each rule id, the first place where it had a say.
        alone: likewise, the first place where it alone decided.
        words: number of words that were tried.
        depth: length of the longest ones.
    """

    profile: Profile
    interfaces: tuple[Interface, ...]
    reached: dict[str, Reached] = field(default_factory=dict)
    alone: dict[str, Reached] = field(default_factory=dict)
    words: int = 0
    depth: int = 0
    solver: Solver = field(default_factory=Solver)

    def run(self, wanted: Iterable[Rule], depth: int = DEPTH, seconds: float = 60.0) -> None:
        """Search until every wanted rule was reached alone, or no longer words are allowed."""
        open_rules = {rule.id: rule for rule in wanted}
        letters = alphabet(self.interfaces, self.profile)
        level = [empty_word()]
        end = perf_counter() + seconds
        for self.depth in range(depth + 1):
            for word in level:
                self._visit(word, open_rules)
            if not open_rules or self.depth == depth:
                return
            level = self._next_level(level, letters, end)

    def _next_level(
        self, level: list[Word], letters: tuple[Operation, ...], end: float
    ) -> list[Word]:
        longer = []
        for word in level:
            for letter in letters:
                if perf_counter() > end:
                    return longer
                new = extended(word, letter, self.profile)
                if new is None:
                    continue
                self.words += 1
                if self._possible(new):
                    longer.append(new)
        return longer

    def _possible(self, word: Word) -> bool:
        return self.solver.check(*word.facts) is Answer.YES

    def _visit(self, word: Word, open_rules: dict[str, Rule]) -> None:
        """Look at which of the open rules can have a say after a word."""
        by_interface: dict[str, list[Rule]] = {}
        for rule in open_rules.values():
            by_interface.setdefault(rule.interface, []).append(rule)
        self.solver.push()
        self.solver.add(*word.facts)
        for interface in self.interfaces:
            rules = by_interface.get(interface.name)
            if rules:
                reading = word.reading(interface, self.profile)
                for rule in rules:
                    if self._decided(rule, word, reading):
                        del open_rules[rule.id]
        self.solver.pop()

    def _decided(self, rule: Rule, word: Word, reading: Reading) -> bool:
        """Note whether the rule has a say here, and tell whether nothing better can come."""
        start = perf_counter()
        goal = goal_of(rule, reading)
        if self.solver.check(goal.alone) is Answer.YES:
            found = Reached(rule, word, reading, goal.alone, True, perf_counter() - start)
            self.alone[rule.id] = found
            if rule.kind is not Kind.ENSURES:
                self.reached.setdefault(rule.id, found)
        if rule.id not in self.reached and self._met(goal):
            self.reached[rule.id] = Reached(
                rule, word, reading, goal.reach, False, perf_counter() - start
            )
        return rule.id in self.alone and rule.id in self.reached

    def _met(self, goal: Goal) -> bool:
        return goal.reach is not goal.alone and self.solver.check(goal.reach) is Answer.YES
