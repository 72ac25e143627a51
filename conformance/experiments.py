"""Experiments with threads: programs, and what is done before, between and after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from halcert.conformance.concurrent import (
    THREADS,
    contended_frees,
    private_work,
    run_program,
)
from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.conformance.mapping_programs import (
    PAGE,
    contended_address_frees,
    contended_mappings,
    contended_releases,
    contended_unmaps,
    private_mappings,
)
from halcert.conformance.observe import audit, check_all, fill_all
from halcert.conformance.scenarios.registry import gave
from halcert.spec.abi.constants import MemSide
from halcert.spec.svm.flags import DEV, MAPPED, AllocFlags


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
    "mappings": Experiment("vmm", mappings_at_once),
}
"""All experiments by name."""
