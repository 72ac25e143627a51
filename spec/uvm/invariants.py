"""What the tables of the area satisfy in every state that calls can reach."""

from __future__ import annotations

from halcert.spec.language import Invariant
from halcert.spec.state import NO, NOWHERE, OPEN, SEVERAL, YES, Accessor, Pages, State
from halcert.spec.svm.flags import UVM
from halcert.spec.uvm.locations import HOST_ACCESSOR
from halcert.spec.uvm.pages import PAGE, SPAN, WINDOW, WINDOW_END, end_of, is_managed


def _runs_are_disjoint(state: State) -> bool:
    return state.pages.disjoint() and state.pages.all(lambda run: run.extent > 0)


def _in_its_block(state: State, run: Pages) -> bool:
    block = state.blocks.covering(run.base)
    return is_managed(block) and run.base + run.extent <= end_of(block)


def _runs_are_in_blocks(state: State) -> bool:
    return state.pages.all(lambda run: _in_its_block(state, run))


def _every_page_is_in_a_run(state: State) -> bool:
    """Tell whether runs, which lie in blocks of managed memory, have as many bytes as those."""
    return state.pages.sum(lambda run: run.extent) == state.blocks.sum(
        lambda block: block.extent if block.kind == UVM else 0
    )


def _possible(run: Pages) -> bool:
    return (
        (run.mostly == NO or run.mostly == YES or run.mostly == OPEN)
        and (run.unset or run.host)
        and (run.device == NOWHERE or run.host)
        and (run.mostly != YES or (run.host and not run.unset))
        and run.device >= 0
        and run.device <= SEVERAL
    )


def _runs_are_possible(state: State) -> bool:
    return state.pages.all(_possible)


def _accessor_in_its_block(state: State, row: Accessor) -> bool:
    block = state.blocks.at(row.base)
    low = row.place - row.id * SPAN
    return (
        is_managed(block)
        and row.extent > 0
        and row.id >= 0
        and row.id <= HOST_ACCESSOR
        and low >= block.base
        and low + row.extent <= end_of(block)
    )


def _accessors_are_in_blocks(state: State) -> bool:
    return state.accessors.all(lambda row: _accessor_in_its_block(state, row))


def _accessors_are_disjoint(state: State) -> bool:
    return state.accessors.disjoint()


def _blocks_are_in_the_window(state: State) -> bool:
    return state.blocks.all(
        lambda block: (
            block.kind != UVM
            or (
                block.base >= WINDOW
                and end_of(block) <= WINDOW_END
                and block.base % PAGE == 0
                and block.extent % PAGE == 0
            )
        )
    )


INVARIANTS = (
    Invariant(
        "UVM-INV-001", "Runs of managed pages share no byte.", _runs_are_disjoint, ("pages",)
    ),
    Invariant(
        "UVM-INV-002",
        "A run of managed pages lies in one live block of managed memory.",
        _runs_are_in_blocks,
        ("pages", "blocks"),
    ),
    Invariant(
        "UVM-INV-003",
        "Every page of managed memory is in a run.",
        _every_page_is_in_a_run,
        ("pages", "blocks"),
    ),
    Invariant(
        "UVM-INV-004",
        "Pages are somewhere or untouched, and read-mostly ones are on the host at least.",
        _runs_are_possible,
        ("pages",),
    ),
    Invariant(
        "UVM-INV-005",
        "Who is said to access pages is said so of pages of one live block.",
        _accessors_are_in_blocks,
        ("accessors", "blocks"),
    ),
    Invariant(
        "UVM-INV-006",
        "A page is said to be accessed by somebody once.",
        _accessors_are_disjoint,
        ("accessors",),
    ),
    Invariant(
        "UVM-INV-007",
        "Managed memory consists of whole pages of the addresses that are kept for it.",
        _blocks_are_in_the_window,
        ("blocks",),
    ),
)
