"""``halcert baseline``: what a build did before a change, written down and compared."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import date
from pathlib import Path

import click
from rich.console import Console

from halcert.reports import stable_json
from halcert.reports.gateterminal import difference_summary
from halcert.reports.write import written
from halcert.results import (
    Baseline,
    BaselineError,
    Exit,
    baseline_of,
    difference,
    read_baseline,
    read_certificate,
)
from halcert.results.certificate import FORMAT as CERTIFICATE_FORMAT
from halcert.results.files import contents

UNSURE = (Exit.INCOMPLETE, Exit.HARNESS)
"""Exit codes of runs that tell less than they could."""
EXISTING = click.Path(path_type=Path, dir_okay=False)


@click.group()
def baseline() -> None:
    """Write down what a build does, and compare it with what another one did.

    `halcert gate` holds a run against a baseline.
    """


@baseline.command()
@click.argument("certificates", nargs=-1, type=EXISTING, metavar="[CERTIFICATE]...")
@click.option(
    "-o",
    "--output",
    type=EXISTING,
    default=Path("baseline.json"),
    show_default=True,
    metavar="FILE",
    help="The baseline; one that is there is replaced, and what it knew is remembered.",
)
def write(certificates: tuple[Path, ...], output: Path) -> int:
    """Write a baseline from CERTIFICATEs of one build.

    Default: halcert-out/certificate.json. Several runs with different seeds make it steadier:
    a failure is known if any run met it, a MUST rule is covered only if every run showed it.

    \b
    Example:
      halcert certify --library old/libascend_hal.so --out run-1 --seed 1
      halcert certify --library old/libascend_hal.so --out run-2 --seed 2
      halcert baseline write run-1/certificate.json run-2/certificate.json
    """  # noqa: D301 - click reads the character as: keep these lines
    paths = certificates or (Path("halcert-out/certificate.json"),)
    runs = [read_certificate(path) for path in paths]
    for path, run in zip(paths, runs, strict=True):
        if run.exit in UNSURE or run.cut_short is not None:
            click.echo(f"note: {path}: of a run that is not whole: {run.reason}", err=True)
    earlier = read_baseline(output) if output.exists() else None
    if earlier is not None and earlier.profile != runs[0].profile:
        raise BaselineError(
            f"{output}: is of {earlier.profile}, the certificate of {runs[0].profile}; "
            f"each product has a baseline of its own"
        )
    made = baseline_of(runs, date.today(), earlier)  # noqa: DTZ011 - a day of the user's calendar
    output.parent.mkdir(parents=True, exist_ok=True)
    written(output, stable_json(made))
    console = Console(highlight=False)
    if earlier is not None:
        difference_summary(difference(earlier, made), console)
    covered = sum(verdict.value == "conforms" for verdict in made.rules.values())
    click.echo(
        f"{output}: {covered} of {len(made.rules)} rules conform, "
        f"{len(made.causes)} known failure{'s' if len(made.causes) != 1 else ''}, "
        f"{made.profile}, from {len(runs)} run{'s' if len(runs) != 1 else ''}"
    )
    return int(Exit.OK)


@baseline.command()
@click.argument("old", type=EXISTING)
@click.argument("new", type=EXISTING, default=Path("halcert-out/certificate.json"))
def diff(old: Path, new: Path) -> int:
    """Compare two baselines or certificates, OLD and NEW.

    NEW is halcert-out/certificate.json unless it is given. Exit code 1 if anything is worse:
    a failure that is new, or a MUST rule that is not shown any more; else 0. Areas that only
    one of the two ran cannot be compared, and their rules are summed up.
    """
    before, after = _either(old), _either(new)
    if before.profile != after.profile:
        raise BaselineError(
            f"{old} is of {before.profile}, {new} of {after.profile}; "
            f"only runs for one product can be compared"
        )
    found = difference(before, after)
    difference_summary(found, Console(highlight=False))
    return int(Exit.VIOLATIONS if found.is_worse else Exit.OK)


def _either(path: Path) -> Baseline:
    """Read a baseline, or make one of a certificate.

    Raises:
        BaselineError: the file is a broken baseline, or none of both.
        CertificateError: it is a broken certificate.
    """
    with suppress(OSError, ValueError, RecursionError):
        document = json.loads(contents(path))
        if isinstance(document, dict) and document.get("format") == CERTIFICATE_FORMAT:
            return baseline_of([read_certificate(path)], date.today())  # noqa: DTZ011 - likewise
    return read_baseline(path)
