"""``halcert mutants``: would anything notice if the driver, or a rule, were wrong?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from rich.console import Console
from rich.table import Table

from halcert.cli.bar import Bar
from halcert.cli.drawing import drawn
from halcert.cli.options import Folder, Seconds, all_areas_option, claim
from halcert.conformance.claim import MUTANTS
from halcert.conformance.run import cores, sensible_jobs
from halcert.results import Exit
from halcert.spec.catalogue import AREA_NAMES, AREAS, rule

if TYPE_CHECKING:
    from halcert.conformance.mutants import Fate

SHOWN = 40
"""Survivors that are printed unless all are asked for."""


@click.command()
@click.option(
    "--spec",
    "of_spec",
    is_flag=True,
    help="Change the rules in memory, not the software driver and runtime.",
)
@all_areas_option
@click.option(
    "--sample", type=click.IntRange(min=1), metavar="NUMBER", help="Only so many, drawn by --seed."
)
@click.option(
    "--only",
    default="",
    metavar="PATTERN",
    help="Only mutants of C sources whose name matches, such as 'softhal/copy.c:*'.",
)
@click.option(
    "--budget",
    type=Seconds(),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for testing each mutant of the driver or the runtime.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the sample.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=min(cores(), 2),
    show_default="up to 2, as there are cores",
    help="Processes that work side by side.",
)
@click.option("--fresh", is_flag=True, help="With --spec: find out anew what became of each.")
@click.option(
    "--out",
    type=Folder(),
    default=Path("halcert-out"),
    show_default=True,
    help="Folder for mutants.jsonl, from which a run that was ended goes on.",
)
@click.option("--all", "everything", is_flag=True, help="Print every survivor.")
@click.option("--json", "as_json", is_flag=True, help="Print what became of each as JSON.")
def mutants(
    of_spec: bool,
    areas: tuple[str, ...],
    sample: int | None,
    only: str,
    budget: float,
    seed: int,
    jobs: int,
    fresh: bool,
    out: Path,
    everything: bool,
    as_json: bool,
) -> int:
    """Change the driver, or the rules, and see whether the suite, or proofs, notice.

    Without --spec the C sources of the software driver and runtime are changed: an operator,
    a number or a condition, arguments exchanged, or a call or an assignment left out. What
    compiles to the same code is dropped, and so is what serves no interface that rules are
    about. Each mutant is given to the tests that execute its line until one finds something,
    machines among them. What became of it is written to OUT/mutants.jsonl at once, and a run
    that was ended goes on from there.

    With --spec each change is one slip of the pen: a rule dropped or negated, a part of a
    condition left out, a comparison or a number moved by one, a return code exchanged, an
    effect left out. It is noticed if some vector, scenario or turn of the machine allows
    other outcomes then, or if an obligation is refuted; and equivalent if a solver shows
    that it makes no difference. What nothing notices is printed, unless it was judged to
    be no hole. What became of each is kept until the rules or the tests change: a run that
    was ended goes on where it was.

    \b
    Examples:
      halcert mutants --sample 1000
      halcert mutants --spec
      halcert mutants --spec --areas vmm --sample 200

    \b
    Exit codes: 0 every survivor is judged, 1 some are not, 2 wrong usage.
    """  # noqa: D301 - click reads the character as: keep these lines
    for name in areas:
        if name not in AREAS:
            raise click.UsageError(f"no area is called {name!r}; there are {', '.join(AREA_NAMES)}")
    chosen = tuple(name for name in AREAS if not areas or name in areas)
    console = Console(highlight=False, stderr=as_json)
    if not of_spec:
        from halcert.cli.driver_mutants import Wish, run

        claim(out, MUTANTS)
        wish = Wish(chosen, only, sample, budget, seed, sensible_jobs(jobs), out, as_json)
        return run(console, wish)
    fates = list(_fates(chosen, sample, seed, sensible_jobs(jobs), console, fresh=fresh))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(fates), indent=2).decode())
    return _report(console, fates, everything)


def _fates(
    areas: tuple[str, ...],
    sample: int | None,
    seed: int,
    jobs: int,
    console: Console,
    *,
    fresh: bool,
) -> Iterator[Fate]:
    from halcert.conformance.fates import fates_of
    from halcert.conformance.mutants import all_mutations

    found = drawn(list(all_mutations(areas)), sample, seed)
    with Bar(console, "changing", len(found)) as bar:
        done = 0
        for fates in fates_of(found, jobs, fresh):
            yield from fates
            done += len(fates)
            bar.show("changing", done, f"{done} of {len(found)}")
            if bar.line_is_due():
                console.print(f"{bar.elapsed:5.0f} s  {done} of {len(found)} changes", markup=False)


def _report(console: Console, fates: list[Fate], everything: bool) -> int:
    from halcert.conformance.survivors import reason_for

    left = [each.id for each in fates if each.survives]
    judged = {each: reason_for(each) for each in left}
    unjudged = [each for each in left if not judged[each]]
    console.print(_table(fates))
    for each in left if everything else unjudged[:SHOWN]:
        why = f"  ({judged[each]})" if judged[each] else ""
        console.print(f"survives  {each}{why}", markup=False, soft_wrap=True)
    hidden = 0 if everything else len(unjudged) - SHOWN
    if hidden > 0:
        console.print(f"{hidden} more; --all prints them", markup=False)
    real = sum(not each.equivalent for each in fates)
    noticed = real - len(left)
    share = 100 * noticed / real if real else 100.0
    console.print(
        f"{noticed} of {real} changes noticed ({share:.1f} %), "
        f"{len(left) - len(unjudged)} survivors judged, {len(unjudged)} not; "
        f"{len(fates) - real} more say the same as the rules",
        markup=False,
    )
    return int(Exit.VIOLATIONS if unjudged else Exit.OK)


def _table(fates: list[Fate]) -> Table:
    """Return by what changes of each kind of rule were noticed."""
    from halcert.conformance.mutants import EQUIVALENT

    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = ("vector", "scenario", "machine", "proof", "survives", EQUIVALENT)
    for name in ("kind", "changes", *columns):
        table.add_column(name, justify="left" if name == "kind" else "right")
    rows: dict[str, Counter[str]] = {}
    for each in fates:
        found = rule(each.id.partition(":")[0])
        kind = found.kind.value if found is not None else ""
        who = "survives" if each.survives else "proof"
        who = next((name for name in columns if name in each.noticed), who)
        rows.setdefault(kind, Counter())[who] += 1
    for kind, counts in rows.items():
        numbers = (counts[name] for name in columns)
        table.add_row(kind, str(sum(counts.values())), *map(str, numbers))
    return table
