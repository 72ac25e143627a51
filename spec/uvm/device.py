"""What the program on a device does with managed memory: accesses are calls of the model.

``device.load`` and ``device.store`` are reads and writes by a kernel. Adapters offer them where the
library has an agent that makes them.
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
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN3, PROFILES, UVM_PRODUCTS
from halcert.spec.sources import MODULE_DOC, SENSE
from halcert.spec.state import OPEN, State
from halcert.spec.svm.memory import within
from halcert.spec.uvm.moves import anywhere, read_by_device, written_by_device
from halcert.spec.uvm.pages import is_managed, touched_pages

MUST = Strength.MUST
SHOULD = Strength.SHOULD
KERNEL = SENSE.at("a kernel and the memory it is given")
FAULTS = MODULE_DOC.at("UVM, page faults")
LIMITS = MODULE_DOC.at("UVM, limits of use")
ALL = frozenset(PROFILES)
"""Only a simulated device has an agent, so no product needs these accesses."""


def reachable_by_device(state: State, device: int, address: int, size: int) -> bool:
    """Tell whether a program on a device may access a range."""
    block = state.blocks.covering(address)
    return (
        size != 0
        and is_managed(block)
        and within(block, address, size)
        and state.devices.at(device).open
    )


def _gets_there(call: DeviceStore | DeviceLoad, state: State) -> bool:
    return reachable_by_device(state, call.device, call.address, call.size)


@interface("device.store", area="uvm", source=KERNEL, optional=ALL)
class DeviceStore(Call, frozen=True):
    """Write bytes of a pattern to managed memory, as a program on a device."""

    device: DeviceId
    address: Address
    size: Size
    pattern: U64
    offset: U64

    @rejects("UVM-DSTORE-001", strength=MUST, source=LIMITS, profiles=GEN3)
    def no_managed_memory(call) -> bool:
        """Managed memory exists on Ascend 910B and 910_93 only."""
        return True

    @undefined("UVM-DSTORE-002", source=KERNEL, profiles=UVM_PRODUCTS)
    def not_accessible(call, state: State) -> bool:
        """A program writes only where it may."""
        return not reachable_by_device(state, call.device, call.address, call.size)

    @may_reject("UVM-DSTORE-003", DrvError.OUT_OF_MEMORY, source=FAULTS, profiles=UVM_PRODUCTS)
    def memory_may_be_short(call) -> bool:
        """Serving a page fault may need memory, on the device and on the host."""
        return True

    @accepts(
        "UVM-DSTORE-010",
        strength=MUST,
        source=(FAULTS, MODULE_DOC.at("UVM, memory attributes")),
        changes=("pages", "contents"),
        profiles=UVM_PRODUCTS,
    )
    def writes(call, state: State) -> State:
        """Exactly the bytes of the range hold the pattern; their pages have one copy, there.

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
    """Read managed memory, as a program on a device."""

    device: DeviceId
    address: Address
    size: Size

    class Result(Returned, frozen=True):
        """The bytes that were read."""

        data: bytes

    @rejects("UVM-DLOAD-001", strength=MUST, source=LIMITS, profiles=GEN3)
    def no_managed_memory(call) -> bool:
        """Managed memory exists on Ascend 910B and 910_93 only."""
        return True

    @undefined("UVM-DLOAD-002", source=KERNEL, profiles=UVM_PRODUCTS)
    def not_accessible(call, state: State) -> bool:
        """A program reads only where it may."""
        return not reachable_by_device(state, call.device, call.address, call.size)

    @may_reject("UVM-DLOAD-003", DrvError.OUT_OF_MEMORY, source=FAULTS, profiles=UVM_PRODUCTS)
    def memory_may_be_short(call) -> bool:
        """Serving a page fault may need memory, on the device and on the host."""
        return True

    @accepts(
        "UVM-DLOAD-010",
        strength=MUST,
        source=FAULTS,
        changes=("pages",),
        profiles=UVM_PRODUCTS,
    )
    def reads(call, state: State) -> State:
        """The pages come to the device, or replicas of read-mostly ones do; no byte changes."""
        return touched_pages(
            state, call.address, call.size, lambda run: read_by_device(run, call.device)
        )

    @observes("UVM-DLOAD-011", strength=MUST, source=FAULTS, profiles=UVM_PRODUCTS)
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
