"""Managed memory under pressure: devices are filled up, and work on more than is left."""

from __future__ import annotations

from halcert.conformance.accounts import HBM_SIZE
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
    set_bytes,
)
from halcert.conformance.observe import audit
from halcert.conformance.scenarios.registry import scenarios_of
from halcert.conformance.scenarios.svm import allocate, free, open_all
from halcert.spec.abi.constants import UvmAdvise
from halcert.spec.profiles import MIB, TIB
from halcert.spec.svm.flags import DEV
from halcert.spec.uvm.pages import PAGE

LEFT = 8 * MIB
"""Memory that a device is left with (bytes)."""
PAGES = 24
"""Pages of a working set, several times what is left."""
ATTEMPTS = 64
"""Allocations by which a device is filled up, at most."""


def free_bytes(lab: Lab, device: int) -> int:
    """Return how much memory a device says is free, 0 if it does not say."""
    result = lab.call("halMemGetInfo", device=device, type=HBM_SIZE, info={})
    if result is None or result.code != 0:
        return 0
    info = result.info  # type: ignore[attr-defined]
    return int(info.free + info.huge_free)


def filled_up(lab: Lab, device: int, left: int = LEFT) -> list[int]:
    """Allocate device memory until only so many bytes are left, in parts as large as can be had."""
    blocks: list[int] = []
    size = TIB
    for _ in range(ATTEMPTS):
        room = free_bytes(lab, device) - left
        while size > max(room, PAGE):
            size //= 2
        block = allocate(lab, size, DEV, device, huge=1) if room >= PAGE else None
        if block is not None:
            blocks.append(block)
        elif room < PAGE or size <= PAGE:
            break
        else:
            size //= 2
    return blocks


def device_works_on_more_than_fits(lab: Lab) -> None:
    """A device writes and reads a working set several times its memory, over and over."""
    open_all(lab)
    size = PAGES * PAGE
    for device in lab.setting.devices:
        audit(lab, device)
        blocks = filled_up(lab, device)
        base = allocate_managed(lab, size)
        if base is not None:
            fill(lab, base, size, 1, device)
            look_from(lab, base, size, device)
            for start in range(0, size, 5 * PAGE):
                fill(lab, base + start, PAGE, 2 + start // PAGE, device)
                look_from(lab, base + (start + size // 2) % size, PAGE)
            look_from(lab, base, size, device)
            peek(lab, base, size)
            look_from(lab, base, size)
            ask(lab, base, size)
            free(lab, base)
        free(lab, *blocks)
        audit(lab, device)


def pages_fit_in_what_is_left(lab: Lab) -> None:
    """Once others give memory back, it shows that managed pages had no more than was left."""
    open_all(lab)
    size = 4 * PAGES * PAGE
    device = lab.setting.devices[0]
    audit(lab, device)
    blocks = filled_up(lab, device)
    base = allocate_managed(lab, size)
    if base is not None:
        fill(lab, base, size, 1)
        prefetch(lab, base, size, at_device(device))  # where no program is there to touch them
        fill(lab, base, size, 2, device)
        audit(lab, device)
        free(lab, *blocks)
        audit(lab, device)
        look_from(lab, base, size, device)
        audit(lab, device)
        free(lab, base)
    audit(lab, device)


def swapping_keeps_attributes(lab: Lab) -> None:
    """Pages that were handed back to the host keep what was set for them, and their bytes."""
    open_all(lab)
    size = PAGES * PAGE
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    blocks = filled_up(lab, first)
    base = allocate_managed(lab, size)
    if base is not None:
        fill(lab, base, size, 3)
        advise(lab, base, size // 2, UvmAdvise.PREFER_LOCATION, at_device(first))
        advise(lab, base + size // 4, size // 2, UvmAdvise.ACCESS_BY_LOCATION, at_device(first))
        prefetch(lab, base, size, at_device(first))
        fill(lab, base, size, 4, first)
        ask_page_by_page(lab, base, size)
        look_from(lab, base, size, first)
        look_from(lab, base, size, last)
        ask_page_by_page(lab, base, size)
        set_bytes(lab, base + PAGE // 2, size - PAGE, 0x44)
        peek(lab, base, size)
        look(lab, base, size)
        free(lab, base)
    free(lab, *blocks)
    audit(lab, *lab.setting.devices)


def replicas_that_do_not_fit(lab: Lab) -> None:
    """Read-mostly pages, more than any device can hold, are read by all of them."""
    open_all(lab)
    size = PAGES * PAGE
    blocks = [block for device in lab.setting.devices for block in filled_up(lab, device)]
    base = allocate_managed(lab, size)
    if base is not None:
        fill(lab, base, size, 5)
        advise(lab, base, size, UvmAdvise.READ_MOSTLY)
        for device in lab.setting.devices:
            prefetch(lab, base, size, at_device(device))
            look_from(lab, base, size, device)
        look(lab, base, size)
        ask(lab, base, size)
        fill(lab, base + 3 * PAGE, PAGE, 6, lab.setting.devices[-1])
        fill(lab, base + 7 * PAGE, PAGE, 7)
        ask_page_by_page(lab, base, 8 * PAGE)
        look(lab, base, 8 * PAGE)
        prefetch(lab, base, size, HOST)
        look(lab, base, size)
        free(lab, base)
    free(lab, *blocks)
    audit(lab, *lab.setting.devices)


def freed_under_pressure(lab: Lab) -> None:
    """Working sets come and go on a full device; each gives back what it took."""
    open_all(lab)
    device = lab.setting.devices[0]
    blocks = filled_up(lab, device)
    for turn in range(4):
        bases = [allocate_managed(lab, (4 + turn) * PAGE) for _ in range(2)]
        sets = [base for base in bases if base is not None]
        for number, base in enumerate(sets):
            fill(lab, base, (4 + turn) * PAGE, 8 + number, device)
        for base in sets:
            look_from(lab, base, (4 + turn) * PAGE, device)
            look_from(lab, base, 2 * PAGE)
        free(lab, *sets)
        audit(lab, device)
    free(lab, *blocks)
    audit(lab, device)


def no_room_for_a_single_page(lab: Lab) -> None:
    """A device without any memory left may fail to access pages, which stay what they were."""
    open_all(lab)
    size = 3 * PAGE
    device = lab.setting.devices[0]
    base = allocate_managed(lab, size)
    if base is None:
        return
    fill(lab, base, size, 1)
    spare = allocate(lab, PAGE, DEV, device, huge=1)
    blocks = filled_up(lab, device, left=0)
    look_from(lab, base, size, device)
    look_from(lab, base, size)
    ask_page_by_page(lab, base, size)
    fill(lab, base + 2 * PAGE, PAGE, 3, device)
    look_from(lab, base, 2 * PAGE)
    peek(lab, base, 2 * PAGE)
    fill(lab, base, size, 4)
    look_from(lab, base, size)
    free(lab, spare)  # a driver may keep it for later, and is to give it up now
    fill(lab, base + 2 * PAGE, PAGE, 6, device)
    look_from(lab, base, size)
    free(lab, *blocks)
    audit(lab, device)
    fill(lab, base + PAGE, PAGE, 5, device)
    look(lab, base, size)
    free(lab, base)
    audit(lab, device)


UVM_PRESSURE_SCENARIOS = scenarios_of(
    "uvm",
    device_works_on_more_than_fits,
    pages_fit_in_what_is_left,
    swapping_keeps_attributes,
    replicas_that_do_not_fit,
    freed_under_pressure,
    no_room_for_a_single_page,
)
