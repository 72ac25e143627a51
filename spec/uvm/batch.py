"""halMemManagedPrefetchBatch: bringing several ranges of pages to several places."""

from __future__ import annotations

from typing import Any, NamedTuple

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    U64,
    Address,
    Call,
    Elements,
    Sequence,
    Size,
    Strength,
    accepts,
    interface,
    leaves,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN3, UVM_PRODUCTS
from halcert.spec.sources import API, HEADER, MODULE_DOC, SENSE, V2
from halcert.spec.state import OPEN, State
from halcert.spec.uvm.batched import (
    arrays_hold,
    indices_ascend,
    meets_a_range,
    places_of,
    ranges_of,
)
from halcert.spec.uvm.locations import DEVICE, HOST, MOST_DEVICES, NUMA, Location
from halcert.spec.uvm.moves import anywhere, either_device
from halcert.spec.uvm.pages import (
    changed,
    first_page,
    meets_a_hole,
    meets_a_neighbour,
    off_pages,
    starts_at_nothing,
    stop_of,
)
from halcert.spec.uvm.prefetch import outside, some_page_may_be_on_host

MUST = Strength.MUST
SHOULD = Strength.SHOULD
PARA_ERROR = DrvError.PARA_ERROR
MOST = 4096
"""Ranges of a batch, at most."""
MOST_PLACES = 64
"""Places of a batch, at most."""


def _place_of(call: MemManagedPrefetchBatch, number: int) -> tuple[int, int]:
    """Return type and number of the place to which the range with a number goes."""
    firsts: Any = call.prefetchLocIdxs
    return Elements(call.numPrefetchLocs, firsts, call.prefetchLocs).fold(
        lambda found, first, place: (
            (place.type, 0 if place.type == HOST else place.id) if first <= number else found
        ),
        (0, 0),
    )


class _Walk(NamedTuple):
    """How far a walk over the ranges has come: the state, and the number of the next range."""

    state: State
    number: int


def _sent(walk: _Walk, call: MemManagedPrefetchBatch, ptr: int, size: int) -> _Walk:
    kind, number = _place_of(call, walk.number)
    low, high = first_page(ptr), stop_of(walk.state, ptr, size)
    after = changed(
        walk.state,
        low,
        high,
        lambda run: run.but(
            host=True,
            device=either_device(run.device, number) if kind == DEVICE else run.device,
            latest_type=kind,
            latest_id=number,
        ),
    )
    return _Walk(after, walk.number + 1)


def _is_a_place(place: Location) -> bool:
    return (
        place.type == HOST
        or (place.type == DEVICE and place.id >= 0 and place.id < MOST_DEVICES)
        or (place.type == NUMA and place.id >= 0)
    )


def _well_formed(call: MemManagedPrefetchBatch) -> bool:
    return (
        arrays_hold(call)
        and call.numPrefetchLocs >= 1
        and call.numPrefetchLocs <= call.count
        and call.numPrefetchLocs <= MOST_PLACES
        and call.count <= MOST
        and indices_ascend(call)
        and places_of(call).all(_is_a_place)
    )


def _gets_to_the_pages(call: MemManagedPrefetchBatch) -> bool:
    return not MemManagedPrefetchBatch.outside_managed_addresses(call)


@interface(
    "halMemManagedPrefetchBatch", area="uvm", source=HEADER, optional=frozenset({"ascend950"})
)
class MemManagedPrefetchBatch(Call, frozen=True):
    """Bring several ranges of managed pages to devices or to the host."""

    ptrs: Sequence[Address]
    sizes: Sequence[Size]
    count: Size
    prefetchLocs: Sequence[Location]
    prefetchLocIdxs: Sequence[Size]
    numPrefetchLocs: Size
    flags: U64

    @rejects(
        "UVM-BATCH-001", strength=MUST, source=MODULE_DOC.at("UVM, limits of use"), profiles=GEN3
    )
    def no_managed_memory(call) -> bool:
        """Managed memory exists on Ascend 910B and 910_93 only."""
        return True

    @rejects(
        "UVM-BATCH-002",
        DrvError.INVALID_VALUE,
        DrvError.IOCRL_FAIL,
        strength=SHOULD,
        source=V2,
        profiles=UVM_PRODUCTS,
    )
    def outside_managed_addresses(call) -> bool:
        """Every range lies in the addresses of managed memory."""
        return ranges_of(call).any(outside)

    @rejects(
        "UVM-BATCH-003",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V2),
        profiles=UVM_PRODUCTS,
    )
    def not_allocated(call, state: State) -> bool:
        """Allocated pages are prefetched; the first that is not allocated stops the call."""
        return ranges_of(call).any(
            lambda ptr, size: starts_at_nothing(state, ptr, size) or meets_a_hole(state, ptr, size)
        )

    @undefined("UVM-BATCH-020", source=(API, V2), profiles=UVM_PRODUCTS)
    def not_well_formed(call) -> bool:
        """Passing arrays that do not say for each range to which one place it goes."""
        return not _well_formed(call)

    @undefined("UVM-BATCH-021", source=HEADER, profiles=UVM_PRODUCTS)
    def flags_are_reserved(call) -> bool:
        """Passing flags, which are reserved; the public driver does not look at them."""
        return call.flags != 0

    @undefined("UVM-BATCH-022", source=API, profiles=UVM_PRODUCTS)
    def no_bytes(call) -> bool:
        """Prefetching no bytes."""
        return ranges_of(call).any(lambda _ptr, size: size == 0)

    @undefined("UVM-BATCH-023", source=SENSE, profiles=UVM_PRODUCTS)
    def several_allocations(call, state: State) -> bool:
        """Prefetching a range over several allocations, which are side by side by chance only."""
        return ranges_of(call).any(lambda ptr, size: meets_a_neighbour(state, ptr, size))

    @may_reject("UVM-BATCH-024", DrvError.OUT_OF_MEMORY, source=V2, profiles=UVM_PRODUCTS)
    def memory_may_be_short(call) -> bool:
        """Prefetching may need memory."""
        return True

    @may_reject(
        "UVM-BATCH-025", PARA_ERROR, DrvError.INVALID_VALUE, source=API, profiles=UVM_PRODUCTS
    )
    def not_on_pages(call) -> bool:
        """The documents ask for whole pages; the public driver rounds."""
        return ranges_of(call).any(off_pages)

    @may_reject("UVM-BATCH-026", PARA_ERROR, source=V2, profiles=UVM_PRODUCTS)
    def node_may_be_missing(call) -> bool:
        """A NUMA node may be missing."""
        return places_of(call).any(lambda place: place.type == NUMA)

    @may_reject("UVM-BATCH-027", source=V2, profiles=UVM_PRODUCTS)
    def device_may_be_closed(call, state: State) -> bool:
        """The devices may have to be open."""
        return places_of(call).any(
            lambda place: place.type == DEVICE and not state.devices.at(place.id).open
        )

    @may_reject("UVM-BATCH-028", DrvError.NOT_SUPPORT, source=V2, profiles=UVM_PRODUCTS)
    def pages_may_be_there(call, state: State) -> bool:
        """Pages that are on the host may be refused when they are to go there."""
        return places_of(call).any(
            lambda place: place.type == HOST or place.type == NUMA
        ) and ranges_of(call).any(lambda ptr, size: some_page_may_be_on_host(state, ptr, size))

    @accepts(
        "UVM-BATCH-030",
        strength=MUST,
        source=(API.at("batch prefetch"), MODULE_DOC.at("UVM, prefetching")),
        changes=("pages",),
        profiles=UVM_PRODUCTS,
    )
    def prefetches(call, state: State) -> State:
        """The pages of each range may be at its place now; that is noted as the last one."""
        walk = ranges_of(call).fold(
            lambda walk, ptr, size: _sent(walk, call, ptr, size), _Walk(state, 0)
        )
        return walk.state

    @leaves(
        "UVM-BATCH-040",
        strength=SHOULD,
        source=V2,
        changes=("pages",),
        when=_gets_to_the_pages,
        profiles=UVM_PRODUCTS,
    )
    def some_ranges_moved(call, state: State) -> State:
        """A call that stops in the middle may have moved ranges and noted their places.

        What is known of pages beside a range is given up with it, where nothing told them apart.
        """
        return state.but(
            pages=state.pages.update_where(
                lambda run: meets_a_range(call, run),
                lambda run: anywhere(run).but(latest_type=OPEN),
            )
        )
