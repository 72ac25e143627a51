"""Looking at what is there: bytes of blocks, and the free memory of devices.

Observations are calls like any other: they are judged and stand in the trace.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from halcert.conformance.lab import Broken, Lab
from halcert.spec.language import Rule, align_up
from halcert.spec.profiles import Profile
from halcert.spec.state import USER, Block
from halcert.spec.svm.memory import OWN_BLOCK
from halcert.spec.svm.flags import DEV, DVPP, HOST, HOST_UVA, SVM
from halcert.spec.svm.memory import cacheable
from halcert.spec.universal import LIVE_MEMORY_IS_ACCOUNTED, NOTHING_LEAKS

WINDOW = 128 * 1024
"""Bytes that are looked at in one go."""
HBM_SIZE = 2
"""Type of halMemGetInfo that tells the free high-bandwidth memory."""


def scratch(lab: Lab, process: int = 0) -> int | None:
    """Return the address of WINDOW bytes of process memory for copies back to the host."""
    for step in lab.steps:
        if step.interface == "host.map" and step.actor == process:
            address = lab.outputs.get(step.number, {}).get("address", 0)
            block = lab.view(process).blocks.at(address)
            if block.exists and block.size == WINDOW:
                return block.base
    result = lab.call("host.map", process, size=WINDOW)
    return None if result is None else int(result.address)  # type: ignore[attr-defined]


def windows(block: Block) -> list[tuple[int, int]]:
    """Return the parts of a block to look at: all of a small one, both ends of a large one."""
    if block.size <= 2 * WINDOW:
        return [
            (start, min(WINDOW, block.size - start)) for start in range(0, block.size, WINDOW)
        ]
    return [(0, WINDOW), (block.size - WINDOW, WINDOW)]


def check_block(lab: Lab, block: Block, process: int = 0) -> None:
    """Read a block's bytes, by a copy to the host if need be, and have them judged.

    Raises:
        Broken: a byte is not what was written last.
    """
    written = lab.view(process).contents.rope(block.memory)  # type: ignore[attr-defined]
    if not len(written) or block.base == scratch_of(lab, process):
        return
    for start, length in windows(block):
        address = block.base + start
        if block.kind in (HOST, HOST_UVA, USER):
            lab.call("host.load", process, address=address, size=length)
            continue
        target = scratch(lab, process)
        if target is None:
            return
        with lab.observing(process):
            copied = lab.call(
                "drvMemcpy", process, dst=target, dest_max=WINDOW, src=address, byte_count=length
            )
        if copied is not None and copied.code == 0:
            lab.call("host.load", process, address=target, size=length)


def fill_all(lab: Lab, process: int = 0) -> None:
    """Give every live block bytes that can be recognised, where that changes nothing else.

    Raises:
        Broken: the implementation broke a rule while being written to.
    """
    for block in list(lab.view(process).blocks):  # type: ignore[call-overload]
        for start, length in windows(block):
            address = block.base + start
            if block.kind in (HOST, HOST_UVA, USER):
                pattern = {"pattern": block.memory, "offset": start}
                lab.call("host.store", process, address=address, size=length, **pattern)
            elif block.kind in (DEV, DVPP):
                value = 1 + block.memory % 255
                lab.call(
                    "drvMemsetD8", process, dst=address, destMax=length, value=value, num=length
                )


def scratch_of(lab: Lab, process: int = 0) -> int | None:
    """Return the address of the scratch memory, if there is one already."""
    for block in lab.view(process).blocks:  # type: ignore[attr-defined]
        if block.kind == USER and block.size == WINDOW:
            return int(block.base)
    return None


def check_all(lab: Lab, process: int = 0) -> None:
    """Read the bytes of every live block.

    Raises:
        Broken: a byte is not what was written last.
    """
    for block in list(lab.view(process).blocks):  # type: ignore[call-overload]
        check_block(lab, block, process)


def free_memory(lab: Lab, device: int, process: int = 0) -> int | None:
    """Return the free memory of a device in bytes, as it is reported, or None."""
    result = lab.call("halMemGetInfo", process, device=device, type=HBM_SIZE, info=True)
    if result is None or result.code != 0:
        return None
    info = result.info  # type: ignore[attr-defined]
    return int(info.free) if info.given else None


@dataclass
class Accounts:
    """Conservation: what a device reports as free adds up with what is held.

    Attributes:
        lab: the experiment.
        start: free bytes by device before anything was allocated.
        cached: bytes by device that frees may have left in caches.
    """

    lab: Lab
    start: dict[int, int] = field(default_factory=dict)
    cached: dict[int, int] = field(default_factory=dict)

    def begin(self, device: int) -> None:
        """Note what is free on a device that has just been opened."""
        free = free_memory(self.lab, device)
        if free is not None:
            self.start[device] = free
            self.cached[device] = 0

    def freed(self, block: Block) -> None:
        """Note that a block was freed, so that its memory may be in a cache."""
        if block.device in self.cached and cacheable(block, self.lab.setting.profile):
            self.cached[block.device] += generous(block, self.lab.setting.profile)

    def closed(self, device: int) -> None:
        """Note that a device was closed, which empties its caches."""
        if device in self.cached:
            self.cached[device] = 0

    def audit(self, device: int) -> None:
        """Compare what an open device reports with what is held.

        Raises:
            Broken: held memory is reported as free, or memory that nobody holds is not.
        """
        at_start = self.start.get(device)
        free = None if at_start is None else free_memory(self.lab, device)
        if at_start is None or free is None:
            return
        live = self._sum(device, strict=True)
        held = self._sum(device, strict=False) + self.cached[device]
        self._hold(LIVE_MEMORY_IS_ACCOUNTED, at_start, free, live)
        self._hold(NOTHING_LEAKS, at_start, free, held)

    def _hold(self, rule: Rule, at_start: int, free: int, held: int) -> None:
        if rule.function(at_start, free, held):
            self.lab.tally.show((rule.id,), self.lab.test)
            return
        raise self._broken(rule, at_start, free, held)

    def _broken(self, rule: Rule, at_start: int, free: int, held: int) -> Broken:
        sign = "at most" if rule is LIVE_MEMORY_IS_ACCOUNTED else "at least"
        return self.lab.fail(
            rule,
            "account",
            f"{sign} {at_start - held} bytes free ({at_start} at the start, {held} held)",
            f"{free} bytes free",
        )

    def _sum(self, device: int, *, strict: bool) -> int:
        profile = self.lab.setting.profile
        total = 0
        for block in self.lab.view().blocks:  # type: ignore[attr-defined]
            if block.device == device and block.kind in (DEV, DVPP):
                total += block.extent if strict else generous(block, profile)
            elif block.kind == SVM and not strict:
                total += generous(block, profile)
        return total


def generous(block: Block, profile: Profile) -> int:
    """Return the most that a block may cost: page tables and own GiBs rounded up (bytes)."""
    granule = profile.giant if block.size > OWN_BLOCK else profile.huge
    return align_up(block.extent, granule)
