"""How much of a device managed pages can have, from what the device told and what was called.

Managed pages get what others leave: what is free, and what they have already. Others that take
memory make it less, others that give memory back make it more from the next time on that pages
can come to the device.
"""

from __future__ import annotations

from collections.abc import Sequence

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import Call, Returned
from halcert.spec.sharing.process import HostExit
from halcert.spec.state import State
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.flags import UVM
from halcert.spec.svm.free import MemFree
from halcert.spec.svm.info import MemGetInfo
from halcert.spec.uvm.area import UVM_AREA
from halcert.spec.uvm.attributes import MemManagedRangeGetAttributes
from halcert.spec.uvm.device import DeviceLoad, DeviceStore
from halcert.spec.uvm.moves import may_hold, untouched

MOVING = frozenset(each.name for each in UVM_AREA.interfaces) - {
    MemManagedRangeGetAttributes.interface.name
}
"""Calls by which managed pages can come to a device."""
HARMLESS = frozenset({"drvMemsetD8", "drvMemcpy", "halMemcpy", "drvMemGetAttribute"}) | MOVING
"""Calls that change nothing about what others than managed pages have of a device."""


class Room:
    """Bytes that managed pages can have of each device, as far as that is known."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self._least: dict[int, int] = {}
        self._most: dict[int, int] = {}
        self._given_back = False

    def told(self, device: int, free: int, views: Sequence[State]) -> None:
        """Take what a device said is free."""
        self._least[device] = free
        self._most[device] = max(free, 0) + sum(managed_on(device, view) for view in views)
        self._given_back = False

    def followed(self, call: Call, before: State) -> None:
        """Follow a successful call."""
        name = call.interface.name
        if name in MOVING and self._given_back:
            self._most.clear()
        if isinstance(call, MemFree) and before.blocks.at(call.pp).kind == UVM:
            return
        if isinstance(call, MemAlloc) and call.flag.virt == UVM:
            return
        own = name.startswith("host.") and not isinstance(call, HostExit)
        if name in HARMLESS or own or isinstance(call, MemGetInfo):
            return
        self._least.clear()
        self._given_back = True

    def most(self, device: int) -> int | None:
        """Return the most that managed pages can have of a device, if that is known."""
        return self._most.get(device)

    def exceeded(self, call: Call, now: State) -> bool:
        """Tell whether a successful call asked for more pages on a device than it can have."""
        return call.interface.name in MOVING and any(
            managed_on(device, now) > most for device, most in self._most.items()
        )

    def lacking(self, call: Call, result: Returned, before: State) -> tuple[int, int] | None:
        """Look at an access that a device could not make for lack of memory.

        Returns:
            Bytes that managed pages can have of the device at least, and bytes of managed memory
            in use; None if the call is no such access, or the former is not known.
        """
        if not isinstance(call, DeviceLoad | DeviceStore) or result.code != DrvError.OUT_OF_MEMORY:
            return None
        room = self._least.get(call.device)
        used: int = before.pages.sum(lambda run: 0 if untouched(run) else run.extent)
        return None if room is None else (room, used)


def managed_on(device: int, state: State) -> int:
    """Return how many bytes of managed pages a device may hold."""
    held: int = state.pages.sum(lambda run: run.extent if may_hold(run, device) else 0)
    return held
