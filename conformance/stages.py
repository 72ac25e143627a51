"""Calls with the states that they are made in, played by the model: what judges changed rules.

Those are the calls of the vectors, and longer ones: the scenarios, and turns of the machines. In
vectors a call comes right after what it needs, and that is all; only in the longer ones somebody
looks later at what a call has left. They are played by a model that does whatever it can, and
some times more by one that refuses now and then what it may.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from halcert.conformance.book import resolve
from halcert.conformance.lab import Broken, Lab, Setting
from halcert.conformance.machine import Hunt, hunt_with_machine
from halcert.conformance.mishaps import failed_on_request
from halcert.conformance.model_adapter import DEVICES, ModelSession
from halcert.conformance.outcomes import HarnessError
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.tally import Tally
from halcert.model.concrete import Oracle, World
from halcert.model.proofs import Witness
from halcert.model.proofs.notes import plan
from halcert.model.proofs.pleasant import APART
from halcert.results import Answered, Outcome
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.language import Call, Returned
from halcert.spec.profiles import PROFILES, Profile
from halcert.spec.state import State

SCENARIO = "scenario"
"""The kind of words that scenarios make."""
ACTORS = (0, 1, 2)
"""Processes that are there from the start; what one that comes later does ends the word."""
LONGEST = 300
"""Calls of a scenario that are looked at; those that make many more make the same ones again."""
EXAMPLES = 40
"""Turns of the machine for each area."""
WHIMS = 6
"""How often scenarios are played by a model that refuses on a whim; most end before long."""
SEED = 11


class Scene(NamedTuple):
    """A call in the state that a word of calls has made.

    Attributes:
        world: the state before it.
        call: the call.
        result: what the model gave; None if the call was not made, as nothing is promised.
        actor: the process.
    """

    world: World
    call: Call
    result: Returned | None
    actor: int


@dataclass(frozen=True)
class Plays:
    """Words of one kind, call by call.

    Attributes:
        kind: what people call one of them.
        words: the words.
        by_interface: for each interface the numbers of the words that call it.
        long: the words go on after the call that they are about.
    """

    kind: str
    words: tuple[tuple[Scene, ...], ...]
    by_interface: Mapping[str, tuple[int, ...]]
    long: bool


@dataclass(frozen=True)
class Stage:
    """The scenes of a product.

    Attributes:
        profile: the product.
        plays: the words: those of the vectors first, as they are short.
    """

    profile: Profile
    plays: tuple[Plays, ...]


def stage_of(profile: str, found: Iterable[Witness]) -> Stage:
    """Play everything once for a product, by the rules as they are.

    Args:
        profile: name of the product.
        found: the witnesses.
    """
    known = interfaces()
    oracle = Oracle(known.values(), PROFILES[profile])
    with ModelSession(PROFILES[profile], spread=APART) as session:
        setting = Setting(session, oracle, known, DEVICES)
        vectors = []
        for each in found:
            session.afresh()
            vectors.append(_played(each, setting))
    flows: list[tuple[Scene, ...]] = []
    turns: list[tuple[Scene, ...]] = []
    for whims in (None, *map(Random, range(WHIMS))):
        with ModelSession(PROFILES[profile], whims) as session:
            setting = Setting(session, oracle, known, DEVICES)
            flows += _flows(setting)
            turns += _turns(setting, EXAMPLES if whims is None else EXAMPLES // WHIMS)
    plays = (
        _plays("vector", vectors),
        _plays(SCENARIO, flows, long=True),
        _plays("machine", turns, long=True),
    )
    return Stage(PROFILES[profile], plays)


def _plays(kind: str, words: Iterable[tuple[Scene, ...]], *, long: bool = False) -> Plays:
    words = tuple(words)
    by_interface: dict[str, list[int]] = {}
    for number, word in enumerate(words):
        for name in {scene.call.interface.name for scene in word}:
            by_interface.setdefault(name, []).append(number)
    return Plays(kind, words, {name: tuple(each) for name, each in by_interface.items()}, long)


# ----------------------------------------------------------------------------------------- vectors


def _played(witness: Witness, setting: Setting) -> tuple[Scene, ...]:
    """Play a witness; the last call may be one about which nothing is promised."""
    numbers: dict[int, int] = {}
    with _fresh(setting) as lab, suppress(Broken, HarnessError, KeyError):
        for step in plan(witness):
            given = resolve(step.args, lab.given(numbers))
            numbers[step.number] = len(lab.steps) + 1
            if lab.call(step.interface, step.actor, **given) is None:
                break
    return tuple(lab.scenes)


# ----------------------------------------------------------------------------- scenarios, machines


class _Enough(Exception):
    """As many calls were made as are looked at."""


@dataclass
class _Onlooker(Lab):
    """A lab that keeps every call with the state before it."""

    scenes: list[Scene] = field(default_factory=list)

    def prepared(
        self, interface: str, args: Mapping[str, Any], process: int | None = None
    ) -> Call | None:
        """Return the call, or None if it is not to be made; then it is kept here."""
        call = super().prepared(interface, args, process)
        if call is None and interface in self.setting.interfaces:
            actor = self.process if process is None else process
            parsed = self.setting.interfaces[interface].parse(args)
            self.scenes.append(Scene(self.world, parsed, None, actor))
        return call

    def take(
        self, call: Call, args: Mapping[str, Any], outcome: Outcome, process: int | None = None
    ) -> Returned:
        """Judge a call, and keep it."""
        before, actor = self.world, self.process if process is None else process
        result = super().take(call, args, outcome, process)
        if not (isinstance(outcome, Answered) and failed_on_request(outcome)):
            self.scenes.append(Scene(before, call, result, actor))
        if len(self.scenes) >= LONGEST:
            raise _Enough
        return result

    def _had_again(self, call: Call, result: Returned, before: State) -> None:
        """Take no account: a model that refuses on a whim has no reason that could go away."""


def _fresh(setting: Setting) -> _Onlooker:
    lab = _Onlooker(setting, "stage", Tally())
    for actor in ACTORS:
        lab.actor(actor)
    return lab


def _flows(setting: Setting) -> Iterator[tuple[Scene, ...]]:
    for scenario in SCENARIOS.values():
        with _fresh(setting) as lab, suppress(Broken, HarnessError, _Enough):
            scenario.flow(lab)
        yield tuple(lab.scenes)


def _turns(setting: Setting, examples: int) -> Iterator[tuple[Scene, ...]]:
    for number, area in enumerate(AREAS):
        labs: list[_Onlooker] = []

        def lab(labs: list[_Onlooker] = labs) -> Lab:
            labs.append(_fresh(setting))
            return labs[-1]

        hunt = Hunt(lab, math.inf, area=area)
        hunt_with_machine(hunt, SEED + number, examples=examples)
        yield from (tuple(each.scenes) for each in labs)
