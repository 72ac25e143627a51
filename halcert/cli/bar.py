"""Progress on a terminal as a bar; where there is none, time for a plain line now and then."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from typing_extensions import Self

LINE_SECONDS = 5.0
"""Seconds between two lines where there is no terminal."""


class Bar:
    """A bar with what is under way, how far it is and what it came to so far."""

    def __init__(self, console: Console, label: str, total: float, *, shown: bool = True) -> None:
        """Take what is to be shown; nothing is written before the work starts."""
        self.console = console
        self._label = label
        self._total = total
        self._shown = shown and console.is_terminal
        self._progress: Progress | None = None
        self._started = self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        """Start showing."""
        self._started = time.monotonic()
        if self._shown:
            self._progress = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(bar_width=24),
                TextColumn("{task.fields[state]}"),
                TimeElapsedColumn(),
                console=self.console,
                transient=True,
            )
            self._progress.start()
            self._progress.add_task(self._label, total=self._total, state="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop showing."""
        if self._progress is not None:
            self._progress.stop()

    @property
    def elapsed(self) -> float:
        """Seconds since the work started."""
        return time.monotonic() - self._started

    def show(self, description: str, completed: float, state: str) -> None:
        """Move the bar, if there is one."""
        if self._progress is not None:
            self._progress.update(
                self._progress.task_ids[0],
                description=description,
                completed=completed,
                state=state,
            )

    def line_is_due(self) -> bool:
        """Tell whether there is no bar and it is time for a line; then the next is not due soon."""
        now = time.monotonic()
        if self._progress is not None or now - self._last_line <= LINE_SECONDS:
            return False
        self._last_line = now
        return True
