"""A process that the driver does not know yet may be told so, whatever else is wrong."""

import pytest

from halcert.model.concrete import Oracle, World
from halcert.spec.catalogue import interfaces
from halcert.spec.language import Kind, poison
from halcert.spec.profiles import ASCEND910B, ASCEND950
from halcert.spec.svm.flags import HOST, AllocFlags

INTERFACES = interfaces()
GENERATIONS = {"ascend910b": ASCEND910B, "ascend950": ASCEND950}
NOBODYS = 0x12C000000000
NAME = "30" * 64
PLACE = {"id": 0, "side": 1}
LEFT32 = poison(32)
LEFT64 = poison(64)

FIRST_CALLS = {
    "halMemCpyAsync": {"dest_max": 8, "byte_count": 8, "copy_fd": True},
    "drvMemConvertAddr": {"len": 8, "dma_addr": {"devid": 0}},
    "halMemManagedAdvise": {
        "ptr": 0x90000000000,
        "size": 2**21,
        "advise": 0,
        "location": {"type": 1, "id": 0},
    },
    "halMemSetAccess": {
        "ptr": NOBODYS,
        "size": 2**21,
        "desc": [{"type": 3, "id": 0, "side": 1}],
        "count": 1,
    },
    "halMemGetAccess": {"ptr": NOBODYS, "location": PLACE, "flags": True},
    "halShmemCreateHandle": {"vptr": NOBODYS, "byte_count": 1, "name": True, "name_len": 65},
    "halShmemDestroyHandle": {"name": NAME},
    "halShmemSetPidHandle": {"name": NAME, "pid": [1], "num": 1},
    "halShmemSetAttribute": {"name": NAME, "type": 1, "attr": 1},
    "halShmemGetAttribute": {"name": NAME, "type": 1, "attr": True},
    "halShmemInfoGet": {"name": NAME, "info": True},
    "halShmemOpenHandle": {"name": NAME, "vptr": True},
    "halShmemOpenHandleByDevId": {"dev_id": 0, "name": NAME, "vptr": True},
    "halShmemCloseHandle": {"vptr": NOBODYS},
    "halMemImportFromShareableHandle": {"shareable_handle": 5, "devid": 0, "handle": True},
    "halMemSetPidToShareableHandle": {"shareable_handle": 5, "pid": [1], "pid_num": 1},
    "halMemShareHandleSetAttribute": {"handle": 5, "type": 0, "attr": {"enableFlag": 1}},
    "halMemShareHandleGetAttribute": {"handle": 5, "type": 0, "attr": True},
    "halMemShareHandleInfoGet": {"handle": 5, "info": True},
    "halHostRegister": {"size": 4096, "flag": 2, "devid": 0, "dst_ptr": True},
    "halHostRegisterCapabilities": {"devid": 0, "acc_module_type": 0, "mem_map_cap": True},
}
"""Calls that some product makes for known processes alone; one that is none has no address."""
ENDS = {
    "halMemCpyAsync": ("dst", "src"),
    "drvMemConvertAddr": ("p_dst", "p_src"),
    "halHostRegister": ("src_ptr",),
}
OUTPUTS = {
    "halMemCpyAsync": {"copy_fd": LEFT64},
    "halMemGetAccess": {"flags": LEFT64},
    "halShmemGetAttribute": {"attr": LEFT64},
    "halShmemOpenHandle": {"vptr": LEFT64},
    "halShmemOpenHandleByDevId": {"vptr": LEFT64},
    "halMemImportFromShareableHandle": {"handle": LEFT64},
    "halHostRegister": {"dst_ptr": LEFT64},
    "halHostRegisterCapabilities": {"mem_map_cap": LEFT32},
    "halShmemCreateHandle": {"name": "a5" * 65},
    "halShmemInfoGet": {"info": {"phyDevid": LEFT32}},
    "halMemShareHandleGetAttribute": {"attr": {"enableFlag": LEFT32}},
    "halMemShareHandleInfoGet": {"info": {"phyDevid": LEFT32}},
    "drvMemConvertAddr": {"dma_addr": None},
}
CASES = [
    (name, product)
    for name in FIRST_CALLS
    for product in GENERATIONS
    if any(
        each.instead and each.applies_to(product)
        for each in INTERFACES[name].rules
        if each.kind is Kind.MAY_REJECT
    )
]


class Desk:
    """Somebody who asks the oracle about first calls."""

    def __init__(self, name, product):
        self.name = name
        self.oracle = Oracle(INTERFACES.values(), GENERATIONS[product])
        self.code = 17 if product == "ascend910b" else 11
        self.world = World.start([0])
        self.world = self.after("host.map", {"size": 8192}, {"address": 2**20})

    def after(self, name, args, out=None):
        shape = INTERFACES[name]
        judged = self.oracle.judge(self.world, shape.parse(args), shape.parse_result(0, out or {}))
        assert judged.violation is None
        return judged.world

    def violation(self, world):
        shape = INTERFACES[self.name]
        args = FIRST_CALLS[self.name] | dict.fromkeys(ENDS.get(self.name, ()), 2**20)
        result = shape.parse_result(self.code, OUTPUTS.get(self.name, {}))
        return self.oracle.judge(world, shape.parse(args), result).violation


@pytest.mark.parametrize("name, product", CASES)
def test_the_first_call_of_a_process_may_be_answered_with_a_code_of_its_own(name, product):
    desk = Desk(name, product)
    assert desk.violation(desk.world) is None


@pytest.mark.parametrize("name", ["halMemCpyAsync", "halShmemCloseHandle", "halMemSetAccess"])
def test_a_process_that_opened_a_device_is_known(name):
    desk = Desk(name, "ascend910b")
    assert desk.violation(desk.after("halMemAgentOpen", {"devid": 0, "flag": 0})) is not None


def test_a_process_that_holds_memory_is_known():
    desk = Desk("halMemCpyAsync", "ascend910b")
    args = {"pp": True, "size": 100, "flag": AllocFlags.compose(virt=HOST)}
    assert desk.violation(desk.after("halMemAlloc", args, {"pp": NOBODYS})) is not None
