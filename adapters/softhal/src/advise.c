/* advise.c - halMemAdvise, drvMemPrefetchToDevice and drvMemAddressTranslate. */
#include "vmm.h"

/* v2 DEV_MEM: MEM_SVM pages are made on the device and stay there. */
static drvError_t v2_lock_on_device(uint64_t ptr, size_t count, unsigned device, struct block *block)
{
    if (block->heap->kind != KIND_SVM || count == 0) {
        return DRV_ERROR_PARA_ERROR; /* everything else is populated already */
    }
    if (count > block->start + block->size - ptr) {
        return DRV_ERROR_PARA_ERROR;
    }
    for (uint64_t at = ptr; at < ptr + count; at += block->granule) {
        if (page_is_locked(block, at) && page_state(block, at) != PAGE_DEVICE0 + device) {
            return DRV_ERROR_PARA_ERROR;
        }
    }
    return pages_to_device(block, ptr, count, device, true) == 0 ? DRV_ERROR_NONE : DRV_ERROR_OUT_OF_MEMORY;
}

static drvError_t v2_advise(uint64_t ptr, size_t count, unsigned type, unsigned device)
{
    if (type == ADVISE_ACCESS_READONLY || type == ADVISE_ACCESS_READWRITE) {
        return DRV_ERROR_NONE; /* the public code validates nothing and does nothing */
    }
    if (type > ADVISE_ACCESS_READWRITE) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct block *block = live_block_at(ptr);
    if (!v2_is_svm(ptr) || device >= V2_MAX_PHYSICAL || !device_is_open(device)) {
        code = DRV_ERROR_INVALID_VALUE;
    } else if (block == NULL || count > block->heap->base + block->heap->size - ptr) {
        code = DRV_ERROR_PARA_ERROR;
    } else if (type == ADVISE_DEV_MEM && block->heap->kind == KIND_RESERVED) {
        code = DRV_ERROR_NOT_SUPPORT;
    } else if (type == ADVISE_DEV_MEM) {
        code = v2_lock_on_device(ptr, count, device, block);
    }
    leave();
    return code;
}

/* v3: only the access of the device to MEM_HOST_RW_DEV_RO memory can be changed, for a whole block. */
static drvError_t v3_advise(uint64_t ptr, size_t count, unsigned type, unsigned device)
{
    if (type != ADVISE_ACCESS_READONLY && type != ADVISE_ACCESS_READWRITE) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    const struct block *block = live_block_at(ptr);
    unsigned owner = block == NULL ? 0 : kind_is_host(block->heap->kind) ? HOST_DEVID : block->heap->node;
    if (block == NULL) {
        code = DRV_ERROR_INVALID_VALUE;
    } else if (owner != device) {
        code = DRV_ERROR_INVALID_DEVICE;
    } else if (ptr != block->start || count > block->size || round_up(count, block->granule) != block->size) {
        code = DRV_ERROR_INVALID_VALUE;
    } else if (!block->device_read_only) {
        code = DRV_ERROR_NOT_SUPPORT;
    }
    leave();
    return code;
}

drvError_t halMemAdvise(DVdeviceptr ptr, size_t count, unsigned int type, DVdevice device)
{
    return generation() == GEN_V2 ? v2_advise(ptr, count, type, device) : v3_advise(ptr, count, type, device);
}

/* v2: MEM_SVM pages move if they exist; device memory of another device gets a peer mapping for good. */
static drvError_t v2_prefetch(uint64_t ptr, size_t len, unsigned device)
{
    struct block *block = live_block_at(ptr);
    if (!v2_is_svm(ptr) || device >= V2_MAX_PHYSICAL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (block == NULL || !device_is_open(device) || len == 0 || len > block->heap->base + block->heap->size - ptr ||
        block->heap->kind == KIND_READ_ONLY || block->heap->kind == KIND_DEV_READ_ONLY || block->heap->kind == KIND_UVM) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (block->heap->kind == KIND_RESERVED) {
        struct mapping *mapping = mapping_in(block, ptr);
        if (mapping == NULL || mapping->handle->node == HOST_NODE || mapping->handle->kind == HANDLE_IMPORTED ||
            len > mapping->start + mapping->size - ptr) {
            return DRV_ERROR_PARA_ERROR;
        }
        mapping->granted |= mapping->handle->node == device ? 0 : 1ULL << device;
        return DRV_ERROR_NONE;
    }
    if (block->heap->kind != KIND_SVM) {
        return DRV_ERROR_NONE;
    }
    if (len > block->start + block->size - ptr) {
        return DRV_ERROR_PARA_ERROR;
    }
    for (uint64_t at = ptr; at < ptr + len; at += block->granule) {
        if (page_state(block, at) == PAGE_UNSET) {
            return DRV_ERROR_PARA_ERROR;
        }
    }
    if (page_state(block, ptr) != PAGE_HOST) {
        return DRV_ERROR_NONE; /* there already, or reached from there */
    }
    return pages_to_device(block, ptr, len, device, false) == 0 ? DRV_ERROR_NONE : DRV_ERROR_OUT_OF_MEMORY;
}

static drvError_t v3_prefetch(uint64_t ptr, size_t len, unsigned device)
{
    const struct block *block = live_block_at(ptr);
    if (device >= V3_MAX_AGENT || block == NULL || kind_is_host(block->heap->kind) || block->heap->kind == KIND_CP_ONLY ||
        block->heap->kind == KIND_RESERVED || block->heap->kind == KIND_OPENED) {
        return DRV_ERROR_INVALID_VALUE;
    }
    /* The size is rounded up to pages (v3 svm_prefetch.c). */
    if (ptr % block->granule != 0 || len > block->size || round_up(len, block->granule) > block->start + block->size - ptr) {
        return DRV_ERROR_PARA_ERROR;
    }
    return device_is_open(device) ? DRV_ERROR_NONE : DRV_ERROR_NOT_EXIST;
}

DVresult drvMemPrefetchToDevice(DVdeviceptr dev_ptr, size_t len, DVdevice device)
{
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = generation() == GEN_V2 ? v2_prefetch(dev_ptr, len, device) : v3_prefetch(dev_ptr, len, device);
    leave();
    return code;
}

DVresult drvMemAddressTranslate(DVdeviceptr vptr, uint64_t *pptr)
{
    uint64_t physical = 0;
    if (generation() == GEN_V3) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (pptr == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct block *block = live_block_at(vptr);
    unsigned device = block == NULL ? 0 : block->heap->node;
    if (!v2_is_svm(vptr)) {
        code = DRV_ERROR_INVALID_VALUE;
    } else if (block == NULL || block->heap->kind == KIND_READ_ONLY || block->heap->kind == KIND_DEV_READ_ONLY ||
               block->heap->kind == KIND_UVM) {
        code = DRV_ERROR_PARA_ERROR;
    } else if (kind_is_paged(block->heap->kind)) {
        unsigned page = page_state(block, vptr);
        device = page - PAGE_DEVICE0;
        code = page < PAGE_DEVICE0 ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NONE;
    } else if (block->heap->kind == KIND_RESERVED) {
        struct mapping *mapping = mapping_in(block, vptr);
        if (mapping == NULL || mapping->handle->node == HOST_NODE) {
            code = DRV_ERROR_PARA_ERROR;
        } else {
            mapping->translated = true; /* instead of the whole reservation */
            physical = ((uint64_t)(mapping->handle->node + 1) << 48) | vptr;
        }
    }
    if (code == DRV_ERROR_NONE && physical == 0) {
        /* Who knows the physical address may use it at any time: the block is in use from now on. */
        block->pins += block->translated ? 0 : 1;
        block->translated = true;
        physical = ((uint64_t)(device + 1) << 48) | vptr;
    }
    leave();
    if (code == DRV_ERROR_NONE) {
        *pptr = physical;
    }
    return code;
}
