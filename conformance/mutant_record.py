"""What became of mutants, in a file: a run that is ended early goes on where it was."""

from __future__ import annotations

from pathlib import Path

import msgspec

from halcert.conformance.driver_mutants import MutantResult


class Line(msgspec.Struct, frozen=True):
    """A line of the file.

    Attributes:
        asked: digest of what was asked: the suite, the sources, seed and budget.
        result: what became of a mutant.
    """

    asked: str
    result: MutantResult


class Record:
    """Results as JSON lines, each written as soon as it is there.

    Attributes:
        known: results that were there before, by the name of the mutant.
    """

    def __init__(self, path: Path, asked: str) -> None:
        """Read what is there and still counts, and forget the rest.

        Args:
            path: the file; made if need be.
            asked: digest of what is asked now.

        Raises:
            OSError: the file cannot be written.
        """
        self._path = path
        self._asked = asked
        kept = [each for each in _lines(path) if each.asked == asked]
        self.known = {each.result.id: each.result for each in kept}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(map(_encoded, kept)))

    def add(self, result: MutantResult) -> None:
        """Write a result down."""
        with self._path.open("ab") as file:
            file.write(_encoded(Line(self._asked, result)))


def _encoded(line: Line) -> bytes:
    return msgspec.json.encode(line) + b"\n"


def _lines(path: Path) -> list[Line]:
    """Return the lines of a file; the last one may have been cut off."""
    found = []
    for text in path.read_bytes().splitlines() if path.exists() else ():
        try:
            found.append(msgspec.json.decode(text, type=Line))
        except msgspec.MsgspecError:
            continue
    return found
