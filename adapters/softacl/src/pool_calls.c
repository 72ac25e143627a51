/* pool_calls.c - allocating and freeing in the order of a stream, and the attributes of pools. */
#include <stdlib.h>
#include <string.h>

#include "pool.h"

enum { POLICY_STANDARD = 0, POLICY_INTERNAL = 1, POLICY_NONE = 2, POLICY_FREE = 4 };

struct pool_task {
    struct task task;
    soma_mem_pool_t pool;
    uint64_t address, size;
    int32_t policy;
};

static aclError run_malloc(struct task *task, struct stream *stream)
{
    const struct pool_task *what = (struct pool_task *)task;
    (void)stream;
    drvError_t code = HAL(halMemPoolMalloc, what->pool, what->address, what->size, what->policy);
    return code == DRV_ERROR_NONE || FAULT(exhaustion_hidden) ? ACL_SUCCESS : ACL_ERROR_RT_AICPU_EXCEPTION;
}

static aclError run_free(struct task *task, struct stream *stream)
{
    const struct pool_task *what = (struct pool_task *)task;
    (void)stream;
    drvError_t code = HAL(halMemPoolFree, what->pool, what->address, what->size, what->policy);
    return code == DRV_ERROR_NONE ? ACL_SUCCESS : ACL_ERROR_RT_AICPU_EXCEPTION;
}

/* Memory that is in no pool: the ordinary free, when the stream gets there.  A refusal is not told. */
static aclError run_ordinary_free(struct task *task, struct stream *stream)
{
    (void)stream;
    (void)HAL(halMemFree, (void *)(uintptr_t)((struct pool_task *)task)->address);
    return ACL_SUCCESS;
}

static struct pool_task *task_new(const struct pool *pool, uint64_t address, uint64_t size, int32_t policy,
                                  aclError (*run)(struct task *task, struct stream *stream))
{
    struct pool_task *made = calloc(1, sizeof(*made));
    if (made != NULL) {
        made->task.run = run;
        made->task.always = true;
        made->address = address;
        made->size = size;
        made->policy = policy;
        if (pool != NULL) {
            made->pool = driver_pool(pool);
        }
    }
    return made;
}

/* Puts the wait that a grant may need and the device's part on the stream. */
static bool enqueue_malloc(struct pool *pool, struct stream *stream, const struct grant *grant, uint64_t size)
{
    int32_t policy = grant->fresh ? POLICY_NONE : grant->after != NULL ? POLICY_INTERNAL : POLICY_STANDARD;
    struct pool_task *task = task_new(pool, grant->base, size, policy, run_malloc);
    struct task *wait = grant->after != NULL ? wait_task(grant->after, grant->position) : NULL;
    if (task == NULL || (grant->after != NULL && wait == NULL) || !worker_start(stream)) {
        free(task);
        free(wait);
        return false;
    }
    if (wait != NULL) {
        (void)stream_push(stream, wait);
        (void)clock_raise(&stream->clock, grant->after->number, grant->position);
    }
    (void)HAL(halMemPoolAsyncConfig, driver_pool(pool), grant->base, size, SOMA_ASYNC_MALLOC);
    return stream_push(stream, &task->task);
}

static aclError allocate(void **ptr, uint64_t size, struct pool *pool, struct stream *stream)
{
    struct grant grant = {.base = 0};
    if (!segment_take(pool, size, stream, &grant)) {
        if (FAULT(exhaustion_success)) {
            *ptr = (void *)(uintptr_t)pool->base;
            return ACL_SUCCESS;
        }
        return fail(ACL_ERROR_RT_INTERNAL_ERROR, "the pool is exhausted");
    }
    bool pushed = enqueue_malloc(pool, stream, &grant, size);
    timeline_drop(grant.after);
    if (!pushed) {
        segment_untake(pool, &grant);
        return ACL_ERROR_RT_INTERNAL_ERROR;
    }
    *ptr = (void *)(uintptr_t)grant.base;
    return ACL_SUCCESS;
}

aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool, aclrtStream handle)
{
    struct stream *stream = NULL;
    if (ptr == NULL || memPool == NULL || handle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "ptr, memPool or stream is NULL");
    }
    if (size == 0) {
        return ACL_SUCCESS;
    }
    aclError code = enter_stream(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct pool *pool = object_find(memPool, OBJECT_POOL);
    if (size > UINT64_MAX - (POOL_PAGE - 1)) {
        code = fail(ACL_ERROR_RT_PARAM_INVALID, "size is too large");
    } else if (pool == NULL) {
        code = fail(ACL_ERROR_RT_INTERNAL_ERROR, "this is no live pool");
    } else {
        code = allocate(ptr, (size + POOL_PAGE - 1) / POOL_PAGE * POOL_PAGE, pool, stream);
    }
    unlock();
    return code;
}

static aclError release(struct pool *pool, uint64_t address, struct stream *stream)
{
    struct segment *segment = segment_busy(pool, address);
    if (segment == NULL) {
        return FAULT(double_free) ? ACL_SUCCESS : fail(ACL_ERROR_RT_PARAM_INVALID, "nothing that is allocated starts here");
    }
    uint64_t size = segment->size;
    struct pool_task *task = task_new(pool, address, size, POLICY_FREE, run_free);
    if (task == NULL) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    if (FAULT(free_unordered)) {
        (void)HAL(halMemPoolFree, driver_pool(pool), address, size, POLICY_FREE);
        task->task.run = run_ordinary_free;
        task->address = 0;
    }
    if (!stream_push(stream, &task->task)) {
        return ACL_ERROR_RT_INTERNAL_ERROR;
    }
    (void)HAL(halMemPoolAsyncConfig, driver_pool(pool), address, size, SOMA_ASYNC_FREE);
    segment_release(pool, segment, stream->line, stream->line->issued);
    return ACL_SUCCESS;
}

aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream handle)
{
    struct stream *stream = NULL;
    uint64_t address = (uint64_t)(uintptr_t)ptr;
    if (ptr == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "ptr is NULL");
    }
    if (handle == NULL) {
        return fail(ACL_ERROR_RT_INTERNAL_ERROR, "stream is NULL");
    }
    aclError code = enter_stream(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct pool *pool = pool_at(address);
    if (pool != NULL) {
        code = release(pool, address, stream);
    } else {
        struct pool_task *task = task_new(NULL, address, 0, 0, run_ordinary_free);
        bool pushed = task != NULL && stream_push(stream, &task->task);
        code = pushed ? ACL_SUCCESS : ACL_ERROR_RT_INTERNAL_ERROR;
    }
    unlock();
    return code;
}

static bool *switch_of(struct pool *pool, aclrtMemPoolAttr attr)
{
    switch (attr) {
        case ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES:
            return &pool->follow_events;
        case ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC:
            return &pool->opportunistic;
        case ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
            return &pool->internal;
        default:
            return NULL;
    }
}

/* The driver's attributes are the runtime's from the threshold on, in the same order. */
static enum soma_mem_pool_attr driver_attribute(aclrtMemPoolAttr attr)
{
    return (enum soma_mem_pool_attr)((int)attr - (int)ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD +
                                     (int)SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD);
}

static bool known(aclrtMemPoolAttr attr)
{
    return (unsigned)attr >= ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
           (unsigned)attr <= ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH;
}

static aclError set_number(struct pool *pool, aclrtMemPoolAttr attr, uint64_t value)
{
    switch (attr) {
        case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
            if (value > pool->size) {
                return fail(ACL_ERROR_RT_INTERNAL_ERROR, "the threshold is more than the pool has");
            }
            pool->threshold = value;
            return ACL_SUCCESS;
        case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
        case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
            if (value != 0) {
                return fail(ACL_ERROR_RT_INTERNAL_ERROR, "a mark can only be set to 0");
            }
            if (!FAULT(mark_stays)) {
                *(attr == ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH ? &pool->used_high : &pool->reserved_high) = 0;
            }
            return ACL_SUCCESS;
        default:
            return fail(ACL_ERROR_RT_PARAM_INVALID, "the attribute can only be read");
    }
}

static aclError set_attribute(struct pool *pool, aclrtMemPoolAttr attr, const void *value)
{
    uint64_t number = 0;
    bool *on = switch_of(pool, attr);
    if (on != NULL) {
        uint32_t wanted = 0;
        memcpy(&wanted, value, sizeof(wanted));
        *on = wanted != 0;
        return ACL_SUCCESS;
    }
    if (!known(attr)) {
        return fail(pool->device_side ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_INTERNAL_ERROR, "unknown attribute");
    }
    memcpy(&number, value, sizeof(number));
    if (pool->device_side) {
        return acl_of(HAL(halMemPoolSetAttr, driver_pool(pool), driver_attribute(attr), &number));
    }
    return set_number(pool, attr, number);
}

static uint64_t number_of(const struct pool *pool, aclrtMemPoolAttr attr)
{
    switch (attr) {
        case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
            return pool->threshold;
        case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
            return pool->reserved;
        case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
            return pool->reserved_high;
        case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT:
            return pool->used;
        default:
            return pool->used_high;
    }
}

static aclError get_attribute(struct pool *pool, aclrtMemPoolAttr attr, void *value)
{
    const bool *on = switch_of(pool, attr);
    if (on != NULL) {
        uint32_t answer = *on ? 1 : 0;
        memcpy(value, &answer, sizeof(answer));
        return ACL_SUCCESS;
    }
    if (!known(attr)) {
        return fail(pool->device_side ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_INTERNAL_ERROR, "unknown attribute");
    }
    if (pool->device_side) {
        return acl_of(HAL(halMemPoolGetAttr, driver_pool(pool), driver_attribute(attr), value));
    }
    uint64_t answer = number_of(pool, attr);
    memcpy(value, &answer, sizeof(answer));
    return ACL_SUCCESS;
}

static aclError attribute(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value, bool set)
{
    if (memPool == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "memPool is NULL");
    }
    if (value == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "value is NULL");
    }
    lock();
    struct pool *pool = object_find(memPool, OBJECT_POOL);
    aclError code = ACL_SUCCESS;
    if (pool == NULL) {
        code = fail(ACL_ERROR_RT_PARAM_INVALID, "this is no live pool");
    } else {
        code = set ? set_attribute(pool, attr, value) : get_attribute(pool, attr, value);
    }
    unlock();
    return code;
}

aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value)
{
    return attribute(memPool, attr, value, true);
}

aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value)
{
    return attribute(memPool, attr, value, false);
}
