"""Arguments for the calls of VMM that fit the state: what is reserved, held and mapped."""

from __future__ import annotations

from typing import Any

from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.spec.profiles import MIB
from halcert.spec.state import Block
from halcert.spec.svm.flags import MAPPED

PAGE = 2 * MIB
SIZES = (PAGE, PAGE, 2 * PAGE, 3 * PAGE)


def fitting(draw: Draw, lab: Lab, interface: str) -> dict[str, Any]:
    """Return arguments in place of others; none for calls that are not of VMM."""
    chosen = _CHOICES.get(interface)
    return {} if chosen is None else chosen(draw, lab)


def _reserve(draw: Draw, _lab: Lab) -> dict[str, Any]:
    size = draw.pick((*SIZES, PAGE + 4096, 8 * PAGE))
    return {"size": size, "alignment": 0, "addr": 0, "flag": draw.pick((0, 0, 1, 2))}


def _create(draw: Draw, lab: Lab) -> dict[str, Any]:
    device = draw.pick((*lab.setting.devices, None))
    prop = {
        "side": 0 if device is None else 1,
        "devid": device or 0,
        "module_id": draw.pick((48, 0, 7, 33, 200)),
        "pg_type": draw.pick((0, 0, 1)),
        "mem_type": draw.pick((0, 0, 0, 1)),
        "reserve": 0,
    }
    return {"size": draw.pick(SIZES), "prop": prop, "flag": 0}


def room_for_a_mapping(draw: Draw, lab: Lab) -> tuple[int, Any] | None:
    """Choose a handle, and an address in a reservation at which its memory may fit."""
    view: Any = lab.view()
    places, handles = list(view.reservations), list(view.handles)
    if not places or not handles:
        return None
    place, handle = draw.pick(places), draw.pick(handles)
    room = max(place.size - handle.size, 0) // PAGE
    return place.base + PAGE * draw.integer(0, room), handle


def a_mapping(draw: Draw, lab: Lab) -> Block | None:
    """Choose a mapping, if there is one."""
    found = [block for block in lab.blocks() if block.kind == MAPPED]
    return draw.pick(found) if found else None


def a_reservation(draw: Draw, lab: Lab) -> Any | None:
    """Choose a reservation, if there is one."""
    view: Any = lab.view()
    found = list(view.reservations)
    return draw.pick(found) if found else None


def _map(draw: Draw, lab: Lab) -> dict[str, Any]:
    room = room_for_a_mapping(draw, lab)
    if room is None:
        return {}
    start, handle = room
    return {"ptr": start, "size": handle.size, "offset": 0, "handle": handle.id, "flag": 0}


def _mapped(draw: Draw, lab: Lab) -> dict[str, Any]:
    block = a_mapping(draw, lab)
    return {} if block is None else {"ptr": block.base}


def _reserved(draw: Draw, lab: Lab) -> dict[str, Any]:
    place = a_reservation(draw, lab)
    return {} if place is None else {"ptr": place.base}


def _access(draw: Draw, lab: Lab) -> dict[str, Any]:
    block = a_mapping(draw, lab)
    if block is None:
        return {}
    device = draw.pick((*lab.setting.devices, None))
    desc = {"type": 3, "id": device or 0, "side": 0 if device is None else 1}
    return {"ptr": block.base, "size": block.size, "desc": [desc], "count": 1}


_CHOICES = {
    "halMemAddressReserve": _reserve,
    "halMemAddressFree": _reserved,
    "halMemCreate": _create,
    "halMemMap": _map,
    "halMemUnmap": _mapped,
    "halMemSetAccess": _access,
    "halMemGetAccess": _mapped,
    "halMemRetainAllocationHandle": _mapped,
}
