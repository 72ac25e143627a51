"""Opening a name and closing it: addresses for memory of another process."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    FAILURE,
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
from halcert.spec.sharing.create import NO_SUCH_NAME
from halcert.spec.sharing.memory import (
    admitted,
    holding_place,
    is_barred,
    is_doubtful,
    me,
    settled,
)
from halcert.spec.sharing.names import Name, is_string
from halcert.spec.sharing.permit import find
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import (
    DEFERRED,
    INTACT,
    TAKEN,
    UNCERTAIN,
    UNSET,
    Block,
    Holding,
    Share,
    State,
)
from halcert.spec.svm.flags import OPENED
from halcert.spec.svm.idle import may_be_unknown
from halcert.spec.svm.memory import vacant

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
IOCRL_FAIL = DrvError.IOCRL_FAIL
NOT_EXIST = DrvError.NOT_EXIST
INVALID_DEVICE = DrvError.INVALID_DEVICE
OPENING = MODULE_DOC.at("memory sharing, between devices")
SHORT = (
    DrvError.OUT_OF_MEMORY,
    DrvError.NO_DEVICE,
    DrvError.BUSY,
    DrvError.PROCESS_EXIT,
)
"""What a call answers that finds no addresses or no memory for page tables."""


def has_open(state: State, share: Share, device: int) -> bool:
    """Tell whether the process has a share open on a device."""
    return state.holdings.any(
        lambda each: each.pid == me(state) and each.share == share.id and each.device == device
    )


def has_open_elsewhere(state: State, share: Share, device: int) -> bool:
    """Tell whether the process has a share open on another device."""
    return state.holdings.any(
        lambda each: each.pid == me(state) and each.share == share.id and each.device != device
    )


def is_refused(state: State, share: Share, profile: Profile) -> bool:
    """Tell whether a process may not open a share: it is no owner of SVM v3 and not listed."""
    own = profile.generation == "v3" and share.owner == me(state)
    return share.exists and not own and is_barred(state, share)


def is_in_doubt(state: State, share: Share, device: int, profile: Profile) -> bool:
    """Tell whether nobody knows if the process may open a share on a device."""
    again = opens_again(state, share, device, profile)
    return share.exists and is_doubtful(state, share) and not again


def opens_again(state: State, share: Share, device: int, profile: Profile) -> bool:
    """Tell whether SVM v2 counts an opening instead of making a new one."""
    return profile.generation == "v2" and has_open(state, share, device)


def opened(state: State, share: Share, device: int, base: int, profile: Profile) -> State:
    """Return the state after the process opened a share, at an address."""
    if opens_again(state, share, device, profile):
        return state.but(
            holdings=state.holdings.update_where(
                lambda each: (
                    each.pid == me(state) and each.share == share.id and each.device == device
                ),
                lambda each: each.but(count=each.count + 1),
            )
        )
    block = Block(
        base=base,
        size=share.size,
        extent=share.extent,
        kind=OPENED,
        device=device,
        granule=share.granule,
        readonly=False,
        host_writes=False,
        cp_only=False,
        contiguous=False,
        hbm=False,
        module=0,
        translated=False,
        place=UNSET,
        memory=share.memory,
        handle=share.id,
    )
    holding = Holding(
        place=holding_place(me(state), base),
        pid=me(state),
        base=base,
        share=share.id,
        device=device,
        count=1,
    )
    seen = admitted(state, share)
    return seen.but(blocks=seen.blocks.insert(block), holdings=seen.holdings.insert(holding))


def is_new_place(state: State, share: Share, device: int, base: int, profile: Profile) -> bool:
    """Tell whether addresses that an opening gave are nobody else's."""
    return opens_again(state, share, device, profile) or (
        vacant(state, base, share.extent) and base + share.extent <= 2**64
    )


def is_same_place(state: State, share: Share, device: int, base: int) -> bool:
    """Tell whether an address is where a share is open already."""
    return state.blocks.any(
        lambda block: (
            block.kind == OPENED
            and block.handle == share.id
            and block.device == device
            and block.base == base
        )
    )


def _place_given(call: ShmemOpenHandleByDevId) -> bool:
    return call.vptr


def _opens_again(call: ShmemOpenHandleByDevId, state: State, profile: Profile) -> bool:
    return opens_again(state, find(state, call.name), call.dev_id, profile)


@interface("halShmemOpenHandleByDevId", area="sharing", source=HEADER)
class ShmemOpenHandleByDevId(Call, frozen=True):
    """Get addresses on a device for the memory of a name."""

    dev_id: DeviceId
    name: Name
    vptr: OutPointer

    class Result(Returned, frozen=True):
        """The first address."""

        vptr: Address

    @rejects("SHARING-OPEN-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects("SHARING-OPEN-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_address(call) -> bool:
        """There must be a place for the address."""
        return not call.vptr

    @rejects("SHARING-OPEN-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of devices."""
        return call.dev_id >= profile.device_limit

    @rejects(
        "SHARING-OPEN-004",
        *NO_SUCH_NAME,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_name(call, state: State) -> bool:
        """The name is one that a call gave."""
        return is_string(call.name) and not find(state, call.name).exists

    @rejects(
        "SHARING-OPEN-005",
        PARA_ERROR,
        IOCRL_FAIL,
        strength=MUST,
        code=SHOULD,
        source=(OPENING, HEADER, V2, V3),
    )
    def destroyed(call, state: State, profile: Profile) -> bool:
        """A destroyed name is not opened any more, even while it is still open somewhere."""
        share = find(state, call.name)
        again = opens_again(state, share, call.dev_id, profile)
        return share.exists and not share.valid and not again

    @rejects(
        "SHARING-OPEN-006",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def not_permitted(call, state: State, profile: Profile) -> bool:
        """Only a process on the white list opens a name, unless anyone may.

        SVM v3 lets the creator open it, too.
        """
        share = find(state, call.name)
        again = opens_again(state, share, call.dev_id, profile)
        return is_refused(state, share, profile) and not again

    @rejects(
        "SHARING-OPEN-007",
        PARA_ERROR,
        strength=SHOULD,
        source=V2,
        profiles=GEN2,
    )
    def open_elsewhere(call, state: State, profile: Profile) -> bool:
        """A process has a name open on one device at a time."""
        share = find(state, call.name)
        again = opens_again(state, share, call.dev_id, profile)
        return share.exists and has_open_elsewhere(state, share, call.dev_id) and not again

    @rejects(
        "SHARING-OPEN-008",
        NOT_EXIST,
        DrvError.NO_DEVICE,
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(MODULE_DOC.at("SVM initialisation"), V2, V3),
    )
    def device_not_open(call, state: State, profile: Profile) -> bool:
        """The device is one that the process has open."""
        return call.dev_id < profile.device_limit and not state.devices.at(call.dev_id).open

    @rejects("SHARING-OPEN-009", PARA_ERROR, IOCRL_FAIL, strength=SHOULD, source=(V2, V3))
    def memory_is_gone(call, state: State, profile: Profile) -> bool:
        """A name is not opened once its owner gave the memory back."""
        share = find(state, call.name)
        again = opens_again(state, share, call.dev_id, profile)
        gone = share.fate == TAKEN or share.fate == DEFERRED
        return share.valid and gone and not again

    @undefined("SHARING-OPEN-010", source=(V2, V3))
    def memory_is_cached(call, state: State) -> bool:
        """Opening a name whose owner gave the memory back to a cache, or while nobody had it."""
        return find(state, call.name).fate == UNCERTAIN

    @undefined("SHARING-OPEN-011", source=V2, profiles=GEN2)
    def again_without_memory(call, state: State, profile: Profile) -> bool:
        """Opening a name once more that was destroyed, or whose memory is gone."""
        share = find(state, call.name)
        gone = not share.valid or share.fate != INTACT
        return opens_again(state, share, call.dev_id, profile) and gone

    @may_reject("SHARING-OPEN-012", *SHORT, source=(HEADER, V2, V3))
    def memory_may_be_short(call) -> bool:
        """There may be no addresses, or no memory for page tables."""
        return True

    @may_reject("SHARING-OPEN-013", source=(HEADER, V2, V3))
    def ways_may_be_missing(call, state: State) -> bool:
        """A machine may have no way from a device to the memory of another."""
        share = find(state, call.name)
        return share.exists and share.device != call.dev_id

    process_may_be_unknown = may_be_unknown("SHARING-OPEN-014")

    @may_reject("SHARING-OPEN-015", PARA_ERROR, source=V2, profiles=GEN2)
    def may_not_be_listed(call, state: State, profile: Profile) -> bool:
        """A process may not be on the white list if the call that named it failed."""
        return is_in_doubt(state, find(state, call.name), call.dev_id, profile)

    @accepts(
        "SHARING-OPEN-020",
        strength=MUST,
        source=(OPENING, HEADER),
        changes=("blocks", "holdings", "permits"),
    )
    def opens(call, state: State, result: Result, profile: Profile) -> State:
        """The addresses lead to the owner's bytes; each opening needs a close of its own."""
        return opened(state, find(state, call.name), call.dev_id, result.vptr, profile)

    @ensures("SHARING-OPEN-021", strength=MUST, source=OPENING)
    def address_is_given(call, result: Result, profile: Profile) -> bool:
        """A successful call gives an address at the start of a page."""
        return result.vptr != 0 and result.vptr % profile.page == 0

    @ensures("SHARING-OPEN-022", strength=MUST, source=SENSE)
    def addresses_are_new(call, state: State, result: Result, profile: Profile) -> bool:
        """The addresses are nobody else's in the process."""
        share = find(state, call.name)
        return is_new_place(state, share, call.dev_id, result.vptr, profile)

    @ensures("SHARING-OPEN-023", strength=SHOULD, source=V2, when=_opens_again, profiles=GEN2)
    def same_address_again(call, state: State, result: Result) -> bool:
        """Opened once more on a device, a name is where it was."""
        return is_same_place(state, find(state, call.name), call.dev_id, result.vptr)

    @ensures(
        "SHARING-OPEN-024", strength=SHOULD, source=V2, on=FAILURE, when=_place_given, profiles=GEN2
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the address alone."""
        return result.vptr == poison(64)


def _closable(call: ShmemCloseHandle, state: State) -> bool:
    return state.blocks.at(call.vptr).kind == OPENED


@interface("halShmemCloseHandle", area="sharing", source=HEADER)
class ShmemCloseHandle(Call, frozen=True):
    """Give the addresses of an opened name back."""

    vptr: Address

    @rejects("SHARING-CLOSE-001", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def null(call) -> bool:
        """Null is not an address."""
        return call.vptr == 0

    @rejects(
        "SHARING-CLOSE-002",
        PARA_ERROR,
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def not_opened(call, state: State, profile: Profile) -> bool:
        """Only an address that an opening gave is closed, as often as it was given."""
        block = state.blocks.covering(call.vptr)
        null = call.vptr == 0 and profile.generation == "v3"
        return block.kind != OPENED and not null

    @rejects("SHARING-CLOSE-003", strength=MUST, source=(HEADER, SENSE, V2, V3))
    def inside_of_what_is_open(call, state: State) -> bool:
        """An address inside of what was opened closes nothing."""
        block = state.blocks.covering(call.vptr)
        return block.kind == OPENED and block.base != call.vptr

    process_may_be_unknown = may_be_unknown("SHARING-CLOSE-004", profiles=GEN2)

    @accepts(
        "SHARING-CLOSE-010",
        strength=MUST,
        source=(OPENING, HEADER),
        changes=("blocks", "holdings", "shares", "permits", "numbers", "envelopes"),
    )
    def closes(call, state: State) -> State:
        """One opening less; with the last one the addresses lead nowhere.

        That works whatever has become of the name and its owner.
        """
        place = holding_place(me(state), call.vptr)
        if state.holdings.at(place).count > 1:
            return state.but(
                holdings=state.holdings.update_where(
                    lambda each: each.place == place,
                    lambda each: each.but(count=each.count - 1),
                )
            )
        return settled(
            state.but(blocks=state.blocks.delete(call.vptr), holdings=state.holdings.delete(place))
        )
