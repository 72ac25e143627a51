"""``halcert replay``: repeat a trace."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from halcert.cli.options import target_options
from halcert.conformance.campaign import setting_of
from halcert.conformance.lab import Broken, Lab
from halcert.conformance.registry import adapter_named
from halcert.conformance.replay import repeat
from halcert.conformance.run import Choice, UsageError, target_of
from halcert.conformance.suite import SEEDED_FAULT
from halcert.conformance.tally import Tally
from halcert.reports import text_of
from halcert.results import Exit, Trace, read_trace
from halcert.spec.catalogue import AREAS, interfaces


@click.command()
@click.argument("trace", type=click.Path(path_type=Path, dir_okay=False))
@target_options
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
    times: int,
) -> int:
    """Repeat the calls of a TRACE and say whether it still fails.

    Adapter, library, profile and seeded fault are those of the trace unless they are given
    here, so that a trace found on one implementation can be tried on another.

    Exit code 1 if a rule is broken again, 0 if not.
    """
    recorded = read_trace(trace)
    check_interfaces(trace, recorded)
    header = recorded.header

    def chosen(name: str, given: str | None, from_trace: str | None) -> str | None:
        source = context.get_parameter_source(name)
        return from_trace or given if source is click.core.ParameterSource.DEFAULT else given

    choice = Choice(
        adapter=chosen("adapter", adapter, header.adapter) or adapter,
        library=chosen("library", library, header.library),
        fault=chosen("fault", fault, header.environment.get(SEEDED_FAULT)),
        profile=chosen("profile", profile, header.profile) or profile,
        environment={k: v for k, v in header.environment.items() if k != SEEDED_FAULT},
        areas=tuple(AREAS),
    )
    if library is not None:
        choice = Choice(**{**vars(choice), "fault": fault})
    target, _ = target_of(choice)
    console = Console(highlight=False)
    failures: list[Broken | None] = []
    with adapter_named(target.adapter).open(target.profile, target.options) as session:
        setting = setting_of(target, session)
        for _ in range(times):
            with Lab(setting, "replay", Tally()) as lab:
                failures.append(repeat(lab, recorded.steps))
                steps = tuple(lab.steps)
    console.print(text_of(steps), markup=False, soft_wrap=True)
    return _verdict(console, recorded, failures)


def check_interfaces(path: Path, trace: Trace) -> None:
    """See that every call of a trace is of a known interface with known parameters.

    Raises:
        UsageError: one is not; names file and line.
    """
    known = interfaces()
    for line, step in enumerate(trace.steps, start=2):
        if step.interface not in known:
            raise UsageError(f"{path}: line {line}: there is no interface {step.interface!r}")
        wanted = known[step.interface].call.__struct_fields__
        if set(step.args) != set(wanted):
            raise UsageError(
                f"{path}: line {line}: {step.interface} takes {', '.join(wanted)}, "
                f"not {', '.join(step.args) or 'nothing'}"
            )


def _verdict(console: Console, trace: Trace, failures: list[Broken | None]) -> int:
    broken = [failure for failure in failures if failure is not None]
    same = [failure for failure in broken if failure.violation.rule == trace.header.rule]
    if not broken:
        console.print(f"gone: no rule is broken in {len(failures)} repetitions", markup=False)
        return int(Exit.OK)
    violation = (same or broken)[0].violation
    often = f"in {len(broken)} of {len(failures)} repetitions"
    word = "still there" if same or not trace.header.rule else "another failure"
    console.print(
        f"{word} {often}: {violation.rule} ({violation.strength.value})\n"
        f"  allowed: {violation.allowed}\n  came:    {violation.came}",
        markup=False,
    )
    return int(Exit.VIOLATIONS)
