/* mapping.c - commands that bind physical memory to reserved addresses, and who may use it there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>

#include "handle.h"

enum { ACCESS_NONE = 0, ACCESS_READ = 1, ACCESS_READ_WRITE = 3 };

static int protection(uint32_t access)
{
    return access == ACCESS_READ ? PROT_READ : PROT_READ | PROT_WRITE;
}

static bool allocated(uint64_t address, uint64_t size)
{
    struct block *block = block_at(address);
    return block != NULL && block->heap->sub == SUB_RESERVE &&
           size <= block->span.start + block->span.size - address;
}

static int check_map(const struct call *call, const struct heap *heap)
{
    const union payload *in = call->in;
    uint64_t address = in->map.va;
    uint64_t size = in->map.size;
    if (heap == NULL || heap->sub != SUB_RESERVE || size == 0 || address % heap->page != 0 ||
        size % heap->page != 0 || size > heap->span.start + heap->span.size - address ||
        in->map.side > SIDE_DEVICE || in->map.page > PAGE_GIANT ||
        (in->map.side == SIDE_HOST && call->device != HOST_ID) || !allocated(address, size)) {
        return EINVAL;
    }
    return 0;
}

/* Whether the kind of pages, and all else that is told of a handle, fits. */
static bool matches(const struct call *call, const struct handle *handle, const struct heap *heap)
{
    const union payload *in = call->in;
    uint32_t page = in->map.page == PAGE_GIANT ? PAGE_GIANT
                    : heap->page == HUGE_PAGE  ? PAGE_HUGE
                                               : PAGE_NORMAL;
    bool giant = handle->page == PAGE_GIANT;
    return handle->page == page && handle->pages == in->map.pages &&
           handle->module == in->map.module && in->map.size <= handle->size &&
           (!giant || (in->map.va % GIB == 0 && in->map.size % GIB == 0));
}

static struct mapping *bind(const struct call *call, struct handle *handle)
{
    struct mapping *mapping = calloc(1, sizeof(*mapping));
    struct domain *domain = domain_lock();
    uint32_t hold = mapping != NULL ? object_hold(domain, domain->holds[handle->hold].object) : NOTHING;
    domain_unlock();
    if (hold == NOTHING) {
        free(mapping);
        return NULL;
    }
    *mapping = (struct mapping){
        .span = {call->in->map.va, call->in->map.size},
        .hold = hold,
        .offset = handle->offset,
        .handle = call->in->map.id,
        .side = handle->side,
        .device = handle->device,
        .own = handle->kind != HANDLE_IMPORTED,
        .module = handle->module,
        .page = page_bytes(handle->page),
    };
    mapping->access[mapping->device] = ACCESS_READ_WRITE;
    if (!table_add(&space.mappings, mapping)) {
        object_drop(hold);
        free(mapping);
        return NULL;
    }
    handle->mappings++;
    return mapping;
}

int block_map(struct call *call)
{
    union payload *in = call->in;
    struct heap *heap = heap_at(in->map.va);
    int failed = check_map(call, heap);
    if (failed != 0) {
        return failed;
    }
    /* A reservation belongs to the location of the first memory that was bound in it. */
    struct block *block = block_at(in->map.va);
    if (block->device != NO_DEVICE && block->device != call->device) {
        return EINVAL;
    }
    if (table_overlap(&space.mappings, in->map.va, in->map.size) != NULL) {
        return EADDRINUSE;
    }
    struct handle *handle = handle_at(call->device, in->map.id);
    if (handle == NULL || !matches(call, handle, heap)) {
        return EINVAL;
    }
    struct mapping *mapping = bind(call, handle);
    if (mapping == NULL) {
        return ENOMEM;
    }
    block->device = call->device;
    if (mapping->device == HOST_ID) {
        show(mapping->span.start, mapping->span.size, mapping->offset, PROT_READ | PROT_WRITE);
    }
    return 0;
}

int block_unmap(struct call *call)
{
    union payload *in = call->in;
    struct mapping *mapping = table_at(&space.mappings, in->unmap.va);
    if (heap_at(in->unmap.va) == NULL || mapping == NULL || mapping->span.start != in->unmap.va) {
        return EINVAL;
    }
    if (mapping->references > 0 || mapping->translated) {
        return EBUSY;
    }
    in->unmap.size = mapping->span.size;
    in->unmap.side = mapping->side;
    in->unmap.device = mapping->device;
    struct handle *handle = handle_at(mapping->device, mapping->handle);
    if (handle != NULL) {
        handle->mappings--;
    }
    hide(mapping->span.start, mapping->span.size);
    object_drop(mapping->hold);
    table_remove(&space.mappings, mapping);
    free(mapping);
    return 0;
}

static struct mapping *exactly(uint64_t address, uint64_t size)
{
    struct mapping *mapping = table_at(&space.mappings, address);
    bool exact = mapping != NULL && mapping->span.start == address && mapping->span.size == size;
    return exact ? mapping : NULL;
}

int block_owner(struct call *call)
{
    union payload *in = call->in;
    const struct mapping *mapping = exactly(in->owner.va, in->owner.size);
    if (mapping == NULL) {
        return EINVAL;
    }
    in->owner.device = mapping->device;
    in->owner.own = mapping->own;
    return 0;
}

static int check_location(uint32_t id)
{
    bool known = id < settings()->devices || id == HOST_ID;
    return known ? 0 : EINVAL;
}

int block_set_access(struct call *call)
{
    union payload *in = call->in;
    uint32_t location = in->access.device;
    uint32_t type = in->access.type;
    if (check_location(location) != 0 ||
        (type != ACCESS_NONE && type != ACCESS_READ && type != ACCESS_READ_WRITE)) {
        return EINVAL;
    }
    struct mapping *mapping = exactly(in->access.va, in->access.size);
    if (mapping == NULL) {
        return EINVAL;
    }
    if (location != mapping->device) {
        if (mapping->access[location] != ACCESS_NONE) {
            return EEXIST;
        }
        if (mapping->device == HOST_ID && !settings()->product->coherent) {
            return EOPNOTSUPP;
        }
        if (location == HOST_ID) {
            int failed = show(mapping->span.start, mapping->span.size, mapping->offset,
                              protection(ACCESS_READ_WRITE));
            if (failed != 0) {
                return failed;
            }
        }
    }
    mapping->access[location] = (uint8_t)type;
    return 0;
}

int block_get_access(struct call *call)
{
    union payload *in = call->in;
    const struct mapping *mapping = table_at(&space.mappings, in->access.va);
    if (check_location(in->access.device) != 0 || mapping == NULL ||
        in->access.va + in->access.size > mapping->span.start + mapping->span.size) {
        return EINVAL;
    }
    in->access.size = mapping->span.size;
    in->access.type = mapping->access[in->access.device];
    return 0;
}
