"""Experiments with threads: programs, and what is done before, between and after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from halcert.conformance.concurrent import (
    THREADS,
    contended_frees,
    private_copies,
    private_work,
    run_program,
)
from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.conformance.managed import (
    advise,
    allocate_managed,
    ask_page_by_page,
    at_device,
    fill,
    look,
    prefetch,
)
from halcert.conformance.managed_programs import (
    SHARED,
    pages_of_one_allocation,
    private_pages,
    read_by_all,
)
from halcert.conformance.mapping_programs import (
    PAGE,
    contended_address_frees,
    contended_mappings,
    contended_releases,
    contended_unmaps,
    private_mappings,
)
from halcert.conformance.observe import audit, check_all, fill_all
from halcert.conformance.physical import map_memory, physical, properties, reserve
from halcert.conformance.scenarios.registry import gave
from halcert.conformance.stream_programs import (
    contended,
    one_stream_for_all,
    private_physical_memory,
    private_pools,
    private_streams,
)
from halcert.conformance.streams import device_memory, stream, sync, use
from halcert.spec.abi.constants import MemSide, UvmAdvise
from halcert.spec.svm.flags import DEV, HOST, MAPPED, AllocFlags


@dataclass(frozen=True)
class Experiment:
    """Calls that threads make at once.

    Attributes:
        area: the area that it is about.
        run: makes the calls; choices come from the draw.
    """

    area: str
    run: Callable[[Lab, Draw], None]


def blocks_at_once(lab: Lab, draw: Draw) -> None:
    """Threads that allocate, set, copy and free, each its own and then all the same."""
    _open_all(lab)
    if not run_program(lab, private_work(draw, lab, 1000)):
        return
    for _ in range(2):
        flag = AllocFlags.compose(virt=DEV, devid=draw.pick(lab.setting.devices))
        lab.call("halMemAlloc", pp=True, size=draw.pick((4096, 2**21)), flag=flag)
    fill_all(lab)
    run_program(lab, contended_frees(lab, 2000))


def copies_at_once(lab: Lab, draw: Draw) -> None:
    """Threads that copy nothing but their own bytes, to a device and back, many times."""
    _open_all(lab)
    size = draw.pick((4096, 65536, 300_000))
    made = []
    for thread in range(THREADS):
        device = lab.setting.devices[thread % len(lab.setting.devices)]
        source, block, target = (
            gave(lab.call("halMemAlloc", pp=True, size=size, flag=flag), "pp")
            for flag in (AllocFlags.compose(virt=v, devid=device) for v in (HOST, DEV, HOST))
        )
        if source is None or block is None or target is None:
            return
        made.append((source, block, target))
    fill_all(lab)
    for turn in range(3):
        if not run_program(lab, private_copies(draw, made, size, 1000 * (turn + 1))):
            return


def mappings_at_once(lab: Lab, draw: Draw) -> None:
    """Threads that reserve, create, map, unmap and release, each its own and then all the same."""
    _open_all(lab)
    audit(lab, *lab.setting.devices)
    if not run_program(lab, private_mappings(draw, lab, 1000)):
        return
    audit(lab, *lab.setting.devices)
    device = draw.pick(lab.setting.devices)
    place = gave(_reserve(lab, 3 * PAGE), "ptr")
    handle = gave(_create(lab, PAGE, device), "handle")
    if place is None or handle is None:
        return
    lab.call("halMemMap", ptr=place, size=PAGE, offset=0, handle=handle, flag=0)
    fill_all(lab)
    if not run_program(lab, contended_mappings(place, handle, 2000)):
        return
    for _ in range(THREADS - 1):
        lab.call("halMemRetainAllocationHandle", handle=True, ptr=place)
    if not run_program(lab, contended_releases(handle, 4000)):
        return
    lab.call("halMemGetAddressRange", ptr=place, pbase=True, psize=True)
    inside = range(place, place + 3 * PAGE)
    mapped = [b.base for b in lab.blocks() if b.kind == MAPPED and b.base in inside]
    if not run_program(lab, contended_unmaps(mapped, 5000)):
        return
    audit(lab, *lab.setting.devices)
    run_program(lab, contended_address_frees(place, 6000))
    check_all(lab)


def pages_at_once(lab: Lab, draw: Draw) -> None:
    """Threads that use pages from the host and from devices, each its own, and read the same."""
    _open_all(lab)
    if not run_program(lab, private_pages(draw, lab, 1000)):
        return
    base = allocate_managed(lab, SHARED * PAGE)
    if base is None:
        return
    if not run_program(lab, pages_of_one_allocation(draw, lab, base, 3000)):
        return
    fill(lab, base, SHARED * PAGE, draw.integer(1, 200))
    advise(lab, base, SHARED * PAGE, UvmAdvise.READ_MOSTLY)
    prefetch(lab, base, SHARED * PAGE // 2, at_device(lab.setting.devices[0]))
    if run_program(lab, read_by_all(lab, base, 5000)):
        ask_page_by_page(lab, base, SHARED * PAGE)
        look(lab, base, SHARED * PAGE)
        lab.call("halMemFree", pp=base)
        audit(lab, *lab.setting.devices)


def streams_at_once(lab: Lab, draw: Draw) -> None:
    """Threads with streams, memory and pools, each its own and then all the same."""
    device = draw.pick(lab.setting.devices)
    use(lab, device)
    if not run_program(lab, private_streams(draw, device, 1000)):
        return
    if not run_program(lab, private_pools(device, 2000)):
        return
    where = stream(lab)
    blocks = [device_memory(lab, 4096) for _ in range(THREADS)]
    known = [block for block in blocks if block is not None]
    if len(known) < THREADS or not run_program(lab, one_stream_for_all(device, where, known, 3000)):
        return
    sync(lab, where)
    ends = [("aclrtFree", {"devPtr": block}) for block in known]
    run_program(lab, contended(device, [*ends, ("aclrtDestroyStream", {"stream": where})], 4000))


def physical_memory_at_once(lab: Lab, draw: Draw) -> None:
    """Threads that map physical memory of their own, and then take down the same."""
    device = draw.pick(lab.setting.devices)
    use(lab, device)
    audit(lab, device)
    if not run_program(lab, private_physical_memory(draw, device, 1000)):
        return
    audit(lab, device)
    place, handle = reserve(lab, PAGE), physical(lab, PAGE, properties(device))
    if place is None or handle is None or not map_memory(lab, place, PAGE, handle):
        return
    ends = (("aclrtUnmapMem", {"virPtr": place}), ("aclrtReleaseMemAddress", {"virPtr": place}))
    run_program(lab, contended(device, ends, 2000))


def _open_all(lab: Lab) -> None:
    for device in lab.setting.devices:
        lab.call("halMemAgentOpen", devid=device, flag=0)


def _reserve(lab: Lab, size: int) -> Any:
    return lab.call("halMemAddressReserve", ptr=True, size=size, alignment=0, addr=0, flag=0)


def _create(lab: Lab, size: int, device: int) -> Any:
    prop = {"side": int(MemSide.MEM_DEV_SIDE), "devid": device, "module_id": 48}
    return lab.call("halMemCreate", handle=True, size=size, prop=prop, flag=0)


EXPERIMENTS = {
    "threads": Experiment("svm", blocks_at_once),
    "copies": Experiment("svm", copies_at_once),
    "mappings": Experiment("vmm", mappings_at_once),
    "pages": Experiment("uvm", pages_at_once),
    "streams": Experiment("runtime", streams_at_once),
    "physical": Experiment("physical", physical_memory_at_once),
}
"""All experiments by name."""
