"""Conservation: what a device reports as free adds up with what is held.

The accounts follow every judged call. When a device tells its free memory, they compare it with
what it told before anything was allocated: held memory is not free, and what nobody holds is
free again, but for what frees may have left in caches. A device is taken to be ours alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from halcert.conformance.held import by_place, generous, of_device
from halcert.conformance.room import Room, managed_on
from halcert.spec.abi.acl.constants import AclrtMemAttr
from halcert.spec.abi.codes import DrvError
from halcert.spec.language import Call, Returned, Rule
from halcert.spec.profiles import Profile
from halcert.spec.runtime import memory as aclrt
from halcert.spec.runtime.ask import GetMemInfo
from halcert.spec.runtime.order import session
from halcert.spec.runtime.process import ResetDevice, ResetDeviceForce
from halcert.spec.sharing.process import HostExit, HostRest
from halcert.spec.state import Block, State
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.device import MemAgentClose, MemDeviceClose
from halcert.spec.svm.flags import DVPP
from halcert.spec.svm.free import MemFree
from halcert.spec.svm.info import MemGetInfo
from halcert.spec.svm.memory import cacheable
from halcert.spec.universal import LIVE_MEMORY_IS_ACCOUNTED, NOTHING_LEAKS
from halcert.spec.uvm.universal import PAGES_FIT
from halcert.spec.vmm.create import MemCreate
from halcert.spec.vmm.reserve import MemAddressReserve

HBM = int(AclrtMemAttr.ACL_HBM_MEM)
"""Kind of aclrtGetMemInfo that tells the same."""
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
    """What devices told, and what may lie in caches, in bytes by device."""

    def __init__(self, profile: Profile) -> None:
        """Start with nothing known."""
        self._profile = profile
        self._start: dict[int, int] = {}
        self._had: dict[tuple[Any, ...], Counter[int]] = {}
        self._cached: Counter[tuple[int, int]] = Counter()
        self._leaving: Counter[int] = Counter()
        self._rested = 0
        self._ahead: set[tuple[int, int]] = set()
        self.room = Room()

    def free_at_start(self, device: int) -> int | None:
        """Return what was free on a device before anything was allocated, if that is known."""
        return self._start.get(device)

    def had_again(
        self, call: Call, result: Returned, before: State, views: Sequence[State]
    ) -> tuple[int, int] | None:
        """Follow a call that takes memory or addresses, and that an equal one came before.

        Args:
            call: the call.
            result: what it gave.
            before: the state before it, as the calling process saw it.
            views: the same, as each process sees it.

        Returns:
            Bytes that were held at least when the equal one succeeded, and now at most, if the
            allocation ran out of memory all the same or succeeded again; None where more may be
            held now of any device, of the host or of addresses, so that nothing can be said.
        """
        what = _wanted(call)
        if what is None or result.code not in (0, DrvError.OUT_OF_MEMORY):
            return None
        least = by_place(before, views, self._profile, generously=False)
        most = by_place(before, views, self._profile, generously=True)
        most += self._leaving + self._cached_on(_devices(before))
        known = self._had.get(what)
        if result.code == 0 and (known is None or known.total() < least.total()):
            self._had[what] = least
        if known is None or any(held > known[place] for place, held in most.items()):
            return None
        return known.total(), most.total()

    def after(
        self,
        call: Call,
        result: Returned,
        before: State,
        views: Mapping[int, State],
        process: int = 0,
    ) -> list[Balance]:
        """Follow a successful call; return the comparisons that it allows.

        Args:
            call: the call.
            result: what it gave.
            before: the state before it, as the calling process saw it.
            views: the state now, as each process sees it, by process.
            process: the calling process.
        """
        self.room.followed(call, before)
        if isinstance(call, MemAlloc):
            made: Any = result
            self._took(views[process].blocks.at(made.pp), process)
        elif isinstance(call, MemFree):
            self._freed(before.blocks.at(call.pp), process)
        elif isinstance(call, MemAgentClose | MemDeviceClose):
            self._cached[process, call.devid] = 0
            self._ahead.discard((process, call.devid))
        elif isinstance(call, HostExit):
            self._left(before, process)
        elif isinstance(call, HostRest):
            self._rested += call.milliseconds
            if self._rested >= PATIENCE:
                self._leaving.clear()
        elif isinstance(call, MemGetInfo) and call.type == HBM_SIZE:
            told: Any = result
            free = int(told.info.free + told.info.huge_free)
            return self._compared(call.device, free, list(views.values()))
        return self._after_the_runtime(call, result, before, views, process)

    def _after_the_runtime(
        self, call: Call, result: Any, before: State, views: Mapping[int, State], process: int
    ) -> list[Balance]:
        """The same for calls of the runtime."""
        if isinstance(call, aclrt.Free):
            self._freed(before.blocks.at(call.devPtr), process)
        elif isinstance(call, ResetDeviceForce) or (
            isinstance(call, ResetDevice) and before.uses.at(call.deviceId).references == 1
        ):
            self._cached[process, call.deviceId] = 0
            self._ahead.discard((process, call.deviceId))
        elif isinstance(call, GetMemInfo) and call.attr == HBM:
            device = session(before).current - 1
            return self._compared(device, int(result.free), list(views.values()))
        return []

    def kept_back(self, device: int, free: int, views: Sequence[State]) -> bool | None:
        """Tell whether memory of freed blocks is not free again.

        None where nobody can say: before anything was freed, while something is held that may
        cost more than its size, or where memory was taken ahead.
        """
        at_start = self._start.get(device)
        held = of_device(device, views, self._profile, generously=True)
        exact = held == of_device(device, views, self._profile, generously=False)
        if (
            at_start is None
            or not exact
            or self._leaving[device]
            or any(ahead == device for _, ahead in self._ahead)
            or not self._cached_on([device])[device]
        ):
            return None
        return free < at_start - held

    def missing(self, device: int, free: int, views: Sequence[State]) -> bool:
        """Tell whether less is free than when everything is back that ended processes held."""
        at_start = self._start.get(device)
        return at_start is not None and free < at_start - self._most(device, views)

    def _took(self, block: Block, process: int) -> None:
        """Take note of image memory: it is taken ahead, in pieces as large as a cache keeps."""
        place = process, block.device
        if block.kind == DVPP and cacheable(block, self._profile) and place not in self._ahead:
            self._ahead.add(place)
            self._cached[place] += self._profile.cached_huge

    def _freed(self, block: Block, process: int) -> None:
        if cacheable(block, self._profile):
            cost = generous(block, self._profile)
            self._cached[process, block.device] += cost

    def _left(self, before: State, process: int) -> None:
        """Take note of what a process held that has ended: it comes back when it comes back."""
        self._rested = 0
        for device in _devices(before):
            held = of_device(device, [before], self._profile, generously=True)
            self._leaving[device] += held + self._cached.pop((process, device), 0)
            self._ahead.discard((process, device))
        host = self._profile.host_id
        self._leaving[host] += by_place(before, [before], self._profile, generously=True)[host]

    def _compared(self, device: int, free: int, views: Sequence[State]) -> list[Balance]:
        """Compare what a device tells to be free with what is held."""
        room = self.room.most(device)
        self.room.told(device, free, views)
        at_start = self._start.get(device)
        most = self._most(device, views) + self._leaving[device]
        if at_start is None:
            if not most:
                self._start[device] = free
            return []
        least = of_device(device, views, self._profile, generously=False)
        found = [
            Balance(LIVE_MEMORY_IS_ACCOUNTED, at_start, free, least),
            Balance(NOTHING_LEAKS, at_start, free, most),
        ]
        managed = sum(managed_on(device, view) for view in views)
        if room is not None and room < managed:
            found.append(Balance(PAGES_FIT, at_start, free, most - managed + room))
        return found

    def _most(self, device: int, views: Sequence[State]) -> int:
        """Return what may be held of a device, or lie in caches."""
        cached = self._cached_on([device])[device]
        return of_device(device, views, self._profile, generously=True) + cached

    def _cached_on(self, devices: Iterable[int]) -> Counter[int]:
        """Return what all processes may have in caches, freed or taken ahead, by device."""
        wanted = set(devices)
        found: Counter[int] = Counter()
        for (_, device), cost in self._cached.items():
            if device in wanted:
                found[device] += cost
        return found


def _devices(state: State) -> list[int]:
    known: Any = state.hardware
    return [device.id for device in known]


def _wanted(call: Call) -> tuple[Any, ...] | None:
    """Return what a call takes, if it takes any memory or addresses; none of its choice."""
    if isinstance(call, MemAlloc):
        return ("block", call.flag.word, call.size)
    if isinstance(call, MemCreate):
        return ("handle", call.prop, call.size)
    if isinstance(call, MemAddressReserve) and call.addr == 0:
        return ("addresses", call.flag.word, call.size)
    return None
