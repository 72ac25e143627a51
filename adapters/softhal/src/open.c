/*
 * open.c - opening a name: new addresses for the memory of another process.
 *
 * v2 keeps one opening for each name and device, counted, and answers a further open without asking
 * anybody; v3 gives new addresses every time (v2 devmm_record.c, v3 svm_ipc.c).
 */
#include <stdlib.h>
#include <string.h>

#include "caprice.h"
#include "vmm.h"

struct opening {
    uint64_t share;
    char name[NAME_SIZE];
    unsigned device;
    unsigned count; /* v2: opens without a close */
    int fd;
};

static bool is_v2(void)
{
    return generation() == GEN_V2;
}

static const char *wanted_name;
static struct block *found_block;

static void match_opening(struct block *block, unsigned device)
{
    if (block->live && strcmp(block->opening->name, wanted_name) == 0 && block->heap->node == device) {
        found_block = block;
    }
}

static struct block *opened_here(const char *name, unsigned device)
{
    wanted_name = name;
    found_block = NULL;
    blocks_of_kind(KIND_OPENED, match_opening, device);
    return found_block;
}

/* May this process open it now?  Needs the domain lock. */
static drvError_t v2_admit(const struct share *share, unsigned device)
{
    if (share == NULL || share->valid == 0 || share->pages_gone != 0) {
        return DRV_ERROR_PARA_ERROR;
    }
    bool own = share->owner == own_slot() && share->no_white_list == 0 && !FAULT(white_ignored);
    if (own || !share_permits(share)) {
        return DRV_ERROR_PARA_ERROR;
    }
    for (unsigned i = 0; i < config_get()->devices; i++) {
        if (i != device && holder_find(share, own_slot(), i) != NULL) {
            return DRV_ERROR_PARA_ERROR; /* one address for a process, on one device */
        }
    }
    return DRV_ERROR_NONE;
}

static drvError_t v3_admit(const struct share *share)
{
    if (share != NULL && share->freed != 0) {
        return share_holders(share) > 0 ? DRV_ERROR_IOCRL_FAIL : DRV_ERROR_PARA_ERROR;
    }
    return share == NULL || share->valid == 0 || !share_permits(share) ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NONE;
}

/* The block goes: whoever released it holds neither users nor pins.  Takes the domain lock. */
void opening_gone(struct block *block)
{
    struct opening *opening = block->opening;
    block->opening = NULL;
    view_remove(block->start, block->size);
    domain_enter();
    struct share *share = share_find(opening->share, SHARE_NAME);
    if (share != NULL && !FAULT(close_keeps_hold)) {
        holder_put(share, own_slot(), opening->device);
    }
    domain_unlock();
    peer_close(opening->fd);
    free(opening);
}

bool opening_readable(const struct block *block)
{
    domain_enter();
    const struct share *share = share_find(block->opening->share, SHARE_NAME);
    bool readable = share != NULL && share->pages_gone == 0;
    domain_unlock();
    return readable;
}

/* Addresses that show the memory, not yet known to anybody; takes fd along, whatever happens. */
static struct block *attach(const struct share *share, unsigned device, int fd)
{
    struct plan plan = {.kind = KIND_OPENED, .device = device, .node = device};
    plan.granule = share->granule == SMALL_PAGE ? SMALL_PAGE : HUGE_PAGE;
    plan.size = round_up(share->size, plan.granule);
    plan.own = is_v2() && plan.size > 512 * MIB;
    struct opening *opening = calloc(1, sizeof(*opening));
    struct block *block = opening == NULL ? NULL : block_place(&plan);
    if (block == NULL) {
        free(opening);
        peer_close(fd);
        return NULL;
    }
    block->opening = opening;
    block->requested = share->size;
    opening->device = device;
    opening->count = 1;
    opening->fd = fd;
    if (view_add(block->start, plan.size, fd, share->offset) != 0) {
        block_release(block);
        return NULL;
    }
    return block;
}

/* Asks the owner's entry; with a block, also enters this process as a holder. */
static drvError_t admit(const char *name, unsigned device, struct block *block, struct share *copy, int *fd)
{
    int pid = 0;
    domain_enter();
    struct share *share = share_named(name);
    drvError_t code = is_v2() ? v2_admit(share, device) : v3_admit(share);
    if (code == DRV_ERROR_NONE && block == NULL) {
        *copy = *share;
        *fd = share_source(share, &pid, fd) ? peer_open(pid, *fd, share->inode) : -1;
        code = *fd < 0 ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NONE;
    } else if (code == DRV_ERROR_NONE) {
        bool entered = holder_make(share, own_slot(), device, *fd) != NULL;
        block->opening->share = entered ? share->id : 0;
        strcpy(block->opening->name, name);
        code = entered ? DRV_ERROR_NONE : DRV_ERROR_OUT_OF_MEMORY;
    }
    domain_unlock();
    return code;
}

static drvError_t open_new(const char *name, unsigned device, DVdeviceptr *vptr)
{
    struct share copy;
    int fd = -1;
    drvError_t code = admit(name, device, NULL, &copy, &fd);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    /* Address space is looked for without the domain lock, so the share is asked once more. */
    struct block *block = caprice_short() ? NULL : attach(&copy, device, fd);
    code = block == NULL ? DRV_ERROR_OUT_OF_MEMORY : admit(name, device, block, &copy, &fd);
    if (code == DRV_ERROR_NONE) {
        block->live = true;
        *vptr = block->start;
    } else if (block != NULL) {
        block_release(block);
    }
    return code;
}

static drvError_t v2_open(DVdevice dev_id, const char *name, DVdeviceptr *vptr)
{
    if (!name_is_string(name) || vptr == NULL || dev_id >= V2_MAX_PHYSICAL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (name_parse(name) == 0) {
        return caprice_code(DRV_ERROR_INVALID_VALUE, DRV_ERROR_PARA_ERROR);
    }
    drvError_t code = enter_direct();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct block *block = opened_here(name, dev_id);
    if (block != NULL) {
        block->opening->count += FAULT(open_uncounted) ? 0 : 1;
        *vptr = block->start;
    } else if (!device_is_open(dev_id)) {
        code = caprice_code(DRV_ERROR_PARA_ERROR, DRV_ERROR_NO_DEVICE);
    } else {
        code = open_new(name, dev_id, vptr);
    }
    leave();
    return code;
}

static drvError_t v3_open(DVdevice dev_id, const char *name, DVdeviceptr *vptr, uint64_t flag)
{
    uint32_t route = (uint32_t)flag;
    if (dev_id >= V3_MAX_AGENT || !name_is_string(name) || vptr == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (route != MEM_MAP_INBUS && route != MEM_MAP_UB_ONE_PORT_PATH && route != MEM_MAP_UB_MULTI_PORT_PATH) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (name_parse(name) == 0) {
        return caprice_code(DRV_ERROR_INVALID_VALUE, DRV_ERROR_PARA_ERROR);
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = device_is_open(dev_id) ? open_new(name, dev_id, vptr) : DRV_ERROR_NOT_EXIST;
    leave();
    return code;
}

DVresult halShmemOpenHandleByDevId(DVdevice dev_id, const char *name, DVdeviceptr *vptr)
{
    return is_v2() ? v2_open(dev_id, name, vptr) : v3_open(dev_id, name, vptr, 0);
}

/* v2 does not have this interface. */
DVresult halShmemOpenHandleV2(DVdevice dev_id, const char *name, DVdeviceptr *vptr, uint64_t flag)
{
    return is_v2() ? DRV_ERROR_NOT_SUPPORT : v3_open(dev_id, name, vptr, flag);
}

/* v2: on the device that this process opened last. */
DVresult halShmemOpenHandle(const char *name, DVdeviceptr *vptr)
{
    if (!is_v2()) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    state_lock();
    unsigned device = state.last_opened;
    state_unlock();
    return v2_open(device, name, vptr);
}

static drvError_t close_block(struct block *block)
{
    if (is_v2() && block->opening->count > 1) {
        block->opening->count--;
        return DRV_ERROR_NONE;
    }
    if (block->users > 0 || block->pins > 0) {
        return DRV_ERROR_BUSY;
    }
    block_release(block);
    return DRV_ERROR_NONE;
}

DVresult halShmemCloseHandle(DVdeviceptr vptr)
{
    if (!is_v2() && vptr == 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = is_v2() ? enter_direct() : enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct block *block = live_block_at(vptr);
    if (block == NULL) {
        code = is_v2() ? DRV_ERROR_PARA_ERROR : DRV_ERROR_INVALID_VALUE;
        code = caprice_code(code, is_v2() ? DRV_ERROR_INVALID_VALUE : DRV_ERROR_PARA_ERROR);
    } else if (block->heap->kind != KIND_OPENED || (block->start != vptr && !FAULT(close_interior))) {
        code = DRV_ERROR_PARA_ERROR;
    } else {
        code = close_block(block);
    }
    leave();
    return code;
}

/* Only shares over the unified bus have routes, and this product is connected by PCIe. */
DVresult halShmemMapRouteCheck(const char *name, uint32_t dst_devid, uint32_t map_route)
{
    if (is_v2()) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (!name_is_string(name)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (dst_devid >= 66) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    if (map_route != MEM_MAP_INBUS && map_route != MEM_MAP_UB_ONE_PORT_PATH &&
        map_route != MEM_MAP_UB_MULTI_PORT_PATH) {
        return DRV_ERROR_NOT_EXIST;
    }
    if (name_parse(name) == 0) {
        return caprice_code(DRV_ERROR_INVALID_VALUE, DRV_ERROR_PARA_ERROR);
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    domain_enter();
    const struct share *share = share_named(name);
    bool known = share != NULL && share->valid != 0 && share_permits(share);
    domain_unlock();
    code = device_is_open(dst_devid) && !known ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NOT_EXIST;
    leave();
    return code;
}
