/*
 * cache.c - freed blocks that stay accounted and are handed out again at once.
 *
 * The public drivers never ask the kernel when a small block is freed, so addresses are reused and the
 * memory may still count as used.  A block of the same kind, page size, device and length is served from
 * here first.  Everything is released before out-of-memory is reported.
 */
#include "caprice.h"

static struct block *newest;

static bool is_cached(const struct block *block)
{
    return block->cache_next != NULL || block->cache_previous != NULL || newest == block;
}

void cache_remove(struct block *block)
{
    if (!is_cached(block)) {
        return;
    }
    if (block->cache_previous != NULL) {
        block->cache_previous->cache_next = block->cache_next;
    } else {
        newest = block->cache_next;
    }
    if (block->cache_next != NULL) {
        block->cache_next->cache_previous = block->cache_previous;
    }
    block->cache_next = NULL;
    block->cache_previous = NULL;
}

struct block *cache_pick(const struct plan *plan)
{
    if (caprice_forgets_cache()) {
        return NULL;
    }
    for (struct block *block = newest; block != NULL; block = block->cache_next) {
        const struct heap *heap = block->heap;
        if (heap->kind == plan->kind && heap->node == plan->node && block->size == plan->size &&
            block->granule == plan->granule && block->device_read_only == plan->device_read_only) {
            cache_remove(block);
            return block;
        }
    }
    return NULL;
}

/* Releases cached blocks, oldest first, until those of one heap kind and page size hold no more than limit. */
static void trim(const struct heap *heap, uint64_t granule, uint64_t limit)
{
    uint64_t held = 0;
    struct block *next = NULL;
    for (struct block *block = newest; block != NULL; block = next) {
        next = block->cache_next;
        if (block->heap->kind != heap->kind || block->heap->node != heap->node || block->granule != granule) {
            continue;
        }
        held += block->size;
        /* Memory that is pinned cannot be released; it stays until its pin goes. */
        if (held > limit && block->pins == 0 && block->users == 0 && block != newest) {
            held -= block->size;
            cache_remove(block);
            block_release(block);
        }
    }
}

void cache_put(struct block *block)
{
    block->live = false;
    block->cache_previous = NULL;
    block->cache_next = newest;
    if (newest != NULL) {
        newest->cache_previous = block;
    }
    newest = block;
    trim(block->heap, block->granule, block->cache_limit);
    if (caprice_forgets_cache()) {
        (void)cache_drain(NODES);
    }
}

int node_take(unsigned node, enum page_class class, uint64_t bytes)
{
    if (domain_take(node, class, bytes) == 0) {
        return 0;
    }
    if (cache_drain(node) && domain_take(node, class, bytes) == 0) {
        return 0;
    }
    bool room = node != HOST_NODE && uvm_make_room(node, bytes);
    return room && domain_take(node, class, bytes) == 0 ? 0 : -1;
}

bool cache_drain(unsigned node)
{
    bool any = false;
    struct block *next = NULL;
    for (struct block *block = newest; block != NULL; block = next) {
        next = block->cache_next;
        if ((node == NODES || block->heap->node == node) && block->pins == 0 && block->users == 0) {
            cache_remove(block);
            block_release(block);
            any = true;
        }
    }
    return any;
}
