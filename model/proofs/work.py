"""The pieces of work that a proof run consists of; each runs in a process of its own choosing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from time import perf_counter

import msgspec

from halcert.model.proofs import specimens
from halcert.model.proofs.agreement import SAMPLES, Comparison
from halcert.model.proofs.checks import Checks
from halcert.model.proofs.content import content_of
from halcert.model.proofs.filled import filled_at
from halcert.model.proofs.influence import Influence
from halcert.model.proofs.outcome import Outcome
from halcert.model.proofs.records import DISPUTED, Findings, Record, scope_of
from halcert.model.proofs.search import DEPTH, DEPTH_BEGUN, DEPTH_FIRST, SECONDS, Search
from halcert.model.proofs.situation import ROWS, Situation, Together
from halcert.model.proofs.slip_words import Question
from halcert.model.proofs.slips import Slip
from halcert.model.proofs.specimens import Page, Specimen
from halcert.model.proofs.stage import Stage
from halcert.model.proofs.statements import Statements, start_records
from halcert.model.proofs.told import Told, told_by
from halcert.model.proofs.wordbook import Noted, area_of, spoken, written
from halcert.model.symbolic.second import DISAGREEMENT, keeping
from halcert.model.symbolic.term import forget_terms
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.catalogue import rule as catalogued
from halcert.spec.language import Area, Interface, Invariant, Rule
from halcert.spec.profiles import PROFILES, Profile

SEARCH = "search"
INTERFACE = "interface"
THEOREMS = "theorems"
SECONDS_FURTHER = 30.0
"""Of processor time, for one phase of a search for what shows slips; no obligation rests on it."""


class Recall(Enum):
    """What counts of what is written down: more and more of it."""

    NOTHING = "nothing"
    WORDS = "words"
    WITNESSES = "witnesses"


class Task(msgspec.Struct, frozen=True):
    """A piece of work.

    Attributes:
        kind: search, interface or theorems.
        profile: name of the product.
        also: names of further products for which an interface is proved; what they have in
            common is proved once.
        areas: names of the areas that are proved.
        subjects: names of the interfaces; empty for theorems.
        rows: how many rows each table has at most.
        seed: seed of the samples.
        only: id of the one rule that is asked about; empty for all.
        second: a second solver checks the proofs.
        depth: calls before the one that is decided, at most, in a search.
        smt: folder for the questions to the second solver; empty if they are not kept.
        recall: what is tried of what is written down before anything is searched for.
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
    recall: Recall = Recall.WITNESSES
    also: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What people call it."""
        return self.subjects[0] if self.kind == INTERFACE else self.kind


def invariants() -> tuple[Invariant, ...]:
    """Return the invariants of all areas: they say together which states are valid."""
    return tuple(each for area in AREAS.values() for each in area.invariants)


def carry_out(task: Task) -> Findings:
    """Do a piece of work; what was done before it in this process makes no difference."""
    forget_terms()
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
    told = _told(task) if task.recall is Recall.WITNESSES else {}
    records = [each for known in told.values() for one in known.records.values() for each in one]
    witnesses = [each for known in told.values() for each in known.witnesses]
    settled = {rule_id for known in told.values() for rule_id in known.records}
    left = [rule for rule in _wanted(task) if rule.id not in settled]
    if not left:
        return Findings(tuple(records), tuple(witnesses))
    forget_terms()
    found = _searched(task, left, [rule for rule in left if rule.interface not in told])
    return msgspec.structs.replace(
        found, records=(*records, *found.records), witnesses=(*witnesses, *found.witnesses)
    )


def _wanted(task: Task) -> list[Rule]:
    """Return the rules that a search is for."""
    known = interfaces()
    return [
        rule
        for name in task.subjects
        for rule in known[name].rules
        if rule.applies_to(task.profile) and task.only in ("", rule.id)
    ]


def _told(task: Task) -> dict[str, Told]:
    """Return what is known of interfaces whose witnesses are written down."""
    pages, known = specimens.written(task.profile), interfaces()
    stage = Stage(PROFILES[task.profile])
    wanted = {rule.id for rule in _wanted(task)}
    asked = [name for name in task.subjects if name in pages]
    found = {name: told_by(pages[name], known[name], stage, wanted) for name in asked}
    return {name: told for name, told in found.items() if told is not None}


def _searched(task: Task, wanted: list[Rule], shown: list[Rule]) -> Findings:
    """Search for calls that let rules decide, and make witnesses of some of the rules."""
    profile = PROFILES[task.profile]
    own = interfaces()[task.subjects[0]].area
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
    outcome = Outcome(search, profile, _written(task))
    records = [each for rule in wanted for each in outcome.records(rule)]
    further = _Further(task, profile, (own, *others)) if task.recall is Recall.NOTHING else None
    witnesses = outcome.witnesses(shown, further)
    noted = {rule.id: outcome.noted(rule) for rule in wanted}
    if task.recall is not Recall.WITNESSES:
        outcome.add_alone(shown)
    return Findings(
        tuple(records),
        tuple(witnesses),
        tuple(outcome.objections),
        {rule_id: each for rule_id, each in noted.items() if each != Noted()},
        {} if task.recall is Recall.WITNESSES else _pages(outcome, task.subjects),
    )


def _pages(outcome: Outcome, names: tuple[str, ...]) -> dict[str, Page]:
    """Return what is to be written down about the witnesses of interfaces."""
    known = interfaces()
    found: dict[str, list[Specimen]] = {name: [] for name in names}
    interface_of = {rule.id: name for name in names for rule in known[name].rules}
    for each in outcome.specimens:
        found[interface_of[each.rule]].append(each)
    return {name: Page(content_of(known[name]), tuple(each)) for name, each in found.items()}


def _may_help(area: Area, own: Area) -> bool:
    """Tell whether words of an area may reach rules that words of their own area do not.

    Those are words of several processes, and words in which interfaces are borrowed.
    """
    lends = any(each.area == own.name for each in area.borrows)
    return lends or (area.processes > 1 and area.library == own.library)


def _applies(rule_id: str, profile: Profile) -> bool:
    found = catalogued(rule_id)
    return found is not None and found.applies_to(profile.name)


def _written(task: Task) -> dict[str, Noted]:
    """Return what is written down about the rules, if it is to be tried."""
    return {} if task.recall is Recall.NOTHING else written(task.profile)


def _empty_search(
    task: Task, profile: Profile, name: str, questions: Iterable[Question] = ()
) -> Search:
    """Return a search in words of an area that has not begun."""
    letters = (*spoken(AREAS[name]).values(), *(each.interface for each in questions))
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


def _explore(
    task: Task,
    search: Search,
    wanted: list[Rule],
    *,
    few: bool = False,
    seconds: float = SECONDS,
) -> None:
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
    search.run(wanted, depth, seconds, more=bool(beginnings))
    for left, beginning in zip(range(len(beginnings) - 1, -1, -1), beginnings, strict=True):
        late = search.unsettled(wanted)
        if late:
            search.begin(beginning)
            search.run(late, DEPTH_BEGUN, seconds, more=left > 0)


@dataclass(frozen=True)
class _Further:
    """Searches for words that show slips as it is searched for words that reach rules.

    Attributes:
        task: the piece of work.
        profile: the product.
        areas: the areas of whose calls the words are made.
    """

    task: Task
    profile: Profile
    areas: tuple[str, ...]

    def __call__(self, slips: list[Slip]) -> list[Slip]:
        """Return the slips that are shown after some words, with these."""
        found: list[Slip] = []
        left = slips
        for name in self.areas:
            questions = [Question(number, slip) for number, slip in enumerate(left)]
            search = _empty_search(self.task, self.profile, name, questions)
            rules = [each.rule for each in questions]
            task = msgspec.structs.replace(self.task, depth=min(self.task.depth, DEPTH_FIRST))
            _explore(task, search, rules, few=True, seconds=SECONDS_FURTHER)
            found += [each for one in questions for each in one.answered(search)]
            shown = {each.name for each in found}
            left = [each for each in left if each.name not in shown]
        return found


def _interface(task: Task) -> Findings:
    contradictions: list[Together] = []
    products = [PROFILES[name] for name in (task.profile, *task.also)]
    records = (each for product in products for each in _settled(task, product, contradictions))
    return Findings(tuple(records))


def _settled(task: Task, profile: Profile, contradictions: list[Together]) -> Iterator[Record]:
    """Settle the obligations of an interface for a product."""
    interface: Interface = interfaces()[task.subjects[0]]
    situation = Situation(
        interface,
        profile,
        invariants(),
        task.rows,
        filled_at(interface, profile),
        second=task.second,
        contradictions=contradictions,
    )
    yield from Checks(situation).run()
    yield Comparison(interface, profile, invariants(), task.seed).record(SAMPLES)


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
