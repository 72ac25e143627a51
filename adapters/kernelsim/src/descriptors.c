/* descriptors.c - third generation: copies that are prepared for the DMA engine. They can be made and
 * taken back; a kernel without the option to submit them does not, and that one is played. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "ranges.h"

struct prepared {
    struct prepared *next;
    uint64_t key;
    struct range *used; /* device memory that cannot be given back meanwhile */
    uint32_t hold;      /* or another process's, which stays */
};

static struct prepared *all;
static uint64_t last_key;

/* Keep the device's memory at an end as long as the copy is prepared; errno. */
static int keep(const struct end *end, struct prepared *prepared)
{
    if (end->tgid == 0 || end->tgid == getpid()) {
        prepared->used = range_at(end->side, end->address);
        if (prepared->used == NULL) {
            return EINVAL;
        }
        prepared->used->pins++;
        return 0;
    }
    uint32_t pinned;
    uint64_t offset;
    uint64_t size;
    if (!pin_seen(end, &pinned, &offset, &size)) {
        return EINVAL;
    }
    struct domain *domain = domain_lock();
    prepared->hold = object_hold(domain, domain->holds[pinned].object);
    domain_unlock();
    return prepared->hold == NOTHING ? ENOMEM : 0;
}

int descriptor_make(struct end from, struct end to, uint64_t size, struct dma_address *told)
{
    bool upward = from.side == HOST_ID;
    const struct end *device = upward ? &to : &from;
    if (size == 0 || upward == (to.side == HOST_ID) || device->side >= settings()->devices) {
        return EINVAL;
    }
    struct prepared *prepared = calloc(1, sizeof(*prepared));
    int failed = prepared == NULL ? ENOMEM : keep(device, prepared);
    if (failed != 0) {
        free(prepared);
        return failed;
    }
    prepared->key = ++last_key;
    prepared->next = all;
    all = prepared;
    *told = (struct dma_address){.source = prepared->key, .length = 1, .fixed = (uint32_t)size,
                                 .virtual_id = device->side};
    return 0;
}

int descriptor_end(const struct dma_address *told)
{
    struct prepared **at = &all;
    while (*at != NULL && (*at)->key != told->source) {
        at = &(*at)->next;
    }
    struct prepared *gone = *at;
    if (gone == NULL) {
        return EINVAL;
    }
    *at = gone->next;
    if (gone->used != NULL) {
        range_unpin(gone->used);
    } else {
        object_drop(gone->hold);
    }
    free(gone);
    return 0;
}

void descriptors_forget(void)
{
    all = NULL;
}
