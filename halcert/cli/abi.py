"""``halcert abi``: the declared binary interface against a header."""

from __future__ import annotations

from pathlib import Path

import click

from halcert.adapters.errors import AdapterError
from halcert.adapters.header import compare
from halcert.results import Exit
from halcert.spec.abi.declarations import ACL, HAL

DECLARATIONS = {"acl": ACL, "hal": HAL}


@click.command()
@click.option(
    "--header",
    required=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The header to compare with: ascend_hal_base.h, or the runtime's acl/acl.h.",
)
@click.option(
    "--of",
    "library",
    type=click.Choice(sorted(DECLARATIONS)),
    default="hal",
    show_default=True,
    help="The library whose header it is: driver or runtime.",
)
@click.option(
    "--include",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Where headers are that it includes and that are not beside it.",
)
def abi(header: Path, library: str, include: tuple[Path, ...]) -> int:
    """Compare what halcert assumes of the C interface with a vendor's header.

    Constants, structure layouts and prototypes are compared by the C compiler; every difference
    is listed. Needs a C compiler.

    \b
    Exit codes:
      0  no differences
      1  differences
      2  no such header, no compiler, or the header does not compile
    """  # noqa: D301 - click reads the character as: keep these lines
    try:
        differences = compare(header, include, DECLARATIONS[library])
    except AdapterError as error:
        click.echo(f"halcert: {error}", err=True)
        return int(Exit.USAGE)
    for difference in differences:
        click.echo(str(difference))
    click.echo(f"{len(differences) or 'no'} difference{'s' * (len(differences) != 1)}")
    return int(Exit.VIOLATIONS if differences else Exit.OK)
