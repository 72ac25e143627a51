"""What witnesses that are written down settle of an interface, so that no search is needed."""

from __future__ import annotations

from collections.abc import Collection
from time import perf_counter
from typing import NamedTuple

from halcert.model.proofs.content import content_of
from halcert.model.proofs.goals import goal_of
from halcert.model.proofs.pleasant import Instance
from halcert.model.proofs.records import NOT_SHADOWED, PROVED, REACHABLE, Record
from halcert.model.proofs.specimens import ALONE, Page, Specimen
from halcert.model.proofs.stage import Stage
from halcert.model.proofs.witness import Witness
from halcert.spec.language import Interface, Kind, Rule
from halcert.spec.profiles import Profile


class Told(NamedTuple):
    """What is known of an interface.

    Attributes:
        records: the two obligations of each rule that witnesses settle, by its id.
        witnesses: the witnesses.
    """

    records: dict[str, tuple[Record, ...]]
    witnesses: tuple[Witness, ...]


def told_by(page: Page, interface: Interface, stage: Stage, wanted: Collection[str]) -> Told | None:
    """Return what a page says of an interface, if it is of today's rules and all of it is so.

    Args:
        page: what is written down.
        interface: the interface.
        stage: carries the calls out.
        wanted: ids of the rules that are asked about.
    """
    if page.content != content_of(interface):
        return None
    rules = {rule.id: rule for rule in interface.rules if rule.id in wanted}
    witnesses: list[Witness] = []
    shown: dict[str, set[str]] = {}
    seconds: dict[str, float] = {}
    for each in page.specimens:
        if each.rule not in rules:
            continue
        start = perf_counter()
        shows = _shown(each, rules[each.rule], stage)
        if shows is None:
            return None
        instance, kinds = shows
        if each.note != ALONE:
            witnesses.append(_witness(each, instance, kinds, stage.profile))
        if each.note in ("", ALONE):
            shown.setdefault(each.rule, set()).update(kinds)
            seconds[each.rule] = seconds.get(each.rule, 0.0) + perf_counter() - start
    records = {
        rule_id: _records(rule_id, interface.area, stage.profile, seconds[rule_id])
        for rule_id, kinds in shown.items()
        if kinds >= {REACHABLE, NOT_SHADOWED}
    }
    return Told(records, tuple(witnesses))


def _shown(specimen: Specimen, rule: Rule, stage: Stage) -> tuple[Instance, frozenset[str]] | None:
    """Return a witness and the obligations that it shows, or None if it is none any more."""
    try:
        instance = stage.instance(specimen.calls)
        if instance is None or instance.objection:
            return None
        if specimen.note not in ("", ALONE):
            return instance, frozenset()
        goal = goal_of(rule, instance.reading)
        alone, reached = (bool(instance.value(each)) for each in (goal.alone, goal.reach))
    except KeyError:  # rests on something that is not known of the state
        return None
    if rule.kind is not Kind.ENSURES and alone:
        return instance, frozenset((REACHABLE, NOT_SHADOWED))
    if specimen.note == ALONE:
        return (instance, frozenset((NOT_SHADOWED,))) if alone else None
    return (instance, frozenset((REACHABLE,))) if reached else None


def _witness(
    specimen: Specimen, instance: Instance, kinds: frozenset[str], profile: Profile
) -> Witness:
    kind = "boundary" if specimen.note else "rule"
    alone = NOT_SHADOWED in kinds
    return Witness(specimen.rule, profile.name, kind, instance.steps, specimen.note, alone)


def _records(rule_id: str, area: str, profile: Profile, seconds: float) -> tuple[Record, ...]:
    return tuple(
        Record(kind, rule_id, area, profile.generation, PROVED, round(seconds, 4))
        for kind in (REACHABLE, NOT_SHADOWED)
    )
