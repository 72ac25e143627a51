/* node.h - the device node and the modules of the driver behind it. */
#ifndef KERNELSIM_NODE_H
#define KERNELSIM_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NODE_PATH "/dev/davinci_manager"

struct module;

/* An open node. It belongs to one module from the first command on. */
struct file {
    int fd;
    pid_t pid;
    int device;
    const struct module *module; /* NULL: not chosen yet */
    bool closed;                 /* its owner said so; only the descriptor is left */
    void *state;                 /* the module's */
};

/* Commands answer 0, a negative errno, or what the call is to return. */
struct module {
    const char *name;
    long (*open)(struct file *file);
    long (*command)(struct file *file, unsigned long request, void *argument);
    void *(*map)(struct file *file, void *at, size_t size, int access, int flags);
    void (*close)(struct file *file);
};

extern const struct module module_uda, module_devmng, module_urd, module_svm, module_svm3,
    module_svm_mmap, module_apm, module_esched;

/* Whether a path is a node that is played. */
bool node_is(const char *path);
int node_open(const char *path, int flags);
/* The open node behind a descriptor; NULL for every other descriptor. */
struct file *node_file(int fd);
int node_close(struct file *file);
long node_command(struct file *file, unsigned long request, void *argument);
void *node_map(struct file *file, void *at, size_t size, int access, int flags);

/* Copy from or to the memory of the program; false where it is not accessible. */
bool user_read(void *to, const void *from, size_t size);
bool user_write(void *to, const void *from, size_t size);

#endif
