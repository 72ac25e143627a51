"""What a run has seen of each rule: how often shown, and both sides of its condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from halcert.conformance.choices import Choice
from halcert.model.concrete import Judgement
from halcert.results import Observed, Topic


class Tally(msgspec.Struct):
    """Counts by rule and interface; tallies of parallel parts of a run add up.

    Attributes:
        shown: number of calls that showed the rule to hold.
        held: number of calls for which the condition of a rejecting rule was true.
        accepted: number of accepted calls by interface; for each, every rejecting rule of the
            interface was seen false.
        calls: number of judged calls by interface.
        skipped: number of calls not made because nothing is promised about them, by rule.
        evidence: the first tests of each sort that showed the rule.
        choices: what was chosen where the rules leave it free: topic, where and answer, with tabs
            in between.
        assumed: rules shown by calls whose answer rested on what a kernel stand-in assumes, with
            the number of the assumption: ``RULE 3``.
        excused: number of calls by interface of which nothing is said, as a kernel stand-in failed
            on request: in a call that failed, or for good.
        codes: number of calls by a rule that had a say and the code that came, with a tab in
            between.
        edges: boundaries that were tried, by rule and side, with a tab in between.
    """

    shown: dict[str, int] = {}
    held: dict[str, int] = {}
    accepted: dict[str, int] = {}
    calls: dict[str, int] = {}
    skipped: dict[str, int] = {}
    evidence: dict[str, list[str]] = {}
    choices: dict[str, int] = {}
    assumed: dict[str, int] = {}
    excused: dict[str, int] = {}
    codes: dict[str, int] = {}
    edges: dict[str, int] = {}

    def add(self, interface: str, code: int, judgement: Judgement, test: str) -> None:
        """Count one judged call."""
        _count(self.calls, interface)
        if judgement.violation is None:
            self.show(judgement.shown, test)
        for rule in judgement.held:
            _count(self.held, rule)
        for rule in {*judgement.shown, *judgement.held}:
            _count(self.codes, f"{rule}\t{code}")
        if code == 0:
            _count(self.accepted, interface)

    def edge(self, rule: str, side: str) -> None:
        """Count a call on some side of what a rule compares."""
        _count(self.edges, f"{rule}\t{side}")

    def chose(self, choices: Iterable[Choice]) -> None:
        """Count choices."""
        for topic, about, answer in choices:
            _count(self.choices, f"{topic.value}\t{about}\t{answer}")

    def observed(self) -> tuple[Observed, ...]:
        """Return what was chosen: by topic and place, the most frequent answer first."""
        found: dict[tuple[str, str], dict[str, int]] = {}
        for key, count in sorted(self.choices.items(), key=lambda each: (-each[1], each[0])):
            topic, about, answer = key.split("\t")
            found.setdefault((topic, about), {})[answer] = count
        order = [topic.value for topic in Topic]
        return tuple(
            Observed(Topic(topic), about, seen)
            for (topic, about), seen in sorted(
                found.items(), key=lambda each: (order.index(each[0][0]), each[0][1])
            )
        )

    def show(self, rules: Iterable[str], test: str) -> None:
        """Count rules that were shown to hold."""
        for rule in rules:
            _count(self.shown, rule)
            tests = self.evidence.setdefault(rule, [])
            if test not in tests and _of_its_sort(test, tests) < EVIDENCE_KEPT:
                tests.append(test)

    def rest(self, rules: Iterable[str], assumptions: int) -> None:
        """Count rules that were shown by an answer which rests on assumptions, one a bit."""
        for number in range(assumptions.bit_length()):
            if assumptions >> number & 1:
                for rule in rules:
                    _count(self.assumed, f"{rule} {number}")

    def excuse(self, interface: str) -> None:
        """Count a call whose answer is open, as something below was made to fail."""
        _count(self.excused, interface)

    def skip(self, rule: str) -> None:
        """Count a call that was not made."""
        _count(self.skipped, rule)

    def merge(self, other: Tally) -> None:
        """Add the counts of another part of the run."""
        for name in COUNTS:
            mine: dict[str, int] = getattr(self, name)
            mine.update(Counter(mine) + Counter(getattr(other, name)))
        for rule, tests in other.evidence.items():
            known = self.evidence.setdefault(rule, [])
            for test in tests:
                if test not in known and _of_its_sort(test, known) < EVIDENCE_KEPT:
                    known.append(test)


COUNTS = (
    "shown",
    "held",
    "accepted",
    "calls",
    "skipped",
    "choices",
    "assumed",
    "excused",
    "codes",
    "edges",
)
"""The counts that add up."""
EVIDENCE_KEPT = 3
"""Number of tests of each sort, such as witnesses or scenarios, that are named for a rule."""


def by_rule(counts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return counts with tabs in their keys by what stands before and behind, large ones first."""
    found: dict[str, dict[str, int]] = {}
    for key, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        rule, _, what = key.partition("\t")
        found.setdefault(rule, {})[what] = count
    return found


def _of_its_sort(test: str, tests: Iterable[str]) -> int:
    sort = test.partition("[")[0]
    return sum(each.partition("[")[0] == sort for each in tests)


def _count(counts: dict[str, int], key: str) -> None:
    counts[key] = counts.get(key, 0) + 1
