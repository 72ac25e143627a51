"""What physical memory is asked for, and what the driver is asked for then."""

from __future__ import annotations

from halcert.spec.abi.acl.constants import (
    AclrtMemAllocationType,
    AclrtMemAttr,
    AclrtMemHandleType,
    AclrtMemLocationType,
)
from halcert.spec.abi.constants import MemSide, MemType, ModuleId, PageType
from halcert.spec.language import U32, U64, DeviceId, Record
from halcert.spec.vmm.properties import Properties

HOST = AclrtMemLocationType.ACL_MEM_LOCATION_TYPE_HOST
DEVICE = AclrtMemLocationType.ACL_MEM_LOCATION_TYPE_DEVICE
NUMA = AclrtMemLocationType.ACL_MEM_LOCATION_TYPE_HOST_NUMA
NO_SHARING = AclrtMemHandleType.ACL_MEM_HANDLE_TYPE_NONE
PINNED = AclrtMemAllocationType.ACL_MEM_ALLOCATION_TYPE_PINNED
FIRST_OF_DDR = AclrtMemAttr.ACL_DDR_MEM_HUGE
LAST_OF_DDR = AclrtMemAttr.ACL_DDR_MEM_NORMAL
HBM_HUGE = AclrtMemAttr.ACL_HBM_MEM_HUGE
HBM_NORMAL = AclrtMemAttr.ACL_HBM_MEM_NORMAL
FIRST_OF_DDR_P2P = AclrtMemAttr.ACL_DDR_MEM_P2P_HUGE
LAST_OF_DDR_P2P = AclrtMemAttr.ACL_DDR_MEM_P2P_NORMAL
HBM_GIANT = AclrtMemAttr.ACL_HBM_MEM_HUGE1G
FIRST_OF_ANY = AclrtMemAttr.ACL_MEM_NORMAL
GIANT = AclrtMemAttr.ACL_MEM_HUGE1G
FIRST_OF_P2P = AclrtMemAttr.ACL_MEM_P2P_NORMAL
P2P_GIANT = AclrtMemAttr.ACL_MEM_P2P_HUGE1G
LAST = AclrtMemAttr.ACL_MEM_P2P_HUGE1G


class PhysicalProperties(Record, frozen=True):
    """Properties of physical memory (``aclrtPhysicalMemProp``)."""

    handleType: U32
    """How it could be shared."""
    allocationType: U32
    """How it is allocated."""
    memAttr: U32
    """Kind of memory and of its pages."""
    id: DeviceId
    """Device, or NUMA node; 0 for the host."""
    type: U32
    """Where it is."""
    reserve: U64
    """Reserved, must be 0."""


class PhysicalPropertiesOut(Record, frozen=True):
    """Properties of physical memory as they are told."""

    memAttr: U32
    """Kind of memory and of its pages."""
    id: U32
    """Device, or NUMA node."""
    type: U32
    """Where it is."""


def on_a_device(prop: PhysicalProperties) -> bool:
    """Tell whether memory of a device is asked for."""
    return prop.type == DEVICE


def of_the_host_alone(attr: int) -> bool:
    """Tell whether a kind is one that only the host has."""
    plain = attr >= FIRST_OF_DDR and attr <= LAST_OF_DDR
    return plain or (attr >= FIRST_OF_DDR_P2P and attr <= LAST_OF_DDR_P2P)


def is_listed(attr: int) -> bool:
    """Tell whether physical memory of a kind can be asked for at all."""
    named = attr == HBM_HUGE or attr == HBM_NORMAL or attr == HBM_GIANT
    return named or of_the_host_alone(attr) or (attr >= FIRST_OF_ANY and attr <= LAST)


def page_type(attr: int) -> int:
    """Return the page type of a kind (``enum drv_mem_pg_type``)."""
    if attr == HBM_GIANT or attr == GIANT or attr == P2P_GIANT:
        return PageType.MEM_GIANT_PAGE_TYPE
    small = attr == LAST_OF_DDR or attr == HBM_NORMAL or attr == LAST_OF_DDR_P2P
    if small or attr == FIRST_OF_ANY or attr == FIRST_OF_P2P:
        return PageType.MEM_NORMAL_PAGE_TYPE
    return PageType.MEM_HUGE_PAGE_TYPE


def memory_type(attr: int, *, device: bool) -> int:
    """Return the type of memory of a kind (``enum drv_mem_type``)."""
    if attr == HBM_HUGE or attr == HBM_NORMAL or attr == HBM_GIANT:
        return MemType.MEM_HBM_TYPE
    if attr >= FIRST_OF_P2P or (attr >= FIRST_OF_DDR_P2P and attr <= LAST_OF_DDR_P2P):
        return MemType.MEM_P2P_HBM_TYPE if device else MemType.MEM_P2P_DDR_TYPE
    return MemType.MEM_HBM_TYPE if device else MemType.MEM_DDR_TYPE


def side_of(place: int) -> int:
    """Return the side that stands for a place (``enum drv_mem_side``)."""
    return MemSide.MEM_HOST_NUMA_SIDE if place == NUMA else place


def driver_properties(prop: PhysicalProperties) -> Properties:
    """Return the properties that the driver is asked for."""
    return Properties(
        given=prop.given,
        side=side_of(prop.type),
        devid=prop.id,
        module_id=ModuleId.APP_MODULE_ID,
        pg_type=page_type(prop.memAttr),
        mem_type=memory_type(prop.memAttr, device=on_a_device(prop)),
        reserve=prop.reserve,
    )
