"""aclrtMemGetAllocationGranularity and aclrtMemGetAllocationPropertiesFromHandle."""

from __future__ import annotations

from halcert.spec.abi.constants import Granularity
from halcert.spec.language import (
    U32,
    Call,
    OutPointer,
    Returned,
    Size,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.language import Handle as HandleRef
from halcert.spec.physical.outcomes import (
    ASKING,
    INVALID_PARAM,
    NO_SUCH_DEVICE,
    NOT_SUPPORT,
    PARAM_INVALID,
    REFUSED,
)
from halcert.spec.physical.properties import (
    DEVICE,
    HOST,
    NUMA,
    P2P_GIANT,
    PhysicalProperties,
    PhysicalPropertiesOut,
    driver_properties,
    is_listed,
    of_the_host_alone,
    on_a_device,
    page_type,
    side_of,
)
from halcert.spec.profiles import Profile
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sources import SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.vmm.memory import usable
from halcert.spec.vmm.properties import wants_giant

MUST = Strength.MUST
SHOULD = Strength.SHOULD
UNKNOWN_OPTION = Granularity.MEM_ALLOC_GRANULARITY_INVALID


def _giant(call: GetAllocationGranularity) -> bool:
    return wants_giant(driver_properties(call.prop))


@interface("aclrtMemGetAllocationGranularity", area="physical", source=ACL_HEADER)
class GetAllocationGranularity(Call, frozen=True):
    """Ask of what the size of physical memory must be a multiple."""

    prop: PhysicalProperties
    option: U32
    granularity: OutPointer

    class Result(Returned, frozen=True):
        """The granularity in bytes."""

        granularity: Size

    @rejects("PHYSICAL-GRAN-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_null(call) -> bool:
        """There must be properties, and a place for the granularity."""
        return not call.prop.given or not call.granularity

    @rejects(
        "PHYSICAL-GRAN-002", INVALID_PARAM, strength=MUST, code=SHOULD, source=(ASKING, RUNTIME)
    )
    def unknown_kind(call) -> bool:
        """The kind is one of those for physical memory, and one that the place has."""
        elsewhere = on_a_device(call.prop) and of_the_host_alone(call.prop.memAttr)
        return call.prop.given and (elsewhere or not is_listed(call.prop.memAttr))

    @rejects(
        "PHYSICAL-GRAN-003",
        INVALID_PARAM,
        PARAM_INVALID,
        strength=SHOULD,
        source=(RUNTIME, V2, V3),
    )
    def unknown_place(call) -> bool:
        """Physical memory is on a device, on the host or on one of its NUMA nodes."""
        return call.prop.given and call.prop.type > NUMA

    @rejects(
        "PHYSICAL-GRAN-004", NO_SUCH_DEVICE, strength=MUST, code=SHOULD, source=(ASKING, RUNTIME)
    )
    def no_such_device(call, state: State) -> bool:
        """The device is present."""
        there = state.hardware.at(call.prop.id).exists
        return call.prop.given and on_a_device(call.prop) and not there

    @rejects("PHYSICAL-GRAN-005", NOT_SUPPORT, *REFUSED, strength=SHOULD, source=(V2, V3))
    def unknown_option(call) -> bool:
        """The least or the recommended granularity can be asked for."""
        return call.option >= UNKNOWN_OPTION

    @rejects("PHYSICAL-GRAN-006", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def giant_pages_are_for_devices(call, profile: Profile) -> bool:
        """Giant pages are for devices; those for peers may be on the host with SVM v2."""
        peers = call.prop.memAttr == P2P_GIANT and profile.generation == "v2"
        return call.prop.given and _giant(call) and call.prop.type != DEVICE and not peers

    @rejects("PHYSICAL-GRAN-007", *REFUSED, strength=SHOULD, source=(V2, V3))
    def reserve_is_given(call) -> bool:
        """The reserved member is 0."""
        return call.prop.reserve != 0

    @undefined("PHYSICAL-GRAN-008", source=ASKING)
    def of_no_physical_memory(call) -> bool:
        """Asking about places that have no physical memory, or about numbers of the host."""
        place, known = call.prop.type, call.prop.type <= NUMA
        other = place != HOST and place != DEVICE
        return call.prop.given and known and (other or (place == HOST and call.prop.id != 0))

    @may_reject("PHYSICAL-GRAN-009", source=(ASKING, V2, V3))
    def kind_may_be_missing(call) -> bool:
        """A product may lack giant pages, or memory for peers."""
        peers = driver_properties(call.prop).mem_type > 1
        return call.prop.given and (_giant(call) or peers)

    @accepts("PHYSICAL-GRAN-020", strength=MUST, source=ASKING)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("PHYSICAL-GRAN-021", strength=MUST, source=(ASKING, SENSE))
    def granularity_is_told(call, result: Result, profile: Profile) -> bool:
        """The granularity is told, in whole pages."""
        return result.granularity != 0 and result.granularity % profile.page == 0

    @ensures("PHYSICAL-GRAN-022", strength=SHOULD, source=(V2, V3))
    def granularity_is_that_of_pages(call, result: Result, profile: Profile) -> bool:
        """The granularity is 1 GiB for giant pages and otherwise 2 MiB."""
        return result.granularity == (profile.giant if _giant(call) else profile.huge)


def _own(call: GetAllocationProperties, state: State) -> bool:
    """Tell whether the program allocated the memory itself."""
    return not state.handles.at(call.handle).imported


@interface("aclrtMemGetAllocationPropertiesFromHandle", area="physical", source=ACL_HEADER)
class GetAllocationProperties(Call, frozen=True):
    """Ask for the properties of physical memory."""

    handle: HandleRef
    prop: OutPointer

    class Result(Returned, frozen=True):
        """The properties."""

        prop: PhysicalPropertiesOut

    @rejects("PHYSICAL-PROPS-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_null(call) -> bool:
        """There must be a handle, and a place for the properties."""
        return call.handle == 0 or not call.prop

    @undefined("PHYSICAL-PROPS-002", source=SENSE)
    def no_such_handle(call, state: State) -> bool:
        """Asking about what is not a handle, is none any more, or lost its device."""
        return call.handle != 0 and not usable(state, call.handle)

    @undefined("PHYSICAL-PROPS-003", source=ASKING)
    def imported(call, state: State) -> bool:
        """Asking about what another process allocated."""
        return not _own(call, state)

    @accepts("PHYSICAL-PROPS-010", strength=MUST, source=ASKING)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("PHYSICAL-PROPS-011", strength=MUST, source=ASKING)
    def place_is_told(call, state: State, result: Result) -> bool:
        """The place is the one that was asked for."""
        found = state.handles.at(call.handle)
        return side_of(result.prop.type) == found.side and result.prop.id == found.devid

    @ensures("PHYSICAL-PROPS-012", strength=SHOULD, source=(RUNTIME, V2, V3))
    def pages_are_told(call, state: State, result: Result) -> bool:
        """The kind is one with the pages that were asked for."""
        told = result.prop.memAttr
        return is_listed(told) and page_type(told) == state.handles.at(call.handle).pages
