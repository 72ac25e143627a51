"""The rules as a reference manual: Markdown pages for the site, made of the specification.

``python -m halcert.reports.reference FOLDER`` writes them. Nothing is told here that the
specification does not say; the pages are made anew for each build of the site.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from halcert.reports.rulecode import Code
from halcert.reports.ruletext import MEANINGS, STRENGTHS, RuleText, rule_text
from halcert.spec.catalogue import AREAS
from halcert.spec.language import Strength
from halcert.spec.profiles import PROFILES
from halcert.spec.statements import sentences_by_rule

_SPECIAL = re.compile(r"([\\*_<>\[\]{}|$#~])")
_NAME = re.compile(r"``([^`]+)``")


def reference_pages() -> dict[str, str]:
    """Return the pages by file name: an overview, and one for each interface of each area."""
    texts = {area: [rule_text(rule) for rule in found.rules()] for area, found in AREAS.items()}
    pages = {"index.md": _overview(texts)}
    for area, told in texts.items():
        names = list(dict.fromkeys(text.interface for text in told))
        pages[f"{area}.md"] = _area(area, names, told)
        for name in names:
            some = [text for text in told if text.interface == name]
            pages[page_name(area, name)] = "\n".join(_interface(area, name, some))
    return pages


def page_name(area: str, interface: str) -> str:
    """Return the file of an interface."""
    return f"{area}-{re.sub(r'[^A-Za-z0-9]+', '-', interface)}.md"


def prose(text: str) -> str:
    """Return a sentence of the specification as Markdown."""
    parts = _NAME.split(text)
    plain = (_SPECIAL.sub(r"\\\1", part) for part in parts[::2])
    names = (f"`{part}`" for part in parts[1::2])
    mixed = [next(plain) if number % 2 == 0 else next(names) for number in range(len(parts))]
    return "".join(mixed)


def _overview(texts: dict[str, list[RuleText]]) -> str:
    lines = [
        "# Rules",
        "",
        (
            "Every rule as the specification has it, by area and interface. Each has an id that is "
            "never used for another rule, one sentence, a strength and its sources."
        ),
        "",
        "| area | what it is | interfaces | " + " | ".join(s.value for s in Strength) + " |",
        "| --- | --- |" + " ---: |" * (1 + len(Strength)),
    ]
    for area, told in texts.items():
        counts = Counter(text.strength for text in told)
        numbers = " | ".join(str(counts[strength.value]) for strength in Strength)
        interfaces = len(AREAS[area].interfaces)
        title = prose(AREAS[area].title)
        lines.append(f"| [{area}]({area}.md) | {title} | {interfaces} | {numbers} |")
    lines += ["", "## Strengths", ""]
    lines += [f"- **{strength.value}**: {text}." for strength, text in STRENGTHS.items()]
    lines += ["", "## Kinds", ""]
    lines += [f"- **{kind.value}**: {text}." for kind, text in MEANINGS.items()]
    lines += ["", "## Products", "", "| profile | product |", "| --- | --- |"]
    lines += [f"| `{each.name}` | {each.title} |" for each in PROFILES.values()]
    lines += ["", "```{toctree}", ":hidden:", "", *(f"{area}.md" for area in texts), "```", ""]
    return "\n".join(lines)


def _area(area: str, names: Sequence[str], told: Sequence[RuleText]) -> str:
    title = AREAS[area].title
    lines = [f"# {prose(title if title.lower().startswith(area) else f'{area}: {title}')}", ""]
    lines += ["| interface | what it is for | rules |", "| --- | --- | ---: |"]
    for name in names:
        some = [text for text in told if text.interface == name]
        purpose = prose(some[0].purpose.splitlines()[0]) if some[0].purpose else "all calls"
        lines.append(f"| [{name}]({page_name(area, name)}) | {purpose} | {len(some)} |")
    return "\n".join([*lines, ""])


def _interface(area: str, name: str, told: Sequence[RuleText]) -> Iterator[str]:
    # A side bar that lists each interface on each of their pages takes more time than all the rest.
    yield "---\norphan: true\n---\n"
    yield f"# {name}"
    yield ""
    yield f"[All rules](index.md) / [{area}]({area}.md)\n"
    first = told[0]
    if first.signature:
        yield f"```c\n{first.signature}\n```\n"
    if first.purpose:
        yield f"{prose(first.purpose)}\n"
    statements = sentences_by_rule()
    for text in told:
        yield from _rule(text, statements.get(text.id, ()))


def _rule(text: RuleText, statements: Sequence[str]) -> Iterator[str]:
    yield f"({text.id})="
    yield f"## {text.id}\n"
    yield f"**{text.strength}**, {text.kind}: {prose(text.summary)}\n"
    if text.detail:
        yield f"{prose(text.detail)}\n"
    for sentence in statements:
        yield f"> {prose(sentence)}\n"
    facts = (
        ("meaning", text.meaning),
        ("codes", text.codes),
        ("products", text.profiles),
        ("changes", f"{', '.join(text.changes)}; nothing else" if text.changes else ""),
        ("sources", "; ".join(text.sources)),
    )
    yield "\n".join(f"- {fact}: {prose(words)}" for fact, words in facts if words)
    yield ""
    yield from _code(text.code)


def _code(pieces: Sequence[Code]) -> Iterator[str]:
    shown = [piece for piece in pieces if piece.text]
    if not shown:
        return
    yield "<details><summary>As it is written</summary>\n"
    for piece in shown:
        caption = f"{piece.title} {piece.place}".rstrip()
        yield f"```{{code-block}} python\n:caption: {caption}\n\n{piece.text.rstrip()}\n```\n"
    yield "</details>\n"


def write_pages(folder: Path) -> None:
    """Write all pages into a folder.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in reference_pages().items():
        (folder / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write_pages(Path(sys.argv[1] if len(sys.argv) > 1 else "build/rules"))
