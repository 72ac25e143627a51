/* managed.c - memory that moves by itself: touching, advising, prefetching, copying, swapping. */
#include "managed.h"

static void allocation_is_checked(void)
{
    ANSWERS(manage(NORMAL_START, PAGE), EADDRNOTAVAIL);
    ANSWERS(manage(BASE, 0), EADDRNOTAVAIL);
    ANSWERS(manage(BASE + 4096, PAGE), EINVAL);
    ANSWERS(manage(BASE, 4 * TIB), EADDRNOTAVAIL);
    ANSWERS(manage(BASE, 4 * PAGE), 0);
    ANSWERS(manage(BASE + PAGE, PAGE), EINVAL);
    ANSWERS(release(BASE + PAGE), EINVAL);
    ANSWERS(release(BASE + 1), EADDRNOTAVAIL);
    ANSWERS(release(BASE), 0);
    ANSWERS(release(BASE), EINVAL);
    ANSWERS(manage(BASE, 4 * PAGE), 0);
}

static void pages_follow_who_uses_them(void)
{
    uint64_t before = free_on(0);
    unsigned char mine[64];
    ANSWERS(managed_copy((uintptr_t)mine, BASE, 64), EFAULT); /* nobody touched it */
    bytes_at(BASE)[7] = 5;
    ANSWERS(managed_copy((uintptr_t)mine, BASE, 64), 0);
    CHECK(mine[7] == 5);
    ANSWERS(prefetch(BASE, PAGE, ON_DEVICE, 0), 0);
    CHECK(free_on(0) == before - PAGE);
    memset(mine, 6, sizeof(mine));
    ANSWERS(managed_copy(BASE + 64, (uintptr_t)mine, 64), 0);
    CHECK(free_on(0) == before - PAGE);
    CHECK(bytes_at(BASE)[7] == 5 && bytes_at(BASE)[64] == 6);
    CHECK(free_on(0) == before);
    ANSWERS(prefetch(BASE, PAGE, ON_HOST, 0), EOPNOTSUPP); /* it is there */
    ANSWERS(prefetch(BASE, PAGE, ON_DEVICE, 1), 0);
    ANSWERS(prefetch(BASE, PAGE, ON_DEVICE, 0), 0);
    CHECK(free_on(0) == before - PAGE);
    ANSWERS(prefetch(BASE, PAGE, ON_HOST, 0), 0);
    CHECK(free_on(0) == before);
    ANSWERS(prefetch(BASE, PAGE, ON_DEVICE, 9), EINVAL);
    CHECK(bytes_at(BASE)[7] == 5);
    ANSWERS(prefetch(BASE, PAGE, ON_NUMA, 0), 0);
    ANSWERS(prefetch(BASE, PAGE, ON_NUMA, 7), EINVAL);
    ANSWERS(prefetch(BASE, PAGE, NOWHERE, 0), EOPNOTSUPP);
    ANSWERS(prefetch(BASE + 8 * PAGE, PAGE, ON_DEVICE, 0), EINVAL);
    ANSWERS(prefetch(NORMAL_START, PAGE, ON_DEVICE, 0), EADDRNOTAVAIL);
}

static void pages_are_filled_where_they_are(void)
{
    struct argument a = device_argument(0);
    put8(&a, 0, BASE + PAGE - 16);
    put8(&a, 8, 0x77);
    put8(&a, 16, 32);
    ANSWERS(ask(15, &a), 0);
    CHECK(get4(&a, 24) == 0);
    CHECK(bytes_at(BASE + PAGE)[-1] == 0x77 && bytes_at(BASE + PAGE)[15] == 0x77);
    put8(&a, 0, BASE + 8 * PAGE);
    ANSWERS(ask(15, &a), EINVAL);
}

static void copies_of_read_mostly_pages_end_with_a_write(void)
{
    uint64_t before[2] = {free_on(0), free_on(1)};
    ANSWERS(wish(BASE, PAGE, READ_MOSTLY, NOWHERE, 0), 0);
    CHECK(value_of(BASE, PAGE, 1) == 1);
    CHECK(value_of(BASE, 2 * PAGE, 1) == 0);
    ANSWERS(prefetch(BASE, PAGE, ON_DEVICE, 0), 0);
    ANSWERS(prefetch(BASE, PAGE, ON_DEVICE, 1), 0);
    CHECK(free_on(0) == before[0] - PAGE && free_on(1) == before[1] - PAGE);
    CHECK(bytes_at(BASE)[7] == 5);
    CHECK(free_on(0) == before[0] - PAGE);
    bytes_at(BASE)[7] = 9;
    CHECK(value_of(BASE, PAGE, 1) == 0);
    CHECK(free_on(0) == before[0] && free_on(1) == before[1]);
    ANSWERS(wish(BASE, PAGE, READ_MOSTLY, NOWHERE, 0), 0);
    ANSWERS(prefetch(BASE, PAGE, ON_DEVICE, 0), 0);
    ANSWERS(wish(BASE, PAGE, UNSET_READ_MOSTLY, ON_DEVICE, 0), 0);
    CHECK(free_on(0) == before[0] - PAGE);
    CHECK(bytes_at(BASE)[7] == 9);
}

static void wishes_are_told(void)
{
    int32_t list[3] = {7, 7, 7};
    CHECK(value_of(BASE, PAGE, 2) == -2);
    CHECK(value_of(BASE, PAGE, 4) == 0);
    CHECK(value_of(BASE, PAGE, 5) == -2);
    ANSWERS(wish(BASE, 2 * PAGE, PREFER, ON_DEVICE, 1), 0);
    CHECK(value_of(BASE, 2 * PAGE, 2) == 1);
    CHECK(value_of(BASE, 3 * PAGE, 2) == -2);
    ANSWERS(wish(BASE + PAGE, PAGE, PREFER, ON_DEVICE, 0), 0);
    CHECK(value_of(BASE, 2 * PAGE, 2) == -2);
    CHECK(value_of(BASE, PAGE, 4) == ON_DEVICE && value_of(BASE, PAGE, 5) == 1);
    ANSWERS(wish(BASE, PAGE, PREFER, ON_HOST, 0), 0);
    CHECK(value_of(BASE, PAGE, 2) == -1 && value_of(BASE, PAGE, 5) == -2);
    ANSWERS(wish(BASE, PAGE, UNSET_PREFER, NOWHERE, 0), 0);
    CHECK(value_of(BASE, PAGE, 2) == -2);
    ANSWERS(wish(BASE, PAGE, ACCESS_BY, ON_DEVICE, 1), 0);
    ANSWERS(wish(BASE, PAGE, ACCESS_BY, ON_HOST, 0), 0);
    ANSWERS(attribute(BASE, PAGE, 3, list, sizeof(list)), 0);
    CHECK(list[0] == 1 && list[1] == -1 && list[2] == -2);
    ANSWERS(wish(BASE, PAGE, UNSET_ACCESS_BY, ON_DEVICE, 1), 0);
    ANSWERS(attribute(BASE, PAGE, 3, list, sizeof(list)), 0);
    CHECK(list[0] == -1);
    ANSWERS(prefetch(BASE, PAGE, ON_DEVICE, 0), 0);
    CHECK(value_of(BASE, PAGE, 6) == 0 && value_of(BASE, PAGE, 7) == ON_DEVICE);
    ANSWERS(wish(BASE, PAGE, PREFER, NOWHERE, 0), EINVAL);
    ANSWERS(wish(BASE, PAGE, PREFER, ON_DEVICE, 64), EINVAL);
    ANSWERS(wish(BASE, PAGE, PREFER, ON_DEVICE, 65), EINVAL);
    ANSWERS(wish(BASE, PAGE, UNSET_READ_MOSTLY, 9, 0), EINVAL);
    ANSWERS(wish(BASE, PAGE, ACCESS_BY, ON_NUMA, 0), EINVAL);
    ANSWERS(wish(BASE, PAGE, 6, ON_DEVICE, 0), EINVAL);
    ANSWERS(wish(NORMAL_START, PAGE, PREFER, ON_DEVICE, 0), EADDRNOTAVAIL);
    ANSWERS(wish(BASE, 4 * TIB, PREFER, ON_DEVICE, 0), EFAULT);
    ANSWERS(wish(BASE + 8 * PAGE, PAGE, PREFER, ON_DEVICE, 0), EINVAL);
    ANSWERS(attribute(BASE, PAGE, 9, list, 4), EINVAL);
    ANSWERS(attribute(BASE, PAGE, 1, (int32_t *)16, 4), EFAULT);
    ANSWERS(attribute(BASE + 8 * PAGE, PAGE, 1, list, 4), EINVAL);
}

static void batches_are_prefetched(void)
{
    struct {
        uint32_t type, id;
    } locations[2] = {{ON_DEVICE, 0}, {ON_DEVICE, 1}};
    uint64_t at[3] = {BASE, BASE + PAGE, BASE + 2 * PAGE};
    uint64_t sizes[3] = {PAGE, PAGE, PAGE};
    uint64_t first[2] = {0, 2};
    uint64_t before[2];
    struct argument a = device_argument(0);
    for (int i = 0; i < 3; i++) {
        bytes_at(at[i])[0] = (unsigned char)(40 + i);
    }
    before[0] = free_on(0);
    before[1] = free_on(1);
    put8(&a, 0, (uintptr_t)at);
    put8(&a, 8, (uintptr_t)sizes);
    put8(&a, 16, 3);
    put8(&a, 24, (uintptr_t)locations);
    put8(&a, 32, (uintptr_t)first);
    put8(&a, 40, 2);
    ANSWERS(tell(76, &a), 0);
    CHECK(free_on(0) == before[0] - 2 * PAGE && free_on(1) == before[1] - PAGE);
    for (int i = 0; i < 3; i++) {
        CHECK(bytes_at(at[i])[0] == 40 + i);
    }
    put8(&a, 16, 5000);
    ANSWERS(tell(76, &a), EINVAL);
    put8(&a, 16, 3);
    put8(&a, 40, 65);
    ANSWERS(tell(76, &a), EINVAL);
    put8(&a, 40, 2);
    put8(&a, 0, 16);
    ANSWERS(tell(76, &a), EFAULT);
}

static void a_full_device_sends_pages_away(void)
{
    uint64_t left = free_on(0);
    uint64_t size = left / (2 * PAGE) * PAGE;
    uint64_t big = UVM_START + TIB;
    ANSWERS(manage(big, size), 0);
    for (uint64_t at = big; at < big + size; at += PAGE) {
        bytes_at(at)[0] = (unsigned char)(at / PAGE);
    }
    ANSWERS(prefetch(big, size, ON_DEVICE, 0), 0);
    CHECK(free_on(0) == left - size);
    ANSWERS(heap(0, HUGE, SUB_DEVICE, DEVICE_BLOCK, 4 * GIB, 0), 0);
    ANSWERS(allocate(DEVICE_BLOCK, left), 0);
    ANSWERS(advise(DEVICE_BLOCK, left, POPULATE, 0), 0);
    CHECK(free_on(0) == 0);
    int right = 1;
    for (uint64_t at = big; at < big + size; at += PAGE) {
        right = right && bytes_at(at)[0] == (unsigned char)(at / PAGE);
    }
    CHECK(right);
    ANSWERS(release(DEVICE_BLOCK), 0);
    ANSWERS(release(big), 0);
    CHECK(free_on(0) == left);
}

static int reads(uint64_t at)
{
    return bytes_at(at)[0] == 0 ? 0 : 0;
}

static void freed_pages_are_gone(void)
{
    ANSWERS(release(BASE), 0);
    CHECK(!survives(reads, BASE));
    ANSWERS(manage(BASE, PAGE), 0);
    CHECK(bytes_at(BASE)[7] == 0);
    ANSWERS(release(BASE), 0);
}

int main(void)
{
    CHECK(begin_process() == 0);
    ANSWERS(open_device(0), 0);
    ANSWERS(open_device(1), 0);
    allocation_is_checked();
    pages_follow_who_uses_them();
    pages_are_filled_where_they_are();
    copies_of_read_mostly_pages_end_with_a_write();
    wishes_are_told();
    batches_are_prefetched();
    a_full_device_sends_pages_away();
    freed_pages_are_gone();
    return finish();
}
