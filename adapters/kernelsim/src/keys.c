/* keys.c - third generation: keys of shared memory, and the tasks that may use them. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ranges.h"
#include "store.h"

enum { CREATE, DESTROY, TASK, SOURCE, PIN, UNPIN, QUERY_FOREIGN, SET_FOREIGN, CLEAR_FOREIGN };
enum { ADD_TASK, DELETE_TASK, CHECK_TASK };

#define THIS_SERVER UINT64_C(0x3ff)
#define ANY_TASK (-2)

struct create { uint32_t task, unused; uint64_t address, size, key, reserved; };
struct task { uint32_t operation, unused; uint64_t key; uint32_t server; int32_t tgid; uint64_t reserved; };
struct told { uint64_t key; struct source source; uint64_t updated, extra, reserved; };
struct pin { uint64_t address, size, key, reserved; };
_Static_assert(sizeof(struct create) == 40 && sizeof(struct task) == 32 &&
                   sizeof(struct told) == 64 && sizeof(struct pin) == 32, "as the driver lays them out");

static struct name *of_key(struct domain *domain, uint64_t key)
{
    uint64_t row = (key & 0xffffffff) - 1;
    struct name *name = row < NAMES_MOST ? &domain->names[row] : NULL;
    bool right = name != NULL && name->used && name->device == (key >> 32 & 0xffff);
    return right ? name : NULL;
}

static bool may_use(const struct domain *domain, const struct name *name)
{
    return name->pid == getpid() || name->open_to_all ||
           admitted_since(domain, name->admitted, getpid()) != 0;
}

static int create_key(struct domain *domain, uint32_t device, struct create *in)
{
    const struct range *range = range_at(device, in->address);
    if (in->address % PAGE != 0 || in->size % PAGE != 0 || in->size == 0 || range == NULL ||
        range->hold == NOTHING ||
        in->size > range->span.size - (in->address - range->span.start)) {
        return EINVAL;
    }
    /* Numbers go round, so that one that was given back is not given again at once. */
    unsigned tried = 0;
    while (tried < NAMES_MOST && domain->names[(domain->next_key + tried) % NAMES_MOST].used) {
        tried++;
    }
    if (tried == NAMES_MOST) {
        return ENOMEM;
    }
    unsigned row = (domain->next_key + tried) % NAMES_MOST;
    domain->next_key = row + 1;
    domain->names[row] = (struct name){
        .used = true, .valid = true, .pid = getpid(), .start = process_start(getpid()),
        .device = device, .object = domain->holds[range->hold].object,
        .offset = range->offset + (in->address - range->span.start),
        .size = in->size, .address = in->address};
    in->key = THIS_SERVER << 48 | (uint64_t)device << 32 | (row + 1);
    return 0;
}

static int destroy_key(struct domain *domain, uint64_t key)
{
    struct name *name = of_key(domain, key);
    if (name == NULL) {
        return EINVAL;
    }
    if (name->pid != getpid()) {
        return EPERM;
    }
    admit_nobody(domain, &name->admitted);
    *name = (struct name){0};
    return 0;
}

static int task(struct domain *domain, const struct task *in)
{
    struct name *name = of_key(domain, in->key);
    if (in->operation > CHECK_TASK) {
        return EOPNOTSUPP;
    }
    if (name == NULL) {
        return EINVAL;
    }
    if (in->operation == CHECK_TASK) {
        bool known = name->pid == in->tgid || name->open_to_all ||
                     admitted_since(domain, name->admitted, in->tgid) != 0;
        return known ? 0 : ENOSPC;
    }
    if (name->pid != getpid()) {
        return EPERM;
    }
    if (in->operation == DELETE_TASK) {
        return 0;
    }
    if (in->tgid == ANY_TASK) {
        name->open_to_all = !name->closed;
        return name->closed ? EPERM : 0;
    }
    name->closed = true;
    return name->open_to_all ? EPERM : admit(domain, &name->admitted, in->tgid);
}

static struct source source_of(const struct name *name)
{
    return (struct source){(uint32_t)THIS_SERVER, name->device, name->pid, 0, name->address,
                           name->size};
}

static int tell_source(struct domain *domain, struct told *in)
{
    const struct name *name = of_key(domain, in->key);
    if (name == NULL || !may_use(domain, name)) {
        return EINVAL;
    }
    in->source = source_of(name);
    in->updated = name->address;
    in->extra = 0;
    return 0;
}

static int pin(struct domain *domain, uint32_t device, const struct pin *in)
{
    const struct name *name = of_key(domain, in->key);
    if (name == NULL) {
        return EINVAL;
    }
    if (!may_use(domain, name)) {
        return EPERM;
    }
    if (!name->valid) {
        return EOWNERDEAD;
    }
    if (name->size != in->size) {
        return EINVAL;
    }
    uint32_t hold = object_hold(domain, name->object);
    if (hold == NOTHING) {
        return ENOMEM;
    }
    struct span span = {in->address, in->size};
    struct source source = source_of(name);
    int failed = pin_keep(device, &span, &source, hold, name->offset);
    if (failed != 0) {
        hold_drop(domain, hold);
    }
    return failed;
}

static bool is_mine(const struct name *name, uint32_t device)
{
    return name->used && name->pid == getpid() && name->device == device;
}

void keys_of_freed(uint32_t device, const struct span *span)
{
    struct domain *domain = domain_lock();
    for (unsigned i = 0; i < NAMES_MOST; i++) {
        struct name *name = &domain->names[i];
        bool inside = name->address >= span->start && name->address - span->start < span->size;
        name->valid = name->valid && !(is_mine(name, device) && inside);
    }
    domain_unlock();
}

void keys_of(uint32_t device)
{
    struct domain *domain = domain_lock();
    for (unsigned i = 0; i < NAMES_MOST; i++) {
        struct name *name = &domain->names[i];
        if (is_mine(name, device)) {
            admit_nobody(domain, &name->admitted);
            *name = (struct name){0};
        }
    }
    domain_unlock();
}

bool shared_source(struct domain *domain, const struct source *source, uint32_t *object,
                   uint64_t *offset)
{
    for (unsigned i = 0; i < NAMES_MOST; i++) {
        const struct name *name = &domain->names[i];
        if (name->used && name->pid == source->tgid && name->device == source->device &&
            name->address == source->address && may_use(domain, name)) {
            *object = name->object;
            *offset = name->offset;
            return true;
        }
    }
    return false;
}

long key_command(unsigned number, uint32_t device, void *argument)
{
    union {
        struct create create;
        struct task task;
        struct told told;
        struct pin pin;
    } in;
    static const uint8_t sizes[] = {40, 16, 32, 64, 32, 24, 56, 56, 16};
    if (!user_read(&in, argument, sizes[number])) {
        return -EFAULT;
    }
    int failed = 0;
    space_lock();
    struct domain *domain = domain_lock();
    domain_sweep(domain); /* keys of the dead lead nowhere */
    switch (number) {
    case CREATE:
        failed = create_key(domain, device, &in.create);
        break;
    case DESTROY:
        failed = destroy_key(domain, in.told.key);
        break;
    case TASK:
        failed = task(domain, &in.task);
        break;
    case SOURCE:
        failed = tell_source(domain, &in.told);
        break;
    case PIN:
        failed = pin(domain, device, &in.pin);
        break;
    case UNPIN:
        break;
    default:
        failed = EINVAL; /* there is one server */
    }
    domain_unlock();
    if (number == UNPIN) {
        failed = pin_end(device, in.pin.address, in.pin.size);
    }
    space_unlock();
    bool tells = number == CREATE || number == SOURCE;
    if (failed == 0 && tells && !user_write(argument, &in, sizes[number])) {
        failed = EFAULT;
    }
    return -failed;
}
