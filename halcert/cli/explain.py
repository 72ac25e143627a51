"""``halcert explain``: tell the story of a trace."""

from __future__ import annotations

from pathlib import Path

import click

from halcert.cli.traces import checked_story
from halcert.results import Exit


@click.command()
@click.argument("trace", type=click.Path(path_type=Path, dir_okay=False))
def explain(trace: Path) -> int:
    """Tell the story of a TRACE: what was set up, the call, what came, what was allowed.

    Says which rule decides and where it comes from, shows contents as ranges of bytes and what
    is there before and after the call; for several processes or threads a time line. Nothing is
    called: the recorded results are judged once more.
    """
    from halcert.reports.explain import explained

    click.echo(explained(checked_story(trace)), nl=False)
    return int(Exit.OK)
