"""Which lines of a bundled library were executed: a build of it that keeps a record.

The compiler marks the blocks of the code; a block counts as the lines from its own first one to
that of the next block.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from halcert.adapters.bundled import Bundle
from halcert.adapters.errors import DriverDoesNotBuild

RUNTIME = Path(__file__).with_suffix(".c")
VARIABLE = "HALCERT_COVERAGE"
"""The environment variable that names the file for the marks."""
FLAGS = ("-std=c11", "-O0", "-g", "-fPIC", "-fvisibility=hidden", "-D_GNU_SOURCE", "-w")
TRACED = ("-fsanitize-coverage=trace-pc",)
CALL = re.compile(r"^ *([0-9a-f]+):.*call.*<__sanitizer_cov_trace_pc")
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):")


@dataclass(frozen=True)
class Traced:
    """A build of a library that marks the blocks that are executed.

    Attributes:
        library: where it is.
        size: bytes that the file for the marks needs.
        blocks: place of the mark of each block, and the file and the line where it begins.
    """

    library: Path
    size: int
    blocks: Mapping[int, tuple[str, int]]

    def starts(self) -> dict[str, list[int]]:
        """Return for each file the lines at which blocks begin, ascending."""
        found: dict[str, set[int]] = {}
        for file, line in self.blocks.values():
            found.setdefault(file, set()).add(line)
        return {file: sorted(lines) for file, lines in found.items()}

    def executed(self, marks: bytes) -> frozenset[tuple[str, int]]:
        """Return where the blocks begin that are marked."""
        return frozenset(self.blocks[place] for place in self.blocks if marks[place])


def block_of(starts: Mapping[str, list[int]], file: str, line: int) -> tuple[str, int]:
    """Return where the block begins that a line of a file belongs to."""
    lines = starts.get(file, [])
    place = bisect_right(lines, line)
    return file, lines[place - 1] if place else 0


def traced(bundle: Bundle, folder: Path, compiler: str = "cc") -> Traced:
    """Build a library that marks the blocks that are executed.

    It has the seeded faults, which nobody switches on. Where they were left out, the compiler would
    drop the branch at which one is asked for, and its line would count to the block before it.

    Raises:
        DriverDoesNotBuild: it does not compile, or the tools to read it are missing.
    """
    cc = shlex.split(compiler)
    defined = {each for variant in bundle.variants.values() for each in variant}
    headers = [f"-I{each}" for each in (*bundle.includes, bundle.folder / "src")]
    library, runtime = folder / f"{bundle.folder.name}-traced.so", folder / "coverage.o"
    sources = [str(each) for each in sorted(bundle.folder.glob("src/*.c"))]
    _run([*cc, *FLAGS, "-c", str(RUNTIME), "-o", str(runtime)])
    command = [*cc, *FLAGS, *sorted(defined), *TRACED, "-shared", *headers, *sources, str(runtime)]
    _run([*command, "-o", str(library), *bundle.links])
    places = list(_places(_run(["objdump", "-d", "--no-show-raw-insn", str(library)])))
    # The line of the call itself: what comes back points behind it.
    asked = "\n".join(f"{place - 1:#x}" for place in places)
    told = _run(["addr2line", "-e", str(library)], asked).splitlines()
    blocks = {place: _line(text) for place, text in zip(places, told, strict=True)}
    return Traced(library, max(places, default=0) + 1, blocks)


def _places(listing: str) -> Iterable[int]:
    """Iterate over the addresses behind the calls that mark blocks."""
    after = False
    for line in listing.splitlines():
        found = INSTRUCTION.match(line)
        if found is None:
            continue
        if after:
            yield int(found[1], 16)
        after = CALL.match(line) is not None


def _line(text: str) -> tuple[str, int]:
    """Return file and line of a line of addr2line: ``/path/copy.c:12 (discriminator 3)``."""
    path, _, line = text.split(" ", maxsplit=1)[0].rpartition(":")
    return Path(path).name, int(line) if line.isdigit() else 0


def _run(command: list[str], given: str = "") -> str:
    try:
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    except OSError as error:
        raise DriverDoesNotBuild(f"{command[0]}: {error}", "Install gcc and binutils.") from error
    if done.returncode != 0:
        raise DriverDoesNotBuild(
            f"{command[0]} fails:\n{done.stderr.strip()[:2000]}", "It needs gcc and binutils."
        )
    return done.stdout
