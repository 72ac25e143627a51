"""The pieces of work that a proof run consists of; each runs in a process of its own choosing."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import msgspec

from halcert.model.proofs.agreement import SAMPLES, Comparison
from halcert.model.proofs.boundary import Boundaries
from halcert.model.proofs.checks import Checks
from halcert.model.proofs.influence import Influence
from halcert.model.proofs.pleasant import instance_of
from halcert.model.proofs.records import (
    AGREEMENT,
    NOT_SHADOWED,
    PROVED,
    REACHABLE,
    REFUTED,
    THEOREM,
    UNSETTLED,
    Findings,
    Record,
)
from halcert.model.proofs.search import DEPTH, DEPTH_BEGUN, SECONDS, Reached, Search
from halcert.model.proofs.situation import ROWS, Situation
from halcert.model.proofs.statements import Statements, start_records
from halcert.model.proofs.witness import REJECTED, Witness
from halcert.model.symbolic.solver import Solver
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.catalogue import rule as catalogued
from halcert.spec.language import Area, Interface, Invariant, Kind, Rule
from halcert.spec.profiles import PROFILES, Profile
from halcert.spec.universal import REFUSAL_HAS_NO_EFFECT

SEARCH = "search"
INTERFACE = "interface"
THEOREMS = "theorems"
NUMERIC = (Kind.REJECTS, Kind.MAY_REJECT)


class Task(msgspec.Struct, frozen=True):
    """A piece of work.

    Attributes:
        kind: search, interface or theorems.
        profile: name of the product.
        areas: names of the areas that are proved.
        subject: name of the interface; empty for the others.
        rows: how many rows each table has at most.
        seed: seed of the samples.
        only: id of the one rule that is asked about; empty for all.
        second: a second solver checks the proofs.
    """

    kind: str
    profile: str
    areas: tuple[str, ...]
    subject: str = ""
    rows: int = ROWS
    seed: int = 0
    only: str = ""
    second: bool = False


def invariants() -> tuple[Invariant, ...]:
    """Return the invariants of all areas: they say together which states are valid."""
    return tuple(each for area in AREAS.values() for each in area.invariants)


def carry_out(task: Task) -> Findings:
    """Do a piece of work."""
    return _KINDS[task.kind](task)


def _search(task: Task) -> Findings:
    """Search for all areas of one process together, and for each of several by itself."""
    alone = tuple(name for name in task.areas if AREAS[name].processes == 1)
    groups = [alone] if alone else []
    groups += [(name,) for name in task.areas if name not in alone]
    found = [_search_areas(msgspec.structs.replace(task, areas=group)) for group in groups]
    return Findings(
        tuple(record for each in found for record in each.records),
        tuple(witness for each in found for witness in each.witnesses),
    )


def _search_areas(task: Task) -> Findings:
    profile = PROFILES[task.profile]
    chosen = tuple(interfaces(task.areas).values())
    wanted = [
        rule
        for interface in chosen
        for rule in interface.rules
        if rule.applies_to(profile.name) and task.only in ("", rule.id)
    ]
    spoken = [n for n in AREAS if n in task.areas or AREAS[n].processes == 1]
    letters = tuple(interfaces(spoken).values())
    influence = Influence(letters, profile, invariants(), task.rows)
    area = AREAS[task.areas[0]]
    search = Search(profile, letters, influence, area.processes)
    search.run(wanted, DEPTH_BEGUN if area.beginnings else DEPTH, SECONDS)
    for beginning in area.beginnings:
        if not all(_applies(rule_id, profile) for _, rule_id in beginning):
            continue
        search.begin(beginning)
        search.run(search.unsettled(wanted), DEPTH_BEGUN, SECONDS)
    outcome = _Outcome(search, profile)
    records = [each for rule in wanted for each in outcome.records(rule)]
    witnesses = outcome.witnesses(wanted)
    if not task.only:
        records += outcome.rehearsed(task.areas, witnesses)
    return Findings(tuple(records), tuple(witnesses))


def _applies(rule_id: str, profile: Profile) -> bool:
    found = catalogued(rule_id)
    return found is not None and found.applies_to(profile.name)


class _Outcome:
    """Turns what a search found into records and witnesses."""

    def __init__(self, search: Search, profile: Profile) -> None:
        self.search = search
        self.profile = profile
        self.solver = Solver()
        self.objections: list[str] = []

    def records(self, rule: Rule) -> tuple[Record, ...]:
        return self._reachable(rule), self._not_shadowed(rule)

    def _reachable(self, rule: Rule) -> Record:
        found = self.search.reached.get(rule.id)
        if found is not None:
            return self._record(REACHABLE, rule, PROVED, "", found.seconds)
        if rule.id in self.search.impossible:
            return self._record(REACHABLE, rule, *self._impossible(rule))
        return self._record(REACHABLE, rule, UNSETTLED, self._not_found("has a say"))

    def _impossible(self, rule: Rule) -> tuple[str, str]:
        """Tell rules that nothing triggers from those that need more rows than are looked at."""
        if self.search.influence.crowd_prospects(rule):
            return PROVED, "only with more rows than a witness can hold; no witness is kept"
        return REFUTED, "in no valid state does any call let the rule have a say"

    def _not_shadowed(self, rule: Rule) -> Record:
        found = self.search.alone.get(rule.id)
        if found is not None:
            return self._record(NOT_SHADOWED, rule, PROVED, "", found.seconds)
        if rule.id in self.search.unshadowed:
            return self._record(NOT_SHADOWED, rule, PROVED)
        if rule.id in self.search.shadowed:
            if self.search.influence.crowd_prospects(rule):
                return self._record(NOT_SHADOWED, rule, PROVED, "with more rows than looked at")
            note = self.search.influence.shadow_of(rule)
            return self._record(NOT_SHADOWED, rule, REFUTED, note)
        return self._record(NOT_SHADOWED, rule, UNSETTLED, self._not_found("decides alone"))

    def _not_found(self, what: str) -> str:
        ended = "when the time was up" if self.search.out_of_time else "then"
        return (
            f"no sequence of up to {self.search.depth} calls was found after which the rule "
            f"{what}; {self.search.words} sequences had been tried {ended}. Some valid state "
            f"lets it, so either the search is too short or an invariant is missing"
        )

    def _record(
        self, kind: str, rule: Rule, status: str, note: str = "", seconds: float = 0.0
    ) -> Record:
        area = next(a.name for a in AREAS.values() if rule in tuple(a.rules()))
        return Record(kind, rule.id, area, self.profile.generation, status, round(seconds, 4), note)

    def witnesses(self, wanted: list[Rule]) -> list[Witness]:
        """Return the witness of every rule that was reached, then the boundaries."""
        found = [each for rule in wanted if (each := self._best(rule)) is not None]
        whole = [witness for each in found if (witness := self._witness(each)) is not None]
        boundaries = Boundaries(self.solver, self.profile)
        for each in found:
            if each.rule.kind in NUMERIC:
                accepting = [
                    other
                    for other in found
                    if other.rule.kind is Kind.ACCEPTS
                    and other.rule.interface == each.rule.interface
                ]
                accepting.sort(key=lambda other: len(other.word.steps))
                whole += boundaries.of_rule(each, accepting[-1:])
            elif each.rule.kind is Kind.ACCEPTS:
                whole += boundaries.of_top(each)
        self.objections += boundaries.objections
        return whole

    def rehearsed(self, areas: tuple[str, ...], witnesses: list[Witness]) -> Iterator[Record]:
        """Settle what follows from rehearsing the witnesses with the oracle.

        That a refusal changes nothing is so by construction, symbolically: rules have no way to
        say what state a refused call leaves. Concretely the rehearsals show it.
        """
        status = REFUTED if self.objections else PROVED
        note = "\n".join(self.objections[:3])
        for name in areas:
            generation = self.profile.generation
            yield Record(AGREEMENT, f"witnesses of {name}", name, generation, status, 0.0, note)
            for rule in AREAS[name].universal:
                if rule is REFUSAL_HAS_NO_EFFECT:
                    refused = sum(w.steps[-1].expected.verdict == REJECTED for w in witnesses)
                    text = note or f"by construction, and shown by {refused} refused witnesses"
                    yield Record(THEOREM, rule.id, name, generation, status, 0.0, text)

    def _best(self, rule: Rule) -> Reached | None:
        if rule.kind is not Kind.ENSURES and rule.id in self.search.alone:
            return self.search.alone[rule.id]
        return self.search.reached.get(rule.id)

    def _witness(self, found: Reached) -> Witness | None:
        self.solver.push()
        self.solver.add(*found.word.facts)
        made = instance_of(self.solver, found.word, found.reading, found.condition)
        self.solver.pop()
        if made is None:
            return None
        if made.objection:
            self.objections.append(f"{found.rule.id}: {made.objection}")
        return Witness(found.rule.id, self.profile.name, "rule", made.steps, "", found.alone)


def _interface(task: Task) -> Findings:
    profile = PROFILES[task.profile]
    interface: Interface = interfaces()[task.subject]
    situation = Situation(interface, profile, invariants(), task.rows, second=task.second)
    records = list(Checks(situation).run())
    comparison = Comparison(interface, profile, invariants(), task.seed)
    records.append(comparison.record(SAMPLES))
    return Findings(tuple(records))


def _theorems(task: Task) -> Findings:
    profile = PROFILES[task.profile]
    records: list[Record] = []
    for name in task.areas:
        area: Area = AREAS[name]
        start = perf_counter()
        records += start_records(area, profile, start)
        statements = Statements(area, profile, invariants(), task.rows, second=task.second)
        records += statements.records()
    return Findings(tuple(records))


_KINDS = {SEARCH: _search, INTERFACE: _interface, THEOREMS: _theorems}
