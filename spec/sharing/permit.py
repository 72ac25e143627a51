"""Who may open a name: halShmemSetPidHandle, halShmemSetPodPid and the attributes of names.

And halShmemInfoGet, which tells where the memory is.
"""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import MapRoute, ShmemAttrType
from halcert.spec.language import (
    FAILURE,
    I32,
    U32,
    U64,
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
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sharing.create import NO_SUCH_NAME, NOT_YOURS
from halcert.spec.sharing.memory import (
    is_barred,
    is_listed,
    may_be_listed,
    me,
    named_share,
    permit_place,
)
from halcert.spec.sharing.names import Name, is_string
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import ADMITTED, BARRED, DOUBTFUL, Permit, Share, State
from halcert.spec.svm.idle import may_be_unknown

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
NOT_PERMITTED = DrvError.OPER_NOT_PERMITTED
MAP_ROUTE = ShmemAttrType.SHMEM_ATTR_TYPE_MEM_MAP
NO_WHITE_LIST = ShmemAttrType.SHMEM_ATTR_TYPE_NO_WLIST_IN_SERVER
UNKNOWN_TYPE = ShmemAttrType.SHMEM_ATTR_TYPE_MAX
MOST_AT_ONCE = 31
"""Processes that one call enters; the header does not say so."""
LOCAL_SERVER = 0
"""The server that the tests run on, as far as they can tell."""


def find(state: State, name: Name) -> Share:
    """Return the share that a name stands for."""
    return state.shares.at(named_share(name.token))


def permitted(state: State, share: int, pid: int) -> State:
    """Return the state after a process was entered in a white list, anew or for the first time.

    It counts for the process that has the number now. If there is none, it will never count.
    """
    permit = Permit(
        place=permit_place(share, pid),
        share=share,
        pid=pid,
        listed=True,
        standing=ADMITTED if state.processes.at(pid).exists else BARRED,
    )
    return state.but(permits=state.permits.put(permit))


def perhaps_permitted(state: State, share: int, pid: int) -> State:
    """Return the state after a process may have been entered in a white list.

    Who was on the list before stays on it.
    """
    known = state.permits.at(permit_place(share, pid))
    doubt = known.standing != ADMITTED and state.processes.at(pid).exists
    permit = Permit(
        place=permit_place(share, pid),
        share=share,
        pid=pid,
        listed=known.listed,
        standing=DOUBTFUL if doubt else known.standing,
    )
    return state.but(permits=state.permits.put(permit))


def counts(state: State, pid: int, profile: Profile) -> bool:
    """Tell whether a number is entered: 0 is not, nor the creator's own in SVM v2."""
    return pid != 0 and not (profile.generation == "v2" and pid == me(state))


def entered(state: State, share: int, pids: Elements[int], profile: Profile) -> State:
    """Return the state after processes were entered in the white list of a named share."""
    return pids.fold(
        lambda now, pid: permitted(now, share, pid) if counts(state, pid, profile) else now, state
    )


def perhaps_entered(state: State, share: int, pids: Elements[int], profile: Profile) -> State:
    """Return the state after processes may have been entered in the list of a named share."""
    return pids.fold(
        lambda now, pid: perhaps_permitted(now, share, pid) if counts(state, pid, profile) else now,
        state,
    )


def opened_to_all(state: State, share: int) -> State:
    """Return the state after a share became one without a white list.

    That works only if nobody was entered in it, so whoever was in doubt was not.
    """
    return state.but(
        shares=state.shares.update_where(
            lambda each: each.id == share, lambda each: each.but(anyone=True)
        ),
        permits=state.permits.delete_where(lambda each: each.share == share),
    )


def has_own_list(state: State, share: Share) -> bool:
    """Tell whether a share of the process has a white list that can be added to."""
    return share.exists and share.valid and share.owner == me(state) and not share.anyone


def _gets_to_the_list(call: ShmemSetPidHandle | ShmemSetPodPid, state: State) -> bool:
    """Tell whether a call enters processes one by one, so that it can stop in between."""
    sound = call.pid.given and call.num > 0 and call.num <= MOST_AT_ONCE
    return sound and is_string(call.name) and has_own_list(state, find(state, call.name))


def _pids(call: ShmemSetPidHandle | ShmemSetPodPid) -> Elements[int]:
    return Elements(call.num, call.pid)


def _any_counts(call: ShmemSetPidHandle, state: State, profile: Profile) -> bool:
    return _pids(call).any(lambda pid: counts(state, pid, profile))


@interface("halShmemSetPidHandle", area="sharing", source=HEADER)
class ShmemSetPidHandle(Call, frozen=True):
    """Let processes open a name."""

    name: Name
    pid: Sequence[ProcessId]
    num: I32

    @rejects("SHARING-PERMIT-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_processes(call) -> bool:
        """There must be an array of numbers of processes."""
        return not call.pid.given

    @rejects("SHARING-PERMIT-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_process(call) -> bool:
        """There is at least one process."""
        return call.num <= 0

    @rejects("SHARING-PERMIT-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def too_many_processes(call) -> bool:
        """There are at most 31 processes in a call."""
        return call.num > MOST_AT_ONCE

    @rejects("SHARING-PERMIT-004", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects(
        "SHARING-PERMIT-005",
        *NO_SUCH_NAME,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_name(call, state: State) -> bool:
        """The name is one that a call gave."""
        return is_string(call.name) and not find(state, call.name).exists

    @rejects(
        "SHARING-PERMIT-006",
        NOT_PERMITTED,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def there_is_no_list(call, state: State) -> bool:
        """A name that anyone may open has no white list."""
        return find(state, call.name).anyone

    @rejects(
        "SHARING-PERMIT-007",
        DrvError.INVALID_HANDLE,
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V2, V3),
    )
    def destroyed_already(call, state: State) -> bool:
        """A destroyed name has no white list, even while it is still open somewhere."""
        share = find(state, call.name)
        return share.exists and not share.valid

    @rejects(
        "SHARING-PERMIT-008",
        *NOT_YOURS,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def not_the_creator(call, state: State) -> bool:
        """Only the process that made a name says who may open it."""
        share = find(state, call.name)
        return share.exists and share.owner != me(state)

    @rejects("SHARING-PERMIT-009", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def nobody_is_entered(call, state: State, profile: Profile) -> bool:
        """Some process is entered; 0 is none, and SVM v2 leaves out the creator itself."""
        share = find(state, call.name)
        whole = call.pid.given and len(call.pid.items) >= call.num and call.num > 0
        return share.exists and whole and not _any_counts(call, state, profile)

    @undefined("SHARING-PERMIT-010", source=SENSE)
    def array_is_short(call) -> bool:
        """Saying that there are more processes than the array has elements."""
        return call.pid.given and call.num <= MOST_AT_ONCE and len(call.pid.items) < call.num

    @may_reject("SHARING-PERMIT-011", DrvError.OUT_OF_MEMORY, source=V2, profiles=GEN2)
    def memory_may_be_short(call) -> bool:
        """There may be no memory for the white list."""
        return True

    process_may_be_unknown = may_be_unknown("SHARING-PERMIT-012")

    @accepts("SHARING-PERMIT-020", strength=MUST, source=HEADER, changes=("permits",))
    def permits(call, state: State, profile: Profile) -> State:
        """The processes that have these numbers now may open the name."""
        return entered(state, named_share(call.name.token), _pids(call), profile)

    @leaves(
        "SHARING-PERMIT-030",
        strength=SHOULD,
        source=V2,
        changes=("permits",),
        when=_gets_to_the_list,
        profiles=GEN2,
    )
    def some_are_entered(call, state: State, profile: Profile) -> State:
        """Without memory for a process, those before it may be entered; the last is not."""
        before = Elements(call.num - 1, call.pid)
        return perhaps_entered(state, named_share(call.name.token), before, profile)


@interface("halShmemSetPodPid", area="sharing", source=HEADER)
class ShmemSetPodPid(Call, frozen=True):
    """Let processes of a server of the pod open a name."""

    name: Name
    sdid: U32
    pid: Sequence[ProcessId]
    num: I32

    @rejects("SHARING-POD-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_processes(call) -> bool:
        """There must be an array of numbers of processes."""
        return not call.pid.given

    @rejects("SHARING-POD-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_process(call) -> bool:
        """There is at least one process."""
        return call.num <= 0

    @rejects("SHARING-POD-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def too_many_processes(call) -> bool:
        """There are at most 31 processes in a call."""
        return call.num > MOST_AT_ONCE

    @rejects("SHARING-POD-004", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects(
        "SHARING-POD-005",
        strength=MUST,
        source=(HEADER, SENSE, V2, V3),
    )
    def not_the_creator(call, state: State) -> bool:
        """Only the process that made a name, and did not destroy it, says who may open it."""
        share = find(state, call.name)
        ours = share.exists and share.valid and share.owner == me(state)
        return is_string(call.name) and not ours

    @rejects("SHARING-POD-006", strength=MUST, source=(HEADER, V2, V3))
    def there_is_no_list(call, state: State) -> bool:
        """A name that anyone may open has no white list."""
        return find(state, call.name).anyone

    @undefined("SHARING-POD-007", source=SENSE)
    def array_is_short(call) -> bool:
        """Saying that there are more processes than the array has elements."""
        return call.pid.given and call.num <= MOST_AT_ONCE and len(call.pid.items) < call.num

    @undefined("SHARING-POD-008", source=V2.at("pod messages"))
    def other_server(call) -> bool:
        """Letting processes of other servers open a name; there is no second server to ask."""
        return call.sdid != LOCAL_SERVER

    @may_reject("SHARING-POD-009", source=(HEADER, V2))
    def product_may_have_no_pods(call) -> bool:
        """A product without pods may refuse, and one with pods may know this server otherwise."""
        return True

    @accepts("SHARING-POD-020", strength=SHOULD, source=V2, changes=("permits",))
    def permits(call, state: State, profile: Profile) -> State:
        """The processes of this server may open the name, as after halShmemSetPidHandle."""
        return entered(state, named_share(call.name.token), _pids(call), profile)

    @leaves(
        "SHARING-POD-030",
        strength=SHOULD,
        source=V2,
        changes=("permits",),
        when=_gets_to_the_list,
        profiles=GEN2,
    )
    def some_are_entered(call, state: State, profile: Profile) -> State:
        """A call that fails may have entered processes; telling a server comes after that."""
        return perhaps_entered(state, named_share(call.name.token), _pids(call), profile)


def _sets_the_list(call: ShmemSetAttribute) -> bool:
    return call.type == NO_WHITE_LIST


def _sets_the_route(call: ShmemSetAttribute) -> bool:
    return call.type == MAP_ROUTE


@interface("halShmemSetAttribute", area="sharing", source=HEADER)
class ShmemSetAttribute(Call, frozen=True):
    """Do without a white list, or choose how openings reach the memory."""

    name: Name
    type: U32
    attr: U64

    @rejects("SHARING-SETATTR-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects("SHARING-SETATTR-002", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_type(call) -> bool:
        """The attribute is one that there is."""
        return call.type >= UNKNOWN_TYPE

    @rejects("SHARING-SETATTR-003", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def no_routes(call) -> bool:
        """SVM v3 has no attribute for routes."""
        return call.type == MAP_ROUTE

    @rejects("SHARING-SETATTR-004", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def unknown_value(call) -> bool:
        """The value is 0 or 1."""
        return call.attr > 1

    @rejects(
        "SHARING-SETATTR-005",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def list_again(call) -> bool:
        """What anyone may open stays so: there is no way back to a white list."""
        return call.type == NO_WHITE_LIST and call.attr == 0

    @rejects(
        "SHARING-SETATTR-006",
        *NO_SUCH_NAME,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_name(call, state: State) -> bool:
        """The name is one that a call gave."""
        return is_string(call.name) and not find(state, call.name).exists

    @rejects(
        "SHARING-SETATTR-007",
        NOT_PERMITTED,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def not_the_creator(call, state: State) -> bool:
        """Only the process that made a name sets its attributes."""
        share = find(state, call.name)
        return share.exists and share.owner != me(state)

    @rejects(
        "SHARING-SETATTR-008", NOT_PERMITTED, strength=MUST, code=SHOULD, source=(HEADER, V2, V3)
    )
    def list_is_used(call, state: State) -> bool:
        """A name whose white list was used keeps it."""
        return call.type == NO_WHITE_LIST and is_listed(state, named_share(call.name.token))

    @undefined("SHARING-SETATTR-009", source=(V2, V3))
    def destroyed_already(call, state: State) -> bool:
        """Setting attributes of a name that was destroyed and is still open somewhere."""
        share = find(state, call.name)
        return share.exists and not share.valid

    @may_reject("SHARING-SETATTR-010", NOT_SUPPORT, source=HEADER, profiles=GEN2)
    def routes_may_be_missing(call) -> bool:
        """A product may have one route only."""
        return call.type == MAP_ROUTE and call.attr != MapRoute.MEM_MAP_INBUS

    process_may_be_unknown = may_be_unknown("SHARING-SETATTR-011")

    @may_reject("SHARING-SETATTR-012", NOT_PERMITTED, source=(HEADER, V2), profiles=GEN2)
    def list_may_be_used(call, state: State) -> bool:
        """A name keeps its white list if a call that failed has entered a process."""
        return _sets_the_list(call) and may_be_listed(state, named_share(call.name.token))

    @accepts(
        "SHARING-SETATTR-020",
        strength=MUST,
        source=HEADER,
        changes=("shares", "permits"),
        when=_sets_the_list,
    )
    def opens_to_all(call, state: State) -> State:
        """Anyone may open the name from now on."""
        return opened_to_all(state, named_share(call.name.token))

    @accepts(
        "SHARING-SETATTR-021",
        strength=SHOULD,
        source=(HEADER, V2),
        changes=("shares",),
        when=_sets_the_route,
        profiles=GEN2,
    )
    def chooses_the_route(call, state: State) -> State:
        """Later openings reach the memory that way."""
        return state.but(
            shares=state.shares.update_where(
                lambda each: each.id == named_share(call.name.token),
                lambda each: each.but(route=call.attr),
            )
        )


def _place_given(call: ShmemGetAttribute) -> bool:
    return call.attr


def _asks_for_the_list(call: ShmemGetAttribute) -> bool:
    return call.type == NO_WHITE_LIST


def _asks_for_the_route(call: ShmemGetAttribute) -> bool:
    return call.type == MAP_ROUTE


@interface("halShmemGetAttribute", area="sharing", source=HEADER)
class ShmemGetAttribute(Call, frozen=True):
    """Ask whether a name has a white list, or how openings reach the memory."""

    name: Name
    type: U32
    attr: OutPointer

    class Result(Returned, frozen=True):
        """The value."""

        attr: U64

    @rejects("SHARING-GETATTR-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects("SHARING-GETATTR-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place(call) -> bool:
        """There must be a place for the value."""
        return not call.attr

    @rejects("SHARING-GETATTR-003", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_type(call, profile: Profile) -> bool:
        """The attribute is one that there is; SVM v3 has none for routes."""
        return call.type >= UNKNOWN_TYPE or (profile.generation == "v3" and call.type == MAP_ROUTE)

    @rejects(
        "SHARING-GETATTR-004",
        *NO_SUCH_NAME,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_name(call, state: State) -> bool:
        """The name is one that a call gave."""
        return is_string(call.name) and not find(state, call.name).exists

    @undefined("SHARING-GETATTR-005", source=(V2, V3))
    def destroyed_already(call, state: State) -> bool:
        """Asking for attributes of a name that was destroyed and is still open somewhere."""
        share = find(state, call.name)
        return share.exists and not share.valid

    process_may_be_unknown = may_be_unknown("SHARING-GETATTR-006")

    @accepts("SHARING-GETATTR-010", strength=MUST, source=HEADER)
    def answers(call, state: State) -> State:
        """Everybody may ask, and asking changes nothing."""
        return state

    @ensures("SHARING-GETATTR-011", strength=MUST, source=HEADER, when=_asks_for_the_list)
    def list_is_told(call, state: State, result: Result) -> bool:
        """The value is 1 if anyone may open the name, else 0."""
        return result.attr == (1 if find(state, call.name).anyone else 0)

    @ensures(
        "SHARING-GETATTR-012",
        strength=SHOULD,
        source=(HEADER, V2),
        when=_asks_for_the_route,
        profiles=GEN2,
    )
    def route_is_told(call, state: State, result: Result) -> bool:
        """The value is the route that was chosen, 0 if none was."""
        return result.attr == find(state, call.name).route

    @ensures(
        "SHARING-GETATTR-013",
        strength=SHOULD,
        source=V2,
        on=FAILURE,
        when=_place_given,
        profiles=GEN2,
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the value alone."""
        return result.attr == poison(64)


class NameInfo(Record, frozen=True):
    """What is told of a name (``struct ShmemGetInfo``)."""

    phyDevid: U32
    """Device that the memory is on."""


@interface("halShmemInfoGet", area="sharing", source=HEADER)
class ShmemInfoGet(Call, frozen=True):
    """Ask which device the memory of a name is on."""

    name: Name
    info: OutPointer

    class Result(Returned, frozen=True):
        """The answer."""

        info: NameInfo

    @rejects("SHARING-NAMEINFO-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects("SHARING-NAMEINFO-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place(call) -> bool:
        """There must be a place for the answer."""
        return not call.info

    @rejects(
        "SHARING-NAMEINFO-003",
        *NO_SUCH_NAME,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_name(call, state: State) -> bool:
        """The name is one that a call gave."""
        return is_string(call.name) and not find(state, call.name).exists

    @rejects("SHARING-NAMEINFO-004", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def not_permitted(call, state: State) -> bool:
        """SVM v3 tells those only that may open the name."""
        share = find(state, call.name)
        return share.exists and share.owner != me(state) and is_barred(state, share)

    @undefined("SHARING-NAMEINFO-005", source=(V2, V3))
    def destroyed_already(call, state: State) -> bool:
        """Asking about a name that was destroyed and is still open somewhere."""
        share = find(state, call.name)
        return share.exists and not share.valid

    process_may_be_unknown = may_be_unknown("SHARING-NAMEINFO-006")

    @accepts("SHARING-NAMEINFO-010", strength=MUST, source=HEADER)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("SHARING-NAMEINFO-011", strength=MUST, source=HEADER)
    def device_is_told(call, state: State, result: Result) -> bool:
        """The device is the one that the memory is on.

        That it is numbered as in the machine makes no difference where all devices are visible.
        """
        return result.info.phyDevid == find(state, call.name).device
