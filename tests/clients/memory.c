/* memory.c - heaps, pages, copies, sets, prepared copies, accounting, and faults of the CPU. */
#include "kernel.h"

#define BASE NORMAL_START
#define SVM_BASE (NORMAL_START + 64 * GIB)
#define HOST_BASE (NORMAL_START + 128 * GIB)

enum { DEVICE_TO_HOST = 2, TO_BE_FOUND = 4 };

static void heaps_are_checked(void)
{
    ANSWERS(heap(0, HUGE, SUB_DEVICE, BASE, 0, 0), EINVAL);
    ANSWERS(heap(0, HUGE, SUB_DEVICE, BASE, GIB + MIB, 0), EINVAL);
    ANSWERS(heap(1, HUGE, SUB_DEVICE, BASE, GIB, 0), EINVAL);
    ANSWERS(heap(0, HUGE, SUB_DEVICE, BASE, GIB, 9), ENODEV);
    ANSWERS(heap(0, HUGE, SUB_DEVICE, BASE, GIB, 1), ESRCH);
    ANSWERS(heap(0, HUGE, SUB_DEVICE, BASE, TIB, 0), EINVAL);
    ANSWERS(heap(0, HUGE, SUB_SVM, BASE, 256 * GIB, 0), EINVAL);
    ANSWERS(heap(0, HUGE, SUB_DVPP, BASE, GIB, 0), EINVAL);
    ANSWERS(heap(0, HUGE, SUB_READ_ONLY, BASE, GIB, 0), EINVAL);
    ANSWERS(heap(0, HUGE, 77, BASE, GIB, 0), EINVAL);
    ANSWERS(heap(0, HUGE, SUB_DEVICE, BASE, GIB, 0), 0);
    ANSWERS(heap(0, HUGE, SUB_DEVICE, BASE, GIB, 0), EINVAL);
    ANSWERS(heap(1, HUGE, SUB_DEVICE, BASE, GIB, 0), 0);
}

static void pages_are_allocated_and_freed(void)
{
    uint64_t before = free_on(0);
    ANSWERS(allocate(BASE, MIB), EADDRNOTAVAIL);
    ANSWERS(heap(0, HUGE, SUB_DEVICE, BASE, GIB, 0), 0);
    ANSWERS(allocate(BASE, 2 * GIB), EADDRNOTAVAIL);
    ANSWERS(allocate(BASE, 6 * MIB), 0);
    ANSWERS(allocate(BASE + 4 * MIB, 2 * MIB), EINVAL);
    CHECK(free_on(0) == before);
    ANSWERS(advise(BASE, 8 * MIB, POPULATE, 0), EINVAL);
    ANSWERS(advise(BASE, 6 * MIB, POPULATE | HUGE_ADVICE, 0), 0);
    CHECK(free_on(0) == before - 6 * MIB);
    ANSWERS(advise(BASE, 6 * MIB, POPULATE | HUGE_ADVICE, 0), EINVAL);
    ANSWERS(put_bytes(BASE, 4096, 17), 0);
    CHECK(holds(BASE, 4096, 17));
    ANSWERS(release(BASE + 2 * MIB), EINVAL);
    ANSWERS(release(BASE + 1), EADDRNOTAVAIL);
    ANSWERS(release(BASE), 0);
    ANSWERS(release(BASE), EINVAL);
    CHECK(free_on(0) == before);
    ANSWERS(heap(1, HUGE, SUB_DEVICE, BASE, GIB, 0), 0);
}

static void a_full_device_refuses(void)
{
    uint64_t all = free_on(0);
    uint64_t size = (all / GIB + 1) * GIB;
    ANSWERS(heap(0, HUGE, SUB_DEVICE, BASE, 4 * GIB, 0), 0);
    ANSWERS(allocate(BASE, 3 * GIB), 0);
    ANSWERS(advise(BASE, 3 * GIB, POPULATE, 0), 0);
    ANSWERS(allocate(BASE + 3 * GIB, GIB), 0);
    ANSWERS(advise(BASE + 3 * GIB, GIB, POPULATE, 0), all >= 4 * GIB ? 0 : ENOMEM);
    CHECK(size > all);
    ANSWERS(heap(1, HUGE, SUB_DEVICE, BASE, 4 * GIB, 0), 0);
    CHECK(free_on(0) == all);
}

static int reads(uint64_t at)
{
    volatile unsigned char *place = (volatile unsigned char *)(uintptr_t)at;
    unsigned char seen = *place;
    (void)seen;
    return 0;
}

static int touches_device_memory(uint64_t at)
{
    return begin_process() != 0 || open_device(0) != 0 || device_memory(at, 2 * MIB, 0) != 0 ? 0
                                                                                             : reads(at);
}

static void the_cpu_cannot_touch_device_memory(void)
{
    CHECK(!survives(touches_device_memory, BASE));
    CHECK(!survives(reads, BASE + 7 * GIB));
}

static void host_memory_is_pinned(void)
{
    volatile unsigned char *bytes = (volatile unsigned char *)(uintptr_t)HOST_BASE;
    ANSWERS(heap(0, PINNED, SUB_HOST, HOST_BASE, GIB, 0), 0);
    ANSWERS(allocate(HOST_BASE, MIB), 0);
    ANSWERS(advise(HOST_BASE, MIB / 2, POPULATE, 0), EINVAL);
    ANSWERS(advise(HOST_BASE + 4096, MIB, POPULATE, 0), EINVAL);
    ANSWERS(advise(HOST_BASE, MIB, POPULATE, 0), 0);
    ANSWERS(advise(HOST_BASE, MIB, POPULATE, 0), EADDRINUSE);
    bytes[5] = 9;
    CHECK(bytes[5] == 9 && bytes[6] == 0);
    ANSWERS(device_memory(BASE, 2 * MIB, 0), 0);
    ANSWERS(copy(BASE, HOST_BASE, MIB), 0);
    bytes[5] = 0;
    ANSWERS(copy(HOST_BASE, BASE, MIB), 0);
    CHECK(bytes[5] == 9);
}

static void copies_are_checked(void)
{
    unsigned char mine[4096];
    struct argument a = device_argument(0);
    memset(mine, 4, sizeof(mine));
    ANSWERS(copy(BASE, (uintptr_t)mine, 0), EINVAL);
    ANSWERS(copy(BASE, 16, 4096), EFAULT);
    ANSWERS(copy(16, BASE, 4096), EFAULT);
    ANSWERS(copy(BASE + 2 * MIB - 16, (uintptr_t)mine, 4096), EINVAL);
    ANSWERS(copy(BASE + 900 * GIB, (uintptr_t)mine, 16), EINVAL);
    put8(&a, 0, BASE);
    put8(&a, 8, (uintptr_t)mine);
    put8(&a, 16, 64);
    put4(&a, 28, 2);
    ANSWERS(ask(5, &a), EINVAL);
    put4(&a, 28, 1);
    ANSWERS(ask(5, &a), 0);
    put4(&a, 24, 1);
    put4(&a, 28, 1);
    ANSWERS(ask(5, &a), EOPNOTSUPP);
    a = device_argument(0);
    put8(&a, 0, (uintptr_t)mine);
    put8(&a, 8, (uintptr_t)mine + 64);
    put8(&a, 16, 64);
    put4(&a, 28, 4);
    ANSWERS(ask(5, &a), 0);
    CHECK(get4(&a, 28) == 0);
}

static void rows_are_copied(void)
{
    unsigned char mine[64];
    struct argument a = device_argument(0);
    for (int i = 0; i < 64; i++) {
        mine[i] = (unsigned char)i;
    }
    ANSWERS(put_bytes(BASE, 4096, 0), 0);
    put8(&a, 0, BASE);
    put8(&a, 8, (uintptr_t)mine);
    put8(&a, 16, 32);
    put8(&a, 24, 16);
    put8(&a, 32, 8);
    put8(&a, 40, 4);
    put4(&a, 48, 4);
    ANSWERS(ask(6, &a), 0);
    memset(mine, 0, sizeof(mine));
    ANSWERS(copy((uintptr_t)mine, BASE + 32, 16), 0);
    CHECK(mine[0] == 16 && mine[7] == 23 && mine[8] == 0);
    put8(&a, 32, 99);
    ANSWERS(ask(6, &a), EINVAL);
    put8(&a, 32, 8);
    put8(&a, 40, 0);
    ANSWERS(ask(6, &a), EINVAL);
    put8(&a, 40, 1);
    put8(&a, 8, BASE + 1024);
    put4(&a, 48, 4);
    ANSWERS(ask(6, &a), EOPNOTSUPP);
}

static void copies_finish_later(void)
{
    unsigned char mine[512];
    struct argument a = device_argument(0);
    memset(mine, 6, sizeof(mine));
    put8(&a, 0, BASE);
    put8(&a, 8, (uintptr_t)mine);
    put8(&a, 16, sizeof(mine));
    ANSWERS(ask(7, &a), 0);
    CHECK(get8(&a, 32) == 0);
    ANSWERS(ask(8, &a), 0);
    CHECK(get8(&a, 32) == 0x5a5a5a5a);
    ANSWERS(ask(8, &a), EINVAL);
    CHECK(holds(BASE, sizeof(mine), 6));
    put8(&a, 8, BASE + 4096); /* within one side there are none of these */
    ANSWERS(ask(7, &a), EINVAL);
}

static void batches_go_one_way(void)
{
    unsigned char mine[256];
    uint64_t to[2] = {BASE, BASE + 128};
    uint64_t from[2] = {(uintptr_t)mine, (uintptr_t)mine + 128};
    uint64_t sizes[2] = {128, 128};
    struct argument a = device_argument(0);
    memset(mine, 8, sizeof(mine));
    put8(&a, 0, (uintptr_t)to);
    put8(&a, 8, (uintptr_t)from);
    put8(&a, 16, (uintptr_t)sizes);
    ANSWERS(tell(65, &a), EINVAL);
    put4(&a, 24, 5000);
    ANSWERS(tell(65, &a), EOPNOTSUPP);
    put4(&a, 24, 2);
    ANSWERS(tell(65, &a), 0);
    CHECK(holds(BASE, 256, 8));
    to[1] = (uintptr_t)mine;
    from[1] = BASE;
    ANSWERS(tell(65, &a), EINVAL);
}

static void memory_is_set(void)
{
    struct argument a = device_argument(0);
    put8(&a, 0, BASE);
    put8(&a, 8, 0x21);
    put8(&a, 16, 4096);
    ANSWERS(ask(15, &a), 0);
    CHECK(get4(&a, 24) == 0 && holds(BASE, 4096, 0x21));
    put8(&a, 0, HOST_BASE);
    ANSWERS(ask(15, &a), 0);
    CHECK(get4(&a, 24) == 1);
    put8(&a, 0, BASE + 5 * GIB);
    ANSWERS(ask(15, &a), EADDRNOTAVAIL);
    put8(&a, 0, BASE);
    put8(&a, 16, 4 * GIB);
    ANSWERS(ask(15, &a), EINVAL);
}

static void copies_are_prepared(void)
{
    unsigned char mine[256];
    struct argument a = device_argument(0);
    memset(mine, 12, sizeof(mine));
    put8(&a, 0, (uintptr_t)mine);
    put8(&a, 8, BASE);
    put8(&a, 16, 256);
    put8(&a, 24, 256);
    put8(&a, 32, 256);
    put4(&a, 56, DEVICE_TO_HOST);
    ANSWERS(ask(11, &a), EINVAL);
    put4(&a, 56, TO_BE_FOUND);
    ANSWERS(ask(11, &a), 0);
    struct argument b = device_argument(0);
    memcpy(b.bytes + 16, a.bytes + 16 + 64, 40);
    ANSWERS(tell(9, &b), 0);
    ANSWERS(tell(10, &b), 0);
    CHECK(holds(BASE, 256, 12));
    struct argument c = device_argument(0);
    memcpy(c.bytes + 16 + 56, a.bytes + 16 + 64, 40);
    ANSWERS(tell(12, &c), 0);
    ANSWERS(tell(12, &c), EINVAL);
    ANSWERS(tell(9, &b), EINVAL);
    put8(&a, 32, 0);
    ANSWERS(ask(11, &a), EINVAL);
    put8(&a, 32, 256);
    put8(&a, 0, BASE + MIB);
    ANSWERS(ask(11, &a), EINVAL);
}

static void pages_move_with_their_bytes(void)
{
    volatile unsigned char *bytes = (volatile unsigned char *)(uintptr_t)SVM_BASE;
    struct argument a = device_argument(0);
    uint64_t before = free_on(0);
    ANSWERS(heap(0, CHUNK, SUB_SVM, SVM_BASE, GIB, 0), 0);
    ANSWERS(allocate(SVM_BASE, 8192), 0);
    put8(&a, 0, SVM_BASE);
    put8(&a, 8, 8192);
    ANSWERS(copy(BASE, SVM_BASE, 16), EINVAL); /* nobody touched the source */
    ANSWERS(tell(14, &a), EINVAL);
    bytes[0] = 31;
    bytes[4096] = 32;
    ANSWERS(tell(14, &a), 0);
    CHECK(free_on(0) == before - 8192);
    ANSWERS(copy(BASE, SVM_BASE, 8192), 0);
    CHECK(holds(BASE, 1, 31) && holds(BASE + 4096, 1, 32));
    CHECK(bytes[4096] == 32);
    CHECK(free_on(0) == before - 4096);
    ANSWERS(release(SVM_BASE), 0);
    CHECK(free_on(0) == before);
}

static void queries_tell_what_is_there(void)
{
    struct argument a = device_argument(0);
    uint64_t addresses[2] = {BASE, BASE + 4096};
    put8(&a, 0, BASE);
    ANSWERS(ask(17, &a), 0);
    CHECK(get8(&a, 8) != 0 && get4(&a, 16) == 1);
    put8(&a, 0, HOST_BASE);
    ANSWERS(ask(17, &a), EINVAL);
    a = device_argument(0);
    put4(&a, 0, 99);
    ANSWERS(ask(47, &a), EINVAL);
    a = device_argument(1);
    ANSWERS(ask(47, &a), ESRCH);
    a = device_argument(0);
    ANSWERS(tell(48, &a), EINVAL);
    put8(&a, 0, (uintptr_t)addresses);
    put4(&a, 8, 2);
    put4(&a, 12, 1 << SUB_DEVICE);
    ANSWERS(tell(48, &a), 0);
    put4(&a, 12, 1 << SUB_SVM);
    ANSWERS(tell(48, &a), EFAULT);
    put4(&a, 8, 1025);
    ANSWERS(tell(48, &a), EINVAL);
    a = device_argument(0);
    put4(&a, 0, 99);
    ANSWERS(ask(77, &a), EINVAL);
    put4(&a, 0, 0);
    ANSWERS(ask(77, &a), 0);
    a = device_argument(0);
    ANSWERS(tell(62, &a), EINVAL);
    put4(&a, 0, 1);
    put8(&a, 8, BASE);
    put8(&a, 16, 4096);
    ANSWERS(tell(62, &a), 0);
    put8(&a, 8, HOST_BASE);
    ANSWERS(tell(62, &a), EINVAL);
    a = device_argument(0);
    ANSWERS(ask(49, &a), EOPNOTSUPP);
}

int main(void)
{
    CHECK(begin_process() == 0);
    ANSWERS(open_device(0), 0);
    heaps_are_checked();
    pages_are_allocated_and_freed();
    a_full_device_refuses();
    the_cpu_cannot_touch_device_memory();
    host_memory_is_pinned();
    copies_are_checked();
    rows_are_copied();
    copies_finish_later();
    batches_go_one_way();
    memory_is_set();
    copies_are_prepared();
    pages_move_with_their_bytes();
    queries_tell_what_is_there();
    return finish();
}
