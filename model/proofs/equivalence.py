"""Whether a changed interface says the same as the right one, of every call in every valid state.

Two interfaces say the same if they leave the same calls open, refuse the same ones with the same
codes, allow the same results, and leave the same state behind. A change that makes no such
difference is none that anything could notice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from halcert.model.proofs.filled import filled_at
from halcert.model.proofs.situation import ROWS, Situation
from halcert.model.symbolic.algebra import both, either, equal, negation
from halcert.model.symbolic.reading import Accepted, Reading
from halcert.model.symbolic.solver import Answer
from halcert.model.symbolic.state import changed_tables, differs
from halcert.model.symbolic.term import BoolLike, integer
from halcert.spec.catalogue import AREAS
from halcert.spec.language import Interface, Kind
from halcert.spec.profiles import Profile

STEPS = 20_000_000
"""Work that the question may take, as the solver counts it."""


class Verdict(NamedTuple):
    """What was found out.

    Attributes:
        same: the two say the same, and the solver has shown it.
        example: a state and a call of which they do not, if one was found.
    """

    same: bool
    example: str = ""


def compared(right: Interface, wrong: Interface, profile: Profile, rows: int = ROWS) -> Verdict:
    """Look for a call of which two forms of an interface say different things.

    Args:
        right: the interface.
        wrong: the same with changed rules.
        profile: the product.
        rows: how many rows each table has at most.
    """
    filled = filled_at(right, profile)
    known = tuple(each for area in AREAS.values() for each in area.invariants)
    situation = Situation(right, profile, known, rows, filled, steps=STEPS)
    reading = situation.reading
    other = Reading(wrong, profile, reading.view, reading.call, reading.result)
    answer, example = situation.refutes(negation(told_apart(reading, other)))
    return Verdict(answer is Answer.NO, example if answer is Answer.YES else "")


def told_apart(right: Reading, wrong: Reading) -> BoolLike:
    """Return whether two readings of one call say different things of it."""
    closed = both(negation(right.undefined), negation(wrong.undefined))
    differences = (
        *_refusals(right, wrong),
        *_results(right, wrong),
        *_extents(right, wrong),
        *_effects(right, wrong),
    )
    return both(
        right.call.bounds,
        either(_unlike(right.undefined, wrong.undefined), both(closed, either(*differences))),
    )


def _unlike(one: BoolLike, other: BoolLike) -> BoolLike:
    return either(both(one, negation(other)), both(other, negation(one)))


def _refusals(right: Reading, wrong: Reading) -> Iterator[BoolLike]:
    """Whether the call must fail, whether it may, and with which codes."""
    yield _unlike(right.refused, wrong.refused)
    yield _unlike(_may_fail(right), _may_fail(wrong))
    codes = {code for r in (right, wrong) for h in (*r.rejects, *r.may) for code in h.rule.codes}
    for code in (None, *sorted(codes)):
        yield _unlike(_named(right, code), _named(wrong, code))


def _may_fail(reading: Reading) -> BoolLike:
    return either(reading.refused, *(held.holds for held in reading.may))


def _named(reading: Reading, code: int | None) -> BoolLike:
    """Tell whether some rule that holds names a code; None for rules that name none."""
    held = (*reading.rejects, *reading.may)
    return either(
        *(h.holds for h in held if (code in h.rule.codes if code is not None else not h.rule.codes))
    )


def _results(right: Reading, wrong: Reading) -> Iterator[BoolLike]:
    """Whether the result is one that a success, or a failure, may have."""
    fails = negation(equal(right.result.value.code, 0))
    yield both(negation(right.refused), _unlike(right.promised, wrong.promised))
    kept = [both(*(each.kept for each in r.on_failure)) for r in (right, wrong)]
    yield both(fails, _may_fail(right), right.result.bounds, _unlike(*kept))


def _extents(right: Reading, wrong: Reading) -> Iterator[BoolLike]:
    """Whether other bytes have to come."""
    one, other = (
        {rule.id: r.extent(rule) for rule in r.rules(Kind.OBSERVES)} for r in (right, wrong)
    )
    given = both(right.acceptable, right.promised)
    if one.keys() != other.keys():
        yield given
    for rule in one.keys() & other.keys():
        pairs = zip(one[rule], other[rule], strict=True)
        yield both(given, either(*(negation(equal(a, b)) for a, b in pairs)))


def _effects(right: Reading, wrong: Reading) -> Iterator[BoolLike]:
    """Whether another state is left behind, by a call that succeeds or one that fails."""
    succeeds = equal(right.result.value.code, 0)
    accepted = both(succeeds, right.acceptable, right.promised)
    yield from _after(right, right.accepts, wrong.accepts, accepted)
    some = (either(*(each.applies for each in r.accepts)) for r in (right, wrong))
    yield both(accepted, _unlike(*some))
    yield from _after(right, right.leaves, wrong.leaves, right.failed)


def _after(
    reading: Reading, right: tuple[Accepted, ...], wrong: tuple[Accepted, ...], given: BoolLike
) -> Iterator[BoolLike]:
    for when, one in _outcomes(reading.view, right):
        for then, other in _outcomes(reading.view, wrong):
            if one is not other:
                yield both(given, when, then, _different(one, other))


def _outcomes(before: Any, outcomes: tuple[Accepted, ...]) -> Iterator[tuple[BoolLike, Any]]:
    """Iterate over the states after a call and when each of them is it: the first that applies."""
    none: BoolLike = True
    for each in outcomes:
        yield both(none, each.applies, each.scope), each.after
        none = both(none, negation(each.applies))
    yield none, before


def _different(one: Any, other: Any) -> BoolLike:
    """Tell whether two states have different rows, or a different byte somewhere."""
    memory, offset = integer("any memory"), integer("any offset")
    parts = []
    for name in changed_tables(one, other):
        if name == "contents":
            first, second = one.contents, other.contents
            parts.append(negation(equal(first.byte(memory, offset), second.byte(memory, offset))))
            parts.append(negation(equal(first.fresh(), second.fresh())))
        else:
            parts.append(differs(getattr(one, name), getattr(other, name)))
    return either(*parts)
