"""Conservation: what a device reports as free adds up with what is held.

The accounts follow every judged call. When a device tells its free memory, they compare it with
what it told before anything was allocated: held memory is not free, and what nobody holds is
free again, but for what frees may have left in caches. A device is taken to be ours alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from halcert.conformance.room import Room, managed_on
from halcert.spec.abi.codes import DrvError
from halcert.spec.language import Call, Returned, Rule, align_up
from halcert.spec.profiles import Profile
from halcert.spec.sharing.memory import is_held
from halcert.spec.sharing.process import HostExit, HostRest
from halcert.spec.state import USER, Block, Handle, State
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.device import MemAgentClose, MemDeviceClose
from halcert.spec.svm.flags import DEV, DVPP, MAPPED, OPENED, POOL, SVM, UVM
from halcert.spec.svm.free import MemFree
from halcert.spec.svm.info import MemGetInfo, on_hbm
from halcert.spec.svm.memory import OWN_BLOCK, cacheable
from halcert.spec.universal import LIVE_MEMORY_IS_ACCOUNTED, NOTHING_LEAKS
from halcert.spec.uvm.moves import untouched
from halcert.spec.uvm.universal import PAGES_FIT
from halcert.spec.vmm.create import MemCreate
from halcert.spec.vmm.memory import of_the_device
from halcert.spec.vmm.reserve import MemAddressReserve

HBM_SIZE = 2
"""Type of halMemGetInfo that tells the free high-bandwidth memory."""


class Balance(msgspec.Struct, frozen=True):
    """One comparison of a device's report with what is held, in bytes.

    Attributes:
        rule: the rule that is judged.
        at_start: free before anything was allocated.
        free: free now.
        held: what the rule takes as held.
    """

    rule: Rule
    at_start: int
    free: int
    held: int

    @property
    def holds(self) -> bool:
        """Whether the rule holds."""
        return bool(self.rule.function(self.at_start, self.free, self.held))

    @property
    def allowed(self) -> str:
        """What the rule allows, in words."""
        sign = "at most" if self.rule is LIVE_MEMORY_IS_ACCOUNTED else "at least"
        return (
            f"{sign} {self.at_start - self.held} bytes free "
            f"({self.at_start} at the start, {self.held} held)"
        )


PATIENCE = 2000
"""Milliseconds after which what a process held that has ended must be back."""


class Accounts:
    """What devices told, and what frees may have left in caches, in bytes by device."""

    def __init__(self, profile: Profile) -> None:
        """Start with nothing known."""
        self._profile = profile
        self._start: dict[int, int] = {}
        self._had: dict[tuple[Any, ...], int] = {}
        self._cached: dict[tuple[int, int], int] = {}
        self._leaving: dict[int, int] = {}
        self._rested = 0
        self.room = Room()

    def free_at_start(self, device: int) -> int | None:
        """Return what was free on a device before anything was allocated, if that is known."""
        return self._start.get(device)

    def had_again(
        self, call: Call, result: Returned, views: Sequence[State]
    ) -> tuple[int, int] | None:
        """Follow a call that takes memory or addresses, and that an equal one came before.

        Args:
            call: the call.
            result: what it gave.
            views: the state before it, as each process sees it.

        Returns:
            Bytes that were held when the equal one succeeded, and now, if the allocation ran out
            of memory all the same or succeeded again; None where nothing can be said.
        """
        what = _wanted(call)
        if what is None or result.code not in (0, DrvError.OUT_OF_MEMORY):
            return None
        held = (
            sum(self._cached.values())
            + sum(self._leaving.values())
            + sum(
                view.blocks.sum(
                    lambda block: (
                        0
                        if block.kind in (USER, MAPPED, OPENED, POOL, UVM)
                        else generous(block, self._profile)
                    )
                )
                for view in views
            )
            + sum(
                view.handles.sum(
                    lambda handle: 0 if handle.lost else align_up(handle.size, self._profile.huge)
                )
                for view in views
            )
            + sum(view.reservations.sum(lambda found: found.extent) for view in views)
            + sum(view.pools.sum(lambda pool: pool.held_most) for view in views)
            + sum(view.pages.sum(lambda run: 0 if untouched(run) else run.extent) for view in views)
        )
        known = self._had.get(what)
        if result.code == 0:
            self._had[what] = held if known is None else max(known, held)
        return None if known is None else (known, held)

    def after(
        self,
        call: Call,
        result: Returned,
        before: State,
        views: Sequence[State],
        process: int = 0,
    ) -> list[Balance]:
        """Follow a successful call; return the comparisons that it allows.

        Args:
            call: the call.
            result: what it gave.
            before: the state before it, as the calling process saw it.
            views: the state now, as each process sees it.
            process: the calling process.
        """
        self.room.followed(call, before)
        if isinstance(call, MemFree):
            self._freed(before.blocks.at(call.pp), process)
        elif isinstance(call, MemAgentClose | MemDeviceClose):
            self._cached[process, call.devid] = 0
        elif isinstance(call, HostExit):
            self._left(before, process)
        elif isinstance(call, HostRest):
            self._rested += call.milliseconds
            if self._rested >= PATIENCE:
                self._leaving.clear()
        elif isinstance(call, MemGetInfo) and call.type == HBM_SIZE:
            return self._told(call.device, result, views)
        return []

    def missing(self, device: int, free: int, views: Sequence[State]) -> bool:
        """Tell whether less is free than when everything is back that ended processes held."""
        at_start = self._start.get(device)
        return at_start is not None and free < at_start - self._most(device, views)

    def _freed(self, block: Block, process: int) -> None:
        if cacheable(block, self._profile):
            cost = generous(block, self._profile)
            place = (process, block.device)
            self._cached[place] = self._cached.get(place, 0) + cost

    def _left(self, before: State, process: int) -> None:
        """Take note of what a process held that has ended: it comes back when it comes back."""
        self._rested = 0
        known: Any = before.hardware
        for device in known:
            held = self._held(device.id, [before], generously=True)
            cached = self._cached.pop((process, device.id), 0)
            self._leaving[device.id] = self._leaving.get(device.id, 0) + held + cached

    def _told(self, device: int, result: Any, views: Sequence[State]) -> list[Balance]:
        free = int(result.info.free + result.info.huge_free)
        room = self.room.most(device)
        self.room.told(device, free, views)
        at_start = self._start.get(device)
        most = self._most(device, views) + self._leaving.get(device, 0)
        if at_start is None:
            if not most:
                self._start[device] = free
            return []
        least = self._held(device, views, generously=False)
        found = [
            Balance(LIVE_MEMORY_IS_ACCOUNTED, at_start, free, least),
            Balance(NOTHING_LEAKS, at_start, free, most),
        ]
        managed = sum(managed_on(device, view) for view in views)
        if room is not None and room < managed:
            found.append(Balance(PAGES_FIT, at_start, free, most - managed + room))
        return found

    def _most(self, device: int, views: Sequence[State]) -> int:
        cached = sum(cost for (_, where), cost in self._cached.items() if where == device)
        return self._held(device, views, generously=True) + cached

    def _held(self, device: int, views: Sequence[State], *, generously: bool) -> int:
        """Return the bytes of a device that processes hold; what several share counts once."""
        found: dict[int, int] = {}
        for view in views:
            tables: Any = view
            for block in tables.blocks:
                found[block.memory] = max(
                    found.get(block.memory, 0), self._cost(block, device, generously=generously)
                )
            for handle in tables.handles:
                if handle.imported and not is_held(view, handle.share):
                    continue  # SVM v3: an import that is not mapped keeps nothing
                cost = self._physical(handle, device, generously=generously)
                found[handle.memory] = max(found.get(handle.memory, 0), cost)
            for pool in tables.pools:
                if pool.device == device:
                    memory = view.blocks.at(pool.base).memory
                    found[memory] = pool.held_most if generously else pool.held_least
            for share in tables.shares:
                if generously and share.device == device and is_held(view, share.id):
                    cost = align_up(share.extent, self._profile.huge)
                    found[share.memory] = max(found.get(share.memory, 0), cost)
        managed = sum(managed_on(device, view) for view in views) if generously else 0
        return sum(found.values()) + managed

    def _cost(self, block: Block, device: int, *, generously: bool) -> int:
        owned = block.device == device and block.kind in (DEV, DVPP)
        if generously:
            return generous(block, self._profile) if owned or block.kind == SVM else 0
        return block.extent if owned and block.hbm else 0

    def _physical(self, handle: Handle, device: int, *, generously: bool) -> int:
        if handle.device != device or not of_the_device(handle) or handle.lost:
            return 0
        if generously:
            return align_up(handle.size, self._profile.huge)
        return handle.size if on_hbm(handle) else 0


def _wanted(call: Call) -> tuple[Any, ...] | None:
    """Return what a call takes, if it takes any memory or addresses; none of its choice."""
    if isinstance(call, MemAlloc):
        return ("block", call.flag.word, call.size)
    if isinstance(call, MemCreate):
        return ("handle", call.prop, call.size)
    if isinstance(call, MemAddressReserve) and call.addr == 0:
        return ("addresses", call.flag.word, call.size)
    return None


def generous(block: Block, profile: Profile) -> int:
    """Return the most that a block may cost, in bytes.

    Own pages or whole GiBs, rounded up; contiguous pages are a power of two in number.
    """
    granule = profile.giant if block.size > OWN_BLOCK else profile.huge
    extent = 2 * block.extent if block.contiguous else block.extent
    return align_up(extent, granule)
