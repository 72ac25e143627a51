/* descriptors.c - third generation: copies that are prepared for the DMA engine. They can be made and
 * taken back; a kernel without the option to submit them does not, and that one is played. */
#include <errno.h>
#include <stdlib.h>

#include "ranges.h"

struct prepared {
    struct prepared *next;
    uint64_t key;
    struct range *used; /* device memory that cannot be given back meanwhile */
};

static struct prepared *all;
static uint64_t last_key;

int descriptor_make(uint32_t from_side, uint64_t from, uint32_t to_side, uint64_t to, uint64_t size,
                    struct dma_address *told)
{
    bool upward = from_side == HOST_ID;
    if (size == 0 || upward == (to_side == HOST_ID)) {
        return EINVAL;
    }
    uint32_t device = upward ? to_side : from_side;
    uint64_t address = upward ? to : from;
    struct range *range = device < settings()->devices ? range_at(device, address) : NULL;
    if (range == NULL) {
        return EINVAL;
    }
    struct prepared *prepared = calloc(1, sizeof(*prepared));
    if (prepared == NULL) {
        return ENOMEM;
    }
    *prepared = (struct prepared){all, ++last_key, range};
    range->pins++;
    all = prepared;
    *told = (struct dma_address){.source = prepared->key, .length = 1, .fixed = (uint32_t)size,
                                 .virtual_id = device};
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
    range_unpin(gone->used);
    free(gone);
    return 0;
}

void descriptors_forget(void)
{
    all = NULL;
}
