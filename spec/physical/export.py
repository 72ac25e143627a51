"""aclrtMemExportToShareableHandle(V2): physical memory made known to other processes."""

from __future__ import annotations

from halcert.spec.abi.acl.constants import AclrtMemHandleType, AclrtMemSharedHandleType
from halcert.spec.language import (
    U32,
    U64,
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
from halcert.spec.physical.outcomes import (
    EXPORTING,
    INVALID_PARAM,
    PARAM_INVALID,
)
from halcert.spec.profiles import Profile
from halcert.spec.runtime.memory import NO_MEMORY
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sharing.blobs import Blob
from halcert.spec.sharing.export import exported
from halcert.spec.sharing.memory import exported_share
from halcert.spec.sources import SENSE
from halcert.spec.state import Envelope, Handle, ShareNumber, State
from halcert.spec.vmm.memory import of_the_device, usable

MUST = Strength.MUST
SHOULD = Strength.SHOULD
NO_SHARING = AclrtMemHandleType.ACL_MEM_HANDLE_TYPE_NONE
HERE = AclrtMemSharedHandleType.ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT
"""Bytes that mean something on this machine: a number in the first eight of them."""
FABRIC = AclrtMemSharedHandleType.ACL_MEM_SHARE_HANDLE_TYPE_FABRIC
"""Bytes that other machines know, too."""
OPEN_TO_ALL = 1
"""The flag of an export that any process may import."""


def unknown_reach(kind: int) -> bool:
    """Tell whether bytes are neither for this machine nor for several."""
    return kind != HERE and kind != FABRIC


def number_in(content: int) -> int:
    """Return the number in the first bytes of what an export gave."""
    return content % 2**64


def known_otherwise(state: State, number: int) -> bool:
    """Tell whether a number is that in bytes that an export gave; those are for other calls."""
    return state.envelopes.any(lambda each: each.kind == HERE and number_in(each.content) == number)


def opened_to_all(state: State, handle: Handle) -> State:
    """Return the state after any process may import exported memory."""
    share = exported_share(handle.memory)
    return state.but(
        shares=state.shares.update_where(
            lambda each: each.id == share, lambda each: each.but(anyone=True)
        )
    )


def _given_away(state: State, handle: Handle, flags: int, profile: Profile) -> State:
    after = exported(state, handle, profile)
    return opened_to_all(after, handle) if flags == OPEN_TO_ALL else after


@interface("aclrtMemExportToShareableHandle", area="physical", source=ACL_HEADER)
class ExportToShareableHandle(Call, frozen=True):
    """Make a number for physical memory, by which other processes import it."""

    handle: HandleRef
    handleType: U32
    flags: U64
    shareableHandle: OutPointer

    class Result(Returned, frozen=True):
        """The number."""

        shareableHandle: HandleRef

    @rejects("PHYSICAL-EXPORT-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_null(call) -> bool:
        """There must be a handle, and a place for the number."""
        return call.handle == 0 or not call.shareableHandle

    @rejects(
        "PHYSICAL-EXPORT-002",
        INVALID_PARAM,
        strength=MUST,
        code=SHOULD,
        source=(EXPORTING, RUNTIME),
    )
    def other_type(call) -> bool:
        """The type is not used and must be that for none."""
        return call.handleType != NO_SHARING

    @rejects("PHYSICAL-EXPORT-003", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def unknown_flag(call) -> bool:
        """There are two flags."""
        return call.flags > OPEN_TO_ALL

    @rejects("PHYSICAL-EXPORT-004", strength=MUST, source=EXPORTING)
    def exported_already(call, state: State) -> bool:
        """Memory is exported once, and not by those who imported it."""
        return usable(state, call.handle) and state.handles.at(call.handle).share != 0

    @undefined("PHYSICAL-EXPORT-005", source=SENSE)
    def no_such_handle(call, state: State) -> bool:
        """Exporting what is not a handle, is none any more, or lost its device."""
        return call.handle != 0 and not usable(state, call.handle)

    @may_reject("PHYSICAL-EXPORT-006", *NO_MEMORY, source=RUNTIME)
    def memory_may_be_short(call) -> bool:
        """There may be no memory for one more share."""
        return True

    @may_reject("PHYSICAL-EXPORT-007", source=EXPORTING)
    def host_may_not_share(call, state: State) -> bool:
        """Only memory of devices is sure to be shared."""
        return not of_the_device(state.handles.at(call.handle))

    @accepts(
        "PHYSICAL-EXPORT-020",
        strength=MUST,
        source=EXPORTING,
        changes=("shares", "handles", "holdings", "numbers"),
    )
    def gives_a_number(call, state: State, result: Result, profile: Profile) -> State:
        """The memory is known by the number, to those who are let in, or to all with the flag."""
        found = state.handles.at(call.handle)
        number = ShareNumber(number=result.shareableHandle, share=exported_share(found.memory))
        return _given_away(state, found, call.flags, profile).but(
            numbers=state.numbers.insert(number)
        )

    @ensures("PHYSICAL-EXPORT-021", strength=MUST, source=EXPORTING)
    def number_is_given(call, result: Result) -> bool:
        """The number is told."""
        return result.shareableHandle != poison(64)

    @ensures("PHYSICAL-EXPORT-022", strength=MUST, source=SENSE)
    def number_is_new(call, state: State, result: Result) -> bool:
        """No other memory has the number."""
        number = result.shareableHandle
        return not state.numbers.at(number).exists and not known_otherwise(state, number)


@interface("aclrtMemExportToShareableHandleV2", area="physical", source=ACL_HEADER)
class ExportToShareableHandleV2(Call, frozen=True):
    """Make opaque bytes for physical memory, by which other processes import it."""

    handle: HandleRef
    flags: U64
    shareType: U32
    shareableHandle: OutPointer

    class Result(Returned, frozen=True):
        """The bytes."""

        shareableHandle: Blob

    @rejects("PHYSICAL-EXPORT2-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_null(call) -> bool:
        """There must be a handle, and a place for the bytes."""
        return call.handle == 0 or not call.shareableHandle

    @rejects("PHYSICAL-EXPORT2-002", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def unknown_flag_or_type(call) -> bool:
        """There are two flags, and bytes for one machine and for several."""
        return call.flags > OPEN_TO_ALL or unknown_reach(call.shareType)

    @rejects("PHYSICAL-EXPORT2-003", strength=MUST, source=EXPORTING)
    def exported_already(call, state: State) -> bool:
        """Memory is exported once, and not by those who imported it."""
        return usable(state, call.handle) and state.handles.at(call.handle).share != 0

    @undefined("PHYSICAL-EXPORT2-004", source=SENSE)
    def no_such_handle(call, state: State) -> bool:
        """Exporting what is not a handle, is none any more, or lost its device."""
        return call.handle != 0 and not usable(state, call.handle)

    @may_reject("PHYSICAL-EXPORT2-005", *NO_MEMORY, source=RUNTIME)
    def memory_may_be_short(call) -> bool:
        """There may be no memory for one more share."""
        return True

    @may_reject("PHYSICAL-EXPORT2-006", source=EXPORTING)
    def reach_may_be_missing(call, state: State) -> bool:
        """Few products share with other machines, and the host may not share at all."""
        return call.shareType != HERE or not of_the_device(state.handles.at(call.handle))

    @accepts(
        "PHYSICAL-EXPORT2-020",
        strength=MUST,
        source=EXPORTING,
        changes=("shares", "handles", "holdings", "envelopes"),
    )
    def gives_bytes(call, state: State, result: Result, profile: Profile) -> State:
        """The memory is known by the bytes, to those who are let in, or to all with the flag."""
        found = state.handles.at(call.handle)
        envelope = Envelope(
            content=result.shareableHandle.content,
            share=exported_share(found.memory),
            kind=call.shareType,
        )
        return _given_away(state, found, call.flags, profile).but(
            envelopes=state.envelopes.insert(envelope)
        )

    @ensures("PHYSICAL-EXPORT2-021", strength=MUST, source=EXPORTING)
    def bytes_are_given(call, result: Result) -> bool:
        """At least the number in the first bytes is told."""
        return number_in(result.shareableHandle.content) != poison(64)

    @ensures("PHYSICAL-EXPORT2-022", strength=MUST, source=SENSE)
    def bytes_are_new(call, state: State, result: Result) -> bool:
        """No other memory has the bytes."""
        return not state.envelopes.at(result.shareableHandle.content).exists
