/* uvm.h - managed memory: what is known of each page besides where it is. */
#ifndef KERNELSIM_UVM_H
#define KERNELSIM_UVM_H

#include "svm.h"

enum location { LOCATION_NONE, LOCATION_DEVICE, LOCATION_HOST, LOCATION_NUMA, LOCATIONS };
enum { ACCESS_BY_HOST = 64 };

/* Where a page is wanted, or was last sent. */
struct wish {
    uint8_t type;
    int32_t id;
};

struct page_advice {
    bool read_mostly;
    bool by_host;
    struct wish preferred;
    struct wish last;
    uint64_t by_devices; /* one bit for each that accesses it */
    uint64_t replicas;   /* one bit for each device with a copy, besides the page itself */
};

handler uvm_alloc, uvm_advise, uvm_get_attr, uvm_copy, uvm_prefetch, uvm_prefetch_batch;

/* Fill managed memory, page by page; errno. */
int uvm_fill(uint64_t address, uint8_t value, uint64_t size);
/* The managed block that holds a page, and the page's number in it; NULL if it is not allocated. */
struct block *uvm_page(uint64_t address, uint64_t *page);
/* Put a page on the host or a device, whole and writable there. Its copies elsewhere go. errno */
int uvm_settle(struct block *block, uint64_t page, uint8_t place);
/* Add a copy of a read-mostly page on a device. errno */
int uvm_replicate(struct block *block, uint64_t page, uint32_t device);
/* Make a page read-mostly: a host copy, and one on the device where it was. errno */
int uvm_share_page(struct block *block, uint64_t page);
/* Send pages of this process away from a device until bytes are free there; whether they are. */
bool uvm_swap_out(uint32_t device, uint64_t bytes);
/* A block goes: nothing is charged for its pages any more. */
void uvm_discard(struct block *block);
/* The CPU touches a page: bring it home. Whether the access can be made again. */
bool uvm_touched(struct block *block, uint64_t page);

#endif
