"""The search for the shortest words that make rules decide; one search serves all rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import perf_counter
from typing import NamedTuple

from halcert.model.proofs.goals import Goal, goal_of
from halcert.model.proofs.words import (
    Operation,
    Word,
    alphabet,
    empty_word,
    extended,
    in_order,
    shrinks,
)
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.solver import Answer, Solver
from halcert.model.symbolic.term import BoolLike
from halcert.spec.language import Interface, Kind, Rule
from halcert.spec.profiles import Profile

DEPTH = 6
"""Calls before the one that is decided, at most."""
DEPTH_OF_ALL = 3
"""The same when words that remove rows, and every order of calls, are looked at, too."""
SECONDS = 20.0
MILLISECONDS = 1000


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
        hopeless: tells whether a rule can have a say, and decide alone, in any valid state.
        reached: for each rule id, the first place where it had a say.
        alone: likewise, the first place where it alone decided.
        words: number of words that were tried.
        depth: length of the longest ones.
        out_of_time: the search ended early.
    """

    profile: Profile
    interfaces: tuple[Interface, ...]
    hopeless: Callable[[Rule], tuple[bool, bool]] | None = None
    reached: dict[str, Reached] = field(default_factory=dict)
    alone: dict[str, Reached] = field(default_factory=dict)
    words: int = 0
    depth: int = 0
    out_of_time: bool = False
    solver: Solver = field(default_factory=lambda: Solver(MILLISECONDS))

    def run(self, wanted: Iterable[Rule], depth: int = DEPTH, seconds: float = SECONDS) -> None:
        """Search until every wanted rule was reached alone, or no longer words are allowed.

        First only words that build something up are looked at, in one order of independent
        calls; what is left then is looked for in all short words.
        """
        self._open = {rule.id: rule for rule in wanted}
        letters = alphabet(self.interfaces, self.profile)
        growing = tuple(each for each in letters if not shrinks(each, self.profile))
        self._phase(growing, depth, seconds, ordered=True)
        if self._open:
            self._phase(letters, min(depth, DEPTH_OF_ALL), seconds, ordered=False)

    def _phase(
        self, letters: tuple[Operation, ...], depth: int, seconds: float, *, ordered: bool
    ) -> None:
        order = {letter: place for place, letter in enumerate(letters)} if ordered else None
        level = [empty_word()]
        self._end = perf_counter() + seconds
        for length in range(depth + 1):
            self.depth = max(self.depth, length)
            for word in level:
                self._visit(word)
            if length == 1 and ordered:
                self._give_up()
            if not self._open or length == depth:
                return
            level = self._next_level(level, letters, order)

    def _next_level(
        self,
        level: list[Word],
        letters: tuple[Operation, ...],
        order: dict[Operation, int] | None,
    ) -> list[Word]:
        longer = []
        for word in level:
            for letter in letters:
                if perf_counter() > self._end:
                    self.out_of_time = True
                    return []
                new = extended(word, letter, self.profile)
                if new is None:
                    continue
                self.words += 1
                if self._possible(new, order):
                    longer.append(new)
        return longer

    def _possible(self, word: Word, order: dict[Operation, int] | None) -> bool:
        if self.solver.check(*word.facts) is not Answer.YES:
            return False
        if order is None:
            return True
        needed = in_order(word, self.profile, order)
        return needed is True or self.solver.check(*word.facts, needed) is Answer.YES

    def _give_up(self) -> None:
        """Drop rules that no valid state lets decide; few are left when this is asked."""
        if self.hopeless is None:
            return
        for rule in list(self._open.values()):
            reach, alone = self.hopeless(rule)
            if reach or (alone and rule.id in self.reached):
                del self._open[rule.id]

    def _visit(self, word: Word) -> None:
        """Look at which of the open rules can have a say after a word."""
        by_interface: dict[str, list[Rule]] = {}
        for rule in self._open.values():
            by_interface.setdefault(rule.interface, []).append(rule)
        self.solver.push()
        self.solver.add(*word.facts)
        for interface in self.interfaces:
            rules = by_interface.get(interface.name)
            if rules:
                reading = word.reading(interface, self.profile)
                for rule in rules:
                    if self._decided(rule, word, reading):
                        del self._open[rule.id]
        self.solver.pop()

    def _decided(self, rule: Rule, word: Word, reading: Reading) -> bool:
        """Note whether the rule has a say here, and tell whether nothing better can come."""
        start = perf_counter()
        goal = goal_of(rule, reading)
        if rule.id not in self.alone and self.solver.check(goal.alone) is Answer.YES:
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
