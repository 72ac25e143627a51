"""Whether a changed rule makes a difference to anything, shown by the solver."""

from __future__ import annotations

import pytest

from halcert.model.proofs.equivalence import compared
from halcert.model.proofs.mutations import mutations
from halcert.spec.catalogue import interfaces, rule
from halcert.spec.profiles import ASCEND910B

ROWS = 2


def verdict(name):
    rule_id = name.partition(":")[0]
    known = interfaces()[rule(rule_id).interface]
    changed = next(each for each in mutations(known, rule(rule_id)) if each.id == name)
    return compared(known, changed.interface, ASCEND910B, ROWS)


def test_an_interface_says_the_same_as_itself():
    free = interfaces()["halMemFree"]
    assert compared(free, free, ASCEND910B, ROWS).same


@pytest.mark.parametrize(
    "name",
    [
        "SVM-FREE-002:without 1: call.pp != 0",  # 001 refuses that, with the same code
        "SVM-FREE-002:Eq of profile.generation == 'v3'",  # opened blocks are never a start here
        "SVM-FREE-002:0 -1",
    ],
)
def test_what_other_rules_make_up_for_is_the_same(name):
    assert verdict(name).same


@pytest.mark.parametrize(
    "name",
    [
        "SVM-FREE-001:dropped",
        "SVM-FREE-001:code moved",
        "SVM-FREE-002:without 2: not allocated(block)",
        "SVM-FREE-006:dropped",
        "SVM-FREE-010:effect dropped",
        "SVM-SET-010:effect dropped",
        "SVM-RANGE-010:dropped",
    ],
)
def test_a_difference_is_shown_by_a_state_and_a_call(name):
    found = verdict(name)
    assert not found.same
    assert found.example
