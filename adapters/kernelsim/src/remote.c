/* remote.c - commands that let devices use host memory and the host use device memory. */
#include "assumed.h"
#include "remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum map_type {
    HOST_MEM_MAP_DEV,
    HOST_SVM_MAP_DEV,
    DEV_SVM_MAP_HOST,
    PCIE_THROUGH,
    DEV_MEM_MAP_HOST,
    HOST_MEM_MAP_DMA,
    HOST_IO_MAP_DEV,
    MAP_TYPES
};
enum { PROCESS_CP1 = 0, PROCESS_HCCP = 4 };

/* Devices see host memory at addresses from here on. */
#define DEVICE_SIDE UINT64_C(0x1ff000000000)

struct remote {
    struct span span;
    uint64_t there;
    uint32_t type;
    uint32_t device;
};

/* By device and kind: each has a table of its own. */
static struct table remotes[DEVICES_MOST][MAP_TYPES];
/* Ranges for DMA, by device: what one device reaches says nothing of the others. */
static struct table pinned[DEVICES_MOST];
static uint64_t next_there = DEVICE_SIDE;

static bool overflows(uint64_t address, uint64_t size)
{
    return size > UINT64_MAX - address;
}

/* Whether the program has memory at a range. */
static bool accessible(uint64_t address, uint64_t size)
{
    unsigned char byte;
    for (uint64_t at = address; at < address + size; at += PAGE) {
        if (!user_read(&byte, (void *)(uintptr_t)at, 1)) {
            return false;
        }
    }
    return true;
}

static int check_user_memory(const struct call *call)
{
    const union payload *in = call->in;
    bool through = !settings()->product->coherent;
    uint32_t type = in->remote.type;
    if (type != HOST_MEM_MAP_DEV && type != PCIE_THROUGH && type != HOST_IO_MAP_DEV) {
        return EINVAL;
    }
    if (in->remote.from == 0 || in->remote.from % PAGE != 0 || in->remote.size == 0 ||
        overflows(in->remote.from, in->remote.size)) {
        return EINVAL;
    }
    if (in->remote.process != PROCESS_CP1 || (type == HOST_MEM_MAP_DEV) == through) {
        return EOPNOTSUPP;
    }
    if (table_overlap(&remotes[call->device][type], in->remote.from, in->remote.size) != NULL) {
        return EINVAL;
    }
    return accessible(in->remote.from, in->remote.size) ? 0 : EFAULT;
}

static bool through_pcie(uint32_t type)
{
    return type == PCIE_THROUGH || type == HOST_IO_MAP_DEV;
}

/* Whether memory of the module was mapped already: pages know that they were, for whomever, and what
 * goes through PCIe is kept in lists as the program's own memory is. */
static bool mapped_already(const struct call *call)
{
    const union payload *in = call->in;
    uint32_t type = in->remote.type;
    if (through_pcie(type)) {
        return table_overlap(&remotes[call->device][type], in->remote.from, in->remote.size) != NULL;
    }
    for (unsigned device = 0; device < DEVICES_MOST; device++) {
        for (unsigned kind = HOST_SVM_MAP_DEV; kind <= DEV_SVM_MAP_HOST; kind++) {
            if (table_overlap(&remotes[device][kind], in->remote.from, in->remote.size) != NULL) {
                return true;
            }
        }
    }
    return false;
}

/* What holds of a range of allocated memory of either side. */
static int check_block(const struct call *call, const struct block *block)
{
    const union payload *in = call->in;
    uint64_t size = in->remote.size;
    if (block == NULL || size > block->span.start + block->span.size - in->remote.from ||
        in->remote.from % PAGE != 0 || block->read_only ||
        mapped_already(call)) {
        return EINVAL;
    }
    return 0;
}

static int check_host_block(const struct call *call, const struct block *block)
{
    const union payload *in = call->in;
    uint32_t type = in->remote.type;
    if ((type != HOST_SVM_MAP_DEV && type != PCIE_THROUGH && type != HOST_IO_MAP_DEV) ||
        in->remote.size == 0) {
        return EINVAL;
    }
    if (in->remote.process != PROCESS_CP1) {
        return EOPNOTSUPP;
    }
    int failed = check_block(call, block);
    if (failed != 0) {
        return failed;
    }
    bool coherent = settings()->product->coherent;
    return coherent || type != HOST_SVM_MAP_DEV ? 0 : EOPNOTSUPP;
}

static int check_device_block(const struct call *call, const struct block *block)
{
    const union payload *in = call->in;
    if (in->remote.type != DEV_SVM_MAP_HOST || in->remote.size == 0) {
        return EINVAL;
    }
    if (in->remote.process != PROCESS_CP1) {
        return EOPNOTSUPP;
    }
    return check_block(call, block);
}

static int check_device_memory(const union payload *in)
{
    if (!in_windows(in->remote.from) && !in_windows(in->remote.to)) {
        return EOPNOTSUPP;
    }
    if (in->remote.from == 0 || in->remote.from % PAGE != 0 || in->remote.size == 0 ||
        in->remote.size % PAGE != 0) {
        return EINVAL;
    }
    return EOPNOTSUPP; /* network cards' memory is not played */
}

static int check(const struct call *call, const struct block *block)
{
    const union payload *in = call->in;
    if (in->remote.type >= MAP_TYPES) {
        return EINVAL;
    }
    if (in->remote.type == DEV_MEM_MAP_HOST) {
        return check_device_memory(in);
    }
    if (!in_windows(in->remote.from)) {
        int failed = check_user_memory(call);
        return failed != 0 ? failed : device_closed(call->device);
    }
    struct view view;
    if (view_at(in->remote.from, &view) != 0 || block == NULL || view.mapping != NULL) {
        return block != NULL && block->heap->sub == SUB_RESERVE ? EOPNOTSUPP : EINVAL;
    }
    if (view.place == PLACE_DEVICE) {
        return check_device_block(call, block);
    }
    int failed = check_host_block(call, block);
    return failed != 0 ? failed : device_closed(call->device);
}

static int remember(struct call *call, struct block *block)
{
    union payload *in = call->in;
    struct remote *remote = calloc(1, sizeof(*remote));
    if (remote == NULL) {
        return ENOMEM;
    }
    bool in_place = in->remote.type == DEV_SVM_MAP_HOST || in->remote.type == HOST_SVM_MAP_DEV;
    *remote = (struct remote){
        .span = {in->remote.from, in->remote.size},
        .type = in->remote.type,
        .device = call->device,
        .there = in_place ? in->remote.from : next_there,
    };
    if (!table_add(&remotes[call->device][remote->type], remote)) {
        free(remote);
        return ENOMEM;
    }
    if (!in_place) {
        assume(ASSUMED_DEVICE_ADDRESS);
        next_there += (in->remote.size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    }
    if (block != NULL) {
        block->references++;
    }
    in->remote.to = remote->there;
    return 0;
}

int remote_map(struct call *call)
{
    union payload *in = call->in;
    struct block *block = in_windows(in->remote.from) ? block_at(in->remote.from) : NULL;
    int failed = check(call, block);
    if (failed == 0 && in->remote.type == DEV_SVM_MAP_HOST) {
        uint64_t inside = in->remote.from - block->span.start;
        failed = show(in->remote.from, in->remote.size, block->offset + inside,
                      PROT_READ | PROT_WRITE);
    }
    return failed != 0 ? failed : remember(call, block);
}

static void drop(struct remote *remote)
{
    struct block *block = in_windows(remote->span.start) ? block_at(remote->span.start) : NULL;
    if (block != NULL && block->references > 0) {
        block->references--;
    }
    if (remote->type == DEV_SVM_MAP_HOST) {
        hide(remote->span.start, remote->span.size);
    }
    table_remove(&remotes[remote->device][remote->type], remote);
    free(remote);
}

static struct remote *find(uint32_t device, uint64_t address)
{
    for (unsigned type = 0; type < MAP_TYPES; type++) {
        struct remote *remote = table_at(&remotes[device][type], address);
        if (remote != NULL && remote->span.start == address) {
            return remote;
        }
    }
    return NULL;
}

int remote_unmap(struct call *call)
{
    union payload *in = call->in;
    if (in->remote_end.type >= MAP_TYPES) {
        return EINVAL;
    }
    struct remote *remote = find(call->device, in->remote_end.from);
    /* Not all callers know the kind. Only host memory of the module that devices see through PCIe is
     * not found without it. */
    bool needs_kind = remote != NULL && through_pcie(remote->type) && in_windows(in->remote_end.from);
    if (remote == NULL || (needs_kind && !through_pcie(in->remote_end.type))) {
        return in_windows(in->remote_end.from) ? EINVAL : ENOENT;
    }
    in->remote_end.to = remote->there;
    drop(remote);
    return 0;
}

static void unpin(struct table *of, struct span *row)
{
    table_remove(of, row);
    free(row);
}

void remote_of_device(uint32_t device)
{
    for (unsigned type = 0; type < MAP_TYPES; type++) {
        while (remotes[device][type].count > 0) {
            drop((struct remote *)remotes[device][type].rows[0]);
        }
    }
    while (pinned[device].count > 0) {
        unpin(&pinned[device], (struct span *)pinned[device].rows[0]);
    }
}

int dma_register(struct call *call)
{
    const union payload *in = call->in;
    if (call->device >= DEVICES_MOST) {
        return EINVAL;
    }
    struct table *mine = &pinned[call->device];
    if (in->dma.size == 0 || overflows(in->dma.va, in->dma.size)) {
        return EINVAL;
    }
    if (!in_windows(in->dma.va) && !accessible(in->dma.va, in->dma.size)) {
        return EFAULT;
    }
    if (table_overlap(mine, in->dma.va, in->dma.size) != NULL) {
        return EINVAL;
    }
    struct span *row = calloc(1, sizeof(*row));
    if (row == NULL) {
        return ENOMEM;
    }
    *row = (struct span){in->dma.va, in->dma.size};
    if (!table_add(mine, row)) {
        free(row);
        return ENOMEM;
    }
    return 0;
}

int dma_unregister(struct call *call)
{
    struct table *mine = call->device < DEVICES_MOST ? &pinned[call->device] : NULL;
    struct span *row = mine == NULL ? NULL : table_at(mine, call->in->dma.va);
    if (row == NULL || row->start != call->in->dma.va) {
        return EFAULT;
    }
    unpin(mine, row);
    return 0;
}

void remote_forget(void)
{
    memset(remotes, 0, sizeof(remotes));
    memset(pinned, 0, sizeof(pinned));
    next_there = DEVICE_SIDE;
}
