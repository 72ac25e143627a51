"""The verdict of a gate in the terminal, and in the plain lines of a CI log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from halcert.reports import gateview as view
from halcert.reports import human
from halcert.reports.escape import one_line
from halcert.reports.printer import Printer
from halcert.reports.tracetext import described
from halcert.results import Difference, Exit, Gate, GateItem, KnownCause, Standing, Verdict

STYLES = {
    Exit.OK: "green",
    Exit.VIOLATIONS: "red",
    Exit.INCOMPLETE: "yellow",
    Exit.HARNESS: "magenta",
}
_SUMMED = {
    Verdict.CONFORMS: "conforming",
    Verdict.VIOLATES: "violated",
    Verdict.CRASHED: "broken by a crash",
    Verdict.HUNG: "broken by a hang",
}
"""Verdicts as they are said of several rules; the others are said as they are."""
MOST_SHOWN = 12
MOST_LISTED = 20


def gate_summary(gate: Gate, console: Console, *, out: Path, files: Sequence[Path] = ()) -> None:
    """Print the verdict of a gate: what fails it at length, the rest a line each."""
    printer = _Printer(console)
    printer.banner(gate)
    loud = [item for item in gate.items if item.fails or item.standing is Standing.FLAKY]
    for number, item in enumerate(loud[:MOST_SHOWN], start=1):
        printer.item(number, item, out)
    if len(loud) > MOST_SHOWN:
        printer.line(f"... and {len(loud) - MOST_SHOWN} more, all of them in gate.md", indent=1)
        printer.line()
    printer.quiet([item for item in gate.items if item not in loud])
    printer.rest(gate)
    printer.files(files)
    printer.next(loud, out)


def difference_summary(found: Difference, console: Console) -> None:
    """Print how two baselines differ, a line for each difference, what is worse first."""
    printer = Printer(console)
    if not found.same_rules:
        printer.line(Text("note: they were made with different versions of the rules", "yellow"))
    for each in found.new:
        _cause_line(printer, "new", "red", each)
    compared = [each for each in found.rules if not each.is_beyond and not each.is_left_out]
    for change in sorted(compared, key=lambda change: not change.is_loss):
        words = [each.value if each else "not known" for each in (change.before, change.after)]
        line = Text("lost    " if change.is_loss else "rule    ", "red" if change.is_loss else "")
        line.append(f"{change.rule}  {change.strength}  {words[0]} -> {words[1]}", "default")
        printer.line(line)
    for each in found.gone:
        _cause_line(printer, "gone", "green", each)
    beyond = [each.after for each in found.rules if each.is_beyond]
    left_out = [each.before for each in found.rules if each.is_left_out]
    for summed in (*_summed(beyond, "old", "are"), *_summed(left_out, "new", "were")):
        printer.line(summed)
    if found.left_out:
        failures = human.count(len(found.left_out), "known failure")
        printer.line(f"{failures} of areas that the new one did not run")
    lost = sum(change.is_loss for change in found.rules)
    parts = (
        human.count(len(found.new), "new failure"),
        human.count(lost, "MUST rule no longer shown", "MUST rules no longer shown"),
        human.count(len(found.gone), "failure gone", "failures gone"),
        human.count(len(compared), "rule with another verdict", "rules with another verdict"),
    )
    printer.line(", ".join(parts))


def _summed(verdicts: Iterable[Verdict | None], which: str, are: str) -> Iterator[str]:
    """Sum up the rules of areas that one of the two did not run, a line for each verdict."""
    numbers = Counter(verdicts)
    for verdict in Verdict:
        if numbers[verdict]:
            rules = human.count(numbers[verdict], "rule")
            verb = {"are": "is", "were": "was"}[are] if numbers[verdict] == 1 else are
            words = _SUMMED.get(verdict, verdict.value)
            yield f"{rules} of areas that the {which} one did not run {verb} {words}"


def _cause_line(printer: Printer, word: str, style: str, each: KnownCause) -> None:
    line = Text(f"{word:8}", style)
    told = f"{each.rule}  {each.interface}  {each.strength} {each.verdict.value} ({each.shape})"
    printer.line(line.append(one_line(f"{told}; came {each.came}"), "default"))


class _Printer(Printer):
    """Prints the parts of a verdict."""

    def banner(self, gate: Gate) -> None:
        style = STYLES[Exit(gate.exit)]
        head = Text(f" {view.headline(gate).upper()} ", style=f"bold reverse {style}")
        head.append(f"  {view.build(gate)}", style="bold not reverse")
        head.append(f"  as {one_line(gate.profile)}", style="not bold not reverse")
        self.line()
        self.line(head)
        self.line(Text(view.sentence(gate), style=style), indent=1)
        self.line(Text(view.facts(gate), style="bright_black"), indent=1)
        if gate.areas:
            self.line(Text(f"time by area: {view.shares(gate)}", style="bright_black"), indent=1)
        for note in gate.notes:
            self.line(Text(f"note: {one_line(note)}", style="yellow"), indent=1)
        self.line()

    def item(self, number: int, item: GateItem, out: Path) -> None:
        style = "red" if item.fails else "yellow"
        head = Text(f"{number}. {item.standing.value}", style=f"bold {style}")
        head.append(f"  {one_line(view.title(item))}", style="bold default")
        head.append(f"  {item.strength} {item.verdict.value}".rstrip(), style="not bold default")
        self.line(head, indent=1)
        if item.summary:
            self.line(item.summary.replace("``", ""), indent=4)
        if item.allowed:
            self.line(f"allowed  {one_line(item.allowed)}", indent=4)
        if item.came:
            came = Text("came     ").append(one_line(item.came), style=style)
            self.line(came, indent=4)
        self.steps(described(item.steps))
        if item.note:
            self.line(Text(one_line(item.note), style="bright_black"), indent=4)
        if item.waiver is not None:
            self.whole(Text(one_line(item.waiver.link), style="bright_black"), indent=4)
        if item.trace:
            self.whole(Text(f"$ {view.replay(item, out)}", style="bold"), indent=4)
        self.line()

    def quiet(self, items: Sequence[GateItem]) -> None:
        """Print what does not make the gate fail."""
        for item in items[:MOST_LISTED]:
            line = Text(f"{item.standing.value:6}", style="bright_black")
            line.append(f"  {one_line(view.title(item))}", style="default")
            how = " ".join(filter(None, (item.verdict.value, item.shape)))
            line.append(f"  {how}; {one_line(item.note)}", style="bright_black")
            self.line(line, indent=1)
        if len(items) > MOST_LISTED:
            self.line(f"... and {len(items) - MOST_LISTED} more in gate.md", indent=1)
        if items:
            self.line()

    def rest(self, gate: Gate) -> None:
        """Print what baseline and waivers no longer need."""
        for each in gate.gone[:MOST_LISTED]:
            text = f"gone    {each.rule}  {each.interface}  {each.shape}"
            self.line(Text(one_line(text), style="green"), indent=1)
        if len(gate.gone) > MOST_LISTED:
            self.line(f"... and {len(gate.gone) - MOST_LISTED} more in gate.md", indent=1)
        for waiver in gate.unneeded:
            text = f"waiver no longer needed: {view.waiver_text(waiver)}"
            self.line(Text(one_line(text), style="green"), indent=1)
        for waiver in gate.unseen:
            text = f"waiver whose rule was not exercised: {view.waiver_text(waiver)}"
            self.line(Text(one_line(text), style="bright_black"), indent=1)
        if gate.gone or gate.unneeded or gate.unseen:
            self.line()

    def next(self, loud: Sequence[GateItem], out: Path) -> None:
        """Say what to do next."""
        traced = [item for item in loud if item.trace]
        if traced:
            self.line("Next: see whether the old build had it, and read the rule.", indent=1)
            command = f"$ {view.replay(traced[0], out)} --library OLD.so"
            self.whole(Text(command, style="bold"), indent=3)
            self.whole(Text(f"$ halcert spec show {traced[0].rule}", style="bold"), indent=3)
