"""The same calls on two implementations: the one makes them, the other repeats them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

import halcert
from halcert.adapters.errors import RequestRefused
from halcert.adapters.protocol import Description
from halcert.conformance import machine, witness
from halcert.conformance.activity import Activity
from halcert.conformance.book import resolve
from halcert.conformance.campaign import directed
from halcert.conformance.contrasts import Contrasts
from halcert.conformance.lab import Broken, Lab, Setting
from halcert.conformance.registry import adapter_named, adapter_names
from halcert.conformance.run import Choice, UsageError, known_areas, known_profile
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.tally import Tally
from halcert.conformance.target import Target, setting_of
from halcert.conformance.witness import witness_activities
from halcert.model.digest import spec_digest
from halcert.results import Answered, Implementation, TraceStep
from halcert.results.comparison import Comparison, Fault, Side

SLICE = 1.0
"""Seconds for which a machine makes calls before they are repeated."""
LEFT, RIGHT = "left", "right"
KEYS = ("adapter", "library", "fault", "profile")


def choice_of(text: str, areas: tuple[str, ...]) -> Choice:
    """Return what a side names: an adapter or a library, and options as ``key=value``.

    Raises:
        UsageError: it is not of that form, or product or area is unknown.
    """
    given: dict[str, str] = {}
    for number, part in enumerate(each.strip() for each in text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            if number or not part:
                raise UsageError(f"{text!r}: {part!r} is not of the form key=value")
            key, value = ("library" if "/" in part or part.endswith(".so") else "adapter"), part
        if key not in KEYS:
            raise UsageError(f"{text!r}: there is no {key!r}; known are: {', '.join(KEYS)}")
        if key in given:
            raise UsageError(f"{text!r}: {key} is given twice")
        given[key] = value
    return Choice(
        adapter=given.get("adapter", "hal"),
        library=given.get("library"),
        fault=given.get("fault"),
        profile=known_profile(given.get("profile", "ascend910b")),
        areas=known_areas(areas, given.get("adapter", "hal")),
    )


def sides(left: str, right: str, areas: tuple[str, ...]) -> tuple[Choice, Choice]:
    """Return what the two sides name, each with the areas that both can call.

    Args:
        left: the one, as for `choice_of`.
        right: the other.
        areas: names of the areas; none for all that both can call.

    Raises:
        UsageError: a side is wrong, or the two have no area in common; says which.
    """
    one, other = _side_named(LEFT, left, areas), _side_named(RIGHT, right, areas)
    common = tuple(area for area in one.areas if area in other.areas)
    if not common:
        raise UsageError(
            f"there is nothing to compare: --left {left} calls {', '.join(one.areas)}, "
            f"and --right {right} calls {', '.join(other.areas)}"
        )
    return replace(one, areas=common), replace(other, areas=common)


def _side_named(side: str, text: str, areas: tuple[str, ...]) -> Choice:
    try:
        choice = choice_of(text, areas)
    except UsageError as error:
        raise UsageError(f"--{side}: {error}") from error
    if choice.adapter not in adapter_names():
        file = f"; for the file write ./{choice.adapter}" if Path(choice.adapter).is_file() else ""
        raise UsageError(
            f"--{side}: {choice.adapter!r} is neither an adapter ({', '.join(adapter_names())}) "
            f"nor the path of a library, which has a / in it or ends in .so{file}"
        )
    return choice


@dataclass
class Pair:
    """Two implementations side by side.

    Attributes:
        left: makes the calls.
        right: repeats them.
        contrasts: where the answers differ.
        faults: how often either broke a rule, with how.
        compared: number of calls that both answered.
        left_out: number of calls that the right did not make, or not in the same state.
    """

    left: Setting
    right: Setting
    contrasts: Contrasts = field(default_factory=Contrasts)
    faults: Counter[Fault] = field(default_factory=Counter)
    compared: int = 0
    left_out: int = 0

    def do(self, activity: Activity) -> None:
        """Let the left do an activity, and the right repeat its calls."""
        for lab in self._played(activity):
            self._follow(activity.name, lab.steps)

    def _played(self, activity: Activity) -> list[Lab]:
        """Return the labs in which the left did an activity, with the calls that it made."""
        labs: list[Lab] = []

        def fresh() -> Lab:
            labs.append(Lab(self.left, activity.name, Tally()))
            return labs[-1]

        if activity.kind == "machine":
            until = time.monotonic() + activity.seconds
            hunt = machine.Hunt(fresh, until, area=activity.area)
            machine.hunt_with_machine(hunt, activity.seed)
            broken = hunt.found
        else:
            with fresh() as lab:
                broken = _broken_by(lab, activity)
        if broken is not None:
            self._blame(LEFT, broken)
        return labs

    def _follow(self, origin: str, steps: Sequence[TraceStep]) -> None:
        """Repeat the calls of the left on the right, and compare the answers."""
        numbers: dict[int, int] = {}
        with Lab(self.right, origin, Tally()) as lab:
            for place, step in enumerate(steps, start=1):
                outputs = {o: lab.outputs[n] for o, n in numbers.items() if n in lab.outputs}
                try:
                    args = resolve(step.args, outputs)
                except KeyError:
                    self.left_out += 1
                    continue
                rules = self._refusing(lab, step, args)
                try:
                    with lab.observing(step.actor) if step.observing else nullcontext():
                        made = lab.call(step.interface, step.actor, **args)
                except Broken as broken:
                    self._blame(RIGHT, broken)
                    return
                except RequestRefused:  # C has no room for what the right gave in its place
                    made = None
                if made is None:
                    self.left_out += 1
                    continue
                numbers[step.number] = len(lab.steps)
                self._compare(step, lab.steps[-1], rules, steps[:place], origin)
                if _parted(step, lab.steps[-1]):
                    self.left_out += len(steps) - place
                    return

    def _refusing(self, lab: Lab, step: TraceStep, args: dict[str, object]) -> tuple[str, ...]:
        """Return the rules that refuse a call or may do so, as things stand on the right."""
        call = self.right.interfaces[step.interface].parse(args)
        held = self.right.oracle.rules(step.interface).holding(call, lab.view(step.actor))
        return tuple(rule.id for rule in held)

    def _compare(
        self,
        left: TraceStep,
        right: TraceStep,
        rules: tuple[str, ...],
        steps: Sequence[TraceStep],
        origin: str,
    ) -> None:
        if isinstance(left.outcome, Answered) and isinstance(right.outcome, Answered):
            self.compared += 1
            interface = self.left.interfaces[left.interface]
            self.contrasts.take(interface, left.outcome, right.outcome, rules, steps, origin)

    def _blame(self, side: str, broken: Broken) -> None:
        violation = broken.violation
        rule, interface, shape = broken.cause
        known = (each for each in self.faults if (each.side, each.rule) == (side, rule))
        same = next((f for f in known if (f.interface, f.shape) == (interface, shape)), None)
        strength = violation.strength.value
        fault = same or Fault(side, rule, interface, shape, strength, violation.came)
        self.faults[fault] += 1

    def symbols(self) -> None:
        """Note which symbols only one of the two has."""
        for name in self.left.interfaces:
            left, right = self.left.session.offers(name), self.right.session.offers(name)
            if left != right:
                self.contrasts.lacks(name, left=left, right=right)


def _parted(left: TraceStep, right: TraceStep) -> bool:
    """Tell whether a call had its effect on one side only; then all that follows differs, too."""
    codes = [s.outcome.code for s in (left, right) if isinstance(s.outcome, Answered)]
    return len({code == 0 for code in codes}) > 1


def _broken_by(lab: Lab, activity: Activity) -> Broken | None:
    try:
        if activity.kind == "scenario":
            name = activity.name.removeprefix("scenario[").removesuffix("]")
            SCENARIOS[name].flow(lab)
        else:
            witness.carry_out(lab, activity.steps)
    except Broken as broken:
        return broken
    return None


def activities(target: Target, seed: int, budget: float) -> Iterator[Activity]:
    """Iterate over what the left does: flows, witnesses, then machines until time is up."""
    found = directed(target, seed, witness_activities(target.areas, target.profile))
    until = time.monotonic() + budget  # working out witnesses is not part of it
    for activity in found:
        if activity.kind in ("scenario", "witness"):
            if time.monotonic() > until:
                return
            yield activity
    number = 0
    while time.monotonic() + SLICE / 2 < until:
        area = target.areas[number % len(target.areas)]
        yield Activity(f"machine[{number}]", "machine", area, seed * 10_007 + number, SLICE)
        number += 1


def compared(
    names: tuple[str, str],
    targets: tuple[tuple[Target, Description], tuple[Target, Description]],
    *,
    seed: int,
    budget: float,
    command: str,
    begin: Callable[[Activity, Pair], None] = lambda _, __: None,
) -> Comparison:
    """Make the same calls on two implementations; Ctrl-C ends that, not the result.

    Args:
        names: what the user called them.
        targets: the two, each with its adapter's description.
        seed: seed of all choices.
        budget: seconds for making calls.
        command: command line that repeats it.
        begin: called before each test.

    Raises:
        AdapterError: one of the two cannot be started.
    """
    started = time.monotonic()
    (target, about), (other, about_other) = targets
    tests = 0
    with (
        adapter_named(target.adapter).open(target.profile, target.options) as session,
        adapter_named(other.adapter).open(other.profile, other.options) as other_session,
    ):
        pair = Pair(setting_of(target, session), setting_of(other, other_session))
        pair.symbols()
        try:
            for activity in activities(target, seed, budget):
                begin(activity, pair)
                pair.do(activity)
                tests += 1
        except KeyboardInterrupt:
            pass
    return Comparison(
        left=_side(names[0], target, about),
        right=_side(names[1], other, about_other),
        areas=target.areas,
        contrasts=pair.contrasts.found(),
        faults=tuple(
            msgspec.structs.replace(fault, count=count)
            for fault, count in sorted(pair.faults.items(), key=lambda each: -each[1])
        ),
        compared=pair.compared,
        left_out=pair.left_out,
        tests=tests,
        seed=seed,
        seconds=round(time.monotonic() - started, 2),
        command=command,
        halcert=halcert.__version__,
        spec=spec_digest(),
    )


def _side(given: str, target: Target, about: Description) -> Side:
    return Side(
        given,
        target.profile,
        Implementation(
            adapter=about.adapter,
            name=about.implementation,
            path=about.path,
            sha256=about.sha256,
            version=about.version,
            devices=target.devices,
            missing=about.missing,
        ),
    )
