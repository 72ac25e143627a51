"""One value out of two: whatever an effect can make, chosen by a condition."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from halcert.model.concrete.world import View
from halcert.model.symbolic.algebra import choose, less
from halcert.model.symbolic.paths import assume, merged
from halcert.model.symbolic.row import SymbolicRow, joined_rows
from halcert.model.symbolic.term import BoolLike, Int
from halcert.spec.language import Row

MOST_ROUNDS = 2
"""How often a step is repeated when the number of rounds is not known."""


def joined(condition: BoolLike, yes: Any, no: Any) -> Any:
    """Return ``yes`` where the condition is true, and ``no`` elsewhere.

    What both have in common stays the same object, so that the frame of an effect can be read
    off the tables that are not.
    """
    if yes is no or condition is True:
        return yes
    if condition is False:
        return no
    if isinstance(yes, View):
        names = yes.__struct_fields__
        return View(*(joined(condition, getattr(yes, n), getattr(no, n)) for n in names))
    if hasattr(yes, "joined"):
        return yes.joined(condition, no)
    if isinstance(yes, (SymbolicRow, Row)):
        return joined_rows(condition, yes, no)
    if isinstance(yes, tuple):
        parts = [joined(condition, a, b) for a, b in zip(yes, no, strict=True)]
        return type(yes)(*parts) if hasattr(yes, "_fields") else tuple(parts)
    return choose(condition, yes, no)


def unrolled(rounds: Int, step: Callable[[Any, int], Any], start: Any) -> Any:
    """Return ``start`` after the step was repeated, assuming that it is a few times at most."""
    assume(less(rounds, MOST_ROUNDS + 1))
    for number in range(MOST_ROUNDS):
        now = start
        after = merged(partial(step, now, number), joined)
        start = joined(less(number, rounds), after, now)
    return start
