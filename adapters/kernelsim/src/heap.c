/* heap.c - ranges that the library enables for one kind of memory each, and what lies in them. */
#include <errno.h>
#include <stdlib.h>

#include "real.h"
#include "ipc.h"
#include "uvm.h"

enum { ENABLE, DISABLE };

#define STATIC_HEAPS (SVM_SIZE / HEAP_UNIT)
#define MAPPED_MOST (128 * GIB)

struct heap *heap_at(uint64_t address)
{
    return table_at(&space.heaps, address);
}

struct block *block_at(uint64_t address)
{
    return table_at(&space.blocks, address);
}

int show(uint64_t address, uint64_t size, uint64_t offset, int access)
{
    void *at = (void *)(uintptr_t)address;
    void *got = real_mmap(at, size, access, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, store_fd(),
                          (off_t)offset);
    if (got == MAP_FAILED) {
        return ENOMEM;
    }
    real_madvise(at, size, MADV_DONTFORK);
    return 0;
}

void hide(uint64_t address, uint64_t size)
{
    void *at = (void *)(uintptr_t)address;
    real_mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    real_madvise(at, size, MADV_DONTFORK);
}

void block_remove(struct block *block)
{
    if (block->hold != NOTHING) {
        if (block->advised != NULL) {
            uvm_discard(block);
        } else if (block->places != NULL) {
            pages_move(block, block->span.start, block->span.size, PLACE_NONE, NO_DEVICE);
        }
        hide(block->span.start, block->span.size);
        object_drop(block->hold);
    }
    table_remove(&space.blocks, block);
    free(block->places);
    free(block->advised);
    free(block);
}

void heap_remove(struct heap *heap)
{
    struct block *block;
    while ((block = table_overlap(&space.blocks, heap->span.start, heap->span.size)) != NULL) {
        ipc_forget(block->span.start, block->span.size);
        block_remove(block);
    }
    table_remove(&space.heaps, heap);
    free(heap);
}

static uint64_t power_of_two(uint64_t size)
{
    uint64_t power = HEAP_UNIT;
    while (power < size) {
        power *= 2;
    }
    return power;
}

/* Whether a heap of a kind may have a size. */
static int check_size(const struct call *call, uint64_t size)
{
    uint32_t device = call->argument->device;
    uint64_t dvpp = settings()->product->dvpp_heap;
    bool wrong = false;
    switch (call->in->heap.sub_type) {
    case SUB_SVM:
    case SUB_RESERVE:
        wrong = size > MAPPED_MOST && call->in->heap.index < STATIC_HEAPS;
        break;
    case SUB_DEVICE:
        if (device >= settings()->devices) {
            return ENODEV;
        }
        if (device_closed(device) != 0) {
            return ESRCH;
        }
        wrong = size > power_of_two(settings()->device_memory[device]);
        break;
    case SUB_HOST:
        wrong = size > power_of_two(settings()->host_memory);
        break;
    case SUB_DVPP:
        wrong = size != dvpp;
        break;
    case SUB_READ_ONLY:
        wrong = size != 4 * GIB;
        break;
    case SUB_DEVICE_READ_ONLY:
        wrong = size != 8 * GIB;
        break;
    default:
        wrong = true;
    }
    return wrong ? EINVAL : 0;
}

static int enable(const struct call *call, uint64_t start, uint64_t size)
{
    if (table_overlap(&space.heaps, start, size) != NULL) {
        return EINVAL;
    }
    int failed = check_size(call, size);
    if (failed != 0) {
        return failed;
    }
    struct heap *heap = calloc(1, sizeof(*heap));
    if (heap == NULL) {
        return ENOMEM;
    }
    *heap = (struct heap){
        .span = {start, size},
        .type = call->in->heap.type,
        .sub = call->in->heap.sub_type,
        .device = call->argument->device,
        .page = call->in->heap.type == (uint32_t)HEAP_HUGE ? HUGE_PAGE : PAGE,
    };
    if (!table_add(&space.heaps, heap)) {
        free(heap);
        return ENOMEM;
    }
    return 0;
}

static int disable(uint64_t start)
{
    struct heap *heap = heap_at(start);
    if (heap == NULL || heap->span.start != start) {
        return EINVAL;
    }
    for (size_t i = table_from(&space.blocks, start); i < space.blocks.count; i++) {
        const struct block *block = (const struct block *)space.blocks.rows[i];
        if (block->heap != heap) {
            break;
        }
        if (block->references > 0) {
            return EBUSY;
        }
    }
    if (table_overlap(&space.mappings, start, heap->span.size) != NULL) {
        return EBUSY;
    }
    heap_remove(heap);
    return 0;
}

int heap_update(struct call *call)
{
    union payload *in = call->in;
    uint64_t size = in->heap.size;
    uint64_t start = SVM_START + in->heap.index * HEAP_UNIT;
    if (size == 0 || size % HEAP_UNIT != 0 || in->heap.operation > DISABLE) {
        return EINVAL;
    }
    bool fixed = in->heap.index < STATIC_HEAPS;
    if (fixed && in->heap.index + size / HEAP_UNIT > STATIC_HEAPS) {
        return EINVAL;
    }
    return in->heap.operation == ENABLE ? enable(call, start, size) : disable(start);
}
