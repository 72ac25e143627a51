"""``halcert trace-matrix``: from what documents state to rules, proofs, tests and verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from halcert.results import Certificate, Exit, ProofsError, read_proofs
from halcert.results.files import contents
from halcert.results.matrix import Matrix
from halcert.results.proof import FILE_NAME
from halcert.spec.catalogue import AREAS

if TYPE_CHECKING:
    from halcert.results import ProofNote

FORMS = ("html", "csv", "json")
CERTIFICATE = "certificate.json"
FOLDER = Path("halcert-out")


@click.command("trace-matrix")
@click.option(
    "--as",
    "form",
    type=click.Choice(FORMS),
    default="html",
    show_default=True,
    help="A page, a table with a line for each rule of each statement, or data.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write. Default: standard output.",
)
@click.option(
    "--proofs",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"What halcert prove found.  [default: {FOLDER / FILE_NAME}, if it is there]",
)
@click.option(
    "--certificate",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"What halcert certify found.  [default: {FOLDER / CERTIFICATE}, if it is there]",
)
def trace_matrix(
    form: str, output: Path | None, proofs: Path | None, certificate: Path | None
) -> int:
    """Lead from each statement of the documents to rules, proofs, tests and verdicts.

    Each statement of the descriptions and each fact of headers and API references is a row, with
    the rules that carry it; what no rule carries on purpose is there with the reason. Rules that
    come from observation alone follow, interface by interface.

    \b
    Examples:
      halcert trace-matrix -o matrix.html
      halcert trace-matrix --as csv | grep violates
    """  # noqa: D301 - click reads the character as: keep these lines
    from halcert.reports.matrix import matrix_csv, matrix_json
    from halcert.reports.matrixpage import matrix_page

    table = _table(proofs, certificate)
    write = {"html": matrix_page, "csv": matrix_csv, "json": matrix_json}[form]
    if output is None:
        click.echo(write(table), nl=False)
    else:
        output.write_bytes(write(table).encode())
    return int(Exit.OK)


def _table(proofs: Path | None, certificate: Path | None) -> Matrix:
    import halcert
    from halcert.model.digest import spec_digest
    from halcert.reports.matrix import matrix

    notes = _proofs(proofs)
    run = _certificate(certificate)
    table = matrix(notes, run, _vectors())
    return msgspec.structs.replace(
        table,
        halcert=halcert.__version__,
        spec=spec_digest(),
        proofs=str(proofs or FOLDER / FILE_NAME) if notes is not None else "",
        certificate="" if run is None else _described(run),
    )


def _described(run: Certificate) -> str:
    return f"{run.implementation.name}, {run.profile}, {run.started}"


def _proofs(path: Path | None) -> dict[str, ProofNote] | None:
    place = path or FOLDER / FILE_NAME
    if path is None and not place.exists():
        return None
    try:
        return dict(read_proofs(place))
    except ProofsError as error:
        raise click.BadParameter(str(error), param_hint="'--proofs'") from error


def _certificate(path: Path | None) -> Certificate | None:
    place = path or FOLDER / CERTIFICATE
    if path is None and not place.exists():
        return None
    try:
        return msgspec.json.decode(contents(place), type=Certificate)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else error
        raise click.BadParameter(f"{place}: {told}", param_hint="'--certificate'") from error


def _vectors() -> dict[str, list[str]] | None:
    """Return the ids of the vectors of each rule, as far as they were searched for."""
    from halcert.model.proofs import are_kept, witnesses
    from halcert.model.proofs.run import representatives

    areas = tuple(AREAS)
    found: dict[str, list[str]] = {}
    kept = [each.name for each in representatives() if are_kept(areas, each.name)]
    for name in kept:
        for witness in witnesses(areas, name):
            for rule_id in witness.shows:
                found.setdefault(rule_id, []).append(witness.id)
    return found if kept else None
