/*
 * uvm.h - managed memory (MEM_UVM): what the files uvm_*.c share.
 *
 * A page is 2 MiB and has no memory until somebody touches it.  Then it is on the host, on one device, or,
 * when it is read mostly, on the host and on any set of devices.  Every copy has storage of its own, and
 * counts against its device, so bytes that ought to move really do.
 *
 * The lock of this area guards all of it.  It may be taken inside state.lock, also by a page fault of a thread
 * that holds that one, and never the other way round; the domain lock may be taken inside it.  No memory of
 * the caller is touched while it is held, except by system calls, which cannot fault.
 */
#ifndef SOFTHAL_UVM_H
#define SOFTHAL_UVM_H

#include "internal.h"

enum uvm_state { UVM_UNTOUCHED, UVM_HOST, UVM_DEVICE, UVM_READ_MOSTLY };

struct uvm_place {
    uint8_t type; /* drv_uvm_location_type; INVALID: not set */
    uint8_t id;   /* device or NUMA node */
};
struct uvm_page {
    uint8_t state;
    bool accessed_by_host;
    struct uvm_place preferred, prefetched;
    uint64_t copies;      /* devices with a copy, a bit each */
    uint64_t accessed_by; /* likewise; the host is apart */
};

/* Number of a page, counted from the start of the window. */
typedef uint32_t uvm_number;

/* ---------------------------------------------------------------- the table (uvm_table.c) */
LOCAL bool uvm_has(uint64_t address);
LOCAL uvm_number uvm_number_of(uint64_t address);
LOCAL uint64_t uvm_address_of(uvm_number number);
/* The record of a page; NULL if there is no memory for it.  Only ask for pages that are allocated. */
LOCAL struct uvm_page *uvm_page(uvm_number number);
/* The same to look at: pages that nothing was done with yet have one record in common. */
LOCAL const struct uvm_page *uvm_peek(uvm_number number);
/* End of the allocations that follow each other without a hole from here on; 0 if here is none. */
LOCAL uint64_t uvm_allocated_until(uint64_t address);
LOCAL bool uvm_allocated(uint64_t address);
/* Calls a function for every record of a range that is not as new. */
LOCAL void uvm_each_used(uint64_t address, uint64_t size, void (*visit)(uvm_number number, unsigned argument),
                         unsigned argument);
LOCAL bool uvm_is_open(unsigned device);
/* Does the thread that asks hold the lock of this area? */
LOCAL bool uvm_lock_is_mine(void);

/* ---------------------------------------------------------------- where copies are stored (uvm_store.c) */
/* Place of a page's copy in the driver's memory; node is a device or HOST_NODE. */
LOCAL uint64_t uvm_offset(uvm_number number, unsigned node);
LOCAL void uvm_transfer(uvm_number number, unsigned from, unsigned to);
LOCAL void uvm_discard(uvm_number number, unsigned node);
/* What the CPU may do with the page: PROT_NONE, PROT_READ or both; 0 or -1. */
LOCAL int uvm_protect(uvm_number number, int protection);
/* A copy in the driver's address space for a moment; NULL without address space. */
LOCAL char *uvm_view(uvm_number number, unsigned node);
LOCAL void uvm_unview(char *view);
/* Between a copy and the caller's memory; -1 if that cannot be used. */
LOCAL int uvm_write(uvm_number number, unsigned node, uint64_t into, const void *from, uint64_t size);
LOCAL int uvm_read(uvm_number number, unsigned node, uint64_t into, void *to, uint64_t size);

/* ---------------------------------------------------------------- memory of devices (uvm_frames.c) */
/* Memory for a copy on a device; others are swapped out for it if need be.  0 or -1. */
LOCAL int uvm_frame_take(unsigned device, uvm_number number);
LOCAL void uvm_frame_give(unsigned device, uvm_number number);
/* The device used the page: its young bit is set. */
LOCAL void uvm_frame_touch(unsigned device, uvm_number number);
LOCAL size_t uvm_frame_count(unsigned device);
/* One look at every page of a device: young bits are read and cleared; pages not used for `age` looks are
 * swapped out until no more than `enough` bytes of the device are in use. */
LOCAL void uvm_scan(unsigned device, unsigned age, uint64_t enough);
LOCAL void uvm_frames_forget(void);

/* ---------------------------------------------------------------- the thread that scans (uvm_scan.c) */
/* There is something to watch. */
LOCAL void uvm_scan_wake(void);
LOCAL void uvm_scan_after_fork(void);

/* ---------------------------------------------------------------- pages move (uvm_move.c) */
/* Steps answer 0; 6 without memory; 8 if the device is not open.  A step that fails has moved nothing. */
typedef drvError_t uvm_step(uvm_number number, unsigned argument);
LOCAL drvError_t uvm_to_host(uvm_number number, unsigned unused);
LOCAL drvError_t uvm_to_device(uvm_number number, unsigned device);
/* A page that is read mostly gets a copy on a device. */
LOCAL drvError_t uvm_replicate(uvm_number number, unsigned device);
LOCAL drvError_t uvm_make_read_mostly(uvm_number number, unsigned unused);
/* One copy is left, on a device or the host, and the page is an ordinary one. */
LOCAL drvError_t uvm_end_read_mostly(uvm_number number, unsigned node);
/* A device needs its memory; false if the host has none. */
LOCAL bool uvm_swap_out(uvm_number number, unsigned device);
LOCAL void uvm_forget_page(uvm_number number, unsigned unused);
/* Where the bytes of a page are read from. */
LOCAL unsigned uvm_home(const struct uvm_page *page);

/* Makes a step, and releases blocks that were freed and kept if memory is short (uvm_table.c). */
LOCAL drvError_t uvm_do(uvm_step *step, uvm_number number, unsigned argument);

/* ---------------------------------------------------------------- requests */
/* Does a range lie in the window? */
LOCAL bool uvm_request_fits(uint64_t address, uint64_t size);
LOCAL uint64_t uvm_page_start(uint64_t address);
LOCAL uint64_t uvm_page_end(uint64_t address);
/* Is there such a NUMA node? */
LOCAL bool uvm_node_online(int node);
/* A place as the caller names it. */
LOCAL struct uvm_place uvm_place_of(struct drv_uvm_location location);

#endif
