"""Lines on a console: wrapped at the width of a terminal, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from halcert.reports import human
from halcert.reports.escape import one_line
from halcert.reports.tracetext import StepText

MOST_STEPS = 6
STEP_INDENT = 6


class Printer:
    """Prints to one console; what its encoding lacks is written as an escape."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._encoding = console.encoding or "utf-8"

    def line(self, text: Text | str = "", indent: int = 0) -> None:
        """Print a line; it wraps at the width of a terminal and nowhere else."""
        text = self._fit(text if isinstance(text, Text) else Text(text))
        if self._console.is_terminal and text.plain:
            self._console.print(Padding(text, (0, 0, 0, indent), expand=False), highlight=False)
        else:
            self.whole(text, indent)

    def whole(self, text: Text | str, indent: int = 0) -> None:
        """Print a line that is never broken, so that it can be copied."""
        text = text if isinstance(text, Text) else Text(text)
        line = Text(" " * indent).append_text(self._fit(text))
        self._console.print(line, soft_wrap=True, highlight=False)

    def steps(self, steps: Sequence[StepText]) -> None:
        """Print the last calls of a trace."""
        left_out = len(steps) - MOST_STEPS
        if left_out > 0:
            text = f"... {human.count(left_out, 'call')} before"
            self.line(Text(text, style="bright_black"), indent=STEP_INDENT)
        for step in steps[-MOST_STEPS:]:
            who = f"[{step.who}] " if step.who else ""
            call = Text(f"{step.number:>2}  {who}{step.call}")
            came = Text(f"-> {step.came}" if step.result else "", style="bright_black")
            if len(call) + len(came) + STEP_INDENT + 2 <= self._console.width:
                self.line(call.append("  ").append_text(came), indent=STEP_INDENT)
            else:
                self.line(call, indent=STEP_INDENT)
                self.line(came, indent=STEP_INDENT + 6)

    def files(self, files: Sequence[Path]) -> None:
        """Print paths, one a line."""
        for path in files:
            self.whole(Text(one_line(str(path)), style="bright_black"), indent=1)
        if files:
            self.line()

    def _fit(self, text: Text) -> Text:
        try:
            text.plain.encode(self._encoding)
        except (UnicodeEncodeError, LookupError):
            safe = text.plain.encode("ascii", "backslashreplace").decode()
            return Text(safe, style=text.style)
        return text
