"""What follows from the rules for managed memory, for every state and call.

Theorems are stated as in :mod:`halcert.spec.svm.theorems`: every further parameter stands for all
numbers of its type. Together with those of the SVM core, theorems 001 to 005 say that every load
returns the last store, wherever the pages went in between.
"""

from __future__ import annotations

from typing import Any

from halcert.spec.abi.constants import UvmAdvise
from halcert.spec.language import Address, Call, DeviceId, Size, Source, Theorem
from halcert.spec.sources import API, MODULE_DOC, SENSE
from halcert.spec.state import NO, NOWHERE, OPEN, YES, Pages, State
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.copy import MemsetD8
from halcert.spec.svm.flags import UVM
from halcert.spec.svm.free import MemFree
from halcert.spec.svm.host import HostFill, HostLoad, HostStore
from halcert.spec.svm.memcpy import Memcpy
from halcert.spec.svm.theorems import byte_at, lies_in, same_byte, shows
from halcert.spec.uvm.advise import MemManagedAdvise
from halcert.spec.uvm.attributes import MemManagedRangeGetAttributes
from halcert.spec.uvm.batch import MemManagedPrefetchBatch
from halcert.spec.uvm.device import DeviceLoad, DeviceStore
from halcert.spec.uvm.locations import MOST_DEVICES, is_host
from halcert.spec.uvm.moves import (
    may_drop_replica,
    may_swap_out,
    narrower,
    replica_dropped,
    swapped_out,
)
from halcert.spec.uvm.pages import NONE, is_accessed, is_managed, stop_of
from halcert.spec.uvm.prefetch import MemManagedPrefetch
from halcert.spec.uvm.summary import mostly_fits, preferred_fits


def _page(state: State, address: int) -> Pages:
    return state.pages.covering(address)


def _lives_on(before: State, after: State, address: int) -> bool:
    return _page(before, address).exists and _page(after, address).exists


# ---------------------------------------------------------------------------------------- bytes


def _read_is_what_is_there(call: DeviceLoad, before: State, address: Address) -> bool:
    memory, offset, length = call.last_write(before)
    place = address - call.address
    read: bool = before.contents.byte(memory, offset + place) == byte_at(before, address)
    return place < 0 or place >= length or read


def _stored_bytes_hold_the_pattern(
    call: DeviceStore, result: Any, before: State, after: State, offset: Size
) -> bool:
    block = before.blocks.covering(call.address)
    one = before.contents.store(block.memory, 0, 1, call.pattern, call.offset + offset)
    same: bool = byte_at(after, call.address + offset) == one.byte(block.memory, 0)
    return offset >= call.size or result.code != 0 or same


def _only_the_target(call: DeviceStore, before: State, after: State, address: Address) -> bool:
    """Only device memory shows at other addresses, too: where the process opened its own name."""
    inside = lies_in(address, call.address, call.size)
    managed = is_managed(before.blocks.covering(call.address))
    elsewhere = not managed and shows(before, address, call.address, call.size)
    return inside or elsewhere or same_byte(before, after, address)


def _bytes_stay(before: State, after: State, address: Address) -> bool:
    return same_byte(before, after, address)


def _all_sides_read_the_same(call: DeviceLoad, before: State) -> bool:
    mine = call.last_write(before)
    theirs = HostLoad(call.address, call.size).last_write(before)
    return (
        mine.memory == theirs.memory
        and mine.offset == theirs.offset
        and mine.length == theirs.length
    )


# ---------------------------------------------------------------------------------------- copies


def _moves_are_free(before: State, address: Address, device: DeviceId) -> bool:
    run = _page(before, address)
    out = not may_swap_out(run, device) or narrower(swapped_out(run), run)
    dropped = not may_drop_replica(run, device) or narrower(replica_dropped(run, device), run)
    return not run.exists or device >= MOST_DEVICES or (out and dropped)


def _the_writing_device_has_the_only_copy(
    call: DeviceStore, result: Any, after: State, address: Address
) -> bool:
    run = _page(after, address)
    return (
        not lies_in(address, call.address, call.size)
        or result.code != 0
        or not run.exists
        or (run.mostly == NO and run.device == call.device)
    )


def _the_writing_host_has_the_only_copy(
    call: Any, before: State, after: State, address: Address
) -> bool:
    run = _page(after, address)
    return (
        not is_managed(before.blocks.covering(call.address))
        or not lies_in(address, call.address, call.size)
        or (run.mostly == NO and run.host and run.device == NOWHERE)
    )


def _copying_into_ends_read_mostly(
    call: Memcpy, result: Any, after: State, address: Address
) -> bool:
    run = _page(after, address)
    inside = lies_in(address, call.dst, call.byte_count)
    return result.code != 0 or not inside or run.mostly == NO


def _one_copy_moves(
    call: DeviceLoad, result: Any, before: State, after: State, address: Address
) -> bool:
    old, new = _page(before, address), _page(after, address)
    return (
        result.code != 0
        or not old.exists
        or not lies_in(address, call.address, call.size)
        or old.mostly != NO
        or new.device == call.device
    )


def _one_copy_comes_home(call: HostLoad, before: State, after: State, address: Address) -> bool:
    old, new = _page(before, address), _page(after, address)
    return (
        not old.exists
        or not lies_in(address, call.address, call.size)
        or old.mostly != NO
        or new.device == NOWHERE
    )


def _replicas_are_added(
    call: DeviceLoad, result: Any, before: State, after: State, address: Address
) -> bool:
    old, new = _page(before, address), _page(after, address)
    return (
        result.code != 0 or old.mostly != YES or (new.mostly == YES and new.host and not new.unset)
    )


def _no_page_needs_a_device(after: State, address: Address) -> bool:
    run = _page(after, address)
    return not run.exists or run.unset or run.host


# ------------------------------------------------------------------------------------- attributes


def _hints_stay(before: State, after: State, address: Address, accessor: DeviceId) -> bool:
    old, new = _page(before, address), _page(after, address)
    return not _lives_on(before, after, address) or (
        old.prefer_type == new.prefer_type
        and old.prefer_id == new.prefer_id
        and old.access_open == new.access_open
        and is_accessed(before, address, accessor) == is_accessed(after, address, accessor)
    )


def _last_place_stays(before: State, after: State, address: Address) -> bool:
    old, new = _page(before, address), _page(after, address)
    return not _lives_on(before, after, address) or (
        old.latest_type == new.latest_type and old.latest_id == new.latest_id
    )


def _failed_prefetch_is_not_noted(
    result: Any, before: State, after: State, address: Address
) -> bool:
    return result.code == 0 or _last_place_stays(before, after, address)


def _read_mostly_stays(before: State, after: State, address: Address) -> bool:
    old, new = _page(before, address), _page(after, address)
    return not _lives_on(before, after, address) or old.mostly == new.mostly


def _asking_changes_nothing(before: State, after: State, address: Address) -> bool:
    old, new = _page(before, address), _page(after, address)
    return not old.exists or (new.exists and narrower(old, new) and narrower(new, old))


def _freed_pages_are_gone(call: MemFree, before: State, after: State, address: Address) -> bool:
    block = before.blocks.at(call.pp)
    inside = block.kind == UVM and lies_in(address, block.base, block.extent)
    return not inside or not _page(after, address).exists


def _nobody_accesses_freed_pages(call: MemFree, after: State) -> bool:
    return not after.accessors.any(lambda row: row.base == call.pp)


def _new_pages_are_new(call: MemAlloc, after: State, result: Any, address: Address) -> bool:
    run = _page(after, address)
    return (
        call.flag.virt != UVM
        or not lies_in(address, result.pp, call.size)
        or (
            run.mostly == NO
            and run.unset
            and not run.host
            and run.device == NOWHERE
            and run.prefer_type == NONE
            and run.latest_type == NONE
            and not run.access_open
            and not after.accessors.any(lambda row: row.base == result.pp)
        )
    )


def _in_range(call: MemManagedRangeGetAttributes, before: State, address: int) -> bool:
    return address >= call.ptr and address < stop_of(before, call.ptr, call.size)


def _read_mostly_ranges_have_such_pages(
    call: MemManagedRangeGetAttributes, before: State, address: Address
) -> bool:
    told = mostly_fits(before, call.ptr, call.size, YES)
    return not told or not _in_range(call, before, address) or _page(before, address).mostly != NO


def _preferred_devices_are_those_of_pages(
    call: MemManagedRangeGetAttributes, before: State, address: Address, told: DeviceId
) -> bool:
    run = _page(before, address)
    told_so = preferred_fits(before, call.ptr, call.size, told)
    doubt = before.pages.any(lambda run: run.prefer_type == OPEN)
    return doubt or not told_so or not _in_range(call, before, address) or run.prefer_id == told


def _preferring_the_host_leaves_replicas(
    call: MemManagedAdvise, result: Any, before: State, after: State, address: Address
) -> bool:
    old, new = _page(before, address), _page(after, address)
    return (
        call.advise != UvmAdvise.PREFER_LOCATION
        or result.code != 0
        or not is_host(call.location)
        or old.mostly != YES
        or (new.mostly == YES and new.device == old.device)
    )


# --------------------------------------------------------------------------------------- theorems


def _names(*calls: type[Call]) -> tuple[str, ...]:
    return tuple(call.interface.name for call in calls)


ASKING = _names(MemManagedRangeGetAttributes)
MOVING = _names(MemManagedPrefetch, MemManagedPrefetchBatch)
ADVISING = _names(MemManagedAdvise)
STORING = _names(DeviceStore)
LOADING = _names(DeviceLoad)
BY_HOST = _names(HostLoad, HostStore, HostFill)
BY_CALLS = _names(MemsetD8, Memcpy)
FAULTS = MODULE_DOC.at("UVM, page faults")
ADVICE = MODULE_DOC.at("UVM, memory attributes")
SWAPS = MODULE_DOC.at("UVM, oversubscription")
ATTRIBUTES = API.at("attributes of a range of managed memory")


def _theorem(number: str, summary: str, source: Source, prove: Any, *interfaces: str) -> Theorem:
    return Theorem(f"UVM-THM-{number}", summary, source, interfaces, prove)


THEOREMS = (
    _theorem(
        "001",
        "A device reads the bytes that are there.",
        FAULTS,
        _read_is_what_is_there,
        *LOADING,
    ),
    _theorem(
        "002",
        "Every byte that a device stored holds its pattern.",
        FAULTS,
        _stored_bytes_hold_the_pattern,
        *STORING,
    ),
    _theorem(
        "003",
        "A store by a device changes no byte but those that it leads to.",
        SENSE,
        _only_the_target,
        *STORING,
    ),
    _theorem(
        "004",
        "Advice, prefetching, asking and reading change no byte, nor do they where they fail.",
        MODULE_DOC.at("UVM, overview"),
        _bytes_stay,
        *ADVISING,
        *MOVING,
        *ASKING,
        *LOADING,
    ),
    _theorem(
        "005",
        "The host and every device read the same bytes at an address, read-mostly or not.",
        MODULE_DOC.at("UVM, overview"),
        _all_sides_read_the_same,
        *LOADING,
    ),
    _theorem(
        "006",
        "Swapping out and dropping replicas lead nowhere that was not possible before.",
        SWAPS,
        _moves_are_free,
        *ASKING,
    ),
    _theorem(
        "007",
        "A device that writes has the only copy; its pages are not read-mostly.",
        ADVICE,
        _the_writing_device_has_the_only_copy,
        *STORING,
    ),
    _theorem(
        "008",
        "A host that writes has the only copy; its pages are not read-mostly.",
        ADVICE,
        _the_writing_host_has_the_only_copy,
        *_names(HostStore, HostFill),
    ),
    _theorem(
        "009",
        "Pages that are copied into are not read-mostly.",
        ADVICE,
        _copying_into_ends_read_mostly,
        *_names(Memcpy),
    ),
    _theorem(
        "010",
        "A page that is not read-mostly has one copy, which moves to the device that reads it.",
        FAULTS,
        _one_copy_moves,
        *LOADING,
    ),
    _theorem(
        "011",
        "A page that is not read-mostly has one copy, which moves to the host that reads it.",
        FAULTS,
        _one_copy_comes_home,
        *_names(HostLoad),
    ),
    _theorem(
        "012",
        "Read-mostly pages stay so when a device reads them, and the host keeps its copy.",
        ADVICE,
        _replicas_are_added,
        *LOADING,
    ),
    _theorem(
        "013",
        "No page needs memory of a device: what a device cannot hold is on the host.",
        SWAPS,
        _no_page_needs_a_device,
        *ADVISING,
        *MOVING,
        *STORING,
        *LOADING,
        *BY_HOST,
        *BY_CALLS,
    ),
    _theorem(
        "014",
        "Preferred place and accessors change by advice only, never by accesses or moves.",
        ADVICE,
        _hints_stay,
        *MOVING,
        *ASKING,
        *STORING,
        *LOADING,
        *BY_HOST,
        *BY_CALLS,
    ),
    _theorem(
        "015",
        "The last place changes by prefetching only.",
        ATTRIBUTES,
        _last_place_stays,
        *ADVISING,
        *ASKING,
        *STORING,
        *LOADING,
        *BY_HOST,
        *BY_CALLS,
    ),
    _theorem(
        "016",
        "A prefetch that fails is not noted as the last one.",
        ATTRIBUTES,
        _failed_prefetch_is_not_noted,
        *_names(MemManagedPrefetch),
    ),
    _theorem(
        "017",
        "Pages stay read-mostly, or not, when they are read, prefetched or asked about.",
        ADVICE,
        _read_mostly_stays,
        *MOVING,
        *ASKING,
        *LOADING,
        *_names(HostLoad),
    ),
    _theorem(
        "018",
        "Asking changes nothing of what pages are or where they may be.",
        SENSE,
        _asking_changes_nothing,
        *ASKING,
    ),
    _theorem(
        "019",
        "Freeing takes pages, and with them all that was set for them.",
        MODULE_DOC.at("UVM, allocation and free"),
        _freed_pages_are_gone,
        *_names(MemFree),
    ),
    _theorem(
        "023",
        "Nobody is said to access pages that were freed.",
        MODULE_DOC.at("UVM, allocation and free"),
        _nobody_accesses_freed_pages,
        *_names(MemFree),
    ),
    _theorem(
        "020",
        "New pages are nowhere, and nothing is set for them.",
        MODULE_DOC.at("UVM, allocation and free"),
        _new_pages_are_new,
        *_names(MemAlloc),
    ),
    _theorem(
        "021",
        "A range that is told to be read-mostly has no page that is not.",
        ATTRIBUTES,
        _read_mostly_ranges_have_such_pages,
        *ASKING,
    ),
    _theorem(
        "022",
        "Preferring the host does nothing to read-mostly pages but note it.",
        ADVICE,
        _preferring_the_host_leaves_replicas,
        *ADVISING,
    ),
    _theorem(
        "024",
        "A device that is told to be preferred is preferred by every page of the range.",
        ATTRIBUTES,
        _preferred_devices_are_those_of_pages,
        *ASKING,
    ),
)
