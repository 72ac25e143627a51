/* batch.c - halMemcpyBatch: many copies of one direction and one device. */
#include <stdlib.h>

#include "internal.h"

/* User-space part, the same in both generations: all elements are looked at before any is copied. */
static drvError_t check_elements(const uint64_t *dst, const uint64_t *src, const size_t *size, size_t count)
{
    bool v2 = generation() == GEN_V2;
    for (size_t i = 0; i < count; i++) {
        if (size[i] == 0) {
            return DRV_ERROR_INVALID_VALUE;
        }
        state_lock();
        bool any = v2 ? v2_is_svm(dst[i]) || v2_is_svm(src[i]) : heap_at(dst[i]) != NULL || heap_at(src[i]) != NULL;
        state_unlock();
        if (!any) {
            return DRV_ERROR_NOT_SUPPORT;
        }
    }
    return DRV_ERROR_NONE;
}

struct course {
    drvMemcpyKind_t direction;
    unsigned device;
};

static struct course course_of(const struct end *to, const struct end *from)
{
    struct course course = {direction_of(to, from), to->place == PLACE_DEVICE ? to->device : from->device};
    return course;
}

/* v3 finds out about different devices first, and then has no way to copy within one side (svm_pci_memcpy.c). */
static drvError_t judge(const struct course *course, const struct course *first)
{
    bool crosses = course->direction == DRV_MEMCPY_HOST_TO_DEVICE || course->direction == DRV_MEMCPY_DEVICE_TO_HOST;
    if (course->direction != first->direction || course->device != first->device) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (crosses) {
        return DRV_ERROR_NONE;
    }
    return generation() == GEN_V2 ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NOT_SUPPORT;
}

/* Copies (or only judges) one element; *first is set by element 0. */
static drvError_t element(uint64_t dst, uint64_t src, size_t size, bool move, size_t index, struct course *first)
{
    struct end to;
    struct end from;
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = resolve_pair(dst, src, size, &to, &from);
    leave();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct course course = course_of(&to, &from);
    if (index == 0) {
        *first = course;
    }
    code = judge(&course, first);
    if (code == DRV_ERROR_NONE && generation() == GEN_V2 && (to.shared || from.shared)) {
        code = DRV_ERROR_NOT_SUPPORT;
    }
    if (code == DRV_ERROR_NONE && move) {
        code = move_bytes(&to, &from, size);
    }
    state_lock();
    end_release(&to);
    end_release(&from);
    state_unlock();
    return code;
}

static drvError_t walk(const uint64_t *dst, const uint64_t *src, const size_t *size, size_t count, bool move)
{
    struct course first = {DRV_MEMCPY_HOST_TO_HOST, 0};
    drvError_t code = DRV_ERROR_NONE;
    for (size_t i = 0; i < count && code == DRV_ERROR_NONE; i++) {
        code = element(dst[i], src[i], size[i], move, i, &first);
        if (FAULT(batch_first_only)) {
            break;
        }
    }
    return code;
}

DVresult halMemcpyBatch(uint64_t dst[], uint64_t src[], size_t size[], size_t count)
{
    (void)config_get();
    if (dst == NULL || src == NULL || size == NULL || count == 0) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (count > DEVMM_MEMCPY_BATCH_MAX_COUNT + (FAULT(batch_limit) ? 1U : 0U)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    leave();
    code = check_elements(dst, src, size, count);
    /* v3 judges all elements before the first byte moves, v2 one after the other. */
    if (code == DRV_ERROR_NONE && generation() == GEN_V3) {
        code = walk(dst, src, size, count, false);
    }
    if (code == DRV_ERROR_NONE) {
        code = walk(dst, src, size, count, true);
    }
    if (FAULT(batch_changes_input) && code == DRV_ERROR_NONE) {
        for (size_t i = 0; i < count; i++) {
            size[i] = 0;
        }
    }
    return code;
}
