/*
 * share.h - what processes of one domain know of each other's memory: the tables of shares, of their
 * holders and of their white lists, in the file of the domain (domain.h).
 *
 * Everything here needs the domain lock, which domain_enter takes after having noticed who died.
 */
#ifndef SOFTHAL_SHARE_H
#define SOFTHAL_SHARE_H

#include "internal.h"

enum { SHARE_SLOT_BITS = 13, SHARES = 1 << SHARE_SLOT_BITS, HOLDERS = 16384, WHITE_ENTRIES = 1 << 18 };
enum { PEERINGS = 4096 };
enum { NAME_SIZE = 65 }; /* of the place for a name, with the null byte */
enum share_kind { SHARE_NAME = 1, SHARE_HANDLE = 2 };

struct share {
    uint64_t id; /* 0: free.  32 bits, never given twice in a long time: serial and index */
    uint32_t serial;
    uint32_t kind;
    int32_t owner;     /* slot of the process that made it; -1 when that is gone */
    int32_t owner_pid; /* kept for the owner's name in tokens */
    int32_t owner_fd;  /* its descriptor of the memory */
    uint32_t unused;
    uint32_t node;     /* device, or HOST_NODE */
    uint32_t type;     /* of the exported handle */
    uint64_t granule;
    uint64_t inode, offset, size; /* where the bytes are */
    uint64_t source;              /* the owner's address, for names */
    uint32_t valid;               /* may be opened or imported */
    uint32_t pages_gone;          /* v2: the owner freed or destroyed, openers lose the memory */
    uint32_t freed;               /* v3: the owner freed it while it was pinned */
    uint32_t no_white_list;
    uint32_t white_count;
    uint32_t route;
    uint32_t charged_class;
    uint64_t charged; /* memory accounted to the share, no longer to a process */
    struct drv_mem_prop prop;
};

/* A process that uses a share: an opener, an importer, or (v2 handles) the exporter. */
struct holder {
    uint64_t share; /* 0: free */
    int32_t slot;
    int32_t fd; /* its descriptor of the memory */
    uint32_t device;
    uint32_t count;
};

struct white {
    uint64_t share; /* 0: never used; dead if no such share lives */
    int32_t pid;
    uint32_t unused;
    uint64_t stamp; /* clock ticks since boot */
};

/* What a process enabled from a device to another. */
struct peering {
    int32_t slot;
    uint16_t device, peer;
    uint32_t count; /* 0: free */
};

/* Locks the domain and takes back what dead processes left. */
LOCAL void domain_enter(void);
/* Only locks; for calls that do not depend on whether somebody died just now. */
LOCAL void domain_lock(void);
LOCAL void domain_unlock(void);
/* This process's slot, and what is known of another's. */
LOCAL int own_slot(void);
LOCAL int slot_pid(int slot);
LOCAL uint64_t slot_started(int slot);
LOCAL void slot_uncharge(unsigned node, enum page_class class, uint64_t bytes);
/* Recomputes the sums after a share's charge has changed. */
LOCAL void domain_sum_up(void);

LOCAL struct share *share_find(uint64_t id, enum share_kind kind);
LOCAL struct share *share_make(enum share_kind kind);
/* Frees the entry if nobody can use it any more. */
LOCAL void share_settle(struct share *share);
LOCAL unsigned share_holders(const struct share *share);
LOCAL struct holder *holder_find(const struct share *share, int slot, unsigned device);
LOCAL struct holder *holder_make(struct share *share, int slot, unsigned device, int fd);
LOCAL void holder_drop(struct share *share, struct holder *holder);
/* Drops one count of a share's holder. */
LOCAL void holder_put(struct share *share, int slot, unsigned device);
/* Where the bytes of a share can be opened: pid and descriptor of a process that has them; false if nowhere. */
LOCAL bool share_source(const struct share *share, int *pid, int *fd);
/* Everything that a process holds or has made goes (exit), or what concerns one of its devices (close). */
LOCAL void shares_leave(int slot, int device);
/* Settles every share again, after a process has died within the lock. */
LOCAL void shares_mend(void);
/* The owner gives [offset, +size) of its memory back: v2 openers lose it. */
LOCAL void shares_memory_gone(uint64_t offset, uint64_t size);
/* Has the owner a living name on the range? */
LOCAL bool shares_named(uint64_t offset, uint64_t size);
/* v3: is the range pinned by another process?  Then its charge moves to the share. */
LOCAL bool shares_pinned(uint64_t offset, uint64_t size);
LOCAL void shares_defer(uint64_t offset, uint64_t size, unsigned node, enum page_class class, uint64_t charged);

LOCAL bool white_allows(const struct share *share);
/* 0, or -1 when the table is full. */
LOCAL int white_add(struct share *share, int pid);
LOCAL bool share_permits(const struct share *share);

/* What a process enabled between devices ends with it (peering.c). */
LOCAL void peerings_leave(int slot);

/* Tokens (token.c).  A name is made of a share; 0 if it does not parse. */
LOCAL void name_of(const struct share *share, char *name);
LOCAL uint64_t name_parse(const char *name);
/* The share of a name that is, in all its bytes, as it was given; NULL if there is none. */
LOCAL struct share *share_named(const char *name);
/* A string of the right length; NULL-safe. */
LOCAL bool name_is_string(const char *name);

#endif
