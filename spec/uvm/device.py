"""What the program on a device does with memory: accesses are calls of the model.

``device.load`` and ``device.store`` are reads and writes by a kernel: of managed memory, and of the
device's own. Adapters offer them where the library has an agent that makes them.
"""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    U64,
    Address,
    Call,
    DeviceId,
    Extent,
    Returned,
    Size,
    Strength,
    accepts,
    interface,
    leaves,
    may_reject,
    observes,
    undefined,
)
from halcert.spec.profiles import GEN2, PROFILES, UVM_PRODUCTS
from halcert.spec.soma.memory import reaches_pool
from halcert.spec.sources import MODULE_DOC, SENSE
from halcert.spec.state import OPEN, Block, State
from halcert.spec.svm.flags import DEV, DVPP
from halcert.spec.svm.memory import within, write_races
from halcert.spec.uvm.moves import anywhere, read_by_device, written_by_device
from halcert.spec.uvm.pages import is_managed, touched_pages

MUST = Strength.MUST
SHOULD = Strength.SHOULD
KERNEL = SENSE.at("a kernel and the memory it is given")
FAULTS = MODULE_DOC.at("UVM, page faults")
ALL = frozenset(PROFILES)
"""Only a simulated device has an agent, so no product needs these accesses."""


def reachable_by_device(state: State, device: int, address: int, size: int) -> bool:
    """Tell whether a program on a device may access a range."""
    block = state.blocks.covering(address)
    return (
        size != 0
        and (
            is_managed(block)
            or _is_its_own(block, device)
            or (block.device == device and reaches_pool(state, block, address, size))
        )
        and within(block, address, size)
        and state.devices.at(device).open
    )


def _is_its_own(block: Block, device: int) -> bool:
    """Tell whether a block is ordinary memory of a device."""
    return (
        (block.kind == DEV or block.kind == DVPP)
        and block.device == device
        and not block.readonly
        and not block.host_writes
        and not block.cp_only
    )


def _gets_there(call: DeviceStore | DeviceLoad, state: State) -> bool:
    managed = is_managed(state.blocks.covering(call.address))
    return managed and reachable_by_device(state, call.device, call.address, call.size)


@interface("device.store", area="uvm", source=KERNEL, optional=ALL)
class DeviceStore(Call, frozen=True):
    """Write bytes of a pattern to memory, as a program on a device."""

    device: DeviceId
    address: Address
    size: Size
    pattern: U64
    offset: U64

    @undefined("UVM-DSTORE-002", source=KERNEL)
    def not_accessible(call, state: State) -> bool:
        """A program writes only where it may."""
        return not reachable_by_device(state, call.device, call.address, call.size)

    @may_reject("UVM-DSTORE-003", DrvError.OUT_OF_MEMORY, source=FAULTS, profiles=UVM_PRODUCTS)
    def memory_may_be_short(call, state: State) -> bool:
        """Serving a page fault may need memory, on the device and on the host."""
        return is_managed(state.blocks.covering(call.address))

    @undefined("UVM-DSTORE-004", source=SENSE, profiles=GEN2)
    def races_with_a_copy(call, state: State) -> bool:
        """Writing where a copy under way reads or writes."""
        return write_races(state, call.address, call.size)

    @accepts(
        "UVM-DSTORE-010",
        strength=MUST,
        source=(FAULTS, MODULE_DOC.at("UVM, memory attributes")),
        changes=("pages", "contents"),
    )
    def writes(call, state: State) -> State:
        """Exactly the bytes of the range hold the pattern; managed pages have one copy, there.

        Read-mostly pages cease to be so: all copies but that of the writer go.
        """
        block = state.blocks.covering(call.address)
        moved = touched_pages(
            state, call.address, call.size, lambda run: written_by_device(run, call.device)
        )
        return moved.but(
            contents=state.contents.store(
                block.memory, call.address - block.base, call.size, call.pattern, call.offset
            )
        )

    @leaves(
        "UVM-DSTORE-020",
        strength=SHOULD,
        source=KERNEL,
        changes=("pages", "contents"),
        when=_gets_there,
        profiles=UVM_PRODUCTS,
    )
    def writes_in_part(call, state: State) -> State:
        """A store that fails may have written some of its bytes."""
        block = state.blocks.covering(call.address)
        moved = touched_pages(
            state, call.address, call.size, lambda run: anywhere(run).but(mostly=OPEN)
        )
        return moved.but(
            contents=state.contents.forget(block.memory, call.address - block.base, call.size)
        )


@interface("device.load", area="uvm", source=KERNEL, optional=ALL)
class DeviceLoad(Call, frozen=True):
    """Read memory, as a program on a device."""

    device: DeviceId
    address: Address
    size: Size

    class Result(Returned, frozen=True):
        """The bytes that were read."""

        data: bytes

    @undefined("UVM-DLOAD-002", source=KERNEL)
    def not_accessible(call, state: State) -> bool:
        """A program reads only where it may."""
        return not reachable_by_device(state, call.device, call.address, call.size)

    @may_reject("UVM-DLOAD-003", DrvError.OUT_OF_MEMORY, source=FAULTS, profiles=UVM_PRODUCTS)
    def memory_may_be_short(call, state: State) -> bool:
        """Serving a page fault may need memory, on the device and on the host."""
        return is_managed(state.blocks.covering(call.address))

    @accepts(
        "UVM-DLOAD-010",
        strength=MUST,
        source=FAULTS,
        changes=("pages",),
    )
    def reads(call, state: State) -> State:
        """Managed pages come to the device, or replicas of read-mostly ones do; no byte changes."""
        return touched_pages(
            state, call.address, call.size, lambda run: read_by_device(run, call.device)
        )

    @observes("UVM-DLOAD-011", strength=MUST, source=FAULTS)
    def last_write(call, state: State) -> Extent:
        """Every byte reads as what was last written to it, by whomever and wherever it was."""
        block = state.blocks.covering(call.address)
        return Extent(block.memory, call.address - block.base, call.size)

    @leaves(
        "UVM-DLOAD-020",
        strength=SHOULD,
        source=KERNEL,
        changes=("pages",),
        when=_gets_there,
        profiles=UVM_PRODUCTS,
    )
    def some_pages_moved(call, state: State) -> State:
        """A load that fails may have moved pages."""
        return touched_pages(state, call.address, call.size, anywhere)
