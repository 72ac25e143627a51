"""``halcert replay``: repeat a trace and say what has become of its fault."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from halcert.adapters.errors import RequestRefused
from halcert.cli.options import target_of_the_trace_options
from halcert.cli.traces import checked_trace
from halcert.conformance.lab import Broken
from halcert.conformance.outcomes import HarnessError
from halcert.conformance.replay import Departures, Fate, fate_of, is_same
from halcert.conformance.run import Choice, UsageError
from halcert.conformance.seeded import repeated_environment, seeded_fault
from halcert.conformance.story import story_of
from halcert.conformance.trial import trials
from halcert.reports import human, text_of
from halcert.reports.departures import departures_told
from halcert.results import Exit, Trace

EXITS = {
    Fate.GONE: Exit.OK,
    Fate.STILL_THERE: Exit.VIOLATIONS,
    Fate.FLAKY: Exit.INCOMPLETE,
    Fate.CHANGED: Exit.CHANGED,
    Fate.NOT_TRIED: Exit.INCOMPLETE,
}


@click.command()
@click.argument("trace", type=click.Path(path_type=Path, dir_okay=False))
@target_of_the_trace_options
@click.option(
    "-n",
    "--times",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Repeat so often, to tell flaky from steady.",
)
@click.pass_context
def replay(
    context: click.Context,
    trace: Path,
    adapter: str,
    library: str | None,
    fault: str | None,
    profile: str,
    kernel: str | None,
    times: int,
) -> int:
    """Repeat the calls of a TRACE and say what has become of its fault.

    Adapter, library, profile, seeded fault and variables are those of the trace unless they are
    given here, so that a trace found on one implementation can be tried on another.

    \b
    Exit codes:
      0  gone: no rule is broken in any repetition
      1  still there: the rule of the trace is broken in the same way, each time
      3  flaky: so in some repetitions, but not in all; or it could not be tried:
         calls were left out, or refused (as they may be) unlike in the trace
      6  changed: another rule is broken, or the same one in another way
    """  # noqa: D301 - click reads the character as: keep these lines
    recorded = checked_trace(trace)
    header = recorded.header

    def chosen(name: str, given: str | None, from_trace: str | None) -> str | None:
        source = context.get_parameter_source(name)
        return from_trace or given if source is click.core.ParameterSource.DEFAULT else given

    adapter = chosen("adapter", adapter, header.adapter) or adapter
    # What the trace says of its implementation goes together: it is of no use to another one.
    named = library in (None, header.library) and fault is None
    same = named and adapter == (header.adapter or adapter)
    choice = Choice(
        adapter=adapter,
        library=header.library or None if same else library,
        fault=seeded_fault(header) if same else fault,
        profile=chosen("profile", profile, header.profile) or profile,
        kernel=kernel,
        environment=repeated_environment(header, same=same),
    )
    try:
        tries = list(trials(choice, recorded.steps, times))
    except RequestRefused as error:
        raise UsageError(f"{trace}: {error}") from error
    failures = [each.broken for each in tries]
    void = [each.departures for each in tries if each.is_void]
    console = Console(highlight=False)
    console.print(text_of(tries[-1].steps), markup=False, soft_wrap=True)
    cause = _cause_of(recorded)
    fate = fate_of(failures, *cause, departed=bool(void))
    console.print(_told(recorded, fate, failures, cause, void), markup=False, soft_wrap=True)
    return int(EXITS[fate])


def _cause_of(trace: Trace) -> tuple[str, str]:
    """Return the rule that a trace breaks and how, as far as it says so."""
    try:
        broken = story_of(trace).broken
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError, HarnessError):
        broken = None  # written by hand, perhaps, or of another version of the rules
    if broken is not None and broken.rule == trace.header.rule:
        return broken.rule, broken.shape
    return trace.header.rule, ""


def _told(
    recorded: Trace,
    fate: Fate,
    failures: Sequence[Broken | None],
    cause: tuple[str, str],
    void: Sequence[Departures],
) -> str:
    """Return the verdict in words: how often the fault came, and what came instead."""
    count = len(failures)
    if fate is Fate.GONE:
        return f"gone: no rule is broken in {human.count(count, 'repetition')}"
    lines = []
    ways: dict[tuple[str, str], list[Broken]] = {}
    for failure in failures:
        if failure is not None:
            ways.setdefault((failure.violation.rule, failure.violation.shape), []).append(failure)
    for way in sorted(ways, key=lambda way: (not is_same(way, cause), -len(ways[way]))):
        word = fate.value if is_same(way, cause) else "another failure"
        lines += _failure(word, ways[way], count)
    if void:
        lines.append(f"{Fate.NOT_TRIED.value} in {len(void)} of {count} repetitions")
        first = void[0]
        lines += [
            f"  {line}" for line in departures_told(recorded.steps, first.refused, first.left_out)
        ]
    sound = failures.count(None) - len(void)
    if sound:
        lines.append(f"no rule is broken in {sound} of {count} repetitions")
    return "\n".join(lines)


def _failure(word: str, met: Sequence[Broken], count: int) -> list[str]:
    violation = met[0].violation
    often = f"{word} in {len(met)} of {count} repetitions"
    return [
        f"{often}: {violation.rule} ({violation.strength.value})",
        f"  allowed: {violation.allowed}",
        f"  came:    {violation.came}",
    ]
