"""What physical memory is asked for: the properties, and what is wrong with them."""

from __future__ import annotations

from typing import Protocol

from halcert.spec.abi.constants import MemSide, MemType, ModuleId, PageType
from halcert.spec.language import U32, U64, DeviceId, Record
from halcert.spec.profiles import Profile

HOST_SIDE = MemSide.MEM_HOST_SIDE
DEVICE_SIDE = MemSide.MEM_DEV_SIDE
NUMA_SIDE = MemSide.MEM_HOST_NUMA_SIDE
NORMAL = PageType.MEM_NORMAL_PAGE_TYPE
GIANT = PageType.MEM_GIANT_PAGE_TYPE
RUNTIME = ModuleId.RUNTIME_MODULE_ID


class Properties(Record, frozen=True):
    """Properties of physical memory (``struct drv_mem_prop``)."""

    side: U32
    """Device, host, or a NUMA node of the host."""
    devid: DeviceId
    """Device, or NUMA node."""
    module_id: U32
    """Module that the memory is accounted to."""
    pg_type: U32
    """Page type."""
    mem_type: U32
    """Kind of memory."""
    reserve: U64
    """Reserved, must be 0."""


class PropertiesOut(Record, frozen=True):
    """Properties of physical memory as they are told (``struct drv_mem_prop``)."""

    side: U32
    """Device, host, or a NUMA node of the host."""
    devid: U32
    """Device, or NUMA node."""
    module_id: U32
    """Module that the memory is accounted to."""
    pg_type: U32
    """Page type."""
    mem_type: U32
    """Kind of memory."""


class TakesProperties(Protocol):
    """A call that takes properties. The rules about them are the same for all such calls."""

    @property
    def prop(self) -> Properties:
        """The properties."""


def no_properties(call: TakesProperties) -> bool:
    """There must be properties."""
    return not call.prop.given


def unknown_side(call: TakesProperties) -> bool:
    """Memory is on a device, on the host or on one of its NUMA nodes."""
    return call.prop.given and call.prop.side >= MemSide.MEM_MAX_SIDE


def unknown_page_type(call: TakesProperties) -> bool:
    """The page type is one of three."""
    return call.prop.given and call.prop.pg_type >= PageType.MEM_MAX_PAGE_TYPE


def unknown_memory_type(call: TakesProperties) -> bool:
    """The kind of memory is one of five."""
    return call.prop.given and call.prop.mem_type >= MemType.MEM_MAX_TYPE


def giant_pages_are_for_devices(call: TakesProperties, profile: Profile) -> bool:
    """Giant pages are for devices; SVM v2 may have them on the host for P2P DDR."""
    if not wants_giant(call.prop) or call.prop.side == DEVICE_SIDE:
        return False
    return profile.generation == "v3" or call.prop.mem_type != MemType.MEM_P2P_DDR_TYPE


def no_giant_pages_of_ts(call: TakesProperties) -> bool:
    """Memory of the task scheduler has no giant pages."""
    return wants_giant(call.prop) and call.prop.mem_type == MemType.MEM_TS_DDR_TYPE


def reserve_is_given(call: TakesProperties) -> bool:
    """The reserved member is 0."""
    return call.prop.reserve != 0


def node_may_be_missing(call: TakesProperties) -> bool:
    """The host may lack the NUMA node."""
    return call.prop.given and call.prop.side == NUMA_SIDE


def wants_giant(prop: Properties) -> bool:
    """Tell whether giant pages are asked for."""
    return prop.given and prop.pg_type == GIANT


def granule_of(prop: Properties, size: int, profile: Profile) -> int:
    """Return the page size of physical memory (bytes).

    Only the runtime gets normal pages, and only for less than a huge page.
    """
    if prop.pg_type == GIANT:
        return profile.giant
    small = prop.pg_type == NORMAL and size < profile.huge and prop.module_id == RUNTIME
    return profile.page if small else profile.huge
