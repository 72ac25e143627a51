/* node.c - open nodes, and which module each belongs to. */
#include "node.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "real.h"
#include "settings.h"

enum { FILES_MOST = 1 << 16, NAME_SIZE = 256 };

/* Without this node the library waits for it, in vain and for seconds. */
#define HDC_PATH "/dev/hisi_hdc"
#define HDC_VERSION 0x481dUL
#define HDC_CONFIGURE 0x4808UL

#define CHOOSE 0x5a00UL
#define LEAVE 0x5a01UL
#define STATUS 0x5a02UL

struct choice {
    char name[NAME_SIZE];
    int device;
};
_Static_assert(sizeof(struct choice) == 260, "as the driver lays it out");

static struct file *files[FILES_MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct module *const modules[] = {
    &module_uda,
    &module_devmng,
    &module_urd,
    &module_svm,
    &module_svm3,
    &module_svm_mmap,
    &module_apm,
    &module_esched,
};

static bool copy(void *to, const void *from, size_t size, bool reading)
{
    if (size == 0) {
        return true;
    }
    struct iovec near = {reading ? to : (void *)from, size};
    struct iovec far = {reading ? (void *)from : to, size};
    ssize_t done = reading ? process_vm_readv(getpid(), &near, 1, &far, 1, 0)
                           : process_vm_writev(getpid(), &near, 1, &far, 1, 0);
    if (done < 0 && (errno == ENOSYS || errno == EPERM)) {
        memcpy(to, from, size);
        return true;
    }
    return done == (ssize_t)size;
}

bool user_read(void *to, const void *from, size_t size)
{
    return copy(to, from, size, true);
}

bool user_write(void *to, const void *from, size_t size)
{
    return copy(to, from, size, false);
}

bool node_is(const char *path)
{
    if (path != NULL && strcmp(path, HDC_PATH) == 0) {
        return true;
    }
    if (path == NULL || strncmp(path, "/dev/davinci", 12) != 0) {
        return false;
    }
    const char *rest = path + 12;
    if (strcmp(rest, "_manager") == 0) {
        return true;
    }
    char *end;
    unsigned long number = strtoul(rest, &end, 10);
    return *rest >= '0' && *rest <= '9' && *end == '\0' && number < settings()->devices;
}

/* The node of the connection to devices: one module of its own, of which only the start is played. */
static long hdc_command(struct file *file, unsigned long request, void *argument)
{
    (void)file;
    (void)argument;
    return request == HDC_VERSION || request == HDC_CONFIGURE ? 0 : -EOPNOTSUPP;
}

static const struct module module_hdc = {.name = "hdc", .command = hdc_command};

int node_open(const char *path, int flags)
{
    /* A descriptor of something harmless: whoever reads it directly gets the end of a file. */
    int fd = real_open("/dev/null", (flags & (O_ACCMODE | O_CLOEXEC | O_NONBLOCK)), 0);
    if (fd < 0) {
        return fd;
    }
    struct file *file = fd < FILES_MOST ? calloc(1, sizeof(*file)) : NULL;
    if (file == NULL) {
        real_close(fd);
        errno = EMFILE;
        return -1;
    }
    *file = (struct file){.fd = fd, .pid = getpid()};
    if (strcmp(path, HDC_PATH) == 0) {
        file->module = &module_hdc;
    }
    __atomic_store_n(&files[fd], file, __ATOMIC_RELEASE);
    return fd;
}

struct file *node_file(int fd)
{
    return fd >= 0 && fd < FILES_MOST ? __atomic_load_n(&files[fd], __ATOMIC_ACQUIRE) : NULL;
}

int node_close(struct file *file)
{
    int fd = file->fd;
    __atomic_store_n(&files[fd], NULL, __ATOMIC_RELEASE);
    if (file->module != NULL && file->module->close != NULL && file->pid == getpid()) {
        file->module->close(file);
    }
    free(file);
    return real_close(fd);
}

static long choose(struct file *file, const void *argument)
{
    struct choice choice;
    if (argument == NULL) {
        return -EINVAL;
    }
    if (!user_read(&choice, argument, sizeof(choice))) {
        return -EFAULT;
    }
    if (choice.name[0] == '\0' || memchr(choice.name, '\0', NAME_SIZE) == NULL) {
        return -EINVAL;
    }
    if (file->module != NULL) {
        return -ENOSYS;
    }
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        if (strcmp(modules[i]->name, choice.name) == 0) {
            file->device = choice.device;
            long failed = modules[i]->open != NULL ? modules[i]->open(file) : 0;
            if (failed == 0) {
                file->module = modules[i];
            }
            return failed;
        }
    }
    trace("no module %s\n", choice.name);
    return -EINVAL;
}

long node_command(struct file *file, unsigned long request, void *argument)
{
    /* The driver encodes commands in 32 bits; what a caller left above them does not count. */
    request = (unsigned)request;
    if (request == CHOOSE) {
        pthread_mutex_lock(&lock);
        long result = choose(file, argument);
        pthread_mutex_unlock(&lock);
        return result;
    }
    if (file->module == NULL || file->closed) {
        return -ENODEV;
    }
    if (request == LEAVE) {
        file->closed = file->pid == getpid();
        return 0;
    }
    if (request == STATUS) {
        return 0;
    }
    long result = file->module->command(file, request, argument);
    if (file->module != &module_svm) {
        trace("%s %#lx -> %ld\n", file->module->name, request, result);
    }
    return result;
}

void *node_map(struct file *file, void *at, size_t size, int access, int flags)
{
    if (file->module == NULL || file->closed) {
        errno = file->closed ? ENODEV : EBADF;
        return MAP_FAILED;
    }
    if (file->module->map == NULL) {
        errno = EOPNOTSUPP;
        return MAP_FAILED;
    }
    return file->module->map(file, at, size, access, flags);
}
