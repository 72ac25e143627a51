"""What follows from the rules of VMM for every state and call: the safety that it promises.

How a theorem is stated is told in ``spec/svm/theorems.py``. Those that name no interface speak of
all calls of this area and of the SVM core, whose calls see and close mapped memory.
"""

from __future__ import annotations

from typing import Any

from halcert.spec.language import Address, Call, DeviceId, Elements, Size, Source, Theorem
from halcert.spec.language import Handle as HandleRef
from halcert.spec.profiles import Profile
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE
from halcert.spec.state import Block, Grant, Handle, State
from halcert.spec.svm.device import MemAgentClose, MemDeviceClose, on_device
from halcert.spec.svm.flags import MAPPED
from halcert.spec.svm.theorems import byte_at, lies_in
from halcert.spec.vmm.access import MemGetAccess, MemSetAccess
from halcert.spec.vmm.addresses import MemAddressFree, MemGetAddressReserveRange
from halcert.spec.vmm.ask import (
    MemGetAllocationGranularity,
    MemGetAllocationPropertiesFromHandle,
)
from halcert.spec.vmm.create import MemCreate
from halcert.spec.vmm.locations import has_access
from halcert.spec.vmm.map import MemMap, MemUnmap
from halcert.spec.vmm.memory import of_the_device
from halcert.spec.vmm.references import MemRelease, MemRetainAllocationHandle
from halcert.spec.vmm.reserve import MemAddressReserve

MAPPING = MODULE_DOC.at("VMM mapping")
PHYSICAL = MODULE_DOC.at("VMM physical memory")
ADDRESSES = MODULE_DOC.at("VMM addresses")


# -------------------------------------------------------------------------------------- addresses


def _mappings_lie_apart_in_reservations(after: State) -> bool:
    return after.blocks.disjoint() and after.blocks.all(
        lambda block: block.kind != MAPPED or _inside_one(after, block)
    )


def _inside_one(state: State, block: Block) -> bool:
    found = state.reservations.covering(block.base)
    return found.exists and block.base + block.size <= found.base + found.size


def _reserved_stays_reserved(call: Any, before: State, after: State, address: Address) -> bool:
    old, new = before.reservations.covering(address), after.reservations.covering(address)
    if isinstance(call, MemAddressReserve):
        return not old.exists or (new.exists and new.base == old.base)
    if isinstance(call, MemAddressFree):
        return not new.exists or (old.exists and new.base == old.base)
    return old.exists == new.exists and (not old.exists or new.base == old.base)


def _given_back_without_mappings(call: MemAddressFree, before: State, address: Address) -> bool:
    found = before.reservations.at(call.ptr)
    inside = lies_in(address, found.base, found.extent)
    return not inside or not before.blocks.covering(address).exists


def _not_twice(call: Any, after: State, profile: Profile) -> bool:
    if isinstance(call, MemAddressFree):
        return MemAddressFree(ptr=call.ptr).not_the_start_of_a_reservation(after, profile)
    again = MemUnmap(ptr=call.ptr)
    if profile.generation == "v2":
        return again.not_the_start_of_a_mapping(after)
    return again.not_the_start_of_a_mapping_v3(after)


# ------------------------------------------------------------------------------------------ bytes


def _mappings_of_a_handle_show_the_same(after: State, one: Address, other: Address) -> bool:
    first, second = after.blocks.covering(one), after.blocks.covering(other)
    alike = (
        first.kind == MAPPED
        and second.kind == MAPPED
        and first.handle == second.handle
        and one - first.base == other - second.base
    )
    # One place has one byte, so most questions need no look at the contents.
    same_place = first.memory == second.memory and one - first.base == other - second.base
    return not alike or same_place or byte_at(after, one) == byte_at(after, other)


def _bytes_stay_with_the_handle(
    before: State, after: State, handle: HandleRef, offset: Size
) -> bool:
    was, now = before.handles.at(handle), after.handles.at(handle)
    lives_on = was.exists and now.exists and was.memory == now.memory
    held = before.contents.byte(was.memory, offset)
    same: bool = after.contents.byte(now.memory, offset) == held
    return not lives_on or same


def _mapped_bytes_are_those_of_the_handle(
    call: MemMap, before: State, after: State, offset: Size
) -> bool:
    held = before.contents.byte(before.handles.at(call.handle).memory, offset)
    same: bool = byte_at(after, call.ptr + offset) == held
    return offset >= call.size or same


# ------------------------------------------------------------------------------------- references


def references(state: State, handle: int) -> int:
    """Return the number of references to a handle: those of the program and of mappings."""
    mapped = state.blocks.count(lambda block: block.kind == MAPPED and block.handle == handle)
    return state.handles.at(handle).held + mapped


def _there_as_long_as_held(before: State, after: State, handle: HandleRef) -> bool:
    was, now = before.handles.at(handle), after.handles.at(handle)
    if now.exists:
        return now.lost or references(after, handle) > 0
    return not was.exists or references(before, handle) == 1


def _each_call_counts_once(
    call: Any, result: Any, before: State, after: State, handle: HandleRef
) -> bool:
    was, now = before.handles.at(handle), after.handles.at(handle)
    if not now.exists or now.lost:
        return True
    count = references(after, handle)
    if not was.exists:
        return count == 1 and isinstance(call, MemCreate)
    return now.held >= 0 and count == references(before, handle) + _change(
        call, result, before, handle
    )


def _change(call: Any, result: Any, before: State, handle: int) -> int:
    """Return by how much a call changes the number of references to a handle."""
    if isinstance(call, MemRetainAllocationHandle):
        return 1 if result.handle == handle else 0
    if isinstance(call, MemMap):
        return 1 if call.handle == handle else 0
    if isinstance(call, MemUnmap):
        return -1 if before.blocks.at(call.ptr).handle == handle else 0
    if isinstance(call, MemRelease):
        return -1 if call.handle == handle else 0
    return 0


# ------------------------------------------------------------------------------------------ memory


def taken(state: State, device: int) -> int:
    """Return the bytes of a device that are taken by physical memory."""
    return state.handles.sum(lambda handle: _taken_by(handle, device))


def _taken_by(handle: Handle, device: int) -> int:
    if of_the_device(handle) and handle.device == device and not handle.lost:
        return handle.size
    return 0


def _as_much_is_free_again(
    call: Any, result: Any, before: State, after: State, device: DeviceId
) -> bool:
    had, has = taken(before, device), taken(after, device)
    if isinstance(call, MemCreate):
        return has == had + _taken_by(after.handles.at(result.handle), device)
    if isinstance(call, MemAgentClose | MemDeviceClose) and call.devid == device:
        return has == 0
    if isinstance(call, MemRelease | MemUnmap):
        found = before.handles.at(_let_go(call, before))
        last = references(before, found.id) == 1
        return has == had - (_taken_by(found, device) if last else 0)
    return has == had


def _let_go(call: Any, before: State) -> int:
    if isinstance(call, MemRelease):
        return call.handle
    mapped: int = before.blocks.at(call.ptr).handle
    return mapped


def _nothing_is_taken_when_nobody_holds(after: State, device: DeviceId) -> bool:
    let_go = after.handles.all(lambda handle: references(after, handle.id) == 0)
    return not let_go or taken(after, device) == 0


def _closed_takes_its_memory(call: Any, after: State) -> bool:
    return after.handles.all(lambda each: each.device != call.devid or each.lost) and (
        after.blocks.all(lambda block: block.kind != MAPPED or block.device != call.devid)
    )


def _others_keep_their_mappings(call: Any, before: State, after: State, address: Address) -> bool:
    old, new = before.blocks.covering(address), after.blocks.covering(address)
    stays = old.kind == MAPPED and not on_device(old, call.devid)
    return not stays or (new.exists and new.base == old.base and new.handle == old.handle)


# ------------------------------------------------------------------------------------------ access


def _named_have_access(call: MemSetAccess, after: State) -> bool:
    block = after.blocks.covering(call.ptr)
    return Elements(call.count, call.desc).all(lambda desc: has_access(after, block, desc))


def _access_stays(call: Any, before: State, after: State, address: Address) -> bool:
    """Tell whether a place in the table of who has access stays as it was."""
    old, new = before.grants.at(address), after.grants.at(address)
    if isinstance(call, MemSetAccess):
        return not old.exists or new.exists
    if isinstance(call, MemUnmap):
        return old.exists == new.exists or (old.exists and old.base == call.ptr)
    if isinstance(call, MemAgentClose | MemDeviceClose):
        return not new.exists or old.exists
    return old.exists == new.exists


def _unmapping_takes_access(call: MemUnmap, after: State) -> bool:
    return after.grants.all(lambda grant: grant.base != call.ptr and _of_mapping(after, grant))


def _of_mapping(state: State, grant: Grant) -> bool:
    return state.blocks.at(grant.base).kind == MAPPED


# --------------------------------------------------------------------------------------- theorems


def _names(*calls: type[Call]) -> tuple[str, ...]:
    return tuple(call.interface.name for call in calls)


CLOSERS = _names(MemAgentClose, MemDeviceClose)
OWN = _names(
    MemAddressReserve,
    MemAddressFree,
    MemGetAddressReserveRange,
    MemCreate,
    MemRelease,
    MemMap,
    MemUnmap,
    MemSetAccess,
    MemGetAccess,
    MemRetainAllocationHandle,
    MemGetAllocationGranularity,
    MemGetAllocationPropertiesFromHandle,
)


def _theorem(number: str, summary: str, source: Source, prove: Any, *interfaces: str) -> Theorem:
    return Theorem(f"VMM-THM-{number}", summary, source, interfaces, prove)


THEOREMS = (
    _theorem(
        "001",
        "Mappings share no address, and each lies in one reservation.",
        MAPPING,
        _mappings_lie_apart_in_reservations,
    ),
    _theorem(
        "002",
        "Addresses stay reserved until they are given back, and nothing else reserves them.",
        ADDRESSES,
        _reserved_stays_reserved,
    ),
    _theorem(
        "003",
        "Addresses are given back only where nothing is mapped.",
        SENSE,
        _given_back_without_mappings,
        *_names(MemAddressFree),
    ),
    _theorem(
        "004",
        "What was given back or unmapped cannot be given back or unmapped again.",
        SENSE,
        _not_twice,
        *_names(MemAddressFree, MemUnmap),
    ),
    _theorem(
        "005",
        "Two mappings of one handle show the same bytes.",
        MAPPING,
        _mappings_of_a_handle_show_the_same,
    ),
    _theorem(
        "006",
        "The bytes of physical memory stay whatever is reserved, mapped or unmapped.",
        MAPPING,
        _bytes_stay_with_the_handle,
        *OWN,
    ),
    _theorem(
        "007",
        "A mapping shows the bytes that the handle held.",
        MAPPING,
        _mapped_bytes_are_those_of_the_handle,
        *_names(MemMap),
    ),
    _theorem(
        "008",
        "Physical memory is there exactly as long as the program or a mapping holds it.",
        PHYSICAL,
        _there_as_long_as_held,
    ),
    _theorem(
        "009",
        "Every call changes the references to a handle by what it is said to, never below 0.",
        HEADER.at("halMemRetainAllocationHandle"),
        _each_call_counts_once,
    ),
    _theorem(
        "010",
        "A device has as much memory free again as was taken, when the last reference is gone.",
        PHYSICAL,
        _as_much_is_free_again,
    ),
    _theorem(
        "011",
        "When nobody holds physical memory, none is taken.",
        PHYSICAL,
        _nothing_is_taken_when_nobody_holds,
    ),
    _theorem(
        "012",
        "Closing a device takes all its physical memory and mappings.",
        MODULE_DOC.at("SVM initialisation"),
        _closed_takes_its_memory,
        *CLOSERS,
    ),
    _theorem(
        "013",
        "Closing a device leaves the mappings of others.",
        SENSE,
        _others_keep_their_mappings,
        *CLOSERS,
    ),
    _theorem(
        "014",
        "Whoever was named has access.",
        HEADER.at("halMemSetAccess"),
        _named_have_access,
        *_names(MemSetAccess),
    ),
    _theorem(
        "015",
        "Nobody gets access, and nobody loses it, but by being given it, unmapping or closing.",
        HEADER.at("halMemSetAccess"),
        _access_stays,
    ),
    _theorem(
        "016",
        "Unmapping takes the access of all others.",
        HEADER.at("halMemUnmap"),
        _unmapping_takes_access,
        *_names(MemUnmap),
    ),
)
