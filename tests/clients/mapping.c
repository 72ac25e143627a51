/* mapping.c - physical memory bound to reserved addresses: aliases, access, and what is refused. */
#include "handles.h"

#define BASE NORMAL_START
#define SIZE (4 * MIB)

static void creation_is_checked(void)
{
    struct made made;
    struct argument a = device_argument(0);
    ANSWERS(create(&made, 0, 0, 1), EINVAL);
    ANSWERS(create(&made, MIB, 0, 1), EINVAL);
    ANSWERS(create(&made, 2 * MIB, 0, 3), EINVAL);
    ANSWERS(create(&made, 2 * MIB, 1, 1), ESRCH);
    ANSWERS(create(&made, 64 * GIB, 0, 1), ENOMEM);
    put8(&a, 8, 2 * MIB);
    put8(&a, 16, 1);
    put4(&a, 24, SIDE_DEVICE);
    put4(&a, 32, 1);
    ANSWERS(ask(50, &a), EINVAL);
    put8(&a, 16, 0);
    put4(&a, 24, 3);
    ANSWERS(ask(50, &a), EINVAL);
    put4(&a, 24, SIDE_HOST);
    ANSWERS(ask(50, &a), EINVAL);
    a = device_argument(HOST);
    put8(&a, 8, 2 * MIB);
    put4(&a, 24, SIDE_NUMA);
    put4(&a, 4, 9);
    ANSWERS(ask(50, &a), EINVAL);
    ANSWERS(create(&made, GIB + 2 * MIB, HOST, 2), EINVAL);
}

static void memory_is_charged_while_it_is_held(void)
{
    struct made made;
    uint64_t before = free_on(0);
    ANSWERS(create(&made, SIZE, 0, 1), 0);
    CHECK(made.pages == 2);
    CHECK(free_on(0) == before - SIZE);
    made.side = SIDE_HOST;
    ANSWERS(forget(&made), EINVAL);
    made.side = SIDE_DEVICE;
    ANSWERS(forget(&made), 0);
    ANSWERS(forget(&made), EINVAL);
    CHECK(free_on(0) == before);
}

static void binding_is_checked(const struct made *made)
{
    struct made wrong = *made;
    ANSWERS(bind(BASE + 100 * GIB, SIZE, made), EINVAL);
    ANSWERS(bind(BASE, 0, made), EINVAL);
    ANSWERS(bind(BASE + 4096, SIZE, made), EINVAL);
    ANSWERS(bind(BASE, SIZE + 4096, made), EINVAL);
    ANSWERS(bind(BASE, 2 * GIB, made), EINVAL);
    ANSWERS(bind(BASE + 60 * MIB, 8 * MIB, made), EINVAL);
    wrong.id = 77;
    ANSWERS(bind(BASE, SIZE, &wrong), EINVAL);
    wrong = *made;
    wrong.pages++;
    ANSWERS(bind(BASE, SIZE, &wrong), EINVAL);
    wrong = *made;
    wrong.side = 2;
    ANSWERS(bind(BASE, SIZE, &wrong), EINVAL);
}

static void bindings_show_the_same_bytes(void)
{
    struct made made;
    ANSWERS(create(&made, SIZE, 0, 1), 0);
    ANSWERS(reserve(BASE, 64 * MIB), 0);
    binding_is_checked(&made);
    ANSWERS(put_bytes(BASE, 16, 1), EINVAL);
    ANSWERS(bind(BASE, SIZE, &made), 0);
    ANSWERS(bind(BASE + 2 * MIB, SIZE, &made), EADDRINUSE);
    ANSWERS(bind(BASE + 8 * MIB, SIZE, &made), 0);
    ANSWERS(put_bytes(BASE + 4096, 4096, 55), 0);
    CHECK(holds(BASE + 8 * MIB + 4096, 4096, 55));
    ANSWERS(forget(&made), EBUSY);
    ANSWERS(release(BASE), EBUSY);
    ANSWERS(heap(1, HUGE, SUB_RESERVE, BASE, GIB, 0), EBUSY);
    struct argument a = device_argument(0);
    put8(&a, 0, BASE);
    put8(&a, 8, SIZE);
    ANSWERS(ask(0, &a), 0);
    CHECK(get4(&a, 16) == 0 && get4(&a, 20) == 1);
    put8(&a, 8, SIZE / 2);
    ANSWERS(ask(0, &a), EINVAL);
    a = device_argument(0);
    put8(&a, 0, BASE + 4096);
    ANSWERS(ask(63, &a), 0);
    CHECK(get8(&a, 8) == BASE && get8(&a, 16) == BASE + SIZE - 1);
    put8(&a, 0, BASE + 32 * MIB);
    ANSWERS(ask(63, &a), EINVAL);
    ANSWERS(unbind(BASE + 2 * MIB), EINVAL);
    ANSWERS(unbind(BASE), 0);
    ANSWERS(unbind(BASE), EINVAL);
    CHECK(holds(BASE + 8 * MIB + 4096, 4096, 55));
    ANSWERS(unbind(BASE + 8 * MIB), 0);
    ANSWERS(forget(&made), 0);
}

static int reads(uint64_t at)
{
    volatile unsigned char *place = (volatile unsigned char *)(uintptr_t)at;
    return *place == 0 ? 0 : 0;
}

static void access_is_given_once(void)
{
    struct made made;
    ANSWERS(create(&made, SIZE, 0, 1), 0);
    ANSWERS(bind(BASE, SIZE, &made), 0);
    ANSWERS(set_access(BASE, SIZE, 0, 7), EINVAL);
    ANSWERS(set_access(BASE, 2 * MIB, 0, READ), EINVAL);
    ANSWERS(set_access(BASE, SIZE, 0, READ_WRITE), 0);
    ANSWERS(set_access(BASE, SIZE, 0, READ_WRITE), 0);
    ANSWERS(set_access(BASE, SIZE, HOST, READ_WRITE), 0);
    ANSWERS(set_access(BASE, SIZE, HOST, READ_WRITE), EEXIST);
    struct argument a = device_argument(0);
    put8(&a, 0, BASE + 4096);
    put4(&a, 16, HOST);
    ANSWERS(ask(2, &a), 0);
    CHECK(get8(&a, 8) == SIZE && get4(&a, 20) == READ_WRITE);
    a = device_argument(0);
    put8(&a, 0, BASE + 32 * MIB);
    ANSWERS(ask(2, &a), EINVAL);
    volatile unsigned char *bytes = (volatile unsigned char *)(uintptr_t)BASE;
    bytes[3] = 44;
    CHECK(holds(BASE + 3, 1, 44));
    ANSWERS(put_bytes(BASE + 9, 1, 45), 0);
    CHECK(bytes[9] == 45);
    ANSWERS(unbind(BASE), 0);
    CHECK(!survives(reads, BASE));
    ANSWERS(forget(&made), 0);
}

static void host_memory_is_bound_as_well(void)
{
    struct made made;
    struct made device;
    uint64_t at = BASE + 4 * GIB;
    ANSWERS(create(&made, SIZE, HOST, 1), 0);
    ANSWERS(reserve(at, 64 * MIB), 0);
    ANSWERS(bind(at, SIZE, &made), 0);
    ANSWERS(bind(at + 8 * MIB, SIZE, &made), 0);
    volatile unsigned char *bytes = (volatile unsigned char *)(uintptr_t)at;
    bytes[5] = 7;
    CHECK(bytes[8 * MIB + 5] == 7);
    ANSWERS(set_access(at, SIZE, 0, READ_WRITE), EOPNOTSUPP);
    ANSWERS(create(&device, SIZE, 0, 1), 0);
    ANSWERS(bind(at + 16 * MIB, SIZE, &device), EINVAL); /* the place belongs to the host now */
    ANSWERS(forget(&device), 0);
    ANSWERS(unbind(at), 0);
    ANSWERS(unbind(at + 8 * MIB), 0);
    ANSWERS(forget(&made), 0);
    ANSWERS(release(at), 0);
    ANSWERS(heap(1, HUGE, SUB_RESERVE, at, GIB, 0), 0);
}

static void closing_a_device_takes_its_memory(void)
{
    struct made made;
    uint64_t before = free_on(0);
    ANSWERS(create(&made, SIZE, 0, 1), 0);
    ANSWERS(bind(BASE, SIZE, &made), 0);
    ANSWERS(close_device(0), 0);
    ANSWERS(open_device(0), 0);
    CHECK(free_on(0) == before);
    ANSWERS(unbind(BASE), EINVAL);
    ANSWERS(forget(&made), EINVAL);
    ANSWERS(release(BASE), 0);
}

int main(void)
{
    CHECK(begin_process() == 0);
    ANSWERS(open_device(0), 0);
    creation_is_checked();
    memory_is_charged_while_it_is_held();
    bindings_show_the_same_bytes();
    access_is_given_once();
    host_memory_is_bound_as_well();
    closing_a_device_takes_its_memory();
    return finish();
}
