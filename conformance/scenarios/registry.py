"""What a scenario is, and the table of all of them by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halcert.conformance.lab import Lab

Scenario = Callable[[Lab], None]
SCENARIOS: dict[str, Scenario] = {}


def gave(result: Any, field: str) -> int | None:
    """Return an output of a successful call, or None if it was refused or not made."""
    if result is None or result.code != 0:
        return None
    return int(getattr(result, field))
