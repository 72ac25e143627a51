/* store.c - memory objects: stretches of one sparse memfd, charged to host or device. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "real.h"

static char *alias;
static int memory = -1;

void *alias_of(uint64_t offset)
{
    return alias + offset;
}

int store_fd(void)
{
    return memory;
}

void store_punch(uint64_t offset, uint64_t size)
{
    fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size);
}

void store_forget(void)
{
    /* The alias is not inherited; the descriptor is. */
    if (memory >= 0) {
        real_close(memory);
    }
    memory = -1;
    alias = NULL;
}

int store_map(int fd)
{
    if (fd < 0) {
        fd = memfd_create("kernelsim", MFD_CLOEXEC);
        if (fd < 0 || ftruncate(fd, STORE_SIZE) != 0) {
            return errno;
        }
    }
    void *at = real_mmap(NULL, STORE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (at == MAP_FAILED) {
        return errno;
    }
    real_madvise(at, STORE_SIZE, MADV_DONTFORK);
    real_madvise(at, STORE_SIZE, MADV_DONTDUMP);
    memory = fd;
    alias = at;
    return 0;
}

void store_begin(struct domain *domain)
{
    domain->free[0] = (struct extent){0, STORE_SIZE};
    domain->extents = 1;
    for (uint32_t i = OBJECTS_MOST - 1; i > 0; i--) {
        domain->objects[i].next = domain->free_object;
        domain->free_object = i;
    }
    for (uint32_t i = ADMITTED_MOST - 1; i > 0; i--) {
        domain->admitted[i].next = domain->free_admitted;
        domain->free_admitted = i;
    }
    for (uint32_t i = HOLDS_MOST - 1; i > 0; i--) {
        domain->holds[i].next = domain->free_hold;
        domain->free_hold = i;
    }
}

/* First fit: the list is short, as neighbours are joined. STORE_SIZE if there is no room. */
static uint64_t take_extent(struct domain *domain, uint64_t size)
{
    for (uint32_t i = 0; i < domain->extents; i++) {
        struct extent *extent = &domain->free[i];
        if (extent->size < size) {
            continue;
        }
        uint64_t offset = extent->offset;
        extent->offset += size;
        extent->size -= size;
        if (extent->size == 0) {
            domain->extents--;
            memmove(extent, extent + 1, (domain->extents - i) * sizeof(*extent));
        }
        return offset;
    }
    return STORE_SIZE;
}

static void give_extent(struct domain *domain, uint64_t offset, uint64_t size)
{
    uint32_t low = 0;
    uint32_t high = domain->extents;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (domain->free[middle].offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    struct extent *next = &domain->free[low];
    bool joins_next = low < domain->extents && offset + size == next->offset;
    bool joins_last = low > 0 && next[-1].offset + next[-1].size == offset;
    if (joins_last && joins_next) {
        next[-1].size += size + next->size;
        domain->extents--;
        memmove(next, next + 1, (domain->extents - low) * sizeof(*next));
    } else if (joins_last) {
        next[-1].size += size;
    } else if (joins_next) {
        next->offset = offset;
        next->size += size;
    } else {
        memmove(next + 1, next, (domain->extents - low) * sizeof(*next));
        *next = (struct extent){offset, size};
        domain->extents++;
    }
}

static bool charge(struct domain *domain, unsigned node, uint64_t bytes)
{
    struct node *found = &domain->nodes[node];
    /* What the dead still hold is taken back before anybody is refused. */
    if (bytes > found->size - found->used && domain_sweep(domain)) {
        return charge(domain, node, bytes);
    }
    if (bytes > found->size - found->used) {
        return false;
    }
    found->used += bytes;
    return true;
}

bool node_charge(unsigned node, uint64_t bytes)
{
    struct domain *domain = domain_lock();
    bool fits = charge(domain, node, bytes);
    if (fits) {
        domain->members[own_member()].loose[node] += bytes;
    }
    domain_unlock();
    return fits;
}

void node_credit(unsigned node, uint64_t bytes)
{
    struct domain *domain = domain_lock();
    domain->members[own_member()].loose[node] -= bytes;
    domain->nodes[node].used -= bytes;
    domain_unlock();
}

struct node node_now(unsigned node)
{
    struct domain *domain = domain_lock();
    domain_sweep(domain);
    struct node now = domain->nodes[node];
    domain_unlock();
    return now;
}

uint32_t object_hold(struct domain *domain, uint32_t object)
{
    uint32_t hold = domain->free_hold;
    if (hold != NOTHING) {
        domain->free_hold = domain->holds[hold].next;
        domain->holds[hold] = (struct hold){object, (uint16_t)own_member(), 0, 0};
        domain->objects[object].holds++;
    }
    return hold;
}

static uint32_t make(struct domain *domain, unsigned node, uint64_t size, uint64_t charged,
                     uint32_t kind)
{
    uint32_t object = domain->free_object;
    if (object == NOTHING || domain->free_hold == NOTHING || !charge(domain, node, charged)) {
        return NOTHING;
    }
    uint64_t offset = take_extent(domain, size);
    if (offset == STORE_SIZE) {
        domain->nodes[node].used -= charged;
        return NOTHING;
    }
    domain->free_object = domain->objects[object].next;
    domain->objects[object] = (struct object){
        .node = node, .kind = kind, .offset = offset, .size = size, .charged = charged};
    return object_hold(domain, object);
}

uint32_t object_make(unsigned node, uint64_t size, uint64_t charged, uint32_t kind)
{
    uint32_t hold = make(domain_lock(), node, size, charged, kind);
    domain_unlock();
    return hold;
}

void hold_drop(struct domain *domain, uint32_t hold)
{
    uint32_t number = domain->holds[hold].object;
    struct object *object = &domain->objects[number];
    domain->holds[hold] = (struct hold){.next = domain->free_hold};
    domain->free_hold = hold;
    object->holds--;
    if (object->holds == 0) {
        store_punch(object->offset, object->size);
        give_extent(domain, object->offset, object->size);
        domain->nodes[object->node].used -= object->charged;
        if (object->share != 0) {
            share_bury(domain, object->share - 1);
        }
        *object = (struct object){.next = domain->free_object};
        domain->free_object = number;
    }
}

void object_drop(uint32_t hold)
{
    if (hold != NOTHING) {
        hold_drop(domain_lock(), hold);
        domain_unlock();
    }
}

struct object object_of(uint32_t hold)
{
    struct domain *domain = domain_lock();
    struct object found = domain->objects[domain->holds[hold].object];
    domain_unlock();
    return found;
}
