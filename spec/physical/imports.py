"""aclrtMemImportFromShareableHandle(V2): a handle for what another process exported."""

from __future__ import annotations

from halcert.spec.language import (
    I32,
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
from halcert.spec.physical.export import HERE, known_otherwise, unknown_reach
from halcert.spec.physical.outcomes import (
    CONTEXT_NULL,
    EXPORTING,
    INVALID_PARAM,
    NO_SUCH_DEVICE,
    NO_SUCH_SHARE,
    PARAM_INVALID,
)
from halcert.spec.profiles import GEN2, Profile
from halcert.spec.runtime.memory import NO_MEMORY
from halcert.spec.runtime.order import session, without_context
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sharing.blobs import Blob
from halcert.spec.sharing.imports import can_be_imported, imported, is_in_doubt, is_refused
from halcert.spec.sharing.memory import enveloped, me, numbered
from halcert.spec.sources import SENSE, V2, V3
from halcert.spec.state import Share, State

MUST = Strength.MUST
SHOULD = Strength.SHOULD


def _asked(call: ImportFromShareableHandle, state: State) -> Share:
    return numbered(state, call.shareableHandle)


def _sent(call: ImportFromShareableHandleV2, state: State) -> Share:
    return enveloped(state, call.shareableHandle.content)


def _has_it(state: State, share: Share) -> bool:
    """Tell whether the process exported a share itself, or imported it already."""
    return share.exists and (
        share.owner == me(state) or state.handles.any(lambda each: each.share == share.id)
    )


def _works_elsewhere(state: State, share: Share) -> bool:
    """Tell whether memory is on another device than the thread works with."""
    elsewhere = share.device != session(state).current - 1
    return share.exists and elsewhere and not without_context(state)


@interface("aclrtMemImportFromShareableHandle", area="physical", source=ACL_HEADER)
class ImportFromShareableHandle(Call, frozen=True):
    """Get a handle for physical memory that another process exported."""

    shareableHandle: HandleRef
    deviceId: I32
    handle: OutPointer

    class Result(Returned, frozen=True):
        """The handle."""

        handle: HandleRef

    @rejects("PHYSICAL-IMPORT-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def no_place(call) -> bool:
        """There must be a place for the handle."""
        return not call.handle

    @rejects(
        "PHYSICAL-IMPORT-002",
        NO_SUCH_DEVICE,
        strength=MUST,
        code=SHOULD,
        source=(EXPORTING, RUNTIME),
    )
    def no_such_device(call, state: State) -> bool:
        """The device is present."""
        return call.deviceId < 0 or not state.hardware.at(call.deviceId).exists

    @rejects(
        "PHYSICAL-IMPORT-003", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects(
        "PHYSICAL-IMPORT-004",
        *NO_SUCH_SHARE,
        strength=MUST,
        code=SHOULD,
        source=(EXPORTING, SENSE, V2, V3),
    )
    def no_such_memory(call, state: State, profile: Profile) -> bool:
        """The number is one that an export gave, and the memory is still there."""
        there = can_be_imported(_asked(call, state), profile)
        return not there and not known_otherwise(state, call.shareableHandle)

    @rejects(
        "PHYSICAL-IMPORT-005",
        *NO_SUCH_SHARE,
        strength=MUST,
        code=SHOULD,
        source=(EXPORTING, V2, V3),
    )
    def not_permitted(call, state: State, profile: Profile) -> bool:
        """Only a process on the white list imports memory, unless anyone may."""
        return is_refused(state, _asked(call, state), profile)

    @undefined("PHYSICAL-IMPORT-006", source=EXPORTING)
    def own_or_once_more(call, state: State) -> bool:
        """Importing what the process exported itself, or once more."""
        return _has_it(state, _asked(call, state))

    @undefined("PHYSICAL-IMPORT-007", source=EXPORTING)
    def on_another_device(call, state: State) -> bool:
        """Importing on another device than the memory is on, or than the thread works with."""
        share, present = _asked(call, state), state.hardware.at(call.deviceId).exists
        other = share.exists and present and share.device != call.deviceId
        return other or _works_elsewhere(state, share)

    @undefined("PHYSICAL-IMPORT-008", source=EXPORTING)
    def number_of_the_other_call(call, state: State) -> bool:
        """Using the number in bytes that the other way of exporting gave."""
        return known_otherwise(state, call.shareableHandle)

    @may_reject("PHYSICAL-IMPORT-009", *NO_MEMORY, source=RUNTIME)
    def memory_may_be_short(call) -> bool:
        """There may be no memory for one more handle."""
        return True

    @may_reject("PHYSICAL-IMPORT-010", *NO_SUCH_SHARE, source=V2, profiles=GEN2)
    def may_not_be_listed(call, state: State, profile: Profile) -> bool:
        """A process may not be on the white list if the call that named it failed."""
        return is_in_doubt(state, _asked(call, state), profile)

    @accepts(
        "PHYSICAL-IMPORT-020",
        strength=MUST,
        source=EXPORTING,
        changes=("handles", "holdings", "permits"),
    )
    def gives_a_handle(call, state: State, result: Result, profile: Profile) -> State:
        """The handle stands for the exporter's memory, and can be mapped like any other."""
        return imported(state, _asked(call, state), result.handle, profile)

    @ensures("PHYSICAL-IMPORT-021", strength=MUST, source=EXPORTING)
    def handle_is_given(call, result: Result) -> bool:
        """The handle is not null."""
        return result.handle != 0 and result.handle != poison(64)

    @ensures("PHYSICAL-IMPORT-022", strength=MUST, source=SENSE)
    def handle_is_new(call, state: State, result: Result) -> bool:
        """No other memory of the process has the handle."""
        return not state.handles.at(result.handle).exists


@interface("aclrtMemImportFromShareableHandleV2", area="physical", source=ACL_HEADER)
class ImportFromShareableHandleV2(Call, frozen=True):
    """Get a handle for physical memory by its opaque bytes, on the current device."""

    shareableHandle: Blob
    shareType: U32
    flags: U64
    handle: OutPointer

    class Result(Returned, frozen=True):
        """The handle."""

        handle: HandleRef

    @rejects("PHYSICAL-IMPORT2-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_null(call) -> bool:
        """There must be bytes, and a place for the handle."""
        return not call.shareableHandle.given or not call.handle

    @rejects(
        "PHYSICAL-IMPORT2-002",
        INVALID_PARAM,
        strength=MUST,
        code=SHOULD,
        source=(EXPORTING, RUNTIME),
    )
    def flags_are_given(call) -> bool:
        """There are no flags yet."""
        return call.flags != 0

    @rejects(
        "PHYSICAL-IMPORT2-003", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("PHYSICAL-IMPORT2-004", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def unknown_type(call) -> bool:
        """There are bytes for one machine and for several."""
        return unknown_reach(call.shareType)

    @rejects(
        "PHYSICAL-IMPORT2-005",
        *NO_SUCH_SHARE,
        strength=MUST,
        code=SHOULD,
        source=(EXPORTING, V2, V3),
    )
    def not_permitted(call, state: State, profile: Profile) -> bool:
        """Only a process on the white list imports memory, unless anyone may."""
        return call.shareableHandle.given and is_refused(state, _sent(call, state), profile)

    @undefined("PHYSICAL-IMPORT2-006", source=EXPORTING)
    def own_or_once_more(call, state: State) -> bool:
        """Importing what the process exported itself, or once more."""
        return _has_it(state, _sent(call, state))

    @undefined("PHYSICAL-IMPORT2-007", source=EXPORTING)
    def on_another_device(call, state: State) -> bool:
        """Importing on another device than the memory is on."""
        return _works_elsewhere(state, _sent(call, state))

    @undefined("PHYSICAL-IMPORT2-008", source=EXPORTING)
    def no_such_bytes(call, state: State, profile: Profile) -> bool:
        """Using bytes that no export gave, or whose memory was freed, or as the other sort."""
        found = state.envelopes.at(call.shareableHandle.content)
        gone = not can_be_imported(_sent(call, state), profile)
        other = found.kind != call.shareType
        return call.shareableHandle.given and (not found.exists or gone or other)

    @may_reject("PHYSICAL-IMPORT2-009", *NO_MEMORY, source=RUNTIME)
    def memory_may_be_short(call) -> bool:
        """There may be no memory for one more handle."""
        return True

    @may_reject("PHYSICAL-IMPORT2-010", source=EXPORTING)
    def reach_may_be_missing(call) -> bool:
        """Few products share with other machines."""
        return call.shareType != HERE

    @may_reject("PHYSICAL-IMPORT2-011", *NO_SUCH_SHARE, source=V2, profiles=GEN2)
    def may_not_be_listed(call, state: State, profile: Profile) -> bool:
        """A process may not be on the white list if the call that named it failed."""
        return call.shareableHandle.given and is_in_doubt(state, _sent(call, state), profile)

    @accepts(
        "PHYSICAL-IMPORT2-020",
        strength=MUST,
        source=EXPORTING,
        changes=("handles", "holdings", "permits"),
    )
    def gives_a_handle(call, state: State, result: Result, profile: Profile) -> State:
        """The handle stands for the exporter's memory, as after the first form of the call."""
        return imported(state, _sent(call, state), result.handle, profile)

    @ensures("PHYSICAL-IMPORT2-021", strength=MUST, source=EXPORTING)
    def handle_is_given(call, result: Result) -> bool:
        """The handle is not null."""
        return result.handle != 0 and result.handle != poison(64)

    @ensures("PHYSICAL-IMPORT2-022", strength=MUST, source=SENSE)
    def handle_is_new(call, state: State, result: Result) -> bool:
        """No other memory of the process has the handle."""
        return not state.handles.at(result.handle).exists
