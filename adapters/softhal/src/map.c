/*
 * map.c - mappings of physical handles into reserved address space.
 *
 * A reservation keeps its mappings in a list sorted by address.  Device memory stays closed to the CPU;
 * host memory is really mapped, and so is device memory once access was set for the host (access.c).
 */
#include <stdlib.h>

#include "caprice.h"
#include "vmm.h"

struct mapping *mapping_in(const struct block *block, uint64_t address)
{
    for (struct mapping *one = block->maps; one != NULL; one = one->next) {
        if (address >= one->start && address - one->start < one->size) {
            return one;
        }
    }
    return NULL;
}

struct mapping *mapping_at(uint64_t address)
{
    const struct block *block = live_block_at(address);
    return block == NULL || block->heap->kind != KIND_RESERVED ? NULL : mapping_in(block, address);
}

bool mappings_cover(const struct block *block, uint64_t address, uint64_t size)
{
    const struct mapping *first = mapping_in(block, address);
    const struct mapping *one = first;
    while (one != NULL && size > one->start + one->size - address) {
        uint64_t end = one->start + one->size;
        size -= end - address;
        address = end;
        one = one->next;
        if (one == NULL || one->start != address || one->handle->node != first->handle->node ||
            (one->handle->kind == HANDLE_IMPORTED) != (first->handle->kind == HANDLE_IMPORTED)) {
            return false;
        }
    }
    return one != NULL;
}

void mappings_use(const struct block *block, uint64_t address, uint64_t size, int users, int pins)
{
    for (struct mapping *one = block->maps; one != NULL; one = one->next) {
        if (one->start < address + size && address < one->start + one->size) {
            one->users = (unsigned)((int)one->users + users);
            one->pins = (unsigned)((int)one->pins + pins);
        }
    }
}

/* A range that touches a mapping. */
static const struct mapping *overlapping(const struct block *block, uint64_t address, uint64_t size)
{
    for (const struct mapping *one = block->maps; one != NULL; one = one->next) {
        bool touches = FAULT(overlap_by_start) ? one->start == address
                                               : one->start < address + size && address < one->start + one->size;
        if (touches) {
            return one;
        }
    }
    return NULL;
}

static void unlink_mapping(struct block *block, const struct mapping *mapping)
{
    struct mapping **link = &block->maps;
    while (*link != mapping) {
        link = &(*link)->next;
    }
    *link = mapping->next;
}

static void unpin_share(const struct drv_mem_handle *handle)
{
    domain_lock();
    struct share *share = share_find(handle->share, SHARE_HANDLE);
    bool freed = share != NULL && share->freed != 0;
    if (share != NULL) {
        holder_put(share, own_slot(), handle->node);
    }
    bool last = freed && share_find(handle->share, SHARE_HANDLE) == NULL;
    domain_unlock();
    if (last) { /* the exporter let go of it before */
        physical_discard(handle->fd, handle->offset, handle->size);
    }
}

void mapping_drop(struct block *block, struct mapping *mapping)
{
    struct drv_mem_handle *handle = mapping->handle;
    unlink_mapping(block, mapping);
    if (!FAULT(unmap_keeps_view)) {
        view_remove(mapping->start, mapping->size);
    }
    if (mapping->pinned) {
        unpin_share(handle);
    }
    free(mapping);
    handle->maps--;
    if (handle->ref == 0 && handle->maps == 0) {
        handle_free(handle);
    } else if (!FAULT(unmap_keeps_ref)) {
        handle_unref(handle);
    }
}

static bool busy_found;

static void note_busy(struct block *block, unsigned device)
{
    for (const struct mapping *one = block->maps; one != NULL; one = one->next) {
        busy_found = busy_found || (one->handle->node == device && one->users > 0);
    }
}

bool mappings_busy(unsigned device)
{
    busy_found = false;
    blocks_of_kind(KIND_RESERVED, note_busy, device);
    return busy_found;
}

static void drop_of_device(struct block *block, unsigned device)
{
    struct mapping *next = NULL;
    for (struct mapping *one = block->maps; one != NULL; one = next) {
        next = one->next;
        one->granted &= ~(1ULL << device);
        if (one->handle->node == device) {
            mapping_drop(block, one);
        }
    }
}

void mappings_close_device(unsigned device)
{
    blocks_of_kind(KIND_RESERVED, drop_of_device, device);
}

void mappings_forget(struct block *block)
{
    while (block->maps != NULL) {
        struct mapping *next = block->maps->next;
        free(block->maps);
        block->maps = next;
    }
}

/* v3: an import pins nothing until it is mapped, so everything is asked again. */
static drvError_t v3_pin_share(struct drv_mem_handle *handle)
{
    int pid = 0;
    int fd = -1;
    drvError_t code = DRV_ERROR_NONE;
    domain_enter();
    struct share *share = share_find(handle->share, SHARE_HANDLE);
    if (share == NULL || share->valid == 0) {
        code = share != NULL && share->freed != 0 ? DRV_ERROR_IOCRL_FAIL : DRV_ERROR_PARA_ERROR;
    } else if (!share_permits(share)) {
        code = DRV_ERROR_OPER_NOT_PERMITTED;
    } else if (handle->fd < 0) {
        handle->fd = share_source(share, &pid, &fd) ? peer_open(pid, fd, share->inode) : -1;
        code = handle->fd < 0 ? DRV_ERROR_IOCRL_FAIL : DRV_ERROR_NONE;
    }
    if (code == DRV_ERROR_NONE && holder_make(share, own_slot(), handle->node, handle->fd) == NULL) {
        code = DRV_ERROR_OUT_OF_MEMORY;
    }
    domain_unlock();
    return code;
}

/* Enters the mapping and shows the bytes. */
static drvError_t attach(struct block *block, uint64_t address, uint64_t size, struct drv_mem_handle *handle)
{
    bool pin = generation() == GEN_V3 && handle->kind == HANDLE_IMPORTED;
    struct mapping *mapping = caprice_short() ? NULL : calloc(1, sizeof(*mapping));
    if (mapping == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    drvError_t code = pin ? v3_pin_share(handle) : DRV_ERROR_NONE;
    if (code == DRV_ERROR_NONE) {
        uint64_t offset = handle->offset + (FAULT(map_shifted) && size > HUGE_PAGE ? HUGE_PAGE : 0);
        bool shown = FAULT(map_private) || view_add(address, size, handle->fd, offset) == 0;
        uint64_t seen = FAULT(access_short) ? size - SMALL_PAGE : size;
        if (!shown || (handle->node == HOST_NODE && view_expose(address, seen) != 0)) {
            view_remove(address, size);
            code = DRV_ERROR_OUT_OF_MEMORY;
        }
        if (code != DRV_ERROR_NONE && pin) {
            unpin_share(handle);
        }
    }
    if (code != DRV_ERROR_NONE) {
        free(mapping);
        return code;
    }
    mapping->start = address;
    mapping->size = size;
    mapping->handle = handle;
    mapping->pinned = pin;
    struct mapping **link = &block->maps;
    while (*link != NULL && (*link)->start < address) {
        link = &(*link)->next;
    }
    mapping->next = *link;
    *link = mapping;
    block->bound = (int)handle->node;
    handle->ref++;
    handle->maps++;
    return DRV_ERROR_NONE;
}

/* What the v2 kernel asks, in its order (v2 svm_master_mem_map.c). */
static drvError_t v2_check(const struct block *block, uint64_t address, uint64_t size, const struct drv_mem_handle *handle)
{
    if (block == NULL || block->heap->kind != KIND_RESERVED) {
        return caprice_code(DRV_ERROR_PARA_ERROR, DRV_ERROR_INVALID_VALUE);
    }
    uint64_t chunk = block->granule;
    if (address % chunk != 0 || size % chunk != 0 || size > block->size || size > block->start + block->size - address) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (block->bound >= 0 && block->bound != (int)handle->node && !FAULT(remap_any_device)) {
        return DRV_ERROR_PARA_ERROR; /* a reservation stays with the first device it was mapped to */
    }
    if (overlapping(block, address, size) != NULL) {
        return DRV_ERROR_IOCRL_FAIL;
    }
    bool giant = handle->granule == GIANT_PAGE;
    bool small = handle->granule == SMALL_PAGE;
    if (small != (chunk == SMALL_PAGE) || (giant && (address % GIANT_PAGE != 0 || size % GIANT_PAGE != 0))) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (handle->node == HOST_NODE) {
        return size > handle->size ? caprice_code(DRV_ERROR_OUT_OF_MEMORY, DRV_ERROR_PARA_ERROR) : DRV_ERROR_NONE;
    }
    return size == handle->size ? DRV_ERROR_NONE : DRV_ERROR_PARA_ERROR;
}

/* The page that v3 expects from the properties and the size alone, before it looks at the memory. */
static uint64_t v3_page(const struct drv_mem_handle *handle, uint64_t size)
{
    bool small = handle->prop.pg_type == MEM_NORMAL_PAGE_TYPE && handle->prop.module_id == RUNTIME_MODULE_ID;
    return handle->prop.pg_type == MEM_GIANT_PAGE_TYPE ? GIANT_PAGE : small && size < HUGE_PAGE ? SMALL_PAGE : HUGE_PAGE;
}

static bool is_aligned(uint64_t address, uint64_t size, uint64_t page)
{
    return address % page == 0 && size % page == 0;
}

static drvError_t v3_check(const struct block *block, uint64_t address, uint64_t size, const struct drv_mem_handle *handle)
{
    if (!is_aligned(address, size, v3_page(handle, size))) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (block == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (block->heap->kind != KIND_RESERVED || block->pool != NULL) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (handle->gone) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (!is_aligned(address, size, handle->granule)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (size > handle->size) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (size > block->start + block->size - address) {
        return DRV_ERROR_PARA_ERROR;
    }
    return overlapping(block, address, size) != NULL ? DRV_ERROR_REPEATED_USERD : DRV_ERROR_NONE;
}

drvError_t halMemMap(void *ptr, size_t size, size_t offset, drv_mem_handle_t *handle, uint64_t flag)
{
    uint64_t address = (uint64_t)(uintptr_t)ptr;
    bool v2 = generation() == GEN_V2;
    if (address == 0 || size == 0 || (!v2 && handle == NULL) || (offset != 0 && !FAULT(offset_ignored)) || flag != 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (!handle_known(handle)) {
        code = DRV_ERROR_INVALID_VALUE;
    } else if (v2 && (handle->ref == 0 || handle->gone)) {
        code = DRV_ERROR_NO_RESOURCES;
    } else {
        struct block *block = live_block_at(address);
        code = v2 ? v2_check(block, address, size, handle) : v3_check(block, address, size, handle);
        if (code == DRV_ERROR_NONE) {
            code = attach(block, address, size, handle);
        } else if (FAULT(failed_map_counts)) {
            handle->ref++;
        }
    }
    leave();
    return code;
}

/* v2 refuses names on mapped memory too: they occupy it until they are destroyed. */
static bool in_use(const struct mapping *mapping)
{
    if (mapping->users > 0 || mapping->pins > 0 || mapping->translated) {
        return true;
    }
    if (mapping->handle->kind == HANDLE_IMPORTED) {
        return false;
    }
    domain_lock();
    bool named = shares_named(mapping->handle->offset, mapping->size);
    domain_unlock();
    return named;
}

static drvError_t unmap(uint64_t address)
{
    bool v2 = generation() == GEN_V2;
    struct block *block = live_block_at(address);
    if (block == NULL) {
        return v2 ? DRV_ERROR_PARA_ERROR : DRV_ERROR_INVALID_VALUE;
    }
    struct mapping *mapping = block->heap->kind == KIND_RESERVED ? mapping_in(block, address) : NULL;
    if (mapping == NULL || (mapping->start != address && !FAULT(unmap_interior))) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (in_use(mapping)) {
        return v2 ? DRV_ERROR_BUSY : DRV_ERROR_PARA_ERROR;
    }
    mapping_drop(block, FAULT(unmap_first) ? block->maps : mapping);
    return DRV_ERROR_NONE;
}

drvError_t halMemUnmap(void *ptr)
{
    uint64_t address = (uint64_t)(uintptr_t)ptr;
    if (generation() == GEN_V3 && (address == 0 || address % HUGE_PAGE != 0)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = unmap(address);
    leave();
    return code;
}

/* v2 keeps records by start address only; v3 finds the mapping from any address inside. */
static drvError_t v2_find(uint64_t address, struct mapping **mapping)
{
    if (heap_at(address) == NULL && window_has(&windows.svm, address)) {
        return caprice_code(DRV_ERROR_NOT_EXIST, DRV_ERROR_INVALID_VALUE);
    }
    const struct block *block = live_block_at(address);
    const struct heap *heap = heap_at(address);
    if (heap != NULL && heap->kind == KIND_RESERVED && block == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    *mapping = mapping_at(address);
    bool found = *mapping != NULL && ((*mapping)->start == address || caprice_reads(READING_INSIDE_RETAINS));
    return found ? DRV_ERROR_NONE : DRV_ERROR_NOT_EXIST;
}

static drvError_t v3_find(uint64_t address, struct mapping **mapping)
{
    if (live_block_at(address) == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    *mapping = mapping_at(address);
    return *mapping == NULL ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NONE;
}

drvError_t halMemRetainAllocationHandle(drv_mem_handle_t **handle, void *ptr)
{
    struct mapping *mapping = NULL;
    uint64_t address = (uint64_t)(uintptr_t)ptr;
    if (handle == NULL || ptr == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = generation() == GEN_V2 ? v2_find(address, &mapping) : v3_find(address, &mapping);
    if (code == DRV_ERROR_NONE) {
        mapping->handle->ref += FAULT(retain_uncounted) ? 0 : 1;
        *handle = mapping->handle;
    }
    leave();
    return code;
}
