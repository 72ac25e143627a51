"""What follows from the rules of the area for every state and call: the safety it promises.

A theorem is a function over the state ``before`` and ``after`` an accepted call, the ``call``,
its ``result`` and the ``profile``. Every further parameter stands for all numbers of its type.
"""

from __future__ import annotations

from typing import Any

from halcert.spec.language import Address, Call, Interface, Size, Source, Theorem
from halcert.spec.profiles import Profile
from halcert.spec.sharing.create import ShmemDestroyHandle
from halcert.spec.sharing.imports import (
    MemImportFromShareableHandle,
    MemImportFromShareableHandleV2,
    imports_again,
)
from halcert.spec.sharing.memory import (
    enveloped,
    holding_place,
    is_barred,
    is_held,
    me,
    named_share,
    numbered,
    standing,
)
from halcert.spec.sharing.open import (
    ShmemCloseHandle,
    ShmemOpenHandleByDevId,
    opens_again,
)
from halcert.spec.sharing.open_otherwise import ShmemOpenHandle, ShmemOpenHandleV2, last_device
from halcert.spec.sharing.peers import DeviceDisableP2P, DeviceEnableP2P
from halcert.spec.sharing.permit import find
from halcert.spec.sharing.process import HostExit, HostRest
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE
from halcert.spec.state import ADMITTED, BARRED, DEFERRED, UNCERTAIN, Share, State
from halcert.spec.svm.flags import MAPPED, OPENED

SHARED = MODULE_DOC.at("memory sharing, between devices")


def _listed(before: State, after: State, share: Share, profile: Profile) -> bool:
    """Tell whether a process that opens a share may, and is known to be let in afterwards."""
    own = profile.generation == "v3" and share.owner == me(before)
    return own or is_let_in(before, after, share)


def is_let_in(before: State, after: State, share: Share) -> bool:
    """Tell whether a process was not barred from a share, and is known not to be afterwards."""
    known = share.anyone or standing(after, share) == ADMITTED
    return known and not is_barred(before, share)


def _only_who_may_opens(
    call: ShmemOpenHandleByDevId, before: State, after: State, profile: Profile
) -> bool:
    share = find(before, call.name)
    again = opens_again(before, share, call.dev_id, profile)
    return (share.valid and _listed(before, after, share, profile)) or again


def _only_who_may_opens_last(
    call: ShmemOpenHandle, before: State, after: State, profile: Profile
) -> bool:
    share = find(before, call.name)
    again = opens_again(before, share, last_device(before), profile)
    return (share.valid and _listed(before, after, share, profile)) or again


def _only_who_may_imports(
    call: MemImportFromShareableHandle, before: State, after: State, profile: Profile
) -> bool:
    share = numbered(before, call.shareable_handle)
    again = imports_again(before, share, profile)
    return share.exists and (_listed(before, after, share, profile) or again)


def _only_who_may_imports_bytes(
    call: MemImportFromShareableHandleV2, before: State, after: State, profile: Profile
) -> bool:
    share = enveloped(before, call.share_handle.content)
    again = imports_again(before, share, profile)
    return share.exists and (_listed(before, after, share, profile) or again)


def _opened_memory_is_held(after: State, address: Address) -> bool:
    block = after.blocks.covering(address)
    holding = after.holdings.at(holding_place(me(after), block.base))
    return block.kind != OPENED or (holding.exists and holding.share == block.handle)


def _opened_memory_is_the_owners(after: State, address: Address) -> bool:
    block = after.blocks.covering(address)
    share = after.shares.at(block.handle)
    return block.kind != OPENED or (share.exists and share.memory == block.memory)


def _closed_leads_nowhere(
    call: ShmemCloseHandle, before: State, after: State, address: Address
) -> bool:
    block = before.blocks.at(call.vptr)
    inside = address >= block.base and address < block.base + block.extent
    last = before.holdings.at(holding_place(me(before), call.vptr)).count == 1
    return not inside or not last or not after.blocks.covering(address).exists


def _no_byte_changes(before: State, after: State, memory: Size, offset: Size) -> bool:
    known = memory > 0 and memory < before.contents.fresh()
    same: bool = before.contents.byte(memory, offset) == after.contents.byte(memory, offset)
    return not known or same


def _others_keep_what_they_hold(before: State, after: State) -> bool:
    return before.holdings.all(lambda each: each.pid == me(before) or _same_holding(after, each))


def _same_holding(after: State, each: Any) -> bool:
    now = after.holdings.at(each.place)
    return now.exists and now.share == each.share and now.count == each.count


def _others_keep_what_they_share(before: State, after: State) -> bool:
    return before.shares.all(lambda share: share.owner == me(before) or _same_share(after, share))


def _same_share(after: State, share: Share) -> bool:
    now = after.shares.at(share.id)
    kept = now.fate == share.fate or (share.fate == DEFERRED and now.fate == UNCERTAIN)
    return (not now.exists and not share.valid) or (
        now.exists and now.valid == share.valid and now.anyone == share.anyone and kept
    )


def _lists_of_others_stay(before: State, after: State) -> bool:
    return after.permits.all(
        lambda permit: (
            before.permits.at(permit.place).exists
            or after.shares.at(permit.share).owner == me(before)
        )
    )


def _holders_are_counted(after: State) -> bool:
    return after.holdings.all(lambda each: each.count > 0) and after.handles.all(
        lambda handle: handle.held >= 0
    )


def _shares_last_as_long_as_documented(after: State) -> bool:
    return after.shares.all(lambda share: share.valid or is_held(after, share.id))


def _destroyed_is_not_opened(call: ShmemDestroyHandle, after: State) -> bool:
    return not after.shares.at(named_share(call.name.token)).valid


def _ended_has_nothing(before: State, after: State) -> bool:
    pid = me(before)
    return (
        not after.processes.at(pid).exists
        and not after.holdings.any(lambda each: each.pid == pid)
        and not after.shares.any(lambda share: share.owner == pid)
        and not after.permits.any(lambda permit: permit.pid == pid and permit.standing != BARRED)
        and not after.blocks.any(lambda block: block.kind == OPENED or block.kind == MAPPED)
    )


def _nobody_left_nothing_left(after: State) -> bool:
    someone = after.holdings.any(lambda each: each.count > 0) or after.shares.any(
        lambda share: share.valid
    )
    return someone or (
        not after.shares.any(lambda share: share.size > 0)
        and not after.permits.any(lambda permit: permit.share > 0)
    )


def _others_keep_what_they_enabled(before: State, after: State) -> bool:
    return before.peerings.all(
        lambda each: each.pid == me(before) or each.ended or _same_peering(after, each)
    )


def _same_peering(after: State, each: Any) -> bool:
    now = after.peerings.at(each.place)
    return now.exists and not now.ended and now.count == each.count


def _names(*calls: type[Call]) -> tuple[str, ...]:
    return tuple(call.interface.name for call in calls)


def theorems_of(interfaces: tuple[Interface, ...]) -> tuple[Theorem, ...]:
    """Return the theorems of the area, for its interfaces."""
    every = tuple(each.name for each in interfaces)
    alive = tuple(name for name in every if name != HostExit.interface.name)
    opening = _names(ShmemOpenHandleByDevId, ShmemOpenHandleV2)
    return (
        _theorem(
            "001",
            "A process that is not on the white list never opens a name.",
            HEADER,
            _only_who_may_opens,
            *opening,
        ),
        _theorem(
            "002",
            "Nor does it without saying on which device.",
            HEADER,
            _only_who_may_opens_last,
            *_names(ShmemOpenHandle),
        ),
        _theorem(
            "003",
            "A process that is not on the white list never imports physical memory.",
            HEADER,
            _only_who_may_imports,
            *_names(MemImportFromShareableHandle),
        ),
        _theorem(
            "004",
            "Nor does it by opaque bytes.",
            HEADER,
            _only_who_may_imports_bytes,
            *_names(MemImportFromShareableHandleV2),
        ),
        _theorem(
            "005",
            "No address of a process leads to memory of another that it does not have open.",
            SHARED,
            _opened_memory_is_held,
            *every,
        ),
        _theorem(
            "006",
            "Opened addresses lead to the bytes of the owner.",
            SHARED,
            _opened_memory_is_the_owners,
            *every,
        ),
        _theorem(
            "007",
            "What was closed leads nowhere.",
            SHARED,
            _closed_leads_nowhere,
            *_names(ShmemCloseHandle),
        ),
        _theorem("008", "Sharing changes no byte.", SENSE, _no_byte_changes, *every),
        _theorem(
            "009",
            "No call takes from another process what it holds.",
            SENSE,
            _others_keep_what_they_hold,
            *every,
        ),
        _theorem(
            "010",
            "No call changes what another process shares.",
            SENSE,
            _others_keep_what_they_share,
            *every,
        ),
        _theorem(
            "011",
            "Only the process that shares memory enters others in its white list.",
            HEADER,
            _lists_of_others_stay,
            *every,
        ),
        _theorem("012", "No count is ever negative.", SENSE, _holders_are_counted, *every),
        _theorem(
            "013",
            "Shared memory is known as long as it can be opened or is open, and no longer.",
            SHARED,
            _shares_last_as_long_as_documented,
            *every,
        ),
        _theorem(
            "014",
            "A destroyed name is opened by nobody.",
            SHARED,
            _destroyed_is_not_opened,
            *_names(ShmemDestroyHandle),
        ),
        _theorem(
            "015",
            "A process that has ended holds and shares nothing, and no white list means it.",
            SENSE,
            _ended_has_nothing,
            *_names(HostExit),
        ),
        _theorem(
            "016",
            "When everybody has let go, nothing of sharing is left.",
            SENSE,
            _nobody_left_nothing_left,
            *alive,
        ),
        _theorem(
            "017",
            "No call takes from another process what it enabled between devices.",
            SENSE,
            _others_keep_what_they_enabled,
            *_names(DeviceEnableP2P, DeviceDisableP2P, HostExit, HostRest),
        ),
    )


def _theorem(number: str, summary: str, source: Source, prove: Any, *interfaces: str) -> Theorem:
    return Theorem(f"SHARING-THM-{number}", summary, source, interfaces, prove)
