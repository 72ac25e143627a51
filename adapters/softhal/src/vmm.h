/*
 * vmm.h - physical handles, their mappings, memory opened from other processes, and registrations.
 *
 * All of this is guarded by state.lock, except the views (view.c), which have a lock of their own because
 * the bytes are moved without state.lock.  The view lock is taken last and nothing is taken inside it.
 */
#ifndef SOFTHAL_VMM_H
#define SOFTHAL_VMM_H

#include "internal.h"
#include "share.h"

/* ---------------------------------------------------------------- views (view.c) */
/* [address, +size) shows the bytes of another place: offset of fd.  0 or -1. */
LOCAL int view_add(uint64_t address, uint64_t size, int fd, uint64_t offset);
/* Addresses show the driver's own bytes again. */
LOCAL void view_remove(uint64_t address, uint64_t size);
/* Lets the CPU use viewed memory through the address itself, or no longer. */
LOCAL int view_expose(uint64_t address, uint64_t size);
/* Address space outside the windows that a caller asked for by address (v2 dynamic, v3 specified). */
LOCAL int outside_hold(uint64_t address, uint64_t size);
LOCAL void outside_drop(uint64_t address);
LOCAL void views_forget(void);
/* The lock may have been held by another thread of the parent. */
LOCAL void views_unlock_child(void);

/* ---------------------------------------------------------------- memory of other processes (peers.c) */
LOCAL int backing_fd(void);
LOCAL uint64_t backing_inode(void);
/* A descriptor of the memory with this inode, held by the process pid under number fd; -1 if it is gone. */
LOCAL int peer_open(int pid, int fd, uint64_t inode);
/* Gives a descriptor of peer_open back. */
LOCAL void peer_close(int fd);
LOCAL void peers_forget(void);
/* Room for a physical handle in the driver's own memory; never the same twice. */
LOCAL uint64_t physical_place(uint64_t size);
LOCAL void physical_discard(int fd, uint64_t offset, uint64_t size);

/* ---------------------------------------------------------------- physical handles (handle.c) */
enum handle_kind { HANDLE_LOCAL, HANDLE_EXPORTED, HANDLE_IMPORTED };
struct drv_mem_handle {
    struct drv_mem_handle *next, *previous;
    enum handle_kind kind;
    struct drv_mem_prop prop; /* as given by the caller, or those of the exporter */
    uint32_t module;          /* the one it is accounted to */
    unsigned node;            /* device or HOST_NODE that maps it */
    uint64_t size, granule;
    unsigned ref;  /* creation or import, retains and mappings */
    unsigned maps; /* the mappings among them */
    int fd;
    uint64_t offset;
    uint64_t share; /* exported or imported */
    uint32_t route;
    bool gone; /* its device was closed, or its memory fell to a seeded fault */
};
struct mapping {
    struct mapping *next;
    uint64_t start, size;
    struct drv_mem_handle *handle;
    unsigned users, pins; /* as for a block */
    bool translated;
    uint64_t granted;  /* devices beside the owner, a bit each */
    bool granted_host; /* the host, beside the owner */
    bool pinned;       /* v3: this mapping pins an imported share */
};
LOCAL bool handle_known(const struct drv_mem_handle *handle);
LOCAL struct drv_mem_handle *handle_new(const struct drv_mem_prop *prop, uint64_t size, uint64_t granule, unsigned node);
LOCAL struct drv_mem_handle *handle_imported(uint64_t share, unsigned node);
/* The one handle of this process for a share on a device (v2); NULL if there is none. */
LOCAL struct drv_mem_handle *handle_of_import(uint64_t share, unsigned node);
/* Drops a reference; the last one gives the memory back. */
LOCAL void handle_unref(struct drv_mem_handle *handle);
LOCAL void handle_free(struct drv_mem_handle *handle);
LOCAL void handles_close_device(unsigned device);
LOCAL void handles_forget(void);

/* ---------------------------------------------------------------- mappings (map.c) */
LOCAL struct mapping *mapping_in(const struct block *block, uint64_t address);
/* The mapping in which a reserved address lies, whatever is live. */
LOCAL struct mapping *mapping_at(uint64_t address);
/* Do mappings of one owner and one kind cover the range without a hole? */
LOCAL bool mappings_cover(const struct block *block, uint64_t address, uint64_t size);
LOCAL void mappings_use(const struct block *block, uint64_t address, uint64_t size, int users, int pins);
LOCAL void mapping_drop(struct block *block, struct mapping *mapping);
/* Is one of a device's mappings being used right now? */
LOCAL bool mappings_busy(unsigned device);
LOCAL void mappings_close_device(unsigned device);
LOCAL void mappings_forget(struct block *block);

/* ---------------------------------------------------------------- pools (pool.c, pool_create.c, pool_attr.c) */
LOCAL void reservation_release(struct block *block);
/* Is every page of the range, which begins in the pool, in use? */
LOCAL bool pool_is_live(const struct pool *pool, uint64_t address, uint64_t size);
LOCAL unsigned pool_device(const struct pool *pool);
/* Makes a pool of a block's addresses. */
LOCAL drvError_t pool_enter(uint64_t id, unsigned device, struct block *block, uint64_t start, uint64_t size);
/* v2: halMemFree at an address of the window. */
LOCAL drvError_t pool_free_block(uint64_t address);
/* Hides the pools of a device from every other call; true if one of them is being used right now. */
LOCAL bool pools_hide(unsigned device);
LOCAL void pools_close_device(unsigned device);
LOCAL void pools_forget(void);

/* ---------------------------------------------------------------- opened names (open.c) */
LOCAL void opening_gone(struct block *block);
LOCAL bool opening_readable(const struct block *block);
LOCAL void openings_forget(void);

/* ---------------------------------------------------------------- host registration (register.c) */
/* A device's address of registered host memory: turns it into the host's own; false if it is none. */
LOCAL bool registered_alias(uint64_t *address, uint64_t size);
LOCAL bool is_registered(uint64_t address);
LOCAL void registrations_close_device(unsigned device);
LOCAL void registrations_forget(void);
/* Does this product reach host memory through a coherent link rather than over PCIe? */
LOCAL bool coherent_link(void);

#endif
