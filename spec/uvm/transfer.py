"""Setting and copying managed memory by calls: what is promised, what stops it, what it leaves."""

from __future__ import annotations

from halcert.spec.profiles import Profile
from halcert.spec.state import NO, NOWHERE, OPEN, Block, Pages, State
from halcert.spec.svm.flags import MAPPED, SVM, UVM
from halcert.spec.svm.memory import device_side, promised, ranges_overlap, within
from halcert.spec.uvm.moves import anywhere, copied_from, copied_into, set_by_call, untouched
from halcert.spec.uvm.pages import (
    behind_pages,
    changed,
    end_of,
    first_page,
    in_window,
    is_managed,
    runs_of,
    touched_pages,
)


def settable(state: State, address: int, length: int) -> bool:
    """Tell whether the documents promise what setting a range of managed memory does."""
    block = state.blocks.covering(address)
    return is_managed(block) and within(block, address, length)


def runs_out(state: State, address: int, length: int) -> bool:
    """Tell whether a range runs from managed memory into what is not allocated."""
    block = state.blocks.covering(address)
    return (
        is_managed(block)
        and address + length > end_of(block)
        and not state.blocks.covering(end_of(block)).exists
    )


def meets_nothing(state: State, address: int, length: int, profile: Profile) -> bool:
    """Tell whether a range starts at, or runs into, managed addresses that are not allocated."""
    if profile.generation == "v3":
        return False
    nothing = in_window(address) and not state.blocks.covering(address).exists
    return nothing or runs_out(state, address, length)


def set_pages(state: State, address: int, length: int) -> State:
    """Return the state after bytes were set; only managed pages change."""
    return touched_pages(state, address, length, set_by_call)


def _perhaps_written(run: Pages) -> Pages:
    """Return what is known of pages that a call wrote to, or failed to write to."""
    moved = anywhere(run)
    return moved if run.mostly == NO else moved.but(mostly=OPEN)


def left_half_written(state: State, address: int, length: int) -> State:
    """Return the state after a call that writes to a range of a live block stopped somewhere."""
    block = state.blocks.covering(address)
    end = min(end_of(block), address + length)
    written = state.but(
        contents=state.contents.forget(block.memory, address - block.base, end - address)
    )
    if block.kind != UVM:
        return written
    return changed(written, first_page(address), behind_pages(end, 0), _perhaps_written)


# --------------------------------------------------------------------------------------- copies


def _fits(block: Block, address: int, length: int) -> bool:
    if block.kind == UVM:
        return within(block, address, length)
    return (
        promised(block, address, length)
        and block.kind != SVM
        and block.kind != MAPPED
        and not block.host_writes
    )


def _share_a_page(dst: int, src: int, length: int) -> bool:
    to, start = first_page(dst), first_page(src)
    return ranges_overlap(
        to, behind_pages(dst, length) - to, start, behind_pages(src, length) - start
    )


def copy_is_managed(state: State, dst: int, src: int, length: int) -> bool:
    """Tell whether the documents promise what a copy from or to managed memory does.

    Pages of its two ends must be different ones.
    """
    target, source = state.blocks.covering(dst), state.blocks.covering(src)
    return (
        (is_managed(target) or is_managed(source))
        and _fits(target, dst, length)
        and _fits(source, src, length)
        and not (is_managed(target) and is_managed(source) and _share_a_page(dst, src, length))
    )


def source_is_untouched(state: State, src: int, length: int) -> bool:
    """Tell whether managed memory is to be copied of which some page has no copy, for sure."""
    return settable(state, src, length) and runs_of(state, src, length).any(untouched)


def source_may_be_untouched(state: State, src: int, length: int) -> bool:
    """Tell whether managed memory is to be copied of which some page may have no copy."""
    return settable(state, src, length) and runs_of(state, src, length).any(lambda run: run.unset)


def _may_be_on_a_device(state: State, address: int, length: int) -> bool:
    return settable(state, address, length) and runs_of(state, address, length).any(
        lambda run: run.device != NOWHERE
    )


def may_be_between_devices(state: State, dst: int, src: int, length: int) -> bool:
    """Tell whether managed memory that may be on a device is copied from or to device memory."""
    return (
        device_side(state.blocks.covering(dst)) and _may_be_on_a_device(state, src, length)
    ) or (device_side(state.blocks.covering(src)) and _may_be_on_a_device(state, dst, length))


def copied_pages(state: State, dst: int, src: int, length: int) -> State:
    """Return the state after bytes were copied; only managed pages change, on both ends."""
    return touched_pages(_read_pages(state, src, length), dst, length, copied_into)


def _read_pages(state: State, src: int, length: int) -> State:
    """Return the state after managed memory was copied from: all of its pages were there.

    Runs that reach out of the range are left as they are, which errs on the safe side.
    """
    low, high = first_page(src), behind_pages(src, length)
    return state.but(
        pages=state.pages.update_where(
            lambda run: run.base >= low and run.base + run.extent <= high, copied_from
        )
    )
