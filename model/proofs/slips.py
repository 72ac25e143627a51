"""Witnesses that tell a rule from itself with a slip of the pen.

A condition that is a little wrong says the same of most calls. For each slip that no witness shows
yet, a call is looked for of which the changed condition would say something else: after the word
that is written down for it, after the words by which the rules of the interface were reached, and
if it makes a difference in any valid state at all, after those by which other rules were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from halcert.model.proofs.equivalence import compared
from halcert.model.proofs.goals import RANK
from halcert.model.proofs.mutations import Mutation, mutations
from halcert.model.proofs.pleasant import Instance, Maker, Request
from halcert.model.proofs.search import Reached, Search
from halcert.model.proofs.wordbook import Spelling, area_of, spoken, steps_of, text_of
from halcert.model.proofs.words import LAST, Word
from halcert.model.symbolic.algebra import both, either, negation
from halcert.model.symbolic.reading import Held, Reading
from halcert.model.symbolic.solver import Answer
from halcert.model.symbolic.term import BoolLike
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.language import SUCCESS, Interface, Kind, Rule
from halcert.spec.profiles import Profile

ROWS = 2
"""Rows of each table where any valid state is meant; what tells two conditions apart is small."""
WORDS = 60
"""Words by which other rules were reached, at most."""
PLACES = 8
"""Words after which a slip is looked for, at most."""
SHOWN_ANYWAY = ("dropped", "negated", "code moved", "guard dropped", "guard negated")
"""Changes of the whole rule, which its own witness shows."""


class Slip(NamedTuple):
    """A changed rule, and where a call may show the change.

    Attributes:
        rule: the rule.
        changed: the same with the slip.
        mutation: how it was changed.
        places: where rules of the interface were reached.
        word: a word after which a call may show the slip, as it is written; None if there is none.
    """

    rule: Rule
    changed: Rule
    mutation: Mutation
    places: tuple[Reached, ...]
    word: str | None = None

    @property
    def name(self) -> str:
        """Return which slip it is, of all there are."""
        return self.mutation.id

    @property
    def note(self) -> str:
        """What a witness of it says; ids are made of words alone, so signs are words."""
        change = self.mutation.change.replace(" +1", " and one more").replace(" -1", " less one")
        return f"unlike {change}"


def slips_of(interface: Interface, profile: str, places: tuple[Reached, ...]) -> Iterator[Slip]:
    """Iterate over the slips of the conditions of an interface.

    Args:
        interface: the interface.
        profile: name of the product.
        places: where its rules were reached.
    """
    for rule in interface.rules:
        if rule.kind not in _CLAIMS or not rule.applies_to(profile):
            continue
        own = sorted(places, key=lambda each: _rank(each, rule))
        for mutation in mutations(interface, rule):
            changed = _changed(mutation)
            if changed is not None and mutation.change not in SHOWN_ANYWAY:
                yield Slip(rule, changed, mutation, tuple(_different(own)))


def _rank(place: Reached, rule: Rule) -> int:
    """Return how late a place is looked at: that of the rule first, then those of success."""
    return 0 if place.rule.id == rule.id else 1 if place.rule.kind is Kind.ACCEPTS else 2


def _changed(mutation: Mutation) -> Rule | None:
    return next((r for r in mutation.interface.rules if r.id == mutation.rule.id), None)


def _different(places: Iterable[Reached]) -> list[Reached]:
    """Return the first few places that are not the same."""
    found: dict[int, Reached] = {}
    for each in places:
        found.setdefault(id(each.reading), each)
    return list(found.values())[:PLACES]


# --------------------------------------------------------------------------------- what shows it


def claims(slip: Slip, reading: Reading) -> tuple[BoolLike, ...]:
    """Return what makes a call show a slip: at its plainest, and anyhow."""
    return _CLAIMS[slip.rule.kind](slip, reading)


def _differ(slip: Slip, reading: Reading) -> BoolLike:
    """Return whether the two conditions say different things."""
    return _unlike(reading.holds(slip.rule), reading.condition(slip.changed))


def _unlike(one: BoolLike, other: BoolLike) -> BoolLike:
    return either(both(one, negation(other)), both(other, negation(one)))


def _rejects(slip: Slip, reading: Reading) -> tuple[BoolLike, ...]:
    """Return what makes a call be refused by one of the two rules only."""
    shown = both(reading.executable, _differ(slip, reading))
    others = [h for h in reading.rejects if h.rule.id != slip.rule.id]
    return _plain_or_anyhow(slip, shown, others)


def _may(slip: Slip, reading: Reading) -> tuple[BoolLike, ...]:
    shown = both(reading.executable, _differ(slip, reading))
    if not slip.rule.instead:
        shown = both(shown, negation(reading.refused))
    others = [h for h in reading.may if h.rule.id != slip.rule.id]
    return _plain_or_anyhow(slip, shown, others)


def _plain_or_anyhow(slip: Slip, shown: BoolLike, others: Iterable[Held]) -> tuple[BoolLike, ...]:
    """Return that no other rule holds, and that none does which allows all that this one does."""
    rivals = list(others)
    alike = [h for h in rivals if not h.rule.codes or set(h.rule.codes) >= set(slip.rule.codes)]
    return (
        both(shown, *(negation(h.holds) for h in rivals)),
        both(shown, *(negation(h.holds) for h in alike)),
    )


def _undefined(slip: Slip, reading: Reading) -> tuple[BoolLike, ...]:
    """Return what makes one of the two rules only promise something; best the right one."""
    others = [h.holds for h in reading.undefined_rules if h.rule.id != slip.rule.id]
    shown = both(
        reading.call.bounds,
        negation(reading.argument_refused),
        _differ(slip, reading),
        *(negation(each) for each in others),
    )
    return both(shown, negation(reading.holds(slip.rule))), shown


def _ensures(slip: Slip, reading: Reading) -> tuple[BoolLike, ...]:
    """Return what makes a result be allowed by one of the two rules only."""
    success = slip.rule.on == SUCCESS
    ensured = reading.on_success if success else reading.on_failure
    rivals = [e for e in ensured if e.rule.id != slip.rule.id]
    mine = reading.ensured(slip.changed)
    right = next(e for e in ensured if e.rule.id == slip.rule.id)
    may = either(*(held.holds for held in reading.may))
    situation = reading.acceptable
    if not success:
        situation = both(reading.executable, either(reading.refused, may))
    shown = both(
        situation,
        reading.result.bounds,
        _unlike(right.kept, mine.kept),
    )
    strong = [e for e in rivals if RANK[e.rule.strength] >= RANK[slip.rule.strength]]
    return both(shown, *(e.kept for e in rivals)), both(shown, *(e.kept for e in strong))


_CLAIMS: dict[Kind, Callable[[Slip, Reading], tuple[BoolLike, ...]]] = {
    Kind.REJECTS: _rejects,
    Kind.MAY_REJECT: _may,
    Kind.UNDEFINED: _undefined,
    Kind.ENSURES: _ensures,
}


# ------------------------------------------------------------------------------------- looking


@dataclass
class Slips:
    """The slips of a few interfaces, and which of them witnesses show.

    Attributes:
        profile: the product.
        open: those that none shows yet.
        idle: those that make no difference to any call in any valid state.
        far: those shown after a word by which no rule of the interface was reached, with the word.
    """

    profile: Profile
    open: list[Slip]
    idle: list[Slip] = field(default_factory=list)
    far: list[Slip] = field(default_factory=list)
    _made: dict[tuple[int, int], tuple[BoolLike, ...]] = field(default_factory=dict)
    _readings: list[Reading] = field(default_factory=list)

    def see(self, instance: Instance) -> None:
        """Take the slips out that a witness shows."""
        self.open = [each for each in self.open if not self._shows(instance, each)]

    def _shows(self, instance: Instance, slip: Slip) -> bool:
        reading = instance.reading
        if reading.interface.name != slip.rule.interface:
            return False
        return bool(instance.value(self._claims(slip, reading)[-1]))

    def _claims(self, slip: Slip, reading: Reading) -> tuple[BoolLike, ...]:
        key = id(slip.changed), id(reading)
        if key not in self._made:
            self._made[key] = claims(slip, reading)
            self._readings.append(reading)  # so that its identity stays taken
        return self._made[key]

    def found(self, search: Search, maker: Maker) -> Iterator[tuple[Slip, Instance]]:
        """Look for a witness of each that is open; one may show several.

        Args:
            search: the search that reached the rules.
            maker: what finds values.
        """
        yield from self.after_words(
            [each for each in self.open if each.word is not None], search, maker
        )
        left: list[Slip] = []
        while self.open:
            slip = self.open.pop(0)
            instance = self._near(search, maker, slip)
            if instance is not None:
                self.see(instance)
                yield slip, instance
            else:
                left.append(slip)
        self.idle = [each for each in left if self._is_idle(each)]
        self.open = [each for each in left if not any(each is idle for idle in self.idle)]
        for area, word in _words(search) if self.open else ():
            yield from self._after(area, word, search, maker)

    def after_words(
        self, slips: Iterable[Slip], search: Search, maker: Maker
    ) -> Iterator[tuple[Slip, Instance]]:
        """Look for witnesses of slips after the words that are written down for them."""
        spellings: dict[str, Spelling] = {}
        for slip in slips:
            if slip.word is None or not self._is_open(slip):
                continue
            interface = interfaces()[slip.rule.interface]
            area = area_of(slip.word) or interface.area
            if area not in spellings:
                spellings[area] = Spelling(spoken(AREAS[area]).values(), self.profile)
            word = spellings[area].word(steps_of(slip.word))
            if word is None or word.fails:
                continue
            for process in word.callers(AREAS[area].processes):
                reading = word.reading(interface, self.profile, LAST, process)
                instance = self._at(word, reading, slip, search, maker)
                if instance is not None:
                    self.see(instance)
                    self.far.append(slip)
                    yield slip, instance
                    break

    def _is_open(self, slip: Slip) -> bool:
        return any(each.changed is slip.changed for each in self.open)

    def _near(self, search: Search, maker: Maker, slip: Slip) -> Instance | None:
        """Look for a witness after the words by which the rules of the interface were reached."""
        for strict in (0, -1):
            for place in slip.places:
                claim = self._claims(slip, place.reading)[strict]
                made = self._made_of(Request(place.word, place.reading, claim), search, maker)
                if made is not None:
                    return made
        return None

    def _is_idle(self, slip: Slip) -> bool:
        """Tell whether a slip makes no difference to any call in any valid state."""
        right = interfaces()[slip.rule.interface]
        return compared(right, slip.mutation.interface, self.profile, ROWS).same

    def _after(
        self, area: str, word: Word, search: Search, maker: Maker
    ) -> Iterator[tuple[Slip, Instance]]:
        """Look for witnesses after a word by which some other rule was reached."""
        changed = {name for step in word.steps for name in step.operation.rule.changes}
        readings: dict[tuple[str, int], Reading] = {}
        for slip in list(self.open):
            asked = {each.table for each in search.influence.asks(slip.rule)}
            if not asked & changed or not self._is_open(slip):
                continue
            for process in word.callers(search.processes):
                key = slip.rule.interface, process
                if key not in readings:
                    interface = interfaces()[slip.rule.interface]
                    readings[key] = word.reading(interface, self.profile, LAST, process)
                instance = self._at(word, readings[key], slip, search, maker)
                if instance is not None:
                    self.see(instance)
                    self.far.append(slip._replace(word=text_of(area, word)))
                    yield slip, instance
                    break

    def _at(
        self, word: Word, reading: Reading, slip: Slip, search: Search, maker: Maker
    ) -> Instance | None:
        for claim in self._claims(slip, reading):
            made = self._made_of(Request(word, reading, claim), search, maker)
            if made is not None:
                return made
        return None

    def _made_of(self, request: Request, search: Search, maker: Maker) -> Instance | None:
        """Return an instance of what is requested; whether there is one is asked first."""
        if request.condition is False:
            return None
        search.trail.go(request.word)
        if search.trail.check(request.condition) is not Answer.YES:
            return None
        return maker.instance(request)


def _words(search: Search) -> list[tuple[str, Word]]:
    """Return the words by which rules were reached and that tests can make, short ones first."""
    found = {
        id(each.word): (each.area, each.word)
        for each in (*search.reached.values(), *search.alone.values())
    }
    words = [each for each in found.values() if each[1].steps and not each[1].fails]
    return sorted(words, key=lambda each: len(each[1].steps))[:WORDS]
