"""What the tables of the area satisfy in every state that calls can reach."""

from __future__ import annotations

from halcert.spec.language import Invariant
from halcert.spec.profiles import HOST_ID, KIB
from halcert.spec.sharing.memory import exported_share, me
from halcert.spec.state import ON_DEVICE, Block, Grant, Handle, Reservation, State
from halcert.spec.svm.flags import MAPPED
from halcert.spec.svm.invariants import MOST_DEVICES
from halcert.spec.vmm.memory import is_mapped, of_the_device

PAGE = 4 * KIB
"""Mappings start at multiples of this on every product (bytes)."""


def _reservations_are_disjoint(state: State) -> bool:
    return state.reservations.disjoint() and state.reservations.all(
        lambda found: (
            found.base > 0
            and found.size > 0
            and found.extent >= found.size
            and found.base + found.extent <= 2**64
        )
    )


def _blocks_keep_off_reservations(state: State) -> bool:
    return state.blocks.all(
        lambda block: (
            block.kind == MAPPED or not state.reservations.overlaps(block.base, block.extent)
        )
    )


def _mappings_lie_in_one_reservation(state: State) -> bool:
    return state.blocks.all(
        lambda block: block.kind != MAPPED or _holds(state.reservations.covering(block.base), block)
    )


def _holds(found: Reservation, block: Block) -> bool:
    return (
        found.exists
        and block.base + block.extent <= found.base + found.size
        and block.extent == block.size
        and block.base % PAGE == 0
    )


def _one_owner(state: State) -> bool:
    return state.blocks.all(
        lambda block: block.kind != MAPPED or _owned(state.reservations.covering(block.base), block)
    )


def _owned(found: Reservation, block: Block) -> bool:
    return found.owned and found.owner == block.device


def _mappings_are_of_handles(state: State) -> bool:
    return state.blocks.all(
        lambda block: block.kind != MAPPED or _shows(block, state.handles.at(block.handle))
    )


def _shows(block: Block, handle: Handle) -> bool:
    return (
        handle.exists
        and not handle.lost
        and block.memory == handle.memory
        and block.size == handle.size
        and block.device == handle.device
        and (block.place == ON_DEVICE) == of_the_device(handle)
        and not block.readonly
        and not block.host_writes
        and not block.cp_only
        and not block.contiguous
        and not block.hbm
    )


def _handles_are_referenced(state: State) -> bool:
    return state.handles.all(
        lambda handle: (
            handle.id > 0
            and handle.held >= 0
            and (handle.held > 0 or handle.lost or is_mapped(state, handle.id))
        )
    )


def _handles_are_well_formed(state: State) -> bool:
    return state.handles.all(
        lambda handle: (
            handle.size > 0
            and handle.granule >= PAGE
            and (
                (of_the_device(handle) and handle.device < MOST_DEVICES)
                or (not of_the_device(handle) and handle.device == HOST_ID)
            )
        )
    )


def _memory_of_devices_is_on_open_ones(state: State) -> bool:
    return state.handles.all(
        lambda handle: (
            not of_the_device(handle) or handle.lost or state.devices.at(handle.device).open
        )
    )


def _own_object(handle: Handle) -> int:
    """Return the memory object of a handle; for imported memory a number that none has."""
    return -handle.id if handle.imported else handle.memory


def _objects_are_unshared(state: State) -> bool:
    return state.handles.distinct(_own_object) and state.handles.all(
        lambda handle: (
            handle.memory > 0
            and handle.memory < state.contents.fresh()
            and not state.blocks.any(
                lambda block: block.kind != MAPPED and block.memory == handle.memory
            )
            and state.shares.all(
                lambda share: share.memory != handle.memory or share.id == handle.share
            )
            and (
                handle.imported
                or state.handles.all(
                    lambda other: not other.imported or other.memory != handle.memory
                )
            )
        )
    )


def _shared_memory_is_of_shares(state: State) -> bool:
    return state.handles.all(lambda handle: _well_shared(state, handle))


def _well_shared(state: State, handle: Handle) -> bool:
    share = state.shares.at(handle.share)
    if handle.share == 0:
        return not handle.imported
    return (
        handle.share == exported_share(handle.memory)
        and (not share.exists or (share.size == handle.size and share.device == handle.device))
        and (handle.imported or share.owner == me(state) or not share.exists)
    )


def _grants_are_of_mappings(state: State) -> bool:
    return state.grants.all(lambda grant: _given(grant, state.blocks.at(grant.base)))


def _given(grant: Grant, block: Block) -> bool:
    return (
        block.kind == MAPPED
        and grant.place == grant.base + grant.id
        and grant.id >= 0
        and grant.id <= HOST_ID
        and grant.id != block.device
    )


INVARIANTS = (
    Invariant(
        "VMM-INV-001",
        "Reservations share no address and do not wrap.",
        _reservations_are_disjoint,
        ("reservations",),
    ),
    Invariant(
        "VMM-INV-002",
        "Reserved addresses hold nothing but mappings.",
        _blocks_keep_off_reservations,
        ("blocks", "reservations"),
    ),
    Invariant(
        "VMM-INV-003",
        "Every mapping lies on pages of exactly one reservation.",
        _mappings_lie_in_one_reservation,
        ("blocks", "reservations"),
    ),
    Invariant(
        "VMM-INV-004",
        "All mappings of a reservation are of one device, or of the host.",
        _one_owner,
        ("blocks", "reservations"),
    ),
    Invariant(
        "VMM-INV-005",
        "Every mapping shows the memory of a live handle, all of it.",
        _mappings_are_of_handles,
        ("blocks", "handles"),
    ),
    Invariant(
        "VMM-INV-006",
        "Memory that is there is referenced by the program or by a mapping.",
        _handles_are_referenced,
        ("handles", "blocks"),
    ),
    Invariant(
        "VMM-INV-007",
        "Physical memory has a size and pages, and is on a device or on the host.",
        _handles_are_well_formed,
        ("handles",),
    ),
    Invariant(
        "VMM-INV-008",
        "Physical memory of a device that was not lost is on an open device.",
        _memory_of_devices_is_on_open_ones,
        ("handles", "devices"),
    ),
    Invariant(
        "VMM-INV-009",
        "A handle that was not imported has a memory object of its own, imported by others only.",
        _objects_are_unshared,
        ("handles", "blocks", "shares", "contents"),
    ),
    Invariant(
        "VMM-INV-011",
        "Physical memory is shared under the id that goes with its memory object.",
        _shared_memory_is_of_shares,
        ("handles", "shares", "caller"),
    ),
    Invariant(
        "VMM-INV-010",
        "Access is given to mappings, and to others than their owner.",
        _grants_are_of_mappings,
        ("grants", "blocks"),
    ),
)
