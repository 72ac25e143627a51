/* real.h - the system calls themselves, past every library that stands in front of them. */
#ifndef KERNELSIM_REAL_H
#define KERNELSIM_REAL_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline int real_open(const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int real_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

static inline int real_ioctl(int fd, unsigned long request, void *argument)
{
    return (int)syscall(SYS_ioctl, fd, request, argument);
}

static inline void *real_mmap(void *at, size_t size, int access, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, at, size, access, flags, fd, offset);
}

static inline int real_munmap(void *at, size_t size)
{
    return (int)syscall(SYS_munmap, at, size);
}

static inline int real_madvise(void *at, size_t size, int advice)
{
    return (int)syscall(SYS_madvise, at, size, advice);
}

static inline int real_access(const char *path, int mode)
{
    return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

#endif
