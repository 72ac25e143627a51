/*
 * reserve.c - halMemAddressReserve and halMemAddressFree: address space without memory.
 *
 * A reservation is a block of kind KIND_RESERVED.  v2 keeps small ones in heaps of 1 GiB and gives whole
 * units to those above 512 MiB; v3 rounds everything from 1 GiB on to 1 GiB (v2 devmm_svm.c, v3 svm_vmm.c).
 */
#include "caprice.h"
#include "vmm.h"

#define OWN_HEAP_ABOVE (512 * MIB)
#define V2_NORMAL_MAX (128 * GIB)
#define V2_DYNAMIC_MAX (128 * TIB)
#define V2_SINGLE_MAX (8 * TIB)
#define V3_SINGLE_MAX (208 * TIB)
#define V3_SPECIFIED_MAX (136 * TIB)
#define PAGE_TYPE_MASK 0xffULL

static struct plan plan_for(uint64_t size, uint64_t granule, bool own, uint64_t address)
{
    struct plan plan = {.kind = KIND_RESERVED, .node = HOST_NODE, .granule = granule, .size = size, .own = own};
    plan.address = address;
    return plan;
}

static void settle(struct block *block, uint64_t size)
{
    block->live = true;
    block->requested = size;
    block->module = SVM_INVALID_MODULE_ID;
}

static drvError_t place(const struct plan *plan, uint64_t *address)
{
    struct block *block = NULL;
    enum placed placed = PLACED_OK;
    if (plan->address != 0) {
        placed = block_place_at(plan, &block);
    } else if (!caprice_never(plan->size)) {
        block = block_place(plan);
    }
    if (block == NULL) {
        if (placed != PLACED_BUSY) {
            return DRV_ERROR_OUT_OF_MEMORY;
        }
        return generation() == GEN_V2 ? caprice_code(DRV_ERROR_BUSY, DRV_ERROR_OUT_OF_MEMORY) : DRV_ERROR_BUSY;
    }
    settle(block, plan->size);
    *address = block->start;
    return DRV_ERROR_NONE;
}

static bool is_power_aligned(uint64_t address, uint64_t size)
{
    uint64_t power = HUGE_PAGE;
    while (power < size) {
        power *= 2;
    }
    return address % power == 0;
}

/* Steps 1 to 6, in user space. */
static drvError_t v2_check(void **ptr, uint64_t size, uint64_t alignment, uint64_t address, uint64_t flag)
{
    if (ptr == NULL || size == 0 || alignment != 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (address != 0 && size > OWN_HEAP_ABOVE && address % GIB != 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (address != 0 && size <= OWN_HEAP_ABOVE && (address % HUGE_PAGE != 0 || !is_power_aligned(address, size))) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if ((flag & PAGE_TYPE_MASK) >= MEM_MAX_PAGE_TYPE) {
        return DRV_ERROR_INVALID_VALUE;
    }
    bool shared = (flag & (MEM_RSV_TYPE_REMOTE_MAP | MEM_RSV_TYPE_DEVICE_SHARE)) != 0;
    return shared && address == 0 ? DRV_ERROR_NOT_SUPPORT : DRV_ERROR_NONE;
}

static bool any_device_open(void)
{
    for (unsigned i = 0; i < MAX_DEVICES; i++) {
        if (device_is_open(i)) {
            return true;
        }
    }
    return false;
}

/* Address space that devices of other servers can map as well: above the SVM window, in units of 1 GiB. */
static drvError_t v2_reserve_dynamic(uint64_t size, uint64_t address)
{
    if (size % GIB != 0 || !any_device_open() || address % GIB != 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (size > V2_DYNAMIC_MAX) {
        return DRV_ERROR_PARA_ERROR;
    }
    struct plan plan = plan_for(size, HUGE_PAGE, true, address);
    struct block *block = address < windows.svm.base + windows.svm.size ? NULL : block_place_outside(&plan);
    if (block == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    settle(block, size);
    return DRV_ERROR_NONE;
}

static drvError_t v2_reserve_normal(uint64_t size, uint64_t *address)
{
    bool small = size < HUGE_PAGE;
    if (size > V2_SINGLE_MAX || round_up(size, GIB) > V2_NORMAL_MAX) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    bool own = size > OWN_HEAP_ABOVE;
    if (*address != 0 && *address < GIB && !own) {
        return DRV_ERROR_OUT_OF_MEMORY; /* taken for an error number on its way */
    }
    struct plan plan = plan_for(round_up(size, HUGE_PAGE), small ? SMALL_PAGE : HUGE_PAGE, own, *address);
    return place(&plan, address);
}

static drvError_t v2_reserve(void **ptr, uint64_t size, uint64_t address, uint64_t flag)
{
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    /* From here on the caller sees the wish even if it is refused. */
    *ptr = (void *)(uintptr_t)address;
    if ((flag & MEM_RSV_TYPE_REMOTE_MAP) != 0) {
        code = v2_reserve_dynamic(size, address);
    } else {
        code = v2_reserve_normal(size, &address);
    }
    state.host_used = state.host_used || code == DRV_ERROR_NONE;
    leave();
    if (code == DRV_ERROR_NONE) {
        *ptr = (void *)(uintptr_t)address;
    }
    return code;
}

static drvError_t v3_place(uint64_t size, bool whole, bool giant, uint64_t *address)
{
    struct plan plan = plan_for(size, whole || giant ? GIB : HUGE_PAGE, whole, *address);
    if (*address == 0) {
        return place(&plan, address);
    }
    if (heaps_hold(*address, size) || heaps_touch(*address, size)) {
        return caprice_code(DRV_ERROR_BUSY, DRV_ERROR_INVALID_VALUE);
    }
    struct block *block = NULL;
    if (window_has(&windows.svm, *address)) {
        return place(&plan, address);
    }
    block = block_place_outside(&plan);
    if (block == NULL) {
        return DRV_ERROR_BUSY;
    }
    settle(block, size);
    return DRV_ERROR_NONE;
}

static drvError_t v3_reserve(void **ptr, uint64_t size, uint64_t alignment, uint64_t address, uint64_t flag)
{
    if (ptr == NULL || size == 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    bool partly = address != 0 && heaps_touch(address, size) && !heaps_hold(address, size);
    bool share = (flag & MEM_RSV_TYPE_DEVICE_SHARE) != 0;
    if (address % HUGE_PAGE != 0 || partly || alignment != 0 || (flag & PAGE_TYPE_MASK) >= MEM_MAX_PAGE_TYPE) {
        code = DRV_ERROR_INVALID_VALUE;
    } else if (size > V3_SINGLE_MAX) {
        code = DRV_ERROR_OUT_OF_MEMORY;
    } else if (address != 0 && ((size < GIB && !share) || size > V3_SPECIFIED_MAX || address % GIB != 0)) {
        code = DRV_ERROR_INVALID_VALUE;
    } else {
        bool whole = size >= GIB || share;
        bool giant = (flag & PAGE_TYPE_MASK) == MEM_GIANT_PAGE_TYPE;
        code = v3_place(round_up(size, whole ? GIB : HUGE_PAGE), whole, giant, &address);
    }
    leave();
    if (code == DRV_ERROR_NONE) {
        *ptr = (void *)(uintptr_t)address;
    }
    return code;
}

drvError_t halMemAddressReserve(void **ptr, size_t size, size_t alignment, void *addr, uint64_t flag)
{
    uint64_t address = (uint64_t)(uintptr_t)addr;
    if (generation() == GEN_V3) {
        return v3_reserve(ptr, size, alignment, address, flag);
    }
    drvError_t code = v2_check(ptr, size, alignment, address, flag);
    return code == DRV_ERROR_NONE ? v2_reserve(ptr, size, address, flag) : code;
}

void reservation_release(struct block *block)
{
    uint64_t start = block->start;
    bool outside = !window_has(&windows.svm, start);
    while (block->maps != NULL) { /* only under a seeded fault */
        mapping_drop(block, block->maps);
    }
    if (FAULT(reserve_leaks)) {
        block->live = false;
        return;
    }
    block_release(block);
    if (outside) {
        outside_drop(start);
    }
}

drvError_t halMemAddressFree(void *ptr)
{
    uint64_t address = (uint64_t)(uintptr_t)ptr;
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct block *block = live_block_at(address);
    bool v2 = generation() == GEN_V2;
    if (block == NULL || block->heap->kind != KIND_RESERVED || block->start != address) {
        code = DRV_ERROR_INVALID_VALUE;
    } else if (!v2 && mapping_in(block, address) != NULL && !FAULT(reserve_freed_mapped)) {
        /* a mapped address has other capabilities than free space */
        code = caprice_code(DRV_ERROR_INVALID_VALUE, DRV_ERROR_BUSY);
    } else if (block->pool != NULL) {
        code = DRV_ERROR_BUSY; /* goes with its pool */
    } else if (block->maps != NULL && !FAULT(reserve_freed_mapped)) {
        code = v2 && block->heap->own ? DRV_ERROR_IOCRL_FAIL : DRV_ERROR_BUSY;
        code = v2 ? caprice_code(code, DRV_ERROR_IOCRL_FAIL) : code;
    } else {
        reservation_release(block);
    }
    leave();
    return code;
}

/* v2 does not have this interface; this product's data cache has no range of its own (v3). */
drvError_t halMemGetAddressReserveRange(void **ptr, size_t *size, drv_mem_addr_reserve_type type, uint64_t flag)
{
    if (generation() == GEN_V2) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (ptr == NULL || size == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (flag != 0 || type != MEM_ADDR_RESERVE_TYPE_DCACHE) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    bool opened = state.any_device_opened;
    leave();
    *ptr = opened ? (void *)(uintptr_t)windows.registers.base : NULL;
    *size = (size_t)(5 * GIB);
    return DRV_ERROR_NONE;
}
