/* ctl.c - halMemCtl: a drawer of small requests, each with its own argument rules. */
#include <string.h>

#include "vmm.h"

#define DCACHE_BASE 0xFF000000000ULL
#define DCACHE_SIZE (64 * GIB)
#define REGISTER_WINDOW (64 * KIB)

static bool is_v2(void)
{
    return generation() == GEN_V2;
}

static uint64_t register_window(unsigned device, unsigned type)
{
    return windows.registers.base + ((uint64_t)device * ADDR_MAP_TYPE_MAX + type) * REGISTER_WINDOW;
}

/* Register windows need a device, any device, to have been opened by this process. */
static drvError_t enter_with_device(void)
{
    state_lock();
    bool any = state.any_device_opened;
    state_unlock();
    return any ? enter() : DRV_ERROR_INVALID_HANDLE;
}

/* The window of a register type is made once and stays. */
static drvError_t map_registers(const struct AddrMapInPara *in, struct AddrMapOutPara *out)
{
    if (in == NULL || out == NULL || in->devid >= V2_MAX_PHYSICAL || in->addr_type >= ADDR_MAP_TYPE_MAX) {
        return DRV_ERROR_INVALID_VALUE;
    }
    uint64_t window = 0;
    struct AddrMapInPara wanted = *in;
    drvError_t code = enter_with_device();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (!device_is_open(wanted.devid)) {
        code = DRV_ERROR_PARA_ERROR;
    } else {
        window = register_window(wanted.devid, wanted.addr_type);
        code = memory_expose(window, REGISTER_WINDOW) == 0 ? DRV_ERROR_NONE : DRV_ERROR_OUT_OF_MEMORY;
    }
    leave();
    if (code == DRV_ERROR_NONE) {
        out->ptr = window;
        out->len = REGISTER_WINDOW;
    }
    return code;
}

static drvError_t unmap_registers(const struct AddrUnmapInPara *in, size_t size)
{
    if (in == NULL || size != sizeof(*in) || in->devid >= V2_MAX_PHYSICAL || in->addr_type >= ADDR_MAP_TYPE_MAX) {
        return DRV_ERROR_INVALID_VALUE;
    }
    struct AddrUnmapInPara wanted = *in;
    drvError_t code = enter_with_device();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    bool core = wanted.addr_type == ADDR_MAP_TYPE_REG_AIC_CTRL || wanted.addr_type == ADDR_MAP_TYPE_REG_AIC_PMU_CTRL;
    if (core || wanted.ptr != register_window(wanted.devid, wanted.addr_type) || wanted.len != REGISTER_WINDOW) {
        code = DRV_ERROR_INVALID_VALUE;
    }
    leave();
    return code;
}

static uint64_t supported_features(unsigned device)
{
    bool known = device < V2_MAX_PHYSICAL && state.device[device].ever_open && !state.forked;
    if (!is_v2()) {
        return CTRL_SUPPORT_GIANT_PAGE |
               (known ? CTRL_SUPPORT_PCIE_BAR_MEM | CTRL_SUPPORT_PCIE_BAR_HUGE_MEM : 0);
    }
    return CTRL_SUPPORT_NUMA_TS | (known ? CTRL_SUPPORT_PCIE_BAR_MEM | CTRL_SUPPORT_DEV_MEM_REGISTER |
                                               CTRL_SUPPORT_PCIE_BAR_HUGE_MEM | CTRL_SUPPORT_GIANT_PAGE
                                         : 0);
}

static drvError_t support_feature(const struct supportFeaturePara *in, struct supportFeaturePara *out)
{
    if (in == NULL || out == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    struct supportFeaturePara asked = *in;
    state_lock();
    uint64_t mask = supported_features(asked.devid) & asked.support_feature;
    state_unlock();
    out->support_feature = mask;
    return DRV_ERROR_NONE;
}

static drvError_t double_page_table(const uint32_t *in, size_t size, void *out, size_t *out_size)
{
    uint64_t offset = 0; /* these products have no second page table */
    if (in == NULL || out == NULL || out_size == NULL || size != sizeof(*in) || *in >= V2_MAX_PHYSICAL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    leave();
    memcpy(out, &offset, sizeof(offset));
    *out_size = sizeof(offset);
    return DRV_ERROR_NONE;
}

static drvError_t repair(const struct MemRepairInPara *in, size_t size, const void *out, const size_t *out_size)
{
    unsigned limit = is_v2() ? V2_MAX_PHYSICAL : V3_MAX_AGENT;
    if (in == NULL || size != sizeof(*in)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (out != NULL || out_size != NULL) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (in->devid >= limit || in->count == 0 || in->count > MEM_REPAIR_MAX_CNT) {
        return DRV_ERROR_INVALID_VALUE;
    }
    struct MemRepairInPara wanted = *in;
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    for (uint32_t i = 0; i < wanted.count && code == DRV_ERROR_NONE; i++) {
        const struct block *block = live_block_at(wanted.repairAddrs[i].ptr);
        if (block == NULL || !kind_is_device(block->heap->kind) || block->heap->node != wanted.devid) {
            code = DRV_ERROR_PARA_ERROR;
        }
    }
    leave();
    return code;
}

static drvError_t module_id(const void *in, size_t size, void *out, size_t *out_size)
{
    uint64_t address = 0;
    if (in == NULL || out == NULL || out_size == NULL || size != sizeof(address)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    memcpy(&address, in, sizeof(address));
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    const struct block *block = live_block_at(address);
    const struct mapping *mapping = mapping_at(address);
    uint32_t module = block == NULL ? (uint32_t)SVM_INVALID_MODULE_ID : block->module;
    module = mapping != NULL ? mapping->handle->module : module;
    leave();
    memcpy(out, &module, sizeof(module));
    *out_size = sizeof(module);
    return DRV_ERROR_NONE;
}

/* The data cache window of the device's control processor: these products do not offer it. */
static drvError_t map_for_cp(uint64_t reserved, uint64_t ptr, uint32_t devid)
{
    if (reserved != 0 || ptr < DCACHE_BASE || ptr - DCACHE_BASE >= DCACHE_SIZE) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (devid >= V2_MAX_PHYSICAL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    state_lock();
    bool open = device_is_open(devid) && !state.forked;
    state_unlock();
    return open ? DRV_ERROR_NOT_SUPPORT : DRV_ERROR_UNINIT;
}

static drvError_t cp_mmap(const struct ProcessCpMmap *in, size_t size, const void *out, const size_t *out_size)
{
    if (in == NULL || out == NULL || out_size == NULL || size != sizeof(*in)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    return map_for_cp(in->flag, in->ptr, in->devid);
}

static drvError_t cp_munmap(const struct ProcessCpMunmap *in, size_t size, const void *out, const size_t *out_size)
{
    if (in == NULL || out != NULL || out_size != NULL || size != sizeof(*in)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    return map_for_cp(in->size, in->ptr, in->devid);
}

static drvError_t dcache_address(const void *in, size_t size, void *out, size_t *out_size)
{
    uint64_t address = DCACHE_BASE;
    if (in != NULL || size != 0 || out == NULL || out_size == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    memcpy(out, &address, sizeof(address));
    *out_size = sizeof(address);
    return DRV_ERROR_NONE;
}

static bool offered(int type)
{
    return is_v2() ? type >= 0 && type < CTRL_TYPE_MAX
                   : type == CTRL_TYPE_SUPPORT_FEATURE || type == CTRL_TYPE_MEM_REPAIR ||
                         type == CTRL_TYPE_GET_ADDR_MODULE_ID;
}

drvError_t halMemCtl(int type, void *param_value, size_t param_value_size, void *out_value, size_t *out_size_ret)
{
    if (!offered(type)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    switch (type) {
        case CTRL_TYPE_ADDR_MAP:
            return map_registers(param_value, out_value);
        case CTRL_TYPE_ADDR_UNMAP:
            return unmap_registers(param_value, param_value_size);
        case CTRL_TYPE_SUPPORT_FEATURE:
            return support_feature(param_value, out_value);
        case CTRL_TYPE_GET_DOUBLE_PGTABLE_OFFSET:
            return double_page_table(param_value, param_value_size, out_value, out_size_ret);
        case CTRL_TYPE_MEM_REPAIR:
            return repair(param_value, param_value_size, out_value, out_size_ret);
        case CTRL_TYPE_GET_ADDR_MODULE_ID:
            return module_id(param_value, param_value_size, out_value, out_size_ret);
        case CTRL_TYPE_PROCESS_CP_MMAP:
            return cp_mmap(param_value, param_value_size, out_value, out_size_ret);
        case CTRL_TYPE_PROCESS_CP_MUNMAP:
            return cp_munmap(param_value, param_value_size, out_value, out_size_ret);
        default:
            return dcache_address(param_value, param_value_size, out_value, out_size_ret);
    }
}
