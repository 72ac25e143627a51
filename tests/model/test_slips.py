"""Witnesses that tell a rule from itself with a slip of the pen."""

from __future__ import annotations

import pytest

from halcert.model.concrete import Oracle
from halcert.model.concrete.world import World
from halcert.model.proofs.mutations import mutations
from halcert.model.proofs.slips import Slip
from halcert.model.proofs.work import SEARCH, Recall, Task, carry_out
from halcert.spec.catalogue import AREAS, interfaces, rule
from halcert.spec.language import Kind
from halcert.spec.profiles import PROFILES

PRODUCT = "ascend910b"
CONDITIONS = (Kind.REJECTS, Kind.MAY_REJECT, Kind.UNDEFINED)


@pytest.fixture(scope="module")
def found():
    """The witnesses of an interface whose calls need no state, as far as they are one call."""
    task = Task(
        SEARCH, PRODUCT, tuple(AREAS), ("halMemGetAllocationGranularity",), recall=Recall.WORDS
    )
    return [each for each in carry_out(task).witnesses if len(each.steps) == 1]


def said(interface, witness):
    """Return which rules hold of the call, and which promise nothing."""
    oracle = Oracle([interface], PROFILES[PRODUCT])
    view = World.start((0, 1)).views[0]
    call = interface.parse(witness.steps[0].args)
    rules = oracle.rules(interface.name)
    held = {each.id for each in (*rules.holding(call, view), *rules.permitting(call, view))}
    return held, oracle.undefined(interface.name, call, World.start((0, 1)))


def test_a_slip_that_no_other_witness_shows_has_one(found):
    notes = [each.note for each in found if each.note.startswith("unlike ")]
    assert notes
    assert len({each.id for each in found}) == len(found)


def test_a_changed_condition_says_something_else_of_the_witness_of_its_slip(found):
    for witness in found:
        if not witness.note.startswith("unlike "):
            continue
        right = rule(witness.rule)
        if right.kind not in CONDITIONS:
            continue
        known = interfaces()[right.interface]
        slips = (Slip(right, right, each, ()) for each in mutations(known, right))
        wrong = next(each.mutation for each in slips if each.note == witness.note)
        assert said(known, witness) != said(wrong.interface, witness), witness.id
