"""drvMemPrefetchToDevice and drvMemAddressTranslate: memory as devices reach it."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    FAILURE,
    U64,
    Address,
    Call,
    DeviceId,
    OutPointer,
    Returned,
    Size,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import ANYWHERE, ON_DEVICE, ON_HOST, Block, State
from halcert.spec.svm.flags import DEV, DVPP, MAPPED, OPENED, POOL, SVM
from halcert.spec.svm.memory import (
    aligned,
    brought,
    in_tail,
    of_the_host,
    pageless,
    whole,
    within,
    write_races,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
OUT_OF_MEMORY = DrvError.OUT_OF_MEMORY


def _in_its_pages(block: Block, address: int, length: int) -> bool:
    """Tell whether a range lies in the whole pages of a live block."""
    return block.exists and address + length <= block.base + block.extent


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

    @rejects(
        "SVM-PREF-005", PARA_ERROR, strength=MUST, code=SHOULD, source=(HEADER, V3), profiles=GEN3
    )
    def not_on_a_page(call, state: State, profile: Profile) -> bool:
        """The address is a multiple of the page size."""
        block = state.blocks.covering(call.dev_ptr)
        return (
            block.exists
            and not of_the_host(block)
            and block.kind != MAPPED
            and not block.cp_only
            and call.len != 0
            and not in_tail(block, call.dev_ptr)
            and not aligned(call.dev_ptr, block, profile)
        )

    @rejects("SVM-PREF-006", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def beyond_the_block(call, state: State) -> bool:
        """The range, in whole pages, lies in one block."""
        block = state.blocks.covering(call.dev_ptr)
        return (
            block.exists
            and not of_the_host(block)
            and block.kind != MAPPED
            and not block.cp_only
            and call.len != 0
            and not in_tail(block, call.dev_ptr)
            and not _in_its_pages(block, call.dev_ptr, call.len)
        )

    @rejects(
        "SVM-PREF-007", PARA_ERROR, strength=MUST, code=SHOULD, source=(HEADER, V2), profiles=GEN2
    )
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
    def other_place(call, state: State, profile: Profile) -> bool:
        """Prefetching from one device to another, or part of a MEM_SVM block."""
        block = state.blocks.covering(call.dev_ptr)
        if of_the_host(block) or call.device >= profile.alloc_limit:
            return False
        if block.kind == SVM and block.place != ON_DEVICE:
            return block.place == ANYWHERE or not whole(block, call.dev_ptr, call.len)
        return block.device != call.device

    @undefined("SVM-PREF-010", source=(V2, V3))
    def device_not_open(call, state: State, profile: Profile) -> bool:
        """Prefetching to a device that is not open."""
        block = state.blocks.covering(call.dev_ptr)
        return (
            call.device < profile.alloc_limit
            and block.exists
            and not of_the_host(block)
            and not (block.kind == MAPPED and profile.generation == "v3")
            and not state.devices.at(call.device).open
        )

    @undefined("SVM-PREF-011", source=V3, profiles=GEN3)
    def nothing_asked(call, state: State) -> bool:
        """Prefetching no bytes."""
        block = state.blocks.covering(call.dev_ptr)
        refused = of_the_host(block) or block.kind == MAPPED or block.cp_only
        return call.len == 0 and block.exists and not refused

    @undefined("SVM-PREF-012", source=SENSE, profiles=GEN2)
    def races_with_a_copy(call, state: State) -> bool:
        """Prefetching where a copy under way reads or writes."""
        return write_races(state, call.dev_ptr, call.len)

    @undefined("SVM-PREF-013", source=V3, profiles=GEN3)
    def behind_the_block(call, state: State) -> bool:
        """Prefetching bytes behind the last byte of a block, in its last page."""
        block = state.blocks.covering(call.dev_ptr)
        if not block.exists or of_the_host(block) or block.cp_only:
            return False
        return in_tail(block, call.dev_ptr) or (
            not within(block, call.dev_ptr, call.len)
            and _in_its_pages(block, call.dev_ptr, call.len)
        )

    @may_reject("SVM-PREF-014", OUT_OF_MEMORY, source=(V2, V3))
    def memory_may_be_short(call) -> bool:
        """Prefetching needs memory."""
        return True

    @may_reject("SVM-PREF-015", source=V3, profiles=GEN3)
    def devices_may_be_apart(call, state: State) -> bool:
        """Two devices may be unable to reach each other."""
        return state.blocks.covering(call.dev_ptr).device != call.device

    @rejects(
        "SVM-PREF-016",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def memory_is_mapped(call, state: State) -> bool:
        """Mapped memory is not prefetched.

        SVM v2 takes it, against what the header says.
        """
        return state.blocks.covering(call.dev_ptr).kind == MAPPED

    @undefined("SVM-PREF-017", source=V3, profiles=GEN3)
    def memory_is_opened(call, state: State) -> bool:
        """Prefetching memory that was opened by its name."""
        return state.blocks.covering(call.dev_ptr).kind == OPENED

    @may_reject("SVM-PREF-018", PARA_ERROR, source=V2, profiles=GEN2)
    def device_may_only_read(call, state: State) -> bool:
        """Memory that devices only read may count as read-only, which is not prefetched."""
        return state.blocks.covering(call.dev_ptr).host_writes

    @undefined("SVM-PREF-019", source=V3, profiles=GEN3)
    def memory_of_a_pool(call, state: State) -> bool:
        """Prefetching memory of a pool."""
        return state.blocks.covering(call.dev_ptr).kind == POOL

    @accepts("SVM-PREF-020", strength=MUST, source=HEADER, changes=("blocks",))
    def brings_to_the_device(call, state: State) -> State:
        """The device can use the memory; MEM_SVM pages are there now, with their bytes."""
        block = state.blocks.covering(call.dev_ptr)
        if block.kind == SVM and block.place == ON_HOST:
            return brought(state, block, call.device)
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

    @rejects(
        "SVM-TRANS-001", NOT_SUPPORT, strength=MUST, code=SHOULD, source=(HEADER, V3), profiles=GEN3
    )
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

    @rejects(
        "SVM-TRANS-005", PARA_ERROR, strength=MUST, code=SHOULD, source=(HEADER, V2), profiles=GEN2
    )
    def no_page_on_a_device(call, state: State) -> bool:
        """MEM_SVM memory has its pages on a device before it is translated."""
        block = state.blocks.covering(call.vptr)
        return pageless(block) or (block.kind == SVM and block.place == ON_HOST)

    @rejects("SVM-TRANS-006", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def memory_is_readonly(call, state: State) -> bool:
        """Read-only memory is not translated."""
        block = state.blocks.covering(call.vptr)
        return block.readonly and block.kind == DEV and within(block, call.vptr, 1)

    @undefined("SVM-TRANS-007", source=HEADER, profiles=GEN2)
    def not_promised(call, state: State) -> bool:
        """Translating an address that is not in a live block of SVM or device memory."""
        block = state.blocks.covering(call.vptr)
        return (
            call.vptr != 0
            and not of_the_host(block)
            and (
                not within(block, call.vptr, 1)
                or (
                    block.kind != SVM
                    and block.kind != DEV
                    and block.kind != DVPP
                    and (block.kind != MAPPED or block.place != ON_DEVICE)
                )
                or block.place == ANYWHERE
                or block.host_writes
                or (block.readonly and block.kind != DEV)
            )
        )

    @accepts(
        "SVM-TRANS-010", strength=MUST, source=(HEADER, V2), changes=("blocks",), profiles=GEN2
    )
    def tells_the_address(call, state: State) -> State:
        """The address is told, and from then on the block counts as used."""
        block = state.blocks.covering(call.vptr)
        return state.but(
            blocks=state.blocks.update_where(
                lambda each: each.base == block.base, lambda each: each.but(translated=True)
            )
        )

    @ensures("SVM-TRANS-011", strength=MUST, source=HEADER, profiles=GEN2)
    def address_is_given(call, result: Result) -> bool:
        """A successful call gives an address."""
        return result.pptr != poison(64)

    @ensures("SVM-TRANS-012", strength=SHOULD, source=V2, on=FAILURE, when=_place_given)
    def failure_leaves_it_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the address alone."""
        return result.pptr == poison(64)
