"""The search for the shortest words that make rules decide; one search serves all rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import perf_counter, process_time
from typing import NamedTuple

from halcert.model.proofs.candidates import Candidates, Name
from halcert.model.proofs.goals import Goal, goal_of, needed_by
from halcert.model.proofs.influence import Influence
from halcert.model.proofs.trail import Trail
from halcert.model.proofs.wordbook import Noted, Spelling, area_of, steps_of
from halcert.model.proofs.words import (
    LAST,
    Operation,
    Word,
    alphabet,
    begun,
    empty_word,
    extended,
    in_order,
    operations_of,
    shrinks,
)
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.solver import Answer, Solver
from halcert.model.symbolic.term import BoolLike
from halcert.spec.language import Interface, Kind, Rule
from halcert.spec.profiles import Profile

DEPTH = 6
"""Calls before the one that is decided, at most."""
DEPTH_BEGUN = 1
"""The same where there are beginnings from which to search on."""
DEPTH_FIRST = 4
"""The same before words of other areas are looked at, which may lead there in fewer calls."""
DEPTH_ALONE = 4
"""The same where a rule has had a say and the search is for a call that it decides alone."""
DEPTH_EASY = 2
"""The same before it is asked whether the rules that are left can decide in any valid state."""
DEPTH_OF_ALL = 3
"""The same when words that remove rows, and every order of calls, are looked at, too."""
SECONDS = 120.0
"""Of processor time, for one phase of a search; far more than any takes."""
STEPS = 10_000_000
"""Work that a question may take, as the solver counts it."""


class Reached(NamedTuple):
    """Where a rule was reached: the word, the call after it, and the condition that was met."""

    area: str
    rule: Rule
    word: Word
    reading: Reading
    condition: BoolLike
    alone: bool
    seconds: float


@dataclass
class Search:
    """Search over words by increasing length.

    Attributes:
        profile: the product.
        area: name of the area whose words these are.
        interfaces: the interfaces whose calls make up the words.
        influence: what rules read and calls write, and whether rules have prospects at all.
        processes: how many processes make the calls.
        start: the word that all words begin with.
        reached: for each rule id, the first place where it had a say.
        alone: likewise, the first place where it alone decided.
        shadowed: ids of rules that no valid state lets decide alone.
        unshadowed: ids of rules that some valid state lets decide alone.
        impossible: ids of rules that no valid state lets have a say.
        spared: ids of unshadowed rules for which no word is looked for any more.
        words: number of words that were tried.
        depth: length of the longest ones.
        out_of_time: the search ended early.
    """

    profile: Profile
    area: str
    interfaces: tuple[Interface, ...]
    influence: Influence
    processes: int = 1
    start: Word = field(default_factory=empty_word)
    reached: dict[str, Reached] = field(default_factory=dict)
    alone: dict[str, Reached] = field(default_factory=dict)
    shadowed: set[str] = field(default_factory=set)
    unshadowed: set[str] = field(default_factory=set)
    impossible: set[str] = field(default_factory=set)
    spared: set[str] = field(default_factory=set)
    words: int = 0
    depth: int = 0
    out_of_time: bool = False
    trail: Trail = field(default_factory=lambda: Trail(Solver(STEPS)))
    _made: dict[Name, Word | None] = field(default_factory=dict)
    _prospects: dict[str, tuple[Answer, Answer]] = field(default_factory=dict)

    def run(
        self,
        wanted: Iterable[Rule],
        depth: int = DEPTH,
        seconds: float = SECONDS,
        *,
        beyond: int = 0,
        more: bool = False,
    ) -> None:
        """Search until every wanted rule was reached alone, or no longer words are allowed.

        First only words that build something up are looked at, in one order of independent
        calls; what is left then is looked for in all short words, and at last in long ones that
        build up and take away. A single call has no order, and all words of one are few.

        Args:
            wanted: the rules.
            depth: calls before the one that is decided, at most, beside those that are given.
            seconds: processor time of each phase.
            beyond: so long words were looked at before.
            more: the search will begin elsewhere, too, so nothing is given up yet.
        """
        self._open = {rule.id: rule for rule in wanted}
        self._visit(self.start, list(self._open.values()))
        letters = self._letters()
        build = tuple(each for each in letters if not shrinks(each, self.profile))
        lengths = range(beyond + 1, depth + 1)
        few = range(beyond + 1, min(depth, DEPTH_OF_ALL) + 1)
        if depth > 1:
            self._phase(build, lengths, seconds, ordered=True, growing=True)
        self._phase(letters, few, seconds, ordered=False, growing=False)
        if depth > DEPTH_OF_ALL:
            self._phase(build, lengths, seconds, ordered=True, growing=False)
        if not more:
            self._give_up()

    def recall(self, wanted: Iterable[Rule], known: Mapping[str, Noted]) -> None:
        """Look at rules after no call, and after the words that are written down for them."""
        rules: dict[str, Rule] = {}
        words: dict[str, list[Rule]] = {}
        for rule in wanted:
            noted = known.get(rule.id, Noted())
            for text in {noted.reach, noted.alone}:
                if not text or area_of(text) == self.area:
                    words.setdefault(text, []).append(rule)
                    rules[rule.id] = rule
        spelling = Spelling(self.interfaces, self.profile)
        self._open = dict(rules)
        for text in sorted(words):
            word = spelling.word(steps_of(text))
            if word is not None:
                self._visit(word, [rule for rule in words[text] if rule.id in self._open])
        spared = [r for r in rules.values() if r.id in known and known[r.id].spared]
        self.give_up(rule for rule in spared if rule.id not in self.alone)
        self.spared |= self.unshadowed

    def _letters(self) -> tuple[Operation, ...]:
        """Return the operations that change tables which can matter for the open rules.

        Tables matter that rules ask about, and those that calls use which change such tables.
        """
        operations = list(operations_of(self.interfaces, self.profile))
        known: set[str] = set()
        tables = {each.table for r in self._open.values() for each in self.influence.asks(r)}
        letters: tuple[Operation, ...] = ()
        while not tables <= known:
            known |= tables
            feeding = [each for each in operations if known.intersection(each.rule.changes)]
            letters = alphabet(feeding, self.profile, self.processes)
            tables = {each.table for x in letters for each in self.influence.effect(x).uses}
        return letters

    def begin(self, beginning: tuple[tuple[int, str], ...]) -> None:
        """Let all further words begin with the given calls."""
        self.start = begun(beginning, self.interfaces, self.profile)
        self._made = {}

    def adopt(self, other: Search) -> None:
        """Take over what another search found, and what it knows of calls if it knows more."""
        if all(each in other.interfaces for each in self.interfaces):
            self.influence = other.influence
        self.reached.update(other.reached)
        self.alone.update(other.alone)
        self.shadowed |= other.shadowed
        self.unshadowed |= other.unshadowed
        self.impossible |= other.impossible
        self.spared |= other.spared

    def reopen(self, rules: Iterable[Rule]) -> None:
        """Forget what no state lets come about in which only the calls of this search were made."""
        reopened = {rule.id for rule in rules}
        self.shadowed -= reopened
        self.impossible -= reopened
        for each in reopened:
            self._prospects.pop(each, None)

    def unsettled(self, rules: Iterable[Rule]) -> list[Rule]:
        """Return the rules for which there is something left to look for."""
        return [rule for rule in rules if not self.settled(rule)]

    def settled(self, rule: Rule) -> bool:
        """Tell whether nothing is left to look for."""
        decided = any(rule.id in each for each in (self.alone, self.shadowed, self.spared))
        return rule.id in self.impossible or (decided and rule.id in self.reached)

    def _phase(
        self,
        letters: tuple[Operation, ...],
        lengths: range,
        seconds: float,
        *,
        ordered: bool,
        growing: bool,
    ) -> None:
        if not self._open:
            return
        self._candidates = Candidates(
            self.influence, letters, self.start, ordered=ordered, growing=growing
        )
        self._known: dict[Name, Word | None] = {(): self.start}
        self._end = process_time() + seconds
        for length in lengths:
            self.depth = max(self.depth, length)
            if length > DEPTH_EASY:
                self._give_up()
            if length > DEPTH_ALONE:
                self._drop_reached()
            self._grow((), list(self._open.values()), length)

    def _grow(self, name: Name, rules: list[Rule], left: int) -> None:
        """Look at the rules after every promising word that begins like this."""
        word = self._word(name)
        if word is None:
            return
        if left == 0:
            self._visit(word, rules)
            return
        for letter in self._candidates.letters:
            longer = (*name, letter)
            if self._candidates.possible(longer):
                promising = [
                    rule
                    for rule in rules
                    if rule.id in self._open and self._candidates.promising(longer, rule, left - 1)
                ]
                if promising:
                    self._grow(longer, promising, left - 1)

    def _drop_reached(self) -> None:
        """Settle for rules that had a say and could decide alone in some valid state."""
        for rule in list(self._open.values()):
            if rule.id in self.reached and rule.id in self.unshadowed:
                del self._open[rule.id]

    def _word(self, name: Name) -> Word | None:
        if name not in self._known:
            before = self._known[name[:-1]]
            if process_time() > self._end:
                self.out_of_time = True
                return None
            word = None if before is None else self._longer(before, name)
            self._known[name] = word if word is not None and self._possible(word) else None
        return self._known[name]

    def _longer(self, before: Word, name: Name) -> Word | None:
        """Return a word with its last call; phases that look at it again get the same."""
        if name not in self._made:
            self._made[name] = extended(before, name[-1], self.profile)
            self.words += 1
        return self._made[name]

    def _possible(self, word: Word) -> bool:
        needed: BoolLike = True
        if self._candidates.ordered:
            needed = in_order(word, self.profile, self._candidates.order)
        self.trail.go(word)
        return self.trail.check(needed) is Answer.YES

    def give_up(self, rules: Iterable[Rule]) -> None:
        """Settle those of a few rules that no valid state lets decide."""
        self._open = {rule.id: rule for rule in rules}
        self._give_up()

    def _give_up(self) -> None:
        """Drop rules that no valid state lets decide; few are left when this is asked."""
        for rule in list(self._open.values()):
            if rule.id not in self._prospects:
                self._prospects[rule.id] = self.influence.prospects(rule)
            reach, alone = self._prospects[rule.id]
            if alone is Answer.NO:
                self.shadowed.add(rule.id)
            if alone is Answer.YES:
                self.unshadowed.add(rule.id)
            if reach is Answer.NO:
                self.impossible.add(rule.id)
            if reach is Answer.NO or (alone is Answer.NO and rule.id in self.reached):
                del self._open[rule.id]

    def _visit(self, word: Word, rules: list[Rule]) -> None:
        """Look at which of the rules can have a say after a word."""
        by_interface: dict[str, list[Rule]] = {}
        for rule in rules:
            by_interface.setdefault(rule.interface, []).append(rule)
        self.trail.go(word)
        for interface in self.interfaces:
            if interface.name not in by_interface:
                continue
            for process in word.callers(self.processes):
                reading = word.reading(interface, self.profile, LAST, process)
                for rule in by_interface[interface.name]:
                    if rule.id in self._open and self._decided(rule, word, reading):
                        del self._open[rule.id]

    def _decided(self, rule: Rule, word: Word, reading: Reading) -> bool:
        """Note whether the rule has a say here, and tell whether nothing better can come."""
        start = perf_counter()
        if self.trail.check(needed_by(rule, reading)) is Answer.NO:
            return self.settled(rule)
        goal = goal_of(rule, reading)
        if rule.id not in self.alone and self.trail.check(goal.alone) is Answer.YES:
            found = Reached(
                self.area, rule, word, reading, goal.alone, True, perf_counter() - start
            )
            self.alone[rule.id] = found
            if rule.kind is not Kind.ENSURES:
                self.reached.setdefault(rule.id, found)
        if rule.id not in self.reached and self._met(goal):
            self.reached[rule.id] = Reached(
                self.area, rule, word, reading, goal.reach, False, perf_counter() - start
            )
        return self.settled(rule)

    def _met(self, goal: Goal) -> bool:
        return goal.reach is not goal.alone and self.trail.check(goal.reach) is Answer.YES
