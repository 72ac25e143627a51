"""Vectors as one C program that runs them all and prints TAP, for hosts without Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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
    """A vector of the program.

    Attributes:
        vector: the vector.
        title: what it shows, for a comment.
        name: what the names of its functions begin with.
        bodies: its function, or one for each of its processes; none if it cannot be said.
        forked: it has several processes, or one that ends.
        shared: type and name of what its processes share.
        functions: functions of the library that it needs.
    """

    vector: Vector
    title: str
    name: str
    bodies: tuple[Body, ...] = ()
    forked: bool = False
    shared: tuple[tuple[str, str], ...] = ()
    functions: tuple[str, ...] = ()


def c_vectors(area: str, profile: str, told: Iterable[tuple[Vector, Story]]) -> str:
    """Return the C program for vectors.

    Each runs in a process of its own, or in several if it is about several. What this form
    cannot say is skipped with the reason.

    Args:
        area: name of the area, for which the program is named.
        profile: name of the product.
        told: the vectors with their stories.
    """
    uses = Uses()
    written = [
        _written(place, vector, story, uses) for place, (vector, story) in enumerate(told, start=1)
    ]
    forked = [each for each in written if each.forked]
    if forked:
        uses.helpers.add("run_processes")
    outside = [v for each in written if not each.forked for b in each.bodies for v in b.variables]
    text: str = template(TEMPLATE).render(
        area=area,
        profile=profile,
        written=written,
        reason=NO_WORDS,
        forked=forked,
        most_processes=max((len(each.bodies) for each in forked), default=0),
        variables=list(dict.fromkeys(outside)),
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
    name = f"vector_{place}"
    writer = FunctionWriter(story, own, name=name)
    try:
        bodies = writer.bodies()
    except (KeyError, TypeError, ValueError):
        return _Written(vector, title, name)
    uses.add(own)
    if writer.forked:
        _declare_within(bodies)
    return _Written(
        vector,
        title,
        name,
        tuple(bodies),
        writer.forked,
        tuple((each.c_type, each.declared) for each in writer.crossings),
        tuple(function.symbol for function in own.functions),
    )


def _declare_within(bodies: Sequence[Body]) -> None:
    """Declare what calls give in each process that speaks of it: other vectors have other types."""
    variables = dict.fromkeys(each for body in bodies for each in body.variables)
    for body in bodies:
        text = "\n".join(body.lines)
        body.lines[:0] = [
            f"static {c_type}{'' if c_type.endswith('*') else ' '}{name};"
            for c_type, name in variables
            if re.search(rf"\b{name.partition('[')[0]}\b", text)
        ]
