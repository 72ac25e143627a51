"""Where pages of managed memory can be asked to be: devices, the host, its NUMA nodes."""

from __future__ import annotations

from halcert.spec.abi.constants import UvmLocation
from halcert.spec.language import I32, U32, Record

INVALID = UvmLocation.DRV_UVM_LOCATION_TYPE_INVALID
DEVICE = UvmLocation.DRV_UVM_LOCATION_TYPE_DEVICE
HOST = UvmLocation.DRV_UVM_LOCATION_TYPE_HOST
NUMA = UvmLocation.DRV_UVM_LOCATION_TYPE_HOST_NUMA

MOST_DEVICES = 64
"""Devices that managed memory knows of; their ids are below this."""
HOST_ACCESSOR = 64
"""The id by which the host counts as one of those who access pages."""


class Location(Record, frozen=True):
    """A place for pages (``struct drv_uvm_location``), passed by value."""

    type: U32
    """Device, host or NUMA node."""
    id: I32
    """Device id or NUMA node."""

    def possible(self) -> bool:
        """Tell that a structure passed by value is there."""
        return self.given


def is_device(place: Location) -> bool:
    """Tell whether a place is a device that there can be."""
    return place.type == DEVICE and place.id >= 0 and place.id < MOST_DEVICES


def is_host(place: Location) -> bool:
    """Tell whether a place is memory of the host, whichever node it is on."""
    return place.type == HOST or place.type == NUMA


def wrong_device(place: Location) -> bool:
    """Tell whether a place is a device with an id that none has."""
    return place.type == DEVICE and (place.id < 0 or place.id >= MOST_DEVICES)


def wrong_node(place: Location) -> bool:
    """Tell whether a place is a NUMA node with a number that none has."""
    return place.type == NUMA and place.id < 0


def number_of(place: Location) -> int:
    """Return the device or node of a place, 0 for the host as such."""
    return 0 if place.type == HOST else place.id


def accessor_of(place: Location) -> int:
    """Return the id by which a place counts as one of those who access pages."""
    return place.id if place.type == DEVICE else HOST_ACCESSOR
