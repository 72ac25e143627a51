"""halMemManagedAdvise: how pages are going to be used."""

from __future__ import annotations

from collections.abc import Callable

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import UvmAdvise
from halcert.spec.language import (
    U32,
    Address,
    Call,
    Returned,
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
from halcert.spec.state import NO, NOWHERE, OPEN, YES, Pages, State
from halcert.spec.svm.idle import may_be_unknown
from halcert.spec.uvm.locations import (
    DEVICE,
    HOST,
    HOST_ACCESSOR,
    NUMA,
    Location,
    accessor_of,
    is_device,
    number_of,
    wrong_device,
    wrong_node,
)
from halcert.spec.uvm.moves import anywhere, made_read_mostly, made_single, prepared
from halcert.spec.uvm.pages import (
    NONE,
    changed,
    first_page,
    is_accessed,
    is_managed,
    leaves_window,
    meets_a_hole,
    meets_a_neighbour,
    misses_its_tail,
    off_pages,
    runs_of,
    starts_at_nothing,
    stop_of,
    with_accessor,
    without_accessor,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
PARA_ERROR = DrvError.PARA_ERROR
READ_MOSTLY = UvmAdvise.READ_MOSTLY
UNSET_READ_MOSTLY = UvmAdvise.UNSET_READ_MOSTLY
PREFER = UvmAdvise.PREFER_LOCATION
UNSET_PREFER = UvmAdvise.UNSET_PREFER_LOCATION
ACCESS_BY = UvmAdvise.ACCESS_BY_LOCATION
UNSET_ACCESS_BY = UvmAdvise.UNSET_ACCESS_BY_LOCATION
ADVICE = MODULE_DOC.at("UVM, memory attributes")


def _takes_a_place(call: MemManagedAdvise) -> bool:
    return (
        call.advise == UNSET_READ_MOSTLY
        or call.advise == PREFER
        or call.advise == ACCESS_BY
        or call.advise == UNSET_ACCESS_BY
    )


def _about_access(call: MemManagedAdvise) -> bool:
    return call.advise == ACCESS_BY or call.advise == UNSET_ACCESS_BY


def _arguments_refused(call: MemManagedAdvise) -> bool:
    return (
        MemManagedAdvise.size_is_zero(call)
        or MemManagedAdvise.outside_managed_addresses(call)
        or MemManagedAdvise.unknown_advice(call)
        or MemManagedAdvise.no_such_device(call)
        or MemManagedAdvise.no_place(call)
        or MemManagedAdvise.no_such_node(call)
        or MemManagedAdvise.nodes_do_not_access(call)
    )


def gets_to_the_pages(call: MemManagedAdvise, state: State) -> bool:
    """Tell whether a call that is stopped is stopped at the pages."""
    return not _arguments_refused(call) and is_managed(state.blocks.covering(call.ptr))


# ------------------------------------------------------------------------------------- effects


def _matched(state: State, run: Pages, call: MemManagedAdvise) -> bool:
    """Tell whether pages that are to prefer a place are said to be accessed from there as well."""
    return is_accessed(state, run.base, accessor_of(call.location))


def _preferring(state: State, run: Pages, call: MemManagedAdvise) -> Pages:
    place = call.location
    ready = prepared(run, place, certain=_matched(state, run, call))
    return ready.but(prefer_type=place.type, prefer_id=number_of(place))


def _prefers(run: Pages, accessor: int) -> bool:
    """Tell whether pages prefer the place of an accessor."""
    return (run.prefer_type == DEVICE and run.prefer_id == accessor) or (
        (run.prefer_type == HOST or run.prefer_type == NUMA) and accessor == HOST_ACCESSOR
    )


def _accessed(run: Pages, call: MemManagedAdvise) -> Pages:
    if not _prefers(run, accessor_of(call.location)):
        return run
    return prepared(run, call.location, certain=True)


def _doubtful(run: Pages, call: MemManagedAdvise) -> Pages:
    """Return what is known of pages when the advice may have been followed for them or not."""
    moved = anywhere(run)
    if call.advise == READ_MOSTLY or call.advise == UNSET_READ_MOSTLY:
        return moved.but(mostly=OPEN)
    if call.advise == PREFER or call.advise == UNSET_PREFER:
        return moved.but(prefer_type=OPEN)
    return moved.but(access_open=True)


# --------------------------------------------------------------------------------- conditions


def _may_be_elsewhere(call: MemManagedAdvise, state: State) -> bool:
    """Tell whether some page of the range may have its only copy where it is not preferred."""
    return runs_of(state, call.ptr, call.size).any(
        lambda run: run.mostly != YES and (run.host or run.device != NOWHERE)
    )


def _closed(state: State, device: int) -> bool:
    return not state.devices.at(device).open


def _keeps_on_a_closed_device(call: MemManagedAdvise, state: State) -> bool:
    return runs_of(state, call.ptr, call.size).any(
        lambda run: run.mostly != NO and run.prefer_type == DEVICE and _closed(state, run.prefer_id)
    )


def only_for_the_hole(call: MemManagedAdvise, state: State) -> bool:
    """Tell whether nothing but the end of what is allocated can stop the call with PARA_ERROR."""
    return (
        meets_a_hole(state, call.ptr, call.size)
        and not off_pages(call.ptr, call.size)
        and not MemManagedAdvise.node_may_be_missing(call)
        and not MemManagedAdvise.device_may_be_closed(call, state)
        and not MemManagedAdvise.pages_may_be_elsewhere(call, state)
    )


def _stopped_at_the_hole(call: MemManagedAdvise, state: State, result: Returned) -> bool:
    return (
        gets_to_the_pages(call, state)
        and only_for_the_hole(call, state)
        and result.code == PARA_ERROR
    )


def _every_page(call: MemManagedAdvise, state: State, change: Callable[[Pages], Pages]) -> State:
    """Return the state after the pages of the range, up to a hole, changed."""
    low, high = _range(call, state)
    return changed(state, low, high, change)


def _followed(call: MemManagedAdvise, state: State) -> State:
    """Return the state after the advice, whichever it is, was followed."""
    if call.advise == READ_MOSTLY:
        return MemManagedAdvise.sets_read_mostly(call, state)
    if call.advise == UNSET_READ_MOSTLY:
        return MemManagedAdvise.unsets_read_mostly(call, state)
    if call.advise == PREFER:
        return MemManagedAdvise.sets_preference(call, state)
    if call.advise == UNSET_PREFER:
        return MemManagedAdvise.unsets_preference(call, state)
    if call.advise == ACCESS_BY:
        return MemManagedAdvise.sets_access(call, state)
    return MemManagedAdvise.unsets_access(call, state)


def _range(call: MemManagedAdvise, state: State) -> tuple[int, int]:
    """Return where the pages of the range begin and end, as far as they are in one block."""
    return first_page(call.ptr), stop_of(state, call.ptr, call.size)


@interface("halMemManagedAdvise", area="uvm", source=HEADER, optional=frozenset({"ascend950"}))
class MemManagedAdvise(Call, frozen=True):
    """Say how a range of managed pages is going to be used."""

    ptr: Address
    size: Size
    advise: U32
    location: Location

    @rejects(
        "UVM-ADVISE-001", strength=MUST, source=MODULE_DOC.at("UVM, limits of use"), profiles=GEN3
    )
    def no_managed_memory(call) -> bool:
        """Managed memory exists on Ascend 910B and 910_93 only."""
        return True

    @rejects("UVM-ADVISE-002", INVALID_VALUE, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def size_is_zero(call) -> bool:
        """There is at least one byte."""
        return call.size == 0

    @rejects("UVM-ADVISE-003", INVALID_VALUE, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def outside_managed_addresses(call) -> bool:
        """The range lies in the addresses of managed memory."""
        return leaves_window(call.ptr, call.size)

    @rejects("UVM-ADVISE-004", PARA_ERROR, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def unknown_advice(call) -> bool:
        """There are six advices."""
        return call.advise > UNSET_ACCESS_BY

    @rejects(
        "UVM-ADVISE-005",
        PARA_ERROR,
        INVALID_VALUE,
        strength=SHOULD,
        source=V2,
        profiles=UVM_PRODUCTS,
    )
    def no_such_device(call) -> bool:
        """A device id is not negative and below 64."""
        return _takes_a_place(call) and wrong_device(call.location)

    @rejects("UVM-ADVISE-006", PARA_ERROR, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def no_place(call) -> bool:
        """To prefer or access from a place, there must be one."""
        return (call.advise == PREFER or _about_access(call)) and (
            call.location.type == NONE or call.location.type > NUMA
        )

    @rejects("UVM-ADVISE-007", PARA_ERROR, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def no_such_node(call) -> bool:
        """The number of a NUMA node is not negative."""
        return _takes_a_place(call) and wrong_node(call.location)

    @rejects("UVM-ADVISE-008", PARA_ERROR, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def nodes_do_not_access(call) -> bool:
        """Devices and the host access pages, NUMA nodes do not."""
        return _about_access(call) and call.location.type == NUMA

    @rejects(
        "UVM-ADVISE-009",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V2),
        profiles=UVM_PRODUCTS,
    )
    def not_allocated(call, state: State) -> bool:
        """Advice is about allocated pages; the first that is not stops the call."""
        return starts_at_nothing(state, call.ptr, call.size) or meets_a_hole(
            state, call.ptr, call.size
        )

    @undefined("UVM-ADVISE-020", source=V2.at("rounding"), profiles=UVM_PRODUCTS)
    def last_page_may_be_missed(call) -> bool:
        """Advising a range whose rounded size ends before its last page."""
        return misses_its_tail(call.ptr, call.size)

    @undefined("UVM-ADVISE-021", source=SENSE, profiles=UVM_PRODUCTS)
    def several_allocations(call, state: State) -> bool:
        """Advising a range over several allocations, which are side by side by chance only."""
        return meets_a_neighbour(state, call.ptr, call.size)

    @undefined("UVM-ADVISE-022", source=V2, profiles=UVM_PRODUCTS)
    def unknown_place_for_the_copy(call) -> bool:
        """Leaving the one copy of pages at a place of unknown type."""
        return call.advise == UNSET_READ_MOSTLY and call.location.type > NUMA

    @may_reject(
        "UVM-ADVISE-023", DrvError.OUT_OF_MEMORY, source=(HEADER, V2), profiles=UVM_PRODUCTS
    )
    def memory_may_be_short(call) -> bool:
        """Advice may need memory."""
        return True

    @may_reject(
        "UVM-ADVISE-024", PARA_ERROR, INVALID_VALUE, source=(HEADER, API), profiles=UVM_PRODUCTS
    )
    def not_on_pages(call) -> bool:
        """The documents ask for whole pages; the public driver rounds."""
        return off_pages(call.ptr, call.size)

    @may_reject("UVM-ADVISE-025", PARA_ERROR, source=V2, profiles=UVM_PRODUCTS)
    def node_may_be_missing(call) -> bool:
        """A NUMA node may be missing."""
        return _takes_a_place(call) and call.location.type == NUMA and call.location.id > 0

    @may_reject("UVM-ADVISE-026", source=V2, profiles=UVM_PRODUCTS)
    def device_may_be_closed(call, state: State) -> bool:
        """Where advice has to be followed on a device, the device may have to be open."""
        named = _takes_a_place(call) and is_device(call.location)
        return (named and _closed(state, call.location.id)) or (
            call.advise == UNSET_READ_MOSTLY and _keeps_on_a_closed_device(call, state)
        )

    @may_reject("UVM-ADVISE-027", source=(ADVICE, API), profiles=UVM_PRODUCTS)
    def pages_may_be_elsewhere(call, state: State) -> bool:
        """Preferring a place may be refused where pages have their only copy elsewhere.

        The documents say that it is, the public driver warns and takes it.
        """
        return call.advise == PREFER and _may_be_elsewhere(call, state)

    process_may_be_unknown = may_be_unknown("UVM-ADVISE-028", profiles=UVM_PRODUCTS)

    @accepts(
        "UVM-ADVISE-030",
        strength=MUST,
        source=ADVICE,
        changes=("pages",),
        when=lambda call: call.advise == READ_MOSTLY,
        profiles=UVM_PRODUCTS,
    )
    def sets_read_mostly(call, state: State) -> State:
        """The pages may have copies in several places; the host has one; the place is ignored."""
        return _every_page(call, state, made_read_mostly)

    @accepts(
        "UVM-ADVISE-031",
        strength=MUST,
        source=ADVICE,
        changes=("pages",),
        when=lambda call: call.advise == UNSET_READ_MOSTLY,
        profiles=UVM_PRODUCTS,
    )
    def unsets_read_mostly(call, state: State) -> State:
        """One copy of the pages is left, at the place that is named, or else on the host."""
        return _every_page(call, state, lambda run: made_single(run, call.location))

    @accepts(
        "UVM-ADVISE-032",
        strength=MUST,
        source=ADVICE,
        changes=("pages",),
        when=lambda call: call.advise == PREFER,
        profiles=UVM_PRODUCTS,
    )
    def sets_preference(call, state: State) -> State:
        """The pages prefer the place; memory may be made ready there beforehand.

        Pages that are not read-mostly and have no copy get memory there; read-mostly ones get a
        replica on a device that has none, and stay as they are for the host.
        """
        return _every_page(call, state, lambda run: _preferring(state, run, call))

    @accepts(
        "UVM-ADVISE-033",
        strength=MUST,
        source=ADVICE,
        changes=("pages",),
        when=lambda call: call.advise == UNSET_PREFER,
        profiles=UVM_PRODUCTS,
    )
    def unsets_preference(call, state: State) -> State:
        """The pages prefer no place."""
        return _every_page(call, state, lambda run: run.but(prefer_type=NONE, prefer_id=0))

    @accepts(
        "UVM-ADVISE-034",
        strength=MUST,
        source=ADVICE,
        changes=("pages", "accessors"),
        when=lambda call: call.advise == ACCESS_BY,
        profiles=UVM_PRODUCTS,
    )
    def sets_access(call, state: State) -> State:
        """The pages are said to be accessed from the place; if it is preferred, they have memory.

        It is a hint: these products cannot map memory of another place, so pages still move to
        where they are accessed.
        """
        low, high = _range(call, state)
        ready = _every_page(call, state, lambda run: _accessed(run, call))
        return ready.but(accessors=with_accessor(state, low, high, accessor_of(call.location)))

    @accepts(
        "UVM-ADVISE-035",
        strength=MUST,
        source=ADVICE,
        changes=("pages", "accessors"),
        when=lambda call: call.advise == UNSET_ACCESS_BY,
        profiles=UVM_PRODUCTS,
    )
    def unsets_access(call, state: State) -> State:
        """The pages are not said to be accessed from the place any more."""
        low, high = _range(call, state)
        cut = _every_page(call, state, lambda run: run)
        return cut.but(accessors=without_accessor(state, low, high, accessor_of(call.location)))

    @leaves(
        "UVM-ADVISE-040",
        strength=SHOULD,
        source=V2,
        changes=("pages", "accessors"),
        when=_stopped_at_the_hole,
        profiles=UVM_PRODUCTS,
    )
    def pages_before_the_hole(call, state: State) -> State:
        """Pages before the first that is not allocated follow the advice."""
        return _followed(call, state)

    @leaves(
        "UVM-ADVISE-041",
        strength=SHOULD,
        source=V2,
        changes=("pages",),
        when=gets_to_the_pages,
        profiles=UVM_PRODUCTS,
    )
    def some_pages(call, state: State) -> State:
        """A call that stops in the middle may have been followed for some pages."""
        return _every_page(call, state, lambda run: _doubtful(run, call))
