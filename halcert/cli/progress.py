"""Progress of a run: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from typing_extensions import Self

from halcert.conformance.activity import Activity, Done
from halcert.conformance.tally import Tally
from halcert.spec.language import Rule, Strength

LINE_SECONDS = 5.0
"""Seconds between two lines where there is no terminal."""


class RunProgress:
    """Shows how far a run is: time used, MUST rules shown, what is running, what was found."""

    def __init__(self, console: Console, rules: list[Rule], budget: float, *, quiet: bool) -> None:
        """Take what is to be shown; nothing is written before the run starts."""
        self._console = console
        self._budget = budget
        self._quiet = quiet
        self._must = {rule.id for rule in rules if rule.strength is Strength.MUST}
        self._tally = Tally()
        self._found = 0
        self._told: set[str] = set()
        self._started = time.monotonic()
        self._last_line = 0.0
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        """Start showing."""
        self._started = time.monotonic()
        if self._console.is_terminal and not self._quiet:
            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(bar_width=24),
                TextColumn("{task.fields[state]}"),
                TimeElapsedColumn(),
                console=self._console,
                transient=True,
            )
            self._bar.start()
            self._bar.add_task("starting", total=self._budget, state="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop showing."""
        if self._bar is not None:
            self._bar.stop()

    def begin(self, activity: Activity) -> None:
        """Show that an activity has started."""
        if self._bar is not None:
            self._bar.update(
                self._bar.task_ids[0],
                description=f"{activity.name:<34.34}",
                completed=time.monotonic() - self._started,
                state=self._state(),
            )

    def end(self, activity: Activity, done: Done) -> None:
        """Show what an activity gave; failures at once."""
        self._tally.merge(done.tally)
        self._found += len(done.failures)
        if self._quiet:
            return
        if done.trouble and done.trouble not in self._told:
            self._told.add(done.trouble)
            self._say(f"{activity.name}: harness error: {done.trouble}")
        for failure in done.failures:
            self._say(
                f"found {failure.rule} ({failure.strength}) {failure.interface}: {failure.came}"
            )
        now = time.monotonic()
        if self._bar is None and now - self._last_line > LINE_SECONDS:
            self._last_line = now
            self._say(f"{now - self._started:5.0f} s  {self._state()}")

    def _say(self, text: str) -> None:
        console = self._console if self._bar is None else self._bar.console
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _state(self) -> str:
        shown = len(self._must & self._tally.shown.keys())
        calls = sum(self._tally.calls.values())
        return (
            f"{shown}/{len(self._must)} MUST rules shown, {calls} calls judged, "
            f"{self._found} findings"
        )
