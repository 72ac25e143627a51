"""What the rules demand of a call before it is made, asked of the oracle code by code.

The oracle only judges what came. Here it is asked about every result that a call could have, so
that a demand is nothing but what the oracle would say. Codes that no rule about the call names
are all one to it; it is asked about one of them.
"""

from __future__ import annotations

from typing import Any

from halcert.conformance.lab import Lab
from halcert.model.concrete import Oracle, World
from halcert.model.concrete.rope import parts
from halcert.results import Answered, Outcome
from halcert.results.story import Demand, Stretch
from halcert.spec.abi.codes import DrvError
from halcert.spec.language import Call, Returned
from halcert.spec.language.domain import annotations_of, converter_of
from halcert.spec.universal import MEMORY_CAN_BE_HAD_AGAIN

UNHEARD_OF = 0x5A5A
"""A code that no document names; where it is allowed, any is."""
NOT_OF_THE_CODE = ("promise",)
"""Shapes of a violation that blame the outputs, not the code."""


def demand_of(lab: Lab, call: Call, outcome: Outcome | None, process: int = 0) -> Demand:
    """Return what the rules demand of a call in the present state of a lab."""
    demand = demand_in(lab.setting.oracle, lab.world, call, outcome, process)
    if demand.failure and _must_be_had_again(lab, call, process):
        codes = demand.codes or tuple(map(int, DrvError))
        left = tuple(code for code in codes if code not in (0, DrvError.OUT_OF_MEMORY))
        return Demand(demand.success, bool(left), left, demand.rules, demand.stretches)
    return demand


def demand_in(
    oracle: Oracle, world: World, call: Call, outcome: Outcome | None, process: int = 0
) -> Demand:
    """Return what the rules demand of a call in a world."""
    rules = oracle.rules(call.interface.name)
    view = world.views[process]
    held = rules.holding(call, view)
    permitting = rules.permitting(call, view)
    named = {int(code) for rule in (*held, *permitting) for code in rule.codes}
    open_code = _allowed(oracle, world, call, UNHEARD_OF, process)
    codes = tuple(
        code
        for code in sorted(named)
        if code and not open_code and _allowed(oracle, world, call, code, process)
    )
    reasons = list(held)
    if not held:
        fitting = [rule for rule, when, _ in rules.accepts if _applies(when, call, view, outcome)]
        reasons += fitting[:1] or [rule for rule, _, _ in rules.accepts[:1]]
        reasons += permitting
    return Demand(
        success=not held,
        failure=open_code or bool(codes),
        codes=codes,
        rules=tuple(rule.id for rule in reasons),
        stretches=() if held else _bytes(oracle, call, view, outcome),
    )


def _applies(when: Any, call: Call, view: Any, outcome: Outcome | None) -> bool:
    """Tell whether an accepting rule may be the one; some ask for the result."""
    if when is None:
        return True
    try:
        return bool(when(call, view, result_like(call, outcome)))
    except (AttributeError, TypeError):
        return False


def _allowed(oracle: Oracle, world: World, call: Call, code: int, process: int) -> bool:
    judged = oracle.judge(world, call, blank_result(call, code), process=process).violation
    return judged is None or judged.shape in NOT_OF_THE_CODE


def blank_result(call: Call, code: int) -> Returned:
    """Return a result of which only the code says something; its outputs are blank."""
    kinds = annotations_of(call.Result)
    values = {
        name: b"" if kinds[name] is bytes else converter_of(kinds[name])(None)
        for name in call.Result.__struct_fields__
        if name != "code"
    }
    return call.Result(code, **values)


def result_like(call: Call, outcome: Outcome | None) -> Returned:
    """Return the recorded result, or a blank one where the call did not return."""
    if isinstance(outcome, Answered):
        return call.interface.parse_result(outcome.code, outcome.out)
    return blank_result(call, 0)


def _bytes(oracle: Oracle, call: Call, view: Any, outcome: Outcome | None) -> tuple[Stretch, ...]:
    found: list[Stretch] = []
    for _, extent_of in oracle.rules(call.interface.name).observes:
        memory, offset, length = extent_of(call, view, result_like(call, outcome))
        found += stretches(view.contents.rope(memory), offset, length)
    return tuple(found)


def stretches(rope: Any, offset: int, length: int) -> list[Stretch]:
    """Return what is known of some bytes of an object, counted from the first of them."""
    return [
        Stretch(
            each.start - offset, each.end - each.start, each.pattern, each.value, each.author.step
        )
        for each in parts(rope, offset, offset + length)
    ]


def _must_be_had_again(lab: Lab, call: Call, process: int) -> bool:
    """Tell whether an allocation must not run out of memory, since an equal one did not."""
    short = blank_result(call, int(DrvError.OUT_OF_MEMORY))
    known = lab.accounts.had_again(call, short, lab.view(process), lab.views())
    return known is not None and not MEMORY_CAN_BE_HAD_AGAIN.function(*known)
