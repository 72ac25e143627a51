/* domain.h - what all processes of one machine share: its memory, who holds what, who is alive.
 *
 * A domain is one machine that is played. Its tables lie in a small file in /dev/shm, its memory in
 * one sparse memfd, which every process maps as a whole (the alias). A memory object is a stretch of
 * that memfd; it is charged to the host or a device and lives as long as somebody holds it. What a
 * process held goes when it is found dead.
 */
#ifndef KERNELSIM_DOMAIN_H
#define KERNELSIM_DOMAIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "settings.h"

enum {
    MEMBERS_MOST = 256,
    OBJECTS_MOST = 1 << 16,
    HOLDS_MOST = 1 << 17,
    ADMITTED_MOST = 1 << 17,
    SHARES_MOST = 1 << 13,
    NAMES_MOST = 1 << 13,
    NODE_HOST = DEVICES_MOST,
    NODES = DEVICES_MOST + 1,
    NOTHING = 0,
};

#define STORE_SIZE (32 * TIB)

struct member {
    pid_t pid; /* 0: free */
    uint64_t start;
    int store;
    uint64_t loose[NODES]; /* charged to it beside its objects */
};

struct node {
    uint64_t size;
    uint64_t used;
};

struct object {
    uint32_t holds; /* 0: free */
    uint32_t next;  /* free list */
    uint32_t node;
    uint32_t kind;  /* meaning is its maker's */
    uint32_t share; /* the row of its share, counted from 1 */
    uint64_t offset;
    uint64_t size;
    uint64_t charged;
};

struct hold {
    uint32_t object; /* NOTHING: free */
    uint16_t member;
    uint16_t unused;
    uint32_t next; /* free list */
};

struct extent {
    uint64_t offset;
    uint64_t size;
};

/* A process that may use something; entries of one thing are linked. */
struct admitted {
    int32_t pid; /* 0: free */
    uint32_t next;
    uint64_t since; /* clock ticks since boot */
};

/* A physical block that was exported. */
struct share {
    bool used;
    bool open_to_all;
    bool closed; /* its pids were told, so it cannot be opened to all */
    int32_t id;
    uint32_t table;  /* device whose numbers it is of */
    uint32_t device; /* as it is looked up */
    uint32_t object;
    int32_t pid;
    uint64_t start;
    uint32_t admitted;
    uint32_t side, page, type, module;
    uint64_t offset, size, pages;
};

/* Device memory that was given a name. */
struct name {
    bool used;
    bool valid;
    bool open_to_all;
    bool closed;
    bool huge;
    char text[65];
    int32_t pid;
    uint64_t start;
    uint32_t device;
    uint32_t object;
    uint32_t admitted;
    uint64_t offset, size, address;
    uint64_t route;
};

struct domain {
    uint64_t layout;
    uint64_t names_made;
    pthread_mutex_t lock;
    uint32_t live;
    uint32_t free_object;
    uint32_t free_hold;
    uint32_t extents;
    struct member members[MEMBERS_MOST];
    struct node nodes[NODES];
    struct object objects[OBJECTS_MOST];
    struct hold holds[HOLDS_MOST];
    struct extent free[OBJECTS_MOST + 1];
    int32_t next_share[DEVICES_MOST];
    uint32_t next_key; /* the row of names with which the search for a free one begins */
    uint32_t free_admitted;
    struct admitted admitted[ADMITTED_MOST];
    struct share shares[SHARES_MOST];
    struct name names[NAMES_MOST];
};

/* Become a member; 0 or an errno. Joining again is nothing. */
int domain_join(void);
/* Whether this process is a member. */
bool domain_joined(void);
/* Forget the membership, in a child that has not one of its own. */
void domain_forget(void);
/* Leave for good: everything that this process holds goes. */
void domain_leave(void);

/* Take and give back the lock of the tables; what dead members held is gone when it is taken so. */
struct domain *domain_lock(void);
void domain_unlock(void);
/* Look for dead members; the lock must be held. Whether there was one. */
bool domain_sweep(struct domain *domain);

/* Make an object of size bytes (a multiple of 4096), charged to a node, and hold it. Returns the
 * hold, or NOTHING where there is no room. */
uint32_t object_make(unsigned node, uint64_t size, uint64_t charged, uint32_t kind);
/* Hold an object once more; NOTHING if the table is full. The lock must be held. */
uint32_t object_hold(struct domain *domain, uint32_t object);
/* Let go. The last one frees the memory. */
void object_drop(uint32_t hold);
/* The object of a hold, as it is now. */
struct object object_of(uint32_t hold);
/* Charge more or less of a node to this process; false if there is no room. */
bool node_charge(unsigned node, uint64_t bytes);
void node_credit(unsigned node, uint64_t bytes);
/* What a node has and what is used of it. */
struct node node_now(unsigned node);

/* Admit a process to something, whose list begins at *first; errno. The lock must be held. */
int admit(struct domain *domain, uint32_t *first, int32_t pid);
/* Since when a process is admitted; 0 if it is not. The lock must be held. */
uint64_t admitted_since(const struct domain *domain, uint32_t first, int32_t pid);
/* Forget everybody who was admitted. The lock must be held. */
void admit_nobody(struct domain *domain, uint32_t *first);
/* Names that a dead process gave are gone. The lock must be held. */
void names_bury(struct domain *domain, int32_t pid, uint64_t start);
/* A share ends with its memory. The lock must be held. */
void share_bury(struct domain *domain, uint32_t row);

/* Where this process sees a place of the store. */
void *alias_of(uint64_t offset);
int store_fd(void);
/* Make bytes of the store zero and give their memory back. */
void store_punch(uint64_t offset, uint64_t size);
/* Start of a process in clock ticks since boot; 0 if there is no such process. */
uint64_t process_start(pid_t pid);

#endif
