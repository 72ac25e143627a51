"""``halcert certify``: run the suite and write a certificate."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from rich.console import Console

from halcert.cli.interrupts import INTERRUPTS
from halcert.cli.options import (
    Seconds,
    areas_option,
    claim,
    command_line,
    kernel_fault_option,
    key_option,
    run_options,
    target_options,
)
from halcert.cli.progress import RunProgress
from halcert.conformance.activity import Effort
from halcert.conformance.claim import CERTIFICATE
from halcert.conformance.run import BUDGET, Choice, prepared
from halcert.conformance.story import stories_of
from halcert.reports import summary, write_reports
from halcert.reports.dsse import KEY_PASSWORD, private_key
from halcert.results import Certificate, Exit
from halcert.results.proof import FILE_NAME as PROOFS


@click.command()
@target_options
@kernel_fault_option
@areas_option
@click.option(
    "--budget",
    type=Seconds(),
    default=BUDGET,
    show_default=True,
    metavar="SECONDS",
    help="Time for the tests; the machines use what the directed tests leave.",
)
@run_options
@key_option
@click.option("-q", "--quiet", is_flag=True, help="Only the verdict.")
def certify(
    adapter: str,
    library: str | None,
    fault: str | None,
    profile: str,
    kernel: str | None,
    kernel_fault: str | None,
    areas: tuple[str, ...],
    budget: float,
    seed: int,
    jobs: int,
    out: Path,
    key: Path | None,
    quiet: bool,
) -> int:
    """Run the suite against an implementation and write a certificate.

    The implementation runs in processes of its own: a crash or a hang is a finding, not the end
    of the run. Findings are written to the output folder as soon as they are made, each with
    the smallest sequence of calls that shows it.

    \b
    Examples:
      halcert certify
      halcert certify --library /path/to/libascend_hal.so
      halcert certify --library /path/to/libascend_hal.so --kernel sim
      halcert certify --profile ascend950 --seed 7 --budget 120

    A certificate says `certified` only if every MUST rule of the profile was exercised and
    conforms. Open halcert-out/index.html for the whole result.
    """  # noqa: D301 - click reads the character as: keep these lines
    console = Console(highlight=False)
    choice = Choice(
        adapter=adapter,
        library=library,
        fault=fault,
        profile=profile,
        kernel=kernel,
        kernel_fault=kernel_fault,
        areas=areas,
        seed=seed,
        budget=budget,
        jobs=jobs,
        out=out,
        command=command_line(),
        effort=Effort(),
    )
    signer = None if key is None else private_key(key, os.environ.get(KEY_PASSWORD, ""))
    claim(out, CERTIFICATE)
    suite = prepared(choice)
    if not quiet and not suite.tests_are_ready():
        console.print("working out tests from the rules, once for this specification")
    activities = suite.activities()
    with RunProgress(console, suite.rules(), budget, quiet=quiet) as progress:
        certificate = suite.run(activities, progress.begin, progress.end)
    with INTERRUPTS.held_off():
        files = _written(certificate, out, signer)
    for note in suite.notes:
        click.echo(f"note: {note}", err=True)
    if quiet:
        word = "certified" if certificate.certified else f"not certified: {certificate.reason}"
        console.print(word, markup=False, soft_wrap=True)
    else:
        summary(certificate, console, out=out, files=files)
        if not (out / PROOFS).exists():
            command = shlex.join(["halcert", "prove", "--out", str(out)])
            console.print(f"proofs of the rules: {command}", markup=False, soft_wrap=True)
    return certificate.exit if files else certificate.exit or int(Exit.USAGE)


def _written(certificate: Certificate, out: Path, key: Ed25519PrivateKey | None) -> Sequence[Path]:
    """Write the reports; if that fails, say so and go on to the verdict."""
    try:
        return write_reports(certificate, out, stories=stories_of(certificate), key=key)
    except OSError as error:
        place = error.filename or out
        click.echo(f"halcert: {place}: reports not written: {error.strerror}", err=True)
        return ()
