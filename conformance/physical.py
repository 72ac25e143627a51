"""Calls about addresses and physical memory of the runtime, for flows and machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.conformance.mapping_values import (
    SIZES,
    a_mapping,
    a_reservation,
    room_for_a_mapping,
)
from halcert.conformance.streams import gave
from halcert.spec.abi.acl.constants import AclrtMemAccessFlags, AclrtMemAttr, AclrtMemLocationType
from halcert.spec.physical.export import HERE, OPEN_TO_ALL
from halcert.spec.runtime.order import session
from halcert.spec.soma.memory import PAGE
from halcert.spec.svm.flags import MAPPED

ON_HOST = int(AclrtMemLocationType.ACL_MEM_LOCATION_TYPE_HOST)
ON_DEVICE = int(AclrtMemLocationType.ACL_MEM_LOCATION_TYPE_DEVICE)
READ_WRITE = int(AclrtMemAccessFlags.ACL_RT_MEM_ACCESS_FLAGS_READWRITE)
HUGE = int(AclrtMemAttr.ACL_HBM_MEM_HUGE)
KINDS = (HUGE, HUGE, int(AclrtMemAttr.ACL_HBM_MEM_NORMAL), int(AclrtMemAttr.ACL_MEM_HUGE))
"""Kinds of memory that every device has."""
LISTED = 0
"""The flag of an export that processes are let into one by one."""
RECENT = 4
"""How many of the newest numbers are meant mostly."""


def properties(device: int | None, kind: int = HUGE, **members: int) -> dict[str, int]:
    """Return the properties of physical memory of a device, or of the host."""
    place = ON_HOST if device is None else ON_DEVICE
    prop = {"handleType": 0, "allocationType": 0, "memAttr": kind, "id": device or 0, "type": place}
    return {**prop, "reserve": 0, **members}


def reserve(lab: Lab, size: int, address: int = 0, flags: int = 0) -> int | None:
    """Reserve addresses, and return the first or None."""
    args = {"size": size, "alignment": 0, "expectPtr": address, "flags": flags}
    return gave(lab.call("aclrtReserveMemAddress", virPtr=True, **args), "virPtr")


def release(lab: Lab, address: int) -> None:
    """Give reserved addresses back."""
    lab.call("aclrtReleaseMemAddress", virPtr=address)


def physical(lab: Lab, size: int, prop: dict[str, int]) -> int | None:
    """Get physical memory, and return its handle or None."""
    made = lab.call("aclrtMallocPhysical", handle=True, size=size, prop=prop, flags=0)
    return gave(made, "handle")


def free_physical(lab: Lab, handle: int) -> None:
    """Give a reference back."""
    lab.call("aclrtFreePhysical", handle=handle)


def map_memory(lab: Lab, address: int, size: int, handle: int) -> bool:
    """Map all of a handle, and tell whether that worked."""
    args = {"virPtr": address, "size": size, "offset": 0, "handle": handle, "flags": 0}
    result: Any = lab.call("aclrtMapMem", **args)
    return result is not None and result.code == 0


def unmap(lab: Lab, address: int) -> None:
    """Take a mapping away."""
    lab.call("aclrtUnmapMem", virPtr=address)


def mapped(lab: Lab, handle: int, size: int) -> int | None:
    """Map a handle at addresses that are reserved for it, and return the first or None."""
    place = reserve(lab, size)
    return place if place is not None and map_memory(lab, place, size, handle) else None


def give_access(lab: Lab, address: int, size: int, *places: int | None) -> None:
    """Give devices, or the host, access to a mapping."""
    descs = [{"flags": READ_WRITE, **place_of(each)} for each in places]
    lab.call("aclrtMemSetAccess", virPtr=address, size=size, desc=descs, count=len(descs))


def ask_access(lab: Lab, address: int, device: int | None) -> None:
    """Ask what a device, or the host, may do with a mapping."""
    lab.call("aclrtMemGetAccess", virPtr=address, location=place_of(device), flag=True)


def place_of(device: int | None) -> dict[str, int]:
    """Return the place that stands for a device, or for the host."""
    return {"id": device or 0, "type": ON_HOST if device is None else ON_DEVICE}


def export(lab: Lab, handle: int, flags: int = LISTED) -> int | None:
    """Make a number for physical memory, and return it or None."""
    args = {"handle": handle, "handleType": 0, "flags": flags}
    made = lab.call("aclrtMemExportToShareableHandle", shareableHandle=True, **args)
    return gave(made, "shareableHandle")


def export_bytes(lab: Lab, handle: int, flags: int = LISTED, kind: int = HERE) -> str | None:
    """Make opaque bytes for physical memory, and return them or None."""
    args: dict[str, Any] = {"handle": handle, "flags": flags, "shareType": int(kind)}
    made: Any = lab.call("aclrtMemExportToShareableHandleV2", shareableHandle=True, **args)
    if made is None or made.code != 0:
        return None
    found: str = lab.outputs[len(lab.steps)]["shareableHandle"]
    return found


def let_import(lab: Lab, number: int, *processes: int) -> None:
    """Let processes import by a number."""
    pids = [lab.pid(process) for process in processes]
    args: dict[str, Any] = {"shareableHandle": number, "pid": pids, "pidNum": len(pids)}
    lab.call("aclrtMemSetPidToShareableHandle", **args)


def let_import_bytes(lab: Lab, content: str, *processes: int, kind: int = HERE) -> None:
    """Let processes import by opaque bytes."""
    pids = [lab.pid(process) for process in processes]
    args: dict[str, Any] = {
        "shareableHandle": content,
        "shareType": int(kind),
        "pid": pids,
        "pidNum": len(pids),
    }
    lab.call("aclrtMemSetPidToShareableHandleV2", **args)


def import_number(lab: Lab, number: int, device: int) -> int | None:
    """Import by a number, and return the handle or None."""
    args = {"shareableHandle": number, "deviceId": device}
    return gave(lab.call("aclrtMemImportFromShareableHandle", handle=True, **args), "handle")


def import_bytes(lab: Lab, content: str, kind: int = HERE) -> int | None:
    """Import by opaque bytes on the current device, and return the handle or None."""
    args: dict[str, Any] = {"shareableHandle": content, "shareType": int(kind), "flags": 0}
    return gave(lab.call("aclrtMemImportFromShareableHandleV2", handle=True, **args), "handle")


def give_back_physical(lab: Lab) -> None:
    """Have the process unmap and free all physical memory, and give back its addresses."""
    if not lab.setting.session.offers("aclrtUnmapMem"):
        return
    view: Any = lab.view()
    for block in lab.blocks():
        if block.kind == MAPPED:
            unmap(lab, block.base)
    for handle in view.handles:
        for _ in range(handle.held):
            free_physical(lab, handle.id)
    for place in view.reservations:
        release(lab, place.base)


# ------------------------------------------------------------------------------------- for machines


def fitting_physical(draw: Draw, lab: Lab, interface: str) -> dict[str, Any]:
    """Return arguments about physical memory that fit the state; none for other calls."""
    chosen = _CHOICES.get(interface)
    return {} if chosen is None else chosen(draw, lab)


def _reserve(draw: Draw, _lab: Lab) -> dict[str, Any]:
    size = draw.pick((*SIZES, PAGE + 4096, 8 * PAGE))
    return {"size": size, "alignment": 0, "expectPtr": 0, "flags": draw.pick((0, 0, 1))}


def _reserved(draw: Draw, lab: Lab) -> dict[str, Any]:
    place = a_reservation(draw, lab)
    return {} if place is None else {"virPtr": place.base}


def _properties(draw: Draw, lab: Lab) -> dict[str, Any]:
    if draw.chance(15):
        return properties(None, draw.pick((2, 3, 12, 13)))
    return properties(draw.pick(lab.setting.devices), draw.pick(KINDS))


def _malloc(draw: Draw, lab: Lab) -> dict[str, Any]:
    return {"size": draw.pick(SIZES), "prop": _properties(draw, lab), "flags": 0}


def _granularity(draw: Draw, lab: Lab) -> dict[str, Any]:
    return {"prop": _properties(draw, lab), "option": draw.pick((0, 1))}


def _of_handle(draw: Draw, lab: Lab) -> dict[str, Any]:
    view: Any = lab.view()
    found = [each.id for each in view.handles]
    return {"handle": draw.pick(found)} if found else {}


def _map(draw: Draw, lab: Lab) -> dict[str, Any]:
    room = room_for_a_mapping(draw, lab)
    if room is None:
        return {}
    start, handle = room
    return {"virPtr": start, "size": handle.size, "offset": 0, "handle": handle.id, "flags": 0}


def _of_mapping(draw: Draw, lab: Lab) -> dict[str, Any]:
    block = a_mapping(draw, lab)
    return {} if block is None else {"virPtr": block.base}


def _access(draw: Draw, lab: Lab) -> dict[str, Any]:
    block = a_mapping(draw, lab)
    if block is None:
        return {}
    places = [draw.pick((*lab.setting.devices, None)) for _ in range(draw.pick((1, 1, 2, 3)))]
    descs = [{"flags": READ_WRITE, **place_of(each)} for each in places]
    return {"virPtr": block.base, "size": block.size, "desc": descs, "count": len(descs)}


def _ask_access(draw: Draw, lab: Lab) -> dict[str, Any]:
    location = place_of(draw.pick((*lab.setting.devices, None)))
    return {**_of_mapping(draw, lab), "location": location}


def _export(draw: Draw, lab: Lab) -> dict[str, Any]:
    more = {"handleType": 0, "flags": draw.pick((LISTED, OPEN_TO_ALL)), "shareType": int(HERE)}
    return {**_of_handle(draw, lab), **more}


def _number(draw: Draw, lab: Lab) -> dict[str, Any]:
    view: Any = lab.view()
    living: list[int] = [each.number for each in view.numbers]
    return {"shareableHandle": draw.pick(living[-RECENT:])} if living else {}


def _content(draw: Draw, lab: Lab) -> dict[str, Any]:
    given = [
        (out["shareableHandle"], lab.steps[number - 1].values.get("shareType", int(HERE)))
        for number, out in lab.outputs.items()
        if isinstance(out.get("shareableHandle"), str)
    ]
    if not given:
        return {}
    content, kind = draw.pick(given[-RECENT:])
    return {"shareableHandle": content, "shareType": kind, "flags": 0}


def _pids(draw: Draw, lab: Lab) -> dict[str, Any]:
    view: Any = lab.view()
    known = [each.pid for each in view.processes]
    pids = [draw.pick(known) for _ in range(draw.pick((1, 1, 2)))]
    return {"pid": pids, "pidNum": len(pids)}


def _import(draw: Draw, lab: Lab) -> dict[str, Any]:
    current = session(lab.view()).current - 1
    return {**_number(draw, lab), "deviceId": max(current, 0)}


_CHOICES: dict[str, Callable[[Draw, Lab], dict[str, Any]]] = {
    "aclrtReserveMemAddress": _reserve,
    "aclrtReleaseMemAddress": _reserved,
    "aclrtMallocPhysical": _malloc,
    "aclrtFreePhysical": _of_handle,
    "aclrtMapMem": _map,
    "aclrtUnmapMem": _of_mapping,
    "aclrtMemSetAccess": _access,
    "aclrtMemGetAccess": _ask_access,
    "aclrtMemRetainAllocationHandle": _of_mapping,
    "aclrtMemGetAllocationGranularity": _granularity,
    "aclrtMemGetAllocationPropertiesFromHandle": _of_handle,
    "aclrtMemExportToShareableHandle": _export,
    "aclrtMemExportToShareableHandleV2": _export,
    "aclrtMemSetPidToShareableHandle": lambda draw, lab: _number(draw, lab) | _pids(draw, lab),
    "aclrtMemSetPidToShareableHandleV2": lambda draw, lab: _content(draw, lab) | _pids(draw, lab),
    "aclrtMemImportFromShareableHandle": _import,
    "aclrtMemImportFromShareableHandleV2": _content,
}
