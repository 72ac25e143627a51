"""A trace as one C program that shows the fault to whoever has the library and a compiler."""

from __future__ import annotations

import textwrap
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from halcert.reports.cprogram.checks import quoted
from halcert.reports.cprogram.frame import pieces
from halcert.reports.cprogram.functions import FunctionWriter
from halcert.reports.cprogram.library import declarations, library_of
from halcert.reports.escape import one_line
from halcert.results import Missing
from halcert.results.story import Story
from halcert.spec.catalogue import rule as rule_named

TEMPLATE = "program.c.j2"
WIDTH = 92
BESIDE = " *            "
MOST_NAMED = 20
"""Calls that are left out and named by their numbers."""
SECONDS = 10
"""How long a call may take before it counts as hung."""
ROUNDS = 300
"""How often a program with threads is run, since what it shows may depend on luck."""
ROUNDS_OF_STREAMS = 20
"""The same for streams: they have more work, and differ less from run to run."""


def c_program(story: Story, name: str = "counterexample") -> str:
    """Return the C program for the story of a trace.

    Args:
        story: the story.
        name: name of the program, for the line that compiles it.

    Raises:
        ValueError: none of its calls can be made, or they are of several libraries.
    """
    library_of(each.step.interface for each in story.steps)
    if not any(each.made for each in story.steps):
        raise ValueError("there is no call in it that can be made")
    return _Program(story, name).text()


class _Program:
    def __init__(self, story: Story, name: str) -> None:
        self._story = story
        self._name = name
        self._functions = FunctionWriter(story)
        self._uses = self._functions.uses
        self._missing = any(isinstance(each.step.outcome, Missing) for each in story.steps)

    def text(self) -> str:
        """Return the program."""
        functions = self._functions
        bodies = functions.bodies()
        header = self._story.header
        verdict = self._story.broken
        broken = rule_named(verdict.rule) if verdict else None
        text: str = template(TEMPLATE).render(
            name=self._name,
            written=comment(_made_by(self._story), " * "),
            verdict=verdict,
            title=comment(_title(self._story), " * "),
            allowed=comment(verdict.allowed, BESIDE) if verdict else "",
            came=comment(verdict.came, BESIDE) if verdict else "",
            sources=comment("; ".join(map(str, broken.sources)), BESIDE) if broken else "",
            settings=comment(
                " ".join(f"{k}={v}" for k, v in sorted(header.environment.items())), " * "
            ),
            bodies=bodies,
            left_out=quoted(_left_out(self._story)),
            variables=list(dict.fromkeys(v for body in bodies for v in body.variables)),
            mains=[body for body in bodies if body.name.startswith("process")],
            threaded=functions.threaded,
            forked=functions.forked,
            repeated=functions.threaded or functions.streaming,
            shared=[(each.c_type, each.declared) for each in functions.crossings],
            rounds=ROUNDS if functions.threaded else ROUNDS_OF_STREAMS,
            lucky="threads" if functions.threaded else "streams",
            pieces=pieces(self._helpers()),
            missing_is_fault=self._missing,
            seconds=SECONDS,
            **declarations(self._uses),
        )
        return text

    def _helpers(self) -> set[str]:
        used = set(self._uses.helpers)
        if self._functions.forked:
            used.add("run_processes")
        if self._missing:
            used.add("fault")
        return used


def _left_out(story: Story) -> str:
    """Return why the program shows nothing if it shows no fault; empty if it has all calls."""
    left_out = [str(each.step.number) for each in story.steps if not each.made]
    if not left_out:
        return ""
    named = ", ".join(left_out[:MOST_NAMED]) + (", ..." if left_out[MOST_NAMED:] else "")
    return (
        f"not all calls of the trace are made; left out: {named}, for what they refer to "
        "was not given, or nothing is promised about them"
    )


def _title(story: Story) -> str:
    verdict = story.broken
    if verdict is None:
        return f"{one_line(story.header.origin) or 'A trace'}: no rule is broken in it."
    rule = rule_named(verdict.rule)
    return f"{verdict.rule} ({verdict.strength}): {rule.summary if rule else ''}"


def _made_by(story: Story) -> str:
    header = story.header
    version = f" {header.halcert}" if header.halcert else ""
    place = header.origin or "a trace"
    return f"Written by halcert{version} from {place}, for {header.profile or 'ascend910b'}."


def comment(text: str, prefix: str) -> str:
    """Return a text fit for a comment, its further lines behind a prefix."""
    safe = one_line(text).replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")
    return f"\n{prefix}".join(textwrap.wrap(safe, WIDTH - len(prefix)) or [""])


@cache
def template(name: str) -> Template:
    """Return a template for C."""
    environment = Environment(
        loader=PackageLoader("halcert.reports", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - C, not HTML
    )
    return environment.get_template(name)
