"""aclrtMallocPhysical, aclrtFreePhysical and aclrtMemRetainAllocationHandle: references."""

from __future__ import annotations

from halcert.spec.language import (
    U64,
    Address,
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
from halcert.spec.physical.outcomes import (
    ASKING,
    INVALID_PARAM,
    NO_SUCH_DEVICE,
    NOT_SUPPORT,
    PARAM_INVALID,
    PHYSICAL,
    may_be_a_pools,
)
from halcert.spec.physical.properties import (
    DEVICE,
    HOST,
    NO_SHARING,
    NUMA,
    P2P_GIANT,
    PINNED,
    PhysicalProperties,
    driver_properties,
    is_listed,
    of_the_host_alone,
    on_a_device,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.runtime.memory import NO_MEMORY, REFUSED
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sources import SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.svm.flags import MAPPED
from halcert.spec.vmm.create import MemCreate, with_memory
from halcert.spec.vmm.memory import mapping_at, on_pages
from halcert.spec.vmm.properties import granule_of, wants_giant
from halcert.spec.vmm.references import MemRelease, MemRetainAllocationHandle

MUST = Strength.MUST
SHOULD = Strength.SHOULD


def _driver(call: MallocPhysical) -> MemCreate:
    return MemCreate(
        handle=call.handle, size=call.size, prop=driver_properties(call.prop), flag=call.flags
    )


def _giant(call: MallocPhysical) -> bool:
    return wants_giant(driver_properties(call.prop))


def _uneven(call: MallocPhysical, profile: Profile) -> bool:
    granule = granule_of(driver_properties(call.prop), call.size, profile)
    return call.prop.given and not on_pages(call.size, granule, profile)


@interface("aclrtMallocPhysical", area="physical", source=ACL_HEADER)
class MallocPhysical(Call, frozen=True):
    """Get physical memory; nothing leads to it until it is mapped."""

    handle: OutPointer
    size: Size
    prop: PhysicalProperties
    flags: U64

    class Result(Returned, frozen=True):
        """The handle that stands for the memory."""

        handle: HandleRef

    @rejects("PHYSICAL-MALLOC-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_missing(call) -> bool:
        """There must be properties and a place for the handle, and at least one byte."""
        return not call.handle or not call.prop.given or call.size == 0

    @rejects(
        "PHYSICAL-MALLOC-002", INVALID_PARAM, strength=MUST, code=SHOULD, source=(PHYSICAL, RUNTIME)
    )
    def flags_are_given(call) -> bool:
        """There are no flags yet."""
        return call.flags != 0

    @rejects(
        "PHYSICAL-MALLOC-003", INVALID_PARAM, strength=MUST, code=SHOULD, source=(PHYSICAL, RUNTIME)
    )
    def unknown_way(call) -> bool:
        """Physical memory is pinned, and how it is shared is not said before it is exported."""
        other = call.prop.handleType != NO_SHARING or call.prop.allocationType != PINNED
        return call.prop.given and other

    @rejects(
        "PHYSICAL-MALLOC-004",
        INVALID_PARAM,
        PARAM_INVALID,
        strength=MUST,
        code=SHOULD,
        source=(PHYSICAL, RUNTIME),
    )
    def unknown_place(call) -> bool:
        """Physical memory is on a device, on the host or on one of its NUMA nodes."""
        place = call.prop.type
        return call.prop.given and place != HOST and place != DEVICE and place != NUMA

    @rejects(
        "PHYSICAL-MALLOC-005", INVALID_PARAM, strength=MUST, code=SHOULD, source=(PHYSICAL, RUNTIME)
    )
    def unknown_kind(call) -> bool:
        """Thirteen of the kinds of memory are for physical memory."""
        return call.prop.given and not is_listed(call.prop.memAttr)

    @rejects(
        "PHYSICAL-MALLOC-006", INVALID_PARAM, strength=MUST, code=SHOULD, source=(PHYSICAL, RUNTIME)
    )
    def not_of_a_device(call) -> bool:
        """A device has no memory of those kinds that say DDR."""
        return on_a_device(call.prop) and of_the_host_alone(call.prop.memAttr)

    @rejects(
        "PHYSICAL-MALLOC-007",
        NO_SUCH_DEVICE,
        strength=MUST,
        code=SHOULD,
        source=(PHYSICAL, RUNTIME),
    )
    def no_such_device(call, state: State) -> bool:
        """The device is present."""
        there = state.hardware.at(call.prop.id).exists
        return call.prop.given and on_a_device(call.prop) and not there

    @rejects("PHYSICAL-MALLOC-008", strength=MUST, source=(PHYSICAL, SENSE, V2, V3))
    def device_not_open(call, state: State, profile: Profile) -> bool:
        """Memory of a device needs a device that was set."""
        return _driver(call).device_not_open(state, profile)

    @rejects(
        "PHYSICAL-MALLOC-009", NOT_SUPPORT, strength=MUST, code=SHOULD, source=(PHYSICAL, V2, V3)
    )
    def giant_pages_are_for_devices(call, profile: Profile) -> bool:
        """Giant pages are for devices; those for peers may be on the host with SVM v2."""
        peers = call.prop.memAttr == P2P_GIANT and profile.generation == "v2"
        return call.prop.given and _giant(call) and call.prop.type != DEVICE and not peers

    @rejects("PHYSICAL-MALLOC-010", *REFUSED, strength=SHOULD, source=(V2, V3))
    def reserve_is_given(call) -> bool:
        """The reserved member is 0."""
        return call.prop.reserve != 0

    @rejects("PHYSICAL-MALLOC-011", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def host_has_no_number(call) -> bool:
        """Memory of the host is asked for with number 0."""
        return call.prop.given and call.prop.type == HOST and call.prop.id != 0

    @rejects("PHYSICAL-MALLOC-012", *REFUSED, strength=MUST, code=SHOULD, source=(PHYSICAL, V2, V3))
    def size_not_in_pages(call, profile: Profile) -> bool:
        """The size is a multiple of 2 MiB; SVM v2 refuses nobody giant pages for the size."""
        rounded = _giant(call) and profile.generation == "v2"
        return _uneven(call, profile) and not rounded

    @undefined("PHYSICAL-MALLOC-013", source=V2, profiles=GEN2)
    def device_zero_not_open(call, state: State, profile: Profile) -> bool:
        """Whether memory of device 0 can be had before it is set depends on the past."""
        return _driver(call).device_zero_not_open(state, profile)

    @undefined("PHYSICAL-MALLOC-014", source=V2, profiles=GEN2)
    def giant_size_is_rounded(call, profile: Profile) -> bool:
        """Asking for giant pages with a size that is no multiple of them."""
        return _uneven(call, profile) and _giant(call)

    @may_reject("PHYSICAL-MALLOC-015", *NO_MEMORY, source=PHYSICAL)
    def memory_may_be_short(call) -> bool:
        """There may be no memory left."""
        return True

    @may_reject("PHYSICAL-MALLOC-016", source=(PHYSICAL, V2, V3))
    def kind_may_be_missing(call) -> bool:
        """A product may lack giant pages, memory for peers, or NUMA nodes."""
        peers = driver_properties(call.prop).mem_type > 1
        return call.prop.given and (_giant(call) or peers or call.prop.type == NUMA)

    @accepts("PHYSICAL-MALLOC-020", strength=MUST, source=PHYSICAL, changes=("handles", "contents"))
    def gives_memory(call, state: State, result: Result, profile: Profile) -> State:
        """There is memory of the size and properties that were asked for, held once."""
        prop = driver_properties(call.prop)
        return with_memory(state, result.handle, call.size, prop, profile)

    @ensures("PHYSICAL-MALLOC-021", strength=MUST, source=PHYSICAL)
    def handle_is_given(call, result: Result) -> bool:
        """The handle is not null."""
        return result.handle != 0 and result.handle != poison(64)

    @ensures("PHYSICAL-MALLOC-022", strength=MUST, source=SENSE)
    def handle_is_new(call, state: State, result: Result) -> bool:
        """No other memory of the process has the handle."""
        return not state.handles.at(result.handle).exists


@interface("aclrtFreePhysical", area="physical", source=ACL_HEADER)
class FreePhysical(Call, frozen=True):
    """Give a reference to physical memory back."""

    handle: HandleRef

    @rejects("PHYSICAL-FREE-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """Null is not a handle."""
        return call.handle == 0

    @rejects("PHYSICAL-FREE-002", *REFUSED, strength=SHOULD, source=V2, profiles=GEN2)
    def freed_too_often(call, state: State) -> bool:
        """The references that mappings hold are not the program's to give back."""
        return MemRelease(handle=call.handle).released_too_often(state)

    @undefined("PHYSICAL-FREE-003", source=PHYSICAL)
    def no_such_handle(call, state: State) -> bool:
        """Freeing what is not a handle, is none any more, or lost its device."""
        return MemRelease(handle=call.handle).no_such_handle(state)

    @undefined("PHYSICAL-FREE-004", source=V3, profiles=GEN3)
    def freed_too_often_v3(call, state: State) -> bool:
        """Freeing a handle more often than it was got while it is mapped."""
        return MemRelease(handle=call.handle).released_too_often_v3(state)

    @accepts(
        "PHYSICAL-FREE-010",
        strength=MUST,
        source=PHYSICAL,
        changes=(
            "handles",
            "contents",
            "shares",
            "permits",
            "numbers",
            "envelopes",
            "holdings",
        ),
    )
    def gives_back(call, state: State, profile: Profile) -> State:
        """One reference less; the memory is gone when there is none and nothing is mapped.

        With others who share it, it lasts until the last of them has given it back.
        """
        return MemRelease(handle=call.handle).gives_back(state, profile)


def _retaining(call: RetainAllocationHandle) -> MemRetainAllocationHandle:
    return MemRetainAllocationHandle(handle=call.handle, ptr=call.virPtr)


@interface("aclrtMemRetainAllocationHandle", area="physical", source=ACL_HEADER)
class RetainAllocationHandle(Call, frozen=True):
    """Get a further reference to the memory that is mapped at an address."""

    virPtr: Address
    handle: OutPointer

    class Result(Returned, frozen=True):
        """The handle."""

        handle: HandleRef

    @rejects("PHYSICAL-RETAIN-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_null(call) -> bool:
        """There must be an address, and a place for the handle."""
        return call.virPtr == 0 or not call.handle

    @rejects(
        "PHYSICAL-RETAIN-002",
        *REFUSED,
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(ASKING, SENSE, V2, V3),
    )
    def not_mapped(call, state: State) -> bool:
        """Something is mapped at the address; memory of another sort has no handle."""
        found = mapping_at(state, call.virPtr)
        return call.virPtr != 0 and found.kind != MAPPED and not may_be_a_pools(state, call.virPtr)

    @undefined("PHYSICAL-RETAIN-003", source=(ASKING, RUNTIME))
    def not_the_start(call, state: State) -> bool:
        """Asking from within a mapping, or about an address that a pool may have reserved."""
        found = mapping_at(state, call.virPtr)
        within = found.kind == MAPPED and found.base != call.virPtr
        return within or (call.virPtr != 0 and may_be_a_pools(state, call.virPtr))

    @may_reject("PHYSICAL-RETAIN-004", NOT_SUPPORT, source=ASKING)
    def driver_may_be_old(call) -> bool:
        """An older driver cannot tell."""
        return True

    @accepts("PHYSICAL-RETAIN-010", strength=MUST, source=ASKING, changes=("handles",))
    def retains(call, state: State) -> State:
        """The program holds one more reference, which it has to free."""
        return _retaining(call).retains(state)

    @ensures("PHYSICAL-RETAIN-011", strength=MUST, source=ASKING)
    def gives_the_handle(call, state: State, result: Result) -> bool:
        """The handle is the one that was mapped."""
        return result.handle == mapping_at(state, call.virPtr).handle
