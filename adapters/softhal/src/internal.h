/*
 * internal.h - what the files of the software driver share.
 *
 * Locking, all in one place:
 *   state.lock   guards everything in `state`: devices, heaps, blocks, cache, pins.  Never held while
 *                user memory is read or written, because a wild pointer may fault there and because
 *                large copies must not stop allocations.  A copy pins its blocks (users++) instead.
 *   state.idle   is signalled whenever a block's `users` falls to 0, and when a close has ended.
 *   uvm lock     (uvm.h) guards the pages of managed memory.  May be taken inside state.lock, never the other
 *                way round; a page fault of the CPU takes it.
 *   domain lock  a robust mutex in shared memory, guards the counters of all processes.  Taken inside
 *                state.lock and the uvm lock, never the other way round; no other lock is taken while it is held.
 *   jobs lock    (async.c) guards the queue of asynchronous copies.  May be taken inside state.lock, never the
 *                other way round; not held while bytes are copied.
 * After fork the child owns fresh locks (see fork rule in process.c).
 */
#ifndef SOFTHAL_INTERNAL_H
#define SOFTHAL_INTERNAL_H

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

#include "softhal.h"
#include "faults.h"

#define KIB (1ULL << 10)
#define MIB (1ULL << 20)
#define GIB (1ULL << 30)
#define TIB (1ULL << 40)

#define SMALL_PAGE (4 * KIB)
#define HUGE_PAGE (2 * MIB)
#define GIANT_PAGE GIB

#define LOCAL __attribute__((visibility("hidden")))

enum generation { GEN_V2, GEN_V3 };
enum profile { PROFILE_910B, PROFILE_910_93, PROFILE_950, PROFILE_COUNT };

enum {
    MAX_DEVICES = 64,
    HOST_NODE = 64,  /* index of host memory in the counters */
    NODES = 65,
    V2_MAX_AGENT = 66,
    V2_MAX_PHYSICAL = 64,
    V3_MAX_AGENT = 65,
    HOST_AGENT_DEVID = 64,
    HOST_DEVID = 65
};

/* ---------------------------------------------------------------- configuration (config.c) */
struct config {
    bool valid;
    bool explicit_devices, explicit_memory, explicit_host;
    enum profile profile;
    unsigned devices;
    uint64_t capacity[NODES];
    char domain[64];
    /* Managed memory: percentage of a device's memory in use above which pages are swapped out slowly, and fast;
     * milliseconds between two looks at them, 0: only when memory runs out. */
    unsigned uvm_low, uvm_high, uvm_scan;
    bool uvm_syscalls; /* pages are brought home for system calls, too */
    bool capricious;   /* what the rules leave free varies (caprice.h), from a seed */
    unsigned caprice;
};
/* Reads the environment once; later calls return the same. */
LOCAL struct config *config_get(void);
LOCAL enum generation generation(void);
LOCAL const char *profile_name(enum profile profile);
/* One line on stderr. */
LOCAL void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---------------------------------------------------------------- shared accounting (domain.c) */
enum page_class { CLASS_SMALL, CLASS_HUGE, CLASS_GIANT, CLASS_COUNT };
struct usage {
    uint64_t capacity;
    uint64_t used[CLASS_COUNT];
};
/* Joins the domain; may replace devices and capacities in `config` by those already recorded. */
LOCAL int domain_attach(struct config *config);
/* Takes bytes of a node's capacity for this process; 0, or -1 if there are not enough. */
LOCAL int domain_take(unsigned node, enum page_class class, uint64_t bytes);
LOCAL void domain_give(unsigned node, enum page_class class, uint64_t bytes);
LOCAL void domain_usage(unsigned node, struct usage *usage);
/* Bytes of a node in use; does not look for dead processes. */
LOCAL uint64_t domain_in_use(unsigned node);
#ifdef SOFTHAL_FAULTS
LOCAL void domain_overrun(unsigned node, enum page_class class, uint64_t bytes);
#else
#define domain_overrun(node, class, bytes) ((void)0)
#endif
/* Called by a forked child that opens anew: the slot of the parent is not ours. */
LOCAL void domain_forget(void);

/* ---------------------------------------------------------------- address space (window.c) */
struct window {
    uint64_t base, size;
};
/* The windows of the profile in force; empty ones have size 0. */
struct windows {
    struct window svm, host_uva, uvm, soma, registers;
    uint64_t dvpp, read_only, dev_read_only, general; /* inside svm, v2 */
};
LOCAL extern struct windows windows;
LOCAL int windows_map(void);
LOCAL void windows_drop(void);
LOCAL bool window_has(const struct window *window, uint64_t address);
/* Makes [address, +size) readable and writable by the CPU, backed by the driver's memory; 0 or -1. */
LOCAL int memory_expose(uint64_t address, uint64_t size);
LOCAL void memory_hide(uint64_t address, uint64_t size);
/* Gives the RAM behind the range back. */
LOCAL void memory_discard(uint64_t address, uint64_t size);
/* The driver's own view of a managed address: always readable and writable. */
LOCAL char *memory_alias(uint64_t address);
/* True if the CPU (or the driver) has touched any byte of the range since it was discarded. */
LOCAL bool memory_touched(uint64_t address, uint64_t size);
/* Copies between managed memory and a caller's pointer; -1 if the pointer cannot be used. */
LOCAL int memory_write(uint64_t address, const void *from, uint64_t size);
LOCAL int memory_read(uint64_t address, void *to, uint64_t size);

/* ---------------------------------------------------------------- heaps and blocks (heap.c) */
enum kind {
    KIND_SVM,
    KIND_DEV,
    KIND_DVPP,
    KIND_HOST,
    KIND_HOST_UVA,
    KIND_UVM,
    KIND_READ_ONLY,
    KIND_DEV_READ_ONLY,
    KIND_CP_ONLY,
    KIND_RESERVED, /* address space for mappings (vmm.h) */
    KIND_OPENED,   /* memory of another process, or a second view of our own */
    KIND_POOL      /* v2: addresses of a pool */
};

struct block {
    uint64_t start;
    uint64_t requested;
    uint64_t size; /* rounded to the granule */
    uint64_t granule;
    uint64_t cache_limit;
    struct heap *heap;
    uint64_t flag;
    uint32_t module;
    bool live;       /* owned by the caller */
    bool translated; /* its physical address was given out: never released by the kernel again */
    bool device_read_only;
    unsigned users;  /* calls that are reading or writing it now */
    unsigned pins;   /* conversions, asynchronous copies, translation */
    uint64_t charged;
    uint8_t *pages;  /* KIND_SVM: state of each page */
    struct block *cache_next, *cache_previous;
    unsigned registered;     /* registrations of the block with a device */
    bool parked;             /* v3: freed, but other processes still see it */
    struct mapping *maps;    /* KIND_RESERVED: sorted by address */
    struct pool *pool;       /* KIND_POOL, and v3 reservations that a pool took over */
    int bound;               /* KIND_RESERVED: node of the first mapping; -1: none yet */
    struct opening *opening; /* KIND_OPENED */
};

struct heap {
    uint64_t base, size;
    enum kind kind;
    unsigned node; /* device, or HOST_NODE */
    uint64_t granule;
    bool own;   /* made for one block of more than 512 MiB or of giant pages */
    bool fixed; /* stays when empty */
    struct block **blocks;
    size_t count, room;
    size_t hint; /* no gap of one granule below this index */
};

struct plan {
    enum kind kind;
    unsigned device; /* as given by the caller, meaningful for device kinds */
    unsigned node;
    uint64_t granule;
    uint64_t size;        /* rounded */
    uint64_t cache_limit; /* freed blocks up to this size stay in the cache; 0: none */
    bool own;
    bool populate; /* physical memory is taken at once */
    bool expose;   /* the CPU may read and write it */
    bool device_read_only;
    uint64_t address; /* where it must be; 0: anywhere */
};

LOCAL bool kind_is_device(enum kind kind);
LOCAL bool kind_is_host(enum kind kind);
LOCAL bool kind_is_paged(enum kind kind);
LOCAL enum page_class class_of(uint64_t granule);
LOCAL uint64_t round_up(uint64_t value, uint64_t unit);

LOCAL struct heap *heap_at(uint64_t address);
/* The block in which address lies, whatever its state; live_block_at: only blocks the caller owns. */
LOCAL struct block *block_at(uint64_t address);
LOCAL struct block *live_block_at(uint64_t address);
/* Finds room and enters a block; NULL if there is no address space. */
LOCAL struct block *block_place(const struct plan *plan);
/* The same at an address; PLACED_BUSY if it is taken or outside the area for such blocks. */
enum placed { PLACED_OK, PLACED_BUSY, PLACED_NO_MEMORY };
LOCAL enum placed block_place_at(const struct plan *plan, struct block **block);
/* A heap of one block outside the windows. */
LOCAL struct block *block_place_outside(const struct plan *plan);
/* Does the range touch any heap / lie wholly in one? */
LOCAL bool heaps_touch(uint64_t address, uint64_t size);
LOCAL bool heaps_hold(uint64_t address, uint64_t size);
/* Calls a function for every block of a kind. */
LOCAL void blocks_of_kind(enum kind kind, void (*visit)(struct block *block, unsigned argument), unsigned argument);
/* v3: memory that other processes pin is not released but parked; false if nobody pins it. */
LOCAL bool block_park(struct block *block);
/* Releases parked blocks that nobody else sees any more. */
LOCAL void blocks_unpark(void);
LOCAL void blocks_forget_parked(void);
/* Takes a block out and gives its memory back; the block must not be in use. */
LOCAL void block_release(struct block *block);
LOCAL void heaps_open_device(unsigned device);
LOCAL void heaps_close_device(unsigned device);
LOCAL void heaps_forget(void);
/* Drops a pin; a block that was freed meanwhile is released with its last one. */
LOCAL void block_unpin(struct block *block);
#ifdef SOFTHAL_FAULTS
LOCAL struct block *block_like(const struct plan *plan);
#endif

/* ---------------------------------------------------------------- cache of freed blocks (cache.c) */
LOCAL struct block *cache_pick(const struct plan *plan);
LOCAL void cache_put(struct block *block);
/* Takes bytes of a node's capacity; cached blocks are released and managed pages swapped out for them.  0 or -1. */
LOCAL int node_take(unsigned node, enum page_class class, uint64_t bytes);
/* Releases what is cached for a node (NODES: for all); returns whether anything was released. */
LOCAL bool cache_drain(unsigned node);
LOCAL void cache_remove(struct block *block);

/* ---------------------------------------------------------------- pages of MEM_SVM (pages.c) */
enum { PAGE_UNSET = 0, PAGE_HOST = 1, PAGE_DEVICE0 = 2, PAGE_STATE_MASK = 0x7f, PAGE_LOCKED = 0x80 };
LOCAL int pages_make(struct block *block);
LOCAL void pages_drop(struct block *block);
/* State of the page in which address lies; notices pages that the CPU touched. */
LOCAL unsigned page_state(struct block *block, uint64_t address);
LOCAL bool page_is_locked(const struct block *block, uint64_t address);
/* Gives host pages to the unset ones of the range; 0 or -1 without memory. */
LOCAL int pages_to_host(struct block *block, uint64_t address, uint64_t size);
/* Moves (or creates) the pages of the range on a device; 0 or -1 without memory. */
LOCAL int pages_to_device(struct block *block, uint64_t address, uint64_t size, unsigned device, bool lock);
LOCAL void pages_leave_device(struct block *block, unsigned device);
/* A page that the CPU wants back from a device; false if it is not there, or locked there. */
LOCAL bool page_to_host(struct block *block, uint64_t address);
/* Takes pages from the CPU, or gives them back (migrate.c). */
LOCAL void cpu_access(uint64_t address, uint64_t size, bool allowed);
/* Does with a signal what would have been done before the driver had a handler of its own (migrate.c). */
LOCAL void signal_pass_on(const struct sigaction *other, int number, siginfo_t *info, void *context);

/* ---------------------------------------------------------------- managed memory, MEM_UVM (uvm_*.c, see uvm.h) */
/* A block is known from now on, and closed to the CPU; 0 or -1.  And it is not known any more. */
LOCAL int uvm_add(uint64_t start, uint64_t size);
LOCAL void uvm_remove(uint64_t start, uint64_t size);
LOCAL void uvm_open_device(unsigned device);
/* A page may leave a device at any time (caprice.h). */
LOCAL void uvm_stir(void);
/* The device's pages come home. */
LOCAL void uvm_close_device(unsigned device);
/* Swaps managed pages out until the device has size bytes free; false if it cannot have them. */
LOCAL bool uvm_make_room(unsigned device, uint64_t size);
/* The CPU may not go there: serves the access, or false if it is not for managed memory. */
LOCAL bool uvm_cpu_fault(uint64_t address, bool write);
/* drvMemcpy with an end in the window, drvMemsetD8 of a range in it; v2. */
LOCAL drvError_t uvm_copy(uint64_t dst, uint64_t src, uint64_t size);
LOCAL drvError_t uvm_set(uint64_t address, uint8_t value, uint64_t size);
/* Reads and writes of files by the program may name addresses of managed memory from now on (uvm_syscalls.c). */
LOCAL void uvm_serve_syscalls(void);
LOCAL void uvm_lock(void);
LOCAL void uvm_unlock(void);
LOCAL void uvm_unlock_child(void);
LOCAL void uvm_forget(void);

/* ---------------------------------------------------------------- the process (process.c) */
struct device_state {
    bool open, ever_open, blocked;
    bool closing; /* being closed: no new asynchronous copies, and other opens and closes wait */
};
struct state {
    pthread_mutex_t lock;
    pthread_cond_t idle;
    bool joined; /* the domain is joined and the windows are mapped */
    bool ready;  /* memory management is initialised: some call that does so was made */
    bool forked; /* inherited from a parent that had joined */
    bool any_device_opened;
    bool host_used; /* some host allocation happened: device 0 is registered with the kernel (v2) */
    bool user_malloc_attribute; /* feature 2 was asked for */
    bool registrations_recorded; /* feature 11 was asked for (v2) */
    unsigned last_opened;        /* the device opened last, again or not */
    struct device_state device[V2_MAX_AGENT];
};
LOCAL extern struct state state;

/* Locks the state, initialising the process if needed.  On an error nothing is locked. */
LOCAL drvError_t enter(void);
/* The same for v2 calls that go straight to the driver node: they do not initialise, 17. */
LOCAL drvError_t enter_direct(void);
/* Joins the domain only, as a call outside memory management may need; nothing is locked afterwards. */
LOCAL drvError_t join(void);
LOCAL void leave(void);
LOCAL void state_lock(void);
LOCAL void state_unlock(void);
LOCAL bool device_is_open(unsigned device);
/* Leaves block->users and wakes whoever waits for that. */
LOCAL void block_unuse(struct block *block);

/* ---------------------------------------------------------------- address resolution (resolve.c) */
enum place { PLACE_PLAIN, PLACE_HOST, PLACE_DEVICE };
/* One side of a copy or set, with its block held by users++. */
struct end {
    enum place place;
    bool managed; /* bytes are reached through the alias, not through the address itself */
    unsigned device;
    uint64_t address, size;
    struct block *block;
    bool shared; /* memory that another process may see: opened or imported */
};
/* v2: does user space take this address for an SVM one?  Set, copy, advise, prefetch and translate ask. */
LOCAL bool v2_is_svm(uint64_t address);
LOCAL bool v2_crosses_soma(uint64_t address, uint64_t size);
/* v2: makes an end of a copy; locked. */
LOCAL drvError_t v2_resolve(uint64_t address, uint64_t size, bool is_source, struct end *end);
enum v3_use { V3_SET, V3_COPY_SYNC, V3_CONVERT };
LOCAL drvError_t v3_resolve(uint64_t address, uint64_t size, enum v3_use use, struct end *end);
LOCAL void end_release(struct end *end);
/* Turns the use of an end into a pin, and drops that. */
LOCAL void end_pin(struct end *end);
LOCAL void end_unpin(struct end *end);
/* Locked forms for pairs: checks that hold for every copy, direction included. */
LOCAL drvError_t resolve_pair(uint64_t dst, uint64_t src, uint64_t size, struct end *to, struct end *from);
LOCAL drvMemcpyKind_t direction_of(const struct end *to, const struct end *from);
/* Moves the bytes; unlocked. */
LOCAL drvError_t move_bytes(const struct end *to, const struct end *from, uint64_t size);

/* ---------------------------------------------------------------- allocation plans */
LOCAL drvError_t v2_plan(void **pp, uint64_t size, uint64_t flag, struct plan *plan);
LOCAL drvError_t v3_plan(uint64_t size, uint64_t flag, struct plan *plan);

/* Seeded faults only: an address that was live once. */
LOCAL bool recently_freed(uint64_t address, uint64_t *start, uint64_t *size);

/* ---------------------------------------------------------------- conversions and jobs */
/* Waits until device has no outstanding asynchronous copy; false after about a second. */
LOCAL bool jobs_settle(unsigned device);
LOCAL void jobs_forget(void);
struct job;
/* Starts copying in the background, locked: turns the users of both ends into pins.  On failure both are
 * let go of. */
LOCAL drvError_t job_start(struct end *to, struct end *from, uint64_t size, struct job **result);
LOCAL drvError_t job_wait(const struct job *wanted);
/* Turns the users of two ends into pins, or only lets go of them; locked. */
LOCAL void ends_pin(struct end *to, struct end *from, bool pin);
LOCAL drvError_t copy_area(const struct drvMem2D *area);
LOCAL drvError_t convert_area(const struct drvMem2D *area, struct DMA_ADDR *dma_addr);
LOCAL void conversions_detach_device(unsigned device);
LOCAL void conversions_forget(void);

#endif
