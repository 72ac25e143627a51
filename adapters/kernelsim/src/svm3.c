/* svm3.c - the memory module of the third generation: most of it is done by devices' processes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "assumed.h"
#include "esched.h"
#include "ranges.h"
#include "real.h"
#include "trouble.h"

enum {
    LAST_KEY_COMMAND = 8, COPY = 10, COPY_2D = 11, COPY_BATCH = 12, COPY_WAIT = 13, DMA_MAP = 15,
    DMA_UNMAP = 16, DESC_CONVERT = 20, DESC_CONVERT_2D = 21, DESC_DESTROY = 24, MAP = 25,
    UNMAP = 26, POPULATE = 30, DEPOPULATE = 31, SHOW_FEATURE = 32, BASICS = 33, STATISTICS = 35,
    POOL = 36, COMMANDS3 = 37
};
enum { BATCH_MOST = 4096, ADDRESSES_MOST = 4, GIANT = 0x20, DEVICE_CAPABILITIES = 0xC };

struct copy { uint64_t from, to, size; uint32_t from_side, to_side; int32_t from_tgid, to_tgid;
              uint32_t flag; int32_t id; uint64_t reserved; };
struct copy_2d { uint64_t from, to, from_pitch, to_pitch, width, height; uint32_t from_side, to_side;
                 int32_t id, unused; uint64_t reserved; };
struct batch { uint64_t from, to, sizes, count; uint32_t from_side, to_side; int32_t id, unused;
               uint64_t reserved; };
struct dma { uint32_t side, task; uint64_t address, size; uint32_t flag, unused; uint64_t reserved; };
struct convert { uint64_t from, to, size; uint32_t from_side, to_side; int32_t from_tgid, to_tgid;
                 struct dma_address dma; uint64_t reserved; };
struct convert_2d { uint64_t from, to, from_pitch, to_pitch, width, height; uint32_t from_side,
                    to_side; uint64_t fixed; struct dma_address dma; uint64_t reserved; };
struct map { uint64_t address, size, flag; struct source source; uint64_t reserved; };
struct addresses { uint32_t count, unused; uint64_t at[ADDRESSES_MOST]; };
struct populate { uint64_t address, size; uint32_t flag, unused; uint64_t reserved;
                  struct addresses addresses; };
struct depopulate { uint64_t address, size, reserved; struct addresses addresses; };
struct basics { uint64_t page, huge, giant; uint32_t capabilities, has_id; uint8_t id[16];
                uint64_t host_mask, unused; };
_Static_assert(sizeof(struct copy) == 56 && sizeof(struct copy_2d) == 72 &&
                   sizeof(struct batch) == 56 && sizeof(struct dma) == 40 &&
                   sizeof(struct convert) == 88 &&
                   sizeof(struct convert_2d) == 112 && sizeof(struct map) == 64 &&
                   sizeof(struct populate) == 72 && sizeof(struct depopulate) == 64 &&
                   sizeof(struct basics) == 64, "as the driver lays them out");

/* Ranges that a device may reach by DMA. */
static struct table reached[DEVICES_MOST];
static int last_copy;

static bool is_side(uint32_t side)
{
    return side < settings()->devices || side == HOST_ID;
}

static int copy(struct copy *in)
{
    bool hosts = in->from_side == HOST_ID && in->to_side == HOST_ID;
    if (!is_side(in->from_side) || !is_side(in->to_side) || hosts || in->size == 0) {
        return EINVAL;
    }
    in->id = ++last_copy;
    return sides_copy((struct end){in->to_side, in->to_tgid, in->to},
                      (struct end){in->from_side, in->from_tgid, in->from}, in->size);
}

static int copy_rows(struct copy_2d *in)
{
    if (in->width == 0 || in->width > in->from_pitch || in->width > in->to_pitch ||
        !is_side(in->from_side) || !is_side(in->to_side)) {
        return EINVAL;
    }
    in->id = ++last_copy;
    int failed = 0;
    for (uint64_t row = 0; row < in->height && failed == 0; row++) {
        failed = sides_copy((struct end){in->to_side, 0, in->to + row * in->to_pitch},
                            (struct end){in->from_side, 0, in->from + row * in->from_pitch},
                            in->width);
    }
    return failed;
}

static bool element(uint64_t array, uint64_t index, uint64_t *value)
{
    return user_read(value, (uint64_t *)(uintptr_t)array + index, sizeof(*value));
}

static int copy_many(struct batch *in)
{
    if (in->count == 0 || in->from == 0 || in->to == 0 || in->sizes == 0 ||
        !is_side(in->from_side) || !is_side(in->to_side)) {
        return EINVAL;
    }
    if (in->count > BATCH_MOST) {
        return EOPNOTSUPP;
    }
    in->id = ++last_copy;
    int failed = 0;
    for (uint64_t i = 0; i < in->count && failed == 0; i++) {
        uint64_t from;
        uint64_t to;
        uint64_t size;
        bool read = element(in->from, i, &from) && element(in->to, i, &to) &&
                    element(in->sizes, i, &size);
        failed = read ? sides_copy((struct end){in->to_side, 0, to},
                                   (struct end){in->from_side, 0, from}, size)
                      : EFAULT;
    }
    return failed;
}

static int reach(uint32_t device, const struct dma *in, bool on)
{
    struct table *table = &reached[device];
    struct span *span = table_at(table, in->address);
    if (!on) {
        if (span == NULL || span->start != in->address || span->size != in->size) {
            return EINVAL;
        }
        table_remove(table, span);
        free(span);
        return 0;
    }
    if (in->size == 0 || table_overlap(table, in->address, in->size) != NULL) {
        return in->size == 0 ? EINVAL : EBUSY;
    }
    span = calloc(1, sizeof(*span));
    if (span == NULL) {
        return ENOMEM;
    }
    *span = (struct span){in->address, in->size};
    return table_add(table, span) ? 0 : ENOMEM;
}

static int populate(const struct populate *in)
{
    const struct addresses *addresses = &in->addresses;
    if (addresses->count > ADDRESSES_MOST || in->size == 0 || in->size % PAGE != 0) {
        return EINVAL;
    }
    uint64_t page = (in->flag & GIANT) != 0 ? GIB : PAGE;
    uint64_t first = addresses->count > 0 ? addresses->at[0] : in->address;
    if (first % PAGE != 0) {
        return EINVAL;
    }
    int failed = range_make(HOST_ID, first, in->size, (in->size + page - 1) / page * page);
    for (uint32_t i = 1; i < addresses->count && failed == 0; i++) {
        struct source source = {0, HOST_ID, getpid(), 0, first, in->size};
        failed = range_map(HOST_ID, addresses->at[i], in->size, &source);
    }
    return failed == EADDRINUSE ? EINVAL : failed;
}

static int depopulate(const struct depopulate *in)
{
    const struct addresses *addresses = &in->addresses;
    for (uint32_t i = addresses->count; i > 1; i--) {
        range_end(HOST_ID, addresses->at[i - 1], false);
    }
    int failed = range_end(HOST_ID, addresses->count > 0 ? addresses->at[0] : in->address, true);
    return failed == EINVAL ? EFAULT : failed;
}

static int convert(struct convert *in)
{
    return descriptor_make((struct end){in->from_side, in->from_tgid, in->from},
                           (struct end){in->to_side, in->to_tgid, in->to}, in->size, &in->dma);
}

static int convert_rows(struct convert_2d *in)
{
    uint64_t all = in->width * in->height;
    if (in->width == 0 || in->width > in->from_pitch || in->width > in->to_pitch || in->fixed >= all) {
        return EINVAL;
    }
    return descriptor_make((struct end){in->from_side, 0, in->from},
                           (struct end){in->to_side, 0, in->to}, all - in->fixed, &in->dma);
}

static void tell_basics(struct basics *in, bool device)
{
    *in = (struct basics){.page = PAGE, .huge = HUGE_PAGE, .giant = GIB,
                          .capabilities = device ? DEVICE_CAPABILITIES : 0};
}

union in {
    unsigned char bytes[128];
    struct copy copy;
    struct copy_2d copy_2d;
    struct batch batch;
    struct dma dma;
    struct map map;
    struct convert convert;
    struct convert_2d convert_2d;
    struct dma_address descriptor;
    struct populate populate;
    struct depopulate depopulate;
    struct basics basics;
};

static int answer(uint32_t side, unsigned number, union in *in)
{
    bool device = side != HOST_ID;
    switch (number) {
    case COPY:
        return copy(&in->copy); /* by the host where the memory is another process's */
    case COPY_2D:
        return device ? copy_rows(&in->copy_2d) : EINVAL;
    case COPY_BATCH:
        return device ? copy_many(&in->batch) : EINVAL;
    case COPY_WAIT:
        return in->copy_2d.id < 0 ? EINVAL : 0;
    case DMA_MAP:
    case DMA_UNMAP:
        return device ? reach(side, &in->dma, number == DMA_MAP) : EINVAL;
    case MAP:
        return device ? EINVAL : range_map(HOST_ID, in->map.address, in->map.size, &in->map.source);
    case UNMAP:
        return device ? EINVAL : range_end(HOST_ID, in->map.address, false);
    case POPULATE:
        return populate(&in->populate);
    case DEPOPULATE:
        return depopulate(&in->depopulate);
    case DESC_CONVERT:
        return device ? convert(&in->convert) : EINVAL;
    case DESC_CONVERT_2D:
        return device ? convert_rows(&in->convert_2d) : EINVAL;
    case DESC_DESTROY:
        return descriptor_end(&in->descriptor);
    case BASICS:
        tell_basics(&in->basics, device);
        return 0;
    case SHOW_FEATURE:
    case STATISTICS:
    case POOL:
        return 0;
    default:
        return EOPNOTSUPP;
    }
}

/* Bytes of each command's argument; the size in the request is not to be trusted. */
static const uint8_t sizes[COMMANDS3] = {
    [COPY] = 56, [COPY_2D] = 72, [COPY_BATCH] = 56, [COPY_WAIT] = 16, [DMA_MAP] = 40,
    [DMA_UNMAP] = 32, [MAP] = 64, [UNMAP] = 64, [POPULATE] = 72, [DEPOPULATE] = 64, [BASICS] = 64,
    [POOL] = 56, [DESC_CONVERT] = 88, [DESC_CONVERT_2D] = 112, [DESC_DESTROY] = 48,
};

static long open_module(struct file *file)
{
    if (file->device != HOST_ID && (unsigned)file->device >= settings()->devices) {
        return -EINVAL;
    }
    return domain_join() == 0 ? 0 : -EBUSY;
}

static long command(struct file *file, unsigned long request, void *argument)
{
    unsigned number = request & 0xff;
    union in in = {{0}};
    if (number >= COMMANDS3 || file->pid != getpid() ||
        (argument == NULL && number != SHOW_FEATURE)) {
        return -EINVAL;
    }
    if (number <= LAST_KEY_COMMAND) {
        return key_command(number, (uint32_t)file->device, argument);
    }
    if (sizes[number] > 0 && !user_read(&in, argument, sizes[number])) {
        return -EFAULT;
    }
    space_lock();
    int failed = trouble_now(number == POPULATE || number == MAP, file->device != HOST_ID);
    failed = failed != 0 ? failed : answer((uint32_t)file->device, number, &in);
    space_unlock();
    if (failed == 0 && sizes[number] > 0 && (request & 0x80000000UL) != 0 &&
        !user_write(argument, &in, sizes[number])) {
        failed = EFAULT;
    }
    return -failed;
}

static void closed(struct file *file)
{
    if (file->device != HOST_ID) {
        space_lock();
        keys_of((uint32_t)file->device);
        ranges_of((uint32_t)file->device);
        pins_of((uint32_t)file->device);
        agent_closes((uint32_t)file->device);
        struct table *table = &reached[file->device];
        while (table->count > 0) {
            struct span *span = table->rows[table->count - 1];
            table_remove(table, span);
            free(span);
        }
        space_unlock();
    }
}

enum { LOW = 4, LOW_END = 8, HIGH = 16, HIGH_END = 224 };

static void *map_addresses(struct file *file, void *at, size_t size, int access, int flags)
{
    (void)file;
    (void)access;
    (void)flags;
    uint64_t start = (uintptr_t)at;
    bool low = start >= LOW * TIB && start + size <= LOW_END * TIB;
    bool high = start >= HIGH * TIB && start + size <= HIGH_END * TIB;
    if (size == 0 || (!low && !high)) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    void *got = real_mmap(at, size, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED) {
        real_madvise(got, size, MADV_DONTFORK);
    }
    return got;
}

static long no_command(struct file *file, unsigned long request, void *argument)
{
    (void)file;
    (void)request;
    (void)argument;
    return -EOPNOTSUPP;
}

void svm3_forget(void)
{
    memset(reached, 0, sizeof(reached));
    descriptors_forget();
    ranges_forget();
    pins_forget();
    agent_forget();
    esched_forget();
}

const struct module module_svm3 = {
    .name = "svm", .open = open_module, .command = command, .close = closed};
const struct module module_svm_mmap = {.name = "svm_mmap", .command = no_command, .map = map_addresses};
