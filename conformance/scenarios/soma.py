"""Flows of pools: making, using, trimming and ending them."""

from __future__ import annotations

from halcert.conformance.lab import Lab
from halcert.conformance.managed import fill, look_from
from halcert.conformance.observe import audit, check_all, fill_all
from halcert.conformance.pools import (
    FOR_FREE,
    FOR_MALLOC,
    announce,
    ask,
    destroy,
    free,
    has_device_calls,
    make,
    malloc,
    named,
    place_for,
    properties,
    set_attribute,
    trim,
)
from halcert.conformance.scenarios.registry import scenarios_of
from halcert.conformance.scenarios.svm import allocate, open_all
from halcert.conformance.scenarios.svm import free as free_block
from halcert.conformance.scenarios.transfer import TO_HOST
from halcert.conformance.scenarios.uvm_pressure import filled_up
from halcert.conformance.scenarios.vmm import create, mapped
from halcert.spec.profiles import GIB
from halcert.spec.soma.attributes import RESERVED, RESERVED_MARK, THRESHOLD, USED, USED_MARK
from halcert.spec.soma.memory import PAGE
from halcert.spec.svm.flags import HOST
from halcert.spec.svm.memory import SOMA_SIZE, SOMA_WINDOW

POOL = 8 * PAGE
"""Bytes of most pools here."""


def pool_flow(lab: Lab) -> None:
    """The flow of the documents: a pool, its use by the device, and all of it back."""
    open_all(lab)
    for device in lab.setting.devices:
        audit(lab, device)
        name = named(1 + device, device)
        base = make(lab, 1 + device, device, POOL)
        if base is None:
            continue
        ask(lab, name)
        audit(lab, device)
        if has_device_calls(lab):
            _used_in_turn(lab, name, base, device)
        lab.call("halMemAddressFree", ptr=base)
        destroy(lab, name)
        audit(lab, device)
        destroy(lab, name)
        ask(lab, name)


def _used_in_turn(lab: Lab, name: dict[str, int], base: int, device: int) -> None:
    for first, pages in ((0, 1), (1, 3), (6, 2)):
        malloc(lab, name, base + first * PAGE, pages * PAGE)
        fill_all(lab)
        check_all(lab)
        ask(lab, name)
        audit(lab, device)
    free(lab, name, base + PAGE, 3 * PAGE)
    check_all(lab)
    ask(lab, name)
    audit(lab, device)
    malloc(lab, name, base + 2 * PAGE, 3 * PAGE)
    fill_all(lab)
    check_all(lab)
    ask(lab, name)
    audit(lab, device)
    free(lab, name, base)
    free(lab, name, base + 2 * PAGE, 3 * PAGE)
    check_all(lab)
    ask(lab, name)
    audit(lab, device)


def pools_are_copied_to_the_host(lab: Lab) -> None:
    """Memory of a pool is memory of its device, for the device and for a copy that says so."""
    open_all(lab)
    for device in lab.setting.devices:
        name, base = named(24 + device, device), make(lab, 24 + device, device, POOL)
        host = allocate(lab, PAGE, HOST)
        if base is None or host is None or not has_device_calls(lab):
            return
        malloc(lab, name, base + PAGE, PAGE)
        fill_all(lab)
        fill(lab, base + PAGE, PAGE, 31, device)
        look_from(lab, base + PAGE, PAGE, device)
        if lab.setting.profile.generation == "v2":  # others may not reach it from the host
            copy = {"dst": host, "dst_size": PAGE, "src": base + PAGE, "count": PAGE}
            lab.call("halMemcpy", **copy, info={"dir": TO_HOST, "devid": device})
        check_all(lab)
        destroy(lab, name)


def pool_ranges_are_given_once(lab: Lab) -> None:
    """What is in use is not given out again, in whole or in part, and is freed once, in whole."""
    open_all(lab)
    device = lab.setting.devices[0]
    name, base = named(7, device), make(lab, 7, device, POOL)
    if base is None or not has_device_calls(lab):
        return
    malloc(lab, name, base + 2 * PAGE, 2 * PAGE)
    fill_all(lab)
    for first, pages in ((2, 2), (2, 1), (3, 1), (1, 2), (3, 2), (0, 8)):
        malloc(lab, name, base + first * PAGE, pages * PAGE)
        check_all(lab)
    for first, pages in ((2, 1), (3, 1), (1, 3), (2, 3), (5, 1)):
        free(lab, name, base + first * PAGE, pages * PAGE)
        check_all(lab)
    free(lab, name, base + 2 * PAGE, 2 * PAGE)
    free(lab, name, base + 2 * PAGE, 2 * PAGE)
    free(lab, name, base + 2 * PAGE)
    ask(lab, name)
    for address, size in ((base, PAGE // 2), (base + 4096, PAGE), (base, 0)):
        malloc(lab, name, address, size)
    for address, size in ((base + POOL, PAGE), (base - PAGE, 2 * PAGE), (base, POOL + PAGE)):
        malloc(lab, name, address, size)
    malloc(lab, name, base, POOL)
    ask(lab, name)
    audit(lab, device)
    destroy(lab, name)
    audit(lab, device)


def pools_keep_apart(lab: Lab) -> None:
    """Each pool has its own ranges, marks and end; numbers tell them apart, and devices."""
    open_all(lab)
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    one, other = named(3, first), named(4, last)
    base, place = make(lab, 3, first, POOL), make(lab, 4, last, POOL)
    if base is None or place is None:
        return
    audit(lab, *lab.setting.devices)
    if has_device_calls(lab):
        malloc(lab, one, base, 2 * PAGE)
        malloc(lab, other, place, PAGE)
        fill_all(lab)
        malloc(lab, other, base + 4 * PAGE)
        malloc(lab, one, place + 4 * PAGE)
        free(lab, other, base, 2 * PAGE)
        free(lab, named(9, first), base, 2 * PAGE)
        free(lab, named(3, len(lab.setting.devices)), base, 2 * PAGE)
        malloc(lab, named(9, first), base + 4 * PAGE)
        malloc(lab, named(3, len(lab.setting.devices)), base + 4 * PAGE)
        check_all(lab)
    ask(lab, one)
    ask(lab, other)
    set_attribute(lab, one, int(THRESHOLD), 2 * PAGE)
    ask(lab, one)
    ask(lab, other)
    destroy(lab, named(9, first))
    destroy(lab, named(3, len(lab.setting.devices)))
    destroy(lab, one)
    check_all(lab)
    audit(lab, *lab.setting.devices)
    if has_device_calls(lab):
        malloc(lab, one, base + PAGE)
        free(lab, other, place)
    ask(lab, other)
    again = make(lab, 3, first, POOL)
    ask(lab, one)
    if again is not None and has_device_calls(lab):
        malloc(lab, one, again)
        ask(lab, one)
    destroy(lab, other)
    destroy(lab, one)
    audit(lab, *lab.setting.devices)


def wrong_pool_properties(lab: Lab) -> None:
    """What a pool cannot be made of is refused, one property at a time."""
    open_all(lab)
    device = lab.setting.devices[0]
    base = place_for(lab, POOL, 5)
    if base is None:
        return
    name = named(5, device)
    wrong: tuple[dict[str, int], ...] = (
        {"handle_type": 1},
        {"handle_type": 3},
        {"side": 0},
        {"module_id": 7},
        {"module_id": 0},
        {"pg_type": 0},
        {"mem_type": 1},
        {"maxSize": 0},
        {"maxSize": POOL - 4096},
        {"maxSize": PAGE + 1},
        {"va": base + 4096},
        {"va": 0},
        {"va": 0x7000000000},
        {"va": SOMA_WINDOW + SOMA_SIZE - PAGE},
    )
    for members in wrong:
        prop = properties(device, base, POOL, **members)
        lab.call("halMemPoolCreate", pool=name, prop=prop)
    absent = len(lab.setting.devices)
    for where in (absent, 64, 2**32 - 1):
        prop = properties(where, base, POOL)
        lab.call("halMemPoolCreate", pool=named(5, where), prop=prop)
        destroy(lab, named(5, where))
    right = properties(device, base, POOL)
    lab.call("halMemPoolCreate", pool=name, prop=right)
    lab.call("halMemPoolCreate", pool=named(6, device), prop=right)
    empty = properties(device, base + PAGE, 0)
    lab.call("halMemPoolCreate", pool=named(6, device), prop=empty)
    ask(lab, name)
    destroy(lab, name)


def pool_attributes(lab: Lab) -> None:
    """The threshold is what was set last; marks start anew at 0; the rest cannot be set."""
    open_all(lab)
    device = lab.setting.devices[0]
    name, base = named(2, device), make(lab, 2, device, POOL)
    if base is None:
        return
    for value in (0, PAGE, 3 * PAGE, 2 * PAGE, PAGE + 1, 4096, 2**63, 2**64 - PAGE):
        set_attribute(lab, name, int(THRESHOLD), value)
        ask(lab, name)
    for attribute in map(int, (RESERVED, USED, RESERVED_MARK, USED_MARK)):
        for value in (PAGE, 1, 0):
            set_attribute(lab, name, attribute, value)
            ask(lab, name)
    for attribute in (0, 6, 7):
        set_attribute(lab, name, attribute, 0)
        lab.call("halMemPoolGetAttr", pool=name, attr=attribute, value=True)
    lab.call("halMemPoolGetAttr", pool=name, attr=1, value=False)
    lab.call("halMemPoolSetAttr", pool=name, attr=1, value=None)
    if has_device_calls(lab):
        malloc(lab, name, base, 3 * PAGE)
        free(lab, name, base, 3 * PAGE)
        malloc(lab, name, base, PAGE)
        ask(lab, name)
        for attribute in (int(USED_MARK), int(RESERVED_MARK)):
            set_attribute(lab, name, attribute, 0)
            ask(lab, name)
        malloc(lab, name, base + 5 * PAGE, 2 * PAGE)
        ask(lab, name)
    destroy(lab, name)


def pools_are_trimmed(lab: Lab) -> None:
    """A pool gives back what is free and more than is to be kept; what is in use stays."""
    open_all(lab)
    device = lab.setting.devices[0]
    audit(lab, device)
    name, base = named(6, device), make(lab, 6, device, POOL)
    if base is None or not has_device_calls(lab):
        return
    for keep in (0, PAGE, 2 * PAGE, 3 * PAGE, 5 * PAGE, POOL, 2 * POOL):
        malloc(lab, name, base, 2 * PAGE)
        malloc(lab, name, base + 2 * PAGE, PAGE)
        malloc(lab, name, base + 3 * PAGE, 2 * PAGE)
        fill_all(lab)
        free(lab, name, base, 2 * PAGE)
        free(lab, name, base + 3 * PAGE, 2 * PAGE)
        audit(lab, device)
        trim(lab, name, keep)
        audit(lab, device)
        check_all(lab)
        malloc(lab, name, base + PAGE, PAGE)
        audit(lab, device)
        trim(lab, name, keep + 4096)
        lab.call("halMemPoolTrim", pool=name, reservedSize=None, usedSize=0, freeSize=0)
        free(lab, name, base + PAGE, PAGE)
        free(lab, name, base + 2 * PAGE, PAGE)
        trim(lab, name, keep)
        audit(lab, device)
    lab.call("halMemPoolTrim", pool=named(99, device), reservedSize=0, usedSize=0, freeSize=0)
    destroy(lab, name)
    audit(lab, device)


def pool_announcements(lab: Lab) -> None:
    """Ranges are announced before a malloc and taken back before a free, whole and once."""
    open_all(lab)
    device = lab.setting.devices[0]
    name, base = named(8, device), make(lab, 8, device, POOL)
    if base is None:
        return
    announce(lab, name, base, 2 * PAGE, FOR_MALLOC)
    announce(lab, name, base + PAGE, 0, FOR_MALLOC)
    announce(lab, name, base, 1, FOR_MALLOC)
    for first, pages in ((0, 2), (1, 1), (1, 2), (2, 1), (7, 1), (7, 2)):
        announce(lab, name, base + first * PAGE, pages * PAGE, FOR_MALLOC)
    if has_device_calls(lab):
        malloc(lab, name, base, 2 * PAGE)
        fill_all(lab)
        check_all(lab)
    for first, pages in ((1, 1), (0, 1), (3, 1), (0, 2), (0, 2)):
        announce(lab, name, base + first * PAGE, pages * PAGE, FOR_FREE)
    for size, flag in ((PAGE, 2), (0, FOR_MALLOC), (4096, FOR_MALLOC), (2 * POOL, FOR_MALLOC)):
        announce(lab, name, base, size, flag)
    announce(lab, named(88, device), base, PAGE, FOR_MALLOC)
    announce(lab, name, base, PAGE, FOR_MALLOC)
    destroy(lab, name)


def pools_end_with_live_memory(lab: Lab) -> None:
    """A pool that ends, or whose device is closed, takes what is in use with it."""
    open_all(lab)
    for device in lab.setting.devices:
        audit(lab, device)
        for round_number in range(3):
            number = 10 + 3 * device + round_number
            name, base = named(number, device), make(lab, number, device, POOL)
            if base is None or not has_device_calls(lab):
                return
            malloc(lab, name, base, 3 * PAGE)
            malloc(lab, name, base + 4 * PAGE, 2 * PAGE)
            free(lab, name, base, 3 * PAGE)
            fill_all(lab)
            audit(lab, device)
            if round_number == 1:
                lab.call("halMemAgentClose", devid=device, flag=0)
                lab.call("halMemAgentOpen", devid=device, flag=0)
            destroy(lab, name)
            free(lab, name, base + 4 * PAGE, 2 * PAGE)
            audit(lab, device)


def devices_are_closed_with_pools(lab: Lab) -> None:
    """Closing a device ends its pools; memory is had and given back as before, and so are pools."""
    open_all(lab)
    for device in lab.setting.devices:
        number = 40 + device
        if make(lab, number, device, POOL) is None:
            return
        lab.call("halMemAgentClose", devid=device, flag=0)
        lab.call("halMemAgentOpen", devid=device, flag=0)
        free_block(lab, allocate(lab, PAGE, device=device))
        make(lab, number, device, POOL, slot=50 + device)
        destroy(lab, named(number, device))


def numbers_of_pools_are_used_again(lab: Lab) -> None:
    """A pool of a number that there was is a new one, whatever was asked of the one before."""
    open_all(lab)
    device = lab.setting.devices[0]
    name, base = named(60, device), 0
    for slot in (60, 61, 62):
        base = make(lab, 60, device, POOL, slot) or 0
        if base == 0:
            return
        announce(lab, name, base + PAGE, PAGE, FOR_MALLOC)
        for other in lab.setting.devices[1:]:
            announce(lab, named(60, other), base, PAGE, FOR_MALLOC)
        set_attribute(lab, name, THRESHOLD, PAGE)
        ask(lab, name)
        destroy(lab, name)
        place_for(lab, POOL, slot + 10)  # so that the next one is somewhere else
    announce(lab, name, base, PAGE, FOR_MALLOC)
    destroy(lab, name)


def places_outlive_refused_pools(lab: Lab) -> None:
    """Where no pool could be made, addresses are as before: memory is mapped there, and they go.

    Whether it is a wrong property or the device that says no makes no difference.
    """
    if lab.setting.profile.generation == "v2":
        return  # its pools lie in a window that nobody reserves
    open_all(lab)
    device = lab.setting.devices[0]
    audit(lab, device)
    for number in range(70, 76):
        place = place_for(lab, POOL, number)
        module = {"module_id": 7} if number % 2 == 0 else {}
        if place is None:
            continue
        prop = properties(device, place, POOL, **module)
        lab.call("halMemPoolCreate", pool=named(number, device), prop=prop)
        if lab.view().pools.at(number).exists:
            destroy(lab, named(number, device))
            continue
        _used_for_mapping(lab, place, device)
        lab.call("halMemAddressFree", ptr=place)
        audit(lab, device)


def _used_for_mapping(lab: Lab, place: int, device: int) -> None:
    handle = create(lab, PAGE, device, pg_type=1)
    if handle is None:
        return
    mapped(lab, place + PAGE, PAGE, handle)
    lab.call("drvMemGetAttribute", vptr=place + PAGE, attr=True)
    fill_all(lab)
    check_all(lab)
    lab.call("halMemUnmap", ptr=place + PAGE)
    lab.call("halMemRelease", handle=handle)


def pools_run_out_of_memory(lab: Lab) -> None:
    """Where the device has no memory left, a malloc fails and takes nothing."""
    open_all(lab)
    device = lab.setting.devices[0]
    audit(lab, device)
    size = 16 * PAGE
    name, base = named(20, device), make(lab, 20, device, size)
    if base is None or not has_device_calls(lab):
        return
    malloc(lab, name, base, PAGE)
    fill_all(lab)
    blocks = filled_up(lab, device)
    for first in range(1, 16, 3):
        malloc(lab, name, base + first * PAGE, min(3, 16 - first) * PAGE)
        ask(lab, name)
        audit(lab, device)
    check_all(lab)
    # The last ones are small, so that they may be kept for the next allocation of their size.
    free_block(lab, *blocks[-2:])
    malloc(lab, name, base + 13 * PAGE, 3 * PAGE)
    free_block(lab, *blocks[:-2])
    malloc(lab, name, base + 12 * PAGE)
    fill_all(lab)
    check_all(lab)
    destroy(lab, name)
    audit(lab, device)
    lab.call("halMemAgentClose", devid=device, flag=0)
    lab.call("halMemAgentOpen", devid=device, flag=0)
    audit(lab, device)


def large_pools(lab: Lab) -> None:
    """A pool may be larger than what is used of it; addresses cost no memory."""
    open_all(lab)
    device = lab.setting.devices[0]
    audit(lab, device)
    name, base = named(30, device), make(lab, 30, device, GIB)
    host = allocate(lab, PAGE, HOST)
    if base is None or host is None:
        return
    audit(lab, device)
    if has_device_calls(lab):
        malloc(lab, name, base + GIB - PAGE)
        malloc(lab, name, base + GIB // 2, 2 * PAGE)
        fill_all(lab)
        check_all(lab)
    ask(lab, name)
    free_block(lab, base, base + GIB - PAGE)
    destroy(lab, name)
    audit(lab, device)


SOMA_SCENARIOS = scenarios_of(
    "soma",
    pool_flow,
    pools_are_copied_to_the_host,
    pool_ranges_are_given_once,
    pools_keep_apart,
    wrong_pool_properties,
    pool_attributes,
    pools_are_trimmed,
    pool_announcements,
    pools_end_with_live_memory,
    devices_are_closed_with_pools,
    numbers_of_pools_are_used_again,
    places_outlive_refused_pools,
    pools_run_out_of_memory,
    large_pools,
)
