"""What the interfaces of the area share: who may be accessed, and what an access does."""

from __future__ import annotations

from halcert.spec.language import align_down, align_up
from halcert.spec.profiles import HOST_ID, MIB, Profile
from halcert.spec.runtime.order import busy
from halcert.spec.state import (
    ANYWHERE,
    ON_DEVICE,
    ON_HOST,
    UNSET,
    USER,
    AsyncCopy,
    Block,
    Descriptor,
    State,
)
from halcert.spec.svm.flags import DEV, DVPP, GRANT, HOST, HOST_UVA, MAPPED, OPENED, POOL, SVM, UVM

OWN_BLOCK = 512 * MIB
"""Above this size SVM v2 gives an allocation whole GiBs of its own (bytes)."""
SOMA_WINDOW = 0xC0000000000
"""Where SVM v2 keeps the memory of pools."""
SOMA_SIZE = 0x20000000000
"""Size of that window in bytes."""


def within(block: Block, address: int, length: int) -> bool:
    """Tell whether a range lies in the requested bytes of a live block."""
    return block.exists and address >= block.base and address + length <= block.base + block.size


def allocated(block: Block) -> bool:
    """Tell whether a live block is of halMemAlloc, or opened; mapped memory and pools are not."""
    return (
        block.exists
        and block.kind != USER
        and block.kind != MAPPED
        and block.kind != POOL
        and block.kind != GRANT
    )


def unoccupied(state: State, base: int, size: int) -> bool:
    """Tell whether a range shares no byte with memory or with reserved addresses."""
    return not state.blocks.overlaps(base, size) and not state.reservations.overlaps(base, size)


def vacant(state: State, base: int, size: int) -> bool:
    """Tell whether a range is unoccupied, and not what a pool of the runtime keeps for later."""
    return unoccupied(state, base, size) and not state.portions.overlaps(base, size)


def bare(state: State, address: int, length: int) -> bool:
    """Tell whether a range lies in one reservation and nothing is mapped anywhere in it."""
    found = state.reservations.covering(address)
    return (
        found.exists
        and address + length <= found.base + found.size
        and not state.blocks.overlaps(address, length)
    )


def unmapped(state: State, address: int) -> bool:
    """Tell whether an address was set aside and no memory is there.

    What a reservation was rounded up by is set aside as well.
    """
    return state.reservations.covering(address).exists and not state.blocks.covering(address).exists


def byte_number(state: State, address: int) -> int:
    """Return a number that addresses have in common if they lead to the same byte."""
    block = state.blocks.covering(address)
    return address - block.base + 2**65 * block.memory


def reached_by_host(state: State, block: Block) -> bool:
    """Tell whether the program itself may access mapped memory."""
    return block.kind == MAPPED and (
        block.place == ON_HOST or state.grants.at(block.base + HOST_ID).exists
    )


def aliased(one: Block, address: int, other: Block, place: int, length: int) -> bool:
    """Tell whether two ranges of different mappings share bytes of one handle."""
    return (
        one.exists
        and one.memory == other.memory
        and one.base != other.base
        and ranges_overlap(address - one.base, length, place - other.base, length)
    )


def host_side(block: Block) -> bool:
    """Tell whether the pages of a live block are host memory."""
    if block.kind == SVM or block.kind == MAPPED:
        return block.place == ON_HOST
    return block.kind == HOST or block.kind == HOST_UVA or block.kind == USER


def device_side(block: Block) -> bool:
    """Tell whether the pages of a live block are on its device."""
    if block.kind == SVM or block.kind == MAPPED:
        return block.place == ON_DEVICE
    return (
        block.kind == DEV
        or block.kind == DVPP
        or block.kind == OPENED
        or block.kind == POOL
        or block.kind == GRANT
    )


def placed(block: Block) -> bool:
    """Tell whether all pages of a live block are in a known place."""
    return host_side(block) or device_side(block)


def promised(block: Block, address: int, length: int) -> bool:
    """Tell whether the documents promise what a set or copy does with the range.

    Managed memory has rules of its own, memory that the device alone may use is refused, and
    read-only memory may do anything. Opened memory has limits that depend on the product; what is
    promised of it ``reaches_shared`` tells, and ``reaches_pool`` of a pool's.
    """
    return (
        within(block, address, length)
        and block.kind != UVM
        and block.kind != OPENED
        and block.kind != POOL
        and not block.readonly
        and block.place != ANYWHERE
    )


def place_after_touch(block: Block, length: int) -> int:
    """Return the place of a block's pages after a set or copy wrote into it.

    A MEM_SVM block without pages gets host pages where it is written; what the rest of it has
    is nobody's promise.
    """
    if block.kind == SVM and block.place == UNSET:
        return ON_HOST if length == block.size else ANYWHERE
    return block.place


def touched(state: State, block: Block, length: int) -> State:
    """Return the state after a write of ``length`` bytes made pages appear in a block."""
    if block.kind == SVM and block.place == UNSET:
        place = place_after_touch(block, length)
        return state.but(
            blocks=state.blocks.update_where(
                lambda each: each.base == block.base, lambda each: each.but(place=place)
            )
        )
    return state


def brought(state: State, block: Block, device: int) -> State:
    """Return the state after the pages of a MEM_SVM block have come to a device."""
    return state.but(
        blocks=state.blocks.update_where(
            lambda each: each.base == block.base,
            lambda each: each.but(place=ON_DEVICE, device=device),
        )
    )


def is_registered(state: State, block: Block) -> bool:
    """Tell whether memory of a block is registered with the other side."""
    return state.registrations.any(lambda one: _holds(block, one.src))


def unregistered(state: State, block: Block) -> State:
    """Return the state after what was registered of a block is registered no more."""
    return state.but(
        registrations=state.registrations.delete_where(lambda one: _holds(block, one.src))
    )


def in_use(state: State, block: Block) -> bool:
    """Tell whether an operation under way, or a descriptor, speaks of a block."""
    return (
        block.translated
        or is_registered(state, block)
        or busy(state, block.base, block.extent)
        or state.copies.any(lambda copy: _holds(block, copy.target) or _holds(block, copy.source))
        or state.descriptors.any(
            lambda made: _holds(block, made.target) or _holds(block, made.source)
        )
    )


def locked(state: State, block: Block) -> bool:
    """Tell whether SVM v2 counts a use of a block, so that the kernel does not let it go.

    A descriptor locks only what it names on the device side. A copy under way locks what it
    copies, but nobody can tell from outside when it has ended.
    """
    if is_registered(state, block):
        return True
    if block.kind == HOST or block.kind == HOST_UVA or block.kind == USER:
        return False
    return block.translated or state.descriptors.any(
        lambda made: _holds(block, made.target) or _holds(block, made.source)
    )


def _holds(block: Block, address: int) -> bool:
    return address >= block.base and address < block.base + block.extent


def ranges_overlap(one: int, size: int, other: int, length: int) -> bool:
    """Tell whether ``[one, one + size)`` and ``[other, other + length)`` share a byte."""
    return one < other + length and other < one + size


def _writes(copy: AsyncCopy, address: int, length: int) -> bool:
    return ranges_overlap(copy.target, copy.length, address, length)


def _reads(copy: AsyncCopy, address: int, length: int) -> bool:
    return ranges_overlap(copy.source, copy.length, address, length)


def _submits_writes(made: Descriptor, address: int, length: int) -> bool:
    return made.submitted and ranges_overlap(made.target, made.target_span, address, length)


def _submits_reads(made: Descriptor, address: int, length: int) -> bool:
    return made.submitted and ranges_overlap(made.source, made.source_span, address, length)


def arriving(state: State, address: int, length: int) -> bool:
    """Tell whether a copy under way writes to the range."""
    return state.copies.any(lambda copy: _writes(copy, address, length)) or state.descriptors.any(
        lambda made: _submits_writes(made, address, length)
    )


def write_races(state: State, address: int, length: int) -> bool:
    """Tell whether writing to the range would race with a copy under way."""
    return state.copies.any(
        lambda copy: _writes(copy, address, length) or _reads(copy, address, length)
    ) or state.descriptors.any(
        lambda made: _submits_writes(made, address, length) or _submits_reads(made, address, length)
    )


def copy_races(state: State, dst: int, src: int, length: int) -> bool:
    """Tell whether copying between the ranges would race with a copy under way."""
    return write_races(state, dst, length) or arriving(state, src, length)


def ordinary(block: Block, address: int, length: int) -> bool:
    """Tell whether every copying interface, not only drvMemcpy, promises what it does there."""
    return (
        promised(block, address, length)
        and not block.host_writes
        and not (block.kind == MAPPED and block.place == ON_HOST)
    )


def convertible(block: Block) -> bool:
    """Tell whether the documents promise what a descriptor or asynchronous copy of a block does.

    Mapped memory may be reached through other addresses, and be unmapped, while it exists.
    """
    return block.kind != MAPPED


def pageless(block: Block) -> bool:
    """Tell whether a MEM_SVM block has no pages anywhere."""
    return block.kind == SVM and block.place == UNSET and block.exists


def in_tail(block: Block, address: int) -> bool:
    """Tell whether an address is in the pages of a block but behind its last requested byte."""
    return block.exists and address >= block.base + block.size


def aligned(address: int, block: Block, profile: Profile) -> bool:
    """Tell whether an address is a multiple of the page size of its block."""
    if block.granule == profile.giant:
        return address % profile.giant == 0
    if block.granule == profile.huge:
        return address % profile.huge == 0
    return address % profile.page == 0


def of_the_host(block: Block) -> bool:
    """Tell whether SVM v2 takes a live block for memory outside its own ranges."""
    return block.exists and (block.kind == HOST or block.kind == HOST_UVA or block.kind == USER)


def whole(block: Block, base: int, size: int) -> bool:
    """Tell whether a range is exactly what was asked for when the block was allocated."""
    return block.exists and block.base == base and block.size == size


def has_own_space(block: Block, profile: Profile) -> bool:
    """Tell whether SVM v2 gives a block whole GiBs of address space of its own."""
    if block.kind == MAPPED or block.kind == OPENED or block.kind == POOL:
        return False
    return block.granule == profile.giant or (
        block.size > OWN_BLOCK
        and block.kind != UVM
        and block.kind != HOST_UVA
        and block.kind != DVPP
        and block.kind != USER
        and not block.readonly
        and not block.host_writes
    )


def same_device(one: Block, other: Block) -> bool:
    """Tell whether two blocks are on one device, or both on the host."""
    return (host_side(one) and host_side(other)) or (
        device_side(one) and device_side(other) and one.device == other.device
    )


def ranges_meet(one: int, other: int, length: int) -> bool:
    """Tell whether two ranges of the same length share a byte."""
    return ranges_overlap(one, length, other, length)


def cacheable(block: Block, profile: Profile) -> bool:
    """Tell whether a free may keep the block's memory for later use."""
    if block.kind == SVM or block.kind == UVM or block.kind == HOST_UVA or block.kind == USER:
        return False
    if block.kind == OPENED or block.kind == POOL:
        return False
    if block.granule >= profile.giant:
        return False
    if block.readonly or block.host_writes:
        return block.extent <= profile.cached_readonly
    if block.kind == DVPP or (block.granule == profile.huge):
        return block.extent <= profile.cached_huge
    return block.extent <= profile.cached_normal


def may_be_whole(block: Block, profile: Profile) -> bool:
    """Tell whether SVM v2 may give a block the rest of its last huge page as well.

    It takes memory in huge pages. A rest that a cache may keep is cut off where it is a fifth of
    the whole or more; image and read-only memory is told in its own pages, which are huge.
    """
    if block.kind == SVM or block.kind == USER or block.kind == MAPPED or block.kind == OPENED:
        return False
    if block.kind == DVPP or block.readonly or block.host_writes:
        return block.exists
    whole = align_up(block.extent, profile.huge)
    return block.exists and (not cacheable(block, profile) or (whole - block.extent) * 5 < whole)


def may_be_inside(state: State, address: int, profile: Profile) -> bool:
    """Tell whether SVM v2 may take an address behind a block for one inside.

    It is in the rest of the last huge page, or of the last GiB of the block's own address space.
    """
    own = state.blocks.covering(align_down(address, profile.giant))
    near = state.blocks.covering(align_down(address, profile.huge))
    return (
        profile.generation == "v2"
        and not state.blocks.covering(address).exists
        and ((own.exists and has_own_space(own, profile)) or may_be_whole(near, profile))
    )
