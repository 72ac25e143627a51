"""aclrtMemSetPidToShareableHandle(V2): who may import physical memory."""

from __future__ import annotations

from halcert.spec.language import (
    U32,
    Call,
    Elements,
    ProcessId,
    Sequence,
    Size,
    Strength,
    accepts,
    interface,
    leaves,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.language import Handle as HandleRef
from halcert.spec.physical.export import known_otherwise, unknown_reach
from halcert.spec.physical.outcomes import (
    EXPORTING,
    INVALID_PARAM,
    NO_SUCH_SHARE,
    NOT_YOURS,
    PARAM_INVALID,
)
from halcert.spec.profiles import GEN2, Profile
from halcert.spec.runtime.memory import NO_MEMORY, REFUSED
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sharing.blobs import Blob
from halcert.spec.sharing.handle_permit import MOST_AT_ONCE, entered, perhaps_entered
from halcert.spec.sharing.imports import can_be_imported
from halcert.spec.sharing.memory import enveloped, me, numbered
from halcert.spec.sources import SENSE, V2, V3
from halcert.spec.state import Share, State

MUST = Strength.MUST
SHOULD = Strength.SHOULD


def _asked(call: SetPidToShareableHandle, state: State) -> Share:
    return numbered(state, call.shareableHandle)


def _sent(call: SetPidToShareableHandleV2, state: State) -> Share:
    return enveloped(state, call.shareableHandle.content)


def _pids(call: SetPidToShareableHandle | SetPidToShareableHandleV2) -> Elements[int]:
    return Elements(call.pidNum, call.pid)


def _but_the_last(call: SetPidToShareableHandle | SetPidToShareableHandleV2) -> Elements[int]:
    return Elements(call.pidNum - 1, call.pid)


def _gets_to_the_list(
    call: SetPidToShareableHandle | SetPidToShareableHandleV2, state: State, share: Share
) -> bool:
    """Tell whether a call enters processes one by one, so that it can stop in between."""
    some = call.pid.given and call.pidNum > 0 and call.pidNum <= MOST_AT_ONCE
    return some and share.exists and share.owner == me(state) and not share.anyone


def _too_many(call: SetPidToShareableHandle | SetPidToShareableHandleV2) -> bool:
    """Tell whether more processes are named than one call enters.

    The runtime hands on the lower half of the number alone.
    """
    return call.pidNum > MOST_AT_ONCE and call.pidNum < 2**32


def _sound(call: SetPidToShareableHandleV2) -> bool:
    """Tell whether bytes are given, of a type that there is."""
    return call.shareableHandle.given and not unknown_reach(call.shareType)


def _nobody(call: SetPidToShareableHandle | SetPidToShareableHandleV2) -> bool:
    """Tell whether all processes of a whole array are 0, which is none."""
    whole = call.pid.given and len(call.pid.items) >= call.pidNum and call.pidNum > 0
    return whole and not _pids(call).any(lambda pid: pid != 0)


@interface("aclrtMemSetPidToShareableHandle", area="physical", source=ACL_HEADER)
class SetPidToShareableHandle(Call, frozen=True):
    """Let processes import physical memory."""

    shareableHandle: HandleRef
    pid: Sequence[ProcessId]
    pidNum: Size

    @rejects("PHYSICAL-PERMIT-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def no_process(call) -> bool:
        """There is at least one process."""
        return not call.pid.given or call.pidNum == 0

    @rejects("PHYSICAL-PERMIT-002", *REFUSED, strength=SHOULD, source=(V2, V3))
    def too_many_processes(call) -> bool:
        """There are at most 65535 processes."""
        return _too_many(call)

    @rejects(
        "PHYSICAL-PERMIT-003",
        *NO_SUCH_SHARE,
        strength=MUST,
        code=SHOULD,
        source=(EXPORTING, SENSE, V2, V3),
    )
    def no_such_memory(call, state: State, profile: Profile) -> bool:
        """The number is one that an export gave, of memory that is there."""
        there = can_be_imported(_asked(call, state), profile)
        return not there and not known_otherwise(state, call.shareableHandle)

    @rejects(
        "PHYSICAL-PERMIT-004",
        *NOT_YOURS,
        strength=MUST,
        code=SHOULD,
        source=(EXPORTING, SENSE, V2, V3),
    )
    def not_the_exporter(call, state: State) -> bool:
        """Only the process that exported memory says who may import it."""
        share = _asked(call, state)
        return share.exists and share.owner != me(state)

    @rejects("PHYSICAL-PERMIT-005", *NOT_YOURS, strength=SHOULD, source=(V2, V3))
    def there_is_no_list(call, state: State) -> bool:
        """Memory that anyone may import has no white list."""
        return _asked(call, state).anyone

    @rejects("PHYSICAL-PERMIT-006", *REFUSED, strength=SHOULD, source=(V2, V3))
    def nobody_is_entered(call, state: State) -> bool:
        """Some process is entered; 0 is none."""
        return _asked(call, state).exists and _nobody(call)

    @undefined("PHYSICAL-PERMIT-007", source=SENSE)
    def array_is_short(call) -> bool:
        """Saying that there are more processes than the array has elements."""
        return call.pid.given and len(call.pid.items) < call.pidNum

    @undefined("PHYSICAL-PERMIT-008", source=EXPORTING)
    def number_of_the_other_call(call, state: State) -> bool:
        """Using the number in bytes that the other way of exporting gave."""
        return known_otherwise(state, call.shareableHandle)

    @may_reject("PHYSICAL-PERMIT-009", *NO_MEMORY, source=V2)
    def memory_may_be_short(call) -> bool:
        """There may be no memory for the white list."""
        return True

    @accepts("PHYSICAL-PERMIT-020", strength=MUST, source=EXPORTING, changes=("permits",))
    def permits(call, state: State) -> State:
        """The processes that have these numbers now may import the memory."""
        return entered(state, _asked(call, state).id, _pids(call))

    @leaves(
        "PHYSICAL-PERMIT-030",
        strength=SHOULD,
        source=V2,
        changes=("permits",),
        when=lambda call, state: _gets_to_the_list(call, state, _asked(call, state)),
        profiles=GEN2,
    )
    def some_are_entered(call, state: State) -> State:
        """Without memory for a process, those before it may be entered; the last is not."""
        return perhaps_entered(state, _asked(call, state).id, _but_the_last(call))


@interface("aclrtMemSetPidToShareableHandleV2", area="physical", source=ACL_HEADER)
class SetPidToShareableHandleV2(Call, frozen=True):
    """Let processes import physical memory by its opaque bytes."""

    shareableHandle: Blob
    shareType: U32
    pid: Sequence[ProcessId]
    pidNum: Size

    @rejects("PHYSICAL-PERMIT2-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_missing(call) -> bool:
        """There must be bytes, and at least one process."""
        return not call.shareableHandle.given or not call.pid.given or call.pidNum == 0

    @rejects("PHYSICAL-PERMIT2-002", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def unknown_type(call) -> bool:
        """There are bytes for one machine and for several."""
        return unknown_reach(call.shareType)

    @rejects("PHYSICAL-PERMIT2-003", *REFUSED, strength=SHOULD, source=(V2, V3))
    def too_many_processes(call) -> bool:
        """There are at most 65535 processes."""
        return _too_many(call)

    @rejects(
        "PHYSICAL-PERMIT2-004",
        *NOT_YOURS,
        strength=MUST,
        code=SHOULD,
        source=(EXPORTING, SENSE, V2, V3),
    )
    def not_the_exporter(call, state: State) -> bool:
        """Only the process that exported memory says who may import it."""
        share = _sent(call, state)
        return call.shareableHandle.given and share.exists and share.owner != me(state)

    @rejects("PHYSICAL-PERMIT2-005", *NOT_YOURS, strength=SHOULD, source=(V2, V3))
    def there_is_no_list(call, state: State) -> bool:
        """Memory that anyone may import has no white list."""
        return call.shareableHandle.given and _sent(call, state).anyone

    @rejects("PHYSICAL-PERMIT2-006", *REFUSED, strength=SHOULD, source=(V2, V3))
    def nobody_is_entered(call, state: State) -> bool:
        """Some process is entered; 0 is none."""
        return call.shareableHandle.given and _sent(call, state).exists and _nobody(call)

    @undefined("PHYSICAL-PERMIT2-007", source=SENSE)
    def array_is_short(call) -> bool:
        """Saying that there are more processes than the array has elements."""
        return call.pid.given and len(call.pid.items) < call.pidNum

    @undefined("PHYSICAL-PERMIT2-008", source=EXPORTING)
    def no_such_bytes(call, state: State) -> bool:
        """Using bytes that no export gave, or whose memory is gone, or as the other sort."""
        found = state.envelopes.at(call.shareableHandle.content)
        return call.shareableHandle.given and (not found.exists or found.kind != call.shareType)

    @may_reject("PHYSICAL-PERMIT2-009", *NO_MEMORY, source=V2)
    def memory_may_be_short(call) -> bool:
        """There may be no memory for the white list."""
        return True

    @accepts("PHYSICAL-PERMIT2-020", strength=MUST, source=EXPORTING, changes=("permits",))
    def permits(call, state: State) -> State:
        """The processes that have these numbers now may import the memory."""
        return entered(state, _sent(call, state).id, _pids(call))

    @leaves(
        "PHYSICAL-PERMIT2-030",
        strength=SHOULD,
        source=V2,
        changes=("permits",),
        when=lambda call, state: (
            _sound(call) and _gets_to_the_list(call, state, _sent(call, state))
        ),
        profiles=GEN2,
    )
    def some_are_entered(call, state: State) -> State:
        """Without memory for a process, those before it may be entered; the last is not."""
        return perhaps_entered(state, _sent(call, state).id, _but_the_last(call))
