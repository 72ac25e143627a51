"""The adapter of the runtime: every way of passing, once with the bundled runtime."""

from __future__ import annotations

import shutil

import pytest

from halcert.adapters.acl import AclAdapter
from halcert.adapters.errors import FaultUnknown, LibraryNotFound
from halcert.adapters.protocol import Answered, Options, Request
from halcert.spec.abi.acl.codes import AclError
from halcert.spec.abi.acl.functions import ACL_FUNCTIONS
from halcert.spec.abi.structs import SCALARS

MIB = 1 << 20
pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@pytest.fixture
def actor():
    with AclAdapter().open("ascend910b") as session:
        yield session.spawn()


def answer(actor, interface, **args):
    reply = actor.call(Request(interface, args))
    assert isinstance(reply, Answered), reply
    return reply


def done(actor, interface, **args):
    reply = answer(actor, interface, **args)
    assert reply.code == AclError.SUCCESS, (interface, reply)
    return reply.out


def test_describes_the_bundled_runtime():
    found = AclAdapter().describe()
    assert found.adapter == "acl"
    assert found.implementation == "software runtime"
    assert found.version.startswith("Ascend")
    assert found.devices == 2
    assert found.missing == ()


def test_a_library_that_is_not_there(tmp_path):
    with pytest.raises(LibraryNotFound):
        AclAdapter().open("", Options(library=str(tmp_path / "libascendcl.so")))


def test_seeded_faults_are_listed_and_can_be_chosen():
    adapter = AclAdapter()
    assert len(adapter.faults()) >= 25
    with adapter.open("ascend910b", Options(fault="finalize_forgotten")) as session:
        actor = session.spawn()
        assert [answer(actor, "aclFinalize").code for _ in range(2)] == [0, 0]
    with pytest.raises(FaultUnknown, match="no seeded fault 'none-such'"):
        adapter.open("ascend910b", Options(fault="none-such"))


def test_every_function_can_be_called_with_nothing(actor):
    """NULL and 0 for everything: the runtime must refuse, not crash, and the call must fit in C."""
    done(actor, "aclrtSetDevice", deviceId=0)
    for function in ACL_FUNCTIONS.values():
        args = {}
        for parameter in function.parameters:
            number = parameter.passing.value == "value"
            place = parameter.passing.value in {"out", "out record", "place for a name"}
            blob = parameter.passing.value == "place for opaque bytes"
            args[parameter.name] = 0 if number else False if place or blob else None
        reply = answer(actor, function.symbol, **args)
        assert reply.code == 0 or reply.code >= 100000, (function.symbol, reply)
    assert set(SCALARS)  # the forms above cover what the declaration uses


def test_memory_and_streams(actor):
    done(actor, "aclInit", configPath=None)
    assert answer(actor, "aclInit", configPath="").code == AclError.REPEAT_INITIALIZE
    done(actor, "aclrtSetDevice", deviceId=1)
    memory = done(actor, "aclrtMalloc", devPtr=True, size=MIB, policy=0)["devPtr"]
    host = done(actor, "aclrtMallocHost", hostPtr=True, size=MIB)["hostPtr"]
    stream = done(actor, "aclrtCreateStream", stream=True)["stream"]
    done(actor, "aclrtMemsetAsync", devPtr=memory, maxCount=MIB, value=7, count=MIB, stream=stream)
    copy = {"dst": host, "destMax": MIB, "src": memory, "count": MIB, "kind": 2}
    done(actor, "aclrtMemcpyAsync", **copy, stream=stream)
    done(actor, "aclrtSynchronizeStream", stream=stream)
    found = done(actor, "aclrtPointerGetAttributes", ptr=memory, attributes=True)["attributes"]
    assert (found["type"], found["id"]) == (1, 1)
    done(actor, "aclrtDestroyStream", stream=stream)
    done(actor, "aclrtFree", devPtr=memory)
    assert answer(actor, "aclrtSynchronizeStream", stream=stream).code == AclError.RT_INVALID_HANDLE


def test_pools_records_by_pointer_and_numbers_in_place(actor):
    done(actor, "aclrtSetDevice", deviceId=0)
    props = {"type": 1, "maxSize": 8 * MIB}
    pool = done(actor, "aclrtMemPoolCreate", memPool=True, poolProps=props)["memPool"]
    stream = done(actor, "aclrtCreateStream", stream=True)["stream"]
    args = {"ptr": True, "size": 1, "memPool": pool, "stream": stream}
    block = done(actor, "aclrtMemPoolMallocAsync", **args)["ptr"]
    done(actor, "aclrtSynchronizeStream", stream=stream)
    used = done(actor, "aclrtMemPoolGetAttr", memPool=pool, attr=7, value=True)["value"]
    assert used == 2 * MIB
    done(actor, "aclrtMemPoolSetAttr", memPool=pool, attr=4, value=[4 * MIB])
    done(actor, "aclrtMemPoolFreeAsync", ptr=block, stream=stream)
    done(actor, "aclrtSynchronizeStream", stream=stream)
    done(actor, "aclrtMemPoolDestroy", memPool=pool)


def test_records_by_value_and_places(actor):
    done(actor, "aclrtSetDevice", deviceId=0)
    memory = done(actor, "aclrtMemAllocManaged", ptr=True, size=MIB, flag=1)["ptr"]
    advice = {"ptr": memory, "size": 2 * MIB, "advise": 0, "location": {"type": 1, "id": 0}}
    done(actor, "aclrtMemManagedAdvise", **advice)
    out = done(
        actor,
        "aclrtMemManagedGetAttrs",
        attributes=[1, 6],
        numAttributes=2,
        ptr=memory,
        size=2 * MIB,
        data=[True, True],
        dataSizes=[4, 4],
    )
    assert out["data"][0] == [1]
    done(actor, "aclrtFree", devPtr=memory)


def test_names(actor):
    done(actor, "aclrtSetDevice", deviceId=0)
    memory = done(actor, "aclrtMalloc", devPtr=True, size=2 * MIB, policy=1)["devPtr"]
    args = {"devPtr": memory, "size": 2 * MIB, "key": True, "len": 65, "flags": 1}
    key = done(actor, "aclrtIpcMemGetExportKey", **args)["key"]
    assert bytes.fromhex(key)
    done(actor, "aclrtIpcMemClose", key=key)
