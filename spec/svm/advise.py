"""halMemAdvise, drvMemPrefetchToDevice and drvMemAddressTranslate: where pages are."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import AdviseType
from halcert.spec.language import (
    FAILURE,
    U32,
    U64,
    Address,
    Call,
    DeviceId,
    OutPointer,
    Returned,
    Size,
    Strength,
    accepts,
    align_up,
    ensures,
    interface,
    may_reject,
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import ANYWHERE, ON_DEVICE, ON_HOST, UNSET, USER, Block, State
from halcert.spec.svm.flags import DEV, DVPP, HOST, HOST_UVA, SVM
from halcert.spec.svm.memory import aligned, device_side, in_tail, pageless, within, write_races

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


def of_the_host(block: Block) -> bool:
    """Tell whether SVM v2 takes a live block for memory outside its own ranges."""
    return block.exists and (
        block.kind == HOST or block.kind == HOST_UVA or block.kind == USER
    )


def whole(block: Block, base: int, size: int) -> bool:
    """Tell whether a range is exactly what was asked for when the block was allocated."""
    return block.exists and block.base == base and block.size == size


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
    def device_not_open(call, state: State) -> bool:
        """The device is open."""
        return _on_pages(call) and not state.devices.at(call.device).open

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
        return _on_access(call) and (not block.exists or block.kind == USER)

    @rejects("SVM-ADVISE-009", DrvError.INVALID_DEVICE, strength=SHOULD, source=V3, profiles=GEN3)
    def other_device(call, state: State) -> bool:
        """The device is the one that has the memory."""
        block = state.blocks.covering(call.ptr)
        return (
            _on_access(call)
            and block.exists
            and block.kind != USER
            and block.device != call.device
        )

    @rejects("SVM-ADVISE-010", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def not_a_whole_block(call, state: State, profile: Profile) -> bool:
        """Advice is about a whole block."""
        block = state.blocks.covering(call.ptr)
        return (
            _on_access(call)
            and block.exists
            and block.kind != USER
            and block.device == call.device
            and not block.contiguous
            and not _whole_block(call, block, profile)
        )

    @rejects("SVM-ADVISE-011", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def access_is_fixed(call, state: State) -> bool:
        """Only the access to HOST_RW_DEV_RO memory can be changed."""
        block = state.blocks.at(call.ptr)
        return (
            _on_access(call)
            and whole(block, call.ptr, call.count)
            and block.kind != USER
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
            and not (block.place == UNSET)
            and not (block.place == ON_DEVICE and block.device != call.device)
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
        block = state.blocks.at(call.ptr)
        there = block.but(place=ON_DEVICE, device=call.device)
        return state.but(blocks=state.blocks.put(there))

    @accepts(
        "SVM-ADVISE-021", strength=SHOULD, source=V2, when=_wants_no_pages, profiles=GEN2
    )
    def takes_note(call, state: State) -> State:
        """Advice about access or caching changes nothing that can be observed.

        Advice about access succeeds for whatever arguments.
        """
        return state

    @accepts("SVM-ADVISE-022", strength=SHOULD, source=V3, profiles=GEN3)
    def changes_the_access(call, state: State) -> State:
        """The device may write the block or not; the host sees no difference."""
        return state


@interface("drvMemPrefetchToDevice", area="svm", source=HEADER)
class MemPrefetchToDevice(Call, frozen=True):
    """Bring memory to a device, or let the device reach the memory of another."""

    dev_ptr: Address
    len: Size
    device: DeviceId

    @rejects("SVM-PREF-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of agents."""
        return call.device >= profile.alloc_limit

    @rejects("SVM-PREF-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def memory_of_the_host(call, state: State) -> bool:
        """Host memory is not prefetched."""
        return of_the_host(state.blocks.covering(call.dev_ptr))

    @rejects("SVM-PREF-003", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def not_allocated(call, state: State) -> bool:
        """Only memory of halMemAlloc is prefetched."""
        return not state.blocks.covering(call.dev_ptr).exists

    @rejects("SVM-PREF-004", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def device_alone_may_access(call, state: State) -> bool:
        """Memory for the device's control CPU alone is not prefetched."""
        return state.blocks.covering(call.dev_ptr).cp_only

    @rejects("SVM-PREF-005", PARA_ERROR, strength=MUST, code=SHOULD, source=(HEADER, V3), profiles=GEN3)
    def not_on_a_page(call, state: State, profile: Profile) -> bool:
        """The address is a multiple of the page size."""
        block = state.blocks.covering(call.dev_ptr)
        return (
            block.exists
            and not of_the_host(block)
            and not block.cp_only
            and call.len != 0
            and not in_tail(block, call.dev_ptr)
            and not aligned(call.dev_ptr, block, profile)
        )

    @rejects("SVM-PREF-006", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def beyond_the_block(call, state: State) -> bool:
        """The range lies in one block."""
        block = state.blocks.covering(call.dev_ptr)
        return (
            block.exists
            and not of_the_host(block)
            and not block.cp_only
            and call.len != 0
            and not in_tail(block, call.dev_ptr)
            and not within(block, call.dev_ptr, call.len)
        )

    @rejects("SVM-PREF-007", PARA_ERROR, strength=MUST, code=SHOULD, source=(HEADER, V2), profiles=GEN2)
    def nothing_to_prefetch(call, state: State) -> bool:
        """MEM_SVM memory has pages before it is prefetched."""
        block = state.blocks.covering(call.dev_ptr)
        return (
            pageless(block)
            and whole(block, call.dev_ptr, call.len)
            and state.devices.at(call.device).open
        )

    @undefined("SVM-PREF-008", source=HEADER, profiles=GEN2)
    def range_not_promised(call, state: State, profile: Profile) -> bool:
        """Prefetching what is not, from a page on, in a live block of SVM or device memory."""
        block = state.blocks.covering(call.dev_ptr)
        return not of_the_host(block) and (
            call.len == 0
            or not within(block, call.dev_ptr, call.len)
            or not aligned(call.dev_ptr, block, profile)
            or (block.kind != SVM and block.kind != DEV and block.kind != DVPP)
            or block.readonly
        )

    @undefined("SVM-PREF-009", source=(HEADER, V2), profiles=GEN2)
    def other_place(call, state: State) -> bool:
        """Prefetching from one device to another, or part of a MEM_SVM block."""
        block = state.blocks.covering(call.dev_ptr)
        if of_the_host(block):
            return False
        if block.kind == SVM and block.place != ON_DEVICE:
            return block.place == ANYWHERE or not whole(block, call.dev_ptr, call.len)
        return block.device != call.device

    @undefined("SVM-PREF-010", source=(V2, V3))
    def device_not_open(call, state: State) -> bool:
        """Prefetching to a device that is not open."""
        block = state.blocks.covering(call.dev_ptr)
        return block.exists and not of_the_host(block) and not state.devices.at(call.device).open

    @undefined("SVM-PREF-011", source=V3, profiles=GEN3)
    def nothing_asked(call, state: State) -> bool:
        """Prefetching no bytes."""
        block = state.blocks.covering(call.dev_ptr)
        return call.len == 0 and block.exists and not of_the_host(block) and not block.cp_only

    @undefined("SVM-PREF-012", source=SENSE, profiles=GEN2)
    def races_with_a_copy(call, state: State) -> bool:
        """Prefetching where a copy under way reads or writes."""
        return write_races(state, call.dev_ptr, call.len)

    @undefined("SVM-PREF-013", source=V3, profiles=GEN3)
    def behind_the_block(call, state: State) -> bool:
        """Prefetching from behind the last byte of a block, in its last page."""
        block = state.blocks.covering(call.dev_ptr)
        return in_tail(block, call.dev_ptr) and not of_the_host(block) and not block.cp_only

    @may_reject("SVM-PREF-014", OUT_OF_MEMORY, source=(V2, V3))
    def memory_may_be_short(call) -> bool:
        """Prefetching needs memory."""
        return True

    @may_reject("SVM-PREF-015", source=V3, profiles=GEN3)
    def devices_may_be_apart(call, state: State) -> bool:
        """Two devices may be unable to reach each other."""
        return state.blocks.covering(call.dev_ptr).device != call.device

    @accepts("SVM-PREF-020", strength=MUST, source=HEADER, changes=("blocks",))
    def brings_to_the_device(call, state: State) -> State:
        """The device can use the memory; MEM_SVM pages are there now, with their bytes."""
        block = state.blocks.covering(call.dev_ptr)
        if block.kind == SVM and block.place == ON_HOST:
            there = block.but(place=ON_DEVICE, device=call.device)
            return state.but(blocks=state.blocks.put(there))
        return state


def _place_given(call: MemAddressTranslate) -> bool:
    return call.pptr


@interface("drvMemAddressTranslate", area="svm", source=HEADER)
class MemAddressTranslate(Call, frozen=True):
    """Ask for the physical address of device memory."""

    vptr: Address
    pptr: OutPointer

    class Result(Returned, frozen=True):
        """The physical address."""

        pptr: U64

    @rejects("SVM-TRANS-001", NOT_SUPPORT, strength=MUST, code=SHOULD, source=(HEADER, V3), profiles=GEN3)
    def no_translation(call) -> bool:
        """Ascend 950 does not tell physical addresses."""
        return True

    @rejects(
        "SVM-TRANS-002",
        DrvError.INVALID_HANDLE,
        INVALID_VALUE,
        strength=MUST,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def no_place_for_the_address(call) -> bool:
        """There must be a place for the address.

        The header says that the code is INVALID_HANDLE, the public driver returns INVALID_VALUE.
        """
        return not call.pptr

    @rejects(
        "SVM-TRANS-003",
        DrvError.INVALID_HANDLE,
        INVALID_VALUE,
        strength=MUST,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def address_is_null(call) -> bool:
        """The address is not null."""
        return call.vptr == 0

    @rejects(
        "SVM-TRANS-004",
        DrvError.INVALID_HANDLE,
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def memory_of_the_host(call, state: State) -> bool:
        """Host memory has no address on a device."""
        return of_the_host(state.blocks.covering(call.vptr))

    @rejects("SVM-TRANS-005", PARA_ERROR, strength=MUST, code=SHOULD, source=(HEADER, V2), profiles=GEN2)
    def no_page_on_a_device(call, state: State) -> bool:
        """MEM_SVM memory has its pages on a device before it is translated."""
        block = state.blocks.covering(call.vptr)
        return pageless(block) or (block.kind == SVM and block.place == ON_HOST)

    @rejects("SVM-TRANS-006", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def memory_is_readonly(call, state: State) -> bool:
        """Read-only memory is not translated."""
        block = state.blocks.covering(call.vptr)
        return block.readonly and device_side(block) and within(block, call.vptr, 1)

    @undefined("SVM-TRANS-007", source=HEADER, profiles=GEN2)
    def not_promised(call, state: State) -> bool:
        """Translating an address that is not in a live block of SVM or device memory."""
        block = state.blocks.covering(call.vptr)
        return not of_the_host(block) and (
            not within(block, call.vptr, 1)
            or (block.kind != SVM and block.kind != DEV and block.kind != DVPP)
            or block.place == ANYWHERE
            or block.host_writes
        )

    @accepts(
        "SVM-TRANS-010", strength=MUST, source=(HEADER, V2), changes=("blocks",), profiles=GEN2
    )
    def tells_the_address(call, state: State) -> State:
        """The address is told, and from then on the block counts as used."""
        block = state.blocks.covering(call.vptr)
        return state.but(blocks=state.blocks.put(block.but(translated=True)))

    @ensures("SVM-TRANS-011", strength=MUST, source=HEADER, profiles=GEN2)
    def address_is_given(call, result: Result) -> bool:
        """A successful call gives an address."""
        return result.pptr != poison(64)

    @ensures("SVM-TRANS-012", strength=SHOULD, source=V2, on=FAILURE, when=_place_given)
    def failure_leaves_it_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the address alone."""
        return result.pptr == poison(64)
