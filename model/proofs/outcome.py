"""What a search found, as records of obligations and as witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from halcert.model.proofs.boundary import Boundaries, Boundary, shown_by
from halcert.model.proofs.content import content_of
from halcert.model.proofs.pleasant import Instance, Maker, Request, instances_of
from halcert.model.proofs.records import (
    NOT_SHADOWED,
    PROVED,
    REACHABLE,
    REFUTED,
    UNSETTLED,
    Record,
)
from halcert.model.proofs.search import Reached, Search
from halcert.model.proofs.slips import Slip, Slips, slips_of
from halcert.model.proofs.specimens import ALONE, Specimen
from halcert.model.proofs.witness import UNDEFINED, Witness
from halcert.model.proofs.wordbook import Noted, text_of
from halcert.model.symbolic.solver import Solver
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.language import Kind, Rule
from halcert.spec.profiles import Profile

UNREPEATABLE = "only after a call that fails, which no test can bring about; no witness is kept"
NUMERIC = (Kind.REJECTS, Kind.MAY_REJECT)
Further = Callable[[list[Slip]], list[Slip]]
"""Looks for words that show slips, and returns those that it found, with the words."""


class Outcome:
    """Turns what a search found into records and witnesses.

    Attributes:
        objections: what the oracle has against the witnesses.
        specimens: the witnesses as they can be written down.
    """

    def __init__(self, search: Search, profile: Profile, known: Mapping[str, Noted]) -> None:
        """Take what was found, and what is written down about rules."""
        self.search = search
        self.profile = profile
        self.solver = Solver()
        self.objections: list[str] = []
        self.specimens: list[Specimen] = []
        self._known = known
        self._shown: dict[str, dict[str, str]] = {}
        self._vain: dict[str, list[str]] = {}

    def records(self, rule: Rule) -> tuple[Record, ...]:
        """Return whether a rule can be reached, and decide."""
        return self._reachable(rule), self._not_shadowed(rule)

    def noted(self, rule: Rule) -> Noted:
        """Return what is worth writing down about a rule."""
        reach, alone = (
            _text(each.get(rule.id)) for each in (self.search.reached, self.search.alone)
        )
        shown, vain = self._shown.get(rule.id, {}), tuple(self._vain.get(rule.id, ()))
        return Noted(
            reach="" if reach == alone else reach,
            alone=alone,
            spared=rule.id not in self.search.alone,
            shown=shown,
            vain=vain,
            content=content_of(interfaces()[rule.interface]) if vain else "",
        )

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

    def witnesses(self, wanted: list[Rule], further: Further | None = None) -> list[Witness]:
        """Return the witness of every rule that was reached, then boundaries, then slips.

        Args:
            wanted: the rules.
            further: looks further for what shows slips.
        """
        best = (each for rule in wanted if (each := self._best(rule)) is not None)
        found = [each for each in best if not each.word.fails]
        requests = [Request(each.word, each.reading, each.condition) for each in found]
        made = instances_of(self.solver, requests)
        pairs = zip(found, made, strict=True)
        whole = [self._witness(each, instance) for each, instance in pairs if instance is not None]
        slips = Slips(self.profile, list(self._slips(wanted, found)))
        for instance in made:
            if instance is not None:
                slips.see(instance)
        for boundary, instance in shown_by(self.solver, _boundaries(found)):
            slips.see(instance)
            if instance.steps[-1].expected.verdict != UNDEFINED:
                whole.append(self._edge(boundary.rule, boundary.note, instance))
        maker = Maker(self.solver)
        for slip, instance in slips.found(self.search, maker):
            whole.append(self._edge(slip.rule, slip.note, instance))
        if further is not None:
            found_further = further(slips.open)
            for slip, instance in slips.after_words(found_further, self.search, maker):
                whole.append(self._edge(slip.rule, slip.note, instance))
        for slip in slips.far:
            self._shown.setdefault(slip.rule.id, {})[slip.mutation.change] = slip.word or ""
        for slip in (*slips.idle, *slips.open):
            self._vain.setdefault(slip.rule.id, []).append(slip.mutation.change)
        return whole

    def add_alone(self, wanted: Iterable[Rule]) -> None:
        """Add specimens of results that let one promise alone decide; no witness shows them."""
        places = [self.search.alone[r.id] for r in wanted if r.id in self.search.alone]
        found = [p for p in places if p.rule.kind is Kind.ENSURES and not p.word.fails]
        requests = [Request(each.word, each.reading, each.condition) for each in found]
        for place, instance in zip(found, instances_of(self.solver, requests), strict=True):
            if instance is not None:
                self.specimens.append(Specimen(place.rule.id, ALONE, instance.calls))

    def _slips(self, wanted: list[Rule], found: list[Reached]) -> Iterator[Slip]:
        """Iterate over the slips to look for, without those known to be looked for in vain."""
        asked = {rule.id for rule in wanted}
        for name in dict.fromkeys(rule.interface for rule in wanted):
            interface = interfaces()[name]
            places = tuple(each for each in found if each.rule.interface == name)
            for slip in slips_of(interface, self.profile.name, places):
                if slip.rule.id not in asked:
                    continue
                noted = self._known.get(slip.rule.id, Noted())
                change = slip.mutation.change
                if change in noted.vain and noted.content == content_of(interface):
                    self._vain.setdefault(slip.rule.id, []).append(change)
                else:
                    yield slip._replace(word=noted.shown.get(change))

    def _edge(self, rule: Rule, note: str, made: Instance) -> Witness:
        if made.objection:
            self.objections.append(f"{rule.id}, {note}: {made.objection}")
        self.specimens.append(Specimen(rule.id, note, made.calls))
        return Witness(rule.id, self.profile.name, "boundary", made.steps, note, alone=False)

    def _witness(self, found: Reached, made: Instance) -> Witness:
        if made.objection:
            self.objections.append(f"{found.rule.id}: {made.objection}")
        self.specimens.append(Specimen(found.rule.id, "", made.calls))
        return Witness(found.rule.id, self.profile.name, "rule", made.steps, "", found.alone)

    def _best(self, rule: Rule) -> Reached | None:
        if rule.kind is not Kind.ENSURES and rule.id in self.search.alone:
            return self.search.alone[rule.id]
        return self.search.reached.get(rule.id)


def _text(found: Reached | None) -> str:
    return text_of(found.area, found.word) if found else ""


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
