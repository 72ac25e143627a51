"""Who may import physical memory: its white list, its attribute, and where it is."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import ShareHandleAttrType
from halcert.spec.language import (
    U32,
    Call,
    Elements,
    OutPointer,
    ProcessId,
    Record,
    Returned,
    Sequence,
    Strength,
    accepts,
    ensures,
    interface,
    leaves,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.language import Handle as HandleRef
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sharing.create import NOT_YOURS
from halcert.spec.sharing.imports import NO_SUCH_SHARE, can_be_imported
from halcert.spec.sharing.memory import is_barred, is_listed, may_be_listed, me, numbered
from halcert.spec.sharing.permit import opened_to_all, perhaps_permitted, permitted
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import Share, State
from halcert.spec.svm.idle import may_be_unknown

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
NOT_PERMITTED = DrvError.OPER_NOT_PERMITTED
UNKNOWN_TYPE = ShareHandleAttrType.SHR_HANDLE_ATTR_TYPE_MAX
MOST_AT_ONCE = 65535
"""Processes that one call enters."""


def _missing(state: State, number: int, profile: Profile) -> bool:
    """Tell whether a number stands for nothing that can be imported."""
    return not can_be_imported(numbered(state, number), profile)


def entered(state: State, share: int, pids: Elements[int]) -> State:
    """Return the state after processes were entered in the white list of physical memory."""
    return pids.fold(lambda now, pid: permitted(now, share, pid) if pid != 0 else now, state)


def perhaps_entered(state: State, share: int, pids: Elements[int]) -> State:
    """Return the state after processes may have been entered in the list of physical memory."""
    return pids.fold(
        lambda now, pid: perhaps_permitted(now, share, pid) if pid != 0 else now, state
    )


def _pids(call: MemSetPidToShareableHandle) -> Elements[int]:
    return Elements(call.pid_num, call.pid)


def _asked(call: MemSetPidToShareableHandle, state: State) -> Share:
    return numbered(state, call.shareable_handle)


def _gets_to_the_list(call: MemSetPidToShareableHandle, state: State) -> bool:
    """Tell whether a call enters processes one by one, so that it can stop in between."""
    sound = call.pid.given and call.pid_num > 0 and call.pid_num <= MOST_AT_ONCE
    share = _asked(call, state)
    return sound and share.exists and share.owner == me(state) and not share.anyone


@interface("halMemSetPidToShareableHandle", area="sharing", source=HEADER)
class MemSetPidToShareableHandle(Call, frozen=True):
    """Let processes import physical memory."""

    shareable_handle: HandleRef
    pid: Sequence[ProcessId]
    pid_num: U32

    @rejects("SHARING-HPERMIT-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_processes(call) -> bool:
        """There must be an array of numbers of processes."""
        return not call.pid.given

    @rejects("SHARING-HPERMIT-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_process(call) -> bool:
        """There is at least one process."""
        return call.pid_num == 0

    @rejects(
        "SHARING-HPERMIT-003", INVALID_VALUE, strength=MUST, code=SHOULD, source=(HEADER, V2, V3)
    )
    def too_many_processes(call) -> bool:
        """There are at most 65535 processes."""
        return call.pid_num > MOST_AT_ONCE

    @rejects(
        "SHARING-HPERMIT-004",
        *NO_SUCH_SHARE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_memory(call, state: State, profile: Profile) -> bool:
        """The number is one that an export gave, of memory that is there."""
        return _missing(state, call.shareable_handle, profile)

    @rejects(
        "SHARING-HPERMIT-005",
        *NOT_YOURS,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def not_the_exporter(call, state: State) -> bool:
        """Only the process that exported memory says who may import it."""
        share = _asked(call, state)
        return share.exists and share.owner != me(state)

    @rejects(
        "SHARING-HPERMIT-006",
        NOT_PERMITTED,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def there_is_no_list(call, state: State) -> bool:
        """Memory that anyone may import has no white list."""
        return _asked(call, state).anyone

    @rejects("SHARING-HPERMIT-007", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def nobody_is_entered(call, state: State) -> bool:
        """Some process is entered; 0 is none."""
        share = _asked(call, state)
        whole = call.pid.given and len(call.pid.items) >= call.pid_num and call.pid_num > 0
        return share.exists and whole and not _pids(call).any(lambda pid: pid != 0)

    @undefined("SHARING-HPERMIT-008", source=SENSE)
    def array_is_short(call) -> bool:
        """Saying that there are more processes than the array has elements."""
        return call.pid.given and len(call.pid.items) < call.pid_num

    @may_reject("SHARING-HPERMIT-009", DrvError.OUT_OF_MEMORY, source=V2, profiles=GEN2)
    def memory_may_be_short(call) -> bool:
        """There may be no memory for the white list."""
        return True

    process_may_be_unknown = may_be_unknown("SHARING-HPERMIT-010")

    @accepts("SHARING-HPERMIT-020", strength=MUST, source=HEADER, changes=("permits",))
    def permits(call, state: State) -> State:
        """The processes that have these numbers now may import the memory."""
        return entered(state, _asked(call, state).id, _pids(call))

    @leaves(
        "SHARING-HPERMIT-030",
        strength=SHOULD,
        source=V2,
        changes=("permits",),
        when=_gets_to_the_list,
        profiles=GEN2,
    )
    def some_are_entered(call, state: State) -> State:
        """Without memory for a process, those before it may be entered; the last is not."""
        before = Elements(call.pid_num - 1, call.pid)
        return perhaps_entered(state, _asked(call, state).id, before)


class Switch(Record, frozen=True):
    """An attribute of a shareable handle (``struct ShareHandleAttr``)."""

    enableFlag: U32
    """1: anyone may import."""


@interface("halMemShareHandleSetAttribute", area="sharing", source=HEADER)
class MemShareHandleSetAttribute(Call, frozen=True):
    """Do without a white list."""

    handle: HandleRef
    type: U32
    attr: Switch

    @rejects("SHARING-HSETATTR-001", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_type(call) -> bool:
        """The attribute is one that there is."""
        return call.type >= UNKNOWN_TYPE

    @rejects(
        "SHARING-HSETATTR-002",
        *NO_SUCH_SHARE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_memory(call, state: State, profile: Profile) -> bool:
        """The number is one that an export gave, of memory that is there."""
        return _missing(state, call.handle, profile)

    @rejects("SHARING-HSETATTR-003", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def unknown_value(call) -> bool:
        """The value is 0 or 1."""
        return call.attr.enableFlag > 1

    @rejects(
        "SHARING-HSETATTR-004",
        NOT_PERMITTED,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def not_the_exporter(call, state: State) -> bool:
        """Only the process that exported memory sets its attributes."""
        share = numbered(state, call.handle)
        return share.exists and share.owner != me(state)

    @rejects(
        "SHARING-HSETATTR-005",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def list_again(call) -> bool:
        """What anyone may import stays so: there is no way back to a white list."""
        return call.attr.enableFlag == 0

    @rejects(
        "SHARING-HSETATTR-006",
        NOT_PERMITTED,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def list_is_used(call, state: State) -> bool:
        """Memory whose white list was used keeps it."""
        share = numbered(state, call.handle)
        return share.exists and is_listed(state, share.id)

    process_may_be_unknown = may_be_unknown("SHARING-HSETATTR-007")

    @may_reject("SHARING-HSETATTR-008", NOT_PERMITTED, source=(HEADER, V2), profiles=GEN2)
    def list_may_be_used(call, state: State) -> bool:
        """Memory keeps its white list if a call that failed has entered a process."""
        share = numbered(state, call.handle)
        return share.exists and may_be_listed(state, share.id)

    @accepts("SHARING-HSETATTR-010", strength=MUST, source=HEADER, changes=("shares", "permits"))
    def opens_to_all(call, state: State) -> State:
        """Anyone may import the memory from now on."""
        return opened_to_all(state, numbered(state, call.handle).id)


class SwitchOut(Record, frozen=True):
    """An attribute of a shareable handle as it is told."""

    enableFlag: U32
    """1: anyone may import."""


@interface("halMemShareHandleGetAttribute", area="sharing", source=HEADER)
class MemShareHandleGetAttribute(Call, frozen=True):
    """Ask whether physical memory has a white list."""

    handle: HandleRef
    type: U32
    attr: OutPointer

    class Result(Returned, frozen=True):
        """The attribute."""

        attr: SwitchOut

    @rejects("SHARING-HGETATTR-001", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_type(call) -> bool:
        """The attribute is one that there is."""
        return call.type >= UNKNOWN_TYPE

    @rejects("SHARING-HGETATTR-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place(call) -> bool:
        """There must be a place for the attribute."""
        return not call.attr

    @rejects(
        "SHARING-HGETATTR-003",
        *NO_SUCH_SHARE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_memory(call, state: State, profile: Profile) -> bool:
        """The number is one that an export gave, of memory that is there."""
        return _missing(state, call.handle, profile)

    process_may_be_unknown = may_be_unknown("SHARING-HGETATTR-004")

    @accepts("SHARING-HGETATTR-010", strength=MUST, source=HEADER)
    def answers(call, state: State) -> State:
        """Everybody may ask, and asking changes nothing."""
        return state

    @ensures("SHARING-HGETATTR-011", strength=MUST, source=HEADER)
    def list_is_told(call, state: State, result: Result) -> bool:
        """The value is 1 if anyone may import the memory, else 0."""
        return result.attr.enableFlag == (1 if numbered(state, call.handle).anyone else 0)


class HandleInfo(Record, frozen=True):
    """What is told of a shareable handle (``struct ShareHandleGetInfo``)."""

    phyDevid: U32
    """Device that the memory is on."""


@interface("halMemShareHandleInfoGet", area="sharing", source=HEADER)
class MemShareHandleInfoGet(Call, frozen=True):
    """Ask which device physical memory is on."""

    handle: HandleRef
    info: OutPointer

    class Result(Returned, frozen=True):
        """The answer."""

        info: HandleInfo

    @rejects("SHARING-HINFO-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place(call) -> bool:
        """There must be a place for the answer."""
        return not call.info

    @rejects(
        "SHARING-HINFO-002",
        *NO_SUCH_SHARE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_memory(call, state: State, profile: Profile) -> bool:
        """The number is one that an export gave, of memory that is there."""
        return _missing(state, call.handle, profile)

    @rejects("SHARING-HINFO-003", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def not_permitted(call, state: State) -> bool:
        """SVM v3 tells those only that may import the memory."""
        share = numbered(state, call.handle)
        return share.valid and share.owner != me(state) and is_barred(state, share)

    @undefined("SHARING-HINFO-004", source=(V2, V3))
    def of_the_host(call, state: State, profile: Profile) -> bool:
        """Asking which device memory of the host is on."""
        return numbered(state, call.handle).device == profile.host_id

    process_may_be_unknown = may_be_unknown("SHARING-HINFO-005")

    @accepts("SHARING-HINFO-010", strength=MUST, source=HEADER)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("SHARING-HINFO-011", strength=MUST, source=HEADER)
    def device_is_told(call, state: State, result: Result) -> bool:
        """The device is the one that the memory is on."""
        return result.info.phyDevid == numbered(state, call.handle).device
