"""Managed pages: the runs that a call is about, what is known of them, and how that changes."""

from __future__ import annotations

from collections.abc import Callable

from halcert.spec.abi.constants import UvmLocation
from halcert.spec.language import Table, align_down, align_up
from halcert.spec.profiles import MIB
from halcert.spec.state import NO, NOWHERE, Accessor, Block, Pages, State
from halcert.spec.svm.flags import UVM

WINDOW = 0x90000000000
"""First address of managed memory."""
WINDOW_END = 0xC0000000000
"""Address behind managed memory."""
PAGE = 2 * MIB
"""Size of a managed page (bytes)."""
SPAN = 2**48
"""Address space that each accessor has of its own in the table of accessors (bytes)."""
NONE = UvmLocation.DRV_UVM_LOCATION_TYPE_INVALID
"""Type of the location that pages have where none was set."""


def in_window(address: int) -> bool:
    """Tell whether an address is one of managed memory, allocated or not."""
    return address >= WINDOW and address < WINDOW_END


def leaves_window(address: int, size: int) -> bool:
    """Tell whether a range starts outside the addresses of managed memory or runs out of them."""
    return not in_window(address) or address + size > WINDOW_END


def is_managed(block: Block) -> bool:
    """Tell whether a block is live managed memory."""
    return block.exists and block.kind == UVM


def first_page(address: int) -> int:
    """Return the start of the page that an address is in."""
    return align_down(address, PAGE)


def behind_pages(address: int, size: int) -> int:
    """Return the end of the last page that a range touches."""
    return align_up(address + size, PAGE)


def misses_its_tail(address: int, size: int) -> bool:
    """Tell whether rounding address and size apart leaves out the last page of a range."""
    return first_page(address) + align_up(size, PAGE) < behind_pages(address, size)


def off_pages(address: int, size: int) -> bool:
    """Tell whether a range does not consist of whole pages."""
    return address % PAGE != 0 or size % PAGE != 0


def end_of(block: Block) -> int:
    """Return the address behind the pages of a block."""
    return block.base + block.extent


def not_managed(state: State, address: int) -> bool:
    """Tell whether an address is not in live managed memory."""
    return not is_managed(state.blocks.covering(address))


def starts_at_nothing(state: State, address: int, size: int) -> bool:
    """Tell whether a range lies in the addresses of managed memory and starts at a free one."""
    return not leaves_window(address, size) and not_managed(state, address)


def meets_a_hole(state: State, address: int, size: int) -> bool:
    """Tell whether the pages of a range run from managed memory into what is not allocated."""
    block = state.blocks.covering(address)
    return (
        is_managed(block)
        and behind_pages(address, size) > end_of(block)
        and not state.blocks.covering(end_of(block)).exists
    )


def meets_a_neighbour(state: State, address: int, size: int) -> bool:
    """Tell whether the pages of a range run from managed memory into another block."""
    block = state.blocks.covering(address)
    return (
        is_managed(block)
        and behind_pages(address, size) > end_of(block)
        and state.blocks.covering(end_of(block)).exists
    )


def stop_of(state: State, address: int, size: int) -> int:
    """Return the end of the pages of a range that are in the block in which it starts."""
    end, block = behind_pages(address, size), state.blocks.covering(address)
    return min(end_of(block), end)


# --------------------------------------------------------------------------------------- runs


def runs_of(state: State, address: int, size: int) -> Table[Pages]:
    """Return the runs that the pages of a range are in, as far as they are in one block."""
    return state.pages.meeting(first_page(address), stop_of(state, address, size))


def changed(state: State, low: int, high: int, change: Callable[[Pages], Pages]) -> State:
    """Return the state after every page in ``[low, high)`` changed."""
    return state.but(pages=state.pages.update_range(low, high, change))


def touched_pages(state: State, address: int, size: int, change: Callable[[Pages], Pages]) -> State:
    """Return the state after an access to a range of one block; only managed pages change."""
    if state.blocks.covering(address).kind != UVM:
        return state
    return changed(state, first_page(address), behind_pages(address, size), change)


def fresh_pages(base: int, extent: int) -> Pages:
    """Return the pages of a new allocation: nobody touched them, and nothing was set."""
    return Pages(
        base=base,
        extent=extent,
        mostly=NO,
        unset=True,
        host=False,
        device=NOWHERE,
        prefer_type=NONE,
        prefer_id=0,
        access_open=False,
        latest_type=NONE,
        latest_id=0,
    )


def allocated_pages(state: State, base: int, extent: int) -> State:
    """Return the state after managed memory was allocated."""
    return state.but(pages=state.pages.insert(fresh_pages(base, extent)))


def freed_pages(state: State, block: Block) -> State:
    """Return the state after the pages of a block, if it has any, have gone.

    All that was set for them is gone as well.
    """
    return state.but(
        pages=state.pages.delete_where(
            lambda run: run.base >= block.base and run.base < end_of(block)
        ),
        accessors=state.accessors.delete_where(lambda row: row.base == block.base),
    )


# ---------------------------------------------------------------------------------- accessors


def is_accessed(state: State, address: int, accessor: int) -> bool:
    """Tell whether a page is said to be accessed by a device or the host."""
    return state.accessors.covering(accessor * SPAN + address).exists


def without_accessor(state: State, low: int, high: int, accessor: int) -> Table[Accessor]:
    """Return the accessors when one is not said to access ``[low, high)``."""
    return state.accessors.delete_range(accessor * SPAN + low, accessor * SPAN + high)


def with_accessor(state: State, low: int, high: int, accessor: int) -> Table[Accessor]:
    """Return the accessors when one is said to access ``[low, high)``."""
    return without_accessor(state, low, high, accessor).insert(
        Accessor(
            place=accessor * SPAN + low,
            extent=high - low,
            base=state.blocks.covering(low).base,
            id=accessor,
        )
    )
