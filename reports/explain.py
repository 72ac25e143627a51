"""The story of a trace in words: what was set up, the call, what came, what was allowed and why."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from halcert.reports import human
from halcert.reports.bundled import told
from halcert.reports.bytesview import Difference, differences, told_stretch
from halcert.reports.escape import one_line
from halcert.reports.ruletext import rule_text
from halcert.reports.situation import changes, columns_of
from halcert.reports.tracetext import StepText, described
from halcert.results import Answered, TraceStep
from halcert.results.story import Demand, Story, StoryStep
from halcert.spec.abi.codes import symbol_of
from halcert.spec.catalogue import interfaces
from halcert.spec.catalogue import rule as rule_named
from halcert.spec.statements import statements_of

WIDTH = 96
INDENT = "  "
MOST_MOMENTS = 60
"""Calls that a time line shows: the last ones."""
MOST_CALLS = 40
"""Calls of the set-up that are told; of more, those at both ends."""


def explained(story: Story) -> str:
    """Return the story as text in sections, each with its heading."""
    sections = [
        ("", _opening(story)),
        ("What was set up", _set_up(story)),
        ("The call", _call(story)),
        ("What came", _came(story)),
        ("What was allowed", _allowed(story)),
        ("Why", _why(story)),
        ("Bytes", _bytes(story)),
        (f"Before and after call {story.focus}", _situation(story)),
        ("Time line", _time_line(story)),
    ]
    parts = []
    for heading, lines in sections:
        text = "\n".join(lines)
        if text:
            parts.append(f"{heading}\n{textwrap.indent(text, INDENT)}" if heading else text)
    return "\n\n".join(parts) + "\n"


def _opening(story: Story) -> Iterator[str]:
    header, verdict = story.header, story.broken
    if verdict is None:
        yield "No rule is broken in this trace."
        if header.rule:
            yield f"It was recorded as one that breaks {header.rule}; the rules have changed since."
    else:
        rule = rule_named(verdict.rule)
        culprit = next(e.step.interface for e in story.steps if e.step.number == verdict.culprit)
        yield f"{verdict.rule} ({verdict.strength}) is broken by call {verdict.culprit}, {culprit}."
        if rule is not None:
            yield from _wrapped(rule.summary)
    where = told(header)
    facts = [f"met by {header.origin}"] if header.origin else []
    facts += [f"on {where}"] if where else []
    facts += [f"as {header.profile}"] if header.profile else []
    if header.environment:
        facts.append("with " + " ".join(f"{k}={v}" for k, v in sorted(header.environment.items())))
    if facts:
        yield from _wrapped(one_line(", ".join(facts)))


# ------------------------------------------------------------------------------------- the calls


def _texts(story: Story) -> dict[int, StepText]:
    return {each.number: each for each in described(each.step for each in story.steps)}


def _set_up(story: Story) -> Iterator[str]:
    texts = _texts(story)
    before = [each for each in story.steps if each.step.number != story.focus]
    if story.broken is not None:
        place = next(i for i, each in enumerate(story.steps) if each.step.number == story.focus)
        before = list(story.steps[:place])
    left_out = len(before) - MOST_CALLS
    for place, each in enumerate(before):
        if left_out > 0 and MOST_CALLS // 2 <= place < MOST_CALLS // 2 + left_out:
            if place == MOST_CALLS // 2:
                yield f"... {human.count(left_out, 'more call')} ..."
            continue
        yield from _told(each, texts[each.step.number])


def _told(each: StoryStep, text: StepText) -> Iterator[str]:
    """Tell a call: what it is for, how it was made, what it gave."""
    who = f"[{text.who}] " if text.who else ""
    yield f"{text.number:>3}  {who}{_purpose(each.step)}"
    yield f"     {text.call}"
    if not each.made:
        yield "     left out: nothing is promised about it here"
    elif text.result:
        yield f"     -> {text.came}"


def _purpose(step: TraceStep) -> str:
    known = interfaces().get(step.interface)
    if known is None:
        return step.interface
    return known.doc.partition("\n")[0].replace("``", "").rstrip(".")


def _call(story: Story) -> Iterator[str]:
    texts = _texts(story)
    for each in story.steps:
        if each.step.number == story.focus and story.broken is not None:
            yield from _told(each, texts[story.focus])
    later = _later(story)
    if later:
        yield ""
        yield f"Then, until it showed in call {later[-1].step.number}:"
        for each in later[-MOST_CALLS:]:
            yield from _told(each, texts[each.step.number])


def _later(story: Story) -> Sequence[StoryStep]:
    if story.broken is None:
        return ()
    place = next(i for i, each in enumerate(story.steps) if each.step.number == story.focus)
    return story.steps[place + 1 :]


def _came(story: Story) -> Iterator[str]:
    if story.broken is not None:
        yield from _wrapped(one_line(story.broken.came))
        note = _texts(story)[story.steps[-1].step.number].last_words
        yield from (f"| {line}" for line in note.splitlines())


def _allowed(story: Story) -> Iterator[str]:
    if story.broken is None:
        return
    yield from _wrapped(one_line(story.broken.allowed))
    demand = story.steps[-1].demand
    if demand is None:
        return
    if story.broken.shape in ("accepted", "refused", "code"):
        told = _demand(demand)
        if told != story.broken.allowed:
            yield from _wrapped(told)
    yield from (
        line
        for promise in demand.promises
        if promise.rule == story.broken.rule
        for line in _wrapped(f"{promise.rule}: {promise.summary}")
        if story.broken.allowed != promise.summary
    )


def _demand(demand: Demand) -> str:
    codes = " or ".join(symbol_of(code) for code in demand.codes) or "any code"
    if not demand.failure:
        return "success"
    return f"success, or failure with {codes}" if demand.success else f"failure with {codes}"


# ---------------------------------------------------------------------------------------- reasons


def _why(story: Story) -> Iterator[str]:
    if story.broken is None:
        return
    demand = story.steps[-1].demand
    about_code = story.broken.shape in ("accepted", "refused", "code")
    others = demand.rules if demand is not None and about_code else ()
    for rule_id in dict.fromkeys((story.broken.rule, *others)):
        rule = rule_named(rule_id)
        if rule is None:
            continue
        text = rule_text(rule)
        yield f"{text.id} ({text.strength}, {text.kind})"
        yield from _wrapped(text.summary, "  ")
        if text.detail:
            yield from _wrapped(" ".join(text.detail.split()), "  ")
        if text.codes:
            yield from _wrapped(f"code: {text.codes}", "  ")
        yield from _wrapped(f"from: {'; '.join(text.sources)}", "  ")
        for statement in statements_of(rule_id):
            yield from _wrapped(f"{statement.place}: {statement.text}", "  ")


# ------------------------------------------------------------------------------------------ bytes


def _bytes(story: Story) -> Iterator[str]:
    """Show the contents that the last call gave, and where they differ, as ranges of bytes."""
    if not story.steps or story.steps[-1].demand is None:
        return
    last = story.steps[-1]
    if not last.demand or not last.demand.stretches:
        return
    size = last.step.args.get("size", 0)
    yield f"of {_texts(story)[last.step.number].call}, {human.size(size)}"
    wrong = differences(last)
    for stretch in last.demand.stretches:
        end = stretch.start + stretch.length
        inside = [each for each in wrong if stretch.start <= each.start < end]
        yield f"[{stretch.start}, {end})  should hold {told_stretch(stretch)}"
        yield from (f"    {_difference(each)}" for each in inside[:MOST_DIFFERENCES])
        if len(inside) > MOST_DIFFERENCES:
            yield f"    ... and {human.count(len(inside) - MOST_DIFFERENCES, 'more range')}"
        if not inside and wrong:
            yield "    as it should be"


MOST_DIFFERENCES = 4


def _difference(each: Difference) -> str:
    return (
        f"wrong in [{each.start}, {each.end}), {human.count(each.wrong, 'byte')}: "
        f"{each.found.hex(' ')}{' ...' if each.end - each.start > len(each.found) else ''} "
        f"instead of {each.expected.hex(' ')}"
    )


# -------------------------------------------------------------------------------------- the state


def _situation(story: Story) -> Iterator[str]:
    rows = changes(story)
    if not rows:
        yield "nothing is there, before as after"
        return
    columns = columns_of(story)
    table = [("", *columns), *((each.mark, *each.cells(columns)) for each in rows)]
    widths = [max(len(row[place]) for row in table) for place in range(len(columns) + 1)]
    for row in table:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    if any(each.mark for each in rows):
        yield ""
        yield "+ new   - gone   ~ as it was before   > as it is after"


# ---------------------------------------------------------------------------------- the time line


def _time_line(story: Story) -> Iterator[str]:
    """Show which process or thread did what when, in columns, if there are several."""
    steps = [each.step for each in story.steps if each.made]
    tracks = sorted({(step.actor, step.thread) for step in steps})
    timed = [step for step in steps if _began(step) is not None]
    if len(tracks) < 2:  # noqa: PLR2004 - one track is no crowd
        return
    first = min((_began(step) or 0 for step in timed), default=0)
    several = len({actor for actor, _ in tracks}) > 1
    heads = [
        (f"process {actor}" if several or not thread else "")
        + (f"{', ' if several else ''}thread {thread}" if thread else "")
        for actor, thread in tracks
    ]
    width = max(24, *(len(head) + 2 for head in heads))
    yield f"{'':>10}  " + "".join(head.ljust(width) for head in heads).rstrip()
    ordered = sorted(steps, key=lambda step: _began(step) or first)
    if len(ordered) > MOST_MOMENTS:
        yield f"... {human.count(len(ordered) - MOST_MOMENTS, 'earlier call')} ..."
    for step in ordered[-MOST_MOMENTS:]:
        began = _began(step)
        time = "" if began is None else f"{(began - first) / 1000:.1f} us"
        place = tracks.index((step.actor, step.thread))
        text = f"{step.number} {step.interface}"
        yield f"{time:>10}  {' ' * (width * place)}{text}{_outcome(step)}"


def _began(step: TraceStep) -> int | None:
    outcome = step.outcome
    return outcome.began if isinstance(outcome, Answered) and outcome.ended else None


def _outcome(step: TraceStep) -> str:
    if isinstance(step.outcome, Answered):
        code = step.outcome.code
        return "" if code == 0 else f" -> {symbol_of(code)}"
    return "" if step.outcome is None else " -> no answer"


def _wrapped(text: str, indent: str = "") -> list[str]:
    plain = text.replace("``", "")
    return textwrap.wrap(plain, WIDTH, initial_indent=indent, subsequent_indent=indent) or []
