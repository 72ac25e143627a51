"""A trace as a file of pytest, whose test repeats the calls with the suite's own judge."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from typing import Any

from halcert.reports.bundled import BUNDLED
from halcert.reports.escape import one_line
from halcert.reports.values import is_reference
from halcert.results import TraceStep
from halcert.results.story import Story
from halcert.spec.abi.acl.functions import ACL_FUNCTIONS
from halcert.spec.catalogue import rule as rule_named

WIDTH = 94
FILE = '''"""{title}

{told}
Run it with (without options against {bundled}):

    pytest -p halcert.pytest_plugin {file} [--library PATH | --fault NAME]
"""

from halcert.adapters.protocol import reference
from halcert.results import TraceStep

pytest_plugins = ["halcert.pytest_plugin"]

ADAPTER = {adapter}
PROFILE = {profile}
ENVIRONMENT = {environment}

STEPS = [
{steps}
]


def {name}(halcert_repeat):
    halcert_repeat(STEPS, adapter=ADAPTER, profile=PROFILE, environment=ENVIRONMENT)
'''
QUOTES = '"""'


def pytest_file(story: Story, file: str) -> str:
    """Return the file for the story of a trace.

    Args:
        story: the story.
        file: name of the file, for the line that runs it.
    """
    verdict = story.broken
    rule = rule_named(verdict.rule) if verdict else None
    title = f"{verdict.rule}: {rule.summary if rule else ''}" if verdict else "No rule is broken."
    told = f"Allowed is {verdict.allowed}.\nWhat came is {verdict.came}.\n" if verdict else ""
    adapter = "acl" if any(each.step.interface in ACL_FUNCTIONS for each in story.steps) else "hal"
    used = any(_has_reference(each.step.args) for each in story.steps)
    text = FILE.format(
        title="\n".join(textwrap.wrap(_docstring(title), WIDTH - len(QUOTES))),
        told="\n".join(
            line for each in told.splitlines() for line in textwrap.wrap(_docstring(each), WIDTH)
        )
        + "\n",
        bundled=f"the bundled {BUNDLED[adapter]}",
        file=one_line(file),
        adapter=_value(adapter),
        profile=_value(story.header.profile or "ascend910b"),
        environment=_value(story.header.environment),
        steps="\n".join(_step(each.step) for each in story.steps),
        name=_name(story),
    )
    return text if used else text.replace("from halcert.adapters.protocol import reference\n", "")


def _docstring(text: str) -> str:
    return one_line(text).replace("\\", "/").replace('"""', "'''").replace("``", "`")


def _name(story: Story) -> str:
    verdict = story.broken
    rule = rule_named(verdict.rule) if verdict else None
    words = rule.function.__name__ if rule else story.header.origin or "trace"
    return "test_" + re.sub(r"\W+", "_", words).strip("_").lower()


def _step(step: TraceStep) -> str:
    extra = "".join(
        f", {name}={getattr(step, name)!r}"
        for name in ("actor", "thread", "observing")
        if getattr(step, name)
    )
    args = ", ".join(f"{_value(name)}: {_value(value)}" for name, value in step.args.items())
    interface = _value(step.interface)
    line = f"    TraceStep({step.number}, {interface}, {{{args}}}{extra}),"
    if len(line) <= WIDTH:
        return line
    inside = "\n".join(f"            {_value(n)}: {_value(v)}," for n, v in step.args.items())
    return (
        f"    TraceStep(\n        {step.number},\n        {interface},\n"
        f"        {{\n{inside}\n        }}{extra},\n    ),"
    )


def _value(value: Any) -> str:
    if is_reference(value):
        plus = int(value.get("plus", 0))
        return f"reference({value['$']}, {_value(value['field'])}{f', {plus}' if plus else ''})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_value(n)}: {_value(each)}" for n, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _has_reference(value: Any) -> bool:
    return "reference(" in _value(value)
