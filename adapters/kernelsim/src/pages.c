/* pages.c - commands that allocate addresses, put memory behind them, and take it away. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "assumed.h"
#include "ipc.h"
#include "real.h"
#include "trouble.h"
#include "uvm.h"

static uint64_t rounded(uint64_t size, uint64_t page)
{
    return (size + page - 1) / page * page;
}

static bool pinned(const struct heap *heap)
{
    return heap->type == (uint32_t)HEAP_PINNED;
}

/* The heap of the window of host memory at device addresses, and that of managed memory: they are
 * there from the start and are not enabled. */
static struct heap *heap_for(uint64_t address)
{
    static struct heap host_uva = {.type = (uint32_t)HEAP_PINNED, .sub = SUB_HOST, .page = PAGE};
    struct heap *heap = heap_at(address);
    if (heap == NULL && in_host_uva(address)) {
        uint64_t start = in_host_uva(HOST_UVA_PCIE) ? HOST_UVA_PCIE : HOST_UVA_HCCS;
        host_uva.span = (struct span){start, HOST_UVA_SIZE};
        heap = &host_uva;
    }
    return heap;
}

static bool fits(const struct heap *heap, uint64_t address, uint64_t size)
{
    return size <= heap->span.size && address - heap->span.start <= heap->span.size - size;
}

/* Memory that moves has it from the start, on nobody's account until a page is used. */
static int give_moving(struct block *block)
{
    block->hold = object_make(NODE_HOST, block->span.size, 0, 0);
    block->places = block->hold != NOTHING ? calloc(block->span.size / block->heap->page, 1) : NULL;
    if (block->places == NULL) {
        return ENOMEM;
    }
    block->offset = object_of(block->hold).offset;
    return show(block->span.start, block->span.size, block->offset, PROT_NONE);
}

int page_alloc(struct call *call)
{
    uint64_t address = call->in->alloc.va;
    struct heap *heap = heap_for(address);
    if (heap == NULL || !fits(heap, address, call->in->alloc.size) || call->in->alloc.size == 0) {
        return EADDRNOTAVAIL;
    }
    uint64_t size = rounded(call->in->alloc.size, heap->page);
    if (table_overlap(&space.blocks, address, size) != NULL) {
        return EINVAL;
    }
    struct block *block = calloc(1, sizeof(*block));
    if (block == NULL) {
        return ENOMEM;
    }
    *block = (struct block){.span = {address, size}, .heap = heap, .device = NO_DEVICE};
    int failed = heap->sub == SUB_SVM ? give_moving(block) : 0;
    if (failed == 0 && !table_add(&space.blocks, block)) {
        failed = ENOMEM;
    }
    if (failed != 0) {
        object_drop(block->hold);
        free(block->places);
        free(block);
    }
    return failed;
}

int page_free(struct call *call)
{
    uint64_t address = call->in->free.va;
    struct block *block = block_at(address);
    if (in_soma(address)) {
        return 0;
    }
    if (in_uvm(address) && address % HUGE_PAGE != 0) {
        return EADDRNOTAVAIL;
    }
    struct heap *heap = heap_for(address);
    if (!in_uvm(address) && (heap == NULL || address % heap->page != 0)) {
        return EADDRNOTAVAIL;
    }
    if (block == NULL || block->span.start != address) {
        return EINVAL;
    }
    if (block->references > 0 || block->translated ||
        table_overlap(&space.mappings, block->span.start, block->span.size) != NULL) {
        return EBUSY;
    }
    ipc_forget(block->span.start, block->span.size);
    block_remove(block);
    return 0;
}

uint32_t memory_make(unsigned node, uint64_t size, uint64_t charged)
{
    uint32_t hold = object_make(node, size, charged, 0);
    if (hold == NOTHING && node != NODE_HOST && uvm_swap_out(node, charged)) {
        hold = object_make(node, size, charged, 0);
    }
    if (hold == NOTHING && node != NODE_HOST) {
        assume(ASSUMED_DEVICE_FULL);
    }
    return hold;
}

int block_populate(struct block *block, unsigned node, uint64_t charged)
{
    uint32_t hold = memory_make(node, block->span.size, charged);
    if (hold == NOTHING) {
        return ENOMEM;
    }
    block->hold = hold;
    block->offset = object_of(hold).offset;
    block->populated = true;
    return 0;
}

static int pin_on_host(struct block *block, uint64_t address, uint64_t size)
{
    uint64_t page = block->heap->page;
    if (block->span.start != address || rounded(size, page) != block->span.size) {
        return EINVAL;
    }
    if (block->populated) {
        return EADDRINUSE;
    }
    int failed = block_populate(block, NODE_HOST, block->span.size);
    if (failed == 0) {
        failed = show(block->span.start, block->span.size, block->offset, PROT_READ | PROT_WRITE);
    }
    if (failed != 0 && block->hold != NOTHING) {
        object_drop(block->hold);
        block->hold = NOTHING;
        block->populated = false;
    }
    return failed;
}

static int put_on_device(struct call *call, struct block *block)
{
    uint64_t page = call->in->advise.advice & 0x8000 ? GIB : block->heap->page;
    if (block->populated) {
        return EINVAL;
    }
    int closed = device_closed(call->device);
    if (closed != 0) {
        return closed;
    }
    block->device = call->device;
    block->read_only = (call->in->advise.advice & ADVISE_READ_ONLY) != 0;
    return block_populate(block, call->device, rounded(block->span.size, page));
}

/* Whether all pages of a range are allocated. */
static bool all_allocated(uint64_t address, uint64_t size)
{
    for (uint64_t done = 0; done < size;) {
        struct block *block = block_at(address + done);
        if (block == NULL) {
            return false;
        }
        done += block->span.start + block->span.size - (address + done);
    }
    return true;
}

/* Pages go to one device only, and not from one that has them. */
static int move_to_device(struct call *call, struct block *block, uint64_t address, uint64_t size)
{
    if (block->device != NO_DEVICE && block->device != call->device) {
        return EINVAL;
    }
    for (uint64_t done = 0; done < size;) {
        struct view view;
        int failed = view_at(address + done, &view);
        if (failed != 0) {
            return failed;
        }
        if (view.place == PLACE_DEVICE && view.device != call->device) {
            return EINVAL;
        }
        done += view.size;
    }
    return pages_move(block, address, size, PLACE_DEVICE, call->device);
}

int page_advise(struct call *call)
{
    union payload *in = call->in;
    uint64_t address = in->advise.va;
    uint64_t size = in->advise.size;
    struct heap *heap = heap_for(address);
    if (heap == NULL ||
        (heap->type == (uint32_t)HEAP_CHUNK && (in->advise.advice & ADVISE_HUGE) != 0)) {
        return EADDRNOTAVAIL;
    }
    struct block *block = block_at(address);
    if (!fits(heap, address, size)) {
        return EINVAL;
    }
    if (heap->sub == SUB_RESERVE) {
        if (!all_allocated(address, size)) {
            return EINVAL;
        }
        bool populates = (in->advise.advice & (ADVISE_PERSISTENT | ADVISE_POPULATE)) == ADVISE_POPULATE;
        return populates ? EOPNOTSUPP : 0;
    }
    if (pinned(heap)) {
        return block == NULL ? EINVAL : pin_on_host(block, address, size);
    }
    if ((heap->sub == SUB_READ_ONLY && (in->advise.advice & ADVISE_READ_ONLY) == 0) ||
        !all_allocated(address, size)) {
        return EINVAL;
    }
    if (block->references > 0 && !block->populated) {
        return EBUSY;
    }
    if ((in->advise.advice & ADVISE_PERSISTENT) != 0) {
        return 0;
    }
    block->advice = in->advise.advice;
    if ((in->advise.advice & ADVISE_POPULATE) == 0) {
        return block->populated ? EINVAL : 0;
    }
    if (heap->sub != SUB_SVM) {
        return put_on_device(call, block);
    }
    int closed = device_closed(call->device);
    if (closed != 0) {
        return closed;
    }
    if ((in->advise.advice & ADVISE_LOCK_DEVICE) != 0 && block->device == NO_DEVICE) {
        block->device = call->device;
    }
    return move_to_device(call, block, address, size);
}

static bool nobody_touched(const struct block *block, uint64_t address, uint64_t size)
{
    uint64_t page = block->heap->page;
    uint64_t end = rounded(address + size - block->span.start, page) / page;
    uint64_t pages = block->span.size / page;
    for (uint64_t at = (address - block->span.start) / page; at < end && at < pages; at++) {
        if (block->places[at] != PLACE_NONE) {
            return false;
        }
    }
    return true;
}

int page_prefetch(struct call *call)
{
    uint64_t address = call->in->advise.va;
    uint64_t size = call->in->advise.size;
    struct heap *heap = heap_at(address);
    if (heap == NULL) {
        return EADDRNOTAVAIL;
    }
    struct block *block = block_at(address);
    if (!fits(heap, address, size) || pinned(heap) || block == NULL || block->read_only ||
        !all_allocated(address, size)) {
        return EINVAL;
    }
    if (block->lent) {
        return block->device == call->device ? device_closed(call->device) : EINVAL;
    }
    struct mapping *mapping = table_at(&space.mappings, address);
    if (heap->sub == SUB_RESERVE) {
        return mapping == NULL || !mapping->own ? EINVAL : 0;
    }
    int closed = device_closed(call->device);
    if (closed != 0) {
        return closed;
    }
    struct view first;
    if (block->places == NULL || (view_at(address, &first) == 0 && first.place == PLACE_DEVICE)) {
        return 0; /* a peer is shown the pages; they stay where they are */
    }
    if (nobody_touched(block, address, size) && !kernel_errs()) {
        return EINVAL; /* the public kernel gives the device fresh pages */
    }
    return move_to_device(call, block, address, size);
}
