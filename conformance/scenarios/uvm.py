"""Flows of managed memory: the one of the documents, and its accesses from all sides."""

from __future__ import annotations

from halcert.conformance.lab import Lab
from halcert.conformance.managed import (
    HOST,
    advise,
    allocate_managed,
    ask,
    ask_page_by_page,
    at_device,
    fill,
    look,
    look_from,
    peek,
    prefetch,
    prefetch_batch,
)
from halcert.conformance.observe import audit
from halcert.conformance.scenarios.registry import scenarios_of
from halcert.conformance.scenarios.svm import allocate, copy, free, open_all
from halcert.spec.abi.constants import UvmAdvise
from halcert.spec.profiles import GIB
from halcert.spec.svm.flags import DEV
from halcert.spec.svm.flags import HOST as HOST_KIND
from halcert.spec.uvm.pages import PAGE

PLACES = 64
"""Places that a batch may name, by the public driver."""
LARGE_ONES = 8
"""Blocks of 512 GiB that are asked for: together more than all addresses of managed memory."""
MANY = 72
"""Blocks that are there at once where there are many."""


def prefetch_filled_first(lab: Lab) -> None:
    """The flow of the documents with bytes in place before the pages become read-mostly."""
    open_all(lab)
    base = allocate_managed(lab, 4 * PAGE)
    if base is None:
        return
    ask(lab, base, 4 * PAGE)
    fill(lab, base, 4 * PAGE, 1)
    advise(lab, base, 4 * PAGE, UvmAdvise.READ_MOSTLY)
    ask(lab, base, 4 * PAGE)
    for device in lab.setting.devices:
        prefetch(lab, base, 4 * PAGE, at_device(device))
        ask(lab, base, 4 * PAGE)
        audit(lab, device)
    look(lab, base, 4 * PAGE)
    ask(lab, base, 4 * PAGE)
    fill(lab, base + PAGE, PAGE, 2)
    ask(lab, base, 4 * PAGE)
    look(lab, base, 4 * PAGE)
    prefetch(lab, base, 4 * PAGE, HOST)
    look(lab, base, 4 * PAGE)
    free(lab, base)
    audit(lab, *lab.setting.devices)


def prefetch_advised_first(lab: Lab) -> None:
    """The flow in the order in which the documents list its calls: advice, bytes, prefetch."""
    open_all(lab)
    base = allocate_managed(lab, 3 * PAGE)
    if base is None:
        return
    advise(lab, base, 3 * PAGE, UvmAdvise.READ_MOSTLY)
    ask(lab, base, 3 * PAGE)
    fill(lab, base, 3 * PAGE, 7)
    ask(lab, base, 3 * PAGE)
    for device in lab.setting.devices:
        prefetch(lab, base, 3 * PAGE, at_device(device))
    ask(lab, base, 3 * PAGE)
    look(lab, base, 3 * PAGE)
    free(lab, base)


def accessed_from_all_sides(lab: Lab) -> None:
    """Host and devices write and read the same pages in turn; everyone sees the last bytes."""
    open_all(lab)
    base = allocate_managed(lab, 2 * PAGE)
    if base is None:
        return
    sides: tuple[int | None, ...] = (None, *lab.setting.devices)
    for number, writer in enumerate((*sides, *reversed(sides), *sides)):
        fill(lab, base, 2 * PAGE, number, writer)
        for reader in sides:
            look_from(lab, base, 2 * PAGE, reader)
        peek(lab, base, 2 * PAGE)
    ask(lab, base, 2 * PAGE)
    free(lab, base)
    audit(lab, *lab.setting.devices)


def touched_at_random_places(lab: Lab) -> None:
    """A few pages of a large allocation: those between them are not there, and cost nothing."""
    open_all(lab)
    size = 64 * GIB
    base = allocate_managed(lab, size)
    if base is None:
        return
    audit(lab, *lab.setting.devices)
    places = [base + size // 7 * part // PAGE * PAGE for part in range(7)]
    for number, place in enumerate((*places, base + size - PAGE)):
        fill(lab, place, PAGE, number, (None, *lab.setting.devices)[number % 2])
        peek(lab, place + PAGE if place + PAGE < base + size else base + PAGE, PAGE)
    for place in reversed(places):
        look(lab, place, PAGE)
    ask(lab, base, size)
    advise(lab, base, size, UvmAdvise.PREFER_LOCATION, at_device(lab.setting.devices[0]))
    ask(lab, base, size)
    ask_page_by_page(lab, places[3], PAGE)
    free(lab, base)
    audit(lab, *lab.setting.devices)


def batches_of_ranges(lab: Lab) -> None:
    """Prefetch several ranges at once, each to a place of its own."""
    open_all(lab)
    size = 6 * PAGE
    base = allocate_managed(lab, size)
    other = allocate_managed(lab, 2 * PAGE)
    if base is None or other is None:
        return
    fill(lab, base, size, 1)
    fill(lab, other, 2 * PAGE, 2)
    first, last = at_device(lab.setting.devices[0]), at_device(lab.setting.devices[-1])
    ranges = [(base + page * PAGE, PAGE) for page in range(5)]
    for places in ({0: first}, {0: first, 2: last}, {0: last, 1: first, 4: last}, {0: HOST}):
        prefetch_batch(lab, [*ranges, (other, 2 * PAGE)], places)
        ask_page_by_page(lab, base, size)
        ask(lab, other, 2 * PAGE)
        peek(lab, base, size)
    advise(lab, base, size, UvmAdvise.READ_MOSTLY)
    prefetch_batch(lab, ranges, {0: first, 3: last})
    look(lab, base, size)
    look(lab, other, 2 * PAGE)
    prefetch_batch(lab, [(base, PAGE), (base + size, PAGE)], {0: first})
    ask_page_by_page(lab, base, size)
    look(lab, base, size)
    many = [(base + number % 6 * PAGE, PAGE) for number in range(PLACES)]
    prefetch_batch(lab, many, {number: (first, last)[number % 2] for number in range(PLACES)})
    ask_page_by_page(lab, base, size)
    look(lab, base, size)


def new_memory_is_like_new(lab: Lab) -> None:
    """Whatever was set for pages, and wherever they were, goes when they are freed."""
    open_all(lab)
    device = at_device(lab.setting.devices[-1])
    audit(lab, *lab.setting.devices)
    for size in (PAGE, 3 * PAGE, 2 * PAGE, PAGE):
        base = allocate_managed(lab, size)
        if base is None:
            return
        ask_page_by_page(lab, base, size)
        peek(lab, base, size)
        audit(lab, *lab.setting.devices)
        advise(lab, base, size, UvmAdvise.PREFER_LOCATION, device)
        for place in (device, HOST):
            advise(lab, base, size, UvmAdvise.ACCESS_BY_LOCATION, place)
        fill(lab, base, size, size // PAGE, lab.setting.devices[0])
        advise(lab, base, size, UvmAdvise.READ_MOSTLY)
        prefetch(lab, base, size, device)
        look(lab, base, size)
        ask_page_by_page(lab, base, size)
        lab.call("halMemFree", pp=base + PAGE)
        lab.call("halMemFree", pp=base)
        lab.call("halMemFree", pp=base)
        ask(lab, base, size)
        advise(lab, base, size, UvmAdvise.READ_MOSTLY)
        prefetch(lab, base, size, device)
        audit(lab, *lab.setting.devices)


def two_allocations(lab: Lab) -> None:
    """Pages that were only read belong to their allocation alone, as those that were written do."""
    open_all(lab)
    one, other = allocate_managed(lab, 2 * PAGE), allocate_managed(lab, 2 * PAGE)
    if one is None or other is None:
        return
    sides: tuple[int | None, ...] = (None, *lab.setting.devices)
    for base in (one, other):
        look_from(lab, base, PAGE)
        look_from(lab, base + PAGE, PAGE, lab.setting.devices[0])
    for number, side in enumerate(sides):
        fill(lab, one, 2 * PAGE, 3 + number, side)
        fill(lab, other, 2 * PAGE, 30 + number, sides[number - 1])
        look(lab, one, 2 * PAGE)
        look(lab, other, 2 * PAGE)
    free(lab, one)
    look(lab, other, 2 * PAGE)


def asking_changes_nothing(lab: Lab) -> None:
    """Pages that were asked about are not there for that, and attributes stay."""
    open_all(lab)
    base = allocate_managed(lab, 3 * PAGE)
    if base is None:
        return
    fill(lab, base + PAGE, PAGE, 5)
    audit(lab, *lab.setting.devices)
    for _ in range(2):
        ask_page_by_page(lab, base, 3 * PAGE)
        for offset in (0, PAGE + 7, 3 * PAGE - 1):
            lab.call("drvMemGetAttribute", vptr=base + offset, attr=True)
            lab.call("halMemGetAddressRange", ptr=base + offset, pbase=True, psize=True)
        peek(lab, base, 3 * PAGE)
        audit(lab, *lab.setting.devices)
    look(lab, base + PAGE, PAGE)


def _with_one_device_closed(lab: Lab) -> tuple[int, int, int] | None:
    """Return an open device, one that is not, and two managed pages; None if there are none."""
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    if first == last:
        return None
    lab.call("halMemAgentOpen", devid=first, flag=0)
    base = allocate_managed(lab, 2 * PAGE)
    if base is None:
        return None
    fill(lab, base, 2 * PAGE, 1)
    return first, last, base


def prefetched_to_a_closed_device(lab: Lab) -> None:
    """Prefetching to a device that is not open fails, or else it succeeds; bytes are not lost."""
    found = _with_one_device_closed(lab)
    if found is None:
        return
    first, last, base = found
    fill(lab, base + PAGE, PAGE, 2, first)
    prefetch(lab, base, 2 * PAGE, at_device(last))
    ask(lab, base, 2 * PAGE)
    look_from(lab, base, 2 * PAGE)
    advise(lab, base, 2 * PAGE, UvmAdvise.READ_MOSTLY)
    prefetch(lab, base, 2 * PAGE, at_device(last))
    advise(lab, base, 2 * PAGE, UvmAdvise.UNSET_READ_MOSTLY, at_device(last))
    look_from(lab, base, 2 * PAGE)
    look_from(lab, base, 2 * PAGE, first)


def preferring_a_closed_device(lab: Lab) -> None:
    """Pages may prefer a device that is not open; where their one copy stays may depend on it."""
    found = _with_one_device_closed(lab)
    if found is None:
        return
    _, last, base = found
    advise(lab, base, 2 * PAGE, UvmAdvise.READ_MOSTLY)
    advise(lab, base, 2 * PAGE, UvmAdvise.PREFER_LOCATION, at_device(last))
    advise(lab, base, 2 * PAGE, UvmAdvise.READ_MOSTLY)
    ask(lab, base, 2 * PAGE)
    advise(lab, base, 2 * PAGE, UvmAdvise.UNSET_READ_MOSTLY, HOST)
    look_from(lab, base, 2 * PAGE)


def many_allocations(lab: Lab) -> None:
    """Dozens of managed blocks come and go between others; each keeps its own bytes and advice."""
    open_all(lab)
    bases = [allocate_managed(lab, (1 + number % 3) * PAGE) for number in range(MANY)]
    for turn in range(3):
        for number, base in enumerate(bases):
            if base is not None:
                fill(lab, base, PAGE, 1 + number + MANY * turn)
        for number in range(turn, MANY, 3):
            base = bases[number]
            if base is not None:
                device = lab.setting.devices[number % len(lab.setting.devices)]
                prefetch(lab, base, PAGE, at_device(device))
                free(lab, bases[number - 1])
                bases[number - 1] = None
                ask(lab, base, PAGE)
        for base in bases:
            if base is not None:
                look_from(lab, base, PAGE)
        for number in range(turn, MANY, 3):
            bases[number - 1] = allocate_managed(lab, PAGE)
    free(lab, *bases[::-1])


def managed_addresses_run_out(lab: Lab) -> None:
    """Managed memory is larger than any other, until its addresses have been given out."""
    open_all(lab)
    bases = [allocate_managed(lab, 512 * GIB) for _ in range(LARGE_ONES)]
    for base in bases:
        if base is not None:
            fill(lab, base + 512 * GIB - PAGE, PAGE, 5)
            look(lab, base + 512 * GIB - PAGE, PAGE)
    free(lab, *bases)
    again = allocate_managed(lab, PAGE)
    if again is not None:
        ask(lab, again, PAGE)
    free(lab, again)


def devices_use_memory_of_their_own(lab: Lab) -> None:
    """A device writes and reads its own memory as it does managed pages, and then lets go of it."""
    open_all(lab)
    for device in lab.setting.devices:
        audit(lab, device)
        block, host = (
            allocate(lab, 3 * PAGE, DEV, device, huge=1),
            allocate(lab, 3 * PAGE, HOST_KIND),
        )
        if block is None or host is None:
            return
        fill(lab, block, 3 * PAGE, 31, device)
        look_from(lab, block, 3 * PAGE, device)
        fill(lab, block + PAGE - 100, 200, 32, device)
        copy(lab, host, block, 3 * PAGE)
        look(lab, host, 3 * PAGE)
        managed = allocate_managed(lab, PAGE)
        if managed is not None:
            fill(lab, managed, PAGE, 33)
            copy(lab, block, managed, PAGE)
            copy(lab, managed, host, PAGE)
            look_from(lab, block, PAGE, device)
            free(lab, managed)
        free(lab, block, host)
        audit(lab, device)
        lab.call("halMemAgentClose", devid=device, flag=0)


UVM_SCENARIOS = scenarios_of(
    "uvm",
    prefetch_filled_first,
    prefetch_advised_first,
    accessed_from_all_sides,
    two_allocations,
    new_memory_is_like_new,
    batches_of_ranges,
    prefetched_to_a_closed_device,
    preferring_a_closed_device,
    asking_changes_nothing,
    touched_at_random_places,
    many_allocations,
    managed_addresses_run_out,
    devices_use_memory_of_their_own,
)
