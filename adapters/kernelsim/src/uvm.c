/* uvm.c - commands that allocate, fill, copy and prefetch managed memory. */
#include "uvm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "trouble.h"

enum { BATCH_MOST = 4096, LOCATIONS_MOST = 64, HOST_LOCATION = 64, GROUP_MOST = 16 };

static struct heap managed = {
    .span = {UVM_START, UVM_SIZE}, .sub = SUB_UVM, .page = HUGE_PAGE, .device = NO_DEVICE};

int uvm_alloc(struct call *call)
{
    uint64_t address = call->in->alloc.va;
    uint64_t size = (call->in->alloc.size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    if (!in_uvm(address) || size == 0 || size > UVM_START + UVM_SIZE - address) {
        return EADDRNOTAVAIL;
    }
    if (address % HUGE_PAGE != 0 || table_overlap(&space.blocks, address, size) != NULL) {
        return EINVAL;
    }
    struct block *block = calloc(1, sizeof(*block));
    if (block == NULL) {
        return ENOMEM;
    }
    *block = (struct block){.span = {address, size}, .heap = &managed, .device = NO_DEVICE};
    block->places = calloc(size / HUGE_PAGE, 1);
    block->advised = calloc(size / HUGE_PAGE, sizeof(*block->advised));
    block->hold = object_make(NODE_HOST, size, 0, 0);
    bool made = block->places != NULL && block->advised != NULL && block->hold != NOTHING;
    if (made) {
        block->offset = object_of(block->hold).offset;
        made = show(address, size, block->offset, PROT_NONE) == 0 && table_add(&space.blocks, block);
    }
    if (!made) {
        object_drop(block->hold);
        free(block->places);
        free(block->advised);
        free(block);
        return ENOMEM;
    }
    return 0;
}

/* A page that nobody touched comes to be on the host; errno. */
static int touch(struct block *block, uint64_t page)
{
    return block->places[page] == PLACE_NONE ? uvm_settle(block, page, PLACE_HOST) : 0;
}

int uvm_fill(uint64_t address, uint8_t value, uint64_t size)
{
    while (size > 0) {
        uint64_t page;
        struct block *block = uvm_page(address, &page);
        int failed = block == NULL ? EINVAL : touch(block, page);
        if (failed != 0) {
            return failed;
        }
        uint64_t left = HUGE_PAGE - address % HUGE_PAGE;
        uint64_t part = size < left ? size : left;
        memset(alias_of(block->offset + (address - block->span.start)), value, part);
        address += part;
        size -= part;
    }
    return 0;
}

/* Make the destination's page ready for bytes; errno. */
static int prepare(uint64_t address)
{
    uint64_t page;
    struct block *block = uvm_page(address, &page);
    if (block == NULL) {
        return EINVAL;
    }
    return block->advised[page].read_mostly ? uvm_settle(block, page, PLACE_HOST)
                                            : touch(block, page);
}

static int check_source(uint64_t address)
{
    uint64_t page;
    struct block *block = uvm_page(address, &page);
    return block == NULL || block->places[page] == PLACE_NONE ? EFAULT : 0;
}

static uint64_t to_page_end(uint64_t address)
{
    return HUGE_PAGE - address % HUGE_PAGE;
}

/* Bytes of a page of managed memory do not go to or from a device's own memory. */
static int check_pair(uint64_t to, uint64_t from)
{
    struct view there;
    struct view here;
    int failed = view_at(to, &there);
    failed = failed != 0 ? failed : view_at(from, &here);
    if (failed != 0) {
        return failed;
    }
    bool both = in_uvm(to) && in_uvm(from);
    bool devices = there.place == PLACE_DEVICE && here.place == PLACE_DEVICE;
    return devices && !both ? EINVAL : 0;
}

static bool on_device(uint64_t address)
{
    uint64_t page;
    const struct block *block = uvm_page(address, &page);
    return block != NULL && block->places[page] >= PLACE_DEVICE;
}

static int copy_part(uint64_t to, uint64_t from, uint64_t size)
{
    int failed = in_uvm(from) ? check_source(from) : 0;
    failed = failed == 0 && in_uvm(to) ? prepare(to) : failed;
    failed = failed == 0 ? check_pair(to, from) : failed;
    if (failed != 0) {
        return failed;
    }
    if (on_device(to) && on_device(from) && kernel_errs()) {
        return 0; /* the public kernel copies nothing from device to device */
    }
    return bytes_copy(to, from, size);
}

int uvm_copy(struct call *call)
{
    union payload *in = call->in;
    uint64_t to = in->copy.to;
    uint64_t from = in->copy.from;
    uint64_t size = in->copy.size;
    if (size == 0 || (!in_uvm(to) && !in_uvm(from))) {
        return EINVAL;
    }
    while (size > 0) {
        uint64_t part = to_page_end(to) < to_page_end(from) ? to_page_end(to) : to_page_end(from);
        part = part < size ? part : size;
        int failed = copy_part(to, from, part);
        if (failed != 0) {
            return failed;
        }
        to += part;
        from += part;
        size -= part;
    }
    return 0;
}

/* The public kernel forgets that a device refused a page: the page is gone from the host, and a copy
 * that is not there is noted. */
static int send_in_vain(struct block *block, uint64_t page)
{
    if (block->places[page] == PLACE_HOST && !block->advised[page].read_mostly) {
        memset(alias_of(block->offset + page * HUGE_PAGE), 0, HUGE_PAGE);
        return uvm_settle(block, page, PLACE_NONE);
    }
    return 0;
}

static bool reaches(const struct wish *to)
{
    return to->id >= 0 && to->id < HOST_LOCATION && space.open[to->id];
}

/* Move one page where a prefetch wants it. */
static int send(struct block *block, uint64_t page, const struct wish *to)
{
    bool host = block->places[page] == PLACE_HOST;
    bool read_mostly = block->advised[page].read_mostly;
    if (block->places[page] == PLACE_NONE) {
        return 0;
    }
    switch (to->type) {
    case LOCATION_HOST:
        return host ? EOPNOTSUPP : uvm_settle(block, page, PLACE_HOST);
    case LOCATION_NUMA:
        if (kernel_errs()) {
            return EINVAL; /* of the public kernel's two checks one counts nodes from 1 */
        }
        return host ? 0 : uvm_settle(block, page, PLACE_HOST);
    case LOCATION_DEVICE:
        if (!reaches(to)) {
            return kernel_errs() ? send_in_vain(block, page) : EINVAL;
        }
        if (read_mostly) {
            uvm_replicate(block, page, (uint32_t)to->id);
            return 0;
        }
        return uvm_settle(block, page, (uint8_t)(PLACE_DEVICE + to->id));
    default:
        return EOPNOTSUPP;
    }
}

static int send_range(uint64_t start, uint64_t end, const struct wish *to)
{
    for (uint64_t at = start; at < end; at += HUGE_PAGE) {
        uint64_t page;
        struct block *block = uvm_page(at, &page);
        int failed = block == NULL ? EINVAL : send(block, page, to);
        if (failed != 0) {
            return failed;
        }
    }
    return 0;
}

static bool alike(uint64_t one, uint64_t other)
{
    uint64_t mine;
    uint64_t its;
    const struct block *here = uvm_page(one, &mine);
    const struct block *there = uvm_page(other, &its);
    return here->places[mine] == there->places[its] &&
           here->advised[mine].read_mostly == there->advised[its].read_mostly;
}

/* The public kernel gathers pages from the same place and sends them together; it forgets those it
 * has when it meets a page that nobody touched, or that is not allocated. */
static int send_in_groups(uint64_t start, uint64_t end, const struct wish *to)
{
    uint64_t first = start;
    for (uint64_t at = start; at < end; at += HUGE_PAGE) {
        uint64_t page;
        const struct block *block = uvm_page(at, &page);
        if (block == NULL) {
            return EINVAL;
        }
        if (block->places[page] == PLACE_NONE) {
            first = at + HUGE_PAGE;
        } else if (at > first && (at - first == GROUP_MOST * HUGE_PAGE || !alike(first, at))) {
            int failed = send_range(first, at, to);
            if (failed != 0) {
                return failed;
            }
            first = at;
        }
    }
    return send_range(first, end, to);
}

static int prefetch(uint64_t address, uint64_t size, const struct wish *to)
{
    if (!in_uvm(address) || size > UVM_START + UVM_SIZE - address) {
        return EADDRNOTAVAIL;
    }
    if (to->type == LOCATION_NUMA && to->id != 0) {
        return EINVAL;
    }
    uint64_t start = address / HUGE_PAGE * HUGE_PAGE;
    uint64_t end = (address + size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    int failed = kernel_errs() ? send_in_groups(start, end, to) : send_range(start, end, to);
    if (failed != 0) {
        return failed;
    }
    for (uint64_t at = start; at < end; at += HUGE_PAGE) {
        uint64_t page;
        struct block *block = uvm_page(at, &page);
        block->advised[page].last = *to;
    }
    return 0;
}

int uvm_prefetch(struct call *call)
{
    union payload *in = call->in;
    struct wish to = {(uint8_t)in->uvm_prefetch.type, (int32_t)in->uvm_prefetch.id};
    if (in->uvm_prefetch.flags != 0) {
        return EOPNOTSUPP;
    }
    return prefetch(in->uvm_prefetch.va, in->uvm_prefetch.size, &to);
}

static bool element(uint64_t array, uint64_t index, uint64_t *value)
{
    return user_read(value, (uint64_t *)(uintptr_t)array + index, sizeof(*value));
}

int uvm_prefetch_batch(struct call *call)
{
    const union payload *in = call->in;
    uint64_t next = 0;
    struct wish to = {0};
    if (in->uvm_batch.count > BATCH_MOST || in->uvm_batch.kinds > LOCATIONS_MOST) {
        return EINVAL;
    }
    for (uint64_t i = 0; i < in->uvm_batch.count; i++) {
        uint64_t address;
        uint64_t size;
        uint64_t index = 0;
        if (!element(in->uvm_batch.vas, i, &address) || !element(in->uvm_batch.sizes, i, &size) ||
            (next < in->uvm_batch.kinds && !element(in->uvm_batch.indices, next, &index))) {
            return EFAULT;
        }
        /* The first location serves from the first range on, whatever its index says. */
        if (next < in->uvm_batch.kinds && (i >= index || next == 0)) {
            uint64_t location;
            if (!element(in->uvm_batch.locations, next, &location)) {
                return EFAULT;
            }
            to = (struct wish){(uint8_t)location, (int32_t)(location >> 32)};
            next++;
        }
        int failed = prefetch(address, size, &to);
        if (failed != 0) {
            return failed;
        }
    }
    return 0;
}
