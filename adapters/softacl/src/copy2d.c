/* copy2d.c - copies of rectangles, now and on a stream. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define HEIGHT_MAX 5242880
#define WIDTH_MAX 5000000

struct area {
    void *dst;
    size_t dpitch;
    const void *src;
    size_t spitch, width, height;
};
struct area_task {
    struct task task;
    struct area area;
    aclrtMemcpyKind kind;
};

/* What both forms refuse before anything is looked up; 0 goes on. */
static aclError check(const struct area *area, aclrtMemcpyKind kind)
{
    if (area->dst == NULL || area->src == NULL || area->width > area->dpitch || area->width > area->spitch) {
        return fail(ACL_ERROR_INVALID_PARAM, "dst or src is NULL, or width is more than a pitch");
    }
    if (kind != ACL_MEMCPY_HOST_TO_DEVICE && kind != ACL_MEMCPY_DEVICE_TO_HOST &&
        kind != ACL_MEMCPY_DEVICE_TO_DEVICE && kind != ACL_MEMCPY_DEFAULT) {
        return fail(ACL_ERROR_INVALID_PARAM, "this kind of copy is not for rectangles");
    }
    if (area->height > HEIGHT_MAX || area->width > WIDTH_MAX) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "width or height is too large");
    }
    return ACL_SUCCESS;
}

/* The direction by the addresses; ordinary memory is the host's, and is said to be there. */
static aclError direction(const struct area *area, aclrtMemcpyKind *kind, bool *pageable)
{
    enum place to = AT_HOST;
    enum place from = AT_HOST;
    aclError code = locate(area->src, &from);
    code = code == ACL_SUCCESS ? locate(area->dst, &to) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    bool managed = to == AT_MANAGED || from == AT_MANAGED;
    *pageable = !managed && (to == AT_UNREGISTERED || from == AT_UNREGISTERED);
    if (!managed && from == AT_DEVICE) {
        *kind = to == AT_DEVICE ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST;
    } else if (!managed) {
        *kind = to == AT_DEVICE ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_HOST_TO_HOST;
    }
    return ACL_SUCCESS;
}

static drvError_t by_rows(const struct area *area)
{
    drvError_t code = DRV_ERROR_NONE;
    for (size_t row = 0; row < area->height && code == DRV_ERROR_NONE; row++) {
        uint64_t to = (uint64_t)(uintptr_t)area->dst + row * area->dpitch;
        code = HAL(drvMemcpy, to, area->width, (uint64_t)(uintptr_t)area->src + row * area->spitch, area->width);
    }
    return code;
}

static drvError_t whole(const struct area *area, aclrtMemcpyKind kind)
{
    struct MEMCPY2D request;
    if (kind != ACL_MEMCPY_HOST_TO_DEVICE && kind != ACL_MEMCPY_DEVICE_TO_HOST) {
        return by_rows(area);
    }
    memset(&request, 0, sizeof(request));
    request.type = DEVMM_MEMCPY2D_SYNC;
    request.copy2d.dst = area->dst;
    request.copy2d.dpitch = area->dpitch;
    request.copy2d.src = (unsigned long long *)(uintptr_t)area->src;
    request.copy2d.spitch = FAULT(copy2d_pitches_swapped) ? area->dpitch : area->spitch;
    request.copy2d.width = area->width;
    request.copy2d.height = area->height;
    request.copy2d.direction = kind == ACL_MEMCPY_HOST_TO_DEVICE ? DRV_MEMCPY_HOST_TO_DEVICE : DRV_MEMCPY_DEVICE_TO_HOST;
    return HAL(halMemcpy2D, &request);
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind)
{
    const struct area area = {dst, dpitch, src, spitch, width, height};
    struct context *context = NULL;
    bool pageable = false;
    if (width == 0 || height == 0) {
        return ACL_SUCCESS;
    }
    aclError code = check(&area, kind);
    if (code == ACL_SUCCESS && kind == ACL_MEMCPY_DEVICE_TO_DEVICE) {
        code = fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "rectangles are not copied within devices");
    }
    code = code == ACL_SUCCESS ? enter(&context) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    unlock();
    code = direction(&area, &kind, &pageable);
    if (code == ACL_SUCCESS && kind != ACL_MEMCPY_HOST_TO_DEVICE && kind != ACL_MEMCPY_DEVICE_TO_HOST) {
        code = fail(ACL_ERROR_RT_PARAM_INVALID, "only between host and device");
    }
    return code == ACL_SUCCESS ? acl_of(whole(&area, kind)) : code;
}

static aclError run_area(struct task *task, struct stream *stream)
{
    const struct area_task *what = (struct area_task *)task;
    (void)stream;
    return acl_of(whole(&what->area, what->kind));
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream handle)
{
    const struct area area = {dst, dpitch, src, spitch, width, height};
    struct stream *stream = NULL;
    bool pageable = false;
    if (width == 0 || height == 0) {
        return ACL_SUCCESS;
    }
    aclError code = check(&area, kind);
    code = code == ACL_SUCCESS ? enter_stream(handle, &stream) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    unlock();
    code = direction(&area, &kind, &pageable);
    if (code == ACL_SUCCESS && kind == ACL_MEMCPY_HOST_TO_HOST) {
        code = fail(ACL_ERROR_RT_PARAM_INVALID, "a stream does not copy within the host");
    }
    if (code == ACL_SUCCESS && pageable) { /* as for plain copies: done when the call is back */
        code = enter_stream(handle, &stream);
        if (code == ACL_SUCCESS) {
            code = stream_wait(stream, -1);
            unlock();
        }
        return code == ACL_SUCCESS ? acl_of(whole(&area, kind)) : code;
    }
    struct area_task *task = code == ACL_SUCCESS ? calloc(1, sizeof(*task)) : NULL;
    if (task == NULL) {
        return code == ACL_SUCCESS ? ACL_ERROR_RT_MEMORY_ALLOCATION : code;
    }
    task->task.run = run_area;
    task->area = area;
    task->kind = kind;
    return submit(handle, &task->task);
}
