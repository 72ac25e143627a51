"""``halcert gate``: does a change break what held before."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

import click
from rich.console import Console

from halcert.cli.interrupts import INTERRUPTS
from halcert.cli.options import (
    Seconds,
    areas_of_the_baseline_option,
    claim,
    command_line,
    run_options,
    target_of_the_baseline_options,
)
from halcert.cli.progress import RunProgress
from halcert.conformance.claim import CERTIFICATE
from halcert.conformance.confirm import confirmed
from halcert.conformance.gate import Confirmation, Terms, check_comparable, judged, to_confirm
from halcert.conformance.run import Choice, UsageError, known_areas, prepared
from halcert.conformance.shares import Changed, percent, read_numstat, weights
from halcert.conformance.story import stories_of
from halcert.conformance.suite import Suite
from halcert.reports import gate_markdown, gate_summary, github_annotations, write_reports
from halcert.reports.gateview import headline
from halcert.results import (
    Certificate,
    Exit,
    Finding,
    Gate,
    read_baseline,
    read_waivers,
)
from halcert.spec.catalogue import AREAS

SUMMARY = "GITHUB_STEP_SUMMARY"
"""Variable with the file that GitHub shows as the summary of a job."""
MOST_CHANGES = 16 << 20
"""Characters of the output of git that are read; a pipe need not end."""
ACTIONS = "GITHUB_ACTIONS"
"""Variable that is ``true`` where GitHub runs a workflow."""


def area_paths(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Split each ``PATTERN=AREA``: files whose paths fit the pattern belong to the area."""
    found = []
    for value in values:
        pattern, _, area = value.rpartition("=")
        if not pattern:
            raise click.BadParameter(f"{value!r} is not of the form PATTERN=AREA.")
        if area not in AREAS:
            raise click.BadParameter(f"there is no area {area!r}; known are: {', '.join(AREAS)}.")
        found.append((pattern, area))
    return tuple(found)


@click.command()
@click.option(
    "--baseline",
    "baseline_path",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="What was before, from `halcert baseline write`.",
)
@click.option(
    "--waivers",
    "waivers_path",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Broken rules that are put up with, as TOML.",
)
@click.option("--strict", is_flag=True, help="Failures that do not repeat count, too.")
@click.option(
    "--confirm",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="TIMES",
    help="Repeat the trace of a new failure so often before it counts as flaky.",
)
@click.option(
    "--changes",
    type=click.File(encoding="utf-8", errors="surrogateescape"),
    metavar="FILE",
    help="Output of `git diff --numstat`: areas that were changed get more time. - is stdin.",
)
@click.option(
    "--area-of",
    "patterns",
    multiple=True,
    callback=area_paths,
    metavar="PATTERN=AREA",
    help="Files of the change that belong to an area; repeatable. By default a file belongs "
    "to the areas that its path names.",
)
@click.option(
    "--budget",
    type=Seconds(),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for the tests, shared out among the areas.",
)
@target_of_the_baseline_options
@areas_of_the_baseline_option
@run_options
@click.option(
    "--annotations/--no-annotations",
    default=None,
    help="Print what GitHub shows beside a change. Default: where GitHub runs it.",
)
@click.option("-q", "--quiet", is_flag=True, help="Only the verdict.")
@click.pass_context
def gate(
    context: click.Context,
    baseline_path: Path,
    waivers_path: Path | None,
    strict: bool,
    confirm: int,
    changes: TextIO | None,
    patterns: tuple[tuple[str, str], ...],
    budget: float,
    adapter: str,
    library: str | None,
    fault: str | None,
    profile: str,
    kernel: str | None,
    areas: tuple[str, ...],
    seed: int,
    jobs: int,
    out: Path,
    annotations: bool | None,
    quiet: bool,
) -> int:
    """Run the suite and fail on what a change broke.

    Fails on failures, crashes and hangs that the baseline does not know, on MUST rules that the
    baseline's run showed and this one does not, and on waivers that have expired. A run that is
    cut short loses no rule by not reaching it. Product and areas are those of the baseline
    unless they are given.

    A new failure counts once it came again when its trace was repeated; one that never does is
    flaky: it is reported, and fails the gate only with --strict. Where no repetition could be
    tried, since a call went another way than in the trace, it counts as the run met it.

    \b
    Examples:
      halcert certify --library old/libascend_hal.so
      halcert baseline write -o baseline.json
      halcert gate --baseline baseline.json --library new/libascend_hal.so
      git diff --numstat main... > changes.txt
      halcert gate --baseline baseline.json --changes changes.txt

    Besides what `halcert certify` writes, OUT holds gate.json, gate.sarif and gate.md, and
    junit.xml follows the gate. gate.md is appended to $GITHUB_STEP_SUMMARY where that is set.

    \b
    Exit codes:
      0  passed: nothing is broken that held before
      1  failed
      3  the run was cut short, and nothing new was found until then
      5  the suite or the adapter failed
    """  # noqa: D301 - click reads the character as: keep these lines
    baseline = read_baseline(baseline_path)
    waivers = read_waivers(waivers_path) if waivers_path is not None else ()
    if context.get_parameter_source("profile") is click.core.ParameterSource.DEFAULT:
        profile = baseline.profile
    check_comparable(baseline, str(baseline_path), profile)
    areas = known_areas(areas or [name for name in baseline.areas if name in AREAS], adapter)
    weighed = weights(areas, baseline, _changes(changes), patterns)
    choice = Choice(
        adapter=adapter,
        library=library,
        fault=fault,
        profile=profile,
        kernel=kernel,
        areas=areas,
        seed=seed,
        budget=budget,
        jobs=jobs,
        out=out,
        command=command_line(),
        weights=weighed,
    )
    terms = Terms(baseline, str(baseline_path), waivers, strict=strict)
    console = Console(highlight=False)
    claim(out, CERTIFICATE)
    suite = prepared(choice)
    certificate = _run(suite, console, budget, quiet=quiet)
    with INTERRUPTS.held_off():
        answers = {}
        if not suite.interrupted:
            answers = confirmed(
                choice, to_confirm(certificate, terms), confirm, _teller(console, quiet=quiet)
            )
        verdict = judged(
            certificate,
            terms,
            answers,
            shares=percent(weighed),
        )
        files = _written(certificate, verdict, out)
        summarised = _summarised(verdict, out)
    for note in suite.notes:
        click.echo(f"note: {note}", err=True)
    if quiet:
        word = headline(verdict).lower() + ("" if verdict.passed else f": {verdict.reason}")
        console.print(word, markup=False, soft_wrap=True)
    else:
        gate_summary(verdict, console, out=out, files=files)
    if _annotates(annotations):
        for line in github_annotations(verdict, out):
            click.echo(line)
    whole = bool(files) and summarised
    return verdict.exit if whole else verdict.exit or int(Exit.USAGE)


def _changes(given: TextIO | None) -> Sequence[Changed]:
    """Return the files of the change.

    Raises:
        UsageError: the text is no output of `git diff --numstat`, or larger than any.
    """
    if given is None:
        return ()
    try:
        text = given.read(MOST_CHANGES + 1)
        if len(text) > MOST_CHANGES:
            raise UsageError(f"--changes: it is larger than {MOST_CHANGES >> 20} MiB")
        return read_numstat(text)
    except ValueError as error:
        raise UsageError(f"--changes: {error}") from error


def _run(suite: Suite, console: Console, budget: float, *, quiet: bool) -> Certificate:
    if not quiet and not suite.tests_are_ready():
        console.print("working out tests from the rules, once for this specification")
    activities = suite.activities()
    with RunProgress(console, suite.rules(), budget, quiet=quiet) as progress:
        return suite.run(activities, progress.begin, progress.end)


def _teller(console: Console, *, quiet: bool) -> Callable[[Finding, Confirmation], None]:
    def told(finding: Finding, answer: Confirmation) -> None:
        if not quiet:
            text = f"{finding.rule} {finding.interface}: {answer.note}"
            console.print(text, markup=False, soft_wrap=True)

    return told


def _written(certificate: Certificate, verdict: Gate, out: Path) -> Sequence[Path]:
    """Write the reports; if that fails, say so and go on to the verdict."""
    try:
        return write_reports(certificate, out, stories=stories_of(certificate), gate=verdict)
    except OSError as error:
        place = error.filename or out
        click.echo(f"halcert: {place}: reports not written: {error.strerror}", err=True)
        return ()


def _summarised(verdict: Gate, out: Path) -> bool:
    """Append the verdict to the summary of the job, if there is one."""
    place = os.environ.get(SUMMARY)
    if not place:
        return True
    try:
        with Path(place).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(gate_markdown(verdict, out))
    except OSError as error:
        click.echo(f"halcert: {place}: summary not written: {error.strerror}", err=True)
        return False
    return True


def _annotates(wanted: bool | None) -> bool:
    return os.environ.get(ACTIONS) == "true" if wanted is None else wanted
