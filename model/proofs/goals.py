"""Goals: what makes a rule decide a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from halcert.model.symbolic.algebra import both, either, negation
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.term import BoolLike
from halcert.spec.language import SUCCESS, Kind, Rule, Strength

RANK = {Strength.MUST: 3, Strength.SHOULD: 2, Strength.MAY: 1, Strength.UNDEFINED: 0}


class Goal(NamedTuple):
    """What a word has to make possible for a rule.

    Attributes:
        reach: the rule has a say.
        alone: the rule alone decides; the same as ``reach`` where rules of a kind do not compete.
    """

    reach: BoolLike
    alone: BoolLike


def needed_by(rule: Rule, reading: Reading) -> BoolLike:
    """Return what a goal cannot do without: little, and quickly worked out."""
    if rule.kind in (Kind.REJECTS, Kind.MAY_REJECT, Kind.UNDEFINED):
        return both(reading.call.bounds, reading.holds(rule))
    if rule.kind in (Kind.ACCEPTS, Kind.LEAVES, Kind.ENSURES):
        return both(reading.call.bounds, reading.when(rule))
    return reading.call.bounds


def goal_of(rule: Rule, reading: Reading) -> Goal:
    """Return the goal of a rule at a call."""
    return _GOALS[rule.kind](rule, reading)


def _rejects(rule: Rule, reading: Reading) -> Goal:
    """A rule with codes is alone if no other one names codes; a rule without, if none holds."""
    reach = both(reading.executable, reading.holds(rule))
    rivals = [
        held.holds
        for held in reading.rejects
        if held.rule.id != rule.id and (held.rule.codes or not rule.codes)
    ]
    return Goal(reach, both(reach, negation(either(*rivals))))


def _may(rule: Rule, reading: Reading) -> Goal:
    reach = both(reading.executable, reading.holds(rule), negation(reading.refused))
    return Goal(reach, reach)


def _undefined(rule: Rule, reading: Reading) -> Goal:
    reach = both(reading.call.bounds, negation(reading.argument_refused), reading.holds(rule))
    others = [h.holds for h in reading.undefined_rules if h.rule.id != rule.id]
    return Goal(reach, both(reach, negation(reading.refused), negation(either(*others))))


def _accepts(rule: Rule, reading: Reading) -> Goal:
    reach = both(reading.acceptable, reading.when(rule), reading.promised)
    return Goal(reach, reach)


def _leaves(rule: Rule, reading: Reading) -> Goal:
    reach = both(reading.failed, reading.when(rule))
    return Goal(reach, reach)


def _ensures(rule: Rule, reading: Reading) -> Goal:
    """A post-condition decides alone if some result breaks it and keeps all the others.

    Weaker rules are no others: a promise may well be implied by what is only observed.
    """
    success = rule.on == SUCCESS
    ensured = reading.on_success if success else reading.on_failure
    mine = next(each for each in ensured if each.rule.id == rule.id)
    rivals = [e for e in ensured if e.rule.id != rule.id]
    others = [e.kept for e in rivals if RANK[e.rule.strength] >= RANK[rule.strength]]
    if success:
        situation = reading.acceptable
    else:
        may = either(*(held.holds for held in reading.may))
        situation = both(reading.executable, either(reading.refused, may))
    start = both(situation, reading.result.bounds, mine.applies)
    everything = both(start, mine.holds, *(each.kept for each in rivals))
    return Goal(everything, both(start, *others, negation(mine.holds)))


def _observes(_rule: Rule, reading: Reading) -> Goal:
    reach = both(reading.acceptable, reading.promised)
    return Goal(reach, reach)


_GOALS: dict[Kind, Callable[[Rule, Reading], Goal]] = {
    Kind.REJECTS: _rejects,
    Kind.MAY_REJECT: _may,
    Kind.UNDEFINED: _undefined,
    Kind.ACCEPTS: _accepts,
    Kind.LEAVES: _leaves,
    Kind.ENSURES: _ensures,
    Kind.OBSERVES: _observes,
}
