/* share.c - commands that lend physical blocks to other processes by number. A share lasts as long as
 * anybody holds its memory. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "handle.h"

enum { PIDS_AT_ONCE = 65535, HANDLE_TYPES = 2, NO_WHITE_LIST = 0 };

static struct share *share_of(struct domain *domain, uint32_t device, int32_t id)
{
    for (unsigned i = 0; i < SHARES_MOST; i++) {
        struct share *share = &domain->shares[i];
        if (share->used && share->id == id && share->device == device) {
            return share;
        }
    }
    return NULL;
}

static bool is_mine(const struct share *share)
{
    return share->pid == getpid();
}

/* The next number of a device's table. Host memory draws from device 0. */
static int32_t next_id(struct domain *domain, uint32_t table)
{
    return domain->next_share[table]++;
}

static int export_locked(struct domain *domain, struct handle *handle, int32_t *id)
{
    unsigned row = 0;
    while (row < SHARES_MOST && domain->shares[row].used) {
        row++;
    }
    if (row == SHARES_MOST) {
        return ENOMEM;
    }
    uint32_t table = handle->device == HOST_ID ? 0 : handle->device;
    *id = next_id(domain, table);
    domain->shares[row] = (struct share){
        .used = true,
        .id = *id,
        .table = table,
        .device = handle->device,
        .object = domain->holds[handle->hold].object,
        .pid = getpid(),
        .start = process_start(getpid()),
        .side = handle->side,
        .page = handle->page,
        .type = handle->type,
        .module = handle->module,
        .offset = handle->offset,
        .size = handle->size,
        .pages = handle->pages,
    };
    domain->objects[domain->shares[row].object].share = row + 1;
    handle->kind = HANDLE_EXPORTED;
    return 0;
}

int share_export(struct call *call)
{
    union payload *in = call->in;
    if (in->export.side == SIDE_HOST && call->device != HOST_ID) {
        return EINVAL;
    }
    struct handle *handle = handle_at(call->device, in->export.id);
    if (handle == NULL || handle->kind != HANDLE_NORMAL) {
        return EINVAL;
    }
    int failed = export_locked(domain_lock(), handle, &in->export.share);
    domain_unlock();
    return failed;
}

/* Whether this process may use a share, in the order in which the kernel looks. */
static int check_import(const struct domain *domain, const struct share *share, uint32_t device)
{
    if (share == NULL) {
        return EFAULT;
    }
    if (is_mine(share) && share->device == device) {
        return EACCES;
    }
    uint64_t since = admitted_since(domain, share->admitted, getpid());
    if (!share->open_to_all && since == 0) {
        return EACCES;
    }
    if (!share->open_to_all && process_start(getpid()) > since) {
        return EACCES;
    }
    bool small_host = share->device == HOST_ID && share->page == PAGE_NORMAL;
    return small_host && device != HOST_ID ? EOPNOTSUPP : 0;
}

static bool imported_already(const struct domain *domain, uint32_t object, uint32_t device)
{
    struct handle *handle;
    for (int32_t id = 0; (handle = handle_number(id)) != NULL; id++) {
        if (handle->used && handle->kind == HANDLE_IMPORTED && handle->device == device &&
            domain->holds[handle->hold].object == object) {
            return true;
        }
    }
    return false;
}

static int import_locked(struct domain *domain, struct call *call)
{
    union payload *in = call->in;
    domain_sweep(domain);
    const struct share *share = share_of(domain, in->import.device, in->import.share);
    int failed = check_import(domain, share, call->device);
    if (failed != 0) {
        return failed;
    }
    if (imported_already(domain, share->object, call->device)) {
        return EFAULT;
    }
    struct handle *handle = handle_new(&in->import.id);
    uint32_t hold = handle != NULL ? object_hold(domain, share->object) : NOTHING;
    if (hold == NOTHING) {
        return ENOMEM;
    }
    *handle = (struct handle){
        .used = true,
        .kind = HANDLE_IMPORTED,
        .hold = hold,
        .offset = share->offset,
        .size = share->size,
        .side = call->device == HOST_ID ? SIDE_HOST : SIDE_DEVICE,
        .device = call->device,
        .page = share->page,
        .type = share->type,
        .module = share->module,
        .pages = share->pages,
    };
    in->import.side = handle->side;
    in->import.module = handle->module;
    in->import.page = handle->page;
    in->import.pages = handle->pages;
    in->import.memory = handle->type;
    return 0;
}

int share_import(struct call *call)
{
    if (call->in->import.type >= HANDLE_TYPES) {
        return EOPNOTSUPP;
    }
    int failed = call->device != HOST_ID ? device_closed(call->device) : 0;
    if (failed != 0) {
        return failed;
    }
    failed = import_locked(domain_lock(), call);
    domain_unlock();
    return failed;
}

static int set_pids(struct domain *domain, struct call *call)
{
    union payload *in = call->in;
    struct share *share = share_of(domain, call->device, in->share_pids.share);
    if (share == NULL) {
        return EFAULT;
    }
    if (!is_mine(share)) {
        return EACCES;
    }
    if (share->open_to_all) {
        return EPERM;
    }
    bool any = false;
    for (uint32_t i = 0; i < in->share_pids.count; i++) {
        int32_t pid;
        if (!user_read(&pid, (int32_t *)(uintptr_t)in->share_pids.pids + i, sizeof(pid))) {
            return EFAULT;
        }
        any = any || pid != 0;
        int failed = pid != 0 ? admit(domain, &share->admitted, pid) : 0;
        if (failed != 0) {
            return failed;
        }
    }
    share->closed = share->closed || any;
    return any ? 0 : EINVAL;
}

int share_set_pid(struct call *call)
{
    const union payload *in = call->in;
    if (in->share_pids.count == 0 || in->share_pids.count > PIDS_AT_ONCE || in->share_pids.pids == 0) {
        return EINVAL;
    }
    int failed = set_pids(domain_lock(), call);
    domain_unlock();
    return failed;
}

static int open_to_all(struct share *share, uint32_t flag)
{
    if (share == NULL) {
        return EFAULT;
    }
    if (flag > 1) {
        return EINVAL;
    }
    if (!is_mine(share)) {
        return EPERM;
    }
    if (flag == 0) {
        return EOPNOTSUPP;
    }
    if (share->closed) {
        return EPERM;
    }
    share->open_to_all = true;
    return 0;
}

int share_set_attr(struct call *call)
{
    const union payload *in = call->in;
    if (in->share_attr.type != NO_WHITE_LIST) {
        return EOPNOTSUPP;
    }
    struct domain *domain = domain_lock();
    int failed = open_to_all(share_of(domain, call->device, in->share_attr.share), in->share_attr.flag);
    domain_unlock();
    return failed;
}

/* Devices by which shares are looked up; the command has the id in its argument. */
static int check_lookup(uint32_t device)
{
    return device < settings()->devices || device == HOST_ID ? 0 : ENODEV;
}

int share_get_attr(struct call *call)
{
    union payload *in = call->in;
    if (in->share_get.type != NO_WHITE_LIST) {
        return EOPNOTSUPP;
    }
    int failed = check_lookup(in->share_get.device);
    if (failed != 0) {
        return failed;
    }
    struct domain *domain = domain_lock();
    const struct share *share = share_of(domain, in->share_get.device, in->share_get.share);
    if (share != NULL) {
        in->share_get.flag = share->open_to_all;
    }
    domain_unlock();
    return share == NULL ? EFAULT : 0;
}

int share_get_info(struct call *call)
{
    union payload *in = call->in;
    int failed = check_lookup(in->share_info.device);
    if (failed != 0) {
        return failed;
    }
    struct domain *domain = domain_lock();
    const struct share *share = share_of(domain, in->share_info.device, in->share_info.share);
    if (share != NULL) {
        in->share_info.physical = share->device;
    }
    domain_unlock();
    return share == NULL ? EFAULT : 0;
}
