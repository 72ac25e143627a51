"""Words are begun only where they can lead to something that a rule asks for."""

from __future__ import annotations

import pytest

from halcert.model.proofs.candidates import Candidates
from halcert.model.proofs.columns import Column, asked_by, used_by
from halcert.model.proofs.influence import Influence
from halcert.model.proofs.words import empty_word, operations_of
from halcert.model.symbolic.algebra import both, equal, negation
from halcert.model.symbolic.term import integer, truth
from halcert.spec.catalogue import AREAS, interfaces, rule
from halcert.spec.profiles import ASCEND910B

OPEN, CLOSE, ALLOC, FREE = "SVM-OPEN-010", "SVM-CLOSE-010", "SVM-ALLOC-040", "SVM-FREE-010"
MAP = "SVM-HMAP-010"
NAMES = (
    "halMemAgentOpen",
    "halMemAgentClose",
    "halMemAlloc",
    "halMemFree",
    "drvMemsetD8",
    "host.map",
)
INVARIANTS = tuple(each for area in AREAS.values() for each in area.invariants)


@pytest.fixture(scope="module")
def influence():
    return Influence([interfaces()[name] for name in NAMES], ASCEND910B, INVARIANTS)


@pytest.fixture(scope="module")
def letters():
    known = operations_of([interfaces()[name] for name in NAMES], ASCEND910B)
    return {each.rule.id: each for each in known}


@pytest.fixture(scope="module")
def candidates(influence, letters):
    chosen = [letters[each] for each in (OPEN, CLOSE, ALLOC, FREE)]
    return Candidates(influence, chosen, empty_word(), ordered=True, growing=True)


def named(letters, *ids):
    return tuple(letters[each] for each in ids)


def test_a_truth_value_is_asked_for_in_one_direction():
    there, size = truth("before.devices.0.open"), integer("before.blocks.1.size")
    assert asked_by(both(negation(there), truth("call.flag"))) == {Column("devices", "open", False)}
    assert len(asked_by(equal(size, 3))) == 2
    assert used_by(there) == {Column("devices", "open", each) for each in (True, False)}


def test_opening_a_device_only_opens_it(influence, letters):
    writes = influence.effect(letters[OPEN]).writes
    assert writes == {Column("devices", each, True) for each in ("open", "ever")}


def test_freeing_only_takes_rows_away(influence, letters):
    gone = {Column(table, "live", False) for table in ("blocks", "pages")}
    assert influence.effect(letters[FREE]).writes == gone


def test_a_call_that_nothing_later_uses_is_no_beginning(candidates, letters):
    set_bytes = rule("SVM-SET-010")
    assert candidates.promising(named(letters, OPEN, ALLOC), set_bytes, 0)
    assert not candidates.promising(named(letters, OPEN, CLOSE, ALLOC), set_bytes, 0)


def test_what_a_rule_must_find_has_to_come_about_in_time(candidates, letters):
    set_bytes = rule("SVM-SET-010")
    assert not candidates.promising(named(letters, OPEN), set_bytes, 0)
    assert candidates.promising(named(letters, OPEN), set_bytes, 1)


def test_independent_calls_are_made_in_one_order(influence, letters):
    chosen = [letters[each] for each in (OPEN, MAP)]
    word = named(letters, MAP, OPEN)
    assert Candidates(influence, chosen, empty_word(), ordered=False, growing=True).possible(word)
    assert not Candidates(influence, chosen, empty_word(), ordered=True, growing=True).possible(
        word
    )


def test_a_call_that_needs_what_is_not_there_cannot_come(candidates, letters):
    assert not candidates.possible(named(letters, FREE))
    assert not candidates.possible(named(letters, CLOSE))
    assert candidates.possible(named(letters, OPEN, CLOSE))
