/* domain.h - the file that all processes of a domain map: counters, processes and shares. */
#ifndef SOFTHAL_DOMAIN_H
#define SOFTHAL_DOMAIN_H

#include "internal.h"
#include "share.h"

enum { SLOTS = 256 };

struct slot {
    int32_t pid;
    uint32_t unused;
    uint64_t started;
    uint64_t image; /* changes with every exec */
    uint64_t used[NODES][CLASS_COUNT];
};

struct domain {
    uint64_t magic;
    uint32_t version;
    uint32_t profile;
    uint32_t devices;
    uint32_t next_share; /* shares are made round robin, so that an index comes back late */
    uint64_t capacity[NODES];
    uint64_t used[NODES][CLASS_COUNT]; /* the sum over all slots and shares */
    pthread_mutex_t lock;
    struct slot slots[SLOTS];
    uint32_t share_high, holder_high; /* no entry in use at or above */
    uint32_t white_filled, unused;
    struct share shares[SHARES];
    struct holder holders[HOLDERS];
    struct white whites[WHITE_ENTRIES];
    struct peering peerings[PEERINGS];
};

LOCAL extern struct domain *domain;

/* Start time of a process in clock ticks since boot; 0 if there is no such process any more. */
LOCAL uint64_t process_started(pid_t pid);
/* The kernel gives every program image random bytes of its own. */
LOCAL uint64_t own_image(void);

#endif
