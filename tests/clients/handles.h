/* handles.h - the commands of physical memory and reserved addresses. */
#ifndef CLIENTS_HANDLES_H
#define CLIENTS_HANDLES_H

#include "kernel.h"

enum { SIDE_HOST, SIDE_DEVICE, SIDE_NUMA };
enum { READ = 1, READ_WRITE = 3 };

struct made {
    uint32_t id;
    uint64_t pages;
    uint32_t device, side, page;
};

static inline int create(struct made *made, uint64_t size, uint32_t device, uint32_t page)
{
    struct argument a = device_argument(device);
    made->device = device;
    made->side = device == HOST ? SIDE_HOST : SIDE_DEVICE;
    made->page = page;
    put8(&a, 8, size);
    put4(&a, 24, made->side);
    put4(&a, 32, page);
    int failed = ask(50, &a);
    made->id = get4(&a, 0);
    made->pages = get8(&a, 40);
    return failed;
}

static inline int forget(const struct made *made)
{
    struct argument a = device_argument(made->device);
    put4(&a, 0, made->id);
    put4(&a, 4, made->side);
    put8(&a, 8, made->pages);
    return ask(51, &a);
}

static inline int bind(uint64_t at, uint64_t size, const struct made *made)
{
    struct argument a = device_argument(made->device);
    put8(&a, 0, at);
    put8(&a, 8, size);
    put4(&a, 16, made->id);
    put4(&a, 20, made->side);
    put4(&a, 24, made->page);
    put8(&a, 32, made->pages);
    return tell(52, &a);
}

static inline int unbind(uint64_t at)
{
    struct argument a = device_argument(0);
    put8(&a, 0, at);
    return ask(53, &a);
}

static inline int set_access(uint64_t at, uint64_t size, uint32_t location, uint32_t type)
{
    struct argument a = device_argument(location);
    put8(&a, 0, at);
    put8(&a, 8, size);
    put4(&a, 16, location);
    put4(&a, 20, type);
    return tell(1, &a);
}

static inline int reserve(uint64_t at, uint64_t size)
{
    int failed = heap(0, HUGE, SUB_RESERVE, at, (size + GIB - 1) / GIB * GIB, 0);
    return failed != 0 ? failed : allocate(at, size);
}

#endif
