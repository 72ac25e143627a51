/* registering.c - host memory for devices, device memory for the host, pinned ranges, pools. */
#include "kernel.h"

enum { MEM_DEV, SVM_DEV, DEV_HOST, THROUGH, DEV_MEM_HOST, DMA, IO };

static int map_for(uint64_t from, uint64_t size, uint32_t type, uint32_t process, uint64_t *there)
{
    struct argument a = device_argument(0);
    put8(&a, 0, from);
    put8(&a, 16, size);
    put4(&a, 24, type);
    put4(&a, 28, process);
    int failed = ask(45, &a);
    *there = get8(&a, 8);
    return failed;
}

static int end_map(uint64_t from, uint32_t type)
{
    struct argument a = device_argument(0);
    put8(&a, 0, from);
    put4(&a, 8, type);
    return ask(46, &a);
}

static int pin_for(uint32_t device, uint64_t at, uint64_t size)
{
    struct argument a = device_argument(device);
    put8(&a, 0, at);
    put8(&a, 8, size);
    return tell(60, &a);
}

static int pin(uint64_t at, uint64_t size)
{
    return pin_for(0, at, size);
}

static int unpin(uint64_t at)
{
    struct argument a = device_argument(0);
    put8(&a, 0, at);
    return tell(61, &a);
}

static void own_memory_is_registered(void)
{
    uint64_t there = 0;
    uint64_t mine = (uintptr_t)mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                    -1, 0);
    ANSWERS(map_for(mine, MIB, 9, 0, &there), EINVAL);
    ANSWERS(map_for(mine, MIB, DEV_HOST, 0, &there), EINVAL);
    ANSWERS(map_for(mine + 8, MIB, THROUGH, 0, &there), EINVAL);
    ANSWERS(map_for(mine, 0, THROUGH, 0, &there), EINVAL);
    ANSWERS(map_for(0, MIB, THROUGH, 0, &there), EINVAL);
    ANSWERS(map_for(mine, MIB, THROUGH, 1, &there), EOPNOTSUPP);
    ANSWERS(map_for(mine, MIB, MEM_DEV, 0, &there), EOPNOTSUPP);
    ANSWERS(map_for(4096, MIB, THROUGH, 0, &there), EFAULT);
    ANSWERS(map_for(mine, MIB, THROUGH, 0, &there), 0);
    CHECK(there != 0);
    ANSWERS(map_for(mine + 4096, 4096, THROUGH, 0, &there), EINVAL);
    ANSWERS(end_map(mine + 4096, THROUGH), ENOENT);
    ANSWERS(end_map(mine, THROUGH), 0);
    ANSWERS(end_map(mine, THROUGH), ENOENT);
}

static void nothing_is_registered_with_a_closed_device(void)
{
    static unsigned char mine[8192] __attribute__((aligned(4096)));
    uint64_t there = 0;
    ANSWERS(map_for((uintptr_t)mine, sizeof(mine), THROUGH, 0, &there), ESRCH);
}

static void device_memory_is_seen_by_the_host(void)
{
    uint64_t there = 0;
    volatile unsigned char *bytes = (volatile unsigned char *)(uintptr_t)NORMAL_START;
    ANSWERS(device_memory(NORMAL_START, 4 * MIB, 0), 0);
    ANSWERS(put_bytes(NORMAL_START, 64, 33), 0);
    ANSWERS(map_for(NORMAL_START, 2 * MIB, THROUGH, 0, &there), EINVAL);
    ANSWERS(map_for(NORMAL_START, 0, DEV_HOST, 0, &there), EINVAL);
    ANSWERS(map_for(NORMAL_START, 2 * MIB, DEV_HOST, 1, &there), EOPNOTSUPP);
    ANSWERS(map_for(NORMAL_START, 8 * MIB, DEV_HOST, 0, &there), EINVAL);
    ANSWERS(map_for(NORMAL_START, 2 * MIB, DEV_HOST, 0, &there), 0);
    CHECK(bytes[3] == 33);
    bytes[3] = 34;
    CHECK(holds(NORMAL_START + 3, 1, 34));
    ANSWERS(release(NORMAL_START), EBUSY);
    ANSWERS(end_map(NORMAL_START, DEV_HOST), 0);
    ANSWERS(end_map(NORMAL_START, DEV_HOST), EINVAL);
    ANSWERS(map_for(NORMAL_START, 4096, DEV_MEM_HOST, 0, &there), EOPNOTSUPP);
    ANSWERS(release(NORMAL_START), 0);
}

static void ranges_are_pinned(void)
{
    static unsigned char mine[16384];
    uint64_t at = (uintptr_t)mine;
    ANSWERS(pin(at, 0), EINVAL);
    ANSWERS(pin(at, UINT64_MAX), EINVAL);
    ANSWERS(pin(4096, 4096), EFAULT);
    ANSWERS(pin(at, 8192), 0);
    ANSWERS(pin(at + 4096, 8192), EINVAL);
    ANSWERS(unpin(at + 1), EFAULT);
    ANSWERS(unpin(at), 0);
    ANSWERS(unpin(at), EFAULT);
}

static void ranges_are_pinned_for_each_device_until_it_is_closed(void)
{
    static unsigned char own[4096];
    uint64_t at = (uintptr_t)own;
    ANSWERS(open_device(1), 0);
    ANSWERS(pin_for(0, at, 1), 0);
    ANSWERS(pin_for(1, at, 1), 0);
    ANSWERS(pin_for(1, at, 1), EINVAL);
    ANSWERS(close_device(1), 0);
    ANSWERS(open_device(1), 0);
    ANSWERS(pin_for(1, at, 1), 0);
    ANSWERS(close_device(1), 0);
    ANSWERS(pin_for(0, at, 1), EINVAL);
    ANSWERS(unpin(at), 0);
}

static int pool(uint64_t device, uint64_t id, uint64_t at, uint64_t size)
{
    struct argument a = device_argument((uint32_t)device);
    put8(&a, 8, id); /* as the library does, which leaves the device at byte 0 out */
    put8(&a, 16, at);
    put8(&a, 24, size);
    return tell(66, &a);
}

static void pools_have_memory_of_their_own(void)
{
    struct argument a = device_argument(0);
    ANSWERS(pool(0, 5, NORMAL_START, 4 * MIB), EINVAL);
    ANSWERS(pool(0, 5, SOMA_START + 4096, 4 * MIB), EINVAL);
    ANSWERS(pool(0, 5, SOMA_START, MIB), EINVAL);
    ANSWERS(pool(0, 5, SOMA_START, 64 * MIB), 0);
    ANSWERS(pool(0, 5, SOMA_START + GIB, 64 * MIB), EINVAL);
    ANSWERS(pool(0, 6, SOMA_START + 32 * MIB, 64 * MIB), EINVAL);
    ANSWERS(put_bytes(SOMA_START + 4096, 64, 21), 0);
    CHECK(holds(SOMA_START + 4096, 64, 21));
    put8(&a, 0, 5);
    put8(&a, 8, 4 * MIB);
    put8(&a, 16, 8 * MIB);
    put8(&a, 24, 16 * MIB);
    ANSWERS(ask(73, &a), 0);
    CHECK(get8(&a, 8) == 8 * MIB);
    for (int size = 8; size <= 24; size += 8) {
        struct argument part = a;
        put8(&part, size, MIB);
        ANSWERS(ask(73, &part), EINVAL);
    }
    put8(&a, 0, 7);
    ANSWERS(ask(73, &a), EINVAL);
    a = device_argument(1); /* nobody opened it */
    put8(&a, 0, 5);
    ANSWERS(pool(1, 9, SOMA_START + 4 * GIB, 4 * MIB), ESRCH);
    ANSWERS(tell(67, &a), ESRCH);
    a = device_argument(0);
    put8(&a, 0, 7);
    ANSWERS(tell(67, &a), EINVAL);
    put8(&a, 0, 5);
    ANSWERS(tell(67, &a), 0);
    ANSWERS(tell(67, &a), EINVAL);
    ANSWERS(put_bytes(SOMA_START + 4096, 64, 21), EINVAL);
}

int main(void)
{
    CHECK(begin_process() == 0);
    nothing_is_registered_with_a_closed_device();
    ANSWERS(open_device(0), 0);
    own_memory_is_registered();
    device_memory_is_seen_by_the_host();
    ranges_are_pinned();
    ranges_are_pinned_for_each_device_until_it_is_closed();
    pools_have_memory_of_their_own();
    return finish();
}
