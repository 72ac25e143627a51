"""``halcert export``: write a trace in a form that others can use."""

from __future__ import annotations

import re
from pathlib import Path

import click

from halcert.cli.traces import checked_story
from halcert.conformance.run import UsageError
from halcert.results import Exit
from halcert.results.story import Story

FORMS = {
    "c": "one C11 file that needs only the library under test",
    "pytest": "a test that repeats the calls with halcert's judge",
    "perfetto": "a time line, for ui.perfetto.dev",
    "mermaid": "a sequence diagram",
}


@click.command()
@click.argument("trace", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--as",
    "form",
    type=click.Choice(list(FORMS)),
    required=True,
    help="; ".join(f"{name}: {what}" for name, what in FORMS.items()) + ".",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write. Default: standard output.",
)
def export(trace: Path, form: str, output: Path | None) -> int:
    """Write a TRACE as a C program, a test, a time line or a diagram.

    \b
    The C program builds with one line, which stands in its first comment:
      halcert export TRACE --as c -o fault.c
      cc -std=c11 -o fault fault.c -ldl
      ./fault /path/to/libascend_hal.so
    It ends with 0 if the fault does not show, 1 if it shows, 2 if it could
    not be tried. Accesses by devices need a library with an agent that makes
    them, as the software driver has; elsewhere they cannot be tried.

    A trace of the runtime becomes a program for libascendcl.so. What threads
    and streams do depends on luck: such a program does all of it again, in
    fresh processes, until the fault shows. A second argument says how often.
    """  # noqa: D301 - click reads the character as: keep these lines
    story = checked_story(trace)
    place = output or trace
    try:
        content = written(story, form, place)
    except (KeyError, TypeError, ValueError) as error:
        why = "it speaks of something that this form has no words for"
        told = str(error) if isinstance(error, ValueError) else f"{why} ({error})"
        raise UsageError(f"{trace}: cannot be written as {form}: {told}") from error
    if output is None:
        click.echo(content, nl=False)
    else:
        output.write_bytes(content.encode())
    return int(Exit.OK)


def written(story: Story, form: str, place: Path) -> str:
    """Return the story of a trace in a form.

    Args:
        story: the story.
        form: one of ``FORMS``.
        place: the file that it is for; what is in it is named after it.
    """
    from halcert.reports.cprogram import c_program
    from halcert.reports.mermaid import mermaid
    from halcert.reports.perfetto import perfetto
    from halcert.reports.pytestfile import pytest_file

    name = re.sub(r"[^\w.-]", "-", place.stem) or "trace"
    if form == "c":
        return c_program(story, name.lstrip("-"))
    if form == "pytest":
        return pytest_file(story, place.name if place.suffix == ".py" else f"test_{name}.py")
    return perfetto(story).decode() if form == "perfetto" else mermaid(story)
