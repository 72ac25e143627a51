"""aclrtHostRegister*: host memory that devices use in place."""

from __future__ import annotations

from typing import ClassVar

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    U32,
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
from halcert.spec.language.bits import BitWord, Field, Flag
from halcert.spec.runtime.memory import NO_MEMORY, REGISTERING
from halcert.spec.runtime.order import session, without_context
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sharing.register_arguments import meets
from halcert.spec.sources import SENSE
from halcert.spec.state import USER, Registration, State
from halcert.spec.svm.flags import HOST
from halcert.spec.svm.memory import within

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
CONTEXT_NULL = AclError.RT_CONTEXT_NULL
PARAM_INVALID = AclError.RT_PARAM_INVALID
NOT_SUPPORT = AclError.RT_FEATURE_NOT_SUPPORT
ALREADY = AclError.HOST_MEMORY_ALREADY_REGISTERED
PAGE = 4096
"""Registered memory starts at a multiple of this (bytes)."""
MAPPED = 1
"""Stands for memory that devices reach."""
PINNED = 2
"""Stands for memory that stays where it is."""


class RegistrationFlags(BitWord):
    """What is asked for: ``ACL_HOST_REG_*``."""

    layout: ClassVar[dict[str, Field]] = {
        "below": Field(0, 1),
        "mapped": Flag(1),
        "registers": Flag(2),
        "readonly": Flag(3),
        "between": Field(4, 24),
        "pinned": Flag(28),
        "above": Field(29, 3),
    }

    below: int
    mapped: bool
    registers: bool
    readonly: bool
    between: int
    pinned: bool
    above: int


class RegistrationType(BitWord):
    """What the older call is asked for: ``aclrtHostRegisterType``."""

    layout: ClassVar[dict[str, Field]] = {
        "below": Field(0, 2),
        "registers": Flag(2),
        "readonly": Flag(3),
        "above": Field(4, 28),
    }

    below: int
    registers: bool
    readonly: bool
    above: int


def device_of(state: State) -> int:
    """Return the device that the thread works with."""
    return session(state).current - 1


def meets_registered(state: State, base: int, size: int) -> bool:
    """Tell whether a byte of a range is registered on the device that the thread works with."""
    return state.registrations.any(
        lambda one: one.device == device_of(state) and meets(one, base, size)
    )


def meets_elsewhere(state: State, base: int, size: int) -> bool:
    """Tell whether a byte of a range is registered on another device."""
    return state.registrations.any(
        lambda one: one.device != device_of(state) and meets(one, base, size)
    )


def registrable(state: State, base: int, size: int) -> bool:
    """Tell whether a range is live memory of the host from a page on."""
    block = state.blocks.covering(base)
    ours = block.kind == HOST or block.kind == USER
    return ours and within(block, base, size) and base % PAGE == 0


def registered(state: State, base: int, size: int, kind: int, address: int) -> State:
    """Return the state after memory was registered; 0 stands for an address nobody told yet."""
    row = Registration(
        name=state.contents.fresh(),
        src=base,
        size=size,
        extent=size,
        kind=kind,
        device=device_of(state),
        dst=address,
        recorded=False,
    )
    return state.but(
        registrations=state.registrations.insert(row), contents=state.contents.create()
    )


def _kept_for_later(flag: RegistrationFlags | RegistrationType) -> bool:
    return flag.registers or flag.readonly


@interface("aclrtHostRegisterV2", area="runtime", source=ACL_HEADER)
class HostRegisterV2(Call, frozen=True):
    """Register host memory, for the device to reach it or for it to stay where it is."""

    ptr: Address
    size: Size
    flag: RegistrationFlags

    @rejects("RUNTIME-REGISTER-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def nothing(call) -> bool:
        """Something is registered."""
        return call.ptr == 0 or call.size == 0

    @rejects("RUNTIME-REGISTER-002", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def unknown_flag(call) -> bool:
        """The flags are some of four."""
        unknown = call.flag.below != 0 or call.flag.between != 0 or call.flag.above != 0
        some = call.flag.mapped or call.flag.pinned or _kept_for_later(call.flag)
        return unknown or not some

    @rejects(
        "RUNTIME-REGISTER-003", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects(
        "RUNTIME-REGISTER-004", ALREADY, strength=MUST, code=SHOULD, source=(REGISTERING, RUNTIME)
    )
    def registered_already(call, state: State) -> bool:
        """What is registered is not registered once more, not even in part."""
        return call.size != 0 and meets_registered(state, call.ptr, call.size)

    @undefined("RUNTIME-REGISTER-005", source=REGISTERING)
    def kept_for_later(call) -> bool:
        """Flags that are kept for later: registers of devices, and memory that is only read."""
        return _kept_for_later(call.flag)

    @undefined("RUNTIME-REGISTER-006", source=REGISTERING)
    def not_promised(call, state: State) -> bool:
        """Registering what is no live memory of the host, or starts within a page."""
        return call.ptr != 0 and call.size != 0 and not registrable(state, call.ptr, call.size)

    @undefined("RUNTIME-REGISTER-007", source=RUNTIME)
    def registered_elsewhere(call, state: State) -> bool:
        """Registering on one device what is registered on another."""
        return meets_elsewhere(state, call.ptr, call.size)

    @may_reject("RUNTIME-REGISTER-008", NOT_SUPPORT, source=RUNTIME)
    def products_may_have_no_way(call) -> bool:
        """A machine may have no way from a device to memory of the host."""
        return call.flag.mapped

    @may_reject("RUNTIME-REGISTER-009", *NO_MEMORY, source=RUNTIME)
    def memory_may_be_short(call) -> bool:
        """There may be no memory to keep the registration."""
        return True

    @accepts(
        "RUNTIME-REGISTER-020",
        strength=MUST,
        source=REGISTERING,
        changes=("registrations", "contents"),
    )
    def registers(call, state: State) -> State:
        """The memory stays the program's, and with the flag the device reaches it."""
        kind = MAPPED if call.flag.mapped else PINNED
        return registered(state, call.ptr, call.size, kind, 0)


@interface("aclrtHostRegister", area="runtime", source=ACL_HEADER)
class HostRegister(Call, frozen=True):
    """Register host memory for the device that the thread works with, and tell its address."""

    ptr: Address
    size: Size
    type: RegistrationType
    devPtr: OutPointer

    class Result(Returned, frozen=True):
        """The address by which the device reaches the memory."""

        devPtr: Address

    @rejects("RUNTIME-OLDREG-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def nothing(call) -> bool:
        """Something is registered, and there is a place for the address."""
        return call.ptr == 0 or call.size == 0 or not call.devPtr

    @rejects("RUNTIME-OLDREG-002", NOT_SUPPORT, strength=SHOULD, source=RUNTIME)
    def unknown_type(call) -> bool:
        """The type is one that there is."""
        return call.type.below != 0 or call.type.above != 0

    @rejects(
        "RUNTIME-OLDREG-003", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects(
        "RUNTIME-OLDREG-004", ALREADY, strength=MUST, code=SHOULD, source=(REGISTERING, RUNTIME)
    )
    def registered_already(call, state: State) -> bool:
        """What is registered is not registered once more, not even in part."""
        return call.size != 0 and meets_registered(state, call.ptr, call.size)

    @undefined("RUNTIME-OLDREG-005", source=REGISTERING)
    def kept_for_later(call) -> bool:
        """Types that are kept for later."""
        return _kept_for_later(call.type)

    @undefined("RUNTIME-OLDREG-006", source=REGISTERING)
    def not_promised(call, state: State) -> bool:
        """Registering what is no live memory of the host, or starts within a page."""
        return call.ptr != 0 and call.size != 0 and not registrable(state, call.ptr, call.size)

    @undefined("RUNTIME-OLDREG-007", source=RUNTIME)
    def registered_elsewhere(call, state: State) -> bool:
        """Registering on one device what is registered on another."""
        return meets_elsewhere(state, call.ptr, call.size)

    @may_reject("RUNTIME-OLDREG-008", NOT_SUPPORT, source=RUNTIME)
    def products_may_have_no_way(call) -> bool:
        """A machine may have no way from a device to memory of the host."""
        return True

    @may_reject("RUNTIME-OLDREG-009", *NO_MEMORY, source=RUNTIME)
    def memory_may_be_short(call) -> bool:
        """There may be no memory to keep the registration."""
        return True

    @accepts(
        "RUNTIME-OLDREG-020",
        strength=MUST,
        source=REGISTERING,
        changes=("registrations", "contents"),
    )
    def registers(call, state: State, result: Result) -> State:
        """The memory stays the program's, and the device reaches it by the address."""
        return registered(state, call.ptr, call.size, MAPPED, result.devPtr)

    @ensures("RUNTIME-OLDREG-021", strength=MUST, source=REGISTERING)
    def address_is_given(call, result: Result) -> bool:
        """The address is not null."""
        return result.devPtr != 0 and result.devPtr != poison(64)


def _mapped_there(state: State, address: int) -> bool:
    return state.registrations.any(lambda one: _holds(state, one, address))


def _holds(state: State, one: Registration, address: int) -> bool:
    inside = address >= one.src and address < one.src + one.size
    return inside and one.kind == MAPPED and one.device == device_of(state)


@interface("aclrtHostGetDevicePointer", area="runtime", source=ACL_HEADER)
class HostGetDevicePointer(Call, frozen=True):
    """Ask by which address the device reaches registered memory."""

    pHost: Address
    pDevice: OutPointer
    flag: U32

    class Result(Returned, frozen=True):
        """The address."""

        pDevice: Address

    @rejects("RUNTIME-DEVPTR-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_wrong(call) -> bool:
        """There must be memory and a place for the address; there are no flags yet."""
        return call.pHost == 0 or not call.pDevice or call.flag != 0

    @rejects(
        "RUNTIME-DEVPTR-002", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects(
        "RUNTIME-DEVPTR-003",
        PARAM_INVALID,
        strength=MUST,
        code=SHOULD,
        source=(REGISTERING, RUNTIME),
    )
    def not_mapped(call, state: State) -> bool:
        """The memory was registered for the device to reach it."""
        return call.pHost != 0 and not _mapped_there(state, call.pHost)

    @accepts("RUNTIME-DEVPTR-010", strength=MUST, source=REGISTERING, changes=("registrations",))
    def answers(call, state: State, result: Result) -> State:
        """The address is told, and stays the same."""
        return state.but(
            registrations=state.registrations.update_where(
                lambda one: _holds(state, one, call.pHost),
                lambda one: one.but(dst=result.pDevice - (call.pHost - one.src)),
            )
        )

    @ensures("RUNTIME-DEVPTR-011", strength=MUST, source=REGISTERING)
    def address_is_given(call, result: Result) -> bool:
        """The address is not null."""
        return result.pDevice != 0 and result.pDevice != poison(64)

    @ensures("RUNTIME-DEVPTR-012", strength=MUST, source=(REGISTERING, SENSE))
    def it_is_one_piece(call, state: State, result: Result) -> bool:
        """A byte further on is one address further on, whenever it is asked for."""
        return state.registrations.all(
            lambda one: (
                not _holds(state, one, call.pHost)
                or one.dst == 0
                or result.pDevice == one.dst + (call.pHost - one.src)
            )
        )


@interface("aclrtHostUnregister", area="runtime", source=ACL_HEADER)
class HostUnregister(Call, frozen=True):
    """End a registration; the caller has waited for whatever uses it."""

    ptr: Address

    @rejects("RUNTIME-UNREG-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be memory."""
        return call.ptr == 0

    @rejects("RUNTIME-UNREG-002", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME))
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects(
        "RUNTIME-UNREG-003",
        AclError.HOST_MEMORY_NOT_REGISTERED,
        strength=MUST,
        code=SHOULD,
        source=(REGISTERING, RUNTIME),
    )
    def not_registered(call, state: State) -> bool:
        """Only the start of registered memory is unregistered, and only once."""
        return call.ptr != 0 and not state.registrations.any(
            lambda one: one.src == call.ptr and one.device == device_of(state)
        )

    @undefined("RUNTIME-UNREG-004", source=RUNTIME)
    def registered_elsewhere(call, state: State) -> bool:
        """Ending on one device what is registered on another."""
        return state.registrations.any(
            lambda one: one.src == call.ptr and one.device != device_of(state)
        )

    @accepts("RUNTIME-UNREG-010", strength=MUST, source=REGISTERING, changes=("registrations",))
    def ends(call, state: State) -> State:
        """The device does not reach the memory any more; it stays the program's."""
        return state.but(
            registrations=state.registrations.delete_where(lambda one: one.src == call.ptr)
        )
