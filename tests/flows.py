"""Flows that tests carry out once more, for some purpose of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from halcert.conformance.lab import Lab, Setting
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.tally import Tally
from halcert.results import Outcome, TraceStep
from halcert.spec.catalogue import areas_of
from halcert.spec.language import Call, Returned

ENDLESS = frozenset({"names-never-come-back"})
"""Seventeen thousand calls, of which `many-names` makes a few hundred."""

BY_LUCK = frozenset({"memory-is-used-again-late-enough", "neighbours-are-used-again-late-enough"})
"""Flows in which the time decides whether memory of a pool is there again."""


def flows_of(*libraries: str) -> list[str]:
    """Return the names of flows that call some libraries and have an end, sorted."""
    areas = {area for library in libraries for area in areas_of(library)}
    return sorted({name for name, each in SCENARIOS.items() if each.area in areas} - ENDLESS)


class _Enough(BaseException):
    """A flow has made as many calls as are wanted."""


class _Beginning(Lab):
    """A lab that ends a flow after some calls, but not among those of threads."""

    most: int

    def take(
        self, call: Call, args: Mapping[str, Any], outcome: Outcome, process: int | None = None
    ) -> Returned:
        result = super().take(call, args, outcome, process)
        if len(self.steps) >= self.most:
            raise _Enough
        return result


def beginning(
    setting: Setting, name: str, flow: Callable[[Lab], object], most: int
) -> tuple[TraceStep, ...]:
    """Carry a flow out, a long one in part, and return its calls.

    The longest flows make the same calls thousands of times, in states that differ.
    """
    with _Beginning(setting, name, Tally()) as lab, suppress(_Enough):
        lab.most = most
        flow(lab)
    return tuple(lab.steps)
