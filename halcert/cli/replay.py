"""``halcert replay``: repeat a trace."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from halcert.adapters.errors import RequestRefused
from halcert.cli.options import target_options
from halcert.conformance.book import REFERENCE
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
from halcert.spec.language import Interface
from halcert.spec.language.domain import annotations_of, domain_of

MOST = 1 << 64


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

    adapter = chosen("adapter", adapter, header.adapter) or adapter
    # What the trace says of its implementation goes together: it is of no use to another one.
    same = (library, fault) == (None, None) and adapter == (header.adapter or adapter)
    choice = Choice(
        adapter=adapter,
        library=header.library or None if same else library,
        fault=header.environment.get(SEEDED_FAULT) if same else fault,
        profile=chosen("profile", profile, header.profile) or profile,
        environment={k: v for k, v in header.environment.items() if k != SEEDED_FAULT},
        areas=tuple(AREAS),
    )
    target, _ = target_of(choice)
    console = Console(highlight=False)
    failures: list[Broken | None] = []
    with adapter_named(target.adapter).open(target.profile, target.options) as session:
        setting = setting_of(target, session)
        for _ in range(times):
            with Lab(setting, "replay", Tally()) as lab:
                try:
                    failures.append(repeat(lab, recorded.steps))
                except RequestRefused as error:
                    raise UsageError(f"{trace}: {error}") from error
                steps = tuple(lab.steps)
    console.print(text_of(steps), markup=False, soft_wrap=True)
    return _verdict(console, recorded, failures)


def check_interfaces(path: Path, trace: Trace) -> None:
    """See that every call of a trace is of a known interface with fitting arguments.

    Raises:
        UsageError: one is not; names file and line.
    """
    known = interfaces()
    for line, step in enumerate(trace.steps, start=2):
        if step.interface not in known:
            raise UsageError(f"{path}: line {line}: there is no interface {step.interface!r}")
        if step.actor != 0:
            raise UsageError(f"{path}: line {line}: actor {step.actor}: a trace has one process, 0")
        if step.thread < 0:
            raise UsageError(f"{path}: line {line}: thread {step.thread}: threads count from 0")
        try:
            check_arguments(known[step.interface], step.args)
        except RecursionError:
            raise UsageError(f"{path}: line {line}: nested too deeply") from None
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise UsageError(f"{path}: line {line}: {step.interface} {error}") from error


def check_arguments(interface: Interface, args: Mapping[str, Any]) -> None:
    """See that arguments are what an interface takes; references may stand for numbers.

    Raises:
        ValueError: they are not; other errors are possible where structures are malformed.
    """
    wanted = interface.call.__struct_fields__
    if set(args) != set(wanted):
        raise ValueError(f"takes {', '.join(wanted)}, not {', '.join(args) or 'nothing'}")
    kinds = annotations_of(interface.call)
    plain = {name: _without_references(value) for name, value in args.items()}
    for name, value in plain.items():
        domain = domain_of(kinds[name])
        if domain is None or domain.role in ("out", "given"):
            continue
        if not isinstance(value, int) or not domain.low <= value <= domain.high:
            raise ValueError(f"takes a number of {domain.low} to {domain.high} as {name}")
    interface.parse(plain)


def _without_references(value: Any) -> Any:
    if isinstance(value, Mapping):
        if REFERENCE not in value:
            return {key: _without_references(each) for key, each in value.items()}
        number, field, plus = value[REFERENCE], value.get("field"), value.get("plus", 0)
        if not (_is_number(number) and isinstance(field, str) and _is_number(plus)):
            raise TypeError(f"cannot take {dict(value)} as a reference to what a call gave")
        return 0
    if isinstance(value, list):
        return [_without_references(each) for each in value]
    return value


def _is_number(value: Any) -> bool:
    """Tell whether a value is a number that an address may be counted with."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < MOST


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
