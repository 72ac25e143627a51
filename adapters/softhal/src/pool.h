/*
 * pool.h - SOMA: pools of device memory whose address space belongs to the caller.
 *
 * A pool is a range of address space and a state for each of its 2 MiB pages: without memory, free inside
 * the pool (memory stays where it is), or in use.  The host decides which addresses are used; malloc and free
 * are what the device does at those addresses.  v2 keeps the addresses in a window of their own, v3 takes
 * over a reservation of the caller's.  Everything is guarded by state.lock.
 */
#ifndef SOFTHAL_POOL_H
#define SOFTHAL_POOL_H

#include "vmm.h"

enum { POOL_EMPTY = 0, POOL_CACHED = 1, POOL_USED = 2, POOL_FIRST = 3 /* in use, first page of a malloc */ };

/* v3: a range that the host has told the driver about (halMemPoolAsyncConfig). */
struct pool_segment {
    struct pool_segment *next;
    uint64_t start, size;
};
struct pool {
    struct pool *next;
    uint64_t id;
    unsigned device;
    struct block *block;
    uint64_t start, size;
    uint8_t *pages;
    bool closing; /* being destroyed: no new use */
    uint64_t threshold;
    uint64_t reserved, used, reserved_high, used_high;
    struct pool_segment *segments;
};

/* The pool of this number, whatever device it is said to be on; NULL if there is none. */
LOCAL struct pool *pool_find(uint64_t id);
/* A multiple of 2 MiB? */
LOCAL bool pool_aligned(uint64_t value);
/* Is the range a part of the pool, in whole pages? */
LOCAL bool pool_holds(const struct pool *pool, uint64_t address, uint64_t size);
/* Ends the malloc that starts at an address and has this size (0: whatever it has); its memory stays in the
 * pool.  The bytes that it had; 0 if there is none. */
LOCAL uint64_t pool_end(struct pool *pool, uint64_t address, uint64_t size);
/* Gives memory that is free inside the pool back to the device until no more than `keep` bytes are left. */
LOCAL void pool_shrink(struct pool *pool, uint64_t keep);
LOCAL void pool_drop_segments(struct pool *pool);

#endif
