"""The verdict of a gate as Markdown, for a merge request or the summary page of a CI job."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from halcert.reports import gateview as view
from halcert.reports.escape import one_line, printable
from halcert.reports.tracetext import text_of
from halcert.results import Exit, Gate, GateItem, KnownCause, Standing, Waiver

SIGNS = {
    Exit.OK: ":white_check_mark:",
    Exit.VIOLATIONS: ":x:",
    Exit.INCOMPLETE: ":warning:",
    Exit.HARNESS: ":wrench:",
}
LIMIT = 900_000
"""Characters of a summary; pages of CI jobs take a MiB."""
MOST_TRACED = 20
"""Items whose trace is shown; the others have it in a file."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def gate_markdown(gate: Gate, out: Path) -> str:
    """Return the verdict as Markdown; every item is named, traces are folded."""
    what = f"{text(view.build(gate))} as {text(view.product(gate))}"
    lines = [
        f"## {SIGNS[Exit(gate.exit)]} {view.headline(gate)}: {what}",
        "",
        text(view.sentence(gate)),
        "",
        f"{text(view.facts(gate))}.",
    ]
    if gate.areas:
        lines.append(f"Time by area: {text(view.shares(gate))}.")
    lines += [f"\n> {text(note)}" for note in gate.notes]
    loud = [item for item in gate.items if item.fails or item.standing is Standing.FLAKY]
    quiet = [item for item in gate.items if item not in loud]
    lines += _loud(loud, out)
    lines += _quiet(quiet)
    lines += _gone(gate.gone)
    lines += _waivers("Waivers that are no longer needed", gate.unneeded)
    lines += _waivers("Waivers whose rules were not exercised", gate.unseen)
    lines += ["", f"Repeat with {code(gate.command)}", ""]
    whole = "\n".join(lines)
    if len(whole) > LIMIT:
        whole = whole[:LIMIT].rpartition("\n")[0] + "\n\n... shortened; gate.json has it all.\n"
    return whole


def text(value: str) -> str:
    """Return a text that Markdown shows as it is, in one line."""
    return _SPECIAL.sub(r"\\\1", one_line(value))


def code(value: str) -> str:
    """Return a text as code within a line, whatever backticks it holds."""
    value = one_line(value)
    longest = max((len(run) for run in re.findall("`+", value)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if value[:1] == "`" or value[-1:] == "`" else ""
    return f"{fence}{pad}{value}{pad}{fence}"


def block(value: str) -> list[str]:
    """Return a text as a block of code, whatever backticks it holds."""
    value = printable(value)
    longest = max((len(run) for run in re.findall("`+", value)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", value, fence]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table; its cells are Markdown already."""
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def _loud(items: Sequence[GateItem], out: Path) -> Iterable[str]:
    if not items:
        return
    rows = [
        (
            text(("" if item.fails else "(does not fail the gate) ") + item.standing.value),
            code(item.rule),
            code(item.interface) if item.interface else "",
            text(f"{item.strength} {item.verdict.value}"),
            text(item.came),
        )
        for item in items
    ]
    yield from ("", "### To look at", "")
    yield from table(("", "rule", "interface", "verdict", "came"), rows)
    for item in items[:MOST_TRACED]:
        yield from ("", *_item(item, out))


def _item(item: GateItem, out: Path) -> Iterable[str]:
    name = html.escape(one_line(f"{item.standing.value}: {view.title(item)}"))
    yield f"<details><summary>{name}</summary>"
    yield ""
    if item.summary:
        yield f"{text(item.summary.replace('``', ''))}"
        yield ""
    for word, value in (("allowed", item.allowed), ("came", item.came), ("note", item.note)):
        if value:
            yield f"- {word}: {text(value)}"
    if item.waiver is not None:
        yield f"- waiver: {text(item.waiver.reason)} <{item.waiver.link}>"
    trace = text_of(item.steps)
    if trace:
        yield from ("", *block(trace))
    if item.trace:
        yield from ("", *block(f"$ {view.replay(item, out)}"))
    yield from ("", "</details>")


def _quiet(items: Sequence[GateItem]) -> Iterable[str]:
    if not items:
        return
    rows = [
        (
            text(item.standing.value),
            code(item.rule),
            code(item.interface) if item.interface else "",
            text(" ".join(filter(None, (item.verdict.value, item.shape)))),
            text(item.note),
        )
        for item in items
    ]
    yield from ("", "### Put up with", "")
    yield from table(("", "rule", "interface", "verdict", "why"), rows)


def _gone(causes: Sequence[KnownCause]) -> Iterable[str]:
    if causes:
        yield from ("", "### Known failures that are gone", "")
        yield from (f"- {code(each.rule)} {code(each.interface)} {each.shape}" for each in causes)


def _waivers(head: str, waivers: Sequence[Waiver]) -> Iterable[str]:
    if waivers:
        yield from ("", f"### {head}", "")
        yield from (
            f"- {code(w.rule)} until {w.expires}: {text(w.reason)} <{w.link}>" for w in waivers
        )
