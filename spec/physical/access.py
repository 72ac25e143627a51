"""aclrtMemSetAccess and aclrtMemGetAccess: who may use mapped memory besides its owner."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    U32,
    U64,
    Address,
    Call,
    DeviceId,
    Elements,
    OutPointer,
    Record,
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
from halcert.spec.physical.outcomes import (
    ACCESS,
    INVALID_PARAM,
    NOT_SUPPORT,
    may_be_a_pools,
)
from halcert.spec.physical.properties import side_of
from halcert.spec.profiles import GEN3, Profile
from halcert.spec.runtime.memory import NO_MEMORY, REFUSED
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sources import SENSE, V2, V3
from halcert.spec.state import Block, State
from halcert.spec.svm.flags import MAPPED
from halcert.spec.vmm.access import NO_ACCESS, READ_WRITE, UNTOLD
from halcert.spec.vmm.locations import (
    Location,
    closed_device,
    granted,
    has_access,
    numbered_host,
    unknown_device,
    unknown_side,
    where,
)
from halcert.spec.vmm.memory import mapping_at

MUST = Strength.MUST
SHOULD = Strength.SHOULD
NO_WAY = (*REFUSED, NOT_SUPPORT, AclError.RT_INVALID_HANDLE, *NO_MEMORY)
"""What calls answer where a place has no way to memory."""


class AccessDesc(Record, frozen=True):
    """What a place may do (``aclrtMemAccessDesc``)."""

    flags: U32
    """Access."""
    id: DeviceId
    """Device, or 0 for the host."""
    type: U32
    """Where it is."""

    def possible(self) -> bool:
        """Tell that an element of an array is there."""
        return self.given


class Place(Record, frozen=True):
    """A device or the host (``aclrtMemLocation``)."""

    id: DeviceId
    """Device, or 0 for the host."""
    type: U32
    """Where it is."""


def location_of(place: AccessDesc | Place) -> Location:
    """Return the location that the driver is asked about."""
    return Location(given=place.given, id=place.id, side=side_of(place.type))


def _descs(call: MemSetAccess) -> Elements[AccessDesc]:
    return Elements(call.count, call.desc)


def _whole(call: MemSetAccess) -> bool:
    """Tell whether the array has all the places that the call speaks of."""
    return len(call.desc.items) >= call.count


def _exact(call: MemSetAccess, block: Block) -> bool:
    return block.kind == MAPPED and call.virPtr == block.base and call.size == block.size


def _has_access(state: State, block: Block, desc: AccessDesc) -> bool:
    return has_access(state, block, location_of(desc))


def _apart(one: AccessDesc, other: AccessDesc) -> bool:
    return where(location_of(one)) != where(location_of(other))


def _unknown(place: Location, profile: Profile) -> bool:
    return numbered_host(place) or unknown_device(place, profile) or unknown_side(place)


@interface("aclrtMemSetAccess", area="physical", source=ACL_HEADER)
class MemSetAccess(Call, frozen=True):
    """Give devices or the host access to mapped memory."""

    virPtr: Address
    size: Size
    desc: Sequence[AccessDesc]
    count: Size

    @rejects("PHYSICAL-SETACC-001", *REFUSED, strength=SHOULD, source=(RUNTIME, V2, V3))
    def something_is_missing(call) -> bool:
        """There must be an address and at least one place."""
        return call.virPtr == 0 or not call.desc.given or call.count == 0

    @rejects("PHYSICAL-SETACC-003", NOT_SUPPORT, *REFUSED, strength=SHOULD, source=(V2, V3))
    def no_such_access(call) -> bool:
        """Access is for reading and writing; none, or only for reading, is not supported."""
        return _whole(call) and _descs(call).any(lambda desc: desc.flags != READ_WRITE)

    @rejects("PHYSICAL-SETACC-004", *REFUSED, strength=MUST, code=SHOULD, source=(ACCESS, V2, V3))
    def no_such_place(call, profile: Profile) -> bool:
        """Places are devices, by number, and the host, with number 0."""
        return _whole(call) and _descs(call).any(lambda desc: _unknown(location_of(desc), profile))

    @rejects(
        "PHYSICAL-SETACC-006",
        *REFUSED,
        strength=MUST,
        code=SHOULD,
        source=(ACCESS, SENSE, V2, V3),
    )
    def not_mapped(call, state: State) -> bool:
        """Something is mapped at the address."""
        mapped = mapping_at(state, call.virPtr).kind == MAPPED
        return call.virPtr != 0 and not mapped and not may_be_a_pools(state, call.virPtr)

    @undefined("PHYSICAL-SETACC-007", source=ACCESS)
    def not_all_of_a_mapping(call, state: State) -> bool:
        """Giving access to less or more than a mapping, or to what a pool may have mapped."""
        block = mapping_at(state, call.virPtr)
        part = block.kind == MAPPED and not _exact(call, block)
        return part or (call.virPtr != 0 and may_be_a_pools(state, call.virPtr))

    @undefined("PHYSICAL-SETACC-008", source=SENSE)
    def array_is_short(call) -> bool:
        """Saying that there are more places than the array has elements."""
        return call.desc.given and not _whole(call)

    @undefined("PHYSICAL-SETACC-009", source=(V2, V3))
    def device_is_closed(call, state: State, profile: Profile) -> bool:
        """Giving access to a device that is not set."""
        return _descs(call).any(lambda desc: closed_device(state, location_of(desc), profile))

    @may_reject("PHYSICAL-SETACC-011", *NO_WAY, source=(ACCESS, V2, V3))
    def ways_may_be_missing(call, state: State) -> bool:
        """A machine may have no way for a place to reach the memory, or no memory for it."""
        block = mapping_at(state, call.virPtr)
        return _descs(call).any(lambda desc: not _has_access(state, block, desc))

    @undefined("PHYSICAL-SETACC-012", source=V2.at("what was given before a failure stays given"))
    def several_at_once(call, state: State) -> bool:
        """Giving access to several places that lack it: the call fails if one of them gets none.

        No document says what those before it have then, and the public driver lets them keep it.
        """
        block = mapping_at(state, call.virPtr)
        return _exact(call, block) and _descs(call).any(
            lambda one: (
                not _has_access(state, block, one)
                and _descs(call).any(
                    lambda other: not _has_access(state, block, other) and _apart(one, other)
                )
            )
        )

    @may_reject("PHYSICAL-SETACC-013", *REFUSED, source=V3, profiles=GEN3)
    def named_twice(call) -> bool:
        """A place that is named twice may be refused."""
        return not _descs(call).disjoint(lambda desc: (where(location_of(desc)), 1))

    @accepts("PHYSICAL-SETACC-020", strength=MUST, source=ACCESS, changes=("grants",))
    def gives_access(call, state: State) -> State:
        """The places may read and write the memory; those that had access keep it.

        There may be several. The public runtime hands their descriptions, of 24 bytes each, on to
        a driver whose own have 20, which so finds none of the places but the first: that is a
        fault of it, not what the documents say.
        """
        block = mapping_at(state, call.virPtr)
        return _descs(call).fold(lambda now, desc: granted(now, block, location_of(desc)), state)


def _allowed(call: MemGetAccess, state: State) -> bool:
    return has_access(state, mapping_at(state, call.virPtr), location_of(call.location))


def _not_allowed(call: MemGetAccess, state: State) -> bool:
    return not _allowed(call, state)


@interface("aclrtMemGetAccess", area="physical", source=ACL_HEADER)
class MemGetAccess(Call, frozen=True):
    """Ask what a device or the host may do with mapped memory."""

    virPtr: Address
    location: Place
    flag: OutPointer

    class Result(Returned, frozen=True):
        """The access."""

        flag: U64

    @rejects("PHYSICAL-GETACC-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_null(call) -> bool:
        """There must be an address, a place to ask about and one for the answer."""
        return call.virPtr == 0 or not call.location.given or not call.flag

    @rejects("PHYSICAL-GETACC-002", *REFUSED, strength=MUST, code=SHOULD, source=(ACCESS, V2, V3))
    def no_such_place(call, profile: Profile) -> bool:
        """The place is a device, by number, or the host, with number 0."""
        return call.location.given and _unknown(location_of(call.location), profile)

    @rejects(
        "PHYSICAL-GETACC-003",
        *REFUSED,
        strength=MUST,
        code=SHOULD,
        source=(ACCESS, SENSE, V2, V3),
    )
    def not_mapped(call, state: State) -> bool:
        """Something is mapped at the address."""
        mapped = mapping_at(state, call.virPtr).kind == MAPPED
        return call.virPtr != 0 and not mapped and not may_be_a_pools(state, call.virPtr)

    @undefined("PHYSICAL-GETACC-004", source=ACCESS)
    def not_the_start(call, state: State) -> bool:
        """Asking from within a mapping, or about an address that a pool may have reserved."""
        found = mapping_at(state, call.virPtr)
        within = found.kind == MAPPED and found.base != call.virPtr
        return within or (call.virPtr != 0 and may_be_a_pools(state, call.virPtr))

    @undefined("PHYSICAL-GETACC-005", source=(V2, V3))
    def device_is_closed(call, state: State, profile: Profile) -> bool:
        """Asking about a device that is not set."""
        place = location_of(call.location)
        return call.location.given and closed_device(state, place, profile)

    @accepts("PHYSICAL-GETACC-010", strength=MUST, source=ACCESS)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("PHYSICAL-GETACC-011", strength=MUST, source=ACCESS, when=_allowed)
    def access_is_told(call, result: Result) -> bool:
        """The owner of the memory, and who was given access, may read and write."""
        return result.flag == READ_WRITE

    @ensures("PHYSICAL-GETACC-012", strength=SHOULD, source=(V2, V3), when=_not_allowed)
    def no_access_is_told(call, result: Result) -> bool:
        """Who was given no access has none."""
        return result.flag == NO_ACCESS or result.flag == UNTOLD
