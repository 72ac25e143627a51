/*
 * uvm_frames.c - the managed pages on each device, and which of them go when memory is short.
 *
 * Every use by the device sets the young bit of a page.  A look at all pages reads and clears the bits, and
 * ages those that were not young: a page's age is the number of looks since it was last used.  The
 * oldest go first; of equals, the one that came first.
 */
#include <stdlib.h>
#include <string.h>

#include "caprice.h"
#include "uvm.h"

struct frame {
    uvm_number page;
    uint8_t young, age;
};
struct frames {
    struct frame *items;
    size_t count, room;
};
static struct frames frames[MAX_DEVICES];

static bool grow(struct frames *list)
{
    if (list->count < list->room) {
        return true;
    }
    size_t wanted = list->room == 0 ? 64 : list->room * 2;
    struct frame *bigger = realloc(list->items, wanted * sizeof(*bigger));
    if (bigger == NULL) {
        return false;
    }
    list->items = bigger;
    list->room = wanted;
    return true;
}

static void look(struct frames *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct frame *frame = &list->items[i];
        frame->age = frame->young != 0 ? 0 : frame->age == UINT8_MAX ? UINT8_MAX : (uint8_t)(frame->age + 1);
        frame->young = 0;
    }
}

/* The oldest page of at least an age; a copy of a page that the host has as well if wanted.  Or NULL. */
static const struct frame *oldest(const struct frames *list, unsigned age, bool replica)
{
    const struct frame *found = NULL;
    size_t seen = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct frame *frame = &list->items[i];
        bool fits = frame->age >= age && (!replica || uvm_peek(frame->page)->state == UVM_READ_MOSTLY);
        seen += fits ? 1 : 0;
        if (fits && (found == NULL || frame->age > found->age || caprice_pick(seen, 1) == 0)) {
            found = frame;
        }
    }
    return found;
}

/* Swaps out one page of at least an age; where the host has no memory, a copy that needs none. */
static bool swap_one(unsigned device, unsigned age)
{
    const struct frame *frame = oldest(&frames[device], age, false);
    if (frame != NULL && uvm_swap_out(frame->page, device)) {
        return true;
    }
    frame = oldest(&frames[device], age, true);
    return frame != NULL && uvm_swap_out(frame->page, device);
}

void uvm_scan(unsigned device, unsigned age, uint64_t enough)
{
    look(&frames[device]);
    while (domain_in_use(device) > enough && swap_one(device, age)) {
    }
}

static bool charge(unsigned device)
{
    while (domain_take(device, CLASS_HUGE, HUGE_PAGE) != 0) {
        if (FAULT(uvm_capacity_overrun)) {
            domain_overrun(device, CLASS_HUGE, HUGE_PAGE);
            return true;
        }
        if (FAULT(uvm_no_swap)) {
            return false;
        }
        look(&frames[device]);
        if (!swap_one(device, 0)) {
            return false;
        }
    }
    return true;
}

int uvm_frame_take(unsigned device, uvm_number number)
{
    struct frames *list = &frames[device];
    if (!grow(list) || !charge(device)) {
        return -1;
    }
    list->items[list->count++] = (struct frame){number, 1, 0};
    uvm_scan_wake();
    return 0;
}

static size_t index_of(const struct frames *list, uvm_number number)
{
    size_t index = 0;
    while (index < list->count && list->items[index].page != number) {
        index++;
    }
    return index;
}

void uvm_frame_give(unsigned device, uvm_number number)
{
    struct frames *list = &frames[device];
    size_t index = index_of(list, number);
    if (index < list->count) {
        list->count--;
        memmove(&list->items[index], &list->items[index + 1], (list->count - index) * sizeof(*list->items));
        domain_give(device, CLASS_HUGE, HUGE_PAGE);
    }
}

void uvm_frame_touch(unsigned device, uvm_number number)
{
    struct frames *list = &frames[device];
    size_t index = index_of(list, number);
    if (index < list->count) {
        list->items[index].young = 1;
    }
}

size_t uvm_frame_count(unsigned device)
{
    return frames[device].count;
}

void uvm_stir(void)
{
    if (!caprice_moves()) {
        return;
    }
    uvm_lock();
    unsigned device = (unsigned)caprice_pick(config_get()->devices, 0);
    (void)swap_one(device, 0);
    uvm_unlock();
}

bool uvm_make_room(unsigned device, uint64_t size)
{
    uvm_lock();
    uint64_t capacity = config_get()->capacity[device];
    if (size <= capacity) {
        look(&frames[device]);
        while (capacity - size < domain_in_use(device) && swap_one(device, 0)) {
        }
    }
    bool enough = size <= capacity && domain_in_use(device) <= capacity - size;
    uvm_unlock();
    return enough;
}

void uvm_frames_forget(void)
{
    for (unsigned i = 0; i < MAX_DEVICES; i++) {
        free(frames[i].items);
    }
    memset(frames, 0, sizeof(frames));
}
