"""Seeded faults: does the suite find each one, by which rule, and how fast."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import msgspec

from halcert.adapters.acl import AclAdapter
from halcert.adapters.hal import Fault, HalAdapter
from halcert.adapters.protocol import Options
from halcert.conformance.activity import Activity, Effort, Failure
from halcert.conformance.campaign import Campaign, Plan, directed, end_all, pool_of
from halcert.conformance.lab import Lab
from halcert.conformance.registry import adapter_named
from halcert.conformance.replay import repeat
from halcert.conformance.seeded import trace_environment
from halcert.conformance.tally import Tally
from halcert.conformance.target import PATIENCE, Target, setting_of
from halcert.conformance.witness import witness_activities
from halcert.results import Trace, TraceHeader, TraceStep, write_trace
from halcert.spec.catalogue import AREAS, areas_of, interfaces
from halcert.spec.language import Interface, Kind
from halcert.spec.profiles import ASCEND910B, PROFILES, UVM_PRODUCTS

QUICK = Effort(shrink=0.0, reduce=2.0, repetitions=1)


class FaultResult(msgspec.Struct, frozen=True):
    """What the suite made of one seeded fault.

    Attributes:
        name: name of the fault; empty for the unmodified driver.
        interface: interface that it is in.
        description: what it does.
        found: whether the suite found something.
        rule: id of the rule that found it.
        strength: strength of that rule.
        shape: how the rule was broken.
        test: test that found it.
        allowed: what was allowed.
        came: what came.
        seconds: seconds of testing until it was found, or until the search was given up.
        steps: the smallest trace.
        trouble: what went wrong with the suite itself.
    """

    name: str
    interface: str
    description: str
    found: bool
    rule: str = ""
    strength: str = ""
    shape: str = ""
    test: str = ""
    allowed: str = ""
    came: str = ""
    seconds: float = 0.0
    steps: tuple[TraceStep, ...] = ()
    trouble: str = ""


BEYOND_CALLS = {
    "svm": "device memory",
    "sharing": "process",
    "uvm": "managed memory",
    "runtime": "error codes",
}
"""What faults of an area are said to be in that show in no one of its interfaces.

That is the memory that a device tells, what a process leaves when it ends, what becomes of
managed pages whoever touches them, and how the driver's codes become the runtime's.
"""
OF_REFUSALS = "UNSUP"
"""The class of faults in how a product refuses what it does not have."""
BUNDLED: dict[str, type[HalAdapter | AclAdapter]] = {"hal": HalAdapter, "acl": AclAdapter}
"""Adapters with a bundled implementation that has seeded faults."""


def seeded_faults(
    areas: Iterable[str] = areas_of("hal"), profile: str = ASCEND910B.name
) -> list[Fault]:
    """Return the faults in what areas specify that an implementation for a product can have.

    Raises:
        AdapterError: the fault build of the driver cannot be had.
    """
    return [fault for fault in faults_in(areas) if profile in products_with(fault)]


def faults_in(areas: Iterable[str]) -> list[Fault]:
    """Return the faults in what areas specify, whichever product can have them.

    Raises:
        AdapterError: the fault build of the driver cannot be had.
    """
    names = tuple(areas)
    specified = {text for area, text in BEYOND_CALLS.items() if area in names} | {
        *interfaces(names)
    }
    return [fault for fault in all_faults(names) if fault.interface in specified]


def products_with(fault: Fault) -> tuple[str, ...]:
    """Return the products whose implementations can have a fault."""
    return tuple(name for name in PROFILES if _can_have(name, fault))


def _can_have(profile: str, fault: Fault) -> bool:
    if fault.generation not in ("", PROFILES[profile].generation):
        return False
    if fault.interface == BEYOND_CALLS["uvm"]:
        return profile in UVM_PRODUCTS
    found = interfaces().get(fault.interface)
    return found is None or fault.kind == OF_REFUSALS or _is_offered(found, profile)


def all_faults(areas: Iterable[str]) -> list[Fault]:
    """Return the faults of the bundled implementations that areas are about."""
    libraries = dict.fromkeys(AREAS[name].library for name in areas)
    return [fault for library in libraries for fault in BUNDLED[library]().faults()]


def _is_offered(interface: Interface, profile: str) -> bool:
    """Tell whether a product does anything with a call but refuse it."""
    return bool(interface.rules_of(Kind.ACCEPTS, profile))


UNMODIFIED = Fault("", "", "", "no fault")
"""What stands for the library without a fault."""


def search(
    fault: Fault, target: Target, seed: int, budget: float, activities: Sequence[Activity]
) -> FaultResult:
    """Run the suite against the driver with one fault until it finds something."""
    options = msgspec.structs.replace(target.options, fault=fault.name or None)
    target = msgspec.structs.replace(target, options=options)
    plan = Plan(seed=seed, budget=budget, jobs=1, effort=QUICK, stop_at_first=True)
    campaign = Campaign(target, plan)
    campaign.run(activities)
    before = 0.0
    for done in campaign.done:
        for failure in done.failures:
            if fault.name and _without_the_fault(target, failure):
                trouble = f"the unmodified driver breaks {failure.rule} by the same calls"
                return FaultResult(
                    fault.name, fault.interface, fault.summary, found=False, trouble=trouble
                )
            return FaultResult(
                name=fault.name,
                interface=fault.interface,
                description=fault.summary,
                found=True,
                rule=failure.rule,
                strength=failure.strength,
                shape=failure.shape,
                test=done.activity,
                allowed=failure.allowed,
                came=failure.came,
                seconds=before + failure.seconds,
                steps=failure.steps,
            )
        before += done.seconds
    trouble = next((done.trouble for done in campaign.done if done.trouble), "")
    return FaultResult(
        fault.name, fault.interface, fault.summary, found=False, seconds=before, trouble=trouble
    )


def _without_the_fault(target: Target, failure: Failure) -> bool:
    """Tell whether a failure is none of the fault's: the unmodified driver shows it, too."""
    options = msgspec.structs.replace(target.options, fault=None)
    with adapter_named(target.adapter).open(target.profile, options) as session:
        setting = setting_of(target, session)
        with Lab(setting, "without the fault", Tally()) as lab:
            met = repeat(lab, failure.steps)
    return met is not None and met.cause == failure.cause


def search_all(
    faults: Sequence[Fault],
    target: Target,
    *,
    seed: int,
    budget: float,
    jobs: int,
    told: Callable[[FaultResult], None],
) -> list[FaultResult]:
    """Search for every fault, several at a time, and tell each result as it comes.

    Returns:
        The results in the order of the faults.
    """
    activities = directed(target, seed, witness_activities(target.areas, target.profile))
    results: dict[str, FaultResult] = {}
    with pool_of(jobs) as pool:
        pending: dict[Future[FaultResult], Fault] = {
            pool.submit(search, fault, target, seed, budget, activities): fault for fault in faults
        }
        try:
            for future in as_completed(pending):
                result = _result(future, pending[future])
                results[result.name] = result
                told(result)
        except KeyboardInterrupt:
            end_all(pool)
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [results[fault.name] for fault in faults]


def _result(future: Future[FaultResult], fault: Fault) -> FaultResult:
    try:
        return future.result()
    except BrokenProcessPool:
        trouble = "a process of the suite was killed"
        return FaultResult(fault.name, fault.interface, fault.summary, found=False, trouble=trouble)


def keep_trace(result: FaultResult, target: Target, out: Path) -> Path:
    """Write the trace by which a fault was found."""
    header = TraceHeader(
        profile=target.profile,
        adapter=target.adapter,
        origin=result.test,
        rule=result.rule,
        allowed=result.allowed,
        came=result.came,
        environment=trace_environment(target.adapter, Options(fault=result.name or None)),
        devices=target.devices,
    )
    path = out / "faults" / f"{result.name or 'unmodified'}.jsonl"
    write_trace(Trace(header, result.steps), path)
    return path


def bundled_target(profile: str, areas: Sequence[str], devices: Sequence[int]) -> Target:
    """Return the bundled implementation of what areas are about as a target."""
    library = AREAS[next(iter(areas))].library
    options = Options(call_timeout=PATIENCE)
    return Target(library, options, profile, tuple(areas), tuple(devices))
