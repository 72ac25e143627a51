"""What the gate says of a run: each failure held against a baseline and waivers, as plain data."""

from __future__ import annotations

from enum import Enum

import msgspec

from halcert.results.baseline import KnownCause
from halcert.results.certificate import Implementation
from halcert.results.trace import TraceStep
from halcert.results.verdict import Verdict
from halcert.results.waiver import Waiver

FORMAT = "halcert-gate/1"


class Standing(Enum):
    """Where something stands that a run shows."""

    NEW = "new"
    """A failure that the baseline does not know."""
    LOST = "lost coverage"
    """A MUST rule that the baseline's run showed and this one, which came to its end, did not."""
    EXPIRED = "expired waiver"
    """A waiver whose last day is over, with the failure that it covered if there is one."""
    FLAKY = "flaky"
    """A failure that did not come again when its trace was repeated."""
    WAIVED = "waived"
    """A failure or lost coverage that a waiver covers."""
    KNOWN = "known"
    """A failure that the baseline knows."""

    @property
    def one(self) -> str:
        """What one such thing is called."""
        return _COUNTED[self][0]

    @property
    def many(self) -> str:
        """What several such things are called."""
        return _COUNTED[self][1]


_COUNTED = {
    Standing.NEW: ("new failure", "new failures"),
    Standing.LOST: ("MUST rule no longer shown", "MUST rules no longer shown"),
    Standing.EXPIRED: ("expired waiver", "expired waivers"),
    Standing.FLAKY: ("flaky failure", "flaky failures"),
    Standing.WAIVED: ("waived failure", "waived failures"),
    Standing.KNOWN: ("known failure", "known failures"),
}


class GateItem(msgspec.Struct, frozen=True):
    """One thing that the gate judged.

    Attributes:
        standing: where it stands.
        fails: the gate fails because of it.
        rule: id of the rule.
        area: its area; empty for a rule that the run does not tell of.
        interface: the interface at fault.
        shape: how the rule is broken; empty for coverage and for waivers without a failure.
        strength: strength of what is broken.
        verdict: what the run says of it.
        summary: the rule in plain English.
        allowed: what was allowed, in words.
        came: what came, in words.
        note: what else is to be said: how it was confirmed, since when it is known.
        trace: path of the trace file, relative to the output folder.
        steps: the calls of the trace.
        waiver: the waiver that covers it, or covered it.
    """

    standing: Standing
    fails: bool
    rule: str
    area: str = ""
    interface: str = ""
    shape: str = ""
    strength: str = ""
    verdict: Verdict = Verdict.VIOLATES
    summary: str = ""
    allowed: str = ""
    came: str = ""
    note: str = ""
    trace: str = ""
    steps: tuple[TraceStep, ...] = ()
    waiver: Waiver | None = None


class Gate(msgspec.Struct, frozen=True):
    """The verdict of the gate.

    Attributes:
        passed: nothing stands against the change.
        exit: exit code.
        reason: the verdict in one sentence.
        strict: flaky failures count.
        implementation: the build that was run.
        profile: name of the product.
        baseline: path of the baseline, as given.
        before: the build of the baseline.
        written: day of the baseline.
        today: the day by which waivers were judged.
        started: when the run started.
        command: command that repeats it.
        seconds: how long the run took.
        calls: number of judged calls.
        areas: share of the time that each area was given, in percent.
        items: what was judged, what weighs most first.
        gone: known causes that did not show in this run though their rules were exercised.
        unneeded: waivers that covered nothing in this run though their rules were exercised.
        unseen: waivers whose rules were not exercised, so that nothing can be said.
        notes: what else a reader should know.
        halcert: version of halcert.
        spec: digest of the specification.
        format: name and version of the format.
    """

    passed: bool
    exit: int
    reason: str
    strict: bool
    implementation: Implementation
    profile: str
    baseline: str
    before: Implementation
    written: str
    today: str
    started: str
    command: str
    seconds: float
    calls: int
    areas: dict[str, int] = {}
    items: tuple[GateItem, ...] = ()
    gone: tuple[KnownCause, ...] = ()
    unneeded: tuple[Waiver, ...] = ()
    unseen: tuple[Waiver, ...] = ()
    notes: tuple[str, ...] = ()
    halcert: str = ""
    spec: str = ""
    format: str = FORMAT
