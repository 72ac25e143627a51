"""Repeating a trace: the same calls on a fresh implementation, judged anew."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import groupby

from halcert.conformance.book import resolve
from halcert.conformance.concurrent import Planned, run_program
from halcert.conformance.lab import Broken, Lab
from halcert.results import TraceStep


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
    inside = frozenset(step.number for step in steps)
    outputs = lab.given(numbers)
    threads: dict[int, list[Planned]] = {}
    for step in steps:
        try:
            args = resolve(step.args, outputs, inside)
        except KeyError:
            continue
        threads.setdefault(step.thread, []).append(Planned(step.number, step.interface, args))
    run_program(lab, list(threads.values()))
    numbers.update({number: number for number in inside if number in lab.outputs})
