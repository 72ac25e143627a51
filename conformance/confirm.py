"""Confirming failures: the trace of each is repeated before anybody is asked to look at it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from halcert.adapters.errors import AdapterError
from halcert.conformance.gate import Confirmation, cause_of
from halcert.conformance.lab import Broken
from halcert.conformance.outcomes import HarnessError
from halcert.conformance.replay import Departures
from halcert.conformance.run import Choice
from halcert.conformance.trial import trials
from halcert.results import Finding
from halcert.results.baseline import Cause

LUCK = 100
"""How often the calls of threads are repeated: whether they fail depends on luck."""
LUCK_SECONDS = 20.0
"""Seconds after which they are not repeated any more."""


def confirmed(
    choice: Choice,
    findings: Sequence[Finding],
    times: int,
    told: Callable[[Finding, Confirmation], None] = lambda _, __: None,
) -> dict[Cause, Confirmation]:
    """Repeat the trace of each failure until it comes again.

    Args:
        choice: the implementation, as it was run.
        findings: the failures, each with the calls of its trace.
        times: how often to repeat calls that threads have no part in.
        told: called with each answer.
    """
    answers: dict[Cause, Confirmation] = {}
    for finding in findings:
        answer = _confirmed(choice, finding, times)
        answers[cause_of(finding)] = answer
        told(finding, answer)
    return answers


def _confirmed(choice: Choice, finding: Finding, times: int) -> Confirmation:
    threaded = any(step.thread for step in finding.steps)
    until = time.monotonic() + LUCK_SECONDS
    count = 0
    void: list[Departures] = []
    try:
        for trial in trials(choice, finding.steps, max(times, LUCK) if threaded else times):
            count += 1
            if trial.broken is not None:
                return Confirmation(came=True, note=_as_it_came(trial.broken, finding, count))
            void += [trial.departures] if trial.is_void else []
            if threaded and time.monotonic() > until:
                break
    except (AdapterError, HarnessError) as error:
        # Whoever cannot be asked again is not acquitted.
        return Confirmation(came=True, note=f"its trace could not be repeated: {error}")
    if void and len(void) == count:
        note = f"its trace could not be tried in {_often(count)}: {_departed(void[0])}"
        return Confirmation(came=None, note=note)
    note = f"did not come again in {_often(count - len(void))} of its trace"
    if void:
        note += f"; {_often(len(void))} could not be tried: {_departed(void[0])}"
    return Confirmation(came=False, note=note)


def _often(count: int) -> str:
    return f"{count} repetitions" if count != 1 else "1 repetition"


def _departed(departures: Departures) -> str:
    """Return the first call that did not go the way of the trace, and how."""
    if departures.left_out:
        return f"{departures.left_out[0].interface} was left out"
    return f"{departures.refused[0].interface} was refused"


def _as_it_came(broken: Broken, finding: Finding, count: int) -> str:
    where = "came again when its trace was repeated"
    if count > 1:
        where = f"came again in repetition {count} of its trace"
    if broken.cause == cause_of(finding):
        return where
    rule, _, shape = broken.cause
    return f"repeated, the same calls break {rule} ({shape})"
