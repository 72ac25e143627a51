"""Options that several commands share."""

from __future__ import annotations

import math
import os
import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from halcert.adapters.kernelsim import FAULTS, KERNELS, MISTAKES
from halcert.conformance.claim import claimed
from halcert.conformance.lists import names_in
from halcert.conformance.registry import adapter_names
from halcert.conformance.run import MOST_SEED, cores, sensible_jobs
from halcert.spec.catalogue import AREA_NAMES, areas_of
from halcert.spec.profiles import PROFILES

F = TypeVar("F", bound=Callable[..., Any])


class Seconds(click.FloatRange):
    """A number of seconds above 0 that comes to an end."""

    name = "seconds"

    def __init__(self) -> None:
        """Take any number above 0."""
        super().__init__(min=0, min_open=True)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        seconds = float(super().convert(value, param, ctx))
        if not math.isfinite(seconds):
            self.fail(f"{value} is not a number of seconds.", param, ctx)
        return seconds


class Folder(click.Path):
    """A folder, there or to be made."""

    name = "folder"

    def __init__(self) -> None:
        """Take any path that is no file."""
        super().__init__(path_type=Path, file_okay=False)

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Return the path."""
        if value == "":
            self.fail("it is empty; give the name of a folder.", param, ctx)
        return super().convert(value, param, ctx)


def _sensible(_context: click.Context, _parameter: click.Parameter, value: int) -> int:
    """Return the number of jobs, with a note if it is less than was asked for."""
    jobs = sensible_jobs(value)
    if jobs < value:
        click.echo(f"note: --jobs {jobs}, not {value}: there are {cores()} cores", err=True)
    return jobs


def split(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Split lists that are separated by commas; an option may be given several times."""
    try:
        return tuple(name for value in values for name in names_in(value))
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error


def _areas_option(default: str) -> Callable[[F], F]:
    return click.option(
        "--areas",
        multiple=True,
        callback=split,
        metavar="A,B",
        help=f"Areas, separated by commas: {', '.join(AREA_NAMES)}. Default: {default}.",
    )


def areas_option(function: F) -> F:
    """Add ``--areas`` to a command that calls an implementation."""
    driver = ", ".join(areas_of("hal"))
    return _areas_option(f"all that the adapter calls; those of the driver are {driver}")(function)


def common_areas_option(function: F) -> F:
    """Add ``--areas`` to a command that calls two implementations."""
    return _areas_option("all that both can call")(function)


def areas_of_the_baseline_option(function: F) -> F:
    """Add ``--areas`` to a command that holds a run against a baseline."""
    return _areas_option("those of the baseline")(function)


def all_areas_option(function: F) -> F:
    """Add ``--areas`` to a command that calls nothing."""
    return _areas_option("all")(function)


def kernel_option(function: F, otherwise: str = "") -> F:
    """Add ``--kernel``.

    Args:
        function: the command.
        otherwise: what comes before the usual default, with a comma and a space behind it.
    """
    return click.option(
        "--kernel",
        type=click.Choice(KERNELS),
        default=None,
        help="Kernel below the library: sim is the stand-in, which needs no device. Default: "
        f"{otherwise}real, but sim for a driver's library where there are no device nodes.",
    )(function)


def kernel_fault_option(function: F) -> F:
    """Add ``--kernel-fault``."""
    return click.option(
        "--kernel-fault",
        metavar="KIND:NUMBER",
        help=f"Have the kernel stand-in fail now and then, to see how the library copes: "
        f"{', '.join(FAULTS)}, each with how often, when, or how long in milliseconds. "
        f"{MISTAKES} alone: as wrong as the public kernel modules are.",
    )(function)


def target_options(function: F) -> F:
    """Add the options that name the implementation."""
    return _target_options(function)


def target_of_the_baseline_options(function: F) -> F:
    """Add the options that name the implementation, whose product is that of the baseline."""
    return _target_options(function, profile="that of the baseline")


def target_of_the_trace_options(function: F) -> F:
    """Add the options that name the implementation, by default that of the trace."""
    return _target_options(
        function,
        adapter="that of the trace, or hal",
        profile="that of the trace, or ascend910b",
        library="that of the trace; with another --adapter or a --fault the bundled one.",
        fault=" Default: that of the trace, with its library.",
        kernel="that of the trace, else ",
    )


BUNDLED = "the bundled software driver, or for acl the software runtime."


def _target_options(
    function: F,
    *,
    adapter: str | bool = True,
    profile: str | bool = True,
    library: str = BUNDLED,
    fault: str = "",
    kernel: str = "",
) -> F:
    """Add the options that name the implementation.

    Args:
        function: the command.
        adapter: the default as it is shown, if it is not the usual one.
        profile: likewise.
        library: likewise.
        fault: likewise, with a space in front.
        kernel: what comes before the usual default.
    """
    for option in (
        partial(kernel_option, otherwise=kernel),
        click.option(
            "--profile",
            default="ascend910b",
            show_default=profile,
            metavar="NAME",
            help=f"Product whose rules apply: {', '.join(PROFILES)}.",
        ),
        click.option(
            "--fault",
            metavar="NAME",
            help=f"Use the bundled library with a seeded fault (`halcert faults --list`).{fault}",
        ),
        click.option(
            "--library",
            "--program",
            "library",
            metavar="PATH",
            help=f"Library under test, or program for the adapter exec. Default: {library}",
        ),
        click.option(
            "--adapter",
            default="hal",
            show_default=adapter,
            metavar="NAME",
            help=f"How to talk to the implementation: {', '.join(adapter_names())}.",
        ),
    ):
        function = option(function)
    return function


def run_options(function: F) -> F:
    """Add the options of a run: seed, jobs, out."""
    for option in (
        click.option(
            "--out",
            type=Folder(),
            default=Path("halcert-out"),
            show_default=True,
            help="Folder for everything that the run leaves.",
        ),
        click.option(
            "--jobs",
            type=click.IntRange(min=1),
            default=min(cores(), 2),
            callback=_sensible,
            show_default="up to 2, as there are cores",
            help="Processes that run tests side by side.",
        ),
        click.option(
            "--seed",
            type=click.IntRange(0, MOST_SEED),
            metavar="NUMBER",
            default=0,
            show_default=True,
            help="Seed of all choices; the same seed makes the same calls.",
        ),
    ):
        function = option(function)
    return function


def key_option(function: F) -> F:
    """Add ``--key``."""
    return click.option(
        "--key",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="PRIVATE",
        help="Sign the certificate with this ed25519 key, PEM or OpenSSH. Default: unsigned.",
    )(function)


def claim(out: Path, part: str) -> None:
    """Hold a part of the out folder against other runs until the command ends.

    Raises:
        UsageError: another run has claimed it, or the folder cannot be written.
    """
    click.get_current_context().with_resource(claimed(out, part, command_line()))


def command_line() -> str:
    """Return the command line as a shell would take it."""
    return shlex.join(["halcert", *sys.argv[1:]])
