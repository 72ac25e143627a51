/*
 * alloc_v2.c - the checks of halMemAlloc in the order of the public v2 code (v2 devmm_svm.c), and what
 * the request means.
 */
#include "caprice.h"
#include "internal.h"

#define CONTIGUOUS_MAX (4 * MIB)
#define SINGLE_MAX (8 * TIB)
#define OWN_HEAP_ABOVE (512 * MIB)
#define SVM_MAX (128 * GIB)

/* HOST_UVA accepts no placement bits; the 4G and TS bits pass. */
#define HOST_UVA_REFUSED \
    (MEM_CONTIGUOUS_PHY | MEM_ADVISE_P2P | MEM_ADVISE_BAR | MEM_DEV_CP_ONLY | MEM_PAGE_HUGE | MEM_PAGE_GIANT)

static bool has(uint64_t flag, uint64_t bits)
{
    return (flag & bits) != 0;
}

/* READONLY and giant pages are features that the driver learns when a device is opened. */
static bool features_known(unsigned device)
{
    return device < V2_MAX_PHYSICAL && state.device[device].ever_open;
}

static drvError_t check_device_read_only(uint64_t virt, uint64_t flag, unsigned device)
{
    if (virt != MEM_DEV_VAL && virt != MEM_HOST_AGENT_VAL) {
        return DRV_ERROR_NONE;
    }
    if (has(flag, MEM_READONLY) && !features_known(device)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (has(flag, MEM_READONLY) && has(flag, MEM_HOST_RW_DEV_RO)) {
        return DRV_ERROR_PARA_ERROR;
    }
    return DRV_ERROR_NONE;
}

static drvError_t check_host(uint64_t virt, uint64_t flag)
{
    if (has(flag, MEM_READONLY | MEM_HOST_RW_DEV_RO)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (has(flag, MEM_PAGE_GIANT) && !FAULT(host_giant_accepted)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (virt == MEM_HOST_AGENT_VAL && has(flag, MEM_ADVISE_4G | MEM_ADVISE_TS)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    return DRV_ERROR_NONE;
}

static drvError_t check_other(uint64_t virt, uint64_t size, uint64_t flag, unsigned device)
{
    bool dev = virt == MEM_DEV_VAL;
    bool dvpp = virt == MEM_DVPP_VAL;
    bool read_only_passes = dev || dvpp || (virt == MEM_UVM_VAL && FAULT(uvm_read_only_accepted));
    if ((has(flag, MEM_HOST_RW_DEV_RO) && !dev) || (has(flag, MEM_READONLY) && !read_only_passes)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (!dvpp && has(flag, MEM_CONTIGUOUS_PHY) && (size > CONTIGUOUS_MAX || has(flag, MEM_PAGE_HUGE))) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (has(flag, MEM_PAGE_GIANT)) {
        if (!dev || !features_known(device) ||
            has(flag, MEM_ADVISE_TS | MEM_ADVISE_4G | MEM_CONTIGUOUS_PHY | MEM_READONLY | MEM_HOST_RW_DEV_RO)) {
            return DRV_ERROR_NOT_SUPPORT;
        }
        if (has(flag, MEM_PAGE_HUGE)) {
            return DRV_ERROR_INVALID_VALUE;
        }
    }
    return DRV_ERROR_NONE;
}

/* Steps 2 to 6: what is refused before the output pointer is touched. */
static drvError_t check_flag(uint64_t size, uint64_t flag, unsigned *device)
{
    uint64_t virt = (flag >> MEM_VIRT_BIT) & MEM_VIRT_MASK;
    if (virt == MEM_DVPP_VAL && *device == HOST_AGENT_DEVID) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (virt == MEM_HOST_AGENT_VAL) {
        *device = HOST_AGENT_DEVID;
    }
    drvError_t code = check_device_read_only(virt, flag, *device);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if ((virt == MEM_HOST_UVA_VAL && has(flag, HOST_UVA_REFUSED)) || virt == MEM_RESERVE_VAL || virt >= MEM_MAX_VAL) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (virt == MEM_HOST_VAL || virt == MEM_HOST_UVA_VAL || virt == MEM_HOST_AGENT_VAL) {
        return check_host(virt, flag);
    }
    return check_other(virt, size, flag, *device);
}

static uint64_t granule_of(enum kind kind, uint64_t flag)
{
    if (kind == KIND_HOST_UVA || kind == KIND_UVM) {
        return HUGE_PAGE;
    }
    if (kind == KIND_SVM || kind == KIND_DEV) {
        return has(flag, MEM_PAGE_GIANT) ? GIANT_PAGE : has(flag, MEM_PAGE_HUGE) ? HUGE_PAGE : SMALL_PAGE;
    }
    return SMALL_PAGE;
}

static uint64_t cache_limit_of(enum kind kind, uint64_t granule, uint64_t flag)
{
    switch (kind) {
        case KIND_DVPP:
            return 36 * MIB;
        case KIND_READ_ONLY:
        case KIND_DEV_READ_ONLY:
            return 24 * MIB;
        case KIND_HOST:
            return 18 * MIB;
        case KIND_DEV:
            if (granule == GIANT_PAGE) {
                return 0;
            }
            if (has(flag, MEM_ADVISE_TS | MEM_ADVISE_4G)) {
                return 4 * MIB;
            }
            return granule == HUGE_PAGE ? 36 * MIB : 18 * MIB;
        default:
            return 0;
    }
}

static enum kind kind_of(uint64_t virt, uint64_t flag)
{
    switch (virt) {
        case MEM_DVPP_VAL:
            return KIND_DVPP;
        case MEM_HOST_VAL:
            return KIND_HOST;
        case MEM_HOST_UVA_VAL:
            return KIND_HOST_UVA;
        case MEM_UVM_VAL:
            return KIND_UVM;
        case MEM_DEV_VAL:
            return has(flag, MEM_READONLY) ? KIND_READ_ONLY : has(flag, MEM_HOST_RW_DEV_RO) ? KIND_DEV_READ_ONLY : KIND_DEV;
        case MEM_HOST_AGENT_VAL:
            return KIND_DEV;
        default:
            return KIND_SVM;
    }
}

/*
 * Why device memory of a device that is not open cannot be had.  A device never opened has no heap to
 * enable: the kernel's "no such process" survives up to 512 MiB and is lost above.  Device 0 is known to
 * the kernel once host memory was used, so there, and after an open and close, it is the populating that
 * fails.
 */
static drvError_t not_open_code(const struct plan *plan)
{
    bool known = state.device[plan->device].ever_open || (plan->device == 0 && state.host_used);
    if (plan->kind != KIND_DEV || (!known && plan->own)) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    return DRV_ERROR_PROCESS_EXIT;
}

/* Steps 9 and 10 up to the search for memory. */
static drvError_t make_plan(uint64_t size, uint64_t flag, unsigned device, struct plan *plan)
{
    if (size == 0 && !FAULT(alloc_zero_accepted)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (size > SINGLE_MAX && !FAULT(size_overflow_accepted)) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    plan->kind = kind_of((flag >> MEM_VIRT_BIT) & MEM_VIRT_MASK, flag);
    plan->device = device;
    plan->node = kind_is_device(plan->kind) ? device : HOST_NODE;
    plan->granule = granule_of(plan->kind, flag);
    if (FAULT(huge_granule_ignored) && plan->kind == KIND_DEV && plan->granule == HUGE_PAGE) {
        plan->granule = SMALL_PAGE;
    }
    plan->size = round_up(size, plan->granule);
    if (plan->size == 0) {
        plan->size = plan->granule;
    }
    plan->cache_limit = cache_limit_of(plan->kind, plan->granule, flag);
    plan->own = (plan->kind == KIND_SVM || plan->kind == KIND_DEV || plan->kind == KIND_HOST) &&
                (plan->size > OWN_HEAP_ABOVE || plan->granule == GIANT_PAGE);
    plan->populate = !kind_is_paged(plan->kind);
    plan->device_read_only = plan->kind == KIND_DEV_READ_ONLY;
    plan->expose = !kind_is_device(plan->kind) || plan->device_read_only;
    if (kind_is_device(plan->kind) && !device_is_open(device)) {
        return not_open_code(plan);
    }
    if (plan->kind == KIND_SVM && round_up(plan->size, GIB) > SVM_MAX) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    if (plan->kind == KIND_HOST_UVA && (windows.host_uva.size == 0 || caprice_reads(LACKS_HOST_UVA))) {
        return DRV_ERROR_BUSY;
    }
    bool lacks = (plan->granule == GIANT_PAGE && caprice_reads(LACKS_GIANT_PAGES)) ||
                 (has(flag, MEM_READONLY) && caprice_reads(LACKS_READ_ONLY));
    return lacks ? DRV_ERROR_NOT_SUPPORT : DRV_ERROR_NONE;
}

drvError_t v2_plan(void **pp, uint64_t size, uint64_t flag, struct plan *plan)
{
    unsigned device = (unsigned)(flag & MEM_DEVID_MASK);
    state_lock();
    drvError_t code = check_flag(size, flag, &device);
    state_unlock();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    /* From here on the caller sees NULL after every failure. */
    *pp = NULL;
    if (device >= V2_MAX_AGENT) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = make_plan(size, flag, device, plan);
    if (code != DRV_ERROR_NONE) {
        leave();
    }
    return code;
}
