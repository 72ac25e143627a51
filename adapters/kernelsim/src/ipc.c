/* ipc.c - names of device memory: who made them, who may open them, who has. */
#include "ipc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THIS_SERVER = 0, PIDS_AT_ONCE = 31, ROUTE = 0, NO_WHITE_LIST = 1, ATTRIBUTES = 2 };

static struct name *find(struct domain *domain, const char *text)
{
    for (unsigned i = 0; i < NAMES_MOST; i++) {
        struct name *name = &domain->names[i];
        if (name->used && strncmp(name->text, text, sizeof(name->text)) == 0) {
            return name;
        }
    }
    return NULL;
}

static bool is_mine(const struct name *name)
{
    return name->pid == getpid();
}

/* Only plain device memory of this process can be named. */
static int check_source(uint64_t address, uint64_t size, struct view *view)
{
    if (size == 0 || view_at(address, view) != 0 || view->user || view->place != PLACE_DEVICE ||
        view->block == NULL || view->block->places != NULL || view->block->lent ||
        view->block->read_only || size > view->size) {
        return EINVAL;
    }
    return address % view->block->heap->page == 0 ? 0 : EINVAL;
}

int ipc_create(struct call *call)
{
    union payload *in = call->in;
    struct view view;
    if (in->ipc_create.name_size < NAME_SIZE ||
        check_source(in->ipc_create.va, in->ipc_create.length, &view) != 0) {
        return EINVAL;
    }
    struct domain *domain = domain_lock();
    unsigned row = 0;
    while (row < NAMES_MOST && domain->names[row].used) {
        row++;
    }
    if (row < NAMES_MOST) {
        uint64_t inside = in->ipc_create.va - view.block->span.start;
        struct name *name = &domain->names[row];
        *name = (struct name){
            .used = true,
            .valid = true,
            .huge = view.block->heap->page == HUGE_PAGE,
            .pid = getpid(),
            .start = process_start(getpid()),
            .device = view.device,
            .object = domain->holds[view.block->hold].object,
            .offset = view.block->offset + inside,
            .size = in->ipc_create.length,
            .address = in->ipc_create.va,
        };
        domain->names_made++;
        memset(name->text, '0', sizeof(name->text) - 1);
        int length = snprintf(name->text, sizeof(name->text), "%08x%016lx%02x%02x%08x", (unsigned)name->pid,
                 (unsigned long)domain->names_made, name->device & 0xff, 0, THIS_SERVER);
        name->text[length] = '0'; /* filled up to its full length */
        memcpy(in->ipc_create.name, name->text, sizeof(name->text));
    }
    domain_unlock();
    return row < NAMES_MOST ? 0 : ENOMEM;
}

static int destroy(struct domain *domain, const char *text)
{
    struct name *name = find(domain, text);
    if (name == NULL) {
        return EINVAL;
    }
    if (!is_mine(name)) {
        return EACCES;
    }
    admit_nobody(domain, &name->admitted);
    *name = (struct name){0};
    return 0;
}

int ipc_destroy(struct call *call)
{
    int failed = destroy(domain_lock(), call->in->ipc_query.name);
    domain_unlock();
    return failed;
}

int ipc_query(struct call *call)
{
    union payload *in = call->in;
    struct domain *domain = domain_lock();
    domain_sweep(domain);
    const struct name *name = find(domain, in->ipc_query.name);
    bool valid = name != NULL && name->valid;
    if (valid) {
        in->ipc_query.huge = name->huge;
        in->ipc_query.device = name->device;
        in->ipc_query.length = name->size;
    }
    domain_unlock();
    return valid ? 0 : EINVAL;
}

static bool may_open(const struct domain *domain, const struct name *name)
{
    uint64_t since = admitted_since(domain, name->admitted, getpid());
    return name->open_to_all || (since != 0 && process_start(getpid()) <= since);
}

static int open_locked(struct domain *domain, const char *text, struct block *block)
{
    const struct name *name = find(domain, text);
    if (name == NULL || !name->valid) {
        return EINVAL;
    }
    if (block->lent) {
        return EADDRINUSE;
    }
    if (!may_open(domain, name) || name->size > block->span.size ||
        (block->heap->page == HUGE_PAGE) != name->huge) {
        return EINVAL;
    }
    uint32_t hold = object_hold(domain, name->object);
    if (hold == NOTHING) {
        return ENOMEM;
    }
    block->hold = hold;
    free(block->places);
    block->places = NULL;
    block->offset = name->offset;
    block->device = name->device;
    block->lent = true;
    block->populated = true;
    return 0;
}

int ipc_open(struct call *call)
{
    union payload *in = call->in;
    struct block *block = block_at(in->ipc_open.va);
    if (block == NULL || block->span.start != in->ipc_open.va || block->populated) {
        return block != NULL && block->lent ? EADDRINUSE : EINVAL;
    }
    /* What the opener's addresses had behind them makes room for what is opened. */
    uint32_t own = block->hold;
    int failed = open_locked(domain_lock(), in->ipc_open.name, block);
    domain_unlock();
    if (failed == 0 && own != NOTHING) {
        hide(block->span.start, block->span.size);
        object_drop(own);
    }
    return failed;
}

int ipc_close(struct call *call)
{
    uint64_t address = call->in->free.va;
    struct block *block = block_at(address);
    if (block == NULL) {
        return EINVAL;
    }
    if (!block->lent) {
        return EPERM;
    }
    if (block->span.start != address) {
        return EFAULT;
    }
    object_drop(block->hold);
    block->hold = NOTHING;
    block->lent = false;
    block->populated = false;
    block->device = NO_DEVICE;
    return 0;
}

static int set_pids(struct domain *domain, const union payload *in)
{
    struct name *name = find(domain, in->ipc_pids.name);
    if (name == NULL) {
        return EINVAL;
    }
    if (name->open_to_all) {
        return EPERM;
    }
    if (!name->valid) {
        return EFAULT;
    }
    if (!is_mine(name) || in->ipc_pids.count == 0) {
        return EINVAL;
    }
    bool any = false;
    for (uint32_t i = 0; i < in->ipc_pids.count; i++) {
        int32_t pid = in->ipc_pids.pids[i];
        if (pid == 0 || pid == getpid()) {
            continue;
        }
        any = true;
        int failed = admit(domain, &name->admitted, pid);
        if (failed != 0) {
            return failed;
        }
    }
    name->closed = name->closed || any;
    return any ? 0 : EINVAL;
}

int ipc_set_pid(struct call *call)
{
    if (call->in->ipc_pids.count > PIDS_AT_ONCE) {
        return EINVAL;
    }
    int failed = set_pids(domain_lock(), call->in);
    domain_unlock();
    return failed;
}

int ipc_set_pid_pod(struct call *call)
{
    (void)call;
    return EOPNOTSUPP; /* there is one server */
}

static int set_attr(struct domain *domain, const union payload *in)
{
    struct name *name = find(domain, in->ipc_attr.name);
    if (in->ipc_attr.value > 1 || name == NULL) {
        return EINVAL;
    }
    if (!is_mine(name)) {
        return EPERM;
    }
    if (in->ipc_attr.type == ROUTE) {
        name->route = in->ipc_attr.value;
        return 0;
    }
    if (in->ipc_attr.value == 0) {
        return EOPNOTSUPP;
    }
    name->open_to_all = !name->closed;
    return name->closed ? EPERM : 0;
}

int ipc_set_attr(struct call *call)
{
    if (call->in->ipc_attr.type >= ATTRIBUTES) {
        return EOPNOTSUPP;
    }
    int failed = set_attr(domain_lock(), call->in);
    domain_unlock();
    return failed;
}

int ipc_get_attr(struct call *call)
{
    union payload *in = call->in;
    if (in->ipc_attr.type >= ATTRIBUTES) {
        return EOPNOTSUPP;
    }
    const struct name *name = find(domain_lock(), in->ipc_attr.name);
    if (name != NULL) {
        in->ipc_attr.value = in->ipc_attr.type == ROUTE ? name->route : name->open_to_all;
    }
    domain_unlock();
    return name != NULL ? 0 : EINVAL;
}

void ipc_of_device(uint32_t device)
{
    struct domain *domain = domain_lock();
    for (unsigned i = 0; i < NAMES_MOST; i++) {
        struct name *name = &domain->names[i];
        if (name->used && is_mine(name) && name->device == device) {
            admit_nobody(domain, &name->admitted);
            *name = (struct name){0};
        }
    }
    domain_unlock();
}

void ipc_forget(uint64_t address, uint64_t size)
{
    struct domain *domain = domain_lock();
    for (unsigned i = 0; i < NAMES_MOST; i++) {
        struct name *name = &domain->names[i];
        if (name->used && is_mine(name) && name->address - address < size) {
            name->valid = false;
        }
    }
    domain_unlock();
}
