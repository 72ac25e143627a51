"""How the time of a run is divided among areas: each gets some, the riskiest get most."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from halcert.conformance.activity import Activity
from halcert.results import Baseline
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.language import Strength

FLOOR = 1.0
"""Weight of an area of which nothing is known."""
CHANGED = 3.0
"""Weight that the changed lines of a change add, all areas together."""
FAILED = 1.0
"""Weight that an area gets for failing now, and half of it for having failed lately."""
UNKNOWN_RULES = 1.0
"""Weight of an area with rules that the baseline does not know."""
_NUMSTAT = re.compile(r"(\d+|-)\t(\d+|-)\t(.+)")
_RENAMED = re.compile(r"\{?[^{}]* => ([^{}]*)\}?")
_BINARY_LINES = 100
_SHOWN = 80
"""Characters of a wrong line that are shown."""
_SHORT = 0.05
"""Seconds that a test with an end of its own is expected to take."""


@dataclass(frozen=True)
class Changed:
    """A file of a change.

    Attributes:
        path: its path, after the change.
        lines: number of lines that were added or removed.
    """

    path: str
    lines: int


def read_numstat(text: str) -> list[Changed]:
    """Return the files of a change from the output of ``git diff --numstat``.

    Raises:
        ValueError: a line is none of such output; names it.
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        match = _NUMSTAT.fullmatch(line)
        if match is None:
            raise ValueError(f"line {number}: {line[:_SHOWN]!r} is no line of `git diff --numstat`")
        added, removed, path = match.groups()
        lines = _BINARY_LINES if "-" in (added, removed) else int(added) + int(removed)
        found.append(Changed(_after_rename(path), lines))
    return found


def _after_rename(path: str) -> str:
    """Return the new path where git writes ``src/{old => new}/file``."""
    if " => " not in path:
        return path
    return _RENAMED.sub(r"\1", path).replace("//", "/")


def areas_of_path(path: str, patterns: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the areas that a file belongs to; none if nothing tells.

    Args:
        path: the path of the file.
        patterns: patterns of paths with the area that each means; they come first.
    """
    told = [area for pattern, area in patterns if fnmatchcase(path, pattern)]
    if told:
        return tuple(dict.fromkeys(told))
    words = set(re.split(r"[^a-z0-9]+", path.lower()))
    return tuple(name for name in AREAS if name in words)


def weights(
    areas: Sequence[str],
    baseline: Baseline | None = None,
    changes: Iterable[Changed] = (),
    patterns: Sequence[tuple[str, str]] = (),
) -> dict[str, float]:
    """Return how much of the time each area is to get, as weights.

    Every area has a weight of its own, so that it is exercised whatever else happens. Lines that
    were changed are shared out by area; a file of which nothing tells the area counts for all.
    What fails now or failed lately, and rules that are new, make an area riskier.
    """
    found = dict.fromkeys(areas, FLOOR)
    lines = dict.fromkeys(areas, 0.0)
    for change in changes:
        meant = [a for a in areas_of_path(change.path, patterns) if a in found] or list(areas)
        for area in meant:
            lines[area] += change.lines / len(meant)
    total = sum(lines.values())
    for area in found:
        if total > 0:
            found[area] += CHANGED * lines[area] / total
        if baseline is not None:
            found[area] += _history(area, baseline)
    return found


def _history(area: str, baseline: Baseline) -> float:
    """Return the weight that an area gets for what a baseline tells of it."""
    rules = [rule for rule in AREAS[area].rules() if rule.applies_to(baseline.profile)]
    ids = {rule.id for rule in rules}
    names = set(interfaces((area,)))
    weight = 0.0
    if any(each.rule in ids or each.interface in names for each in baseline.causes):
        weight += FAILED
    if any(each.rule in ids or each.interface in names for each in baseline.past):
        weight += FAILED / 2
    judged = {rule.id for rule in rules if rule.strength is not Strength.UNDEFINED}
    known = ids & baseline.rules.keys()
    return weight + (UNKNOWN_RULES if known and judged - known else 0.0)


def percent(weights_of: Mapping[str, float]) -> dict[str, int]:
    """Return weights as shares of 100, whole numbers that add up."""
    total = sum(weights_of.values())
    exact = {area: 100 * weight / total for area, weight in weights_of.items()}
    whole = {area: int(share) for area, share in exact.items()}
    left = 100 - sum(whole.values())
    for area in sorted(exact, key=lambda name: whole[name] - exact[name])[:left]:
        whole[area] += 1
    return whole


class Fair:
    """Chooses the area whose turn it is: the one that had least time for its weight.

    What is under way counts with the time that it may take, until it has ended.
    """

    def __init__(self, weights_of: Mapping[str, float]) -> None:
        """Take the weights; nobody had any time yet."""
        self._weights = dict(weights_of)
        self._used = dict.fromkeys(self._weights, 0.0)
        self._expected: dict[str, float] = {}

    def ordered(self, activities: Iterable[Activity]) -> Iterator[Activity]:
        """Iterate over activities, those of each area in their order, the areas by turns."""
        waiting: dict[str, deque[Activity]] = {}
        for activity in activities:
            waiting.setdefault(activity.area, deque()).append(activity)
        while waiting:
            area = self.next(waiting)
            activity = waiting[area].popleft()
            if not waiting[area]:
                del waiting[area]
            self._begun(activity)
            yield activity

    def turns(self, turn: Callable[[int], Activity], areas: Sequence[str]) -> Iterator[Activity]:
        """Iterate over turns of machines without end.

        Args:
            turn: gives the turn with a number; the areas come one after the other.
            areas: the areas in that order.
        """
        rounds = dict.fromkeys(areas, 0)
        while True:
            area = self.next(areas)
            activity = turn(rounds[area] * len(areas) + areas.index(area))
            rounds[area] += 1
            self._begun(activity)
            yield activity

    def next(self, waiting: Iterable[str]) -> str:
        """Return which of the areas that have something to do comes next."""
        return min(waiting, key=lambda area: self._used.get(area, 0.0) / self._weight(area))

    def ended(self, activity: Activity, seconds: float) -> None:
        """Note how long an activity took."""
        self._add(activity.area, seconds - self._expected.pop(activity.name, 0.0))

    def _begun(self, activity: Activity) -> None:
        timed = activity.kind in ("machine", "concurrent")
        expected = activity.seconds if timed else _SHORT
        self._expected[activity.name] = expected
        self._add(activity.area, expected)

    def _add(self, area: str, seconds: float) -> None:
        self._used[area] = self._used.get(area, 0.0) + seconds

    def _weight(self, area: str) -> float:
        return self._weights.get(area, FLOOR)
