"""halHostUnregister and halHostUnregisterEx: the end of a registration.

And what is told of registrations: halMemHostGetDevPointer, halHostRegisterCapabilities and the
feature that has them recorded.
"""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import Feature
from halcert.spec.language import (
    FAILURE,
    U8,
    U32,
    Address,
    Call,
    DeviceId,
    OutPointer,
    Returned,
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
from halcert.spec.sharing.register_arguments import (
    DEVICE_BLOCK_TO_HOST,
    DEVICES_V3,
    DMA,
    HOST_BLOCK_TO_DEVICE,
    UNKNOWN_TYPE,
    RegisterFlags,
    goes_through,
    is_device_block,
    is_local,
    plain_process,
)
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import Registration, State

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
INVALID_DEVICE = DrvError.INVALID_DEVICE
NOT_SUPPORT = DrvError.NOT_SUPPORT
NOT_EXIST = DrvError.NOT_EXIST
PARA_ERROR = DrvError.PARA_ERROR
REGISTERING = MODULE_DOC.at("memory sharing, between host and device")
RECORDS = Feature.FEATURE_SVM_MEM_REGISTER_QUERY_AND_GET_ATTR
MODULES = 10
"""First module of a device that there is not."""
NO_DEVICE = 66
"""First device id that has no registrations."""
HOST_AGENT = 64
"""A device id that SVM v2 keeps for something else."""


def at_start(one: Registration, src: int, device: int) -> bool:
    """Tell whether a registration starts at an address, on a device; device memory on any."""
    return one.src == src and (one.device == device or one.kind == DEVICE_BLOCK_TO_HOST)


def starts(state: State, src: int) -> bool:
    """Tell whether a registration starts at an address, whatever its type and device."""
    return state.registrations.any(lambda one: one.src == src)


def _found(call: HostUnregister, state: State, one: Registration, profile: Profile) -> bool:
    """Tell whether a registration is the one that a call means."""
    if profile.generation == "v3":
        return at_start(one, call.src_ptr, call.devid)
    if state.caller.at(0).records:
        return one.recorded and one.src == call.src_ptr and one.device == call.devid
    block = state.blocks.covering(call.src_ptr)
    if is_local(block):
        return at_start(one, call.src_ptr, call.devid) and one.kind != DMA
    kind = DEVICE_BLOCK_TO_HOST if is_device_block(block) else HOST_BLOCK_TO_DEVICE
    return at_start(one, call.src_ptr, call.devid) and one.kind == kind


def _count(call: HostUnregister, state: State, profile: Profile) -> int:
    return state.registrations.count(lambda one: _found(call, state, one, profile))


@interface("halHostUnregister", area="sharing", source=HEADER)
class HostUnregister(Call, frozen=True):
    """End a registration; its sort is found out."""

    src_ptr: Address
    devid: DeviceId

    @rejects("SHARING-UNREG-001", strength=MUST, source=(HEADER, SENSE, V2, V3))
    def not_registered(call, state: State, profile: Profile) -> bool:
        """Only the start of a registration ends it, and only once.

        What was registered before records were switched on is not found by them (SVM v2).
        """
        return _count(call, state, profile) == 0

    @undefined("SHARING-UNREG-002", source=(V2, V3))
    def several(call, state: State, profile: Profile) -> bool:
        """Ending one of several registrations of different sorts that start at one address."""
        return _count(call, state, profile) > 1

    @accepts(
        "SHARING-UNREG-010",
        strength=MUST,
        source=(REGISTERING, HEADER),
        changes=("registrations",),
    )
    def ends_it(call, state: State, profile: Profile) -> State:
        """The registration is gone, and the memory may be freed."""
        return state.but(
            registrations=state.registrations.delete_where(
                lambda one: _found(call, state, one, profile)
            )
        )


def _named(call: HostUnregisterEx, one: Registration) -> bool:
    return at_start(one, call.src_ptr, call.devid) and one.kind == call.flag.type


def _any_named(call: HostUnregisterEx, state: State) -> bool:
    return state.registrations.any(lambda one: _named(call, one))


@interface("halHostUnregisterEx", area="sharing", source=HEADER)
class HostUnregisterEx(Call, frozen=True):
    """End a registration of a sort."""

    src_ptr: Address
    devid: DeviceId
    flag: RegisterFlags

    @rejects("SHARING-UNREGEX-001", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_type(call) -> bool:
        """The map type is one that there is."""
        return call.flag.type >= UNKNOWN_TYPE

    @rejects("SHARING-UNREGEX-002", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def null(call) -> bool:
        """Null is not registered."""
        return call.src_ptr == 0

    @rejects("SHARING-UNREGEX-003", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def particular_process(call) -> bool:
        """Nothing but plain registrations are supported."""
        return not plain_process(call.flag)

    @rejects("SHARING-UNREGEX-004", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def type_of_the_other_generation(call) -> bool:
        """SVM v3 registers through PCIe or the bus, and device memory for the host."""
        kind = call.flag.type
        return kind < UNKNOWN_TYPE and not goes_through(kind) and kind != DEVICE_BLOCK_TO_HOST

    @rejects("SHARING-UNREGEX-005", INVALID_DEVICE, strength=SHOULD, source=V3, profiles=GEN3)
    def device_id_too_large(call) -> bool:
        """The device id is below the number of devices."""
        return call.flag.type != DEVICE_BLOCK_TO_HOST and call.devid >= DEVICES_V3

    @rejects("SHARING-UNREGEX-006", strength=MUST, source=(HEADER, SENSE, V2, V3))
    def not_registered(call, state: State) -> bool:
        """Only the start of a registration ends it, and only once."""
        return not starts(state, call.src_ptr)

    @undefined("SHARING-UNREGEX-007", source=(V2, V3))
    def registered_otherwise(call, state: State) -> bool:
        """Ending a registration of another sort, or on another device, than there is."""
        return starts(state, call.src_ptr) and not _any_named(call, state)

    @undefined("SHARING-UNREGEX-008", source=V2, profiles=GEN2)
    def for_a_process(call) -> bool:
        """Ending a registration with a flag that names a process, or more."""
        return not plain_process(call.flag)

    @undefined("SHARING-UNREGEX-009", source=(V2, V3))
    def several(call, state: State) -> bool:
        """Ending one of several registrations of different sorts that start at one address."""
        return state.registrations.count(lambda one: one.src == call.src_ptr) > 1

    @accepts(
        "SHARING-UNREGEX-010",
        strength=MUST,
        source=(REGISTERING, HEADER),
        changes=("registrations",),
    )
    def ends_it(call, state: State) -> State:
        """The registration is gone, and the memory may be freed."""
        return state.but(
            registrations=state.registrations.delete_where(lambda one: _named(call, one))
        )


def _leads(call: MemHostGetDevPointer, one: Registration) -> bool:
    """Tell whether a registration tells the device's address of host memory."""
    return (
        one.recorded
        and one.device == call.devid
        and one.kind != DMA
        and one.kind != DEVICE_BLOCK_TO_HOST
        and call.src_ptr >= one.src
        and call.src_ptr < one.src + one.extent
    )


def _place_given(call: MemHostGetDevPointer) -> bool:
    return call.dst_ptr


@interface("halMemHostGetDevPointer", area="sharing", source=HEADER, optional=frozenset(GEN3))
class MemHostGetDevPointer(Call, frozen=True):
    """Ask for the device's address of registered host memory."""

    src_ptr: Address
    devid: DeviceId
    dst_ptr: OutPointer

    class Result(Returned, frozen=True):
        """The address."""

        dst_ptr: Address

    @rejects("SHARING-DEVPTR-001", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def not_in_this_generation(call) -> bool:
        """SVM v3 does not have the interface."""
        return True

    @rejects("SHARING-DEVPTR-002", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def nothing_given(call) -> bool:
        """There must be an address, and a place for the answer."""
        return call.src_ptr == 0 or not call.dst_ptr

    @rejects("SHARING-DEVPTR-003", INVALID_DEVICE, strength=SHOULD, source=V2, profiles=GEN2)
    def device_id_too_large(call) -> bool:
        """The device id is below the number of devices."""
        return call.devid >= NO_DEVICE

    @rejects(
        "SHARING-DEVPTR-004",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def nothing_is_recorded(call, state: State) -> bool:
        """Records have been switched on."""
        return not state.caller.at(0).records

    @rejects(
        "SHARING-DEVPTR-005",
        NOT_EXIST,
        INVALID_DEVICE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def not_registered(call, state: State) -> bool:
        """The address is in host memory that was registered since, for the device to use."""
        recording = state.caller.at(0).records
        return recording and not state.registrations.any(lambda one: _leads(call, one))

    @undefined("SHARING-DEVPTR-006", source=HEADER, profiles=GEN2)
    def several(call, state: State) -> bool:
        """Asking about an address that is registered in several ways; the first one counts."""
        return state.registrations.count(lambda one: _leads(call, one)) > 1

    @accepts("SHARING-DEVPTR-010", strength=MUST, source=HEADER, profiles=GEN2)
    def answers(call, state: State) -> State:
        """Any address of a registration will do, and asking changes nothing."""
        return state

    @ensures("SHARING-DEVPTR-011", strength=MUST, source=HEADER, profiles=GEN2)
    def address_is_told(call, state: State, result: Result) -> bool:
        """The address is as far behind that of the registration as the one that was asked for."""
        return state.registrations.any(
            lambda one: _leads(call, one) and result.dst_ptr == one.dst + (call.src_ptr - one.src)
        )

    @ensures(
        "SHARING-DEVPTR-012",
        strength=SHOULD,
        source=V2,
        on=FAILURE,
        when=_place_given,
        profiles=GEN2,
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the address alone."""
        return result.dst_ptr == poison(64)


@interface("halHostRegisterCapabilities", area="sharing", source=HEADER)
class HostRegisterCapabilities(Call, frozen=True):
    """Ask whether a module of a device can use registered host memory."""

    devid: DeviceId
    acc_module_type: U32
    mem_map_cap: OutPointer

    class Result(Returned, frozen=True):
        """The answer."""

        mem_map_cap: U32

    @rejects("SHARING-CAPS-001", INVALID_DEVICE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of devices."""
        agent = profile.generation == "v2" and call.devid == HOST_AGENT
        return call.devid >= NO_DEVICE or agent

    @rejects("SHARING-CAPS-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place(call) -> bool:
        """There must be a place for the answer."""
        return not call.mem_map_cap

    @rejects("SHARING-CAPS-003", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_module(call) -> bool:
        """The module is one that there is."""
        return call.acc_module_type >= MODULES

    @may_reject("SHARING-CAPS-004", source=(V2, V3))
    def device_may_be_missing(call, state: State) -> bool:
        """A device that is not there need not answer."""
        return not state.hardware.at(call.devid).exists

    @accepts("SHARING-CAPS-010", strength=MUST, source=HEADER)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("SHARING-CAPS-011", strength=MUST, source=HEADER)
    def capability_is_told(call, result: Result) -> bool:
        """The answer is yes or no."""
        return result.mem_map_cap <= 1


@interface("halSupportFeature", area="sharing", source=HEADER)
class SupportFeature(Call, frozen=True):
    """Ask for a feature, which switches it on for the process where that matters."""

    devId: DeviceId
    type: U32

    class Result(Returned, frozen=True):
        """Whether there is the feature."""

        answer: U8

    @undefined("SHARING-FEATURE-001", source=(HEADER, V2))
    def other_feature(call) -> bool:
        """Asking for a feature that concerns something else."""
        return call.type != RECORDS

    @accepts(
        "SHARING-FEATURE-010",
        strength=MUST,
        source=(HEADER, V2),
        changes=("caller",),
        profiles=GEN2,
    )
    def records(call, state: State, result: Result) -> State:
        """Where registrations can be recorded, they are from now on."""
        return state.but(
            caller=state.caller.update_where(
                lambda each: each.place == 0 and result.answer == 1,
                lambda each: each.but(records=True),
            )
        )

    @accepts("SHARING-FEATURE-011", strength=SHOULD, source=V3, profiles=GEN3)
    def answers(call, state: State) -> State:
        """Asking changes nothing else."""
        return state
