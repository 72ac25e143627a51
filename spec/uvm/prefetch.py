"""halMemManagedPrefetch: bringing pages to where they are going to be used."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    U32,
    Address,
    Call,
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
from halcert.spec.state import Pages, State
from halcert.spec.uvm.locations import (
    NUMA,
    Location,
    is_device,
    is_host,
    number_of,
    wrong_device,
    wrong_node,
)
from halcert.spec.uvm.moves import anywhere, sent
from halcert.spec.uvm.pages import (
    NONE,
    changed,
    first_page,
    in_window,
    is_managed,
    meets_a_hole,
    meets_a_neighbour,
    off_pages,
    runs_of,
    starts_at_nothing,
    stop_of,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
PARA_ERROR = DrvError.PARA_ERROR
NOT_SUPPORT = DrvError.NOT_SUPPORT
PREFETCH = MODULE_DOC.at("UVM, prefetching")


def outside(address: int, size: int) -> bool:
    """Tell whether a range to be prefetched leaves the addresses of managed memory.

    A range without bytes must start behind the first of them.
    """
    return not in_window(address) or not in_window(address + size - 1)


def unknown_place(place: Location) -> bool:
    """Tell whether a place has no type, or an unknown one."""
    return place.type == NONE or place.type > NUMA


def some_page_is_somewhere(state: State, address: int, size: int) -> bool:
    """Tell whether some page of a range has a copy somewhere, for sure."""
    return runs_of(state, address, size).any(lambda run: not run.unset)


def some_page_may_be_on_host(state: State, address: int, size: int) -> bool:
    """Tell whether some page of a range may have a copy on the host."""
    return runs_of(state, address, size).any(lambda run: run.host)


def device_is_closed(state: State, place: Location) -> bool:
    """Tell whether a place is a device that is not open."""
    return is_device(place) and not state.devices.at(place.id).open


def latest(run: Pages, place: Location) -> Pages:
    """Return the pages after the place was noted as the one that they were prefetched to last."""
    return run.but(latest_type=place.type, latest_id=number_of(place))


def prefetched(state: State, address: int, size: int, place: Location) -> State:
    """Return the state after the pages of a range were prefetched to a place."""
    low, high = first_page(address), stop_of(state, address, size)
    return changed(state, low, high, lambda run: latest(sent(run, place), place))


def _gets_to_the_pages(call: MemManagedPrefetch, state: State) -> bool:
    return (
        not MemManagedPrefetch.outside_managed_addresses(call)
        and not MemManagedPrefetch.no_such_device(call)
        and not MemManagedPrefetch.flags_are_reserved(call)
        and not MemManagedPrefetch.no_such_node(call)
        and is_managed(state.blocks.covering(call.ptr))
    )


@interface("halMemManagedPrefetch", area="uvm", source=HEADER, optional=frozenset({"ascend950"}))
class MemManagedPrefetch(Call, frozen=True):
    """Bring a range of managed pages to a device or to the host."""

    ptr: Address
    size: Size
    location: Location
    flags: U32

    @rejects(
        "UVM-FETCH-001", strength=MUST, source=MODULE_DOC.at("UVM, limits of use"), profiles=GEN3
    )
    def no_managed_memory(call) -> bool:
        """Managed memory exists on Ascend 910B and 910_93 only."""
        return True

    @rejects(
        "UVM-FETCH-002",
        INVALID_VALUE,
        DrvError.IOCRL_FAIL,
        strength=SHOULD,
        source=V2,
        profiles=UVM_PRODUCTS,
    )
    def outside_managed_addresses(call) -> bool:
        """The range lies in the addresses of managed memory."""
        return outside(call.ptr, call.size)

    @rejects(
        "UVM-FETCH-003",
        INVALID_VALUE,
        PARA_ERROR,
        strength=SHOULD,
        source=V2,
        profiles=UVM_PRODUCTS,
    )
    def no_such_device(call) -> bool:
        """A device id is not negative and below 64."""
        return wrong_device(call.location)

    @rejects(
        "UVM-FETCH-004",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=UVM_PRODUCTS,
    )
    def flags_are_reserved(call) -> bool:
        """The flags are reserved and must be 0."""
        return call.flags != 0

    @rejects("UVM-FETCH-005", PARA_ERROR, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def no_such_node(call) -> bool:
        """The number of a NUMA node is not negative."""
        return wrong_node(call.location)

    @rejects(
        "UVM-FETCH-006",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V2),
        profiles=UVM_PRODUCTS,
    )
    def not_allocated(call, state: State) -> bool:
        """Allocated pages are prefetched; the first that is not allocated stops the call."""
        return starts_at_nothing(state, call.ptr, call.size) or (
            call.size != 0 and meets_a_hole(state, call.ptr, call.size)
        )

    @rejects("UVM-FETCH-007", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def no_place(call, state: State) -> bool:
        """Pages that are somewhere cannot be prefetched to nowhere.

        Pages are looked at one after the other, so that those before a hole are met first.
        """
        return (
            unknown_place(call.location)
            and is_managed(state.blocks.covering(call.ptr))
            and some_page_is_somewhere(state, call.ptr, call.size)
        )

    @undefined("UVM-FETCH-020", source=API, profiles=UVM_PRODUCTS)
    def no_bytes(call) -> bool:
        """Prefetching no bytes."""
        return call.size == 0

    @undefined("UVM-FETCH-021", source=SENSE, profiles=UVM_PRODUCTS)
    def several_allocations(call, state: State) -> bool:
        """Prefetching over several allocations, which are side by side by chance only."""
        return meets_a_neighbour(state, call.ptr, call.size)

    @undefined("UVM-FETCH-022", source=V2, profiles=UVM_PRODUCTS)
    def nothing_to_nowhere(call, state: State) -> bool:
        """Prefetching pages to nowhere of which none need be anywhere."""
        return unknown_place(call.location) and not some_page_is_somewhere(
            state, call.ptr, call.size
        )

    @may_reject("UVM-FETCH-023", DrvError.OUT_OF_MEMORY, source=V2, profiles=UVM_PRODUCTS)
    def memory_may_be_short(call) -> bool:
        """Prefetching may need memory."""
        return True

    @may_reject("UVM-FETCH-024", PARA_ERROR, INVALID_VALUE, source=API, profiles=UVM_PRODUCTS)
    def not_on_pages(call) -> bool:
        """The documents ask for whole pages; the public driver rounds."""
        return off_pages(call.ptr, call.size)

    @may_reject("UVM-FETCH-025", PARA_ERROR, source=V2, profiles=UVM_PRODUCTS)
    def node_may_be_missing(call) -> bool:
        """A NUMA node may be missing."""
        return call.location.type == NUMA

    @may_reject("UVM-FETCH-026", source=V2, profiles=UVM_PRODUCTS)
    def device_may_be_closed(call, state: State) -> bool:
        """The device may have to be open."""
        return device_is_closed(state, call.location)

    @may_reject("UVM-FETCH-027", NOT_SUPPORT, source=V2, profiles=UVM_PRODUCTS)
    def pages_may_be_there(call, state: State) -> bool:
        """Pages that are on the host may be refused when they are to go there.

        No document speaks of it; whether pages are on the host cannot always be told.
        """
        return is_host(call.location) and some_page_may_be_on_host(state, call.ptr, call.size)

    @accepts(
        "UVM-FETCH-030",
        strength=MUST,
        source=PREFETCH,
        changes=("pages",),
        profiles=UVM_PRODUCTS,
    )
    def prefetches(call, state: State) -> State:
        """The pages may be at the place now, with their bytes; it is noted as the last one.

        Pages that nobody touched may stay so. A replica of read-mostly pages comes in addition to
        those that there are.
        """
        return prefetched(state, call.ptr, call.size, call.location)

    @leaves(
        "UVM-FETCH-040",
        strength=SHOULD,
        source=V2,
        changes=("pages",),
        when=_gets_to_the_pages,
        profiles=UVM_PRODUCTS,
    )
    def some_pages_moved(call, state: State) -> State:
        """A call that stops in the middle may have moved pages; the last place stays as noted."""
        low, high = first_page(call.ptr), stop_of(state, call.ptr, call.size)
        return changed(state, low, high, anywhere)
