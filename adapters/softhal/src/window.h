/* window.h - what view.c and peers.c need of window.c. */
#ifndef SOFTHAL_WINDOW_H
#define SOFTHAL_WINDOW_H

#include "internal.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MOVED_WINDOWS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(MOVED_WINDOWS)
#define MOVED_WINDOWS 1
#endif

/* Where the bytes of an address are, and for how many the same holds. */
struct location {
    int fd;
    uint64_t offset, run;
};
LOCAL void memory_locate(uint64_t address, struct location *location);

/* The alias of an address inside the windows; NULL for others. */
LOCAL char *window_alias(uint64_t address);
/* Holds address space with no access; false if it is taken. */
LOCAL bool window_hold(struct window *window, uint64_t base, uint64_t size);
/* Maps bytes readable and writable in place of what is there; 0 or -1. */
LOCAL int window_map_at(char *at, uint64_t size, int fd, uint64_t offset);
/* Maps the driver's own bytes anywhere; NULL on failure. */
LOCAL char *window_map_new(uint64_t size, uint64_t offset);

#endif
