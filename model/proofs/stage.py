"""Where witnesses that are written down are carried out: by the oracle, without a solver.

The oracle judges every call. What the rules say of the last one is read off their symbolic form
in the one state that the calls before it lead to, with the values of the call put in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from halcert.model.concrete import World
from halcert.model.proofs.agreement import concrete
from halcert.model.proofs.plain import Given, gifts, plain_step
from halcert.model.proofs.pleasant import Instance
from halcert.model.proofs.rehearsal import objections_at_the_end, oracle_of
from halcert.model.proofs.specimens import assignment_of, spoken
from halcert.model.proofs.tokens import functions_of
from halcert.model.proofs.witness import Step
from halcert.model.proofs.words import DEVICES, LAST, PIDS
from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.state import known_state
from halcert.model.symbolic.term import Term
from halcert.model.symbolic.values import variables
from halcert.spec.catalogue import interfaces
from halcert.spec.profiles import Profile

STATE = "start"
"""What the symbolic form of a known state is named after."""


class Scene(NamedTuple):
    """What some calls lead to.

    Attributes:
        world: the state.
        views: its symbolic form, as each process sees it.
        steps: the calls as plain data.
        given: what they gave.
        functions: what unknown functions mean there.
    """

    world: World
    views: tuple[Any, ...]
    steps: tuple[Step, ...]
    given: tuple[Given, ...]
    functions: dict[str, Callable[..., int]]


class Stage:
    """Carries calls out that begin in the initial state; what begins alike is carried out once.

    Attributes:
        profile: the product.
    """

    def __init__(self, profile: Profile) -> None:
        """Take the product."""
        self.profile = profile
        self._oracle = oracle_of(profile)
        self._interfaces = interfaces()
        self._scenes: dict[tuple[str, ...], Scene | None] = {
            (): _scene(World.start(DEVICES, PIDS), (), ())
        }
        self._readings: dict[tuple[tuple[str, ...], str, int], Reading] = {}

    def instance(self, calls: tuple[str, ...]) -> Instance | None:
        """Return the witness of some calls, or None if the rules let one of them not be."""
        found = self._played(calls, LAST)
        if found is None:
            return None
        scene, reading, value = found
        step = plain_step(reading, value, scene.given, last=True)
        call, result = (concrete(each.value, value) for each in (reading.call, reading.result))
        objections = objections_at_the_end(self._oracle, scene.world, call, result, step)
        return Instance((*scene.steps, step), next(objections, ""), reading, value, calls)

    def _scene(self, calls: tuple[str, ...]) -> Scene | None:
        if calls not in self._scenes:
            self._scenes[calls] = self._next(calls)
        return self._scenes[calls]

    def _next(self, calls: tuple[str, ...]) -> Scene | None:
        """Return what calls lead to that are all accepted."""
        found = self._played(calls, str(len(calls)))
        if found is None:
            return None
        scene, reading, value = found
        if not value(reading.result.bounds):
            return None
        name, process = reading.interface.name, reading.process
        call, result = (concrete(each.value, value) for each in (reading.call, reading.result))
        if self._oracle.undefined(name, call, scene.world, process) is not None:
            return None
        succeeded = msgspec.structs.replace(result, code=0)
        judged = self._oracle.judge(scene.world, call, succeeded, process=process)
        if judged.violation is not None:
            return None
        step = plain_step(reading, value, scene.given, last=False)
        after = _scene(judged.world, (*scene.steps, step), scene.given)
        more = gifts(len(calls), reading, after.views, value)
        return after._replace(given=(*scene.given, *more))

    def _played(self, calls: tuple[str, ...], name: str) -> tuple[Scene, Reading, Evaluator] | None:
        """Return the last call, if its arguments are possible ones, and where it is made."""
        scene = self._scene(calls[:-1])
        last = spoken(calls[-1])
        if scene is None or last.interface not in self._interfaces:
            return None
        key = calls[:-1], last.interface, last.process
        if key not in self._readings:
            self._readings[key] = self._reading(scene, last.interface, last.process, name)
        reading = self._readings[key]
        values: dict[Term, int | bool] = assignment_of(last, reading)
        value = Evaluator(values, scene.functions)
        return (scene, reading, value) if value(reading.call.bounds) else None

    def _reading(self, scene: Scene, name: str, process: int, number: str) -> Reading:
        interface = self._interfaces[name]
        call = variables(interface.call, f"{number}:{name}")
        result = variables(interface.result, f"{number}:{name}=")
        return Reading(interface, self.profile, scene.views[process], call, result, process)


def _scene(world: World, steps: tuple[Step, ...], given: tuple[Given, ...]) -> Scene:
    views = tuple(known_state(each, STATE) for each in world.views.values())
    contents = next(iter(world.views.values())).contents
    return Scene(world, views, steps, given, functions_of(contents, STATE))
