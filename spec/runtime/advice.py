"""aclrtMemManagedAdvise: how managed pages are going to be used.

What becomes of the pages is the driver's matter, so the conditions and effects are those of its
call, whose parameters are the same.
"""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
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
from halcert.spec.runtime.memory import NO_MEMORY
from halcert.spec.runtime.order import busy, without_context
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sources import API, MODULE_DOC, SENSE, V2
from halcert.spec.state import State
from halcert.spec.uvm.advise import (
    ACCESS_BY,
    PREFER,
    READ_MOSTLY,
    UNSET_ACCESS_BY,
    UNSET_PREFER,
    UNSET_READ_MOSTLY,
    MemManagedAdvise,
    gets_to_the_pages,
    only_for_the_hole,
)
from halcert.spec.uvm.locations import DEVICE, Location

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
PARAM_INVALID = AclError.RT_PARAM_INVALID
CONTEXT_NULL = AclError.RT_CONTEXT_NULL
NOT_SUPPORT = AclError.RT_FEATURE_NOT_SUPPORT
DRV_INTERNAL = AclError.RT_DRV_INTERNAL_ERROR
REFUSED = (PARAM_INVALID, DRV_INTERNAL)
"""How the driver's refusals reach the program: the code for bad arguments, or the one for all."""
ADVICE = API.at("managed memory, advice")
LIMITS = MODULE_DOC.at("UVM, limits of use")


def no_such_device(state: State, place: Location) -> bool:
    """Tell whether a place is a device that is not present."""
    there = place.id >= 0 and state.hardware.at(place.id).exists
    return place.type == DEVICE and not there


def _driver(call: ManagedAdvise) -> MemManagedAdvise:
    return MemManagedAdvise(
        ptr=call.ptr, size=call.size, advise=call.advise, location=call.location
    )


def _own_refusal(call: ManagedAdvise, state: State) -> bool:
    """Tell whether the runtime refuses a call before the driver is asked."""
    wrong = call.ptr == 0 or call.size == 0 or call.advise > UvmAdvise.UNSET_ACCESS_BY_LOCATION
    return wrong or no_such_device(state, call.location) or without_context(state)


def _reaches_pages(call: ManagedAdvise, state: State) -> bool:
    return not _own_refusal(call, state) and gets_to_the_pages(_driver(call), state)


def _stopped_at_the_hole(call: ManagedAdvise, state: State, result: Returned) -> bool:
    known = _reaches_pages(call, state) and only_for_the_hole(_driver(call), state)
    return known and result.code == DRV_INTERNAL


@interface("aclrtMemManagedAdvise", area="runtime", source=ACL_HEADER)
class ManagedAdvise(Call, frozen=True):
    """Say how a range of managed pages is going to be used."""

    ptr: Address
    size: Size
    advise: U32
    location: Location

    @rejects("RUNTIME-ADVISE-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def nothing(call) -> bool:
        """There must be memory, and at least one byte of it."""
        return call.ptr == 0 or call.size == 0

    @rejects("RUNTIME-ADVISE-002", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def unknown_advice(call) -> bool:
        """There are six advices."""
        return call.advise > UvmAdvise.UNSET_ACCESS_BY_LOCATION

    @rejects(
        "RUNTIME-ADVISE-003", PARAM_INVALID, strength=MUST, code=SHOULD, source=(ADVICE, RUNTIME)
    )
    def device_is_missing(call, state: State) -> bool:
        """A device that is named is present."""
        return no_such_device(state, call.location)

    @rejects(
        "RUNTIME-ADVISE-004", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects(
        "RUNTIME-ADVISE-005",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(LIMITS, RUNTIME),
        profiles=GEN3,
    )
    def no_managed_memory(call, state: State) -> bool:
        """A product without managed memory says so, if all else is right."""
        return not _own_refusal(call, state)

    @rejects("RUNTIME-ADVISE-006", *REFUSED, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def outside_managed_addresses(call) -> bool:
        """The range lies in the addresses of managed memory."""
        return _driver(call).outside_managed_addresses()

    @rejects("RUNTIME-ADVISE-007", *REFUSED, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def no_place(call) -> bool:
        """To prefer or access from a place, there must be one, and nodes have numbers from 0."""
        return _driver(call).no_place() or _driver(call).no_such_node()

    @rejects("RUNTIME-ADVISE-008", *REFUSED, strength=SHOULD, source=V2, profiles=UVM_PRODUCTS)
    def nodes_do_not_access(call) -> bool:
        """Devices and the host access pages, NUMA nodes do not."""
        return _driver(call).nodes_do_not_access()

    @rejects(
        "RUNTIME-ADVISE-009",
        *REFUSED,
        strength=MUST,
        code=SHOULD,
        source=(ADVICE, SENSE, V2),
        profiles=UVM_PRODUCTS,
    )
    def not_allocated(call, state: State) -> bool:
        """Advice is about allocated pages; the first that is not stops the call."""
        return _driver(call).not_allocated(state)

    @undefined("RUNTIME-ADVISE-010", source=V2.at("rounding"), profiles=UVM_PRODUCTS)
    def last_page_may_be_missed(call) -> bool:
        """Advising a range whose rounded size ends before its last page."""
        return _driver(call).last_page_may_be_missed()

    @undefined("RUNTIME-ADVISE-011", source=SENSE, profiles=UVM_PRODUCTS)
    def several_allocations(call, state: State) -> bool:
        """Advising a range over several allocations, which are side by side by chance only."""
        return _driver(call).several_allocations(state)

    @undefined("RUNTIME-ADVISE-012", source=V2, profiles=UVM_PRODUCTS)
    def unknown_place_for_the_copy(call) -> bool:
        """Leaving the one copy of pages at a place of unknown type."""
        return _driver(call).unknown_place_for_the_copy()

    @undefined("RUNTIME-ADVISE-013", source=SENSE, profiles=UVM_PRODUCTS)
    def pages_are_on_their_way(call, state: State) -> bool:
        """Advising pages that a task under way brings somewhere."""
        block = state.blocks.covering(call.ptr)
        return block.exists and busy(state, block.base, block.extent)

    @may_reject("RUNTIME-ADVISE-014", *NO_MEMORY, source=(ADVICE, V2), profiles=UVM_PRODUCTS)
    def memory_may_be_short(call) -> bool:
        """Advice may need memory."""
        return True

    @may_reject("RUNTIME-ADVISE-015", *REFUSED, source=ADVICE, profiles=UVM_PRODUCTS)
    def not_on_pages(call) -> bool:
        """The documents ask for whole pages; the public driver rounds."""
        return _driver(call).not_on_pages()

    @may_reject("RUNTIME-ADVISE-016", source=(ADVICE, V2), profiles=UVM_PRODUCTS)
    def place_may_be_missing(call, state: State) -> bool:
        """A NUMA node may be missing, a device may have to be set, and pages may be elsewhere."""
        return (
            _driver(call).node_may_be_missing()
            or _driver(call).device_may_be_closed(state)
            or _driver(call).pages_may_be_elsewhere(state)
        )

    @accepts(
        "RUNTIME-ADVISE-020",
        strength=MUST,
        source=ADVICE,
        changes=("pages",),
        when=lambda call: call.advise == READ_MOSTLY,
        profiles=UVM_PRODUCTS,
    )
    def sets_read_mostly(call, state: State) -> State:
        """The pages may have copies in several places; the place is ignored."""
        return _driver(call).sets_read_mostly(state)

    @accepts(
        "RUNTIME-ADVISE-021",
        strength=MUST,
        source=ADVICE,
        changes=("pages",),
        when=lambda call: call.advise == UNSET_READ_MOSTLY,
        profiles=UVM_PRODUCTS,
    )
    def unsets_read_mostly(call, state: State) -> State:
        """One copy of the pages is left."""
        return _driver(call).unsets_read_mostly(state)

    @accepts(
        "RUNTIME-ADVISE-022",
        strength=MUST,
        source=ADVICE,
        changes=("pages",),
        when=lambda call: call.advise == PREFER,
        profiles=UVM_PRODUCTS,
    )
    def sets_preference(call, state: State) -> State:
        """The pages prefer the place."""
        return _driver(call).sets_preference(state)

    @accepts(
        "RUNTIME-ADVISE-023",
        strength=MUST,
        source=ADVICE,
        changes=("pages",),
        when=lambda call: call.advise == UNSET_PREFER,
        profiles=UVM_PRODUCTS,
    )
    def unsets_preference(call, state: State) -> State:
        """The pages prefer no place."""
        return _driver(call).unsets_preference(state)

    @accepts(
        "RUNTIME-ADVISE-024",
        strength=MUST,
        source=ADVICE,
        changes=("pages", "accessors"),
        when=lambda call: call.advise == ACCESS_BY,
        profiles=UVM_PRODUCTS,
    )
    def sets_access(call, state: State) -> State:
        """The pages are said to be accessed from the place."""
        return _driver(call).sets_access(state)

    @accepts(
        "RUNTIME-ADVISE-025",
        strength=MUST,
        source=ADVICE,
        changes=("pages", "accessors"),
        when=lambda call: call.advise == UNSET_ACCESS_BY,
        profiles=UVM_PRODUCTS,
    )
    def unsets_access(call, state: State) -> State:
        """The pages are not said to be accessed from the place any more."""
        return _driver(call).unsets_access(state)

    @leaves(
        "RUNTIME-ADVISE-030",
        strength=SHOULD,
        source=V2,
        changes=("pages", "accessors"),
        when=_stopped_at_the_hole,
        profiles=UVM_PRODUCTS,
    )
    def pages_before_the_hole(call, state: State) -> State:
        """Pages before the first that is not allocated follow the advice."""
        return _driver(call).pages_before_the_hole(state)

    @leaves(
        "RUNTIME-ADVISE-031",
        strength=SHOULD,
        source=V2,
        changes=("pages",),
        when=_reaches_pages,
        profiles=UVM_PRODUCTS,
    )
    def some_pages(call, state: State) -> State:
        """A call that stops in the middle may have been followed for some pages."""
        return _driver(call).some_pages(state)
