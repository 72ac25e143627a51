"""What processes hold of each device, of the host and of addresses, in bytes.

What is held at least is what a call asked for; at most it is what that may cost, in whole pages,
with what may have been moved there and with what only openers keep. Memory that several
processes share counts once: what processes have in common about it is the memory object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from halcert.conformance.room import managed_on
from halcert.spec.language import align_up
from halcert.spec.profiles import Profile
from halcert.spec.sharing.memory import is_held
from halcert.spec.state import USER, Block, State
from halcert.spec.svm.flags import GRANT, MAPPED, OPENED, POOL, SVM, UVM
from halcert.spec.svm.info import on_hbm
from halcert.spec.svm.memory import OWN_BLOCK
from halcert.spec.uvm.moves import untouched
from halcert.spec.vmm.memory import of_the_device

ADDRESSES = -1
"""The place of addresses, which are neither a device's nor the host's."""
EVERYWHERE = -2
"""The place of pages that move by themselves."""


class Held(msgspec.Struct, frozen=True):
    """What one memory object costs.

    Attributes:
        place: the device, the host, or EVERYWHERE.
        cost: bytes.
        hbm: a device accounts it as plain HBM.
    """

    place: int
    cost: int
    hbm: bool


def of_device(device: int, views: Sequence[State], profile: Profile, *, generously: bool) -> int:
    """Return the bytes that are held of a device: at most, or at least of its plain HBM."""
    found = _objects(views, profile, generously=generously).values()
    if not generously:
        return sum(each.cost for each in found if each.place == device and each.hbm)
    managed = sum(managed_on(device, view) for view in views)
    return managed + sum(each.cost for each in found if each.place in (device, EVERYWHERE))


def by_place(
    mine: State, views: Sequence[State], profile: Profile, *, generously: bool
) -> Counter[int]:
    """Return the bytes that are held of each device, of the host, and of one's own addresses.

    Args:
        mine: the state as the process sees it whose addresses count; each has its own.
        views: the state as each process sees it.
        profile: the product.
        generously: what is held at most; else what is held at least.
    """
    held: Counter[int] = Counter()
    for each in _objects(views, profile, generously=generously).values():
        held[each.place] += each.cost
    everywhere = held.pop(EVERYWHERE, 0)
    if generously:
        everywhere += sum(
            view.pages.sum(lambda run: 0 if untouched(run) else run.extent) for view in views
        )
        tables: Any = mine
        for place in (*(device.id for device in tables.hardware), profile.host_id):
            held[place] += everywhere
    held[ADDRESSES] += mine.reservations.sum(lambda found: found.extent)
    held[ADDRESSES] += mine.blocks.sum(
        lambda block: block.extent if block.kind in (OPENED, UVM) else 0
    )
    return held


def generous(block: Block, profile: Profile) -> int:
    """Return the most that a block may cost, in bytes.

    Own pages or whole GiBs, rounded up; contiguous pages are a power of two in number.
    """
    granule = profile.giant if block.size > OWN_BLOCK else profile.huge
    extent = 2 * block.extent if block.contiguous else block.extent
    return align_up(extent, granule)


def _objects(views: Sequence[State], profile: Profile, *, generously: bool) -> dict[int, Held]:
    """Return what each memory object costs, by its name."""
    found: dict[int, Held] = {}
    for view in views:
        for memory, held in _seen(view, profile, generously=generously):
            if memory not in found or found[memory].cost < held.cost:
                found[memory] = held
    return found


def _seen(view: State, profile: Profile, *, generously: bool) -> Iterator[tuple[int, Held]]:
    """Yield what a process holds, and what is held of what was shared, by memory object."""
    tables: Any = view
    for block in tables.blocks:
        if block.kind in (USER, MAPPED, OPENED, POOL, GRANT, UVM):
            continue  # not the HAL's, or counted by its handle, its share, its pool, its pages
        place = EVERYWHERE if block.kind == SVM else block.device
        cost = generous(block, profile) if generously else block.extent
        if generously or place != EVERYWHERE:
            yield block.memory, Held(place, cost, block.hbm)
    for handle in tables.handles:
        if handle.lost or (handle.imported and not is_held(view, handle.share)):
            continue  # SVM v3: an import that is not mapped keeps nothing
        place = handle.device if of_the_device(handle) else profile.host_id
        cost = align_up(handle.size, profile.huge) if generously else handle.size
        yield handle.memory, Held(place, cost, on_hbm(handle))
    for pool in tables.pools:
        cost = pool.held_most if generously else pool.held_least
        yield view.blocks.at(pool.base).memory, Held(pool.device, cost, hbm=True)
    for made in tables.stream_pools:
        # Tasks of streams count when they are done, so what is held at least is not known.
        yield -made.id, Held(made.device, made.held_most if generously else 0, hbm=False)
    for share in tables.shares:
        if generously and is_held(view, share.id):
            yield share.memory, Held(share.device, align_up(share.extent, profile.huge), hbm=True)
