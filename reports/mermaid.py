"""A trace as a sequence diagram in the language of Mermaid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from halcert.reports.bundled import named
from halcert.reports.escape import one_line, shortened
from halcert.reports.tracetext import StepText, described
from halcert.results import TraceStep
from halcert.results.story import Story

LONGEST = 160
"""Characters of a message; longer ones make a diagram that nobody can read."""
_SPECIAL = re.compile(r"[#;<>{}\"%]|\bend\b")


def mermaid(story: Story) -> str:
    """Return the sequence diagram of a story."""
    steps = [each.step for each in story.steps]
    texts = {each.number: each for each in described(steps)}
    library = named(story.header)
    lines = ["sequenceDiagram", *_participants(steps, library)]
    for threaded, run in groupby(steps, key=lambda step: step.thread > 0):
        if threaded:
            lines += _together(list(run), texts)
        else:
            lines += [line for step in run for line in _call(step, texts[step.number])]
    lines += _verdict(story, steps)
    return "\n".join(lines) + "\n"


def _participants(steps: Sequence[TraceStep], library: str) -> Iterator[str]:
    for actor, thread in sorted({(step.actor, step.thread) for step in steps}):
        name = f"process {actor}" + (f", thread {thread}" if thread else "")
        yield f"    participant {_who(actor, thread)} as {name}"
    yield f"    participant L as {_safe(library)}"


def _who(actor: int, thread: int) -> str:
    return f"P{actor}T{thread}" if thread else f"P{actor}"


def _call(step: TraceStep, text: StepText, indent: str = "    ") -> Iterator[str]:
    who = _who(step.actor, step.thread)
    words = _safe(f"{step.number}. {text.call}")
    if step.interface.startswith("host."):
        yield f"{indent}{who}->>{who}: {words}"
        return
    yield f"{indent}{who}->>L: {words}"
    if text.result:
        arrow = "--x" if text.failed else "-->>"
        yield f"{indent}L{arrow}{who}: {_safe(text.came)}"


def _together(steps: Sequence[TraceStep], texts: dict[int, StepText]) -> Iterator[str]:
    """Write calls that were made at the same time as parallel parts."""
    tracks: dict[tuple[int, int], list[TraceStep]] = {}
    for step in steps:
        tracks.setdefault((step.actor, step.thread), []).append(step)
    for place, ((actor, thread), track) in enumerate(tracks.items()):
        yield f"    {'and' if place else 'par'} process {actor}, thread {thread}"
        for step in track:
            yield from _call(step, texts[step.number], "        ")
    yield "    end"


def _verdict(story: Story, steps: Sequence[TraceStep]) -> Iterator[str]:
    verdict = story.broken
    if verdict is None or not steps:
        return
    who = _who(steps[-1].actor, steps[-1].thread)
    parts = (
        f"{verdict.rule} ({verdict.strength}) is broken by call {verdict.culprit}",
        f"allowed: {verdict.allowed}",
        f"came: {verdict.came}",
    )
    yield f"    Note over {who},L: {'<br/>'.join(_safe(part) for part in parts)}"


def _safe(text: str) -> str:
    """Return a text in which nothing has a meaning for Mermaid."""
    return _SPECIAL.sub(_entity, shortened(one_line(text), LONGEST))


def _entity(match: re.Match[str]) -> str:
    return "".join(f"#{ord(each)};" for each in match[0])
