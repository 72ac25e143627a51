"""The pieces of work that a proof run consists of; each runs in a process of its own choosing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from time import perf_counter

import msgspec

from halcert.model.proofs.agreement import SAMPLES, Comparison
from halcert.model.proofs.boundary import Boundaries, Boundary, shown_by
from halcert.model.proofs.checks import Checks
from halcert.model.proofs.filled import filled_at
from halcert.model.proofs.influence import Influence
from halcert.model.proofs.pleasant import Instance, Request, instances_of
from halcert.model.proofs.records import (
    DISPUTED,
    NOT_SHADOWED,
    PROVED,
    REACHABLE,
    REFUTED,
    UNSETTLED,
    Findings,
    Record,
    scope_of,
)
from halcert.model.proofs.search import DEPTH, DEPTH_BEGUN, DEPTH_FIRST, SECONDS, Reached, Search
from halcert.model.proofs.situation import ROWS, Situation
from halcert.model.proofs.slips import Slip, Slips, slips_of
from halcert.model.proofs.statements import Statements, start_records
from halcert.model.proofs.witness import UNDEFINED, Witness
from halcert.model.proofs.wordbook import Noted, area_of, text_of, written
from halcert.model.symbolic.second import DISAGREEMENT, keeping
from halcert.model.symbolic.solver import Solver
from halcert.model.symbolic.term import forget_terms
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.catalogue import rule as catalogued
from halcert.spec.language import Area, Interface, Invariant, Kind, Rule
from halcert.spec.profiles import PROFILES, Profile

SEARCH = "search"
INTERFACE = "interface"
THEOREMS = "theorems"
UNREPEATABLE = "only after a call that fails, which no test can bring about; no witness is kept"
NUMERIC = (Kind.REJECTS, Kind.MAY_REJECT)


class Task(msgspec.Struct, frozen=True):
    """A piece of work.

    Attributes:
        kind: search, interface or theorems.
        profile: name of the product.
        areas: names of the areas that are proved.
        subjects: names of the interfaces; empty for theorems.
        rows: how many rows each table has at most.
        seed: seed of the samples.
        only: id of the one rule that is asked about; empty for all.
        second: a second solver checks the proofs.
        depth: calls before the one that is decided, at most, in a search.
        smt: folder for the questions to the second solver; empty if they are not kept.
        recall: words that are written down are tried before any are searched for.
    """

    kind: str
    profile: str
    areas: tuple[str, ...]
    subjects: tuple[str, ...] = ()
    rows: int = ROWS
    seed: int = 0
    only: str = ""
    second: bool = False
    depth: int = DEPTH
    smt: str = ""
    recall: bool = True

    @property
    def name(self) -> str:
        """What people call it."""
        return self.subjects[0] if self.kind == INTERFACE else self.kind


def invariants() -> tuple[Invariant, ...]:
    """Return the invariants of all areas: they say together which states are valid."""
    return tuple(each for area in AREAS.values() for each in area.invariants)


def carry_out(task: Task) -> Findings:
    """Do a piece of work."""
    with keeping(task.smt, f"{task.profile}-{'-'.join(task.subjects or task.areas)}"):
        found = _KINDS[task.kind](task)
    return msgspec.structs.replace(
        found, records=tuple(_completed(record, task.rows) for record in found.records)
    )


def _completed(record: Record, rows: int) -> Record:
    """Say of what an obligation holds, and whether the solvers contradict each other."""
    status = DISPUTED if DISAGREEMENT in record.note else record.status
    return msgspec.structs.replace(record, status=status, scope=scope_of(record.kind, rows))


def _search(task: Task) -> Findings:
    forget_terms()
    profile = PROFILES[task.profile]
    known = interfaces()
    wanted = [
        rule
        for name in task.subjects
        for rule in known[name].rules
        if rule.applies_to(profile.name) and task.only in ("", rule.id)
    ]
    own = known[task.subjects[0]].area
    others = [name for name, each in AREAS.items() if name != own and _may_help(each, AREAS[own])]
    depth = min(task.depth, DEPTH_FIRST) if others else task.depth
    recalled = _recalled(task, profile, (own, *others), wanted)
    search = recalled.pop(own)
    late = [r for r in search.unsettled(wanted) if not any(e.settled(r) for e in recalled.values())]
    _explore(msgspec.structs.replace(task, depth=depth), search, late)
    for name in others:
        if name in recalled:
            search.adopt(recalled[name])
        told = [rule for rule in wanted if rule.interface in spoken(AREAS[name])]
        search.reopen(told)
        late = search.unsettled(told)
        if late:
            other = _empty_search(task, profile, name)
            _explore(task, other, late, few=True)
            search.adopt(other)
    late = search.unsettled(wanted)
    if late and depth < task.depth and not AREAS[own].beginnings:
        search.run(late, task.depth, SECONDS, beyond=depth)
    vain = {each: noted.vain for each, noted in _written(task).items()}
    outcome = _Outcome(search, profile, vain)
    records = [each for rule in wanted for each in outcome.records(rule)]
    witnesses = outcome.witnesses(wanted)
    noted = _noted(search, wanted, outcome.vain)
    return Findings(tuple(records), tuple(witnesses), tuple(outcome.objections), noted)


def _may_help(area: Area, own: Area) -> bool:
    """Tell whether words of an area may reach rules that words of their own area do not.

    Those are words of several processes, and words in which interfaces are borrowed.
    """
    lends = any(each.area == own.name for each in area.borrows)
    return lends or (area.processes > 1 and area.library == own.library)


def spoken(area: Area) -> dict[str, Interface]:
    """Return the interfaces whose calls make up words of an area, by name.

    Areas of one process come in all words. What another library offers is never called with it.
    """
    return interfaces(
        each
        for each, other in AREAS.items()
        if other.library == area.library and (each == area.name or other.processes == 1)
    )


def _applies(rule_id: str, profile: Profile) -> bool:
    found = catalogued(rule_id)
    return found is not None and found.applies_to(profile.name)


def _written(task: Task) -> dict[str, Noted]:
    """Return what is written down about the rules, if it is to be tried."""
    return written(task.profile) if task.recall else {}


def _empty_search(task: Task, profile: Profile, name: str) -> Search:
    """Return a search in words of an area that has not begun."""
    letters = tuple(spoken(AREAS[name]).values())
    influence = Influence(letters, profile, invariants(), task.rows)
    return Search(profile, name, letters, influence, AREAS[name].processes)


def _recalled(
    task: Task, profile: Profile, names: tuple[str, ...], wanted: list[Rule]
) -> dict[str, Search]:
    """Return for each area for which words are written down what is found after them.

    The first of the areas is that of the rules, and always among them.
    """
    known = _written(task)
    noted = [known[rule.id] for rule in wanted if rule.id in known]
    areas = {area_of(text) for each in noted for text in (each.reach, each.alone)}
    found = {n: _empty_search(task, profile, n) for n in names if n in areas or n == names[0]}
    for search in found.values():
        search.recall(wanted, known)
    return found


def _noted(
    search: Search, wanted: list[Rule], vain: Mapping[str, tuple[str, ...]]
) -> dict[str, Noted]:
    """Return what is worth writing down, by id of the rule."""
    found = {}
    for rule in wanted:
        reach, alone = _text(search.reached.get(rule.id)), _text(search.alone.get(rule.id))
        noted = Noted(
            reach="" if reach == alone else reach,
            alone=alone,
            spared=rule.id not in search.alone,
            vain=vain.get(rule.id, ()),
        )
        if noted != Noted():
            found[rule.id] = noted
    return found


def _text(found: Reached | None) -> str:
    return text_of(found.area, found.word) if found else ""


def _explore(task: Task, search: Search, wanted: list[Rule], *, few: bool = False) -> None:
    """Search for rules in words of an area.

    Where they are few, those that no valid state lets decide are settled before any word is made.
    """
    if not wanted:
        return
    area, profile = AREAS[search.area], search.profile
    if few:
        search.give_up(wanted)
        wanted = search.unsettled(wanted)
    beginnings = [
        each for each in area.beginnings if all(_applies(rule_id, profile) for _, rule_id in each)
    ]
    depth = min(task.depth, DEPTH_BEGUN) if beginnings else task.depth
    search.run(wanted, depth, SECONDS, more=bool(beginnings))
    for left, beginning in zip(range(len(beginnings) - 1, -1, -1), beginnings, strict=True):
        late = search.unsettled(wanted)
        if late:
            search.begin(beginning)
            search.run(late, DEPTH_BEGUN, SECONDS, more=left > 0)


class _Outcome:
    """Turns what a search found into records and witnesses."""

    def __init__(
        self, search: Search, profile: Profile, vain: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.search = search
        self.profile = profile
        self.solver = Solver()
        self.objections: list[str] = []
        self.vain = dict(vain)

    def records(self, rule: Rule) -> tuple[Record, ...]:
        return self._reachable(rule), self._not_shadowed(rule)

    def _reachable(self, rule: Rule) -> Record:
        found = self.search.reached.get(rule.id)
        if found is not None:
            note = UNREPEATABLE if found.word.fails else ""
            return self._record(REACHABLE, rule, PROVED, note, found.seconds)
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
        best = (each for rule in wanted if (each := self._best(rule)) is not None)
        found = [each for each in best if not each.word.fails]
        requests = [Request(each.word, each.reading, each.condition) for each in found]
        made = instances_of(self.solver, requests)
        pairs = zip(found, made, strict=True)
        whole = [self._witness(each, instance) for each, instance in pairs if instance is not None]
        looked_for = list(self._slips(wanted, found))
        slips = Slips(self.profile, list(looked_for))
        for instance in made:
            if instance is not None:
                slips.see(instance)
        for boundary, instance in shown_by(self.solver, _boundaries(found)):
            slips.see(instance)
            if instance.steps[-1].expected.verdict != UNDEFINED:
                whole.append(self._edge(boundary.rule, boundary.note, instance))
        told: Counter[tuple[str, str]] = Counter()
        for slip, instance in slips.found(self.search, self.solver):
            told[_name(slip)] += 1
            times = told[_name(slip)]
            note = slip.note if times == 1 else f"{slip.note} ({times})"
            whole.append(self._edge(slip.rule, note, instance))
        self._note_vain(looked_for, slips.vain)
        return whole

    def _note_vain(self, looked_for: list[Slip], vain: list[Slip]) -> None:
        """Note slips that no call was found to show; those that are told alike only if all are."""
        places = {id(each) for each in vain}
        shown = {_name(each) for each in looked_for if id(each) not in places}
        for rule_id, change in dict.fromkeys(_name(each) for each in vain):
            if (rule_id, change) not in shown:
                self.vain[rule_id] = (*self.vain.get(rule_id, ()), change)

    def _slips(self, wanted: list[Rule], found: list[Reached]) -> Iterator[Slip]:
        known = interfaces()
        asked = {rule.id for rule in wanted}
        for name in dict.fromkeys(rule.interface for rule in wanted):
            places = tuple(each for each in found if each.rule.interface == name)
            for slip in slips_of(known[name], self.profile.name, places):
                vain = self.vain.get(slip.rule.id, ())
                if slip.rule.id in asked and slip.mutation.change not in vain:
                    yield slip

    def _edge(self, rule: Rule, note: str, made: Instance) -> Witness:
        if made.objection:
            self.objections.append(f"{rule.id}, {note}: {made.objection}")
        return Witness(rule.id, self.profile.name, "boundary", made.steps, note, alone=False)

    def _witness(self, found: Reached, made: Instance) -> Witness:
        if made.objection:
            self.objections.append(f"{found.rule.id}: {made.objection}")
        return Witness(found.rule.id, self.profile.name, "rule", made.steps, "", found.alone)

    def _best(self, rule: Rule) -> Reached | None:
        if rule.kind is not Kind.ENSURES and rule.id in self.search.alone:
            return self.search.alone[rule.id]
        return self.search.reached.get(rule.id)


def _name(slip: Slip) -> tuple[str, str]:
    return slip.rule.id, slip.mutation.change


def _boundaries(found: list[Reached]) -> list[Boundary]:
    """Return what is to be shown on either side of what the rules compare."""
    boundaries = Boundaries()
    accepting = [each for each in found if each.rule.kind is Kind.ACCEPTS]
    accepting.sort(key=lambda each: len(each.word.steps))
    for each in found:
        if each.rule.kind in NUMERIC:
            same = [a for a in accepting if a.rule.interface == each.rule.interface]
            boundaries.add_rule(each, same[-1:])
        elif each.rule.kind is Kind.ACCEPTS:
            boundaries.add_top(each)
            boundaries.add_extremes(each)
            boundaries.add_bits(each)
    return boundaries.found


def _interface(task: Task) -> Findings:
    profile = PROFILES[task.profile]
    interface: Interface = interfaces()[task.subjects[0]]
    filled = filled_at(interface, profile)
    situation = Situation(interface, profile, invariants(), task.rows, filled, second=task.second)
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
