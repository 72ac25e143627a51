/*
 * shares.c - the table of shared memory objects of a domain, and who holds each of them.
 *
 * Entries are found by index and judged by id, an id is given out again only after all indexes have been
 * used half a million times.  Whatever a killed process left half done is put right: what it held and made
 * by whoever notices the death (domain.c reclaim), and an entry that it was settling by the next one to take
 * the lock that it died with (shares_mend).  So no entry needs more than the order of its writes.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "domain.h"
#include "vmm.h"

#define SERIAL_BITS (32 - SHARE_SLOT_BITS)

static bool v2(void)
{
    return generation() == GEN_V2;
}

struct share *share_find(uint64_t id, enum share_kind kind)
{
    struct share *share = &domain->shares[id & (SHARES - 1)];
    if (FAULT(share_stale) && share->owner >= 0 && share->kind == (uint32_t)kind && id != 0 && share->size != 0) {
        return share; /* by index only: whatever lives there now */
    }
    return id != 0 && share->id == id && share->kind == (uint32_t)kind ? share : NULL;
}

/* What was written before is there if what is written afterwards is, whenever the process is killed. */
static void written(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

/* The serial stays: a number must not come again soon. */
static void blank(struct share *share)
{
    share->id = 0;
    written();
    memset(&share->kind, 0, sizeof(*share) - offsetof(struct share, kind));
}

struct share *share_make(enum share_kind kind)
{
    for (uint32_t tried = 0; tried < SHARES; tried++) {
        uint32_t index = domain->next_share++ % SHARES;
        struct share *share = &domain->shares[index];
        if (FAULT(name_collision) && kind == SHARE_NAME && domain->share_high > 0) {
            index = domain->share_high - 1; /* the newest entry is given out once more */
            share = &domain->shares[index];
            if (share->id != 0 && share->kind == SHARE_NAME) {
                share->owner = own_slot();
                return share;
            }
        }
        if (share->id != 0) {
            continue;
        }
        uint32_t serial = (share->serial + 1) & ((1U << SERIAL_BITS) - 1);
        blank(share);
        share->serial = serial == 0 ? 1 : serial;
        share->kind = (uint32_t)kind;
        share->owner = own_slot();
        share->owner_pid = slot_pid(own_slot());
        share->valid = 1;
        domain->share_high = index >= domain->share_high ? index + 1 : domain->share_high;
        written();
        share->id = ((uint64_t)share->serial << SHARE_SLOT_BITS) | index;
        return share;
    }
    return NULL;
}

unsigned share_holders(const struct share *share)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < domain->holder_high; i++) {
        count += domain->holders[i].share == share->id ? domain->holders[i].count : 0;
    }
    return count;
}

/* One piece of memory may have several names, but it is accounted once. */
static bool charged_elsewhere(const struct share *share)
{
    for (uint32_t i = 0; i < domain->share_high; i++) {
        const struct share *other = &domain->shares[i];
        if (other != share && other->id != 0 && other->charged != 0 && other->inode == share->inode &&
            other->offset < share->offset + share->size && share->offset < other->offset + other->size) {
            return true;
        }
    }
    return false;
}

/* Memory that its owner freed may be seen through several names: the charge goes to another one left. */
static bool pass_charge_on(const struct share *from)
{
    for (uint32_t i = 0; i < domain->share_high; i++) {
        struct share *to = &domain->shares[i];
        if (to != from && to->id != 0 && to->freed != 0 && to->charged == 0 && to->inode == from->inode &&
            to->offset < from->offset + from->size && from->offset < to->offset + to->size &&
            share_holders(to) > 0) {
            to->charged_class = from->charged_class;
            to->charged = from->charged;
            written();
            return true;
        }
    }
    return false;
}

void share_settle(struct share *share)
{
    bool held = share_holders(share) > 0;
    bool keyed = share->valid != 0 && !(share->kind == SHARE_HANDLE && v2());
    bool stays = keyed && share->owner >= 0;
    if (held || (stays && share->charged == 0)) {
        return;
    }
    if (share->charged != 0 && !charged_elsewhere(share)) { /* it is, if somebody died between passing on and this */
        (void)pass_charge_on(share);
    }
    if (stays) { /* a name whose memory was freed, and nobody has it open any more */
        share->charged = 0;
    } else {
        blank(share);
    }
    domain_sum_up();
}

struct holder *holder_find(const struct share *share, int slot, unsigned device)
{
    for (uint32_t i = 0; i < domain->holder_high; i++) {
        struct holder *holder = &domain->holders[i];
        if (holder->share == share->id && holder->slot == slot && holder->device == device) {
            return holder;
        }
    }
    return NULL;
}

struct holder *holder_make(struct share *share, int slot, unsigned device, int fd)
{
    struct holder *holder = holder_find(share, slot, device);
    for (uint32_t i = 0; i < HOLDERS && holder == NULL; i++) {
        if (domain->holders[i].share == 0) {
            holder = &domain->holders[i];
            holder->slot = slot;
            holder->device = device;
            holder->count = 0;
            domain->holder_high = i >= domain->holder_high ? i + 1 : domain->holder_high;
        }
    }
    if (holder != NULL) {
        holder->fd = fd;
        holder->count++;
        written();
        holder->share = share->id;
    }
    return holder;
}

void holder_drop(struct share *share, struct holder *holder)
{
    holder->share = 0;
    while (domain->holder_high > 0 && domain->holders[domain->holder_high - 1].share == 0) {
        domain->holder_high--;
    }
    share_settle(share);
}

void holder_put(struct share *share, int slot, unsigned device)
{
    struct holder *holder = holder_find(share, slot, device);
    if (holder == NULL) {
        return;
    }
    if (holder->count > 1) {
        holder->count--;
    } else {
        holder_drop(share, holder);
    }
}

bool share_source(const struct share *share, int *pid, int *fd)
{
    if (share->owner >= 0) {
        *pid = slot_pid(share->owner);
        *fd = share->owner_fd;
        return true;
    }
    for (uint32_t i = 0; i < domain->holder_high; i++) {
        const struct holder *holder = &domain->holders[i];
        if (holder->share == share->id) {
            *pid = slot_pid(holder->slot);
            *fd = holder->fd;
            return true;
        }
    }
    return false;
}

/* The owner is gone, or has closed the device: what happens to what it shared. */
static void disown(struct share *share, bool exit)
{
    bool name = share->kind == SHARE_NAME;
    if (v2() && !name) {
        if (exit) {
            share->owner = -1; /* importers keep the memory and the right to import once more */
        }
        return; /* the exporter is a holder like any other */
    }
    share->valid = 0;
    share->pages_gone = v2() ? 1 : share->pages_gone;
    if (exit && !v2() && share->charged == 0 && share_holders(share) > 0 && !charged_elsewhere(share)) {
        share->charged_class = (uint32_t)class_of(share->granule);
        share->charged = share->size;
        share->freed = 1;
        written();
    }
    if (exit) {
        share->owner = -1;
    }
}

void shares_leave(int slot, int device)
{
    bool all = device < 0;
    if (FAULT(exit_leaks_shares) && all) {
        return;
    }
    for (uint32_t i = 0; i < domain->holder_high; i++) {
        struct holder *holder = &domain->holders[i];
        if (holder->share != 0 && holder->slot == slot && (all || holder->device == (unsigned)device)) {
            struct share *share = &domain->shares[holder->share & (SHARES - 1)];
            holder->share = 0;
            share_settle(share);
        }
    }
    for (uint32_t i = 0; i < domain->share_high; i++) {
        struct share *share = &domain->shares[i];
        if (share->id != 0 && share->owner == slot && (all || share->node == (unsigned)device)) {
            disown(share, all);
            share_settle(share);
        }
    }
}

void shares_mend(void)
{
    for (uint32_t i = 0; i < domain->share_high; i++) {
        if (domain->shares[i].id != 0) {
            share_settle(&domain->shares[i]);
        }
    }
}

static bool overlaps(const struct share *share, uint64_t offset, uint64_t size)
{
    return share->id != 0 && share->owner == own_slot() && share->inode == backing_inode() &&
           share->offset < offset + size && offset < share->offset + share->size;
}

void shares_memory_gone(uint64_t offset, uint64_t size)
{
    for (uint32_t i = 0; i < domain->share_high; i++) {
        struct share *share = &domain->shares[i];
        if (overlaps(share, offset, size) && share->kind == SHARE_NAME) {
            share->pages_gone = FAULT(opener_keeps_freed) ? 0 : 1;
            share->freed = 1;
        }
    }
}

bool shares_named(uint64_t offset, uint64_t size)
{
    for (uint32_t i = 0; i < domain->share_high; i++) {
        const struct share *share = &domain->shares[i];
        if (overlaps(share, offset, size) && share->kind == SHARE_NAME && share->valid != 0) {
            return true;
        }
    }
    return false;
}

bool shares_pinned(uint64_t offset, uint64_t size)
{
    for (uint32_t i = 0; i < domain->share_high; i++) {
        if (overlaps(&domain->shares[i], offset, size) && share_holders(&domain->shares[i]) > 0) {
            return true;
        }
    }
    return false;
}

void shares_defer(uint64_t offset, uint64_t size, unsigned node, enum page_class class, uint64_t charged)
{
    bool moved = false;
    for (uint32_t i = 0; i < domain->share_high; i++) {
        struct share *share = &domain->shares[i];
        if (!overlaps(share, offset, size)) {
            continue;
        }
        share->freed = 1;
        if (!moved && share_holders(share) > 0) {
            share->node = node;
            share->charged_class = (uint32_t)class;
            share->charged = charged;
            slot_uncharge(node, class, charged);
            moved = true;
        }
    }
}
