"""``halcert prove``: prove that the rules are consistent, complete and reachable."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from rich.console import Console
from rich.table import Table

from halcert.cli.bar import Bar
from halcert.cli.options import Folder, all_areas_option, claim, run_options
from halcert.conformance.claim import PROOFS
from halcert.results import Exit, write_proofs
from halcert.results.proof import FILE_NAME
from halcert.spec.abi.codes import symbol_of
from halcert.spec.catalogue import AREA_NAMES, AREAS, rule

if TYPE_CHECKING:
    from halcert.model.proofs import Findings, Record, Witness
    from halcert.model.proofs.work import Recall, Task

LARGE = 4096
DEPTH = 6
"""How deep searches go unless told otherwise."""


@click.command()
@all_areas_option
@run_options
@click.option("--rule", "only", default="", metavar="ID", help="Only what concerns one rule.")
@click.option(
    "--rows",
    type=click.IntRange(min=1, max=6),
    default=3,
    show_default=True,
    help="Rows that each table has at most where any valid state is meant.",
)
@click.option(
    "--cross-check",
    "--crosscheck",
    "crosscheck",
    is_flag=True,
    help="Have a second solver (cvc5) check what z3 calls proved; takes some minutes.",
)
@click.option(
    "--keep-smt",
    type=Folder(),
    metavar="FOLDER",
    help="Leave every question to the second solver there as SMT-LIB; with --cross-check.",
)
@click.option(
    "--depth",
    type=click.IntRange(min=1, max=10),
    default=DEPTH,
    show_default=True,
    help="Calls before the one that a rule decides, at most, in the search for witnesses.",
)
@click.option(
    "--record-words",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    metavar="FILE",
    help="Search for all witnesses, written down or not, and write what is hard to find.",
)
@click.option(
    "--record-witnesses",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    metavar="FILE",
    help="Search for the witnesses again, after words that are written down, and write them.",
)
@click.option("--fresh", is_flag=True, help="Prove everything anew, whatever is known.")
@click.option("--json", "as_json", is_flag=True, help="Print every obligation as JSON.")
def prove(
    areas: tuple[str, ...],
    seed: int,
    jobs: int,
    out: Path,
    only: str,
    rows: int,
    crosscheck: bool,
    keep_smt: Path | None,
    depth: int,
    record_words: Path | None,
    record_witnesses: Path | None,
    fresh: bool,
    as_json: bool,
) -> int:
    """Prove that the rules are consistent, complete and reachable.

    The rules that judge an implementation are read as formulas and handed to a solver (z3).
    For every rule and interface and for each generation of products it settles:

    \b
      reachable     some sequence of calls lets the rule have a say; the shortest
                    one is kept and becomes a test of `halcert certify`
      not shadowed  the rule alone can be the one that decides
      total         whatever the state and arguments, some outcome applies
      unambiguous   no two accepting outcomes with different effects apply
      inductive     the invariants hold at first, and accepted calls keep them
      framed        a call changes no other tables than it declares
      theorem       named safety properties, for all states and calls
      agreement     the formulas and the code give the same answers on samples

    A refuted obligation is printed as a state and a call. Valid states are those that satisfy
    the invariants, with at most --rows rows in each table; arrays have at most two elements
    there, and matrices that are copied at most two rows. What was proved before is
    not proved again while nothing has changed that it depends on. Witnesses are
    written down in the package, in witnesses.json; where the rules of an interface
    say what they said then, they are carried out again instead of searched for.
    The words of calls that are hard to find stand in words.json and are tried
    first in a search. --record-witnesses and --record-words write such files.

    \b
    Examples:
      halcert prove
      halcert prove --rule SVM-FREE-002
      halcert prove --areas svm --rows 4 --json > proofs.json

    \b
    Exit codes: 0 everything is proved, 1 something is refuted or not settled,
    2 wrong usage, 5 the two solvers contradict each other. The folder --out gets
    proofs.json, which `halcert spec` reads; with --rule nothing is written.
    """  # noqa: D301 - \b is how click is told to leave the lines alone
    from halcert.model.proofs.run import carried_out, tasks

    chosen = _areas(areas)
    if only and rule(only) is None:
        raise click.UsageError(f"no rule is called {only!r}; `halcert spec` lists the rules")
    console = Console(highlight=False, stderr=as_json)
    _check_second_opinion(asked=crosscheck, keep=keep_smt)
    questions = "" if keep_smt is None else str(keep_smt)
    _refuse_parts(record_words, record_witnesses, only, areas)
    if not only:
        claim(out, PROOFS)
    work = tasks(
        chosen,
        rows=rows,
        seed=seed,
        only=only,
        second=crosscheck,
        depth=depth,
        smt=questions,
        recall=_recall(record_words, record_witnesses),
    )
    started = time.monotonic()
    done: dict[Task, Findings] = {}
    with WorkProgress(console, len(work)) as progress:
        for task, found in carried_out(work, jobs, fresh):
            progress.done(task, found)
            done[task] = found
    seconds = time.monotonic() - started
    # In the order of the work, whatever was done first: the same rules give the same files.
    found_in_order = [done[task] for task in work if task in done]
    records = _concerning(only, (each for found in found_in_order for each in found.records))
    witnesses = [each for found in found_in_order for each in found.witnesses]
    if not only:
        _leave(chosen, out, records, witnesses)
    _record(record_words, record_witnesses, done)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(records), indent=2).decode())
    else:
        _report(console, records, seconds)
        if only:
            _show_witnesses(console, witnesses)
            console.print("Only one rule was asked about, so no file is written.", markup=False)
        else:
            console.print(f"{len(witnesses)} witnesses; proofs in {out / FILE_NAME}", markup=False)
    return _exit(records)


def _refuse_parts(
    words: Path | None, witnesses: Path | None, only: str, areas: tuple[str, ...]
) -> None:
    """Refuse to write down less than what is written together."""
    if words is not None and (only or areas):
        raise click.UsageError("--record-words is for all rules, without --rule and --areas")
    if witnesses is not None and only:
        raise click.UsageError("--record-witnesses is for whole areas, without --rule")


def _record(words: Path | None, witnesses: Path | None, done: dict[Task, Findings]) -> None:
    """Write down what was asked for."""
    if words is not None:
        _record_words(words, done)
    if witnesses is not None:
        _record_witnesses(witnesses, done)


def _recall(words: Path | None, witnesses: Path | None) -> Recall:
    """Return what counts of what is written down when some of it is to be written anew."""
    from halcert.model.proofs.work import Recall

    if words is not None:
        return Recall.NOTHING
    return Recall.WITNESSES if witnesses is None else Recall.WORDS


def _exit(records: list[Record]) -> int:
    """Return the exit code: that solvers contradict each other is worse than a refutation."""
    statuses = {each.status for each in records}
    if "disputed" in statuses:
        return Exit.HARNESS
    return Exit.OK if statuses <= {"proved"} else Exit.VIOLATIONS


def _check_second_opinion(*, asked: bool, keep: Path | None) -> None:
    """See that the second solver is there if it is asked, and asked if its questions are kept."""
    from halcert.model.symbolic.second import available

    if asked and not available():
        raise click.UsageError("--cross-check needs cvc5: pip install 'halcert[crosscheck]'")
    if keep is not None and not asked:
        raise click.UsageError("--keep-smt needs --cross-check, which asks the questions")


def _areas(asked: tuple[str, ...]) -> tuple[str, ...]:
    for name in asked:
        if name not in AREA_NAMES:
            raise click.UsageError(f"no area is called {name!r}; there are {', '.join(AREA_NAMES)}")
    return tuple(name for name in AREAS if not asked or name in asked)


def _concerning(only: str, records: Iterable[Record]) -> list[Record]:
    """Return the records that speak of the one rule, or of its interface as a whole."""
    if not only:
        return list(records)
    found = rule(only)
    subjects = {only, found.interface if found else ""}
    return [each for each in records if each.subject in subjects]


def _leave(
    areas: tuple[str, ...], out: Path, records: list[Record], witnesses: list[Witness]
) -> None:
    """Write the proofs, and keep the witnesses where the suite looks for them."""
    import halcert
    from halcert.model.proofs.digest import digest
    from halcert.model.proofs.kept import keep_all
    from halcert.model.proofs.notes import notes_of

    notes = notes_of(records, witnesses)
    write_proofs(notes, out / FILE_NAME, halcert=halcert.__version__, spec=digest())
    keep_all(areas, witnesses)


def _record_words(place: Path, done: dict[Task, Findings]) -> None:
    """Write the words that take long to find."""
    from halcert.model.proofs.wordbook import Book, write

    book: Book = {}
    for task, found in done.items():
        book.setdefault(task.profile, {}).update(found.noted)
    try:
        write(book, place)
    except OSError as error:
        raise click.UsageError(f"--record-words: {place}: {error.strerror}") from error


def _record_witnesses(place: Path, done: dict[Task, Findings]) -> None:
    """Write the witnesses of what was searched, beside those that are written down of the rest."""
    from halcert.model.proofs import specimens

    book = {task.profile: dict(specimens.written(task.profile)) for task in done}
    for task, found in done.items():
        book[task.profile].update(found.pages)
    try:
        specimens.write(book, place)
    except OSError as error:
        raise click.UsageError(f"--record-witnesses: {place}: {error.strerror}") from error


# ----------------------------------------------------------------------------------------- output


def _report(console: Console, records: list[Record], seconds: float) -> None:
    """Print the table, then whatever is not proved."""
    from halcert.reports.tables import print_table

    for table in _tables(records):
        print_table(console, table)
        console.print()
    for record in sorted(records, key=lambda each: each.id):
        if record.status != "proved":
            console.print(f"\n{record.status}: {record.id}", markup=False, soft_wrap=True)
            subject = rule(record.subject)
            if subject is not None:
                console.print(f"  {subject.summary}", markup=False, soft_wrap=True)
            for line in record.note.splitlines():
                console.print(f"    {line}", markup=False, soft_wrap=True)
    proved = sum(each.status == "proved" for each in records)
    console.print(f"{proved} of {len(records)} obligations proved in {seconds:.1f} s", markup=False)


def _show_witnesses(console: Console, witnesses: list[Witness]) -> None:
    """Print the calls that make the one rule decide."""
    for witness in witnesses:
        title = witness.note or "shortest calls"
        console.print(f"\n{witness.profile}, {title}:", markup=False)
        for number, step in enumerate(witness.steps, start=1):
            args = ", ".join(f"{name}={_argument(each)}" for name, each in step.args.items())
            codes = ", ".join(map(symbol_of, step.expected.codes))
            answer = step.expected.verdict + (f" with {codes}" if codes else "")
            console.print(
                f"  {number}  {step.interface}({args})  {answer}", markup=False, soft_wrap=True
            )


def _argument(value: Any) -> str:
    if isinstance(value, dict) and "$" in value:
        distance = f" + {value['plus']}" if value.get("plus") else ""
        return f"{value['field']} of {value['$']}{distance}"
    if isinstance(value, int) and not isinstance(value, bool) and value > LARGE:
        return hex(value)
    return str(value)


def _tables(records: list[Record]) -> list[Table]:
    """Return what was settled by obligation, then by area: both at once are too wide."""
    from halcert.model.proofs.records import KINDS

    by_kind = {kind: [each for each in records if each.kind == kind] for kind in KINDS}
    by_area = {area: [each for each in records if each.area == area] for area in AREAS}
    return [_table("obligation", by_kind), _table("area", by_area)]


def _table(title: str, groups: dict[str, list[Record]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title, min_width=12)
    table.add_column("proved", justify="right", min_width=9)
    table.add_column("seconds", justify="right")
    table.add_column("slowest", overflow="fold")
    for name, found in groups.items():
        if not found:
            continue
        slowest = max(found, key=lambda each: each.seconds)
        table.add_row(
            name,
            f"{sum(each.status == 'proved' for each in found)}/{len(found)}",
            f"{sum(each.seconds for each in found):.2f}",
            f"{slowest.seconds:.2f} s  {slowest.subject} {slowest.generation}",
        )
    return table


class WorkProgress(Bar):
    """Shows how far the proofs are."""

    def __init__(self, console: Console, total: int) -> None:
        super().__init__(console, "proving", total)
        self._pieces = total
        self._done = 0
        self._proved = 0
        self._open = 0

    def done(self, task: Task, found: Findings) -> None:
        """Show that a piece of work is done."""
        self._done += 1
        self._proved += sum(each.status == "proved" for each in found.records)
        self._open += sum(each.status != "proved" for each in found.records)
        state = f"{self._proved} proved" + (f", {self._open} not" if self._open else "")
        self.show(f"{task.name:<26.26}", self._done, state)
        if self.line_is_due():
            share = f"{self._done} of {self._pieces} pieces of work"
            self.console.print(f"{self.elapsed:5.0f} s  {share}, {state}", markup=False)
