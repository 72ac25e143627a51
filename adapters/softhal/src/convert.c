/*
 * convert.c - addresses prepared for DMA: converted, submitted, waited for and destroyed.
 *
 * A conversion pins the blocks of both sides until it is destroyed, so that freeing one of them meets a
 * block in use.  The caller's DMA_ADDR carries a pointer that is looked up in a list, never trusted.
 */
#include <stdlib.h>

#include "caprice.h"
#include "internal.h"

struct conversion {
    struct conversion *next;
    struct end to, from; /* their blocks are pinned; NULL for ordinary memory */
    bool dead;               /* its device was closed */
    bool flat;
    struct drvMem2D area; /* of one row if flat */
    struct job *job;
};

static struct conversion *conversions;

static unsigned id_limit(void)
{
    return generation() == GEN_V2 ? V2_MAX_PHYSICAL : V3_MAX_AGENT;
}

void ends_pin(struct end *to, struct end *from, bool pin)
{
    struct end *const ends[2] = {to, from};
    for (int i = 0; i < 2; i++) {
        if (pin) {
            end_pin(ends[i]);
        } else {
            end_release(ends[i]);
        }
    }
}

static bool read_only(const struct end *end)
{
    return end->block != NULL && end->block->heap->kind == KIND_DEV_READ_ONLY;
}

static drvError_t judge(const struct end *to, const struct end *from, unsigned devid, bool flat)
{
    drvMemcpyKind_t direction = direction_of(to, from);
    bool v2 = generation() == GEN_V2;
    if (!v2 && !flat && (direction == DRV_MEMCPY_HOST_TO_HOST || direction == DRV_MEMCPY_DEVICE_TO_DEVICE)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (direction == DRV_MEMCPY_HOST_TO_HOST ||
        (direction == DRV_MEMCPY_DEVICE_TO_DEVICE && to->device == from->device)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (v2 && (read_only(to) || read_only(from))) {
        return DRV_ERROR_PARA_ERROR;
    }
    bool matches = (to->place == PLACE_DEVICE && to->device == devid) ||
                   (from->place == PLACE_DEVICE && from->device == devid);
    if (v2 || matches) {
        return DRV_ERROR_NONE;
    }
    /* v3 svm_cpy.c: an area and a flat range are refused with different codes. */
    return flat ? DRV_ERROR_INVALID_VALUE : DRV_ERROR_PARA_ERROR;
}

static uint64_t physical(const struct end *end)
{
    /* Looks like a bus address and differs from every virtual one. */
    return (end->place == PLACE_DEVICE ? (uint64_t)(end->device + 1) << 48 : 0) | (end->address & 0xffffffffffffULL);
}

static drvError_t convert(const struct drvMem2D *area, uint64_t to_size, uint64_t from_size, bool flat,
                          struct DMA_ADDR *dma_addr)
{
    struct end to = {.block = NULL};
    struct end from = {.block = NULL};
    uint64_t dst = (uint64_t)(uintptr_t)area->dst;
    uint64_t src = (uint64_t)(uintptr_t)area->src;
    unsigned devid = dma_addr->offsetAddr.devid;
    struct conversion *conversion = calloc(1, sizeof(*conversion));
    if (conversion == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    drvError_t code = flat && generation() == GEN_V2 ? enter_direct() : enter();
    if (code != DRV_ERROR_NONE) {
        free(conversion);
        return code;
    }
    if (generation() == GEN_V2) {
        code = to_size == 0 ? DRV_ERROR_PARA_ERROR : v2_resolve(src, from_size, true, &from);
        code = code == DRV_ERROR_NONE ? v2_resolve(dst, to_size, false, &to) : code;
    } else {
        code = v3_resolve(src, from_size, V3_CONVERT, &from);
        code = code == DRV_ERROR_NONE ? v3_resolve(dst, to_size, V3_CONVERT, &to) : code;
    }
    if (code == DRV_ERROR_NONE) {
        code = judge(&to, &from, devid, flat);
    }
    if (code == DRV_ERROR_NONE && !flat && direction_of(&to, &from) != (drvMemcpyKind_t)area->direction) {
        code = DRV_ERROR_PARA_ERROR;
    }
    if (code == DRV_ERROR_NONE && caprice_short()) {
        code = DRV_ERROR_OUT_OF_MEMORY;
    }
    ends_pin(&to, &from, code == DRV_ERROR_NONE);
    if (code == DRV_ERROR_NONE) {
        conversion->to = to;
        conversion->from = from;
        conversion->flat = flat;
        conversion->area = *area;
        conversion->area.direction = (uint32_t)direction_of(&to, &from);
        conversion->next = conversions;
        conversions = conversion;
    }
    leave();
    if (code != DRV_ERROR_NONE) {
        free(conversion);
        return code;
    }
    dma_addr->phyAddr.src = (void *)(uintptr_t)physical(&from);
    dma_addr->phyAddr.dst = (void *)(uintptr_t)physical(&to);
    dma_addr->phyAddr.len = (uint32_t)(area->width * area->height);
    dma_addr->phyAddr.flag = flat ? 0 : 1;
    dma_addr->phyAddr.priv = conversion;
    dma_addr->fixed_size = (uint32_t)(area->width * area->height);
    dma_addr->virt_id = devid;
    return DRV_ERROR_NONE;
}

/*
 * What is left of an area when fixed_size bytes of it have been converted before: the rest of the
 * row that was begun, else all further rows (v2 svm_master_convert.c).
 */
static struct drvMem2D remainder_of(const struct drvMem2D *area)
{
    struct drvMem2D left = *area;
    uint64_t rows = area->fixed_size / area->width;
    uint64_t offset = area->fixed_size % area->width;
    left.dst = (unsigned long long *)((uintptr_t)area->dst + rows * area->dpitch + offset);
    left.src = (unsigned long long *)((uintptr_t)area->src + rows * area->spitch + offset);
    left.width = area->width - offset;
    left.height = offset != 0 ? 1 : area->height - rows;
    left.fixed_size = 0;
    return left;
}

drvError_t convert_area(const struct drvMem2D *area, struct DMA_ADDR *dma_addr)
{
    struct drvMem2D left = remainder_of(area);
    uint64_t rows = left.height - 1;
    return convert(&left, left.dpitch * rows + left.width, left.spitch * rows + left.width, false, dma_addr);
}

DVresult drvMemConvertAddr(DVdeviceptr p_src, DVdeviceptr p_dst, uint32_t len, struct DMA_ADDR *dma_addr)
{
    bool v3 = generation() == GEN_V3;
    if (dma_addr == NULL || dma_addr->offsetAddr.devid >= id_limit() || (v3 && (p_src == 0 || p_dst == 0 || len == 0))) {
        return DRV_ERROR_INVALID_VALUE;
    }
    struct drvMem2D row = {.dst = (unsigned long long *)(uintptr_t)p_dst,
                           .src = (unsigned long long *)(uintptr_t)p_src,
                           .dpitch = len,
                           .spitch = len,
                           .width = len,
                           .height = 1};
    return convert(&row, len, len, true, dma_addr);
}

static struct conversion **find(const struct DMA_ADDR *dma_addr)
{
    struct conversion **link = &conversions;
    while (*link != NULL && *link != dma_addr->phyAddr.priv) {
        link = &(*link)->next;
    }
    return *link == NULL ? NULL : link;
}

static void unpin(struct conversion *conversion)
{
    end_unpin(&conversion->to);
    end_unpin(&conversion->from);
}

static drvError_t destroy(const struct DMA_ADDR *dma_addr)
{
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct conversion **link = find(dma_addr);
    struct conversion *gone = link == NULL ? NULL : *link;
    if (gone == NULL) {
        code = DRV_ERROR_PARA_ERROR;
    } else {
        *link = gone->next;
        unpin(gone);
    }
    leave();
    if (gone != NULL) {
        if (gone->job != NULL) {
            (void)job_wait(gone->job);
        }
        free(gone);
    }
    return code;
}

DVresult halMemDestroyAddrBatch(struct DMA_ADDR *ptr[], uint32_t num)
{
    (void)config_get();
    if (ptr == NULL || num == 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    for (uint32_t i = 0; i < num; i++) {
        if (ptr[i] == NULL || ptr[i]->virt_id >= id_limit()) {
            return DRV_ERROR_INVALID_VALUE;
        }
    }
    drvError_t code = DRV_ERROR_NONE;
    for (uint32_t i = 0; i < num && code == DRV_ERROR_NONE; i++) {
        code = destroy(ptr[i]);
    }
    return code;
}

DVresult drvMemDestroyAddr(struct DMA_ADDR *ptr)
{
    return halMemDestroyAddrBatch(&ptr, 1);
}

/* The area to copy, if the conversion is alive and has nothing under way. */
static drvError_t claim(const struct DMA_ADDR *dma_addr, struct drvMem2D *area)
{
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct conversion **link = find(dma_addr);
    if (link == NULL || (*link)->dead || (*link)->job != NULL) {
        code = DRV_ERROR_PARA_ERROR;
    } else {
        *area = (*link)->area;
    }
    leave();
    return code;
}

static drvError_t submit_async(const struct DMA_ADDR *dma_addr, const struct drvMem2D *area)
{
    struct end to;
    struct end from;
    struct job *job = NULL;
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = resolve_pair((uint64_t)(uintptr_t)area->dst, (uint64_t)(uintptr_t)area->src, area->width, &to, &from);
    struct conversion **link = find(dma_addr);
    if (code == DRV_ERROR_NONE && (link == NULL || (*link)->job != NULL)) {
        ends_pin(&to, &from, false); /* destroyed or submitted by another thread meanwhile */
        code = DRV_ERROR_PARA_ERROR;
    }
    if (code == DRV_ERROR_NONE) {
        code = job_start(&to, &from, area->width, &job);
    }
    if (code == DRV_ERROR_NONE) {
        (*link)->job = job;
    }
    leave();
    return code;
}

DVresult halMemcpySumbit(struct DMA_ADDR *dma_addr, int flag)
{
    struct drvMem2D area;
    if (generation() == GEN_V3) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (dma_addr == NULL || (flag != MEMCPY_SUMBIT_SYNC && flag != MEMCPY_SUMBIT_ASYNC) ||
        dma_addr->virt_id >= id_limit()) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = claim(dma_addr, &area);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    /* Only single rows run in the background; an area is finished before the call returns. */
    return flag == MEMCPY_SUMBIT_ASYNC && area.height == 1 ? submit_async(dma_addr, &area) : copy_area(&area);
}

DVresult halMemcpyWait(struct DMA_ADDR *dma_addr)
{
    if (generation() == GEN_V3) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (dma_addr == NULL || dma_addr->virt_id >= id_limit()) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct conversion **link = find(dma_addr);
    struct job *job = NULL;
    if (link == NULL) {
        code = DRV_ERROR_PARA_ERROR;
    } else {
        job = (*link)->job;
        (*link)->job = NULL;
    }
    leave();
    return job == NULL ? code : job_wait(job);
}

static bool lies_on(const struct end *end, unsigned device)
{
    return end->block != NULL && end->place == PLACE_DEVICE && end->device == device;
}

void conversions_detach_device(unsigned device)
{
    for (struct conversion *one = conversions; one != NULL; one = one->next) {
        if (lies_on(&one->to, device) || lies_on(&one->from, device)) {
            one->dead = true;
            unpin(one);
        }
    }
}

void conversions_forget(void)
{
    while (conversions != NULL) {
        struct conversion *next = conversions->next;
        free(conversions);
        conversions = next;
    }
}
