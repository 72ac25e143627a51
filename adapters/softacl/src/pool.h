/*
 * pool.h - pools with stream order: address space that the runtime hands out at the call, and memory that the
 * device puts behind it when the stream gets there.
 *
 * A pool is cut into segments: free (no memory), busy (somebody's), or cached (freed, memory is kept).  A cached
 * segment remembers the free: which stream, and which of its tasks.  Its bytes may be given to a new owner only
 * if that task comes before the new owner's first use, so everything here asks the clocks (clock.c).
 */
#ifndef SOFTACL_POOL_H
#define SOFTACL_POOL_H

#include "internal.h"

enum segment_state { SEGMENT_FREE, SEGMENT_CACHED, SEGMENT_BUSY };
struct segment {
    uint64_t base, size;
    enum segment_state state;
    struct timeline *line; /* cached: where it was freed; busy: where it was allocated */
    uint64_t position;
};
struct pool {
    struct object object;
    struct pool *next;
    int32_t device;
    bool windowed;    /* the addresses are from the driver's window for pools, not from a reservation */
    bool device_side; /* the driver keeps the attributes */
    uint64_t base, size;
    struct segment *segments; /* sorted by base, without gaps */
    size_t count, room;
    bool follow_events, opportunistic, internal;
    uint64_t threshold, used, reserved, used_high, reserved_high;
};
LOCAL extern struct pool *pools;

/* ---------------------------------------------------------------- segments (segments.c) */
LOCAL bool segments_start(struct pool *pool);
LOCAL void segments_end(struct pool *pool);
LOCAL struct pool *pool_at(uint64_t address);
/* The busy segment that starts here. */
LOCAL struct segment *segment_busy(struct pool *pool, uint64_t address);
/* A grant: where it is, and what it must be ordered after. */
struct grant {
    uint64_t base;
    bool fresh;             /* the bytes had no memory */
    struct timeline *after; /* NULL: the order is there already */
    uint64_t position;
};
/* Takes bytes for a stream; false if there are none (or no memory for the book-keeping). */
LOCAL bool segment_take(struct pool *pool, uint64_t size, struct stream *stream, struct grant *grant);
/* Undoes a take that could not be carried out. */
LOCAL void segment_untake(struct pool *pool, const struct grant *grant);
/* A busy segment is freed by the next task of a stream. */
LOCAL void segment_release(struct pool *pool, struct segment *segment, struct timeline *line, uint64_t position);
/* A busy segment has no memory any more. */
LOCAL void segment_clear(struct pool *pool, struct segment *segment);
/* Cached segments whose free has been executed lose their memory until no more than `keep` bytes are left. */
LOCAL void segments_trim(struct pool *pool, uint64_t keep);

/* ---------------------------------------------------------------- the pool itself (pool.c) */
LOCAL soma_mem_pool_t driver_pool(const struct pool *pool);
/* Gives memory back, keeping at least so many bytes. */
LOCAL aclError pool_trim(struct pool *pool, uint64_t keep);

#endif
