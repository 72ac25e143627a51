"""Repeating a trace: the same calls on a fresh implementation, judged anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from enum import Enum
from itertools import groupby
from typing import Any

from halcert.conformance.book import resolve
from halcert.conformance.concurrent import Planned, Program, run_program
from halcert.conformance.lab import Broken, Lab
from halcert.results import TraceStep


class Fate(Enum):
    """What has become of the fault that a trace shows."""

    STILL_THERE = "still there"
    FLAKY = "flaky: there"
    CHANGED = "changed"
    GONE = "gone"


def is_same(way: tuple[str, str], cause: tuple[str, str]) -> bool:
    """Tell whether a failure, by rule and shape, is the one that a trace shows.

    A trace that names no rule, or of which the shape is not known, leaves that open.
    """
    return all(not known or known == met for known, met in zip(cause, way, strict=True))


def fate_of(failures: Sequence[Broken | None], rule: str, shape: str = "") -> Fate:
    """Return what has become of a fault, from what repetitions of its trace met."""
    ways = [(each.violation.rule, each.violation.shape) for each in failures if each is not None]
    same = [way for way in ways if is_same(way, (rule, shape))]
    if not ways:
        return Fate.GONE
    if not same:
        return Fate.CHANGED
    return Fate.STILL_THERE if len(same) == len(failures) else Fate.FLAKY


def repeat(lab: Lab, steps: Sequence[TraceStep]) -> Broken | None:
    """Make the calls of a trace in a fresh lab; those of several threads together.

    References are resolved to what the calls give this time. A call whose references lead
    nowhere, or about which nothing is promised this time, is left out.

    Returns:
        The failure that was met, or None.
    """
    numbers: dict[int, int] = {}
    try:
        for threaded, run in groupby(steps, key=lambda step: step.thread > 0):
            if threaded:
                _together(lab, list(run), numbers)
            else:
                _one_by_one(lab, list(run), numbers)
    except Broken as broken:
        return broken
    return None


def _one_by_one(lab: Lab, steps: Sequence[TraceStep], numbers: dict[int, int]) -> None:
    for step in steps:
        try:
            args = resolve(step.args, lab.given(numbers))
        except KeyError:
            continue
        with lab.observing(step.actor) if step.observing else nullcontext():
            made = lab.call(step.interface, step.actor, **args)
        if made is not None:
            numbers[step.number] = len(lab.steps)


def _together(lab: Lab, steps: Sequence[TraceStep], numbers: dict[int, int]) -> None:
    program = program_of(steps, lab.given(numbers))
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
