"""halMemManagedRangeGetAttributes: what was set for the pages of a range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import RangeAttribute
from halcert.spec.language import (
    I32,
    U32,
    Address,
    Call,
    Elements,
    OutPointer,
    Returned,
    Sequence,
    Size,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN3, UVM_PRODUCTS
from halcert.spec.sources import API, HEADER, MODULE_DOC, SENSE, V2
from halcert.spec.state import State
from halcert.spec.uvm.pages import (
    WINDOW_END,
    behind_pages,
    in_window,
    meets_a_hole,
    meets_a_neighbour,
    misses_its_tail,
    not_managed,
)
from halcert.spec.uvm.summary import (
    accessors_fit,
    latest_fits,
    latest_number_fits,
    latest_type_fits,
    mostly_fits,
    preferred_fits,
    preferred_number_fits,
    preferred_type_fits,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
PARA_ERROR = DrvError.PARA_ERROR
READ_MOSTLY = RangeAttribute.MEM_RANGE_ATTR_READ_MOSTLY
PREFERRED = RangeAttribute.MEM_RANGE_ATTR_PREFERRED_LOC
PREFERRED_TYPE = RangeAttribute.MEM_RANGE_ATTR_PREFERRED_LOC_TYPE
PREFERRED_ID = RangeAttribute.MEM_RANGE_ATTR_PREFERRED_LOC_ID
LATEST = RangeAttribute.MEM_RANGE_ATTR_LAST_PREFETCH_LOC
LATEST_TYPE = RangeAttribute.MEM_RANGE_ATTR_LAST_PREFETCH_LOC_TYPE
LATEST_ID = RangeAttribute.MEM_RANGE_ATTR_LAST_PREFETCH_LOC_ID
ACCESS_BY = RangeAttribute.MEM_RANGE_ATTR_ACCESS_BY
Fits = Callable[[State, int, int, int], bool]
"""Tells whether a number may be told of a range, which is an address and a size."""
ATTRIBUTES = API.at("attributes of a range of managed memory")
NUMBER = 4
"""Bytes of a number in an answer."""
MOST = 8
"""Attributes that there are, and that SVM v2 tells in one call."""


def _asks(call: MemManagedRangeGetAttributes, attribute: int) -> bool:
    """Tell whether an attribute is asked for."""
    return Elements(call.attribute_num, call.attributes).any(lambda each: each == attribute)


def _entries(call: MemManagedRangeGetAttributes) -> Elements[Any]:
    """Return each attribute that is asked for, with the size of its place and whether it has one.

    What lies behind the end of one of the arrays is nobody's to look at.
    """
    data: Any = call.data
    return Elements(call.attribute_num, call.attributes, call.data_sizes, data)


def _told(
    call: MemManagedRangeGetAttributes, state: State, told: Any, attribute: int, fits: Fits
) -> bool:
    """Tell whether what was told of an attribute, wherever it was asked for, fits the range."""
    asked: Any = call.attributes
    return Elements(call.attribute_num, asked, told).all(
        lambda each, values: (
            each != attribute or values.all(lambda value: fits(state, call.ptr, call.size, value))
        )
    )


@interface(
    "halMemManagedRangeGetAttributes",
    area="uvm",
    source=HEADER,
    optional=frozenset({"ascend950"}),
)
class MemManagedRangeGetAttributes(Call, frozen=True):
    """Ask what was set for the pages of a range, one or more attributes at a time."""

    data: Sequence[OutPointer]
    data_sizes: Sequence[Size]
    attributes: Sequence[U32]
    attribute_num: Size
    ptr: Address
    size: Size

    class Result(Returned, frozen=True):
        """The numbers of each attribute, in the order in which they were asked for."""

        data: Sequence[Sequence[I32]]

    @rejects(
        "UVM-RANGE-001", strength=MUST, source=MODULE_DOC.at("UVM, limits of use"), profiles=GEN3
    )
    def no_managed_memory(call) -> bool:
        """Managed memory exists on Ascend 910B and 910_93 only."""
        return True

    @rejects("UVM-RANGE-002", INVALID_VALUE, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def no_attributes(call) -> bool:
        """There must be an array of attributes."""
        return not call.attributes.given

    @rejects("UVM-RANGE-003", INVALID_VALUE, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def nothing_asked(call) -> bool:
        """At least one attribute is asked for."""
        return call.attribute_num == 0

    @rejects("UVM-RANGE-004", INVALID_VALUE, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def size_is_zero(call) -> bool:
        """There is at least one byte."""
        return call.size == 0

    @rejects("UVM-RANGE-005", INVALID_VALUE, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def no_places(call) -> bool:
        """There must be an array of places for the answers."""
        return not call.data.given

    @rejects("UVM-RANGE-006", INVALID_VALUE, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def no_sizes(call) -> bool:
        """There must be an array of the sizes of the places."""
        return not call.data_sizes.given

    @rejects("UVM-RANGE-007", INVALID_VALUE, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def outside_managed_addresses(call) -> bool:
        """The range starts in the addresses of managed memory."""
        return not in_window(call.ptr) and _entries(call).any(lambda *_entry: True)

    @rejects("UVM-RANGE-008", INVALID_VALUE, strength=MUST, source=(API, V2), profiles=UVM_PRODUCTS)
    def unknown_attribute(call) -> bool:
        """There are eight attributes."""
        return _entries(call).any(
            lambda attribute, _size, _place: attribute >= RangeAttribute.MEM_RANGE_ATTR_MAX
        )

    @rejects("UVM-RANGE-009", INVALID_VALUE, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def no_place_for_an_answer(call) -> bool:
        """Every answer has a place."""
        return _entries(call).any(lambda _attribute, _size, place: not place)

    @rejects("UVM-RANGE-010", INVALID_VALUE, strength=MUST, source=(API, V2), profiles=UVM_PRODUCTS)
    def wrong_size_of_an_answer(call) -> bool:
        """An answer is a number of 4 bytes, or any number of them for who accesses pages."""
        return _entries(call).any(
            lambda attribute, size, _place: (
                size == 0 or size % NUMBER != 0 or (attribute != ACCESS_BY and size != NUMBER)
            )
        )

    @rejects(
        "UVM-RANGE-011",
        DrvError.INVALID_HANDLE,
        PARA_ERROR,
        strength=SHOULD,
        source=V2,
        profiles=UVM_PRODUCTS,
    )
    def leaves_managed_addresses(call) -> bool:
        """The range ends in the addresses of managed memory."""
        return in_window(call.ptr) and behind_pages(call.ptr, call.size) > WINDOW_END

    @rejects(
        "UVM-RANGE-012",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V2),
        profiles=UVM_PRODUCTS,
    )
    def not_allocated(call, state: State) -> bool:
        """Every page of the range is allocated."""
        return (in_window(call.ptr) and not_managed(state, call.ptr)) or meets_a_hole(
            state, call.ptr, call.size
        )

    @undefined("UVM-RANGE-020", source=V2, profiles=UVM_PRODUCTS)
    def attribute_zero(call) -> bool:
        """Asking for attribute 0, which there is not."""
        return Elements(call.attribute_num, call.attributes).any(lambda attribute: attribute == 0)

    @undefined("UVM-RANGE-021", source=SENSE, profiles=UVM_PRODUCTS)
    def arrays_are_short(call) -> bool:
        """Asking for more attributes than the arrays have elements, or than there are."""
        given = call.data.given and call.data_sizes.given and call.attributes.given
        return given and (
            call.attribute_num > MOST
            or len(call.data.items) < call.attribute_num
            or len(call.data_sizes.items) < call.attribute_num
            or len(call.attributes.items) < call.attribute_num
        )

    @undefined("UVM-RANGE-022", source=V2.at("rounding"), profiles=UVM_PRODUCTS)
    def last_page_may_be_missed(call) -> bool:
        """Asking about a range whose rounded size ends before its last page."""
        return misses_its_tail(call.ptr, call.size)

    @undefined("UVM-RANGE-023", source=SENSE, profiles=UVM_PRODUCTS)
    def several_allocations(call, state: State) -> bool:
        """Asking about several allocations, which are side by side by chance only."""
        return meets_a_neighbour(state, call.ptr, call.size)

    @may_reject("UVM-RANGE-024", DrvError.OUT_OF_MEMORY, source=V2, profiles=UVM_PRODUCTS)
    def memory_may_be_short(call) -> bool:
        """Answering may need memory."""
        return True

    @accepts("UVM-RANGE-030", strength=MUST, source=(HEADER, ATTRIBUTES), profiles=UVM_PRODUCTS)
    def answers(call, state: State) -> State:
        """Asking changes nothing: no page comes into being or moves."""
        return state

    @ensures(
        "UVM-RANGE-031",
        strength=MUST,
        source=ATTRIBUTES,
        when=lambda call: _asks(call, READ_MOSTLY),
        profiles=UVM_PRODUCTS,
    )
    def read_mostly(call, state: State, result: Result) -> bool:
        """A range is read-mostly if every page is."""
        return _told(call, state, result.data, READ_MOSTLY, mostly_fits)

    @ensures(
        "UVM-RANGE-032",
        strength=MUST,
        source=ATTRIBUTES,
        when=lambda call: _asks(call, PREFERRED),
        profiles=UVM_PRODUCTS,
    )
    def preferred_location(call, state: State, result: Result) -> bool:
        """A range prefers what all its pages prefer: a device, or the host; else -2."""
        return _told(call, state, result.data, PREFERRED, preferred_fits)

    @ensures(
        "UVM-RANGE-033",
        strength=MUST,
        source=ATTRIBUTES,
        when=lambda call: _asks(call, ACCESS_BY),
        profiles=UVM_PRODUCTS,
    )
    def accessed_by(call, state: State, result: Result) -> bool:
        """A range is accessed by those who access each of its pages, as many as fit; then -2."""
        told: Any = result.data
        return Elements(call.attribute_num, call.attributes, told).all(
            lambda asked, named: (
                asked != ACCESS_BY or accessors_fit(state, call.ptr, call.size, named)
            )
        )

    @ensures(
        "UVM-RANGE-034",
        strength=MUST,
        source=ATTRIBUTES,
        when=lambda call: _asks(call, PREFERRED_TYPE),
        profiles=UVM_PRODUCTS,
    )
    def preferred_type(call, state: State, result: Result) -> bool:
        """The type of the preferred location is that of all pages, else 0."""
        return _told(call, state, result.data, PREFERRED_TYPE, preferred_type_fits)

    @ensures(
        "UVM-RANGE-035",
        strength=MUST,
        source=ATTRIBUTES,
        when=lambda call: _asks(call, PREFERRED_ID),
        profiles=UVM_PRODUCTS,
    )
    def preferred_id(call, state: State, result: Result) -> bool:
        """The id of the preferred location is the device or node of all pages, else -2."""
        return _told(call, state, result.data, PREFERRED_ID, preferred_number_fits)

    @ensures(
        "UVM-RANGE-036",
        strength=SHOULD,
        source=(ATTRIBUTES, V2),
        when=lambda call: _asks(call, LATEST),
        profiles=UVM_PRODUCTS,
    )
    def last_location(call, state: State, result: Result) -> bool:
        """A range was prefetched last to where all its pages were, as far as calls succeeded.

        The reference calls this and the next two reserved.
        """
        return _told(call, state, result.data, LATEST, latest_fits)

    @ensures(
        "UVM-RANGE-037",
        strength=SHOULD,
        source=(ATTRIBUTES, V2),
        when=lambda call: _asks(call, LATEST_TYPE),
        profiles=UVM_PRODUCTS,
    )
    def last_type(call, state: State, result: Result) -> bool:
        """The type of the last location is that of all pages, else 0."""
        return _told(call, state, result.data, LATEST_TYPE, latest_type_fits)

    @ensures(
        "UVM-RANGE-038",
        strength=SHOULD,
        source=(ATTRIBUTES, V2),
        when=lambda call: _asks(call, LATEST_ID),
        profiles=UVM_PRODUCTS,
    )
    def last_id(call, state: State, result: Result) -> bool:
        """The id of the last location is the device or node of all pages, else -2."""
        return _told(call, state, result.data, LATEST_ID, latest_number_fits)
