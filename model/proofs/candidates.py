"""Which words can be the first after which a rule has a say.

Such a word has no call to spare: each writes something that a later call uses or that the rule
asks for, for otherwise it could be left out. And it brings about what the rule must have: a
condition that wants an open device is false until some call has opened one. Both are read off
the columns of :mod:`halcert.model.proofs.influence`, so that words which lead elsewhere are not
even begun.
"""

from __future__ import annotations

from collections.abc import Iterable

from halcert.model.proofs.columns import LIVE, Columns, marked
from halcert.model.proofs.influence import Effect, Influence
from halcert.model.proofs.words import Operation, Word
from halcert.spec.language import Rule

Name = tuple[Operation, ...]


class Candidates:
    """Tells which beginnings of words are promising.

    Attributes:
        influence: what rules want and calls do.
        letters: what the words are made of, in the order in which independent calls are made.
        ordered: of independent calls beside each other only one order is looked at.
    """

    def __init__(
        self,
        influence: Influence,
        letters: Iterable[Operation],
        start: Word,
        *,
        ordered: bool,
        growing: bool,
    ) -> None:
        """Take the letters.

        Args:
            influence: what rules want and calls do.
            letters: what the words are made of.
            start: the word that all words begin with.
            ordered: of independent calls beside each other only one order is looked at.
            growing: that a row goes away counts as no reason to make a call.
        """
        self.influence = influence
        self.letters = tuple(letters)
        self.ordered = ordered
        self.order = {letter: place for place, letter in enumerate(self.letters)}
        self._whole = {each: influence.effect(each) for each in self.letters}
        self._effects = {e: _seen(effect, growing) for e, effect in self._whole.items()}
        self._marks: dict[Name, Columns] = {
            (): frozenset().union(*(marked(view) for view in start.views))
        }
        self._idle: dict[Name, tuple[Columns, ...]] = {(): ()}
        self._wanted: dict[tuple[Columns, int], Columns] = {}
        self._nexts: dict[Columns, Columns] = {}
        self._swappable: dict[tuple[Operation, Operation], bool] = {}

    def possible(self, name: Name) -> bool:
        """Tell whether the last call may come after the others, as far as columns tell."""
        *before, last = name
        if not self.influence.can_come(last, self.marks(name[:-1])):
            return False
        return not (self.ordered and before and self._out_of_order(before[-1], last))

    def promising(self, name: Name, rule: Rule, left: int) -> bool:
        """Tell whether a word can matter for a rule when some more calls are made after it."""
        wanted = self._wanted_before(self.influence.asks(rule), left)
        if any(writes.isdisjoint(wanted) for writes in self._idle_in(name)):
            return False
        marks = self.marks(name)
        for _ in range(left):
            marks = self._next(marks)
        return self.influence.can_decide(rule, marks)

    def marks(self, name: Name) -> Columns:
        """Return the columns that some row may have true after a word."""
        if name not in self._marks:
            self._marks[name] = self.marks(name[:-1]) | _rising(self._effects[name[-1]])
        return self._marks[name]

    def _next(self, marks: Columns) -> Columns:
        """Return the columns that some row may have true one call later."""
        if marks not in self._nexts:
            calls = [each for each in self.letters if self.influence.can_come(each, marks)]
            self._nexts[marks] = marks.union(*(_rising(self._effects[each]) for each in calls))
        return self._nexts[marks]

    def _idle_in(self, name: Name) -> tuple[Columns, ...]:
        """Return what those calls of a word write that no later call of it uses."""
        if name not in self._idle:
            last = self._effects[name[-1]]
            rest = (each for each in self._idle_in(name[:-1]) if each.isdisjoint(last.uses))
            self._idle[name] = (*dict.fromkeys(rest), last.writes)
        return self._idle[name]

    def _wanted_before(self, asks: Columns, left: int) -> Columns:
        """Return the columns that matter when some calls are still to be made before a rule."""
        if left == 0:
            return asks
        if (asks, left) not in self._wanted:
            later = self._wanted_before(asks, left - 1)
            uses = (e.uses for e in self._effects.values() if not e.writes.isdisjoint(later))
            self._wanted[asks, left] = later.union(*uses)
        return self._wanted[asks, left]

    def _out_of_order(self, first: Operation, second: Operation) -> bool:
        """Tell whether two calls could as well be made the other way round, and should be."""
        if self.order[second] >= self.order[first]:
            return False
        if (first, second) not in self._swappable:
            one, other = self._whole[first], self._whole[second]
            self._swappable[first, second] = one.writes.isdisjoint(
                other.uses | other.writes
            ) and other.writes.isdisjoint(one.uses)
        return self._swappable[first, second]


def _rising(effect: Effect) -> Columns:
    return frozenset(each for each in effect.writes if each.rises)


def _seen(effect: Effect, growing: bool) -> Effect:
    if not growing:
        return effect
    kept = frozenset(each for each in effect.writes if each.rises or each.name != LIVE)
    return effect._replace(writes=kept)
