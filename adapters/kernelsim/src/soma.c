/* soma.c - pools of device memory that the library divides by itself. */
#include "assumed.h"
#include "soma.h"

#include <errno.h>
#include <stdlib.h>

#include "uvm.h"

/* Memory of a pool is charged as it is told to be kept; its addresses are devices' only. */
struct pool {
    struct pool *next;
    uint64_t id;
    uint32_t device;
    uint64_t address;
    uint64_t size;
    uint32_t hold;
};

static struct pool *pools;

static struct pool **find(uint32_t device, uint64_t id)
{
    struct pool **at = &pools;
    while (*at != NULL && ((*at)->id != id || (*at)->device != device)) {
        at = &(*at)->next;
    }
    return at;
}

static bool overlaps(uint64_t address, uint64_t size)
{
    for (const struct pool *pool = pools; pool != NULL; pool = pool->next) {
        if (address < pool->address + pool->size && pool->address < address + size) {
            return true;
        }
    }
    return false;
}

int soma_create(struct call *call)
{
    const union payload *in = call->in;
    uint64_t address = in->soma.va;
    uint64_t size = in->soma.size;
    if (!in_soma(address) || size == 0 || size > SOMA_START + SOMA_SIZE - address || address % HUGE_PAGE != 0 ||
        size % HUGE_PAGE != 0) {
        return EINVAL;
    }
    int closed = device_closed(call->device);
    if (closed != 0) {
        return closed;
    }
    if (overlaps(address, size) || *find(call->device, in->soma.pool) != NULL) {
        assume(ASSUMED_POOL_UNKNOWN);
        return EINVAL;
    }
    struct pool *pool = calloc(1, sizeof(*pool));
    if (pool == NULL) {
        return ENOMEM;
    }
    *pool = (struct pool){pools, in->soma.pool, call->device, address, size,
                          object_make(NODE_HOST, size, 0, 0)};
    if (pool->hold == NOTHING) {
        free(pool);
        return ENOMEM;
    }
    pools = pool;
    return 0;
}

int soma_destroy(struct call *call)
{
    int closed = device_closed(call->device);
    if (closed != 0) {
        return closed;
    }
    struct pool **found = find(call->device, call->in->soma_end.pool);
    struct pool *gone = *found;
    if (gone == NULL) {
        assume(ASSUMED_POOL_UNKNOWN);
        return EINVAL;
    }
    *found = gone->next;
    object_drop(gone->hold);
    free(gone);
    return 0;
}

int soma_trim(struct call *call)
{
    union payload *in = call->in;
    if (in->trim.reserved % HUGE_PAGE != 0 || in->trim.used % HUGE_PAGE != 0 ||
        in->trim.free % HUGE_PAGE != 0) {
        return EINVAL;
    }
    int closed = device_closed(call->device);
    if (closed != 0) {
        return closed;
    }
    if (*find(call->device, in->trim.pool) == NULL) {
        assume(ASSUMED_POOL_UNKNOWN);
        return EINVAL;
    }
    assume(ASSUMED_POOL_TRIM);
    uint64_t all = in->trim.used + in->trim.free;
    uint64_t least = in->trim.reserved > in->trim.used ? in->trim.reserved : in->trim.used;
    in->trim.reserved = least < all ? least : all;
    return 0;
}

void soma_of_device(uint32_t device)
{
    for (struct pool **at = &pools; *at != NULL;) {
        struct pool *pool = *at;
        if (pool->device == device) {
            *at = pool->next;
            object_drop(pool->hold);
            free(pool);
        } else {
            at = &pool->next;
        }
    }
}

bool soma_at(uint64_t address, struct view *view)
{
    for (const struct pool *pool = pools; pool != NULL; pool = pool->next) {
        if (address - pool->address < pool->size) {
            uint64_t inside = address - pool->address;
            *view = (struct view){
                .at = alias_of(object_of(pool->hold).offset + inside),
                .size = pool->size - inside,
                .place = PLACE_DEVICE,
                .device = pool->device,
            };
            return true;
        }
    }
    return false;
}

void soma_forget(void)
{
    pools = NULL;
}
