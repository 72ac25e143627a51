"""Standard output that nobody reads to its end, as in ``halcert spec list | head``."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO


class Forgiving:
    """A text stream that goes on in silence when its reader has gone.

    A run must not end, nor its exit code change, because somebody has read enough.
    """

    def __init__(self, stream: TextIO) -> None:
        """Take the stream."""
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        """Be the stream in everything else."""
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write, or drop what nobody reads."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._be_silent()
            return len(text)

    def flush(self) -> None:
        """Flush, or drop what nobody reads."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._be_silent()

    def _be_silent(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


def forgive() -> None:
    """Make the standard streams of this process forgiving."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None:
            setattr(sys, name, Forgiving(stream))
