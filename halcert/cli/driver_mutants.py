"""``halcert mutants`` without --spec: the suite against changed C sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import median

import click
import msgspec
from rich.console import Console
from rich.table import Table

from halcert.adapters.device import DEVICE_CALLS
from halcert.adapters.mutation import BUNDLES, Change, all_changes
from halcert.adapters.protocol import Options
from halcert.adapters.reach import reached
from halcert.cli.bar import Bar
from halcert.cli.drawing import drawn
from halcert.conformance.driver_mutants import (
    KILLED,
    NO_MUTANT,
    SURVIVED,
    TIMED_OUT,
    UNSEEN,
    MutantResult,
    digest_of,
    judge_all,
)
from halcert.conformance.mutant_record import Record
from halcert.conformance.registry import adapter_named
from halcert.conformance.survivors import reason_for
from halcert.conformance.target import describe
from halcert.model.proofs.run import representatives
from halcert.results import Exit
from halcert.spec.catalogue import AREAS, interfaces

SHOWN = 40
"""Rules that are printed with how many mutants they killed."""
FATES = (KILLED, SURVIVED, TIMED_OUT, UNSEEN)


class Wish(msgspec.Struct, frozen=True):
    """What is asked for.

    Attributes:
        areas: areas whose tests are run.
        only: pattern for the names of mutants; empty for all.
        sample: how many are drawn; None for all.
        budget: seconds of testing for each.
        seed: seed of the sample and of the tests.
        jobs: processes that work side by side.
        out: folder for the record.
        as_json: whether to print JSON.
    """

    areas: tuple[str, ...]
    only: str
    sample: int | None
    budget: float
    seed: int
    jobs: int
    out: Path
    as_json: bool


def run(console: Console, wish: Wish) -> int:
    """Run the suite against mutants, print what became of them, and return the exit code."""
    chosen = _chosen(console, wish)
    _, devices = describe(adapter_named("hal"), Options())
    profiles = [each.name for each in representatives()]
    asked = digest_of(wish.areas, profiles, wish.seed, wish.budget)
    record = Record(wish.out / "mutants.jsonl", asked)
    results = [record.known[each.id] for each in chosen if each.id in record.known]
    left = [each for each in chosen if each.id not in record.known]
    if results:
        console.print(f"{len(results)} of {len(chosen)} are known from before")
    with Bar(console, "mutants", len(chosen)) as bar:

        def begin(what: str) -> None:
            console.print(what, markup=False)

        for result in judge_all(
            {name: [each for each in left if each.bundle == name] for name in BUNDLES},
            wish.areas,
            devices,
            profiles=profiles,
            seed=wish.seed,
            budget=wish.budget,
            jobs=wish.jobs,
            begin=begin,
        ):
            record.add(result)
            results.append(result)
            bar.show("", len(results), _so_far(results))
            if not wish.as_json and result.fate in (SURVIVED, TIMED_OUT, UNSEEN):
                console.print(_line(result), markup=False, soft_wrap=True)
    if wish.as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(results), indent=2).decode())
    return _report(console, [each for each in results if each.fate != NO_MUTANT])


def _chosen(console: Console, wish: Wish) -> list[Change]:
    """Return the mutants that are asked for, of code that rules are about."""
    found: list[Change] = []
    apart = 0
    for bundle in dict.fromkeys(f"soft{AREAS[name].library}" for name in wish.areas):
        serving = _serving(bundle)
        for each in all_changes(bundle):
            if each.within and (Path(each.file).name, each.within) not in serving:
                apart += 1
            elif not wish.only or fnmatchcase(each.id, wish.only.replace("[", "[[]")):
                found.append(each)
    console.print(f"{apart} left out: their code serves no interface that rules are about")
    return drawn(found, wish.sample, wish.seed)


def _serving(bundle: str) -> frozenset[tuple[str, str]]:
    """Return the functions and tables of a library that rules are about."""
    agents = [each.symbol for each in DEVICE_CALLS.values()]
    return reached(BUNDLES[bundle], [*interfaces(), *agents])


def _line(result: MutantResult) -> str:
    why = reason_for(result.id)
    return f"{result.fate:12}  {result.id}" + (f"  ({why})" if why else "")


def _so_far(results: Sequence[MutantResult]) -> str:
    counts = Counter(each.fate for each in results)
    return ", ".join(f"{counts[fate]} {fate}" for fate in FATES if counts[fate])


def _report(console: Console, results: list[MutantResult]) -> int:
    console.print(_table(results))
    rules = Counter(each.rule for each in results if each.fate == KILLED)
    for name, count in rules.most_common(SHOWN):
        console.print(f"{count:5} killed by {name or 'trouble'}", markup=False)
    killed = [each for each in results if each.fate == KILLED]
    left = [each.id for each in results if each.fate != KILLED]
    unjudged = [each for each in left if not reason_for(each)]
    counted = len(killed) + len(unjudged)
    share = 100 * len(killed) / counted if counted else 100.0
    middle = f", median {median(each.seconds for each in killed):.2f} s" if killed else ""
    console.print(
        f"{len(results)} mutants: {len(killed)} killed{middle}; {len(left) - len(unjudged)} of the "
        f"others are judged, {len(unjudged)} are not. Of those that count {share:.1f} % are killed",
        markup=False,
        soft_wrap=True,
    )
    return int(Exit.VIOLATIONS if unjudged else Exit.OK)


def _table(results: Sequence[MutantResult]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("file", "mutants", *FATES, "judged"):
        table.add_column(name, justify="left" if name == "file" else "right")
    for file in sorted({each.file for each in results}):
        own = [each for each in results if each.file == file]
        counts = Counter(each.fate for each in own)
        judged = sum(each.fate != KILLED and bool(reason_for(each.id)) for each in own)
        table.add_row(file, str(len(own)), *(str(counts[fate]) for fate in FATES), str(judged))
    return table
