"""What several tests compile from C: libraries under sanitizers, and programs against a library."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from once import once

from halcert.adapters import softhal

ADAPTERS = Path(__file__).resolve().parent.parent / "adapters"
COMPILER = os.environ.get("CC", "cc")
OPTIONS = ("-std=c11", "-g", "-O1", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread")
SANITIZERS = "address,undefined"
SANITIZED = (f"-fsanitize={SANITIZERS}", "-fno-sanitize-recover=all")


def make_library(bundle: str, out: Path, sanitizers: str = SANITIZERS) -> None:
    """Build a bundled library, ready for seeded faults, with the warnings of its makefile."""
    options = (f"OUT={out}", f"SANITIZE={sanitizers}", "FAULTS=1", "CFLAGS=-O1 -g")
    subprocess.run(["make", "-s", "-C", str(ADAPTERS / bundle), *options], check=True, timeout=300)


def sanitized_driver(factory: pytest.TempPathFactory) -> Path:
    """The software driver under sanitizers, built once a run."""
    folder = once(factory, "softhal-sanitized", lambda out: make_library("softhal", out))
    return folder / softhal.FAULTY


def compile_program(
    source: Path, library: Path, *flags: str, include: Path, compiler: str = COMPILER
) -> None:
    """Compile a program beside the library that it is to call; the two may be moved together."""
    subprocess.run(
        [
            *(compiler, *OPTIONS, *flags, f"-I{include}"),
            *("-o", str(library.parent / source.stem), str(source)),
            *(f"-L{library.parent}", f"-l:{library.name}", "-Wl,-rpath,$ORIGIN"),
        ],
        check=True,
        timeout=300,
    )


def compile_programs(
    sources: Iterable[Path], library: Path, *flags: str, include: Path, compiler: str = COMPILER
) -> None:
    """Compile several programs beside a library."""
    for source in sources:
        compile_program(source, library, *flags, include=include, compiler=compiler)


def programs_in(folder: Path) -> dict[str, Path]:
    """The programs that were compiled into a folder, by their names."""
    return {path.name: path for path in folder.iterdir() if not path.suffix}
