"""Enumerations and macros of the HAL's memory interfaces, under their C names.

Each class is one enum or one family of macros of the public header; ``ENUMERATIONS`` lists them
all, for the comparison with a header.
"""

from __future__ import annotations

from enum import IntEnum


class VirtType(IntEnum):
    """Virtual memory type, bits 10 to 13 of the flag of halMemAlloc."""

    MEM_SVM_VAL = 0
    MEM_DEV_VAL = 1
    MEM_HOST_VAL = 2
    MEM_DVPP_VAL = 3
    MEM_HOST_AGENT_VAL = 4
    MEM_RESERVE_VAL = 5
    MEM_HOST_UVA_VAL = 6
    MEM_UVM_VAL = 7
    MEM_MAX_VAL = 8


class FlagBit(IntEnum):
    """Where the fields of the flag of halMemAlloc begin, and how wide they are."""

    MEM_DEVID_WIDTH = 10
    MEM_VIRT_BIT = 10
    MEM_VIRT_WIDTH = 4
    MEM_PHY_BIT = 14
    MEM_PAGE_BIT = 17
    MEM_CONTINUTY_BIT = 19
    MEM_ALIGN_BIT = 20
    MEM_ADVISE_P2P_BIT = 25
    MEM_ADVISE_4G_BIT = 26
    MEM_ADVISE_TS_BIT = 27
    MEM_ADVISE_BAR_BIT = 28
    MEM_READONLY_BIT = 29
    MEM_HOST_RW_DEV_RO_BIT = 30
    MEM_PAGE_GIANT_BIT = 31
    MEM_DEV_CP_ONLY_BIT = 32
    MEM_MODULE_ID_BIT = 56
    MEM_MODULE_ID_WIDTH = 8


class AllocFlag(IntEnum):
    """Ready-made parts of the flag of halMemAlloc."""

    MEM_DEVID_MASK = 0x3FF
    MEM_SVM = 0x0
    MEM_DEV = 0x400
    MEM_HOST = 0x800
    MEM_DVPP = 0xC00
    MEM_HOST_AGENT = 0x1000
    MEM_RESERVE = 0x1400
    MEM_HOST_UVA = 0x1800
    MEM_UVM = 0x1C00
    MEM_TYPE_DDR = 0x0
    MEM_TYPE_HBM = 0x4000
    MEM_PAGE_NORMAL = 0x0
    MEM_PAGE_HUGE = 0x20000
    MEM_DISCONTIGUOUS_PHY = 0x0
    MEM_CONTIGUOUS_PHY = 0x80000
    MEM_ADVISE_P2P = 0x2000000
    MEM_ADVISE_4G = 0x4000000
    MEM_ADVISE_TS = 0x8000000
    MEM_ADVISE_BAR = 0x10000000
    MEM_READONLY = 0x20000000
    MEM_HOST_RW_DEV_RO = 0x40000000
    MEM_PAGE_GIANT = 0x80000000
    MEM_DEV_CP_ONLY = 0x100000000
    MEM_SVM_HUGE = 0x20000
    MEM_SVM_NORMAL = 0x0
    MEM_MODULE_ID_MASK = 0xFF


class TypeMask(IntEnum):
    """Masks of virtual memory types, as MemAddrInfo.mem_type takes them."""

    MEM_SVM_TYPE = 1
    MEM_DEV_TYPE = 2
    MEM_HOST_TYPE = 4
    MEM_DVPP_TYPE = 8
    MEM_HOST_AGENT_TYPE = 16
    MEM_RESERVE_TYPE = 32


class ModuleId(IntEnum):
    """Modules to which memory is accounted; those that change what an interface does."""

    UNKNOWN_MODULE_ID = 0
    RUNTIME_MODULE_ID = 7
    DEVMM_MODULE_ID = 22
    APP_MODULE_ID = 33
    ASCENDCL_MODULE_ID = 48
    MAX_MODULE_ID = 77


class MemSide(IntEnum):
    """``enum drv_mem_side``: where physical memory is."""

    MEM_HOST_SIDE = 0
    MEM_DEV_SIDE = 1
    MEM_HOST_NUMA_SIDE = 2
    MEM_MAX_SIDE = 3


class PageType(IntEnum):
    """``enum drv_mem_pg_type``: the page size of physical memory."""

    MEM_NORMAL_PAGE_TYPE = 0
    MEM_HUGE_PAGE_TYPE = 1
    MEM_GIANT_PAGE_TYPE = 2
    MEM_MAX_PAGE_TYPE = 3


class MemType(IntEnum):
    """``enum drv_mem_type``: the kind of physical memory."""

    MEM_HBM_TYPE = 0
    MEM_DDR_TYPE = 1
    MEM_P2P_HBM_TYPE = 2
    MEM_P2P_DDR_TYPE = 3
    MEM_TS_DDR_TYPE = 4
    MEM_MAX_TYPE = 5


class Granularity(IntEnum):
    """``drv_mem_granularity_options``: which granularity is asked for."""

    MEM_ALLOC_GRANULARITY_MINIMUM = 0
    MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
    MEM_ALLOC_GRANULARITY_INVALID = 2


class AccessType(IntEnum):
    """``drv_mem_access_type``: what a device or the host may do with a mapping."""

    MEM_ACCESS_TYPE_NONE = 0
    MEM_ACCESS_TYPE_READ = 1
    MEM_ACCESS_TYPE_READWRITE = 3
    MEM_ACCESS_TYPE_MAX = 0x7FFFFFFF


class ReserveType(IntEnum):
    """``drv_mem_addr_reserve_type``: which reserved range is asked for."""

    MEM_ADDR_RESERVE_TYPE_DCACHE = 0
    MEM_ADDR_RESERVE_TYPE_MAX = 1


class ReserveFlag(IntEnum):
    """Bits of the flag of halMemAddressReserve above the page type."""

    MEM_RSV_TYPE_DEVICE_SHARE = 0x100
    MEM_RSV_TYPE_REMOTE_MAP = 0x200


class CopyKind(IntEnum):
    """``drvMemcpyKind_t``: the direction of a copy."""

    DRV_MEMCPY_HOST_TO_HOST = 0
    DRV_MEMCPY_HOST_TO_DEVICE = 1
    DRV_MEMCPY_DEVICE_TO_HOST = 2
    DRV_MEMCPY_DEVICE_TO_DEVICE = 3


class Copy2DType(IntEnum):
    """``enum DEVMM_MEMCPY2D_TYPE``: what halMemcpy2D is to do."""

    DEVMM_MEMCPY2D_SYNC = 0
    DEVMM_MEMCPY2D_ASYNC_CONVERT = 1
    DEVMM_MEMCPY2D_ASYNC_DESTROY = 2
    DEVMM_MEMCPY2D_TYPE_MAX = 3


class AdviseType(IntEnum):
    """``enum ADVISE_MEM_TYPE``: advice to halMemAdvise."""

    ADVISE_PERSISTENT = 0
    ADVISE_DEV_MEM = 1
    ADVISE_ACCESS_READONLY = 2
    ADVISE_ACCESS_READWRITE = 3
    ADVISE_TYPE_MAX = 4


class SubmitType(IntEnum):
    """``enum MEMCPY_SUMBIT_TYPE``: whether halMemcpySumbit waits."""

    MEMCPY_SUMBIT_SYNC = 0
    MEMCPY_SUMBIT_ASYNC = 1
    MEMCPY_SUMBIT_MAX_TYPE = 2


class AgentFlag(IntEnum):
    """Flag of halMemAgentOpen and halMemAgentClose."""

    SVM_AGENT_DEVICE = 0
    SVM_AGENT_HOST = 1


class AttributeType(IntEnum):
    """``DVattribute.memType``: what kind of memory an address leads to."""

    DV_MEM_SVM = 0x1
    DV_MEM_SVM_HOST = 0x2
    DV_MEM_SVM_DEVICE = 0x4
    DV_MEM_LOCK_HOST = 0x8
    DV_MEM_LOCK_DEV = 0x10
    DV_MEM_LOCK_DEV_DVPP = 0x20
    DV_MEM_LOCK_HOST_AGENT = 0x40
    DV_MEM_USER_MALLOC = 0x80
    DV_MEM_USER_REGISTER = 0x100
    DV_MEM_UVM = 0x200
    DV_MEM_SOMA = 0x400


class InfoType(IntEnum):
    """Type of halMemGetInfo: what is asked for."""

    MEM_INFO_TYPE_DDR_SIZE = 1
    MEM_INFO_TYPE_HBM_SIZE = 2
    MEM_INFO_TYPE_DDR_P2P_SIZE = 3
    MEM_INFO_TYPE_HBM_P2P_SIZE = 4
    MEM_INFO_TYPE_ADDR_CHECK = 5
    MEM_INFO_TYPE_CTRL_NUMA_INFO = 6
    MEM_INFO_TYPE_AI_NUMA_INFO = 7
    MEM_INFO_TYPE_BAR_NUMA_INFO = 8
    MEM_INFO_TYPE_SVM_GRP_INFO = 9
    MEM_INFO_TYPE_UB_TOKEN_INFO = 10
    MEM_INFO_TYPE_SYS_NUMA_INFO = 11
    MEM_INFO_TYPE_MAX = 12


class CtrlType(IntEnum):
    """``enum ctrlType``: what halMemCtl is to do."""

    CTRL_TYPE_ADDR_MAP = 0
    CTRL_TYPE_ADDR_UNMAP = 1
    CTRL_TYPE_SUPPORT_FEATURE = 2
    CTRL_TYPE_GET_DOUBLE_PGTABLE_OFFSET = 3
    CTRL_TYPE_MEM_REPAIR = 4
    CTRL_TYPE_GET_ADDR_MODULE_ID = 5
    CTRL_TYPE_PROCESS_CP_MMAP = 6
    CTRL_TYPE_PROCESS_CP_MUNMAP = 7
    CTRL_TYPE_GET_DCACHE_ADDR = 8
    CTRL_TYPE_MAX = 9


class CtrlFeature(IntEnum):
    """Bits of supportFeaturePara.support_feature."""

    CTRL_SUPPORT_NUMA_TS_MASK = 0x1
    CTRL_SUPPORT_PCIE_BAR_MEM_MASK = 0x2
    CTRL_SUPPORT_DEV_MEM_REGISTER_MASK = 0x4
    CTRL_SUPPORT_PCIE_BAR_HUGE_MEM_MASK = 0x8
    CTRL_SUPPORT_GIANT_PAGE_MASK = 0x10
    CTRL_SUPPORT_SHMEM_MAP_EXBUS_MASK = 0x20


class AddrMapType(IntEnum):
    """``enum addrMapType``: which device window halMemCtl maps."""

    ADDR_MAP_TYPE_L2_BUFF = 0
    ADDR_MAP_TYPE_REG_C2C_CTRL = 1
    ADDR_MAP_TYPE_REG_AIC_CTRL = 2
    ADDR_MAP_TYPE_REG_AIC_PMU_CTRL = 3
    ADDR_MAP_TYPE_REG_CNT_NOTIFY_CTRL = 4
    ADDR_MAP_TYPE_MAX = 5


class MapRoute(IntEnum):
    """Route of a mapping between devices."""

    MEM_MAP_INBUS = 0
    MEM_MAP_EXBUS = 1
    MEM_MAP_UB_ONE_PORT_PATH = 2
    MEM_MAP_UB_MULTI_PORT_PATH = 3


class ShmemAttrType(IntEnum):
    """``enum ShmemAttrType``: attributes of names."""

    SHMEM_ATTR_TYPE_MEM_MAP = 0
    SHMEM_ATTR_TYPE_NO_WLIST_IN_SERVER = 1
    SHMEM_ATTR_TYPE_MAX = 2


class ShmemWhiteList(IntEnum):
    """Values of the attribute that says whether a name has a white list."""

    SHMEM_WLIST_ENABLE = 0
    SHMEM_NO_WLIST_ENABLE = 1


class ShareHandleAttrType(IntEnum):
    """``enum ShareHandleAttrType``: attributes of shareable handles."""

    SHR_HANDLE_ATTR_NO_WLIST_IN_SERVER = 0
    SHR_HANDLE_ATTR_TYPE_MAX = 1


class ShareHandleWhiteList(IntEnum):
    """Values of the attribute that says whether a shareable handle has a white list."""

    SHR_HANDLE_WLIST_ENABLE = 0
    SHR_HANDLE_NO_WLIST_ENABLE = 1


class HandleAttrType(IntEnum):
    """``enum HandleAttrType``: attributes of physical memory."""

    HANDLE_ATTR_MEM_MAP_ROUTE = 0
    HANDLE_ATTR_TYPE_MAX = 1


class P2PStatus(IntEnum):
    """``DRV_P2P_STATUS_*``: whether two devices reach each other's memory."""

    DRV_P2P_STATUS_DISABLE = 0
    DRV_P2P_STATUS_ENABLE = 1


class HandleType(IntEnum):
    """``drv_mem_handle_type``: how far a shareable handle reaches."""

    MEM_HANDLE_TYPE_NONE = 0
    MEM_HANDLE_TYPE_FABRIC = 1
    MEM_HANDLE_TYPE_POSIX = 2
    MEM_HANDLE_TYPE_MAX = 3


class RegisterType(IntEnum):
    """``enum drvRegisterTpye``: what is registered for whom."""

    HOST_MEM_MAP_DEV = 0
    HOST_SVM_MAP_DEV = 1
    DEV_SVM_MAP_HOST = 2
    HOST_MEM_MAP_DEV_PCIE_TH = 3
    DEV_MEM_MAP_HOST = 4
    HOST_MEM_MAP_DMA = 5
    HOST_IO_MAP_DEV = 6
    HOST_REGISTER_MAX_TPYE = 7


class UvmLocation(IntEnum):
    """``drv_uvm_location_type``: where pages of managed memory can be."""

    DRV_UVM_LOCATION_TYPE_INVALID = 0
    DRV_UVM_LOCATION_TYPE_DEVICE = 1
    DRV_UVM_LOCATION_TYPE_HOST = 2
    DRV_UVM_LOCATION_TYPE_HOST_NUMA = 3


class UvmAdvise(IntEnum):
    """``uvmMemAdviseType``: advice to halMemManagedAdvise."""

    READ_MOSTLY = 0
    UNSET_READ_MOSTLY = 1
    PREFER_LOCATION = 2
    UNSET_PREFER_LOCATION = 3
    ACCESS_BY_LOCATION = 4
    UNSET_ACCESS_BY_LOCATION = 5


class RangeAttribute(IntEnum):
    """``enum DEVMM_MEM_RANGE_ATTRIBUTE``: what halMemManagedRangeGetAttributes tells."""

    MEM_RANGE_ATTR_READ_MOSTLY = 1
    MEM_RANGE_ATTR_PREFERRED_LOC = 2
    MEM_RANGE_ATTR_ACCESS_BY = 3
    MEM_RANGE_ATTR_PREFERRED_LOC_TYPE = 4
    MEM_RANGE_ATTR_PREFERRED_LOC_ID = 5
    MEM_RANGE_ATTR_LAST_PREFETCH_LOC = 6
    MEM_RANGE_ATTR_LAST_PREFETCH_LOC_TYPE = 7
    MEM_RANGE_ATTR_LAST_PREFETCH_LOC_ID = 8
    MEM_RANGE_ATTR_MAX = 9


class RangeDevice(IntEnum):
    """Ids in those answers that name no device."""

    MEM_RANGE_CPU_DEVICE_ID = -1
    MEM_RANGE_INVALID_DEVICE_ID = -2


class PoolAttribute(IntEnum):
    """``enum soma_mem_pool_attr``: attributes of pools."""

    SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD = 1
    SOMA_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 2
    SOMA_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 3
    SOMA_MEM_POOL_ATTR_USED_MEM_CURRENT = 4
    SOMA_MEM_POOL_ATTR_USED_MEM_HIGH = 5


class Feature(IntEnum):
    """``drvFeature_t``: features that concern memory, for halSupportFeature."""

    FEATURE_SVM_GET_USER_MALLOC_ATTR = 2
    FEATURE_SVM_VMM_NORMAL_GRANULARITY = 6
    FEATURE_SVM_MEM_HOST_UVA = 8
    FEATURE_SVM_MEM_REGISTER_QUERY_AND_GET_ATTR = 11


class Limit(IntEnum):
    """Limits and sentinels."""

    SVM_ADDR_CHECK_MAX_NUM = 1024
    DEVMM_MEMCPY_BATCH_MAX_COUNT = 4096
    MEM_REPAIR_MAX_CNT = 20
    MAX_NUMA_NUM_OF_PER_DEV = 64
    SVM_GRP_NAME_LEN = 32
    SVM_INVALID_MODULE_ID = 0xFFFF


ENUMERATIONS: tuple[type[IntEnum], ...] = (
    VirtType,
    FlagBit,
    AllocFlag,
    TypeMask,
    ModuleId,
    MemSide,
    PageType,
    MemType,
    Granularity,
    AccessType,
    ReserveType,
    ReserveFlag,
    CopyKind,
    Copy2DType,
    AdviseType,
    SubmitType,
    AgentFlag,
    AttributeType,
    InfoType,
    CtrlType,
    CtrlFeature,
    AddrMapType,
    MapRoute,
    ShmemAttrType,
    ShmemWhiteList,
    ShareHandleAttrType,
    ShareHandleWhiteList,
    HandleAttrType,
    P2PStatus,
    HandleType,
    RegisterType,
    UvmLocation,
    UvmAdvise,
    RangeAttribute,
    RangeDevice,
    PoolAttribute,
    Feature,
    Limit,
)
"""All of the above."""


def constants() -> dict[str, int]:
    """Return every constant by its C name."""
    return {
        name: int(member)
        for enumeration in ENUMERATIONS
        for name, member in enumeration.__members__.items()
    }
