/* pool.c - the pools of the process, and what the device does in them: malloc, free, shrink. */
#include <stdlib.h>
#include <string.h>

#include "caprice.h"
#include "heap.h"
#include "pool.h"

static struct pool *pools;

struct pool *pool_find(uint64_t id)
{
    struct pool *one = pools;
    while (one != NULL && (one->closing || (one->id != id && !FAULT(pool_any_id)))) {
        one = one->next;
    }
    return one;
}

bool pool_aligned(uint64_t value)
{
    return value % HUGE_PAGE == 0;
}

bool pool_holds(const struct pool *pool, uint64_t address, uint64_t size)
{
    return address != 0 && size != 0 && pool_aligned(address) && pool_aligned(size) && address >= pool->start &&
           address - pool->start < pool->size && size <= pool->size - (address - pool->start);
}

static size_t index_of(const struct pool *pool, uint64_t address)
{
    return (size_t)((address - pool->start) / HUGE_PAGE);
}

static size_t page_count(const struct pool *pool)
{
    return (size_t)(pool->size / HUGE_PAGE);
}

static bool in_use(const struct pool *pool, size_t page)
{
    return pool->pages[page] >= POOL_USED;
}

bool pool_is_live(const struct pool *pool, uint64_t address, uint64_t size)
{
    if (pool->closing || size == 0) {
        return false;
    }
    for (size_t i = index_of(pool, address); i <= index_of(pool, address + (size - 1)); i++) {
        if (i >= page_count(pool) || !in_use(pool, i)) {
            return false;
        }
    }
    return true;
}

unsigned pool_device(const struct pool *pool)
{
    return pool->device;
}

static int charge(const struct pool *pool, uint64_t bytes)
{
    if (caprice_short()) {
        return -1;
    }
    if (bytes == 0 || FAULT(pool_uncounted) || domain_take(pool->device, CLASS_HUGE, bytes) == 0) {
        return 0;
    }
    return cache_drain(pool->device) && domain_take(pool->device, CLASS_HUGE, bytes) == 0 ? 0 : -1;
}

static void give_back(const struct pool *pool, uint64_t bytes)
{
    if (bytes != 0 && !FAULT(pool_uncounted) && !FAULT(pool_leaks)) {
        domain_give(pool->device, CLASS_HUGE, bytes);
    }
}

static void raise_marks(struct pool *pool)
{
    pool->reserved_high = pool->reserved > pool->reserved_high ? pool->reserved : pool->reserved_high;
    pool->used_high = pool->used > pool->used_high ? pool->used : pool->used_high;
}

static drvError_t begin(struct pool *pool, uint64_t address, uint64_t size)
{
    size_t first = index_of(pool, address);
    size_t count = (size_t)(size / HUGE_PAGE);
    uint64_t fresh = 0;
    for (size_t i = first; i < first + count; i++) {
        if (in_use(pool, i) && !FAULT(pool_overlap)) {
            return caprice_refusal(DRV_ERROR_BUSY);
        }
        fresh += pool->pages[i] == POOL_EMPTY ? HUGE_PAGE : 0;
    }
    if (charge(pool, fresh) != 0) {
        return FAULT(pool_exhausted_ok) ? DRV_ERROR_NONE : DRV_ERROR_OUT_OF_MEMORY;
    }
    memset(pool->pages + first, POOL_USED, count);
    pool->pages[first] = POOL_FIRST;
    pool->reserved += fresh;
    pool->used += size;
    raise_marks(pool);
    return DRV_ERROR_NONE;
}

/* How many bytes the malloc has that starts at this page. */
static uint64_t extent(const struct pool *pool, size_t first)
{
    size_t end = first + 1;
    while (end < page_count(pool) && pool->pages[end] == POOL_USED) {
        end++;
    }
    return (end - first) * HUGE_PAGE;
}

uint64_t pool_end(struct pool *pool, uint64_t address, uint64_t size)
{
    size_t first = index_of(pool, address);
    if (address < pool->start || first >= page_count(pool) || !pool_aligned(address) ||
        pool->pages[first] != POOL_FIRST) {
        return 0;
    }
    uint64_t length = extent(pool, first);
    if (size != 0 && size != length) {
        return 0;
    }
    memset(pool->pages + first, POOL_CACHED, length / HUGE_PAGE);
    pool->used -= FAULT(pool_used_drift) ? length - HUGE_PAGE : length;
    return length;
}

static void empty_page(struct pool *pool, size_t page)
{
    memory_discard(pool->start + page * HUGE_PAGE, HUGE_PAGE);
    pool->pages[page] = POOL_EMPTY;
    pool->reserved -= HUGE_PAGE;
    give_back(pool, HUGE_PAGE);
}

void pool_shrink(struct pool *pool, uint64_t keep)
{
    size_t count = page_count(pool);
    size_t first = caprice_pick(count, 0);
    for (size_t done = 0; done < count && pool->reserved > keep; done++) {
        size_t i = (first + done) % count;
        bool live = FAULT(pool_trim_live) && in_use(pool, i);
        if (pool->pages[i] == POOL_CACHED || live) {
            empty_page(pool, i);
        }
    }
}

static void forget(struct pool *pool)
{
    pool_drop_segments(pool);
    free(pool->pages);
    free(pool);
}

/* Takes a pool out; what its address space becomes is the caller's matter. */
static void take_out(struct pool *pool)
{
    struct pool **link = &pools;
    while (*link != pool) {
        link = &(*link)->next;
    }
    *link = pool->next;
    pool->block->pool = NULL;
    memory_discard(pool->start, pool->size);
    give_back(pool, pool->reserved);
    forget(pool);
}

void pools_close_device(unsigned device)
{
    struct pool *next = NULL;
    for (struct pool *one = pools; one != NULL; one = next) {
        next = one->next;
        if (one->device == device) {
            take_out(one);
        }
    }
}

bool pools_hide(unsigned device)
{
    bool busy = false;
    for (struct pool *one = pools; one != NULL; one = one->next) {
        if (one->device == device) {
            one->closing = true;
            busy = busy || one->block->users > 0;
        }
    }
    return busy;
}

void pools_forget(void)
{
    while (pools != NULL) {
        struct pool *next = pools->next;
        forget(pools);
        pools = next;
    }
}

drvError_t pool_enter(uint64_t id, unsigned device, struct block *block, uint64_t start, uint64_t size)
{
    struct pool *pool = caprice_short() ? NULL : calloc(1, sizeof(*pool));
    uint8_t *pages = calloc(size / HUGE_PAGE, 1);
    if (pool == NULL || pages == NULL) {
        free(pool);
        free(pages);
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    pool->id = id;
    pool->device = device;
    pool->block = block;
    pool->start = start;
    pool->size = size;
    pool->pages = pages;
    pool->next = pools;
    pools = pool;
    block->pool = pool;
    return DRV_ERROR_NONE;
}

/* Running copies finish first; none can begin. */
static drvError_t destroy(struct pool *pool)
{
    if (pool->block->pins > 0) {
        return DRV_ERROR_BUSY;
    }
    pool->closing = true;
    while (pool->block->users > 0) {
        pthread_cond_wait(&state.idle, &state.lock);
    }
    struct block *block = pool->block;
    take_out(pool);
    if (block->heap->kind == KIND_RESERVED) {
        reservation_release(block); /* v3 took it over from the caller */
    } else {
        block_release(block);
    }
    return DRV_ERROR_NONE;
}

drvError_t halMemPoolDestroy(soma_mem_pool_t pool)
{
    bool v2 = generation() == GEN_V2;
    if (v2 && pool.devId >= V2_MAX_PHYSICAL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct pool *found = pool_find(pool.poolId);
    if (v2 && !device_is_open(pool.devId)) {
        code = DRV_ERROR_INVALID_VALUE;
    } else if (found == NULL || found->device != pool.devId) {
        code = v2 ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NOT_EXIST;
    } else if (!FAULT(pool_destroy_nothing)) {
        code = destroy(found);
    }
    leave();
    return code;
}

/* Both of the device's calls ask for the same things first. */
static drvError_t request(soma_mem_pool_t pool, uint64_t va, uint64_t size, struct pool **found)
{
    *found = pool_find(pool.poolId);
    if (*found == NULL || (*found)->device != pool.devId) {
        return caprice_refusal(DRV_ERROR_NOT_EXIST);
    }
    return pool_holds(*found, va, size) ? DRV_ERROR_NONE : caprice_refusal(DRV_ERROR_INVALID_VALUE);
}

drvError_t halMemPoolMalloc(soma_mem_pool_t pool, uint64_t va, uint64_t size, int32_t policy)
{
    struct pool *found = NULL;
    (void)policy; /* the host has decided already */
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = request(pool, va, size, &found);
    code = code == DRV_ERROR_NONE ? begin(found, va, size) : code;
    leave();
    return code;
}

drvError_t halMemPoolFree(soma_mem_pool_t pool, uint64_t va, uint64_t size, int32_t policy)
{
    struct pool *found = NULL;
    (void)policy;
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = request(pool, va, size, &found);
    if (code == DRV_ERROR_NONE && pool_end(found, va, size) == 0 && !FAULT(pool_double_free)) {
        code = DRV_ERROR_INVALID_VALUE;
    }
    if (code == DRV_ERROR_NONE && FAULT(pool_free_returns)) {
        pool_shrink(found, found->used);
    }
    leave();
    return code;
}

/* v2: the ordinary free reaches memory of pools too, and takes it out of the pool. */
drvError_t pool_free_block(uint64_t address)
{
    struct block *block = live_block_at(address);
    struct pool *pool = block == NULL ? NULL : block->pool;
    uint64_t size = pool == NULL ? 0 : pool_end(pool, address, 0);
    for (uint64_t done = 0; done < size; done += HUGE_PAGE) {
        empty_page(pool, index_of(pool, address + done));
    }
    return size == 0 ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NONE;
}
