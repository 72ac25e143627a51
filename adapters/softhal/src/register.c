/*
 * register.c - halHostRegister: memory of one side made known to the other.
 *
 * Which map type goes with which source is decided as in v2 svm_master_remote_map.c and v3 svm_register.c,
 * svm_register_pcie_th.c.  Host memory gets an address that only devices understand (copies take it, for
 * want of devices that run code); device memory keeps its address and is opened to the CPU.
 */
#include "register.h"

#define PROC_MASK 0x3fU
#define DMA_MAX (8 * TIB)

/* The wish as it came, with what was found out on the way. */
struct request {
    uint64_t src, size;
    unsigned type, proc, device;
    bool read_only;
    uint64_t dst;
};

static uint64_t whole_pages(uint64_t size, uint64_t page)
{
    return size > UINT64_MAX - page ? size : round_up(size, page);
}

static bool is_through(unsigned type)
{
    return type == HOST_MEM_MAP_DEV_PCIE_TH || type == HOST_IO_MAP_DEV;
}

static drvError_t enter_wish(struct request *request, struct block *block, uint64_t page, bool local, bool same)
{
    struct registration wish = {.src = request->src, .type = request->type, .device = request->device, .block = block};
    wish.size = whole_pages(request->size, page);
    wish.local = local;
    wish.placed = !same && request->type != HOST_MEM_MAP_DMA;
    wish.dst = wish.placed ? registration_place(wish.src, wish.size) : wish.src;
    wish.exposed = request->type == DEV_SVM_MAP_HOST;
    if (wish.dst == 0 || (wish.exposed && memory_expose(wish.src, wish.size) != 0)) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    drvError_t code = registration_enter(&wish);
    if (code == DRV_ERROR_NONE) {
        request->dst = wish.dst;
    } else if (wish.exposed) {
        memory_hide(wish.src, wish.size);
    }
    return code;
}

/* v2: memory that the process got elsewhere. */
static drvError_t v2_local(struct request *request)
{
    uint64_t size = whole_pages(request->size, SMALL_PAGE);
    if (request->type != HOST_MEM_MAP_DEV && !is_through(request->type)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (request->device == HOST_AGENT_DEVID) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (request->src == 0 || request->src % SMALL_PAGE != 0 || request->size == 0) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (request->proc != DEVDRV_PROCESS_CP1 || is_through(request->type) != pcie_through()) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (!pages_exist(request->src, size) ||
        registration_overlaps(request->src, size, request->type, request->device)) {
        return DRV_ERROR_PARA_ERROR;
    }
    return enter_wish(request, NULL, SMALL_PAGE, true, false);
}

/* v2: host memory from halMemAlloc. */
static drvError_t v2_host_block(struct request *request, struct block *block)
{
    uint64_t page = block->granule;
    if (request->type != HOST_SVM_MAP_DEV && !is_through(request->type)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (request->size == 0) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (request->device == HOST_AGENT_DEVID || request->proc != DEVDRV_PROCESS_CP1 ||
        (is_through(request->type) && !pcie_through())) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (request->src % page != 0 || request->size > block->start + block->size - request->src ||
        registration_overlaps(request->src, whole_pages(request->size, page), request->type, request->device)) {
        return DRV_ERROR_PARA_ERROR;
    }
    return enter_wish(request, block, page, false, request->type == HOST_SVM_MAP_DEV);
}

/* Device memory for the CPU: the pages become visible at their own address. */
static drvError_t device_block(struct request *request, struct block *block)
{
    enum kind kind = block->heap->kind;
    bool plain = kind == KIND_DEV || kind == KIND_DVPP;
    if (request->type != DEV_SVM_MAP_HOST || request->size == 0 || !plain) {
        return DRV_ERROR_PARA_ERROR;
    }
    request->device = block->heap->node;
    uint64_t size = whole_pages(request->size, block->granule);
    if (request->src % block->granule != 0 || size > block->start + block->size - request->src) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (registration_overlaps(request->src, size, request->type, request->device)) {
        return generation() == GEN_V2 ? DRV_ERROR_PARA_ERROR : DRV_ERROR_REPEATED_USERD;
    }
    return enter_wish(request, block, block->granule, false, true);
}

static drvError_t v2_by_source(struct request *request)
{
    struct heap *heap = heap_at(request->src);
    struct block *block = live_block_at(request->src);
    bool managed = window_has(&windows.svm, request->src) || window_has(&windows.uvm, request->src) || heap != NULL;
    bool from_va = request->type == DEV_SVM_MAP_HOST && managed;
    if (!from_va && request->device != HOST_AGENT_DEVID && !device_is_open(request->device)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (!managed) {
        return v2_local(request);
    }
    if (block == NULL || kind_is_paged(heap->kind)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (heap->kind == KIND_RESERVED) {
        return DRV_ERROR_NOT_SUPPORT; /* mapped handles are not registered */
    }
    return kind_is_host(heap->kind) ? v2_host_block(request, block) : device_block(request, block);
}

static drvError_t v2_dma(struct request *request)
{
    if (request->src == 0 || request->size == 0 || request->size > DMA_MAX) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (request->device >= V2_MAX_AGENT) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    if (request->read_only) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = enter_direct();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct block *block = live_block_at(request->src);
    bool managed = window_has(&windows.svm, request->src);
    uint64_t last = request->src + (request->size - 1);
    uint64_t size = whole_pages(request->size, SMALL_PAGE);
    if (!managed && window_has(&windows.svm, last)) {
        code = DRV_ERROR_INVALID_VALUE;
    } else if (last < request->src || !device_is_open(request->device) ||
               (managed && (block == NULL || request->size > block->start + block->size - request->src)) ||
               (!managed && !pages_exist(request->src / SMALL_PAGE * SMALL_PAGE, size)) ||
               registration_overlaps(request->src, request->size, HOST_MEM_MAP_DMA, request->device)) {
        code = DRV_ERROR_PARA_ERROR;
    } else {
        code = enter_wish(request, block, 1, !managed, true);
    }
    leave();
    return code;
}

/* Memory of the device's own processes: it gets addresses of managed memory here. */
static drvError_t v2_device_local(struct request *request)
{
    void *dst = NULL;
    drvError_t code = halMemAlloc(&dst, request->size, (uint64_t)MEM_SVM_VAL << MEM_VIRT_BIT);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = enter_direct();
    if (code == DRV_ERROR_NONE) {
        bool pages = request->src % SMALL_PAGE == 0 && request->src != 0 && request->size % SMALL_PAGE == 0;
        if (request->device != HOST_AGENT_DEVID && !device_is_open(request->device)) {
            code = DRV_ERROR_PARA_ERROR;
        } else if (request->device == HOST_AGENT_DEVID || window_has(&windows.svm, request->src)) {
            code = DRV_ERROR_NOT_SUPPORT;
        } else if (!pages) {
            code = DRV_ERROR_PARA_ERROR;
        } else if (request->proc != DEVDRV_PROCESS_HCCP) {
            code = DRV_ERROR_NOT_SUPPORT;
        } else {
            struct registration wish = {.src = request->src, .size = request->size, .type = request->type};
            wish.device = request->device;
            wish.dst = (uint64_t)(uintptr_t)dst;
            code = registration_overlaps(wish.src, wish.size, wish.type, wish.device) ? DRV_ERROR_PARA_ERROR
                                                                                      : registration_enter(&wish);
            request->dst = wish.dst;
        }
        leave();
    }
    if (code != DRV_ERROR_NONE) {
        (void)halMemFree(dst);
    }
    return code;
}

static drvError_t v2_register(struct request *request, void **dst_ptr)
{
    if (request->type == HOST_MEM_MAP_DMA) {
        return v2_dma(request); /* where the device finds it is nobody's business */
    }
    state_lock();
    const struct heap *heap = heap_at(request->src);
    bool managed = window_has(&windows.svm, request->src) || heap != NULL;
    state_unlock();
    request->device = managed && request->type == DEV_SVM_MAP_HOST ? 0 : request->device;
    if (request->device >= V2_MAX_AGENT) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    if (request->proc >= DEVDRV_PROCESS_CPTYPE_MAX || (request->read_only && is_through(request->type))) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (dst_ptr == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (request->type == DEV_MEM_MAP_HOST) {
        return v2_device_local(request);
    }
    drvError_t code = enter_direct();
    if (code == DRV_ERROR_NONE) {
        code = v2_by_source(request);
        leave();
    }
    return code;
}

/* v3, a device that reaches host memory through PCIe as it is. */
static drvError_t v3_through(struct request *request)
{
    if (request->device >= V3_MAX_AGENT) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    if (!device_is_open(request->device)) {
        return DRV_ERROR_INNER_ERR;
    }
    const struct heap *heap = heap_at(request->src);
    struct block *block = live_block_at(request->src);
    uint64_t page = SMALL_PAGE;
    if (heap != NULL) {
        if (request->type == HOST_IO_MAP_DEV || block == NULL) {
            return DRV_ERROR_PARA_ERROR;
        }
        if (heap->kind == KIND_RESERVED || heap->kind == KIND_OPENED || heap->kind == KIND_CP_ONLY) {
            return DRV_ERROR_NOT_SUPPORT;
        }
        if (!kind_is_host(heap->kind)) {
            return DRV_ERROR_PARA_ERROR;
        }
        if (request->size > block->start + block->requested - request->src) {
            return DRV_ERROR_INVALID_VALUE;
        }
    } else if (request->src % SMALL_PAGE != 0 || !pages_exist(request->src, whole_pages(request->size, SMALL_PAGE))) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (registration_overlaps(request->src, whole_pages(request->size, page), request->type, request->device)) {
        return DRV_ERROR_REPEATED_USERD;
    }
    return enter_wish(request, block, page, heap == NULL, heap != NULL);
}

static drvError_t v3_register(struct request *request, uint32_t flag, void **dst_ptr)
{
    if (dst_ptr == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (request->src == 0 || request->size == 0 || request->src + request->size < request->src) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (request->type >= HOST_REGISTER_MAX_TPYE || (flag >> MEM_PROC_TYPE_BIT) != DEVDRV_PROCESS_CP1) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (request->type != DEV_SVM_MAP_HOST && request->device >= 66) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    if (!is_through(request->type) && request->type != DEV_SVM_MAP_HOST) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct block *block = live_block_at(request->src);
    if (is_through(request->type)) {
        code = v3_through(request);
    } else {
        code = block == NULL ? DRV_ERROR_PARA_ERROR : device_block(request, block);
    }
    leave();
    return code;
}

drvError_t halHostRegister(void *src_ptr, uint64_t size, uint32_t flag, uint32_t devid, void **dst_ptr)
{
    struct request request = {.src = (uint64_t)(uintptr_t)src_ptr, .size = size, .type = flag & 0xffffU, .device = devid};
    request.proc = (flag >> MEM_PROC_TYPE_BIT) & PROC_MASK;
    request.read_only = (flag & MEM_REGISTER_READ_ONLY) != 0;
    bool v2 = generation() == GEN_V2;
    if (v2 && request.type >= HOST_REGISTER_MAX_TPYE) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = v2 ? v2_register(&request, dst_ptr) : v3_register(&request, flag, dst_ptr);
    if (code == DRV_ERROR_NONE && request.type != HOST_MEM_MAP_DMA) {
        *dst_ptr = (void *)(uintptr_t)request.dst;
    }
    return code;
}
