"""Flows of physical memory of one process: addresses, mapping, access and references."""

from __future__ import annotations

from typing import Any

from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all
from halcert.conformance.physical import (
    HUGE,
    KINDS,
    ON_DEVICE,
    ON_HOST,
    READ_WRITE,
    ask_access,
    free_physical,
    give_access,
    map_memory,
    mapped,
    physical,
    place_of,
    properties,
    release,
    reserve,
    unmap,
)
from halcert.conformance.scenarios.physical_sharing import PHYSICAL_SHARING_FLOWS
from halcert.conformance.scenarios.registry import gave, scenarios_of
from halcert.conformance.scenarios.runtime import locate
from halcert.conformance.streams import (
    copy,
    device_memory,
    host_memory,
    load,
    pool,
    store,
    use,
)
from halcert.spec.abi.acl.constants import AclrtMemAttr
from halcert.spec.profiles import GIB, TIB
from halcert.spec.soma.memory import PAGE

SIZE = 2 * PAGE
ON_NUMA = 4
NEVER = 0x10_0000
"""No address that is ever reserved."""


def granularity(lab: Lab, prop: dict[str, int] | None, option: int = 0) -> None:
    """Ask of what the size of physical memory must be a multiple."""
    args: dict[str, Any] = {"prop": prop, "option": option, "granularity": True}
    lab.call("aclrtMemGetAllocationGranularity", **args)


def tell_properties(lab: Lab, handle: int) -> None:
    """Ask for the properties of physical memory."""
    lab.call("aclrtMemGetAllocationPropertiesFromHandle", handle=handle, prop=True)


def retain(lab: Lab, address: int) -> int | None:
    """Get a further reference to what is mapped, and return the handle or None."""
    return gave(lab.call("aclrtMemRetainAllocationHandle", virPtr=address, handle=True), "handle")


def pair(lab: Lab, size: int, device: int) -> tuple[int, int] | None:
    """Return physical memory and the addresses at which it is mapped, or None."""
    handle = physical(lab, size, properties(device))
    address = None if handle is None else mapped(lab, handle, size)
    return None if handle is None or address is None else (handle, address)


def memory_is_mapped_used_and_given_back(lab: Lab) -> None:
    """The flow of the documents: addresses, memory, a mapping, its use, and all of it back."""
    for device in lab.setting.devices:
        use(lab, device)
        audit(lab, device)
        for kind in sorted(set(KINDS)):
            prop = properties(device, kind)
            granularity(lab, prop)
            granularity(lab, prop, 1)
            place, handle, host = (
                reserve(lab, SIZE, flags=kind % 2),
                physical(lab, SIZE, prop),
                host_memory(lab, SIZE),
            )
            if place is None or handle is None or host is None:
                continue
            tell_properties(lab, handle)
            retain(lab, place)
            map_memory(lab, place, SIZE, handle)
            give_access(lab, place, SIZE, device)
            for each in (*lab.setting.devices, None):
                ask_access(lab, place, each)
            locate(lab, place, place + SIZE - 1)
            store(lab, host, SIZE, 31 + kind)
            copy(lab, place, host, SIZE)
            check_all(lab)
            lab.call("aclrtMemset", devPtr=place + 4095, maxCount=2, value=7, count=2)
            check_all(lab)
            audit(lab, device)
            free_physical(lab, handle)
            check_all(lab)
            release(lab, place)
            unmap(lab, place)
            unmap(lab, place)
            release(lab, place)
            release(lab, place)
            lab.call("aclrtFreeHost", hostPtr=host)
            audit(lab, device)


def bytes_stay_with_physical_memory(lab: Lab) -> None:
    """Unmapped and mapped elsewhere, memory has the bytes that it had."""
    device = lab.setting.devices[-1]
    use(lab, device)
    found, other = pair(lab, PAGE, device), reserve(lab, 3 * PAGE)
    if found is None or other is None:
        return
    handle, place = found
    lab.call("aclrtMemset", devPtr=place, maxCount=PAGE, value=0x3C, count=PAGE)
    for where in (other, other + PAGE, place, other + 2 * PAGE):
        unmap(lab, place)
        map_memory(lab, where, PAGE, handle)
        check_all(lab)
        unmap(lab, where)
        map_memory(lab, place, PAGE, handle)
    unmap(lab, place)
    free_physical(lab, handle)


def each_reservation_has_memory_of_its_own_sort(lab: Lab) -> None:
    """Memory of two devices in two reservations, also where one begins where the other ends."""
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    use(lab, last)
    use(lab, first)
    handles = [physical(lab, PAGE, properties(device)) for device in (first, last)]
    for turn in (0, 1):
        low = 20 * TIB if lab.setting.profile.generation == "v2" else 0
        places = [reserve(lab, GIB, low), reserve(lab, GIB, low + GIB if low else 0)]
        order = [place for place in sorted(place or 0 for place in places) if place]
        for place, handle in zip(order[::-1] if turn else order, handles, strict=False):
            if handle is not None:
                map_memory(lab, place, PAGE, handle)
        check_all(lab)
        for place in order:
            unmap(lab, place)
            release(lab, place)
    for handle in handles:
        if handle is not None:
            free_physical(lab, handle)


def memory_has_several_addresses(lab: Lab) -> None:
    """What is written through one mapping is read through the other."""
    device = lab.setting.devices[0]
    use(lab, device)
    found = pair(lab, SIZE, device)
    if found is None:
        return
    handle, one = found
    other = mapped(lab, handle, SIZE)
    block = device_memory(lab, SIZE)
    if other is None or block is None:
        return
    lab.call("aclrtMemset", devPtr=one, maxCount=SIZE, value=5, count=SIZE)
    lab.call("aclrtMemset", devPtr=other + PAGE, maxCount=100, value=9, count=100)
    check_all(lab)
    copy(lab, block, other, SIZE)
    lab.call("aclrtMemset", devPtr=block, maxCount=SIZE, value=11, count=SIZE)
    copy(lab, one, block, PAGE)
    check_all(lab)
    unmap(lab, one)
    check_all(lab)
    free_physical(lab, handle)
    check_all(lab)
    unmap(lab, other)
    lab.call("aclrtFree", devPtr=block)


def physical_references_are_counted(lab: Lab) -> None:
    """Memory lasts until it was freed as often as it was got, and unmapped."""
    device = lab.setting.devices[-1]
    use(lab, device)
    audit(lab, device)
    found = pair(lab, SIZE, device)
    if found is None:
        return
    handle, place = found
    lab.call("aclrtMemset", devPtr=place, maxCount=SIZE, value=77, count=SIZE)
    again = [retain(lab, place) for _ in range(2)]
    unmap(lab, place)
    audit(lab, device)
    for _ in [each for each in again if each is not None]:
        free_physical(lab, handle)
        tell_properties(lab, handle)
        map_memory(lab, place, SIZE, handle)
        check_all(lab)
        unmap(lab, place)
    map_memory(lab, place, SIZE, handle)
    for _ in range(2):
        free_physical(lab, handle)
    check_all(lab)
    unmap(lab, place)
    audit(lab, device)
    release(lab, place)


def physical_memory_of_the_host(lab: Lab) -> None:
    """The host has physical memory, too, of its own kinds; a device has none of those."""
    device = lab.setting.devices[0]
    use(lab, device)
    for kind in (AclrtMemAttr.ACL_MEM_HUGE, AclrtMemAttr.ACL_DDR_MEM_HUGE):
        prop = properties(None, kind)
        granularity(lab, prop)
        handle = physical(lab, SIZE, prop)
        place = None if handle is None else mapped(lab, handle, SIZE)
        if handle is None or place is None:
            continue
        tell_properties(lab, handle)
        for each in (*lab.setting.devices, None):
            ask_access(lab, place, each)
        store(lab, place, SIZE, 13)
        load(lab, place, SIZE)
        free_physical(lab, handle)
        unmap(lab, place)
        release(lab, place)
    for number in range(20):
        for where in (properties(device, number), properties(None, number)):
            if number not in (10, 14, 17):
                granularity(lab, where)
                made = physical(lab, PAGE, where)
                if made is not None:
                    tell_properties(lab, made)
                    free_physical(lab, made)


def physical_memory_is_asked_for_rightly(lab: Lab) -> None:
    """What the documents forbid is refused, and what is left is all of it."""
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    if last != first:
        lab.actor()
        physical(lab, PAGE, properties(last))
    use(lab, first)
    good: dict[str, Any] = {"handle": True, "size": PAGE, "prop": properties(first), "flags": 0}
    props: tuple[dict[str, int], ...] = (
        properties(first, HUGE, handleType=2),
        properties(first, HUGE, allocationType=1),
        *(properties(first, HUGE, type=place) for place in (2, 3, 5, 2**32 - 1)),
        *(properties(first, kind) for kind in (0, 1, 2, 3, 6, 7, 8, 9, 11, 18)),
        properties(first, HUGE, reserve=1),
        properties(10_000),
        properties(None, HUGE, id=1),
        *(properties(None, kind) for kind in (10, 14)),
    )
    changes: tuple[dict[str, Any], ...] = (
        {"handle": False},
        {"size": 0},
        {"size": PAGE + 4096},
        {"flags": 1},
        {"prop": None},
        *({"prop": prop} for prop in props),
    )
    for change in changes:
        lab.call("aclrtMallocPhysical", **{**good, **change})
        if "prop" in change:
            granularity(lab, change["prop"])
    granularity(lab, properties(first), 0xFFFF)
    lab.call("aclrtMemGetAllocationGranularity", prop=good["prop"], option=0, granularity=False)
    for kind in (10, 14):
        lab.call("aclrtMallocPhysical", **{**good, "size": GIB, "prop": properties(None, kind)})
    free_physical(lab, 0)
    audit(lab, first)


def mappings_fit_their_addresses(lab: Lab) -> None:
    """A mapping lies on free pages of one reservation, and no more is mapped than there is."""
    device = lab.setting.devices[0]
    use(lab, device)
    place, handle, small = (
        reserve(lab, 4 * PAGE),
        physical(lab, SIZE, properties(device)),
        physical(lab, PAGE, properties(device)),
    )
    block = device_memory(lab, PAGE)
    if place is None or handle is None or small is None or block is None:
        return
    good = {"virPtr": place, "size": SIZE, "offset": 0, "handle": handle, "flags": 0}
    changes: tuple[dict[str, int], ...] = (
        {"virPtr": 0},
        {"virPtr": NEVER},
        {"virPtr": block},
        {"virPtr": place + 4096},
        {"virPtr": place + 3 * PAGE},
        {"size": 0},
        {"size": SIZE + 4096},
        {"handle": small},
        {"offset": PAGE},
        {"handle": 0},
        {"flags": 1},
    )
    for change in changes:
        lab.call("aclrtMapMem", **{**good, **change})
    map_memory(lab, place + PAGE, SIZE, handle)
    for where in (place, place + PAGE, place + 2 * PAGE):
        map_memory(lab, where, SIZE, handle)
    map_memory(lab, place + 2 * PAGE, PAGE, small)
    map_memory(lab, place, PAGE, small)
    for address in (0, NEVER, block, place + 2 * PAGE, place + 3 * PAGE, place + PAGE + 5):
        unmap(lab, address)
        lab.call("aclrtMemRetainAllocationHandle", virPtr=address, handle=True)
        ask_access(lab, address, device)
        give_access(lab, address, SIZE, device)
    lab.call("aclrtMemRetainAllocationHandle", virPtr=place, handle=False)
    lab.call("aclrtMemGetAllocationPropertiesFromHandle", handle=0, prop=True)
    for address in (0, NEVER, block, place, place + PAGE):
        release(lab, address)
    use(lab, lab.setting.devices[-1])
    other = physical(lab, PAGE, properties(lab.setting.devices[-1]))
    for address in (place, place + PAGE):
        unmap(lab, address)
    if other is not None:
        map_memory(lab, place, PAGE, other)
    use(lab, device)
    lab.call("aclrtFree", devPtr=block)


def places_get_access(lab: Lab) -> None:
    """Devices and the host get access by number; nobody else does."""
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    use(lab, last)
    use(lab, first)
    found = pair(lab, SIZE, first)
    if found is None:
        return
    _, place = found
    for device in (first, last, None):
        ask_access(lab, place, device)
        give_access(lab, place, SIZE, device)
        ask_access(lab, place, device)
    own = {"flags": READ_WRITE, **place_of(first)}
    wrong: tuple[dict[str, int], ...] = (
        {"flags": 0},
        {"flags": 1},
        {"flags": 2},
        {"type": ON_NUMA},
        {"type": ON_HOST, "id": 1},
        {"id": 10_000},
    )
    for change in wrong:
        desc = [{**own, **change}]
        lab.call("aclrtMemSetAccess", virPtr=place, size=SIZE, desc=desc, count=1)
    for change in wrong[3:]:
        location = {**place_of(first), **change}
        lab.call("aclrtMemGetAccess", virPtr=place, location=location, flag=True)
    for descs, count in ((None, 1), ([own], 0), ([own, own], 2)):
        lab.call("aclrtMemSetAccess", virPtr=place, size=SIZE, desc=descs, count=count)
    lab.call("aclrtMemGetAccess", virPtr=place, location=None, flag=True)
    location = {"id": first, "type": ON_DEVICE}
    lab.call("aclrtMemGetAccess", virPtr=place, location=location, flag=False)
    check_all(lab)


def places_get_access_together(lab: Lab) -> None:
    """Of several places that are named at once each may use the memory, wherever it stands."""
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    use(lab, last)
    use(lab, first)
    for places in ((first, last), (last, first), (first, None), (first, last, first)):
        found = pair(lab, SIZE, first)
        if found is None:
            return
        handle, place = found
        give_access(lab, place, SIZE, *places)
        for each in (first, last, None):
            ask_access(lab, place, each)
        descs = [{"flags": READ_WRITE, **place_of(each)} for each in (first, first)]
        for change in ({"flags": 1}, {"type": ON_NUMA}, {"id": 10_000}):
            wrong = [descs[0], {**descs[1], **change}]
            lab.call("aclrtMemSetAccess", virPtr=place, size=SIZE, desc=wrong, count=2)
        for each in (first, last):
            give_access(lab, place, SIZE, each)
        give_access(lab, place, SIZE, first, last)
        unmap(lab, place)
        free_physical(lab, handle)
        release(lab, place)


def addresses_are_reserved_once(lab: Lab) -> None:
    """Addresses can be asked for where a product allows it, and none belongs to two."""
    use(lab, lab.setting.devices[0])
    good: dict[str, Any] = {
        "virPtr": True,
        "size": SIZE,
        "alignment": 0,
        "expectPtr": 0,
        "flags": 0,
    }
    changes: tuple[dict[str, Any], ...] = (
        {"virPtr": False},
        {"size": 0},
        {"alignment": PAGE},
        {"flags": 2},
        {"expectPtr": 20 * TIB + 4096},
        {"expectPtr": 8 * TIB},
        {"expectPtr": 24 * TIB},
        {"size": 129 * GIB},
        {"size": 2**63},
    )
    for change in changes:
        lab.call("aclrtReserveMemAddress", **{**good, **change})
    chosen = 20 * TIB
    for _ in range(2):
        place = reserve(lab, SIZE, chosen)
        reserve(lab, SIZE, chosen)
        reserve(lab, PAGE, chosen + PAGE)
        if place is not None:
            release(lab, place)
    many = [reserve(lab, size) for size in (1, PAGE, PAGE + 1, GIB, 3 * GIB)]
    for place in many:
        if place is not None:
            release(lab, place)


def pools_keep_their_addresses(lab: Lab) -> None:
    """Reserving and mapping go on beside a pool."""
    device = lab.setting.devices[0]
    use(lab, device)
    of = pool(lab, device, 4 * PAGE)
    found = pair(lab, SIZE, device)
    if found is not None:
        handle, place = found
        lab.call("aclrtMemset", devPtr=place, maxCount=PAGE, value=1, count=PAGE)
        check_all(lab)
        unmap(lab, place)
        free_physical(lab, handle)
        release(lab, place)
    if of is not None:
        lab.call("aclrtMemPoolDestroy", memPool=of)


def physical_memory_goes_with_its_device(lab: Lab) -> None:
    """After the device was given up its memory is somebody else's; the addresses stay."""
    device = lab.setting.devices[-1]
    use(lab, device)
    audit(lab, device)
    found = pair(lab, SIZE, device)
    lab.call("aclrtResetDevice", deviceId=device)
    use(lab, device)
    audit(lab, device)
    if found is not None:
        _, place = found
        unmap(lab, place)
        release(lab, place)
        release(lab, place)


def mapped_memory_is_of_its_device(lab: Lab) -> None:
    """Nothing is promised of copies to another device, nor onto the same bytes elsewhere."""
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    use(lab, last)
    block = device_memory(lab, PAGE)
    use(lab, first)
    found = pair(lab, PAGE, first)
    if found is None or block is None:
        return
    handle, place = found
    for other in (block, mapped(lab, handle, PAGE)):
        if other is not None:
            copy(lab, other, place, 100)
            copy(lab, place, other, 100)


PHYSICAL_SCENARIOS = scenarios_of(
    "physical",
    memory_is_mapped_used_and_given_back,
    bytes_stay_with_physical_memory,
    physical_references_are_counted,
    *PHYSICAL_SHARING_FLOWS,
    places_get_access,
    places_get_access_together,
    mappings_fit_their_addresses,
    each_reservation_has_memory_of_its_own_sort,
    memory_has_several_addresses,
    physical_memory_of_the_host,
    physical_memory_is_asked_for_rightly,
    addresses_are_reserved_once,
    pools_keep_their_addresses,
    physical_memory_goes_with_its_device,
    mapped_memory_is_of_its_device,
)
