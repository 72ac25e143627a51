"""Standard output that cannot be written: a reader that has gone, a full disk, a poor encoding."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any, TextIO


class Forgiving:
    """A text stream that goes on in silence when it cannot be written any more.

    A run must not end because somebody has read enough, as in ``halcert spec list | head``, or
    because the disk is full.

    Attributes:
        lost: something could not be written, and not because its reader had gone.
    """

    def __init__(self, stream: TextIO) -> None:
        """Take the stream."""
        self.lost = False
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        """Be the stream in everything else."""
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write, or drop what cannot be written."""
        try:
            return self._stream.write(text)
        except OSError as error:
            self._give_up(error)
            return len(text)

    def flush(self) -> None:
        """Flush, or drop what cannot be written."""
        try:
            self._stream.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        self.lost = self.lost or error.errno != errno.EPIPE
        if error.errno != errno.EPIPE and self is sys.stdout:
            sys.stderr.write(f"halcert: standard output: {error.strerror}\n")


def forgive() -> None:
    """Make the standard streams of this process forgiving; those that are closed lead nowhere."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - stays open
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
        setattr(sys, name, Forgiving(stream))


def is_lost() -> bool:
    """Tell whether a part of standard output could not be written."""
    return isinstance(sys.stdout, Forgiving) and sys.stdout.lost
