"""What the interfaces of the area share: pages of addresses and handles, and who holds what."""

from __future__ import annotations

from halcert.spec.abi.constants import MemSide
from halcert.spec.language import align_up
from halcert.spec.profiles import MIB, Profile
from halcert.spec.sharing.memory import let_go, settled
from halcert.spec.state import DEFERRED, Block, Handle, Reservation, State
from halcert.spec.svm.flags import MAPPED, POOL
from halcert.spec.svm.memory import allocated

OWN_SPACE = 512 * MIB
"""Above this size SVM v2 reserves whole GiBs (bytes)."""


def usable(state: State, handle: int) -> bool:
    """Tell whether the program has a reference to a handle whose memory is there."""
    found = state.handles.at(handle)
    return found.exists and not found.lost and found.held > 0


def is_mapped(state: State, handle: int) -> bool:
    """Tell whether a handle is mapped somewhere."""
    return state.blocks.any(lambda block: block.kind == MAPPED and block.handle == handle)


def without_memory(state: State, handle: Handle, profile: Profile) -> State:
    """Return the state after the last reference to a handle has gone, and its memory with it.

    What is shared stays for the others: in SVM v2 for all who imported it, in SVM v3 for those
    who have it mapped.
    """
    left = state.but(handles=state.handles.delete(handle.id))
    if handle.share == 0:
        return left.but(contents=state.contents.drop(handle.memory))
    given_up = let_go(left, handle.id)
    if profile.generation == "v2" or handle.imported:
        return given_up
    return settled(
        given_up.but(
            shares=given_up.shares.update_where(
                lambda each: each.id == handle.share,
                lambda each: each.but(valid=False, fate=DEFERRED),
            )
        )
    )


def mapping_at(state: State, address: int) -> Block:
    """Return the block that an address is in; it is of kind MAPPED if something is mapped."""
    return state.blocks.covering(address)


def starts_mapping(state: State, address: int) -> bool:
    """Tell whether a mapping starts at an address."""
    return state.blocks.at(address).kind == MAPPED


def reserved(state: State, address: int) -> bool:
    """Tell whether an address was reserved."""
    return state.reservations.covering(address).exists


def of_others(block: Block) -> bool:
    """Tell whether addresses are those of a block of halMemAlloc, or what a pool took over."""
    return allocated(block) or block.kind == POOL


def given_out(state: State, address: int) -> bool:
    """Tell whether an address is reserved, or that of a block of halMemAlloc or of a pool."""
    return reserved(state, address) or of_others(mapping_at(state, address))


def holds_mapping(state: State, found: Reservation) -> bool:
    """Tell whether something is mapped in reserved addresses."""
    return found.exists and state.blocks.overlaps(found.base, found.extent)


def on_pages(value: int, granule: int, profile: Profile) -> bool:
    """Tell whether a number is a multiple of a page size of the product (bytes)."""
    if granule == profile.giant:
        return value % profile.giant == 0
    if granule == profile.huge:
        return value % profile.huge == 0
    return value % profile.page == 0


def map_granule(found: Reservation, handle: Handle, size: int, profile: Profile) -> int:
    """Return of what the address and size of a mapping must be multiples (bytes).

    Small pages of a handle are of use in small reservations of SVM v2 only, and in SVM v3 for
    less than a huge page.
    """
    if handle.granule == profile.giant:
        return profile.giant
    large = found.size if profile.generation == "v2" else size
    return profile.huge if large >= profile.huge else handle.granule


def of_the_device(handle: Handle) -> bool:
    """Tell whether physical memory is on a device."""
    return handle.side == MemSide.MEM_DEV_SIDE


def reserved_granule(size: int, profile: Profile, *, shared: bool) -> int:
    """Return what the size of a reservation is rounded up to (bytes)."""
    if profile.generation == "v2":
        return profile.giant if size > OWN_SPACE else profile.huge
    return profile.giant if shared or size >= profile.giant else profile.huge


def with_reservation(state: State, base: int, size: int, extent: int) -> State:
    """Return the state after addresses were set aside, of which nobody has mapped any yet."""
    row = Reservation(base=base, size=size, extent=extent, owned=False, owner=0)
    return state.but(reservations=state.reservations.insert(row))


def reserved_extent(size: int, profile: Profile, *, shared: bool) -> int:
    """Return how many bytes a reservation sets aside."""
    if reserved_granule(size, profile, shared=shared) == profile.giant:
        return align_up(size, profile.giant)
    return align_up(size, profile.huge)
