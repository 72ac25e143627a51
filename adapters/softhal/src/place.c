/* place.c - blocks at an address that the caller chose, and address space outside the windows. */
#include "heap.h"
#include "vmm.h"

/* v2: a heap of a unit of 1 GiB holds small reservations; large ones own whole units. */
static struct heap *heap_for(const struct plan *plan)
{
    struct heap *heap = heap_at(plan->address);
    if (heap != NULL) {
        bool suits = heap->kind == plan->kind && !heap->own && !plan->own && heap->granule == plan->granule;
        return suits ? heap : NULL;
    }
    uint64_t base = plan->address / GIB * GIB;
    uint64_t size = plan->own ? round_up(plan->size, GIB) : GIB;
    return heaps_touch(base, size) ? NULL : heap_add(base, size, plan, false);
}

enum placed block_place_at(const struct plan *plan, struct block **block)
{
    uint64_t end = windows.svm.base + windows.svm.size;
    if (plan->address < windows.general || plan->address >= end || plan->size > end - plan->address) {
        return PLACED_BUSY;
    }
    struct heap *heap = heap_for(plan);
    if (heap == NULL || plan->size > heap->base + heap->size - plan->address) {
        return PLACED_BUSY;
    }
    size_t index = block_index(heap, plan->address);
    if (index < heap->count && heap->blocks[index]->start - plan->address < plan->size && !FAULT(busy_address_taken)) {
        return PLACED_BUSY;
    }
    if (index < heap->count && heap->blocks[index]->start <= plan->address && !FAULT(busy_address_taken)) {
        return PLACED_BUSY;
    }
    *block = block_enter(heap, plan, plan->address, index);
    if (*block != NULL) {
        return PLACED_OK;
    }
    if (heap->count == 0 && !heap->fixed) {
        heap_remove(heap);
    }
    return PLACED_NO_MEMORY;
}

struct block *block_place_outside(const struct plan *plan)
{
    if (heaps_touch(plan->address, plan->size) || outside_hold(plan->address, plan->size) != 0) {
        return NULL;
    }
    struct heap *heap = heap_add(plan->address, plan->size, plan, false);
    struct block *block = heap == NULL ? NULL : block_enter(heap, plan, plan->address, 0);
    if (block == NULL) {
        if (heap != NULL) {
            heap_remove(heap);
        }
        outside_drop(plan->address);
    }
    return block;
}
