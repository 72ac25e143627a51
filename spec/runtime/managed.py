"""aclrtMemAllocManaged: memory that host and devices reach under one address."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    U32,
    Address,
    Call,
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
)
from halcert.spec.profiles import GEN3, UVM_PRODUCTS, Profile
from halcert.spec.runtime.memory import MEMORY, NO_MEMORY, new_block
from halcert.spec.runtime.order import without_context
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME, SAMPLE
from halcert.spec.sources import API, MODULE_DOC, SENSE
from halcert.spec.state import State
from halcert.spec.svm.flags import UVM
from halcert.spec.svm.memory import vacant
from halcert.spec.uvm.pages import PAGE, WINDOW, WINDOW_END, allocated_pages

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
MANAGED = (API.at("managed memory"), MODULE_DOC.at("UVM, allocation and free"))
GLOBAL = 1
"""The only flag: every device and the host may use the memory."""


@interface("aclrtMemAllocManaged", area="runtime", source=ACL_HEADER)
class MemAllocManaged(Call, frozen=True):
    """Allocate managed memory."""

    ptr: OutPointer
    size: Size
    flag: U32

    class Result(Returned, frozen=True):
        """The address."""

        ptr: Address

    @rejects("RUNTIME-MANAGED-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def no_place(call) -> bool:
        """There must be a place for the address."""
        return not call.ptr

    @rejects("RUNTIME-MANAGED-002", INVALID_PARAM, strength=MUST, code=SHOULD, source=MANAGED)
    def unknown_flag(call) -> bool:
        """Managed memory is for all devices."""
        return call.flag != GLOBAL

    @rejects(
        "RUNTIME-MANAGED-003",
        AclError.RT_PARAM_INVALID,
        strength=MUST,
        code=SHOULD,
        source=(MEMORY, RUNTIME),
    )
    def no_size(call) -> bool:
        """At least one byte is allocated, and no more than can be rounded up to whole pages."""
        return call.size == 0 or call.size > 2**64 - PAGE

    @rejects(
        "RUNTIME-MANAGED-004",
        AclError.RT_CONTEXT_NULL,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, RUNTIME),
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects(
        "RUNTIME-MANAGED-005",
        AclError.RT_FEATURE_NOT_SUPPORT,
        strength=MUST,
        source=(*MANAGED, SAMPLE, RUNTIME),
        profiles=GEN3,
    )
    def no_managed_memory(call, state: State) -> bool:
        """A product without managed memory says so, by that code alone, if all else is right."""
        right = call.ptr and call.flag == GLOBAL and call.size != 0
        return right and call.size <= 2**64 - PAGE and not without_context(state)

    @rejects("RUNTIME-MANAGED-006", strength=MUST, source=MANAGED, profiles=UVM_PRODUCTS)
    def more_than_the_window(call) -> bool:
        """A process has 3 TiB of managed memory at most."""
        return call.size > WINDOW_END - WINDOW and call.size <= 2**64 - PAGE

    @may_reject("RUNTIME-MANAGED-007", *NO_MEMORY, source=MANAGED, profiles=UVM_PRODUCTS)
    def memory_may_be_short(call) -> bool:
        """There may be no memory or addresses left."""
        return True

    @accepts(
        "RUNTIME-MANAGED-010",
        strength=MUST,
        source=MANAGED,
        changes=("blocks", "contents", "pages"),
        profiles=UVM_PRODUCTS,
    )
    def allocates(call, state: State, result: Result, profile: Profile) -> State:
        """There is managed memory in whole pages, which nobody has touched yet."""
        size = align_up(call.size, PAGE)
        given = new_block(state, result.ptr, size, UVM, profile.host_id, PAGE)
        return allocated_pages(given, result.ptr, size)

    @ensures("RUNTIME-MANAGED-011", strength=MUST, source=MANAGED, profiles=UVM_PRODUCTS)
    def address_is_given(call, result: Result) -> bool:
        """The address is not null, and a multiple of 2 MiB."""
        return result.ptr != 0 and result.ptr != poison(64) and result.ptr % PAGE == 0

    @ensures("RUNTIME-MANAGED-012", strength=MUST, source=(*MANAGED, SENSE), profiles=UVM_PRODUCTS)
    def has_its_place(call, state: State, result: Result) -> bool:
        """The memory lies in the addresses that are kept for it, and nothing else is there."""
        size = align_up(call.size, PAGE)
        inside = result.ptr >= WINDOW and result.ptr + size <= WINDOW_END
        return inside and vacant(state, result.ptr, size)
