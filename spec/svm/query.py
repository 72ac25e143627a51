"""drvMemGetAttribute and halMemGetAddressRange: what an address leads to."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import AttributeType
from halcert.spec.language import (
    FAILURE,
    U32,
    Address,
    Call,
    OutPointer,
    Record,
    Returned,
    Size,
    Strength,
    accepts,
    align_up,
    ensures,
    interface,
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sources import HEADER, MODULE_DOC, V2, V3
from halcert.spec.state import ANYWHERE, ON_DEVICE, ON_HOST, UNSET, USER, Block, State
from halcert.spec.svm.flags import DEV, DVPP, HOST, HOST_UVA, MAPPED, OPENED, POOL, SVM, UVM
from halcert.spec.svm.memory import (
    bare,
    device_side,
    has_own_space,
    in_tail,
    may_be_inside,
    may_be_whole,
    within,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
PARA_ERROR = DrvError.PARA_ERROR

LEFT_ALONE = poison(32)


class Attribute(Record, frozen=True):
    """What an address leads to (``struct DVattribute``)."""

    memType: U32
    """Kind of memory."""
    resv1: U32
    """Reserved."""
    resv2: U32
    """Reserved."""
    devId: U32
    """Device that holds the page."""
    pageSize: U32
    """Page size in bytes."""


def _found(call: MemGetAttribute, state: State) -> Block:
    return state.blocks.covering(call.vptr)


def _is_device_memory(call: MemGetAttribute, state: State) -> bool:
    block = _found(call, state)
    return block.kind == DEV or (block.kind == MAPPED and block.place == ON_DEVICE)


def _is_dvpp_memory(call: MemGetAttribute, state: State) -> bool:
    return _found(call, state).kind == DVPP


def _is_host_memory(call: MemGetAttribute, state: State) -> bool:
    block = _found(call, state)
    return block.kind == HOST or block.kind == HOST_UVA or _is_mapped_host_memory(call, state)


def _is_mapped_host_memory(call: MemGetAttribute, state: State) -> bool:
    block = _found(call, state)
    return block.kind == MAPPED and block.place == ON_HOST


def _is_user_memory(call: MemGetAttribute, state: State) -> bool:
    return _found(call, state).kind == USER


def _is_svm_memory(call: MemGetAttribute, state: State) -> bool:
    return _found(call, state).kind == SVM


def _is_managed(call: MemGetAttribute, state: State) -> bool:
    return _found(call, state).kind == UVM


def _is_on_a_device(call: MemGetAttribute, state: State) -> bool:
    block = _found(call, state)
    return device_side(block) and block.kind != POOL


def _is_off_the_devices(call: MemGetAttribute, state: State) -> bool:
    block = _found(call, state)
    return block.kind == SVM and (block.place == UNSET or block.place == ON_HOST)


def _has_no_device(call: MemGetAttribute, state: State) -> bool:
    block = _found(call, state)
    memory_of_the_host = block.kind == HOST or block.kind == HOST_UVA
    return memory_of_the_host or block.kind == USER or block.kind == UVM


def _has_a_page_size(call: MemGetAttribute, state: State) -> bool:
    kind = _found(call, state).kind
    return kind != SVM and kind != UVM and kind != USER and kind != OPENED


def _has_a_known_page_size(call: MemGetAttribute, state: State) -> bool:
    kind = _found(call, state).kind
    return _has_a_page_size(call, state) and kind != MAPPED and kind != OPENED


def _is_of_a_pool(call: MemGetAttribute, state: State) -> bool:
    return _found(call, state).kind == POOL


def _place_given(call: MemGetAttribute) -> bool:
    return call.attr


@interface("drvMemGetAttribute", area="svm", source=HEADER)
class MemGetAttribute(Call, frozen=True):
    """Ask what kind of memory an address leads to, on which device, with which page size."""

    vptr: Address
    attr: OutPointer

    class Result(Returned, frozen=True):
        """The answer."""

        attr: Attribute

    @rejects("SVM-ATTR-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def address_is_null(call) -> bool:
        """The address is not null."""
        return call.vptr == 0

    @rejects("SVM-ATTR-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_answer(call) -> bool:
        """There must be a place for the answer."""
        return not call.attr

    @rejects("SVM-ATTR-003", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def device_alone_may_access(call, state: State) -> bool:
        """Memory for the device's control CPU alone has no attributes."""
        block = state.blocks.covering(call.vptr)
        return block.cp_only and within(block, call.vptr, 1)

    @undefined("SVM-ATTR-004", source=HEADER)
    def not_allocated(call, state: State, profile: Profile) -> bool:
        """Asking about an address that is not in a live block.

        For speed the interface does not tell what is allocated: it may answer for what is not
        yet or no longer there. Reserved addresses must be mapped before; SVM v2 answers all the
        same, with what was mapped last or the host. It calls every address managed that managed
        memory can have.
        """
        return (
            call.vptr != 0
            and not within(state.blocks.covering(call.vptr), call.vptr, 1)
            and not (profile.generation == "v3" and bare(state, call.vptr, 1))
        )

    @rejects(
        "SVM-ATTR-005", PARA_ERROR, strength=MUST, code=SHOULD, source=(HEADER, V3), profiles=GEN3
    )
    def nothing_is_mapped(call, state: State) -> bool:
        """Reserved addresses have attributes where something is mapped."""
        return bare(state, call.vptr, 1)

    @undefined("SVM-ATTR-006", source=V3, profiles=GEN3)
    def memory_of_a_pool(call, state: State) -> bool:
        """Asking about an address of a pool, whose memory comes in the order of a stream."""
        return state.blocks.covering(call.vptr).kind == POOL

    @accepts("SVM-ATTR-010", strength=MUST, source=(HEADER, MODULE_DOC.at("SVM, query")))
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("SVM-ATTR-011", strength=MUST, source=HEADER, when=_is_device_memory)
    def device_memory(call, result: Result) -> bool:
        """Device memory is memory locked to its device."""
        return result.attr.memType == AttributeType.DV_MEM_LOCK_DEV

    @ensures("SVM-ATTR-012", strength=MUST, source=(HEADER, V3), when=_is_dvpp_memory)
    def dvpp_memory(call, result: Result, profile: Profile) -> bool:
        """DVPP memory is DVPP memory locked to its device; SVM v3 may call it device memory."""
        return result.attr.memType == AttributeType.DV_MEM_LOCK_DEV_DVPP or (
            profile.generation == "v3" and result.attr.memType == AttributeType.DV_MEM_LOCK_DEV
        )

    @ensures("SVM-ATTR-013", strength=MUST, source=HEADER, when=_is_host_memory)
    def host_memory(call, result: Result) -> bool:
        """Host memory is memory locked to the host."""
        return result.attr.memType == AttributeType.DV_MEM_LOCK_HOST

    @ensures("SVM-ATTR-014", strength=SHOULD, source=V3, when=_is_user_memory, profiles=GEN3)
    def user_memory_v3(call, result: Result) -> bool:
        """Ordinary process memory is the user's."""
        return result.attr.memType == AttributeType.DV_MEM_USER_MALLOC

    @ensures(
        "SVM-ATTR-015", strength=MUST, source=(HEADER, V2), when=_is_user_memory, profiles=GEN2
    )
    def user_memory(call, result: Result) -> bool:
        """Ordinary process memory is the user's or locked to the host.

        Which of the two depends on features that the process asked for.
        """
        kind = result.attr.memType
        return (
            kind == AttributeType.DV_MEM_LOCK_HOST
            or kind == AttributeType.DV_MEM_USER_MALLOC
            or kind == AttributeType.DV_MEM_USER_REGISTER
        )

    @ensures("SVM-ATTR-016", strength=MUST, source=HEADER, when=_is_svm_memory, profiles=GEN2)
    def svm_memory(call, state: State, result: Result) -> bool:
        """MEM_SVM memory tells whether its pages are nowhere, on the host or on a device."""
        place, kind = state.blocks.covering(call.vptr).place, result.attr.memType
        nowhere = kind == AttributeType.DV_MEM_SVM
        host = kind == AttributeType.DV_MEM_SVM_HOST
        device = kind == AttributeType.DV_MEM_SVM_DEVICE
        return (
            (place == UNSET and nowhere)
            or (place == ON_HOST and host)
            or (place == ON_DEVICE and device)
            or (place == ANYWHERE and (nowhere or host or device))
        )

    @ensures("SVM-ATTR-017", strength=SHOULD, source=V2, when=_is_managed, profiles=GEN2)
    def managed_memory(call, result: Result, profile: Profile) -> bool:
        """Managed memory is managed memory, with huge pages."""
        return (
            result.attr.memType == AttributeType.DV_MEM_UVM and result.attr.pageSize == profile.huge
        )

    @ensures("SVM-ATTR-018", strength=MUST, source=HEADER, when=_is_on_a_device)
    def device_is_told(call, state: State, result: Result) -> bool:
        """For memory on a device the answer says which."""
        return result.attr.devId == state.blocks.covering(call.vptr).device

    @ensures("SVM-ATTR-019", strength=SHOULD, source=V2, when=_has_no_device, profiles=GEN2)
    def device_is_left_alone(call, result: Result) -> bool:
        """For memory that is on no device the answer leaves the device alone."""
        return result.attr.devId == LEFT_ALONE

    @ensures("SVM-ATTR-020", strength=SHOULD, source=V2, when=_is_off_the_devices, profiles=GEN2)
    def device_is_zero(call, result: Result) -> bool:
        """For MEM_SVM memory without pages on a device the answer says device 0."""
        return result.attr.devId == 0

    @ensures("SVM-ATTR-021", strength=SHOULD, source=V3, when=_is_host_memory, profiles=GEN3)
    def host_is_told(call, result: Result, profile: Profile) -> bool:
        """For host memory the answer says the id of the host."""
        return result.attr.devId == profile.host_id

    @ensures("SVM-ATTR-022", strength=SHOULD, source=V3, when=_is_user_memory, profiles=GEN3)
    def device_of_user_memory(call, result: Result) -> bool:
        """For ordinary process memory the answer leaves the device alone."""
        return result.attr.devId == LEFT_ALONE

    @ensures("SVM-ATTR-023", strength=SHOULD, source=V2, when=_has_a_known_page_size, profiles=GEN2)
    def page_size(call, state: State, result: Result, profile: Profile) -> bool:
        """The page size is normal for host and plain device memory, and huge for all other."""
        block, size = state.blocks.covering(call.vptr), result.attr.pageSize
        if block.kind == HOST or block.kind == HOST_UVA:
            return size == profile.page
        if block.host_writes:
            return size == profile.page or size == profile.huge
        if block.kind == DVPP or block.readonly or block.granule != profile.page:
            return size == profile.huge
        return size == profile.page

    @ensures("SVM-ATTR-024", strength=SHOULD, source=V3, when=_has_a_page_size, profiles=GEN3)
    def page_size_v3(call, state: State, result: Result, profile: Profile) -> bool:
        """The page size is that of the block, and huge where it is giant."""
        if state.blocks.covering(call.vptr).granule == profile.page:
            return result.attr.pageSize == profile.page
        return result.attr.pageSize == profile.huge

    @ensures("SVM-ATTR-025", strength=SHOULD, source=(V2, V3))
    def rest_is_left_alone(call, result: Result) -> bool:
        """The reserved members are left alone."""
        return result.attr.resv1 == LEFT_ALONE and result.attr.resv2 == LEFT_ALONE

    @ensures("SVM-ATTR-026", strength=SHOULD, source=(V2, V3), on=FAILURE, when=_place_given)
    def failure_leaves_it_alone(call, result: Result) -> bool:
        """A failing call writes nothing."""
        return (
            result.attr.memType == LEFT_ALONE
            and result.attr.devId == LEFT_ALONE
            and result.attr.pageSize == LEFT_ALONE
        )

    @ensures("SVM-ATTR-027", strength=SHOULD, source=V2, when=_is_mapped_host_memory, profiles=GEN2)
    def host_is_told_where_mapped(call, result: Result, profile: Profile) -> bool:
        """For mapped host memory the answer says the id of the host."""
        return result.attr.devId == profile.host_id

    @ensures("SVM-ATTR-028", strength=SHOULD, source=V2, when=_is_of_a_pool, profiles=GEN2)
    def address_of_a_pool(call, result: Result) -> bool:
        """An address of a pool is said to be one; the answer leaves the device alone."""
        return result.attr.memType == AttributeType.DV_MEM_SOMA and result.attr.devId == LEFT_ALONE


def _base_given(call: MemGetAddressRange) -> bool:
    return call.pbase


def _size_given(call: MemGetAddressRange) -> bool:
    return call.psize


@interface("halMemGetAddressRange", area="svm", source=HEADER)
class MemGetAddressRange(Call, frozen=True):
    """Ask for the start and the size of the block that an address is in."""

    ptr: Address
    pbase: OutPointer
    psize: OutPointer

    class Result(Returned, frozen=True):
        """Start and size of the block."""

        pbase: Address
        psize: Size

    @rejects("SVM-RANGE-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def nothing_asked(call) -> bool:
        """There must be a place for the start or for the size."""
        return not call.pbase and not call.psize

    @rejects(
        "SVM-RANGE-002",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def not_allocated(call, state: State, profile: Profile) -> bool:
        """The address is in a live block of halMemAlloc, or something is mapped there."""
        block = state.blocks.covering(call.ptr)
        known = block.exists and block.kind != USER
        return not known and not may_be_inside(state, call.ptr, profile)

    @undefined("SVM-RANGE-003", source=V2.at("what a block is given whole"), profiles=GEN2)
    def behind_a_large_block(call, state: State, profile: Profile) -> bool:
        """Asking about an address behind a block, where the block may have been given more.

        That is the last GiB of an address space of its own, or a rest of a huge page.
        """
        return may_be_inside(state, call.ptr, profile)

    @undefined("SVM-RANGE-004", source=V3, profiles=GEN3)
    def behind_a_block(call, state: State) -> bool:
        """Asking about an address behind the last byte of a block, in its last page."""
        block = state.blocks.covering(call.ptr)
        return block.kind != USER and in_tail(block, call.ptr)

    @undefined("SVM-RANGE-005", source=(V2, V3))
    def memory_of_a_pool(call, state: State) -> bool:
        """Asking about an address of a pool."""
        return state.blocks.covering(call.ptr).kind == POOL

    @accepts("SVM-RANGE-010", strength=MUST, source=(HEADER, MODULE_DOC.at("SVM, query")))
    def answers(call, state: State) -> State:
        """Any address in a block will do, and asking changes nothing."""
        return state

    @ensures("SVM-RANGE-011", strength=MUST, source=HEADER, when=_base_given)
    def base_is_told(call, state: State, result: Result) -> bool:
        """The start is the address that halMemAlloc gave, or that of the mapping."""
        return result.pbase == state.blocks.covering(call.ptr).base

    @ensures("SVM-RANGE-012", strength=MUST, source=HEADER, when=_size_given)
    def size_is_enough(call, state: State, result: Result) -> bool:
        """The size is at least what was asked for."""
        return result.psize >= state.blocks.covering(call.ptr).size

    @ensures("SVM-RANGE-013", strength=SHOULD, source=(HEADER, V2), when=_size_given, profiles=GEN2)
    def size_is_rounded(call, state: State, result: Result, profile: Profile) -> bool:
        """The size is rounded up to pages, or to GiBs for blocks with their own address space.

        Where less than a fifth would be left of a huge page, or no cache may keep what is left,
        the block is given the whole of it.
        """
        block, size = state.blocks.covering(call.ptr), result.psize
        if has_own_space(block, profile):
            return size == align_up(block.size, profile.giant)
        return size == block.extent or (
            may_be_whole(block, profile) and size == align_up(block.size, profile.huge)
        )

    @ensures("SVM-RANGE-014", strength=SHOULD, source=(HEADER, V3), when=_size_given, profiles=GEN3)
    def size_is_exact(call, state: State, result: Result) -> bool:
        """The size is what was asked for, or that rounded up to pages.

        The header promises the rounded size, the public driver gives the requested one.
        """
        block = state.blocks.covering(call.ptr)
        return result.psize == block.size or result.psize == block.extent

    @ensures("SVM-RANGE-015", strength=SHOULD, source=(V2, V3), on=FAILURE, when=_base_given)
    def failure_leaves_the_base_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the start alone."""
        return result.pbase == poison(64)

    @ensures("SVM-RANGE-016", strength=SHOULD, source=(V2, V3), on=FAILURE, when=_size_given)
    def failure_leaves_the_size_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the size alone."""
        return result.psize == poison(64)
