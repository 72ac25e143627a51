/* pool.c - pools: where their addresses come from, their life, and giving memory back. */
#include <stdlib.h>
#include <string.h>

#include "pool.h"

#define WINDOW_SIZE (2ULL << 40)

struct pool *pools;

soma_mem_pool_t driver_pool(const struct pool *pool)
{
    soma_mem_pool_t name = {.poolId = pool->object.serial, .devId = (uint32_t)pool->device};
    return name;
}

/* The older driver generation has a window for pools: all its addresses are of one kind.  Sanitized builds of the
 * software driver have it elsewhere.  0: there is none. */
static uint64_t window_base(void)
{
    static const uint64_t candidates[] = {0xC0000000000ULL, 0x2E0000000000ULL};
    for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
        struct DVattribute answer = {.memType = 0};
        if (HAL(drvMemGetAttribute, candidates[i], &answer) == DRV_ERROR_NONE && answer.memType == DV_MEM_SOMA) {
            return candidates[i];
        }
    }
    return 0;
}

/* The first gap of the window; 0 if there is none. */
static uint64_t window_gap(uint64_t window, uint64_t size)
{
    uint64_t base = window;
    for (const struct pool *one = pools; one != NULL;) {
        if (one->windowed && one->base < base + size && base < one->base + one->size) {
            base = one->base + one->size;
            one = pools;
        } else {
            one = one->next;
        }
    }
    return size <= window + WINDOW_SIZE - base ? base : 0;
}

static aclError find_addresses(struct pool *pool)
{
    void *reserved = NULL;
    uint64_t window = window_base();
    pool->windowed = window != 0;
    if (pool->windowed) {
        pool->base = window_gap(window, pool->size);
        return pool->base == 0 ? ACL_ERROR_RT_MEMORY_ALLOCATION : ACL_SUCCESS;
    }
    aclError code = acl_of(HAL(halMemAddressReserve, &reserved, pool->size, 0, NULL, MEM_HUGE_PAGE_TYPE));
    pool->base = (uint64_t)(uintptr_t)reserved;
    return code;
}

static struct drv_mem_prop memory_of(int32_t device)
{
    struct drv_mem_prop prop;
    memset(&prop, 0, sizeof(prop));
    prop.side = MEM_DEV_SIDE;
    prop.devid = (uint32_t)device;
    prop.module_id = ASCENDCL_MODULE_ID;
    prop.pg_type = MEM_HUGE_PAGE_TYPE;
    prop.mem_type = MEM_HBM_TYPE;
    return prop;
}

static aclError make(struct pool *pool)
{
    uint64_t threshold = 0;
    aclError code = find_addresses(pool);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (!segments_start(pool)) {
        code = ACL_ERROR_RT_MEMORY_ALLOCATION;
    } else {
        object_add(&pool->object, OBJECT_POOL);
        soma_mem_pool_prop prop;
        memset(&prop, 0, sizeof(prop));
        prop.handle_type = MEM_HANDLE_TYPE_POSIX;
        prop.mem_prop = memory_of(pool->device);
        prop.va = pool->base;
        prop.maxSize = pool->size;
        code = acl_of(HAL(halMemPoolCreate, driver_pool(pool), prop));
        if (code != ACL_SUCCESS) {
            object_remove(&pool->object);
            segments_end(pool);
        }
    }
    if (code != ACL_SUCCESS && !pool->windowed) {
        (void)HAL(halMemAddressFree, (void *)(uintptr_t)pool->base);
    }
    if (code == ACL_SUCCESS) {
        drvError_t kept =
            HAL(halMemPoolGetAttr, driver_pool(pool), SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD, &threshold);
        pool->device_side = kept == DRV_ERROR_NONE;
        pool->next = pools;
        pools = pool;
    }
    return code;
}

/* All memory of the device, or what is asked for, in whole pages. */
static aclError decide_size(const aclrtMemPoolProps *props, uint64_t *size)
{
    struct MemInfo info;
    size_t page = 0;
    struct drv_mem_prop memory = memory_of((int32_t)props->location.id);
    memset(&info, 0, sizeof(info));
    aclError code = acl_of(HAL(halMemGetInfo, props->location.id, MEM_INFO_TYPE_HBM_SIZE, &info));
    if (code == ACL_SUCCESS) {
        code = acl_of(HAL(halMemGetAllocationGranularity, &memory, MEM_ALLOC_GRANULARITY_MINIMUM, &page));
    }
    if (code != ACL_SUCCESS) {
        return code;
    }
    uint64_t total = info.phy_info.total + info.phy_info.huge_total;
    if (page == 0 || props->maxSize > total) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "the pool is larger than the device's memory");
    }
    *size = props->maxSize == 0 ? total / page * page : (props->maxSize + page - 1) / page * page;
    return *size > total ? fail(ACL_ERROR_RT_PARAM_INVALID, "the pool is larger than the device's memory") : ACL_SUCCESS;
}

static bool props_ok(const aclrtMemPoolProps *props)
{
    bool zero = true;
    for (size_t i = 0; i < sizeof(props->reserved); i++) {
        zero = zero && props->reserved[i] == 0;
    }
    return props->allocType == ACL_MEM_ALLOCATION_TYPE_PINNED &&
           props->location.type == ACL_MEM_LOCATION_TYPE_DEVICE && zero;
}

aclError aclrtMemPoolCreate(aclrtMemPool *memPool, const aclrtMemPoolProps *poolProps)
{
    struct context *context = NULL;
    uint64_t size = 0;
    if (memPool == NULL || poolProps == NULL || !props_ok(poolProps)) {
        return fail(ACL_ERROR_INVALID_PARAM, "memPool or poolProps is NULL, or a property is unknown");
    }
    if (!device_exists(poolProps->location.id)) {
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "there is no such device");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct pool *pool = NULL;
    if (hal()->halMemPoolCreate == NULL || hal()->halMemPoolMalloc == NULL) {
        code = fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the driver has no pools");
    } else {
        code = decide_size(poolProps, &size);
        pool = code == ACL_SUCCESS ? calloc(1, sizeof(*pool)) : NULL;
        code = code == ACL_SUCCESS && pool == NULL ? ACL_ERROR_RT_MEMORY_ALLOCATION : code;
    }
    if (code == ACL_SUCCESS) {
        pool->device = (int32_t)poolProps->location.id;
        pool->size = size;
        code = make(pool);
    }
    unlock();
    if (code != ACL_SUCCESS) {
        free(pool);
        return code;
    }
    *memPool = pool;
    return ACL_SUCCESS;
}

static void take_out(struct pool *pool)
{
    struct pool **link = &pools;
    while (*link != pool) {
        link = &(*link)->next;
    }
    *link = pool->next;
    segments_end(pool);
    free(pool);
}

aclError aclrtMemPoolDestroy(const aclrtMemPool memPool)
{
    if (memPool == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "memPool is NULL");
    }
    lock();
    struct pool *pool = object_find(memPool, OBJECT_POOL);
    aclError code = ACL_SUCCESS;
    if (pool == NULL) {
        code = fail(ACL_ERROR_RT_INTERNAL_ERROR, "this is no live pool");
    } else if (!FAULT(destroy_leaks)) {
        code = acl_of(HAL(halMemPoolDestroy, driver_pool(pool)));
    }
    if (code == ACL_SUCCESS) {
        object_remove(&pool->object);
        take_out(pool);
    }
    unlock();
    return code;
}

/* The driver ends the pools of a device that it closes. */
void pools_forget_device(int32_t device)
{
    struct pool *next = NULL;
    for (struct pool *one = pools; one != NULL; one = next) {
        next = one->next;
        if (one->device == device) {
            if (object_find(one, OBJECT_POOL) != NULL) {
                object_remove(&one->object);
            }
            take_out(one);
        }
    }
}

aclError pool_trim(struct pool *pool, uint64_t keep)
{
    uint64_t left = FAULT(trim_ignores_keep) ? 0 : keep;
    aclError code = acl_of(HAL(halMemPoolTrim, driver_pool(pool), &left, pool->used, pool->reserved - pool->used));
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (left > pool->size || left < pool->used) {
        return fail(ACL_ERROR_RT_INTERNAL_ERROR, "the device answers with an impossible size");
    }
    /* The device does not know of memory whose task is still to come. */
    bool by_device = (left > keep || FAULT(trim_ignores_keep)) && !FAULT(trim_pending);
    segments_trim(pool, by_device ? left : keep);
    return ACL_SUCCESS;
}

aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep)
{
    if (memPool == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "memPool is NULL");
    }
    lock();
    struct pool *pool = object_find(memPool, OBJECT_POOL);
    aclError code = pool == NULL ? fail(ACL_ERROR_RT_INTERNAL_ERROR, "this is no live pool")
                                 : pool_trim(pool, minBytesToKeep);
    unlock();
    return code;
}

void pools_synchronised(void)
{
    for (struct pool *one = pools; one != NULL; one = one->next) {
        uint64_t keep = one->threshold / POOL_PAGE * POOL_PAGE + (one->threshold % POOL_PAGE == 0 ? 0 : POOL_PAGE);
        if (FAULT(threshold_page_off) && keep > 0) {
            keep -= POOL_PAGE;
        }
        if (!one->device_side && one->reserved > one->used && one->reserved > keep) {
            (void)pool_trim(one, keep);
        }
    }
}

bool pool_takes_free(void *address, aclError *code)
{
    uint64_t base = (uint64_t)(uintptr_t)address;
    lock();
    struct pool *pool = pool_at(base);
    struct segment *segment = pool == NULL ? NULL : segment_busy(pool, base);
    if (segment != NULL) {
        *code = acl_of(HAL(halMemFree, address));
        if (*code == ACL_SUCCESS) {
            segment_clear(pool, segment);
        }
    }
    unlock();
    return segment != NULL;
}
