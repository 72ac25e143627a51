"""Witnesses as tests: the shortest call sequences that the proofs found for every rule.

A witness is a plan in the form of trace steps; carrying it out shows its rule on a real
implementation. Before and after a call that must be refused the bytes around it are looked at,
so that a refusal with an effect is blamed on the refusal.
"""

from __future__ import annotations

from collections.abc import Sequence

from halcert.conformance.book import resolve
from halcert.conformance.lab import Lab
from halcert.conformance.observe import check_all, fill_all
from halcert.results import TraceStep


def carry_out(lab: Lab, steps: Sequence[TraceStep]) -> None:
    """Make the calls of a witness; the last one is what it is about.

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
            return
        result = lab.call(step.interface, step.actor, **args)
        if result is None:
            return
        numbers[step.number] = len(lab.steps)
        if result.code != 0:
            check_all(lab)


def witness_activities(
    areas: Sequence[str], profile: str
) -> list[tuple[str, tuple[TraceStep, ...]]]:
    """Return the witnesses of areas for a product as named calls, the boundaries behind the rules.

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
        found.append((witness.kind == "boundary", name, steps))
    return [(name, steps) for _, name, steps in sorted(found, key=lambda each: each[0])]
