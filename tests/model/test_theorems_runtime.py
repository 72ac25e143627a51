"""The theorems of the runtime say something: each fails for one that keeps a promise badly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from halcert.model.proofs.statements import Statements
from halcert.model.proofs.work import invariants
from halcert.spec.catalogue import interfaces
from halcert.spec.language import Area
from halcert.spec.profiles import ASCEND910B
from halcert.spec.runtime.theorems import THEOREMS


def does_nothing(call, state):
    return state


def takes_back_what_is_in_use(call, state):
    return state.but(portions=state.portions.delete_where(lambda part: part.used))


def clears_a_byte(call, state):
    return state.but(contents=state.contents.fill(1, 0, 1, 0))


def forgets_what_comes_before_what(call, state):
    return state.but(knowledge=state.knowledge.delete_where(lambda each: each.line >= 0))


def sets_one_byte_more(call, state):
    block = state.blocks.covering(call.devPtr)
    return state.but(
        contents=state.contents.fill(block.memory, call.devPtr - block.base, call.count + 1, 0)
    )


BROKEN = [
    ("001", "aclrtMemPoolMallocAsync", "RUNTIME-PMALLOC-024"),
    ("002", "aclrtMemPoolTrimTo", takes_back_what_is_in_use),
    ("002", "aclrtSynchronizeEvent", takes_back_what_is_in_use),
    ("003", "aclrtMemPoolTrimTo", clears_a_byte),
    ("003", "aclrtStreamWaitEvent", clears_a_byte),
    ("004", "aclrtSynchronizeStream", does_nothing),
    ("005", "aclrtStreamWaitEvent", does_nothing),
    ("006", "aclrtRecordEvent", forgets_what_comes_before_what),
    ("007", "aclrtMemcpy", does_nothing),
    ("008", "aclrtMemset", sets_one_byte_more),
]
"""What is broken: an effect that takes the place of the right one, or a rule that is left out."""


def test_every_theorem_is_tried():
    assert {f"RUNTIME-THM-{number}" for number, _, _ in BROKEN} == {each.id for each in THEOREMS}


@pytest.mark.parametrize(
    "number, name, slip",
    BROKEN,
    ids=[f"{n}-{i}-{getattr(e, '__name__', e)}" for n, i, e in BROKEN],
)
def test_a_theorem_fails_where_it_is_broken(number, name, slip):
    theorem = next(each for each in THEOREMS if each.id == f"RUNTIME-THM-{number}")
    whole = interfaces()[name]
    assert _status(theorem, whole) == "proved"
    assert _status(theorem, replace(whole, rules=tuple(_worse(whole.rules, slip)))) == "refuted"


def _worse(rules, slip):
    """Put another effect in place, or leave out the rule that is named."""
    for rule in rules:
        if rule.id == slip:
            continue
        if callable(slip) and rule.kind.value == "accepts":
            yield replace(rule, function=slip, needs=("state",), changes=())
        else:
            yield rule


def _status(theorem, interface):
    named = replace(theorem, interfaces=(interface.name,))
    area = Area("toy", "", (interface,), theorems=(named,))
    (record,) = Statements(area, ASCEND910B, invariants()).records()
    return record.status
