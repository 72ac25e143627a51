"""Contents of memory as ranges: what should be there, and where it is not."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

from halcert.reports import human
from halcert.results import Answered
from halcert.results.story import StoryStep, Stretch
from halcert.spec.pattern import pattern_bytes

SHOWN = 8
"""Bytes of a wrong range that are shown."""
CLOSE = 16
"""Right bytes between two wrong ones that do not make two ranges of them."""


@dataclass(frozen=True)
class Difference:
    """A range of bytes that are not what they should be.

    Attributes:
        start: first wrong byte.
        end: behind the last wrong one.
        wrong: how many are wrong.
        found: the first bytes as they are.
        expected: the same as they should be.
    """

    start: int
    end: int
    wrong: int
    found: bytes
    expected: bytes


def rendered(stretch: Stretch) -> bytes:
    """Return the bytes of a stretch."""
    if stretch.pattern is None:
        return bytes([stretch.value]) * stretch.length
    return pattern_bytes(stretch.pattern, stretch.value, stretch.length)


def told_stretch(stretch: Stretch) -> str:
    """Return in words what a stretch should hold, and who wrote it."""
    by = f", written by call {stretch.author}" if stretch.author else ""
    if stretch.pattern is None:
        return f"{stretch.value:#04x} throughout{by}"
    offset = f" from its byte {stretch.value} on" if stretch.value else ""
    return f"pattern {stretch.pattern}{offset} ({rendered(stretch)[:SHOWN].hex(' ')} ...){by}"


def differences(each: StoryStep) -> list[Difference]:
    """Return where the bytes that a call gave differ from what they should be."""
    data = data_of(each)
    if data is None or each.demand is None:
        return []
    found: list[Difference] = []
    for stretch in each.demand.stretches:
        found += _ranges(data[stretch.start : stretch.start + stretch.length], stretch)
    return found


def data_of(each: StoryStep) -> bytes | None:
    """Return the bytes that a call gave, if it gave any."""
    outcome = each.step.outcome
    data: Any = outcome.out.get("data") if isinstance(outcome, Answered) else None
    return base64.b64decode(data) if isinstance(data, str) else data


def _ranges(data: bytes, stretch: Stretch) -> list[Difference]:
    expected = rendered(stretch)
    if data == expected:
        return []
    wrong = [i for i, (a, b) in enumerate(zip(data, expected, strict=False)) if a != b]
    groups: list[list[int]] = []
    for place in wrong:
        if groups and place - groups[-1][-1] <= CLOSE:
            groups[-1].append(place)
        else:
            groups.append([place])
    return [
        Difference(
            stretch.start + group[0],
            stretch.start + group[-1] + 1,
            len(group),
            data[group[0] : min(group[-1] + 1, group[0] + SHOWN)],
            expected[group[0] : min(group[-1] + 1, group[0] + SHOWN)],
        )
        for group in groups
    ]


def contents(stretches: tuple[Stretch, ...], size: int) -> str:
    """Return the contents of a block in a few words: ranges and what they hold."""
    if not stretches:
        return "unknown"
    parts = [_part(each, size) for each in stretches[:MOST]]
    if len(stretches) > MOST:
        parts.append(f"and {human.count(len(stretches) - MOST, 'more range')}")
    return ", ".join(parts)


MOST = 3
"""Ranges of a block that a table shows."""


def _part(stretch: Stretch, size: int) -> str:
    what = f"{stretch.value:#04x}" if stretch.pattern is None else f"pattern {stretch.pattern}"
    if stretch.pattern is not None and stretch.value:
        what += f"+{stretch.value}"
    whole = stretch.start == 0 and stretch.length >= size
    return what if whole else f"[{stretch.start}, {stretch.start + stretch.length}) {what}"
