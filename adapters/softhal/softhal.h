/*
 * softhal.h - the C ABI that this software driver offers: types, enum values, structure layouts
 * and the exact names of the functions, as the public Ascend header declares them.
 *
 * Names of types and functions are the public ones, because they are the interface.  Layouts are
 * those of LP64 Linux and are asserted below.
 */
#ifndef SOFTHAL_H
#define SOFTHAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOFTHAL_EXPORT __attribute__((visibility("default")))

typedef uint64_t DVdeviceptr;
typedef uint32_t DVdevice;
typedef uint32_t DVmem_advise;

/* Return codes.  Only those that this driver gives; the values are the public ones. */
typedef enum {
    DRV_ERROR_NONE = 0,
    DRV_ERROR_NO_DEVICE = 1,
    DRV_ERROR_INVALID_DEVICE = 2,
    DRV_ERROR_INVALID_VALUE = 3,
    DRV_ERROR_INVALID_HANDLE = 4,
    DRV_ERROR_OUT_OF_MEMORY = 6,
    DRV_ERROR_INNER_ERR = 7,
    DRV_ERROR_PARA_ERROR = 8,
    DRV_ERROR_UNINIT = 9,
    DRV_ERROR_NOT_EXIST = 11,
    DRV_ERROR_REPEATED_USERD = 12,
    DRV_ERROR_BUSY = 13,
    DRV_ERROR_NO_RESOURCES = 14,
    DRV_ERROR_WAIT_TIMEOUT = 16,
    DRV_ERROR_IOCRL_FAIL = 17,
    DRV_ERROR_FILE_OPS = 38,
    DRV_ERROR_PROCESS_EXIT = 42,
    DRV_ERROR_OPER_NOT_PERMITTED = 46,
    DRV_ERROR_NOT_SUPPORT = 0xfffe
} drvError_t;
typedef drvError_t DVresult;

/* The 64-bit flag of halMemAlloc. */
enum {
    MEM_SVM_VAL = 0,
    MEM_DEV_VAL = 1,
    MEM_HOST_VAL = 2,
    MEM_DVPP_VAL = 3,
    MEM_HOST_AGENT_VAL = 4,
    MEM_RESERVE_VAL = 5,
    MEM_HOST_UVA_VAL = 6,
    MEM_UVM_VAL = 7,
    MEM_MAX_VAL = 8
};
#define MEM_DEVID_MASK 0x3ffULL
#define MEM_VIRT_BIT 10
#define MEM_VIRT_MASK 0xfULL
#define MEM_TYPE_HBM (1ULL << 14)
#define MEM_PAGE_HUGE (1ULL << 17)
#define MEM_CONTIGUOUS_PHY (1ULL << 19)
#define MEM_ADVISE_P2P (1ULL << 25)
#define MEM_ADVISE_4G (1ULL << 26)
#define MEM_ADVISE_TS (1ULL << 27)
#define MEM_ADVISE_BAR (1ULL << 28)
#define MEM_READONLY (1ULL << 29)
#define MEM_HOST_RW_DEV_RO (1ULL << 30)
#define MEM_PAGE_GIANT (1ULL << 31)
#define MEM_DEV_CP_ONLY (1ULL << 32)
#define MEM_MODULE_ID_BIT 56
#define MEM_MODULE_ID_MASK 0xffULL

enum {
    UNKNOWN_MODULE_ID = 0,
    RUNTIME_MODULE_ID = 7,
    APP_MODULE_ID = 33,
    ASCENDCL_MODULE_ID = 48,
    MAX_MODULE_ID = 77,
    SVM_INVALID_MODULE_ID = 0xffff
};

/* Virtual memory management. */
enum drv_mem_side { MEM_HOST_SIDE = 0, MEM_DEV_SIDE = 1, MEM_HOST_NUMA_SIDE = 2, MEM_MAX_SIDE = 3 };
enum drv_mem_pg_type { MEM_NORMAL_PAGE_TYPE = 0, MEM_HUGE_PAGE_TYPE = 1, MEM_GIANT_PAGE_TYPE = 2, MEM_MAX_PAGE_TYPE = 3 };
enum drv_mem_type {
    MEM_HBM_TYPE = 0,
    MEM_DDR_TYPE = 1,
    MEM_P2P_HBM_TYPE = 2,
    MEM_P2P_DDR_TYPE = 3,
    MEM_TS_DDR_TYPE = 4,
    MEM_MAX_TYPE = 5
};
typedef enum {
    MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
    MEM_ALLOC_GRANULARITY_INVALID = 2
} drv_mem_granularity_options;
typedef enum {
    MEM_ACCESS_TYPE_NONE = 0x0,
    MEM_ACCESS_TYPE_READ = 0x1,
    MEM_ACCESS_TYPE_READWRITE = 0x3,
    MEM_ACCESS_TYPE_MAX = 0x7FFFFFFF
} drv_mem_access_type;
typedef enum { MEM_ADDR_RESERVE_TYPE_DCACHE = 0, MEM_ADDR_RESERVE_TYPE_MAX = 1 } drv_mem_addr_reserve_type;
#define MEM_RSV_TYPE_DEVICE_SHARE (1ULL << 8)
#define MEM_RSV_TYPE_REMOTE_MAP (1ULL << 9)

/* Sharing between processes. */
typedef enum {
    MEM_HANDLE_TYPE_NONE = 0,
    MEM_HANDLE_TYPE_FABRIC = 1,
    MEM_HANDLE_TYPE_POSIX = 2,
    MEM_HANDLE_TYPE_MAX = 3
} drv_mem_handle_type;
enum ShmemAttrType { SHMEM_ATTR_TYPE_MEM_MAP = 0, SHMEM_ATTR_TYPE_NO_WLIST_IN_SERVER = 1, SHMEM_ATTR_TYPE_MAX = 2 };
enum ShareHandleAttrType { SHR_HANDLE_ATTR_NO_WLIST_IN_SERVER = 0, SHR_HANDLE_ATTR_TYPE_MAX = 1 };
enum HandleAttrType { HANDLE_ATTR_MEM_MAP_ROUTE = 0, HANDLE_ATTR_TYPE_MAX = 1 };
enum { MEM_MAP_INBUS = 0, MEM_MAP_EXBUS = 1, MEM_MAP_UB_ONE_PORT_PATH = 2, MEM_MAP_UB_MULTI_PORT_PATH = 3 };
enum { MEM_SHARE_HANDLE_LEN = 128 };
enum { DRV_P2P_STATUS_DISABLE = 0, DRV_P2P_STATUS_ENABLE = 1 };

/* Host registration.  The flag holds the map type, a process type and a read-only bit. */
enum drvRegisterTpye {
    HOST_MEM_MAP_DEV = 0,
    HOST_SVM_MAP_DEV = 1,
    DEV_SVM_MAP_HOST = 2,
    HOST_MEM_MAP_DEV_PCIE_TH = 3,
    DEV_MEM_MAP_HOST = 4,
    HOST_MEM_MAP_DMA = 5,
    HOST_IO_MAP_DEV = 6,
    HOST_REGISTER_MAX_TPYE = 7
};
enum { DEVDRV_PROCESS_CP1 = 0, DEVDRV_PROCESS_HCCP = 4, DEVDRV_PROCESS_CPTYPE_MAX = 6 };
#define MEM_PROC_TYPE_BIT 16
#define MEM_REGISTER_READ_ONLY (1U << 28)
enum drvAccModuleType {
    STARS_ACCESS = 0,
    AICPU_ACCESS = 1,
    AIC_ACCESS = 2,
    AIV_ACCESS = 3,
    PCIEDMA_ACCESS = 4,
    RDMA_ACCESS = 5,
    SDMA_ACCESS = 6,
    DVPP_ACCESS = 7,
    UDMA_ACCESS = 8,
    CCU_ACCESS = 9,
    MAX_ACCESS = 10
};
enum { HOST_MEM_MAP_NOT_SUPPORTED = 0, HOST_MEM_MAP_SUPPORTED = 1 };

/* Managed memory (UVM). */
typedef enum {
    DRV_UVM_LOCATION_TYPE_INVALID = 0,
    DRV_UVM_LOCATION_TYPE_DEVICE = 1,
    DRV_UVM_LOCATION_TYPE_HOST = 2,
    DRV_UVM_LOCATION_TYPE_HOST_NUMA = 3
} drv_uvm_location_type;
typedef enum {
    READ_MOSTLY = 0,
    UNSET_READ_MOSTLY = 1,
    PREFER_LOCATION = 2,
    UNSET_PREFER_LOCATION = 3,
    ACCESS_BY_LOCATION = 4,
    UNSET_ACCESS_BY_LOCATION = 5
} uvmMemAdviseType;
enum DEVMM_MEM_RANGE_ATTRIBUTE {
    MEM_RANGE_ATTR_READ_MOSTLY = 1,
    MEM_RANGE_ATTR_PREFERRED_LOC = 2,
    MEM_RANGE_ATTR_ACCESS_BY = 3,
    MEM_RANGE_ATTR_PREFERRED_LOC_TYPE = 4,
    MEM_RANGE_ATTR_PREFERRED_LOC_ID = 5,
    MEM_RANGE_ATTR_LAST_PREFETCH_LOC = 6,
    MEM_RANGE_ATTR_LAST_PREFETCH_LOC_TYPE = 7,
    MEM_RANGE_ATTR_LAST_PREFETCH_LOC_ID = 8,
    MEM_RANGE_ATTR_MAX = 9
};
enum { MEM_RANGE_CPU_DEVICE_ID = -1, MEM_RANGE_INVALID_DEVICE_ID = -2 };

/* Pools of device memory (SOMA). */
enum soma_mem_pool_attr {
    SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD = 1,
    SOMA_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 2,
    SOMA_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 3,
    SOMA_MEM_POOL_ATTR_USED_MEM_CURRENT = 4,
    SOMA_MEM_POOL_ATTR_USED_MEM_HIGH = 5
};
/* The flag of halMemPoolAsyncConfig; it has no names in the public header. */
enum { SOMA_ASYNC_MALLOC = 0, SOMA_ASYNC_FREE = 1 };

/* DVattribute.memType */
enum {
    DV_MEM_SVM = 0x1,
    DV_MEM_SVM_HOST = 0x2,
    DV_MEM_SVM_DEVICE = 0x4,
    DV_MEM_LOCK_HOST = 0x8,
    DV_MEM_LOCK_DEV = 0x10,
    DV_MEM_LOCK_DEV_DVPP = 0x20,
    DV_MEM_LOCK_HOST_AGENT = 0x40,
    DV_MEM_USER_MALLOC = 0x80,
    DV_MEM_USER_REGISTER = 0x100,
    DV_MEM_UVM = 0x200,
    DV_MEM_SOMA = 0x400
};

typedef enum {
    DRV_MEMCPY_HOST_TO_HOST = 0,
    DRV_MEMCPY_HOST_TO_DEVICE = 1,
    DRV_MEMCPY_DEVICE_TO_HOST = 2,
    DRV_MEMCPY_DEVICE_TO_DEVICE = 3
} drvMemcpyKind_t;

enum { DEVMM_MEMCPY2D_SYNC = 0, DEVMM_MEMCPY2D_ASYNC_CONVERT = 1, DEVMM_MEMCPY2D_ASYNC_DESTROY = 2 };
enum { ADVISE_PERSISTENT = 0, ADVISE_DEV_MEM = 1, ADVISE_ACCESS_READONLY = 2, ADVISE_ACCESS_READWRITE = 3 };
enum { MEMCPY_SUMBIT_SYNC = 0, MEMCPY_SUMBIT_ASYNC = 1 };
enum { DEVMM_MEMCPY_BATCH_MAX_COUNT = 4096, SVM_ADDR_CHECK_MAX_NUM = 1024, MEM_REPAIR_MAX_CNT = 20 };

enum {
    MEM_INFO_TYPE_DDR_SIZE = 1,
    MEM_INFO_TYPE_HBM_SIZE = 2,
    MEM_INFO_TYPE_DDR_P2P_SIZE = 3,
    MEM_INFO_TYPE_HBM_P2P_SIZE = 4,
    MEM_INFO_TYPE_ADDR_CHECK = 5,
    MEM_INFO_TYPE_UB_TOKEN_INFO = 10,
    MEM_INFO_TYPE_MAX = 12
};

/* Masks of MemAddrInfo.mem_type: one bit per virtual memory type. */
enum {
    MEM_SVM_TYPE = 1 << MEM_SVM_VAL,
    MEM_DEV_TYPE = 1 << MEM_DEV_VAL,
    MEM_HOST_TYPE = 1 << MEM_HOST_VAL,
    MEM_DVPP_TYPE = 1 << MEM_DVPP_VAL,
    MEM_HOST_AGENT_TYPE = 1 << MEM_HOST_AGENT_VAL,
    MEM_RESERVE_TYPE = 1 << MEM_RESERVE_VAL
};

enum {
    CTRL_TYPE_ADDR_MAP = 0,
    CTRL_TYPE_ADDR_UNMAP = 1,
    CTRL_TYPE_SUPPORT_FEATURE = 2,
    CTRL_TYPE_GET_DOUBLE_PGTABLE_OFFSET = 3,
    CTRL_TYPE_MEM_REPAIR = 4,
    CTRL_TYPE_GET_ADDR_MODULE_ID = 5,
    CTRL_TYPE_PROCESS_CP_MMAP = 6,
    CTRL_TYPE_PROCESS_CP_MUNMAP = 7,
    CTRL_TYPE_GET_DCACHE_ADDR = 8,
    CTRL_TYPE_MAX = 9
};
#define CTRL_SUPPORT_NUMA_TS (1ULL << 0)
#define CTRL_SUPPORT_PCIE_BAR_MEM (1ULL << 1)
#define CTRL_SUPPORT_DEV_MEM_REGISTER (1ULL << 2)
#define CTRL_SUPPORT_PCIE_BAR_HUGE_MEM (1ULL << 3)
#define CTRL_SUPPORT_GIANT_PAGE (1ULL << 4)

enum { ADDR_MAP_TYPE_REG_AIC_CTRL = 2, ADDR_MAP_TYPE_REG_AIC_PMU_CTRL = 3, ADDR_MAP_TYPE_MAX = 5 };

/* Feature numbers of halSupportFeature that concern memory. */
typedef enum {
    FEATURE_SVM_GET_USER_MALLOC_ATTR = 2,
    FEATURE_SVM_VMM_NORMAL_GRANULARITY = 6,
    FEATURE_SVM_MEM_HOST_UVA = 8,
    FEATURE_SVM_MEM_REGISTER_QUERY_AND_GET_ATTR = 11,
    FEATURE_MAX = 13
} drvFeature_t;

struct memcpy_info {
    drvMemcpyKind_t dir;
    uint32_t devid;
    uint64_t reserve[2];
};

struct DVattribute {
    uint32_t memType;
    uint32_t resv1;
    uint32_t resv2;
    uint32_t devId;
    uint32_t pageSize;
    uint32_t resv[8];
};

struct DMA_PHY_ADDR {
    void *src;
    void *dst;
    uint32_t len;
    unsigned char flag;
    void *priv;
};
struct DMA_OFFSET_ADDR {
    uint64_t offset;
    uint32_t devid;
};
struct DMA_ADDR {
    union {
        struct DMA_PHY_ADDR phyAddr;
        struct DMA_OFFSET_ADDR offsetAddr;
    };
    uint32_t fixed_size;
    uint32_t virt_id;
};

struct drvMem2D {
    unsigned long long *dst;
    unsigned long long dpitch;
    unsigned long long *src;
    unsigned long long spitch;
    unsigned long long width;
    unsigned long long height;
    unsigned long long fixed_size;
    uint32_t direction;
    uint32_t resv1;
    unsigned long long resv2;
};
struct drvMem2DAsync {
    struct drvMem2D copy2dInfo;
    struct DMA_ADDR *dmaAddr;
};
struct MEMCPY2D {
    uint32_t type;
    uint32_t resv;
    union {
        struct drvMem2D copy2d;
        struct drvMem2DAsync copy2dAsync;
    };
};

struct MemPhyInfo {
    unsigned long total;
    unsigned long free;
    unsigned long huge_total;
    unsigned long huge_free;
    unsigned long giant_total;
    unsigned long giant_free;
};
struct MemAddrInfo {
    DVdeviceptr **addr;
    uint32_t cnt;
    uint32_t mem_type;
    uint32_t flag;
};
struct MemNumaInfo {
    uint32_t node_cnt;
    int32_t node_id[64];
};
struct MemUbTokenInfo {
    uint64_t va;
    uint64_t size;
    uint32_t token_id;
    uint32_t token_value;
};
struct MemInfo {
    union {
        struct MemPhyInfo phy_info;
        struct MemAddrInfo addr_info;
        struct MemNumaInfo numa_info;
        struct MemUbTokenInfo ub_token_info;
    };
};

struct supportFeaturePara {
    unsigned long long support_feature;
    uint32_t devid;
};
struct AddrMapInPara {
    uint32_t addr_type;
    uint32_t devid;
};
struct AddrMapOutPara {
    unsigned long long ptr;
    unsigned long long len;
};
struct AddrUnmapInPara {
    uint32_t addr_type;
    uint32_t devid;
    unsigned long long ptr;
    unsigned long long len;
};
struct MemRepairAddr {
    unsigned long long ptr;
    unsigned long long len;
};
struct MemRepairInPara {
    uint32_t devid;
    uint32_t count;
    struct MemRepairAddr repairAddrs[MEM_REPAIR_MAX_CNT];
};
struct ProcessCpMmap {
    uint32_t devid;
    unsigned long long ptr;
    unsigned long long size;
    unsigned long long flag;
};
struct ProcessCpMunmap {
    uint32_t devid;
    unsigned long long ptr;
    unsigned long long size;
};

typedef struct drv_mem_handle drv_mem_handle_t;
struct drv_mem_prop {
    uint32_t side;
    uint32_t devid;
    uint32_t module_id;
    uint32_t pg_type;
    uint32_t mem_type;
    uint64_t reserve;
};
struct drv_mem_location {
    uint32_t id;
    uint32_t side;
};
struct drv_mem_access_desc {
    drv_mem_access_type type;
    struct drv_mem_location location;
    uint32_t rsv[2];
};
struct drv_uvm_location {
    drv_uvm_location_type type;
    int id;
};
typedef struct {
    uint64_t poolId;
    uint32_t devId;
} soma_mem_pool_t;
typedef struct {
    drv_mem_handle_type handle_type;
    struct drv_mem_prop mem_prop;
    uint64_t va;
    uint64_t maxSize;
} soma_mem_pool_prop;
struct ShmemGetInfo {
    uint32_t phyDevid;
    uint32_t reserve[8];
};
struct ShareHandleGetInfo {
    uint32_t phyDevid;
    uint32_t reserve[8];
};
struct ShareHandleAttr {
    unsigned int enableFlag;
    unsigned int rsv[8];
};
struct HandleAttr {
    unsigned int mem_map_route;
    unsigned int rsv[8];
};
struct MemShareHandle {
    uint8_t share_info[MEM_SHARE_HANDLE_LEN];
};

_Static_assert(sizeof(struct drv_mem_prop) == 32 && offsetof(struct drv_mem_prop, reserve) == 24, "drv_mem_prop");
_Static_assert(offsetof(struct drv_mem_prop, mem_type) == 16, "drv_mem_prop.mem_type");
_Static_assert(sizeof(struct drv_mem_location) == 8, "drv_mem_location");
_Static_assert(sizeof(struct drv_mem_access_desc) == 20 && offsetof(struct drv_mem_access_desc, location) == 4,
               "drv_mem_access_desc");
_Static_assert(sizeof(struct ShmemGetInfo) == 36 && sizeof(struct ShareHandleGetInfo) == 36, "share infos");
_Static_assert(sizeof(struct ShareHandleAttr) == 36 && sizeof(struct HandleAttr) == 36, "handle attributes");
_Static_assert(sizeof(struct MemShareHandle) == 128, "MemShareHandle");
_Static_assert(sizeof(struct drv_uvm_location) == 8 && offsetof(struct drv_uvm_location, id) == 4, "drv_uvm_location");
_Static_assert(sizeof(soma_mem_pool_t) == 16 && offsetof(soma_mem_pool_t, devId) == 8, "soma_mem_pool_t");
_Static_assert(sizeof(soma_mem_pool_prop) == 56 && offsetof(soma_mem_pool_prop, mem_prop) == 8, "soma_mem_pool_prop");
_Static_assert(offsetof(soma_mem_pool_prop, va) == 40 && offsetof(soma_mem_pool_prop, maxSize) == 48, "soma_mem_pool_prop");
_Static_assert(sizeof(drvError_t) == 4, "drvError_t");
_Static_assert(sizeof(struct memcpy_info) == 24, "memcpy_info");
_Static_assert(sizeof(struct DVattribute) == 52 && offsetof(struct DVattribute, pageSize) == 16, "DVattribute");
_Static_assert(sizeof(struct DMA_ADDR) == 40 && offsetof(struct DMA_ADDR, fixed_size) == 32, "DMA_ADDR");
_Static_assert(offsetof(struct DMA_ADDR, virt_id) == 36, "DMA_ADDR.virt_id");
_Static_assert(sizeof(struct drvMem2D) == 72 && offsetof(struct drvMem2D, direction) == 56, "drvMem2D");
_Static_assert(sizeof(struct drvMem2DAsync) == 80, "drvMem2DAsync");
_Static_assert(sizeof(struct MEMCPY2D) == 88 && offsetof(struct MEMCPY2D, copy2d) == 8, "MEMCPY2D");
_Static_assert(sizeof(struct MemPhyInfo) == 48, "MemPhyInfo");
_Static_assert(sizeof(struct MemAddrInfo) == 24 && offsetof(struct MemAddrInfo, flag) == 16, "MemAddrInfo");
_Static_assert(sizeof(struct MemNumaInfo) == 260, "MemNumaInfo");
_Static_assert(sizeof(struct MemUbTokenInfo) == 24, "MemUbTokenInfo");
_Static_assert(sizeof(struct MemInfo) == 264, "MemInfo");
_Static_assert(sizeof(struct supportFeaturePara) == 16, "supportFeaturePara");
_Static_assert(sizeof(struct AddrMapInPara) == 8 && sizeof(struct AddrMapOutPara) == 16, "AddrMap");
_Static_assert(sizeof(struct AddrUnmapInPara) == 24, "AddrUnmapInPara");
_Static_assert(sizeof(struct MemRepairInPara) == 328, "MemRepairInPara");
_Static_assert(sizeof(struct ProcessCpMmap) == 32 && sizeof(struct ProcessCpMunmap) == 24, "ProcessCp");

/* Devices and the process. */
SOFTHAL_EXPORT drvError_t halMemAgentOpen(uint32_t devid, uint32_t flag);
SOFTHAL_EXPORT drvError_t halMemAgentClose(uint32_t devid, uint32_t flag);
SOFTHAL_EXPORT int drvMemDeviceOpen(uint32_t devid, int devfd);
SOFTHAL_EXPORT int drvMemDeviceClose(uint32_t devid);
SOFTHAL_EXPORT drvError_t drvGetDevNum(uint32_t *num_dev);
SOFTHAL_EXPORT drvError_t halGetAPIVersion(int *halAPIVersion);
SOFTHAL_EXPORT drvError_t halGetHostID(uint32_t *host_id);
SOFTHAL_EXPORT drvError_t halGetSocVersion(uint32_t devId, char *socVersion, uint32_t len);
SOFTHAL_EXPORT bool halSupportFeature(uint32_t devId, drvFeature_t type);

/* Allocation. */
SOFTHAL_EXPORT drvError_t halMemAlloc(void **pp, unsigned long long size, unsigned long long flag);
SOFTHAL_EXPORT drvError_t halMemFree(void *pp);

/* Set and copy. */
SOFTHAL_EXPORT DVresult drvMemsetD8(DVdeviceptr dst, size_t destMax, uint8_t value, size_t num);
SOFTHAL_EXPORT DVresult drvMemcpy(DVdeviceptr dst, size_t dest_max, DVdeviceptr src, size_t byte_count);
SOFTHAL_EXPORT drvError_t halMemcpy(void *dst, size_t dst_size, void *src, size_t count, struct memcpy_info *info);
SOFTHAL_EXPORT drvError_t halMemcpy2D(struct MEMCPY2D *p_copy);
SOFTHAL_EXPORT DVresult halMemcpyBatch(uint64_t dst[], uint64_t src[], size_t size[], size_t count);
SOFTHAL_EXPORT DVresult halMemCpyAsync(DVdeviceptr dst, size_t dest_max, DVdeviceptr src, size_t byte_count,
                                       uint64_t *copy_fd);
SOFTHAL_EXPORT DVresult halMemCpyAsyncWaitFinish(uint64_t copy_fd);
SOFTHAL_EXPORT DVresult drvMemConvertAddr(DVdeviceptr p_src, DVdeviceptr p_dst, uint32_t len,
                                          struct DMA_ADDR *dma_addr);
SOFTHAL_EXPORT DVresult drvMemDestroyAddr(struct DMA_ADDR *ptr);
SOFTHAL_EXPORT DVresult halMemDestroyAddrBatch(struct DMA_ADDR *ptr[], uint32_t num);
SOFTHAL_EXPORT DVresult halMemcpySumbit(struct DMA_ADDR *dma_addr, int flag);
SOFTHAL_EXPORT DVresult halMemcpyWait(struct DMA_ADDR *dma_addr);

/* Placement, queries and control. */
SOFTHAL_EXPORT drvError_t halMemAdvise(DVdeviceptr ptr, size_t count, unsigned int type, DVdevice device);
SOFTHAL_EXPORT DVresult drvMemPrefetchToDevice(DVdeviceptr dev_ptr, size_t len, DVdevice device);
SOFTHAL_EXPORT DVresult drvMemAddressTranslate(DVdeviceptr vptr, uint64_t *pptr);
SOFTHAL_EXPORT DVresult drvMemGetAttribute(DVdeviceptr vptr, struct DVattribute *attr);
SOFTHAL_EXPORT DVresult halMemGetInfo(DVdevice device, unsigned int type, struct MemInfo *info);
SOFTHAL_EXPORT drvError_t halMemGetAddressRange(DVdeviceptr ptr, DVdeviceptr *pbase, size_t *psize);
SOFTHAL_EXPORT drvError_t halMemCtl(int type, void *param_value, size_t param_value_size, void *out_value,
                                    size_t *out_size_ret);

/* Virtual memory management. */
SOFTHAL_EXPORT drvError_t halMemAddressReserve(void **ptr, size_t size, size_t alignment, void *addr, uint64_t flag);
SOFTHAL_EXPORT drvError_t halMemAddressFree(void *ptr);
SOFTHAL_EXPORT drvError_t halMemGetAddressReserveRange(void **ptr, size_t *size, drv_mem_addr_reserve_type type,
                                                       uint64_t flag);
SOFTHAL_EXPORT drvError_t halMemCreate(drv_mem_handle_t **handle, size_t size, const struct drv_mem_prop *prop,
                                       uint64_t flag);
SOFTHAL_EXPORT drvError_t halMemRelease(drv_mem_handle_t *handle);
SOFTHAL_EXPORT drvError_t halMemMap(void *ptr, size_t size, size_t offset, drv_mem_handle_t *handle, uint64_t flag);
SOFTHAL_EXPORT drvError_t halMemUnmap(void *ptr);
SOFTHAL_EXPORT drvError_t halMemSetAccess(void *ptr, size_t size, struct drv_mem_access_desc *desc, size_t count);
SOFTHAL_EXPORT drvError_t halMemGetAccess(void *ptr, struct drv_mem_location *location, uint64_t *flags);
SOFTHAL_EXPORT drvError_t halMemRetainAllocationHandle(drv_mem_handle_t **handle, void *ptr);
SOFTHAL_EXPORT drvError_t halMemGetAllocationGranularity(const struct drv_mem_prop *prop,
                                                         drv_mem_granularity_options option, size_t *granularity);
SOFTHAL_EXPORT drvError_t halMemGetAllocationPropertiesFromHandle(struct drv_mem_prop *prop, drv_mem_handle_t *handle);

/* Managed memory (UVM). */
SOFTHAL_EXPORT drvError_t halMemManagedAdvise(DVdeviceptr ptr, size_t size, uint32_t advise,
                                              struct drv_uvm_location location);
SOFTHAL_EXPORT DVresult halMemManagedPrefetch(DVdeviceptr ptr, size_t size, struct drv_uvm_location location,
                                              unsigned int flags);
SOFTHAL_EXPORT DVresult halMemManagedPrefetchBatch(DVdeviceptr *ptrs, size_t *sizes, size_t count,
                                                   struct drv_uvm_location *prefetchLocs, size_t *prefetchLocIdxs,
                                                   size_t numPrefetchLocs, unsigned long long flags);
SOFTHAL_EXPORT drvError_t halMemManagedRangeGetAttributes(void **data, size_t *data_sizes, uint32_t *attributes,
                                                          size_t attribute_num, DVdeviceptr ptr, size_t size);

/* Pools of device memory (SOMA).  On the real thing malloc and free run on the device. */
SOFTHAL_EXPORT drvError_t halMemPoolCreate(soma_mem_pool_t pool, soma_mem_pool_prop prop);
SOFTHAL_EXPORT drvError_t halMemPoolDestroy(soma_mem_pool_t pool);
SOFTHAL_EXPORT drvError_t halMemPoolMalloc(soma_mem_pool_t pool, uint64_t va, uint64_t size, int32_t policy);
SOFTHAL_EXPORT drvError_t halMemPoolFree(soma_mem_pool_t pool, uint64_t va, uint64_t size, int32_t policy);
SOFTHAL_EXPORT drvError_t halMemPoolTrim(soma_mem_pool_t pool, uint64_t *reservedSize, uint64_t usedSize,
                                         uint64_t freeSize);
SOFTHAL_EXPORT drvError_t halMemPoolAsyncConfig(soma_mem_pool_t pool, uint64_t va, uint64_t size, uint32_t flag);
SOFTHAL_EXPORT drvError_t halMemPoolSetAttr(soma_mem_pool_t pool, enum soma_mem_pool_attr attr, void *value);
SOFTHAL_EXPORT drvError_t halMemPoolGetAttr(soma_mem_pool_t pool, enum soma_mem_pool_attr attr, void *value);

/* Sharing of allocations by name. */
SOFTHAL_EXPORT DVresult halShmemCreateHandle(DVdeviceptr vptr, size_t byte_count, char *name, uint32_t name_len);
SOFTHAL_EXPORT DVresult halShmemDestroyHandle(const char *name);
SOFTHAL_EXPORT DVresult halShmemSetPidHandle(const char *name, int pid[], int num);
SOFTHAL_EXPORT DVresult halShmemSetPodPid(const char *name, uint32_t sdid, int pid[], int num);
SOFTHAL_EXPORT DVresult halShmemOpenHandle(const char *name, DVdeviceptr *vptr);
SOFTHAL_EXPORT DVresult halShmemOpenHandleByDevId(DVdevice dev_id, const char *name, DVdeviceptr *vptr);
SOFTHAL_EXPORT DVresult halShmemOpenHandleV2(DVdevice dev_id, const char *name, DVdeviceptr *vptr, uint64_t flag);
SOFTHAL_EXPORT DVresult halShmemCloseHandle(DVdeviceptr vptr);
SOFTHAL_EXPORT DVresult halShmemMapRouteCheck(const char *name, uint32_t dst_devid, uint32_t map_route);
SOFTHAL_EXPORT DVresult halShmemSetAttribute(const char *name, uint32_t type, uint64_t attr);
SOFTHAL_EXPORT DVresult halShmemGetAttribute(const char *name, enum ShmemAttrType type, uint64_t *attr);
SOFTHAL_EXPORT DVresult halShmemInfoGet(const char *name, struct ShmemGetInfo *info);

/* Sharing of physical handles. */
SOFTHAL_EXPORT drvError_t halMemExportToShareableHandle(drv_mem_handle_t *handle, drv_mem_handle_type handle_type,
                                                        uint64_t flags, uint64_t *shareable_handle);
SOFTHAL_EXPORT drvError_t halMemExportToShareableHandleV2(drv_mem_handle_t *handle, drv_mem_handle_type handle_type,
                                                          uint64_t flags, struct MemShareHandle *share_handle);
SOFTHAL_EXPORT drvError_t halMemImportFromShareableHandle(uint64_t shareable_handle, uint32_t devid,
                                                          drv_mem_handle_t **handle);
SOFTHAL_EXPORT drvError_t halMemImportFromShareableHandleV2(drv_mem_handle_type handle_type,
                                                            struct MemShareHandle *share_handle, uint32_t devid,
                                                            drv_mem_handle_t **handle);
SOFTHAL_EXPORT drvError_t halMemTransShareableHandle(drv_mem_handle_type handle_type, struct MemShareHandle *share_handle,
                                                     uint32_t *server_id, uint64_t *shareable_handle);
SOFTHAL_EXPORT drvError_t halMemSetPidToShareableHandle(uint64_t shareable_handle, int pid[], uint32_t pid_num);
SOFTHAL_EXPORT drvError_t halMemShareHandleSetAttribute(uint64_t handle, enum ShareHandleAttrType type,
                                                        struct ShareHandleAttr attr);
SOFTHAL_EXPORT drvError_t halMemShareHandleGetAttribute(uint64_t handle, enum ShareHandleAttrType type,
                                                        struct ShareHandleAttr *attr);
SOFTHAL_EXPORT drvError_t halMemShareHandleInfoGet(uint64_t handle, struct ShareHandleGetInfo *info);
SOFTHAL_EXPORT drvError_t halMemHandleSetAttribute(drv_mem_handle_t *handle, enum HandleAttrType type,
                                                   struct HandleAttr attr);
SOFTHAL_EXPORT drvError_t halMemHandleGetAttribute(drv_mem_handle_t *handle, enum HandleAttrType type,
                                                   struct HandleAttr *attr);

/* Devices that reach each other's memory; effective when both directions are enabled. */
SOFTHAL_EXPORT drvError_t halDeviceEnableP2P(uint32_t dev, uint32_t peer_dev, uint32_t flag);
SOFTHAL_EXPORT drvError_t halDeviceDisableP2P(uint32_t dev, uint32_t peer_dev, uint32_t flag);
SOFTHAL_EXPORT drvError_t drvGetP2PStatus(uint32_t dev, uint32_t peer_dev, uint32_t *status);
SOFTHAL_EXPORT drvError_t halDeviceCanAccessPeer(int *can_access_peer, uint32_t dev, uint32_t peer_dev);

/* Host registration. */
SOFTHAL_EXPORT drvError_t halHostRegister(void *src_ptr, uint64_t size, uint32_t flag, uint32_t devid, void **dst_ptr);
SOFTHAL_EXPORT drvError_t halHostUnregister(void *src_ptr, uint32_t devid);
SOFTHAL_EXPORT drvError_t halHostUnregisterEx(void *src_ptr, uint32_t devid, uint32_t flag);
SOFTHAL_EXPORT drvError_t halMemHostGetDevPointer(void *src_ptr, uint32_t devid, void **dst_ptr);
SOFTHAL_EXPORT drvError_t halHostRegisterCapabilities(uint32_t devid, uint32_t acc_module_type, uint32_t *mem_map_cap);

/*
 * Entry points of the software driver only: the device agent, which loads and stores as a program on the device
 * would.  Managed memory is brought to the device as its page fault does.  8: the device is not open or may not
 * go there; 6: there is no memory for the page.
 */
SOFTHAL_EXPORT drvError_t softhal_device_load(uint32_t device, DVdeviceptr address, void *buffer, uint64_t size);
SOFTHAL_EXPORT drvError_t softhal_device_store(uint32_t device, DVdeviceptr address, const void *buffer, uint64_t size);

#ifdef SOFTHAL_FAULTS
/* Fault build only: one line per seeded fault, "name\tinterface\tclass\tdescription\n". */
SOFTHAL_EXPORT const char *softhal_fault_list(void);
#endif

#endif
