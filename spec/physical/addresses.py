"""aclrtReserveMemAddress and aclrtReleaseMemAddress: setting addresses aside, and giving back."""

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
from halcert.spec.physical.outcomes import (
    ADDRESSES,
    INVALID_PARAM,
    REFUSED,
    may_be_a_pools,
)
from halcert.spec.profiles import GEN2, GEN3, TIB, Profile
from halcert.spec.runtime.memory import NO_MEMORY
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sources import SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.svm.memory import vacant
from halcert.spec.vmm.memory import (
    holds_mapping,
    reserved_extent,
    reserved_granule,
    with_reservation,
)
from halcert.spec.vmm.reserve import LARGEST, fits_size

MUST = Strength.MUST
SHOULD = Strength.SHOULD
WINDOW = 16 * TIB
WINDOW_END = 24 * TIB
"""Where addresses can be asked for, and where that ends."""


def _extent(call: ReserveMemAddress, profile: Profile) -> int:
    return reserved_extent(call.size, profile, shared=False)


def _asked_for(call: ReserveMemAddress) -> bool:
    return call.expectPtr != 0


@interface("aclrtReserveMemAddress", area="physical", source=ACL_HEADER)
class ReserveMemAddress(Call, frozen=True):
    """Set addresses aside; there is no memory behind them yet."""

    virPtr: OutPointer
    size: Size
    alignment: Size
    expectPtr: U64
    flags: U64

    class Result(Returned, frozen=True):
        """The first address."""

        virPtr: Address

    @rejects("PHYSICAL-RESERVE-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def no_place(call) -> bool:
        """There must be a place for the address."""
        return not call.virPtr

    @rejects(
        "PHYSICAL-RESERVE-002",
        INVALID_PARAM,
        strength=MUST,
        code=SHOULD,
        source=(ADDRESSES, RUNTIME),
    )
    def no_size(call) -> bool:
        """At least one byte is reserved."""
        return call.size == 0

    @rejects("PHYSICAL-RESERVE-003", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def unknown_flag(call) -> bool:
        """The flags are 0; 1 was allowed once and still is."""
        return call.flags > 1

    @rejects(
        "PHYSICAL-RESERVE-004", *REFUSED, strength=MUST, code=SHOULD, source=(ADDRESSES, RUNTIME)
    )
    def alignment_is_given(call) -> bool:
        """The alignment is not used and must be 0."""
        return call.alignment != 0

    @rejects("PHYSICAL-RESERVE-005", strength=MUST, source=ADDRESSES, profiles=GEN2)
    def address_does_not_fit(call) -> bool:
        """An address that is asked for is a multiple of its size, rounded up to a power of two.

        2 MiB is the least; above 512 MiB it is 1 GiB.
        """
        return _asked_for(call) and not fits_size(call.expectPtr, call.size)

    @rejects("PHYSICAL-RESERVE-006", strength=MUST, source=ADDRESSES, profiles=GEN2)
    def outside_the_window(call) -> bool:
        """An address that is asked for lies between 16 and 24 TiB, with all behind it."""
        outside = call.expectPtr < WINDOW or call.expectPtr + call.size > WINDOW_END
        return _asked_for(call) and outside

    @rejects("PHYSICAL-RESERVE-007", *NO_MEMORY, strength=SHOULD, source=V2, profiles=GEN2)
    def too_large(call) -> bool:
        """At most 128 GiB are reserved at a time."""
        return call.size > LARGEST

    @rejects("PHYSICAL-RESERVE-008", *NO_MEMORY, strength=SHOULD, source=V3, profiles=GEN3)
    def larger_than_the_address_space(call, profile: Profile) -> bool:
        """No reservation is larger than the whole SVM address space."""
        return call.size > profile.single_limit

    @rejects("PHYSICAL-RESERVE-009", strength=MUST, source=(ADDRESSES, SENSE), profiles=GEN2)
    def address_is_taken(call, state: State, profile: Profile) -> bool:
        """What is reserved or allocated already cannot be reserved."""
        return _asked_for(call) and not vacant(state, call.expectPtr, _extent(call, profile))

    @undefined("PHYSICAL-RESERVE-010", source=ADDRESSES, profiles=GEN3)
    def no_address_to_choose(call) -> bool:
        """Asking for an address on a product where the system alone chooses."""
        return _asked_for(call)

    @may_reject("PHYSICAL-RESERVE-011", source=(ADDRESSES, V2), profiles=GEN2)
    def address_may_be_refused(call) -> bool:
        """An address that is asked for may be refused; that is an experiment."""
        return _asked_for(call)

    @may_reject("PHYSICAL-RESERVE-012", *NO_MEMORY, source=(ADDRESSES, V2, V3))
    def addresses_may_be_short(call) -> bool:
        """There may be no addresses left, or no memory to keep them."""
        return True

    @accepts("PHYSICAL-RESERVE-020", strength=MUST, source=ADDRESSES, changes=("reservations",))
    def reserves(call, state: State, result: Result, profile: Profile) -> State:
        """The addresses are the process's to map memory at; no memory is taken."""
        return with_reservation(state, result.virPtr, call.size, _extent(call, profile))

    @ensures("PHYSICAL-RESERVE-021", strength=MUST, source=ADDRESSES)
    def address_is_given(call, result: Result) -> bool:
        """The address is not null."""
        return result.virPtr != 0 and result.virPtr != poison(64)

    @ensures("PHYSICAL-RESERVE-022", strength=MUST, source=(ADDRESSES, SENSE))
    def addresses_are_free(call, state: State, result: Result, profile: Profile) -> bool:
        """The addresses are nobody else's: no memory is there, and nothing else reserved."""
        return vacant(state, result.virPtr, _extent(call, profile))

    @ensures("PHYSICAL-RESERVE-023", strength=MUST, source=SENSE)
    def addresses_do_not_wrap(call, result: Result, profile: Profile) -> bool:
        """The addresses do not wrap around the address space."""
        return result.virPtr + _extent(call, profile) <= 2**64

    @ensures("PHYSICAL-RESERVE-024", strength=SHOULD, source=(V2, V3))
    def address_is_aligned(call, result: Result, profile: Profile) -> bool:
        """The address is a multiple of 2 MiB, or of 1 GiB where whole GiBs are reserved."""
        if reserved_granule(call.size, profile, shared=False) == profile.giant:
            return result.virPtr % profile.giant == 0
        return result.virPtr % profile.huge == 0

    @ensures(
        "PHYSICAL-RESERVE-025", strength=MUST, source=ADDRESSES, when=_asked_for, profiles=GEN2
    )
    def address_is_the_one_asked_for(call, result: Result) -> bool:
        """An address that was asked for is the one that is given."""
        return result.virPtr == call.expectPtr


@interface("aclrtReleaseMemAddress", area="physical", source=ACL_HEADER)
class ReleaseMemAddress(Call, frozen=True):
    """Give reserved addresses back."""

    virPtr: Address

    @rejects("PHYSICAL-RELEASE-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """Null is not a reservation."""
        return call.virPtr == 0

    @rejects(
        "PHYSICAL-RELEASE-002",
        *REFUSED,
        strength=MUST,
        code=SHOULD,
        source=(ADDRESSES, SENSE, RUNTIME),
    )
    def not_the_start_of_a_reservation(call, state: State) -> bool:
        """Only the start of reserved addresses can be given back, and only once."""
        known = state.reservations.at(call.virPtr).exists
        return call.virPtr != 0 and not known and not may_be_a_pools(state, call.virPtr)

    @rejects(
        "PHYSICAL-RELEASE-003",
        *REFUSED,
        strength=MUST,
        code=SHOULD,
        source=(ADDRESSES, SENSE, RUNTIME),
    )
    def something_is_mapped(call, state: State) -> bool:
        """Reserved addresses stay as long as something is mapped there."""
        return holds_mapping(state, state.reservations.at(call.virPtr))

    @undefined("PHYSICAL-RELEASE-004", source=RUNTIME)
    def addresses_of_a_pool(call, state: State) -> bool:
        """Giving back what a pool may have reserved."""
        return call.virPtr != 0 and may_be_a_pools(state, call.virPtr)

    @accepts("PHYSICAL-RELEASE-010", strength=MUST, source=ADDRESSES, changes=("reservations",))
    def gives_back(call, state: State) -> State:
        """The addresses belong to nobody."""
        return state.but(reservations=state.reservations.delete(call.virPtr))
