/* pools.c - pools with stream order: codes, counters, and that a block reaches nobody before its release. */
#include "harness.h"

static void *gate;

static aclrtMemPool new_pool(size_t size)
{
    aclrtMemPoolProps props;
    aclrtMemPool pool = NULL;
    memset(&props, 0, sizeof(props));
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    props.maxSize = size;
    NEED(aclrtMemPoolCreate(&pool, &props));
    return pool;
}

static void set_switch(aclrtMemPool pool, aclrtMemPoolAttr attr)
{
    uint32_t on = 1;
    NEED(aclrtMemPoolSetAttr(pool, attr, &on));
}

static uint64_t get(aclrtMemPool pool, aclrtMemPoolAttr attr)
{
    uint64_t value = 0xa5;
    CHECK_CODE(aclrtMemPoolGetAttr(pool, attr, &value), 0);
    return value;
}

static void test_creation(void)
{
    aclrtMemPoolProps props;
    aclrtMemPool pool = NULL;
    memset(&props, 0, sizeof(props));
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    props.maxSize = PAGE;
    CHECK_CODE(aclrtMemPoolCreate(NULL, &props), 100000);
    CHECK_CODE(aclrtMemPoolCreate(&pool, NULL), 100000);
    props.reserved[31] = 1;
    CHECK_CODE(aclrtMemPoolCreate(&pool, &props), 100000);
    props.reserved[31] = 0;
    props.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    CHECK_CODE(aclrtMemPoolCreate(&pool, &props), 100000);
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    props.location.id = 9;
    CHECK_CODE(aclrtMemPoolCreate(&pool, &props), 107001);
    props.location.id = 0;
    props.maxSize = 257 * MIB;
    CHECK_CODE(aclrtMemPoolCreate(&pool, &props), 107000);
    props.maxSize = 1;
    CHECK_CODE(aclrtMemPoolCreate(&pool, &props), 0); /* rounded up to a page */
    aclrtStream stream = new_stream();
    void *block = NULL;
    CHECK_CODE(aclrtMemPoolMallocAsync(&block, PAGE, pool, stream), 0);
    CHECK_CODE(aclrtMemPoolDestroy(pool), 0);
    CHECK_CODE(aclrtMemPoolDestroy(pool), 507000);
    CHECK_CODE(aclrtMemPoolDestroy(NULL), 100000);
    NEED(aclrtSynchronizeStream(stream) == 0 ? 0 : 0);
    NEED(aclrtDestroyStream(stream));
    pool = new_pool(0); /* all the memory that there is */
    CHECK_CODE(aclrtMemPoolDestroy(pool), 0);
}

static void test_exhaustion_and_identity(void)
{
    aclrtMemPool pool = new_pool(2 * PAGE);
    aclrtStream stream = new_stream();
    void *block[3] = {NULL, NULL, (void *)77};
    char local = 0;
    CHECK_CODE(aclrtMemPoolMallocAsync(NULL, 1, pool, stream), 100000);
    CHECK_CODE(aclrtMemPoolMallocAsync(&block[0], 1, NULL, stream), 100000);
    CHECK_CODE(aclrtMemPoolMallocAsync(&block[0], 1, pool, NULL), 100000);
    CHECK_CODE(aclrtMemPoolMallocAsync(&block[2], 0, pool, stream), 0);
    CHECK(block[2] == (void *)77);
    CHECK_CODE(aclrtMemPoolMallocAsync(&block[0], 1, pool, &local), 107017);
    CHECK_CODE(aclrtMemPoolMallocAsync(&block[0], SIZE_MAX, pool, stream), 107000);
    CHECK_CODE(aclrtMemPoolMallocAsync(&block[0], 1, &local, stream), 507000);
    CHECK_CODE(aclrtMemPoolMallocAsync(&block[0], 1, pool, stream), 0);
    CHECK_CODE(aclrtMemPoolMallocAsync(&block[1], PAGE, pool, stream), 0);
    CHECK_CODE(aclrtMemPoolMallocAsync(&block[2], 1, pool, stream), 507000);
    CHECK(block[2] == (void *)77);
    CHECK(address_of(block[0]) % PAGE == 0 && address_of(block[1]) % PAGE == 0 && block[0] != block[1]);
    CHECK_CODE(aclrtMemPoolFreeAsync(NULL, stream), 100000);
    CHECK_CODE(aclrtMemPoolFreeAsync(block[0], &local), 107017);
    CHECK_CODE(aclrtMemPoolFreeAsync(block[0], NULL), 507000);
    CHECK_CODE(aclrtMemPoolFreeAsync((char *)block[0] + 4096, stream), 107000);
    CHECK_CODE(aclrtMemPoolFreeAsync(block[0], stream), 0);
    CHECK_CODE(aclrtMemPoolFreeAsync(block[0], stream), 107000);
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    CHECK(get(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT) == PAGE);
    /* Ordinary memory may be freed this way too. */
    void *ordinary = device_memory(64);
    CHECK_CODE(aclrtMemPoolFreeAsync(ordinary, stream), 0);
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    CHECK(aclrtFree(ordinary) != 0);
    /* A live block goes with its pool. */
    CHECK_CODE(aclrtMemPoolDestroy(pool), 0);
    CHECK_CODE(aclrtMemPoolFreeAsync(block[1], stream), 0);
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    CHECK_CODE(aclrtMemPoolMallocAsync(&block[0], 1, pool, stream), 507000);
    CHECK_CODE(aclrtMemPoolTrimTo(pool, 0), 507000);
    NEED(aclrtDestroyStream(stream));
}

static void test_attribute_matrix(void)
{
    aclrtMemPool pool = new_pool(4 * PAGE);
    uint64_t value = 0;
    uint32_t on = 7;
    CHECK_CODE(aclrtMemPoolSetAttr(NULL, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), 100000);
    CHECK_CODE(aclrtMemPoolGetAttr(NULL, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), 100000);
    CHECK_CODE(aclrtMemPoolSetAttr(&value, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, NULL), 107000);
    CHECK_CODE(aclrtMemPoolSetAttr(&value, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), 107000);
    CHECK_CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &value), 107000);
    CHECK_CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, &value), 107000);
    CHECK_CODE(aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)9, &value), is_950() ? 107000 : 507000);
    CHECK_CODE(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)9, &value), is_950() ? 107000 : 507000);
    for (int attr = 1; attr <= 3; attr++) {
        value = 0xaaaaaaaaaaaaaaaaULL;
        CHECK_CODE(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attr, &value), 0);
        CHECK(value == 0xaaaaaaaa00000000ULL);
        CHECK_CODE(aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)attr, &on), 0);
        CHECK_CODE(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attr, &value), 0);
        CHECK(value == 0xaaaaaaaa00000001ULL);
    }
    for (int attr = 4; attr <= 8; attr++) {
        CHECK(get(pool, (aclrtMemPoolAttr)attr) == 0);
    }
    value = 2 * PAGE;
    CHECK_CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), 0);
    CHECK(get(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD) == 2 * PAGE);
    value = 5;
    CHECK_CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &value), is_950() ? 107000 : 507000);
    CHECK_CODE(aclrtMemPoolDestroy(pool), 0);
    CHECK_CODE(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), 107000);
}

static void test_counters(void)
{
    aclrtMemPool pool = new_pool(8 * PAGE);
    aclrtStream stream = new_stream();
    void *block[3];
    uint64_t zero = 0;
    for (int i = 0; i < 3; i++) {
        NEED(aclrtMemPoolMallocAsync(&block[i], 2 * PAGE, pool, stream));
        for (int j = 0; j < i; j++) {
            CHECK((char *)block[i] >= (char *)block[j] + 2 * PAGE || (char *)block[j] >= (char *)block[i] + 2 * PAGE);
        }
    }
    NEED(aclrtSynchronizeStream(stream));
    CHECK(get(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT) == 6 * PAGE);
    CHECK(get(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT) == 6 * PAGE);
    NEED(aclrtMemPoolFreeAsync(block[0], stream));
    NEED(aclrtSynchronizeStream(stream));
    CHECK(get(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT) == 4 * PAGE);
    CHECK(get(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH) == 6 * PAGE);
    CHECK_CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &zero), 0);
    uint64_t mark = get(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH);
    CHECK(mark == 0 || mark == 4 * PAGE);
    NEED(aclrtMemPoolMallocAsync(&block[0], PAGE, pool, stream));
    NEED(aclrtSynchronizeStream(stream));
    CHECK(get(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH) == 5 * PAGE);
    CHECK_CODE(aclrtMemPoolDestroy(pool), 0);
    NEED(aclrtDestroyStream(stream));
}

static void test_threshold_and_trim(void)
{
    aclrtMemPool pool = new_pool(8 * PAGE);
    aclrtStream stream = new_stream();
    void *block[4];
    uint64_t threshold = 2 * PAGE;
    NEED(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &threshold));
    for (int i = 0; i < 4; i++) {
        NEED(aclrtMemPoolMallocAsync(&block[i], PAGE, pool, stream));
        NEED(aclrtMemsetAsync(block[i], PAGE, 0x30 + i, PAGE, stream));
    }
    for (int i = 1; i < 4; i++) {
        NEED(aclrtMemPoolFreeAsync(block[i], stream));
    }
    NEED(aclrtSynchronizeStream(stream));
    uint64_t reserved = get(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT);
    CHECK(reserved >= 2 * PAGE && reserved <= 4 * PAGE); /* a release is allowed, down to the threshold */
    CHECK_CODE(aclrtMemPoolTrimTo(NULL, 0), 100000);
    if (is_950()) {
        CHECK_CODE(aclrtMemPoolTrimTo(pool, 0), 207000);
    } else {
        CHECK_CODE(aclrtMemPoolTrimTo(pool, 4096), 507899);
        CHECK_CODE(aclrtMemPoolTrimTo(pool, 2 * PAGE), 0);
        CHECK(get(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT) == 2 * PAGE);
        aclError code = aclrtMemPoolTrimTo(pool, 0); /* less than what is used: both answers are legal */
        CHECK(code == 0 || code == 507000);
        uint64_t left = get(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT);
        CHECK(left == PAGE || left == 2 * PAGE);
    }
    CHECK(first_word(block[0]) == 0x30303030); /* a live block is not touched */
    CHECK(first_word((char *)block[0] + PAGE - 4) == 0x30303030);
    size_t with_pool = free_memory();
    CHECK_CODE(aclrtMemPoolDestroy(pool), 0);
    CHECK(free_memory() > with_pool);
    NEED(aclrtDestroyStream(stream));
}

/* A stream with a block of two pages: written, and then freed, behind the gate. */
static void *use_and_free(aclrtMemPool pool, aclrtStream stream)
{
    void *block = NULL;
    NEED(aclrtMemPoolMallocAsync(&block, 2 * PAGE, pool, stream));
    shut(gate, stream);
    NEED(aclrtMemsetAsync(block, 2 * PAGE, 1, 2 * PAGE, stream));
    NEED(aclrtMemPoolFreeAsync(block, stream));
    return block;
}

static void test_reuse_without_switches(void)
{
    aclrtMemPool pool = new_pool(2 * PAGE);
    aclrtStream first = new_stream();
    aclrtStream second = new_stream();
    aclrtEvent event = NULL;
    void *again = NULL;
    NEED(aclrtCreateEvent(&event));
    void *block = use_and_free(pool, first);
    CHECK_CODE(aclrtMemPoolMallocAsync(&again, PAGE, pool, second), 507000);
    NEED(aclrtRecordEvent(event, first));
    NEED(aclrtStreamWaitEvent(second, event)); /* the switch is off, so this does not count */
    CHECK_CODE(aclrtMemPoolMallocAsync(&again, PAGE, pool, second), 507000);
    aclError code = aclrtMemPoolMallocAsync(&again, 2 * PAGE, pool, first); /* in one queue it may */
    CHECK(code == 507000 || (code == 0 && again == block));
    if (code == 0) {
        NEED(aclrtMemsetAsync(again, 64, 2, 64, first));
    }
    open_gate(gate);
    CHECK_CODE(aclrtSynchronizeStream(first), 0);
    CHECK_CODE(aclrtSynchronizeStream(second), 0);
    CHECK(code != 0 || first_word(again) == 0x02020202);
    NEED(aclrtDestroyEvent(event));
    NEED(aclrtMemPoolDestroy(pool));
    NEED(aclrtDestroyStream(first));
    NEED(aclrtDestroyStream(second));
}

static void test_reuse_after_an_event(void)
{
    aclrtMemPool pool = new_pool(2 * PAGE);
    aclrtStream first = new_stream();
    aclrtStream second = new_stream();
    aclrtStream third = new_stream();
    aclrtEvent event = NULL;
    aclrtEvent next = NULL;
    void *again = NULL;
    set_switch(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES);
    NEED(aclrtCreateEvent(&event));
    NEED(aclrtCreateEvent(&next));
    void *block = use_and_free(pool, first);
    CHECK_CODE(aclrtMemPoolMallocAsync(&again, PAGE, pool, second), 507000);
    NEED(aclrtRecordEvent(event, first));
    NEED(aclrtStreamWaitEvent(third, event));
    NEED(aclrtRecordEvent(next, third));
    NEED(aclrtStreamWaitEvent(second, next)); /* by way of the third stream */
    aclError code = aclrtMemPoolMallocAsync(&again, 2 * PAGE, pool, second);
    CHECK(code == 0 && again == block);
    NEED(aclrtMemsetAsync(again, 64, 2, 64, second));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, 20), 507046);
    open_gate(gate);
    CHECK_CODE(aclrtSynchronizeStream(first), 0);
    CHECK_CODE(aclrtSynchronizeStream(second), 0);
    CHECK(first_word(again) == 0x02020202);
    NEED(aclrtDestroyEvent(event));
    NEED(aclrtDestroyEvent(next));
    NEED(aclrtMemPoolDestroy(pool));
    NEED(aclrtDestroyStream(first));
    NEED(aclrtDestroyStream(second));
    NEED(aclrtDestroyStream(third));
}

static void test_opportunistic_reuse(void)
{
    aclrtMemPool pool = new_pool(2 * PAGE);
    aclrtStream first = new_stream();
    aclrtStream second = new_stream();
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    void *again = NULL;
    set_switch(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC);
    void *block = use_and_free(pool, first);
    CHECK_CODE(aclrtMemPoolMallocAsync(&again, PAGE, pool, second), 507000); /* not executed yet */
    open_gate(gate);
    while (status != ACL_STREAM_STATUS_COMPLETE && aclrtStreamQuery(first, &status) == ACL_SUCCESS) {
    }
    aclError code = aclrtMemPoolMallocAsync(&again, 2 * PAGE, pool, second);
    CHECK(code == 0 && again == block);
    CHECK_CODE(aclrtSynchronizeStream(second), 0);
    NEED(aclrtMemPoolDestroy(pool));
    NEED(aclrtDestroyStream(first));
    NEED(aclrtDestroyStream(second));
}

static void test_internal_dependency(void)
{
    aclrtMemPool pool = new_pool(2 * PAGE);
    aclrtStream first = new_stream();
    aclrtStream second = new_stream();
    void *again = NULL;
    set_switch(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES);
    void *block = use_and_free(pool, first);
    aclError code = aclrtMemPoolMallocAsync(&again, 2 * PAGE, pool, second);
    CHECK(code == 0 && again == block);
    NEED(aclrtMemsetAsync(again, 64, 2, 64, second));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, 30), 507046); /* it waits for the free */
    open_gate(gate);
    CHECK_CODE(aclrtSynchronizeStream(second), 0);
    CHECK(first_word(again) == 0x02020202);
    CHECK_CODE(aclrtSynchronizeStream(first), 0);
    NEED(aclrtMemPoolDestroy(pool));
    NEED(aclrtDestroyStream(first));
    NEED(aclrtDestroyStream(second));
}

static void test_free_on_another_stream(void)
{
    aclrtMemPool pool = new_pool(2 * PAGE);
    aclrtStream owner = new_stream();
    aclrtStream other = new_stream();
    void *block = NULL;
    void *again = NULL;
    NEED(aclrtMemPoolMallocAsync(&block, 2 * PAGE, pool, owner));
    CHECK_CODE(aclrtSynchronizeStream(owner), 0);
    shut(gate, other);
    NEED(aclrtMemsetAsync(block, 2 * PAGE, 1, 2 * PAGE, other));
    CHECK_CODE(aclrtMemPoolFreeAsync(block, other), 0);
    CHECK_CODE(aclrtMemPoolMallocAsync(&again, PAGE, pool, owner), 507000); /* not ordered after that free */
    open_gate(gate);
    CHECK_CODE(aclrtSynchronizeStream(other), 0);
    CHECK_CODE(aclrtMemPoolMallocAsync(&again, PAGE, pool, owner), 0); /* the host has seen it */
    CHECK_CODE(aclrtSynchronizeStream(owner), 0);
    NEED(aclrtMemPoolDestroy(pool));
    NEED(aclrtDestroyStream(owner));
    NEED(aclrtDestroyStream(other));
}

static void test_trim_and_pending_frees(void)
{
    aclrtMemPool pool = new_pool(2 * PAGE);
    aclrtStream first = new_stream();
    aclrtStream second = new_stream();
    void *again = NULL;
    (void)use_and_free(pool, first);
    CHECK(aclrtMemPoolTrimTo(pool, 0) == (is_950() ? 207000 : 0));
    CHECK_CODE(aclrtMemPoolMallocAsync(&again, PAGE, pool, second), 507000);
    open_gate(gate);
    CHECK_CODE(aclrtSynchronizeStream(first), 0); /* the write and the free found what they need */
    CHECK_CODE(aclrtSynchronizeStream(second), 0);
    NEED(aclrtMemPoolDestroy(pool));
    NEED(aclrtDestroyStream(first));
    NEED(aclrtDestroyStream(second));
}

static void test_device_without_memory(void)
{
    aclrtMemPool pool = new_pool(0);
    aclrtStream stream = new_stream();
    void *block = NULL;
    void *most = NULL;
    NEED(aclrtMalloc(&most, 200 * MIB, ACL_MEM_MALLOC_HUGE_ONLY));
    CHECK_CODE(aclrtMemPoolMallocAsync(&block, 100 * MIB, pool, stream), 0); /* only the addresses are there */
    CHECK(aclrtSynchronizeStream(stream) != 0);
    NEED(aclrtFree(most));
    NEED(aclrtMemPoolDestroy(pool));
    NEED(aclrtDestroyStream(stream));
}

static void test_ordinary_free(void)
{
    aclrtMemPool pool = new_pool(2 * PAGE);
    aclrtStream stream = new_stream();
    void *block = NULL;
    NEED(aclrtMemPoolMallocAsync(&block, PAGE, pool, stream));
    NEED(aclrtSynchronizeStream(stream));
    if (is_950()) {
        CHECK_CODE(aclrtFree(block), 107000);
        CHECK_CODE(aclrtMemPoolFreeAsync(block, stream), 0);
    } else {
        CHECK_CODE(aclrtFree(block), 0);
        CHECK_CODE(aclrtMemPoolFreeAsync(block, stream), 107000);
    }
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    NEED(aclrtMemPoolDestroy(pool));
    NEED(aclrtDestroyStream(stream));
}

/* Random work on three streams: each block carries its number from its first write to its free. */
static void test_no_block_is_shared(unsigned switches)
{
    enum { STREAMS = 3, BLOCKS = 6, STEPS = 150 };
    aclrtMemPool pool = new_pool(8 * PAGE);
    aclrtStream stream[STREAMS];
    aclrtEvent event = NULL;
    unsigned char *seen = host_memory(STEPS);
    struct { void *at; int number, stream; } block[BLOCKS];
    unsigned random = 12345 + switches;
    int errors = 0;
    int unexpected = 0;
    memset(block, 0, sizeof(block));
    NEED(aclrtCreateEvent(&event));
    for (int i = 0; i < STREAMS; i++) {
        stream[i] = new_stream();
    }
    for (int attr = 1; attr <= 3; attr++) {
        if ((switches >> (attr - 1) & 1) != 0) {
            set_switch(pool, (aclrtMemPoolAttr)attr);
        }
    }
    for (int step = 1; step < STEPS; step++) {
        random = random * 1103515245U + 12345U;
        int which = (int)(random >> 16) % BLOCKS;
        int at = (int)(random >> 20) % STREAMS;
        if (random >> 28 == 0) {
            errors += aclrtRecordEvent(event, stream[at]) != 0;
            errors += aclrtStreamWaitEvent(stream[(at + 1) % STREAMS], event) != 0;
        } else if (block[which].at == NULL) {
            aclError code = aclrtMemPoolMallocAsync(&block[which].at, PAGE + (random & 1), pool, stream[at]);
            if (code == 0) {
                block[which].number = step;
                block[which].stream = at;
                errors += aclrtMemsetAsync(block[which].at, PAGE, step, PAGE, stream[at]) != 0;
            } else {
                unexpected += code != 507000;
                block[which].at = NULL;
            }
        } else {
            int owner = block[which].stream;
            char *last = (char *)block[which].at + PAGE - 1;
            errors += aclrtMemcpyAsync(&seen[block[which].number], 1, last, 1, ACL_MEMCPY_DEVICE_TO_HOST, stream[owner]) != 0;
            errors += aclrtMemPoolFreeAsync(block[which].at, stream[owner]) != 0;
            seen[0] = 1;
            block[which].at = NULL;
            block[which].number = 0;
        }
    }
    for (int i = 0; i < STREAMS; i++) {
        errors += aclrtSynchronizeStream(stream[i]) != 0;
        NEED(aclrtDestroyStream(stream[i]));
    }
    int wrong = 0;
    for (int step = 1; step < STEPS; step++) {
        wrong += seen[step] != 0 && seen[step] != (unsigned char)step;
    }
    CHECK(errors == 0 && unexpected == 0 && wrong == 0);
    NEED(aclrtDestroyEvent(event));
    NEED(aclrtMemPoolDestroy(pool));
    NEED(aclrtFreeHost(seen));
}

int main(void)
{
    setenv("SOFTHAL_DEVICE_MEMORY", "256M", 0);
    NEED(aclInit(NULL));
    NEED(aclrtSetDevice(0));
    size_t before = free_memory();
    gate = new_gate();
    test_creation();
    test_exhaustion_and_identity();
    test_attribute_matrix();
    test_counters();
    test_threshold_and_trim();
    test_reuse_without_switches();
    test_reuse_after_an_event();
    test_opportunistic_reuse();
    test_internal_dependency();
    test_free_on_another_stream();
    test_trim_and_pending_frees();
    test_device_without_memory();
    test_ordinary_free();
    for (unsigned switches = 0; switches < 8; switches++) {
        test_no_block_is_shared(switches);
    }
    NEED(aclrtFree(gate));
    NEED(aclrtResetDevice(0));
    NEED(aclrtSetDevice(0));
    CHECK(free_memory() == before);
    NEED(aclrtResetDevice(0));
    NEED(aclFinalize());
    return finish();
}
