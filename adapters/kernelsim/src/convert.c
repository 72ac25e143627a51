/* convert.c - copies that are prepared as descriptors of the DMA engine, and submitted later. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "svm.h"

#define HEIGHT_MOST (5 * MIB)

/* A prepared copy; its address is what the descriptor names. */
struct prepared {
    struct prepared *next;
    uint64_t key;
    uint64_t to, from, to_pitch, from_pitch, width;
    uint64_t skipped, size; /* bytes of the rows, laid end to end */
};

static struct prepared *all;
static uint64_t last_key;

static struct prepared **find(uint64_t key)
{
    struct prepared **at = &all;
    while (*at != NULL && (*at)->key != key) {
        at = &(*at)->next;
    }
    return *at != NULL ? at : NULL;
}

static int direction(const union payload *in, uint32_t *found)
{
    struct view there;
    struct view here;
    if (view_at(in->convert.to, &there) != 0 || view_at(in->convert.from, &here) != 0 ||
        there.place == PLACE_NONE || here.place == PLACE_NONE) {
        return EINVAL;
    }
    bool to_device = there.place == PLACE_DEVICE;
    if (to_device == (here.place == PLACE_DEVICE)) {
        return EINVAL;
    }
    *found = to_device ? HOST_TO_DEVICE : DEVICE_TO_HOST;
    return 0;
}

/* What a prepared copy uses cannot be freed. */
static void hold(uint64_t address, bool on)
{
    struct view view;
    if (view_at(address, &view) != 0 || view.user) {
        return;
    }
    uint32_t *references = view.mapping != NULL ? &view.mapping->references
                           : view.block != NULL && view.block->advised == NULL
                               ? &view.block->references
                               : NULL;
    if (references != NULL && (on || *references > 0)) {
        *references += on ? 1 : UINT32_MAX;
    }
}

static bool wrong_shape(const union payload *in)
{
    uint64_t width = in->convert.length;
    uint64_t height = in->convert.height;
    bool pitched = height > 1;
    return width == 0 || height > HEIGHT_MOST || in->convert.fixed >= width * (height > 0 ? height : 1) ||
           (pitched && (width > in->convert.from_pitch || width > in->convert.to_pitch));
}

/* Rows may be prepared in parts: what earlier parts took is told, and what this one takes. */
int convert_make(struct call *call)
{
    union payload *in = call->in;
    uint32_t found = 0;
    int failed = wrong_shape(in) ? EINVAL : direction(in, &found);
    if (failed == 0 && in->convert.direction < TO_BE_FOUND && in->convert.direction != found) {
        failed = EINVAL;
    }
    if (failed != 0) {
        return failed;
    }
    struct prepared *prepared = calloc(1, sizeof(*prepared));
    if (prepared == NULL) {
        return ENOMEM;
    }
    uint64_t height = in->convert.height > 0 ? in->convert.height : 1;
    *prepared = (struct prepared){
        .next = all,
        .key = ++last_key,
        .to = in->convert.to,
        .from = in->convert.from,
        .to_pitch = in->convert.to_pitch,
        .from_pitch = in->convert.from_pitch,
        .width = in->convert.length,
        .skipped = in->convert.fixed,
        .size = in->convert.length * height - in->convert.fixed,
    };
    all = prepared;
    hold(prepared->to, true);
    hold(prepared->from, true);
    in->convert.direction = found;
    in->convert.fixed = prepared->size;
    in->convert.dma = (struct dma_address){.source = prepared->key, .length = 1};
    in->convert.dma.fixed = (uint32_t)prepared->size;
    in->convert.dma.virtual_id = call->device;
    in->convert.virtual_id = call->device;
    return 0;
}

int convert_submit(struct call *call)
{
    struct prepared **found = find(call->in->submit.dma.source);
    if (found == NULL) {
        return EINVAL;
    }
    const struct prepared *copy = *found;
    for (uint64_t done = copy->skipped; done < copy->skipped + copy->size;) {
        uint64_t row = done / copy->width;
        uint64_t inside = done % copy->width;
        uint64_t part = copy->width - inside;
        int failed = bytes_copy(copy->to + row * copy->to_pitch + inside,
                                copy->from + row * copy->from_pitch + inside, part);
        if (failed != 0) {
            return failed;
        }
        done += part;
    }
    return 0;
}

int convert_wait(struct call *call)
{
    return find(call->in->submit.dma.source) == NULL ? EINVAL : 0;
}

static int destroy(uint64_t key)
{
    struct prepared **found = find(key);
    if (found == NULL) {
        return EINVAL;
    }
    struct prepared *gone = *found;
    *found = gone->next;
    hold(gone->to, false);
    hold(gone->from, false);
    free(gone);
    return 0;
}

int convert_destroy(struct call *call)
{
    return destroy(call->in->destroy.dma.source);
}

int convert_destroy_batch(struct call *call)
{
    union payload *in = call->in;
    if (in->destroy_batch.addresses == 0 || in->destroy_batch.count == 0) {
        return EINVAL;
    }
    for (uint32_t i = 0; i < in->destroy_batch.count; i++) {
        struct dma_address address;
        uint64_t at;
        if (!user_read(&at, (uint64_t *)(uintptr_t)in->destroy_batch.addresses + i, sizeof(at)) ||
            !user_read(&address, (void *)(uintptr_t)at, sizeof(address))) {
            return EFAULT;
        }
        int failed = destroy(address.source);
        if (failed != 0) {
            return failed;
        }
    }
    return 0;
}

void convert_forget(void)
{
    all = NULL;
}
