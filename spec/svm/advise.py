"""halMemAdvise: where the pages of memory should be, and what devices may do with it."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import AdviseType
from halcert.spec.language import (
    U32,
    Address,
    Call,
    DeviceId,
    Size,
    Strength,
    accepts,
    align_up,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sources import HEADER, V2, V3
from halcert.spec.state import ON_DEVICE, UNSET, USER, Block, State
from halcert.spec.svm.flags import DEV, DVPP, MAPPED, OPENED, POOL, SVM
from halcert.spec.svm.memory import allocated, brought, of_the_host, unmapped, whole

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
OUT_OF_MEMORY = DrvError.OUT_OF_MEMORY
PERSISTENT = AdviseType.ADVISE_PERSISTENT
ON_THE_DEVICE = AdviseType.ADVISE_DEV_MEM
READ_ONLY = AdviseType.ADVISE_ACCESS_READONLY
READ_WRITE = AdviseType.ADVISE_ACCESS_READWRITE
UNKNOWN = AdviseType.ADVISE_TYPE_MAX


def _on_access(call: MemAdvise) -> bool:
    return call.type == READ_ONLY or call.type == READ_WRITE


def _on_pages(call: MemAdvise) -> bool:
    return call.type == PERSISTENT or call.type == ON_THE_DEVICE


def _wants_pages(call: MemAdvise) -> bool:
    return call.type == ON_THE_DEVICE


def _wants_no_pages(call: MemAdvise) -> bool:
    return call.type != ON_THE_DEVICE


def _whole_block(call: MemAdvise, block: Block, profile: Profile) -> bool:
    if block.granule == profile.giant:
        size = align_up(call.count, profile.giant)
    elif block.granule == profile.huge:
        size = align_up(call.count, profile.huge)
    else:
        size = align_up(call.count, profile.page)
    return call.ptr == block.base and size == block.extent


@interface("halMemAdvise", area="svm", source=HEADER)
class MemAdvise(Call, frozen=True):
    """Say how memory will be used: where its pages should be, or whether the device may write."""

    ptr: Address
    count: Size
    type: U32
    device: DeviceId

    @rejects("SVM-ADVISE-001", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def unknown_type(call) -> bool:
        """The type is one of four."""
        return call.type >= UNKNOWN

    @rejects("SVM-ADVISE-002", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of agents."""
        return _on_pages(call) and call.device >= profile.alloc_limit

    @rejects("SVM-ADVISE-003", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def device_not_open(call, state: State, profile: Profile) -> bool:
        """The device is open."""
        known = call.device < profile.alloc_limit
        return _on_pages(call) and known and not state.devices.at(call.device).open

    @rejects("SVM-ADVISE-004", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def memory_of_the_host(call, state: State) -> bool:
        """Host memory takes no advice about pages."""
        return _on_pages(call) and of_the_host(state.blocks.covering(call.ptr))

    @rejects("SVM-ADVISE-005", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def pages_are_there(call, state: State) -> bool:
        """Memory that has pages on a device for good cannot be given others."""
        block = state.blocks.at(call.ptr)
        return (
            _wants_pages(call)
            and state.devices.at(call.device).open
            and whole(block, call.ptr, call.count)
            and (block.kind == DEV or block.kind == DVPP)
            and not block.readonly
        )

    @rejects("SVM-ADVISE-006", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def pages_are_elsewhere(call, state: State) -> bool:
        """Pages of MEM_SVM that are on one device cannot be advised to another."""
        block = state.blocks.at(call.ptr)
        return (
            _wants_pages(call)
            and state.devices.at(call.device).open
            and whole(block, call.ptr, call.count)
            and block.kind == SVM
            and block.place == ON_DEVICE
            and block.device != call.device
        )

    @rejects("SVM-ADVISE-007", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def not_about_access(call) -> bool:
        """Advice is about the access of devices only."""
        return call.type != READ_ONLY and call.type != READ_WRITE

    @rejects("SVM-ADVISE-008", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def not_allocated(call, state: State) -> bool:
        """Advice is about a block of halMemAlloc."""
        block = state.blocks.covering(call.ptr)
        nothing = not block.exists and not unmapped(state, call.ptr)
        return _on_access(call) and (nothing or block.kind == USER)

    @rejects("SVM-ADVISE-009", DrvError.INVALID_DEVICE, strength=SHOULD, source=V3, profiles=GEN3)
    def other_device(call, state: State) -> bool:
        """The device is the one that has the memory."""
        block = state.blocks.covering(call.ptr)
        return _on_access(call) and allocated(block) and block.device != call.device

    @rejects("SVM-ADVISE-010", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def not_a_whole_block(call, state: State, profile: Profile) -> bool:
        """Advice is about a whole block."""
        block = state.blocks.covering(call.ptr)
        return (
            _on_access(call)
            and allocated(block)
            and block.device == call.device
            and not block.contiguous
            and not _whole_block(call, block, profile)
        )

    @rejects("SVM-ADVISE-011", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def access_is_fixed(call, state: State, profile: Profile) -> bool:
        """Only the access to HOST_RW_DEV_RO memory can be changed."""
        block = state.blocks.at(call.ptr)
        exact = block.contiguous and block.size == call.count
        return (
            _on_access(call)
            and allocated(block)
            and (exact or (not block.contiguous and _whole_block(call, block, profile)))
            and block.device == call.device
            and not block.host_writes
        )

    @undefined("SVM-ADVISE-012", source=HEADER, profiles=GEN2)
    def not_a_whole_block_v2(call, state: State) -> bool:
        """Advising about pages of anything but a whole block of SVM or device memory."""
        block = state.blocks.covering(call.ptr)
        return (
            _on_pages(call)
            and state.devices.at(call.device).open
            and not of_the_host(block)
            and not (
                whole(block, call.ptr, call.count)
                and (block.kind == SVM or block.kind == DEV or block.kind == DVPP)
                and not block.readonly
            )
        )

    @undefined("SVM-ADVISE-013", source=HEADER, profiles=GEN2)
    def pages_would_move(call, state: State) -> bool:
        """Advising pages to a device that are on the host, partly there, or there already."""
        block = state.blocks.at(call.ptr)
        return (
            _wants_pages(call)
            and state.devices.at(call.device).open
            and whole(block, call.ptr, call.count)
            and block.kind == SVM
            and block.place != UNSET
            and (block.place != ON_DEVICE or block.device == call.device)
        )

    @undefined("SVM-ADVISE-014", source=V3, profiles=GEN3)
    def part_of_a_contiguous_block(call, state: State) -> bool:
        """Advising about part of a CONTIGUOUS block."""
        block = state.blocks.covering(call.ptr)
        return (
            _on_access(call)
            and block.contiguous
            and block.device == call.device
            and not whole(block, call.ptr, call.count)
        )

    @may_reject("SVM-ADVISE-015", OUT_OF_MEMORY, source=(V2, V3))
    def memory_may_be_short(call) -> bool:
        """Taking advice may need memory."""
        return _wants_pages(call) or _on_access(call)

    @may_reject("SVM-ADVISE-016", source=V2, profiles=GEN2)
    def persistence_may_be_missing(call) -> bool:
        """A device may be unable to keep data in its cache."""
        return call.type == PERSISTENT

    @undefined("SVM-ADVISE-017", source=V3, profiles=GEN3)
    def reserved_addresses(call, state: State) -> bool:
        """Advising about the access to reserved addresses, mapped or not, opened or a pool's."""
        block = state.blocks.covering(call.ptr)
        shared = block.kind == MAPPED or block.kind == OPENED or block.kind == POOL
        return _on_access(call) and (shared or unmapped(state, call.ptr))

    @accepts(
        "SVM-ADVISE-020",
        strength=MUST,
        source=HEADER,
        changes=("blocks",),
        when=_wants_pages,
        profiles=GEN2,
    )
    def puts_pages_on_the_device(call, state: State) -> State:
        """A MEM_SVM block without pages gets pages on the device."""
        return brought(state, state.blocks.at(call.ptr), call.device)

    @accepts("SVM-ADVISE-021", strength=SHOULD, source=V2, when=_wants_no_pages, profiles=GEN2)
    def takes_note(call, state: State) -> State:
        """Advice about access or caching changes nothing that can be observed.

        Advice about access succeeds for whatever arguments.
        """
        return state

    @accepts("SVM-ADVISE-022", strength=SHOULD, source=V3, profiles=GEN3)
    def changes_the_access(call, state: State) -> State:
        """The device may write the block or not; the host sees no difference."""
        return state
