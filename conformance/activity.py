"""Activities: the pieces of a run, each by name, so that they can be done in other processes.

An activity opens labs on the session of its process, does its part and gives back counts and
failures. It never decides a verdict.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from halcert.adapters.errors import AdapterError, RequestRefused
from halcert.conformance import replay, scenarios, witness
from halcert.conformance.draw import RandomDraw
from halcert.conformance.experiments import EXPERIMENTS, Experiment
from halcert.conformance.lab import Broken, Lab, Setting
from halcert.conformance.outcomes import HarnessError
from halcert.conformance.reduce import reduced
from halcert.conformance.tally import Tally
from halcert.results import TraceStep

Cause = tuple[str, str, str]
TRIES = 3
"""How often fewer calls of threads are tried: whether they fail depends on luck."""


class Activity(msgspec.Struct, frozen=True):
    """One piece of a run.

    Attributes:
        name: name of the test item, such as ``witness[SVM-ALLOC-002]``.
        kind: witness, scenario, machine or concurrent.
        area: area that it belongs to.
        seed: seed of its choices.
        seconds: how long it may take, for those that have no end of their own.
        steps: calls of a witness.
        side: for the witness of a boundary, which comparison and on which side of it.
    """

    name: str
    kind: str
    area: str
    seed: int = 0
    seconds: float = 10.0
    steps: tuple[TraceStep, ...] = ()
    side: str = ""


class Failure(msgspec.Struct, frozen=True):
    """A broken rule with the smallest trace that was found.

    Attributes:
        rule: id of the rule.
        strength: strength of what is broken.
        interface: interface that is at fault.
        shape: how it is broken.
        allowed: what was allowed.
        came: what came.
        steps: the calls.
        seconds: seconds from the start of the activity until it was met.
        repeated: how many of the repetitions met it again.
        repetitions: how often it was repeated, without those that went another way and met
            nothing, so that they show nothing.
    """

    rule: str
    strength: str
    interface: str
    shape: str
    allowed: str
    came: str
    steps: tuple[TraceStep, ...]
    seconds: float
    repeated: int
    repetitions: int

    @property
    def cause(self) -> Cause:
        """What identifies the failure."""
        return self.rule, self.interface, self.shape


class Done(msgspec.Struct, frozen=True):
    """What an activity gives back.

    Attributes:
        activity: name of the activity.
        tally: what it has seen.
        failures: what it found.
        seconds: how long it took.
        trouble: what went wrong with the suite or the adapter; empty if nothing.
        cut: the activity was ended from outside; what it had found until then is there.
    """

    activity: str
    tally: Tally
    failures: tuple[Failure, ...]
    seconds: float
    trouble: str = ""
    cut: bool = False


class Effort(msgspec.Struct, frozen=True):
    """How much to do about a failure.

    Attributes:
        shrink: seconds that hypothesis may look for a smaller example.
        reduce: seconds to make a trace smaller.
        repetitions: how often to repeat the smallest trace.
    """

    shrink: float = 3.0
    reduce: float = 4.0
    repetitions: int = 3


NOTHING = Effort(shrink=0.0, reduce=0.0, repetitions=0)
"""For those who only ask whether there is a failure."""


def perform(setting: Setting, activity: Activity, known: set[Cause], effort: Effort) -> Done:
    """Do an activity; whatever the implementation does, this returns."""
    tally = Tally()
    started = time.monotonic()
    failures: list[Failure] = []
    trouble = ""
    cut = False

    def lab() -> Lab:
        return Lab(setting, activity.name, tally)

    try:
        for broken in _DO[activity.kind](lab, activity, known, effort):
            if broken.cause in known:
                continue
            known.add(broken.cause)
            failures.append(_as_met(broken, time.monotonic() - started))
            failures[-1] = _followed_up(setting, broken, failures[-1], effort)
    except (AdapterError, HarnessError) as error:
        trouble = str(error)
    except Exception as error:  # noqa: BLE001 - a fault of the suite must not end the run
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        trouble = f"{type(error).__name__} in {where}: {error}"
    except BaseException:  # noqa: BLE001 - ended from outside; the caller sees that it was cut
        cut = True
    seconds = time.monotonic() - started
    return Done(activity.name, tally, tuple(failures), seconds, trouble, cut)


def _as_met(broken: Broken, seconds: float) -> Failure:
    violation = broken.violation
    return Failure(
        rule=violation.rule,
        strength=violation.strength.value,
        interface=broken.interface,
        shape=violation.shape,
        allowed=violation.allowed,
        came=violation.came,
        steps=broken.steps,
        seconds=seconds,
        repeated=0,
        repetitions=0,
    )


def _followed_up(setting: Setting, broken: Broken, met: Failure, effort: Effort) -> Failure:
    """Make the trace small and see whether it fails again."""

    def again(
        steps: Sequence[TraceStep], departures: replay.Departures | None = None
    ) -> Broken | None:
        with Lab(setting, "repetition", Tally()) as lab:
            return replay.repeat(lab, steps, departures)

    def with_luck(steps: Sequence[TraceStep]) -> Broken | None:
        met = (again(steps) for _ in range(TRIES))
        try:
            return next((each for each in met if each is not None), None)
        except RequestRefused:  # a thread is left with what another one was to get for it
            return None

    if effort.reduce > 0:
        threaded = any(step.thread for step in broken.steps)
        broken = reduced(broken, with_luck if threaded else again, effort.reduce)
    repeated = repetitions = 0
    for _ in range(effort.repetitions):
        departures = replay.Departures()
        met_again = again(broken.steps, departures)
        repeated += met_again is not None and met_again.cause == broken.cause
        repetitions += met_again is not None or not departures
    return msgspec.structs.replace(
        _as_met(broken, met.seconds), repeated=repeated, repetitions=repetitions
    )


Doing = Callable[[Callable[[], Lab], Activity, set[Cause], Effort], "list[Broken]"]


def _caught(lab: Lab, action: Callable[[], Any]) -> list[Broken]:
    with lab:
        try:
            action()
        except Broken as broken:
            return [broken]
    return []


def _witness(lab: Callable[[], Lab], activity: Activity, *_: object) -> list[Broken]:
    fresh = lab()
    return _caught(fresh, lambda: _carried_out(fresh, activity))


def _carried_out(lab: Lab, activity: Activity) -> None:
    if witness.carry_out(lab, activity.steps) and activity.side:
        rule = _inner_name(activity).partition(":")[0]
        lab.tally.edge(rule, activity.side)


def _scenario(lab: Callable[[], Lab], activity: Activity, *_: object) -> list[Broken]:
    fresh = lab()
    scenario = scenarios.SCENARIOS[_inner_name(activity)]
    return _caught(fresh, lambda: scenario.flow(fresh))


def _inner_name(activity: Activity) -> str:
    return activity.name.removeprefix(f"{activity.kind}[").removesuffix("]")


def _machine(
    lab: Callable[[], Lab], activity: Activity, known: set[Cause], effort: Effort
) -> list[Broken]:
    # It brings hypothesis, which only those need who let a machine run.
    from halcert.conformance import machine

    until = time.monotonic() + activity.seconds
    hunt = machine.Hunt(lab, until, effort.shrink, set(known), activity.area)
    machine.hunt_with_machine(hunt, activity.seed)
    return [hunt.found] if hunt.found is not None else []


def _concurrent(
    lab: Callable[[], Lab], activity: Activity, known: set[Cause], _effort: Effort
) -> list[Broken]:
    draw = RandomDraw(activity.seed)
    experiment = EXPERIMENTS[_inner_name(activity)]
    until = time.monotonic() + activity.seconds
    found: list[Broken] = []
    while not found and time.monotonic() < until:
        met = _caught_in(lab(), experiment, draw)
        met = [_one_after_the_other(lab(), broken) or broken for broken in met]
        found = [broken for broken in met if broken.cause not in known]
    return found


def _caught_in(lab: Lab, experiment: Experiment, draw: RandomDraw) -> list[Broken]:
    return _caught(lab, lambda: experiment.run(lab, draw))


def _one_after_the_other(lab: Lab, broken: Broken) -> Broken | None:
    """Return how a program of threads fails when its calls are made one by one, if it does.

    Then threads have nothing to do with it, and the trace can be made small.
    """
    steps = [msgspec.structs.replace(step, thread=0) for step in broken.steps]
    with lab:
        return replay.repeat(lab, steps)


_DO: dict[str, Doing] = {
    "witness": _witness,
    "scenario": _scenario,
    "machine": _machine,
    "concurrent": _concurrent,
}
