"""aclrtGetMemInfo and aclrtPointerGetAttributes: how much memory there is, and where."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.abi.acl.constants import AclrtMemAttr, AclrtMemLocationType
from halcert.spec.language import (
    U32,
    Address,
    Call,
    OutPointer,
    Record,
    Returned,
    Size,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN3, UVM_PRODUCTS
from halcert.spec.runtime.order import without_context
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sources import API, SENSE, V3
from halcert.spec.state import ON_DEVICE, USER, State
from halcert.spec.svm.flags import DEV, GRANT, HOST, MAPPED, OPENED, UVM
from halcert.spec.svm.memory import within

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
ASKING = API.at("memory, queries")
LAST_KIND = AclrtMemAttr.ACL_HBM_MEM_P2P_HUGE1G
"""The last kind of memory that can be asked for."""


@interface("aclrtGetMemInfo", area="runtime", source=ACL_HEADER)
class GetMemInfo(Call, frozen=True):
    """Ask how much memory of a kind the device has, and how much of it is free."""

    attr: U32
    free: OutPointer
    total: OutPointer

    class Result(Returned, frozen=True):
        """Bytes."""

        free: Size
        total: Size

    @rejects("RUNTIME-INFO-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def no_place(call) -> bool:
        """There must be places for both answers."""
        return not call.free or not call.total

    @rejects("RUNTIME-INFO-002", AclError.RT_INVALID_MEMORY_TYPE, strength=SHOULD, source=RUNTIME)
    def unknown_kind(call) -> bool:
        """There are twelve kinds of memory."""
        return call.attr > LAST_KIND

    @rejects(
        "RUNTIME-INFO-003",
        AclError.RT_CONTEXT_NULL,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, RUNTIME),
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @accepts("RUNTIME-INFO-010", strength=MUST, source=ASKING)
    def answers(call, state: State) -> State:
        """Asking changes nothing; what is free may change at any time."""
        return state

    @ensures("RUNTIME-INFO-011", strength=MUST, source=SENSE)
    def no_more_is_free_than_there_is(call, result: Result) -> bool:
        """No more is free than there is."""
        return result.free <= result.total


class PointerAttributes(Record, frozen=True):
    """What an address leads to (``aclrtPtrAttributes``)."""

    id: U32
    """The device."""
    type: U32
    """Where the memory is."""
    pageSize: U32
    """Page size in bytes."""


def _on_a_device(call: PointerGetAttributes, state: State) -> bool:
    block = state.blocks.covering(call.ptr)
    mapped = block.kind == MAPPED and block.place == ON_DEVICE
    return block.kind == DEV or block.kind == OPENED or mapped


def _on_the_host(call: PointerGetAttributes, state: State) -> bool:
    return state.blocks.covering(call.ptr).kind == HOST


def _managed(call: PointerGetAttributes, state: State) -> bool:
    return state.blocks.covering(call.ptr).kind == UVM


def _of_the_program(call: PointerGetAttributes, state: State) -> bool:
    return state.blocks.covering(call.ptr).kind == USER


def _of_a_pool(call: PointerGetAttributes, state: State) -> bool:
    return state.blocks.covering(call.ptr).kind == GRANT


@interface("aclrtPointerGetAttributes", area="runtime", source=ACL_HEADER)
class PointerGetAttributes(Call, frozen=True):
    """Ask where the memory is that an address leads to."""

    ptr: Address
    attributes: OutPointer

    class Result(Returned, frozen=True):
        """The answer."""

        attributes: PointerAttributes

    @rejects("RUNTIME-POINTER-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_null(call) -> bool:
        """There must be an address, and a place for the answer."""
        return call.ptr == 0 or not call.attributes

    @undefined("RUNTIME-POINTER-002", source=ASKING)
    def not_allocated(call, state: State) -> bool:
        """Asking about an address that is not in live memory."""
        return call.ptr != 0 and not within(state.blocks.covering(call.ptr), call.ptr, 1)

    @may_reject("RUNTIME-POINTER-003", source=V3, profiles=GEN3)
    def pools_may_be_out_of_reach(call, state: State) -> bool:
        """It may be impossible to tell what memory of a pool is."""
        return _of_a_pool(call, state)

    @may_reject("RUNTIME-POINTER-004", source=RUNTIME)
    def memory_of_the_program_may_be_unknown(call, state: State) -> bool:
        """A driver may not know of ordinary memory of the program."""
        return _of_the_program(call, state)

    @accepts("RUNTIME-POINTER-010", strength=MUST, source=ASKING)
    def answers(call, state: State) -> State:
        """Asking changes nothing, and needs no device."""
        return state

    @ensures("RUNTIME-POINTER-011", strength=MUST, source=ASKING, when=_on_a_device)
    def device_is_told(call, state: State, result: Result) -> bool:
        """For memory of a device the answer says so, and which."""
        told = result.attributes
        device = state.blocks.covering(call.ptr).device
        return told.type == AclrtMemLocationType.ACL_MEM_LOCATION_TYPE_DEVICE and told.id == device

    @ensures("RUNTIME-POINTER-012", strength=MUST, source=ASKING, when=_on_the_host)
    def host_is_told(call, result: Result) -> bool:
        """For host memory of the runtime the answer says so."""
        return result.attributes.type == AclrtMemLocationType.ACL_MEM_LOCATION_TYPE_HOST

    @ensures("RUNTIME-POINTER-013", strength=SHOULD, source=RUNTIME, when=_of_the_program)
    def program_is_told(call, result: Result) -> bool:
        """For ordinary memory of the program the answer says that it is not registered, or host."""
        kind = result.attributes.type
        return (
            kind == AclrtMemLocationType.ACL_MEM_LOCATION_TYPE_UNREGISTERED
            or kind == AclrtMemLocationType.ACL_MEM_LOCATION_TYPE_HOST
        )

    @ensures("RUNTIME-POINTER-014", strength=SHOULD, source=RUNTIME, when=_of_a_pool)
    def pool_is_on_a_device(call, result: Result) -> bool:
        """Memory of a pool is on a device; the public runtime does not say on which."""
        return result.attributes.type == AclrtMemLocationType.ACL_MEM_LOCATION_TYPE_DEVICE

    @ensures(
        "RUNTIME-POINTER-015", strength=MUST, source=ASKING, when=_managed, profiles=UVM_PRODUCTS
    )
    def managed_is_told(call, result: Result) -> bool:
        """For managed memory the answer says so; it is on no device in particular."""
        return result.attributes.type == AclrtMemLocationType.ACL_MEM_LOCATION_TYPE_MANAGED
