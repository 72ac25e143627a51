"""A trace as a time line for the Perfetto viewer: one track for each process and thread.

The format is the JSON trace event format; times are microseconds from the first call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from halcert.reports.escape import encodable
from halcert.reports.references import makers
from halcert.reports.tracetext import StepText, described
from halcert.results import Answered, Hung, TraceStep
from halcert.results.story import Story

STEP = 1.0
"""Length of a call whose time is not known, in microseconds."""
SHORTEST = 0.001
THOUSAND = 1000.0
Event = dict[str, Any]


def perfetto(story: Story) -> bytes:
    """Return the time line of a story as JSON."""
    steps = [each.step for each in story.steps if each.made]
    texts = {each.number: each for each in described(steps)}
    times = _times(steps)
    events = [
        *_tracks(steps),
        *(_slice(story, step, texts[step.number], times[step.number]) for step in steps),
        *_arrows(steps, times),
        *_mark(story, steps, times),
    ]
    verdict = story.broken
    document = {
        "displayTimeUnit": "ns",
        "otherData": {
            "origin": story.header.origin,
            "profile": story.header.profile,
            "rule": verdict.rule if verdict else "",
        },
        "traceEvents": events,
    }
    return msgspec.json.format(msgspec.json.encode(encodable(document)), indent=1) + b"\n"


def _times(steps: Sequence[TraceStep]) -> dict[int, tuple[float, float]]:
    """Return when each call began and how long it took, in microseconds from the first."""
    known = [s.outcome for s in steps if isinstance(s.outcome, Answered) and s.outcome.ended]
    first = min((each.began for each in known), default=0)
    found: dict[int, tuple[float, float]] = {}
    ends: dict[tuple[int, int], float] = {}
    latest = 0.0
    for step in steps:
        outcome, track = step.outcome, (step.actor, step.thread)
        if isinstance(outcome, Answered) and outcome.ended:
            began = (outcome.began - first) / THOUSAND
            length = max((outcome.ended - outcome.began) / THOUSAND, SHORTEST)
        else:
            began = max(ends.get(track, 0.0), 0.0 if step.thread else latest)
            length = outcome.seconds * 1e6 if isinstance(outcome, Hung) else STEP
        found[step.number] = began, length
        ends[track] = latest = began + length
    return found


def _tracks(steps: Sequence[TraceStep]) -> Iterator[Event]:
    for actor in sorted({step.actor for step in steps}):
        yield _meta("process_name", actor, 0, f"process {actor}")
        yield {**_meta("process_sort_index", actor, 0, ""), "args": {"sort_index": actor}}
    for actor, thread in sorted({(step.actor, step.thread) for step in steps}):
        name = f"thread {thread}" if thread else "main thread"
        yield _meta("thread_name", actor, thread, name)


def _meta(kind: str, actor: int, thread: int, name: str) -> Event:
    return {"ph": "M", "name": kind, "pid": actor, "tid": thread, "args": {"name": name}}


def _slice(story: Story, step: TraceStep, text: StepText, time: tuple[float, float]) -> Event:
    verdict = story.broken
    event: Event = {
        "ph": "X",
        "name": text.interface,
        "cat": "look"
        if step.observing
        else "host"
        if step.interface.startswith("host.")
        else "hal",
        "pid": step.actor,
        "tid": step.thread,
        "ts": time[0],
        "dur": time[1],
        "args": {
            "call": step.number,
            **dict(text.arguments),
            "result": text.result,
            **{f"gave {name}": value for name, value in text.outputs},
        },
    }
    if verdict is not None and step.number == verdict.culprit:
        event["cname"] = "terrible"
        event["args"]["broken rule"] = verdict.rule
        event["args"]["allowed"] = verdict.allowed
        event["args"]["came"] = verdict.came
    return event


def _arrows(steps: Sequence[TraceStep], times: dict[int, tuple[float, float]]) -> Iterator[Event]:
    """Connect calls with those that use what they gave, where these are on another track."""
    givers = {step.number: step for step in steps}
    number = 0
    for step in steps:
        for maker in sorted(makers(step.args)):
            giver = givers.get(maker)
            if giver is None or (giver.actor, giver.thread) == (step.actor, step.thread):
                continue
            number += 1
            for phase, each in (("s", giver), ("f", step)):
                began, length = times[each.number]
                event: Event = {
                    "ph": phase,
                    "id": number,
                    "name": "uses",
                    "cat": "reference",
                    "pid": each.actor,
                    "tid": each.thread,
                    "ts": began + (length / 2 if phase == "s" else 0),
                }
                yield {**event, "bp": "e"} if phase == "f" else event


def _mark(
    story: Story, steps: Sequence[TraceStep], times: dict[int, tuple[float, float]]
) -> Iterator[Event]:
    """Mark where the fault shows."""
    if story.broken is None or not steps:
        return
    last = steps[-1]
    began, length = times[last.number]
    yield {
        "ph": "i",
        "s": "g",
        "name": f"{story.broken.rule} is broken",
        "pid": last.actor,
        "tid": last.thread,
        "ts": began + length,
        "args": {"allowed": story.broken.allowed, "came": story.broken.came},
    }
