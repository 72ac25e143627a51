"""The suite and the proofs against mutated rules: does anything notice the change?

A change is noticed by a vector, a scenario or a turn of the machine if it allows other outcomes of
a call than the rules do, or other results: those that the model gave, and ones next to them. It is
noticed by an obligation if one that holds of the rules is refuted. A change that makes no
difference to any call in any valid state, which the solver shows, is equivalent. What else nothing
notices survives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace as replaced
from enum import Enum
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from halcert.conformance.nearness import near, odd_numbers
from halcert.conformance.stages import Plays, Scene, Stage
from halcert.model.concrete import Oracle, World
from halcert.model.concrete.compiled import single
from halcert.model.concrete.world import ROW_TYPES
from halcert.model.proofs.checks import Checks
from halcert.model.proofs.equivalence import Verdict, compared
from halcert.model.proofs.filled import filled_at
from halcert.model.proofs.mutations import Mutation, mutations
from halcert.model.proofs.records import PROVED
from halcert.model.proofs.situation import Situation
from halcert.model.proofs.statements import Statements
from halcert.model.proofs.work import invariants
from halcert.model.symbolic.term import forget_terms
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.language import Interface, Kind
from halcert.spec.profiles import Profile

ROWS = 2
"""Rows of each table where obligations are looked at; the changes are small."""
EQUIVALENT = "equivalent"
"""What is said of a change that nothing could notice."""
CHANGING = (Kind.ACCEPTS, Kind.LEAVES)
REFUSING = (Kind.REJECTS, Kind.MAY_REJECT, Kind.UNDEFINED)
LATER = 60
"""Words of a kind that are followed from a call on that has left another state, at most."""
MOST = 400
"""Calls in long words in which a change may matter that are looked at, at most."""


class Fate(msgspec.Struct, frozen=True):
    """What became of a mutated rule.

    Attributes:
        id: id of the mutation.
        noticed: what noticed it; ``EQUIVALENT`` if nothing could, empty if nothing did.
        example: for one that nothing noticed, a call that it is about, in words.
    """

    id: str
    noticed: str
    example: str = ""

    @property
    def equivalent(self) -> bool:
        """The changed rule says the same as the right one."""
        return self.noticed == EQUIVALENT

    @property
    def survives(self) -> bool:
        """Nothing noticed the change, and something might have."""
        return not self.noticed


# -------------------------------------------------------------------------------- what is allowed


class _Effort(Enum):
    """Which results are tried beside the one that came, at most."""

    FEW = 6
    """A few that are next to it."""
    NEAR = 10_000
    """All that are next to it."""
    FAR = 1_000_000
    """Those, too, that are wrong in a less likely way."""


def _allowed(oracle: Oracle, scene: Scene, world: World, effort: _Effort) -> tuple[Any, ...]:
    """Return what an oracle allows of a call: outcomes, and results like the one that came."""
    name = scene.call.interface.name
    rules, view = oracle.rules(name), world.views[scene.actor]
    held = rules.holding(scene.call, view)
    may = rules.permitting(scene.call, view)
    open_call = oracle.undefined(name, scene.call, world, scene.actor) is not None
    codes = frozenset(code for rule in (*held, *may) for code in rule.codes)
    any_code = any(not rule.codes for rule in (*held, *may))
    outcomes = (open_call, not held, bool(held or may), codes, any_code)
    if scene.result is None or open_call:
        return outcomes
    odd = odd_numbers(scene, world) if effort is _Effort.FAR else ()
    judged = tuple(
        oracle.judge(world, scene.call, result, process=scene.actor).violation is None
        for result in islice(near(scene.result, [*codes, 0], odd), effort.value)
    )
    return (*outcomes, judged)


def _concerned(mutation: Mutation, profile: Profile) -> Callable[[Scene], bool]:
    """Return what tells of a call whether it may be judged otherwise by the changed rule."""
    rule, changed = mutation.rule, mutation.changed
    if rule.kind in CHANGING:
        succeeds = rule.kind is Kind.ACCEPTS
        return lambda scene: scene.result is not None and (scene.result.code == 0) == succeeds
    if rule.kind not in REFUSING:
        return lambda scene: scene.result is not None
    said = single(rule.function, profile)
    says = None if changed is None else single(changed.function, profile)
    moved = changed is not None and changed.codes != rule.codes

    def concerned(scene: Scene) -> bool:
        view = scene.world.views[scene.actor]
        before = bool(said(scene.call, view, scene.result))
        after = says is not None and bool(says(scene.call, view, scene.result))
        return before != after or (before and moved)

    return concerned


# ------------------------------------------------------------------------------------ who notices


class Watch:
    """What watches over the rules: vectors, scenarios and machines first, then obligations."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        """Take the stages of all products that have rules of their own."""
        self._stages = stages
        known = interfaces()
        self._known = known
        self._right = {
            stage.profile.name: Oracle(known.values(), stage.profile) for stage in stages
        }
        self._answers: dict[tuple[str, str, int, int, _Effort], tuple[Any, ...]] = {}

    def fate(self, mutation: Mutation) -> Fate:
        """Return what became of a mutated rule."""
        stages = [s for s in self._stages if mutation.rule.applies_to(s.profile.name)]
        for stage in stages:
            noticed = self._by_plays(mutation, stage)
            if noticed:
                return Fate(mutation.id, noticed)
        right = self._known[mutation.interface.name]
        verdicts = [_compared(right, mutation, stage.profile) for stage in stages]
        if all(each.same for each in verdicts):
            return Fate(mutation.id, EQUIVALENT)
        for stage, verdict in zip(stages, verdicts, strict=True):
            noticed = "" if verdict.same else _by_obligations(mutation, stage.profile)
            if noticed:
                return Fate(mutation.id, noticed)
        return Fate(mutation.id, "", next((v.example for v in verdicts if v.example), ""))

    def _by_plays(self, mutation: Mutation, stage: Stage) -> str:
        name = mutation.interface.name
        wrong = Oracle({**self._known, name: mutation.interface}.values(), stage.profile)
        for plays in stage.plays:
            try:
                number = self._noticing(mutation, wrong, stage.profile.name, plays)
            except Exception as error:  # noqa: BLE001 - a rule that cannot be read is noticed
                return f"{type(error).__name__} in a {plays.kind}"
            if number is not None:
                return f"{plays.kind} {number} of {stage.profile.name}"
        return ""

    def _noticing(
        self, mutation: Mutation, wrong: Oracle, profile: str, plays: Plays
    ) -> int | None:
        """Return the number of the first word that notices a change."""
        name, concerned = mutation.interface.name, _concerned(mutation, wrong.profile)
        words = (_Where(profile, plays, number) for number in plays.by_interface.get(name, ()))
        found = ((each, each.calls_of(name, concerned)) for each in words)
        if mutation.rule.kind in CHANGING:
            return self._by_what_is_left(wrong, found)
        far = mutation.rule.kind is Kind.ENSURES
        return self._at_the_call(wrong, found, _Effort.FAR if far else _Effort.NEAR)

    def _at_the_call(
        self, wrong: Oracle, found: Iterable[tuple[_Where, list[int]]], effort: _Effort
    ) -> int | None:
        """Look whether a call is judged otherwise, in the state that is right."""
        looked_at = 0
        for where, places in found:
            for place in places:
                scene = where.word[place]
                if _allowed(wrong, scene, scene.world, effort) != self._answer(
                    where, place, effort
                ):
                    return where.number
                looked_at += where.plays.long
            if looked_at > MOST:
                break
        return None

    def _by_what_is_left(
        self, wrong: Oracle, found: Iterable[tuple[_Where, list[int]]]
    ) -> int | None:
        """Look whether later calls are judged otherwise, in the state that a call has left."""
        followed = 0
        for where, places in found:
            left = (place for place in places if self._leaves_other(wrong, where, place))
            start = next(left, None)
            if start is None:
                continue
            if self._is_contradicted(wrong, where, start):
                return where.number
            followed += start < len(where.word) - 1
            if followed > LATER:
                break
        return None

    def _leaves_other(self, wrong: Oracle, where: _Where, place: int) -> bool:
        """Tell whether a call leaves another state than it should, or is judged otherwise."""
        scene = where.word[place]
        if scene.result is None:
            return False
        right = self._right[where.profile]
        one, other = (
            each.judge(scene.world, scene.call, scene.result, process=scene.actor)
            for each in (right, wrong)
        )
        if (one.violation is None) != (other.violation is None):
            return True
        return not _alike(scene.world, one.world, other.world)

    def _is_contradicted(self, wrong: Oracle, where: _Where, start: int) -> bool:
        """Tell whether a word is judged otherwise from a call on."""
        word = where.word
        world = word[start].world
        for place in range(start, len(word)):
            scene = word[place]
            if scene.actor not in world.views:  # a process that came later
                return False
            # A wrong state is contradicted by what came: little else is worth trying.
            few = _Effort.FEW
            if _allowed(wrong, scene, world, few) != self._answer(where, place, few):
                return True
            if scene.result is not None:
                judged = wrong.judge(world, scene.call, scene.result, process=scene.actor)
                if judged.violation is not None:
                    return True
                world = judged.world
        return False

    def _answer(self, where: _Where, place: int, effort: _Effort) -> tuple[Any, ...]:
        key = where.profile, where.plays.kind, where.number, place, effort
        if key not in self._answers:
            scene = where.word[place]
            self._answers[key] = _allowed(self._right[where.profile], scene, scene.world, effort)
        return self._answers[key]


class _Where(NamedTuple):
    """A word of some kind for a product."""

    profile: str
    plays: Plays
    number: int

    @property
    def word(self) -> tuple[Scene, ...]:
        """The word."""
        return self.plays.words[self.number]

    def calls_of(self, interface: str, concerned: Callable[[Scene], bool]) -> list[int]:
        """Return the places where an interface is called and something is of concern."""
        called = (
            (i, each) for i, each in enumerate(self.word) if each.call.interface.name == interface
        )
        return [i for i, each in called if concerned(each)]


def _alike(before: World, one: World, other: World) -> bool:
    """Tell whether two states after a call have the same rows, and no bytes were changed."""
    for process, view in one.views.items():
        beside = other.views[process]
        if not view.contents is beside.contents is before.views[process].contents:
            return False
        for name in ROW_TYPES:
            here, there = getattr(view, name), getattr(beside, name)
            if here is not there and list(here) != list(there):
                return False
    return True


def _compared(right: Interface, mutation: Mutation, profile: Profile) -> Verdict:
    """Look for a call of which a changed interface says something else."""
    forget_terms()
    try:
        return compared(right, mutation.interface, profile, ROWS)
    except Exception as error:  # noqa: BLE001 - a rule that cannot be read is not the same
        return Verdict(same=False, example=f"{type(error).__name__}: {error}")


def _by_obligations(mutation: Mutation, profile: Profile) -> str:
    """Return which obligation notices a mutated rule; empty if none does."""
    forget_terms()
    try:
        situation = Situation(
            mutation.interface,
            profile,
            invariants(),
            ROWS,
            filled_at(mutation.interface, profile),
        )
        for record in Checks(situation).run():
            if record.status != PROVED:
                return f"{record.kind} of {record.subject}"
        if mutation.rule.kind in (Kind.UNDEFINED, Kind.MAY_REJECT):
            return ""
        for area in AREAS.values():
            if mutation.interface.area != area.name and mutation.interface.area not in area.uses:
                continue
            told_of = replaced(
                area, theorems=tuple(t for t in area.theorems if _names(t, mutation.interface))
            )
            statements = Statements(told_of, profile, invariants(), ROWS)
            statements.situations = {mutation.interface.name: situation}
            for record in statements.records():
                if record.status != PROVED:
                    return f"theorem {record.subject}"
    except Exception as error:  # noqa: BLE001 - a rule that cannot be read is noticed
        return f"{type(error).__name__} in a proof"
    return ""


def _names(theorem: Any, interface: Interface) -> bool:
    return not theorem.interfaces or interface.name in theorem.interfaces


def all_mutations(areas: Iterable[str]) -> Iterator[Mutation]:
    """Iterate over the changes of all rules of areas; universal rules are the suite's own."""
    for interface in interfaces(areas).values():
        for rule in interface.rules:
            yield from mutations(interface, rule)
