/*
 * heap.c - virtual address space: heaps of one kind, and blocks in them.
 *
 * v2 manages the general area in units of 1 GiB, each unit given to memory of one kind; a block of
 * more than 512 MiB, or of giant pages, owns whole units (v2 devmm_virt_base_heap.c).  DVPP and the two
 * read-only kinds live in a slot per device, MEM_HOST_UVA and MEM_UVM in windows of their own.  v3
 * reserves larger regions, one or more per device and one for the host.  Both are lists of heaps here,
 * sorted by address; a heap holds its blocks sorted by address.
 */
#include <stdlib.h>
#include <string.h>

#include "caprice.h"
#include "heap.h"
#include "vmm.h"

#define V3_HOST_REGION (2 * TIB)
#define V3_DEVICE_REGION (64 * GIB)
#define V3_CP_ONLY_REGION (2 * GIB)

struct heap **heaps;
size_t heap_count;
static size_t heap_room;

bool kind_is_device(enum kind kind)
{
    return kind == KIND_DEV || kind == KIND_DVPP || kind == KIND_READ_ONLY || kind == KIND_DEV_READ_ONLY ||
           kind == KIND_CP_ONLY || kind == KIND_OPENED || kind == KIND_POOL;
}

bool kind_is_host(enum kind kind)
{
    return kind == KIND_HOST || kind == KIND_HOST_UVA;
}

bool kind_is_paged(enum kind kind)
{
    return kind == KIND_SVM || kind == KIND_UVM;
}

enum page_class class_of(uint64_t granule)
{
    return granule == GIANT_PAGE ? CLASS_GIANT : granule == HUGE_PAGE ? CLASS_HUGE : CLASS_SMALL;
}

uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

size_t heap_index(uint64_t address)
{
    size_t low = 0;
    size_t high = heap_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (heaps[middle]->base + heaps[middle]->size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct heap *heap_at(uint64_t address)
{
    size_t index = heap_index(address);
    return index < heap_count && heaps[index]->base <= address ? heaps[index] : NULL;
}

size_t block_index(const struct heap *heap, uint64_t address)
{
    size_t low = 0;
    size_t high = heap->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (heap->blocks[middle]->start + heap->blocks[middle]->size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct block *block_at(uint64_t address)
{
    struct heap *heap = heap_at(address);
    if (heap == NULL) {
        return NULL;
    }
    size_t index = block_index(heap, address);
    return index < heap->count && heap->blocks[index]->start <= address ? heap->blocks[index] : NULL;
}

struct block *live_block_at(uint64_t address)
{
    struct block *block = block_at(address);
    return block != NULL && block->live ? block : NULL;
}

static bool grow(void ***items, size_t count, size_t *room)
{
    if (count < *room) {
        return true;
    }
    size_t wanted = *room == 0 ? 16 : *room * 2;
    void **bigger = realloc(*items, wanted * sizeof(void *));
    if (bigger == NULL) {
        return false;
    }
    *items = bigger;
    *room = wanted;
    return true;
}

struct heap *heap_add(uint64_t base, uint64_t size, const struct plan *plan, bool fixed)
{
    struct heap *heap = calloc(1, sizeof(*heap));
    if (heap == NULL || !grow((void ***)&heaps, heap_count, &heap_room)) {
        free(heap);
        return NULL;
    }
    heap->base = base;
    heap->size = size;
    heap->kind = plan->kind;
    heap->node = plan->node;
    heap->granule = plan->granule;
    heap->own = plan->own;
    heap->fixed = fixed;
    size_t index = heap_index(base);
    memmove(&heaps[index + 1], &heaps[index], (heap_count - index) * sizeof(heaps[0]));
    heaps[index] = heap;
    heap_count++;
    return heap;
}

void heap_remove(struct heap *heap)
{
    size_t index = heap_index(heap->base);
    heap_count--;
    memmove(&heaps[index], &heaps[index + 1], (heap_count - index) * sizeof(heaps[0]));
    free(heap->blocks);
    free(heap);
}

/* First free range of size bytes in the general area, aligned to unit; 0 if there is none. */
static uint64_t general_gap(uint64_t size, uint64_t unit)
{
    uint64_t at = windows.general;
    uint64_t end = windows.svm.base + windows.svm.size;
    if (caprice_places()) {
        return caprice_room(at, end, size, unit);
    }
    for (size_t i = heap_index(at); i < heap_count && heaps[i]->base < end; i++) {
        if (heaps[i]->base - at >= size) {
            break;
        }
        at = round_up(heaps[i]->base + heaps[i]->size, unit);
    }
    return at < end && end - at >= size ? at : 0;
}

bool heaps_touch(uint64_t address, uint64_t size)
{
    size_t index = heap_index(address);
    return index < heap_count && (heaps[index]->base <= address || heaps[index]->base - address < size);
}

bool heaps_hold(uint64_t address, uint64_t size)
{
    const struct heap *heap = heap_at(address);
    return heap != NULL && size <= heap->base + heap->size - address;
}

static struct heap *heap_new(const struct plan *plan)
{
    uint64_t size = GIB;
    if (generation() == GEN_V2) {
        if (plan->kind == KIND_UVM) {
            return heap_add(windows.uvm.base, windows.uvm.size, plan, false);
        }
        if (plan->kind == KIND_HOST_UVA) {
            return windows.host_uva.size == 0 ? NULL : heap_add(windows.host_uva.base, windows.host_uva.size, plan, false);
        }
        size = plan->own ? round_up(plan->size, GIB) : GIB;
    } else {
        size = kind_is_host(plan->kind) ? V3_HOST_REGION : plan->kind == KIND_CP_ONLY ? V3_CP_ONLY_REGION : V3_DEVICE_REGION;
        size = plan->size > size ? round_up(plan->size, V3_DEVICE_REGION) : size;
        size = plan->own ? plan->size : size;
    }
    uint64_t base = general_gap(size, GIB);
    return base == 0 ? NULL : heap_add(base, size, plan, generation() == GEN_V3 && !plan->own);
}

static bool heap_suits(const struct heap *heap, const struct plan *plan)
{
    if (heap->kind != plan->kind || heap->node != plan->node || heap->own || plan->own) {
        return false;
    }
    return generation() == GEN_V3 || heap->granule == plan->granule;
}

/* First gap for the plan in a heap; false if it is full.  *index is where the block goes. */
static bool heap_gap(struct heap *heap, const struct plan *plan, uint64_t *address, size_t *index)
{
    if (caprice_places() && !plan->own) {
        return caprice_gap(heap, plan, address, index);
    }
    size_t i = heap->hint;
    uint64_t at = i == 0 ? heap->base : heap->blocks[i - 1]->start + heap->blocks[i - 1]->size;
    bool tight = true; /* so far the blocks followed each other without a gap */
    for (;; i++) {
        uint64_t limit = i < heap->count ? heap->blocks[i]->start : heap->base + heap->size;
        uint64_t start = round_up(at, plan->granule);
        if (tight && limit == at && i < heap->count) {
            heap->hint = i + 1;
        } else {
            tight = false;
        }
        if (start <= limit && limit - start >= plan->size) {
            *address = start;
            *index = i;
            return true;
        }
        if (i >= heap->count) {
            return false;
        }
        at = heap->blocks[i]->start + heap->blocks[i]->size;
    }
}

struct block *block_enter(struct heap *heap, const struct plan *plan, uint64_t address, size_t index)
{
    struct block *block = calloc(1, sizeof(*block));
    if (block == NULL || !grow((void ***)&heap->blocks, heap->count, &heap->room)) {
        free(block);
        return NULL;
    }
    block->start = address;
    block->size = plan->size;
    block->granule = plan->granule;
    block->cache_limit = plan->cache_limit;
    block->device_read_only = plan->device_read_only;
    block->heap = heap;
    block->bound = -1;
    memmove(&heap->blocks[index + 1], &heap->blocks[index], (heap->count - index) * sizeof(heap->blocks[0]));
    heap->blocks[index] = block;
    heap->count++;
    return block;
}

struct block *block_place(const struct plan *plan)
{
    uint64_t address = 0;
    size_t index = 0;
    struct heap *found = NULL;
    for (size_t i = 0; i < heap_count && found == NULL; i++) {
        if (heap_suits(heaps[i], plan) && heap_gap(heaps[i], plan, &address, &index)) {
            found = heaps[i];
        }
    }
    if (found == NULL) {
        /* Slots and windows have one heap; only the general area can grow. */
        bool single = plan->kind == KIND_DVPP || plan->kind == KIND_READ_ONLY || plan->kind == KIND_DEV_READ_ONLY;
        if (generation() == GEN_V2 && (single || plan->kind == KIND_UVM || plan->kind == KIND_HOST_UVA)) {
            for (size_t i = 0; i < heap_count; i++) {
                single = single || heap_suits(heaps[i], plan);
            }
            if (single) {
                return NULL;
            }
        }
        found = heap_new(plan);
        if (found == NULL || !heap_gap(found, plan, &address, &index)) {
            return NULL;
        }
    }
    struct block *block = block_enter(found, plan, address, index);
    if (block == NULL && found->count == 0 && !found->fixed) {
        heap_remove(found);
    }
    return block;
}

void block_release(struct block *block)
{
    struct heap *heap = block->heap;
    if (block->opening != NULL) {
        opening_gone(block);
    } else if (block->charged != 0) {
        domain_lock();
        shares_memory_gone(block->start, block->size);
        domain_unlock();
    }
    if (heap->kind == KIND_UVM) {
        uvm_remove(block->start, block->size);
    } else if (heap->kind == KIND_SVM) {
        pages_drop(block);
    }
    if (!kind_is_device(heap->kind) || block->device_read_only) { /* those the CPU could see */
        memory_hide(block->start, block->size);
    }
    memory_discard(block->start, block->size);
    if (block->charged != 0 && !FAULT(leak_on_free)) {
        domain_give(FAULT(charge_wrong_device) && heap->node != HOST_NODE ? 0 : heap->node, class_of(block->granule),
                    block->charged);
    }
    size_t index = block_index(heap, block->start);
    while (index < heap->count && heap->blocks[index] != block) {
        index++;
    }
    heap->count--;
    memmove(&heap->blocks[index], &heap->blocks[index + 1], (heap->count - index) * sizeof(heap->blocks[0]));
    heap->hint = index < heap->hint ? index : heap->hint;
    free(block);
    if (heap->count == 0 && !heap->fixed) {
        heap_remove(heap);
    }
}

void block_unpin(struct block *block)
{
    block->pins--;
    if (block->pins == 0 && block->users == 0 && !block->live && block->cache_limit == 0 && !block->parked &&
        !block_park(block)) {
        block_release(block);
    }
}

#ifdef SOFTHAL_FAULTS
struct block *block_like(const struct plan *plan)
{
    for (size_t i = 0; i < heap_count; i++) {
        for (size_t j = 0; j < heaps[i]->count; j++) {
            struct block *block = heaps[i]->blocks[j];
            if (block->live && heaps[i]->kind == plan->kind && heaps[i]->node == plan->node &&
                block->granule == plan->granule) {
                return block;
            }
        }
    }
    return NULL;
}
#endif

void heaps_forget(void)
{
    for (size_t i = 0; i < heap_count; i++) {
        for (size_t j = 0; j < heaps[i]->count; j++) {
            cache_remove(heaps[i]->blocks[j]);
            mappings_forget(heaps[i]->blocks[j]);
            free(heaps[i]->blocks[j]->opening);
            free(heaps[i]->blocks[j]->pages);
            free(heaps[i]->blocks[j]);
        }
        free(heaps[i]->blocks);
        free(heaps[i]);
    }
    free(heaps);
    heaps = NULL;
    heap_count = 0;
    heap_room = 0;
    blocks_forget_parked();
}
