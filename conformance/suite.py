"""The suite as one run: what it consists of, how it goes, and what it leaves in the out folder.

``halcert certify`` and the pytest plugin are both thin layers on this.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path

import halcert
from halcert.adapters.protocol import Description
from halcert.conformance.activity import Activity, Done, Failure
from halcert.conformance.campaign import Campaign, Plan, directed
from halcert.conformance.seeded import trace_environment
from halcert.conformance.target import Target
from halcert.conformance.verdicts import (
    RunFacts,
    certificate,
    rank_of,
    verdict_of_failure,
)
from halcert.conformance.witness import witness_activities
from halcert.model.proofs import are_kept
from halcert.results import (
    Certificate,
    TestResult,
    Trace,
    TraceHeader,
    Verdict,
    write_trace,
)
from halcert.spec.catalogue import AREAS
from halcert.spec.language import Rule, Strength


class Suite:
    """One run against one implementation.

    Attributes:
        target: what is tested.
        plan: how much to do.
        out: folder for what the run leaves.
        campaign: the run itself.
        notes: what could not be written down, a line for each.
        interrupted: the user ended the run before its time.
    """

    def __init__(
        self, target: Target, plan: Plan, out: Path, description: Description, command: str
    ) -> None:
        """Prepare the run; nothing is called yet."""
        self.target = target
        self.plan = plan
        self.out = out
        self.campaign = Campaign(target, plan)
        self.notes: list[str] = []
        self.interrupted = False
        self._description = description
        self._command = command
        self._tests: list[TestResult] = []
        self._traces: dict[tuple[str, str, str], str] = {}
        self._best: dict[tuple[str, str, str], tuple[bool, int]] = {}
        self._started = datetime.now(timezone.utc)
        self._clock = time.monotonic()

    def tests_are_ready(self) -> bool:
        """Tell whether the witnesses are at hand; else the first look at them takes seconds."""
        return are_kept(self.target.areas, self.target.profile)

    def activities(self) -> list[Activity]:
        """Return the directed activities of the run, in order."""
        return directed(
            self.target, self.plan.seed, witness_activities(self.target.areas, self.target.profile)
        )

    def rules(self) -> list[Rule]:
        """Return the rules that get a verdict."""
        return [
            rule
            for name in self.target.areas
            for rule in AREAS[name].rules()
            if rule.applies_to(self.target.profile)
        ]

    def run(
        self,
        activities: Sequence[Activity],
        begin: Callable[[Activity], None] = lambda _: None,
        end: Callable[[Activity, Done], None] = lambda _, __: None,
    ) -> Certificate:
        """Do the activities and return the certificate; Ctrl-C ends the run, not the result."""
        self._clock = time.monotonic()
        self._forget_earlier_traces()

        def ended(activity: Activity, done: Done) -> None:
            self._keep(activity, done)
            end(activity, done)

        try:
            self.campaign.run(activities, begin, ended)
        except KeyboardInterrupt:
            self.interrupted = True
        return self.certificate(interrupted=self.interrupted)

    def certificate(self, *, interrupted: bool = False) -> Certificate:
        """Return the certificate for what was done so far."""
        facts = RunFacts(
            description=self._description,
            devices=self.target.devices,
            started=self._started,
            seconds=time.monotonic() - self._clock,
            command=self._command,
            interrupted=interrupted,
        )
        return certificate(self.campaign, facts, self._traces, self._tests)

    def _keep(self, activity: Activity, done: Done) -> None:
        """Write down at once what an activity found."""
        for failure in done.failures:
            known = self._best.get(failure.cause)
            if known is None or rank_of(failure) < known:
                self._best[failure.cause] = rank_of(failure)
                self._keep_trace(activity, failure)
        self._tests.append(
            TestResult(
                name=activity.name,
                area=activity.area,
                outcome=outcome_of(done),
                seconds=round(done.seconds, 3),
                calls=sum(done.tally.calls.values()),
                message=message_of(done),
            )
        )

    def _forget_earlier_traces(self) -> None:
        """Remove the traces of an earlier run, which nothing in this one would explain."""
        for path in (self.out / TRACES).glob("*.jsonl"):
            with suppress(OSError):
                path.unlink()

    def _keep_trace(self, activity: Activity, failure: Failure) -> None:
        """Write a trace; what cannot be written is noted, and the run goes on."""
        try:
            self._traces[failure.cause] = self._write_trace(activity, failure)
        except OSError as error:
            self.notes.append(f"{error.filename}: not written: {error.strerror}")

    def _write_trace(self, activity: Activity, failure: Failure) -> str:
        name = re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(failure.cause))
        header = TraceHeader(
            halcert=halcert.__version__,
            profile=self.target.profile,
            adapter=self.target.adapter,
            library=self.target.options.library or "",
            origin=activity.name,
            seed=self.plan.seed,
            rule=failure.rule,
            allowed=failure.allowed,
            came=failure.came,
            environment=trace_environment(self.target.adapter, self.target.options),
            devices=self.target.devices,
        )
        path = self.out / TRACES / f"{name}.jsonl"
        write_trace(Trace(header, failure.steps), path)
        return str(path.relative_to(self.out))


TRACES = "traces"
"""Folder of the traces within the out folder."""


def outcome_of(done: Done) -> str:
    """Return passed, deviates, failed or error for an activity."""
    if done.trouble:
        return "error"
    if any(is_serious(failure) for failure in done.failures):
        return "failed"
    return "deviates" if done.failures else "passed"


def is_serious(failure: Failure) -> bool:
    """Tell whether a failure stands against a certificate."""
    crashed = verdict_of_failure(failure) in (Verdict.CRASHED, Verdict.HUNG)
    return crashed or failure.strength == Strength.MUST.value


def message_of(done: Done) -> str:
    """Return what went wrong in an activity, a line for each failure."""
    lines = [done.trouble] if done.trouble else []
    lines += [
        f"{f.rule} ({f.strength}), {f.interface}: allowed {f.allowed}; came {f.came}"
        for f in done.failures
    ]
    return "\n".join(lines)
