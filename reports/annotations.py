"""Annotations: lines on standard output that GitHub shows beside a change.

The form is that of workflow commands: ``::error title=...::message``. GitHub shows ten of each
level for a step, so the last one says how many are not shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from halcert.reports import gateview as view
from halcert.reports.escape import one_line
from halcert.results import Gate, GateItem, Standing

MOST = 10
"""Annotations of a level that GitHub shows for a step."""


def github_annotations(gate: Gate, out: Path) -> list[str]:
    """Return the workflow commands for a gate; none if there is nothing to say."""
    errors = [item for item in gate.items if item.fails]
    flaky = [item for item in gate.items if item.standing is Standing.FLAKY and not item.fails]
    lines = _limited("error", (_of_item("error", item, out) for item in errors), len(errors))
    warnings = [_of_item("warning", item, out) for item in flaky]
    warnings += [
        command("warning", f"waiver no longer needed: {waiver.rule}", view.waiver_text(waiver))
        for waiver in gate.unneeded
    ]
    lines += _limited("warning", warnings, len(warnings))
    if not gate.passed and not errors:
        lines.append(command("error", view.headline(gate), gate.reason))
    return lines


def _limited(level: str, lines: Iterable[str], count: int) -> list[str]:
    shown = list(lines)
    if count <= MOST:
        return shown
    rest = command(level, "more", f"{count - MOST + 1} more are in the summary of the job")
    return [*shown[: MOST - 1], rest]


def _of_item(level: str, item: GateItem, out: Path) -> str:
    parts = [f"came: {item.came}"]
    parts += [f"allowed: {item.allowed}"] if item.allowed else []
    parts += [item.note] if item.note else []
    parts += [view.replay(item, out)] if item.trace else []
    return command(
        level, f"{item.standing.value}: {item.rule} {item.interface}".strip(), "\n".join(parts)
    )


def command(level: str, title: str, message: str) -> str:
    """Return one workflow command."""
    lines = "\n".join(map(one_line, message.splitlines()))
    return f"::{level} title={_property(one_line(title))}::{_data(lines)}"


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")
