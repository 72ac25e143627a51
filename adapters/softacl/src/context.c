/* context.c - contexts, and which one a thread works in. */
#include <stdlib.h>

#include "internal.h"

struct runtime rt = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct context *mine;
static _Thread_local uint64_t mine_serial;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
    pthread_mutex_lock(&rt.lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&rt.lock);
}

static void make_condition(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&rt.progress, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* No worker of the parent exists here, so nothing of it counts: a child starts from nothing. */
static void in_child(void)
{
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    rt = (struct runtime){.lock = fresh};
    make_condition();
    objects_forget();
    for (int i = 0; i < MAX_DEVICES; i++) {
        pools_forget_device(i);
        openings_forget(i);
        registrations_forget(i);
    }
    mine = NULL;
}

static void prepare(void)
{
    make_condition();
    pthread_atfork(before_fork, in_parent, in_child);
}

void lock(void)
{
    (void)pthread_once(&once, prepare);
    pthread_mutex_lock(&rt.lock);
}

void unlock(void)
{
    pthread_mutex_unlock(&rt.lock);
}

struct context *current(void)
{
    struct context *context = mine == NULL ? NULL : object_find(mine, OBJECT_CONTEXT);
    return context != NULL && context->object.serial == mine_serial ? context : NULL;
}

void set_current(struct context *context)
{
    mine = context;
    mine_serial = context == NULL ? 0 : context->object.serial;
}

aclError enter(struct context **context)
{
    lock();
    *context = current();
    if (*context == NULL) {
        unlock();
        return fail(ACL_ERROR_RT_CONTEXT_NULL, "the thread has no context");
    }
    return ACL_SUCCESS;
}

struct context *context_new(int32_t device, bool primary)
{
    struct context *context = calloc(1, sizeof(*context));
    if (context == NULL) {
        return NULL;
    }
    context->device = device;
    context->primary = primary;
    object_add(&context->object, OBJECT_CONTEXT);
    context->default_stream = stream_new(context);
    if (context->default_stream == NULL) {
        object_remove(&context->object);
        free(context);
        return NULL;
    }
    return context;
}

static struct stream *stream_of(const struct context *context)
{
    struct stream *one = rt.streams;
    while (one != NULL && one->context != context) {
        one = one->next;
    }
    return one;
}

void context_end(struct context *context, bool wait)
{
    struct stream *stream = NULL;
    if (wait) {
        (void)stream_wait(context->default_stream, -1);
    }
    object_remove(&context->object);
    while ((stream = stream_of(context)) != NULL) {
        stream_end(stream, false);
    }
    free(context);
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    struct context *made = NULL;
    if (context == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "context is NULL");
    }
    if (!device_exists(deviceId)) {
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "there is no such device");
    }
    lock();
    aclError code = device_open(deviceId);
    if (code == ACL_SUCCESS) {
        made = context_new(deviceId, false);
        code = made == NULL ? ACL_ERROR_RT_MEMORY_ALLOCATION : ACL_SUCCESS;
    }
    if (made != NULL) {
        rt.device[deviceId].contexts++;
        set_current(made);
        *context = made;
    }
    device_close_unused(deviceId);
    unlock();
    return code;
}

aclError aclrtDestroyContext(aclrtContext handle)
{
    if (handle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "context is NULL");
    }
    lock();
    struct context *context = object_find(handle, OBJECT_CONTEXT);
    aclError code = ACL_SUCCESS;
    if (context == NULL) {
        code = ACL_ERROR_RT_CONTEXT_NULL;
    } else if (context->primary) {
        code = ACL_ERROR_RT_PARAM_INVALID;
    } else {
        int32_t device = context->device;
        context_end(context, true);
        rt.device[device].contexts--;
        device_close_unused(device);
    }
    unlock();
    return code;
}

aclError aclrtSetCurrentContext(aclrtContext handle)
{
    if (handle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "context is NULL");
    }
    lock();
    struct context *context = object_find(handle, OBJECT_CONTEXT);
    if (context != NULL) {
        set_current(context);
    }
    unlock();
    return context == NULL ? fail(ACL_ERROR_RT_CONTEXT_NULL, "this is no live context") : ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
    struct context *found = NULL;
    if (context == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "context is NULL");
    }
    aclError code = enter(&found);
    if (code == ACL_SUCCESS) {
        *context = found;
        unlock();
    }
    return code;
}
