"""The suite and the proofs against mutated rules: does anything notice the change?

A change is noticed by a vector, a scenario or a turn of the machine if it allows other outcomes of
a call than the rules do, or other results: those that the model gave, and ones next to them. It is
noticed by an obligation if one that holds of the rules is refuted. A change that makes no
difference to any call in any valid state, which the solver shows, is equivalent. What else nothing
notices survives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace as replaced
from enum import Enum
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from halcert.conformance.stages import Plays, Scene, Stage
from halcert.conformance.values import constants_of
from halcert.model.concrete import Oracle, World
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
from halcert.spec.language import BitWord, Interface, Kind, Record, Returned, align_up, poison
from halcert.spec.language import Sequence as ArraySequence
from halcert.spec.profiles import GIB, MIB, PROFILES, Profile

ROWS = 2
"""Rows of each table where obligations are looked at; the changes are small."""
EQUIVALENT = "equivalent"
"""What is said of a change that nothing could notice."""
CHANGING = (Kind.ACCEPTS, Kind.LEAVES)
ANY_PRODUCT = next(iter(PROFILES))
PAGES = (4096, 2 * MIB, GIB)
TOP = 2**64
LATER = 60
"""Words of a kind that are followed from a call on that has left another state, at most."""
MOST = 400
"""Calls of an interface in long words that are looked at, at most."""


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
    odd = _odd_numbers(scene, world) if effort is _Effort.FAR else ()
    judged = tuple(
        oracle.judge(world, scene.call, result, process=scene.actor).violation is None
        for result in islice(_near(scene.result, [*codes, 0], odd), effort.value)
    )
    return (*outcomes, judged)


def _odd_numbers(scene: Scene, world: World) -> tuple[int, ...]:
    """Return numbers that a wrong output might well be: what there is, and where spaces end.

    Those are the keys of all rows with their ends, and for each argument the last number from
    which so many fit below what the rules of the interface compare with.
    """
    view = world.views[scene.actor]
    found = set[int]()
    for name, kind in ROW_TYPES.items():
        for row in getattr(view, name):
            key, extent = getattr(row, kind.key_column), kind.extent_column
            length = getattr(row, extent) if extent else 1
            if isinstance(key, int):
                found |= {key, key + length - 1, key + length}
    limits = {TOP, *constants_of(scene.call.interface, PROFILES[ANY_PRODUCT])}
    sizes = {n for n in _numbers(scene.call) if n}
    rounded = {align_up(size, page) for size in sizes for page in PAGES}
    found |= {limit - size for limit in limits for size in sizes | rounded}
    found |= {limit - size + 1 for limit in limits for size in sizes | rounded}
    return tuple(sorted(each for each in found | limits if 0 <= each < TOP))


def _numbers(value: Any) -> Iterator[int]:
    """Iterate over the numbers in a call."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _numbers(getattr(value, name))


def _near(result: Returned, codes: Iterable[int], odd: Iterable[int]) -> Iterator[Returned]:
    """Iterate over a result and results next to it: other codes, outputs a little different.

    Args:
        result: the result.
        codes: the codes to try.
        odd: further numbers that outputs are tried with.
    """
    yield result
    names = result.__struct_fields__[1:]
    for code in sorted(set(codes)):
        other = msgspec.structs.replace(result, code=code)
        yield other
        if code in (0, result.code):  # what other failures leave is as open as what this one does
            for name in names:
                for value in _values_near(getattr(result, name), odd):
                    yield msgspec.structs.replace(other, **{name: value})


def _values_near(value: Any, odd: Iterable[int]) -> Iterator[Any]:
    """Iterate over values that are a little different from an output."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from {value + 1, value - 1, 0, poison(64), poison(32), *odd} - {value}
    elif isinstance(value, bytes) and value:
        yield bytes([value[0] ^ 1]) + value[1:]
        yield value[:-1] + bytes([value[-1] ^ 1])
    else:
        yield from _different_in_a_part(value, odd)


def _different_in_a_part(value: Any, odd: Iterable[int]) -> Iterator[Any]:
    """Iterate over words, records and arrays that differ in one field, member or element."""
    if isinstance(value, BitWord):
        for part in value.layout.values():
            yield value.from_plain(value.word ^ part.place(1))
    elif isinstance(value, Record):
        for name in value.__struct_fields__:
            for each in _values_near(getattr(value, name), odd):
                yield msgspec.structs.replace(value, **{name: each})
    elif isinstance(value, ArraySequence):
        for place in _telling_places(value.items):
            for each in _values_near(value.items[place], ()):
                yield ArraySequence((*value.items[:place], each, *value.items[place + 1 :]))


def _telling_places(items: Sequence[Any]) -> Iterator[int]:
    """Iterate over the places at which runs of equal elements begin and end.

    What is said of an element is said of the equal ones beside it; arrays have thousands.
    """
    for place, item in enumerate(items):
        begins = place == 0 or items[place - 1] != item
        ends = place == len(items) - 1 or items[place + 1] != item
        if begins or ends:
            yield place


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
        name = mutation.interface.name
        words = (_Where(profile, plays, number) for number in plays.by_interface.get(name, ()))
        if mutation.rule.kind in CHANGING:
            return self._by_what_is_left(name, wrong, words)
        odd = mutation.rule.kind is Kind.ENSURES and not plays.long
        return self._at_the_call(name, wrong, words, _Effort.FAR if odd else _Effort.NEAR)

    def _at_the_call(
        self, name: str, wrong: Oracle, words: Iterable[_Where], effort: _Effort
    ) -> int | None:
        """Look whether a call is judged otherwise, in the state that is right."""
        looked_at = 0
        for where in words:
            for place in where.calls_of(name):
                scene = where.word[place]
                if _allowed(wrong, scene, scene.world, effort) != self._answer(
                    where, place, effort
                ):
                    return where.number
                looked_at += where.plays.long
            if looked_at > MOST:
                break
        return None

    def _by_what_is_left(self, name: str, wrong: Oracle, words: Iterable[_Where]) -> int | None:
        """Look whether later calls are judged otherwise, in the state that a call has left."""
        followed = 0
        for where in words:
            left = (
                place for place in where.calls_of(name) if self._leaves_other(wrong, where, place)
            )
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

    def calls_of(self, interface: str) -> Iterator[int]:
        """Iterate over the places where an interface is called."""
        yield from (i for i, each in enumerate(self.word) if each.call.interface.name == interface)


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
