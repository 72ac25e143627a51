"""What a batch of prefetches names: ranges, and places with the number of their first range.

The driver and the runtime pass them in arrays of the same names.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from halcert.spec.language import Elements, Sequence
from halcert.spec.state import Pages
from halcert.spec.svm.memory import ranges_overlap
from halcert.spec.uvm.locations import Location
from halcert.spec.uvm.pages import PAGE, first_page


class Batch(Protocol):
    """A call with these arrays."""

    @property
    def ptrs(self) -> Sequence[int]:
        """Where each range begins."""

    @property
    def sizes(self) -> Sequence[int]:
        """Bytes of each range."""

    @property
    def count(self) -> int:
        """How many ranges are said to be there."""

    @property
    def prefetchLocs(self) -> Sequence[Location]:  # noqa: N802 - the header's name
        """Where pages are to go."""

    @property
    def prefetchLocIdxs(self) -> Sequence[int]:  # noqa: N802 - likewise
        """The number of the first range that goes to each place."""

    @property
    def numPrefetchLocs(self) -> int:  # noqa: N802 - likewise
        """How many places are said to be there."""


def ranges_of(call: Batch) -> Elements[int]:
    """Return address and size of each range."""
    return Elements(call.count, call.ptrs, call.sizes)


def places_of(call: Batch) -> Elements[Location]:
    """Return the places."""
    return Elements(call.numPrefetchLocs, call.prefetchLocs)


def arrays_given(call: Batch) -> bool:
    """Tell whether all arrays are there."""
    return (
        call.ptrs.given
        and call.sizes.given
        and call.prefetchLocs.given
        and call.prefetchLocIdxs.given
    )


def arrays_hold(call: Batch) -> bool:
    """Tell whether the arrays are there and have as many elements as is said."""
    return (
        arrays_given(call)
        and len(call.ptrs.items) >= call.count
        and len(call.sizes.items) >= call.count
        and len(call.prefetchLocs.items) >= call.numPrefetchLocs
        and len(call.prefetchLocIdxs.items) >= call.numPrefetchLocs
    )


class _Order(NamedTuple):
    """A walk over the indices: whether they ascend, and the last one."""

    ascend: bool
    last: int


def indices_ascend(call: Batch) -> bool:
    """Tell whether the first place starts at the first range, and each next one behind it."""
    order = Elements(call.numPrefetchLocs, call.prefetchLocIdxs).fold(
        lambda walk, first: _Order(
            walk.ascend and first > walk.last and (walk.last >= 0 or first == 0), first
        ),
        _Order(ascend=True, last=-1),
    )
    return order.ascend and order.last < call.count


def meets_a_range(call: Batch, run: Pages) -> bool:
    """Tell whether pages have a byte in common with the pages of a range."""
    return ranges_of(call).any(
        lambda ptr, size: ranges_overlap(run.base, run.extent, first_page(ptr), size + PAGE)
    )
