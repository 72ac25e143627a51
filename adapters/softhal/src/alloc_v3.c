/* alloc_v3.c - the checks of halMemAlloc in the order of the public v3 code (v3 svm_alloc.c). */
#include "caprice.h"
#include "internal.h"

#define SINGLE_MAX (208 * TIB)

static bool has(uint64_t flag, uint64_t bits)
{
    return (flag & bits) != 0;
}

static drvError_t check_type(uint64_t virt, uint64_t flag)
{
    switch (virt) {
        case MEM_DEV_VAL:
        case MEM_DVPP_VAL:
            return (flag & MEM_DEVID_MASK) >= V3_MAX_AGENT ? DRV_ERROR_INVALID_DEVICE : DRV_ERROR_NONE;
        case MEM_HOST_VAL:
        case MEM_HOST_UVA_VAL:
            return DRV_ERROR_NONE;
        default:
            return DRV_ERROR_NOT_SUPPORT;
    }
}

static drvError_t check_flag(uint64_t virt, uint64_t flag)
{
    /* The public code tests one bit of the type here, so that DVPP counts as device memory too. */
    bool device = virt == MEM_DEV_VAL || virt == MEM_DVPP_VAL;
    bool large = has(flag, MEM_PAGE_HUGE | MEM_PAGE_GIANT);
    if (has(flag, MEM_ADVISE_4G | MEM_ADVISE_TS) || has(flag, MEM_READONLY)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (!device && large && !(FAULT(host_giant_accepted) && has(flag, MEM_PAGE_GIANT))) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (virt == MEM_HOST_UVA_VAL && has(flag, MEM_CONTIGUOUS_PHY | MEM_ADVISE_P2P | MEM_ADVISE_BAR | MEM_DEV_CP_ONLY)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (large && has(flag, MEM_CONTIGUOUS_PHY)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (has(flag, MEM_PAGE_HUGE) && has(flag, MEM_PAGE_GIANT)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (has(flag, MEM_DEV_CP_ONLY)) {
        if (!device) {
            return DRV_ERROR_INVALID_VALUE;
        }
        if (large) {
            return DRV_ERROR_NOT_SUPPORT;
        }
    }
    if (has(flag, MEM_HOST_RW_DEV_RO) && (!device || has(flag, MEM_PAGE_GIANT) || has(flag, MEM_DEV_CP_ONLY))) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    return DRV_ERROR_NONE;
}

static uint64_t rounded(uint64_t size, uint64_t granule, uint64_t flag)
{
    size = round_up(size, granule);
    if (has(flag, MEM_CONTIGUOUS_PHY)) {
        uint64_t power = granule;
        while (power < size) {
            power *= 2;
        }
        size = power;
    }
    return size == 0 ? granule : size;
}

static drvError_t make_plan(uint64_t size, uint64_t flag, struct plan *plan)
{
    uint64_t virt = (flag >> MEM_VIRT_BIT) & MEM_VIRT_MASK;
    bool device = virt == MEM_DEV_VAL || virt == MEM_DVPP_VAL;
    plan->device = device ? (unsigned)(flag & MEM_DEVID_MASK) : HOST_DEVID;
    plan->node = device ? plan->device : HOST_NODE;
    if (device && !device_is_open(plan->device)) {
        return DRV_ERROR_NOT_EXIST;
    }
    if (size > SINGLE_MAX && !FAULT(size_overflow_accepted)) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    plan->kind = has(flag, MEM_DEV_CP_ONLY) ? KIND_CP_ONLY
                 : virt == MEM_DVPP_VAL     ? KIND_DVPP
                 : device                   ? KIND_DEV
                 : virt == MEM_HOST_VAL     ? KIND_HOST
                                            : KIND_HOST_UVA;
    bool giant = has(flag, MEM_PAGE_GIANT) && device;
    plan->granule = giant ? GIANT_PAGE : has(flag, MEM_PAGE_HUGE) ? HUGE_PAGE : SMALL_PAGE;
    if (FAULT(huge_granule_ignored) && plan->granule == HUGE_PAGE) {
        plan->granule = SMALL_PAGE;
    }
    plan->size = rounded(size, plan->granule, flag);
    plan->cache_limit = plan->kind == KIND_CP_ONLY || giant                          ? 0
                        : device && plan->granule == HUGE_PAGE ? 32 * MIB
                                                               : 16 * MIB;
    if (giant && caprice_reads(LACKS_GIANT_PAGES)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    plan->populate = true;
    plan->device_read_only = has(flag, MEM_HOST_RW_DEV_RO);
    plan->expose = !device || plan->device_read_only;
    return DRV_ERROR_NONE;
}

drvError_t v3_plan(uint64_t size, uint64_t flag, struct plan *plan)
{
    uint64_t virt = (flag >> MEM_VIRT_BIT) & MEM_VIRT_MASK;
    if (size == 0 && !FAULT(alloc_zero_accepted)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = check_type(virt, flag);
    if (code == DRV_ERROR_NONE) {
        code = check_flag(virt, flag);
    }
    if (code == DRV_ERROR_NONE) {
        code = make_plan(size, flag, plan);
    }
    if (code != DRV_ERROR_NONE) {
        leave();
    }
    return code;
}
