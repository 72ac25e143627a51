"""Flows of managed memory of the runtime: advice, prefetching on streams, and what is told."""

from __future__ import annotations

from typing import Any

from halcert.conformance.lab import Lab
from halcert.conformance.managed import (
    ACCESSED,
    ACCESSORS,
    ATTRIBUTES,
    HOST,
    NODE,
    NOWHERE,
    Place,
    at_device,
    fill,
    look_from,
)
from halcert.conformance.streams import managed_memory, plain_memory, stream, sync, use
from halcert.spec.abi.constants import UvmAdvise
from halcert.spec.uvm.pages import PAGE, WINDOW

COUNT = 4
"""Pages of an allocation."""
SIZE = COUNT * PAGE
CURRENT = {"type": 4, "id": 0}


def advise(lab: Lab, base: int, size: int, advice: int, place: Place = NOWHERE) -> None:
    """Give advice about a range."""
    args: dict[str, Any] = {"ptr": base, "size": size, "advise": int(advice), "location": place}
    lab.call("aclrtMemManagedAdvise", **args)


def prefetch(lab: Lab, where: int, base: int, size: int, place: Place) -> None:
    """Bring a range to a place in the order of a stream."""
    args: dict[str, Any] = {"ptr": base, "size": size, "location": place, "flags": 0}
    lab.call("aclrtMemManagedPrefetchAsync", **args, stream=where)


def batch(
    lab: Lab, where: int, ranges: list[tuple[int, int]], places: dict[int, Place], **more: Any
) -> None:
    """Bring ranges, each from a number on to the place that the number has."""
    args: dict[str, Any] = {
        "ptrs": [base for base, _ in ranges],
        "sizes": [size for _, size in ranges],
        "count": len(ranges),
        "prefetchLocs": list(places.values()),
        "prefetchLocIdxs": list(places),
        "numPrefetchLocs": len(places),
        "flags": 0,
        "stream": where,
    }
    lab.call("aclrtMemManagedPrefetchBatchAsync", **{**args, **more})


def ask(lab: Lab, base: int, size: int) -> None:
    """Ask for every attribute of a range, all at a time and one by one."""
    args: dict[str, Any] = {"ptr": base, "size": size}
    sizes = [4 * ACCESSORS if each == ACCESSED else 4 for each in ATTRIBUTES]
    lab.call(
        "aclrtMemManagedGetAttrs",
        **args,
        attributes=list(ATTRIBUTES),
        numAttributes=len(ATTRIBUTES),
        data=[True] * len(ATTRIBUTES),
        dataSizes=sizes,
    )
    for each in ATTRIBUTES:
        lab.call("aclrtMemManagedGetAttr", **args, attribute=each, data=True, dataSize=4)


def ask_page_by_page(lab: Lab, base: int, size: int) -> None:
    """Ask for all attributes of each page of a range, and of the range."""
    for page in range(base, base + size, PAGE):
        ask(lab, page, PAGE)
    ask(lab, base, size)


def advice_is_told(lab: Lab) -> None:
    """What was advised of some pages is told of these, and of all once it holds for all."""
    devices = [at_device(device) for device in lab.setting.devices]
    use(lab, lab.setting.devices[-1])
    use(lab, lab.setting.devices[0])
    block = managed_memory(lab, SIZE)
    if block is None:
        return
    fill(lab, block, SIZE, 17)
    ask_page_by_page(lab, block, SIZE)
    for place in (*devices, HOST):
        for base, size in ((block + PAGE, 2 * PAGE), (block, SIZE)):
            for advice in (UvmAdvise.PREFER_LOCATION, UvmAdvise.ACCESS_BY_LOCATION):
                advise(lab, base, size, advice, place)
                ask_page_by_page(lab, block, SIZE)
        advise(lab, block + PAGE, PAGE, UvmAdvise.UNSET_PREFER_LOCATION)
        advise(lab, block, PAGE, UvmAdvise.UNSET_ACCESS_BY_LOCATION, place)
        ask_page_by_page(lab, block, SIZE)
    for advice in (UvmAdvise.READ_MOSTLY, UvmAdvise.UNSET_READ_MOSTLY):
        for base, size in ((block + PAGE, 2 * PAGE), (block, SIZE)):
            advise(lab, base, size, advice)
            ask_page_by_page(lab, block, SIZE)
    look_from(lab, block, SIZE)
    lab.call("aclrtFree", devPtr=block)


def prefetching_keeps_the_bytes(lab: Lab) -> None:
    """Pages that streams bring here and there hold what they held."""
    places = [at_device(device) for device in lab.setting.devices]
    use(lab, lab.setting.devices[-1])
    use(lab, lab.setting.devices[0])
    first, second = stream(lab), stream(lab)
    block = managed_memory(lab, SIZE)
    if block is None:
        return
    for turn, place in enumerate((*places, HOST)):
        fill(lab, block, SIZE, 60 + turn)
        prefetch(lab, first, block, SIZE, place)
        prefetch(lab, second, block + PAGE, PAGE, HOST)
        lab.call("aclrtFree", devPtr=block)
        sync(lab, first)
        sync(lab, second)
        ask(lab, block, SIZE)
        look_from(lab, block, SIZE)
        ranges = [(block + page * PAGE, PAGE) for page in range(COUNT)]
        batch(lab, first, ranges, {0: place, 1: HOST, 3: places[-1]})
        batch(lab, 0, ranges[:1], {0: place})
        lab.call("aclrtFree", devPtr=block)
        sync(lab, first)
        sync(lab, 0)
        look_from(lab, block, SIZE)
    lab.call("aclrtFree", devPtr=block)


def advice_stops_at_the_end(lab: Lab) -> None:
    """Pages before the end of an allocation follow the advice; a node need not be there."""
    use(lab, lab.setting.devices[0])
    block = managed_memory(lab, SIZE)
    if block is None:
        return
    advise(lab, block, PAGE, UvmAdvise.PREFER_LOCATION, {**NODE, "id": 1})
    last = block + SIZE - PAGE
    advise(lab, last, 2 * PAGE, UvmAdvise.READ_MOSTLY)
    ask(lab, last, PAGE)


def managed_calls_want_a_device(lab: Lab) -> None:
    """A thread that works with no device brings no pages anywhere, whatever streams there are."""
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    if first == last or not use(lab, first):
        return
    where = stream(lab)
    use(lab, last)
    lab.call("aclrtResetDevice", deviceId=last)
    prefetch(lab, where, WINDOW, PAGE, at_device(first))
    batch(lab, where, [(WINDOW, PAGE)], {0: at_device(first)})


def managed_calls_are_made_rightly(lab: Lab) -> None:
    """What names no pages, no place or no attribute is refused."""
    here = at_device(lab.setting.devices[0])
    nowhere = WINDOW + 2**40
    advise(lab, nowhere, PAGE, UvmAdvise.READ_MOSTLY)
    prefetch(lab, 0, nowhere, PAGE, here)
    batch(lab, 0, [(nowhere, PAGE)], {0: here})
    use(lab, lab.setting.devices[-1])
    other = stream(lab)
    use(lab, lab.setting.devices[0])
    where, plain = stream(lab), plain_memory(lab, PAGE)
    block = managed_memory(lab, SIZE)
    known = nowhere if block is None else block
    for base, size in ((0, PAGE), (known, 0), (plain or 4096, PAGE), (known + 16 * PAGE, PAGE)):
        advise(lab, base, size, UvmAdvise.READ_MOSTLY)
        prefetch(lab, where, base, size, here)
        ask(lab, base, size)
    advise(lab, known + 3 * PAGE, 2 * PAGE, UvmAdvise.READ_MOSTLY)
    ask(lab, known + 3 * PAGE, 2 * PAGE)
    ask(lab, known, SIZE)
    for place in (here, HOST, NODE, NOWHERE, CURRENT, at_device(10_000), at_device(-1)):
        for advice in (*map(int, UvmAdvise), 6):
            advise(lab, known, PAGE, advice, place)
        prefetch(lab, where, known, PAGE, place)
        batch(lab, where, [(known, PAGE)], {0: place})
        sync(lab, where)
    args: dict[str, Any] = {"ptr": known, "size": PAGE, "location": here}
    for flags, on in ((1, where), (0, other), (0, 12_345)):
        lab.call("aclrtMemManagedPrefetchAsync", **args, flags=flags, stream=on)
    _batches_are_made_rightly(lab, known, where, here)
    for on in (other, 12_345):
        batch(lab, on, [(known, PAGE)], {0: here})
    _questions_are_asked_rightly(lab, known)
    sync(lab, where)


def _batches_are_made_rightly(lab: Lab, block: int, where: int, here: Place) -> None:
    ranges = [(block, PAGE), (block + PAGE, PAGE), (block + 2 * PAGE, PAGE)]
    changes: tuple[dict[str, Any], ...] = (
        {"ptrs": None},
        {"sizes": None},
        {"prefetchLocs": None},
        {"prefetchLocIdxs": None},
        {"count": 0},
        {"count": 1},
        {"numPrefetchLocs": 0},
        {"flags": 1},
        {"prefetchLocIdxs": [1, 2]},
        {"prefetchLocIdxs": [0, 0]},
        {"prefetchLocIdxs": [0, 3]},
        {"ptrs": [block, 0, block]},
    )
    for change in changes:
        batch(lab, where, ranges, {0: here, 2: HOST}, **change)


def _questions_are_asked_rightly(lab: Lab, block: int) -> None:
    good: dict[str, Any] = {"attribute": 1, "ptr": block, "size": PAGE, "data": True, "dataSize": 4}
    for change in ({"attribute": 0}, {"attribute": 9}, {"data": False}, {"dataSize": 3}):
        lab.call("aclrtMemManagedGetAttr", **{**good, **change})
    good = {"attributes": [1, 2], "numAttributes": 2, "ptr": block, "size": PAGE}
    good |= {"data": [True, True], "dataSizes": [4, 4]}
    changes: tuple[dict[str, Any], ...] = (
        {"attributes": None},
        {"data": None},
        {"dataSizes": None},
        {"numAttributes": 0},
        {"numAttributes": 3},
        {"attributes": [1, 0]},
        {"attributes": [1, 9]},
        {"dataSizes": [4, 8]},
        {"dataSizes": [0, 4]},
    )
    for change in changes:
        lab.call("aclrtMemManagedGetAttrs", **{**good, **change})


MANAGED_FLOWS = (
    advice_is_told,
    prefetching_keeps_the_bytes,
    managed_calls_are_made_rightly,
    managed_calls_want_a_device,
    advice_stops_at_the_end,
)
