"""Traces of the bundled libraries as C programs: recorded, exported, compiled and run."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from flows import beginning

from halcert.adapters import softacl, softhal
from halcert.adapters.acl import AclAdapter
from halcert.adapters.hal import HalAdapter
from halcert.adapters.protocol import Options, Session
from halcert.conformance.activity import NOTHING, Activity, Effort, perform
from halcert.conformance.lab import Lab
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.seeded import trace_environment
from halcert.conformance.target import Target, setting_of
from halcert.results import Answered, Trace, TraceHeader, TraceStep, read_trace, write_trace
from halcert.spec.catalogue import areas_of

Flow = Callable[[Lab], object]
News = tuple[str, bool, bool, bool]

NO_FAULT, FAULT, NOT_TRIED = 0, 1, 2
"""How a program ends."""
ONCE = "1"
"""Rounds of a program in which threads or streams take part, where nothing depends on luck."""
REDUCING = Effort(shrink=0.0, reduce=2.0, repetitions=0)
DEVICES = (0, 1)
MOST = 60
"""Calls of a flow that become a program."""
COMPILER = ("cc", "-std=c11", "-O0", "-Wall", "-Wextra", "-Werror")


class Bundled(NamedTuple):
    """A library that comes with halcert: the adapter that calls it, and where it is."""

    name: str
    adapter: type[HalAdapter | AclAdapter]
    place: ModuleType


HAL = Bundled("hal", HalAdapter, softhal)
ACL = Bundled("acl", AclAdapter, softacl)


def target(bundled: Bundled, profile: str, options: Options) -> Target:
    return Target(bundled.name, options, profile, areas_of(bundled.name), DEVICES)


def trace_of(bundled: Bundled, name: str, make: Flow, profile: str, folder: Path) -> Path:
    """Record a sound run of the correct library, or the beginning of a long one."""
    with bundled.adapter().open(profile, Options()) as session:
        return _recorded(bundled, session, name, make, profile, folder / "trace.jsonl")


def with_news(
    bundled: Bundled, flows: Iterable[str], profile: str, folder: Path, seen: set[News]
) -> Iterator[Path]:
    """Record flows, and iterate over those that make a call, or one that fails, that is new.

    A program of calls that others have made, to the same end, says little more than theirs: with
    which code one failed is a number in its text.

    Args:
        bundled: the library.
        flows: names of flows.
        profile: the product.
        folder: where traces go.
        seen: what is not new; what flows bring is added.
    """
    with bundled.adapter().open(profile, Options()) as session:
        for name in flows:
            path = folder / f"{name}.jsonl"
            _recorded(bundled, session, name, SCENARIOS[name].flow, profile, path)
            made = set(map(news_of, read_trace(path).steps))
            if not made <= seen:
                seen |= made
                yield path


def news_of(step: TraceStep) -> News:
    """Return what a program of a call may be the first to show: who makes it, and how it ends."""
    fails = isinstance(step.outcome, Answered) and step.outcome.code != 0
    return step.interface, fails, step.actor > 0, step.thread > 0


def _recorded(
    bundled: Bundled, session: Session, name: str, make: Flow, profile: str, path: Path
) -> Path:
    steps = beginning(setting_of(target(bundled, profile, Options()), session), name, make, MOST)
    header = TraceHeader(profile=profile, adapter=bundled.name, origin=name, devices=DEVICES)
    write_trace(Trace(header, steps[:MOST]), path)
    return path


def trace_of_fault(
    bundled: Bundled, fault: str, scenario: str, folder: Path, effort: Effort = NOTHING
) -> Path:
    """Let a flow meet a seeded fault; write the trace, as it came where no effort is made."""
    options = Options(fault=fault)
    with bundled.adapter().open("ascend910b", options) as session:
        setting = setting_of(target(bundled, "ascend910b", options), session)
        activity = Activity(f"scenario[{scenario}]", "scenario", SCENARIOS[scenario].area)
        (failure,) = perform(setting, activity, set(), effort).failures
    header = TraceHeader(
        profile="ascend910b",
        adapter=bundled.name,
        origin=activity.name,
        rule=failure.rule,
        allowed=failure.allowed,
        came=failure.came,
        environment=trace_environment(bundled.name, options),
        devices=DEVICES,
    )
    path = folder / f"{fault}.jsonl"
    write_trace(Trace(header, failure.steps), path)
    return path


def built(halcert, trace: Path) -> Path:
    """Export a trace as C and compile it, warnings being errors."""
    source = trace.with_suffix(".c")
    done = halcert("export", trace, "--as", "c", "--output", source)
    assert done.code == 0, done.text
    program = trace.with_suffix("")
    command = [*COMPILER, "-o", program, source, "-ldl", "-pthread"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def run(program: Path, *arguments: str, of: Bundled = HAL, fault=None, profile="ascend910b"):
    """Run a program on the correct library, or on the one with a seeded fault."""
    variables = {"SOFTHAL_PROFILE": profile, "SOFTHAL_DOMAIN": f"test-{uuid.uuid4().hex[:12]}"}
    if of is ACL:
        variables |= softacl.settings()
    if fault is not None:
        variables[of.place.FAULT_VARIABLE] = fault
    library = of.place.library(of.place.CORRECT if fault is None else of.place.FAULTY)
    return subprocess.run(
        [program, library, *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
