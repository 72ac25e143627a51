/* apm.c - which process on a device belongs to which program. */
#include <errno.h>
#include <unistd.h>

#include "domain.h"
#include "node.h"

/* A device's process has the number of its program, so that what names memory names its owner. */
enum { QUERY_SLAVE = 1, QUERY_MASTER = 6, MAIN_PROCESS = 0 };
struct slave { uint32_t device; uint32_t type; int32_t master; uint32_t all_stages; int32_t pid, tgid;
               uint32_t reserved[4]; };
struct master { int32_t slave; int32_t pid, tgid; uint32_t device; int32_t mode; uint32_t types;
                uint32_t reserved[4]; };
_Static_assert(sizeof(struct slave) == 40 && sizeof(struct master) == 40, "as the driver lays them out");

static long tell_slave(struct slave *slave)
{
    if (slave->type != MAIN_PROCESS || slave->device >= settings()->devices) {
        return -ESRCH;
    }
    slave->pid = slave->tgid = getpid();
    return 0;
}

static long tell_master(struct master *master)
{
    if (master->device >= settings()->devices) {
        return -ENODEV;
    }
    if (master->slave <= 0 || process_start(master->slave) == 0) {
        return -ESRCH;
    }
    master->pid = master->tgid = master->slave;
    master->types = 1U << MAIN_PROCESS;
    return 0;
}

static long apm_command(struct file *file, unsigned long request, void *argument)
{
    (void)file;
    union {
        struct slave slave;
        struct master master;
    } in;
    unsigned number = request & 0xff;
    if (number != QUERY_SLAVE && number != QUERY_MASTER) {
        return -ESRCH;
    }
    if (!user_read(&in, argument, sizeof(in))) {
        return -EFAULT;
    }
    long failed = number == QUERY_SLAVE ? tell_slave(&in.slave) : tell_master(&in.master);
    if (failed != 0) {
        return failed;
    }
    return user_write(argument, &in, sizeof(in)) ? 0 : -EFAULT;
}

const struct module module_apm = {.name = "apm", .command = apm_command};
