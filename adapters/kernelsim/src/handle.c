/* handle.c - commands that make and release physical memory, and its attributes. */
#include "handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 3, PAGES = 3, TYPES = 5, ANY_NUMA = (int)0xffffffff };

static struct handle **handles;
static int32_t count;
static int32_t first_free;

struct handle *handle_at(uint32_t device, int32_t id)
{
    struct handle *found = id >= 0 && id < count ? handles[id] : NULL;
    return found != NULL && found->used && found->device == device ? found : NULL;
}

struct handle *handle_number(int32_t id)
{
    return id < count ? handles[id] : NULL;
}

struct handle *handle_new(int32_t *id)
{
    while (first_free < count && handles[first_free]->used) {
        first_free++;
    }
    if (first_free == count) {
        struct handle **more = realloc(handles, (size_t)(count + 1) * sizeof(*more));
        if (more == NULL) {
            return NULL;
        }
        handles = more;
        handles[count] = calloc(1, sizeof(**handles));
        if (handles[count] == NULL) {
            return NULL;
        }
        count++;
    }
    *id = first_free;
    handles[first_free]->used = true;
    return handles[first_free];
}

void handle_remove(struct handle *handle)
{
    object_drop(handle->hold);
    *handle = (struct handle){0};
    first_free = 0;
}

static bool own_location(uint32_t side, uint32_t device)
{
    return (side == SIDE_DEVICE) == (device != HOST_ID);
}

uint64_t page_bytes(uint32_t kind)
{
    static const uint64_t bytes[PAGES] = {PAGE, HUGE_PAGE, GIB};
    return bytes[kind];
}

static int check_create(const struct call *call)
{
    const union payload *in = call->in;
    uint64_t granule = in->create.page == PAGE_NORMAL ? PAGE : HUGE_PAGE;
    bool host = in->create.side == SIDE_HOST || in->create.side == SIDE_NUMA;
    if (in->create.size == 0 || in->create.size % granule != 0 || in->create.flag != 0 ||
        in->create.side >= SIDES) {
        return EINVAL;
    }
    if (in->create.side == SIDE_NUMA && in->create.numa != (uint32_t)ANY_NUMA && in->create.numa != 0) {
        return EINVAL;
    }
    if ((host && call->device != HOST_ID) || in->create.page >= PAGES || in->create.type >= TYPES) {
        return EINVAL;
    }
    if (host && in->create.page == PAGE_GIANT && in->create.size % GIB != 0) {
        return EINVAL;
    }
    return 0;
}

int block_create(struct call *call)
{
    union payload *in = call->in;
    int failed = check_create(call);
    if (failed != 0) {
        return failed;
    }
    bool device = in->create.side == SIDE_DEVICE;
    if (device && call->device == HOST_ID) {
        return EINVAL;
    }
    failed = device ? device_closed(call->device) : 0;
    if (failed != 0) {
        return failed;
    }
    uint64_t page = page_bytes(in->create.page);
    uint64_t charged = (in->create.size + page - 1) / page * page;
    struct handle *handle = handle_new(&in->create.id);
    if (handle == NULL) {
        return ENOMEM;
    }
    uint32_t hold = memory_make(device ? call->device : NODE_HOST, charged, charged);
    if (hold == NOTHING) {
        *handle = (struct handle){0};
        return ENOMEM;
    }
    *handle = (struct handle){
        .used = true,
        .hold = hold,
        .offset = object_of(hold).offset,
        .size = charged,
        .side = device ? SIDE_DEVICE : SIDE_HOST,
        .device = call->device,
        .page = in->create.page,
        .type = in->create.type,
        .module = in->create.module,
        .pages = charged / page,
    };
    in->create.pages = handle->pages;
    return 0;
}

int block_release(struct call *call)
{
    union payload *in = call->in;
    if (in->release.side > SIDE_DEVICE || (in->release.side == SIDE_HOST && call->device != HOST_ID)) {
        return EINVAL;
    }
    struct handle *handle = handle_at(call->device, in->release.id);
    if (handle == NULL) {
        return EINVAL;
    }
    if (handle->mappings > 0) {
        return EBUSY;
    }
    in->release.type = handle->kind == HANDLE_IMPORTED ? HANDLE_IMPORTED : HANDLE_NORMAL;
    handle_remove(handle);
    return 0;
}

void handles_of_device(uint32_t device)
{
    for (size_t i = space.mappings.count; i > 0; i--) {
        struct mapping *mapping = (struct mapping *)space.mappings.rows[i - 1];
        if (mapping->device == device) {
            hide(mapping->span.start, mapping->span.size);
            object_drop(mapping->hold);
            table_remove(&space.mappings, mapping);
            free(mapping);
        }
    }
    for (int32_t id = 0; id < count; id++) {
        if (handles[id]->used && handles[id]->device == device) {
            handle_remove(handles[id]);
        }
    }
}

void handles_forget(void)
{
    handles = NULL;
    count = 0;
    first_free = 0;
}

enum { ROUTE = 0, ROUTES = 2 };

static int route_of(struct call *call, struct handle **handle)
{
    union payload *in = call->in;
    if (in->handle_attr.type != ROUTE) {
        return EOPNOTSUPP;
    }
    if (in->handle_attr.side == SIDE_HOST || !own_location(in->handle_attr.side, call->device)) {
        return EOPNOTSUPP;
    }
    *handle = handle_at(call->device, in->handle_attr.id);
    return *handle == NULL ? EINVAL : 0;
}

int block_set_attr(struct call *call)
{
    uint32_t route;
    struct handle *handle;
    memcpy(&route, call->in->handle_attr.value, sizeof(route));
    if (call->in->handle_attr.type == ROUTE && route >= ROUTES) {
        return EINVAL;
    }
    int failed = route_of(call, &handle);
    if (failed == 0) {
        handle->route = route;
    }
    return failed;
}

int block_get_attr(struct call *call)
{
    struct handle *handle;
    int failed = route_of(call, &handle);
    if (failed == 0) {
        memcpy(call->in->handle_attr.value, &handle->route, sizeof(handle->route));
    }
    return failed;
}
