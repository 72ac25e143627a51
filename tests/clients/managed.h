/* managed.h - what is asked of the kernel about memory that moves by itself. */
#ifndef CLIENTS_MANAGED_H
#define CLIENTS_MANAGED_H

#include "kernel.h"

#define PAGE (2 * MIB)
#define BASE UVM_START
#define DEVICE_BLOCK NORMAL_START

enum { NOWHERE, ON_DEVICE, ON_HOST, ON_NUMA };
enum { READ_MOSTLY, UNSET_READ_MOSTLY, PREFER, UNSET_PREFER, ACCESS_BY, UNSET_ACCESS_BY };

static inline int manage(uint64_t at, uint64_t size)
{
    struct argument a = device_argument(0);
    put8(&a, 0, at);
    put8(&a, 8, size);
    return tell(68, &a);
}

static inline int wish(uint64_t at, uint64_t size, uint32_t advice, uint32_t type, uint32_t id)
{
    struct argument a = device_argument(0);
    put8(&a, 0, at);
    put8(&a, 8, size);
    put4(&a, 16, advice);
    put4(&a, 20, type);
    put4(&a, 24, id);
    return tell(69, &a);
}

static inline int prefetch(uint64_t at, uint64_t size, uint32_t type, uint32_t id)
{
    struct argument a = device_argument(0);
    put8(&a, 0, at);
    put8(&a, 8, size);
    put4(&a, 16, type);
    put4(&a, 20, id);
    return tell(75, &a);
}

static inline int managed_copy(uint64_t to, uint64_t from, uint64_t size)
{
    struct argument a = device_argument(0);
    put8(&a, 0, to);
    put8(&a, 8, from);
    put8(&a, 16, size);
    put4(&a, 28, 4);
    return ask(74, &a);
}

static inline int attribute(uint64_t at, uint64_t size, uint32_t which, int32_t *value, uint64_t room)
{
    struct argument a = device_argument(0);
    void *data[1] = {value};
    uint64_t sizes[1] = {room};
    put8(&a, 0, (uintptr_t)&which);
    put8(&a, 8, 1);
    put8(&a, 16, at);
    put8(&a, 24, size);
    put8(&a, 32, (uintptr_t)data);
    put8(&a, 40, (uintptr_t)sizes);
    return tell(70, &a);
}

static inline volatile unsigned char *bytes_at(uint64_t at)
{
    return (volatile unsigned char *)(uintptr_t)at;
}

static inline int32_t value_of(uint64_t at, uint64_t size, uint32_t which)
{
    int32_t value = 12345;
    ANSWERS(attribute(at, size, which, &value, 4), 0);
    return value;
}

#endif
