"""Witnesses rehearsed: the oracle judges them with the values that the solver chose.

The search, the solver and the symbolic reading found the witness; here the concrete reading
alone says what it thinks of every call.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from halcert.model.concrete import Oracle, World
from halcert.model.proofs.agreement import concrete
from halcert.model.proofs.witness import ACCEPTED, REJECTED, UNDEFINED, Step
from halcert.model.proofs.words import DEVICES, PIDS
from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.reading import Reading
from halcert.spec.catalogue import interfaces
from halcert.spec.profiles import Profile

FAILED = 1
"""Any code of a failure."""


@lru_cache(maxsize=4)
def oracle_of(profile: Profile) -> Oracle:
    """Return what judges the calls of a product."""
    return Oracle(interfaces().values(), profile)


def objections(readings: list[Reading], steps: tuple[Step, ...], value: Evaluator) -> Iterator[str]:
    """Iterate over what the oracle objects to in a witness.

    Args:
        readings: the calls as variables.
        steps: the same calls with what is expected of them.
        value: the values of the variables.
    """
    if any(reading.interface.name not in interfaces() for reading in readings):
        return
    oracle = oracle_of(readings[0].profile)
    world = World.start(DEVICES, PIDS)
    for reading, step in zip(readings, steps, strict=True):
        call = concrete(reading.call.value, value)
        result = concrete(reading.result.value, value)
        if step is steps[-1]:
            yield from objections_at_the_end(oracle, world, call, result, step)
            return
        succeeded = msgspec.structs.replace(result, code=0)
        judged = oracle.judge(world, call, succeeded, process=step.actor)
        if judged.violation is not None:
            yield f"{step.interface} is accepted, but the oracle says {judged.violation}"
            return
        world = judged.world


def objections_at_the_end(
    oracle: Oracle, world: World, call: Any, result: Any, step: Step
) -> Iterator[str]:
    """Iterate over what the oracle objects to in the last call, which is made in a world."""
    name, expected, process = step.interface, step.expected, step.actor
    vague = oracle.undefined(name, call, world, process)
    held = {rule.id for rule in oracle.rules(name).holding(call, world.views[process])}
    if (vague is not None) != (expected.verdict == UNDEFINED):
        yield f"{name}: undefined by {vague.id if vague else 'no rule'}, not {expected.verdict}"
    elif expected.verdict == UNDEFINED:
        return
    elif expected.verdict == REJECTED and not held.issuperset(expected.rules):
        yield f"{name}: refused by {sorted(held)}, not by {expected.rules}"
    elif expected.verdict == ACCEPTED and held:
        yield f"{name}: refused by {sorted(held)}, not accepted"
    elif expected.verdict == REJECTED:
        refusal = msgspec.structs.replace(result, code=FAILED)
        judged = oracle.judge(world, call, refusal, process=process)
        left = {rule.id for rule, _when, _effect in oracle.rules(name).leaves}
        if judged.world is not world and not left.intersection(judged.shown):
            yield f"{name}: the refusal changes the state"
