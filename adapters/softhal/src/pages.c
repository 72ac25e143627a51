/*
 * pages.c - pages of MEM_SVM, which own no memory until they are used.
 *
 * A page is unset, on the host, or on a device, and counts against that node.  Its bytes stay at the same
 * offset of the backing file wherever it lives; only the accounting and the attributes move.  A page that
 * the CPU touched is noticed when somebody asks (the file has data there), not when it happens.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static uint64_t page_size(const struct block *block)
{
    return block->granule;
}

int pages_make(struct block *block)
{
    block->pages = calloc(block->size / page_size(block), 1);
    return block->pages == NULL ? -1 : 0;
}

static size_t page_index(const struct block *block, uint64_t address)
{
    return (size_t)((address - block->start) / page_size(block));
}

static unsigned node_of(unsigned page)
{
    return page == PAGE_HOST ? HOST_NODE : page - PAGE_DEVICE0;
}

static int take(const struct block *block, unsigned page)
{
    enum page_class class = class_of(page_size(block));
    unsigned node = node_of(page);
    return node_take(node, class, page_size(block));
}

static void give(const struct block *block, unsigned page)
{
    domain_give(node_of(page), class_of(page_size(block)), page_size(block));
}

/* The CPU may have touched an unset page: then it is a host page.  Such a page exists already, so it is
 * counted as far as there is room and left uncounted otherwise. */
static void notice_touch(struct block *block, size_t index)
{
    uint64_t address = block->start + index * page_size(block);
    if ((block->pages[index] & PAGE_STATE_MASK) == PAGE_UNSET && memory_touched(address, page_size(block)) &&
        take(block, PAGE_HOST) == 0) {
        block->pages[index] = PAGE_HOST;
    }
}

unsigned page_state(struct block *block, uint64_t address)
{
    size_t index = page_index(block, address);
    notice_touch(block, index);
    return block->pages[index] & PAGE_STATE_MASK;
}

bool page_is_locked(const struct block *block, uint64_t address)
{
    return (block->pages[page_index(block, address)] & PAGE_LOCKED) != 0;
}

static size_t last_index(const struct block *block, uint64_t address, uint64_t size)
{
    uint64_t last = address + (size == 0 ? 0 : size - 1);
    uint64_t end = block->start + block->size - 1;
    return page_index(block, last < end ? last : end);
}

int pages_to_host(struct block *block, uint64_t address, uint64_t size)
{
    size_t last = last_index(block, address, size);
    for (size_t i = page_index(block, address); i <= last; i++) {
        if ((block->pages[i] & PAGE_STATE_MASK) == PAGE_UNSET) {
            if (take(block, PAGE_HOST) != 0) {
                return -1;
            }
            block->pages[i] = PAGE_HOST;
        }
    }
    return 0;
}

int pages_to_device(struct block *block, uint64_t address, uint64_t size, unsigned device, bool lock)
{
    uint8_t target = (uint8_t)(PAGE_DEVICE0 + device);
    size_t first = page_index(block, address);
    size_t last = last_index(block, address, size);
    size_t i = first;
    for (; i <= last; i++) {
        uint8_t now = block->pages[i] & PAGE_STATE_MASK;
        if (now != target) {
            if (take(block, target) != 0) {
                break;
            }
            if (now != PAGE_UNSET) {
                give(block, now);
            }
        }
        block->pages[i] = (uint8_t)(target | (lock ? PAGE_LOCKED : block->pages[i] & PAGE_LOCKED));
    }
    if (i > first) {
        cpu_access(block->start + first * page_size(block), (i - first) * page_size(block), false);
    }
    return i > last ? 0 : -1;
}

bool page_to_host(struct block *block, uint64_t address)
{
    size_t index = page_index(block, address);
    unsigned now = block->pages[index];
    if (now < PAGE_DEVICE0 || (now & PAGE_LOCKED) != 0 || take(block, PAGE_HOST) != 0) {
        return false;
    }
    give(block, now);
    block->pages[index] = PAGE_HOST;
    cpu_access(block->start + index * page_size(block), page_size(block), true);
    return true;
}

/* The device goes; its pages come home with their bytes. */
void pages_leave_device(struct block *block, unsigned device)
{
    size_t count = (size_t)(block->size / page_size(block));
    for (size_t i = 0; i < count; i++) {
        if ((block->pages[i] & PAGE_STATE_MASK) == PAGE_DEVICE0 + device) {
            give(block, PAGE_DEVICE0 + device);
            block->pages[i] = take(block, PAGE_HOST) == 0 ? PAGE_HOST : PAGE_UNSET;
            cpu_access(block->start + i * page_size(block), page_size(block), true);
        }
    }
}

void pages_drop(struct block *block)
{
    size_t count = (size_t)(block->size / page_size(block));
    for (size_t i = 0; block->pages != NULL && i < count; i++) {
        if ((block->pages[i] & PAGE_STATE_MASK) != PAGE_UNSET) {
            give(block, block->pages[i] & PAGE_STATE_MASK);
        }
    }
    free(block->pages);
    block->pages = NULL;
}
