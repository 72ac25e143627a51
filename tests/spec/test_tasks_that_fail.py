"""After a failure was told nobody knows what tasks have written; before, a success promises it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from halcert.model.concrete import Oracle, World
from halcert.spec.catalogue import interfaces
from halcert.spec.profiles import PROFILES

INTERFACES = interfaces()
MIB = 2**20
LARGE, SMALL = 256 * MIB, 64
DEVICE, HOST, GRANT, USER = 0x12C000000000, 0x7F0000000000, 0x12D000000000, 0x7E0000000000
FAILED, INTERNAL = 507018, 507899
ONE, OTHER, POOL, DONE = 0x1000, 0x2000, 0x3000, 0x4000


@dataclass
class Play:
    """Calls of a program and what they answer, judged one after the other."""

    oracle: Oracle
    world: World
    broken: str | None = None

    def __call__(self, name: str, code: int = 0, out: Any = None, /, **args: Any) -> Play:
        interface = INTERFACES[name]
        call, result = interface.parse(args), interface.parse_result(code, out or {})
        assert self.undefined(name, **args) is None
        judged = self.oracle.judge(self.world, call, result)
        broken = judged.violation.rule if judged.violation else None
        return Play(self.oracle, judged.world, broken)

    def undefined(self, name: str, **args: Any) -> str | None:
        found = self.oracle.undefined(name, INTERFACES[name].parse(args), self.world)
        return found.id if found else None

    def set_to(self, address: int, value: int) -> Play:
        return self("aclrtMemset", devPtr=address, maxCount=SMALL, value=value, count=SMALL)

    def copies(self, where: int, dst: int, src: int, code: int = 0) -> Play:
        args = {"dst": dst, "destMax": SMALL, "src": src, "count": SMALL, "kind": 4}
        return self("aclrtMemcpyAsync", code, stream=where, **args)

    def takes(self, where: int) -> Play:
        args = {"ptr": True, "size": 2 * MIB, "memPool": POOL, "stream": where}
        return self("aclrtMemPoolMallocAsync", 0, {"ptr": GRANT}, **args)

    def sync(self, where: int, code: int = 0) -> Play:
        return self("aclrtSynchronizeStream", code, stream=where)

    def shows(self, address: int, value: int) -> str | None:
        out = {"data": bytes([value]) * SMALL}
        return self("host.load", 0, out, address=address, size=SMALL).broken


@pytest.fixture(name="begun", params=["ascend910b", "ascend950"])
def _begun(request) -> Play:
    """Return the play in which a device has little memory left and a task was given a copy."""
    play = Play(Oracle(INTERFACES.values(), PROFILES[request.param]), World.start((0, 1)))
    play = play("aclrtSetDevice", deviceId=0)
    for where in (ONE, OTHER):
        play = play("aclrtCreateStream", 0, {"stream": where}, stream=True)
    props = {"allocType": 0, "handleType": 0, "id": 0, "type": 1, "maxSize": 4 * MIB}
    play = play("aclrtMemPoolCreate", 0, {"memPool": POOL}, memPool=True, poolProps=props)
    play = play("aclrtMalloc", 0, {"devPtr": DEVICE}, devPtr=True, size=LARGE, policy=0)
    play = play("aclrtMallocHost", 0, {"hostPtr": HOST}, hostPtr=True, size=4096)
    play = play("host.map", 0, {"address": USER}, size=4096)
    play = play.set_to(DEVICE, 1).set_to(HOST, 2)
    assert play.broken is None
    return play


@pytest.fixture(name="at_risk")
def _at_risk(begun) -> Play:
    return begun.takes(ONE).copies(ONE, HOST, DEVICE)


def test_after_a_failure_was_told_a_task_may_have_written_anything(at_risk):
    told = at_risk.sync(ONE, FAILED)
    assert told.broken is None
    assert [told.shows(HOST, value) for value in (1, 2, 3)] == [None] * 3


def test_the_device_tells_like_the_stream(at_risk):
    told = at_risk("aclrtSynchronizeDevice", FAILED)
    assert told.broken is None
    assert [told.shows(HOST, value) for value in (1, 2, 3)] == [None] * 3


def test_what_no_task_wrote_stays(at_risk):
    assert at_risk.sync(ONE, FAILED).set_to(HOST, 5).shows(HOST, 4) == "RUNTIME-MEMSET-011"


def test_a_success_promises_what_tasks_wrote(at_risk):
    done = at_risk.sync(ONE)
    assert done.broken is None
    assert done.shows(HOST, 1) is None
    assert done.shows(HOST, 2) is not None


def test_a_stream_that_cannot_have_failed_tells_of_no_failure(begun):
    safe = begun.copies(ONE, HOST, DEVICE)
    assert safe.sync(ONE, FAILED).broken == "RUNTIME-SYNC-010"


def test_a_failure_is_told_once(at_risk):
    assert at_risk.sync(ONE, FAILED).sync(ONE, FAILED).broken == "RUNTIME-SYNC-010"


def test_a_copy_of_ordinary_memory_tells_of_a_failure(at_risk):
    told = at_risk.copies(ONE, USER, DEVICE, FAILED)
    assert told.broken is None
    done = told.sync(ONE)
    assert [done.shows(HOST, value) for value in (1, 2, 3)] == [None] * 3


def test_only_the_stream_itself_tells_of_its_failure(at_risk):
    play = at_risk("aclrtCreateEvent", 0, {"event": DONE}, event=True)
    play = play("aclrtRecordEvent", event=DONE, stream=ONE)
    play = play("aclrtStreamWaitEvent", event=DONE, stream=OTHER)
    assert play.undefined("aclrtSynchronizeEvent", event=DONE) == "RUNTIME-SYNCEV-005"
    assert play.undefined("aclrtSynchronizeStream", stream=OTHER) == "RUNTIME-SYNC-005"
    done = play.sync(ONE)
    assert done.undefined("aclrtSynchronizeEvent", event=DONE) is None
    assert done.undefined("aclrtSynchronizeStream", stream=OTHER) is None
