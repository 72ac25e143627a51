/* heap_device.c - what becomes of heaps and blocks when a device is opened and closed, and parked blocks. */
#include "heap.h"
#include "vmm.h"

static unsigned parked_blocks;

/* v3: memory that other processes still see stays where it is, accounted to the share, until they let go. */
bool block_park(struct block *block)
{
    if (generation() == GEN_V2 || block->charged == 0) {
        return false;
    }
    domain_lock();
    bool pinned = shares_pinned(block->start, block->size);
    if (pinned) {
        shares_defer(block->start, block->size, block->heap->node, class_of(block->granule), block->charged);
    }
    domain_unlock();
    if (pinned) {
        block->charged = 0;
        block->live = false;
        block->parked = true;
        parked_blocks++;
    }
    return pinned;
}

void blocks_unpark(void)
{
    for (size_t i = 0; i < heap_count && parked_blocks > 0; i++) {
        for (size_t j = heaps[i]->count; j > 0; j--) {
            struct block *block = heaps[i]->blocks[j - 1];
            if (!block->parked || block->pins > 0) {
                continue;
            }
            domain_lock();
            bool pinned = shares_pinned(block->start, block->size);
            domain_unlock();
            if (!pinned) {
                parked_blocks--;
                block_release(block); /* v3 heaps stay, so i is still right */
            }
        }
    }
}

void blocks_forget_parked(void)
{
    parked_blocks = 0;
}

void blocks_of_kind(enum kind kind, void (*visit)(struct block *block, unsigned argument), unsigned argument)
{
    for (size_t i = 0; i < heap_count; i++) {
        for (size_t j = 0; j < heaps[i]->count && heaps[i]->kind == kind; j++) {
            visit(heaps[i]->blocks[j], argument);
        }
    }
}

/* The slots that exist from the open of a device to its close. */
void heaps_open_device(unsigned device)
{
    if (generation() == GEN_V3) {
        return;
    }
    uvm_open_device(device);
    struct plan plan = {.kind = KIND_DVPP, .device = device, .node = device, .granule = SMALL_PAGE};
    heap_add(windows.dvpp + device * 32 * GIB, 4 * GIB, &plan, true);
    plan.kind = KIND_READ_ONLY;
    heap_add(windows.read_only + device * 4 * GIB, 4 * GIB, &plan, true);
    plan.kind = KIND_DEV_READ_ONLY;
    heap_add(windows.dev_read_only + device * 8 * GIB, 8 * GIB, &plan, true);
}

static bool is_of_device(const struct heap *heap, unsigned device)
{
    return kind_is_device(heap->kind) && heap->node == device;
}

static struct block *first_of_device(unsigned device)
{
    for (size_t i = 0; i < heap_count; i++) {
        for (size_t j = 0; is_of_device(heaps[i], device) && j < heaps[i]->count; j++) {
            if (!heaps[i]->blocks[j]->parked) {
                return heaps[i]->blocks[j];
            }
        }
    }
    return NULL;
}

/* Hides the blocks of a device from every other call; true if one of them is being used right now. */
static bool hide_blocks(unsigned device)
{
    bool busy = false;
    for (size_t i = 0; i < heap_count; i++) {
        for (size_t j = 0; j < heaps[i]->count && is_of_device(heaps[i], device); j++) {
            heaps[i]->blocks[j]->live = false;
            busy = busy || heaps[i]->blocks[j]->users > 0;
        }
    }
    return busy;
}

void heaps_close_device(unsigned device)
{
    struct block *block;
    if (FAULT(close_keeps_blocks)) {
        return;
    }
    /* Calls that are running finish; with the blocks hidden no new one can begin, nor pin anything. */
    while (pools_hide(device) || hide_blocks(device) || mappings_busy(device)) {
        pthread_cond_wait(&state.idle, &state.lock);
    }
    uvm_close_device(device);
    conversions_detach_device(device);
    pools_close_device(device);
    mappings_close_device(device);
    registrations_close_device(device);
    handles_close_device(device);
    while ((block = first_of_device(device)) != NULL) {
        cache_remove(block);
        if (!block_park(block)) {
            block_release(block);
        }
    }
    domain_lock();
    shares_leave(own_slot(), (int)device);
    domain_unlock();
    /* v2 gives the heaps back; a v3 reservation stays. */
    for (size_t i = heap_count; i > 0 && generation() == GEN_V2; i--) {
        if (kind_is_device(heaps[i - 1]->kind) && heaps[i - 1]->node == device && heaps[i - 1]->count == 0) {
            heap_remove(heaps[i - 1]);
        }
    }
    for (size_t i = 0; i < heap_count; i++) {
        for (size_t j = 0; j < heaps[i]->count && heaps[i]->kind == KIND_SVM; j++) {
            pages_leave_device(heaps[i]->blocks[j], device);
        }
    }
}
