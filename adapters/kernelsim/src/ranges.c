/* ranges.c - third generation: memory behind addresses, by side. */
#include "ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "assumed.h"

static struct table sides[DEVICES_MOST + 1];

struct table *side_of(uint32_t device)
{
    return &sides[device < DEVICES_MOST ? device : DEVICES_MOST];
}

struct range *range_at(uint32_t device, uint64_t address)
{
    return table_at(side_of(device), address);
}

static int add(uint32_t device, const struct range *wanted)
{
    struct range *range = calloc(1, sizeof(*range));
    if (range == NULL) {
        return ENOMEM;
    }
    *range = *wanted;
    if (!table_add(side_of(device), range)) {
        free(range);
        return ENOMEM;
    }
    return 0;
}

int range_make(uint32_t device, uint64_t address, uint64_t size, uint64_t charged)
{
    if (size == 0 || table_overlap(side_of(device), address, size) != NULL) {
        return size == 0 ? EINVAL : EADDRINUSE;
    }
    unsigned node = device < DEVICES_MOST ? device : NODE_HOST;
    uint32_t hold = object_make(node, size, charged, 0);
    if (hold == NOTHING) {
        if (node != NODE_HOST) {
            assume(ASSUMED_DEVICE_FULL);
        }
        return ENOMEM;
    }
    struct range range = {.span = {address, size}, .hold = hold, .offset = object_of(hold).offset,
                          .node = node, .owner = true};
    int failed = add(device, &range);
    if (failed == 0 && node == NODE_HOST) {
        failed = show(address, size, range.offset, PROT_READ | PROT_WRITE);
    }
    if (failed != 0) {
        object_drop(hold);
    }
    return failed;
}

/* Memory of this process at a source. */
static int own_source(const struct source *source, struct range *found)
{
    struct range *range = range_at(source->device, source->address);
    if (range == NULL) {
        if (source->device != HOST_ID) {
            return EINVAL;
        }
        found->user = source->address;
        return 0;
    }
    uint64_t inside = source->address - range->span.start;
    if (source->size > range->span.size - inside) {
        return EINVAL;
    }
    found->origin = range;
    found->offset = range->offset + inside;
    found->user = range->hold == NOTHING ? range->user + inside : 0;
    if (range->hold != NOTHING) {
        struct domain *domain = domain_lock();
        found->hold = object_hold(domain, domain->holds[range->hold].object);
        domain_unlock();
        return found->hold == NOTHING ? ENOMEM : 0;
    }
    return 0;
}

static int foreign_source(const struct source *source, struct range *found)
{
    uint32_t object;
    struct domain *domain = domain_lock();
    bool shared = shared_source(domain, source, &object, &found->offset);
    found->hold = shared ? object_hold(domain, object) : NOTHING;
    domain_unlock();
    if (!shared) {
        return EINVAL;
    }
    return found->hold == NOTHING ? ENOMEM : 0;
}

/* Of memory that the range is pinned for the library says nothing: the kernel knows it. */
static int find_source(uint32_t device, const struct source *source, struct range *found)
{
    if (source->address == 0 && source->size == 0) {
        return pin_hold(device, found->span.start, found->span.size, &found->hold, &found->offset);
    }
    if (source->size < found->span.size) {
        return EINVAL;
    }
    bool own = source->tgid == getpid() || source->tgid == 0;
    return own ? own_source(source, found) : foreign_source(source, found);
}

int range_map(uint32_t device, uint64_t address, uint64_t size, const struct source *source)
{
    struct range range = {.span = {address, size}};
    if (size == 0) {
        return EINVAL;
    }
    if (table_overlap(side_of(device), address, size) != NULL) {
        return EADDRINUSE;
    }
    int failed = find_source(device, source, &range);
    failed = failed != 0 ? failed : add(device, &range);
    if (failed == 0 && device == HOST_ID && range.hold != NOTHING) {
        failed = show(address, size, range.offset, PROT_READ | PROT_WRITE);
    }
    if (failed == 0 && range.origin != NULL) {
        range.origin->pins++;
    }
    return failed;
}

static void forget(struct range *range)
{
    object_drop(range->hold);
    free(range);
}

void range_unpin(struct range *range)
{
    range->pins--;
    if (range->pins == 0 && range->ended) {
        forget(range);
    }
}

/* Its addresses are free at once, its memory with the last pin. */
static void drop(uint32_t device, struct range *range)
{
    if (device == HOST_ID && range->hold != NOTHING) {
        hide(range->span.start, range->span.size);
    }
    table_remove(side_of(device), range);
    if (range->origin != NULL) {
        range_unpin(range->origin);
    }
    range->ended = true;
    if (range->pins == 0) {
        forget(range);
    }
}

int range_end(uint32_t device, uint64_t address, bool made)
{
    struct range *range = range_at(device, address);
    if (range == NULL || range->span.start != address || range->owner != made) {
        return EINVAL;
    }
    bool used = range->pins > 0;
    if (made) {
        keys_of_freed(device, &range->span);
    }
    drop(device, range);
    return used ? EBUSY : 0;
}

void ranges_of(uint32_t device)
{
    struct table *side = side_of(device);
    while (side->count > 0) {
        drop(device, (struct range *)side->rows[side->count - 1]);
    }
}

void ranges_forget(void)
{
    memset(sides, 0, sizeof(sides));
}

/* Memory of another process that this one holds on to. */
static int look_abroad(const struct end *end, struct view *view)
{
    uint32_t hold;
    uint64_t offset;
    uint64_t size;
    if (!pin_seen(end, &hold, &offset, &size)) {
        return EINVAL;
    }
    *view = (struct view){.at = alias_of(offset), .size = size};
    return 0;
}

/* What is seen at an end; an errno where that is nothing. */
static int look(const struct end *end, struct view *view)
{
    if (end->tgid != 0 && end->tgid != getpid()) {
        return look_abroad(end, view);
    }
    const struct range *range = range_at(end->side, end->address);
    if (range != NULL) {
        uint64_t inside = end->address - range->span.start;
        bool user = range->hold == NOTHING;
        char *at = user ? (char *)(uintptr_t)(range->user + inside)
                        : alias_of(range->offset + inside);
        *view = (struct view){.at = at, .size = range->span.size - inside, .user = user};
        return 0;
    }
    if (end->side != HOST_ID) {
        return EINVAL;
    }
    *view = (struct view){.at = (char *)(uintptr_t)end->address,
                          .size = UINT64_MAX - end->address, .user = true};
    return 0;
}

static int move(const struct view *to, const struct view *from, uint64_t size)
{
    enum { BUFFER = 1 << 16 };
    if (!to->user && !from->user) {
        memmove(to->at, from->at, size);
        return 0;
    }
    if (!from->user) {
        return user_write(to->at, from->at, size) ? 0 : EFAULT;
    }
    if (!to->user) {
        return user_read(to->at, from->at, size) ? 0 : EFAULT;
    }
    unsigned char buffer[BUFFER];
    for (uint64_t done = 0; done < size; done += BUFFER) {
        uint64_t part = size - done < BUFFER ? size - done : BUFFER;
        if (!user_read(buffer, from->at + done, part) || !user_write(to->at + done, buffer, part)) {
            return EFAULT;
        }
    }
    return 0;
}

int sides_copy(struct end to, struct end from, uint64_t size)
{
    while (size > 0) {
        struct view there;
        struct view here;
        int failed = look(&to, &there);
        failed = failed != 0 ? failed : look(&from, &here);
        if (failed != 0) {
            return failed;
        }
        uint64_t part = there.size < here.size ? there.size : here.size;
        part = part < size ? part : size;
        failed = move(&there, &here, part);
        if (failed != 0) {
            return failed;
        }
        to.address += part;
        from.address += part;
        size -= part;
    }
    return 0;
}

int side_fill(uint32_t side, uint64_t to, uint8_t value, uint64_t size)
{
    while (size > 0) {
        struct view there;
        int failed = look(&(struct end){side, 0, to}, &there);
        if (failed != 0 || there.user) {
            return failed != 0 ? failed : EINVAL;
        }
        uint64_t part = there.size < size ? there.size : size;
        memset(there.at, value, part);
        to += part;
        size -= part;
    }
    return 0;
}
