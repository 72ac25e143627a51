/*
 * export.c - physical handles as tokens: export, white list, import (v2 svm_master_mem_share.c, v3 svm_vmm.c).
 *
 * v2: the memory belongs to all who have it, exporter and importers alike, and goes with the last.  v3: it
 * is the exporter's, and an import pins it only while it is mapped.
 */
#include <string.h>

#include "caprice.h"
#include "export.h"

enum { PIDS_MAX = 65535 };

static bool is_v2(void)
{
    return generation() == GEN_V2;
}

/* What travels in the 128 bytes; nobody else looks inside. */
struct envelope {
    uint32_t type;
    uint32_t server;
    uint64_t token;
    uint64_t reserved[2];
};

/* v2 puts the exporter's device behind the 32 bits of the id (65 for the host), v3 16 bits of it. */
static uint64_t token_of(const struct share *share)
{
    uint64_t device = share->node == HOST_NODE ? HOST_DEVID : share->node;
    return share->id | (device << 32);
}

struct share *export_share(uint64_t token)
{
    return share_find(token & 0xffffffffU, SHARE_HANDLE);
}

uint32_t export_device(uint64_t token)
{
    return (uint32_t)(token >> 32) & (is_v2() ? 0xffU : 0xffffU);
}

drvError_t export_enter(void)
{
    drvError_t code = is_v2() ? enter_direct() : enter();
    if (code == DRV_ERROR_NONE) {
        domain_enter();
    }
    return code;
}

void export_leave(void)
{
    domain_unlock();
    leave();
}

static drvError_t check_export(const struct drv_mem_handle *handle)
{
    bool known = handle_known(handle);
    if (!known || (handle->gone && !is_v2())) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (handle->kind == HANDLE_LOCAL || (FAULT(export_twice) && handle->kind == HANDLE_EXPORTED)) {
        return handle->gone ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NONE;
    }
    /* v2: the host answers "bad parameter", a device's record is simply full. */
    return is_v2() && handle->node != HOST_NODE ? DRV_ERROR_OUT_OF_MEMORY : DRV_ERROR_PARA_ERROR;
}

/* v2: the exporter becomes a holder like the importers to come, and the memory is accounted to the share. */
static bool v2_enter_share(struct share *share, const struct drv_mem_handle *handle)
{
    if (holder_make(share, own_slot(), handle->node, handle->fd) == NULL) {
        return false;
    }
    share->charged_class = (uint32_t)class_of(handle->granule);
    share->charged = handle->size;
    slot_uncharge(handle->node, class_of(handle->granule), handle->size);
    return true;
}

static drvError_t make_share(struct drv_mem_handle *handle, drv_mem_handle_type type, uint64_t *token)
{
    struct share *share = caprice_short() ? NULL : share_make(SHARE_HANDLE);
    if (share == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    share->node = handle->node;
    share->type = (uint32_t)type;
    share->granule = handle->granule;
    share->offset = handle->offset;
    share->size = handle->size;
    share->inode = backing_inode();
    share->owner_fd = handle->fd;
    share->prop = handle->prop;
    if (is_v2() && !v2_enter_share(share, handle)) {
        share->owner = -1;
        share_settle(share);
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    handle->share = share->id;
    handle->kind = HANDLE_EXPORTED;
    *token = token_of(share);
    return DRV_ERROR_NONE;
}

static drvError_t export_handle(struct drv_mem_handle *handle, drv_mem_handle_type type, uint64_t *token)
{
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = check_export(handle);
    if (code == DRV_ERROR_NONE) {
        domain_enter();
        code = make_share(handle, type, token);
        domain_unlock();
    }
    leave();
    return code;
}

drvError_t halMemExportToShareableHandle(drv_mem_handle_t *handle, drv_mem_handle_type handle_type, uint64_t flags,
                                         uint64_t *shareable_handle)
{
    (void)flags; /* the first form never looks at them */
    if (shareable_handle == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    return handle_type != MEM_HANDLE_TYPE_NONE ? DRV_ERROR_NOT_SUPPORT
                                               : export_handle(handle, handle_type, shareable_handle);
}

drvError_t halMemExportToShareableHandleV2(drv_mem_handle_t *handle, drv_mem_handle_type handle_type, uint64_t flags,
                                           struct MemShareHandle *share_handle)
{
    struct envelope envelope = {.type = (uint32_t)handle_type};
    if (share_handle == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if ((unsigned)handle_type >= MEM_HANDLE_TYPE_MAX || flags != 0) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = export_handle(handle, handle_type, &envelope.token);
    if (code == DRV_ERROR_NONE) {
        memset(share_handle, 0, sizeof(*share_handle));
        memcpy(share_handle->share_info, &envelope, sizeof(envelope));
    }
    return code;
}

/* Decoding only: whether the share lives is not asked. */
drvError_t halMemTransShareableHandle(drv_mem_handle_type handle_type, struct MemShareHandle *share_handle,
                                      uint32_t *server_id, uint64_t *shareable_handle)
{
    struct envelope envelope;
    if (share_handle == NULL || server_id == NULL || shareable_handle == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    memcpy(&envelope, share_handle->share_info, sizeof(envelope));
    if ((unsigned)handle_type >= MEM_HANDLE_TYPE_MAX || envelope.type != (uint32_t)handle_type) {
        return DRV_ERROR_INVALID_VALUE;
    }
    *server_id = envelope.server;
    *shareable_handle = envelope.token;
    return DRV_ERROR_NONE;
}

static drvError_t v2_may_add(const struct share *share)
{
    if (share == NULL) {
        return DRV_ERROR_INVALID_HANDLE;
    }
    if (share->owner != own_slot()) {
        return DRV_ERROR_IOCRL_FAIL;
    }
    return share->no_white_list != 0 && !FAULT(white_modes_mix) ? DRV_ERROR_OPER_NOT_PERMITTED : DRV_ERROR_NONE;
}

static drvError_t v3_may_add(const struct share *share)
{
    if (share == NULL || share->valid == 0) {
        return DRV_ERROR_PARA_ERROR;
    }
    bool refused = share->owner != own_slot() || (share->no_white_list != 0 && !FAULT(white_modes_mix));
    return refused ? DRV_ERROR_OPER_NOT_PERMITTED : DRV_ERROR_NONE;
}

static drvError_t add_pids(struct share *share, const int *pid, uint32_t num)
{
    drvError_t code = is_v2() ? v2_may_add(share) : v3_may_add(share);
    unsigned added = 0;
    for (uint32_t i = 0; i < num && code == DRV_ERROR_NONE; i++) {
        if (pid[i] == 0) {
            continue;
        }
        /* Asked before whether the pid is there already, so a full list cannot even be refreshed. */
        if (share->white_count >= PIDS_MAX || white_add(share, pid[i]) != 0) {
            code = is_v2() ? DRV_ERROR_PARA_ERROR : code;
            continue;
        }
        added++;
    }
    return code == DRV_ERROR_NONE && added == 0 ? DRV_ERROR_PARA_ERROR : code;
}

drvError_t halMemSetPidToShareableHandle(uint64_t shareable_handle, int pid[], uint32_t pid_num)
{
    if (pid == NULL || pid_num == 0 || pid_num > PIDS_MAX) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (is_v2() && export_device(shareable_handle) >= V2_MAX_AGENT) {
        return DRV_ERROR_INVALID_HANDLE;
    }
    drvError_t code = export_enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = add_pids(export_share(shareable_handle), pid, pid_num);
    export_leave();
    return code;
}

static unsigned node_of(uint32_t devid)
{
    return devid == HOST_DEVID ? HOST_NODE : devid;
}

static drvError_t v2_admit(const struct share *share, unsigned node)
{
    bool from_host = share != NULL && share->node == HOST_NODE;
    if (share == NULL) {
        return DRV_ERROR_INVALID_HANDLE;
    }
    if (share->owner == own_slot() && share->node == node) {
        return DRV_ERROR_IOCRL_FAIL;
    }
    if (node != HOST_NODE && !device_is_open(node)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if ((node == HOST_NODE) != from_host && (share->granule == SMALL_PAGE || !from_host)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    return share_permits(share) ? DRV_ERROR_NONE : DRV_ERROR_IOCRL_FAIL;
}

static drvError_t v3_admit(const struct share *share, unsigned node)
{
    if (node != HOST_NODE && !device_is_open(node)) {
        return DRV_ERROR_NOT_EXIST;
    }
    if (share == NULL || share->valid == 0 || !share_permits(share)) {
        return DRV_ERROR_PARA_ERROR;
    }
    /* Over PCIe a device does not reach the host's handles. */
    return node != HOST_NODE && share->node == HOST_NODE ? DRV_ERROR_NOT_SUPPORT : DRV_ERROR_NONE;
}

/* v2 takes part in the memory at once; v3 only when it is mapped. */
static drvError_t take_part(struct share *share, struct drv_mem_handle *handle)
{
    int pid = 0;
    int fd = -1;
    if (!is_v2()) {
        return DRV_ERROR_NONE;
    }
    handle->fd = share_source(share, &pid, &fd) ? peer_open(pid, fd, share->inode) : -1;
    if (handle->fd < 0) {
        return DRV_ERROR_IOCRL_FAIL;
    }
    return holder_make(share, own_slot(), handle->node, handle->fd) == NULL ? DRV_ERROR_OUT_OF_MEMORY : DRV_ERROR_NONE;
}

static drvError_t import_new(uint64_t token, unsigned node, bool with_prop, struct drv_mem_handle **handle)
{
    domain_enter();
    struct share *share = export_share(token);
    struct drv_mem_handle *made = NULL;
    drvError_t code = is_v2() ? v2_admit(share, node) : v3_admit(share, node);
    if (code == DRV_ERROR_NONE) {
        made = handle_imported(share->id, node);
        code = made == NULL ? DRV_ERROR_OUT_OF_MEMORY : take_part(share, made);
    }
    if (code == DRV_ERROR_NONE && !is_v2() && !with_prop) {
        /* The first form of v3 carries no properties: they are made up from the token. */
        memset(&made->prop, 0, sizeof(made->prop));
        made->prop.side = share->node == HOST_NODE ? MEM_HOST_SIDE : MEM_DEV_SIDE;
        made->prop.devid = share->node == HOST_NODE ? 0 : share->node;
        made->prop.module_id = APP_MODULE_ID;
        made->prop.pg_type = MEM_HUGE_PAGE_TYPE;
    }
    domain_unlock();
    if (code == DRV_ERROR_NONE) {
        *handle = made;
    } else if (made != NULL) {
        made->gone = true; /* never took part */
        handle_free(made);
    }
    return code;
}

/* Locked part: v2 keeps one handle for a share and a device. */
static drvError_t import(uint64_t token, uint32_t devid, bool with_prop, drv_mem_handle_t **handle)
{
    drvError_t code = is_v2() ? enter_direct() : enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    unsigned node = node_of(devid);
    struct drv_mem_handle *known = is_v2() ? handle_of_import(token & 0xffffffffU, node) : NULL;
    if (known != NULL && !known->gone) {
        known->ref += FAULT(import_uncounted) ? 0 : 1;
        *handle = known;
    } else {
        code = import_new(token, node, with_prop, handle);
    }
    leave();
    return code;
}

drvError_t halMemImportFromShareableHandle(uint64_t shareable_handle, uint32_t devid, drv_mem_handle_t **handle)
{
    if (!is_v2()) {
        if (handle == NULL) {
            return DRV_ERROR_INVALID_VALUE;
        }
        return devid >= 66 ? DRV_ERROR_INVALID_DEVICE : import(shareable_handle, devid, false, handle);
    }
    if (devid >= V2_MAX_AGENT) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    if (handle == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (export_device(shareable_handle) >= V2_MAX_AGENT) {
        return DRV_ERROR_INVALID_HANDLE;
    }
    return import(shareable_handle, devid, true, handle);
}

drvError_t halMemImportFromShareableHandleV2(drv_mem_handle_type handle_type, struct MemShareHandle *share_handle,
                                             uint32_t devid, drv_mem_handle_t **handle)
{
    struct envelope envelope;
    if (share_handle == NULL || handle == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (devid >= V2_MAX_AGENT) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    memcpy(&envelope, share_handle->share_info, sizeof(envelope));
    if ((unsigned)handle_type >= MEM_HANDLE_TYPE_MAX || envelope.type != (uint32_t)handle_type) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (is_v2() && export_device(envelope.token) >= V2_MAX_AGENT) {
        return DRV_ERROR_INVALID_HANDLE;
    }
    return import(envelope.token, devid, true, handle);
}
