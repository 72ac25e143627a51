"""``halcert verify``: whether a certificate is what it was when it was made."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from halcert.adapters.library import digest_of
from halcert.model.digest import spec_digest
from halcert.reports.dsse import public_key
from halcert.reports.escape import one_line
from halcert.reports.verify import Check, Sealed, State, checks, read_sealed
from halcert.reports.view import headline, sentence
from halcert.results import Exit
from halcert.results.attestation import FILE_NAME

STYLES = {State.HOLDS: "green", State.OPEN: "yellow", State.BROKEN: "bold red"}


@click.command()
@click.argument("path", metavar="CERT", type=click.Path(path_type=Path))
@click.option(
    "--key",
    "key_path",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="PUBLIC",
    help="Public ed25519 key of who should have signed it, PEM or OpenSSH.",
)
@click.option(
    "--library",
    "--program",
    "library",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="PATH",
    help="Compare with the file that should have been certified.",
)
@click.option("--unsigned", is_flag=True, help="Do not ask who signed it, only what it holds.")
@click.option("--certified", is_flag=True, help="Fail also if it does not say `certified`.")
def verify(
    path: Path, key_path: Path | None, library: Path | None, unsigned: bool, certified: bool
) -> int:
    """Check a certificate: who signed it, and that it is whole and was not edited.

    CERT is certificate.dsse.json, or the output folder in which it lies. Files that were written
    with it, certificate.json and traces, are compared where they are there.

    \b
    Exit codes:
      0  it is what KEY signed, whole and in itself sound
      1  it is not
      2  it is no certificate, or one of a version that this halcert does not read
      3  nothing speaks against it, but not everything could be checked: it is
         unsigned, no key was given, or it was made with another specification
    """  # noqa: D301 - click reads the character as: keep these lines
    if unsigned and key_path is not None:
        raise click.UsageError("--key and --unsigned exclude each other")
    key = None if key_path is None else public_key(key_path)
    digest = None if library is None else digest_of(library)
    place = path / FILE_NAME if path.is_dir() else path
    sealed = read_sealed(place)
    console = Console(highlight=False)
    found = []
    for check in checks(sealed, place.parent, key=key, spec=spec_digest(), library=digest):
        _say(console, check)
        if not (unsigned and check.name == "signature"):
            found.append(check)
    return _verdict(
        console,
        sealed,
        {check.state for check in found},
        certified=certified,
        unsigned=unsigned,
    )


def _say(console: Console, check: Check) -> None:
    console.print(f"{check.state.value:<15}", style=STYLES[check.state], end="")
    words = one_line(check.words)
    console.print(f"{check.name:<18}{words}".rstrip(), markup=False, soft_wrap=True)


def _verdict(
    console: Console, sealed: Sealed, states: set[State], *, certified: bool, unsigned: bool
) -> int:
    certificate = sealed.certificate
    name = one_line(certificate.implementation.name)
    says = f"{headline(certificate)}: {name} as {one_line(certificate.profile)}"
    console.print(f"it says        {says}", markup=False, soft_wrap=True)
    if not certificate.certified:
        console.print(f"{'':<15}{sentence(certificate)}", markup=False, soft_wrap=True)
    if State.BROKEN in states:
        console.print("the certificate cannot be trusted", style="bold red")
        return int(Exit.VIOLATIONS)
    if certified and not certificate.certified:
        opened = State.OPEN in states
        found = "nothing speaks against the certificate" if opened else "the certificate is whole"
        console.print(f"{found}, but it does not say certified", style="bold red")
        return int(Exit.VIOLATIONS)
    if State.OPEN in states:
        console.print("nothing speaks against the certificate, but not all was checked")
        return int(Exit.INCOMPLETE)
    signed = "was not edited" if not unsigned else "sound; nobody signs for it"
    console.print(f"the certificate is whole and {signed}")
    return int(Exit.OK)
