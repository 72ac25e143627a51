"""Arguments for calls about managed memory that fit the state: pages, places and attributes."""

from __future__ import annotations

from typing import Any

from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.conformance.managed import ACCESSED, ATTRIBUTES, HOST, NODE, NOWHERE, Place, at_device
from halcert.spec.abi.constants import UvmAdvise
from halcert.spec.profiles import UVM_PRODUCTS
from halcert.spec.state import Block
from halcert.spec.svm.flags import UVM
from halcert.spec.uvm.advise import MemManagedAdvise
from halcert.spec.uvm.pages import PAGE

SPREAD = 8
"""Pages of an allocation that are looked at most."""


def has_managed_memory(lab: Lab) -> bool:
    """Tell whether managed memory is part of the run and the product has it."""
    known = MemManagedAdvise.interface.name in lab.setting.interfaces
    return known and lab.setting.profile.name in UVM_PRODUCTS


def fitting_managed(draw: Draw, lab: Lab, interface: str) -> dict[str, Any]:
    """Return arguments in place of others; none for calls that are not about managed memory."""
    chosen = _CHOICES.get(interface)
    blocks = [block for block in lab.blocks() if block.kind == UVM]
    return chosen(draw, lab, blocks) if chosen is not None and blocks else {}


def _range(draw: Draw, blocks: list[Block]) -> tuple[int, int]:
    """Choose whole pages of an allocation, now and then parts of pages or pages behind it."""
    block = draw.pick(blocks)
    count = min(block.extent // PAGE, SPREAD)
    first = draw.integer(0, count - 1)
    last = draw.integer(first, count - 1)
    base, size = block.base + first * PAGE, (last - first + 1) * PAGE
    if draw.chance(10):
        return base, draw.pick((size - 4096, 1, size + PAGE, size + 4096))
    return (base + 4096, size - 4096) if draw.chance(5) else (base, size)


def _place(draw: Draw, lab: Lab) -> Place:
    devices = [at_device(device) for device in lab.setting.devices]
    return draw.pick((*devices, *devices, HOST, HOST, NODE, NOWHERE))


def _advise(draw: Draw, lab: Lab, blocks: list[Block]) -> dict[str, Any]:
    ptr, size = _range(draw, blocks)
    advice = int(draw.pick(tuple(UvmAdvise)))
    return {"ptr": ptr, "size": size, "advise": advice, "location": _place(draw, lab)}


def _prefetch(draw: Draw, lab: Lab, blocks: list[Block]) -> dict[str, Any]:
    ptr, size = _range(draw, blocks)
    return {"ptr": ptr, "size": size, "location": _place(draw, lab), "flags": 0}


def _batch(draw: Draw, lab: Lab, blocks: list[Block]) -> dict[str, Any]:
    ranges = [_range(draw, blocks) for _ in range(draw.pick((1, 2, 3, 4)))]
    firsts = sorted({0, draw.integer(0, len(ranges) - 1), draw.integer(0, len(ranges) - 1)})
    return {
        "ptrs": [ptr for ptr, _ in ranges],
        "sizes": [size for _, size in ranges],
        "count": len(ranges),
        "prefetchLocs": [_place(draw, lab) for _ in firsts],
        "prefetchLocIdxs": firsts,
        "numPrefetchLocs": len(firsts),
        "flags": 0,
    }


def _ask(draw: Draw, _lab: Lab, blocks: list[Block]) -> dict[str, Any]:
    ptr, size = _range(draw, blocks)
    asked = [draw.pick(ATTRIBUTES) for _ in range(draw.pick((1, 2, 3)))]
    if draw.chance(50):
        asked = list(ATTRIBUTES)
    room = draw.pick((1, 2, 4, 8))
    return {
        "data": [True] * len(asked),
        "data_sizes": [4 * room if each == ACCESSED else 4 for each in asked],
        "attributes": asked,
        "attribute_num": len(asked),
        "ptr": ptr,
        "size": size,
    }


def _ask_runtime(draw: Draw, lab: Lab, blocks: list[Block]) -> dict[str, Any]:
    """Choose the same question as the runtime's call takes it."""
    asked = _ask(draw, lab, blocks)
    return {
        "attributes": asked["attributes"],
        "numAttributes": asked["attribute_num"],
        "data": asked["data"],
        "dataSizes": asked["data_sizes"],
        "ptr": asked["ptr"],
        "size": asked["size"],
    }


def _ask_one(draw: Draw, _lab: Lab, blocks: list[Block]) -> dict[str, Any]:
    ptr, size = _range(draw, blocks)
    return {"attribute": draw.pick(ATTRIBUTES), "ptr": ptr, "size": size, "dataSize": 4}


def _access(draw: Draw, lab: Lab, blocks: list[Block]) -> dict[str, Any]:
    """Choose bytes near the ends of a page, for an access by a device or the host."""
    block = draw.pick(blocks)
    page = PAGE * draw.integer(0, min(block.extent // PAGE, SPREAD) - 1)
    room = min(block.size - page, PAGE)
    size = min(draw.pick((1, 64, 4096, 4097)), room)
    start = draw.pick((0, room - size, min(room - size, 4090)))
    found = {"address": block.base + page + start, "size": size}
    return found | {"device": draw.pick(lab.setting.devices)}


def _host_access(draw: Draw, lab: Lab, blocks: list[Block]) -> dict[str, Any]:
    if not draw.chance(60):
        return {}
    access = _access(draw, lab, blocks)
    return {"address": access["address"], "size": access["size"]}


def _set(draw: Draw, _lab: Lab, blocks: list[Block]) -> dict[str, Any]:
    if not draw.chance(40):
        return {}
    ptr, size = _range(draw, blocks)
    return {"dst": ptr, "destMax": size, "num": size} if draw.chance(60) else {}


_CHOICES = {
    "halMemManagedAdvise": _advise,
    "halMemManagedPrefetch": _prefetch,
    "halMemManagedPrefetchBatch": _batch,
    "halMemManagedRangeGetAttributes": _ask,
    "aclrtMemManagedAdvise": _advise,
    "aclrtMemManagedPrefetchAsync": _prefetch,
    "aclrtMemManagedPrefetchBatchAsync": _batch,
    "aclrtMemManagedGetAttrs": _ask_runtime,
    "aclrtMemManagedGetAttr": _ask_one,
    "device.load": _access,
    "device.store": _access,
    "host.load": _host_access,
    "host.store": _host_access,
    "host.fill": _host_access,
    "drvMemsetD8": _set,
}
