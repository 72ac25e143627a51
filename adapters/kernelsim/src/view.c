/* view.c - what lies at an address, for everything that reads or writes memory. */
#include <errno.h>
#include <string.h>

#include "assumed.h"
#include "soma.h"

static uint64_t least(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static void in_mapping(uint64_t address, struct mapping *mapping, struct view *view)
{
    uint64_t offset = address - mapping->span.start;
    *view = (struct view){
        .at = alias_of(mapping->offset + offset),
        .size = mapping->span.size - offset,
        .place = mapping->device == HOST_ID ? PLACE_HOST : PLACE_DEVICE,
        .device = mapping->device,
        .mapping = mapping,
    };
}

static void in_block(uint64_t address, struct block *block, struct view *view)
{
    uint64_t offset = address - block->span.start;
    *view = (struct view){
        .at = alias_of(block->offset + offset),
        .size = block->span.size - offset,
        .device = block->device,
        .block = block,
    };
    if (block->places != NULL) {
        uint64_t page = block->heap->page;
        uint8_t place = block->places[offset / page];
        view->size = page - offset % page;
        view->place = place >= PLACE_DEVICE ? PLACE_DEVICE : (enum place)place;
        if (place >= PLACE_DEVICE) {
            view->device = place - PLACE_DEVICE;
        }
        /* Neighbours in the same place are one stretch. */
        for (uint64_t next = offset / page + 1;
             next < block->span.size / page && block->places[next] == place; next++) {
            view->size += page;
        }
    } else if (block->hold != NOTHING) {
        view->place = block->heap->sub == SUB_HOST ? PLACE_HOST : PLACE_DEVICE;
    }
}

int view_at(uint64_t address, struct view *view)
{
    struct block *block = block_at(address);
    struct mapping *mapping = table_at(&space.mappings, address);
    if (mapping != NULL) {
        in_mapping(address, mapping, view);
        return 0;
    }
    if (block != NULL && block->heap->sub != SUB_RESERVE) {
        in_block(address, block, view);
        return 0;
    }
    if (in_soma(address) && soma_at(address, view)) {
        return 0;
    }
    if (block != NULL || in_windows(address)) {
        return EINVAL;
    }
    *view = (struct view){.at = (char *)(uintptr_t)address, .size = UINT64_MAX - address, .user = true,
                          .place = PLACE_HOST, .device = HOST_ID};
    return 0;
}

static int move_bytes(const struct view *to, const struct view *from, uint64_t size)
{
    bool done = true;
    if (to->user && from->user) {
        return EINVAL; /* the library copies these itself */
    }
    if (from->user) {
        done = user_read(to->at, from->at, size);
    } else if (to->user) {
        done = user_write(to->at, from->at, size);
    } else {
        memmove(to->at, from->at, size);
    }
    return done ? 0 : EFAULT;
}

int bytes_copy(uint64_t to, uint64_t from, uint64_t size)
{
    while (size > 0) {
        struct view there;
        struct view here;
        int failed = view_at(to, &there);
        failed = failed != 0 ? failed : view_at(from, &here);
        if (failed != 0 || there.place == PLACE_NONE || here.place == PLACE_NONE) {
            assume(ASSUMED_COPY_PAST_END);
            return failed != 0 ? failed : EINVAL;
        }
        uint64_t part = least(size, least(there.size, here.size));
        failed = move_bytes(&there, &here, part);
        if (failed != 0) {
            return failed;
        }
        to += part;
        from += part;
        size -= part;
    }
    return 0;
}

int bytes_fill(uint64_t to, uint8_t value, uint64_t size)
{
    while (size > 0) {
        struct view there;
        int failed = view_at(to, &there);
        if (failed != 0 || there.place == PLACE_NONE || there.user) {
            return failed != 0 ? failed : EINVAL;
        }
        uint64_t part = least(size, there.size);
        memset(there.at, value, part);
        to += part;
        size -= part;
    }
    return 0;
}
