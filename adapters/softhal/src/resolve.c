/*
 * resolve.c - what an address is to a copy or a set, and the moving of the bytes.
 *
 * v2 decides in two steps: user space asks whether an address is an SVM one at all (anything else is
 * ordinary memory and is touched by the CPU), then the kernel looks at the pages (v2 devmm_svm.c,
 * svm_master_memcpy.c).  v3 asks the allocation (v3 svm_memcpy, svm_memset checks).
 */
#include <string.h>
#include <unistd.h>

#include "vmm.h"

bool v2_is_svm(uint64_t address)
{
    if (window_has(&windows.uvm, address) || window_has(&windows.soma, address)) {
        return true;
    }
    const struct heap *heap = heap_at(address);
    return heap != NULL && !kind_is_host(heap->kind);
}

static bool crosses(uint64_t boundary, uint64_t address, uint64_t size)
{
    return address < boundary && size > boundary - address;
}

bool v2_crosses_soma(uint64_t address, uint64_t size)
{
    return crosses(windows.soma.base, address, size) || crosses(windows.soma.base + windows.soma.size, address, size);
}

void end_release(struct end *end)
{
    if (end->block != NULL) {
        mappings_use(end->block, end->address, end->size, -1, 0);
        block_unuse(end->block);
        end->block = NULL;
    }
}

static void end_hold(struct end *end, struct block *block)
{
    end->managed = true;
    end->block = block;
    block->users++;
    mappings_use(block, end->address, end->size, 1, 0);
}

void end_pin(struct end *end)
{
    struct block *block = end->block;
    end_release(end);
    if (block != NULL) {
        block->pins++;
        mappings_use(block, end->address, end->size, 0, 1);
        end->block = block; /* now stands for the pin */
    }
}

void end_unpin(struct end *end)
{
    if (end->block != NULL) {
        mappings_use(end->block, end->address, end->size, 0, -1);
        block_unpin(end->block);
        end->block = NULL;
    }
}

/* Where a mapped range is: its owner decides, device or host. */
static bool resolve_mapped(const struct block *block, uint64_t address, uint64_t size, struct end *end)
{
    if (block->pool != NULL) {
        end->place = PLACE_DEVICE;
        end->device = pool_device(block->pool);
        return pool_is_live(block->pool, address, size);
    }
    const struct mapping *mapping = mapping_in(block, address);
    if (mapping == NULL || !mappings_cover(block, address, size)) {
        return false;
    }
    end->place = mapping->handle->node == HOST_NODE ? PLACE_HOST : PLACE_DEVICE;
    end->device = mapping->handle->node;
    end->shared = mapping->handle->kind == HANDLE_IMPORTED;
    return true;
}

/* A device's address of registered host memory is that host memory. */
static bool resolve_registered(uint64_t address, uint64_t size, struct end *end)
{
    if (!registered_alias(&address, size)) {
        return false;
    }
    end->address = address;
    end->place = PLACE_HOST;
    return true;
}

/* MEM_SVM: where the first page is decides; a destination without pages gets host pages. */
static drvError_t v2_resolve_paged(uint64_t address, uint64_t size, bool is_source, struct block *block, struct end *end)
{
    unsigned page = page_state(block, address);
    if (page == PAGE_UNSET && is_source) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (!is_source && pages_to_host(block, address, size) != 0) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    if (page >= PAGE_DEVICE0) {
        end->place = PLACE_DEVICE;
        end->device = page - PAGE_DEVICE0;
    } else {
        end->place = PLACE_HOST;
    }
    return DRV_ERROR_NONE;
}

drvError_t v2_resolve(uint64_t address, uint64_t size, bool is_source, struct end *end)
{
    memset(end, 0, sizeof(*end));
    end->address = address;
    end->size = size;
    if (!v2_is_svm(address)) {
        end->place = PLACE_PLAIN;
        (void)resolve_registered(address, size, end);
        return DRV_ERROR_NONE;
    }
    struct block *block = live_block_at(address);
    if (block == NULL) {
        return DRV_ERROR_PARA_ERROR;
    }
    const struct heap *heap = block->heap;
    /* The kernel checks the heap, not the allocation: overrunning a block inside it is the caller's. */
    if (size > heap->base + heap->size - address) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (heap->kind == KIND_READ_ONLY) {
        return DRV_ERROR_PARA_ERROR;
    }
    drvError_t code = DRV_ERROR_NONE;
    if (heap->kind == KIND_UVM) {
        code = DRV_ERROR_PARA_ERROR; /* the requests that come here know nothing of managed pages */
    } else if (heap->kind == KIND_SVM) {
        code = v2_resolve_paged(address, size, is_source, block, end);
    } else if (heap->kind == KIND_RESERVED || heap->kind == KIND_POOL) {
        code = resolve_mapped(block, address, size, end) ? DRV_ERROR_NONE : DRV_ERROR_PARA_ERROR;
    } else if (heap->kind == KIND_OPENED && !opening_readable(block)) {
        code = DRV_ERROR_PARA_ERROR; /* the owner took the pages back */
    } else {
        end->place = PLACE_DEVICE;
        end->device = heap->node;
        end->shared = heap->kind == KIND_OPENED;
    }
    if (code == DRV_ERROR_NONE) {
        end_hold(end, block);
    }
    return code;
}

static bool v3_capable(const struct block *block)
{
    return block->heap->kind != KIND_CP_ONLY;
}

/* v3: a range may run on into the next allocation if that is of the same sort. */
static drvError_t v3_range(const struct block *block, uint64_t address, uint64_t size, enum v3_use use)
{
    uint64_t end = block->start + block->requested;
    while (size > end - address) {
        struct block *next = live_block_at(end);
        if (next == NULL || next->start != end) {
            return use == V3_SET ? DRV_ERROR_INVALID_VALUE : DRV_ERROR_PARA_ERROR;
        }
        if (next->heap->kind != block->heap->kind || next->heap->node != block->heap->node ||
            (next->flag & ~MEM_ADVISE_P2P) != (block->flag & ~MEM_ADVISE_P2P)) {
            return use == V3_SET ? DRV_ERROR_INVALID_VALUE : DRV_ERROR_PARA_ERROR;
        }
        end = next->start + next->requested;
    }
    return DRV_ERROR_NONE;
}

drvError_t v3_resolve(uint64_t address, uint64_t size, enum v3_use use, struct end *end)
{
    memset(end, 0, sizeof(*end));
    end->address = address;
    end->size = size;
    if (resolve_registered(address, size, end)) {
        return DRV_ERROR_NONE;
    }
    const struct heap *heap = heap_at(address);
    if (heap == NULL) {
        /* Outside every reservation: ordinary memory, unless the range runs into one. */
        end->place = PLACE_PLAIN;
        bool enters = size > 0 && address + (size - 1) >= address && heap_at(address + (size - 1)) != NULL;
        return enters && use != V3_SET ? DRV_ERROR_INVALID_VALUE : DRV_ERROR_NONE;
    }
    if (size > heap->base + heap->size - address) {
        return DRV_ERROR_INVALID_VALUE;
    }
    struct block *block = live_block_at(address);
    if (block == NULL || address - block->start >= block->requested) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (!v3_capable(block)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (heap->kind == KIND_RESERVED) {
        /* Address space alone has no capability; a range that leaves the mappings meets unallocated memory. */
        if (block->pool == NULL && mapping_in(block, address) == NULL) {
            return DRV_ERROR_PARA_ERROR;
        }
        if (!resolve_mapped(block, address, size, end)) {
            return use == V3_SET ? DRV_ERROR_INVALID_VALUE : DRV_ERROR_PARA_ERROR;
        }
        end_hold(end, block);
        return DRV_ERROR_NONE;
    }
    drvError_t code = v3_range(block, address, size, use);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    end->shared = heap->kind == KIND_OPENED;
    end->place = kind_is_host(heap->kind) ? PLACE_HOST : PLACE_DEVICE;
    end->device = heap->node;
    end_hold(end, block);
    return DRV_ERROR_NONE;
}

drvMemcpyKind_t direction_of(const struct end *to, const struct end *from)
{
    if (from->place == PLACE_DEVICE) {
        return to->place == PLACE_DEVICE ? DRV_MEMCPY_DEVICE_TO_DEVICE : DRV_MEMCPY_DEVICE_TO_HOST;
    }
    return to->place == PLACE_DEVICE ? DRV_MEMCPY_HOST_TO_DEVICE : DRV_MEMCPY_HOST_TO_HOST;
}

static bool is_import(const struct end *end)
{
    return end->shared && end->block->heap->kind == KIND_RESERVED;
}

static drvError_t v2_resolve_pair(uint64_t dst, uint64_t src, uint64_t size, struct end *to, struct end *from)
{
    to->block = NULL;
    drvError_t code = v2_resolve(src, size, true, from);
    if (code == DRV_ERROR_NONE) {
        code = v2_resolve(dst, size, false, to);
    }
    if (code == DRV_ERROR_NONE && to->block != NULL && to->block->heap->kind == KIND_DEV_READ_ONLY &&
        direction_of(to, from) != DRV_MEMCPY_HOST_TO_DEVICE) {
        code = DRV_ERROR_PARA_ERROR;
    }
    /* Within one device an imported handle has no copy path (v2 svm_master_memcpy.c). */
    if (code == DRV_ERROR_NONE && direction_of(to, from) == DRV_MEMCPY_DEVICE_TO_DEVICE && to->device == from->device &&
        (is_import(to) || is_import(from))) {
        code = DRV_ERROR_NOT_SUPPORT;
    }
    return code;
}

static drvError_t v3_resolve_pair(uint64_t dst, uint64_t src, uint64_t size, struct end *to, struct end *from)
{
    from->block = NULL;
    drvError_t code = v3_resolve(dst, size, V3_COPY_SYNC, to);
    code = code == DRV_ERROR_NONE ? v3_resolve(src, size, V3_COPY_SYNC, from) : code;
    /* Over PCIe the memory of two other processes cannot be joined. */
    return code == DRV_ERROR_NONE && to->shared && from->shared ? DRV_ERROR_NOT_SUPPORT : code;
}

drvError_t resolve_pair(uint64_t dst, uint64_t src, uint64_t size, struct end *to, struct end *from)
{
    memset(to, 0, sizeof(*to));
    memset(from, 0, sizeof(*from));
    drvError_t code = generation() == GEN_V2 ? v2_resolve_pair(dst, src, size, to, from)
                                             : v3_resolve_pair(dst, src, size, to, from);
    if (code != DRV_ERROR_NONE) {
        end_release(to);
        end_release(from);
    }
    return code;
}

drvError_t move_bytes(const struct end *to, const struct end *from, uint64_t size)
{
    bool failed = false;
    if (FAULT(crash_on_copy) && size == 12288) {
        __builtin_trap();
    }
    if (FAULT(copy_loses_tail) && size > SMALL_PAGE && size % SMALL_PAGE != 0) {
        size -= size % SMALL_PAGE;
    }
    if (FAULT(copy_reversed) && from->place != PLACE_DEVICE && to->place == PLACE_DEVICE) {
        const struct end *other = to;
        to = from;
        from = other;
    }
    void *target = (void *)(uintptr_t)to->address;
    const void *source = (const void *)(uintptr_t)from->address;
    if (to->managed && from->managed) {
        memmove(memory_alias(to->address), memory_alias(from->address), size);
    } else if (to->managed) {
        failed = memory_write(to->address, source, size) != 0;
    } else if (from->managed) {
        failed = memory_read(from->address, target, size) != 0;
    } else {
        memmove(target, source, size);
    }
    /* A caller's pointer that cannot be used is EFAULT in the kernel. */
    return failed ? DRV_ERROR_INVALID_HANDLE : DRV_ERROR_NONE;
}
