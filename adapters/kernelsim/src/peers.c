/* peers.c - which devices reach each other's memory: URD's query of that name. */
#include "peers.h"

#include <errno.h>

#include "store.h"

enum { ENABLE, DISABLE, ASK, ASK_WAY, ASK_ABILITIES };

struct request {
    uint32_t operation, device, peer, type;
    int32_t status;
    uint32_t unused;
    uint64_t abilities;
};
_Static_assert(sizeof(struct request) == 32, "as the driver lays it out");

/* What a member has enabled from a device to another; a free row to make it in if it has not. */
static struct peering *row_of(struct domain *domain, const struct request *in)
{
    struct peering *free = NULL;
    for (unsigned i = 0; i < PEERINGS_MOST; i++) {
        struct peering *row = &domain->peerings[i];
        if (row->count == 0) {
            free = free == NULL ? row : free;
        } else if (row->member == own_member() && row->device == in->device && row->peer == in->peer) {
            return row;
        }
    }
    return free;
}

static bool enabled(const struct domain *domain, uint32_t device, uint32_t peer)
{
    for (unsigned i = 0; i < PEERINGS_MOST; i++) {
        const struct peering *row = &domain->peerings[i];
        if (row->count > 0 && row->device == device && row->peer == peer) {
            return true;
        }
    }
    return false;
}

static int change(struct domain *domain, const struct request *in)
{
    struct peering *row = row_of(domain, in);
    if (in->operation == DISABLE) {
        if (row == NULL || row->count == 0) {
            return ESRCH;
        }
        row->count--;
        return 0;
    }
    if (row == NULL) {
        return ENOMEM;
    }
    *row = (struct peering){own_member(), in->device, in->peer, row->count + 1};
    return 0;
}

/* Every device reaches every other one; what is enabled is asked for both ways. */
static int answer(struct domain *domain, struct request *in)
{
    bool two = in->peer < settings()->devices && in->peer != in->device;
    switch (in->operation) {
    case ENABLE:
    case DISABLE:
        return two ? change(domain, in) : EINVAL;
    case ASK:
        in->status = enabled(domain, in->device, in->peer) && enabled(domain, in->peer, in->device);
        return 0;
    case ASK_WAY:
        in->status = two;
        return two ? 0 : EINVAL;
    case ASK_ABILITIES:
        in->abilities = 0;
        return 0;
    default:
        return EINVAL;
    }
}

long peers_query(const void *from, size_t size, void *to, size_t room)
{
    struct request in;
    if (size != sizeof(in) || room < sizeof(in) || !user_read(&in, from, sizeof(in))) {
        return -EINVAL;
    }
    if (in.device >= settings()->devices) {
        return -EFAULT;
    }
    if (domain_join() != 0) {
        return -EBUSY;
    }
    struct domain *domain = domain_lock();
    domain_sweep(domain);
    int failed = answer(domain, &in);
    domain_unlock();
    if (failed == 0 && !user_write(to, &in, sizeof(in))) {
        failed = EFAULT;
    }
    return -failed;
}

void peers_bury(struct domain *domain, uint32_t member)
{
    for (unsigned i = 0; i < PEERINGS_MOST; i++) {
        if (domain->peerings[i].member == member) {
            domain->peerings[i].count = 0;
        }
    }
}
