"""Flows that repeat: what goes wrong only after many calls, or only for what was used before."""

from __future__ import annotations

from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all, fill_all
from halcert.conformance.scenarios.control import control
from halcert.conformance.scenarios.registry import gave, scenarios_of
from halcert.conformance.scenarios.svm import allocate, copy, free, open_all, query
from halcert.conformance.scenarios.transfer import descriptor_of, ends
from halcert.spec.abi.constants import CtrlType
from halcert.spec.profiles import MIB
from halcert.spec.svm.flags import DEV, DVPP, HOST, HOST_UVA

ALIVE = 12
"""Blocks that are alive at once where many come and go."""
CYCLES = 80
MODULE_OF = int(CtrlType.CTRL_TYPE_GET_ADDR_MODULE_ID)
MOST = 60
"""Blocks of a size that are allocated to fill a device."""
HBM = 1
"""Physical memory of which devices tell how much is free."""
LARGE = 600 * MIB
"""A block that implementations give address space of its own (bytes)."""


def opened_again_and_again(lab: Lab) -> None:
    """Open and close devices many times; memory can be had each time, and is back each time."""
    open_all(lab)
    audit(lab, *lab.setting.devices)
    for turn in range(CYCLES):
        device = lab.setting.devices[turn % len(lab.setting.devices)]
        lab.call("halMemAgentClose", devid=device, flag=0)
        lab.call("halMemAgentOpen", devid=device, flag=0)
        audit(lab, device)
        block = allocate(lab, 8192, DEV, device)
        if block is not None:
            lab.call("drvMemsetD8", dst=block, destMax=8192, value=turn + 1, num=8192)


def allocated_again_and_again(lab: Lab) -> None:
    """Allocate and free every kind many times over, with several sizes alive at once."""
    open_all(lab)
    audit(lab, *lab.setting.devices)
    alive: list[int] = []
    for turn in range(4 * CYCLES):
        kind = (DEV, HOST, DVPP, DEV, HOST_UVA)[turn % 5]
        size = (1, 4096, 70_000, 3 * MIB)[turn % 4]
        device = lab.setting.devices[turn % len(lab.setting.devices)]
        block = allocate(lab, size, kind, device, huge=int(kind == DEV and turn % 3 == 0))
        if block is not None:
            alive.append(block)
        if len(alive) > ALIVE:
            free(lab, alive.pop(turn % 7))
    fill_all(lab)
    check_all(lab)
    audit(lab, *lab.setting.devices)
    free(lab, *alive)
    audit(lab, *lab.setting.devices)


def tasks_again_and_again(lab: Lab) -> None:
    """Start and wait for copies, make and destroy descriptors, many times over."""
    open_all(lab)
    device = lab.setting.devices[-1]
    pair = ends(lab, 4096, device)
    if pair is None:
        return
    host, block = pair
    for turn in range(CYCLES):
        size = 1 + turn * 50
        started = lab.call(
            "halMemCpyAsync", dst=block, dest_max=size, src=host, byte_count=size, copy_fd=True
        )
        number = gave(started, "copy_fd")
        if number is not None:
            lab.call("halMemCpyAsyncWaitFinish", copy_fd=number)
        made = lab.call(
            "drvMemConvertAddr", p_src=host, p_dst=block, len=size, dma_addr={"devid": device}
        )
        descriptor = descriptor_of(made, "dma_addr")
        if descriptor:
            lab.call("halMemcpySumbit", dma_addr=descriptor, flag=turn % 2)
            if turn % 2:
                lab.call("halMemcpyWait", dma_addr=descriptor)
            lab.call("drvMemDestroyAddr", ptr=descriptor)
    check_all(lab)


def nothing_is_inherited(lab: Lab) -> None:
    """A block at an address that was used before has nothing of the block before it."""
    open_all(lab)
    audit(lab, *lab.setting.devices)
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    for size in (4096, 3 * MIB, 40 * MIB):
        for kind in (DEV, DVPP, HOST):
            for device, module in ((first, 7), (last, 33), (first, 48)):
                block = allocate(lab, size, kind, device, module=module)
                if block is None:
                    continue
                control(lab, MODULE_OF, {"value": block})
                query(lab, lab.view().blocks.at(block))
                lab.call("drvMemAddressTranslate", vptr=0, pptr=True)
                audit(lab, *lab.setting.devices)
                free(lab, block)
                for part, bits in (
                    (size // 3 + 1, {}),
                    (size, {"huge": 1}),
                    (size, {}),
                    (2 * size, {}),
                ):
                    other = allocate(lab, part, kind, device, module=module, **bits)
                    if other is not None:
                        query(lab, lab.view().blocks.at(other))
                        lab.call("drvMemsetD8", dst=other, destMax=part, value=module, num=part)
                        free(lab, other)


def host_memory_outlives_devices(lab: Lab) -> None:
    """Host memory of every kind and size keeps its bytes while devices come and go."""
    open_all(lab)
    blocks = [allocate(lab, size, kind) for kind in (HOST, HOST_UVA) for size in (5000, LARGE)]
    fill_all(lab)
    for device in lab.setting.devices:
        lab.call("halMemAgentClose", devid=device, flag=0)
        check_all(lab)
        for block in blocks:
            if block is not None:
                query(lab, lab.view().blocks.at(block))
    open_all(lab)
    check_all(lab)
    target = allocate(lab, 5000, DEV, lab.setting.devices[-1])
    if target is not None and blocks[0] is not None:
        copy(lab, target, blocks[0], 5000)
        check_all(lab)
    free(lab, *blocks)


def large_again_and_again(lab: Lab) -> None:
    """Allocate and free blocks that no cache keeps; what could be had once can be had again."""
    open_all(lab)
    device = lab.setting.devices[0]
    for kind, size, bits in (
        (HOST_UVA, LARGE, {}),
        (HOST, LARGE, {}),
        (DEV, LARGE, {}),
        (DEV, LARGE // 4, {"huge": 1}),
        (DVPP, LARGE // 8, {}),
    ):
        for _ in range(CYCLES // 2):
            free(lab, allocate(lab, size, kind, device, **bits))


def freed_memory_serves_other_sizes(lab: Lab) -> None:
    """What was freed in small blocks can be had in others, also when nothing else is left."""
    open_all(lab)
    for device in lab.setting.devices:
        first = _everything(lab, device)
        free(lab, *first)
        for size in (8 * MIB, 6 * MIB, 64 * 1024):
            small = [allocate(lab, size, DEV, device, huge=int(size > MIB)) for _ in range(6)]
            free(lab, *small)
        audit(lab, device)
        again = _everything(lab, device)
        free(lab, *again)
        audit(lab, device)


def pages_of_each_size_take_all_of_a_device(lab: Lab) -> None:
    """A device is filled with small pages and with huge ones; each time its memory adds up."""
    open_all(lab)
    for device in lab.setting.devices:
        audit(lab, device)
        for huge in (0, 1, 0):
            found = _everything(lab, device, huge=huge)
            audit(lab, device)
            free(lab, *found[::2])
            audit(lab, device)
            free(lab, *found[1::2])
            audit(lab, device)


def _everything(lab: Lab, device: int, *, huge: int = 1) -> list[int]:
    """Return blocks that fill a device, in few sizes; what a really large one has is not filled."""
    found = []
    for size in (LARGE, LARGE // 8, 2 * MIB):
        for _ in range(MOST):
            block = allocate(lab, size, DEV, device, huge=huge, phys=HBM)
            if block is None:
                break
            found.append(block)
    return found


ENDURANCE_SCENARIOS = scenarios_of(
    "svm",
    host_memory_outlives_devices,
    opened_again_and_again,
    allocated_again_and_again,
    tasks_again_and_again,
    large_again_and_again,
    freed_memory_serves_other_sizes,
    pages_of_each_size_take_all_of_a_device,
    nothing_is_inherited,
)
