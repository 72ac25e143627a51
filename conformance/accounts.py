"""Conservation: what a device reports as free adds up with what is held.

The accounts follow every judged call. When a device tells its free memory, they compare it with
what it told before anything was allocated: held memory is not free, and what nobody holds is
free again, but for what frees may have left in caches. A device is taken to be ours alone.
"""

from __future__ import annotations

from typing import Any

import msgspec

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import Call, Returned, Rule, align_up
from halcert.spec.profiles import Profile
from halcert.spec.state import USER, Block, Handle, State
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.device import MemAgentClose, MemDeviceClose
from halcert.spec.svm.flags import DEV, DVPP, MAPPED, SVM
from halcert.spec.svm.free import MemFree
from halcert.spec.svm.info import MemGetInfo, on_hbm
from halcert.spec.svm.memory import OWN_BLOCK, cacheable
from halcert.spec.universal import LIVE_MEMORY_IS_ACCOUNTED, NOTHING_LEAKS
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


class Accounts:
    """What devices told, and what frees may have left in caches, in bytes by device."""

    def __init__(self, profile: Profile) -> None:
        """Start with nothing known."""
        self._profile = profile
        self._start: dict[int, int] = {}
        self._had: dict[tuple[Any, ...], int] = {}
        self._cached: dict[int, int] = {}

    def free_at_start(self, device: int) -> int | None:
        """Return what was free on a device before anything was allocated, if that is known."""
        return self._start.get(device)

    def had_again(self, call: Call, result: Returned, before: State) -> tuple[int, int] | None:
        """Follow a call that takes memory or addresses, and that an equal one came before.

        Returns:
            Bytes that were held when the equal one succeeded, and now, if the allocation ran out
            of memory all the same or succeeded again; None where nothing can be said.
        """
        what = _wanted(call)
        if what is None or result.code not in (0, DrvError.OUT_OF_MEMORY):
            return None
        held = (
            sum(self._cached.values())
            + before.blocks.sum(
                lambda block: 0 if block.kind in (USER, MAPPED) else generous(block, self._profile)
            )
            + before.handles.sum(
                lambda handle: 0 if handle.lost else align_up(handle.size, self._profile.huge)
            )
            + before.reservations.sum(lambda found: found.extent)
        )
        known = self._had.get(what)
        if result.code == 0:
            self._had[what] = held if known is None else max(known, held)
        return None if known is None else (known, held)

    def after(self, call: Call, result: Returned, before: State, now: State) -> list[Balance]:
        """Follow a successful call; return the comparisons that it allows."""
        if isinstance(call, MemFree):
            self._freed(before.blocks.at(call.pp))
        elif isinstance(call, MemAgentClose | MemDeviceClose):
            self._cached[call.devid] = 0
        elif isinstance(call, MemGetInfo) and call.type == HBM_SIZE:
            return self._told(call.device, result, now)
        return []

    def _freed(self, block: Block) -> None:
        if cacheable(block, self._profile):
            cost = generous(block, self._profile)
            self._cached[block.device] = self._cached.get(block.device, 0) + cost

    def _told(self, device: int, result: Any, now: State) -> list[Balance]:
        free = int(result.info.free + result.info.huge_free)
        at_start = self._start.get(device)
        if at_start is None:
            if not self._held(device, now, generously=True) and not self._cached.get(device):
                self._start[device] = free
            return []
        most = self._held(device, now, generously=True) + self._cached.get(device, 0)
        least = self._held(device, now, generously=False)
        return [
            Balance(LIVE_MEMORY_IS_ACCOUNTED, at_start, free, least),
            Balance(NOTHING_LEAKS, at_start, free, most),
        ]

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

        return state.blocks.sum(cost) + state.handles.sum(physical)


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
