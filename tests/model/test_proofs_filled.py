"""Tables that only calls of another library fill are empty."""

from __future__ import annotations

from dataclasses import replace

import pytest

from halcert.model.proofs.cone import WHOLE
from halcert.model.proofs.filled import filled_at, libraries_of
from halcert.model.proofs.words import begun
from halcert.spec.catalogue import areas_of, interfaces
from halcert.spec.profiles import ASCEND910B
from halcert.spec.runtime.area import DOUBTED, TAKEN

OF_THE_RUNTIME = {"sessions", "uses", "queues", "events", "works", "stream_pools", "portions"}
OF_THE_DRIVER = {"copies", "descriptors", "pools", "stretches"}
OF_BOTH = {"blocks", "devices", "registrations", "shares", "handles", "reservations", "numbers"}


def filled(name):
    return filled_at(interfaces()[name], ASCEND910B)


@pytest.mark.parametrize("name", ["halMemAlloc", "halMemPoolMalloc", "halShmemOpenHandle"])
def test_a_call_of_the_driver_finds_nothing_of_the_runtime(name):
    assert filled(name).isdisjoint(OF_THE_RUNTIME)
    assert filled(name) >= OF_THE_DRIVER | OF_BOTH


@pytest.mark.parametrize("name", ["aclrtFree", "aclrtMemPoolMallocAsync"])
def test_a_call_of_the_runtime_finds_nothing_of_the_driver(name):
    assert filled(name).isdisjoint(OF_THE_DRIVER)
    assert filled(name) >= OF_THE_RUNTIME | OF_BOTH


def test_what_programs_of_both_libraries_do_is_looked_at_beside_the_tables_of_either():
    assert libraries_of(interfaces()["host.map"]) == ("hal", "acl")
    assert filled("host.map") >= OF_THE_RUNTIME | OF_THE_DRIVER


def test_a_changed_interface_is_called_where_the_right_one_is():
    right = interfaces()["host.map"]
    assert filled_at(replace(right, rules=right.rules[1:]), ASCEND910B) == filled("host.map")


def test_a_call_that_no_area_knows_is_made_in_any_state():
    assert filled_at(replace(interfaces()["aclrtFree"], area="toy"), ASCEND910B) == WHOLE


def test_a_word_may_begin_with_a_call_that_fails():
    calls = tuple(interfaces(areas_of("acl")).values())
    assert not begun(TAKEN, calls, ASCEND910B).fails
    word = begun(DOUBTED, calls, ASCEND910B)
    assert word.fails
    assert word.given == len(DOUBTED)


def test_a_word_does_not_begin_with_what_is_not_possible():
    calls = tuple(interfaces(areas_of("acl")).values())
    with pytest.raises(ValueError, match="RUNTIME-FREE-010 is not possible"):
        begun(((0, "RUNTIME-FREE-010"),), calls, ASCEND910B)
