"""Managed memory through the adapter: structures by value, places, the device agent."""

from __future__ import annotations

from typing import Any

import pytest

from halcert.adapters.errors import RequestRefused
from halcert.adapters.hal import HalAdapter, HalSession
from halcert.adapters.host import LOAD_LIMIT
from halcert.adapters.process import Process
from halcert.adapters.protocol import DEVICE_INTERFACES, Answered, Options, Request
from halcert.spec.abi.parameters import PLACE_LIMIT
from halcert.spec.language.interface import poison
from halcert.spec.pattern import pattern_bytes

PAGE = 2 << 20
UVM = 0x21C00
HOST = {"type": 2, "id": 0}
DEVICE = 1
SMALL = {"SOFTHAL_DEVICE_MEMORY": "8M", "SOFTHAL_DEVICES": "2"}


@pytest.fixture(name="hal")
def _hal():
    with HalAdapter().open("ascend910b", Options(environment=SMALL)) as opened:
        yield opened


@pytest.fixture(name="process")
def _process(hal: HalSession) -> Process:
    process = hal.spawn()
    for device in range(2):
        assert done(process, "halMemAgentOpen", devid=device, flag=0) == {}
    return process


def made(process: Process, interface: str, **args: Any) -> Answered:
    reply = process.call(Request(interface, args))
    assert isinstance(reply, Answered), reply
    return reply


def done(process: Process, interface: str, **args: Any) -> dict[str, Any]:
    reply = made(process, interface, **args)
    assert reply.code == 0, (interface, reply)
    return reply.out


def allocated(process: Process, pages: int) -> int:
    return int(done(process, "halMemAlloc", pp=True, size=pages * PAGE, flag=UVM)["pp"])


def attributes(process: Process, address: int, which: list[int], sizes: list[int], **more: Any):
    args = {
        "data": [True] * len(sizes),
        "data_sizes": sizes,
        "attributes": which,
        "attribute_num": len(which),
        "ptr": address,
        "size": PAGE,
    }
    return made(process, "halMemManagedRangeGetAttributes", **{**args, **more})


def test_a_structure_goes_by_value_and_attributes_come_back_in_their_places(process):
    address = allocated(process, 1)
    for advice, location in ((2, {"type": 1, "id": 1}), (4, {"type": 1}), (4, HOST)):
        done(
            process,
            "halMemManagedAdvise",
            ptr=address,
            size=PAGE,
            advise=advice,
            location=location,
        )
    reply = attributes(process, address, [2, 3, 6], [4, 16, 4])
    assert reply.code == 0
    assert reply.out == {"data": [[1], [0, -1, -2, -2], [-2]]}


def test_a_structure_that_is_not_given_is_all_zeros(process):
    args = {"ptr": allocated(process, 1), "size": PAGE, "location": None}
    assert made(process, "halMemManagedAdvise", advise=2, **args).code == 8
    assert made(process, "halMemManagedAdvise", advise=0, **args).code == 0


def test_places_that_are_null_or_left_alone_can_be_told(process):
    address = allocated(process, 1)
    left = poison(32) - (1 << 32)
    missing = attributes(process, address, [1, 1], [4, 4], data=[True, False])
    assert (missing.code, missing.out) == (3, {"data": [[left], None]})
    nothing = attributes(process, address, [1], [4], data=None)
    assert (nothing.code, nothing.out) == (3, {"data": None})
    odd = attributes(process, address, [3], [7])
    assert (odd.code, odd.out) == (3, {"data": [[left]]})


def test_a_place_that_is_too_long_is_refused(process):
    with pytest.raises(RequestRefused, match="longer than"):
        attributes(process, allocated(process, 1), [3], [PLACE_LIMIT + 4])


def test_a_batch_takes_arrays_of_numbers_and_of_structures(process):
    address = allocated(process, 3)
    done(process, "host.store", address=address, size=3 * PAGE, pattern=5, offset=0)
    done(
        process,
        "halMemManagedPrefetchBatch",
        ptrs=[address, address + PAGE, address + 2 * PAGE],
        sizes=[PAGE] * 3,
        count=3,
        prefetchLocs=[{"type": 1, "id": 1}, {"type": 1, "id": 0}],
        prefetchLocIdxs=[0, 2],
        numPrefetchLocs=2,
        flags=0,
    )
    for page, device in enumerate((1, 1, 0)):
        reply = attributes(process, address + page * PAGE, [6], [4])
        assert reply.out == {"data": [[device]]}
    loaded = done(process, "host.load", address=address, size=3 * PAGE)
    assert loaded["data"] == pattern_bytes(5, 0, 3 * PAGE)


def test_a_device_loads_what_the_host_stored_and_the_other_way_round(hal, process):
    assert all(hal.offers(each) for each in DEVICE_INTERFACES)
    address = allocated(process, 4)
    there = {"address": address + 100, "size": 3 * PAGE}
    done(process, "host.store", pattern=1, offset=0, **there)
    assert done(process, "device.load", device=DEVICE, **there) == {
        "data": pattern_bytes(1, 0, 3 * PAGE)
    }
    done(process, "device.store", device=0, pattern=2, offset=7, **there)
    assert done(process, "host.load", **there) == {"data": pattern_bytes(2, 7, 3 * PAGE)}


def test_a_long_load_of_a_device_comes_in_one_piece(process):
    size = LOAD_LIMIT + 4096
    address = allocated(process, size // PAGE + 1)
    there = {"address": address, "size": size, "device": 0}
    done(process, "device.store", pattern=3, offset=0, **there)
    loaded = process.call(Request("device.load", there))
    assert loaded.out["data"] == pattern_bytes(3, 0, size)


def test_an_access_that_a_device_cannot_make_has_a_code(process):
    address = allocated(process, 1)
    done(process, "halMemFree", pp=address)
    there = {"address": address, "size": 8, "device": 0}
    refused = made(process, "device.load", **there)
    assert refused.code == 8
    assert refused.out == {"data": bytes([0xA5]) * 8}
    assert made(process, "device.store", pattern=0, offset=0, **there).code == 8


def test_a_library_without_an_agent_does_not_offer_one(session):
    assert not any(session.offers(each) for each in DEVICE_INTERFACES)
