/* uda.c - the module that tells which devices there are and how they are numbered. */
#include <errno.h>
#include <string.h>

#include "node.h"
#include "settings.h"

enum { GET_USER_INFO, SETUP_TABLE, GET_DEVICES, FIRST_MAPPING, LAST_MAPPING = 6, SET_FLAG, GET_FLAG };
enum { DEVICES_SHOWN = 100, UDEVIDS = 1124 };

struct user_info {
    uint32_t admin;
    uint32_t local;
    uint32_t most_devices;
    uint32_t most_udevids;
    uint32_t manages_udevids;
};

struct device_list {
    uint32_t first;
    uint32_t last; /* behind the last one */
    uint64_t entries;
};

struct entry {
    uint8_t valid; /* bit 0; the hardware type above it is 0 */
    uint8_t part;
    uint16_t physical;
    uint16_t logical;
    uint16_t universal;
};
_Static_assert(sizeof(struct user_info) == 20 && sizeof(struct device_list) == 16 &&
                   sizeof(struct entry) == 8, "as the driver lays them out");

static long tell_devices(const void *argument)
{
    struct device_list list;
    if (!user_read(&list, argument, sizeof(list))) {
        return -EFAULT;
    }
    if (list.first >= list.last || list.last > UDEVIDS) {
        return -EINVAL;
    }
    /* The list has a place for each id; only those of devices that are there are written. */
    for (uint32_t id = list.first; id < list.last && id < settings()->devices; id++) {
        uint16_t number = (uint16_t)id;
        struct entry entry = {1, 0, number, number, number};
        char *to = (char *)(uintptr_t)list.entries + id * sizeof(entry);
        if (!user_write(to, &entry, sizeof(entry))) {
            return -EFAULT;
        }
    }
    return 0;
}

/* Every numbering of the devices is the same here. */
static long translate(void *argument)
{
    uint32_t pair[2];
    if (!user_read(pair, argument, sizeof(pair))) {
        return -EFAULT;
    }
    if (pair[0] >= settings()->devices) {
        return -ENODEV;
    }
    pair[1] = pair[0];
    return user_write(argument, pair, sizeof(pair)) ? 0 : -EFAULT;
}

static long command(struct file *file, unsigned long request, void *argument)
{
    (void)file;
    unsigned number = request & 0xff;
    if (((request >> 8) & 0xff) != 'U' || argument == NULL) {
        return -EINVAL;
    }
    if (number >= FIRST_MAPPING && number <= LAST_MAPPING) {
        return translate(argument);
    }
    switch (number) {
    case GET_USER_INFO: {
        struct user_info info = {1, 1, DEVICES_SHOWN, UDEVIDS, 1};
        return user_write(argument, &info, sizeof(info)) ? 0 : -EFAULT;
    }
    case SETUP_TABLE:
    case SET_FLAG:
        return 0;
    case GET_DEVICES:
        return tell_devices(argument);
    case GET_FLAG: {
        uint32_t flag = 0;
        return user_write(argument, &flag, sizeof(flag)) ? 0 : -EFAULT;
    }
    default:
        return -EINVAL;
    }
}

const struct module module_uda = {.name = "uda", .command = command};
