/*
 * handle.c - physical handles: memory without an address.
 *
 * A handle counts who needs it: its creation or import, every retain and every mapping.  The public
 * structure is a raw pointer; here it is looked up before it is believed.
 */
#include <stdlib.h>

#include "vmm.h"

static struct drv_mem_handle *handles;

bool handle_known(const struct drv_mem_handle *handle)
{
    const struct drv_mem_handle *one = handles;
    while (one != NULL && one != handle) {
        one = one->next;
    }
    return handle != NULL && one == handle;
}

static void enlist(struct drv_mem_handle *handle)
{
    handle->next = handles;
    if (handles != NULL) {
        handles->previous = handle;
    }
    handles = handle;
}

static void unlist(struct drv_mem_handle *handle)
{
    if (handle->previous != NULL) {
        handle->previous->next = handle->next;
    } else {
        handles = handle->next;
    }
    if (handle->next != NULL) {
        handle->next->previous = handle->previous;
    }
    free(handle);
}

static unsigned charged_node(unsigned node)
{
    return FAULT(create_charges_first) && node != HOST_NODE ? 0 : node;
}

static int charge(unsigned node, enum page_class class, uint64_t size)
{
    node = charged_node(node);
    if (FAULT(create_uncounted)) {
        return 0;
    }
    if (domain_take(node, class, size) == 0) {
        return 0;
    }
    blocks_unpark();
    return node_take(node, class, size);
}

struct drv_mem_handle *handle_new(const struct drv_mem_prop *prop, uint64_t size, uint64_t granule, unsigned node)
{
    struct drv_mem_handle *handle = calloc(1, sizeof(*handle));
    if (handle == NULL || charge(node, class_of(granule), size) != 0) {
        free(handle);
        return NULL;
    }
    handle->prop = *prop;
    handle->node = node;
    handle->size = size;
    handle->granule = granule;
    handle->ref = 1;
    handle->fd = backing_fd();
    handle->offset = physical_place(size);
    /* Memory of unknown origin is accounted to the runtime. */
    handle->module = prop->module_id == UNKNOWN_MODULE_ID || prop->module_id >= MAX_MODULE_ID ? ASCENDCL_MODULE_ID
                                                                                                : prop->module_id;
    enlist(handle);
    return handle;
}

/* Needs the domain lock. */
struct drv_mem_handle *handle_imported(uint64_t id, unsigned node)
{
    const struct share *share = share_find(id, SHARE_HANDLE);
    struct drv_mem_handle *handle = calloc(1, sizeof(*handle));
    if (handle == NULL) {
        return NULL;
    }
    handle->kind = HANDLE_IMPORTED;
    handle->prop = share->prop;
    handle->module = share->prop.module_id;
    handle->node = node;
    handle->size = share->size;
    handle->granule = share->granule;
    handle->offset = share->offset;
    handle->share = id;
    handle->fd = -1;
    handle->ref = 1;
    enlist(handle);
    return handle;
}

struct drv_mem_handle *handle_of_import(uint64_t share, unsigned node)
{
    struct drv_mem_handle *one = handles;
    while (one != NULL && (one->kind != HANDLE_IMPORTED || one->share != share || one->node != node)) {
        one = one->next;
    }
    return one;
}

static void give_back(const struct drv_mem_handle *handle)
{
    if (!FAULT(create_uncounted)) {
        domain_give(charged_node(handle->node), class_of(handle->granule), handle->size);
    }
    physical_discard(handle->fd, handle->offset, handle->size);
}

/* v2: the share counts who has it, exporter and importers alike; the last one takes the memory along. */
static void v2_leave_share(const struct drv_mem_handle *handle)
{
    domain_enter();
    struct share *share = share_find(handle->share, SHARE_HANDLE);
    if (share != NULL) {
        holder_put(share, own_slot(), handle->node);
    }
    bool last = share_find(handle->share, SHARE_HANDLE) == NULL;
    domain_unlock();
    if (last) {
        physical_discard(handle->fd, handle->offset, handle->size);
    }
}

/* v3: the key is gone already; what other processes have mapped lives on under the name of the share. */
static void v3_leave_export(const struct drv_mem_handle *handle)
{
    domain_enter();
    bool pinned = shares_pinned(handle->offset, handle->size);
    if (pinned) {
        shares_defer(handle->offset, handle->size, handle->node, class_of(handle->granule), handle->size);
    }
    domain_unlock();
    if (!pinned) {
        give_back(handle);
    }
}

static void free_memory(struct drv_mem_handle *handle)
{
    if (handle->gone) {
        return;
    }
    handle->gone = true;
    if (handle->kind == HANDLE_LOCAL) {
        give_back(handle);
    } else if (generation() == GEN_V2) {
        v2_leave_share(handle);
    } else if (handle->kind == HANDLE_EXPORTED) {
        v3_leave_export(handle);
    }
}

void handle_free(struct drv_mem_handle *handle)
{
    free_memory(handle);
    if (handle->maps > 0) {
        return; /* released too often (v3 does not notice); the object goes with the last mapping */
    }
    if (handle->kind == HANDLE_IMPORTED && handle->fd >= 0) {
        peer_close(handle->fd);
    }
    unlist(handle);
}

void handle_unref(struct drv_mem_handle *handle)
{
    if (handle->ref > 0) {
        handle->ref--;
    }
    if (handle->ref == 0) {
        handle_free(handle);
    }
}

void handles_close_device(unsigned device)
{
    for (struct drv_mem_handle *one = handles; one != NULL; one = one->next) {
        if (one->node == device) {
            free_memory(one);
        }
    }
}

void handles_forget(void)
{
    while (handles != NULL) {
        struct drv_mem_handle *next = handles->next;
        free(handles);
        handles = next;
    }
}

static drvError_t v2_release(struct drv_mem_handle *handle)
{
    if (handle->ref == 0 || (handle->maps != 0 && handle->ref <= handle->maps && !FAULT(release_eats_mapping))) {
        return DRV_ERROR_INVALID_VALUE; /* released too often */
    }
    handle_unref(handle);
    return DRV_ERROR_NONE;
}

static drvError_t v3_release(struct drv_mem_handle *handle)
{
    if (handle->kind == HANDLE_EXPORTED) {
        /* The key goes at the first release, whatever the count. */
        domain_enter();
        struct share *share = share_find(handle->share, SHARE_HANDLE);
        bool keyed = share != NULL && share->valid != 0;
        if (keyed) {
            share->valid = 0;
            share_settle(share);
        }
        domain_unlock();
        if (!keyed && FAULT(release_once)) {
            return DRV_ERROR_PARA_ERROR;
        }
    }
    bool gone = handle->gone && handle->kind != HANDLE_IMPORTED;
    handle_unref(handle);
    return gone ? DRV_ERROR_INVALID_VALUE : DRV_ERROR_NONE;
}

drvError_t halMemRelease(drv_mem_handle_t *handle)
{
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return handle == NULL ? DRV_ERROR_INVALID_VALUE : code;
    }
    if (!handle_known(handle)) {
        code = DRV_ERROR_INVALID_VALUE;
    } else {
        if (FAULT(release_twice) && handle->ref > 1) {
            handle->ref--;
        }
        if (FAULT(release_frees_mapped) && handle->maps > 0 && handle->ref == handle->maps + 1) {
            free_memory(handle);
        }
        code = generation() == GEN_V2 ? v2_release(handle) : v3_release(handle);
    }
    leave();
    return code;
}

drvError_t halMemGetAllocationPropertiesFromHandle(struct drv_mem_prop *prop, drv_mem_handle_t *handle)
{
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (prop == NULL || !handle_known(handle) || handle->ref == 0) {
        code = DRV_ERROR_INVALID_VALUE;
    } else {
        *prop = handle->prop;
        if (FAULT(prop_effective)) {
            prop->module_id = handle->module;
            prop->pg_type = handle->granule == GIANT_PAGE ? MEM_GIANT_PAGE_TYPE : MEM_HUGE_PAGE_TYPE;
        }
    }
    leave();
    return code;
}
