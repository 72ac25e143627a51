/* pins.c - third generation: shared memory that this process holds on to, by where it will see it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ranges.h"

/* From a key to the end of its mapping. The memory stays, whatever becomes of the key. */
struct pinned {
    struct span span;
    struct source source;
    uint32_t hold;
    uint64_t offset;
};

static struct table pins[DEVICES_MOST + 1];

static struct table *of_side(uint32_t device)
{
    return &pins[device < DEVICES_MOST ? device : DEVICES_MOST];
}

int pin_keep(uint32_t device, const struct span *span, const struct source *source, uint32_t hold,
             uint64_t offset)
{
    if (span->size == 0 || table_overlap(of_side(device), span->start, span->size) != NULL) {
        return EINVAL;
    }
    struct pinned *pinned = calloc(1, sizeof(*pinned));
    if (pinned == NULL) {
        return ENOMEM;
    }
    *pinned = (struct pinned){*span, *source, hold, offset};
    if (!table_add(of_side(device), pinned)) {
        free(pinned);
        return ENOMEM;
    }
    return 0;
}

static void drop(uint32_t device, struct pinned *pinned)
{
    table_remove(of_side(device), pinned);
    object_drop(pinned->hold);
    free(pinned);
}

static struct pinned *exactly(uint32_t device, uint64_t address, uint64_t size)
{
    struct pinned *pinned = table_at(of_side(device), address);
    bool same = pinned != NULL && pinned->span.start == address && pinned->span.size == size;
    return same ? pinned : NULL;
}

int pin_end(uint32_t device, uint64_t address, uint64_t size)
{
    struct pinned *pinned = exactly(device, address, size);
    if (pinned == NULL) {
        return EINVAL;
    }
    drop(device, pinned);
    return 0;
}

int pin_hold(uint32_t device, uint64_t address, uint64_t size, uint32_t *hold, uint64_t *offset)
{
    const struct pinned *pinned = exactly(device, address, size);
    if (pinned == NULL) {
        return EINVAL;
    }
    struct domain *domain = domain_lock();
    *hold = object_hold(domain, domain->holds[pinned->hold].object);
    domain_unlock();
    *offset = pinned->offset;
    return *hold == NOTHING ? ENOMEM : 0;
}

bool pin_seen(const struct end *owner, uint32_t *hold, uint64_t *offset, uint64_t *size)
{
    for (unsigned side = 0; side <= DEVICES_MOST; side++) {
        for (size_t i = 0; i < pins[side].count; i++) {
            const struct pinned *pinned = (struct pinned *)pins[side].rows[i];
            const struct source *source = &pinned->source;
            uint64_t inside = owner->address - source->address;
            if (source->tgid == owner->tgid && source->device == owner->side &&
                owner->address >= source->address && inside < source->size) {
                *hold = pinned->hold;
                *offset = pinned->offset + inside;
                *size = source->size - inside;
                return true;
            }
        }
    }
    return false;
}

void pins_of(uint32_t device)
{
    struct table *side = of_side(device);
    while (side->count > 0) {
        drop(device, (struct pinned *)side->rows[side->count - 1]);
    }
}

void pins_forget(void)
{
    memset(pins, 0, sizeof(pins));
}
