"""``halcert doctor``: what is here and what is missing."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

import halcert
from halcert.adapters.errors import AdapterError
from halcert.adapters.kernelsim import assumptions
from halcert.adapters.protocol import Description, Options
from halcert.cli.errors import explained
from halcert.cli.options import kernel_option
from halcert.conformance.registry import adapter_named, adapter_names
from halcert.conformance.run import Choice, UsageError, check_is_loaded, kernel_for
from halcert.conformance.target import devices_of
from halcert.results import Exit
from halcert.spec.catalogue import AREAS
from halcert.spec.profiles import PROFILES

PACKAGES = ("z3-solver", "hypothesis", "pytest", "numpy", "msgspec", "click", "rich", "jinja2")
NODES = ("/dev/davinci_manager", "/dev/davinci0")
BELOW = " " * 14
"""What is in front of a line that goes on below another one."""
NARROW = 60
"""Columns of a terminal that have no room for names beside what is said of them."""
ACTIONS = Path("/proc/sys/kernel/seccomp/actions_avail")
"""What filters of system calls can do."""


@click.command()
@click.option("--adapter", default=None, metavar="NAME", help="Look at this adapter only.")
@click.option(
    "--library", "--program", "library", default=None, metavar="PATH", help="Look at this library."
)
@kernel_option
def doctor(adapter: str | None, library: str | None, kernel: str | None) -> int:
    """Say which implementations, devices and versions are here, and what is missing.

    \b
    Exit codes:
      0  at least one implementation can be certified
      2  what --library or --program names is none
      4  none can be certified
    """  # noqa: D301 - click reads the character as: keep these lines
    if library == "":
        raise UsageError("--library is empty; give the path of a library, or leave it out")
    if adapter is not None:
        adapter_named(adapter)
    console = Console(highlight=False)

    def say(name: str, text: str) -> None:
        if console.is_terminal and console.width < NARROW:
            console.print(name, markup=False)
            console.print(Padding(Text(text.replace("\n" + BELOW, "\n")), (0, 0, 0, 2)))
        else:
            console.print(f"{name:<{len(BELOW)}}{text}", markup=False, soft_wrap=True)

    say("halcert", halcert.__version__)
    say("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    say("packages", ", ".join(f"{name} {_version(name)}" for name in PACKAGES))
    compiler = shutil.which("cc")
    say("compiler", compiler or "none; needed only to build the software driver from sources")
    say("areas", ", ".join(AREAS))
    say("profiles", ", ".join(f"{each.name} ({each.title})" for each in PROFILES.values()))
    nodes = [node for node in NODES if Path(node).exists()]
    say("NPU", ", ".join(nodes) if nodes else "no device nodes; a real driver finds no device here")
    say("filters", _filters())
    names = [adapter or "hal"] if library else [adapter] if adapter else adapter_names()
    environment = kernel_for(Choice(library=library, kernel=kernel))
    options = Options(library=library, environment=environment)
    if library:
        say("kernel", "the stand-in" if environment else "the real one")
    if environment:
        for name, text in assumptions().items():
            say("assumed", f"{name}: {text}")
    found = [_look_at(name, options, say) for name in names]
    if len(found) == 1:
        return int(found[0])
    return int(Exit.OK if Exit.OK in found else Exit.NOT_STARTED)


def _filters() -> str:
    """Say what becomes of system calls with managed memory of the software driver."""
    try:
        there = "trap" in ACTIONS.read_text().split()
    except OSError:
        there = False
    if there:
        return "seccomp; files are read into and written from managed memory wherever its pages are"
    return "none; reading a file into managed memory of the software driver may fail with EFAULT"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _look_at(name: str, options: Options, say: Callable[[str, str], None]) -> Exit:
    """Say what an adapter talks to; the exit code is that of a run with it that cannot begin."""
    adapter = adapter_named(name)
    try:
        found = adapter.describe(options)
        check_is_loaded(name, options.library, found)
        for line in _described(found):
            say(name, line)
        devices_of(found, adapter, options)
    except (AdapterError, UsageError) as error:
        say(name, f"cannot be used: {error}".replace("\n", "\n" + BELOW))
        return explained(error).code
    return Exit.OK


def _described(found: Description) -> list[str]:
    lines = [f"{found.implementation}, version {found.version or 'not reported'}"]
    if found.path:
        lines.append(f"{found.path}, sha256 {found.sha256[:16]}...")
    devices = "not reported" if found.devices is None else str(found.devices)
    lines.append(f"devices: {devices}")
    if found.missing:
        lines.append(f"lacks: {', '.join(found.missing)}")
    return lines
