"""Vectors as one C program that runs them all and prints TAP, for hosts without Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from halcert.reports.cprogram.expressions import Uses
from halcert.reports.cprogram.frame import pieces
from halcert.reports.cprogram.functions import Body, FunctionWriter
from halcert.reports.cprogram.library import declarations
from halcert.reports.cprogram.program import SECONDS, comment, template
from halcert.results.story import Story
from halcert.results.vectors import Vector
from halcert.spec.catalogue import rule as rule_named

TEMPLATE = "vectors.c.j2"
NO_WORDS = "this form has no words for it"


@dataclass(frozen=True)
class _Written:
    """A vector of the program: its function, or why it has none."""

    vector: Vector
    title: str
    body: Body | None = None
    functions: tuple[str, ...] = ()
    reason: str = ""


def c_vectors(area: str, profile: str, told: Iterable[tuple[Vector, Story]]) -> str:
    """Return the C program for vectors.

    Each runs in a process of its own. What this form cannot say, such as several processes, is
    skipped with the reason.

    Args:
        area: name of the area, for which the program is named.
        profile: name of the product.
        told: the vectors with their stories.
    """
    uses = Uses()
    written = [
        _written(place, vector, story, uses) for place, (vector, story) in enumerate(told, start=1)
    ]
    bodies = [each.body for each in written if each.body is not None]
    text: str = template(TEMPLATE).render(
        area=area,
        profile=profile,
        written=written,
        variables=list(dict.fromkeys(v for body in bodies for v in body.variables)),
        pieces=pieces(uses.helpers),
        seconds=SECONDS,
        **declarations(uses),
    )
    return text


def _written(place: int, vector: Vector, story: Story, uses: Uses) -> _Written:
    """Return a vector in C; what it uses counts only if all of it can be said."""
    found = rule_named(vector.rule)
    title = comment(f"{vector.id}: {found.summary if found else ''}", " * ")
    own = Uses()
    writer = FunctionWriter(story, own, name=f"vector_{place}", lenient=True)
    if writer.forked:
        return _Written(vector, title, reason="it needs several processes")
    try:
        (body,) = writer.bodies()
    except (KeyError, TypeError, ValueError):
        return _Written(vector, title, reason=NO_WORDS)
    uses.add(own)
    return _Written(vector, title, body, tuple(function.symbol for function in own.functions))
