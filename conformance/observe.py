"""Looking at what is there: the bytes of blocks, and the free memory of devices.

Observations are calls like any other: they are judged and stand in the trace.
"""

from __future__ import annotations

from halcert.conformance.accounts import HBM_SIZE
from halcert.conformance.lab import Lab
from halcert.spec.state import ON_DEVICE, ON_HOST, USER, Block
from halcert.spec.svm.flags import DEV, DVPP, HOST, HOST_UVA, MAPPED

WINDOW = 128 * 1024
"""Bytes that are looked at in one go."""


def scratch(lab: Lab, process: int | None = None) -> int | None:
    """Return the address of WINDOW bytes of process memory for copies back to the host."""
    caller = lab.process if process is None else process
    for step in lab.steps:
        if step.interface == "host.map" and step.actor == caller:
            address = lab.outputs.get(step.number, {}).get("address", 0)
            block = lab.view(process).blocks.at(address)
            if block.exists and block.size == WINDOW:
                return block.base
    result = lab.call("host.map", process, size=WINDOW)
    return None if result is None else int(result.address)  # type: ignore[attr-defined]


def windows(block: Block) -> list[tuple[int, int]]:
    """Return the parts of a block to look at: all of a small one, both ends of a large one."""
    if block.size <= 2 * WINDOW:
        return [(start, min(WINDOW, block.size - start)) for start in range(0, block.size, WINDOW)]
    return [(0, WINDOW), (block.size - WINDOW, WINDOW)]


def accessible(block: Block) -> bool:
    """Tell whether the program reaches a block's bytes without being given access."""
    return block.kind in (HOST, HOST_UVA, USER) or (block.kind == MAPPED and block.place == ON_HOST)


def settable(block: Block) -> bool:
    """Tell whether a device holds a block's bytes, so that they are set by a call."""
    return block.kind in (DEV, DVPP) or (block.kind == MAPPED and block.place == ON_DEVICE)


def check_block(lab: Lab, block: Block, process: int | None = None) -> None:
    """Read a block's bytes, by a copy to the host if need be, and have them judged.

    Raises:
        Broken: a byte is not what was written last.
    """
    if not len(lab.rope(block, process)) or block.base == scratch_of(lab, process):
        return
    for start, length in windows(block):
        address = block.base + start
        if accessible(block):
            lab.call("host.load", process, address=address, size=length)
            continue
        target = scratch(lab, process)
        if target is None:
            return
        with lab.observing(process):
            copied = lab.call(
                "drvMemcpy", process, dst=target, dest_max=WINDOW, src=address, byte_count=length
            )
        if copied is not None and copied.code == 0:
            lab.call("host.load", process, address=target, size=length)


def fill_all(lab: Lab, process: int | None = None) -> None:
    """Give every live block bytes that can be recognised, where that changes nothing else.

    Raises:
        Broken: the implementation broke a rule while being written to.
    """
    for block in lab.blocks(process):
        for start, length in windows(block):
            address = block.base + start
            if accessible(block):
                pattern = {"pattern": block.memory, "offset": start}
                lab.call("host.store", process, address=address, size=length, **pattern)
            elif settable(block):
                value = 1 + block.memory % 255
                lab.call(
                    "drvMemsetD8", process, dst=address, destMax=length, value=value, num=length
                )


def scratch_of(lab: Lab, process: int | None = None) -> int | None:
    """Return the address of the scratch memory, if there is one already."""
    for block in lab.blocks(process):
        if block.kind == USER and block.size == WINDOW:
            return int(block.base)
    return None


def check_all(lab: Lab, process: int | None = None) -> None:
    """Read the bytes of every live block.

    Raises:
        Broken: a byte is not what was written last.
    """
    for block in lab.blocks(process):
        check_block(lab, block, process)


def audit(lab: Lab, *devices: int, process: int | None = None) -> None:
    """Ask devices for their free memory; the lab compares it with what is held.

    Raises:
        Broken: held memory is reported as free, or memory that nobody holds is not.
    """
    for device in devices:
        if lab.view(process).devices.at(device).open:
            lab.call("halMemGetInfo", process, device=device, type=HBM_SIZE, info={})
