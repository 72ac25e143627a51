"""Where two implementations differ, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from halcert.reports import human, values
from halcert.reports.escape import one_line
from halcert.reports.printer import Printer
from halcert.reports.tracetext import described, types_of
from halcert.results.comparison import Aspect, Comparison, Contrast, Fault, Side
from halcert.spec.language import Record
from halcert.spec.language.domain import annotations_of, domain_of

TITLES = {
    Aspect.SYMBOL: "Symbols that only one of them has",
    Aspect.CODE: "Different codes for the same call",
    Aspect.REPORT: "Different reports",
    Aspect.ALIGNMENT: "What addresses are a multiple of",
    Aspect.CONTENT: "Bytes that nobody wrote",
}
NAMED_RULES = 4
PAGE = 4096
"""A number that is a multiple of this is likely to be one of bytes."""


def comparison_summary(found: Comparison, console: Console, path: Path) -> None:
    """Print where two implementations differ, aspect by aspect."""
    printer = Printer(console)
    printer.line()
    for name, side in (("left", found.left), ("right", found.right)):
        printer.line(Text(f"{name:6}", "bold").append(_name(side), "not bold"), indent=1)
    facts = (
        human.count(found.compared, "call") + " compared",
        human.count(found.left_out, "call") + " left out",
        human.count(found.tests, "test"),
        human.seconds(found.seconds),
        f"seed {found.seed}",
    )
    printer.line(Text(", ".join(facts), style="bright_black"), indent=1)
    printer.line()
    for aspect in Aspect:
        _aspect(printer, aspect, [each for each in found.contrasts if each.aspect is aspect])
    _faults(printer, found.faults)
    printer.whole(Text(one_line(str(path)), style="bright_black"), indent=1)
    count = human.count(len(found.contrasts), "allowed difference")
    broken = human.count(len(found.faults), "broken rule")
    printer.line(f"{count}, {broken}" if found.faults else count, indent=1)


def _name(side: Side) -> str:
    name = f"{side.implementation.name} {side.implementation.version}".strip()
    return one_line(f"{name} as {side.profile} ({side.given})")


def _aspect(printer: Printer, aspect: Aspect, contrasts: Sequence[Contrast]) -> None:
    if not contrasts:
        return
    printer.line(Text(TITLES[aspect], style="bold"), indent=1)
    for each in contrasts:
        what = f"{each.interface} {each.what}".strip()
        head = Text(one_line(what)).append(_circumstances(each), "bright_black")
        printer.line(head, indent=3)
        for name, value in (("left", each.left), ("right", each.right)):
            printer.line(Text(f"{name:6}", "bright_black").append(_value(each, value), ""), 5)
        if aspect is Aspect.CODE and each.example:
            call = described(each.example)[-1].call
            printer.line(Text(f"as in {call}", style="bright_black"), indent=5)
    printer.line()


def _circumstances(each: Contrast) -> str:
    parts = [_when(each)] if each.when else []
    if each.aspect is Aspect.ALIGNMENT:
        parts.append(human.count(each.count, "address", "addresses"))
    elif each.aspect is not Aspect.SYMBOL:
        parts.append(f"{each.count:,} of {human.count(each.of, 'call')}")
    if each.rules:
        more = len(each.rules) - NAMED_RULES
        shown = ", ".join(each.rules[:NAMED_RULES]) + (f" and {more} more" if more > 0 else "")
        parts.append(f"by {shown}")
    return f"  {', '.join(parts)}" if parts else ""


def _when(each: Contrast) -> str:
    """Return what the calls have in common, a flag by its names."""
    name, equals, word = each.when.partition("=")
    if not equals:
        return each.when
    kind = types_of(each.interface).arguments.get(name)
    return f"{name}={values.argument(name, int(word, 16), kind, str)}"


def _value(each: Contrast, value: str) -> str:
    if each.aspect is Aspect.ALIGNMENT:
        return human.size(int(value))
    if value.isdigit() and _role(each) == "size":
        return human.size(int(value))
    if value.isdigit() and int(value) >= PAGE and int(value) % PAGE == 0:
        return f"{value} ({human.size(int(value))})"
    return one_line(value)


def _role(each: Contrast) -> str:
    """Return what the number at the path of an output stands for."""
    kinds: Mapping[str, Any] = types_of(each.interface).outputs
    *records, last = each.what.split(".")
    for name in records:
        kind = kinds.get(name)
        if not (isinstance(kind, type) and issubclass(kind, Record)):
            return ""
        kinds = annotations_of(kind)
    return str(getattr(domain_of(kinds.get(last)), "role", ""))


def _faults(printer: Printer, faults: Sequence[Fault]) -> None:
    if not faults:
        return
    printer.line(Text("Not allowed, and not compared from there on", style="bold red"), indent=1)
    for each in faults:
        head = f"{each.side} breaks {each.rule} ({each.strength}, {each.shape})"
        line = Text(f"{head} in {each.interface}", style="red")
        line.append(f"  {human.count(each.count, 'test')}", "bright_black")
        printer.line(line, indent=3)
        printer.line(one_line(f"came {each.came}"), indent=5)
    printer.line()
