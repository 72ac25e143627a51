"""The table from statements to verdicts as one HTML page that asks nothing of the network."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from halcert.reports.escape import printable
from halcert.results.matrix import Matrix, TracedRule

TEMPLATE = "matrix.html.j2"
SHOWN = 6
"""Vectors and obligations that are written out; the rest is told by number."""


def matrix_page(table: Matrix) -> str:
    """Return the page of the table."""
    environment = Environment(
        loader=PackageLoader("halcert.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: printable(value) if isinstance(value, str) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rules = {each.id for row in table.statements for each in row.rules}
    return environment.get_template(TEMPLATE).render(
        table=table,
        rules=len(rules),
        cells=cells,
        documents=list(dict.fromkeys(row.document for row in table.statements)),
    )


def cells(each: TracedRule) -> list[tuple[str, str, str]]:
    """Return the cells of a rule: class, short text, and all of it."""
    return [
        ("", *_listed(each.obligations, each.open.get("obligations", ""))),
        ("", *_listed(each.vectors, each.open.get("vectors", ""))),
        ("", *_listed(each.scenarios, each.open.get("scenarios", ""))),
        (
            each.verdict.replace(" ", "-") or "open",
            each.verdict or each.open.get("verdict", ""),
            "",
        ),
    ]


def _listed(items: tuple[str, ...], reason: str) -> tuple[str, str]:
    if not items:
        return f"({reason})", ""
    more = f"\n+{len(items) - SHOWN}" if len(items) > SHOWN else ""
    return "\n".join(items[:SHOWN]) + more, "\n".join(items)
