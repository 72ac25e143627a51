/* process.c - commands about the process and its devices as a whole. */
#include <errno.h>
#include <string.h>

#include "assumed.h"
#include "handle.h"
#include "ipc.h"
#include "remote.h"
#include "soma.h"
#include "uvm.h"

int svm_init_process(struct call *call)
{
    union payload *in = call->in;
    in->init.svm_page = PAGE;
    in->init.local_page = PAGE;
    in->init.huge_page = HUGE_PAGE;
    in->init.giant = 1;
    in->init.uvm_page = HUGE_PAGE;
    space.inited = true;
    faults_serve();
    return 0;
}

int svm_setup_device(struct call *call)
{
    union payload *in = call->in;
    bool coherent = settings()->product->coherent;
    space.open[call->device] = true;
    in->setup.dvpp = settings()->product->dvpp_heap;
    in->setup.bar = 1;
    in->setup.read_only = 1;
    in->setup.map_host = 1;
    in->setup.bar_huge = 1;
    in->setup.pin = 1;
    in->setup.host_rw = 1;
    in->setup.pre_register = 0;
    in->setup.host_pool = 0;
    in->setup.double_table = 0;
    in->setup.giant = 1;
    in->setup.remote_map = 1;
    in->setup.exbus = coherent;
    in->setup.host_uva = settings()->product->host_uva;
    return 0;
}

int device_closed(uint32_t device)
{
    if (space.open[device]) {
        return 0;
    }
    assume(ASSUMED_DEVICE_CLOSED);
    return ESRCH;
}

int svm_prepare_close(struct call *call)
{
    (void)call;
    return 0; /* copies are finished when they were started */
}

/* Pages that move come home from a device that is closed. */
static void bring_home(struct block *block, uint32_t device)
{
    uint8_t there = (uint8_t)(PLACE_DEVICE + device);
    uint64_t size = block->heap->page;
    for (uint64_t page = 0; page < block->span.size / size; page++) {
        if (block->places[page] == there && block->advised != NULL) {
            uvm_settle(block, page, PLACE_HOST);
        } else if (block->places[page] == there) {
            pages_move(block, block->span.start + page * size, size, PLACE_HOST, NO_DEVICE);
        }
    }
}

int svm_close_device(struct call *call)
{
    remote_of_device(call->device);
    handles_of_device(call->device);
    soma_of_device(call->device);
    for (size_t i = space.blocks.count; i > 0; i--) {
        struct block *block = (struct block *)space.blocks.rows[i - 1];
        if (block->places != NULL) {
            bring_home(block, call->device);
        } else if (block->hold != NOTHING && block->device == call->device) {
            ipc_forget(block->span.start, block->span.size);
            block_remove(block);
        }
    }
    space.open[call->device] = false;
    return 0;
}

int svm_process_status(struct call *call)
{
    union payload *in = call->in;
    if (in->status.type > 5) {
        return EINVAL;
    }
    assume(ASSUMED_DEVICE_PROCESS);
    if (!space.open[call->device]) {
        return ESRCH;
    }
    in->status.result = 0;
    return 0;
}

enum { TYPE_HBM, TYPE_DDR, TYPE_P2P_HBM, TYPE_P2P_DDR, TYPE_TS, TYPE_UVM, TYPE_SOMA, TYPES };

/* One pool of device memory is shown in two parts, small and huge pages. What is used of it comes
 * out of the huge part first, so that the free parts always add up to what is free. */
int svm_used(struct call *call)
{
    union payload *in = call->in;
    if (in->used.type >= TYPES) {
        return EINVAL;
    }
    int closed = device_closed(call->device);
    if (closed != 0) {
        return closed;
    }
    uint32_t type = in->used.type;
    assume(type == TYPE_P2P_HBM ? ASSUMED_PEER_MEMORY : ASSUMED_MEMORY_SPLIT);
    memset(&in->used, 0, sizeof(in->used));
    in->used.type = type;
    if (type == TYPE_DDR || type == TYPE_P2P_DDR || type == TYPE_TS) {
        return 0;
    }
    struct node node = node_now(call->device);
    uint64_t small = node.size / settings()->product->small_share;
    uint64_t left = node.size - node.used;
    uint64_t huge = node.size - small;
    in->used.normal = small;
    in->used.huge = huge;
    in->used.huge_free = left > small ? left - small : 0;
    in->used.normal_free = left - in->used.huge_free;
    in->used.giant = huge / GIB * GIB;
    in->used.giant_free = in->used.huge_free / GIB * GIB;
    return 0;
}

enum { ADDRESSES_MOST = 1024 };

int svm_check_addresses(struct call *call)
{
    union payload *in = call->in;
    if (in->check.addresses == 0 || in->check.count == 0 || in->check.count > ADDRESSES_MOST) {
        return EINVAL;
    }
    for (uint32_t i = 0; i < in->check.count; i++) {
        uint64_t address;
        const uint64_t *from = (const uint64_t *)(uintptr_t)in->check.addresses + i;
        if (!user_read(&address, from, sizeof(address))) {
            return EINVAL;
        }
        struct view view;
        struct heap *heap = heap_at(address);
        bool right = heap != NULL && (in->check.mask >> heap->sub & 1) != 0 &&
                     view_at(address, &view) == 0 && view.place == PLACE_DEVICE &&
                     view.device == call->device;
        if (!right) {
            return EFAULT;
        }
    }
    return 0;
}

enum { MOVING_NOWHERE = 1, MOVING_ON_HOST = 2, MOVING_ON_DEVICE = 4 };

int svm_va_status(struct call *call)
{
    union payload *in = call->in;
    struct view view;
    if (view_at(in->va_status.va, &view) != 0 || view.user) {
        return EINVAL;
    }
    in->va_status.device = view.place == PLACE_DEVICE ? view.device : 0;
    in->va_status.type = view.place == PLACE_DEVICE ? MOVING_ON_DEVICE
                         : view.place == PLACE_HOST ? MOVING_ON_HOST
                                                    : MOVING_NOWHERE;
    return 0;
}

int svm_reserve_map(struct call *call)
{
    enum { ADDRESS_TYPES = 16 };
    assume(ASSUMED_REGISTERS);
    return call->in->reserve_map.type >= ADDRESS_TYPES ? EINVAL : EOPNOTSUPP;
}

int svm_capability(struct call *call)
{
    enum { MODULES = 10 };
    union payload *in = call->in;
    if (in->capability.module >= MODULES) {
        return EINVAL;
    }
    assume(ASSUMED_CAPABILITIES);
    in->capability.capability = settings()->product->accelerators >> in->capability.module & 1;
    return 0;
}

int svm_repair(struct call *call)
{
    union payload *in = call->in;
    if (in->repair.count == 0 || in->repair.count > REPAIRS_MOST) {
        return EINVAL;
    }
    assume(ASSUMED_REPAIR);
    for (uint32_t i = 0; i < in->repair.count; i++) {
        struct view view;
        if (view_at(in->repair.ranges[i].va, &view) != 0 || view.place != PLACE_DEVICE) {
            return EINVAL;
        }
        if ((view.block != NULL && view.block->lent) || (view.mapping != NULL && !view.mapping->own)) {
            return EPERM;
        }
    }
    return 0;
}

int svm_reserved_info(struct call *call)
{
    union payload *in = call->in;
    const struct mapping *mapping = table_at(&space.mappings, in->reserved.va);
    if (mapping == NULL) {
        return EINVAL;
    }
    in->reserved.start = mapping->span.start;
    in->reserved.end = mapping->span.start + mapping->span.size - 1;
    in->reserved.module = mapping->module;
    in->reserved.device = mapping->device;
    return 0;
}
