/* copy2d.c - halMemcpy2D: rows of two pitched areas, at once or prepared for DMA. */
#include "internal.h"

#define HEIGHT_MAX 0x500000ULL

static bool product_overflows(uint64_t pitch, uint64_t height)
{
    return height != 1 && pitch > UINT64_MAX / height && !FAULT(pitch_overflow_accepted);
}

static bool direction_allowed(uint32_t direction)
{
    return direction == DRV_MEMCPY_HOST_TO_DEVICE || direction == DRV_MEMCPY_DEVICE_TO_HOST;
}

static drvError_t v2_check(const struct drvMem2D *area)
{
    if (area->dst == NULL || area->src == NULL || area->width > area->dpitch || area->width > area->spitch ||
        area->width == 0 || area->height == 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    bool any = v2_is_svm((uint64_t)(uintptr_t)area->dst) || v2_is_svm((uint64_t)(uintptr_t)area->src);
    leave();
    if (!any || !direction_allowed(area->direction)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (product_overflows(area->dpitch, area->height) || product_overflows(area->spitch, area->height)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    return DRV_ERROR_NONE;
}

static drvError_t v3_check(const struct drvMem2D *area)
{
    if (area->dst == NULL || area->src == NULL || area->width == 0 || area->height == 0 ||
        area->dpitch < area->width || area->spitch < area->width) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (!direction_allowed(area->direction)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (area->height > HEIGHT_MAX || product_overflows(area->dpitch, area->height) ||
        product_overflows(area->spitch, area->height)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    return DRV_ERROR_NONE;
}

/* v3 looks at the whole of both areas before the first row, source first. */
static drvError_t v3_check_areas(const struct drvMem2D *area)
{
    struct end to = {.block = NULL};
    struct end from = {.block = NULL};
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = v3_resolve((uint64_t)(uintptr_t)area->src, area->spitch * (area->height - 1) + area->width, V3_COPY_SYNC, &from);
    if (code == DRV_ERROR_NONE) {
        code = v3_resolve((uint64_t)(uintptr_t)area->dst, area->dpitch * (area->height - 1) + area->width, V3_COPY_SYNC, &to);
    }
    if (code == DRV_ERROR_NONE) {
        drvMemcpyKind_t real = direction_of(&to, &from);
        if (real == DRV_MEMCPY_HOST_TO_HOST || real == DRV_MEMCPY_DEVICE_TO_DEVICE) {
            code = DRV_ERROR_NOT_SUPPORT;
        } else if (real != (drvMemcpyKind_t)area->direction) {
            code = DRV_ERROR_PARA_ERROR;
        }
    }
    end_release(&to);
    end_release(&from);
    leave();
    return code;
}

/* One row; the first one that fails ends the copy, earlier ones are done. */
static drvError_t copy_row(uint64_t dst, uint64_t src, uint64_t width, uint32_t direction)
{
    struct end to;
    struct end from;
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = resolve_pair(dst, src, width, &to, &from);
    if (code == DRV_ERROR_NONE && direction_of(&to, &from) != (drvMemcpyKind_t)direction) {
        end_release(&to);
        end_release(&from);
        code = DRV_ERROR_PARA_ERROR;
    }
    leave();
    if (code == DRV_ERROR_NONE) {
        code = move_bytes(&to, &from, width);
        state_lock();
        end_release(&to);
        end_release(&from);
        state_unlock();
    }
    return code;
}

drvError_t copy_area(const struct drvMem2D *area)
{
    uint64_t dst = (uint64_t)(uintptr_t)area->dst;
    uint64_t src = (uint64_t)(uintptr_t)area->src;
    uint64_t spitch = FAULT(copy2d_ignores_pitch) ? area->width : area->spitch;
    drvError_t code = DRV_ERROR_NONE;
    for (uint64_t row = 0; row < area->height && code == DRV_ERROR_NONE; row++) {
        code = copy_row(dst + row * area->dpitch, src + row * spitch, area->width, area->direction);
    }
    return code;
}

static drvError_t convert(const struct drvMem2DAsync *request)
{
    const struct drvMem2D *area = &request->copy2dInfo;
    unsigned limit = generation() == GEN_V2 ? V2_MAX_PHYSICAL : V3_MAX_AGENT;
    if (area->height > HEIGHT_MAX || area->fixed_size >= area->width * area->height || request->dmaAddr == NULL ||
        request->dmaAddr->offsetAddr.devid >= limit) {
        return DRV_ERROR_INVALID_VALUE;
    }
    return convert_area(area, request->dmaAddr);
}

static drvError_t v2_copy2d(struct MEMCPY2D *copy)
{
    drvError_t code;
    switch (copy->type) {
        case DEVMM_MEMCPY2D_SYNC:
            code = v2_check(&copy->copy2d);
            return code == DRV_ERROR_NONE ? copy_area(&copy->copy2d) : code;
        case DEVMM_MEMCPY2D_ASYNC_CONVERT:
            code = v2_check(&copy->copy2dAsync.copy2dInfo);
            return code == DRV_ERROR_NONE ? convert(&copy->copy2dAsync) : code;
        case DEVMM_MEMCPY2D_ASYNC_DESTROY:
            return drvMemDestroyAddr(copy->copy2dAsync.dmaAddr);
        default:
            return DRV_ERROR_INVALID_VALUE;
    }
}

/* v3 checks the area first, whatever the type; both layouts begin with it. */
static drvError_t v3_copy2d(struct MEMCPY2D *copy)
{
    drvError_t code = v3_check(&copy->copy2d);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    switch (copy->type) {
        case DEVMM_MEMCPY2D_SYNC:
            code = v3_check_areas(&copy->copy2d);
            return code == DRV_ERROR_NONE ? copy_area(&copy->copy2d) : code;
        case DEVMM_MEMCPY2D_ASYNC_CONVERT:
            return convert(&copy->copy2dAsync);
        case DEVMM_MEMCPY2D_ASYNC_DESTROY:
            return drvMemDestroyAddr(copy->copy2dAsync.dmaAddr);
        default:
            return DRV_ERROR_INVALID_VALUE;
    }
}

drvError_t halMemcpy2D(struct MEMCPY2D *p_copy)
{
    (void)config_get();
    if (p_copy == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    return generation() == GEN_V2 ? v2_copy2d(p_copy) : v3_copy2d(p_copy);
}
