"""Where a repetition of a trace did not go the way of the trace, in words."""

from __future__ import annotations

from collections.abc import Sequence

from halcert.reports.tracetext import described
from halcert.results import TraceStep

MOST = 20
"""Calls of each sort that are named; of the others it is told how many they are."""


def departures_told(
    steps: Sequence[TraceStep], refused: Sequence[TraceStep], left_out: Sequence[TraceStep]
) -> list[str]:
    """Return a line for each call that did not go as it did in a trace.

    Args:
        steps: the calls of the trace.
        refused: those that were refused now, with what came.
        left_out: those that were not made.
    """
    now = {each.number: each for each in refused}
    texts = {each.number: each for each in described(now.get(s.number, s) for s in steps)}
    lines = []
    for each in refused[:MOST]:
        text = texts[each.number]
        lines.append(f"refused, as it may be: call {each.number}, {text.call}: {text.result}")
    lines += _further("refused, as they may be", refused)
    lines += [
        f"left out: call {each.number}, {texts[each.number].call}" for each in left_out[:MOST]
    ]
    return lines + _further("left out", left_out)


def _further(word: str, steps: Sequence[TraceStep]) -> list[str]:
    return [f"{word}: {len(steps) - MOST} more"] if len(steps) > MOST else []
