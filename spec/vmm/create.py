"""halMemCreate: physical memory without addresses."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import MemType
from halcert.spec.language import (
    FAILURE,
    U64,
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
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sources import DEFINES, HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import Handle, State
from halcert.spec.vmm.memory import on_pages
from halcert.spec.vmm.properties import (
    DEVICE_SIDE,
    HOST_SIDE,
    Properties,
    giant_pages_are_for_devices,
    granule_of,
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
PARA_ERROR = DrvError.PARA_ERROR
PHYSICAL = MODULE_DOC.at("VMM, physical memory")


def with_memory(state: State, handle: int, size: int, prop: Properties, profile: Profile) -> State:
    """Return the state after there is physical memory, which the program holds once."""
    row = Handle(
        id=handle,
        held=1,
        size=size,
        granule=granule_of(prop, size, profile),
        device=prop.devid if prop.side == DEVICE_SIDE else profile.host_id,
        side=prop.side,
        devid=prop.devid,
        module=prop.module_id,
        pages=prop.pg_type,
        kind=prop.mem_type,
        lost=False,
        memory=state.contents.fresh(),
    )
    return state.but(handles=state.handles.insert(row), contents=state.contents.create())


def _of_a_device(call: MemCreate, profile: Profile) -> bool:
    known = call.prop.devid < profile.device_limit
    return call.prop.given and call.prop.side == DEVICE_SIDE and known


def _uneven(call: MemCreate, profile: Profile) -> bool:
    granule = granule_of(call.prop, call.size, profile)
    return call.prop.given and not on_pages(call.size, granule, profile)


def _place_given(call: MemCreate) -> bool:
    return call.handle


@interface("halMemCreate", area="vmm", source=HEADER)
class MemCreate(Call, frozen=True):
    """Get physical memory; nothing leads to it until it is mapped."""

    handle: OutPointer
    size: Size
    prop: Properties
    flag: U64

    class Result(Returned, frozen=True):
        """The handle that stands for the memory."""

        handle: HandleRef

    @rejects("VMM-CREATE-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_handle(call) -> bool:
        """There must be a place for the handle."""
        return not call.handle

    @rejects("VMM-CREATE-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def size_is_zero(call) -> bool:
        """There is at least one page of memory."""
        return call.size == 0

    @rejects("VMM-CREATE-003", INVALID_VALUE, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def flag_is_given(call) -> bool:
        """The flag is not used and must be 0."""
        return call.flag != 0

    no_properties = rejects("VMM-CREATE-004", INVALID_VALUE, strength=SHOULD, source=(V2, V3))(
        no_properties
    )

    unknown_side = rejects("VMM-CREATE-005", INVALID_VALUE, strength=SHOULD, source=(V2, V3))(
        unknown_side
    )

    @rejects("VMM-CREATE-006", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of devices; SVM v2 asks that of the host, too."""
        asked = call.prop.side == DEVICE_SIDE or (
            profile.generation == "v2" and call.prop.side == HOST_SIDE
        )
        return call.prop.given and asked and call.prop.devid >= profile.device_limit

    unknown_page_type = rejects("VMM-CREATE-007", INVALID_VALUE, strength=SHOULD, source=(V2, V3))(
        unknown_page_type
    )

    unknown_memory_type = rejects(
        "VMM-CREATE-008", INVALID_VALUE, strength=SHOULD, source=(V2, V3)
    )(unknown_memory_type)

    giant_pages_are_for_devices = rejects(
        "VMM-CREATE-009", NOT_SUPPORT, strength=SHOULD, source=(V2, V3)
    )(giant_pages_are_for_devices)

    no_giant_pages_of_ts = rejects("VMM-CREATE-010", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))(
        no_giant_pages_of_ts
    )

    reserve_is_given = rejects("VMM-CREATE-011", INVALID_VALUE, strength=SHOULD, source=(V2, V3))(
        reserve_is_given
    )

    @rejects("VMM-CREATE-012", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def host_has_no_number(call) -> bool:
        """Memory of the host is asked for with device id 0."""
        return call.prop.given and call.prop.side == HOST_SIDE and call.prop.devid != 0

    @rejects(
        "VMM-CREATE-013",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def size_not_in_pages(call, profile: Profile) -> bool:
        """The size is a multiple of 2 MiB, or of normal pages where there are such.

        Nobody is refused giant pages for the size.
        """
        return _uneven(call, profile) and not wants_giant(call.prop)

    @rejects(
        "VMM-CREATE-014",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def size_not_in_pages_v3(call, profile: Profile) -> bool:
        """The size is a multiple of the page size."""
        return _uneven(call, profile)

    @rejects("VMM-CREATE-015", strength=SHOULD, source=(MODULE_DOC.at("SVM initialisation"), V2))
    def device_not_open(call, state: State, profile: Profile) -> bool:
        """Memory of a device needs an open device."""
        known = call.prop.devid != 0 or profile.generation == "v3"
        closed = not state.devices.at(call.prop.devid).open
        return _of_a_device(call, profile) and known and closed

    @undefined(
        "VMM-CREATE-016",
        source=V2.at("device 0 is registered by host allocations"),
        profiles=GEN2,
    )
    def device_zero_not_open(call, state: State, profile: Profile) -> bool:
        """Whether memory of device 0 can be had before it is opened depends on the past."""
        first = _of_a_device(call, profile) and call.prop.devid == 0
        return first and not state.devices.at(0).open

    @undefined("VMM-CREATE-017", source=V2, profiles=GEN2)
    def giant_size_is_rounded(call, profile: Profile) -> bool:
        """Asking for giant pages with a size that is no multiple of them.

        SVM v2 rounds up; nobody says so.
        """
        return _uneven(call, profile) and wants_giant(call.prop)

    @may_reject("VMM-CREATE-020", DrvError.OUT_OF_MEMORY, source=(V2, V3))
    def memory_may_be_short(call) -> bool:
        """Memory may be short."""
        return True

    @may_reject("VMM-CREATE-021", NOT_SUPPORT, source=(DEFINES, V2))
    def giant_pages_may_be_missing(call) -> bool:
        """A device may lack giant pages."""
        return wants_giant(call.prop)

    node_may_be_missing = may_reject("VMM-CREATE-022", PARA_ERROR, source=(V2, V3))(
        node_may_be_missing
    )

    @may_reject("VMM-CREATE-023", source=V2)
    def kind_may_be_missing(call) -> bool:
        """A device may lack the kind of memory."""
        other = call.prop.mem_type != MemType.MEM_HBM_TYPE
        return call.prop.given and call.prop.side == DEVICE_SIDE and other

    @accepts(
        "VMM-CREATE-030",
        strength=MUST,
        source=(PHYSICAL, HEADER),
        changes=("handles", "contents"),
    )
    def gives_memory(call, state: State, result: Result, profile: Profile) -> State:
        """There is memory of the size and properties that were asked for, held once."""
        return with_memory(state, result.handle, call.size, call.prop, profile)

    @ensures("VMM-CREATE-031", strength=MUST, source=PHYSICAL)
    def handle_is_given(call, result: Result) -> bool:
        """A successful call gives a handle that is not null."""
        return result.handle != 0 and result.handle != poison(64)

    @ensures("VMM-CREATE-032", strength=MUST, source=SENSE)
    def handle_is_new(call, state: State, result: Result) -> bool:
        """No other memory of the process has the handle."""
        return not state.handles.at(result.handle).exists

    @ensures(
        "VMM-CREATE-033", strength=SHOULD, source=V2, on=FAILURE, when=_place_given, profiles=GEN2
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the handle alone."""
        return result.handle == poison(64)
