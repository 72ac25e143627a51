"""Flows of the SVM core."""

from __future__ import annotations

from typing import Any

from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all, check_block, fill_all
from halcert.conformance.scenarios.registry import gave, scenarios_of
from halcert.spec.abi.constants import RegisterType
from halcert.spec.profiles import GIB, MIB
from halcert.spec.state import Block
from halcert.spec.svm.advise import READ_WRITE
from halcert.spec.svm.flags import DEV, DVPP, HOST, HOST_UVA, MODULE_LIMIT, SVM, AllocFlags

HBM = 1
"""Physical type of plain device memory."""
RUNTIME_MODULE = 7


def open_all(lab: Lab) -> None:
    """Open every device."""
    for device in lab.setting.devices:
        lab.call("halMemAgentOpen", devid=device, flag=0)


def allocate(lab: Lab, size: int, kind: int = DEV, device: int = 0, **bits: int) -> int | None:
    """Allocate a block and return its address, or None if that was refused."""
    flag = AllocFlags.compose(virt=kind, devid=device, **bits)
    return gave(lab.call("halMemAlloc", pp=True, size=size, flag=flag), "pp")


def free(lab: Lab, *addresses: int | None) -> None:
    """Free blocks."""
    for address in addresses:
        if address is not None:
            lab.call("halMemFree", pp=address)


def store(lab: Lab, address: int, size: int, pattern: int) -> None:
    """Write a pattern from the host."""
    lab.call("host.store", address=address, size=size, pattern=pattern, offset=0)


def copy(lab: Lab, dst: int, src: int, size: int) -> None:
    """Copy with drvMemcpy."""
    lab.call("drvMemcpy", dst=dst, dest_max=size, src=src, byte_count=size)


def allocate_and_copy(lab: Lab) -> None:
    """Initialise, allocate host and device memory, copy there and back, compare, free."""
    for device in lab.setting.devices:
        lab.call("halMemAgentOpen", devid=device, flag=0)
        for size in (1, 4096, 100_000, 2 * MIB + 1):
            host = allocate(lab, size, HOST)
            back = allocate(lab, size, HOST)
            block = allocate(lab, size, DEV, device, module=RUNTIME_MODULE)
            if host is None or back is None or block is None:
                continue
            store(lab, host, size, 21)
            lab.call("halMemcpy", dst=block, dst_size=size, src=host, count=size, info=None)
            copy(lab, back, block, size)
            lab.call("host.load", address=back, size=size)
            lab.call("drvMemsetD8", dst=block, destMax=size, value=0x5A, num=size)
            check_all(lab)
            free(lab, block, back, host)
        lab.call("halMemAgentClose", devid=device, flag=0)


def memory_of_the_program_is_no_block(lab: Lab) -> None:
    """It is not to be freed, not even while a descriptor speaks of it or a device reaches it."""
    open_all(lab)
    device = lab.setting.devices[0]
    user, block = gave(lab.call("host.map", size=8192), "address"), allocate(lab, 8192, DEV, device)
    if user is None or block is None:
        return
    args: dict[str, Any] = {"p_src": user, "p_dst": block, "len": 8192}
    made: Any = lab.call("drvMemConvertAddr", **args, dma_addr={"devid": device})
    lab.call("halMemFree", pp=user)
    if made is not None and made.code == 0:
        lab.call("drvMemDestroyAddr", ptr=made.dma_addr.dma)
    for kind in (RegisterType.HOST_MEM_MAP_DEV, RegisterType.HOST_MEM_MAP_DEV_PCIE_TH):
        where: dict[str, Any] = {"src_ptr": user, "devid": device, "flag": int(kind)}
        if gave(lab.call("halHostRegister", **where, size=8192, dst_ptr=True), "dst_ptr") is None:
            continue
        lab.call("halMemFree", pp=user)
        lab.call("halHostUnregisterEx", **where)
    free(lab, block)


def every_kind(lab: Lab) -> None:
    """Allocate every kind of memory with every page size, use it and free it."""
    open_all(lab)
    device = lab.setting.devices[-1]
    for kind in (DEV, DVPP, HOST, HOST_UVA, SVM):
        for bits in ({}, {"huge": 1}, {"contiguous": 1}, {"p2p": 1}, {"host_writes": 1}):
            for size in (4096, 3 * MIB):
                base = allocate(lab, size, kind, device, **bits)
                if base is not None and "host_writes" in bits:
                    advice = {"type": READ_WRITE, "device": device}
                    lab.call("halMemAdvise", ptr=base, count=size, **advice)
    fill_all(lab)
    check_all(lab)
    for block in lab.blocks():
        query(lab, block)
        for distance in (1, 4096, block.extent // 2, block.extent - 1):
            lab.call("halMemFree", pp=block.base + distance)
        free(lab, block.base)
        lab.call("halMemFree", pp=block.base)


def query(lab: Lab, block: Block) -> None:
    """Ask everything that can be asked about a block, at its edges."""
    for address in (block.base, block.base + block.size - 1, block.base + block.extent // 2):
        lab.call("drvMemGetAttribute", vptr=address, attr=True)
        lab.call("halMemGetAddressRange", ptr=address, pbase=True, psize=True)
    lab.call("halMemGetAddressRange", ptr=block.base, pbase=True, psize=False)
    lab.call("halMemGetAddressRange", ptr=block.base, pbase=False, psize=True)
    lab.call("halMemGetAddressRange", ptr=block.base + block.extent, pbase=True, psize=True)


def device_to_device(lab: Lab) -> None:
    """Copy within a device and between devices."""
    open_all(lab)
    size = 3 * MIB + 17
    blocks = [allocate(lab, size, DEV, device) for device in lab.setting.devices for _ in (0, 1)]
    host = allocate(lab, size, HOST)
    if host is None:
        return
    store(lab, host, size, 5)
    previous = host
    for block in blocks:
        if block is not None:
            copy(lab, block, previous, size)
            previous = block
    check_all(lab)


def ends_of_pages(lab: Lab) -> None:
    """Set and copy ranges that begin and end around page ends; nothing beside them changes."""
    open_all(lab)
    size = 3 * 4096
    block, host = allocate(lab, size), allocate(lab, size, HOST)
    if block is None or host is None:
        return
    for start in (0, 1, 4095, 4096, 4097):
        for length in (1, 2, 4095, 4096, 4097):
            fill_all(lab)
            lab.call("drvMemsetD8", dst=block + start, destMax=length, value=0xC3, num=length)
            copy(lab, host + start, block + size - start - length, length)
            check_all(lab)


def address_reuse(lab: Lab) -> None:
    """Free and allocate the same size again and again; blocks never overlap."""
    open_all(lab)
    kept: list[int] = []
    for turn in range(24):
        address = allocate(lab, 8192, DEV, lab.setting.devices[turn % len(lab.setting.devices)])
        if address is None:
            continue
        lab.call("drvMemsetD8", dst=address, destMax=8192, value=turn + 1, num=8192)
        if turn % 3:
            free(lab, address)
            lab.call("halMemFree", pp=address)
        else:
            kept.append(address)
    check_all(lab)
    free(lab, *kept)


def large_blocks(lab: Lab) -> None:
    """Blocks at and above half a GiB, where implementations change their ways."""
    open_all(lab)
    device = lab.setting.devices[0]
    for size in (512 * MIB, 512 * MIB + 1, GIB + 4096):
        for bits in ({}, {"huge": 1}, {"giant": 1}):
            address = allocate(lab, size, DEV, device, **bits)
            if address is None:
                continue
            block = lab.view().blocks.at(address)
            fill_all(lab)
            check_block(lab, block)
            across(lab, block, 512 * MIB)
            query(lab, block)
            free(lab, address)
            lab.call("halMemFree", pp=address)


def across(lab: Lab, block: Block, place: int) -> None:
    """Write and read a few bytes on both sides of a place in a block, if it is that large."""
    host = allocate(lab, 64, HOST)
    if host is None or block.size < place + 32:
        return
    store(lab, host, 64, 19)
    copy(lab, block.base + place - 32, host, 64)
    lab.call("host.fill", address=host, size=64, value=0)
    copy(lab, host, block.base + place - 32, 64)
    lab.call("host.load", address=host, size=64)
    free(lab, host)


def exhaustion(lab: Lab) -> None:
    """Allocate until memory runs out, free everything, and carry on as if nothing had been."""
    device = lab.setting.devices[0]
    lab.call("halMemAgentOpen", devid=device, flag=0)
    audit(lab, device)
    chunk = max((lab.accounts.free_at_start(device) or 8 * GIB) // 6, 64 * MIB) & ~(2 * MIB - 1)
    got: list[int] = []
    for _ in range(24):
        address = allocate(lab, chunk, DEV, device, huge=1, phys=HBM)
        if address is None:
            break
        got.append(address)
    audit(lab, device)
    free(lab, *got)
    audit(lab, device)
    again = allocate(lab, chunk, DEV, device, huge=1, phys=HBM)
    free(lab, again)
    lab.call("halMemAgentClose", devid=device, flag=0)
    lab.call("halMemAgentOpen", devid=device, flag=0)
    audit(lab, device)


def errors_leak_nothing(lab: Lab) -> None:
    """Many refused calls of every sort: afterwards a device has all its memory."""
    device = lab.setting.devices[0]
    lab.call("halMemAgentOpen", devid=device, flag=0)
    audit(lab, device)
    free_at_start = lab.accounts.free_at_start(device) or 4 * GIB
    block = allocate(lab, 4096, DEV, device)
    for _ in range(4):
        for bits in (
            {"contiguous": 1, "huge": 1},
            {"readonly": 1, "host_writes": 1},
            {"giant": 1, "huge": 1},
        ):
            allocate(lab, 32 * MIB, DEV, device, **bits)
        allocate(lab, 32 * MIB, 5, device)
        allocate(lab, free_at_start + GIB, DEV, device)
        allocate(lab, 2**64 - 1, DEV, device)
        if block is not None:
            lab.call("halMemFree", pp=block + 1)
            lab.call("drvMemsetD8", dst=block, destMax=1, value=1, num=2)
            lab.call("drvMemcpy", dst=block, dest_max=1, src=block, byte_count=2)
        audit(lab, device)
    free(lab, block)
    lab.call("halMemAgentClose", devid=device, flag=0)
    lab.call("halMemAgentOpen", devid=device, flag=0)
    audit(lab, device)


def refusals_change_nothing(lab: Lab) -> None:
    """Sets and copies of more than fits are refused, and no byte of either end has changed."""
    open_all(lab)
    size = 3 * 4096
    host, block = allocate(lab, size, HOST), allocate(lab, size, DEV, lab.setting.devices[-1])
    if host is None or block is None:
        return
    fill_all(lab)
    check_all(lab)
    for room in (1, 4096, size - 1):
        more = room + 1
        lab.call("drvMemsetD8", dst=block, destMax=room, value=0xA7, num=more)
        check_all(lab)
        for target, source in ((block, host), (host, block)):
            lab.call("drvMemcpy", dst=target, dest_max=room, src=source, byte_count=more)
            check_all(lab)
            lab.call("halMemcpy", dst=target, dst_size=room, src=source, count=more, info=None)
            check_all(lab)


def closing_takes_memory(lab: Lab) -> None:
    """Closing a device takes its memory, and only its memory."""
    open_all(lab)
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    audit(lab, first)
    blocks = [allocate(lab, 4 * MIB, DEV, first, phys=HBM) for _ in range(3)]
    other = allocate(lab, MIB, DEV, last)
    host = allocate(lab, MIB, HOST)
    fill_all(lab)
    audit(lab, first)
    lab.call("halMemAgentClose", devid=first, flag=0)
    for block in blocks:
        if block is not None and first != last:
            lab.call("halMemFree", pp=block)
    check_all(lab)
    lab.call("halMemAgentOpen", devid=first, flag=0)
    audit(lab, first)
    free(lab, other, host)


def opening_is_not_counted(lab: Lab) -> None:
    """Opening twice and closing once closes the device."""
    device = lab.setting.devices[0]
    for _ in (0, 1):
        lab.call("halMemAgentOpen", devid=device, flag=0)
    lab.call("drvMemDeviceOpen", devid=device, devfd=3)
    block = allocate(lab, 4096, DEV, lab.setting.devices[-1])
    lab.call("halMemAgentClose", devid=device, flag=0)
    allocate(lab, 4096, DEV, device)
    lab.call("drvMemDeviceClose", devid=device)
    lab.call("drvMemDeviceOpen", devid=device, devfd=-1)
    free(lab, block, allocate(lab, 4096, DEV, device))


def queries(lab: Lab) -> None:
    """Ask for memory information of every type, and for modules of blocks."""
    open_all(lab)
    for device in (*lab.setting.devices, 63, 64, 65):
        for kind in range(14):
            lab.call("halMemGetInfo", device=device, type=kind, info={})
    lab.call("halMemGetInfo", device=0, type=1, info=None)
    for module in (0, RUNTIME_MODULE, MODULE_LIMIT - 1, MODULE_LIMIT, 255):
        block = allocate(lab, 4096, DEV, lab.setting.devices[0], module=module)
        if block is not None:
            query(lab, lab.view().blocks.at(block))


def contiguous(lab: Lab) -> None:
    """Contiguous blocks below, at and above the largest size."""
    open_all(lab)
    for kind in (DEV, DVPP, SVM):
        for size in (4096, 4 * MIB - 1, 4 * MIB, 4 * MIB + 1):
            free(lab, allocate(lab, size, kind, lab.setting.devices[-1], contiguous=1))


SVM_SCENARIOS = scenarios_of(
    "svm",
    allocate_and_copy,
    memory_of_the_program_is_no_block,
    every_kind,
    device_to_device,
    ends_of_pages,
    address_reuse,
    large_blocks,
    exhaustion,
    errors_leak_nothing,
    refusals_change_nothing,
    closing_takes_memory,
    opening_is_not_counted,
    queries,
    contiguous,
)
