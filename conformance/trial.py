"""Trying a trace on an implementation that a user chose, as often as it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from halcert.conformance.lab import Broken, Lab
from halcert.conformance.registry import adapter_named
from halcert.conformance.replay import Departures, repeat
from halcert.conformance.run import Choice, target_of
from halcert.conformance.tally import Tally
from halcert.conformance.target import setting_of
from halcert.results import TraceStep


class Trial(NamedTuple):
    """One repetition.

    Attributes:
        broken: the failure that was met, or None.
        steps: the calls that were made.
        departures: where it did not go the way of the trace.
    """

    broken: Broken | None
    steps: tuple[TraceStep, ...]
    departures: Departures

    @property
    def is_void(self) -> bool:
        """Whether it shows nothing: it met no failure, but went another way than the trace."""
        return self.broken is None and bool(self.departures)


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
                departures = Departures()
                broken = repeat(lab, steps, departures)
                yield Trial(broken, tuple(lab.steps), departures)


def tried(choice: Choice, steps: Sequence[TraceStep]) -> Trial:
    """Repeat calls once and return what came of it."""
    return next(trials(choice, steps, 1))
