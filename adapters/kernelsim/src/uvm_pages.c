/* uvm_pages.c - where the pages of managed memory are, and what it costs whom. */
#include <errno.h>
#include <sys/mman.h>

#include "uvm.h"

static void protect(const struct block *block, uint64_t page, int access)
{
    char *at = (char *)(uintptr_t)block->span.start + page * HUGE_PAGE;
    mprotect(at, HUGE_PAGE, access);
}

static unsigned node_of(uint8_t place)
{
    return place >= PLACE_DEVICE ? (unsigned)(place - PLACE_DEVICE) : NODE_HOST;
}

/* Room for a page, where need be by sending others away. */
static bool room(unsigned node)
{
    return node_charge(node, HUGE_PAGE) ||
           (node != NODE_HOST && uvm_swap_out(node, HUGE_PAGE) && node_charge(node, HUGE_PAGE));
}

struct block *uvm_page(uint64_t address, uint64_t *page)
{
    struct block *block = block_at(address);
    if (block == NULL || block->advised == NULL) {
        return NULL;
    }
    *page = (address - block->span.start) / HUGE_PAGE;
    return block;
}

static void drop_replicas(struct page_advice *advice)
{
    for (unsigned device = 0; device < DEVICES_MOST && advice->replicas != 0; device++) {
        if ((advice->replicas >> device & 1) != 0) {
            node_credit(device, HUGE_PAGE);
            advice->replicas &= ~(UINT64_C(1) << device);
        }
    }
}

int uvm_settle(struct block *block, uint64_t page, uint8_t place)
{
    struct page_advice *advice = &block->advised[page];
    uint8_t from = block->places[page];
    if (advice->read_mostly && place >= PLACE_DEVICE) {
        /* A copy that is there becomes the page. */
        uint64_t bit = UINT64_C(1) << node_of(place);
        if ((advice->replicas & bit) != 0) {
            advice->replicas &= ~bit;
            node_credit(NODE_HOST, HUGE_PAGE);
            block->places[page] = from = place;
        }
    }
    if (from != place) {
        if (place != PLACE_NONE && !room(node_of(place))) {
            return ENOMEM;
        }
        if (from != PLACE_NONE) {
            node_credit(node_of(from), HUGE_PAGE);
        }
        block->places[page] = place;
    }
    drop_replicas(advice);
    advice->read_mostly = false;
    protect(block, page, place == PLACE_HOST ? PROT_READ | PROT_WRITE : PROT_NONE);
    return 0;
}

int uvm_replicate(struct block *block, uint64_t page, uint32_t device)
{
    struct page_advice *advice = &block->advised[page];
    uint64_t bit = UINT64_C(1) << device;
    if ((advice->replicas & bit) == 0) {
        if (!room(device)) {
            return ENOMEM;
        }
        advice->replicas |= bit;
    }
    return 0;
}

int uvm_share_page(struct block *block, uint64_t page)
{
    struct page_advice *advice = &block->advised[page];
    uint8_t from = block->places[page];
    if (advice->read_mostly) {
        return 0;
    }
    if (from != PLACE_HOST && !room(NODE_HOST)) {
        return ENOMEM;
    }
    if (from >= PLACE_DEVICE) {
        advice->replicas |= UINT64_C(1) << node_of(from);
    }
    block->places[page] = PLACE_HOST;
    advice->read_mostly = true;
    protect(block, page, PROT_READ);
    return 0;
}

/* Take a device's copy of a page away from it; whether it had one. */
static bool evict(struct block *block, uint64_t page, uint32_t device)
{
    struct page_advice *advice = &block->advised[page];
    uint64_t bit = UINT64_C(1) << device;
    if ((advice->replicas & bit) != 0) {
        advice->replicas &= ~bit;
        node_credit(device, HUGE_PAGE);
        return true;
    }
    if (block->places[page] != PLACE_DEVICE + device || !node_charge(NODE_HOST, HUGE_PAGE)) {
        return false;
    }
    node_credit(device, HUGE_PAGE);
    block->places[page] = PLACE_HOST;
    protect(block, page, PROT_READ | PROT_WRITE);
    return true;
}

bool uvm_swap_out(uint32_t device, uint64_t bytes)
{
    size_t first = table_from(&space.blocks, UVM_START);
    for (size_t i = first; i < space.blocks.count; i++) {
        struct block *block = (struct block *)space.blocks.rows[i];
        if (!in_uvm(block->span.start)) {
            break;
        }
        for (uint64_t page = 0; page < block->span.size / HUGE_PAGE; page++) {
            struct node now = {0};
            if (block->places[page] == PLACE_NONE || !evict(block, page, device)) {
                continue;
            }
            now = node_now(device);
            if (now.size - now.used >= bytes) {
                return true;
            }
        }
    }
    return false;
}

void uvm_discard(struct block *block)
{
    for (uint64_t page = 0; page < block->span.size / HUGE_PAGE; page++) {
        if (block->places[page] != PLACE_NONE) {
            drop_replicas(&block->advised[page]);
            node_credit(node_of(block->places[page]), HUGE_PAGE);
        }
    }
}

bool uvm_touched(struct block *block, uint64_t page)
{
    return uvm_settle(block, page, PLACE_HOST) == 0;
}
