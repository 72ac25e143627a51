/* copy.c - drvMemcpy and halMemcpy. */
#include <string.h>

#include "internal.h"

static bool overlap(uint64_t a, uint64_t b, uint64_t size)
{
    return a < b ? b - a < size : a - b < size;
}

/* v2 routes by address: the UVM window first (in copy), then SVM; what is left is copied by the CPU. */
static drvError_t v2_copy(uint64_t dst, uint64_t src, uint64_t size, struct end *to, struct end *from)
{
    if (v2_crosses_soma(src, size) || v2_crosses_soma(dst, size)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = resolve_pair(dst, src, size, to, from);
    if (code == DRV_ERROR_NONE && !to->managed && !from->managed && dst != src && overlap(dst, src, size)) {
        code = DRV_ERROR_INVALID_VALUE; /* the secure copy refuses it; what it leaves behind is open */
    }
    return code;
}

static drvError_t v3_copy(uint64_t dst, uint64_t src, uint64_t size, struct end *to, struct end *from)
{
    drvError_t code = resolve_pair(dst, src, size, to, from);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    drvMemcpyKind_t direction = direction_of(to, from);
    bool same_place = direction == DRV_MEMCPY_HOST_TO_HOST ||
                      (direction == DRV_MEMCPY_DEVICE_TO_DEVICE && to->device == from->device);
    if (same_place && overlap(dst, src, size)) {
        end_release(to);
        end_release(from);
        return DRV_ERROR_INVALID_VALUE;
    }
    return DRV_ERROR_NONE;
}

static drvError_t copy(uint64_t dst, uint64_t src, uint64_t size)
{
    struct end to;
    struct end from;
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    bool managed = window_has(&windows.uvm, dst) || window_has(&windows.uvm, src);
    if (managed && !v2_crosses_soma(src, size) && !v2_crosses_soma(dst, size)) {
        leave();
        return uvm_copy(dst, src, size);
    }
    code = generation() == GEN_V2 ? v2_copy(dst, src, size, &to, &from) : v3_copy(dst, src, size, &to, &from);
    leave();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = move_bytes(&to, &from, size);
    state_lock();
    end_release(&to);
    end_release(&from);
    state_unlock();
    return code;
}

DVresult drvMemcpy(DVdeviceptr dst, size_t dest_max, DVdeviceptr src, size_t byte_count)
{
    (void)config_get();
    if (dst == 0 || src == 0) {
        return FAULT(memcpy_null_code) ? DRV_ERROR_INVALID_HANDLE : DRV_ERROR_INVALID_VALUE;
    }
    if (dest_max == 0 || (dest_max < byte_count && !FAULT(memcpy_ignores_dest_max))) {
        return DRV_ERROR_INVALID_VALUE;
    }
    return byte_count == 0 ? DRV_ERROR_NONE : copy(dst, src, byte_count);
}

/* v2 with info: a plain device-to-host request; UVM and SOMA addresses are not routed specially. */
static drvError_t v2_copy_with_info(uint64_t dst, uint64_t src, uint64_t size, const struct memcpy_info *info)
{
    struct end to;
    struct end from;
    if (info->dir != DRV_MEMCPY_DEVICE_TO_HOST) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (info->devid >= V2_MAX_PHYSICAL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    state_lock();
    bool open = !state.forked && device_is_open(info->devid);
    state_unlock();
    if (!open) {
        return DRV_ERROR_NOT_EXIST;
    }
    if (size == 0) {
        return DRV_ERROR_NONE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    /* A source outside SVM would be the device's own memory, which its DMA cannot reach here. */
    code = !v2_is_svm(src) ? DRV_ERROR_NOT_SUPPORT : resolve_pair(dst, src, size, &to, &from);
    if (code == DRV_ERROR_NONE && direction_of(&to, &from) != info->dir) {
        end_release(&to);
        end_release(&from);
        code = DRV_ERROR_PARA_ERROR;
    }
    leave();
    if (code == DRV_ERROR_NONE) {
        code = move_bytes(&to, &from, size);
        state_lock();
        end_release(&to);
        end_release(&from);
        state_unlock();
    }
    return code;
}

static drvError_t v3_copy_with_info(uint64_t dst, uint64_t src, uint64_t size, const struct memcpy_info *info)
{
    struct end to;
    struct end from;
    if (info->dir != DRV_MEMCPY_DEVICE_TO_HOST) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (info->devid >= V3_MAX_AGENT) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = heap_at(src) == NULL ? DRV_ERROR_NOT_SUPPORT : resolve_pair(dst, src, size, &to, &from);
    if (code == DRV_ERROR_NONE && direction_of(&to, &from) != info->dir) {
        end_release(&to);
        end_release(&from);
        code = DRV_ERROR_INVALID_VALUE;
    }
    leave();
    if (code == DRV_ERROR_NONE) {
        code = move_bytes(&to, &from, size);
        state_lock();
        end_release(&to);
        end_release(&from);
        state_unlock();
    }
    return code;
}

drvError_t halMemcpy(void *dst, size_t dst_size, void *src, size_t count, struct memcpy_info *info)
{
    uint64_t to = (uint64_t)(uintptr_t)dst;
    uint64_t from = (uint64_t)(uintptr_t)src;
    bool v3 = generation() == GEN_V3;
    if (v3 && count == 0) {
        return DRV_ERROR_NONE;
    }
    if (info == NULL) {
        return drvMemcpy(to, dst_size, from, count);
    }
    if (to == 0 || from == 0 || dst_size == 0 || dst_size < count) {
        return DRV_ERROR_INVALID_VALUE;
    }
    return v3 ? v3_copy_with_info(to, from, count, info) : v2_copy_with_info(to, from, count, info);
}
