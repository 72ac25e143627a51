"""What the rules demand of calls made at the same time: what holds in every order of them.

Threads take turns in an order that nobody controls, so a call has a demand of its own only if it
is the same in all orders that are looked at. Of equal calls, such as two that free one block, it
is told how many can succeed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, permutations, zip_longest
from typing import Any

import msgspec

from halcert.conformance.book import resolve
from halcert.conformance.demands import demand_in
from halcert.conformance.lab import Lab
from halcert.model.concrete import World
from halcert.results import Answered, TraceStep
from halcert.results.story import Demand
from halcert.spec.language import Call

MOST_ORDERS = 24
Demands = dict[int, Demand]


class Together(msgspec.Struct, frozen=True):
    """What is demanded of calls made at the same time.

    Attributes:
        demands: of calls whose demand does not depend on the order, by number.
        equal: numbers of equal calls, and how many of them can succeed.
    """

    demands: Demands
    equal: tuple[tuple[tuple[int, ...], int], ...]


def together(
    lab: Lab, steps: Sequence[TraceStep], outputs: Mapping[int, Mapping[str, Any]]
) -> Together:
    """Return what is demanded of the calls of several threads.

    Args:
        lab: in the state before them.
        steps: the calls with their outcomes.
        outputs: what all calls gave, by number.
    """
    every = [_in_order(lab, order, outputs) for order in _orders(steps)]
    first = every[0]
    same = {
        number: demand
        for number, demand in first.items()
        if all(each.get(number) == demand for each in every)
    }
    equal = []
    for group in _equal(steps):
        counts = {sum(each[n].success for n in group if n in each) for each in every}
        if len(counts) == 1 and not all(n in same for n in group):
            equal.append((group, counts.pop()))
    return Together(same, tuple(equal))


def _orders(steps: Sequence[TraceStep]) -> list[list[TraceStep]]:
    """Return some orders: thread after thread in every way, and in turns."""
    threads: dict[tuple[int, int], list[TraceStep]] = {}
    for step in steps:
        threads.setdefault((step.actor, step.thread), []).append(step)
    rows = list(threads.values())
    orders = [
        [step for row in order for step in row] for order in islice(permutations(rows), MOST_ORDERS)
    ]
    turns = [[s for s in turn if s is not None] for turn in zip_longest(*rows)]
    return [
        *orders,
        [step for turn in turns for step in turn],
        [step for turn in turns for step in reversed(turn)],
    ]


def _in_order(
    lab: Lab, order: Sequence[TraceStep], outputs: Mapping[int, Mapping[str, Any]]
) -> Demands:
    world = lab.world
    found: Demands = {}
    for step in order:
        try:
            args = resolve(step.args, outputs)
        except KeyError:
            continue
        interface = lab.setting.interfaces[step.interface]
        call = interface.parse(args)
        if lab.setting.oracle.undefined(step.interface, call, world, step.actor) is not None:
            continue
        demand = demand_in(lab.setting.oracle, world, call, step.outcome, step.actor)
        found[step.number] = demand
        if demand.success:
            world = _afterwards(lab, world, call, step)
    return found


def _afterwards(lab: Lab, world: World, call: Call, step: TraceStep) -> World:
    """Return the world after a call that can succeed did so, with the outputs that it gave."""
    outcome = step.outcome
    if not isinstance(outcome, Answered):
        return world
    if outcome.code != 0 and call.Result.__struct_fields__ != ("code",):
        return world
    result = call.interface.parse_result(0, outcome.out)
    return lab.setting.oracle.judge(world, call, result, process=step.actor, step=step.number).world


def _equal(steps: Sequence[TraceStep]) -> list[tuple[int, ...]]:
    groups: dict[bytes, list[int]] = {}
    for step in steps:
        what = msgspec.json.encode((step.actor, step.interface, step.args), order="sorted")
        groups.setdefault(what, []).append(step.number)
    return [tuple(numbers) for numbers in groups.values() if len(numbers) > 1]
