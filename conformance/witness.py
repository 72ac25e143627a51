"""Witnesses as tests: the shortest call sequences that the proofs found for every rule.

A witness is a plan in the form of trace steps; carrying it out shows its rule on a real
implementation. Before and after a call that must be refused the bytes around it are looked at,
so that a refusal with an effect is blamed on the refusal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from halcert.conformance.book import resolve
from halcert.conformance.lab import Lab
from halcert.conformance.observe import check_all, fill_all
from halcert.results import TraceStep


class Named(NamedTuple):
    """A witness as a test.

    Attributes:
        name: id of its rule, with a number for further ones.
        steps: its calls.
        side: for a boundary, which comparison and on which side of it.
    """

    name: str
    steps: tuple[TraceStep, ...]
    side: str = ""


def carry_out(lab: Lab, steps: Sequence[TraceStep]) -> bool:
    """Make the calls of a witness; the last one is what it is about.

    Returns:
        Whether the last one was made.

    Raises:
        Broken: the implementation broke a rule.
    """
    numbers: dict[int, int] = {}
    for step in steps:
        if step is steps[-1]:
            fill_all(lab)
            check_all(lab)
        outputs = lab.given(numbers)
        try:
            args = resolve(step.args, outputs)
        except KeyError:
            return False
        result = lab.call(step.interface, step.actor, **args)
        if result is None:
            return False
        numbers[step.number] = len(lab.steps)
        if result.code != 0:
            check_all(lab)
    return True


def witness_activities(areas: Sequence[str], profile: str) -> list[Named]:
    """Return the witnesses of areas for a product as tests, the boundaries behind the rules.

    Those that end in something undefined show that a rule is reachable and are never carried out.
    """
    from halcert.model.proofs import witnesses

    found = []
    counts: dict[str, int] = {}
    for witness in witnesses(areas, profile):
        if any(step.expected.verdict == "undefined" for step in witness.steps):
            continue
        counts[witness.rule] = counts.get(witness.rule, 0) + 1
        count = counts[witness.rule]
        name = witness.rule if count == 1 else f"{witness.rule}:{count}"
        steps = tuple(
            TraceStep(number, step.interface, step.args, actor=step.actor)
            for number, step in enumerate(witness.steps, start=1)
        )
        found.append(Named(name, steps, witness.note))
    return sorted(found, key=lambda each: each.side != "")
