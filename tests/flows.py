"""Flows that tests carry out once more, for some purpose of their own."""

from __future__ import annotations

from halcert.conformance.scenarios import SCENARIOS
from halcert.spec.catalogue import areas_of

ENDLESS = frozenset({"names-never-come-back"})
"""Seventeen thousand calls, of which `many-names` makes a few hundred."""

BY_LUCK = frozenset({"memory-is-used-again-late-enough", "neighbours-are-used-again-late-enough"})
"""Flows in which the time decides whether memory of a pool is there again."""


def flows_of(*libraries: str) -> list[str]:
    """Return the names of flows that call some libraries and have an end, sorted."""
    areas = {area for library in libraries for area in areas_of(library)}
    return sorted({name for name, each in SCENARIOS.items() if each.area in areas} - ENDLESS)
