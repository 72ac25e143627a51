"""Locations: the devices and the host, as those who may use mapped memory."""

from __future__ import annotations

from halcert.spec.abi.constants import MemSide
from halcert.spec.language import U32, DeviceId, Record
from halcert.spec.profiles import HOST_ID, Profile
from halcert.spec.state import Block, Grant, State

HOST_SIDE = MemSide.MEM_HOST_SIDE
DEVICE_SIDE = MemSide.MEM_DEV_SIDE


class AccessDesc(Record, frozen=True):
    """What a location may do (``struct drv_mem_access_desc``)."""

    type: U32
    """Access."""
    id: DeviceId
    """Device, or 0 for the host."""
    side: U32
    """Device or host."""

    def possible(self) -> bool:
        """Tell that an element of an array is there."""
        return self.given


class Location(Record, frozen=True):
    """A device or the host (``struct drv_mem_location``)."""

    id: DeviceId
    """Device, or 0 for the host."""
    side: U32
    """Device or host."""


def where(desc: AccessDesc | Location) -> int:
    """Return the id of a location: that of the device or of the host."""
    return HOST_ID if desc.side == HOST_SIDE else desc.id


def numbered_host(desc: AccessDesc | Location) -> bool:
    """Tell whether a location is the host with a number of its own."""
    return desc.side == HOST_SIDE and desc.id != 0


def unknown_device(desc: AccessDesc | Location, profile: Profile) -> bool:
    """Tell whether a location is no device for its number."""
    return desc.side == DEVICE_SIDE and desc.id >= profile.device_limit


def unknown_side(desc: AccessDesc | Location) -> bool:
    """Tell whether a location is neither a device nor the host."""
    return desc.side != HOST_SIDE and desc.side != DEVICE_SIDE


def has_access(state: State, block: Block, desc: AccessDesc | Location) -> bool:
    """Tell whether a location may use mapped memory: its owner may, and who was given access."""
    return block.device == where(desc) or state.grants.at(block.base + where(desc)).exists


def closed_device(state: State, desc: AccessDesc | Location, profile: Profile) -> bool:
    """Tell whether a location is a device that is not open."""
    known = desc.side == DEVICE_SIDE and desc.id < profile.device_limit
    return known and not state.devices.at(desc.id).open


def granted(state: State, block: Block, desc: AccessDesc | Location) -> State:
    """Return the state after a location was given access to mapped memory."""
    if has_access(state, block, desc):
        return state
    grant = Grant(place=block.base + where(desc), base=block.base, id=where(desc))
    return state.but(grants=state.grants.put(grant))
