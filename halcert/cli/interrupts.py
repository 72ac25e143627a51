"""Ctrl-C and other wishes that a run ends: the first one counts, and what was found is kept."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

WISHES = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a run to end: a user, a supervisor, a terminal that is closed."""
PATIENCE = 30.0
"""Seconds after which an interrupt counts again; the first may have got lost in a library."""


class Interrupts:
    """Turns the first wish into KeyboardInterrupt, and lets the run end in peace after that."""

    def __init__(self) -> None:
        """Start with no wish heard."""
        self._deaf_until = 0.0

    def __call__(self, *_: object) -> None:
        """Take a signal."""
        now = time.monotonic()
        if now >= self._deaf_until:
            self._deaf_until = now + PATIENCE
            raise KeyboardInterrupt

    @contextmanager
    def held_off(self) -> Iterator[None]:
        """Let no interrupt disturb what is done within."""
        before, self._deaf_until = self._deaf_until, float("inf")
        try:
            yield
        finally:
            self._deaf_until = before


INTERRUPTS = Interrupts()


def listen() -> None:
    """Take the signals of this process; one that is ignored, as under nohup, stays ignored."""
    for wish in WISHES:
        if signal.getsignal(wish) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(wish, INTERRUPTS)
