"""From what a user chose to a suite that is ready to run, or a clear word why not."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from halcert.adapters.kernelsim import FAULT, FAULTS, KERNEL, MISTAKES, SIM, default_kernel
from halcert.adapters.protocol import Adapter, Description, Options
from halcert.conformance.activity import Effort
from halcert.conformance.campaign import Plan
from halcert.conformance.lists import near
from halcert.conformance.registry import UnknownAdapter, adapter_named
from halcert.conformance.suite import Suite
from halcert.conformance.target import Target, describe
from halcert.spec.catalogue import AREA_NAMES, AREAS
from halcert.spec.language import Area
from halcert.spec.profiles import PROFILES

USUAL_EFFORT = Effort()
MOST_SEED = 2**63 - 1
"""The greatest seed."""
EVERYTHING = "model"
"""Name of the adapter that answers for all areas."""
JOBS_FOR_EACH_CORE = 4
"""Processes that run tests, for each core; more of them only stand in each other's way."""


class UsageError(Exception):
    """The user asked for something that does not exist or cannot be; says what would work."""


BUDGET = 90.0
"""Seconds for a run of all areas, in which every directed test has its time on two cores."""


@dataclass(frozen=True)
class Choice:
    """What a user chose.

    Attributes:
        adapter: name of the adapter.
        library: path of the library; None for the adapter's default.
        fault: name of a seeded fault of the bundled driver; None for none.
        profile: name of the product.
        areas: names of the areas; empty for all that are specified.
        seed: seed of all choices.
        budget: seconds for the run.
        jobs: number of processes that run tests.
        out: folder for the results.
        command: command line that repeats the run.
        environment: further variables for the implementation's processes.
        kernel: which kernel a driver's library gets; None to decide by the library.
        kernel_fault: what the kernel stand-in does wrong, and when; None for nothing.
        effort: how much to do about each failure.
        weights: how much of the time each area gets; empty to give all alike.
    """

    adapter: str = "hal"
    library: str | None = None
    fault: str | None = None
    profile: str = "ascend910b"
    areas: tuple[str, ...] = ()
    seed: int = 0
    budget: float = BUDGET
    jobs: int = 1
    out: Path = Path("halcert-out")
    command: str = "halcert certify"
    environment: dict[str, str] = field(default_factory=dict)
    kernel: str | None = None
    kernel_fault: str | None = None
    effort: Effort = USUAL_EFFORT
    weights: dict[str, float] = field(default_factory=dict)


def known_areas(areas: Iterable[str], adapter: str = EVERYTHING) -> tuple[str, ...]:
    """Return the areas to run, in the order in which they build on each other.

    Args:
        areas: names of the areas; none for all that the adapter can call.
        adapter: name of the adapter; an adapter of another name than those of the areas calls
            what the HAL offers.

    Raises:
        UsageError: an area is unknown, or the adapter cannot call it.
    """
    callable_areas = [name for name, area in AREAS.items() if can_call(adapter, area)]
    wanted = list(areas) or callable_areas
    for name in wanted:
        if name not in AREA_NAMES:
            raise UsageError(f"there is no area named {name!r}{near(name, AREA_NAMES)}")
        if name not in callable_areas:
            raise UsageError(
                f"adapter {adapter!r} cannot call area {name!r}; take --adapter "
                f"{AREAS[name].library} for it"
            )
    return tuple(name for name in AREAS if name in wanted)


def can_call(adapter: str, area: Area) -> bool:
    """Tell whether an adapter calls the interfaces of an area."""
    if adapter == EVERYTHING:
        return True
    libraries = {each.library for each in AREAS.values()}
    return area.library == (adapter if adapter in libraries else "hal")


def known_profile(name: str) -> str:
    """Return the name of a profile if it is one.

    Raises:
        UsageError: it is not.
    """
    if name not in PROFILES:
        raise UsageError(f"there is no profile named {name!r}{near(name, PROFILES)}")
    return name


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def sensible_jobs(jobs: int) -> int:
    """Return the number of processes to start where a user asks for so many."""
    return min(jobs, JOBS_FOR_EACH_CORE * cores())


def target_of(choice: Choice) -> tuple[Target, Description]:
    """Return what is tested and the adapter's description of it.

    Raises:
        UsageError: adapter, profile or area is unknown, or the adapter takes no such option.
        AdapterError: the implementation cannot be started.
    """
    areas = known_areas(choice.areas, choice.adapter)
    profile = known_profile(choice.profile)
    try:
        adapter = adapter_named(choice.adapter)
    except UnknownAdapter as error:
        raise UsageError(str(error)) from error
    _check_options(choice, adapter)
    environment = {name: value for name, value in choice.environment.items() if name != KERNEL}
    environment |= kernel_for(choice)
    options = Options(library=choice.library, fault=choice.fault, environment=environment)
    description, devices = describe(adapter, options)
    check_is_loaded(choice.adapter, choice.library, description)
    return Target(choice.adapter, options, profile, areas, devices), description


def check_is_loaded(adapter: str, library: str | None, description: Description) -> None:
    """See that an adapter looked at the library that was named.

    Raises:
        UsageError: it loads none.
    """
    if library is not None and not description.path:
        raise UsageError(f"adapter {adapter!r} takes no --library: it loads none")


def kernel_for(choice: Choice) -> dict[str, str]:
    """Return the variable that names the kernel stand-in, if the library gets it.

    Raises:
        UsageError: a stand-in was asked for where there is no driver's library to stand below.
    """
    kernel = choice.kernel or choice.environment.get(KERNEL)
    if kernel is None:
        kernel = default_kernel(choice.library)
    if kernel == SIM and choice.library is None:
        raise UsageError("--kernel sim needs --library: the bundled driver has no kernel below it")
    if kernel != SIM:
        if choice.kernel_fault is not None:
            raise UsageError("--kernel-fault needs --kernel sim: a real kernel does as it likes")
        return {}
    if choice.kernel_fault is None:
        return {KERNEL: SIM}
    kind, _, number = choice.kernel_fault.partition(":")
    known = kind in FAULTS and number.isdigit() and int(number) > 0
    if not known and choice.kernel_fault != MISTAKES:
        raise UsageError(
            f"--kernel-fault {choice.kernel_fault!r}: expected KIND:NUMBER, as in lost:40, "
            f"or {MISTAKES}; kinds are: {', '.join(FAULTS)}"
        )
    return {KERNEL: SIM, FAULT: choice.kernel_fault}


def _check_options(choice: Choice, adapter: Adapter) -> None:
    if choice.library == "":
        raise UsageError("--library is empty; give the path of a library, or leave it out")
    if choice.fault is None:
        return
    if choice.library is not None:
        raise UsageError(
            "--fault and --library exclude each other: "
            "faults are seeded in the bundled libraries only"
        )
    if not hasattr(adapter, "faults"):
        raise UsageError(f"adapter {choice.adapter!r} takes no --fault: it has no seeded faults")


def prepared(choice: Choice) -> Suite:
    """Return the suite for a choice.

    Raises:
        UsageError: something does not exist.
        AdapterError: the implementation cannot be started.
    """
    if choice.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    if not 0 < choice.budget < math.inf:
        raise UsageError("--budget must be a number of seconds above 0")
    if not 0 <= choice.seed <= MOST_SEED:
        raise UsageError(f"--seed must be a number of 0 to {MOST_SEED}")
    target, description = target_of(choice)
    plan = Plan(
        seed=choice.seed,
        budget=choice.budget,
        jobs=choice.jobs,
        effort=choice.effort,
        weights=dict(choice.weights),
    )
    return Suite(target, plan, choice.out, description, choice.command)
