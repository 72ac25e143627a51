"""aclrtIpcMem*: device memory that another process opens by a key.

What the processes have in common is the memory; none of them sees what streams of the others have
to do. So memory that has a key is only read and written by calls that wait for it.
"""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    U64,
    Address,
    Call,
    Elements,
    OutPointer,
    ProcessId,
    Returned,
    Sequence,
    Size,
    Strength,
    accepts,
    align_up,
    ensures,
    interface,
    leaves,
    may_reject,
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, Profile
from halcert.spec.runtime.memory import DRV_INTERNAL, KEYS, NO_MEMORY, REFUSED
from halcert.spec.runtime.order import busy, session, without_context
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sharing.memory import (
    is_barred,
    is_doubtful,
    is_held,
    me,
    named_share,
    settled,
)
from halcert.spec.sharing.names import LONGEST, Name, is_string
from halcert.spec.sharing.open import is_new_place, opened
from halcert.spec.sharing.permit import (
    MOST_AT_ONCE,
    counts,
    entered,
    find,
    has_own_list,
    perhaps_entered,
)
from halcert.spec.sources import SENSE, V2
from halcert.spec.state import INTACT, TAKEN, USER, Share, State
from halcert.spec.svm.flags import DEV, HOST, OPENED

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
PARAM_INVALID = AclError.RT_PARAM_INVALID
CONTEXT_NULL = AclError.RT_CONTEXT_NULL
NOT_YOURS = (AclError.RT_NO_PERMISSION, DRV_INTERNAL)
"""What calls answer to a process that did not make a key."""
OPEN_TO_ALL = 1
"""The flag of an export whose key any process may open."""
PLACE = 4096
"""Nobody has a place for a key that is as large (bytes)."""


def is_open(state: State, share: Share) -> bool:
    """Tell whether the process has a share open."""
    return state.holdings.any(lambda each: each.pid == me(state) and each.share == share.id)


def has_gone(share: Share) -> bool:
    """Tell whether the maker of a share has given the key or the memory up."""
    return share.exists and (not share.valid or share.fate != INTACT)


@interface("aclrtIpcMemGetExportKey", area="ipc", source=ACL_HEADER)
class IpcMemGetExportKey(Call, frozen=True):
    """Make a key for device memory, by which other processes open it."""

    devPtr: Address
    size: Size
    key: OutPointer
    len: Size
    flags: U64

    class Result(Returned, frozen=True):
        """The key."""

        key: Name

    @rejects("IPC-KEY-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_null(call) -> bool:
        """There must be memory, and a place for the key."""
        return call.devPtr == 0 or not call.key

    @rejects("IPC-KEY-002", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def nothing_or_unknown(call) -> bool:
        """Something is shared, and there are two flags."""
        return call.size == 0 or call.len == 0 or call.flags > OPEN_TO_ALL

    @rejects("IPC-KEY-003", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME))
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("IPC-KEY-004", *REFUSED, strength=MUST, code=SHOULD, source=(KEYS, RUNTIME))
    def place_is_too_short(call) -> bool:
        """The place for the key is said to have more than 64 bytes."""
        return call.len <= LONGEST

    @rejects("IPC-KEY-005", *REFUSED, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME))
    def nothing_there(call, state: State) -> bool:
        """What is shared is live memory of the runtime."""
        block = state.blocks.covering(call.devPtr)
        return not block.exists or block.kind == USER

    @rejects("IPC-KEY-006", *REFUSED, strength=SHOULD, source=RUNTIME)
    def not_device_memory(call, state: State) -> bool:
        """Memory of the host is not shared, nor what was opened by a key itself."""
        kind = state.blocks.covering(call.devPtr).kind
        return kind == HOST or kind == OPENED

    @undefined("IPC-KEY-007", source=KEYS)
    def not_as_allocated(call, state: State) -> bool:
        """Sharing managed memory or a pool's, from within, or more than was asked for."""
        block = state.blocks.covering(call.devPtr)
        plain = block.kind == USER or block.kind == HOST or block.kind == OPENED
        whole = call.devPtr == block.base and call.size <= block.size
        return block.exists and not plain and not (block.kind == DEV and whole)

    @undefined("IPC-KEY-008", source=SENSE)
    def place_is_said_to_be_huge(call) -> bool:
        """Saying that the place for the key is larger than it is."""
        return call.len > PLACE

    @undefined("IPC-KEY-009", source=KEYS)
    def still_in_use(call, state: State) -> bool:
        """Sharing memory that a task under way reads or writes; nobody else could wait for it."""
        block = state.blocks.covering(call.devPtr)
        return block.exists and busy(state, block.base, block.extent)

    @may_reject("IPC-KEY-010", *NO_MEMORY, source=RUNTIME)
    def memory_may_be_short(call) -> bool:
        """There may be no memory for one more key."""
        return True

    @accepts("IPC-KEY-020", strength=MUST, source=KEYS, changes=("shares",))
    def gives_a_key(call, state: State, result: Result, profile: Profile) -> State:
        """There is a key for the memory, for those who are told to be let in, or for all."""
        block = state.blocks.covering(call.devPtr)
        row = Share(
            id=named_share(result.key.token),
            owner=me(state),
            base=block.base,
            size=call.size,
            extent=align_up(call.size, profile.page),
            granule=profile.page,
            device=block.device,
            memory=block.memory,
            valid=True,
            anyone=call.flags == OPEN_TO_ALL,
            route=0,
            fate=INTACT,
        )
        return state.but(shares=state.shares.insert(row))

    @ensures("IPC-KEY-021", strength=MUST, source=KEYS)
    def key_is_given(call, result: Result) -> bool:
        """A key is a string of 1 to 64 bytes."""
        return is_string(result.key)

    @ensures("IPC-KEY-022", strength=MUST, source=SENSE)
    def key_is_new(call, state: State, result: Result) -> bool:
        """No other memory has the key."""
        return not state.shares.at(named_share(result.key.token)).exists


def _pids(call: IpcMemSetImportPid) -> Elements[int]:
    return Elements(call.num, call.pid)


def _gets_to_the_list(call: IpcMemSetImportPid, state: State) -> bool:
    """Tell whether a call enters processes one by one, so that it can stop in between."""
    sound = call.key.given and call.pid.given and call.num > 0 and call.num <= MOST_AT_ONCE
    return sound and is_string(call.key) and has_own_list(state, find(state, call.key))


@interface("aclrtIpcMemSetImportPid", area="ipc", source=ACL_HEADER)
class IpcMemSetImportPid(Call, frozen=True):
    """Let processes open a key."""

    key: Name
    pid: Sequence[ProcessId]
    num: Size

    @rejects("IPC-PERMIT-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_null(call) -> bool:
        """There must be a key, and an array of numbers of processes."""
        return not call.key.given or not call.pid.given

    @rejects("IPC-PERMIT-002", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def nobody_or_too_many(call) -> bool:
        """There is at least one process, and there are at most 31 in a call."""
        return call.num == 0 or call.num > MOST_AT_ONCE

    @rejects("IPC-PERMIT-003", *REFUSED, strength=MUST, code=SHOULD, source=(KEYS, SENSE))
    def no_such_key(call, state: State) -> bool:
        """The key is one that a call gave."""
        return call.key.given and not (is_string(call.key) and find(state, call.key).exists)

    @rejects("IPC-PERMIT-004", *NOT_YOURS, strength=MUST, code=SHOULD, source=(KEYS, SENSE))
    def not_the_maker(call, state: State) -> bool:
        """Only the process that made a key says who opens it."""
        share = find(state, call.key)
        return share.exists and share.owner != me(state)

    @rejects("IPC-PERMIT-005", *NOT_YOURS, strength=SHOULD, source=RUNTIME)
    def there_is_no_list(call, state: State) -> bool:
        """A key that any process may open has no list of those who may."""
        return find(state, call.key).anyone

    @rejects("IPC-PERMIT-006", *REFUSED, strength=SHOULD, source=RUNTIME)
    def nobody_is_entered(call, state: State, profile: Profile) -> bool:
        """Some process is entered; 0 is none, nor is the maker itself with SVM v2."""
        whole = call.pid.given and call.num > 0 and len(call.pid.items) >= call.num
        some = _pids(call).any(lambda pid: counts(state, pid, profile))
        return find(state, call.key).exists and whole and not some

    @undefined("IPC-PERMIT-007", source=SENSE)
    def array_is_short(call) -> bool:
        """Saying that there are more processes than the array has elements."""
        return call.pid.given and call.num <= MOST_AT_ONCE and len(call.pid.items) < call.num

    @undefined("IPC-PERMIT-008", source=RUNTIME)
    def given_up(call, state: State) -> bool:
        """Letting processes open what its maker gave up."""
        return has_gone(find(state, call.key))

    @may_reject("IPC-PERMIT-009", *NO_MEMORY, source=RUNTIME)
    def memory_may_be_short(call) -> bool:
        """There may be no memory for the list."""
        return True

    @accepts("IPC-PERMIT-020", strength=MUST, source=KEYS, changes=("permits",))
    def permits(call, state: State, profile: Profile) -> State:
        """The processes that have these numbers now may open the key."""
        return entered(state, named_share(call.key.token), _pids(call), profile)

    @leaves(
        "IPC-PERMIT-030",
        strength=SHOULD,
        source=V2,
        changes=("permits",),
        when=_gets_to_the_list,
        profiles=GEN2,
    )
    def some_are_entered(call, state: State, profile: Profile) -> State:
        """Without memory for a process, those before it may be entered; the last is not."""
        before = Elements(call.num - 1, call.pid)
        return perhaps_entered(state, named_share(call.key.token), before, profile)


@interface("aclrtIpcMemImportByKey", area="ipc", source=ACL_HEADER)
class IpcMemImportByKey(Call, frozen=True):
    """Open the memory of a key on the device that the thread works with."""

    devPtr: OutPointer
    key: Name
    flags: U64

    class Result(Returned, frozen=True):
        """The first address."""

        devPtr: Address

    @rejects("IPC-IMPORT-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_null(call) -> bool:
        """There must be a key, and a place for the address."""
        return not call.devPtr or not call.key.given

    @rejects("IPC-IMPORT-002", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def unknown_flag(call) -> bool:
        """There are two flags."""
        return call.flags > 1

    @rejects("IPC-IMPORT-003", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME))
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("IPC-IMPORT-004", *REFUSED, strength=MUST, code=SHOULD, source=(KEYS, SENSE))
    def no_such_key(call, state: State) -> bool:
        """The key is one that a call gave, and that was not closed by its maker."""
        return call.key.given and not (is_string(call.key) and find(state, call.key).exists)

    @rejects("IPC-IMPORT-005", *REFUSED, strength=MUST, code=SHOULD, source=(KEYS, RUNTIME))
    def not_permitted(call, state: State) -> bool:
        """Only a process that was let in opens a key, unless any process may."""
        share = find(state, call.key)
        return share.exists and share.owner != me(state) and is_barred(state, share)

    @undefined("IPC-IMPORT-006", source=RUNTIME)
    def own_or_once_more(call, state: State) -> bool:
        """Opening a key of one's own, or once more; which of both a close ends nobody says."""
        share = find(state, call.key)
        return share.exists and (share.owner == me(state) or is_open(state, share))

    @undefined("IPC-IMPORT-007", source=RUNTIME)
    def given_up(call, state: State) -> bool:
        """Opening what its maker gave up."""
        return has_gone(find(state, call.key))

    @may_reject("IPC-IMPORT-008", *NO_MEMORY, source=RUNTIME)
    def memory_may_be_short(call) -> bool:
        """There may be no addresses, or no memory for page tables."""
        return True

    @may_reject("IPC-IMPORT-009", source=KEYS)
    def ways_may_be_missing(call, state: State) -> bool:
        """A machine may have no way from a device to the memory of another."""
        share = find(state, call.key)
        return call.flags == 1 or (share.exists and share.device != session(state).current - 1)

    @may_reject("IPC-IMPORT-010", *REFUSED, source=V2, profiles=GEN2)
    def may_not_be_listed(call, state: State) -> bool:
        """A process may not be let in if the call that named it failed."""
        share = find(state, call.key)
        return share.exists and is_doubtful(state, share)

    @accepts(
        "IPC-IMPORT-020", strength=MUST, source=KEYS, changes=("blocks", "holdings", "permits")
    )
    def opens(call, state: State, result: Result, profile: Profile) -> State:
        """The addresses lead to the bytes of the process that made the key."""
        device = session(state).current - 1
        return opened(state, find(state, call.key), device, result.devPtr, profile)

    @ensures("IPC-IMPORT-021", strength=MUST, source=KEYS)
    def address_is_given(call, result: Result, profile: Profile) -> bool:
        """The address is not null, and the start of a page."""
        given = result.devPtr != 0 and result.devPtr != poison(64)
        return given and result.devPtr % profile.page == 0

    @ensures("IPC-IMPORT-022", strength=MUST, source=SENSE)
    def addresses_are_new(call, state: State, result: Result, profile: Profile) -> bool:
        """The addresses are nobody else's in the process."""
        share, device = find(state, call.key), session(state).current - 1
        return is_new_place(state, share, device, result.devPtr, profile)


def _ends_an_opening(call: IpcMemClose, state: State) -> bool:
    return is_open(state, find(state, call.key))


def _ends_the_key(call: IpcMemClose, state: State) -> bool:
    return not is_open(state, find(state, call.key))


@interface("aclrtIpcMemClose", area="ipc", source=ACL_HEADER)
class IpcMemClose(Call, frozen=True):
    """End the use of a key: of those who opened it first, then of its maker."""

    key: Name

    @rejects("IPC-CLOSE-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be a key."""
        return not call.key.given

    @rejects("IPC-CLOSE-002", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME))
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("IPC-CLOSE-003", *REFUSED, strength=MUST, code=SHOULD, source=(KEYS, SENSE))
    def no_such_key(call, state: State) -> bool:
        """The key is one that a call gave, and that its maker has not closed."""
        return call.key.given and not (is_string(call.key) and find(state, call.key).exists)

    @rejects("IPC-CLOSE-004", *NOT_YOURS, strength=MUST, code=SHOULD, source=(KEYS, SENSE))
    def neither_made_nor_open(call, state: State) -> bool:
        """Who neither made a key nor has it open closes nothing."""
        share = find(state, call.key)
        return share.exists and share.owner != me(state) and not is_open(state, share)

    @undefined("IPC-CLOSE-005", source=KEYS)
    def out_of_order(call, state: State) -> bool:
        """Closing a key by its maker while others have it open, or once more."""
        share = find(state, call.key)
        late = has_gone(share) or is_held(state, share.id)
        return share.exists and share.owner == me(state) and late

    @accepts(
        "IPC-CLOSE-020",
        strength=MUST,
        source=KEYS,
        changes=("blocks", "holdings", "shares", "permits", "numbers", "envelopes"),
        when=_ends_an_opening,
    )
    def closes(call, state: State) -> State:
        """The addresses that the process was given lead nowhere; its maker keeps the memory."""
        share = find(state, call.key)
        return settled(
            state.but(
                blocks=state.blocks.delete_where(
                    lambda block: block.kind == OPENED and block.handle == share.id
                ),
                holdings=state.holdings.delete_where(
                    lambda each: each.pid == me(state) and each.share == share.id
                ),
            )
        )

    @accepts(
        "IPC-CLOSE-021",
        strength=MUST,
        source=KEYS,
        changes=("shares", "permits", "numbers", "envelopes"),
        when=_ends_the_key,
    )
    def ends_the_key(call, state: State) -> State:
        """Nobody opens the key any more; the memory stays with the process that has it."""
        share = find(state, call.key)
        return settled(
            state.but(
                shares=state.shares.update_where(
                    lambda each: each.id == share.id,
                    lambda each: each.but(valid=False, fate=TAKEN),
                )
            )
        )
