"""Flows of VMM that look at many mappings at once, at what is refused, and at the long run."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all, fill_all
from halcert.conformance.scenarios.registry import gave, scenarios_of
from halcert.conformance.scenarios.svm import HBM, allocate, free, open_all
from halcert.conformance.scenarios.transfer import (
    AT_ONCE,
    SYNC,
    TO_DEVICE,
    TO_HOST,
    descriptor_of,
    matrix,
)
from halcert.conformance.scenarios.vmm import (
    ON_DEVICE,
    ON_HOST,
    PAGE,
    READ_WRITE,
    create,
    give,
    mapped,
    pair,
    query,
    reserve,
)
from halcert.spec.abi.constants import MemType, PageType
from halcert.spec.language import align_up
from halcert.spec.profiles import GIB, TIB
from halcert.spec.svm.flags import DEV, HOST
from halcert.spec.vmm.reserve import LARGEST, ReserveFlags

NORMAL, HUGE, GIANT = 0, int(PageType.MEM_HUGE_PAGE_TYPE), int(PageType.MEM_GIANT_PAGE_TYPE)
REMOTE = (26 * TIB, 100 * TIB)
"""Where addresses for other machines are asked for."""
ROUNDS = 48
"""How often the largest addresses are reserved: more than would fit if they were not given back."""


def refused_maps(lab: Lab) -> None:
    """Every way in which a mapping is refused: nothing is mapped, and nothing is held for it."""
    open_all(lab)
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    audit(lab, first, last)
    place, other = reserve(lab, 4 * PAGE), reserve(lab, PAGE)
    handle, small, foreign = create(lab, 2 * PAGE, first), create(lab, PAGE, first), None
    block = allocate(lab, PAGE, device=first)
    if place is None or other is None or handle is None or small is None or block is None:
        return
    mapped(lab, place, 2 * PAGE, handle)
    fill_all(lab)
    if last != first:
        foreign = create(lab, PAGE, last)
    usual = {"ptr": place + 2 * PAGE, "size": 2 * PAGE, "offset": 0, "handle": handle, "flag": 0}
    variants: tuple[dict[str, Any], ...] = (
        {"offset": PAGE},
        {"flag": 1},
        {"size": 0},
        {"size": 4 * PAGE},
        {"size": 2 * PAGE + 4096},
        {"ptr": place},
        {"ptr": place + PAGE},
        {"ptr": place + 3 * PAGE},
        {"ptr": place + 2 * PAGE + 4096},
        {"ptr": place + 4 * PAGE},
        {"ptr": other},
        {"ptr": block},
        {"ptr": 0},
        {"handle": 0},
        {"handle": small},
        {"handle": foreign, "size": PAGE},
    )
    for changed in variants:
        if None not in changed.values():
            lab.call("halMemMap", **{**usual, **changed})
    query(lab, place + 2 * PAGE)
    check_all(lab)
    for gone in (handle, small, foreign):
        if gone is not None:
            lab.call("halMemRelease", handle=gone)
    check_all(lab)
    lab.call("halMemUnmap", ptr=place)
    free(lab, block)
    audit(lab, first, last)
    lab.call("halMemAddressFree", ptr=place)
    lab.call("halMemAddressFree", ptr=other)


def every_kind_of_memory(lab: Lab) -> None:
    """Physical memory of every kind in pages of every size, on devices and on the host."""
    open_all(lab)
    for device in (lab.setting.devices[-1], None):
        for pages, size in ((NORMAL, PAGE), (HUGE, PAGE), (GIANT, GIB)):
            for kind in range(int(MemType.MEM_MAX_TYPE) + 1):
                handle = create(lab, size, device, pg_type=pages, mem_type=kind)
                if handle is not None:
                    lab.call("halMemGetAllocationPropertiesFromHandle", prop=True, handle=handle)
                    _mapped_for_a_while(lab, handle, size)
                    lab.call("halMemRelease", handle=handle)
    audit(lab, lab.setting.devices[-1])


def _mapped_for_a_while(lab: Lab, handle: int, size: int) -> None:
    """Map memory at a multiple of its size, write to it, and let it go."""
    place = reserve(lab, 2 * size)
    if place is None:
        return
    start = align_up(place, size)
    mapped(lab, start, size, handle)
    query(lab, start)
    lab.call("drvMemsetD8", dst=start + size - 4096, destMax=4096, value=3, num=4096)
    lab.call("halMemUnmap", ptr=start)
    lab.call("halMemAddressFree", ptr=place)


def many_sizes_side_by_side(lab: Lab) -> None:
    """Memory of many sizes in one reservation: each mapping has its own bytes, access and end."""
    open_all(lab)
    owner = lab.setting.devices[0]
    audit(lab, owner)
    sizes = [pages * PAGE for pages in (3, 1, 2, 1, 4, 1)]
    place = reserve(lab, sum(sizes) + 2 * PAGE)
    handles = [create(lab, size, owner) for size in sizes]
    if place is None or None in handles:
        return
    placed = list(zip(accumulate(sizes, initial=place), sizes, strict=False))
    for (start, size), handle in reversed(list(zip(placed, handles, strict=True))):
        mapped(lab, start, size, handle or 0)
    fill_all(lab)
    check_all(lab)
    query(lab, place + sum(sizes))
    query(lab, place + sum(sizes) + 2 * PAGE)
    _access_to_every_second(lab, placed, owner)
    check_all(lab)
    for start, size in placed[1::2]:
        lab.call("halMemUnmap", ptr=start)
        query(lab, start)
        query(lab, start + size - 1)
    check_all(lab)
    for handle in handles:
        lab.call("halMemRelease", handle=handle or 0)
    check_all(lab)
    for start, _ in placed[::2]:
        lab.call("halMemUnmap", ptr=start)
    audit(lab, owner)
    lab.call("halMemAddressFree", ptr=place)


def _access_to_every_second(lab: Lab, placed: list[tuple[int, int]], owner: int) -> None:
    """Give the owner access to all mappings and others to some; ask about all of them."""
    others = [{"id": each, "side": ON_DEVICE} for each in lab.setting.devices if each != owner]
    others.append({"id": 0, "side": ON_HOST})
    for number, (start, size) in enumerate(placed):
        give(lab, start, size, {"id": owner, "side": ON_DEVICE, "type": READ_WRITE})
        if number % 2:
            give(lab, start, size, {**others[number % len(others)], "type": READ_WRITE})
    for start, size in placed:
        query(lab, start)
        query(lab, start + size - 1)


def mapped_again_and_again(lab: Lab) -> None:
    """Whole lives of mappings, one after the other and in turns of two, leave nothing behind."""
    open_all(lab)
    for device in lab.setting.devices:
        audit(lab, device)
        for turn in range(12):
            size = (1 + turn % 3) * PAGE
            got = pair(lab, size, device)
            if got is None:
                continue
            place, handle = got
            mapped(lab, place, size, handle)
            lab.call("halMemRetainAllocationHandle", handle=True, ptr=place)
            lab.call("halMemRelease", handle=handle)
            fill_all(lab)
            check_all(lab)
            if turn % 2:
                lab.call("halMemRelease", handle=handle)
                lab.call("halMemUnmap", ptr=place)
            else:
                lab.call("halMemUnmap", ptr=place)
                lab.call("halMemRelease", handle=handle)
            lab.call("halMemAddressFree", ptr=place)
        audit(lab, device)


def addresses_can_be_had_again(lab: Lab) -> None:
    """The largest stretch of addresses that there is, reserved and given back many times."""
    open_all(lab)
    size = LARGEST if lab.setting.profile.generation == "v2" else lab.setting.profile.single_limit
    while size > PAGE and (place := reserve(lab, size)) is None:
        size //= 2
    for _ in range(ROUNDS):
        if place is None:
            return
        lab.call("halMemAddressFree", ptr=place)
        place = reserve(lab, size)
    if place is not None:
        lab.call("halMemAddressFree", ptr=place)


def addresses_for_other_machines(lab: Lab) -> None:
    """Addresses that other machines can map as well: memory at both ends, and all of it back."""
    open_all(lab)
    flag = ReserveFlags.compose(remote=1)
    for addr in REMOTE:
        for size in (GIB, 2 * GIB):
            place, behind = reserve(lab, size, addr, flag), reserve(lab, GIB, addr + size, flag)
            if place is None or behind is None:
                continue
            reserve(lab, GIB, addr, flag)
            for owner in (lab.setting.devices[-1], None):
                _used_at(lab, owner, (place, place + size - PAGE, behind))
            for start in (place, behind, place):
                lab.call("halMemAddressFree", ptr=start)


def _used_at(lab: Lab, owner: int | None, places: tuple[int, ...]) -> None:
    """Map memory at some places, use it, and let it go."""
    handles = [create(lab, PAGE, owner) for _ in places]
    for place, handle in zip(places, handles, strict=True):
        mapped(lab, place, PAGE, handle or 0)
        give(lab, place, PAGE, {"id": 0, "side": ON_HOST, "type": READ_WRITE})
        query(lab, place)
    fill_all(lab)
    check_all(lab)
    lab.call("halMemAddressFree", ptr=places[0])
    for place, handle in zip(places, handles, strict=True):
        lab.call("halMemUnmap", ptr=place)
        lab.call("halMemRelease", handle=handle or 0)


def neighbours_of_two_devices(lab: Lab) -> None:
    """Memory of one device in addresses, and of another, or of the host, right behind them."""
    open_all(lab)
    addr = 20 * TIB
    place, behind = reserve(lab, GIB, addr), reserve(lab, GIB, addr + GIB)
    owners = (lab.setting.devices[0], lab.setting.devices[-1], None)
    handles = [create(lab, PAGE, owner) for owner in owners]
    if place is None or behind is None or None in handles:
        return
    mapped(lab, behind, PAGE, handles[0] or 0)
    for handle in handles[1:]:
        mapped(lab, place, PAGE, handle or 0)
        fill_all(lab)
        check_all(lab)
        lab.call("halMemUnmap", ptr=place)
        lab.call("halMemAddressFree", ptr=place)
        reserve(lab, GIB, addr)


def what_is_not_mapped_is_not_unmapped(lab: Lab) -> None:
    """Memory of another sort is no mapping, even where a device's address of it was told."""
    open_all(lab)
    block = allocate(lab, PAGE, DEV, lab.setting.devices[0])
    if block is None:
        return
    lab.call("halMemUnmap", ptr=block)
    lab.call("drvMemAddressTranslate", vptr=block, pptr=True)
    lab.call("halMemUnmap", ptr=block)


def memory_of_each_device_alone(lab: Lab) -> None:
    """A device tells what is held of its own memory, whatever is held elsewhere."""
    open_all(lab)
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    audit(lab, first, last)
    blocks = []
    for device in (first, last, None):
        create(lab, PAGE, device)
        audit(lab, first, last)
        if device is not None:
            blocks.append(allocate(lab, PAGE, DEV, device, phys=HBM))
            audit(lab, first, last)
    free(lab, *blocks)


def mapped_memory_in_every_copy(lab: Lab) -> None:
    """Copy mapped memory of devices and of the host in all the ways that there are."""
    open_all(lab)
    last = lab.setting.devices[-1]
    host, block = allocate(lab, PAGE, HOST), allocate(lab, PAGE, DEV, last)
    if host is None or block is None:
        return
    for owner in (*lab.setting.devices, None):
        got = pair(lab, PAGE, owner)
        if got is None:
            continue
        place, handle = got
        mapped(lab, place, PAGE, handle)
        for other in (host, block):
            for dst, src in ((place, other), (other, place)):
                _copied(lab, dst, src, last if owner is None else owner)
        if owner == last:
            _copied_together(lab, [place, block], [host, host + PAGE // 2])
        lab.call("halMemUnmap", ptr=place)
        lab.call("halMemRelease", handle=handle)
        lab.call("halMemAddressFree", ptr=place)


def _copied(lab: Lab, dst: int, src: int, device: int) -> None:
    """Copy some bytes in all the ways that there are."""
    fill_all(lab)
    size = 10_000
    for direction in (TO_DEVICE, TO_HOST):
        matrix(lab, SYNC, dst, src, direction)
        info = {"dir": direction, "devid": device}
        lab.call("halMemcpy", dst=dst, dst_size=size, src=src, count=size, info=info)
    lab.call("halMemcpyBatch", dst=[dst, dst + size], src=[src, src + size], size=[9, 8], count=2)
    args = {"dst": dst, "dest_max": size, "src": src, "byte_count": size}
    number = gave(lab.call("halMemCpyAsync", **args, copy_fd=True), "copy_fd")
    if number is not None:
        lab.call("halMemCpyAsyncWaitFinish", copy_fd=number)
    made: dict[str, Any] = {"p_src": src, "p_dst": dst, "len": size, "dma_addr": {"devid": device}}
    descriptor = descriptor_of(lab.call("drvMemConvertAddr", **made), "dma_addr")
    if descriptor:
        lab.call("halMemcpySumbit", dma_addr=descriptor, flag=AT_ONCE)
        lab.call("drvMemDestroyAddr", ptr=descriptor)
    lab.call("drvMemcpy", **args)
    check_all(lab)


def _copied_together(lab: Lab, blocks: list[int], hosts: list[int]) -> None:
    """Copy mapped and other memory of a device in one call, there and back."""
    for dst, src in ((blocks, hosts), (hosts, blocks)):
        fill_all(lab)
        lab.call("halMemcpyBatch", dst=dst, src=src, size=[10_000, 10_001], count=2)
        check_all(lab)


MAPPING_SCENARIOS = scenarios_of(
    "vmm",
    refused_maps,
    every_kind_of_memory,
    many_sizes_side_by_side,
    mapped_again_and_again,
    addresses_can_be_had_again,
    addresses_for_other_machines,
    neighbours_of_two_devices,
    what_is_not_mapped_is_not_unmapped,
    memory_of_each_device_alone,
    mapped_memory_in_every_copy,
)
