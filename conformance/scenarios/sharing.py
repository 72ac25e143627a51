"""Flows of sharing between processes: names, who may open them, and who lets go first."""

from __future__ import annotations

from typing import Any

from halcert.conformance.accounts import PATIENCE
from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all
from halcert.conformance.scenarios.registry import Scenario, gave
from halcert.spec.abi.constants import ShmemAttrType
from halcert.spec.profiles import MIB
from halcert.spec.sharing.process import KILLED
from halcert.spec.svm.flags import DEV, AllocFlags

OWNER, OPENER, STRANGER = 0, 1, 2
NO_WHITE_LIST = int(ShmemAttrType.SHMEM_ATTR_TYPE_NO_WLIST_IN_SERVER)
MAP_ROUTE = int(ShmemAttrType.SHMEM_ATTR_TYPE_MEM_MAP)
NAME_SPACE = 65
STEP = 100
"""Milliseconds between two looks."""
CACHED = MIB
"""A size that a free may keep in a cache (bytes)."""
UNCACHED = 64 * MIB
"""A size that no free keeps (bytes)."""


def begin(lab: Lab, *processes: int) -> None:
    """Start processes, each with device 0 open."""
    for process in processes:
        lab.actor(process)
    for process in processes:
        lab.call("halMemAgentOpen", process, devid=lab.setting.devices[0], flag=0)
        audit(lab, lab.setting.devices[0], process=process)


def allocate(lab: Lab, size: int, process: int = OWNER, **fields: int) -> int | None:
    """Get device memory, and return its address or None."""
    fields = {"virt": DEV, "devid": lab.setting.devices[0], **fields}
    flag = AllocFlags.compose(**fields)
    return gave(lab.call("halMemAlloc", process, pp=True, size=size, flag=flag), "pp")


def name(lab: Lab, address: int, size: int, process: int = OWNER) -> str | None:
    """Make a name, and return it or None."""
    args: dict[str, Any] = {"vptr": address, "byte_count": size}
    result = lab.call("halShmemCreateHandle", process, **args, name=True, name_len=NAME_SPACE)
    if result is None or result.code != 0:
        return None
    found: str = lab.outputs[len(lab.steps)]["name"]
    return found


def permit(lab: Lab, shared: str, *processes: int, by: int = OWNER) -> Any:
    """Enter processes in the white list of a name."""
    pids = [lab.pid(process) for process in processes]
    return lab.call("halShmemSetPidHandle", by, name=shared, pid=pids, num=len(pids))


def open_name(
    lab: Lab, shared: str, process: int = OPENER, device: int | None = None
) -> int | None:
    """Open a name, and return the address or None."""
    where = lab.setting.devices[0] if device is None else device
    args: dict[str, Any] = {"dev_id": where, "name": shared, "vptr": True}
    return gave(lab.call("halShmemOpenHandleByDevId", process, **args), "vptr")


def close(lab: Lab, address: int, process: int = OPENER) -> Any:
    """Close what was opened."""
    return lab.call("halShmemCloseHandle", process, vptr=address)


def destroy(lab: Lab, shared: str, process: int = OWNER) -> Any:
    """Destroy a name."""
    return lab.call("halShmemDestroyHandle", process, name=shared)


def fill(lab: Lab, address: int, size: int, value: int, process: int = OWNER) -> None:
    """Set memory of a device to a value."""
    lab.call("drvMemsetD8", process, dst=address, destMax=size, value=value, num=size)


def look(lab: Lab, *processes: int) -> None:
    """Have every process look at all the bytes that it sees."""
    for process in processes:
        check_all(lab, process)


def leave(lab: Lab, process: int, how: int = KILLED) -> None:
    """End a process."""
    lab.call("host.exit", process, how=how)


def settle(lab: Lab, *processes: int) -> None:
    """Have processes give everything back, and see that all memory of the device is free.

    What ended processes held may take a while.
    """
    device = lab.setting.devices[0]
    for process in processes:
        lab.call("halMemAgentClose", process, devid=device, flag=0)
        lab.call("halMemAgentOpen", process, devid=device, flag=0)
    last = processes[-1]
    for _ in range(PATIENCE // STEP):
        audit(lab, device, process=last)
        told = lab.outputs.get(len(lab.steps), {}).get("info", {})
        free = told.get("free", 0) + told.get("huge_free", 0)
        if not lab.accounts.missing(device, free, lab.views()):
            return
        lab.call("host.rest", last, milliseconds=STEP)
    audit(lab, device, process=last)


def shared(
    lab: Lab, size: int = CACHED, openers: tuple[int, ...] = (OPENER,)
) -> tuple[int, str, list[int]] | None:
    """Let processes open memory of the owner; return its address, name, and where they see it."""
    begin(lab, OWNER, *openers)
    address = allocate(lab, size)
    token = None if address is None else name(lab, address, size)
    if address is None or token is None:
        return None
    fill(lab, address, size, 123)
    permit(lab, token, *openers)
    places = [open_name(lab, token, process) for process in openers]
    return address, token, [place for place in places if place is not None]


def names_with_a_white_list(lab: Lab) -> None:
    """One process names memory and lets another open it; both see the same bytes."""
    found = shared(lab)
    if found is None or not found[2]:
        return
    address, token, places = found
    look(lab, OPENER)
    fill(lab, places[0], 4096, 7, OPENER)
    look(lab, OWNER, OPENER)
    fill(lab, address + CACHED - 100, 100, 9)
    look(lab, OPENER)
    close(lab, places[0])
    lab.call("halMemFree", OPENER, pp=places[0])
    destroy(lab, token)
    look(lab, OWNER)
    lab.call("halMemFree", OWNER, pp=address)
    settle(lab, OPENER, OWNER)


SHARING_SCENARIOS: dict[str, Scenario] = {
    f"sharing-{flow.__name__.replace('_', '-')}": flow for flow in (names_with_a_white_list,)
}
