"""aclrtMemManagedGetAttr and aclrtMemManagedGetAttrs: what was set for managed pages."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    I32,
    U32,
    Address,
    Call,
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
from halcert.spec.runtime.advice import LIMITS, NOT_SUPPORT, REFUSED
from halcert.spec.runtime.memory import NO_MEMORY
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sources import API, SENSE, V2
from halcert.spec.state import State
from halcert.spec.uvm.attributes import (
    ACCESS_BY,
    LATEST,
    LATEST_ID,
    LATEST_TYPE,
    MOST,
    NUMBER,
    PREFERRED,
    PREFERRED_ID,
    PREFERRED_TYPE,
    READ_MOSTLY,
    MemManagedRangeGetAttributes,
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
INVALID_PARAM = AclError.INVALID_PARAM
PARAM_INVALID = AclError.RT_PARAM_INVALID
ATTRIBUTES = API.at("managed memory, attributes")


def asked_of_the_driver(call: ManagedGetAttrs) -> MemManagedRangeGetAttributes:
    """Return the question that the driver is asked."""
    return MemManagedRangeGetAttributes(
        data=call.data,
        data_sizes=call.dataSizes,
        attributes=call.attributes,
        attribute_num=call.numAttributes,
        ptr=call.ptr,
        size=call.size,
    )


def _told_by_the_driver(result: ManagedGetAttrs.Result) -> MemManagedRangeGetAttributes.Result:
    return MemManagedRangeGetAttributes.Result(code=result.code, data=result.data)


@interface("aclrtMemManagedGetAttrs", area="runtime", source=ACL_HEADER)
class ManagedGetAttrs(Call, frozen=True):
    """Ask what was set for the pages of a range, several attributes at a time."""

    attributes: Sequence[U32]
    numAttributes: Size
    ptr: Address
    size: Size
    data: Sequence[OutPointer]
    dataSizes: Sequence[Size]

    class Result(Returned, frozen=True):
        """The numbers of each attribute, in the order in which they were asked for."""

        data: Sequence[Sequence[I32]]

    @rejects("RUNTIME-RANGES-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_missing(call) -> bool:
        """There must be memory, attributes, and places with their sizes."""
        given = call.attributes.given and call.data.given and call.dataSizes.given
        return call.ptr == 0 or call.size == 0 or not given

    @rejects("RUNTIME-RANGES-002", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def nothingasked_of_the_driver(call) -> bool:
        """At least one attribute is asked for."""
        return call.numAttributes == 0

    @rejects(
        "RUNTIME-RANGES-003",
        PARAM_INVALID,
        strength=MUST,
        code=SHOULD,
        source=(ATTRIBUTES, RUNTIME),
    )
    def unknown_attribute(call) -> bool:
        """There are eight attributes, from 1 on."""
        asked = asked_of_the_driver(call)
        unknown = asked.unknown_attribute() or asked.attribute_zero()
        return unknown and not asked.arrays_are_short()

    @rejects(
        "RUNTIME-RANGES-004",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(LIMITS, RUNTIME),
        profiles=GEN3,
    )
    def no_managed_memory(call) -> bool:
        """A product without managed memory says so, if all else is right."""
        asked = asked_of_the_driver(call)
        given = call.attributes.given and call.data.given and call.dataSizes.given
        whole = given and not asked.arrays_are_short() and call.numAttributes != 0
        known = not asked.unknown_attribute() and not asked.attribute_zero()
        return whole and known and call.ptr != 0 and call.size != 0

    @rejects(
        "RUNTIME-RANGES-005",
        *REFUSED,
        strength=MUST,
        code=SHOULD,
        source=(ATTRIBUTES, V2),
        profiles=UVM_PRODUCTS,
    )
    def wrong_size_of_an_answer(call) -> bool:
        """An answer is a number of 4 bytes, or any number of them for who accesses pages."""
        asked = asked_of_the_driver(call)
        wrong = asked.wrong_size_of_an_answer() or asked.no_place_for_an_answer()
        return wrong and not asked.arrays_are_short()

    @rejects(
        "RUNTIME-RANGES-006",
        AclError.RT_INVALID_HANDLE,
        *REFUSED,
        strength=SHOULD,
        source=V2,
        profiles=UVM_PRODUCTS,
    )
    def outside_managed_addresses(call) -> bool:
        """The range lies in the addresses of managed memory."""
        asked = asked_of_the_driver(call)
        outside = asked.outside_managed_addresses() or asked.leaves_managed_addresses()
        return outside and not asked.arrays_are_short()

    @rejects(
        "RUNTIME-RANGES-007",
        *REFUSED,
        strength=MUST,
        code=SHOULD,
        source=(ATTRIBUTES, SENSE, V2),
        profiles=UVM_PRODUCTS,
    )
    def not_allocated(call, state: State) -> bool:
        """Every page of the range is allocated."""
        return asked_of_the_driver(call).not_allocated(state)

    @undefined("RUNTIME-RANGES-008", source=SENSE)
    def arrays_are_short(call) -> bool:
        """Asking for more attributes than the arrays have elements, or than there are."""
        return asked_of_the_driver(call).arrays_are_short()

    @undefined("RUNTIME-RANGES-009", source=V2.at("rounding"), profiles=UVM_PRODUCTS)
    def last_page_may_be_missed(call) -> bool:
        """Asking about a range whose rounded size ends before its last page."""
        return asked_of_the_driver(call).last_page_may_be_missed()

    @undefined("RUNTIME-RANGES-010", source=SENSE, profiles=UVM_PRODUCTS)
    def several_allocations(call, state: State) -> bool:
        """Asking about several allocations, which are side by side by chance only."""
        return asked_of_the_driver(call).several_allocations(state)

    @may_reject("RUNTIME-RANGES-011", *NO_MEMORY, source=V2, profiles=UVM_PRODUCTS)
    def memory_may_be_short(call) -> bool:
        """Answering may need memory."""
        return True

    @accepts("RUNTIME-RANGES-020", strength=MUST, source=ATTRIBUTES, profiles=UVM_PRODUCTS)
    def answers(call, state: State) -> State:
        """Asking changes nothing: no page comes into being or moves."""
        return state

    @ensures("RUNTIME-RANGES-021", strength=MUST, source=ATTRIBUTES, profiles=UVM_PRODUCTS)
    def what_was_set_is_told(call, state: State, result: Result) -> bool:
        """What was set for all pages is told: read-mostly, the preferred place, who accesses."""
        asked, told = asked_of_the_driver(call), _told_by_the_driver(result)
        return (
            asked.read_mostly(state, told)
            and asked.preferred_location(state, told)
            and asked.accessed_by(state, told)
            and asked.preferred_type(state, told)
            and asked.preferred_id(state, told)
        )

    @ensures("RUNTIME-RANGES-022", strength=SHOULD, source=(ATTRIBUTES, V2), profiles=UVM_PRODUCTS)
    def last_place_is_told(call, state: State, result: Result) -> bool:
        """A range was prefetched last to where all its pages were; the reference reserves that."""
        asked, told = asked_of_the_driver(call), _told_by_the_driver(result)
        return (
            asked.last_location(state, told)
            and asked.last_type(state, told)
            and asked.last_id(state, told)
        )


def _place_told(call: ManagedGetAttr, state: State, told: int) -> bool:
    """Tell whether what was told of the preferred place fits the range."""
    if call.attribute == PREFERRED:
        return preferred_fits(state, call.ptr, call.size, told)
    if call.attribute == PREFERRED_TYPE:
        return preferred_type_fits(state, call.ptr, call.size, told)
    return preferred_number_fits(state, call.ptr, call.size, told)


def _last_told(call: ManagedGetAttr, state: State, told: int) -> bool:
    """Tell whether what was told of the last place of a prefetch fits the range."""
    if call.attribute == LATEST:
        return latest_fits(state, call.ptr, call.size, told)
    if call.attribute == LATEST_TYPE:
        return latest_type_fits(state, call.ptr, call.size, told)
    return latest_number_fits(state, call.ptr, call.size, told)


def _about_the_place(call: ManagedGetAttr) -> bool:
    kind = call.attribute
    return kind == PREFERRED or kind == PREFERRED_TYPE or kind == PREFERRED_ID


def _about_the_last(call: ManagedGetAttr) -> bool:
    kind = call.attribute
    return kind == LATEST or kind == LATEST_TYPE or kind == LATEST_ID


def _ranged(call: ManagedGetAttr) -> MemManagedRangeGetAttributes:
    """Return the question that the driver is asked, without what is asked for."""
    return MemManagedRangeGetAttributes(
        data=Sequence((True,)),
        data_sizes=Sequence((NUMBER,)),
        attributes=Sequence((READ_MOSTLY,)),
        attribute_num=1,
        ptr=call.ptr,
        size=call.size,
    )


@interface("aclrtMemManagedGetAttr", area="runtime", source=ACL_HEADER)
class ManagedGetAttr(Call, frozen=True):
    """Ask what was set for the pages of a range."""

    attribute: U32
    ptr: Address
    size: Size
    data: OutPointer
    dataSize: Size

    class Result(Returned, frozen=True):
        """The number."""

        data: I32

    @rejects("RUNTIME-RANGE-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_missing(call) -> bool:
        """There must be memory, and a place for the answer."""
        return call.ptr == 0 or call.size == 0 or not call.data

    @rejects(
        "RUNTIME-RANGE-002",
        PARAM_INVALID,
        strength=MUST,
        code=SHOULD,
        source=(ATTRIBUTES, RUNTIME),
    )
    def unknown_attribute(call) -> bool:
        """There are eight attributes, from 1 on."""
        return call.attribute == 0 or call.attribute > MOST

    @rejects(
        "RUNTIME-RANGE-003",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(LIMITS, RUNTIME),
        profiles=GEN3,
    )
    def no_managed_memory(call) -> bool:
        """A product without managed memory says so, if all else is right."""
        known = call.attribute != 0 and call.attribute <= MOST
        return known and call.ptr != 0 and call.size != 0 and call.data

    @rejects(
        "RUNTIME-RANGE-004",
        *REFUSED,
        strength=MUST,
        code=SHOULD,
        source=(ATTRIBUTES, V2),
        profiles=UVM_PRODUCTS,
    )
    def wrong_size_of_the_answer(call) -> bool:
        """An answer is a number of 4 bytes, or any number of them for who accesses pages."""
        size = call.dataSize
        uneven = size == 0 or size % NUMBER != 0
        return uneven or (call.attribute != ACCESS_BY and size != NUMBER)

    @rejects(
        "RUNTIME-RANGE-005",
        AclError.RT_INVALID_HANDLE,
        *REFUSED,
        strength=SHOULD,
        source=V2,
        profiles=UVM_PRODUCTS,
    )
    def outside_managed_addresses(call) -> bool:
        """The range lies in the addresses of managed memory."""
        asked = _ranged(call)
        return asked.outside_managed_addresses() or asked.leaves_managed_addresses()

    @rejects(
        "RUNTIME-RANGE-006",
        *REFUSED,
        strength=MUST,
        code=SHOULD,
        source=(ATTRIBUTES, SENSE, V2),
        profiles=UVM_PRODUCTS,
    )
    def not_allocated(call, state: State) -> bool:
        """Every page of the range is allocated."""
        return _ranged(call).not_allocated(state)

    @undefined("RUNTIME-RANGE-007", source=SENSE, profiles=UVM_PRODUCTS)
    def place_is_said_to_be_large(call) -> bool:
        """Saying that the place holds several numbers; other calls ask for all who access."""
        return call.dataSize > NUMBER

    @undefined("RUNTIME-RANGE-008", source=V2.at("rounding"), profiles=UVM_PRODUCTS)
    def last_page_may_be_missed(call) -> bool:
        """Asking about a range whose rounded size ends before its last page."""
        return _ranged(call).last_page_may_be_missed()

    @undefined("RUNTIME-RANGE-009", source=SENSE, profiles=UVM_PRODUCTS)
    def several_allocations(call, state: State) -> bool:
        """Asking about several allocations, which are side by side by chance only."""
        return _ranged(call).several_allocations(state)

    @may_reject("RUNTIME-RANGE-010", *NO_MEMORY, source=V2, profiles=UVM_PRODUCTS)
    def memory_may_be_short(call) -> bool:
        """Answering may need memory."""
        return True

    @accepts("RUNTIME-RANGE-020", strength=MUST, source=ATTRIBUTES, profiles=UVM_PRODUCTS)
    def answers(call, state: State) -> State:
        """Asking changes nothing: no page comes into being or moves."""
        return state

    @ensures(
        "RUNTIME-RANGE-021",
        strength=MUST,
        source=ATTRIBUTES,
        when=lambda call: call.attribute == READ_MOSTLY,
        profiles=UVM_PRODUCTS,
    )
    def read_mostly(call, state: State, result: Result) -> bool:
        """A range is read-mostly if every page is."""
        return mostly_fits(state, call.ptr, call.size, result.data)

    @ensures(
        "RUNTIME-RANGE-022",
        strength=MUST,
        source=ATTRIBUTES,
        when=_about_the_place,
        profiles=UVM_PRODUCTS,
    )
    def preferred_place(call, state: State, result: Result) -> bool:
        """A range prefers what all its pages prefer: a device, or the host."""
        return _place_told(call, state, result.data)

    @ensures(
        "RUNTIME-RANGE-023",
        strength=MUST,
        source=ATTRIBUTES,
        when=lambda call: call.attribute == ACCESS_BY,
        profiles=UVM_PRODUCTS,
    )
    def accessed_by(call, state: State, result: Result) -> bool:
        """One of those who access each page of the range is told, or -2."""
        return accessors_fit(state, call.ptr, call.size, Sequence((result.data,)))

    @ensures(
        "RUNTIME-RANGE-024",
        strength=SHOULD,
        source=(ATTRIBUTES, V2),
        when=_about_the_last,
        profiles=UVM_PRODUCTS,
    )
    def last_place(call, state: State, result: Result) -> bool:
        """A range was prefetched last to where all its pages were; the reference reserves that."""
        return _last_told(call, state, result.data)
