/*
 * copy.c - aclrtMemcpy and aclrtMemset, now and on a stream.
 *
 * The direction comes from the addresses.  What the caller says counts only on a stream, and only where one of
 * the two is ordinary memory, of which the driver knows nothing (runtime api_impl.cc, ConvertCpyType).
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct transfer {
    struct task task;
    uint64_t to, to_size, from, size;
    int value;
    bool set;
    bool quiet;  /* managed memory: an error is not reported */
    char *early; /* bytes taken from the source at the call; only under a seeded fault */
};

static drvError_t move(uint64_t to, uint64_t to_size, uint64_t from, uint64_t size)
{
    if (FAULT(copy_short) && size > 4096) {
        size -= 1;
    }
    return HAL(drvMemcpy, to, to_size, from, size);
}

static aclError run_transfer(struct task *task, struct stream *stream)
{
    const struct transfer *what = (struct transfer *)task;
    drvError_t code = DRV_ERROR_NONE;
    (void)stream;
    if (what->set) {
        code = HAL(drvMemsetD8, what->to, what->to_size, (uint8_t)what->value, what->size);
    } else {
        code = move(what->to, what->to_size, what->early != NULL ? (uint64_t)(uintptr_t)what->early : what->from, what->size);
    }
    return what->quiet ? ACL_SUCCESS : acl_of(code);
}

static void drop_transfer(struct task *task)
{
    free(((struct transfer *)task)->early);
}

static struct transfer *transfer_new(uint64_t to, uint64_t to_size, uint64_t size)
{
    struct transfer *made = calloc(1, sizeof(*made));
    if (made != NULL) {
        made->task.run = run_transfer;
        made->task.drop = drop_transfer;
        made->to = to;
        made->to_size = to_size;
        made->size = size;
    }
    return made;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    struct context *context = NULL;
    if (count == 0) {
        return ACL_SUCCESS;
    }
    if (dst == NULL || src == NULL || (unsigned)kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
        return fail(ACL_ERROR_INVALID_PARAM, "dst or src is NULL, or kind is unknown");
    }
    if (destMax == 0 || (count > destMax && !FAULT(copy_ignores_max))) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "count is more than destMax");
    }
    if (dst == src) {
        return ACL_SUCCESS;
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    unlock();
    return acl_of(move((uint64_t)(uintptr_t)dst, destMax < count ? count : destMax, (uint64_t)(uintptr_t)src, count));
}

/* One bit for each kind that is taken between two places; what the kind becomes otherwise. */
static bool kind_allowed(enum place to, enum place from, aclrtMemcpyKind kind)
{
    bool to_device = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    bool from_device = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    bool to_fits = to == AT_UNREGISTERED || to_device == (to == AT_DEVICE);
    bool from_fits = from == AT_UNREGISTERED || from_device == (from == AT_DEVICE);
    return to_fits && from_fits;
}

static aclrtMemcpyKind kind_of(enum place to, enum place from)
{
    if (from == AT_DEVICE) {
        return to == AT_DEVICE ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST;
    }
    return to == AT_DEVICE ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_HOST_TO_HOST;
}

/* Corrects the kind, or refuses it where the driver does not know better. */
static aclError correct_kind(enum place to, enum place from, aclrtMemcpyKind *kind)
{
    if (to == AT_MANAGED || from == AT_MANAGED) {
        return ACL_SUCCESS;
    }
    bool known = to != AT_UNREGISTERED && from != AT_UNREGISTERED;
    if (!known && *kind != ACL_MEMCPY_DEFAULT && *kind != ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE &&
        !kind_allowed(to, from, *kind) && !FAULT(kind_mismatch)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "kind does not suit the two addresses");
    }
    if (known || *kind == ACL_MEMCPY_DEFAULT || *kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
        *kind = kind_of(to, from);
    }
    return ACL_SUCCESS;
}

/* The caller may reuse ordinary memory as soon as the call is back, so it waits and copies at once. */
static aclError copy_pageable(aclrtStream handle, const struct transfer *what)
{
    struct stream *stream = NULL;
    aclError code = enter_stream(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    code = FAULT(pageable_no_wait) ? ACL_SUCCESS : stream_wait(stream, -1);
    unlock();
    return code == ACL_SUCCESS ? acl_of(move(what->to, what->to_size, what->from, what->size)) : code;
}

static bool device_side(aclrtMemcpyKind kind)
{
    return kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_HOST;
}

/* Seeded fault: what is copied is what the source held at the call. */
static void take_early(struct transfer *what)
{
    what->early = FAULT(copy_reads_early) ? malloc(what->size) : NULL;
    if (what->early != NULL && HAL(drvMemcpy, (uint64_t)(uintptr_t)what->early, what->size, what->from, what->size) != 0) {
        free(what->early);
        what->early = NULL;
    }
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream handle)
{
    struct stream *stream = NULL;
    enum place to = AT_HOST;
    enum place from = AT_HOST;
    if (count == 0) {
        return ACL_SUCCESS;
    }
    if (dst == NULL || src == NULL || (unsigned)kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
        return fail(ACL_ERROR_INVALID_PARAM, "dst or src is NULL, or kind is unknown");
    }
    aclError stale = enter_stream(handle, &stream);
    if (stale == ACL_SUCCESS) {
        unlock();
    }
    if (stale == ACL_ERROR_RT_INVALID_HANDLE || (count <= destMax && stale != ACL_SUCCESS)) {
        return stale;
    }
    if (count > destMax) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "count is more than destMax");
    }
    aclError code = locate(src, &from);
    code = code == ACL_SUCCESS ? locate(dst, &to) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    bool buffered = kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
    if (buffered && (to == AT_HOST || from == AT_DEVICE)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "this kind is from the host to a device");
    }
    code = correct_kind(to, from, &kind);
    if (code != ACL_SUCCESS) {
        return code;
    }
    bool managed = to == AT_MANAGED || from == AT_MANAGED;
    if (kind == ACL_MEMCPY_HOST_TO_HOST && !managed) {
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "a stream does not copy within the host");
    }
    if (dst == src) {
        return ACL_SUCCESS;
    }
    struct transfer *what = transfer_new((uint64_t)(uintptr_t)dst, destMax, count);
    if (what == NULL) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    what->from = (uint64_t)(uintptr_t)src;
    what->quiet = managed;
    if (!managed && (to == AT_UNREGISTERED || from == AT_UNREGISTERED) && (buffered || device_side(kind)) &&
        !FAULT(pageable_reads_late)) {
        code = copy_pageable(handle, what);
        free(what);
        return code;
    }
    take_early(what);
    return submit(handle, &what->task);
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    struct context *context = NULL;
    if (count == 0) {
        return ACL_SUCCESS;
    }
    if (devPtr == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    unlock();
    return acl_of(HAL(drvMemsetD8, (uint64_t)(uintptr_t)devPtr, maxCount, (uint8_t)value, count));
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream handle)
{
    struct stream *stream = NULL;
    enum place place = AT_DEVICE;
    if (count == 0) {
        return ACL_SUCCESS;
    }
    if (devPtr == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    }
    aclError stale = enter_stream(handle, &stream);
    if (stale == ACL_SUCCESS) {
        unlock();
    }
    if (stale != ACL_ERROR_RT_INVALID_HANDLE && count > maxCount) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "count is more than maxCount");
    }
    struct transfer *what = stale == ACL_SUCCESS ? transfer_new((uint64_t)(uintptr_t)devPtr, maxCount, count) : NULL;
    if (what == NULL) {
        return stale == ACL_SUCCESS ? ACL_ERROR_RT_MEMORY_ALLOCATION : stale;
    }
    what->set = true;
    what->value = FAULT(memset_wide_value) && value > 255 ? 255 : value;
    what->quiet = locate(devPtr, &place) == ACL_SUCCESS && place == AT_MANAGED;
    return submit(handle, &what->task);
}
