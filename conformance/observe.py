"""Looking at what is there: the bytes of blocks, and the free memory of devices.

Observations are calls like any other: they are judged and stand in the trace.
"""

from __future__ import annotations

from typing import Any

from halcert.conformance.accounts import HBM, HBM_SIZE
from halcert.conformance.lab import Lab
from halcert.spec.runtime.order import session
from halcert.spec.state import ON_DEVICE, ON_HOST, USER, Block
from halcert.spec.svm.flags import DEV, DVPP, GRANT, HOST, HOST_UVA, MAPPED, POOL, UVM
from halcert.spec.uvm.pages import PAGE

WINDOW = 128 * 1024
"""Bytes that are looked at in one go."""
PART = 4096
"""Bytes that are looked at at either end of a managed page."""
MOST_PAGES = 16
"""Managed pages of one block that are looked at."""


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
    if block.kind == UVM:
        return _page_ends(block)
    if block.size <= 2 * WINDOW:
        return [(start, min(WINDOW, block.size - start)) for start in range(0, block.size, WINDOW)]
    return [(0, WINDOW), (block.size - WINDOW, WINDOW)]


def _page_ends(block: Block) -> list[tuple[int, int]]:
    """Return both ends of the first pages of managed memory, and of its last page.

    A page moves as a whole, so its ends tell whether it is the right one.
    """
    pages = -(-block.size // PAGE)
    starts = [page * PAGE for page in (*range(min(pages, MOST_PAGES)), pages - 1)]
    ends = [(start, min(start + PAGE, block.size)) for start in dict.fromkeys(starts)]
    return [
        (start, min(PART, end - start))
        if first
        else (max(start, end - PART), min(PART, end - start))
        for start, end in ends
        for first in (True, False)
    ]


def looks(lab: Lab, block: Block, process: int | None = None) -> list[tuple[int, int]]:
    """Return the addresses and sizes of the parts of a block to look at.

    Of a pool that is what is in use.
    """
    if block.kind != POOL:
        return [(block.base + start, length) for start, length in windows(block)]
    view: Any = lab.view(process)
    return [
        (place, length)
        for part in view.stretches.meeting(block.base, block.base + block.extent)
        if part.used
        for place, length in (
            (part.base, WINDOW),
            (part.base + part.extent - WINDOW, WINDOW),
        )
    ]


def accessible(block: Block) -> bool:
    """Tell whether the program reaches a block's bytes without being given access."""
    return block.kind in (HOST, HOST_UVA, USER) or (block.kind == MAPPED and block.place == ON_HOST)


def settable(block: Block) -> bool:
    """Tell whether a device holds a block's bytes, so that they are set by a call."""
    return block.kind in (DEV, DVPP, POOL, GRANT) or (
        block.kind == MAPPED and block.place == ON_DEVICE
    )


def check_block(lab: Lab, block: Block, process: int | None = None) -> None:
    """Read a block's bytes, by a copy to the host if need be, and have them judged.

    Raises:
        Broken: a byte is not what was written last.
    """
    if not len(lab.rope(block, process)) or block.base == scratch_of(lab, process):
        return
    for address, length in looks(lab, block, process):
        if accessible(block) or (block.kind == UVM and _through_the_runtime(lab)):
            lab.call("host.load", process, address=address, size=length)
        else:
            look_by_copy(lab, address, length, process)


def look_by_copy(lab: Lab, address: int, length: int, process: int | None = None) -> None:
    """Copy bytes to the host and have them judged there.

    Raises:
        Broken: a byte is not what was written last.
    """
    target = scratch(lab, process)
    if target is None:
        return
    with lab.observing(process):
        copied = _copied(lab, target, address, length, process)
    if copied is not None and copied.code == 0:
        lab.call("host.load", process, address=target, size=length)


def _through_the_runtime(lab: Lab) -> bool:
    """Tell whether the runtime is what is tested, and not the driver below it."""
    return "drvMemcpy" not in lab.setting.interfaces


def _copied(lab: Lab, dst: int, src: int, length: int, process: int | None) -> Any:
    """Copy bytes by the call that the implementation has for it."""
    if _through_the_runtime(lab):
        args = {"dst": dst, "destMax": WINDOW, "src": src, "count": length, "kind": 2}
        return lab.call("aclrtMemcpy", process, **args)
    args = {"dst": dst, "dest_max": WINDOW, "src": src, "byte_count": length}
    return lab.call("drvMemcpy", process, **args)


def set_bytes(lab: Lab, address: int, length: int, value: int, process: int | None = None) -> None:
    """Set bytes by the call that the implementation has for it."""
    if _through_the_runtime(lab):
        args = {"devPtr": address, "maxCount": length, "value": value, "count": length}
        lab.call("aclrtMemset", process, **args)
    else:
        args = {"dst": address, "destMax": length, "value": value, "num": length}
        lab.call("drvMemsetD8", process, **args)


def fill_all(lab: Lab, process: int | None = None) -> None:
    """Give every live block bytes that can be recognised, where that changes nothing else.

    Raises:
        Broken: the implementation broke a rule while being written to.
    """
    for block in lab.blocks(process):
        for address, length in looks(lab, block, process):
            if accessible(block):
                pattern = {"pattern": block.memory, "offset": address - block.base}
                lab.call("host.store", process, address=address, size=length, **pattern)
            elif settable(block):
                set_bytes(lab, address, length, 1 + block.memory % 255, process)


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
    if _through_the_runtime(lab):
        current = session(lab.view(process)).current - 1
        if current in devices:
            lab.call("aclrtGetMemInfo", process, attr=HBM, free=True, total=True)
        return
    for device in devices:
        if lab.view(process).devices.at(device).open:
            lab.call("halMemGetInfo", process, device=device, type=HBM_SIZE, info={})
