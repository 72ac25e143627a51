/* mistakes.c - the mistakes of the public kernel modules, where they are wished for.
 *
 * To be run with KERNELSIM_FAULT=mistakes. What the kernel says without is in the other programs. */
#include "managed.h"

#define SVM_BASE (NORMAL_START + 64 * GIB)

static void a_page_is_lost_on_its_way_to_a_closed_device(void)
{
    bytes_at(BASE)[7] = 5;
    ANSWERS(prefetch(BASE, PAGE, ON_DEVICE, 9), 0);
    CHECK(bytes_at(BASE)[7] == 0);
    bytes_at(BASE)[7] = 5;
    ANSWERS(wish(BASE, PAGE, READ_MOSTLY, NOWHERE, 0), 0);
    ANSWERS(prefetch(BASE, PAGE, ON_DEVICE, 9), 0);
    CHECK(bytes_at(BASE)[7] == 5); /* the host keeps the page; the copy is not there */
    ANSWERS(wish(BASE, PAGE, UNSET_READ_MOSTLY, ON_HOST, 0), 0);
}

static void pages_before_one_that_cannot_be_sent_stay(void)
{
    bytes_at(BASE + PAGE)[7] = 5;
    ANSWERS(prefetch(BASE + PAGE, 2 * PAGE, ON_DEVICE, 9), 0); /* the second was never touched */
    CHECK(bytes_at(BASE + PAGE)[7] == 5);
    bytes_at(BASE + 3 * PAGE)[7] = 5;
    ANSWERS(prefetch(BASE + 3 * PAGE, 2 * PAGE, ON_DEVICE, 9), EINVAL);
    CHECK(bytes_at(BASE + 3 * PAGE)[7] == 5);
    ANSWERS(prefetch(BASE + 3 * PAGE, PAGE, ON_DEVICE, 9), 0);
    CHECK(bytes_at(BASE + 3 * PAGE)[7] == 0);
}

static void nothing_is_copied_between_devices(void)
{
    bytes_at(BASE)[7] = 5;
    bytes_at(BASE + PAGE)[7] = 6;
    ANSWERS(prefetch(BASE, PAGE, ON_DEVICE, 0), 0);
    ANSWERS(prefetch(BASE + PAGE, PAGE, ON_DEVICE, 1), 0);
    ANSWERS(managed_copy(BASE + PAGE, BASE, 64), 0);
    CHECK(bytes_at(BASE + PAGE)[7] == 6);
    ANSWERS(managed_copy(BASE + PAGE, BASE, 64), 0);
    CHECK(bytes_at(BASE + PAGE)[7] == 5); /* one of them is on the host */
}

static void nodes_are_counted_from_one(void)
{
    bytes_at(BASE)[7] = 5;
    ANSWERS(prefetch(BASE, PAGE, ON_NUMA, 0), EINVAL);
    CHECK(bytes_at(BASE)[7] == 5);
}

static void what_is_no_device_is_taken_for_one(void)
{
    ANSWERS(wish(BASE, PAGE, PREFER, ON_DEVICE, 65), EINVAL);
    ANSWERS(wish(BASE, PAGE, PREFER, ON_DEVICE, 64), 0); /* the number of the host */
    CHECK(value_of(BASE, PAGE, 2) == -1);
    ANSWERS(wish(BASE, PAGE, UNSET_PREFER, NOWHERE, 0), 0);
    ANSWERS(wish(BASE, PAGE, READ_MOSTLY, NOWHERE, 0), 0);
    ANSWERS(wish(BASE, PAGE, UNSET_READ_MOSTLY, ON_DEVICE, 64), EINVAL);
    uint64_t before = free_on(1);
    ANSWERS(wish(BASE, PAGE, UNSET_READ_MOSTLY, 9, 1), 0);
    CHECK(free_on(1) == before - PAGE);
}

static void a_mark_is_told_for_different_devices(void)
{
    ANSWERS(wish(BASE, PAGE, PREFER, ON_DEVICE, 0), 0);
    ANSWERS(wish(BASE + PAGE, PAGE, PREFER, ON_DEVICE, 1), 0);
    CHECK(value_of(BASE, 2 * PAGE, 2) == 127);
    CHECK(value_of(BASE, 2 * PAGE, 5) == -2);
    ANSWERS(wish(BASE + PAGE, PAGE, PREFER, ON_HOST, 0), 0);
    CHECK(value_of(BASE, 2 * PAGE, 2) == -2);
}

static void an_answer_that_nobody_can_read_is_given(void)
{
    ANSWERS(attribute(BASE, PAGE, 1, (int32_t *)16, 4), 0);
}

static void pages_that_nobody_touched_are_prefetched(void)
{
    uint64_t before = free_on(0);
    struct argument a = device_argument(0);
    ANSWERS(heap(0, CHUNK, SUB_SVM, SVM_BASE, GIB, 0), 0);
    ANSWERS(allocate(SVM_BASE, 8192), 0);
    put8(&a, 0, SVM_BASE);
    put8(&a, 8, 8192);
    ANSWERS(tell(14, &a), 0);
    CHECK(free_on(0) == before - 8192);
}

int main(void)
{
    CHECK(begin_process() == 0);
    ANSWERS(open_device(0), 0);
    ANSWERS(open_device(1), 0);
    ANSWERS(manage(BASE, 4 * PAGE), 0);
    a_page_is_lost_on_its_way_to_a_closed_device();
    pages_before_one_that_cannot_be_sent_stay();
    nothing_is_copied_between_devices();
    nodes_are_counted_from_one();
    what_is_no_device_is_taken_for_one();
    a_mark_is_told_for_different_devices();
    an_answer_that_nobody_can_read_is_given();
    pages_that_nobody_touched_are_prefetched();
    return finish();
}
