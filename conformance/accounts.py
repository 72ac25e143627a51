"""Conservation: what a device reports as free adds up with what is held.

The accounts follow every judged call. When a device tells its free memory, they compare it with
what it told before anything was allocated: held memory is not free, and what nobody holds is
free again, but for what frees may have left in caches. A device is taken to be ours alone.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from halcert.conformance.room import Room, managed_on
from halcert.spec.abi.codes import DrvError
from halcert.spec.language import Call, Returned, Rule, align_up
from halcert.spec.profiles import Profile
from halcert.spec.state import USER, Block, Handle, State
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.device import MemAgentClose, MemDeviceClose
from halcert.spec.svm.flags import DEV, DVPP, MAPPED, SVM, UVM
from halcert.spec.svm.free import MemFree
from halcert.spec.svm.info import MemGetInfo, on_hbm
from halcert.spec.svm.memory import OWN_BLOCK, cacheable
from halcert.spec.universal import LIVE_MEMORY_IS_ACCOUNTED, NOTHING_LEAKS
from halcert.spec.uvm.moves import untouched
from halcert.spec.uvm.universal import PAGES_FIT
from halcert.spec.vmm.create import MemCreate
from halcert.spec.vmm.memory import of_the_device
from halcert.spec.vmm.reserve import MemAddressReserve

ADDRESSES = -1
"""The place of reserved addresses, which are neither a device's nor the host's."""
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


class Accounts:
    """What devices told, and what frees may have left in caches, in bytes by device."""

    def __init__(self, profile: Profile) -> None:
        """Start with nothing known."""
        self._profile = profile
        self._start: dict[int, int] = {}
        self._had: dict[tuple[Any, ...], Counter[int]] = {}
        self._cached: dict[int, int] = {}
        self._ahead: set[int] = set()
        self.room = Room()

    def free_at_start(self, device: int) -> int | None:
        """Return what was free on a device before anything was allocated, if that is known."""
        return self._start.get(device)

    def had_again(self, call: Call, result: Returned, before: State) -> tuple[int, int] | None:
        """Follow a call that takes memory or addresses, and that an equal one came before.

        Returns:
            Bytes that were held at least when the equal one succeeded, and now at most, if the
            allocation ran out of memory all the same or succeeded again; None where more may be
            held now of any device, of the host or of addresses, so that nothing can be said.
        """
        what = _wanted(call)
        if what is None or result.code not in (0, DrvError.OUT_OF_MEMORY):
            return None
        least, most = (self._by_place(before, generously=each) for each in (False, True))
        known = self._had.get(what)
        if result.code == 0 and (known is None or known.total() < least.total()):
            self._had[what] = least
        if known is None or any(held > known[place] for place, held in most.items()):
            return None
        return known.total(), most.total()

    def _by_place(self, state: State, *, generously: bool) -> Counter[int]:
        """Return what is held of each device, of the host and of addresses, in bytes."""
        held: Counter[int] = Counter()
        tables: Any = state
        everywhere = sum(run.extent for run in tables.pages if not untouched(run))
        for block in tables.blocks:
            if block.kind == SVM:
                everywhere += generous(block, self._profile)
            elif block.kind not in (USER, MAPPED, UVM):
                cost = generous(block, self._profile) if generously else block.extent
                held[block.device] += cost
        for handle in tables.handles:
            if not handle.lost:
                granule = self._profile.huge if generously else 1
                place = handle.device if of_the_device(handle) else self._profile.host_id
                held[place] += align_up(handle.size, granule)
        for found in tables.reservations:
            held[ADDRESSES] += found.extent
        if generously:
            for device in tables.hardware:
                held[device.id] += everywhere + self._cached.get(device.id, 0)
            held[self._profile.host_id] += everywhere
        return held

    def after(self, call: Call, result: Returned, before: State, now: State) -> list[Balance]:
        """Follow a successful call; return the comparisons that it allows."""
        self.room.followed(call, before)
        if isinstance(call, MemAlloc):
            made: Any = result
            self._took(now.blocks.at(made.pp))
        elif isinstance(call, MemFree):
            self._freed(before.blocks.at(call.pp))
        elif isinstance(call, MemAgentClose | MemDeviceClose):
            self._cached[call.devid] = 0
            self._ahead.discard(call.devid)
        elif isinstance(call, MemGetInfo) and call.type == HBM_SIZE:
            return self._told(call.device, result, now)
        return []

    def _took(self, block: Block) -> None:
        """Take note of image memory: it is taken ahead, in pieces as large as a cache keeps."""
        if (
            block.kind == DVPP
            and cacheable(block, self._profile)
            and block.device not in self._ahead
        ):
            self._ahead.add(block.device)
            self._cached[block.device] = (
                self._cached.get(block.device, 0) + self._profile.cached_huge
            )

    def _freed(self, block: Block) -> None:
        if cacheable(block, self._profile):
            cost = generous(block, self._profile)
            self._cached[block.device] = self._cached.get(block.device, 0) + cost

    def _told(self, device: int, result: Any, now: State) -> list[Balance]:
        free = int(result.info.free + result.info.huge_free)
        room = self.room.most(device)
        self.room.told(device, free, now)
        at_start = self._start.get(device)
        if at_start is None:
            if not self._held(device, now, generously=True) and not self._cached.get(device):
                self._start[device] = free
            return []
        most = self._held(device, now, generously=True) + self._cached.get(device, 0)
        least = self._held(device, now, generously=False)
        found = [
            Balance(LIVE_MEMORY_IS_ACCOUNTED, at_start, free, least),
            Balance(NOTHING_LEAKS, at_start, free, most),
        ]
        managed = managed_on(device, now)
        if room is not None and room < managed:
            found.append(Balance(PAGES_FIT, at_start, free, most - managed + room))
        return found

    def _held(self, device: int, state: State, *, generously: bool) -> int:
        def cost(block: Block) -> int:
            owned = block.device == device and block.kind in (DEV, DVPP)
            if generously:
                return generous(block, self._profile) if owned or block.kind == SVM else 0
            return block.extent if owned and block.hbm else 0

        def physical(handle: Handle) -> int:
            if handle.device != device or not of_the_device(handle) or handle.lost:
                return 0
            if generously:
                return align_up(handle.size, self._profile.huge)
            return handle.size if on_hbm(handle) else 0

        managed = managed_on(device, state) if generously else 0
        return state.blocks.sum(cost) + state.handles.sum(physical) + managed


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
