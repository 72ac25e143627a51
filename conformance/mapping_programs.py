"""Programs of threads for VMM: reserving, creating, mapping, unmapping and releasing at once.

As with blocks, nothing undefined is done whatever the order: handles that several threads name
are held by the program until all of them are done, and nobody touches bytes where another may
unmap them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from halcert.conformance.concurrent import THREADS, Planned, Program
from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.spec.abi.constants import MemSide
from halcert.spec.profiles import MIB
from halcert.spec.svm.flags import HOST, AllocFlags

PAGE = 2 * MIB
LOOKED_AT = 4096
"""Bytes of a mapping that its thread reads back."""


class Script:
    """The calls of one thread, numbered as they are written."""

    def __init__(self, numbers: Iterator[int]) -> None:
        """Start with no call; numbers are shared by the threads of a program."""
        self._numbers = numbers
        self.calls: list[Planned] = []

    def add(self, interface: str, gives: str = "", **args: Any) -> dict[str, Any]:
        """Add a call and return the reference to what it gives."""
        number = next(self._numbers)
        self.calls.append(Planned(number, interface, args))
        return {"$": number, "field": gives, "plus": 0}


def program_of(first: int, write: Callable[[Script, int], None]) -> Program:
    """Return the program in which each thread makes the calls that ``write`` gives it."""
    numbers = iter(range(first, first + 1000))
    program: Program = []
    for thread in range(THREADS):
        script = Script(numbers)
        write(script, thread)
        program.append(script.calls)
    return program


def private_mappings(draw: Draw, lab: Lab, first: int, rounds: int = 2) -> Program:
    """Make a program in which each thread maps, uses and takes down memory of its own."""

    def write(script: Script, thread: int) -> None:
        for _ in range(rounds):
            _one_mapping(script, draw, draw.pick(lab.setting.devices), thread)

    return program_of(first, write)


def _one_mapping(script: Script, draw: Draw, device: int, thread: int) -> None:
    size = draw.pick((PAGE, 2 * PAGE))
    room = draw.pick((size, size + PAGE))
    place = script.add(
        "halMemAddressReserve", "ptr", ptr=True, size=room, alignment=0, addr=0, flag=0
    )
    prop = {"side": int(MemSide.MEM_DEV_SIDE), "devid": device, "module_id": 48}
    handle = script.add("halMemCreate", "handle", handle=True, size=size, prop=prop, flag=0)
    where = {**place, "plus": room - size}
    script.add("halMemMap", ptr=where, size=size, offset=0, handle=handle, flag=0)
    script.add("drvMemsetD8", dst=where, destMax=size, value=17 * thread + 1, num=size)
    host = script.add(
        "halMemAlloc", "pp", pp=True, size=LOOKED_AT, flag=AllocFlags.compose(virt=HOST)
    )
    script.add("drvMemcpy", dst=host, dest_max=LOOKED_AT, src=where, byte_count=LOOKED_AT)
    script.add("host.load", address=host, size=LOOKED_AT)
    again = script.add("halMemRetainAllocationHandle", "handle", handle=True, ptr=where)
    script.add("halMemRelease", handle=handle)
    if not draw.chance(70):
        return
    steps = [("halMemUnmap", {"ptr": where}), ("halMemRelease", {"handle": again})]
    for interface, args in steps if draw.chance(50) else reversed(steps):
        script.add(interface, **args)
    script.add("halMemAddressFree", ptr=place)


def contended_mappings(place: int, handle: int, first: int) -> Program:
    """Make a program in which threads map one handle at the same addresses.

    At the first page something is mapped all the time, to be retained. Nothing is unmapped:
    addresses that another thread is just mapping are not yet anybody's to unmap, and no document
    says what becomes of the call that maps them.
    """

    def write(script: Script, _thread: int) -> None:
        retained = script.add("halMemRetainAllocationHandle", "handle", handle=True, ptr=place)
        for where in (place + PAGE, place + 2 * PAGE):
            script.add("halMemMap", ptr=where, size=PAGE, offset=0, handle=handle, flag=0)
        script.add("halMemRelease", handle=retained)

    return program_of(first, write)


def contended_releases(handle: int, first: int) -> Program:
    """Make a program in which each thread releases the same handle once."""
    return program_of(first, lambda script, _: _only(script, "halMemRelease", handle=handle))


def contended_unmaps(mapped: list[int], first: int) -> Program:
    """Make a program in which all threads unmap the same mappings."""

    def write(script: Script, _thread: int) -> None:
        for where in mapped:
            script.add("halMemUnmap", ptr=where)

    return program_of(first, write)


def contended_address_frees(place: int, first: int) -> Program:
    """Make a program in which all threads give the same reservation back."""
    return program_of(first, lambda script, _: _only(script, "halMemAddressFree", ptr=place))


def _only(script: Script, interface: str, **args: Any) -> None:
    script.add(interface, **args)
