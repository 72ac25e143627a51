"""A refused call may have entered processes in a white list: both is allowed until it is seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from halcert.model.concrete import Oracle, World
from halcert.model.concrete.world import FIRST_PID
from halcert.spec.catalogue import interfaces
from halcert.spec.profiles import PROFILES
from halcert.spec.svm.flags import DEV, AllocFlags

OWNER, FIRST, LAST, STRANGER = range(4)
NAME, NUMBER, BLOCK, HANDLE = "41" * 64, 7, 0x12C000000000, 0x7F0000001000
GIB, MIB = 2**30, 2**20
NO_MEMORY, PARA_ERROR, IOCRL_FAIL, NOT_PERMITTED = 6, 8, 17, 46
INTERFACES = interfaces()
FLAG = AllocFlags.compose(virt=DEV, devid=0)


@dataclass
class Play:
    """Calls of processes and what they answer, judged one after the other."""

    oracle: Oracle
    world: World
    broken: str | None = None

    def __call__(self, name: str, by: int, code: int = 0, out: Any = None, /, **args: Any) -> Play:
        interface = INTERFACES[name]
        call, result = interface.parse(args), interface.parse_result(code, out or {})
        assert self.oracle.undefined(name, call, self.world, by) is None
        judged = self.oracle.judge(self.world, call, result, process=by)
        broken = judged.violation.rule if judged.violation else None
        return Play(self.oracle, judged.world, broken)

    def opens(self, by: int, code: int = 0) -> Play:
        place = BLOCK + (by + 1) * GIB if code == 0 else 0xA5A5A5A5A5A5A5A5
        args = {"dev_id": 0, "name": NAME, "vptr": True}
        return self("halShmemOpenHandleByDevId", by, code, {"vptr": place}, **args)

    def closes(self, by: int) -> Play:
        return self("halShmemCloseHandle", by, vptr=BLOCK + (by + 1) * GIB)

    def opens_to_all(self, code: int = 0) -> Play:
        return self("halShmemSetAttribute", OWNER, code, name=NAME, type=1, attr=1)

    def lets_in(self, *processes: int, code: int = 0) -> Play:
        pids = [FIRST_PID + each for each in processes]
        return self("halShmemSetPidHandle", OWNER, code, name=NAME, pid=pids, num=len(pids))

    def lets_import(self, *processes: int, code: int = 0) -> Play:
        args = {"pid": [FIRST_PID + each for each in processes], "pid_num": len(processes)}
        name = "halMemSetPidToShareableHandle"
        return self(name, OWNER, code, shareable_handle=NUMBER, **args)

    def imports(self, by: int, code: int = 0) -> Play:
        handle = HANDLE if code == 0 else 0xA5A5A5A5A5A5A5A5
        args = {"shareable_handle": NUMBER, "devid": 0, "handle": True}
        return self("halMemImportFromShareableHandle", by, code, {"handle": handle}, **args)


def begun() -> Play:
    """Return the play in which all processes work with a device."""
    oracle = Oracle(INTERFACES.values(), PROFILES["ascend910b"])
    play = Play(oracle, World.start((0, 1), range(FIRST_PID, FIRST_PID + 4)))
    for process in range(4):
        play = play("halMemAgentOpen", process, devid=0, flag=0)
    return play


@pytest.fixture(name="named")
def _named() -> Play:
    play = begun()
    play = play("halMemAlloc", OWNER, 0, {"pp": BLOCK}, pp=True, size=2 * MIB, flag=FLAG)
    args = {"vptr": BLOCK, "byte_count": 4096, "name": True, "name_len": 65}
    play = play("halShmemCreateHandle", OWNER, 0, {"name": NAME}, **args)
    assert play.broken is None
    return play


@pytest.fixture(name="exported")
def _exported() -> Play:
    args = {"handle": True, "size": 2 * MIB, "flag": 0}
    prop = {"side": 1, "devid": 0, "module_id": 0, "pg_type": 1, "mem_type": 0, "reserve": 0}
    play = begun()("halMemCreate", OWNER, 0, {"handle": HANDLE}, **args, prop=prop)
    assert play.broken is None
    args = {"handle": HANDLE, "handle_type": 0, "flags": 0, "shareable_handle": True}
    out = {"shareable_handle": NUMBER}
    play = play("halMemExportToShareableHandle", OWNER, 0, out, **args)
    assert play.broken is None
    return play


def test_who_came_before_the_refused_one_may_open_or_not(named):
    doubted = named.lets_in(FIRST, LAST, code=NO_MEMORY)
    assert doubted.broken is None
    assert doubted.opens(FIRST).broken is None
    assert doubted.opens(FIRST, PARA_ERROR).broken is None


def test_the_refused_one_and_strangers_are_not_let_in(named):
    doubted = named.lets_in(FIRST, LAST, code=NO_MEMORY)
    for process in (LAST, STRANGER):
        assert doubted.opens(process).broken == "SHARING-OPEN-006"
        assert doubted.opens(process, PARA_ERROR).broken is None


def test_a_list_that_may_have_been_used_may_be_kept_or_given_up(named):
    doubted = named.lets_in(FIRST, LAST, code=NO_MEMORY)
    assert doubted.opens_to_all(NOT_PERMITTED).broken is None
    without = doubted.opens_to_all()
    assert without.broken is None
    assert without.opens(STRANGER).broken is None


def test_a_call_that_names_one_process_enters_nobody_when_it_is_refused(named):
    assert named.lets_in(FIRST, code=NO_MEMORY).opens_to_all(NOT_PERMITTED).broken is not None


def test_who_was_let_in_before_stays_so(named):
    doubted = named.lets_in(FIRST).lets_in(FIRST, LAST, code=NO_MEMORY)
    assert doubted.opens(FIRST, PARA_ERROR).broken == "SHARING-OPEN-020"
    assert doubted.opens_to_all().broken == "SHARING-SETATTR-008"


def test_who_was_seen_to_be_let_in_stays_so(named):
    seen = named.lets_in(FIRST, LAST, code=NO_MEMORY).opens(FIRST).closes(FIRST)
    assert seen.broken is None
    assert seen.opens(FIRST, PARA_ERROR).broken == "SHARING-OPEN-020"
    assert seen.opens_to_all().broken == "SHARING-SETATTR-008"


def test_physical_memory_follows_the_same_rules(exported):
    doubted = exported.lets_import(FIRST, LAST, code=NO_MEMORY)
    assert doubted.broken is None
    assert doubted.imports(FIRST).broken is None
    assert doubted.imports(FIRST, IOCRL_FAIL).broken is None
    assert doubted.imports(LAST).broken == "SHARING-IMPORT-004"
    args = {"handle": NUMBER, "type": 0, "attr": {"enableFlag": 1}}
    name = "halMemShareHandleSetAttribute"
    assert doubted(name, OWNER, NOT_PERMITTED, **args).broken is None
    assert doubted(name, OWNER, **args).broken is None
