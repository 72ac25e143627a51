"""``halcert compare``: where two implementations differ although both are allowed."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from halcert.cli.bar import Bar
from halcert.cli.interrupts import INTERRUPTS
from halcert.cli.options import Folder, Seconds, claim, command_line, common_areas_option
from halcert.conformance.activity import Activity
from halcert.conformance.claim import COMPARISON
from halcert.conformance.compare import Pair, compared, sides
from halcert.conformance.run import MOST_SEED, target_of
from halcert.model.proofs import are_kept
from halcert.reports.comparison import comparison_summary
from halcert.reports.machine import stable_json
from halcert.reports.write import written
from halcert.results import Exit

FILE = "comparison.json"


@click.command()
@click.option("--left", required=True, metavar="WHAT", help="The one, which makes the calls.")
@click.option("--right", required=True, metavar="WHAT", help="The other, which repeats them.")
@common_areas_option
@click.option(
    "--budget",
    type=Seconds(),
    default=40.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for making calls.",
)
@click.option(
    "--out",
    type=Folder(),
    default=Path("halcert-out"),
    show_default=True,
    help="Folder for the result, comparison.json.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, MOST_SEED),
    metavar="NUMBER",
    default=0,
    show_default=True,
    help="Seed of all choices.",
)
def compare(
    left: str, right: str, areas: tuple[str, ...], budget: float, out: Path, seed: int
) -> int:
    """Make the same calls on two implementations and list where they differ.

    Only what both are allowed is listed: which code comes where several are, what addresses are
    a multiple of, what a query reports, bytes that nobody wrote. So a port knows what programs
    may come to see. Tests that break a rule are counted and not compared from there on.

    WHAT is an adapter or the path of a library, and options after commas: library, fault,
    profile.

    \b
    Examples:
      halcert compare --left hal --right model
      halcert compare --left hal --right hal,profile=ascend950
      halcert compare --left old/libascend_hal.so --right new/libascend_hal.so

    \b
    Exit codes:
      0  neither breaks a rule, whether they differ or not
      1  one of them breaks a rule; `halcert certify` tells more
    """  # noqa: D301 - click reads the character as: keep these lines
    console = Console(highlight=False)
    one, other = sides(left, right, areas)
    claim(out, COMPARISON)
    targets = target_of(one), target_of(other)
    if not are_kept(one.areas, one.profile):
        console.print("working out tests from the rules, once for this specification")
    with Bar(console, "comparing", budget) as bar:

        def begin(activity: Activity, pair: Pair) -> None:
            state = f"{pair.compared} calls compared"
            bar.show(f"{activity.name:<34.34}", bar.elapsed, state)
            if not console.is_terminal and bar.line_is_due():
                console.print(f"{bar.elapsed:5.0f} s  {state}", markup=False, soft_wrap=True)

        found = compared(
            (left, right), targets, seed=seed, budget=budget, command=command_line(), begin=begin
        )
    with INTERRUPTS.held_off():
        path = written(out / FILE, stable_json(found))
    comparison_summary(found, console, path)
    return int(Exit.VIOLATIONS if found.faults else Exit.OK)
