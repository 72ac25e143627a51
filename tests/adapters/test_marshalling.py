from __future__ import annotations

import ctypes
import itertools
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from halcert.adapters.calls import Memory
from halcert.adapters.errors import RequestRefused
from halcert.adapters.memory import PAGE, Guarded
from halcert.adapters.process import Process
from halcert.adapters.protocol import Answered, Request, reference
from halcert.adapters.records import RecordReader, RecordWriter, Refused
from halcert.adapters.slots import InRecordsSlot
from halcert.spec.abi.structs import LAYOUTS, SCALARS, bounds_of
from halcert.spec.language.interface import poison

U32 = poison(32)
U64 = poison(64)
FLAT = [each for each in LAYOUTS.values() if all(m.kind in SCALARS for m in each.members)]
SAME_ACTOR = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def answer(actor: Process, interface: str, args: dict[str, Any], number: int = 0) -> Answered:
    reply = actor.call(Request(interface, args, number))
    assert isinstance(reply, Answered), reply
    return reply


def _numbers(kind: str) -> st.SearchStrategy[int]:
    return st.integers(*bounds_of(kind))


@st.composite
def _records(draw: st.DrawFn) -> tuple[Any, dict[str, Any]]:
    layout = draw(st.sampled_from([each for each in FLAT if each.name != "DMA_ADDR"]))
    return layout, {
        m.name: draw(_numbers(m.kind))
        if m.count == 1
        else draw(st.lists(_numbers(m.kind), min_size=m.count, max_size=m.count))
        for m in layout.members
    }


@given(_records())
def test_a_record_written_to_memory_is_read_back_the_same(record):
    layout, value = record
    view = memoryview(bytearray(layout.size))
    RecordWriter(layout, lambda each: each).write(view, value)
    assert RecordReader(layout).read(view) == value


@given(st.integers(0, 2**64 - 1))
@SAME_ACTOR
def test_numbers_go_in_and_come_out_unchanged(actor, number):
    reply = answer(actor, "halMemGetAddressRange", {"ptr": number, "pbase": True, "psize": True})
    assert reply.out == {"pbase": number, "psize": number ^ (2**64 - 1)}


@given(st.integers(-(2**20), 2**20), st.integers(0, 2**20))
@SAME_ACTOR
def test_signed_numbers_and_codes_keep_their_sign(actor, descriptor, devid):
    reply = answer(actor, "drvMemDeviceOpen", {"devid": devid, "devfd": descriptor})
    assert reply.code == devid + descriptor


@given(
    st.fixed_dictionaries(
        {
            name: st.integers(0, 2**64 - 1)
            for name in ("dst", "dpitch", "src", "spitch", "width", "height", "fixed_size")
        }
        | {"type": st.integers(0, 2**32 - 1), "direction": st.integers(0, 2**32 - 1)}
    )
)
@SAME_ACTOR
def test_a_matrix_copy_survives_the_way_to_c_and_back(actor, record):
    reply = answer(actor, "halMemcpy2D", {"p_copy": record})
    unnamed = {"resv": 0, "resv1": 0, "resv2": 0, "dma": None}
    assert reply.out == {"p_copy": record | unnamed}


@given(st.lists(st.tuples(*[st.integers(0, 2**64 - 1)] * 3), max_size=600))
@SAME_ACTOR
def test_arrays_reach_c_whole(actor, rows):
    columns = {
        name: [row[index] for row in rows] for index, name in enumerate(("dst", "src", "size"))
    }
    reply = answer(actor, "halMemcpyBatch", columns | {"count": len(rows)})
    assert reply.code == sum(d + 3 * s + 5 * z for d, s, z in rows) & 0x7FFFFFFF


ACCESS = LAYOUTS["drv_mem_access_desc"]
WORD = st.integers(0, 2**32 - 1)
DESCS = st.lists(
    st.fixed_dictionaries(
        {}, optional={"type": WORD, "id": WORD, "side": WORD, "rsv": st.lists(WORD, max_size=2)}
    ),
    max_size=80,
)


def _words(desc: dict[str, Any]) -> list[int]:
    reserved = [*desc.get("rsv", []), 0, 0][:2]
    return [*(desc.get(name, 0) for name in ("type", "id", "side")), *reserved]


def _access_code(args: dict[str, Any]) -> int:
    total = args["ptr"] + args["size"]
    for word in itertools.chain.from_iterable(map(_words, args["desc"])):
        total = 31 * total + word
    return total & 0x7FFFFFFF


def _access(ptr: int, size: int, descs: list[dict[str, Any]] | None) -> dict[str, Any]:
    return {"ptr": ptr, "size": size, "desc": descs, "count": len(descs or [])}


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), DESCS)
@SAME_ACTOR
def test_arrays_of_records_reach_c_whole_and_in_order(actor, ptr, size, descs):
    args = _access(ptr, size, descs)
    assert answer(actor, "halMemSetAccess", args).code == _access_code(args)


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), DESCS), min_size=1, max_size=6))
@SAME_ACTOR
def test_threads_pass_arrays_of_records_of_their_own(actor, calls):
    programs = [[Request("halMemSetAccess", _access(ptr, 1, descs))] * 3 for ptr, descs in calls]
    for program, replies in zip(programs, actor.threads(programs), strict=True):
        assert [reply.code for reply in replies] == [_access_code(program[0].args)] * 3


@given(st.lists(DESCS, min_size=1, max_size=5))
def test_an_array_of_records_lies_in_memory_as_c_lays_it_out(arrays):
    slot = InRecordsSlot(ACCESS.name, lambda each: each)
    reader = RecordReader(ACCESS)
    for descs in arrays:
        address = slot.load(descs, {})
        for index, desc in enumerate(descs):
            raw = ctypes.string_at(address + index * ACCESS.size, ACCESS.size)
            found = reader.read(memoryview(raw))
            assert _words(found) == _words(desc)
        assert (address + len(descs) * ACCESS.size) % PAGE == 0


def test_an_array_of_records_may_be_null_or_empty_and_leaves_nothing_behind(actor):
    full = [{"type": 7, "id": 7, "side": 7, "rsv": [7, 7]}]
    assert answer(actor, "halMemSetAccess", _access(1, 2, None)).code == -1
    assert answer(actor, "halMemSetAccess", _access(1, 2, full * 9)).code >= 0
    for descs in ([], [{}], [{}, {"side": 1}]):
        args = _access(1, 2, descs)
        assert answer(actor, "halMemSetAccess", args).code == _access_code(args)


def test_members_of_an_array_of_records_may_refer_to_earlier_outputs(actor, do):
    actor.batch([do("ECHO", 40, number=7)])
    named = _access(1, 2, [{"type": 3}, {"type": 3, "id": reference(7, "pp", plus=2)}])
    plain = _access(1, 2, [{"type": 3}, {"type": 3, "id": 42}])
    assert answer(actor, "halMemSetAccess", named).code == _access_code(plain)


@given(
    st.fixed_dictionaries(
        {
            name: st.integers(0, 2**32 - 1)
            for name in ("side", "devid", "module_id", "pg_type", "mem_type")
        }
        | {"reserve": st.integers(0, 2**64 - 1)}
    ),
    st.integers(1, 2**64 - 1),
)
@SAME_ACTOR
def test_properties_come_back_as_they_were_given(actor, prop, size):
    made = answer(actor, "halMemCreate", {"handle": True, "size": size, "prop": prop, "flag": 0})
    assert made.out == {"handle": size}
    args = {"prop": True, "handle": made.out["handle"]}
    assert answer(actor, "halMemGetAllocationPropertiesFromHandle", args).out == {"prop": prop}


def test_null_arrays_and_records_are_null_in_c(actor):
    arrays = {"dst": None, "src": [1], "size": [1], "count": 1}
    assert answer(actor, "halMemcpyBatch", arrays).code == 8
    assert answer(actor, "halMemcpy2D", {"p_copy": None}).code == 1
    assert answer(actor, "halMemcpy2D", {"p_copy": None}).out == {"p_copy": None}


def test_what_an_input_record_does_not_name_is_zero(actor):
    args = {"dst": 0, "dst_size": 0, "src": 0, "count": 0}
    assert answer(actor, "halMemcpy", args | {"info": None}).code == -1
    assert answer(actor, "halMemcpy", args | {"info": {"dir": 2, "reserve": 3}}).code == 302
    assert answer(actor, "halMemcpy", args | {"info": {"devid": 1, "reserve": [0, 1]}}).code == 1010


def test_outputs_that_the_call_leaves_alone_hold_poison(actor):
    reply = actor.call(Request("halMemAlloc", {"pp": True, "size": 99, "flag": 0}))
    assert (reply.code, reply.out) == (6, {"pp": U64})
    attribute = answer(actor, "drvMemGetAttribute", {"vptr": 5 << 32 | 7, "attr": True}).out["attr"]
    assert (attribute["memType"], attribute["pageSize"]) == (7, 5)
    assert attribute["devId"] == U32
    assert attribute["resv"] == [U32] * 8


def test_an_output_without_a_place_is_null(actor):
    args = {"ptr": 3, "pbase": False, "psize": True}
    assert answer(actor, "halMemGetAddressRange", args).out == {"pbase": None, "psize": 2**64 - 4}
    assert answer(actor, "drvMemGetAttribute", {"vptr": 1, "attr": False}).out == {"attr": None}


def test_a_truth_value_is_an_output(actor):
    assert answer(actor, "halSupportFeature", {"devId": 4, "type": 4}).out == {"answer": 1}
    assert answer(actor, "halSupportFeature", {"devId": 4, "type": 5}).out == {"answer": 0}


def test_info_is_read_as_its_type_says(actor):
    sizes = answer(actor, "halMemGetInfo", {"device": 0, "type": 1, "info": True}).out["info"]
    assert sizes == dict.fromkeys(
        ("total", "free", "huge_total", "huge_free", "giant_total", "giant_free"), U64
    )
    nodes = answer(actor, "halMemGetInfo", {"device": 0, "type": 6, "info": True}).out["info"]
    assert (nodes["node_cnt"], nodes["node_id"][0]) == (2, -7)
    assert answer(actor, "halMemGetInfo", {"device": 0, "type": 1, "info": False}).code == 3


def test_the_address_check_passes_its_addresses(actor):
    info = {"addr": [1, 20, 300], "cnt": 3, "mem_type": 9}
    reply = answer(actor, "halMemGetInfo", {"device": 0, "type": 5, "info": info})
    assert reply.out == {"info": {"cnt": 3, "mem_type": 9, "flag": 321}}
    info = {"addr": None, "cnt": 3}
    reply = answer(actor, "halMemGetInfo", {"device": 0, "type": 5, "info": info})
    assert reply.out == {"info": {"cnt": 3, "mem_type": 0, "flag": 0}}


def _control(actor: Process, kind: int, value: Any, size: int | None = None) -> dict[str, Any]:
    args = {
        "type": kind,
        "param_value": value,
        "param_value_size": size,
        "out_value": True,
        "out_size_ret": True,
    }
    return answer(actor, "halMemCtl", args).out


def test_control_takes_and_gives_what_its_type_says(actor):
    asked = {"support_feature": 5, "devid": 2}
    assert _control(actor, 2, asked) == {"out_value": asked, "out_size_ret": 16}
    assert _control(actor, 3, {"value": 9})["out_size_ret"] == 4
    assert _control(actor, 5, {"value": 9}, 4) == {"out_value": {"value": 9}, "out_size_ret": 4}
    assert _control(actor, 8, None) == {"out_value": {"value": U64}, "out_size_ret": 0}
    assert _control(actor, -1, b"\1" * 8)["out_value"] == {"value": 0x0101010101010101}


def test_control_repairs_several_ranges(actor):
    ranges = [{"ptr": 1, "len": 2}, {"ptr": 3, "len": 4}]
    args = {
        "type": 4,
        "param_value": {"devid": 1, "count": 2, "repairAddrs": ranges},
        "param_value_size": None,
        "out_value": False,
        "out_size_ret": True,
    }
    assert answer(actor, "halMemCtl", args).out == {"out_value": None, "out_size_ret": 328}


def test_a_descriptor_is_known_by_its_number(actor):
    convert = {"p_src": 1, "p_dst": 2, "len": 33, "dma_addr": {"devid": 6}}
    made = answer(actor, "drvMemConvertAddr", convert, 1).out["dma_addr"]
    assert (made["fixed_size"], made["virt_id"], made["devid"]) == (33, 6, 6)
    other = answer(actor, "drvMemConvertAddr", convert | {"dma_addr": True}).out["dma_addr"]
    assert other["dma"] != made["dma"]
    assert answer(actor, "drvMemDestroyAddr", {"ptr": made["dma"]}).code == 6
    assert answer(actor, "drvMemDestroyAddr", {"ptr": reference(1, "dma_addr.dma")}).code == 6
    assert answer(actor, "drvMemDestroyAddr", {"ptr": 0}).code == 3
    batch = {"ptr": [made["dma"], 0, {"dma": made["dma"], "virt_id": 90}], "num": 3}
    assert answer(actor, "halMemDestroyAddrBatch", batch).code == 6 + 1000 + 90


def test_a_changed_descriptor_is_changed_for_one_call_only(actor):
    convert = {"p_src": 1, "p_dst": 2, "len": 3, "dma_addr": {"devid": 6}}
    dma = answer(actor, "drvMemConvertAddr", convert).out["dma_addr"]["dma"]
    assert answer(actor, "drvMemDestroyAddr", {"ptr": {"dma": dma, "virt_id": 99}}).code == 99
    assert answer(actor, "drvMemDestroyAddr", {"ptr": dma}).code == 6


def test_a_matrix_copy_may_hold_a_descriptor(actor):
    made = answer(actor, "halMemcpy2D", {"p_copy": {"type": 1, "dma": {"devid": 3}}}).out["p_copy"]
    assert made["dma"]["devid"] == 3
    again = {"type": 2, "dma": made["dma"]["dma"]}
    assert answer(actor, "halMemcpy2D", {"p_copy": again}).out["p_copy"]["dma"] == made["dma"]


def test_references_reach_into_earlier_outputs(actor, do):
    replies = actor.batch(
        [
            do("ECHO", 40, number=7),
            Request("halMemFree", {"pp": reference(7, "pp", plus=2)}),
            Request("drvMemGetAttribute", {"vptr": 9, "attr": True}, 8),
            Request("halMemFree", {"pp": reference(8, "attr.memType")}),
        ]
    )
    assert [reply.code for reply in replies] == [0, 42, 0, 9]
    assert answer(actor, "halMemFree", {"pp": reference(7, "pp")}).code == 40


def test_a_reference_to_a_name_may_alter_a_byte_that_there_is():
    memory = Memory(ctypes.CDLL(None))
    memory.remember(7, {"name": b"a0b".hex()})
    name = reference(7, "name")
    assert memory.resolve(name) == b"a0b".hex()
    assert memory.resolve({**name, "altered": 1}) == b"a1b".hex()
    with pytest.raises(Refused, match="call 7, 'name': there is no byte 3"):
        memory.resolve({**name, "altered": 3})


@pytest.mark.parametrize(
    "interface, args, why",
    [
        ("halMemFree", {"pp": -1}, "is no u64"),
        ("halMemFree", {"pp": 2**64}, "is no u64"),
        ("halMemFree", {"pp": True}, "is no u64"),
        ("halMemFree", {"pp": None}, "is no u64"),
        ("halMemFree", {"pp": reference(99, "pp")}, "no outputs of call 99"),
        ("halMemFree", {}, "takes pp"),
        ("halMemFree", {"ptr": 1}, "argument 'pp' is missing"),
        ("halMemAlloc", {"pp": 1, "size": 1, "flag": 1}, "neither true nor false"),
        ("halMemcpy2D", {"p_copy": {"wdith": 1}}, "no member 'wdith'"),
        ("halMemcpy2D", {"p_copy": [1]}, "no mapping"),
        ("halMemSetAccess", {"ptr": 1, "size": 1, "desc": {"id": 1}, "count": 1}, "is no list"),
        ("halMemSetAccess", {"ptr": 1, "size": 1, "desc": [1], "count": 1}, "no mapping"),
        ("halMemSetAccess", {"ptr": 1, "size": 1, "desc": [{"i": 1}], "count": 1}, "no member 'i'"),
        ("halMemSetAccess", {"ptr": 1, "size": 1, "desc": [{"id": -1}], "count": 1}, "is no u32"),
        ("drvMemDestroyAddr", {"ptr": True}, "names no earlier descriptor"),
        ("halMemNonsense", {}, "no interface"),
        ("host.unmap", {"address": 4096}, "gave no address"),
        ("host.map", {"length": 4096}, "length"),
    ],
)
def test_arguments_of_another_form_are_refused_and_the_process_lives(actor, interface, args, why):
    with pytest.raises(RequestRefused, match=why):
        actor.call(Request(interface, args))
    assert actor.alive
    assert answer(actor, "halMemFree", {"pp": 5}).code == 5


@pytest.mark.parametrize("size", [0, 1, PAGE - 64, PAGE - 63, PAGE, PAGE + 1, 3 * PAGE])
def test_a_buffer_is_as_long_as_it_is_told_to_be(size):
    buffer = Guarded(8)
    for length in (size, 8, size):
        buffer.fit(length)
        buffer.view[:] = bytes(length)
        assert (buffer.address + length) % PAGE == 0
        assert buffer.intact()
