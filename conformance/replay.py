"""Repeating a trace: the same calls on a fresh implementation, judged anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby
from typing import Any

import msgspec

from halcert.conformance.book import resolve
from halcert.conformance.concurrent import Planned, Program, run_program
from halcert.conformance.lab import Broken, Lab
from halcert.results import Answered, TraceStep


class Fate(Enum):
    """What has become of the fault that a trace shows."""

    STILL_THERE = "still there"
    FLAKY = "flaky: there"
    CHANGED = "changed"
    GONE = "gone"
    NOT_TRIED = "could not be tried"


@dataclass
class Departures:
    """Where a repetition did not go the way of its trace, without breaking a rule by that.

    Attributes:
        left_out: calls of the trace that were not made.
        refused: calls that succeeded in the trace and were refused now, as they may be, with
            what came now. The last call is none: nothing depends on it.
    """

    left_out: list[TraceStep] = field(default_factory=list)
    refused: list[TraceStep] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Tell whether there are any, so that what the trace shows may not have been reached."""
        return bool(self.left_out or self.refused)


def is_same(way: tuple[str, str], cause: tuple[str, str]) -> bool:
    """Tell whether a failure, by rule and shape, is the one that a trace shows.

    A trace that names no rule, or of which the shape is not known, leaves that open.
    """
    return all(not known or known == met for known, met in zip(cause, way, strict=True))


def fate_of(
    failures: Sequence[Broken | None], rule: str, shape: str = "", *, departed: bool = False
) -> Fate:
    """Return what has become of a fault, from what repetitions of its trace met.

    Args:
        failures: what each repetition met.
        rule: id of the rule that the trace breaks; empty if that is not known.
        shape: how it is broken; empty if that is not known.
        departed: some repetition that met nothing did not go the way of the trace.
    """
    ways = [(each.violation.rule, each.violation.shape) for each in failures if each is not None]
    same = [way for way in ways if is_same(way, (rule, shape))]
    if not ways:
        return Fate.NOT_TRIED if departed else Fate.GONE
    if not same:
        return Fate.CHANGED
    return Fate.STILL_THERE if len(same) == len(failures) else Fate.FLAKY


def repeat(
    lab: Lab, steps: Sequence[TraceStep], departures: Departures | None = None
) -> Broken | None:
    """Make the calls of a trace in a fresh lab; those of several threads together.

    References are resolved to what the calls give this time. A call whose references lead
    nowhere, or about which nothing is promised this time, is left out.

    Args:
        lab: the lab.
        steps: the calls of the trace.
        departures: where to note what did not go as it did in the trace.

    Returns:
        The failure that was met, or None.
    """
    numbers: dict[int, int] = {}
    noted = Departures() if departures is None else departures
    try:
        for threaded, run in groupby(steps, key=lambda step: step.thread > 0):
            if threaded:
                _together(lab, list(run), numbers, noted)
            else:
                _one_by_one(lab, list(run), numbers, noted)
    except Broken as broken:
        return broken
    noted.refused = [each for each in noted.refused if each.number != steps[-1].number]
    return None


def _one_by_one(
    lab: Lab, steps: Sequence[TraceStep], numbers: dict[int, int], noted: Departures
) -> None:
    for step in steps:
        try:
            args = resolve(step.args, lab.given(numbers))
        except KeyError:
            noted.left_out.append(step)
            continue
        with lab.observing(step.actor) if step.observing else nullcontext():
            made = lab.call(step.interface, step.actor, **args)
        if made is None:
            noted.left_out.append(step)
            continue
        numbers[step.number] = len(lab.steps)
        if made.code != 0 and isinstance(step.outcome, Answered) and step.outcome.code == 0:
            now = msgspec.structs.replace(step, outcome=lab.steps[-1].outcome)
            noted.refused.append(now)


def _together(
    lab: Lab, steps: Sequence[TraceStep], numbers: dict[int, int], noted: Departures
) -> None:
    # Which of the calls succeed depends on luck, so none of them counts as refused.
    program = program_of(steps, lab.given(numbers))
    planned = {each.number for calls in program for each in calls}
    noted.left_out += [step for step in steps if step.number not in planned]
    if program:
        run_program(lab, program)
    numbers.update({step.number: step.number for step in steps if step.number in lab.outputs})


def program_of(steps: Sequence[TraceStep], outputs: Mapping[int, Mapping[str, Any]]) -> Program:
    """Return the calls of several threads as a program, thread by thread.

    Args:
        steps: the calls of the threads.
        outputs: what calls before them gave, by number.
    """
    inside = frozenset(step.number for step in steps)
    threads: dict[int, list[Planned]] = {}
    for step in steps:
        try:
            args = resolve(step.args, outputs, inside)
        except KeyError:
            continue
        threads.setdefault(step.thread, []).append(Planned(step.number, step.interface, args))
    return list(threads.values())
