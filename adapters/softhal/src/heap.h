/* heap.h - the list of heaps, for the files that work on it: heap.c, place.c, heap_device.c. */
#ifndef SOFTHAL_HEAP_H
#define SOFTHAL_HEAP_H

#include "internal.h"

/* Sorted by address. */
LOCAL extern struct heap **heaps;
LOCAL extern size_t heap_count;

/* Index of the first heap, or block of a heap, that ends behind address. */
LOCAL size_t heap_index(uint64_t address);
LOCAL size_t block_index(const struct heap *heap, uint64_t address);
LOCAL struct heap *heap_add(uint64_t base, uint64_t size, const struct plan *plan, bool fixed);
LOCAL void heap_remove(struct heap *heap);
LOCAL struct block *block_enter(struct heap *heap, const struct plan *plan, uint64_t address, size_t index);

#endif
