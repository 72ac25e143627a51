"""halMemAddressFree and halMemGetAddressReserveRange: giving back, and what is kept."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import ReserveType
from halcert.spec.language import (
    U32,
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
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.svm.flags import POOL
from halcert.spec.vmm.memory import holds_mapping, starts_mapping

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
BUSY = DrvError.BUSY
RESERVING = MODULE_DOC.at("VMM, addresses")


@interface("halMemAddressFree", area="vmm", source=HEADER)
class MemAddressFree(Call, frozen=True):
    """Give reserved addresses back."""

    ptr: Address

    @rejects("VMM-AFREE-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def null(call) -> bool:
        """Null is not a reservation."""
        return call.ptr == 0

    @rejects(
        "VMM-AFREE-002",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(RESERVING, HEADER, SENSE, V2, V3),
    )
    def not_the_start_of_a_reservation(call, state: State, profile: Profile) -> bool:
        """Only the start of reserved addresses can be given back, and only once."""
        taken = profile.generation == "v3" and state.blocks.covering(call.ptr).kind == POOL
        return call.ptr != 0 and not taken and not state.reservations.at(call.ptr).exists

    @rejects(
        "VMM-AFREE-003",
        BUSY,
        DrvError.IOCRL_FAIL,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V2),
        profiles=GEN2,
    )
    def something_is_mapped(call, state: State) -> bool:
        """Reserved addresses stay as long as something is mapped there.

        Above 512 MiB the public driver says that the request failed, otherwise that it is busy.
        """
        return holds_mapping(state, state.reservations.at(call.ptr))

    @rejects("VMM-AFREE-004", BUSY, strength=MUST, code=SHOULD, source=(SENSE, V3), profiles=GEN3)
    def something_is_mapped_v3(call, state: State) -> bool:
        """Reserved addresses stay as long as something is mapped there."""
        found = state.reservations.at(call.ptr)
        return holds_mapping(state, found) and not starts_mapping(state, call.ptr)

    @rejects(
        "VMM-AFREE-005",
        INVALID_VALUE,
        BUSY,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V3),
        profiles=GEN3,
    )
    def something_is_mapped_at_the_start(call, state: State) -> bool:
        """Reserved addresses stay as long as something is mapped at their start."""
        found = state.reservations.at(call.ptr)
        return found.exists and starts_mapping(state, call.ptr)

    @undefined("VMM-AFREE-006", source=V3, profiles=GEN3)
    def addresses_of_a_pool(call, state: State) -> bool:
        """Giving back addresses that a pool took over; they go with the pool."""
        return state.blocks.covering(call.ptr).kind == POOL

    @accepts("VMM-AFREE-010", strength=MUST, source=(RESERVING, HEADER), changes=("reservations",))
    def gives_back(call, state: State) -> State:
        """The addresses belong to nobody."""
        return state.but(reservations=state.reservations.delete(call.ptr))


@interface("halMemGetAddressReserveRange", area="vmm", source=HEADER, optional=frozenset(GEN2))
class MemGetAddressReserveRange(Call, frozen=True):
    """Ask for the addresses that are kept for a purpose."""

    ptr: OutPointer
    size: OutPointer
    type: U32
    flag: U64

    class Result(Returned, frozen=True):
        """Where they are, and how many bytes."""

        ptr: Address
        size: Size

    @rejects("VMM-RANGE-001", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def no_place_for_the_address(call) -> bool:
        """There must be a place for the address."""
        return not call.ptr

    @rejects("VMM-RANGE-002", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def no_place_for_the_size(call) -> bool:
        """There must be a place for the size."""
        return not call.size

    @rejects("VMM-RANGE-003", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def flag_is_given(call) -> bool:
        """There are no flags."""
        return call.flag != 0

    @rejects("VMM-RANGE-004", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def unknown_type(call) -> bool:
        """The only addresses that are kept are those of the device's control CPU."""
        return call.type != ReserveType.MEM_ADDR_RESERVE_TYPE_DCACHE

    @rejects("VMM-RANGE-005", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def no_such_range(call) -> bool:
        """Products with SVM v2 do not tell; their library lacks the function."""
        return True

    @undefined("VMM-RANGE-006", source=HEADER, profiles=GEN3)
    def no_device_is_open(call, state: State) -> bool:
        """Asking while no device is open."""
        return not state.devices.any(lambda device: device.open)

    @accepts("VMM-RANGE-010", strength=MUST, source=HEADER, profiles=GEN3)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("VMM-RANGE-011", strength=MUST, source=HEADER, profiles=GEN3)
    def range_is_told(call, result: Result) -> bool:
        """The address is told, and it is not null."""
        return result.ptr != 0 and result.ptr != poison(64)

    @ensures("VMM-RANGE-012", strength=MUST, source=HEADER, profiles=GEN3)
    def size_is_told(call, result: Result) -> bool:
        """The size is told, and it is not 0."""
        return result.size != 0 and result.size != poison(64)
