"""The verdict in the terminal: what came out, what went wrong, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from halcert.reports import human, view
from halcert.reports.escape import one_line, printable, shortened
from halcert.reports.printer import Printer
from halcert.reports.ruletext import RuleTexts
from halcert.reports.tables import print_table
from halcert.reports.view import AreaNumbers, FindingView, StrengthNumbers
from halcert.results import Certificate, CutShort, Finding, Verdict
from halcert.spec.catalogue import rules as all_rules

STYLES = {
    "ok": "green",
    "bad": "red",
    "warn": "yellow",
    "odd": "magenta",
    "calm": "bright_black",
    "open": "bright_black",
}
BUDGET = "--budget"
MOST_FINDINGS = 12
LONGEST_NOTE = 600


def summary(
    certificate: Certificate,
    console: Console,
    *,
    out: Path | None = None,
    files: Sequence[Path] = (),
) -> None:
    """Print the verdict.

    Args:
        certificate: the result of the run.
        console: where to print; plain text unless it is a terminal.
        out: the output folder, as commands name it.
        files: the files that were written.
    """
    printer = _Printer(console)
    printer.banner(certificate)
    printer.areas(view.areas(certificate))
    texts = RuleTexts(all_rules())
    findings = view.findings(certificate, texts, out)
    for each in findings[:MOST_FINDINGS]:
        printer.finding(each)
    if len(findings) > MOST_FINDINGS:
        more = human.count(len(findings) - MOST_FINDINGS, "more finding")
        printer.line(f"... and {more}, all of them on the page")
        printer.line()
    printer.files(files)
    printer.next(certificate, findings)


class _Printer(Printer):
    """Prints the parts of a verdict."""

    def banner(self, certificate: Certificate) -> None:
        style = STYLES[view.tone(certificate)]
        implementation = certificate.implementation
        name = one_line(f"{implementation.name} {implementation.version}")
        head = Text(f" {view.headline(certificate).upper()} ", style=f"bold reverse {style}")
        head.append(f"  {name}", style="bold not reverse")
        head.append(f"  as {one_line(certificate.profile)}", style="not bold not reverse")
        self.line()
        self.line(head)
        self.line(Text(view.sentence(certificate), style=style), indent=1)
        facts = (
            human.count(certificate.calls, "judged call"),
            human.seconds(certificate.seconds),
            f"seed {certificate.seed}",
            f"adapter {one_line(implementation.adapter)}",
        )
        self.line(Text(", ".join(facts), style="bright_black"), indent=1)
        self.line()

    def areas(self, areas: Sequence[AreaNumbers]) -> None:
        if not areas:
            return
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bright_black")
        table.add_column("area")
        strengths = [s for s in view.STRENGTHS[:-1] if any(each.of(s).total for each in areas)]
        for name in (*strengths, "broken", "not exercised", "unsupported", "calls"):
            table.add_column(name, justify="right", no_wrap=True)
        for area in areas:
            table.add_row(self._fit(Text(one_line(area.name))), *_cells(area, strengths))
        print_table(self._console, table, indent=1)
        words = "MUST, SHOULD and MAY: rules that conform, of all there are"
        self.line(Text(words, style="bright_black"), indent=1)
        self.line()

    def finding(self, each: FindingView) -> None:
        finding = each.finding
        head = Text(f"{each.number}. {finding.verdict.value}", style=f"bold {STYLES[each.tone]}")
        head.append(f"  {one_line(_name(finding))}", style="bold default")
        if finding.strength:
            head.append(f"  {one_line(finding.strength)}", style="not bold default")
        self.line(head, indent=1)
        if each.rule:
            self.line(each.rule.summary.replace("``", ""), indent=4)
        self.line(Text(f"allowed  {one_line(finding.allowed)}"), indent=4)
        came = Text("came     ").append(one_line(finding.came), style=STYLES[each.tone])
        self.line(came, indent=4)
        self.steps(each.steps)
        note = shortened(printable(finding.note).strip(), LONGEST_NOTE)
        for line in note.splitlines():
            self.line(Text(f"| {line}", style="bright_black"), indent=4)
        if each.replay:
            self.whole(Text(f"$ {each.replay}", style="bold"), indent=4)
        self.line()

    def next(self, certificate: Certificate, findings: Sequence[FindingView]) -> None:
        """Say what to do next, in one or two commands."""
        replays = [each for each in findings if each.replay]
        if replays:
            self.line("Next: repeat the first finding, then read its rule.", indent=1)
            self.whole(Text(f"$ {replays[0].replay}", style="bold"), indent=3)
            if replays[0].rule:
                rule = replays[0].finding.rule
                self.whole(Text(f"$ halcert spec show {rule}", style="bold"), indent=3)
        elif not certificate.certified and certificate.command:
            more = certificate.cut_short is CutShort.BUDGET
            words = " with a larger budget" if more else ""
            self.line(f"Next: run again{words}.", indent=1)
            command = longer(certificate) if more else certificate.command
            self.whole(Text(f"$ {one_line(command)}", style="bold"), indent=3)


def longer(certificate: Certificate) -> str:
    """Return the command of a run with three times its budget."""
    try:
        words = shlex.split(certificate.command)
    except ValueError:  # of a certificate that somebody edited
        return certificate.command
    kept = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if BUDGET not in (before, word) and not word.startswith(f"{BUDGET}=")
    ]
    return shlex.join([*kept, BUDGET, f"{certificate.budget * 3:g}"])


def _name(finding: Finding) -> str:
    parts = (finding.rule, finding.interface) if finding.rule else (finding.origin,)
    return "  ".join(part for part in parts if part)


def _cells(area: AreaNumbers, strengths: Sequence[str]) -> list[Text]:
    cells = [_strength_cell(area.of(strength)) for strength in strengths]
    broken = area.number(*view.BROKEN, Verdict.HARNESS_ERROR)
    cells.append(Text(str(broken), style="bold red" if broken else "bright_black"))
    unseen = area.number(Verdict.NOT_EXERCISED)
    cells.append(Text(str(unseen), style="yellow" if unseen else "bright_black"))
    cells.append(Text(str(area.number(Verdict.UNSUPPORTED)), style="bright_black"))
    cells.append(Text(f"{area.calls:,}", style="bright_black"))
    return cells


def _strength_cell(numbers: StrengthNumbers) -> Text:
    if not numbers.total:
        return Text("-", style="bright_black")
    fine = numbers.number(Verdict.CONFORMS)
    text = f"{fine}/{numbers.total}"
    if numbers.number(*view.BROKEN, Verdict.HARNESS_ERROR):
        return Text(text, style="red")
    whole = fine + numbers.number(Verdict.UNSUPPORTED) == numbers.total
    return Text(text, style="green" if whole else "yellow")
