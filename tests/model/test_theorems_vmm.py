"""The theorems of VMM say something: each fails for a driver that keeps a promise badly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from halcert.model.proofs.statements import Statements
from halcert.model.proofs.work import invariants
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.language import Area
from halcert.spec.profiles import ASCEND910B
from halcert.spec.state import Grant
from halcert.spec.svm.device import closed, on_device
from halcert.spec.vmm.map import MemMap
from halcert.spec.vmm.memory import without_memory
from halcert.spec.vmm.theorems import THEOREMS


def maps_elsewhere(call, state):
    return _mapped(call, state, base=call.ptr + call.size)


def maps_other_bytes(call, state):
    return _mapped(call, state, memory=state.contents.fresh())


def _mapped(call, state, **changes):
    good = MemMap.maps(call, state)
    block = good.blocks.at(call.ptr)
    return good.but(blocks=good.blocks.delete(call.ptr).insert(block.but(**changes)))


def maps_and_clears(call, state):
    found = state.handles.at(call.handle)
    return MemMap.maps(call, state).but(
        contents=state.contents.fill(found.memory, 0, found.size, 0)
    )


def maps_and_takes_the_addresses(call, state):
    return state.but(reservations=state.reservations.delete(call.ptr))


def does_nothing(call, state):
    return state


def unmaps_and_keeps_the_memory(call, state):
    return state.but(
        blocks=state.blocks.delete(call.ptr),
        grants=state.grants.delete_where(lambda grant: grant.base == call.ptr),
    )


def unmaps_and_keeps_access(call, state):
    return state.but(blocks=state.blocks.delete(call.ptr))


def releases_under_a_mapping(call, state):
    return without_memory(state, state.handles.at(call.handle))


def retains_twice(call, state):
    mapped = state.blocks.covering(call.ptr).handle
    return state.but(
        handles=state.handles.update_where(
            lambda each: each.id == mapped, lambda each: each.but(held=each.held + 2)
        )
    )


def closes_and_forgets_mappings(call, state):
    return closed(state, call.devid).but(blocks=state.blocks)


def closes_everything(call, state):
    return closed(state, call.devid).but(
        blocks=state.blocks.delete_where(
            lambda block: on_device(block, call.devid) or block.device < call.devid
        )
    )


def asks_and_gives_access(call, state):
    block = state.blocks.covering(call.ptr)
    return state.but(grants=state.grants.put(Grant(place=block.base + 5, base=block.base, id=5)))


BROKEN = [
    ("001", "halMemMap", maps_elsewhere),
    ("002", "halMemMap", maps_and_takes_the_addresses),
    ("003", "halMemAddressFree", None),
    ("004", "halMemAddressFree", does_nothing),
    ("004", "halMemUnmap", does_nothing),
    ("005", "halMemMap", maps_other_bytes),
    ("006", "halMemMap", maps_and_clears),
    ("007", "halMemMap", maps_and_clears),
    ("007", "halMemMap", maps_other_bytes),
    ("008", "halMemUnmap", unmaps_and_keeps_the_memory),
    ("008", "halMemRelease", releases_under_a_mapping),
    ("009", "halMemRetainAllocationHandle", retains_twice),
    ("009", "halMemRelease", does_nothing),
    ("010", "halMemRelease", releases_under_a_mapping),
    ("010", "halMemUnmap", unmaps_and_keeps_the_memory),
    ("011", "halMemUnmap", unmaps_and_keeps_the_memory),
    ("012", "halMemAgentClose", closes_and_forgets_mappings),
    ("013", "halMemAgentClose", closes_everything),
    ("014", "halMemSetAccess", does_nothing),
    ("015", "halMemGetAccess", asks_and_gives_access),
    ("016", "halMemUnmap", unmaps_and_keeps_access),
]


def test_every_theorem_is_tried():
    assert {f"VMM-THM-{number}" for number, _, _ in BROKEN} == {each.id for each in THEOREMS}


@pytest.mark.parametrize(
    "number, name, effect",
    BROKEN,
    ids=[f"{n}-{i}-{getattr(e, '__name__', e)}" for n, i, e in BROKEN],
)
def test_a_theorem_fails_where_it_is_broken(number, name, effect):
    theorem = next(each for each in THEOREMS if each.id == f"VMM-THM-{number}")
    whole = interfaces()[name]
    assert _status(theorem, whole) == "proved"
    assert _status(theorem, replace(whole, rules=tuple(_worse(whole.rules, effect)))) == "refuted"


def _worse(rules, effect):
    """Put another effect in place, or leave out what refuses for the state."""
    for rule in rules:
        if effect is None and rule.reads_state and rule.kind.value == "rejects":
            continue
        if effect is not None and rule.kind.value == "accepts":
            needs = ("state",)
            yield replace(rule, function=effect, needs=needs, changes=())
        else:
            yield rule


def _status(theorem, interface):
    area = Area("toy", "", (interface,), theorems=(theorem,))
    (record,) = Statements(area, ASCEND910B, invariants()).records()
    return record.status


def test_theorems_of_all_calls_speak_of_calls_of_the_areas_that_are_used():
    found = Statements(AREAS["vmm"], ASCEND910B, ())
    assert {"halMemMap", "halMemAlloc", "halMemAgentClose"} <= set(found.situations)
    assert "halMemMap" not in Statements(AREAS["svm"], ASCEND910B, ()).situations
