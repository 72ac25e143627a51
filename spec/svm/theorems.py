"""What follows from the rules of the area for every state and call: the safety it promises.

A theorem is a function over the state ``before`` and ``after`` an accepted call, the ``call``,
its ``result`` and the ``profile``. Every further parameter stands for all numbers of its type:
what is said of one byte or address is said of each.
"""

from __future__ import annotations

from typing import Any

from halcert.spec.language import (
    Address,
    Call,
    Elements,
    Interface,
    Size,
    Source,
    Theorem,
)
from halcert.spec.profiles import Profile
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE
from halcert.spec.state import State
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.async_copy import MemCpyAsync, MemCpyAsyncWaitFinish
from halcert.spec.svm.batch import MemcpyBatch
from halcert.spec.svm.copy import MemsetD8
from halcert.spec.svm.copy_2d import Memcpy2D
from halcert.spec.svm.copy_ex import HalMemcpy
from halcert.spec.svm.device import (
    MemAgentClose,
    MemDeviceClose,
    on_device,
)
from halcert.spec.svm.free import MemFree
from halcert.spec.svm.host import HostFill, HostLoad, HostMap, HostStore
from halcert.spec.svm.matrix import span
from halcert.spec.svm.memcpy import Memcpy
from halcert.spec.svm.submit import MemcpySumbit, MemcpyWait

MOVERS = (HostStore, HostFill, MemsetD8, Memcpy, HalMemcpy, MemCpyAsync, MemCpyAsyncWaitFinish)
"""Calls that write one plain range."""
MATRIX_MOVERS = (Memcpy2D, MemcpyBatch, MemcpySumbit, MemcpyWait)
"""Calls that write several ranges."""


def byte_at(state: State, address: int) -> Any:
    """Return what stands for the byte at an address."""
    block = state.blocks.covering(address)
    return state.contents.byte(block.memory, address - block.base)


def lives_on(before: State, after: State, address: int) -> bool:
    """Tell whether an address belongs to the same memory before and after."""
    old, new = before.blocks.covering(address), after.blocks.covering(address)
    return old.exists and new.exists and old.base == new.base and old.memory == new.memory


def same_byte(before: State, after: State, address: int) -> bool:
    """Tell whether an address reads the same before and after, if it is there at all."""
    same: bool = byte_at(before, address) == byte_at(after, address)
    return not lives_on(before, after, address) or same


def shows(state: State, address: int, start: int, length: int) -> bool:
    """Tell whether an address leads to one of the bytes behind ``[start, start + length)``.

    Different addresses lead to the same byte where a handle is mapped more than once.
    """
    one, other = state.blocks.covering(address), state.blocks.covering(start)
    same = one.exists and other.exists and one.memory == other.memory
    return same and lies_in(address - one.base, start - other.base, length)


def lies_in(address: int, start: int, length: int) -> bool:
    """Tell whether an address lies in ``[start, start + length)``."""
    return address >= start and address < start + length


# ---------------------------------------------------------------------------------------- address


def _disjoint(after: State) -> bool:
    return after.blocks.disjoint()


def _nobodys_stays_nobodys(before: State, after: State, address: Address) -> bool:
    return before.blocks.covering(address).exists or not after.blocks.covering(address).exists


def _only_what_is_given(before: State, after: State, result: Any, address: Address) -> bool:
    given = result.pp if isinstance(result, MemAlloc.Result) else result.address
    block = after.blocks.covering(address)
    return before.blocks.covering(address).exists or not block.exists or block.base == given


def _all_of_it_is_usable(call: Any, after: State, result: Any, address: Address) -> bool:
    given = result.pp if isinstance(result, MemAlloc.Result) else result.address
    block = after.blocks.covering(address)
    return not lies_in(address, given, call.size) or (block.base == given and block.exists)


def _freed_is_gone(call: MemFree, before: State, after: State, address: Address) -> bool:
    block = before.blocks.at(call.pp)
    inside = lies_in(address, block.base, block.extent)
    return not inside or not after.blocks.covering(address).exists


def _second_free_is_refused(call: MemFree, after: State, profile: Profile) -> bool:
    again = MemFree(pp=call.pp)
    return again.not_the_start_of_a_block(after, profile) or again.unknown_pool_memory(after)


def _closed_means_empty(call: Any, after: State) -> bool:
    return not after.devices.at(call.devid).open and not after.blocks.any(
        lambda block: on_device(block, call.devid)
    )


def _others_keep_theirs(call: Any, before: State, after: State, address: Address) -> bool:
    block = before.blocks.covering(address)
    return not block.exists or on_device(block, call.devid) or lives_on(before, after, address)


# ------------------------------------------------------------------------------------------ bytes


def _bytes_stay(before: State, after: State, address: Address) -> bool:
    return same_byte(before, after, address)


def _target(call: Any, before: State) -> tuple[int, int]:
    """Return the range that a call writes."""
    if isinstance(call, HostStore | HostFill):
        return call.address, call.size
    if isinstance(call, MemsetD8):
        return call.dst, call.num
    if isinstance(call, Memcpy | MemCpyAsync):
        return call.dst, call.byte_count
    if isinstance(call, HalMemcpy):
        return call.dst, call.count
    copy = before.copies.at(call.copy_fd)
    return copy.target, copy.length


def _only_the_target(call: Any, before: State, after: State, address: Address) -> bool:
    start, length = _target(call, before)
    return shows(before, address, start, length) or same_byte(before, after, address)


def _only_the_rows(call: Any, before: State, after: State, address: Address) -> bool:
    return _written(call, before, address) or same_byte(before, after, address)


def _written(call: Any, before: State, address: int) -> bool:
    """Tell whether an address lies between the ends of what a call writes."""
    if isinstance(call, MemcpyBatch):
        return Elements(call.count, call.dst, call.size).any(
            lambda dst, size: shows(before, address, dst, size)
        )
    if isinstance(call, Memcpy2D):
        what = call.p_copy
        return shows(before, address, what.dst, span(what.dpitch, what.width, what.height))
    made = before.descriptors.at(call.dma_addr.dma)
    return shows(before, address, made.target, made.target_span)


def _set_bytes_hold_the_value(call: Any, after: State, result: Any, address: Address) -> bool:
    start, length = _target(call, after)
    same: bool = byte_at(after, address) == call.value
    return result.code != 0 or not lies_in(address, start, length) or same


def _stored_bytes_hold_the_pattern(
    call: HostStore, before: State, after: State, offset: Size
) -> bool:
    block = before.blocks.covering(call.address)
    one = before.contents.store(block.memory, 0, 1, call.pattern, call.offset + offset)
    same: bool = byte_at(after, call.address + offset) == one.byte(block.memory, 0)
    return offset >= call.size or same


def _copied_bytes_arrive(call: Any, before: State, after: State, result: Any, offset: Size) -> bool:
    dst, length = _target(call, before)
    arrived: bool = byte_at(after, dst + offset) == byte_at(before, call.src + offset)
    return result.code != 0 or offset >= length or arrived


def _awaited_bytes_arrive(
    call: MemCpyAsyncWaitFinish, before: State, after: State, offset: Size
) -> bool:
    copy = before.copies.at(call.copy_fd)
    arrived: bool = byte_at(after, copy.target + offset) == byte_at(before, copy.source + offset)
    return offset >= copy.length or arrived


def _batched_bytes_arrive(call: MemcpyBatch, before: State, after: State, offset: Size) -> bool:
    return Elements(call.count, call.dst, call.src, call.size).all(
        lambda dst, src, size: (
            offset >= size or byte_at(after, dst + offset) == byte_at(before, src + offset)
        )
    )


def _rows_arrive(call: Memcpy2D, before: State, after: State, row: Size, column: Size) -> bool:
    what = call.p_copy
    if what.type != 0 or row >= what.height or row > 1 or column >= what.width:
        return True
    to, start = what.dst + column, what.src + column
    if row == 1:
        to, start = to + what.dpitch, start + what.spitch
    arrived: bool = byte_at(after, to) == byte_at(before, start)
    return arrived


def _submitted_bytes_arrive(call: Any, before: State, after: State, offset: Size) -> bool:
    made = before.descriptors.at(call.dma_addr.dma)
    if made.height != 1 or offset < made.first or offset >= made.first + made.length:
        return True
    if offset >= made.width or (isinstance(call, MemcpySumbit) and call.flag != 0):
        return True
    arrived: bool = byte_at(after, made.target + offset) == byte_at(before, made.source + offset)
    return arrived


def _read_is_what_is_there(call: HostLoad, before: State, address: Address) -> bool:
    memory, offset, length = call.last_write(before)
    place = address - call.address
    read: bool = before.contents.byte(memory, offset + place) == byte_at(before, address)
    return place < 0 or place >= length or read


# --------------------------------------------------------------------------------------- theorems


def _names(*calls: type[Call]) -> tuple[str, ...]:
    return tuple(call.interface.name for call in calls)


GIVERS = _names(MemAlloc, HostMap)
WRITERS = _names(*MOVERS, *MATRIX_MOVERS)
CLOSERS = _names(MemAgentClose, MemDeviceClose)
ALLOCATION = MODULE_DOC.at("SVM, allocation")
FREE = MODULE_DOC.at("SVM, free")
COPY = MODULE_DOC.at("SVM, copy")


def theorems_of(interfaces: tuple[Interface, ...]) -> tuple[Theorem, ...]:
    """Return the theorems of an area that has these interfaces."""
    names = tuple(each.name for each in interfaces)
    readers = tuple(name for name in names if name not in WRITERS)
    keepers = tuple(name for name in names if name not in GIVERS)
    return (
        _theorem("001", "Live blocks share no byte, whatever is called.", ALLOCATION, _disjoint),
        _theorem(
            "002",
            "An address that belongs to nobody belongs to nobody until it is handed out.",
            SENSE,
            _nobodys_stays_nobodys,
            *keepers,
        ),
        _theorem(
            "003",
            "A call that hands out memory hands out that alone.",
            SENSE,
            _only_what_is_given,
            *GIVERS,
        ),
        _theorem(
            "004",
            "Every byte of what is handed out is there.",
            ALLOCATION,
            _all_of_it_is_usable,
            *GIVERS,
        ),
        _theorem("005", "What is freed belongs to nobody.", FREE, _freed_is_gone, *_names(MemFree)),
        _theorem(
            "006",
            "What was freed cannot be freed again.",
            FREE,
            _second_free_is_refused,
            *_names(MemFree),
        ),
        _theorem(
            "007",
            "Closing a device leaves no block on it.",
            MODULE_DOC.at("SVM initialisation"),
            _closed_means_empty,
            *CLOSERS,
        ),
        _theorem(
            "008",
            "Closing a device takes nothing that is not on it.",
            SENSE,
            _others_keep_theirs,
            *CLOSERS,
        ),
        _theorem(
            "009", "A call that does not write changes no byte.", SENSE, _bytes_stay, *readers
        ),
        _theorem(
            "010",
            "A call that writes one range changes no byte outside it.",
            COPY,
            _only_the_target,
            *_names(*MOVERS),
        ),
        _theorem(
            "011",
            "A call that writes several ranges changes no byte outside them.",
            COPY,
            _only_the_rows,
            *_names(*MATRIX_MOVERS),
        ),
        _theorem(
            "012",
            "Every byte that was set holds the value.",
            MODULE_DOC.at("SVM, set"),
            _set_bytes_hold_the_value,
            *_names(MemsetD8, HostFill),
        ),
        _theorem(
            "013",
            "Every byte that the program stored holds its pattern.",
            SENSE,
            _stored_bytes_hold_the_pattern,
            *_names(HostStore),
        ),
        _theorem(
            "014",
            "Every byte that was copied is at its destination.",
            COPY,
            _copied_bytes_arrive,
            *_names(Memcpy, HalMemcpy),
        ),
        _theorem(
            "015",
            "Every byte of an asynchronous copy has arrived when it was waited for.",
            HEADER.at("halMemCpyAsyncWaitFinish"),
            _awaited_bytes_arrive,
            *_names(MemCpyAsyncWaitFinish),
        ),
        _theorem(
            "016",
            "Every byte of every copy of a batch is at its destination.",
            HEADER.at("halMemcpyBatch"),
            _batched_bytes_arrive,
            *_names(MemcpyBatch),
        ),
        _theorem(
            "017",
            "Every byte of every row is at its destination.",
            HEADER.at("halMemcpy2D"),
            _rows_arrive,
            *_names(Memcpy2D),
        ),
        _theorem(
            "018",
            "Every byte of a submitted copy is at its destination when it was waited for.",
            HEADER.at("halMemcpySumbit"),
            _submitted_bytes_arrive,
            *_names(MemcpySumbit, MemcpyWait),
        ),
        _theorem(
            "019",
            "A read gives the bytes that are there.",
            MODULE_DOC.at("SVM, host memory"),
            _read_is_what_is_there,
            *_names(HostLoad),
        ),
    )


def _theorem(number: str, summary: str, source: Source, prove: Any, *interfaces: str) -> Theorem:
    return Theorem(f"SVM-THM-{number}", summary, source, interfaces, prove)
