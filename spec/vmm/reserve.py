"""halMemAddressReserve: setting addresses aside."""

from __future__ import annotations

from typing import ClassVar

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import PageType
from halcert.spec.language import (
    FAILURE,
    U64,
    Address,
    BitWord,
    Call,
    Field,
    Flag,
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
)
from halcert.spec.profiles import GEN2, GEN3, GIB, MIB, TIB, Profile
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.svm.memory import vacant
from halcert.spec.vmm.memory import (
    OWN_SPACE,
    reserved_extent,
    reserved_granule,
    with_reservation,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
OUT_OF_MEMORY = DrvError.OUT_OF_MEMORY
BUSY = DrvError.BUSY
RESERVING = MODULE_DOC.at("VMM, addresses")

LARGEST = 128 * GIB
"""Most bytes that SVM v2 reserves at a time."""
LARGEST_REMOTE = 128 * TIB
"""The same for addresses that other machines map."""
LARGEST_SPECIFIED = 136 * TIB
"""Most bytes that SVM v3 reserves at an address that is asked for."""
WINDOW = 0x12C000000000
WINDOW_END = 0x180000000000
"""Where SVM v2 reserves addresses, and where it ends."""
REMOTE_END = 0x1000000000000
"""Behind that are the addresses that other machines map; here they end."""


class ReserveFlags(BitWord):
    """The flag of halMemAddressReserve."""

    layout: ClassVar[dict[str, Field]] = {
        "pages": Field(0, 8),
        "share": Flag(8),
        "remote": Flag(9),
        "rest": Field(10, 54),
    }

    pages: int
    share: bool
    remote: bool
    rest: int


def even(address: int, size: int, limit: int) -> bool:
    """Tell whether an address is a multiple of twice the limit, or the size is within it."""
    return size <= limit or address % (2 * limit) == 0


def fits_size(address: int, size: int) -> bool:
    """Tell whether an address is a multiple of the power of two that a reservation asks for.

    That is the size rounded up to a power of two, of 2 MiB to 512 MiB, and 1 GiB above.
    """
    return (
        address % (2 * MIB) == 0
        and even(address, size, 2 * MIB)
        and even(address, size, 4 * MIB)
        and even(address, size, 8 * MIB)
        and even(address, size, 16 * MIB)
        and even(address, size, 32 * MIB)
        and even(address, size, 64 * MIB)
        and even(address, size, 128 * MIB)
        and even(address, size, 256 * MIB)
        and even(address, size, OWN_SPACE)
    )


def _specified(call: MemAddressReserve) -> bool:
    return call.addr != 0


def _place_given(call: MemAddressReserve) -> bool:
    return call.ptr


def _plain(call: MemAddressReserve) -> bool:
    return not call.flag.remote


def _extent(call: MemAddressReserve, profile: Profile) -> int:
    return reserved_extent(call.size, profile, shared=call.flag.share)


@interface("halMemAddressReserve", area="vmm", source=HEADER)
class MemAddressReserve(Call, frozen=True):
    """Set addresses aside; there is no memory behind them yet."""

    ptr: OutPointer
    size: Size
    alignment: Size
    addr: U64
    flag: ReserveFlags

    class Result(Returned, frozen=True):
        """The first address."""

        ptr: Address

    @rejects("VMM-RESERVE-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_address(call) -> bool:
        """There must be a place for the address."""
        return not call.ptr

    @rejects("VMM-RESERVE-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def size_is_zero(call) -> bool:
        """At least one byte is reserved."""
        return call.size == 0

    @rejects("VMM-RESERVE-003", INVALID_VALUE, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def alignment_is_given(call) -> bool:
        """The alignment is not used and must be 0."""
        return call.alignment != 0

    @rejects("VMM-RESERVE-004", INVALID_VALUE, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def address_does_not_fit(call) -> bool:
        """An address that is asked for is a multiple of its size, rounded up to a power of two.

        2 MiB is the least; above 512 MiB it is 1 GiB.
        """
        return _specified(call) and not fits_size(call.addr, call.size)

    @rejects("VMM-RESERVE-005", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def unknown_page_type(call) -> bool:
        """The page type is one of three."""
        return call.flag.pages >= PageType.MEM_MAX_PAGE_TYPE

    @rejects(
        "VMM-RESERVE-006",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def shared_without_address(call) -> bool:
        """Addresses that are shared or mapped from elsewhere are asked for by address."""
        return (call.flag.remote or call.flag.share) and not _specified(call)

    @rejects("VMM-RESERVE-007", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def remote_size_not_in_giants(call) -> bool:
        """Addresses that other machines map are whole GiBs."""
        return call.flag.remote and _specified(call) and call.size % GIB != 0

    @rejects("VMM-RESERVE-008", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def remote_without_device(call, state: State) -> bool:
        """Addresses that other machines map need an open device."""
        none = not state.devices.any(lambda device: device.open)
        return call.flag.remote and _specified(call) and none

    @rejects("VMM-RESERVE-009", OUT_OF_MEMORY, strength=SHOULD, source=V2, profiles=GEN2)
    def remote_elsewhere(call) -> bool:
        """Addresses that other machines map lie between 24 and 256 TiB."""
        outside = call.addr < WINDOW_END or call.addr + call.size > REMOTE_END
        return call.flag.remote and _specified(call) and outside

    @rejects(
        "VMM-RESERVE-010",
        OUT_OF_MEMORY,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def too_large(call) -> bool:
        """At most 128 GiB are reserved at a time."""
        return _plain(call) and call.size > LARGEST

    @rejects(
        "VMM-RESERVE-011",
        DrvError.PARA_ERROR,
        OUT_OF_MEMORY,
        strength=SHOULD,
        source=V2,
        profiles=GEN2,
    )
    def remote_too_large(call) -> bool:
        """At most 128 TiB are reserved at a time for other machines."""
        return call.flag.remote and _specified(call) and call.size > LARGEST_REMOTE

    @rejects("VMM-RESERVE-012", BUSY, OUT_OF_MEMORY, strength=SHOULD, source=V2, profiles=GEN2)
    def outside_the_window(call) -> bool:
        """An address that is asked for lies in the general part of the module's addresses.

        That part begins at 18.75 TiB; what is said to begin at 16 TiB holds other memory there.
        """
        outside = call.addr < WINDOW or call.addr + call.size > WINDOW_END
        return _plain(call) and _specified(call) and outside

    @rejects("VMM-RESERVE-013", OUT_OF_MEMORY, strength=SHOULD, source=V3, profiles=GEN3)
    def larger_than_the_address_space(call, profile: Profile) -> bool:
        """No reservation is larger than the whole SVM address space."""
        return call.size > profile.single_limit

    @rejects("VMM-RESERVE-014", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def too_small_for_an_address(call) -> bool:
        """Only whole GiBs are reserved at an address that is asked for, unless they are shared."""
        return _specified(call) and call.size < GIB and not call.flag.share

    @rejects("VMM-RESERVE-015", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def address_not_a_giant(call) -> bool:
        """An address that is asked for is a multiple of 1 GiB."""
        fitting = fits_size(call.addr, call.size)
        return _specified(call) and fitting and call.addr % GIB != 0

    @rejects(
        "VMM-RESERVE-016",
        INVALID_VALUE,
        OUT_OF_MEMORY,
        strength=SHOULD,
        source=V3,
        profiles=GEN3,
    )
    def too_large_for_an_address(call) -> bool:
        """At most 136 TiB are reserved at an address that is asked for."""
        return _specified(call) and call.size > LARGEST_SPECIFIED

    @rejects(
        "VMM-RESERVE-017",
        BUSY,
        OUT_OF_MEMORY,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V2),
        profiles=GEN2,
    )
    def address_is_taken(call, state: State, profile: Profile) -> bool:
        """What is reserved or allocated already cannot be reserved."""
        return _specified(call) and not vacant(state, call.addr, _extent(call, profile))

    @rejects(
        "VMM-RESERVE-018",
        BUSY,
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V3),
        profiles=GEN3,
    )
    def address_is_taken_v3(call, state: State, profile: Profile) -> bool:
        """What is reserved or allocated already cannot be reserved.

        Where only a part is taken, the public driver says that the address is wrong.
        """
        return _specified(call) and not vacant(state, call.addr, _extent(call, profile))

    @may_reject("VMM-RESERVE-020", OUT_OF_MEMORY, source=(HEADER, V2, V3))
    def addresses_may_be_short(call) -> bool:
        """Any reservation may run out of memory or of address space."""
        return True

    @may_reject("VMM-RESERVE-021", BUSY, source=(HEADER, V2), profiles=GEN2)
    def address_may_be_busy(call) -> bool:
        """An address that is asked for may be in use, or in the cache of what was freed."""
        return _specified(call)

    @may_reject("VMM-RESERVE-022", source=V3, profiles=GEN3)
    def address_may_be_refused(call) -> bool:
        """An address that is asked for may be refused; Ascend 950 need not support it."""
        return _specified(call)

    @may_reject("VMM-RESERVE-023", source=V2, profiles=GEN2)
    def device_may_refuse(call) -> bool:
        """A device may be unable to mirror addresses that other machines map."""
        return call.flag.remote

    @accepts(
        "VMM-RESERVE-030", strength=MUST, source=(RESERVING, HEADER), changes=("reservations",)
    )
    def reserves(call, state: State, result: Result, profile: Profile) -> State:
        """The addresses are the process's to map memory at; no memory is taken."""
        return with_reservation(state, result.ptr, call.size, _extent(call, profile))

    @ensures("VMM-RESERVE-031", strength=MUST, source=RESERVING)
    def address_is_given(call, result: Result) -> bool:
        """A successful call gives an address that is not null."""
        return result.ptr != 0 and result.ptr != poison(64)

    @ensures("VMM-RESERVE-032", strength=MUST, source=(RESERVING, SENSE))
    def addresses_are_free(call, state: State, result: Result, profile: Profile) -> bool:
        """The addresses are nobody else's: no memory is there, and nothing else reserved."""
        return vacant(state, result.ptr, _extent(call, profile))

    @ensures("VMM-RESERVE-033", strength=SHOULD, source=(V2, V3))
    def address_is_aligned(call, result: Result, profile: Profile) -> bool:
        """The address is a multiple of 2 MiB, or of 1 GiB where whole GiBs are reserved."""
        if reserved_granule(call.size, profile, shared=call.flag.share) == profile.giant:
            return result.ptr % profile.giant == 0
        return result.ptr % profile.huge == 0

    @ensures("VMM-RESERVE-034", strength=MUST, source=SENSE)
    def addresses_do_not_wrap(call, result: Result, profile: Profile) -> bool:
        """The addresses do not wrap around the address space."""
        return result.ptr + _extent(call, profile) <= 2**64

    @ensures("VMM-RESERVE-035", strength=MUST, source=HEADER, when=_specified)
    def address_is_the_one_asked_for(call, result: Result) -> bool:
        """An address that was asked for is the one that is given."""
        return result.ptr == call.addr

    @ensures(
        "VMM-RESERVE-036", strength=SHOULD, source=V2, on=FAILURE, when=_place_given, profiles=GEN2
    )
    def failure_gives_what_was_asked_for(call, result: Result) -> bool:
        """A failing call gives back what was asked for, or leaves the place alone."""
        return result.ptr == call.addr or result.ptr == poison(64)

    @ensures(
        "VMM-RESERVE-037", strength=SHOULD, source=V3, on=FAILURE, when=_place_given, profiles=GEN3
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the address alone."""
        return result.ptr == poison(64)
