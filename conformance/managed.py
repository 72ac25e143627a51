"""Calls about managed memory, as flows and machines make them."""

from __future__ import annotations

from typing import Any

from halcert.conformance.lab import Lab
from halcert.conformance.observe import look_by_copy
from halcert.spec.abi.constants import RangeAttribute, UvmAdvise, UvmLocation
from halcert.spec.svm.flags import UVM, AllocFlags
from halcert.spec.uvm.pages import PAGE

Place = dict[str, int]
NOWHERE: Place = {"type": 0, "id": 0}
HOST: Place = {"type": int(UvmLocation.DRV_UVM_LOCATION_TYPE_HOST), "id": 0}
NODE: Place = {"type": int(UvmLocation.DRV_UVM_LOCATION_TYPE_HOST_NUMA), "id": 0}
MANAGED = AllocFlags.compose(virt=UVM, huge=1)
ATTRIBUTES = tuple(
    int(each) for each in RangeAttribute if 0 < each < RangeAttribute.MEM_RANGE_ATTR_MAX
)
ACCESSED = int(RangeAttribute.MEM_RANGE_ATTR_ACCESS_BY)
ACCESSORS = 6
"""Numbers for which there is room when it is asked who accesses pages."""
PART = 64
"""Bytes at either end of a page by which its contents are told."""


def at_device(device: int) -> Place:
    """Return a device as a place for pages."""
    return {"type": int(UvmLocation.DRV_UVM_LOCATION_TYPE_DEVICE), "id": device}


def allocate_managed(lab: Lab, size: int, process: int = 0) -> int | None:
    """Allocate managed memory and return its address, or None if that was refused."""
    result: Any = lab.call("halMemAlloc", process, pp=True, size=size, flag=MANAGED)
    return None if result is None or result.code != 0 else int(result.pp)


def advise(lab: Lab, base: int, size: int, advice: UvmAdvise, place: Place = NOWHERE) -> Any:
    """Give advice about a range."""
    return lab.call("halMemManagedAdvise", ptr=base, size=size, advise=int(advice), location=place)


def prefetch(lab: Lab, base: int, size: int, place: Place) -> Any:
    """Prefetch a range to a place."""
    return lab.call("halMemManagedPrefetch", ptr=base, size=size, location=place, flags=0)


def prefetch_batch(lab: Lab, ranges: list[tuple[int, int]], places: dict[int, Place]) -> Any:
    """Prefetch ranges, each from a number on to the place that the number has."""
    return lab.call(
        "halMemManagedPrefetchBatch",
        ptrs=[base for base, _ in ranges],
        sizes=[size for _, size in ranges],
        count=len(ranges),
        prefetchLocs=list(places.values()),
        prefetchLocIdxs=list(places),
        numPrefetchLocs=len(places),
        flags=0,
    )


def ask(lab: Lab, base: int, size: int, *attributes: int) -> Any:
    """Ask for attributes of a range, for all of them if none is named."""
    asked = list(attributes or ATTRIBUTES)
    return lab.call(
        "halMemManagedRangeGetAttributes",
        data=[True] * len(asked),
        data_sizes=[4 * ACCESSORS if each == ACCESSED else 4 for each in asked],
        attributes=asked,
        attribute_num=len(asked),
        ptr=base,
        size=size,
    )


def ask_page_by_page(lab: Lab, base: int, size: int) -> None:
    """Ask for all attributes of each page of a range, and of the range."""
    for page in range(base, base + size, PAGE):
        ask(lab, page, PAGE)
    ask(lab, base, size)


def parts(base: int, size: int) -> list[int]:
    """Return where the contents of the pages of a range are looked at: at both ends of each."""
    return [
        place for page in range(base, base + size, PAGE) for place in (page, page + PAGE - PART)
    ]


def fill(lab: Lab, base: int, size: int, pattern: int, device: int | None = None) -> None:
    """Write to the pages of a range, from the host or from a device.

    Every page gets bytes of its own, so that a page in place of another is seen.
    """
    for place in parts(base, size):
        offset = place - base
        if device is None:
            lab.call("host.store", address=place, size=PART, pattern=pattern, offset=offset)
        elif lab.setting.session.offers("device.store"):
            lab.call(
                "device.store",
                device=device,
                address=place,
                size=PART,
                pattern=pattern,
                offset=offset,
            )


def look_from(lab: Lab, base: int, size: int, device: int | None = None) -> None:
    """Read the pages of a range from the host or from a device.

    Raises:
        Broken: a byte is not what was written last.
    """
    for place in parts(base, size):
        if device is None:
            lab.call("host.load", address=place, size=PART)
        elif lab.setting.session.offers("device.load"):
            lab.call("device.load", device=device, address=place, size=PART)


def peek(lab: Lab, base: int, size: int) -> None:
    """Copy from the pages of a range to the host and look at that; the pages do not move.

    Raises:
        Broken: a byte is not what was written last.
    """
    for place in parts(base, size):
        look_by_copy(lab, place, PART)


def set_bytes(lab: Lab, base: int, size: int, value: int) -> Any:
    """Set bytes by a call."""
    return lab.call("drvMemsetD8", dst=base, destMax=size, value=value, num=size)


def look(lab: Lab, base: int, size: int) -> None:
    """Read the pages of a range from every device and from the host, one after the other.

    Raises:
        Broken: a byte is not what was written last.
    """
    for device in (*lab.setting.devices, None):
        look_from(lab, base, size, device)
