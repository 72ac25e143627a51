/* ranges.h - third generation: what the host and each device see at addresses of a process. */
#ifndef KERNELSIM_RANGES_H
#define KERNELSIM_RANGES_H

#include "domain.h"
#include "svm.h"

/* A range of one side's addresses with memory behind it. */
struct range {
    struct span span;
    uint32_t hold;   /* NOTHING: it is the program's own memory */
    uint64_t offset;
    uint64_t user;   /* where the program's own memory is */
    uint32_t node;   /* who pays: a device, or NODE_HOST */
    uint32_t pins;
    bool owner;      /* made here, not mapped from elsewhere */
    bool ended;      /* given back while it was in use: it goes with the last pin */
    struct range *origin; /* the range of this process that it shows */
};

/* A source of memory as messages name it. */
struct source {
    uint32_t server;
    uint32_t device;
    int32_t tgid;
    uint32_t unused;
    uint64_t address;
    uint64_t size;
};

/* The table of a side: a device, or HOST_ID. */
struct table *side_of(uint32_t device);
struct range *range_at(uint32_t device, uint64_t address);
/* Put fresh memory at addresses of a side, at its cost; errno. */
int range_make(uint32_t device, uint64_t address, uint64_t size, uint64_t charged);
/* Show memory of a source at addresses of a side; errno. */
int range_map(uint32_t device, uint64_t address, uint64_t size, const struct source *source);
/* Let go of what was pinned. */
void range_unpin(struct range *range);
/* Take a range away; EINVAL where none begins there, EBUSY where it is in use and goes later. */
int range_end(uint32_t device, uint64_t address, bool made);
/* Everything that a side sees goes. */
void ranges_of(uint32_t device);
void ranges_forget(void);

/* One end of a copy: an address of a side, as this process sees it (tgid 0) or another one does. */
struct end {
    uint32_t side;
    int32_t tgid;
    uint64_t address;
};

/* Copy and fill by side; errno. */
int sides_copy(struct end to, struct end from, uint64_t size);
int side_fill(uint32_t side, uint64_t to, uint8_t value, uint64_t size);

/* Prepared copies between the host and a device; errno. */
int descriptor_make(struct end from, struct end to, uint64_t size, struct dma_address *told);
int descriptor_end(const struct dma_address *told);
void descriptors_forget(void);

/* Keys of shared memory, for other processes. */
long key_command(unsigned number, uint32_t device, void *argument);
/* The program gave back memory of a side: keys for it stay, and lead nowhere. */
void keys_of_freed(uint32_t device, const struct span *span);
/* The program left a device: its keys for memory there end. */
void keys_of(uint32_t device);

/* Hold on to shared memory that a side will see at a range, by a hold that is given away; errno. */
int pin_keep(uint32_t device, const struct span *span, const struct source *source, uint32_t hold,
             uint64_t offset);
int pin_end(uint32_t device, uint64_t address, uint64_t size);
/* Another hold of what is pinned for a range; errno. */
int pin_hold(uint32_t device, uint64_t address, uint64_t size, uint32_t *hold, uint64_t *offset);
/* Pinned memory as its owner names it: where it is in the store and how much of it follows; false if
 * this process holds on to nothing there. */
bool pin_seen(const struct end *owner, uint32_t *hold, uint64_t *offset, uint64_t *size);
void pins_of(uint32_t device);
void pins_forget(void);
/* Memory that another process made, by its source; false if nobody shares it. */
bool shared_source(struct domain *domain, const struct source *source, uint32_t *object,
                   uint64_t *offset);

#endif
