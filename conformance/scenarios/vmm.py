"""Flows of VMM: reserving, creating, mapping, access and references."""

from __future__ import annotations

from typing import Any

from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all, fill_all
from halcert.conformance.scenarios.registry import gave, scenarios_of
from halcert.conformance.scenarios.svm import allocate, copy, free, open_all, store
from halcert.spec.abi.constants import AccessType, Granularity, MemSide, PageType
from halcert.spec.profiles import GIB, MIB, TIB
from halcert.spec.svm.flags import HOST
from halcert.spec.svm.memory import reached_by_host

RUNTIME_MODULE = 7
READ_WRITE = int(AccessType.MEM_ACCESS_TYPE_READWRITE)
ON_HOST, ON_DEVICE = int(MemSide.MEM_HOST_SIDE), int(MemSide.MEM_DEV_SIDE)
PAGE = 2 * MIB
HANDLES = 128
"""Handles that are asked for at most until the memory of a device has been given out."""
REPEATED = 140
"""How often the largest size is reserved: together more than all addresses that there are."""


def reserve(lab: Lab, size: int, addr: int = 0, flag: int = 0) -> int | None:
    """Reserve addresses and return the first, or None if that was refused."""
    args: dict[str, Any] = {"ptr": True, "size": size, "alignment": 0, "addr": addr, "flag": flag}
    return gave(lab.call("halMemAddressReserve", **args), "ptr")


def properties(device: int | None, **members: int) -> dict[str, int]:
    """Return the properties of memory of a device, or of the host."""
    side = ON_HOST if device is None else ON_DEVICE
    return {"side": side, "devid": device or 0, "module_id": 48, **members}


def create(lab: Lab, size: int, device: int | None = 0, **members: int) -> int | None:
    """Get physical memory and return its handle, or None if that was refused."""
    args: dict[str, Any] = {
        "handle": True,
        "size": size,
        "prop": properties(device, **members),
        "flag": 0,
    }
    return gave(lab.call("halMemCreate", **args), "handle")


def mapped(lab: Lab, address: int, size: int, handle: int) -> Any:
    """Map all of a handle at an address."""
    return lab.call("halMemMap", ptr=address, size=size, offset=0, handle=handle, flag=0)


def query(lab: Lab, address: int) -> None:
    """Ask everything that can be asked about an address."""
    lab.call("drvMemGetAttribute", vptr=address, attr=True)
    lab.call("halMemGetAddressRange", ptr=address, pbase=True, psize=True)
    for device in lab.setting.devices:
        location = {"id": device, "side": ON_DEVICE}
        lab.call("halMemGetAccess", ptr=address, location=location, flags=True)
    lab.call("halMemGetAccess", ptr=address, location={"id": 0, "side": ON_HOST}, flags=True)


def pair(lab: Lab, size: int, device: int | None = 0) -> tuple[int, int] | None:
    """Return reserved addresses and a handle of the same size, or None."""
    place, handle = reserve(lab, size), create(lab, size, device)
    return None if place is None or handle is None else (place, handle)


def reserve_create_map(lab: Lab) -> None:
    """The flow of the documents: addresses, memory, a mapping, its use, and all of it back."""
    open_all(lab)
    for device in lab.setting.devices:
        audit(lab, device)
        for size in (PAGE, 3 * PAGE):
            got = pair(lab, size, device)
            host = allocate(lab, size, HOST)
            if got is None or host is None:
                continue
            place, handle = got
            query(lab, place)
            audit(lab, device)
            mapped(lab, place, size, handle)
            query(lab, place + 5)
            store(lab, host, size, 31)
            copy(lab, place, host, size)
            check_all(lab)
            lab.call("drvMemsetD8", dst=place + 4095, destMax=2, value=7, num=2)
            check_all(lab)
            lab.call("halMemFree", pp=place)
            lab.call("halMemUnmap", ptr=place)
            lab.call("halMemUnmap", ptr=place)
            lab.call("halMemRelease", handle=handle)
            lab.call("halMemAddressFree", ptr=place)
            lab.call("halMemAddressFree", ptr=place)
            free(lab, host)
            audit(lab, device)


def bytes_stay_with_the_handle(lab: Lab) -> None:
    """Unmap and map again, there and elsewhere: the bytes are those of the handle."""
    open_all(lab)
    first = pair(lab, PAGE, lab.setting.devices[-1])
    other = reserve(lab, 2 * PAGE)
    if first is None or other is None:
        return
    place, handle = first
    mapped(lab, place, PAGE, handle)
    fill_all(lab)
    lab.call("drvMemsetD8", dst=place + 100, destMax=900, value=0x3C, num=900)
    for where in (place, other, other + PAGE, place):
        lab.call("halMemUnmap", ptr=place)
        mapped(lab, where, PAGE, handle)
        check_all(lab)
        lab.call("halMemUnmap", ptr=where)
        mapped(lab, place, PAGE, handle)
        check_all(lab)


def aliases(lab: Lab) -> None:
    """One handle in two reservations: what is written through one is read through the other."""
    open_all(lab)
    for device in (lab.setting.devices[0], None):
        one = pair(lab, PAGE, device)
        other = reserve(lab, PAGE)
        host = allocate(lab, PAGE, HOST)
        if one is None or other is None or host is None:
            continue
        place, handle = one
        mapped(lab, place, PAGE, handle)
        mapped(lab, other, PAGE, handle)
        for number, (written, read) in enumerate(((place, other), (other, place))):
            lab.call("drvMemsetD8", dst=written, destMax=PAGE, value=number + 65, num=PAGE)
            if device is not None:
                copy(lab, host, read, PAGE)
                lab.call("host.load", address=host, size=65536)
            check_all(lab)
        lab.call("halMemUnmap", ptr=place)
        check_all(lab)
        lab.call("halMemRelease", handle=handle)
        check_all(lab)
        lab.call("halMemUnmap", ptr=other)
        lab.call("halMemAddressFree", ptr=other)
        lab.call("halMemAddressFree", ptr=place)
    audit(lab, *lab.setting.devices)


def neighbours(lab: Lab) -> None:
    """Two handles side by side in one reservation: each has its own bytes."""
    open_all(lab)
    device = lab.setting.devices[0]
    place = reserve(lab, 4 * PAGE)
    handles = [create(lab, PAGE, device), create(lab, 2 * PAGE, device)]
    one, two = handles
    if place is None or one is None or two is None:
        return
    mapped(lab, place, PAGE, one)
    mapped(lab, place + PAGE, 2 * PAGE, two)
    fill_all(lab)
    check_all(lab)
    mapped(lab, place + 2 * PAGE, PAGE, one)
    mapped(lab, place + 3 * PAGE, 2 * PAGE, two)
    mapped(lab, place + 3 * PAGE + 4096, PAGE, one)
    lab.call("halMemUnmap", ptr=place + 2 * PAGE)
    lab.call("halMemUnmap", ptr=place)
    check_all(lab)
    lab.call("halMemAddressFree", ptr=place)
    lab.call("halMemUnmap", ptr=place + PAGE)
    lab.call("halMemAddressFree", ptr=place)


def release_before_unmap(lab: Lab) -> None:
    """A mapping keeps the memory of a handle that was released; the last unmap gives it back."""
    open_all(lab)
    device = lab.setting.devices[0]
    audit(lab, device)
    got = pair(lab, 4 * PAGE, device)
    if got is None:
        return
    place, handle = got
    mapped(lab, place, 4 * PAGE, handle)
    fill_all(lab)
    lab.call("halMemRelease", handle=handle)
    lab.call("halMemRelease", handle=handle)
    audit(lab, device)
    check_all(lab)
    lab.call("halMemUnmap", ptr=place)
    audit(lab, device)
    lab.call("halMemAddressFree", ptr=place)


def addresses_before_mappings(lab: Lab) -> None:
    """Addresses are not given back while something is mapped, be they few or many."""
    open_all(lab)
    device = lab.setting.devices[0]
    for size in (4 * PAGE, 512 * MIB, 513 * MIB, 2 * GIB):
        place, handle = reserve(lab, size), create(lab, PAGE, device)
        if place is None or handle is None:
            continue
        for where in (place, place + PAGE):
            mapped(lab, where, PAGE, handle)
            fill_all(lab)
            lab.call("halMemAddressFree", ptr=place)
            lab.call("halMemAddressFree", ptr=where + 4096)
            check_all(lab)
            lab.call("halMemUnmap", ptr=where)
        lab.call("halMemAddressFree", ptr=place)
        lab.call("halMemRelease", handle=handle)


def references_are_counted(lab: Lab) -> None:
    """Every retaining, mapping and creating holds the memory once."""
    open_all(lab)
    device = lab.setting.devices[-1]
    audit(lab, device)
    got = pair(lab, 2 * PAGE, device)
    if got is None:
        return
    place, handle = got
    mapped(lab, place, 2 * PAGE, handle)
    for offset in (0, 4096, 2 * PAGE - 1, 0):
        lab.call("halMemRetainAllocationHandle", handle=True, ptr=place + offset)
    for address in (place + 2 * PAGE, 0):
        lab.call("halMemRetainAllocationHandle", handle=True, ptr=address)
    lab.call("halMemGetAllocationPropertiesFromHandle", prop=True, handle=handle)
    for _ in range(6):
        lab.call("halMemRelease", handle=handle)
        audit(lab, device)
    lab.call("halMemRetainAllocationHandle", handle=True, ptr=place)
    lab.call("halMemUnmap", ptr=place)
    audit(lab, device)
    lab.call("halMemRelease", handle=handle)
    audit(lab, device)
    lab.call("halMemAddressFree", ptr=place)


def other_device_in_a_reservation(lab: Lab) -> None:
    """A reservation that held memory of one device, and then memory of another or of the host."""
    open_all(lab)
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    got = pair(lab, PAGE, first)
    others = [create(lab, PAGE, device) for device in (last, None)]
    again = create(lab, PAGE, first)
    if got is None or again is None:
        return
    place, handle = got
    mapped(lab, place, PAGE, handle)
    lab.call("halMemUnmap", ptr=place)
    for other in others:
        if other is not None and first != last:
            mapped(lab, place, PAGE, other)
            lab.call("halMemUnmap", ptr=place)
    mapped(lab, place, PAGE, again)
    fill_all(lab)
    check_all(lab)
    lab.call("halMemUnmap", ptr=place)
    lab.call("halMemAddressFree", ptr=place)


def addresses_that_are_asked_for(lab: Lab) -> None:
    """Reserve at addresses of the program's choice: fitting ones, others, and taken ones."""
    open_all(lab)
    for size, addr in (
        (PAGE, 20 * TIB),
        (GIB, 21 * TIB),
        (3 * GIB, 22 * TIB),
        (PAGE, 20 * TIB + MIB),
        (3 * MIB, 20 * TIB + PAGE),
        (GIB, 20 * TIB + 512 * MIB),
        (512 * MIB, 20 * TIB + 256 * MIB),
        (512 * MIB, 20 * TIB + MIB),
        (512 * MIB, 20 * TIB + 512 * MIB),
        (PAGE, 17 * TIB),
        (PAGE, 24 * TIB),
    ):
        place = reserve(lab, size, addr)
        if place is None:
            continue
        reserve(lab, size, addr)
        handle = create(lab, PAGE, lab.setting.devices[0])
        if handle is not None:
            mapped(lab, place, PAGE, handle)
            fill_all(lab)
            check_all(lab)
            lab.call("halMemUnmap", ptr=place)
            lab.call("halMemRelease", handle=handle)
        lab.call("halMemAddressFree", ptr=place)
        again = reserve(lab, size, addr)
        if again is not None:
            lab.call("halMemAddressFree", ptr=again)


def access(lab: Lab) -> None:
    """Give the other devices and the host access, ask about it, and lose it by unmapping."""
    open_all(lab)
    for owner in (*lab.setting.devices[:1], None):
        got = pair(lab, PAGE, owner)
        if got is None:
            continue
        place, handle = got
        mapped(lab, place, PAGE, handle)
        fill_all(lab)
        locations = [{"id": device, "side": ON_DEVICE} for device in lab.setting.devices]
        locations.append({"id": 0, "side": ON_HOST})
        for location in locations:
            for kind in (0, 1, 2, READ_WRITE, READ_WRITE):
                give(lab, place, PAGE, {**location, "type": kind})
            give(lab, place, PAGE // 2, {**location, "type": READ_WRITE})
            give(lab, place + 4096, PAGE, {**location, "type": READ_WRITE})
            query(lab, place + 4096)
        if host_reaches(lab, place):
            lab.call("host.store", address=place, size=8192, pattern=9, offset=0)
            check_all(lab)
            lab.call("host.load", address=place, size=8192)
        lab.call("halMemUnmap", ptr=place)
        give(lab, place, PAGE, {**locations[-1], "type": READ_WRITE})
        mapped(lab, place, PAGE, handle)
        query(lab, place)
        lab.call("halMemUnmap", ptr=place)
        lab.call("halMemRelease", handle=handle)
        lab.call("halMemAddressFree", ptr=place)


def host_reaches(lab: Lab, place: int) -> bool:
    """Tell whether the program may access what is mapped at an address."""
    return reached_by_host(lab.view(), lab.view().blocks.at(place))


def give(lab: Lab, place: int, size: int, desc: dict[str, int]) -> None:
    """Give one location access."""
    lab.call("halMemSetAccess", ptr=place, size=size, desc=[desc], count=1)


def host_memory(lab: Lab) -> None:
    """Physical memory of the host, mapped: the program reaches it itself."""
    open_all(lab)
    device = lab.setting.devices[0]
    got = pair(lab, 2 * PAGE, None)
    block = allocate(lab, PAGE)
    if got is None or block is None:
        return
    place, handle = got
    mapped(lab, place, 2 * PAGE, handle)
    query(lab, place)
    fill_all(lab)
    copy(lab, block, place + 4096, PAGE - 4096)
    copy(lab, place, block, 8192)
    check_all(lab)
    audit(lab, device)
    lab.call("halMemUnmap", ptr=place)
    lab.call("halMemRelease", handle=handle)


def granularities(lab: Lab) -> None:
    """Ask for granularities, and create memory of the sizes that they promise."""
    open_all(lab)
    devices: tuple[int | None, ...] = (*lab.setting.devices, None)
    for device in devices:
        for pages in range(int(PageType.MEM_MAX_PAGE_TYPE) + 1):
            prop = properties(device, pg_type=pages)
            for option in range(int(Granularity.MEM_ALLOC_GRANULARITY_INVALID) + 1):
                args: dict[str, Any] = {"prop": prop, "option": option, "granularity": True}
                size = gave(lab.call("halMemGetAllocationGranularity", **args), "granularity")
                handle = None if size is None else create(lab, size, device, pg_type=pages)
                if handle is not None:
                    lab.call("halMemGetAllocationPropertiesFromHandle", prop=True, handle=handle)
                    lab.call("halMemRelease", handle=handle)
            for size in (PAGE - 4096, PAGE + 4096):
                create(lab, size, device, pg_type=pages)
    host = {"side": ON_HOST, "devid": lab.setting.profile.host_id, "module_id": RUNTIME_MODULE}
    for option in (0, 1):
        lab.call("halMemGetAllocationGranularity", prop=host, option=option, granularity=True)


def physical_memory_runs_out(lab: Lab) -> None:
    """Where the device has no memory left, none is given; what was freed is had again."""
    open_all(lab)
    device = lab.setting.devices[0]
    audit(lab, device)
    blocks = [allocate(lab, PAGE, device=device, huge=1) for _ in range(3)]
    handles: list[int | None] = []
    size = TIB
    while size >= PAGE and len(handles) < HANDLES:
        handle = create(lab, size, device)
        size //= 2 if handle is None else 1
        handles.append(handle)
    audit(lab, device)
    free(lab, *blocks)
    more = [create(lab, size, device) for size in (PAGE, 2 * PAGE, 4 * PAGE)]
    audit(lab, device)
    for handle in (*handles, *more):
        if handle is not None:
            lab.call("halMemRelease", handle=handle)
    audit(lab, device)
    lab.call("halMemAgentClose", devid=device, flag=0)
    lab.call("halMemAgentOpen", devid=device, flag=0)
    audit(lab, device)


def small_pages(lab: Lab) -> None:
    """Memory in normal pages, as the runtime gets it, in a small reservation."""
    open_all(lab)
    place = reserve(lab, 64 * 1024)
    handle = create(lab, 4096, None, module_id=RUNTIME_MODULE)
    large = create(lab, PAGE, None)
    if place is None or handle is None:
        return
    mapped(lab, place, 4096, handle)
    mapped(lab, place + 8192, 4096, handle)
    fill_all(lab)
    check_all(lab)
    if large is not None:
        mapped(lab, place + 4096, PAGE, large)
    lab.call("halMemUnmap", ptr=place + 8192)
    lab.call("halMemUnmap", ptr=place)
    lab.call("halMemAddressFree", ptr=place)


def closing_takes_physical_memory(lab: Lab) -> None:
    """Closing a device takes its mappings; addresses stay and can be used again."""
    open_all(lab)
    device = lab.setting.devices[0]
    audit(lab, device)
    got = pair(lab, PAGE, device)
    other = pair(lab, PAGE, None)
    if got is None or other is None:
        return
    mapped(lab, got[0], PAGE, got[1])
    mapped(lab, other[0], PAGE, other[1])
    fill_all(lab)
    lab.call("halMemAgentClose", devid=device, flag=0)
    check_all(lab)
    lab.call("halMemUnmap", ptr=got[0])
    lab.call("halMemRetainAllocationHandle", handle=True, ptr=got[0])
    lab.call("halMemAgentOpen", devid=device, flag=0)
    audit(lab, device)
    again = create(lab, PAGE, device)
    if again is not None:
        mapped(lab, got[0], PAGE, again)
        fill_all(lab)
        check_all(lab)
        lab.call("halMemUnmap", ptr=got[0])
        lab.call("halMemRelease", handle=again)
    audit(lab, device)
    lab.call("halMemAddressFree", ptr=got[0])


def many_reservations(lab: Lab) -> None:
    """Reserve and give back again and again between allocations: nothing overlaps."""
    open_all(lab)
    places: list[int] = []
    for turn in range(24):
        place = reserve(lab, (1 + turn % 3) * PAGE + turn * 4096)
        if place is not None:
            places.append(place)
        allocate(lab, 8192, device=lab.setting.devices[turn % len(lab.setting.devices)])
        if turn % 3 == 0 and places:
            lab.call("halMemAddressFree", ptr=places.pop(0))
    fill_all(lab)
    check_all(lab)
    reserve(lab, 128 * GIB)
    reserve(lab, 128 * GIB + 1)


def addresses_come_back(lab: Lab) -> None:
    """Addresses that were freed are had again, however often and in whatever sizes before."""
    open_all(lab)
    for size in (128 * GIB, 16 * GIB):
        for _ in range(REPEATED):
            place = reserve(lab, size)
            if place is not None:
                lab.call("halMemAddressFree", ptr=place)
    for _ in range(3):
        places = [reserve(lab, size) for size in (GIB, 128 * GIB, 3 * GIB, 600 * MIB, PAGE) * 4]
        for place in (*places[::2], *places[1::2]):
            if place is not None:
                lab.call("halMemAddressFree", ptr=place)


VMM_SCENARIOS = scenarios_of(
    "vmm",
    reserve_create_map,
    bytes_stay_with_the_handle,
    aliases,
    neighbours,
    release_before_unmap,
    addresses_before_mappings,
    references_are_counted,
    other_device_in_a_reservation,
    addresses_that_are_asked_for,
    access,
    host_memory,
    granularities,
    physical_memory_runs_out,
    small_pages,
    closing_takes_physical_memory,
    many_reservations,
    addresses_come_back,
)
