"""The theorems of UVM say something: each fails for a driver that keeps a promise badly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from halcert.model.proofs.statements import Statements
from halcert.model.proofs.work import invariants
from halcert.spec.catalogue import interfaces
from halcert.spec.language import Area, Extent
from halcert.spec.profiles import ASCEND910B
from halcert.spec.state import NO, NOWHERE, YES
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.free import MemFree
from halcert.spec.svm.host import HostLoad, HostStore
from halcert.spec.svm.memcpy import Memcpy
from halcert.spec.uvm.advise import MemManagedAdvise
from halcert.spec.uvm.device import DeviceLoad, DeviceStore
from halcert.spec.uvm.pages import first_page, touched_pages
from halcert.spec.uvm.prefetch import MemManagedPrefetch
from halcert.spec.uvm.theorems import THEOREMS


def does_nothing(call, state):
    return state


def reads_beside(call, state):
    memory, offset, length = DeviceLoad.last_write(call, state)
    return Extent(memory, offset + 1, length)


def stores_beside(call, state):
    block = state.blocks.covering(call.address)
    moved = DeviceStore.writes(call, state)
    place = call.address - block.base
    return moved.but(contents=moved.contents.fill(block.memory, place + call.size, 1, 0))


def advises_and_clears(call, state):
    return _cleared(MemManagedAdvise.sets_read_mostly(call, state), call.ptr)


def prefetches_and_clears(call, state):
    return _cleared(MemManagedPrefetch.prefetches(call, state), call.ptr)


def _cleared(state, address):
    block = state.blocks.covering(address)
    return state.but(contents=state.contents.fill(block.memory, 0, 1, 0))


def _pages(state, call, **columns):
    return touched_pages(state, call.address, call.size, lambda run: run.but(**columns))


def stores_and_keeps_replicas(call, state):
    return _pages(DeviceStore.writes(call, state), call, mostly=YES)


def host_stores_and_leaves_a_copy(call, state):
    return _pages(HostStore.writes(call, state), call, device=0)


def copies_and_keeps_read_mostly(call, state):
    after = Memcpy.copies(call, state)
    return touched_pages(after, call.dst, call.byte_count, lambda run: run.but(mostly=YES))


def loads_and_leaves_the_copy(call, state):
    return _pages(DeviceLoad.reads(call, state), call, device=NOWHERE)


def loads_and_stays_on_devices(call, state):
    return _pages(HostLoad.reads(call, state), call, device=0)


def loads_and_ends_read_mostly(call, state):
    return _pages(DeviceLoad.reads(call, state), call, mostly=NO)


def loads_and_needs_the_device(call, state):
    return _pages(DeviceLoad.reads(call, state), call, host=False)


def loads_and_prefers(call, state):
    return _pages(DeviceLoad.reads(call, state), call, prefer_type=1)


def loads_and_notes(call, state):
    return _pages(DeviceLoad.reads(call, state), call, latest_type=1, latest_id=0)


def prefetches_and_ends_read_mostly(call, state):
    after = MemManagedPrefetch.prefetches(call, state)
    return touched_pages(after, call.ptr, 1, lambda run: run.but(mostly=NO))


def notes_where_it_fails(call, state):
    return touched_pages(state, call.ptr, 1, lambda run: run.but(latest_type=1))


def asks_and_touches(call, state):
    return touched_pages(state, call.ptr, 1, lambda run: run.but(unset=False, host=True))


def frees_addresses_only(call, state, profile):
    freed = MemFree.gives_the_block_back(call, state, profile)
    return freed.but(pages=state.pages)


def frees_but_for_accessors(call, state, profile):
    freed = MemFree.gives_the_block_back(call, state, profile)
    return freed.but(accessors=state.accessors)


def allocates_read_mostly(call, state, result, profile):
    given = MemAlloc.gives_a_block(call, state, result, profile)
    low = first_page(result.pp)
    return touched_pages(given, low, 1, lambda run: run.but(mostly=YES))


def prefers_and_drops(call, state):
    after = MemManagedAdvise.sets_preference(call, state)
    return touched_pages(after, call.ptr, 1, lambda run: run.but(device=NOWHERE))


BROKEN = [
    ("001", "device.load", "UVM-DLOAD-011", reads_beside),
    ("002", "device.store", "UVM-DSTORE-010", does_nothing),
    ("003", "device.store", "UVM-DSTORE-010", stores_beside),
    ("004", "halMemManagedAdvise", "UVM-ADVISE-030", advises_and_clears),
    ("004", "halMemManagedPrefetch", "UVM-FETCH-030", prefetches_and_clears),
    ("007", "device.store", "UVM-DSTORE-010", stores_and_keeps_replicas),
    ("008", "host.store", "SVM-STORE-010", host_stores_and_leaves_a_copy),
    ("009", "drvMemcpy", "SVM-COPY-021", copies_and_keeps_read_mostly),
    ("010", "device.load", "UVM-DLOAD-010", loads_and_leaves_the_copy),
    ("011", "host.load", "SVM-LOAD-010", loads_and_stays_on_devices),
    ("012", "device.load", "UVM-DLOAD-010", loads_and_ends_read_mostly),
    ("013", "device.load", "UVM-DLOAD-010", loads_and_needs_the_device),
    ("014", "device.load", "UVM-DLOAD-010", loads_and_prefers),
    ("015", "device.load", "UVM-DLOAD-010", loads_and_notes),
    ("016", "halMemManagedPrefetch", "UVM-FETCH-040", notes_where_it_fails),
    ("017", "halMemManagedPrefetch", "UVM-FETCH-030", prefetches_and_ends_read_mostly),
    ("018", "halMemManagedRangeGetAttributes", "UVM-RANGE-030", asks_and_touches),
    ("019", "halMemFree", "SVM-FREE-010", frees_addresses_only),
    ("020", "halMemAlloc", "SVM-ALLOC-040", allocates_read_mostly),
    ("022", "halMemManagedAdvise", "UVM-ADVISE-032", prefers_and_drops),
    ("023", "halMemFree", "SVM-FREE-010", frees_but_for_accessors),
]
OF_HELPERS = {"005", "006", "021", "024"}
"""Theorems about functions that rules share, which no single rule can break."""


def test_every_theorem_is_tried():
    tried = {f"UVM-THM-{number}" for number, *_ in BROKEN}
    assert tried | {f"UVM-THM-{number}" for number in OF_HELPERS} == {e.id for e in THEOREMS}


@pytest.mark.parametrize(
    "number, name, rule, effect", BROKEN, ids=[f"{n}-{e.__name__}" for n, _, _, e in BROKEN]
)
def test_a_theorem_fails_where_it_is_broken(number, name, rule, effect):
    theorem = next(each for each in THEOREMS if each.id == f"UVM-THM-{number}")
    whole = interfaces()[name]
    worse = replace(whole, rules=tuple(_worse(whole.rules, rule, effect)))
    call = type(whole.call.__name__, (whole.call,), {"interface": worse}, frozen=True)
    if rule == "UVM-DLOAD-011":
        call.last_write = reads_beside
        worse = replace(worse, call=call)
    assert _status(theorem, whole) == "proved"
    assert _status(theorem, worse) == "refuted"


def _worse(rules, wanted, effect):
    names = effect.__code__.co_varnames[1 : effect.__code__.co_argcount]
    for rule in rules:
        yield replace(rule, function=effect, needs=names) if rule.id == wanted else rule


def _status(theorem, interface):
    area = Area("toy", "", (interface,), theorems=(replace(theorem, interfaces=()),))
    (record,) = Statements(area, ASCEND910B, invariants()).records()
    return record.status
