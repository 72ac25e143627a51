"""What the program itself does with memory: accesses are calls of the model.

``host.map`` and ``host.unmap`` give and take ordinary process memory; ``host.store``,
``host.fill`` and ``host.load`` are the program's own writes and reads. They cannot fail: what
would fault is not promised and so never tried.
"""

from __future__ import annotations

from halcert.spec.language import (
    U8,
    U64,
    Address,
    Call,
    Extent,
    Returned,
    Size,
    Strength,
    accepts,
    align_up,
    ensures,
    interface,
    observes,
    undefined,
)
from halcert.spec.profiles import GEN2, Profile
from halcert.spec.runtime.order import host_races
from halcert.spec.sources import MODULE_DOC, SENSE
from halcert.spec.state import UNSET, USER, Block, State
from halcert.spec.svm.flags import HOST, HOST_UVA, MODULE_UNKNOWN, UVM
from halcert.spec.svm.memory import in_use, reached_by_host, vacant, within, write_races
from halcert.spec.uvm.moves import read_by_host, written_by_host
from halcert.spec.uvm.pages import touched_pages

MUST = Strength.MUST
SHOULD = Strength.SHOULD
HOST_PROGRAM = SENSE.at("a program and its own memory")


def accessible(state: State, address: int, length: int) -> bool:
    """Tell whether the program may access the range itself."""
    block = state.blocks.covering(address)
    return within(block, address, length) and (
        block.kind == USER
        or block.kind == HOST
        or block.kind == HOST_UVA
        or block.kind == UVM
        or reached_by_host(state, block)
    )


@interface("host.map", area="svm", source=HOST_PROGRAM)
class HostMap(Call, frozen=True):
    """Get ordinary process memory."""

    size: Size

    class Result(Returned, frozen=True):
        """The address of the memory."""

        address: Address

    @undefined("SVM-HMAP-001", source=HOST_PROGRAM)
    def size_is_zero(call) -> bool:
        """Nobody asks for no memory, or for more than there is."""
        return call.size == 0 or call.size > 2**40

    @accepts("SVM-HMAP-010", strength=SHOULD, source=HOST_PROGRAM, changes=("blocks", "contents"))
    def gives_memory(call, state: State, result: Result, profile: Profile) -> State:
        """The program has memory of its own, with undefined contents."""
        block = Block(
            base=result.address,
            size=call.size,
            extent=align_up(call.size, profile.page),
            kind=USER,
            device=profile.host_id,
            granule=profile.page,
            readonly=False,
            host_writes=False,
            cp_only=False,
            contiguous=False,
            hbm=False,
            module=MODULE_UNKNOWN,
            translated=False,
            place=UNSET,
            memory=state.contents.fresh(),
        )
        return state.but(blocks=state.blocks.insert(block), contents=state.contents.create())

    @ensures("SVM-HMAP-011", strength=SHOULD, source=HOST_PROGRAM)
    def nothing_live_is_there(call, state: State, result: Result, profile: Profile) -> bool:
        """What the operating system gives shares no byte with a live block."""
        return (
            result.address != 0
            and result.address + call.size <= 2**64
            and vacant(state, result.address, align_up(call.size, profile.page))
        )


@interface("host.unmap", area="svm", source=HOST_PROGRAM)
class HostUnmap(Call, frozen=True):
    """Give ordinary process memory back."""

    address: Address

    @undefined("SVM-HUNMAP-001", source=HOST_PROGRAM)
    def not_the_start_of_user_memory(call, state: State) -> bool:
        """A program gives back only what it has, and not while an operation uses it."""
        block = state.blocks.at(call.address)
        return not block.exists or block.kind != USER or in_use(state, block)

    @accepts("SVM-HUNMAP-010", strength=SHOULD, source=HOST_PROGRAM, changes=("blocks", "contents"))
    def memory_is_gone(call, state: State) -> State:
        """The memory is gone."""
        block = state.blocks.at(call.address)
        return state.but(
            blocks=state.blocks.delete(call.address), contents=state.contents.drop(block.memory)
        )


@interface("host.store", area="svm", source=HOST_PROGRAM)
class HostStore(Call, frozen=True):
    """Write bytes of a pattern to memory that the host can access."""

    address: Address
    size: Size
    pattern: U64
    offset: U64

    @undefined("SVM-STORE-001", source=HOST_PROGRAM)
    def not_accessible(call, state: State) -> bool:
        """A program writes only where it may."""
        return call.size == 0 or not accessible(state, call.address, call.size)

    @undefined("SVM-STORE-002", source=HOST_PROGRAM, profiles=GEN2)
    def races_with_a_copy(call, state: State) -> bool:
        """Writing where a copy under way reads or writes."""
        return write_races(state, call.address, call.size)

    @undefined("SVM-STORE-003", source=SENSE)
    def races_with_a_stream(call, state: State) -> bool:
        """Writing what a task of a stream may read or write at the same time."""
        return host_races(state, call.address, call.size, writes=True)

    @accepts(
        "SVM-STORE-010",
        strength=MUST,
        source=MODULE_DOC.at("SVM, host memory"),
        changes=("contents", "pages"),
    )
    def writes(call, state: State) -> State:
        """Exactly the bytes of the range hold the pattern; managed pages have one copy, here."""
        block = state.blocks.covering(call.address)
        return touched_pages(state, call.address, call.size, written_by_host).but(
            contents=state.contents.store(
                block.memory, call.address - block.base, call.size, call.pattern, call.offset
            )
        )


@interface("host.fill", area="svm", source=HOST_PROGRAM)
class HostFill(Call, frozen=True):
    """Write one byte value to memory that the host can access."""

    address: Address
    size: Size
    value: U8

    @undefined("SVM-FILL-001", source=HOST_PROGRAM)
    def not_accessible(call, state: State) -> bool:
        """A program writes only where it may."""
        return call.size == 0 or not accessible(state, call.address, call.size)

    @undefined("SVM-FILL-002", source=HOST_PROGRAM, profiles=GEN2)
    def races_with_a_copy(call, state: State) -> bool:
        """Writing where a copy under way reads or writes."""
        return write_races(state, call.address, call.size)

    @undefined("SVM-FILL-003", source=SENSE)
    def races_with_a_stream(call, state: State) -> bool:
        """Writing what a task of a stream may read or write at the same time."""
        return host_races(state, call.address, call.size, writes=True)

    @accepts(
        "SVM-FILL-010",
        strength=MUST,
        source=MODULE_DOC.at("SVM, host memory"),
        changes=("contents", "pages"),
    )
    def writes(call, state: State) -> State:
        """Exactly the bytes of the range hold the value; managed pages have one copy, here."""
        block = state.blocks.covering(call.address)
        return touched_pages(state, call.address, call.size, written_by_host).but(
            contents=state.contents.fill(
                block.memory, call.address - block.base, call.size, call.value
            )
        )


@interface("host.load", area="svm", source=HOST_PROGRAM)
class HostLoad(Call, frozen=True):
    """Read memory that the host can access."""

    address: Address
    size: Size

    class Result(Returned, frozen=True):
        """The bytes that were read."""

        data: bytes

    @undefined("SVM-LOAD-001", source=HOST_PROGRAM)
    def not_accessible(call, state: State) -> bool:
        """A program reads only where it may."""
        return call.size == 0 or not accessible(state, call.address, call.size)

    @undefined("SVM-LOAD-002", source=SENSE)
    def races_with_a_stream(call, state: State) -> bool:
        """Reading what a task of a stream may write at the same time."""
        return host_races(state, call.address, call.size, writes=False)

    @accepts(
        "SVM-LOAD-010",
        strength=MUST,
        source=MODULE_DOC.at("SVM, host memory"),
        changes=("pages",),
    )
    def reads(call, state: State) -> State:
        """Reading changes no byte; managed pages come to the host."""
        return touched_pages(state, call.address, call.size, read_by_host)

    @observes("SVM-LOAD-011", strength=MUST, source=MODULE_DOC.at("SVM, host memory"))
    def last_write(call, state: State) -> Extent:
        """Every byte reads as what was last written to it, by whatever means."""
        block = state.blocks.covering(call.address)
        return Extent(block.memory, call.address - block.base, call.size)
