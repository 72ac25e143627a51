/* query.c - drvMemGetAttribute and halMemGetAddressRange. */
#include "vmm.h"

/* What a query found; devId is written to the caller only when the public code writes it. */
struct answer {
    uint32_t type, device, page_size;
    bool write_device;
};

static uint32_t page_size_of(const struct heap *heap, uint64_t granule)
{
    /* v2 reports small pages for normal MEM_DEV only, the other device kinds as 2 MiB; giant pages too. */
    bool small = granule == SMALL_PAGE && (generation() == GEN_V3 || heap->kind == KIND_DEV || heap->kind == KIND_SVM ||
                                           heap->kind == KIND_OPENED);
    return (uint32_t)(small || FAULT(attr_page_size) ? SMALL_PAGE : HUGE_PAGE);
}

static uint32_t reported_device(unsigned device)
{
    return FAULT(attr_wrong_device) ? device ^ 1U : device;
}

static void v2_paged_attribute(uint64_t address, const struct heap *heap, struct answer *answer)
{
    struct block *block = block_at(address);
    unsigned page = block != NULL && block->pages != NULL ? page_state(block, address) : PAGE_UNSET;
    answer->type = page == PAGE_UNSET ? DV_MEM_SVM : page == PAGE_HOST ? DV_MEM_SVM_HOST : DV_MEM_SVM_DEVICE;
    answer->device = page >= PAGE_DEVICE0 ? reported_device(page - PAGE_DEVICE0) : 0;
    answer->write_device = true;
    answer->page_size = page_size_of(heap, heap->granule);
}

/* v2 keeps side and device for a whole reservation, from its first mapping until it is freed. */
static drvError_t v2_reserved_attribute(const struct block *block, struct answer *answer)
{
    if (block == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    bool device = block->bound >= 0 && block->bound != HOST_NODE;
    answer->type = device ? DV_MEM_LOCK_DEV : DV_MEM_LOCK_HOST;
    answer->device = device ? reported_device((unsigned)block->bound) : block->bound < 0 ? 0 : HOST_DEVID;
    answer->write_device = true;
    answer->page_size = (uint32_t)block->granule;
    return DRV_ERROR_NONE;
}

/* v2 answers by window and heap, not by allocation: a freed address in a living heap still has one. */
static drvError_t v2_attribute(uint64_t address, struct answer *answer)
{
    if (window_has(&windows.uvm, address)) {
        answer->type = DV_MEM_UVM;
        answer->page_size = (uint32_t)HUGE_PAGE;
        return DRV_ERROR_NONE;
    }
    if (window_has(&windows.soma, address)) {
        answer->type = DV_MEM_SOMA;
        answer->page_size = (uint32_t)HUGE_PAGE;
        return DRV_ERROR_NONE;
    }
    const struct heap *heap = heap_at(address);
    if (heap == NULL && window_has(&windows.svm, address)) {
        return DRV_ERROR_NOT_EXIST;
    }
    bool managed_host = heap != NULL && kind_is_host(heap->kind);
    if (heap == NULL || managed_host) {
        bool ordinary = !managed_host && !window_has(&windows.host_uva, address);
        answer->type = ordinary && state.user_malloc_attribute ? DV_MEM_USER_MALLOC : DV_MEM_LOCK_HOST;
        if (ordinary && is_registered(address)) {
            answer->type = DV_MEM_USER_REGISTER;
        }
        answer->page_size = (uint32_t)SMALL_PAGE;
        return DRV_ERROR_NONE;
    }
    if (kind_is_paged(heap->kind)) {
        v2_paged_attribute(address, heap, answer);
        return DRV_ERROR_NONE;
    }
    if (heap->kind == KIND_RESERVED) {
        /* Outside the window only what is mapped is known. */
        bool dynamic = !window_has(&windows.svm, address);
        return dynamic && mapping_at(address) == NULL ? DRV_ERROR_PARA_ERROR
                                                      : v2_reserved_attribute(live_block_at(address), answer);
    }
    answer->type = heap->kind == KIND_DVPP     ? DV_MEM_LOCK_DEV_DVPP
                   : heap->kind == KIND_OPENED ? DV_MEM_SVM_DEVICE
                                               : DV_MEM_LOCK_DEV;
    answer->device = reported_device(heap->node);
    answer->write_device = true;
    answer->page_size = page_size_of(heap, heap->granule);
    return DRV_ERROR_NONE;
}

static drvError_t v3_attribute(uint64_t address, struct answer *answer)
{
    const struct heap *heap = heap_at(address);
    if (heap == NULL) {
        answer->type = DV_MEM_USER_MALLOC;
        answer->page_size = (uint32_t)SMALL_PAGE;
        return DRV_ERROR_NONE;
    }
    const struct block *block = live_block_at(address);
    if (block == NULL || address - block->start >= block->requested) {
        return DRV_ERROR_NOT_EXIST;
    }
    if (block->pool != NULL) { /* also where the device has no memory yet: it comes in the order of a stream */
        answer->type = DV_MEM_LOCK_DEV;
        answer->device = reported_device(pool_device(block->pool));
        answer->write_device = true;
        answer->page_size = page_size_of(heap, HUGE_PAGE);
        return DRV_ERROR_NONE;
    }
    const struct mapping *mapping = mapping_at(address);
    if (heap->kind == KIND_CP_ONLY || (heap->kind == KIND_RESERVED && mapping == NULL)) {
        return DRV_ERROR_PARA_ERROR;
    }
    unsigned node = mapping != NULL ? mapping->handle->node : heap->node;
    bool host = node == HOST_NODE;
    answer->type = host ? DV_MEM_LOCK_HOST : heap->kind == KIND_OPENED ? DV_MEM_SVM_DEVICE : DV_MEM_LOCK_DEV;
    answer->device = host ? HOST_DEVID : reported_device(node);
    answer->write_device = true;
    answer->page_size = page_size_of(heap, mapping != NULL ? mapping->handle->granule : block->granule);
    return DRV_ERROR_NONE;
}

DVresult drvMemGetAttribute(DVdeviceptr vptr, struct DVattribute *attr)
{
    struct answer answer = {.write_device = false};
    (void)config_get();
    if (vptr == 0 || attr == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = generation() == GEN_V2 ? v2_attribute(vptr, &answer) : v3_attribute(vptr, &answer);
    leave();
    if (code == DRV_ERROR_NONE) {
        attr->memType = answer.type;
        attr->pageSize = answer.page_size;
        if (answer.write_device) {
            attr->devId = answer.device;
        }
    }
    return code;
}

/* The range that the public code reports: v3 what was asked for; v2 whole granules, and for a block in
 * its own heap all of that heap. */
static bool find_range(uint64_t address, uint64_t *base, uint64_t *size)
{
    const struct heap *heap = heap_at(address);
    const struct block *block = live_block_at(address);
    if (heap != NULL && heap->kind == KIND_RESERVED) {
        const struct mapping *mapping = mapping_at(address);
        if (mapping != NULL) {
            *base = mapping->start;
            *size = mapping->size;
        }
        return mapping != NULL;
    }
    if (heap != NULL && heap->kind == KIND_POOL) {
        return false;
    }
    if (heap != NULL && heap->own) {
        block = heap->count > 0 ? live_block_at(heap->blocks[0]->start) : NULL;
    }
    if (block == NULL && FAULT(range_end_inclusive)) {
        block = live_block_at(address - 1);
    }
    if (block == NULL) {
        return FAULT(freed_still_live) && recently_freed(address, base, size);
    }
    *base = block->start;
    if (generation() == GEN_V3) {
        *size = block->requested;
        if (address - block->start >= *size && !FAULT(range_end_inclusive)) {
            return false;
        }
    } else {
        *size = block->heap->own ? block->heap->size : block->size;
    }
    if (FAULT(range_size_requested)) {
        (*size)--;
    }
    return true;
}

drvError_t halMemGetAddressRange(DVdeviceptr ptr, DVdeviceptr *pbase, size_t *psize)
{
    (void)config_get();
    if (pbase == NULL && psize == NULL) {
        return FAULT(range_null_code) ? DRV_ERROR_NONE : DRV_ERROR_INVALID_VALUE;
    }
    uint64_t base = 0;
    uint64_t size = 0;
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    bool found = find_range(ptr, &base, &size);
    leave();
    if (!found) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (pbase != NULL) {
        *pbase = base;
    }
    if (psize != NULL) {
        *psize = size;
    }
    return DRV_ERROR_NONE;
}
