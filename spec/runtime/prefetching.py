"""aclrtMemManagedPrefetchAsync and its batch: bringing managed pages somewhere, on a stream.

Nobody is told whether the driver could do it, so where the pages are afterwards is open; what
they hold stays as it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.abi.acl.constants import AclrtMemManagedLocationType
from halcert.spec.language import (
    U32,
    U64,
    Address,
    Call,
    Elements,
    Handle,
    Sequence,
    Size,
    Strength,
    accepts,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN3, UVM_PRODUCTS, Profile
from halcert.spec.runtime.advice import LIMITS, NOT_SUPPORT, no_such_device
from halcert.spec.runtime.memory import NO_MEMORY
from halcert.spec.runtime.order import (
    issued,
    of_another_device,
    queue_of,
    stale,
    without_context,
    working,
)
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.runtime_state import Queue
from halcert.spec.sources import API, SENSE
from halcert.spec.state import OPEN, Pages, State
from halcert.spec.svm.memory import ranges_overlap
from halcert.spec.uvm.locations import NUMA, Location
from halcert.spec.uvm.moves import anywhere
from halcert.spec.uvm.pages import PAGE, behind_pages, changed, end_of, first_page, is_managed

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
PARAM_INVALID = AclError.RT_PARAM_INVALID
INVALID_HANDLE = AclError.RT_INVALID_HANDLE
STREAM_CONTEXT = AclError.RT_STREAM_CONTEXT
NO_STREAM = (AclError.RT_CONTEXT_NULL, AclError.RT_INTERNAL_ERROR)
"""What calls answer to a thread without a device; null means no stream then."""
PREFETCH = API.at("managed memory, prefetching")
NOWHERE = AclrtMemManagedLocationType.ACL_MEM_LOCATIONTYPE_INVALID
LAST = AclrtMemManagedLocationType.ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT


def unknown_place(place: Location) -> bool:
    """Tell whether a place has no type, or an unknown one."""
    return place.type == NOWHERE or place.type > LAST


def in_one_allocation(state: State, address: int, size: int) -> bool:
    """Tell whether all pages of a range are those of one managed allocation."""
    block = state.blocks.covering(address)
    return size != 0 and is_managed(block) and behind_pages(address, size) <= end_of(block)


def _gone_anywhere(run: Pages) -> Pages:
    return anywhere(run).but(latest_type=OPEN)


def brought(state: State, queue: Queue, address: int, size: int) -> State:
    """Return the state after a task was given that may bring the pages of a range anywhere."""
    low, high = first_page(address), behind_pages(address, size)
    after = changed(state, low, high, _gone_anywhere)
    return working(after, queue, low, high - low, writes=False)


def _has_its_stream(state: State, stream: int) -> bool:
    """Tell whether a thread works with a device and names one of its streams."""
    named = not stale(state, stream) and not of_another_device(state, stream)
    return named and not without_context(state)


@interface("aclrtMemManagedPrefetchAsync", area="runtime", source=ACL_HEADER)
class ManagedPrefetchAsync(Call, frozen=True):
    """Bring a range of managed pages to a device or to the host, in the order of a stream."""

    ptr: Address
    size: Size
    location: Location
    flags: U32
    stream: Handle

    @rejects("RUNTIME-FETCH-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def nothing(call) -> bool:
        """There must be memory, and at least one byte of it."""
        return call.ptr == 0 or call.size == 0

    @rejects(
        "RUNTIME-FETCH-002", INVALID_PARAM, strength=MUST, code=SHOULD, source=(PREFETCH, RUNTIME)
    )
    def flags_are_given(call) -> bool:
        """There are no flags yet."""
        return call.flags != 0

    @rejects(
        "RUNTIME-FETCH-003",
        PARAM_INVALID,
        strength=MUST,
        code=SHOULD,
        source=(PREFETCH, RUNTIME),
        profiles=UVM_PRODUCTS,
    )
    def unknown_place(call) -> bool:
        """Pages go to a device, to the host or to one of its nodes."""
        return unknown_place(call.location)

    @rejects(
        "RUNTIME-FETCH-004", PARAM_INVALID, strength=MUST, code=SHOULD, source=(PREFETCH, RUNTIME)
    )
    def device_is_missing(call, state: State) -> bool:
        """A device that is named is present."""
        return no_such_device(state, call.location)

    @rejects(
        "RUNTIME-FETCH-005",
        INVALID_HANDLE,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, RUNTIME),
        profiles=UVM_PRODUCTS,
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives, or is the default one."""
        return stale(state, call.stream)

    @rejects("RUNTIME-FETCH-006", *NO_STREAM, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State, profile: Profile) -> bool:
        """The thread works with a device; without managed memory only null streams matter."""
        asked = call.stream == 0 or profile.generation == "v2"
        return asked and without_context(state)

    @rejects(
        "RUNTIME-FETCH-007", STREAM_CONTEXT, strength=SHOULD, source=RUNTIME, profiles=UVM_PRODUCTS
    )
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        return not without_context(state) and of_another_device(state, call.stream)

    @rejects(
        "RUNTIME-FETCH-008",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(LIMITS, RUNTIME),
        profiles=GEN3,
    )
    def no_managed_memory(call, state: State) -> bool:
        """A product without managed memory says so, if all else is right."""
        right = call.ptr != 0 and call.size != 0 and call.flags == 0
        streams = call.stream != 0 or not without_context(state)
        return right and streams and not no_such_device(state, call.location)

    @undefined("RUNTIME-FETCH-009", source=PREFETCH, profiles=UVM_PRODUCTS)
    def not_one_allocation(call, state: State) -> bool:
        """Prefetching what is not all in one managed allocation; nobody is told of it."""
        known = _has_its_stream(state, call.stream) and not no_such_device(state, call.location)
        return known and not in_one_allocation(state, call.ptr, call.size)

    @undefined("RUNTIME-FETCH-010", source=PREFETCH, profiles=UVM_PRODUCTS)
    def to_a_node(call) -> bool:
        """Prefetching to a node of the host, which may be missing; nobody is told of it."""
        return call.location.type >= NUMA and call.location.type <= LAST

    @may_reject("RUNTIME-FETCH-011", *NO_MEMORY, source=RUNTIME, profiles=UVM_PRODUCTS)
    def memory_may_be_short(call) -> bool:
        """There may be no memory for one more task."""
        return True

    @accepts(
        "RUNTIME-FETCH-020",
        strength=MUST,
        source=PREFETCH,
        changes=("pages", "works", "queues"),
        profiles=UVM_PRODUCTS,
    )
    def prefetches(call, state: State) -> State:
        """Once the stream was waited for, the pages may have come to the place."""
        queue = queue_of(state, call.stream)
        return issued(brought(state, queue, call.ptr, call.size), queue)


def _ranges(call: ManagedPrefetchBatchAsync) -> Elements[int]:
    return Elements(call.count, call.ptrs, call.sizes)


def _places(call: ManagedPrefetchBatchAsync) -> Elements[Any]:
    return Elements(call.numPrefetchLocs, call.prefetchLocs)


def _meets_a_range(call: ManagedPrefetchBatchAsync, run: Pages) -> bool:
    return _ranges(call).any(
        lambda ptr, size: ranges_overlap(run.base, run.extent, first_page(ptr), size + PAGE)
    )


class _Order(NamedTuple):
    """A walk over the indices: whether they ascend, and the last one."""

    ascend: bool
    last: int


def _indices_ascend(call: ManagedPrefetchBatchAsync) -> bool:
    """Tell whether the first place starts at the first range, and each next one behind it."""
    order = Elements(call.numPrefetchLocs, call.prefetchLocIdxs).fold(
        lambda walk, first: _Order(
            walk.ascend and first > walk.last and (walk.last >= 0 or first == 0), first
        ),
        _Order(ascend=True, last=-1),
    )
    return order.ascend and order.last < call.count


def _arrays_given(call: ManagedPrefetchBatchAsync) -> bool:
    return (
        call.ptrs.given
        and call.sizes.given
        and call.prefetchLocs.given
        and call.prefetchLocIdxs.given
    )


def _arrays_hold(call: ManagedPrefetchBatchAsync) -> bool:
    """Tell whether the arrays are there and have as many elements as is said."""
    return (
        _arrays_given(call)
        and len(call.ptrs.items) >= call.count
        and len(call.sizes.items) >= call.count
        and len(call.prefetchLocs.items) >= call.numPrefetchLocs
        and len(call.prefetchLocIdxs.items) >= call.numPrefetchLocs
    )


def _well_formed(call: ManagedPrefetchBatchAsync) -> bool:
    """Tell whether nothing is wrong with the arguments, whatever the state."""
    return (
        _arrays_hold(call)
        and call.flags == 0
        and call.numPrefetchLocs >= 1
        and call.numPrefetchLocs <= call.count
        and _indices_ascend(call)
        and Elements(call.count, call.ptrs).all(lambda ptr: ptr != 0)
        and not _places(call).any(unknown_place)
    )


@interface("aclrtMemManagedPrefetchBatchAsync", area="runtime", source=ACL_HEADER)
class ManagedPrefetchBatchAsync(Call, frozen=True):
    """Bring several ranges of managed pages somewhere, in the order of a stream."""

    ptrs: Sequence[Address]
    sizes: Sequence[Size]
    count: Size
    prefetchLocs: Sequence[Location]
    prefetchLocIdxs: Sequence[Size]
    numPrefetchLocs: Size
    flags: U64
    stream: Handle

    @rejects("RUNTIME-BATCH-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_missing(call) -> bool:
        """There are ranges and places, no more places than ranges."""
        none = call.count == 0 or call.numPrefetchLocs == 0 or call.numPrefetchLocs > call.count
        return none or not _arrays_given(call)

    @rejects(
        "RUNTIME-BATCH-002", INVALID_PARAM, strength=MUST, code=SHOULD, source=(PREFETCH, RUNTIME)
    )
    def flags_are_given(call) -> bool:
        """There are no flags yet."""
        return call.flags != 0

    @rejects(
        "RUNTIME-BATCH-003", PARAM_INVALID, strength=MUST, code=SHOULD, source=(PREFETCH, RUNTIME)
    )
    def indices_do_not_ascend(call) -> bool:
        """The first place is for the first range on, each next one for a later range on."""
        return _arrays_hold(call) and not _indices_ascend(call)

    @rejects("RUNTIME-BATCH-004", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def a_range_is_null(call) -> bool:
        """Every range has an address."""
        return _arrays_hold(call) and Elements(call.count, call.ptrs).any(lambda ptr: ptr == 0)

    @rejects(
        "RUNTIME-BATCH-005", PARAM_INVALID, strength=MUST, code=SHOULD, source=(PREFETCH, RUNTIME)
    )
    def a_place_is_unknown(call) -> bool:
        """Pages go to devices, to the host or to its nodes."""
        return _arrays_hold(call) and _places(call).any(unknown_place)

    @rejects(
        "RUNTIME-BATCH-006", PARAM_INVALID, strength=MUST, code=SHOULD, source=(PREFETCH, RUNTIME)
    )
    def a_device_is_missing(call, state: State) -> bool:
        """Devices that are named are present."""
        return _places(call).any(lambda place: no_such_device(state, place))

    @rejects(
        "RUNTIME-BATCH-007",
        INVALID_HANDLE,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, RUNTIME),
        profiles=UVM_PRODUCTS,
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives, or is the default one."""
        return stale(state, call.stream)

    @rejects("RUNTIME-BATCH-008", *NO_STREAM, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State, profile: Profile) -> bool:
        """The thread works with a device; without managed memory only null streams matter."""
        asked = call.stream == 0 or profile.generation == "v2"
        return asked and without_context(state)

    @rejects(
        "RUNTIME-BATCH-009", STREAM_CONTEXT, strength=SHOULD, source=RUNTIME, profiles=UVM_PRODUCTS
    )
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        return not without_context(state) and of_another_device(state, call.stream)

    @rejects(
        "RUNTIME-BATCH-010",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(LIMITS, RUNTIME),
        profiles=GEN3,
    )
    def no_managed_memory(call, state: State) -> bool:
        """A product without managed memory says so, if all else is right."""
        streams = call.stream != 0 or not without_context(state)
        missing = _places(call).any(lambda place: no_such_device(state, place))
        return _well_formed(call) and streams and not missing

    @undefined("RUNTIME-BATCH-011", source=SENSE)
    def arrays_are_short(call) -> bool:
        """Saying that arrays have more elements than they have."""
        return _arrays_given(call) and not _arrays_hold(call)

    @undefined("RUNTIME-BATCH-012", source=PREFETCH, profiles=UVM_PRODUCTS)
    def not_one_allocation_each(call, state: State) -> bool:
        """Prefetching a range that is not all in one managed allocation; nobody is told of it."""
        missing = _places(call).any(lambda place: no_such_device(state, place))
        known = _has_its_stream(state, call.stream) and not missing
        return known and _ranges(call).any(
            lambda ptr, size: not in_one_allocation(state, ptr, size)
        )

    @undefined("RUNTIME-BATCH-013", source=PREFETCH, profiles=UVM_PRODUCTS)
    def to_nodes(call) -> bool:
        """Prefetching to nodes of the host, which may be missing; nobody is told of it."""
        return _places(call).any(lambda place: place.type >= NUMA and place.type <= LAST)

    @may_reject("RUNTIME-BATCH-014", *NO_MEMORY, source=RUNTIME, profiles=UVM_PRODUCTS)
    def memory_may_be_short(call) -> bool:
        """There may be no memory for one more task."""
        return True

    @accepts(
        "RUNTIME-BATCH-020",
        strength=MUST,
        source=PREFETCH,
        changes=("pages", "works", "queues"),
        profiles=UVM_PRODUCTS,
    )
    def prefetches(call, state: State) -> State:
        """Once the stream was waited for, the pages of each range may have come to its place.

        What is known of pages beside a range is given up with it, where nothing told them apart.
        """
        queue = queue_of(state, call.stream)
        gone = state.but(
            pages=state.pages.update_where(lambda run: _meets_a_range(call, run), _gone_anywhere)
        )
        after = _ranges(call).fold(
            lambda now, ptr, size: working(now, queue, ptr, size, writes=False), gone
        )
        return issued(after, queue)
