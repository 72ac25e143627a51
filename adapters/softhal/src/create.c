/* create.c - halMemCreate and halMemGetAllocationGranularity: what a property describes. */
#include <string.h>

#include "caprice.h"
#include "vmm.h"

static bool is_v2(void)
{
    return generation() == GEN_V2;
}

/* Giant pages are for devices whose features are known (v2: since they were opened). */
static drvError_t check_giant(const struct drv_mem_prop *prop)
{
    if (prop->pg_type != MEM_GIANT_PAGE_TYPE) {
        return DRV_ERROR_NONE;
    }
    bool device = prop->side == MEM_DEV_SIDE;
    if (!is_v2()) {
        return device && prop->mem_type != MEM_TS_DDR_TYPE ? DRV_ERROR_NONE : DRV_ERROR_NOT_SUPPORT;
    }
    if (!device && prop->mem_type != MEM_P2P_DDR_TYPE) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    state_lock();
    bool known = device && prop->devid < V2_MAX_PHYSICAL && state.device[prop->devid].ever_open && !state.forked;
    state_unlock();
    return known && prop->mem_type != MEM_TS_DDR_TYPE ? DRV_ERROR_NONE : DRV_ERROR_NOT_SUPPORT;
}

static drvError_t v2_check_device(const struct drv_mem_prop *prop, bool granularity)
{
    bool host = granularity && prop->devid == HOST_DEVID;
    return prop->side != MEM_HOST_NUMA_SIDE && prop->devid >= V2_MAX_PHYSICAL && !host ? DRV_ERROR_INVALID_VALUE
                                                                                      : DRV_ERROR_NONE;
}

static drvError_t v3_check_device(const struct drv_mem_prop *prop, bool granularity)
{
    if (prop->side == MEM_DEV_SIDE && prop->devid >= V3_MAX_AGENT) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (prop->side == MEM_HOST_SIDE && prop->devid != 0) {
        if (!granularity) {
            return DRV_ERROR_NOT_SUPPORT;
        }
        return prop->devid > HOST_DEVID ? DRV_ERROR_INVALID_VALUE : DRV_ERROR_NONE;
    }
    /* The node number of host memory has a limit, but "any" passes. */
    bool node_bad = prop->side == MEM_HOST_NUMA_SIDE && prop->devid >= 64 && prop->devid != UINT32_MAX;
    return node_bad && !granularity ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NONE;
}

/* The order is that of v2 devmm_svm.c and v3 svm_vmm.c; what a granularity query leaves out is left out. */
static drvError_t check_prop(const struct drv_mem_prop *prop, bool granularity)
{
    if (prop == NULL || prop->side >= MEM_MAX_SIDE) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = is_v2() ? v2_check_device(prop, granularity) : v3_check_device(prop, granularity);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (prop->pg_type >= MEM_MAX_PAGE_TYPE || prop->mem_type >= MEM_MAX_TYPE) {
        return DRV_ERROR_INVALID_VALUE;
    }
    code = is_v2() ? check_giant(prop) : DRV_ERROR_NONE;
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (prop->reserve != 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (is_v2() && !granularity && prop->side == MEM_HOST_SIDE && prop->devid != 0) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    return is_v2() ? DRV_ERROR_NONE : check_giant(prop);
}

static uint64_t granule_of(const struct drv_mem_prop *prop, uint64_t size)
{
    if (prop->pg_type == MEM_GIANT_PAGE_TYPE) {
        return GIANT_PAGE;
    }
    bool small = prop->pg_type == MEM_NORMAL_PAGE_TYPE && size < HUGE_PAGE && prop->module_id == RUNTIME_MODULE_ID;
    return small ? SMALL_PAGE : HUGE_PAGE;
}

/* What is left of the checks once the process is known, and the memory itself; locked. */
static drvError_t create(size_t size, const struct drv_mem_prop *prop, drv_mem_handle_t **handle)
{
    bool device = prop->side == MEM_DEV_SIDE;
    uint64_t granule = granule_of(prop, size);
    unsigned node = device ? prop->devid : HOST_NODE;
    bool numa = prop->side == MEM_HOST_NUMA_SIDE;
    bool aligned = size % granule == 0 || FAULT(granularity_ignored);
    if (is_v2() && granule == GIANT_PAGE && size % HUGE_PAGE == 0) {
        aligned = true; /* rounded up, not refused */
    }
    if (size == 0 || !aligned) {
        return is_v2() ? DRV_ERROR_PARA_ERROR : DRV_ERROR_INVALID_VALUE;
    }
    if (numa && prop->devid != 0 && (is_v2() || prop->devid != UINT32_MAX)) {
        return DRV_ERROR_PARA_ERROR; /* this host has one node */
    }
    if (device && !device_is_open(node)) {
        return is_v2() ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NOT_EXIST;
    }
    if (size > UINT64_MAX - GIANT_PAGE || round_up(size, granule) > 64 * TIB) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    if (granule == GIANT_PAGE && caprice_reads(LACKS_GIANT_PAGES)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    struct drv_mem_handle *made = caprice_never(size) ? NULL : handle_new(prop, round_up(size, granule), granule, node);
    if (made == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    state.host_used = state.host_used || !device;
    *handle = made;
    return DRV_ERROR_NONE;
}

drvError_t halMemCreate(drv_mem_handle_t **handle, size_t size, const struct drv_mem_prop *prop, uint64_t flag)
{
    (void)config_get();
    if (handle == NULL || (is_v2() && size == 0) || flag != 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = check_prop(prop, false);
    if (code == DRV_ERROR_NONE) {
        code = enter();
    }
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = create(size, prop, handle);
    leave();
    return code;
}

drvError_t halMemGetAllocationGranularity(const struct drv_mem_prop *prop, drv_mem_granularity_options option,
                                          size_t *granularity)
{
    (void)config_get();
    if ((unsigned)option >= MEM_ALLOC_GRANULARITY_INVALID) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (granularity == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = check_prop(prop, true);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (!is_v2()) {
        code = enter(); /* the host side must be there */
        if (code != DRV_ERROR_NONE) {
            return code;
        }
        leave();
    }
    /* The small page is told to the runtime only, for the host's number, whatever the side. */
    bool small = option == MEM_ALLOC_GRANULARITY_MINIMUM && prop->pg_type == MEM_NORMAL_PAGE_TYPE &&
                 prop->devid == HOST_DEVID && prop->module_id == RUNTIME_MODULE_ID;
    *granularity = small ? SMALL_PAGE : prop->pg_type == MEM_GIANT_PAGE_TYPE ? GIANT_PAGE : HUGE_PAGE;
    return DRV_ERROR_NONE;
}
