"""Who may open a name: halShmemSetPidHandle and halShmemSetPodPid."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    I32,
    U32,
    Call,
    Elements,
    ProcessId,
    Sequence,
    Strength,
    accepts,
    interface,
    leaves,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, Profile
from halcert.spec.sharing.create import NO_SUCH_NAME, NOT_YOURS
from halcert.spec.sharing.memory import (
    me,
    named_share,
)
from halcert.spec.sharing.names import Name, is_string
from halcert.spec.sharing.white_list import (
    MOST_AT_ONCE,
    counts,
    entered,
    find,
    has_own_list,
    perhaps_entered,
)
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.svm.idle import may_be_unknown

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
NOT_PERMITTED = DrvError.OPER_NOT_PERMITTED
LOCAL_SERVER = 0
"""The server that the tests run on, as far as they can tell."""


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
