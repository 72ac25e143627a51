"""What physical memory is asked for: the properties, and what is wrong with them."""

from __future__ import annotations

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


def unknown_side(prop: Properties) -> bool:
    """Tell whether memory is asked for on none of the sides."""
    return prop.given and prop.side >= MemSide.MEM_MAX_SIDE


def unknown_pages(prop: Properties) -> bool:
    """Tell whether pages are asked for of no known type."""
    return prop.given and prop.pg_type >= PageType.MEM_MAX_PAGE_TYPE


def unknown_kind(prop: Properties) -> bool:
    """Tell whether memory is asked for of no known kind."""
    return prop.given and prop.mem_type >= MemType.MEM_MAX_TYPE


def giant_off_devices(prop: Properties, profile: Profile) -> bool:
    """Tell whether giant pages are asked for where they never are."""
    if not prop.given or prop.pg_type != GIANT or prop.side == DEVICE_SIDE:
        return False
    return profile.generation == "v3" or prop.mem_type != MemType.MEM_P2P_DDR_TYPE


def giant_for_ts(prop: Properties) -> bool:
    """Tell whether giant pages are asked for of a kind that never has them."""
    return prop.given and prop.pg_type == GIANT and prop.mem_type == MemType.MEM_TS_DDR_TYPE


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
