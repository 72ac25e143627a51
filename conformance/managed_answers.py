"""What the model tells of ranges of managed memory: numbers that the rules allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from halcert.spec.abi.constants import RangeAttribute
from halcert.spec.language import Sequence
from halcert.spec.uvm.attributes import NUMBER, MemManagedRangeGetAttributes
from halcert.spec.uvm.locations import HOST_ACCESSOR
from halcert.spec.uvm.pages import first_page, stop_of
from halcert.spec.uvm.summary import (
    NOBODY,
    ON_HOST,
    accesses_all,
    latest_fits,
    latest_number_fits,
    latest_type_fits,
    mostly_fits,
    preferred_fits,
    preferred_number_fits,
    preferred_type_fits,
)

Fits = Callable[[Any, int, int, int], bool]
_SINGLE: dict[int, Fits] = {
    RangeAttribute.MEM_RANGE_ATTR_READ_MOSTLY: mostly_fits,
    RangeAttribute.MEM_RANGE_ATTR_PREFERRED_LOC: preferred_fits,
    RangeAttribute.MEM_RANGE_ATTR_PREFERRED_LOC_TYPE: preferred_type_fits,
    RangeAttribute.MEM_RANGE_ATTR_PREFERRED_LOC_ID: preferred_number_fits,
    RangeAttribute.MEM_RANGE_ATTR_LAST_PREFETCH_LOC: latest_fits,
    RangeAttribute.MEM_RANGE_ATTR_LAST_PREFETCH_LOC_TYPE: latest_type_fits,
    RangeAttribute.MEM_RANGE_ATTR_LAST_PREFETCH_LOC_ID: latest_number_fits,
}


def attributes_told(call: MemManagedRangeGetAttributes, view: Any) -> Sequence[Sequence[int]]:
    """Return the numbers of every attribute that is asked for."""
    asked = zip(call.attributes.items, call.data_sizes.items, strict=False)
    return Sequence(Sequence(_told(call, view, kind, size)) for kind, size in asked)


def _told(call: MemManagedRangeGetAttributes, view: Any, kind: int, size: int) -> Iterator[int]:
    fits = _SINGLE.get(kind)
    if fits is not None:
        yield next(each for each in _numbers(view) if fits(view, call.ptr, call.size, each))
        return
    low, high = first_page(call.ptr), stop_of(view, call.ptr, call.size)
    ids = sorted({row.id for row in view.accessors if accesses_all(view, low, high, row.id)})
    told = [int(ON_HOST) if each == HOST_ACCESSOR else each for each in ids]
    room = size // NUMBER
    yield from (*told, *([int(NOBODY)] * room))[:room]


def _numbers(view: Any) -> Iterator[int]:
    """Iterate over the numbers that there are to tell."""
    yield from (int(ON_HOST), int(NOBODY), 0, 1, 2, 3)
    for run in view.pages:
        yield from (run.prefer_id, run.latest_id)
