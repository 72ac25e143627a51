"""``halcert faults``: does the suite find what it is there to find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import click
import msgspec
from rich.console import Console

from halcert.adapters.hal import Fault
from halcert.adapters.protocol import Options
from halcert.cli.options import Seconds, areas_option, claim, run_options
from halcert.conformance.claim import FAULTS
from halcert.conformance.faults import (
    BUNDLED,
    UNMODIFIED,
    FaultResult,
    all_faults,
    bundled_target,
    faults_in,
    keep_trace,
    products_with,
    search_all,
    seeded_faults,
)
from halcert.conformance.registry import adapter_named
from halcert.conformance.run import UsageError, known_areas, known_profile
from halcert.conformance.target import Target, describe
from halcert.model.proofs import are_kept
from halcert.reports import human
from halcert.reports.bundled import BUNDLED as NAMES
from halcert.results import Exit
from halcert.spec.catalogue import AREAS


@click.command()
@click.option(
    "--adapter",
    type=click.Choice(list(BUNDLED)),
    help="hal: the software driver; acl: the software runtime. Default: that of the first of "
    "the areas, or hal.",
)
@areas_option
@click.option("--profile", default="ascend910b", show_default=True, metavar="NAME")
@click.option("--fault", "names", multiple=True, metavar="NAME", help="Only this one; repeatable.")
@click.option(
    "--budget",
    type=Seconds(),
    default=20.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for each fault before it counts as not found.",
)
@click.option("--list", "only_list", is_flag=True, help="List the faults and do nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@run_options
def faults(
    adapter: str | None,
    areas: tuple[str, ...],
    profile: str,
    names: tuple[str, ...],
    budget: float,
    only_list: bool,
    as_json: bool,
    out: Path,
    jobs: int,
    seed: int,
) -> int:
    """Run the suite against every seeded fault in the areas.

    They are in the software driver, and with --adapter acl in the software runtime.

    Faults that only another product can have are left out, and their number is told.

    Prints for each who found it, by which rule and how fast, and keeps its trace under
    OUT/faults/. Last comes the unmodified library, which must be clean.

    Exit code 0 if every fault was found and the unmodified library is clean, else 1.
    """
    console = Console(highlight=False)
    library = adapter or (AREAS[areas[0]].library if areas and areas[0] in AREAS else "hal")
    wanted = known_areas(areas, library)
    known = {fault.name: fault for fault in all_faults(wanted)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"there is no fault named {unknown[0]!r}; `halcert faults --list`")
    known_profile(profile)
    chosen = [known[name] for name in names]
    for fault in chosen:
        _check_product(fault, profile)
    if not chosen:
        chosen = seeded_faults(wanted, profile)
        _tell_left_out(wanted, profile)
    if only_list:
        _print_list(console, chosen)
        return int(Exit.OK)
    claim(out, FAULTS)
    _, devices = describe(adapter_named(library), Options())
    target = bundled_target(known_profile(profile), wanted, devices)

    if not as_json and not are_kept(target.areas, target.profile):
        console.print("working out tests from the rules, once for this specification")

    def told(result: FaultResult) -> None:
        if result.found:
            _keep(result, target, out)
        if not as_json:
            console.print(_line(result, library), markup=False, soft_wrap=True)

    results = search_all(
        [*chosen, UNMODIFIED], target, seed=seed, budget=budget, jobs=jobs, told=told
    )
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(results)).decode())
    else:
        _print_verdict(console, results, library)
    return int(Exit.OK if all(map(_as_it_should, results)) else Exit.VIOLATIONS)


def _check_product(fault: Fault, profile: str) -> None:
    """See that an implementation for a product can have a fault.

    Raises:
        UsageError: it cannot.
    """
    products = products_with(fault)
    if profile not in products:
        raise UsageError(
            f"{profile} cannot have the fault {fault.name!r}, only {' and '.join(products)} can\n"
            f"Take --profile {' or '.join(products)}."
        )


def _tell_left_out(areas: Sequence[str], profile: str) -> None:
    """Say how many faults of areas a product cannot have, and which product can."""
    left = Counter(map(products_with, faults_in(areas)))
    for products, number in left.items():
        if profile not in products:
            them = "it" if number == 1 else "them"
            click.echo(
                f"note: {human.count(number, 'fault')} left out: {profile} cannot have {them}, "
                f"only {' and '.join(products)} can",
                err=True,
            )


def _keep(result: FaultResult, target: Target, out: Path) -> None:
    """Write the trace; if that fails, say so and go on."""
    try:
        keep_trace(result, target, out)
    except OSError as error:
        click.echo(f"note: {error.filename}: not written: {error.strerror}", err=True)


def _as_it_should(result: FaultResult) -> bool:
    return result.found == bool(result.name) and not result.trouble


def _line(result: FaultResult, library: str) -> str:
    name = result.name or f"the unmodified {NAMES[library]}"
    if result.found:
        how = f"{result.rule} ({result.strength}, {result.shape}) in {result.test}"
        word = "found" if result.name else "NOT CLEAN"
        return f"{word:9} {name:36} {result.seconds:6.2f} s  {len(result.steps):3} calls  {how}"
    word = "NOT FOUND" if result.name else "clean"
    return f"{word:9} {name:36} {result.seconds:6.2f} s  {result.trouble}".rstrip()


def _print_list(console: Console, chosen: Sequence[Fault]) -> None:
    for fault in chosen:
        line = f"{fault.name:27} {fault.interface:25} {fault.kind:8} {fault.summary}"
        console.print(line, markup=False, soft_wrap=True)


def _print_verdict(console: Console, results: list[FaultResult], library: str) -> None:
    seeded = [result for result in results if result.name]
    found = [result for result in seeded if result.found]
    clean = not any(result.found for result in results if not result.name)
    times = f", median {median(r.seconds for r in found):.2f} s" if found else ""
    console.print(
        f"{len(found)} of {len(seeded)} faults found{times}; "
        f"the unmodified {NAMES[library].removeprefix('software ')} is "
        f"{'clean' if clean else 'NOT clean'}"
    )
