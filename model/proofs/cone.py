"""Cones of influence: which tables a question speaks of, and what is assumed of them.

A question is asked about any valid state, but hardly any speaks of all tables. So of the invariants
only those are assumed at first that speak of nothing but tables of the question itself; of other
tables the solver does not even get to know the names. That is sound:

- What follows from some invariants follows from all of them, so a proof from a few is a proof.
- An invariant over tables that a call leaves alone holds after it because it held before; there
  is nothing to prove of it.
- What does not follow from a few invariants is asked again with those as well that speak of
  tables beside them, and then with all, so a counterexample is always one in a valid state.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from halcert.model.proofs.columns import column_of
from halcert.model.symbolic.algebra import both
from halcert.model.symbolic.paths import merged
from halcert.model.symbolic.state import TABLES, any_state, named, ordered
from halcert.model.symbolic.term import BoolLike, Term, when_forgetting
from halcert.spec.language import Invariant

CONTENTS = "contents"
"""What invariants call the contents; every state has some, so all questions may speak of them."""
Cone = frozenset[str]
"""Names of tables."""
WHOLE: Cone = frozenset(TABLES)

_bits = {name: 1 << place for place, name in enumerate(TABLES)}
_spoken: dict[Term, int] = {}


def cone_of(*values: object) -> Cone:
    """Return the tables of the state before a call that terms speak of."""
    found = 0
    for value in values:
        if isinstance(value, Term):
            found |= _tables(value)
    return frozenset(name for name, bit in _bits.items() if found & bit)


def _tables(root: Term) -> int:
    """Return the tables that a term speaks of as a set of bits; without recursion."""
    stack = [root]
    while stack:
        term = stack[-1]
        if term in _spoken:
            stack.pop()
            continue
        parts = [each for each in term.args if isinstance(each, Term)]
        waiting = [each for each in parts if each not in _spoken]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        column = column_of(term)
        found = 0 if column is None else _bits[column[0]]
        for each in parts:
            found |= _spoken[each]
        _spoken[term] = found
    return _spoken[root]


def invariant_holds(invariant: Invariant, view: Any) -> BoolLike:
    """Return whether an invariant holds in a state."""
    found: BoolLike = merged(lambda: invariant.holds(view))
    return found


def within(invariants: Iterable[Invariant], cone: Cone) -> tuple[Invariant, ...]:
    """Return the invariants that speak of nothing but these tables."""
    return tuple(each for each in invariants if set(each.reads) <= {*cone, CONTENTS})


def grown(cone: Cone, invariants: Iterable[Invariant], filled: Cone) -> Cone:
    """Return tables with those that an invariant speaks of beside one of them."""
    found = set(cone)
    for each in invariants:
        if not cone.isdisjoint(each.reads):
            found.update(each.reads)
    return filled & found


class Ground:
    """Any state with at most so many rows in each table, and what makes it valid.

    Attributes:
        view: the state.
        filled: the tables that may have rows; all others are empty.
    """

    def __init__(self, rows: int, filled: Cone = WHOLE) -> None:
        """Name the rows of the tables; they are terms only, and cost nothing until asked for."""
        self.view = any_state("before", rows, filled)
        self.filled = filled
        self._holds: dict[Invariant, BoolLike] = {}

    def valid(self, invariants: Iterable[Invariant], cone: Cone) -> BoolLike:
        """Return whether tables are tables and the invariants of a cone hold.

        A table is a set of rows, so it is enough to look at the one order in which they come by
        their keys.
        """
        known = cone | (WHOLE - self.filled)
        return both(
            ordered(self.view, cone),
            named(self.view),
            *(self._held(each) for each in within(invariants, known)),
        )

    def _held(self, invariant: Invariant) -> BoolLike:
        if invariant not in self._holds:
            self._holds[invariant] = invariant_holds(invariant, self.view)
        return self._holds[invariant]


_grounds: dict[tuple[int, Cone], Ground] = {}


def ground(rows: int, filled: Cone = WHOLE) -> Ground:
    """Return any state with at most so many rows in each table that may have some."""
    if (rows, filled) not in _grounds:
        _grounds[rows, filled] = Ground(rows, filled)
    return _grounds[rows, filled]


@when_forgetting
def _forget() -> None:
    _grounds.clear()
    _spoken.clear()
