"""halMemGetAllocationGranularity and halMemGetAllocationPropertiesFromHandle: what is possible.

And what physical memory was asked for.
"""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import Granularity
from halcert.spec.language import (
    FAILURE,
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
    poison,
    rejects,
    undefined,
)
from halcert.spec.language import Handle as HandleRef
from halcert.spec.profiles import GEN2, Profile
from halcert.spec.sources import DEFINES, HEADER, SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.vmm.memory import usable
from halcert.spec.vmm.properties import (
    DEVICE_SIDE,
    HOST_SIDE,
    NORMAL,
    RUNTIME,
    Properties,
    PropertiesOut,
    giant_pages_are_for_devices,
    no_giant_pages_of_ts,
    no_properties,
    node_may_be_missing,
    reserve_is_given,
    unknown_memory_type,
    unknown_page_type,
    unknown_side,
    wants_giant,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
MINIMUM = Granularity.MEM_ALLOC_GRANULARITY_MINIMUM
INVALID = Granularity.MEM_ALLOC_GRANULARITY_INVALID


def _place_given(call: MemGetAllocationGranularity) -> bool:
    return call.granularity


@interface("halMemGetAllocationGranularity", area="vmm", source=HEADER)
class MemGetAllocationGranularity(Call, frozen=True):
    """Ask of what the size of physical memory must be a multiple."""

    prop: Properties
    option: U32
    granularity: OutPointer

    class Result(Returned, frozen=True):
        """The granularity in bytes."""

        granularity: Size

    @rejects("VMM-GRAN-001", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_option(call) -> bool:
        """The least or the recommended granularity can be asked for."""
        return call.option >= INVALID

    @rejects("VMM-GRAN-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_answer(call) -> bool:
        """There must be a place for the granularity."""
        return not call.granularity

    no_properties = rejects("VMM-GRAN-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))(
        no_properties
    )

    unknown_side = rejects("VMM-GRAN-004", INVALID_VALUE, strength=SHOULD, source=(V2, V3))(
        unknown_side
    )

    @rejects("VMM-GRAN-005", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of devices, or that of the host.

        SVM v2 takes the host's on both sides, SVM v3 on the side of the host, with all below it.
        """
        prop, known = call.prop, call.prop.devid < profile.device_limit
        host = prop.devid == profile.host_id
        if profile.generation == "v2":
            asked = prop.side == DEVICE_SIDE or prop.side == HOST_SIDE
            return prop.given and asked and not known and not host
        if prop.side == DEVICE_SIDE:
            return prop.given and not known
        return prop.given and prop.side == HOST_SIDE and not known and not host

    unknown_page_type = rejects("VMM-GRAN-006", INVALID_VALUE, strength=SHOULD, source=(V2, V3))(
        unknown_page_type
    )

    unknown_memory_type = rejects("VMM-GRAN-007", INVALID_VALUE, strength=SHOULD, source=(V2, V3))(
        unknown_memory_type
    )

    giant_pages_are_for_devices = rejects(
        "VMM-GRAN-008", NOT_SUPPORT, strength=SHOULD, source=(V2, V3)
    )(giant_pages_are_for_devices)

    no_giant_pages_of_ts = rejects("VMM-GRAN-009", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))(
        no_giant_pages_of_ts
    )

    reserve_is_given = rejects("VMM-GRAN-010", INVALID_VALUE, strength=SHOULD, source=(V2, V3))(
        reserve_is_given
    )

    @may_reject("VMM-GRAN-011", NOT_SUPPORT, source=(DEFINES, V2))
    def giant_pages_may_be_missing(call) -> bool:
        """A device may lack giant pages, and one that was never opened has none."""
        return wants_giant(call.prop)

    node_may_be_missing = may_reject("VMM-GRAN-012", DrvError.PARA_ERROR, source=V3)(
        node_may_be_missing
    )

    @accepts("VMM-GRAN-020", strength=MUST, source=HEADER)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("VMM-GRAN-021", strength=MUST, source=(HEADER, SENSE))
    def granularity_is_told(call, result: Result, profile: Profile) -> bool:
        """The granularity is told, in whole pages."""
        return result.granularity != 0 and result.granularity % profile.page == 0

    @ensures("VMM-GRAN-022", strength=SHOULD, source=(V2, V3))
    def granularity_is_that_of_pages(call, result: Result, profile: Profile) -> bool:
        """The granularity is 1 GiB for giant pages and otherwise 2 MiB.

        The runtime is told a normal page as the least one when it names the host by its id.
        """
        prop = call.prop
        if wants_giant(prop):
            return result.granularity == profile.giant
        small = prop.pg_type == NORMAL and prop.module_id == RUNTIME
        if small and call.option == MINIMUM and prop.devid == profile.host_id:
            return result.granularity == profile.page
        return result.granularity == profile.huge

    @ensures(
        "VMM-GRAN-023", strength=SHOULD, source=V2, on=FAILURE, when=_place_given, profiles=GEN2
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the granularity alone."""
        return result.granularity == poison(64)


def _own(call: MemGetAllocationPropertiesFromHandle, state: State) -> bool:
    """Tell whether the program created the memory itself."""
    return not state.handles.at(call.handle).imported


@interface("halMemGetAllocationPropertiesFromHandle", area="vmm", source=HEADER)
class MemGetAllocationPropertiesFromHandle(Call, frozen=True):
    """Ask for the properties that physical memory was asked for with."""

    prop: OutPointer
    handle: HandleRef

    class Result(Returned, frozen=True):
        """The properties."""

        prop: PropertiesOut

    @rejects("VMM-PROPS-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_answer(call) -> bool:
        """There must be a place for the properties."""
        return not call.prop

    @rejects("VMM-PROPS-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_handle(call) -> bool:
        """Null is not a handle."""
        return call.handle == 0

    @undefined("VMM-PROPS-003", source=(SENSE, V2, V3))
    def no_such_handle(call, state: State) -> bool:
        """Asking about what is not a handle, is none any more, or lost its device."""
        return call.handle != 0 and not usable(state, call.handle)

    @accepts("VMM-PROPS-010", strength=MUST, source=HEADER)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("VMM-PROPS-011", strength=MUST, source=HEADER, when=_own)
    def place_is_told(call, state: State, result: Result) -> bool:
        """Side and device are those that were asked for."""
        found = state.handles.at(call.handle)
        return result.prop.side == found.side and result.prop.devid == found.devid

    @ensures("VMM-PROPS-012", strength=MUST, source=HEADER, when=_own)
    def pages_are_told(call, state: State, result: Result) -> bool:
        """Page type and kind of memory are those that were asked for."""
        found = state.handles.at(call.handle)
        return result.prop.pg_type == found.pages and result.prop.mem_type == found.kind

    @ensures("VMM-PROPS-013", strength=SHOULD, source=(HEADER, V2), when=_own)
    def module_is_told(call, state: State, result: Result) -> bool:
        """The module id is the one that was given, even if there is no such module."""
        return result.prop.module_id == state.handles.at(call.handle).module
