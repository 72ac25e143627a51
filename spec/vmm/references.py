"""halMemRelease and halMemRetainAllocationHandle: references to physical memory."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    FAILURE,
    Address,
    Call,
    OutPointer,
    Returned,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    poison,
    rejects,
    undefined,
)
from halcert.spec.language import Handle as HandleRef
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sharing.memory import settled
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import Handle, State
from halcert.spec.svm.flags import MAPPED
from halcert.spec.vmm.memory import (
    given_out,
    is_mapped,
    mapping_at,
    reserved,
    without_memory,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
PARA_ERROR = DrvError.PARA_ERROR
NOT_EXIST = DrvError.NOT_EXIST
PHYSICAL = MODULE_DOC.at("VMM, physical memory")


def revoked(state: State, handle: Handle) -> State:
    """Return the state after an exported handle can be imported no more."""
    return settled(
        state.but(
            shares=state.shares.update_where(
                lambda each: each.id == handle.share and not handle.imported,
                lambda each: each.but(valid=False),
            )
        )
    )


@interface("halMemRelease", area="vmm", source=HEADER)
class MemRelease(Call, frozen=True):
    """Give a reference to physical memory back."""

    handle: HandleRef

    @rejects("VMM-RELEASE-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def null(call) -> bool:
        """Null is not a handle."""
        return call.handle == 0

    @rejects("VMM-RELEASE-002", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def released_too_often(call, state: State) -> bool:
        """The references that mappings hold are not the program's to give back."""
        found = state.handles.at(call.handle)
        return found.exists and found.held == 0 and not found.lost

    @undefined("VMM-RELEASE-003", source=(SENSE, V2, V3))
    def no_such_handle(call, state: State) -> bool:
        """Releasing what is not a handle, is none any more, or lost its device."""
        found = state.handles.at(call.handle)
        return call.handle != 0 and (not found.exists or found.lost)

    @undefined("VMM-RELEASE-004", source=V3, profiles=GEN3)
    def released_too_often_v3(call, state: State) -> bool:
        """Releasing a handle more often than it was got while it is mapped.

        SVM v3 frees the memory under the mapping.
        """
        found = state.handles.at(call.handle)
        return found.exists and found.held == 0

    @accepts(
        "VMM-RELEASE-010",
        strength=MUST,
        source=(PHYSICAL, HEADER),
        changes=(
            "handles",
            "contents",
            "shares",
            "permits",
            "numbers",
            "envelopes",
            "holdings",
        ),
    )
    def gives_back(call, state: State, profile: Profile) -> State:
        """One reference less; the memory is gone when there is none and nothing is mapped.

        With others who share it, it lasts until the last of them has given it back. SVM v3 lets
        nobody import what its exporter released.
        """
        found = state.handles.at(call.handle)
        left = found.held - 1
        if left == 0 and not is_mapped(state, found.id):
            return without_memory(state, found, profile)
        ended = revoked(state, found) if profile.generation == "v3" else state
        return ended.but(
            handles=ended.handles.update_where(
                lambda each: each.id == found.id, lambda each: each.but(held=left)
            )
        )


def _place_given(call: MemRetainAllocationHandle) -> bool:
    return call.handle


@interface(
    "halMemRetainAllocationHandle",
    area="vmm",
    source=HEADER,
    optional=frozenset((*GEN2, *GEN3)),
)
class MemRetainAllocationHandle(Call, frozen=True):
    """Get a further reference to the memory that is mapped at an address."""

    handle: OutPointer
    ptr: Address

    class Result(Returned, frozen=True):
        """The handle."""

        handle: HandleRef

    @rejects("VMM-RETAIN-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_handle(call) -> bool:
        """There must be a place for the handle."""
        return not call.handle

    @rejects("VMM-RETAIN-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def address_is_null(call) -> bool:
        """The address is not null."""
        return call.ptr == 0

    @rejects(
        "VMM-RETAIN-003",
        NOT_EXIST,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def not_mapped(call, state: State) -> bool:
        """Something is mapped at the address; memory of another sort has no handle."""
        found = mapping_at(state, call.ptr)
        there = found.exists or reserved(state, call.ptr)
        return found.kind != MAPPED and there

    @rejects(
        "VMM-RETAIN-004",
        NOT_EXIST,
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def nothing_there(call, state: State) -> bool:
        """The address is not nobody's; what was reserved there before does not matter."""
        found = mapping_at(state, call.ptr)
        return call.ptr != 0 and not found.exists and not reserved(state, call.ptr)

    @rejects(
        "VMM-RETAIN-005",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def nothing_there_v3(call, state: State) -> bool:
        """The address is reserved or allocated."""
        found = mapping_at(state, call.ptr)
        return call.ptr != 0 and found.kind != MAPPED and not given_out(state, call.ptr)

    @rejects(
        "VMM-RETAIN-006",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def not_mapped_v3(call, state: State) -> bool:
        """Something is mapped at the address; memory of another sort has no handle."""
        found = mapping_at(state, call.ptr)
        return found.kind != MAPPED and given_out(state, call.ptr)

    @may_reject("VMM-RETAIN-007", NOT_EXIST, source=V2, profiles=GEN2)
    def only_the_start_may_do(call, state: State) -> bool:
        """Only the start of a mapping may lead to the handle.

        The header promises any address of it; SVM v2 and the guide to its use want the start.
        """
        return mapping_at(state, call.ptr).base != call.ptr

    @accepts("VMM-RETAIN-010", strength=MUST, source=HEADER, changes=("handles",))
    def retains(call, state: State) -> State:
        """The program holds one more reference, which it has to release."""
        mapped = mapping_at(state, call.ptr).handle
        return state.but(
            handles=state.handles.update_where(
                lambda each: each.id == mapped, lambda each: each.but(held=each.held + 1)
            )
        )

    @ensures("VMM-RETAIN-011", strength=MUST, source=HEADER)
    def gives_the_handle(call, state: State, result: Result) -> bool:
        """The handle is the one that was mapped."""
        return result.handle == mapping_at(state, call.ptr).handle

    @ensures(
        "VMM-RETAIN-012",
        strength=SHOULD,
        source=V2,
        on=FAILURE,
        when=_place_given,
        profiles=GEN2,
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the handle alone."""
        return result.handle == poison(64)
