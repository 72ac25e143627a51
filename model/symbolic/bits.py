"""Bits of numbers, for a solver that knows numbers only.

Numbers as vectors of 64 bits cost z3 seconds where a question needs them, and most questions get
by without. So the solver takes the bits that two numbers share for an unknown function with a few
bounds. Where its answer rests on a wrong value it is told what holds of that value, and asked
again. There is an end to it: a bit that was spoken of is right from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from halcert.model.symbolic.algebra import both, equal, implies, less, modulo, negation, quotient
from halcert.model.symbolic.algebra import same_truth as same
from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.term import (
    Bool,
    BoolLike,
    Int,
    IntLike,
    Term,
    terms_in,
    when_forgetting,
)

OP = "bits"
"""The operation of terms that stand for the bits that two numbers share."""
Values = Callable[[Iterable[Term]], dict[Term, int | bool]]


class Spoken:
    """Which terms speak of shared bits, learned while terms are built up from their operands."""

    def __init__(self) -> None:
        """Start with none."""
        self._found: dict[Term, tuple[Int, ...]] = {}

    def note(self, term: Term) -> None:
        """Learn of a term whose operands are known."""
        own = [each for arg in term.args if isinstance(arg, Term) for each in self.by(arg)]
        if isinstance(term, Int) and term.op == OP:
            own.append(term)
        if own:
            self._found[term] = tuple(dict.fromkeys(own))

    def by(self, term: Term) -> tuple[Int, ...]:
        """Return the shared bits that a term speaks of."""
        return self._found.get(term, ())


class _Level(NamedTuple):
    """What was asserted on one level: shared bits, and the conditions that speak of them."""

    terms: dict[Int, None]
    conditions: list[Bool]


class SharedBits:
    """The shared bits that a solver was asked about, level by level."""

    def __init__(self) -> None:
        """Start with none."""
        self._levels = [_Level({}, [])]

    def push(self) -> None:
        """Open a level."""
        self._levels.append(_Level({}, []))

    def pop(self) -> None:
        """Drop what the last level spoke of."""
        self._levels.pop()

    def first_met(self, condition: Bool, terms: Iterable[Int]) -> Iterator[Int]:
        """Iterate over the shared bits in a condition that nothing asserted before speaks of."""
        spoken = tuple(terms)
        if spoken:
            self._levels[-1].conditions.append(condition)
        for term in spoken:
            if not any(term in level.terms for level in self._levels):
                self._levels[-1].terms[term] = None
                yield term

    def lessons(self, values: Values) -> list[BoolLike]:
        """Return what a model gets wrong: what holds of its numbers, and of one bit of them.

        What it gets wrong may not matter to the conditions; then there is nothing to learn.

        Args:
            values: gives the values that terms have in the model.
        """
        known = [term for level in self._levels for term in level.terms]
        if not known or self._hold(values):
            return []
        told = values({each for term in known for each in (term, *term.args) if _unknown(each)})
        return [lesson for term in known for lesson in _lessons(term, told)]

    def _hold(self, values: Values) -> bool:
        """Tell whether the conditions hold of the numbers of a model, with the bits they have."""
        conditions = [each for level in self._levels for each in level.conditions]
        leaves = {leaf for each in conditions for leaf in _leaves_of(each)}
        evaluated = Evaluator(values(leaves))
        try:
            return all(evaluated(each) for each in conditions)
        except KeyError:  # an unknown function is in them
            return False


@cache
def _leaves_of(condition: Bool) -> tuple[Term, ...]:
    return tuple(each for each in terms_in(condition) if each.op in ("int", "bool"))


when_forgetting(_leaves_of.cache_clear)


def bounds(term: Int) -> BoolLike:
    """Return what holds of shared bits at once: no more of them than of either number."""
    return both(*(implies(_natural(each), _at_most(term, each)) for each in term.args))


def _natural(number: IntLike) -> BoolLike:
    return negation(less(number, 0))


def _at_most(term: Int, number: IntLike) -> BoolLike:
    return both(_natural(term), negation(less(number, term)))


def _unknown(value: IntLike) -> bool:
    return isinstance(value, Int)


def _lessons(term: Int, told: dict[Term, int | bool]) -> Iterator[BoolLike]:
    left, right = term.args
    one, other = (int(told.get(each, each)) for each in (left, right))
    wrong = int(told[term]) ^ (one & other)
    if wrong:
        yield implies(both(equal(left, one), equal(right, other)), equal(term, one & other))
        place = (wrong & -wrong).bit_length() - 1
        yield same(_has(term, place), both(_has(left, place), _has(right, place)))


def _has(number: IntLike, place: int) -> BoolLike:
    """Return whether a number has a bit."""
    return equal(modulo(quotient(number, 1 << place), 2), 1)
