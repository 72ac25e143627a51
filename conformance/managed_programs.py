"""Programs of threads for managed memory: the host and devices at work on pages at once.

Threads write to pages of their own, in allocations of their own and in one that they share; pages
that several of them access are only read. So no two accesses of a page meet of which the order
would matter, but the pages of neighbours move all the time.
"""

from __future__ import annotations

from typing import Any

from halcert.conformance.concurrent import THREADS, Program
from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.conformance.managed import HOST, MANAGED, Place, at_device
from halcert.conformance.mapping_programs import Script, program_of
from halcert.spec.abi.constants import UvmAdvise
from halcert.spec.uvm.pages import PAGE

PART = 256
"""Bytes that an access reads or writes."""
SHARED = 2 * THREADS
"""Pages of an allocation that threads share."""


def private_pages(draw: Draw, lab: Lab, first: int) -> Program:
    """Make a program in which each thread allocates, moves, uses and frees pages of its own."""

    def write(script: Script, thread: int) -> None:
        for turn in range(2):
            base = script.add("halMemAlloc", "pp", pp=True, size=2 * PAGE, flag=MANAGED)
            _use(script, draw, lab, base, 2 * PAGE, 10 * thread + turn)
            if draw.chance(70):
                script.add("halMemFree", pp=base)

    return program_of(first, write)


def pages_of_one_allocation(draw: Draw, lab: Lab, base: int, first: int) -> Program:
    """Make a program in which each thread moves and uses its part of one allocation."""
    part = SHARED // THREADS * PAGE

    def write(script: Script, thread: int) -> None:
        for turn in range(3):
            _use(script, draw, lab, base + thread * part, part, 100 + 10 * thread + turn)

    return program_of(first, write)


def read_by_all(lab: Lab, base: int, first: int) -> Program:
    """Make a program in which threads read the same read-mostly pages, each from another side."""
    sides = (None, *lab.setting.devices)

    def write(script: Script, thread: int) -> None:
        side = sides[thread % len(sides)]
        for page in range(SHARED):
            _load(script, lab, base + page * PAGE, side)

    return program_of(first, write)


def _use(script: Script, draw: Draw, lab: Lab, base: Any, size: int, pattern: int) -> None:
    device = draw.pick(lab.setting.devices)
    sides = (None, device)
    places: tuple[Place, ...] = (at_device(device), HOST, at_device(lab.setting.devices[-1]))
    writer, reader = draw.pick(sides), draw.pick(sides)
    for page in range(0, size, PAGE):
        _store(script, lab, _plus(base, page), pattern, writer)
    script.add("halMemManagedPrefetch", ptr=base, size=size, location=draw.pick(places), flags=0)
    for page in range(0, size, PAGE):
        _load(script, lab, _plus(base, page), reader)
    if draw.chance(40):
        advice = int(draw.pick((UvmAdvise.READ_MOSTLY, UvmAdvise.PREFER_LOCATION)))
        script.add(
            "halMemManagedAdvise", ptr=base, size=size, advise=advice, location=at_device(device)
        )
    _store(script, lab, _plus(base, size - PART), pattern + 1, reader)
    for side in sides:
        _load(script, lab, _plus(base, size - PART), side)


def _plus(base: Any, offset: int) -> Any:
    return {**base, "plus": offset} if isinstance(base, dict) else base + offset


def _store(script: Script, lab: Lab, address: Any, pattern: int, device: int | None) -> None:
    args: dict[str, Any] = {"address": address, "size": PART, "pattern": pattern, "offset": 0}
    if device is not None and lab.setting.session.offers("device.store"):
        script.add("device.store", device=device, **args)
    else:
        script.add("host.store", **args)


def _load(script: Script, lab: Lab, address: Any, device: int | None) -> None:
    if device is not None and lab.setting.session.offers("device.load"):
        script.add("device.load", device=device, address=address, size=PART)
    else:
        script.add("host.load", address=address, size=PART)
