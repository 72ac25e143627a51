"""Flows of host registration: memory of one side made reachable for the other, and given back."""

from __future__ import annotations

from typing import Any

from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all, fill_all
from halcert.conformance.scenarios.registry import Flow, gave
from halcert.conformance.scenarios.svm import allocate
from halcert.spec.abi.constants import Feature, RegisterType
from halcert.spec.profiles import MIB
from halcert.spec.svm.flags import DEV, HOST

LOCAL = int(RegisterType.HOST_MEM_MAP_DEV)
BLOCK = int(RegisterType.HOST_SVM_MAP_DEV)
TO_HOST = int(RegisterType.DEV_SVM_MAP_HOST)
THROUGH = int(RegisterType.HOST_MEM_MAP_DEV_PCIE_TH)
DMA = int(RegisterType.HOST_MEM_MAP_DMA)
IO = int(RegisterType.HOST_IO_MAP_DEV)
EVERY_TYPE = (LOCAL, BLOCK, TO_HOST, THROUGH, DMA, IO)
RECORDS = int(Feature.FEATURE_SVM_MEM_REGISTER_QUERY_AND_GET_ATTR)
PAGE = 4096
SIZE = 8 * PAGE
UNCACHED = 64 * MIB
OWN_SPACE = 600 * MIB


def begin(lab: Lab, *, recorded: bool) -> None:
    """Open the devices, and have registrations recorded."""
    for device in lab.setting.devices:
        lab.call("halMemAgentOpen", devid=device, flag=0)
        audit(lab, device)
    if recorded:
        lab.call("halSupportFeature", devId=lab.setting.devices[0], type=RECORDS)


def register(lab: Lab, src: int, size: int, kind: int, device: int = 0, flag: int = 0) -> Any:
    """Register memory by a map type."""
    args: dict[str, Any] = {"src_ptr": src, "size": size, "flag": kind | flag, "devid": device}
    return lab.call("halHostRegister", **args, dst_ptr=True)


def unregister(lab: Lab, src: int, device: int = 0) -> Any:
    """End a registration whose sort is found out."""
    return lab.call("halHostUnregister", src_ptr=src, devid=device)


def unregister_as(lab: Lab, src: int, kind: int, device: int = 0) -> Any:
    """End a registration of a sort."""
    return lab.call("halHostUnregisterEx", src_ptr=src, devid=device, flag=kind)


def pointer(lab: Lab, src: int, device: int = 0) -> Any:
    """Ask for the device's address."""
    return lab.call("halMemHostGetDevPointer", src_ptr=src, devid=device, dst_ptr=True)


def sources(lab: Lab) -> list[tuple[int, tuple[int, ...]]]:
    """Get memory of each sort, with the map types by which it can be registered."""
    user = gave(lab.call("host.map", size=SIZE), "address")
    host = allocate(lab, SIZE, HOST)
    device = allocate(lab, 2 * MIB, DEV)
    found = (
        (user, (LOCAL, THROUGH, IO, DMA)),
        (host, (BLOCK, THROUGH, IO, DMA)),
        (device, (TO_HOST, DMA)),
    )
    return [(place, kinds) for place, kinds in found if place is not None]


def _every_sort(*, recorded: bool) -> Flow:
    def flow(lab: Lab) -> None:
        """Memory of each sort is registered once by each type that there is for it."""
        begin(lab, recorded=recorded)
        for place, _ in sources(lab):
            fill_all(lab)
            for kind in EVERY_TYPE:
                result = register(lab, place, SIZE, kind)
                if result is None or result.code != 0:
                    unregister_as(lab, place, kind)
                    continue
                look_closely(lab, place, kind)
                check_all(lab)
                if kind == DMA and not recorded:
                    unregister_as(lab, place, kind)
                else:
                    unregister(lab, place)
                unregister(lab, place)
                unregister_as(lab, place, kind)
                register(lab, place, SIZE, kind)
                unregister_as(lab, place, kind)
            check_all(lab)

    return flow


def look_closely(lab: Lab, place: int, kind: int) -> None:
    """Ask about registered memory, and try what must not work."""
    for offset in (0, 1, PAGE, SIZE - 1, SIZE, 2**40):
        pointer(lab, place + offset)
    pointer(lab, place, 1)
    register(lab, place, SIZE, kind)
    register(lab, place + PAGE, PAGE, kind)
    unregister(lab, place + PAGE)
    unregister_as(lab, place + PAGE, kind)
    unregister(lab, place + 1)
    lab.call("drvMemGetAttribute", vptr=place, attr=True)


def for_dma_from_any_byte(lab: Lab) -> None:
    """What is registered for DMA begins at any byte and ends at any; no byte is in two ranges."""
    begin(lab, recorded=True)
    ranges = ((0, 1), (1, 99), (PAGE + 100, 99), (4 * PAGE, PAGE), (SIZE - 1, 1))
    for place, _ in sources(lab):
        for device in lab.setting.devices:
            for start, size in ranges:
                register(lab, place + start, size, DMA, device)
            for start, size in ((0, 1), (PAGE + 150, 10), (4 * PAGE + 1, 1), (0, SIZE)):
                register(lab, place + start, size, DMA, device)
        for device in lab.setting.devices:
            for start, _ in ranges:
                unregister_as(lab, place + start, DMA, device)
                unregister_as(lab, place + start, DMA, device)
    with_nothing_beside(lab)


def with_nothing_beside(lab: Lab) -> None:
    """The last byte of memory that nothing lies behind is registered for DMA as any other."""
    # Large ones lie beside each other.
    places = [gave(lab.call("host.map", size=UNCACHED), "address") for _ in range(3)]
    known = sorted(place for place in places if place is not None)
    if len(known) < len(places):
        return
    for place in (known[0], known[2]):
        lab.call("host.unmap", address=place)
    last = known[1] + UNCACHED - PAGE
    register(lab, last, PAGE, DMA)
    unregister_as(lab, last, DMA)


def several_blocks(lab: Lab) -> None:
    """Blocks of the host are registered beside each other, whichever lies higher."""
    begin(lab, recorded=True)
    blocks = [block for block in (allocate(lab, SIZE, HOST) for _ in range(4)) if block is not None]
    for kind in (BLOCK, THROUGH, IO, DMA):
        for order in (blocks, blocks[::-1]):
            for block in order:
                register(lab, block, SIZE, kind)
            for block in order:
                register(lab, block, SIZE, kind)
                unregister_as(lab, block, kind)


def several_devices(lab: Lab) -> None:
    """One buffer is registered on several devices, and ended on each by itself."""
    begin(lab, recorded=True)
    user = gave(lab.call("host.map", size=SIZE), "address")
    if user is None:
        return
    for kind in (LOCAL, THROUGH):
        made = [
            device
            for device in lab.setting.devices
            if gave(register(lab, user, SIZE, kind, device), "dst_ptr") is not None
        ]
        for device in made:
            pointer(lab, user + 100, device)
        for device in made:
            unregister(lab, user, device)
            for other in lab.setting.devices:
                pointer(lab, user, other)


def neighbours(lab: Lab) -> None:
    """Ranges beside each other are registered and ended independently."""
    begin(lab, recorded=True)
    user = gave(lab.call("host.map", size=SIZE), "address")
    if user is None:
        return
    for kind in (LOCAL, THROUGH):
        pages = [user + PAGE * number for number in range(0, 8, 2)]
        made = [page for page in pages if gave(register(lab, page, PAGE, kind), "dst_ptr")]
        register(lab, user, SIZE, kind)
        for page in made:
            pointer(lab, page + 7)
            pointer(lab, page + PAGE)
        for page in made[::2]:
            unregister(lab, page)
        for page in made:
            pointer(lab, page + 7)
        register(lab, user, PAGE + 1, kind)
        for page in (*made, user):
            unregister(lab, page)


def freed_while_registered(lab: Lab) -> None:
    """Memory that the other side reaches is not freed, and is afterwards."""
    begin(lab, recorded=True)
    for size, kind, virt in (
        (UNCACHED, TO_HOST, DEV),
        (UNCACHED, BLOCK, HOST),
        (UNCACHED, THROUGH, HOST),
        (OWN_SPACE, TO_HOST, DEV),
    ):
        place = allocate(lab, size, virt)
        if place is None:
            continue
        made = gave(register(lab, place, PAGE if virt == HOST else 2 * MIB, kind), "dst_ptr")
        if made is not None:
            lab.call("halMemFree", pp=place)
            lab.call("halMemFree", pp=place)
            unregister(lab, place)
        lab.call("halMemFree", pp=place)
        audit(lab, *lab.setting.devices)


def records_begin_late(lab: Lab) -> None:
    """What was registered before records were switched on is not found by them."""
    begin(lab, recorded=False)
    user = gave(lab.call("host.map", size=SIZE), "address")
    if user is None:
        return
    pointer(lab, user)
    for kind in (LOCAL, THROUGH):
        if gave(register(lab, user, SIZE, kind), "dst_ptr") is None:
            continue
        lab.call("halSupportFeature", devId=lab.setting.devices[0], type=RECORDS)
        pointer(lab, user)
        unregister(lab, user)
        unregister_as(lab, user, kind)


def several_uses(lab: Lab) -> None:
    """Of memory that is registered for DMA as well, the device's address is still the other one."""
    begin(lab, recorded=True)
    user = gave(lab.call("host.map", size=SIZE), "address")
    if user is None:
        return
    kinds = (LOCAL, DMA)
    for kind in kinds:
        register(lab, user, SIZE, kind)
    for offset in (0, PAGE + 1):
        pointer(lab, user + offset)
    for kind in kinds:
        unregister_as(lab, user, kind)


def closing_ends_registrations(lab: Lab) -> None:
    """With the device what was registered for it is gone."""
    begin(lab, recorded=True)
    user = gave(lab.call("host.map", size=SIZE), "address")
    if user is None:
        return
    for kind in (LOCAL, THROUGH):
        if gave(register(lab, user, SIZE, kind), "dst_ptr") is None:
            continue
        lab.call("halMemAgentClose", devid=lab.setting.devices[0], flag=0)
        unregister(lab, user)
        pointer(lab, user)
        lab.call("halMemAgentOpen", devid=lab.setting.devices[0], flag=0)
        register(lab, user, SIZE, kind)
        unregister(lab, user)


def what_is_not_registered(lab: Lab) -> None:
    """Odd arguments are refused, and nothing is registered by them."""
    begin(lab, recorded=True)
    for place, kinds in sources(lab):
        for kind in kinds:
            odd_sizes = (0, 2**43 + 1, 2**63, 2**64 - place)
            odd_ranges = ((0, SIZE), (place + 1, PAGE), *((place, size) for size in odd_sizes))
            for src, size in odd_ranges:
                register(lab, src, size, kind)
            for bits in (1 << 28, 4 << 16, 6 << 16, 1 << 29):
                register(lab, place, PAGE, kind, 0, bits)
            for device in (63, 64, 65, 66, 1124, 2**32 - 1):
                register(lab, place, PAGE, kind, device)
            args: dict[str, Any] = {"src_ptr": place, "size": PAGE, "flag": kind, "devid": 0}
            if kind != DMA:
                lab.call("halHostRegister", **args, dst_ptr=False)
        for kind in (7, 8, 65535):
            register(lab, place, PAGE, kind)
            unregister_as(lab, place, kind)
        unregister(lab, place)
    for device in (0, 1, 63, 64, 65, 66):
        for module in (0, 1, 9, 10):
            args = {"devid": device, "acc_module_type": module}
            lab.call("halHostRegisterCapabilities", **args, mem_map_cap=True)
        lab.call("halHostRegisterCapabilities", devid=device, acc_module_type=0, mem_map_cap=False)


REGISTERING: dict[str, Flow] = {
    "registering-every-sort": _every_sort(recorded=True),
    "registering-unrecorded": _every_sort(recorded=False),
    "registering-on-several-devices": several_devices,
    "registering-neighbours": neighbours,
    "registering-several-blocks": several_blocks,
    "registering-for-dma": for_dma_from_any_byte,
    "registering-and-freeing": freed_while_registered,
    "registering-records-begin-late": records_begin_late,
    "registering-for-several-uses": several_uses,
    "registering-and-closing": closing_ends_registrations,
    "registering-refused": what_is_not_registered,
}
