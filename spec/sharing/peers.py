"""Devices that reach each other's memory: switching that on and off, and asking about it.

Both directions have to be enabled for effect. Each process counts for itself what it enabled, and
the whole machine sees what any of them did.
"""

from __future__ import annotations

from typing import Protocol

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import P2PStatus
from halcert.spec.language import (
    I32,
    U32,
    Call,
    DeviceId,
    OutPointer,
    Returned,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3
from halcert.spec.sharing.memory import me, peering_place
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import Peering, State

MUST = Strength.MUST
SHOULD = Strength.SHOULD
DISABLED = P2PStatus.DRV_P2P_STATUS_DISABLE
ENABLED = P2PStatus.DRV_P2P_STATUS_ENABLE
DEVICES = 1124
"""First device id that no product has."""
ANYWHERE = frozenset((*GEN2, *GEN3))
"""Products whose library may lack the interfaces: those without PCIe cards."""


class OfTwoDevices(Protocol):
    """A call about a device and another one. The rules about them are the same for all."""

    @property
    def dev(self) -> int:
        """The device that reaches."""

    @property
    def peer_dev(self) -> int:
        """The device whose memory is reached."""


def device_id_too_large(call: OfTwoDevices) -> bool:
    """Both are device ids."""
    return call.dev >= DEVICES or call.peer_dev >= DEVICES


def same_device(call: OfTwoDevices) -> bool:
    """A device is not its own peer."""
    return call.dev == call.peer_dev


def device_is_missing(call: OfTwoDevices, state: State) -> bool:
    """Both devices are there."""
    return not (state.hardware.at(call.dev).exists and state.hardware.at(call.peer_dev).exists)


def flag_is_reserved(call: DeviceEnableP2P | DeviceDisableP2P) -> bool:
    """Giving a flag; it is kept for later and is 0."""
    return call.flag != 0


def own(state: State, call: OfTwoDevices) -> Peering:
    """Return what the process has enabled from a device to another."""
    return state.peerings.at(peering_place(me(state), call.dev, call.peer_dev))


def enabled_for_sure(state: State, device: int, peer: int) -> bool:
    """Tell whether a live process has one direction enabled."""
    return state.peerings.any(
        lambda each: each.device == device and each.peer == peer and not each.ended
    )


def enabled_perhaps(state: State, device: int, peer: int) -> bool:
    """Tell whether a process has, or had when it ended, which may still show."""
    return state.peerings.any(lambda each: each.device == device and each.peer == peer)


@interface("halDeviceEnableP2P", area="sharing", source=HEADER, optional=ANYWHERE)
class DeviceEnableP2P(Call, frozen=True):
    """Let a device reach another one's memory; the other direction is for a call of its own."""

    dev: DeviceId
    peer_dev: DeviceId
    flag: U32

    too_large = rejects(
        "SHARING-PEERON-001", DrvError.INVALID_DEVICE, strength=SHOULD, source=(V2, V3)
    )(device_id_too_large)
    same = rejects("SHARING-PEERON-002", strength=MUST, source=HEADER)(same_device)
    missing = rejects("SHARING-PEERON-003", strength=MUST, source=(SENSE, V2, V3))(
        device_is_missing
    )
    reserved = undefined("SHARING-PEERON-004", source=HEADER)(flag_is_reserved)

    @may_reject("SHARING-PEERON-005", source=HEADER)
    def ways_may_be_missing(call) -> bool:
        """A device reaches some others only: not those on its own card, nor virtual ones."""
        return True

    @accepts("SHARING-PEERON-010", strength=MUST, source=HEADER, changes=("peerings",))
    def enables(call, state: State) -> State:
        """The process has the direction enabled, once more if it was already."""
        found = own(state, call)
        row = Peering(
            place=peering_place(me(state), call.dev, call.peer_dev),
            pid=me(state),
            device=call.dev,
            peer=call.peer_dev,
            count=found.count + 1 if found.exists and not found.ended else 1,
            ended=False,
        )
        return state.but(peerings=state.peerings.put(row))


@interface("halDeviceDisableP2P", area="sharing", source=HEADER, optional=ANYWHERE)
class DeviceDisableP2P(Call, frozen=True):
    """Take back that a device reaches another one's memory."""

    dev: DeviceId
    peer_dev: DeviceId
    flag: U32

    too_large = rejects(
        "SHARING-PEEROFF-001", DrvError.INVALID_DEVICE, strength=SHOULD, source=(V2, V3)
    )(device_id_too_large)
    same = rejects("SHARING-PEEROFF-002", strength=MUST, source=HEADER)(same_device)
    missing = rejects("SHARING-PEEROFF-003", strength=MUST, source=(SENSE, V2, V3))(
        device_is_missing
    )

    @rejects("SHARING-PEEROFF-004", strength=SHOULD, source=(SENSE, V2, V3))
    def not_enabled(call, state: State) -> bool:
        """A process disables what it has enabled itself, as often as it has."""
        found = own(state, call)
        two = call.dev != call.peer_dev and not device_is_missing(call, state)
        return two and (not found.exists or found.ended)

    reserved = undefined("SHARING-PEEROFF-005", source=HEADER)(flag_is_reserved)

    @accepts("SHARING-PEEROFF-010", strength=MUST, source=HEADER, changes=("peerings",))
    def disables(call, state: State) -> State:
        """The direction is enabled once less, and not at all when nobody has it enabled."""
        found = own(state, call)
        if found.count == 1:
            return state.but(peerings=state.peerings.delete(found.place))
        return state.but(
            peerings=state.peerings.update_where(
                lambda each: each.place == found.place,
                lambda each: each.but(count=each.count - 1),
            )
        )


@interface("drvGetP2PStatus", area="sharing", source=HEADER, optional=ANYWHERE)
class GetP2PStatus(Call, frozen=True):
    """Ask whether two devices reach each other's memory."""

    dev: DeviceId
    peer_dev: DeviceId
    status: OutPointer

    class Result(Returned, frozen=True):
        """The answer."""

        status: U32

    @rejects("SHARING-PEERASK-001", DrvError.INVALID_HANDLE, strength=SHOULD, source=(V2, V3))
    def no_place(call) -> bool:
        """There must be a place for the answer."""
        return not call.status

    @accepts("SHARING-PEERASK-010", strength=SHOULD, source=(HEADER, V2, V3))
    def answers(call, state: State) -> State:
        """Asking changes nothing, and what cannot be asked about is disabled."""
        return state

    @ensures("SHARING-PEERASK-011", strength=MUST, source=HEADER)
    def both_directions_count(call, state: State, result: Result) -> bool:
        """The answer is 1 if both directions were enabled and not disabled since, else 0."""
        there, back = (call.dev, call.peer_dev), (call.peer_dev, call.dev)
        if result.status == ENABLED:
            return enabled_perhaps(state, *there) and enabled_perhaps(state, *back)
        sure = enabled_for_sure(state, *there) and enabled_for_sure(state, *back)
        return result.status == DISABLED and not sure


@interface("halDeviceCanAccessPeer", area="sharing", source=HEADER, optional=ANYWHERE)
class DeviceCanAccessPeer(Call, frozen=True):
    """Ask whether there is a way from a device to another one's memory."""

    can_access_peer: OutPointer
    dev: DeviceId
    peer_dev: DeviceId

    class Result(Returned, frozen=True):
        """The answer."""

        can_access_peer: I32

    @rejects("SHARING-PEERCAN-001", DrvError.INVALID_HANDLE, strength=SHOULD, source=(V2, V3))
    def no_place(call) -> bool:
        """There must be a place for the answer."""
        return not call.can_access_peer

    too_large = rejects(
        "SHARING-PEERCAN-002", DrvError.INVALID_DEVICE, strength=SHOULD, source=(V2, V3)
    )(device_id_too_large)
    missing = rejects("SHARING-PEERCAN-003", strength=SHOULD, source=(SENSE, V2, V3))(
        device_is_missing
    )

    @undefined("SHARING-PEERCAN-004", source=SENSE)
    def of_one_device(call) -> bool:
        """Asking whether a device reaches itself."""
        return call.dev == call.peer_dev

    @accepts("SHARING-PEERCAN-010", strength=MUST, source=HEADER)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("SHARING-PEERCAN-011", strength=MUST, source=HEADER)
    def answer_is_yes_or_no(call, result: Result) -> bool:
        """The answer is 0 or 1."""
        return result.can_access_peer == DISABLED or result.can_access_peer == ENABLED
