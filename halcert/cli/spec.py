"""``halcert spec``: what the rules are, and everything about one of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from halcert.conformance.lists import names_in
from halcert.results import ProofNote, ProofsError, read_proofs
from halcert.spec import catalogue
from halcert.spec.language import Rule, Strength

if TYPE_CHECKING:
    from halcert.reports.ruletext import RuleText

STRENGTHS = [strength.value for strength in Strength]
DEFAULT_PROOFS = Path("halcert-out/proofs.json")
LAST_PAGE = DEFAULT_PROOFS.with_name("index.html")
STRENGTH_STYLES = {"MUST": "bold", "SHOULD": "", "MAY": "bright_black", "UNDEFINED": "bright_black"}
SHOWN_MATCHES = 5


@click.group()
def spec() -> None:
    """Read the specification: its rules, their sources and their proofs.

    \b
    halcert spec list                            every rule, one a line
    halcert spec list --interface halMemFree     the contract of one interface
    halcert spec show SVM-FREE-002               everything about one rule
    """  # noqa: D301 - click reads the character as: keep these lines


def _areas(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> tuple[str, ...]:
    """Split the names of areas and hold them against those that are specified."""
    if value is None:
        return tuple(catalogue.AREAS)
    try:
        names = names_in(value)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error
    for name in names:
        if name not in catalogue.AREA_NAMES:
            raise click.BadParameter(f"no area {name!r}{_near(name, catalogue.AREA_NAMES)}")
    return names


@spec.command("list")
@click.option(
    "--areas",
    default=None,
    metavar="A,B",
    callback=_areas,
    help="Only these areas, such as svm; all if not given.",
)
@click.option(
    "--strength",
    "strengths",
    multiple=True,
    type=click.Choice(STRENGTHS, case_sensitive=False),
    help="Only rules of this strength; may be given several times.",
)
@click.option(
    "--interface",
    "names",
    multiple=True,
    metavar="NAME",
    help="Only rules of this interface, such as halMemAlloc; may be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON array, with all that is known.")
def list_rules(
    areas: tuple[str, ...], strengths: tuple[str, ...], names: tuple[str, ...], as_json: bool
) -> None:
    """List the rules in the order in which they are declared.

    Into a pipe each rule is one line with tabs between id, strength, kind, interface and text.
    """
    rules = list(_chosen(areas, strengths, names))
    if as_json:
        click.echo(json.dumps([_plain(rule) for rule in rules], indent=2))
    elif sys.stdout.isatty():
        _print_table(rules)
    else:
        for rule in rules:
            click.echo("\t".join(_columns(rule)))


def _chosen(areas: Sequence[str], strengths: Sequence[str], names: Sequence[str]) -> Iterable[Rule]:
    rules = list(catalogue.rules(areas))
    known = list(dict.fromkeys(rule.interface for rule in rules))
    for name in names:
        if name not in known:
            raise click.BadParameter(
                f"no rule speaks of {name!r}{_near(name, known)}", param_hint="'--interface'"
            )
    for rule in rules:
        if (not strengths or rule.strength.value in strengths) and (
            not names or rule.interface in names
        ):
            yield rule


def _columns(rule: Rule) -> tuple[str, ...]:
    return rule.id, rule.strength.value, rule.kind.value, rule.interface, rule.summary


def _print_table(rules: Sequence[Rule]) -> None:
    """Print a line for each rule, or on a narrow terminal what it says below."""
    from halcert.reports.tables import fits, print_table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bright_black")
    for name in ("rule", "strength", "kind", "interface"):
        table.add_column(name, no_wrap=True)
    table.add_column("what it says", min_width=24)
    for rule in rules:
        table.add_row(*_cells(rule))
    console = Console(highlight=False)
    if fits(console, table):
        print_table(console, table)
    else:
        for rule in rules:
            *head, summary = _cells(rule)
            console.print(Text("  ").join(head))
            console.print(Padding(summary, (0, 0, 0, 2)))
    console.print(
        Text(f"{len(rules)} rules; halcert spec show ID tells all of one", "bright_black")
    )


def _cells(rule: Rule) -> tuple[Text, ...]:
    name, strength, *rest = _columns(rule)
    return Text(name), Text(strength, STRENGTH_STYLES[strength]), *map(Text, rest)


def _plain(rule: Rule) -> dict[str, Any]:
    from halcert.reports.ruletext import rule_text

    text = rule_text(rule)
    return {
        "id": text.id,
        "area": text.area,
        "interface": text.interface,
        "signature": text.signature,
        "kind": text.kind,
        "strength": text.strength,
        "summary": text.summary,
        "detail": text.detail,
        "codes": [int(code) for code in rule.codes],
        "code_strength": rule.code_strength.value if rule.codes else None,
        "profiles": sorted(rule.profiles),
        "changes": list(text.changes),
        "sources": [{"document": s.document, "place": s.place} for s in rule.sources],
    }


@spec.command("show")
@click.argument("rule_id", metavar="ID")
@click.option(
    "--proofs",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"What halcert prove found.  [default: {DEFAULT_PROOFS}, if it is there]",
)
def show(rule_id: str, path: Path | None) -> None:
    """Show everything about the rule ID.

    Its text, its strength and what that means, the allowed codes, the products, the sources, its
    code with the helpers it calls, and what was proved of it.
    """
    from halcert.reports.ruletext import rule_text

    rule = catalogue.rule(rule_id.upper())
    if rule is None:
        known = [each.id for each in catalogue.rules()]
        hint = _near(rule_id.upper(), known) or "; halcert spec list shows them all"
        raise click.BadParameter(f"no rule {rule_id!r}{hint}", param_hint="ID")
    proofs = _proofs(path)
    console = Console(highlight=False)
    text = rule_text(rule)
    _print_text(console, text)
    _print_code(console, text)
    if proofs is not None:
        _print_proof(console, proofs.get(text.id), path or DEFAULT_PROOFS)
    _print_ways_on(console, text)


def _near(name: str, known: Iterable[str]) -> str:
    matches = get_close_matches(name, list(known), SHOWN_MATCHES, 0.6)
    return f"; is it {' or '.join(matches)}?" if matches else ""


def _print_text(console: Console, text: RuleText) -> None:
    from halcert.reports.tables import print_table

    head = Text(text.id, "bold")
    head.append(f"  {text.strength}", STRENGTH_STYLES[text.strength] or "default")
    head.append(f"  {text.interface}", "not bold default")
    console.print(head)
    console.print(Text(text.summary))
    if text.detail:
        console.print(Text(f"\n{text.detail}"))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bright_black", no_wrap=True)
    table.add_column()
    for name, value in _facts(text):
        table.add_row(Text(name), Text(value))
    console.print()
    print_table(console, table)


def _facts(text: RuleText) -> Iterable[tuple[str, str]]:
    from halcert.reports.ruletext import STRENGTHS as MEANINGS

    yield "kind", f"{text.kind}: {text.meaning}"
    yield "strength", f"{text.strength}: {MEANINGS[Strength(text.strength)]}"
    if text.codes:
        yield "codes", text.codes
    yield "products", text.profiles
    if text.changes:
        yield "changes", f"{', '.join(text.changes)}; nothing else"
    for number, source in enumerate(text.sources):
        yield "" if number else "sources", source
    if text.signature:
        yield "interface", text.signature
    if text.purpose:
        yield "", text.purpose


def _print_code(console: Console, text: RuleText) -> None:
    for piece in text.code:
        console.print()
        console.print(Text(f"{piece.title}  {piece.place}".rstrip(), "bright_black"))
        if not piece.text:
            console.print(Text("the source is not at hand"))
        elif console.is_terminal:
            theme, background = "ansi_dark", "default"
            console.print(Syntax(piece.text, "python", theme=theme, background_color=background))
        else:
            console.print(Text(piece.text), soft_wrap=True)


def _proofs(path: Path | None) -> Mapping[str, ProofNote] | None:
    """Return what was proved, by rule id; None if nobody asked for it and nothing is there."""
    place = path or DEFAULT_PROOFS
    if path is None and not place.exists():
        return None
    try:
        return read_proofs(place)
    except ProofsError as error:
        raise click.BadParameter(str(error), param_hint="'--proofs'") from error


def _print_proof(console: Console, note: ProofNote | None, place: Path) -> None:
    console.print()
    console.print(Text(f"proofs  {place}", "bright_black"))
    if note is None:
        console.print(Text("no proof speaks of this rule"))
    else:
        _print_note(console, note)


def _print_note(console: Console, note: ProofNote) -> None:
    from halcert.reports import human, text_of
    from halcert.reports.escape import one_line

    for obligation in note.obligations:
        words = f"{obligation.status}  {obligation.name}  {human.seconds(obligation.seconds)}"
        for more in (obligation.scope, obligation.note):
            words += f"  {more}" if more else ""
        console.print(Text(one_line(words)), soft_wrap=True)
    if note.witness:
        console.print()
        console.print(Text("witness  the shortest calls that reach the rule", "bright_black"))
        console.print(Text(text_of(note.witness)), soft_wrap=True)


def _print_ways_on(console: Console, text: RuleText) -> None:
    console.print()
    ways = [
        (f"halcert spec list --interface {text.interface}", "the other rules of this interface")
    ]
    if LAST_PAGE.exists():
        ways.append((f"{LAST_PAGE}#{text.id}", "its verdict in the last run"))
    width = max(len(command) for command, _ in ways)
    for command, words in ways:
        console.print(Text(f"{command:<{width}}  ").append(words, "bright_black"), soft_wrap=True)
