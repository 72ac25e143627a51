/* alloc.c - halMemAlloc and halMemFree: placing a planned block, and taking it back. */
#include <unistd.h>

#include "caprice.h"
#include "vmm.h"

#define RACE_WINDOW_MICROSECONDS 3000

static unsigned charged_node(unsigned node)
{
    return FAULT(charge_wrong_device) && node != HOST_NODE ? 0 : node;
}

static int charge(const struct plan *plan)
{
    static bool ran_out[NODES];
    enum page_class class = class_of(plan->granule);
    unsigned node = charged_node(plan->node);
    if ((FAULT(out_of_memory_sticks) && ran_out[plan->node]) || node_take(node, class, plan->size) != 0) {
        ran_out[plan->node] = true;
        return -1;
    }
    return 0;
}

/* A fresh block with its memory, or NULL with nothing left behind. */
static struct block *fresh_block(const struct plan *plan)
{
    struct block *block = NULL;
    if (caprice_never(plan->size) || (plan->populate && charge(plan) != 0)) {
        return NULL;
    }
    block = block_place(plan);
    if (block == NULL && cache_drain(NODES)) {
        block = block_place(plan);
    }
    if (block == NULL) {
        if (plan->populate) {
            domain_give(charged_node(plan->node), class_of(plan->granule), plan->size);
        }
        return NULL;
    }
    block->charged = plan->populate ? plan->size : 0;
    if ((plan->expose && memory_expose(block->start, block->size) != 0) ||
        (plan->kind == KIND_SVM && pages_make(block) != 0) ||
        (plan->kind == KIND_UVM && uvm_add(block->start, block->size) != 0)) {
        block_release(block);
        return NULL;
    }
    return block;
}

#ifdef SOFTHAL_FAULTS
/* An address that another thread is just being given; 0 if none. */
static uint64_t address_in_flight;
static unsigned allocations;

static uint64_t faulty_address(const struct plan *plan)
{
    if (FAULT(race_same_address) && address_in_flight != 0) {
        return address_in_flight;
    }
    if (FAULT(overlapping_blocks) && ++allocations % 8 == 0) {
        struct block *other = block_like(plan);
        return other != NULL ? other->start : 0;
    }
    return 0;
}

static void widen_race(uint64_t address)
{
    if (FAULT(race_same_address)) {
        address_in_flight = address;
        leave();
        usleep(RACE_WINDOW_MICROSECONDS);
        state_lock();
        address_in_flight = 0;
    }
}

static uint64_t freed_start[64], freed_size[64];
static unsigned freed_next;

static void remember_freed(const struct block *block)
{
    freed_start[freed_next % 64] = block->start;
    freed_size[freed_next % 64] = block->size;
    freed_next++;
}

bool recently_freed(uint64_t address, uint64_t *start, uint64_t *size)
{
    for (unsigned i = 0; i < 64; i++) {
        if (address >= freed_start[i] && address - freed_start[i] < freed_size[i]) {
            *start = freed_start[i];
            *size = freed_size[i];
            return true;
        }
    }
    return false;
}
#else
static uint64_t faulty_address(const struct plan *plan)
{
    (void)plan;
    return 0;
}

static void widen_race(uint64_t address)
{
    (void)address;
}

static void remember_freed(const struct block *block)
{
    (void)block;
}

bool recently_freed(uint64_t address, uint64_t *start, uint64_t *size)
{
    (void)address;
    (void)start;
    (void)size;
    return false;
}
#endif

static uint32_t module_of(uint64_t flag)
{
    uint32_t module = (uint32_t)((flag >> MEM_MODULE_ID_BIT) & MEM_MODULE_ID_MASK);
    return module >= MAX_MODULE_ID || FAULT(module_lost) ? UNKNOWN_MODULE_ID : module;
}

/* The address of the new block, 0 without memory; locked. */
static uint64_t allocate(const struct plan *plan, uint64_t size, uint64_t flag)
{
    uint64_t address = faulty_address(plan);
    if (address != 0) {
        return address;
    }
    blocks_unpark();
    struct block *block = plan->cache_limit != 0 ? cache_pick(plan) : NULL;
    if (block == NULL) {
        block = fresh_block(plan);
    }
    if (block == NULL) {
        if (FAULT(leak_on_error)) {
            (void)domain_take(plan->node, CLASS_HUGE, HUGE_PAGE);
        }
        return 0;
    }
    if (FAULT(info_drift) && plan->populate) {
        (void)domain_take(plan->node, class_of(plan->granule), plan->granule);
    }
    block->live = true;
    block->requested = size;
    block->flag = flag;
    block->module = module_of(flag);
    block->cache_limit = plan->cache_limit;
    state.host_used = state.host_used || kind_is_host(plan->kind);
    address = block->start;
    widen_race(address);
    return address;
}

drvError_t halMemAlloc(void **pp, unsigned long long size, unsigned long long flag)
{
    if (pp == NULL) {
        return FAULT(alloc_null_code) ? DRV_ERROR_PARA_ERROR : DRV_ERROR_INVALID_VALUE;
    }
    struct plan plan = {.node = HOST_NODE};
    drvError_t code = generation() == GEN_V2 ? v2_plan(pp, size, flag, &plan) : v3_plan(size, flag, &plan);
    if (code == DRV_ERROR_NONE) {
        uint64_t address = allocate(&plan, size, flag);
        leave();
        if (address != 0) {
            *pp = (void *)(uintptr_t)address;
            return DRV_ERROR_NONE;
        }
        code = DRV_ERROR_OUT_OF_MEMORY;
    }
    if (FAULT(alloc_writes_on_failure)) {
        *pp = (void *)(uintptr_t)0xdead0000U;
    }
    return code;
}

/*
 * v2: what a free of a block in use is answered with depends on whether the kernel is asked at all.  A
 * block that goes to the cache is free at once; one in its own heap, and MEM_HOST_UVA, lose the reason.
 */
static drvError_t v2_free_in_use(const struct block *block)
{
    if (block->cache_limit != 0 && block->size <= block->cache_limit) {
        return DRV_ERROR_NONE;
    }
    if (FAULT(inuse_large_freed)) {
        return DRV_ERROR_NONE;
    }
    return block->heap->own || block->heap->kind == KIND_HOST_UVA ? DRV_ERROR_IOCRL_FAIL : DRV_ERROR_BUSY;
}

/* v3: a call that is running holds the block; a mere pin only defers the release. */
static drvError_t v3_free_in_use(const struct block *block)
{
    return block->users > 0 || block->registered > 0 ? DRV_ERROR_BUSY : DRV_ERROR_NONE;
}

static drvError_t free_block(struct block *block)
{
    bool in_use = block->users > 0 || block->pins > 0;
    if (block->heap->kind == KIND_RESERVED) {
        return DRV_ERROR_INVALID_VALUE; /* address space goes with halMemAddressFree */
    }
    if (block->heap->kind == KIND_OPENED) {
        /* v2 user space lets it through to the kernel; closing is the only way that is supported. */
        return generation() == GEN_V2 ? DRV_ERROR_PARA_ERROR : DRV_ERROR_INVALID_VALUE;
    }
    if (in_use) {
        drvError_t code = generation() == GEN_V2 ? v2_free_in_use(block) : v3_free_in_use(block);
        if (code != DRV_ERROR_NONE) {
            return code;
        }
    }
    remember_freed(block);
    if (block->cache_limit != 0 && block->size <= block->cache_limit) {
        cache_put(block);
    } else if (in_use) {
        block->live = false;
        block->cache_limit = 0;
    } else if (!block_park(block)) {
        block_release(block);
    }
    return DRV_ERROR_NONE;
}

drvError_t halMemFree(void *pp)
{
    uint64_t address = (uint64_t)(uintptr_t)pp;
    (void)config_get();
    if (address == 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct block *block = live_block_at(address);
    if (FAULT(race_double_free) && block != NULL && block->start == address) {
        leave();
        usleep(RACE_WINDOW_MICROSECONDS);
        state_lock();
        block = live_block_at(address);
        if (block == NULL) {
            leave();
            return DRV_ERROR_NONE;
        }
    }
    if (window_has(&windows.soma, address)) {
        code = pool_free_block(address); /* v2 hands it to the kernel unchecked */
    } else if (block == NULL || (block->start != address && !FAULT(interior_free_accepted))) {
        uint64_t start = 0;
        uint64_t size = 0;
        bool twice = FAULT(double_free_accepted) && recently_freed(address, &start, &size) && start == address;
        code = twice ? DRV_ERROR_NONE : DRV_ERROR_INVALID_VALUE;
    } else {
        code = free_block(block);
    }
    leave();
    return code;
}
