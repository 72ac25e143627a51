/* devmng.c - the modules that tell about devices: DEVMNG, and URD with its filtered queries. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "domain.h"
#include "node.h"
#include "peers.h"
#include "settings.h"

enum {
    GET_DEVICE_INFO = 20,
    CONTAINER = 58,
    HOST_FLAG = 59,
    CONTAINER_FLAG = 108,
    LOG_LEVEL = 154,
};
enum { LOG_ERRORS = 3 };
enum { BARE_PID = 1, BARE_TGID = 2 };

#define PHYSICAL_MACHINE 0x5a6b7c8dU

struct device_info {
    uint8_t unused0[4];
    uint32_t device;
    uint8_t unused1[36];
    uint32_t cores;
    uint8_t unused2[16];
    uint32_t hardware_version;
    uint8_t unused3[68];
    uint32_t connection;
    uint8_t unused4[4];
    char chip[32];
    uint8_t unused5[144];
};
_Static_assert(sizeof(struct device_info) == 320, "as the driver lays it out");

struct container {
    uint32_t device;
    uint32_t command;
    uint64_t in;
    uint64_t out;
    uint32_t admin;
};

static long device_info(void *argument)
{
    struct device_info info;
    if (!user_read(&info, argument, sizeof(info))) {
        return -EFAULT;
    }
    if (info.device >= settings()->devices) {
        return -ENODEV;
    }
    uint32_t device = info.device;
    memset(&info, 0, sizeof(info));
    info.device = device;
    info.cores = 24;
    info.connection = settings()->product->coherent ? 1 : 0;
    return user_write(argument, &info, sizeof(info)) ? 0 : -EFAULT;
}

static long own_id(const void *argument)
{
    struct container request;
    if (!user_read(&request, argument, sizeof(request))) {
        return -EFAULT;
    }
    if (request.command != BARE_PID && request.command != BARE_TGID) {
        return -EOPNOTSUPP;
    }
    int32_t pid = getpid();
    return user_write((void *)(uintptr_t)request.out, &pid, sizeof(pid)) ? 0 : -EFAULT;
}

static long tell(void *argument, size_t at, uint32_t value)
{
    return user_write((char *)argument + at, &value, sizeof(value)) ? 0 : -EFAULT;
}

static long devmng_command(struct file *file, unsigned long request, void *argument)
{
    (void)file;
    if (((request >> 8) & 0xff) != 'M' || argument == NULL) {
        return -EINVAL;
    }
    switch (request & 0xff) {
    case GET_DEVICE_INFO:
        return device_info(argument);
    case CONTAINER:
        return own_id(argument);
    case HOST_FLAG:
        return tell(argument, 4, PHYSICAL_MACHINE);
    case LOG_LEVEL:
        return tell(argument, 0, LOG_ERRORS);
    case CONTAINER_FLAG:
        return tell(argument, 0, 0);
    default:
        return -EOPNOTSUPP;
    }
}

/* A query of URD: which one, and where its input and output lie. */
struct query {
    uint32_t device;
    uint32_t unused;
    uint32_t main;
    uint32_t sub;
    uint64_t filter;
    uint32_t filter_size;
    uint32_t unused2;
    uint64_t in;
    uint32_t in_size;
    uint32_t unused3;
    uint64_t out;
    uint32_t out_size;
    uint32_t unused4;
};
_Static_assert(sizeof(struct query) == 64, "as the driver lays it out");

enum { MAIN_MEMORY = 0x47, SUB_MEMORY_INFO = 0x27, MAIN_BASIC = 0x45, SUB_SPLIT = 15, SUB_PEERS = 40 };

static long memory_info(const struct query *query)
{
    uint32_t in[2];
    if (query->in_size < sizeof(in) || !user_read(in, (void *)(uintptr_t)query->in, sizeof(in))) {
        return -EINVAL;
    }
    if (in[0] >= settings()->devices) {
        return -ENODEV;
    }
    if (domain_join() != 0) {
        return -EBUSY;
    }
    struct node node = node_now(in[0]);
    uint64_t small = node.size / settings()->product->small_share;
    uint64_t left = node.size - node.used;
    uint64_t small_left = left < small ? left : small;
    uint64_t out[6] = {small, small_left, node.size - small, left - small_left, 0, 0};
    size_t size = query->out_size < sizeof(out) ? query->out_size : sizeof(out);
    return user_write((void *)(uintptr_t)query->out, out, size) ? 0 : -EFAULT;
}

static long urd_command(struct file *file, unsigned long request, void *argument)
{
    (void)file;
    struct query query;
    unsigned letter = (request >> 8) & 0xff;
    if ((letter != 'V' && letter != 'E') || argument == NULL) {
        return -EINVAL;
    }
    if (!user_read(&query, argument, sizeof(query))) {
        return -EFAULT;
    }
    if (query.main == MAIN_MEMORY && query.sub == SUB_MEMORY_INFO) {
        return memory_info(&query);
    }
    if (query.main == MAIN_BASIC && query.sub == SUB_SPLIT && query.out_size >= 4) {
        return tell((void *)(uintptr_t)query.out, 0, 0);
    }
    if (query.main == MAIN_BASIC && query.sub == SUB_PEERS) {
        return peers_query((void *)(uintptr_t)query.in, query.in_size, (void *)(uintptr_t)query.out,
                           query.out_size);
    }
    return -EOPNOTSUPP;
}

const struct module module_devmng = {.name = "DEVMNG", .command = devmng_command};
const struct module module_urd = {.name = "URD", .command = urd_command};
