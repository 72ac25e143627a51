/* segments.c - the parts of a pool, and to whom freed parts may be given. */
#include <stdlib.h>
#include <string.h>

#include "pool.h"

bool segments_start(struct pool *pool)
{
    pool->room = 16;
    pool->segments = calloc(pool->room, sizeof(*pool->segments));
    if (pool->segments == NULL) {
        return false;
    }
    pool->segments[0] = (struct segment){.base = pool->base, .size = pool->size, .state = SEGMENT_FREE};
    pool->count = 1;
    return true;
}

void segments_end(struct pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        timeline_drop(pool->segments[i].line);
    }
    free(pool->segments);
}

struct pool *pool_at(uint64_t address)
{
    struct pool *one = pools;
    while (one != NULL && (address < one->base || address - one->base >= one->size)) {
        one = one->next;
    }
    return one;
}

/* Index of the first segment that ends behind address. */
static size_t segment_index(const struct pool *pool, uint64_t address)
{
    size_t low = 0;
    size_t high = pool->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pool->segments[middle].base + pool->segments[middle].size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct segment *segment_busy(struct pool *pool, uint64_t address)
{
    size_t index = segment_index(pool, address);
    struct segment *found = index < pool->count ? &pool->segments[index] : NULL;
    return found != NULL && found->base == address && found->state == SEGMENT_BUSY ? found : NULL;
}

static bool make_room(struct pool *pool)
{
    if (pool->count < pool->room) {
        return true;
    }
    struct segment *bigger = realloc(pool->segments, 2 * pool->room * sizeof(*bigger));
    if (bigger != NULL) {
        pool->segments = bigger;
        pool->room *= 2;
    }
    return bigger != NULL;
}

/* Cuts a segment in two; the second part keeps what the first one is.  Needs room. */
static void split(struct pool *pool, size_t index, uint64_t size)
{
    struct segment *first = &pool->segments[index];
    memmove(first + 1, first, (pool->count - index) * sizeof(*first));
    pool->count++;
    first[0].size = size;
    first[1].base += size;
    first[1].size -= size;
    if (first[1].line != NULL) {
        (void)timeline_hold(first[1].line);
    }
}

static bool alike(const struct segment *one, const struct segment *other)
{
    return one->state == other->state && one->state != SEGMENT_BUSY && one->line == other->line;
}

/* Joins a segment with those beside it that are like it; of two frees the later one counts. */
static void merge(struct pool *pool, size_t index)
{
    if (index > 0 && alike(&pool->segments[index - 1], &pool->segments[index])) {
        index--;
    }
    while (index + 1 < pool->count && alike(&pool->segments[index], &pool->segments[index + 1])) {
        struct segment *first = &pool->segments[index];
        first->size += first[1].size;
        first->position = first[1].position > first->position ? first[1].position : first->position;
        timeline_drop(first[1].line);
        pool->count--;
        memmove(first + 1, first + 2, (pool->count - index - 1) * sizeof(*first));
    }
}

/* The rules by which a cached segment may be reused, in the order in which they are tried. */
enum rule { BY_ORDER, BY_EVENT, BY_LUCK, BY_WAITING, RULES };

static bool in_force(const struct pool *pool, enum rule rule)
{
    switch (rule) {
        case BY_ORDER:
            return true;
        case BY_EVENT:
            return pool->follow_events;
        case BY_LUCK:
            return pool->opportunistic;
        default:
            return pool->internal;
    }
}

static bool permits(enum rule rule, const struct segment *segment, const struct stream *stream)
{
    const struct timeline *line = segment->line;
    switch (rule) {
        case BY_ORDER: /* the same queue, or the host has seen the free end */
            return line == stream->line || clock_get(&rt.host, line->number) >= segment->position ||
                   FAULT(reuse_any_stream);
        case BY_EVENT:
            return clock_get(&stream->clock, line->number) >= segment->position || FAULT(reuse_before_event);
        case BY_LUCK:
            return line->done >= segment->position || FAULT(reuse_hopeful);
        default:
            return true;
    }
}

/* The smallest segment that fits, the lowest of several. */
static size_t best_fit(const struct pool *pool, uint64_t size, enum rule rule, const struct stream *stream)
{
    size_t best = pool->count;
    for (size_t i = 0; i < pool->count; i++) {
        const struct segment *one = &pool->segments[i];
        bool usable = rule == RULES ? one->state == SEGMENT_FREE
                                    : one->state == SEGMENT_CACHED && permits(rule, one, stream);
        if (usable && one->size >= size && (best == pool->count || one->size < pool->segments[best].size)) {
            best = i;
        }
    }
    return best;
}

static void count_grant(struct pool *pool, uint64_t size, bool fresh)
{
    pool->used += size;
    pool->used_high = pool->used > pool->used_high ? pool->used : pool->used_high;
    if (fresh) {
        pool->reserved += size;
        pool->reserved_high = pool->reserved > pool->reserved_high ? pool->reserved : pool->reserved_high;
    }
}

bool segment_take(struct pool *pool, uint64_t size, struct stream *stream, struct grant *grant)
{
    size_t index = pool->count;
    enum rule rule = BY_ORDER;
    for (; rule < RULES && index == pool->count; rule++) {
        index = in_force(pool, rule) ? best_fit(pool, size, rule, stream) : pool->count;
    }
    bool waits = index < pool->count && rule == RULES; /* found by the last rule */
    index = index == pool->count ? best_fit(pool, size, RULES, stream) : index;
    if (index == pool->count || !make_room(pool)) {
        return false;
    }
    if (pool->segments[index].size > size) {
        split(pool, index, size - (FAULT(grants_overlap) && size > POOL_PAGE ? POOL_PAGE : 0));
    }
    struct segment *taken = &pool->segments[index];
    grant->base = taken->base;
    grant->fresh = taken->state == SEGMENT_FREE;
    grant->after = waits && !FAULT(reuse_no_wait) ? timeline_hold(taken->line) : NULL;
    grant->position = taken->position;
    timeline_drop(taken->line);
    taken->line = timeline_hold(stream->line);
    taken->position = stream->line->issued + 1;
    taken->state = SEGMENT_BUSY;
    count_grant(pool, taken->size, grant->fresh);
    return true;
}

void segment_untake(struct pool *pool, const struct grant *grant)
{
    struct segment *segment = segment_busy(pool, grant->base);
    pool->used -= segment->size;
    if (grant->fresh) {
        pool->reserved -= segment->size;
        timeline_drop(segment->line);
        segment->line = NULL;
        segment->position = 0;
    } /* else it is cached by this stream, at a task that will never come: reused by this stream alone */
    segment->state = grant->fresh ? SEGMENT_FREE : SEGMENT_CACHED;
    merge(pool, (size_t)(segment - pool->segments));
}

void segment_release(struct pool *pool, struct segment *segment, struct timeline *line, uint64_t position)
{
    struct timeline *owner = segment->line;
    pool->used -= FAULT(used_drift) ? 0 : segment->size;
    segment->state = SEGMENT_CACHED;
    if (FAULT(free_by_owner)) { /* judged by the stream that allocated it */
        segment->position = owner->issued;
    } else {
        segment->line = timeline_hold(line);
        segment->position = position;
        timeline_drop(owner);
    }
    merge(pool, (size_t)(segment - pool->segments));
}

static void clear(struct pool *pool, size_t index)
{
    struct segment *segment = &pool->segments[index];
    pool->reserved -= segment->size;
    timeline_drop(segment->line);
    segment->line = NULL;
    segment->position = 0;
    segment->state = SEGMENT_FREE;
}

void segment_clear(struct pool *pool, struct segment *segment)
{
    size_t index = (size_t)(segment - pool->segments);
    pool->used -= segment->size;
    clear(pool, index);
    merge(pool, index);
}

void segments_trim(struct pool *pool, uint64_t keep)
{
    for (size_t i = 0; i < pool->count && pool->reserved > keep; i++) {
        struct segment *one = &pool->segments[i];
        if (one->state != SEGMENT_CACHED || (one->line->done < one->position && !FAULT(trim_pending))) {
            continue;
        }
        if (one->size > pool->reserved - keep) {
            if (!make_room(pool)) {
                return;
            }
            split(pool, i, pool->reserved - keep);
        }
        clear(pool, i);
    }
    for (size_t i = pool->count; i > 0; i--) {
        merge(pool, i - 1);
    }
}
