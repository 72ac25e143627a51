"""Progress of a run: time used, rules shown, findings as they come."""

from __future__ import annotations

from rich.console import Console

from halcert.cli.bar import Bar
from halcert.conformance.activity import Activity, Done
from halcert.conformance.tally import Tally
from halcert.spec.language import Rule, Strength


class RunProgress(Bar):
    """Shows how far a run is: time used, MUST rules shown, what is running, what was found."""

    def __init__(self, console: Console, rules: list[Rule], budget: float, *, quiet: bool) -> None:
        """Take what is to be shown; nothing is written before the run starts."""
        super().__init__(console, "starting", budget, shown=not quiet)
        self._last_line = 0.0  # the first line comes with the first result
        self._quiet = quiet
        self._must = {rule.id for rule in rules if rule.strength is Strength.MUST}
        self._tally = Tally()
        self._found = 0
        self._told: set[str] = set()

    def begin(self, activity: Activity) -> None:
        """Show that an activity has started."""
        self.show(f"{activity.name:<34.34}", self.elapsed, self._state())

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
        if self.line_is_due():
            self._say(f"{self.elapsed:5.0f} s  {self._state()}")

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _state(self) -> str:
        shown = len(self._must & self._tally.shown.keys())
        calls = sum(self._tally.calls.values())
        return (
            f"{shown}/{len(self._must)} MUST rules shown, {calls} calls judged, "
            f"{self._found} findings"
        )
