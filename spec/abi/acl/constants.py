"""Enumerations and macros of the runtime's memory interfaces, under their C names."""

from __future__ import annotations

from enum import IntEnum


class AclrtRunMode(IntEnum):
    """``aclrtRunMode``: where the runtime runs."""

    ACL_DEVICE = 0
    ACL_HOST = 1


class AclrtEventRecordedStatus(IntEnum):
    """``aclrtEventRecordedStatus``: whether the point of an event has been reached."""

    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1


class AclrtStreamStatus(IntEnum):
    """``aclrtStreamStatus``: whether a stream has work left."""

    ACL_STREAM_STATUS_COMPLETE = 0
    ACL_STREAM_STATUS_NOT_READY = 1
    ACL_STREAM_STATUS_RESERVED = 0xFFFF


class AclrtMemcpyKind(IntEnum):
    """``aclrtMemcpyKind``: direction of a copy."""

    ACL_MEMCPY_HOST_TO_HOST = 0
    ACL_MEMCPY_HOST_TO_DEVICE = 1
    ACL_MEMCPY_DEVICE_TO_HOST = 2
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3
    ACL_MEMCPY_DEFAULT = 4
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7


class AclrtMemMallocPolicy(IntEnum):
    """``aclrtMemMallocPolicy``: pages and peer access of device memory."""

    ACL_MEM_MALLOC_HUGE_FIRST = 0
    ACL_MEM_MALLOC_HUGE_ONLY = 1
    ACL_MEM_MALLOC_NORMAL_ONLY = 2
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5
    ACL_MEM_MALLOC_HUGE1G_ONLY = 6
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x100
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000


class AclrtMemAttr(IntEnum):
    """``aclrtMemAttr``: kinds of memory."""

    ACL_DDR_MEM = 0
    ACL_HBM_MEM = 1
    ACL_DDR_MEM_HUGE = 2
    ACL_DDR_MEM_NORMAL = 3
    ACL_HBM_MEM_HUGE = 4
    ACL_HBM_MEM_NORMAL = 5
    ACL_DDR_MEM_P2P_HUGE = 6
    ACL_DDR_MEM_P2P_NORMAL = 7
    ACL_HBM_MEM_P2P_HUGE = 8
    ACL_HBM_MEM_P2P_NORMAL = 9
    ACL_HBM_MEM_HUGE1G = 10
    ACL_HBM_MEM_P2P_HUGE1G = 11
    ACL_MEM_NORMAL = 12
    ACL_MEM_HUGE = 13
    ACL_MEM_HUGE1G = 14
    ACL_MEM_P2P_NORMAL = 15
    ACL_MEM_P2P_HUGE = 16
    ACL_MEM_P2P_HUGE1G = 17


class AclrtMemLocationType(IntEnum):
    """``aclrtMemLocationType``: where memory is."""

    ACL_MEM_LOCATION_TYPE_HOST = 0
    ACL_MEM_LOCATION_TYPE_DEVICE = 1
    ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2
    ACL_MEM_LOCATION_TYPE_MANAGED = 3
    ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4


class AclrtMemAllocationType(IntEnum):
    """``aclrtMemAllocationType``: how physical memory is allocated."""

    ACL_MEM_ALLOCATION_TYPE_PINNED = 0


class AclrtMemHandleType(IntEnum):
    """``aclrtMemHandleType``: for which sharing physical memory is made."""

    ACL_MEM_HANDLE_TYPE_NONE = 0
    ACL_MEM_HANDLE_TYPE_POSIX = 2


class AclrtMemGranularityOptions(IntEnum):
    """``aclrtMemGranularityOptions``: which granularity is asked for."""

    ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0
    ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
    ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xFFFF


class AclrtMemAccessFlags(IntEnum):
    """``aclrtMemAccessFlags``: rights to mapped memory."""

    ACL_RT_MEM_ACCESS_FLAGS_NONE = 0
    ACL_RT_MEM_ACCESS_FLAGS_READ = 1
    ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3


class AclrtMemSharedHandleType(IntEnum):
    """``aclrtMemSharedHandleType``: how far a shareable handle reaches."""

    ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1
    ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 2


class AclrtHostRegisterType(IntEnum):
    """``aclrtHostRegisterType``: what host memory is registered as."""

    ACL_HOST_REGISTER_MAPPED = 0
    ACL_HOST_REGISTER_IOMEMORY = 4
    ACL_HOST_REGISTER_READONLY = 8


class AclrtHacType(IntEnum):
    """``aclrtHacType``: who accesses host memory."""

    ACL_RT_HAC_TYPE_STARS = 0
    ACL_RT_HAC_TYPE_AICPU = 1
    ACL_RT_HAC_TYPE_AIC = 2
    ACL_RT_HAC_TYPE_AIV = 3
    ACL_RT_HAC_TYPE_PCIEDMA = 4
    ACL_RT_HAC_TYPE_RDMA = 5
    ACL_RT_HAC_TYPE_SDMA = 6
    ACL_RT_HAC_TYPE_DVPP = 7
    ACL_RT_HAC_TYPE_UDMA = 8
    ACL_RT_HAC_TYPE_CCU = 9


class AclrtHostMemMapCapability(IntEnum):
    """``aclrtHostMemMapCapability``: whether host memory can be mapped for it."""

    ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0
    ACL_RT_HOST_MEM_MAP_SUPPORTED = 1


class AclrtMemManagedLocationType(IntEnum):
    """``aclrtMemManagedLocationType``: where managed memory can be."""

    ACL_MEM_LOCATIONTYPE_INVALID = 0
    ACL_MEM_LOCATIONTYPE_DEVICE = 1
    ACL_MEM_LOCATIONTYPE_HOST = 2
    ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3
    ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4


class AclrtMemManagedAdviseType(IntEnum):
    """``aclrtMemManagedAdviseType``: advice on managed memory."""

    ACL_MEM_ADVISE_SET_READ_MOSTLY = 0
    ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1
    ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2
    ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3
    ACL_MEM_ADVISE_SET_ACCESSED_BY = 4
    ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5


class AclrtMemManagedRangeAttribute(IntEnum):
    """``aclrtMemManagedRangeAttribute``: attributes of managed memory."""

    ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2
    ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8


class AclrtMemPoolAttr(IntEnum):
    """``aclrtMemPoolAttr``: attributes of pools."""

    ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1
    ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC = 2
    ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3
    ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD = 4
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 5
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 6
    ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT = 7
    ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH = 8


class AclrtBinaryLoadOptionType(IntEnum):
    """``aclrtBinaryLoadOptionType``: options of loading a binary."""

    ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1
    ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2
    ACL_RT_BINARY_LOAD_OPT_MAGIC = 2
    ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3


class AclrtLaunchKernelAttrId(IntEnum):
    """``aclrtLaunchKernelAttrId``: attributes of a launch."""

    ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1
    ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2
    ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5
    ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8
    ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9


class AclrtIpcFlag(IntEnum):
    """Flags of names for memory."""

    ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT = 0
    ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION = 1
    ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT = 0
    ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS = 1


class AclrtExportFlag(IntEnum):
    """Flags of exporting physical memory."""

    ACL_RT_VMM_EXPORT_FLAG_DEFAULT = 0
    ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION = 1


class AclrtHostRegFlag(IntEnum):
    """Flags of aclrtHostRegisterV2."""

    ACL_HOST_REG_MAPPED = 2
    ACL_HOST_REG_IOMEMORY = 4
    ACL_HOST_REG_READONLY = 8
    ACL_HOST_REG_PINNED = 0x10000000


class AclrtWaitValue(IntEnum):
    """How a stream compares a value in memory."""

    ACL_STREAM_WAIT_VALUE_GEQ = 0
    ACL_STREAM_WAIT_VALUE_EQ = 1
    ACL_STREAM_WAIT_VALUE_AND = 2
    ACL_STREAM_WAIT_VALUE_NOR = 3


class AclrtAttach(IntEnum):
    """Flag of aclrtMemAllocManaged."""

    ACL_RT_MEM_ATTACH_GLOBAL = 1


ACL_ENUMERATIONS: tuple[type[IntEnum], ...] = (
    AclrtRunMode,
    AclrtEventRecordedStatus,
    AclrtStreamStatus,
    AclrtMemcpyKind,
    AclrtMemMallocPolicy,
    AclrtMemAttr,
    AclrtMemLocationType,
    AclrtMemAllocationType,
    AclrtMemHandleType,
    AclrtMemGranularityOptions,
    AclrtMemAccessFlags,
    AclrtMemSharedHandleType,
    AclrtHostRegisterType,
    AclrtHacType,
    AclrtHostMemMapCapability,
    AclrtMemManagedLocationType,
    AclrtMemManagedAdviseType,
    AclrtMemManagedRangeAttribute,
    AclrtMemPoolAttr,
    AclrtBinaryLoadOptionType,
    AclrtLaunchKernelAttrId,
    AclrtIpcFlag,
    AclrtExportFlag,
    AclrtHostRegFlag,
    AclrtWaitValue,
    AclrtAttach,
)
"""Every enumeration and family of macros, in the order of the header."""
