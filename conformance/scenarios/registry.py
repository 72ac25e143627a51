"""What a scenario is, and the table of all of them by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from halcert.conformance.lab import Lab

Flow = Callable[[Lab], None]


@dataclass(frozen=True)
class Scenario:
    """A flow that the documents describe.

    Attributes:
        area: the area that it is about; it runs when that area is asked for. It may call what
            the area uses, too.
        flow: makes the calls.
    """

    area: str
    flow: Flow


SCENARIOS: dict[str, Scenario] = {}


def scenarios_of(area: str, *flows: Flow) -> dict[str, Scenario]:
    """Return scenarios of an area under the names of their functions."""
    return {flow.__name__.replace("_", "-"): Scenario(area, flow) for flow in flows}


def gave(result: Any, field: str) -> int | None:
    """Return an output of a successful call, or None if it was refused or not made."""
    if result is None or result.code != 0:
        return None
    return int(getattr(result, field))
