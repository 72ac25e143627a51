/* pool_attr.c - halMemPoolTrim (v2), halMemPoolAsyncConfig and the attributes of pools (v3). */
#include <stdlib.h>
#include <string.h>

#include "caprice.h"
#include "pool.h"

drvError_t halMemPoolTrim(soma_mem_pool_t pool, uint64_t *reservedSize, uint64_t usedSize, uint64_t freeSize)
{
    if (generation() == GEN_V3) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (reservedSize == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter_direct();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct pool *found = pool_find(pool.poolId);
    if (!pool_aligned(*reservedSize) || !pool_aligned(usedSize) || !pool_aligned(freeSize) || found == NULL ||
        found->device != pool.devId) {
        code = DRV_ERROR_PARA_ERROR;
    } else {
        /* What is used stays: by the device's own account, and by the host's, which may be ahead of it. */
        uint64_t keep = usedSize > *reservedSize ? usedSize : *reservedSize;
        pool_shrink(found, FAULT(pool_trim_page_off) && keep >= HUGE_PAGE ? keep - HUGE_PAGE : keep);
        if (!FAULT(pool_trim_size_lost)) {
            *reservedSize = found->reserved > usedSize ? found->reserved : usedSize;
        }
    }
    leave();
    return code;
}

void pool_drop_segments(struct pool *pool)
{
    while (pool->segments != NULL) {
        struct pool_segment *next = pool->segments->next;
        free(pool->segments);
        pool->segments = next;
    }
}

static drvError_t segment_add(struct pool *pool, uint64_t start, uint64_t size)
{
    for (const struct pool_segment *one = pool->segments; one != NULL && !FAULT(pool_segments_overlap); one = one->next) {
        if (one->start < start + size && start < one->start + one->size) {
            return DRV_ERROR_INVALID_VALUE;
        }
    }
    struct pool_segment *segment = caprice_short() ? NULL : calloc(1, sizeof(*segment));
    if (segment == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    segment->start = start;
    segment->size = size;
    segment->next = pool->segments;
    pool->segments = segment;
    return DRV_ERROR_NONE;
}

static drvError_t segment_remove(struct pool *pool, uint64_t start, uint64_t size)
{
    struct pool_segment **link = &pool->segments;
    while (*link != NULL && (*link)->start != start) {
        link = &(*link)->next;
    }
    if (*link == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if ((*link)->size != size) {
        return DRV_ERROR_PARA_ERROR; /* noticed only by the kernel */
    }
    struct pool_segment *segment = *link;
    *link = segment->next;
    free(segment);
    return DRV_ERROR_NONE;
}

drvError_t halMemPoolAsyncConfig(soma_mem_pool_t pool, uint64_t va, uint64_t size, uint32_t flag)
{
    if (generation() == GEN_V2) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct pool *found = pool_find(pool.poolId);
    if (found == NULL || found->device != pool.devId) {
        code = DRV_ERROR_INVALID_VALUE;
    } else if (flag > SOMA_ASYNC_FREE) {
        code = DRV_ERROR_NOT_SUPPORT;
    } else if (!pool_holds(found, va, size)) {
        code = DRV_ERROR_INVALID_VALUE;
    } else {
        code = flag == SOMA_ASYNC_MALLOC ? segment_add(found, va, size) : segment_remove(found, va, size);
    }
    leave();
    return code;
}

static drvError_t set_threshold(struct pool *pool, uint64_t value)
{
    if (value > (uint64_t)INT64_MAX || (!pool_aligned(value) && !FAULT(pool_threshold_odd))) {
        return DRV_ERROR_INVALID_VALUE;
    }
    pool->threshold = FAULT(pool_threshold_lost) ? 0 : value;
    return DRV_ERROR_NONE;
}

static drvError_t reset_mark(uint64_t *mark, uint64_t value)
{
    if (value != 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (!FAULT(pool_mark_stays)) {
        *mark = 0;
    }
    return DRV_ERROR_NONE;
}

static drvError_t set(struct pool *pool, enum soma_mem_pool_attr attr, uint64_t value)
{
    switch (attr) {
        case SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD:
            return set_threshold(pool, value);
        case SOMA_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
        case SOMA_MEM_POOL_ATTR_USED_MEM_CURRENT:
            return DRV_ERROR_INVALID_VALUE;
        case SOMA_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
            return reset_mark(&pool->reserved_high, value);
        case SOMA_MEM_POOL_ATTR_USED_MEM_HIGH:
            return reset_mark(&pool->used_high, value);
        default:
            return DRV_ERROR_NOT_SUPPORT;
    }
}

drvError_t halMemPoolSetAttr(soma_mem_pool_t pool, enum soma_mem_pool_attr attr, void *value)
{
    uint64_t wanted = 0;
    if (generation() == GEN_V2) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (value == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    memcpy(&wanted, value, sizeof(wanted));
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct pool *found = pool_find(pool.poolId);
    code = found == NULL ? DRV_ERROR_INVALID_VALUE : set(found, attr, wanted);
    leave();
    return code;
}

static uint64_t get(const struct pool *pool, enum soma_mem_pool_attr attr)
{
    switch (attr) {
        case SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD:
            return pool->threshold;
        case SOMA_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
            return FAULT(pool_reserved_is_used) ? pool->used : pool->reserved;
        case SOMA_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
            return pool->reserved_high;
        case SOMA_MEM_POOL_ATTR_USED_MEM_CURRENT:
            return pool->used;
        default:
            return pool->used_high;
    }
}

drvError_t halMemPoolGetAttr(soma_mem_pool_t pool, enum soma_mem_pool_attr attr, void *value)
{
    if (generation() == GEN_V2) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (value == NULL || attr < SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD || attr > SOMA_MEM_POOL_ATTR_USED_MEM_HIGH) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct pool *found = pool_find(pool.poolId);
    if (found == NULL) {
        code = DRV_ERROR_INVALID_VALUE;
    } else {
        uint64_t current = get(found, attr);
        memcpy(value, &current, sizeof(current));
    }
    leave();
    return code;
}
