"""References within arguments: which earlier calls a call speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halcert.reports.values import is_reference

PROCESS = "pid."
"""What numbers of processes are named by, which no call gives."""


def paths(value: Any) -> list[tuple[int, str]]:
    """Return what an argument refers to: numbers of calls, and paths of their outputs."""
    if is_reference(value):
        return [(int(value["$"]), str(value["field"]))]
    inner = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, Mapping | list | tuple):
        return [found for each in inner for found in paths(each)]
    return []


def makers(value: Any) -> set[int]:
    """Return the numbers of the calls that an argument refers to."""
    return {number for number, _ in paths(value)}
