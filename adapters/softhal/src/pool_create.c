/* pool_create.c - halMemPoolCreate: what the two generations check, and where the address space comes from. */
#include "heap.h"
#include "pool.h"

static bool type_ok(const soma_mem_pool_prop *prop)
{
    bool handle = prop->handle_type == MEM_HANDLE_TYPE_NONE || prop->handle_type == MEM_HANDLE_TYPE_POSIX;
    return handle && prop->mem_prop.side == MEM_DEV_SIDE;
}

static bool memory_ok(const soma_mem_pool_prop *prop)
{
    bool module = prop->mem_prop.module_id == ASCENDCL_MODULE_ID || FAULT(pool_any_module);
    return module && prop->mem_prop.pg_type == MEM_HUGE_PAGE_TYPE && prop->mem_prop.mem_type == MEM_HBM_TYPE;
}

static bool size_aligned(uint64_t size)
{
    return pool_aligned(size) || FAULT(pool_odd_size);
}

/* In user space; the addresses need not be reserved, there is a window for them. */
static bool v2_check(const soma_mem_pool_prop *prop)
{
    uint64_t end = windows.soma.base + windows.soma.size;
    return type_ok(prop) && memory_ok(prop) && prop->va != 0 && prop->maxSize != 0 &&
           window_has(&windows.soma, prop->va) && prop->maxSize <= end - prop->va && pool_aligned(prop->va) &&
           size_aligned(prop->maxSize);
}

/* What the kernel and the device say: an invalid device, or addresses of another pool. */
static drvError_t v2_create(soma_mem_pool_t pool, const soma_mem_pool_prop *prop)
{
    if (pool.devId >= config_get()->devices || !device_is_open(pool.devId) || heaps_touch(prop->va, prop->maxSize)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (pool_find(pool.poolId) != NULL && !FAULT(pool_any_id)) {
        return DRV_ERROR_FILE_OPS;
    }
    uint64_t size = prop->maxSize / HUGE_PAGE * HUGE_PAGE;
    struct plan plan = {.kind = KIND_POOL, .node = pool.devId, .granule = HUGE_PAGE, .size = size, .own = true};
    struct heap *heap = heap_add(prop->va, size, &plan, false);
    struct block *block = heap == NULL ? NULL : block_enter(heap, &plan, prop->va, 0);
    if (block == NULL) {
        if (heap != NULL) {
            heap_remove(heap);
        }
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    block->live = true;
    block->requested = size;
    drvError_t code = pool_enter(pool.poolId, pool.devId, block, prop->va, size);
    if (code != DRV_ERROR_NONE) {
        block_release(block);
    }
    return code;
}

/* The caller's reservation: whole, and nothing is mapped there. */
static bool v3_address_ok(const struct block *block, const soma_mem_pool_prop *prop)
{
    return block != NULL && block->heap->kind == KIND_RESERVED && block->pool == NULL && block->maps == NULL &&
           block->start == prop->va && prop->maxSize <= block->size;
}

static drvError_t v3_create(soma_mem_pool_t pool, const soma_mem_pool_prop *prop)
{
    struct block *block = live_block_at(prop->va);
    bool ok = pool_aligned(prop->va) && size_aligned(prop->maxSize) && pool.devId < config_get()->devices &&
              v3_address_ok(block, prop) && type_ok(prop) && memory_ok(prop) && prop->maxSize != 0 &&
              pool.devId == prop->mem_prop.devid;
    if (!ok) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (!device_is_open(pool.devId)) {
        return DRV_ERROR_NOT_EXIST;
    }
    if (pool_find(pool.poolId) != NULL && !FAULT(pool_any_id)) {
        return DRV_ERROR_FILE_OPS;
    }
    return pool_enter(pool.poolId, pool.devId, block, prop->va, prop->maxSize / HUGE_PAGE * HUGE_PAGE);
}

drvError_t halMemPoolCreate(soma_mem_pool_t pool, soma_mem_pool_prop prop)
{
    bool v2 = generation() == GEN_V2;
    (void)config_get();
    if (v2 && !type_ok(&prop)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (v2 && (!memory_ok(&prop) || prop.va == 0 || prop.maxSize == 0)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = v2 ? enter_direct() : enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (v2 && !v2_check(&prop)) {
        code = DRV_ERROR_INVALID_VALUE;
    } else {
        code = v2 ? v2_create(pool, &prop) : v3_create(pool, &prop);
    }
    leave();
    return code;
}
