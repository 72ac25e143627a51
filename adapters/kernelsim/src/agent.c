/* agent.c - third generation: what the process on a device does with messages. */
#include <errno.h>
#include <string.h>

#include "assumed.h"
#include "esched.h"
#include "ranges.h"

enum { FILL, COPY, POPULATE, DEPOPULATE, POPULATE_UNPINNED, DEPOPULATE_UNPINNED, MAP, UNMAP,
       RESERVE = 13, POOL_CREATE = 16, POOL_DESTROY, POOL_SET, POOL_GET };
enum { CODE_NONE = 0, CODE_BAD = 3, CODE_NO_MEMORY = 6, CODE_BUSY = 13, CODE_FAILED = 17 };
enum { RESERVED = 1, GIANT = 0x20 };

struct fill { uint64_t address, size; uint8_t value; };
struct copy { uint64_t from, to, size; };
struct populate { uint64_t address, size; uint32_t flag, unused; uint64_t reserved; };
struct depopulate { uint64_t address, size; int32_t busy; uint32_t flag; uint64_t reserved; };
struct map { uint64_t address, size; uint32_t task, flag; struct source source; uint64_t reserved; };
struct reserve { int32_t operation; uint32_t flag; uint64_t address, size; int32_t status; };
struct pool { uint64_t id, attribute, value, global; };

/* Pools of the devices: their number and what was set for them. */
struct kept { uint64_t id, address, threshold; uint32_t device; bool used; };
enum { POOLS = 256, THRESHOLD = 1 };
static struct kept pools[POOLS];

static int32_t code_of(int failed)
{
    switch (failed) {
    case 0:
        return CODE_NONE;
    case EINVAL:
        return CODE_BAD;
    case ENOMEM:
        return CODE_NO_MEMORY;
    case EBUSY:
        return CODE_BUSY;
    default:
        return CODE_FAILED;
    }
}

static int populate(uint32_t device, const struct populate *in)
{
    uint64_t page = (in->flag & GIANT) != 0 ? GIB : PAGE;
    return range_make(device, in->address, in->size, (in->size + page - 1) / page * page);
}

static int depopulate(uint32_t device, struct depopulate *in)
{
    int failed = range_end(device, in->address, true);
    in->busy = failed == EBUSY;
    return failed == EBUSY ? 0 : failed;
}

static struct kept *pool_of(uint32_t device, uint64_t id)
{
    struct kept *free = NULL;
    for (int i = 0; i < POOLS; i++) {
        if (pools[i].used && pools[i].device == device && pools[i].id == id) {
            return &pools[i];
        }
        free = !pools[i].used && free == NULL ? &pools[i] : free;
    }
    return free;
}

static int pool(uint32_t device, uint32_t subject, struct pool *in)
{
    struct kept *kept = pool_of(device, in->id);
    if (kept == NULL || kept->used == (subject == POOL_CREATE)) {
        assume(ASSUMED_POOL_UNKNOWN);
        return EINVAL;
    }
    if (subject == POOL_CREATE) {
        *kept = (struct kept){in->id, in->attribute, 0, device, true};
    } else if (subject == POOL_DESTROY) {
        in->attribute = kept->address;
        kept->used = false;
    } else if (subject == POOL_GET) {
        /* Its memory is taken by programs on the device, and there are none: it has none. */
        in->value = in->attribute == THRESHOLD ? kept->threshold : 0;
    } else if (in->attribute == THRESHOLD) {
        kept->threshold = in->value;
    }
    return 0;
}

void agent_closes(uint32_t device)
{
    for (int i = 0; i < POOLS; i++) {
        pools[i].used = pools[i].used && pools[i].device != device;
    }
}

void agent_forget(void)
{
    memset(pools, 0, sizeof(pools));
}

/* A copy within a device takes no ranges that have a byte in common. */
static int copy_within(uint32_t device, const struct copy *in)
{
    if (in->to - in->from < in->size || in->from - in->to < in->size) {
        return EINVAL;
    }
    return sides_copy((struct end){device, 0, in->to}, (struct end){device, 0, in->from}, in->size);
}

static int serve(uint32_t device, uint32_t subject, void *content)
{
    switch (subject) {
    case FILL: {
        const struct fill *in = content;
        return side_fill(device, in->address, in->value, in->size);
    }
    case COPY:
        return copy_within(device, content);
    case POPULATE:
    case POPULATE_UNPINNED:
        return populate(device, content);
    case DEPOPULATE:
    case DEPOPULATE_UNPINNED:
        return depopulate(device, content);
    case MAP: {
        const struct map *in = content;
        return range_map(device, in->address, in->size, &in->source);
    }
    case UNMAP:
        return range_end(device, ((const struct map *)content)->address, false);
    case RESERVE:
        ((struct reserve *)content)->status = RESERVED;
        return 0;
    case POOL_CREATE:
    case POOL_DESTROY:
    case POOL_SET:
    case POOL_GET:
        return pool(device, subject, content);
    default:
        return 0; /* notices, which the library only wants to hear of again */
    }
}

int agent_serve(uint32_t device, uint32_t subject, void *content, size_t size)
{
    /* The longest message, so that a short one is not read beyond its end. */
    unsigned char room[256] = {0};
    if (subject < FIRST_SUBJECT || size > sizeof(room) || device >= settings()->devices) {
        return CODE_BAD;
    }
    memcpy(room, content, size);
    space_lock();
    int failed = serve(device, subject - FIRST_SUBJECT, room);
    space_unlock();
    memcpy(content, room, size);
    uint64_t words[6];
    memcpy(words, room, sizeof(words));
    trace("message %u to device %u (%#lx %#lx %#lx %#lx %#lx %#lx) -> %d\n",
          subject - FIRST_SUBJECT, device, (unsigned long)words[0], (unsigned long)words[1],
          (unsigned long)words[2], (unsigned long)words[3], (unsigned long)words[4],
          (unsigned long)words[5], failed);
    return code_of(failed);
}
