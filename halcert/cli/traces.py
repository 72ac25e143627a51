"""Traces as users hand them in: read, and looked at before anything is done with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halcert.conformance.book import ALTERED, REFERENCE
from halcert.conformance.outcomes import HarnessError
from halcert.conformance.run import UsageError, known_profile
from halcert.conformance.story import story_of
from halcert.results import Trace, read_trace
from halcert.results.story import Story
from halcert.spec.catalogue import interfaces
from halcert.spec.catalogue import rule as rule_named
from halcert.spec.language import Interface
from halcert.spec.language.domain import annotations_of, domain_of

MOST = 1 << 64
MOST_PROCESSES = 64
"""Processes that a trace may speak of; each is one that is started."""


def checked_trace(path: Path) -> Trace:
    """Read a trace of known interfaces, with fitting arguments, that names no unknown rule.

    Raises:
        TraceError: the file cannot be read as a trace.
        UsageError: it has no calls, or a call or the rule is none that there is; names file
            and line.
    """
    trace = read_trace(path)
    if not trace.steps:
        raise UsageError(f"{path}: line 2: there is no call in it")
    named = trace.header.rule
    if named and rule_named(named) is None:
        raise UsageError(f"{path}: line 1: there is no rule {named!r}")
    check_interfaces(path, trace)
    return trace


def checked_story(path: Path) -> Story:
    """Read a trace and return its story.

    Raises:
        TraceError: the file cannot be read as a trace.
        UsageError: a call is none that there is, or its profile is unknown.
    """
    trace = checked_trace(path)
    if trace.header.profile:
        known_profile(trace.header.profile)
    try:
        return story_of(trace)
    except (
        ArithmeticError,
        AttributeError,
        KeyError,
        TypeError,
        ValueError,
        HarnessError,
    ) as error:
        raise UsageError(f"{path}: cannot be judged: {error}") from error


def check_interfaces(path: Path, trace: Trace) -> None:
    """See that every call of a trace is of a known interface with fitting arguments.

    Raises:
        UsageError: one is not; names file and line.
    """
    known = interfaces()
    for line, step in enumerate(trace.steps, start=2):
        if step.interface not in known:
            raise UsageError(f"{path}: line {line}: there is no interface {step.interface!r}")
        if not 0 <= step.actor < MOST_PROCESSES:
            raise UsageError(
                f"{path}: line {line}: actor {step.actor}: processes count from 0, "
                f"and there are at most {MOST_PROCESSES}"
            )
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
        number, field = value[REFERENCE], value.get("field")
        further = (value.get("plus", 0), value.get(ALTERED, 0))
        if not (_is_number(number) and isinstance(field, str) and all(map(_is_number, further))):
            raise TypeError(f"cannot take {dict(value)} as a reference to what a call gave")
        return 0
    if isinstance(value, list):
        return [_without_references(each) for each in value]
    return value


def _is_number(value: Any) -> bool:
    """Tell whether a value is a number that an address may be counted with."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < MOST
