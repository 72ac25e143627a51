/* register.h - the list of registrations; for register.c, register_list.c and unregister.c. */
#ifndef SOFTHAL_REGISTER_INTERNAL_H
#define SOFTHAL_REGISTER_INTERNAL_H

#include "vmm.h"

struct registration {
    struct registration *next;
    uint64_t src, size; /* whole pages */
    uint64_t dst;       /* 0: none (DMA) */
    unsigned type, device;
    bool recorded;       /* v2: made while the record feature was on */
    bool local;          /* the source is ordinary memory */
    bool exposed;        /* the CPU was let into device memory */
    bool placed;         /* dst is an address of its own */
    struct block *block; /* pinned */
};

LOCAL extern struct registration *registrations;

/* Registrations of one device and type are disjoint. */
LOCAL bool registration_overlaps(uint64_t src, uint64_t size, unsigned type, unsigned device);
/* An address that only the device understands; 0 if there is none left. */
LOCAL uint64_t registration_place(uint64_t src, uint64_t size);
/* Enters a copy of the wish; pins its block. */
LOCAL drvError_t registration_enter(const struct registration *wish);
LOCAL void registration_remove(struct registration *registration);
/* Can these pages be pinned at all? */
LOCAL bool pages_exist(uint64_t address, uint64_t size);
/* Products whose devices reach host memory through PCIe as it is. */
LOCAL bool pcie_through(void);

#endif
