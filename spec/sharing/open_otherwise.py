"""The other ways to open a name: halShmemOpenHandle and halShmemOpenHandleV2.

And halShmemMapRouteCheck, which asks for a way beforehand.
"""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import MapRoute
from halcert.spec.language import (
    FAILURE,
    U32,
    U64,
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
from halcert.spec.sharing.memory import is_barred, me
from halcert.spec.sharing.names import Name, is_string
from halcert.spec.sharing.open import (
    OPENING,
    SHORT,
    ShmemOpenHandleByDevId,
    is_in_doubt,
    is_new_place,
    is_same_place,
    opened,
    opens_again,
)
from halcert.spec.sharing.permit import find
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.svm.idle import may_be_unknown

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
NOT_EXIST = DrvError.NOT_EXIST
INBUS = MapRoute.MEM_MAP_INBUS
EXBUS = MapRoute.MEM_MAP_EXBUS
MULTI_PORT = MapRoute.MEM_MAP_UB_MULTI_PORT_PATH
ROUTE_LIMIT = 66
"""First device id that has no routes."""
REFUSALS = (
    *NO_SUCH_NAME,
    NOT_EXIST,
    DrvError.NO_DEVICE,
    DrvError.IOCRL_FAIL,
)
"""What is answered where a name cannot be opened."""


def _refused(call: ShmemOpenHandleByDevId, state: State, profile: Profile) -> bool:
    """Tell whether a name cannot be opened on a device, whatever the arguments are otherwise."""
    return (
        call.no_such_name(state)
        or call.destroyed(state, profile)
        or call.not_permitted(state, profile)
        or call.device_not_open(state, profile)
        or call.memory_is_gone(state, profile)
        or (profile.generation == "v2" and call.open_elsewhere(state, profile))
    )


def _vague(call: ShmemOpenHandleByDevId, state: State, profile: Profile) -> bool:
    """Tell whether nobody says what opening a name on a device does."""
    return call.memory_is_cached(state) or (
        profile.generation == "v2" and call.again_without_memory(state, profile)
    )


def last_device(state: State) -> int:
    """Return the device that the process opened, if it never opened another; else nonsense."""
    return state.devices.sum(lambda device: device.id if device.ever else 0)


def _by_id(call: ShmemOpenHandle, state: State) -> ShmemOpenHandleByDevId:
    return ShmemOpenHandleByDevId(dev_id=last_device(state), name=call.name, vptr=call.vptr)


def _place_given(call: ShmemOpenHandle) -> bool:
    return call.vptr


def _opens_again(call: ShmemOpenHandle, state: State, profile: Profile) -> bool:
    return opens_again(state, find(state, call.name), last_device(state), profile)


@interface("halShmemOpenHandle", area="sharing", source=HEADER)
class ShmemOpenHandle(Call, frozen=True):
    """Get addresses for the memory of a name on the device that was opened last."""

    name: Name
    vptr: OutPointer

    class Result(Returned, frozen=True):
        """The first address."""

        vptr: Address

    @rejects("SHARING-OPENLAST-001", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def not_in_this_generation(call) -> bool:
        """SVM v3 wants to be told the device."""
        return True

    @rejects("SHARING-OPENLAST-002", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects("SHARING-OPENLAST-003", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def no_place_for_the_address(call) -> bool:
        """There must be a place for the address."""
        return not call.vptr

    @rejects(
        "SHARING-OPENLAST-004",
        *REFUSALS,
        strength=MUST,
        code=SHOULD,
        source=(OPENING, HEADER, SENSE, V2),
        profiles=GEN2,
    )
    def cannot_be_opened(call, state: State, profile: Profile) -> bool:
        """What cannot be opened on the device by its id cannot be opened this way either."""
        return is_string(call.name) and _refused(_by_id(call, state), state, profile)

    @undefined("SHARING-OPENLAST-005", source=V2, profiles=GEN2)
    def several_devices(call, state: State) -> bool:
        """Opening a name after several devices were opened; the last one counts."""
        return state.devices.count(lambda device: device.ever) > 1

    @undefined("SHARING-OPENLAST-006", source=V2, profiles=GEN2)
    def memory_is_uncertain(call, state: State, profile: Profile) -> bool:
        """Opening a name of which nobody says what it leads to."""
        return _vague(_by_id(call, state), state, profile)

    @may_reject("SHARING-OPENLAST-007", *SHORT, source=(HEADER, V2), profiles=GEN2)
    def memory_may_be_short(call) -> bool:
        """There may be no addresses, or no memory for page tables."""
        return True

    @may_reject("SHARING-OPENLAST-008", source=(HEADER, V2), profiles=GEN2)
    def ways_may_be_missing(call, state: State) -> bool:
        """A machine may have no way from a device to the memory of another."""
        share = find(state, call.name)
        return share.exists and share.device != last_device(state)

    process_may_be_unknown = may_be_unknown("SHARING-OPENLAST-009", profiles=GEN2)

    @may_reject("SHARING-OPENLAST-010", DrvError.PARA_ERROR, source=V2, profiles=GEN2)
    def may_not_be_listed(call, state: State, profile: Profile) -> bool:
        """A process may not be on the white list if the call that named it failed."""
        return is_in_doubt(state, find(state, call.name), last_device(state), profile)

    @accepts(
        "SHARING-OPENLAST-020",
        strength=SHOULD,
        source=(HEADER, V2),
        changes=("blocks", "holdings", "permits"),
        profiles=GEN2,
    )
    def opens(call, state: State, result: Result, profile: Profile) -> State:
        """The addresses lead to the owner's bytes, as after halShmemOpenHandleByDevId."""
        return opened(state, find(state, call.name), last_device(state), result.vptr, profile)

    @ensures("SHARING-OPENLAST-021", strength=MUST, source=OPENING, profiles=GEN2)
    def address_is_given(call, result: Result, profile: Profile) -> bool:
        """A successful call gives an address at the start of a page."""
        return result.vptr != 0 and result.vptr % profile.page == 0

    @ensures("SHARING-OPENLAST-022", strength=MUST, source=SENSE, profiles=GEN2)
    def addresses_are_new(call, state: State, result: Result, profile: Profile) -> bool:
        """The addresses are nobody else's in the process."""
        share = find(state, call.name)
        return is_new_place(state, share, last_device(state), result.vptr, profile)

    @ensures("SHARING-OPENLAST-023", strength=SHOULD, source=V2, when=_opens_again, profiles=GEN2)
    def same_address_again(call, state: State, result: Result) -> bool:
        """Opened once more, a name is where it was."""
        return is_same_place(state, find(state, call.name), last_device(state), result.vptr)

    @ensures(
        "SHARING-OPENLAST-024",
        strength=SHOULD,
        source=V2,
        on=FAILURE,
        when=_place_given,
        profiles=GEN2,
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the address alone."""
        return result.vptr == poison(64)


def known_route(route: int) -> bool:
    """Tell whether SVM v3 knows a route."""
    return route != EXBUS and route <= MULTI_PORT


def _without_flag(call: ShmemOpenHandleV2) -> ShmemOpenHandleByDevId:
    return ShmemOpenHandleByDevId(dev_id=call.dev_id, name=call.name, vptr=call.vptr)


@interface("halShmemOpenHandleV2", area="sharing", source=HEADER, optional=frozenset(GEN2))
class ShmemOpenHandleV2(Call, frozen=True):
    """Get addresses on a device for the memory of a name, and choose the way there."""

    dev_id: DeviceId
    name: Name
    vptr: OutPointer
    flag: U64

    class Result(Returned, frozen=True):
        """The first address."""

        vptr: Address

    @rejects("SHARING-OPENWAY-001", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def not_in_this_generation(call) -> bool:
        """SVM v2 does not have the interface."""
        return True

    @rejects("SHARING-OPENWAY-002", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects("SHARING-OPENWAY-003", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def no_place_for_the_address(call) -> bool:
        """There must be a place for the address."""
        return not call.vptr

    @rejects("SHARING-OPENWAY-004", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of devices."""
        return call.dev_id >= profile.device_limit

    @rejects("SHARING-OPENWAY-005", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def unknown_way(call) -> bool:
        """The way is one of three; the upper half of the flag does not matter."""
        return not known_route(call.flag % 2**32)

    @rejects(
        "SHARING-OPENWAY-006",
        *REFUSALS,
        strength=MUST,
        code=SHOULD,
        source=(OPENING, HEADER, SENSE, V3),
        profiles=GEN3,
    )
    def cannot_be_opened(call, state: State, profile: Profile) -> bool:
        """What cannot be opened without a way cannot be opened with one."""
        sound = is_string(call.name) and call.dev_id < profile.device_limit
        return sound and _refused(_without_flag(call), state, profile)

    @undefined("SHARING-OPENWAY-007", source=V3, profiles=GEN3)
    def memory_is_uncertain(call, state: State, profile: Profile) -> bool:
        """Opening a name of which nobody says what it leads to."""
        return _vague(_without_flag(call), state, profile)

    @may_reject("SHARING-OPENWAY-008", *SHORT, source=(HEADER, V3), profiles=GEN3)
    def memory_may_be_short(call) -> bool:
        """There may be no addresses, or no memory for page tables."""
        return True

    @may_reject("SHARING-OPENWAY-009", source=(HEADER, V3), profiles=GEN3)
    def ways_may_be_missing(call, state: State) -> bool:
        """A machine may have no such way, nor any to the memory of another device."""
        share = find(state, call.name)
        return share.exists and (share.device != call.dev_id or call.flag % 2**32 != INBUS)

    @accepts(
        "SHARING-OPENWAY-020",
        strength=MUST,
        source=(OPENING, HEADER),
        changes=("blocks", "holdings", "permits"),
        profiles=GEN3,
    )
    def opens(call, state: State, result: Result, profile: Profile) -> State:
        """The addresses lead to the owner's bytes, as after halShmemOpenHandleByDevId."""
        return opened(state, find(state, call.name), call.dev_id, result.vptr, profile)

    @ensures("SHARING-OPENWAY-021", strength=MUST, source=OPENING, profiles=GEN3)
    def address_is_given(call, result: Result, profile: Profile) -> bool:
        """A successful call gives an address at the start of a page."""
        return result.vptr != 0 and result.vptr % profile.page == 0

    @ensures("SHARING-OPENWAY-022", strength=MUST, source=SENSE, profiles=GEN3)
    def addresses_are_new(call, state: State, result: Result, profile: Profile) -> bool:
        """The addresses are nobody else's in the process."""
        share = find(state, call.name)
        return is_new_place(state, share, call.dev_id, result.vptr, profile)


@interface("halShmemMapRouteCheck", area="sharing", source=HEADER, optional=frozenset(GEN2))
class ShmemMapRouteCheck(Call, frozen=True):
    """Ask whether there is a way from a device to the memory of a name."""

    name: Name
    dst_devid: DeviceId
    map_route: U32

    @rejects("SHARING-ROUTE-001", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def not_in_this_generation(call) -> bool:
        """SVM v2 does not have the interface."""
        return True

    @rejects("SHARING-ROUTE-002", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects(
        "SHARING-ROUTE-003", DrvError.INVALID_DEVICE, strength=SHOULD, source=V3, profiles=GEN3
    )
    def device_id_too_large(call) -> bool:
        """The device id is below 66."""
        return call.dst_devid >= ROUTE_LIMIT

    @rejects("SHARING-ROUTE-004", NOT_EXIST, strength=SHOULD, source=V3, profiles=GEN3)
    def unknown_way(call) -> bool:
        """The way is one of three."""
        return not known_route(call.map_route)

    @rejects(
        "SHARING-ROUTE-005",
        *NO_SUCH_NAME,
        NOT_EXIST,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def may_not_be_opened(call, state: State) -> bool:
        """Only those are told who may open the name."""
        share = find(state, call.name)
        ours = share.owner == me(state) or not is_barred(state, share)
        return is_string(call.name) and not (share.exists and share.valid and ours)

    @may_reject("SHARING-ROUTE-006", NOT_EXIST, NOT_SUPPORT, source=(HEADER, V3), profiles=GEN3)
    def no_way(call) -> bool:
        """There may be no such way; a machine without a unified bus has none at all."""
        return True

    @accepts("SHARING-ROUTE-010", strength=Strength.MAY, source=HEADER, profiles=GEN3)
    def answers(call, state: State) -> State:
        """There may be such a way; asking changes nothing.

        Only machines with a unified bus have ways to tell, so no product must show this.
        """
        return state
