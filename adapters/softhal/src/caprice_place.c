/*
 * caprice_place.c - addresses in any order and with any gaps between them.
 *
 * No document says where memory lies, so a block may be put wherever it fits: the lowest gap, the highest one
 * or any, and in it at the beginning, at the end or somewhat behind the beginning.
 */
#include "caprice.h"
#include "heap.h"

enum order { LOWEST, HIGHEST, ANY, LOOSE, ORDERS };

/* Pages that are left free in front of a block at most.  Were it any number, address space would be in pieces
 * soon, and what could be had once (SVM-ANY-005) could not be had again. */
#define GAP_MAX 256U
/* The same for heaps, whose unit is 1 GiB. */
#define ROOM_GAP_MAX 2U

static enum order order(void)
{
    return (enum order)caprice_habit(HABIT_PLACE, ORDERS);
}

bool caprice_places(void)
{
    return order() != LOWEST;
}

/* Is the latest of so many gaps the one to take so far?  Of `seen` gaps that pass by, each is as likely. */
static bool prefers(size_t seen)
{
    return seen == 1 || order() == HIGHEST || caprice_pick(seen, 0) == 0;
}

/* A start from low to high in steps of a unit. */
static uint64_t between(uint64_t low, uint64_t high, uint64_t unit, unsigned most)
{
    uint64_t steps = (high - low) / unit;
    if (order() == HIGHEST) {
        return low + steps * unit;
    }
    unsigned gap = order() == ANY ? 0 : (unsigned)caprice_pick(steps < most ? (size_t)steps + 1 : most + 1U, 0);
    return low + gap * unit;
}

/* Reservations of small pages begin on huge ones too (VMM-RESERVE-033). */
static uint64_t unit_of(const struct plan *plan)
{
    return plan->kind == KIND_RESERVED && plan->granule == SMALL_PAGE ? HUGE_PAGE : plan->granule;
}

bool caprice_gap(const struct heap *heap, const struct plan *plan, uint64_t *address, size_t *index)
{
    uint64_t at = heap->base;
    size_t seen = 0;
    for (size_t i = 0; i <= heap->count; i++) {
        uint64_t limit = i < heap->count ? heap->blocks[i]->start : heap->base + heap->size;
        uint64_t start = round_up(at, unit_of(plan));
        if (start <= limit && limit - start >= plan->size && prefers(++seen)) {
            *address = between(start, limit - plan->size, unit_of(plan), GAP_MAX);
            *index = i;
        }
        at = i < heap->count ? heap->blocks[i]->start + heap->blocks[i]->size : limit;
    }
    return seen > 0;
}

uint64_t caprice_room(uint64_t low, uint64_t end, uint64_t size, uint64_t unit)
{
    uint64_t found = 0;
    size_t seen = 0;
    for (size_t i = heap_index(low); low < end; i++) {
        bool last = i >= heap_count || heaps[i]->base >= end;
        uint64_t limit = last ? end : heaps[i]->base;
        if (limit > low && limit - low >= size && prefers(++seen)) {
            found = between(low, limit - size, unit, ROOM_GAP_MAX);
        }
        low = last ? end : round_up(heaps[i]->base + heaps[i]->size, unit);
    }
    return found;
}
