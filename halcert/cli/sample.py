"""``halcert sample``: a sample of the documents, run visibly."""

from __future__ import annotations

import click

from halcert.adapters import softacl
from halcert.adapters.acl import AclAdapter
from halcert.adapters.protocol import Options
from halcert.conformance.run import UsageError, known_profile
from halcert.conformance.samples import SAMPLES
from halcert.results import Exit


@click.command()
@click.argument("name", type=click.Choice(sorted(SAMPLES)))
@click.option("--library", metavar="PATH", help="The runtime. Default: the bundled one.")
@click.option(
    "--kernels",
    metavar="PATH",
    help="File with the compiled kernel; the bundled runtime has its kernels built in.",
)
@click.option(
    "--profile",
    default="ascend910b",
    show_default=True,
    metavar="NAME",
    help="Product that the bundled runtime works for.",
)
def sample(name: str, library: str | None, kernels: str | None, profile: str) -> int:
    """Run a sample of the documents on a runtime, and show each call and the result.

    uvm-allocate adds two matrices in managed memory without any copy. On a product without
    managed memory it prints [SKIP].

    \b
    Exit codes:
      0  the result is right, or the product lacks what the sample shows
      1  it is not, or a call failed
      2  wrong usage
      4  the runtime could not be started
    """  # noqa: D301 - click reads the character as: keep these lines
    if library is not None and kernels is None:
        raise UsageError("a runtime of your own needs --kernels, the file with the kernel")
    options = Options(library=library)
    with AclAdapter().open(known_profile(profile), options) as session:
        file = kernels or str(softacl.library())
        well = SAMPLES[name](session.spawn(), file, click.echo)
    return int(Exit.OK if well else Exit.VIOLATIONS)
