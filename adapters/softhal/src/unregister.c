/* unregister.c - halHostUnregister and halHostUnregisterEx: only the start of a registration will do. */
#include "register.h"

#define PROC_MASK 0x3fU

static bool is_start(const struct registration *one, uint64_t src)
{
    return one->src == src || (FAULT(unregister_interior) && src > one->src && src - one->src < one->size);
}

static struct registration *find(uint64_t src, unsigned type, unsigned device)
{
    struct registration *one = registrations;
    while (one != NULL && (!is_start(one, src) || one->type != type ||
                           (one->device != device && type != DEV_SVM_MAP_HOST))) {
        one = one->next;
    }
    return one;
}

/* v2 looks for ordinary memory under each type that it can have. */
static struct registration *find_local(uint64_t src, unsigned device)
{
    static const unsigned types[] = {HOST_MEM_MAP_DEV, HOST_MEM_MAP_DEV_PCIE_TH, HOST_IO_MAP_DEV, DEV_MEM_MAP_HOST};
    struct registration *found = NULL;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]) && found == NULL; i++) {
        found = find(src, types[i], device);
    }
    return found;
}

/* Removes a registration and gives back the addresses it was given; unlocks. */
static void remove_and_leave(struct registration *one)
{
    uint64_t dst = one->type == DEV_MEM_MAP_HOST ? one->dst : 0;
    registration_remove(one);
    leave();
    if (dst != 0) {
        (void)halMemFree((void *)(uintptr_t)dst);
    }
}

static drvError_t v2_dma(uint64_t src, unsigned device)
{
    if (device >= V2_MAX_AGENT) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    drvError_t code = enter_direct();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct registration *one = find(src, HOST_MEM_MAP_DMA, device);
    if (one == NULL) {
        leave();
        return DRV_ERROR_INVALID_HANDLE;
    }
    remove_and_leave(one);
    return DRV_ERROR_NONE;
}

static drvError_t v2_unregister(uint64_t src, unsigned device, unsigned type, unsigned proc)
{
    if (type >= HOST_REGISTER_MAX_TPYE) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (type == HOST_MEM_MAP_DMA) {
        return v2_dma(src, device);
    }
    state_lock();
    bool managed = window_has(&windows.svm, src) || heap_at(src) != NULL;
    state_unlock();
    if (device >= V2_MAX_AGENT && (!managed || type == HOST_MEM_MAP_DEV_PCIE_TH)) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    if (proc >= DEVDRV_PROCESS_CPTYPE_MAX) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = enter_direct();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct registration *one = NULL;
    if (!managed) {
        one = find_local(src, device);
    } else {
        const struct block *block = live_block_at(src);
        bool device_side = block != NULL && !kind_is_host(block->heap->kind);
        bool through = type == HOST_MEM_MAP_DEV_PCIE_TH || type == HOST_IO_MAP_DEV;
        one = find(src, device_side ? DEV_SVM_MAP_HOST : through ? type : HOST_SVM_MAP_DEV, device);
    }
    if (one == NULL) {
        leave();
        return managed ? DRV_ERROR_PARA_ERROR : DRV_ERROR_FILE_OPS;
    }
    remove_and_leave(one);
    return DRV_ERROR_NONE;
}

/* The record of exactly this start on exactly this device: host side first, then device side, then DMA. */
static bool v2_recorded(uint64_t src, unsigned device, unsigned *type)
{
    int best = 3;
    state_lock();
    for (const struct registration *one = registrations; one != NULL; one = one->next) {
        bool device_side = one->type == DEV_SVM_MAP_HOST || one->type == DEV_MEM_MAP_HOST;
        int rank = one->type == HOST_MEM_MAP_DMA ? 1 : device_side ? 2 : 0;
        if (one->recorded && is_start(one, src) && one->device == device && rank < best) {
            best = rank;
            *type = one->type;
        }
    }
    state_unlock();
    return best < 3;
}

static drvError_t v3_unregister(uint64_t src, unsigned device, unsigned type)
{
    if (type != DEV_SVM_MAP_HOST && device >= 66) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    if (type != DEV_SVM_MAP_HOST && type != HOST_MEM_MAP_DEV_PCIE_TH && type != HOST_IO_MAP_DEV) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct registration *one = find(src, type, device);
    if (one == NULL) {
        leave();
        return type == DEV_SVM_MAP_HOST ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NOT_EXIST;
    }
    remove_and_leave(one);
    return DRV_ERROR_NONE;
}

/* v3 finds out the type from what is registered, else from what kind of memory it is. */
static drvError_t v3_type(uint64_t src, unsigned device, unsigned *type)
{
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    static const unsigned types[] = {HOST_MEM_MAP_DEV_PCIE_TH, HOST_IO_MAP_DEV, DEV_SVM_MAP_HOST};
    bool found = false;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]) && !found; i++) {
        found = find(src, types[i], device) != NULL;
        *type = types[i];
    }
    if (!found) {
        const struct heap *heap = heap_at(src);
        const struct block *block = live_block_at(src);
        code = heap != NULL && block == NULL ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NONE;
        *type = heap == NULL ? HOST_MEM_MAP_DEV : kind_is_host(heap->kind) ? HOST_SVM_MAP_DEV : DEV_SVM_MAP_HOST;
    }
    leave();
    return code;
}

drvError_t halHostUnregister(void *src_ptr, uint32_t devid)
{
    uint64_t src = (uint64_t)(uintptr_t)src_ptr;
    unsigned type = HOST_MEM_MAP_DEV;
    if (generation() == GEN_V3) {
        if (src == 0) {
            return DRV_ERROR_PARA_ERROR;
        }
        drvError_t code = v3_type(src, devid, &type);
        return code == DRV_ERROR_NONE ? v3_unregister(src, devid, type) : code;
    }
    state_lock();
    bool recorded = state.registrations_recorded && !state.forked;
    state_unlock();
    if (recorded && !v2_recorded(src, devid, &type)) {
        return DRV_ERROR_NOT_EXIST;
    }
    return v2_unregister(src, devid, type, DEVDRV_PROCESS_CP1);
}

drvError_t halHostUnregisterEx(void *src_ptr, uint32_t devid, uint32_t flag)
{
    uint64_t src = (uint64_t)(uintptr_t)src_ptr;
    unsigned type = flag & 0xffffU;
    if (generation() == GEN_V2) {
        return v2_unregister(src, devid, type, (flag >> MEM_PROC_TYPE_BIT) & PROC_MASK);
    }
    if (src == 0) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (type >= HOST_REGISTER_MAX_TPYE || (flag >> MEM_PROC_TYPE_BIT) != DEVDRV_PROCESS_CP1) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    return v3_unregister(src, devid, type);
}
