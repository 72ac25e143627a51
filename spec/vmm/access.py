"""halMemSetAccess and halMemGetAccess: who may use mapped memory besides its owner."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import AccessType
from halcert.spec.language import (
    FAILURE,
    U64,
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
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sources import DEFINES, HEADER, SENSE, V2, V3
from halcert.spec.state import Block, State
from halcert.spec.svm.flags import MAPPED
from halcert.spec.svm.idle import may_be_unknown
from halcert.spec.svm.memory import within
from halcert.spec.vmm.locations import (
    AccessDesc,
    Location,
    closed_device,
    granted,
    has_access,
    numbered_host,
    unknown_device,
    unknown_side,
    where,
)
from halcert.spec.vmm.memory import given_out, mapping_at

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
NO_ACCESS = AccessType.MEM_ACCESS_TYPE_NONE
READ = AccessType.MEM_ACCESS_TYPE_READ
READ_WRITE = AccessType.MEM_ACCESS_TYPE_READWRITE
UNTOLD = AccessType.MEM_ACCESS_TYPE_MAX
MOST = 66
"""Locations that SVM v3 gives access at a time."""


def _descs(call: MemSetAccess) -> Elements[AccessDesc]:
    return Elements(call.count, call.desc)


def _exact(call: MemSetAccess, block: Block) -> bool:
    return block.kind == MAPPED and call.ptr == block.base and call.size == block.size


def _any_new(call: MemSetAccess, state: State) -> bool:
    block = mapping_at(state, call.ptr)
    return _descs(call).any(lambda desc: not has_access(state, block, desc))


def _in_mapping(call: MemSetAccess, state: State) -> bool:
    block = mapping_at(state, call.ptr)
    return block.kind == MAPPED and within(block, call.ptr, call.size)


def _twice(call: MemSetAccess) -> bool:
    """Tell whether a device is named twice."""
    devices = Elements(call.count, call.desc)
    return not devices.disjoint(lambda desc: (where(desc), 1))


@interface("halMemSetAccess", area="vmm", source=HEADER)
class MemSetAccess(Call, frozen=True):
    """Give devices or the host access to mapped memory."""

    ptr: Address
    size: Size
    desc: Sequence[AccessDesc]
    count: Size

    @rejects("VMM-SETACC-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def address_is_null(call) -> bool:
        """The address is not null."""
        return call.ptr == 0

    @rejects("VMM-SETACC-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_locations(call) -> bool:
        """There must be an array of locations."""
        return not call.desc.given

    @rejects("VMM-SETACC-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_location(call) -> bool:
        """There is at least one location."""
        return call.count == 0

    @rejects("VMM-SETACC-004", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def too_many_locations(call) -> bool:
        """There are at most 66 locations."""
        return call.count > MOST

    @rejects("VMM-SETACC-005", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def no_such_access(call) -> bool:
        """Access is for reading and writing; none, or only for reading, is not supported."""
        return _descs(call).any(lambda desc: desc.type == NO_ACCESS or desc.type == READ)

    @rejects("VMM-SETACC-006", INVALID_VALUE, strength=SHOULD, source=(DEFINES, V2, V3))
    def unknown_access(call) -> bool:
        """The access is of a type that there is."""
        return _descs(call).any(
            lambda desc: desc.type != NO_ACCESS and desc.type != READ and desc.type != READ_WRITE
        )

    @rejects("VMM-SETACC-007", INVALID_VALUE, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def host_has_no_number(call) -> bool:
        """The host is named with id 0."""
        return _descs(call).any(numbered_host)

    @rejects("VMM-SETACC-008", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """A device id is below the number of devices."""
        return _descs(call).any(lambda desc: unknown_device(desc, profile))

    @rejects("VMM-SETACC-009", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def other_side(call) -> bool:
        """Locations are devices and the host."""
        return _descs(call).any(unknown_side)

    @rejects("VMM-SETACC-010", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def named_twice(call) -> bool:
        """Every location is named once."""
        return _twice(call)

    @rejects(
        "VMM-SETACC-011",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def not_in_a_mapping(call, state: State) -> bool:
        """The range is mapped, in one go."""
        return call.ptr != 0 and not _in_mapping(call, state)

    @rejects(
        "VMM-SETACC-012",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def nothing_there(call, state: State) -> bool:
        """The address is not nobody's."""
        return call.ptr != 0 and not given_out(state, call.ptr)

    @rejects(
        "VMM-SETACC-013",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def not_a_mapping(call, state: State) -> bool:
        """Address and size are those of a mapping."""
        block = mapping_at(state, call.ptr)
        return given_out(state, call.ptr) and not _exact(call, block)

    @rejects(
        "VMM-SETACC-014",
        DrvError.BUSY,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def part_of_a_mapping(call, state: State) -> bool:
        """Address and size are those of the mapping where a location has access already."""
        block = mapping_at(state, call.ptr)
        part = _in_mapping(call, state) and not _exact(call, block)
        return part and not _any_new(call, state)

    @undefined("VMM-SETACC-015", source=SENSE)
    def array_is_short(call, profile: Profile) -> bool:
        """Saying that there are more locations than the array has elements."""
        sound = call.desc.given and (call.count <= MOST or profile.generation == "v2")
        return sound and len(call.desc.items) < call.count

    @undefined("VMM-SETACC-016", source=HEADER, profiles=GEN2)
    def new_access_to_a_part(call, state: State) -> bool:
        """Giving access to a part of a mapping."""
        part = _in_mapping(call, state) and not _exact(call, mapping_at(state, call.ptr))
        return part and _any_new(call, state)

    @undefined("VMM-SETACC-017", source=(V2, V3))
    def device_is_closed(call, state: State, profile: Profile) -> bool:
        """Giving access to a device that is not open."""
        return _descs(call).any(lambda desc: closed_device(state, desc, profile))

    @undefined("VMM-SETACC-018", source=V2.at("what was given before a failure stays given"))
    def several_at_once(call, state: State) -> bool:
        """Giving access to several locations that lack it; where one fails, others may have it."""
        block = mapping_at(state, call.ptr)
        return _exact(call, block) and _descs(call).any(
            lambda one: (
                not has_access(state, block, one)
                and _descs(call).any(
                    lambda other: not has_access(state, block, other) and where(one) != where(other)
                )
            )
        )

    @may_reject(
        "VMM-SETACC-019",
        NOT_SUPPORT,
        PARA_ERROR,
        DrvError.INVALID_HANDLE,
        DrvError.OUT_OF_MEMORY,
        source=(HEADER, V2, V3),
    )
    def ways_may_be_missing(call, state: State) -> bool:
        """A machine may have no way for a location to reach the memory, or no memory for it."""
        return _any_new(call, state)

    process_may_be_unknown = may_be_unknown("VMM-SETACC-021", profiles=GEN2)

    @accepts("VMM-SETACC-030", strength=MUST, source=HEADER, changes=("grants",))
    def gives_access(call, state: State) -> State:
        """The locations may read and write the memory; those that had access keep it."""
        block = mapping_at(state, call.ptr)
        return _descs(call).fold(lambda now, desc: granted(now, block, desc), state)


def _allowed(call: MemGetAccess, state: State) -> bool:
    return has_access(state, mapping_at(state, call.ptr), call.location)


def _not_allowed(call: MemGetAccess, state: State) -> bool:
    return not _allowed(call, state)


def _place_given(call: MemGetAccess) -> bool:
    return call.flags


@interface("halMemGetAccess", area="vmm", source=HEADER)
class MemGetAccess(Call, frozen=True):
    """Ask what a device or the host may do with mapped memory."""

    ptr: Address
    location: Location
    flags: OutPointer

    class Result(Returned, frozen=True):
        """The access."""

        flags: U64

    @rejects("VMM-GETACC-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def address_is_null(call) -> bool:
        """The address is not null."""
        return call.ptr == 0

    @rejects("VMM-GETACC-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_location(call) -> bool:
        """There must be a location."""
        return not call.location.given

    @rejects("VMM-GETACC-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_access(call) -> bool:
        """There must be a place for the access."""
        return not call.flags

    @rejects("VMM-GETACC-004", INVALID_VALUE, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def host_has_no_number(call) -> bool:
        """The host is named with id 0."""
        return call.location.given and numbered_host(call.location)

    @rejects("VMM-GETACC-005", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of devices."""
        return call.location.given and unknown_device(call.location, profile)

    @rejects("VMM-GETACC-006", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def other_side(call) -> bool:
        """The location is a device or the host."""
        return call.location.given and unknown_side(call.location)

    @rejects(
        "VMM-GETACC-007",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def not_mapped(call, state: State) -> bool:
        """Something is mapped at the address."""
        return call.ptr != 0 and mapping_at(state, call.ptr).kind != MAPPED

    @rejects(
        "VMM-GETACC-008",
        PARA_ERROR,
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def not_mapped_v3(call, state: State) -> bool:
        """Something is mapped at the address."""
        return call.ptr != 0 and mapping_at(state, call.ptr).kind != MAPPED

    @undefined("VMM-GETACC-009", source=(V2, V3))
    def device_is_closed(call, state: State, profile: Profile) -> bool:
        """Asking about a device that is not open."""
        return call.location.given and closed_device(state, call.location, profile)

    @accepts("VMM-GETACC-010", strength=MUST, source=HEADER)
    def answers(call, state: State) -> State:
        """Any address of a mapping will do, and asking changes nothing."""
        return state

    @ensures("VMM-GETACC-011", strength=MUST, source=HEADER, when=_allowed)
    def access_is_told(call, result: Result) -> bool:
        """The owner of the memory, and who was given access, may read and write."""
        return result.flags == READ_WRITE

    @ensures("VMM-GETACC-012", strength=SHOULD, source=(HEADER, V2, V3), when=_not_allowed)
    def no_access_is_told(call, result: Result) -> bool:
        """Who was given no access has none.

        The header says that MEM_ACCESS_TYPE_MAX is told then; the public driver tells NONE.
        """
        return result.flags == NO_ACCESS or result.flags == UNTOLD

    @ensures(
        "VMM-GETACC-013", strength=SHOULD, source=V2, on=FAILURE, when=_place_given, profiles=GEN2
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the access alone."""
        return result.flags == poison(64)

    process_may_be_unknown = may_be_unknown("VMM-GETACC-014", profiles=GEN2)
