"""``halcert vectors``: the generated tests as data, or as C programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from halcert.cli.options import Folder, all_areas_option
from halcert.conformance.run import known_profile
from halcert.results import Exit
from halcert.spec.catalogue import AREA_NAMES, AREAS


@click.command()
@all_areas_option
@click.option(
    "--as",
    "form",
    type=click.Choice(["json", "c"]),
    default="json",
    show_default=True,
    help="Data, a file for each interface; or C11, a program for each area.",
)
@click.option(
    "--profile",
    default="ascend910b",
    show_default=True,
    metavar="NAME",
    help="Product whose rules apply.",
)
@click.option(
    "--out",
    type=Folder(),
    default=Path("halcert-out/vectors"),
    show_default=True,
    help="Folder for the files.",
)
def vectors(areas: tuple[str, ...], form: str, profile: str, out: Path) -> int:
    """Write the generated tests for hosts without Python.

    A vector is a word of calls, each with the outcomes that the rules allow; the last call is what
    it is about. There are vectors for every rule that can be reached, for calls just below, at and
    just above what the rules compare, and for calls that must be refused when they are made
    once more, such as freeing the same block twice.

    \b
    A program needs only the library under test and prints TAP:
      halcert vectors --as c --areas svm
      cc -std=c11 -o svm halcert-out/vectors/svm.c -ldl
      ./svm /path/to/libascend_hal.so
    Those of the areas runtime, ipc and physical are for libascendcl.so.
    Vectors about several processes are run by several, each of which loads it.
    """  # noqa: D301 - click reads the character as: keep these lines
    chosen = _areas(areas)
    known_profile(profile)
    out.mkdir(parents=True, exist_ok=True)
    write = _programs if form == "c" else _data
    for path, count in write(chosen, profile, out):
        click.echo(f"{count:5} vectors  {path}")
    return int(Exit.OK)


def _areas(asked: tuple[str, ...]) -> tuple[str, ...]:
    for name in asked:
        if name not in AREA_NAMES:
            raise click.UsageError(f"no area is called {name!r}; there are {', '.join(AREA_NAMES)}")
        if name not in AREAS:
            raise click.UsageError(f"the area {name} is not specified yet")
    return tuple(name for name in AREAS if not asked or name in asked)


def _data(areas: tuple[str, ...], profile: str, out: Path) -> Iterator[tuple[Path, int]]:
    import halcert
    from halcert.conformance.vectors import files
    from halcert.conformance.vectors import vectors as told
    from halcert.model.digest import spec_digest

    for file in files(told(areas, profile), profile, halcert.__version__, spec_digest()):
        path = out / f"{file.interface}.json"
        encoded = msgspec.json.encode(file, order="deterministic")
        path.write_bytes(msgspec.json.format(encoded, indent=2) + b"\n")
        yield path, len(file.vectors)


def _programs(areas: tuple[str, ...], profile: str, out: Path) -> Iterator[tuple[Path, int]]:
    from halcert.conformance.vectors import vectors as told
    from halcert.reports.cprogram import c_vectors

    found = list(told(areas, profile))
    for area in areas:
        own = [each for each in found if each.vector.rule in {r.id for r in AREAS[area].rules()}]
        path = out / f"{area}.c"
        path.write_text(c_vectors(area, profile, own), encoding="utf-8")
        yield path, len(own)
