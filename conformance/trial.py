"""Trying a trace on an implementation that a user chose, as often as it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halcert.conformance.lab import Broken, Lab
from halcert.conformance.registry import adapter_named
from halcert.conformance.replay import repeat
from halcert.conformance.run import Choice, target_of
from halcert.conformance.tally import Tally
from halcert.conformance.target import setting_of
from halcert.results import TraceStep

Trial = tuple[Broken | None, tuple[TraceStep, ...]]
"""What was met, and the calls that were made."""


def trials(choice: Choice, steps: Sequence[TraceStep], times: int) -> Iterator[Trial]:
    """Repeat calls, each time on a fresh implementation.

    Raises:
        UsageError: adapter, profile or area is unknown, or the adapter takes no such option.
        AdapterError: the implementation cannot be started, or an argument cannot be passed.
    """
    target, _ = target_of(choice)
    with adapter_named(target.adapter).open(target.profile, target.options) as session:
        setting = setting_of(target, session)
        for _ in range(times):
            with Lab(setting, "replay", Tally()) as lab:
                broken = repeat(lab, steps)
                yield broken, tuple(lab.steps)


def tried(choice: Choice, steps: Sequence[TraceStep]) -> Broken | None:
    """Repeat calls once and return the failure that was met, or None."""
    return next(broken for broken, _ in trials(choice, steps, 1))
