"""What follows from the rules of the area for every state and call: the safety it promises.

How a theorem is stated is told in ``spec/svm/theorems.py``.
"""

from __future__ import annotations

from typing import Any

from halcert.spec.language import Address, Call, Size, Source, Theorem
from halcert.spec.language import Handle as HandleRef
from halcert.spec.physical.addresses import ReleaseMemAddress, ReserveMemAddress
from halcert.spec.physical.imports import ImportFromShareableHandle, ImportFromShareableHandleV2
from halcert.spec.physical.mapping import MapMem, UnmapMem
from halcert.spec.physical.memory import FreePhysical, MallocPhysical
from halcert.spec.physical.outcomes import EXPORTING, MAPPING, PHYSICAL
from halcert.spec.sharing.memory import enveloped, me, numbered
from halcert.spec.sharing.theorems import is_let_in
from halcert.spec.sources import SENSE
from halcert.spec.state import State
from halcert.spec.svm.flags import MAPPED
from halcert.spec.svm.theorems import byte_at
from halcert.spec.vmm.memory import is_mapped


def _mapped_bytes_are_those_of_the_handle(
    call: MapMem, before: State, after: State, offset: Size
) -> bool:
    held = before.contents.byte(before.handles.at(call.handle).memory, offset)
    same: bool = byte_at(after, call.virPtr + offset) == held
    return offset >= call.size or same


def _unmapped_leads_nowhere(call: UnmapMem, before: State, after: State, address: Address) -> bool:
    block = before.blocks.covering(address)
    gone = block.kind == MAPPED and block.base == call.virPtr
    return not gone or not after.blocks.covering(address).exists


def _mapped_memory_stays(
    call: FreePhysical, before: State, after: State, address: Address, offset: Size
) -> bool:
    block = before.blocks.covering(address)
    was, now = before.contents, after.contents
    same: bool = was.byte(block.memory, offset) == now.byte(block.memory, offset)
    return block.kind != MAPPED or (after.blocks.covering(address).exists and same)


def _own_memory_stays(before: State, after: State, address: Address) -> bool:
    was, now = before.blocks.covering(address), after.blocks.covering(address)
    kept = now.exists and now.base == was.base and now.memory == was.memory
    return not was.exists or kept


def _no_byte_changes(before: State, after: State, memory: Size, offset: Size) -> bool:
    known = memory > 0 and memory < before.contents.fresh()
    same: bool = before.contents.byte(memory, offset) == after.contents.byte(memory, offset)
    return not known or same


def _there_as_long_as_held(
    call: FreePhysical, before: State, after: State, handle: HandleRef
) -> bool:
    was, now = before.handles.at(handle), after.handles.at(handle)
    last = handle == call.handle and was.held == 1 and not is_mapped(before, handle)
    return not was.exists or now.exists or last


def _only_who_may_imports(call: ImportFromShareableHandle, before: State, after: State) -> bool:
    share = numbered(before, call.shareableHandle)
    return share.exists and share.owner != me(before) and is_let_in(before, after, share)


def _only_who_may_imports_by_bytes(
    call: ImportFromShareableHandleV2, before: State, after: State
) -> bool:
    share = enveloped(before, call.shareableHandle.content)
    return share.exists and share.owner != me(before) and is_let_in(before, after, share)


def _imported_is_what_was_exported(
    call: ImportFromShareableHandle, result: Any, before: State, after: State
) -> bool:
    share, found = numbered(before, call.shareableHandle), after.handles.at(result.handle)
    return found.memory == share.memory and found.size == share.size


def _others_keep_what_they_hold(before: State, after: State) -> bool:
    return before.holdings.all(
        lambda each: each.pid == me(before) or after.holdings.at(each.place).exists
    )


def _theorem(number: str, summary: str, source: Source, prove: Any, *calls: type[Call]) -> Theorem:
    names = tuple(call.interface.name for call in calls)
    return Theorem(f"PHYSICAL-THM-{number}", summary, source, names, prove)


ALL = (ReserveMemAddress, ReleaseMemAddress, MallocPhysical, FreePhysical, MapMem)

THEOREMS = (
    _theorem(
        "001",
        "Mapped addresses show the bytes that the handle holds.",
        MAPPING,
        _mapped_bytes_are_those_of_the_handle,
        MapMem,
    ),
    _theorem(
        "002",
        "Addresses that were unmapped lead nowhere.",
        MAPPING,
        _unmapped_leads_nowhere,
        UnmapMem,
    ),
    _theorem(
        "003",
        "Mapped memory and its bytes stay when their handle is freed.",
        PHYSICAL,
        _mapped_memory_stays,
        FreePhysical,
    ),
    _theorem(
        "004",
        "Physical memory is there as long as somebody holds it.",
        PHYSICAL,
        _there_as_long_as_held,
        FreePhysical,
    ),
    _theorem("005", "Memory that is in use stays where it is.", SENSE, _own_memory_stays, *ALL),
    _theorem(
        "006",
        "Reserving, allocating and mapping change no byte.",
        SENSE,
        _no_byte_changes,
        ReserveMemAddress,
        ReleaseMemAddress,
        MallocPhysical,
        MapMem,
    ),
    _theorem(
        "007",
        "Only who may imports a number.",
        EXPORTING,
        _only_who_may_imports,
        ImportFromShareableHandle,
    ),
    _theorem(
        "008",
        "Only who may imports opaque bytes.",
        EXPORTING,
        _only_who_may_imports_by_bytes,
        ImportFromShareableHandleV2,
    ),
    _theorem(
        "009",
        "What is imported is the memory that was exported, all of it.",
        EXPORTING,
        _imported_is_what_was_exported,
        ImportFromShareableHandle,
    ),
    _theorem(
        "010",
        "Freeing takes nothing from other processes that hold the memory.",
        EXPORTING,
        _others_keep_what_they_hold,
        FreePhysical,
    ),
)
