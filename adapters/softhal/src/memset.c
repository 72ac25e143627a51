/* memset.c - drvMemsetD8. */
#include <string.h>
#include <unistd.h>

#include "vmm.h"

/* v2: every page of the range must belong to a live block; blocks may follow each other. */
static bool fully_allocated(uint64_t address, uint64_t size)
{
    uint64_t end = address + size;
    while (address < end) {
        const struct mapping *mapping = mapping_at(address);
        const struct block *block = live_block_at(address);
        if (block != NULL && block->heap->kind == KIND_RESERVED) {
            if (mapping == NULL) {
                return false;
            }
            address = mapping->start + mapping->size;
            continue;
        }
        if (block == NULL) {
            return false;
        }
        address = block->start + block->size;
    }
    return true;
}

static drvError_t v2_set_check(uint64_t address, uint64_t size, struct end *end)
{
    if (v2_crosses_soma(address, size)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (v2_is_svm(address)) {
        const struct block *block = live_block_at(address);
        uint64_t start = 0;
        uint64_t length = 0;
        bool stale = FAULT(stale_lookup) && recently_freed(address, &start, &length) &&
                     size > start + length - address;
        if (stale || block == NULL || block->heap->kind == KIND_READ_ONLY ||
            block->heap->kind == KIND_DEV_READ_ONLY || size > block->heap->size ||
            !fully_allocated(address, size)) {
            return DRV_ERROR_PARA_ERROR;
        }
    }
    return v2_resolve(address, size, false, end);
}

static void fill(const struct end *end, uint8_t value, uint64_t size)
{
    char *target = end->managed ? memory_alias(end->address) : (char *)(uintptr_t)end->address;
    if (FAULT(hang_on_memset) && size == 65537) {
        for (;;) {
            pause();
        }
    }
    if (FAULT(memset_short)) {
        size--;
    }
    if (FAULT(memset_long)) {
        size++;
    }
    memset(target, value, size);
}

/* Seeded fault: the refusal comes too late. */
static void write_before_refusing(uint64_t address, uint8_t value, uint64_t size)
{
    if (enter() != DRV_ERROR_NONE) {
        return;
    }
    const struct block *block = live_block_at(address);
    if (block != NULL && size >= 8 && block->start + block->size - address >= 8) {
        memset(memory_alias(address), value, 8);
    }
    leave();
}

DVresult drvMemsetD8(DVdeviceptr dst, size_t destMax, uint8_t value, size_t num)
{
    struct end end;
    (void)config_get();
    if (FAULT(memset_zero_accepted) && num == 0 && dst != 0) {
        return DRV_ERROR_NONE;
    }
    if (dst == 0 || destMax < num || num == 0) {
        if (FAULT(memset_rejected_writes) && dst != 0 && destMax != 0) {
            write_before_refusing(dst, value, destMax);
        }
        bool swallowed = FAULT(memset_error_swallowed) && dst != 0 && num != 0;
        return swallowed ? DRV_ERROR_NONE : DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (window_has(&windows.uvm, dst) && !v2_crosses_soma(dst, num)) {
        leave();
        return uvm_set(dst, value, num);
    }
    code = generation() == GEN_V2 ? v2_set_check(dst, num, &end) : v3_resolve(dst, num, V3_SET, &end);
    leave();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    fill(&end, value, num);
    state_lock();
    end_release(&end);
    state_unlock();
    return DRV_ERROR_NONE;
}
