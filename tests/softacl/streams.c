/* streams.c - order and time: what a stream does when, what waits for what, and where errors come out. */
#include <pthread.h>

#include "harness.h"

static void *gate;

static void test_handles(void)
{
    int local = 0;
    aclrtStream stream = new_stream();
    aclrtEvent event = NULL;
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    CHECK_CODE(aclrtCreateStream(NULL), 100000);
    CHECK_CODE(aclrtDestroyStream(NULL), 100000);
    CHECK_CODE(aclrtSynchronizeStream(&local), 107017);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, 0), 107000);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, -2), 107000);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, -1), 0);
    CHECK_CODE(aclrtStreamQuery(stream, &status), 0);
    CHECK(status == ACL_STREAM_STATUS_COMPLETE);
    CHECK_CODE(aclrtCreateEvent(NULL), 100000);
    NEED(aclrtCreateEvent(&event));
    CHECK_CODE(aclrtSynchronizeStream(event), 107017); /* another kind of handle */
    CHECK_CODE(aclrtRecordEvent(NULL, stream), 100000);
    CHECK_CODE(aclrtRecordEvent(stream, stream), 107017);
    CHECK_CODE(aclrtStreamWaitEvent(stream, NULL), 100000);
    CHECK_CODE(aclrtDestroyEvent(event), 0);
    CHECK_CODE(aclrtDestroyEvent(event), 107017);
    CHECK_CODE(aclrtRecordEvent(event, stream), 107017);
    CHECK_CODE(aclrtDestroyStream(stream), 0);
    CHECK_CODE(aclrtDestroyStream(stream), 107017);
    CHECK_CODE(aclrtSynchronizeStream(stream), 107017);
    CHECK_CODE(aclrtMemsetAsync(gate, 64, 0, 64, stream), 107017);
}

static void *open_later(void *argument)
{
    (void)argument;
    NEED(aclrtSetDevice(0));
    pause_ms(60);
    open_gate(gate);
    NEED(aclrtResetDevice(0));
    return NULL;
}

static pthread_t open_soon(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, open_later, NULL);
    return thread;
}

static void test_asynchrony(void)
{
    aclrtStream stream = new_stream();
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    uint32_t *in = host_memory(64);
    uint32_t *out = host_memory(64);
    void *memory = device_memory(64);
    shut(gate, stream);
    in[0] = 1;
    NEED(aclrtMemcpyAsync(memory, 64, in, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    NEED(aclrtMemcpyAsync(out, 64, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    in[0] = 2; /* the source is read when the stream gets there */
    CHECK_CODE(aclrtStreamQuery(stream, &status), 0);
    CHECK(status == ACL_STREAM_STATUS_NOT_READY);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, 20), 507046);
    CHECK(out[0] == 0);
    open_gate(gate);
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    CHECK(out[0] == 2);
    /* The last task counts as well: it is a long one. */
    void *large = device_memory(48 * MIB);
    unsigned char *end = host_memory(48 * MIB);
    for (int i = 0; i < 3; i++) {
        NEED(aclrtMemsetAsync(large, 48 * MIB, 0x40 + i, 48 * MIB, stream));
        NEED(aclrtMemcpyAsync(end, 48 * MIB, large, 48 * MIB, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        NEED(aclrtSynchronizeStream(stream));
        CHECK(end[48 * MIB - 1] == 0x40 + i);
    }
    NEED(aclrtFree(large));
    NEED(aclrtFreeHost(end));
    NEED(aclrtDestroyStream(stream));
    NEED(aclrtFree(memory));
    NEED(aclrtFreeHost(in));
    NEED(aclrtFreeHost(out));
}

static void test_pageable(void)
{
    aclrtStream stream = new_stream();
    void *memory = device_memory(64);
    uint32_t plain = 1;
    shut(gate, stream);
    NEED(aclrtMemsetAsync(memory, 64, 0x11, 64, stream));
    pthread_t opener = open_soon();
    /* Waits for what is ahead, and has read the source when it is back. */
    NEED(aclrtMemcpyAsync(memory, 64, &plain, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    plain = 2;
    NEED(aclrtSynchronizeStream(stream));
    CHECK(first_word(memory) == 1);
    pthread_join(opener, NULL);
    NEED(aclrtDestroyStream(stream));
    NEED(aclrtFree(memory));
}

static void test_pageable_not_late(void)
{
    aclrtStream stream = new_stream();
    void *memory = device_memory(8 * MIB);
    unsigned char *plain = malloc(8 * MIB);
    int wrong = 0;
    for (int i = 0; i < 4; i++) {
        memset(plain, 1, 8 * MIB);
        NEED(aclrtMemsetAsync(memory, 8 * MIB, 9, 8 * MIB, stream));
        NEED(aclrtMemcpyAsync(memory, 8 * MIB, plain, 8 * MIB, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        memset(plain, 2, 8 * MIB);
        NEED(aclrtSynchronizeStream(stream));
        NEED(aclrtMemcpy(plain, 8 * MIB, memory, 8 * MIB, ACL_MEMCPY_DEVICE_TO_HOST));
        wrong += plain[0] != 1 || plain[8 * MIB - 1] != 1;
    }
    CHECK(wrong == 0);
    free(plain);
    NEED(aclrtDestroyStream(stream));
    NEED(aclrtFree(memory));
}

static void test_events(void)
{
    aclrtStream first = new_stream();
    aclrtStream second = new_stream();
    aclrtEvent event = NULL;
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    void *memory = device_memory(64);
    NEED(aclrtCreateEvent(&event));
    CHECK_CODE(aclrtQueryEventStatus(event, &status), 0);
    CHECK(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    CHECK_CODE(aclrtStreamWaitEvent(second, event), 0); /* never recorded: holds nobody up */
    CHECK_CODE(aclrtSynchronizeStream(second), 0);

    NEED(aclrtMemset(memory, 64, 0, 64));
    shut(gate, first);
    NEED(aclrtMemsetAsync(memory, 64, 1, 64, first));
    NEED(aclrtRecordEvent(event, first));
    NEED(aclrtStreamWaitEvent(second, event));
    NEED(aclrtMemsetAsync(memory, 64, 2, 64, second));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, 30), 507046);
    CHECK(first_word(memory) == 0);
    CHECK_CODE(aclrtQueryEventStatus(event, &status), 0);
    CHECK(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, -2), 107000);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, 10), 507047);
    open_gate(gate);
    CHECK_CODE(aclrtSynchronizeStream(second), 0);
    CHECK(first_word(memory) == 0x02020202);
    CHECK_CODE(aclrtSynchronizeEvent(event), 0);
    CHECK_CODE(aclrtQueryEventStatus(event, &status), 0);
    CHECK(status == ACL_EVENT_RECORDED_STATUS_COMPLETE);

    /* A second record moves the event; who waited before is not held up by it. */
    NEED(aclrtStreamWaitEvent(second, event));
    shut(gate, first);
    NEED(aclrtRecordEvent(event, first));
    CHECK_CODE(aclrtSynchronizeStream(second), 0);
    NEED(aclrtStreamWaitEvent(second, event));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, 20), 507046);
    CHECK_CODE(aclrtDestroyEvent(event), 0); /* legal, and the wait stays */
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, 20), 507046);
    open_gate(gate);
    CHECK_CODE(aclrtSynchronizeStream(second), 0);
    NEED(aclrtDestroyStream(first));
    NEED(aclrtDestroyStream(second));
    NEED(aclrtFree(memory));
}

static void test_event_covers_all_before(void)
{
    aclrtStream first = new_stream();
    aclrtStream second = new_stream();
    aclrtEvent event = NULL;
    void *large = device_memory(64 * MIB);
    unsigned char last = 0;
    int wrong = 0;
    NEED(aclrtCreateEvent(&event));
    for (int i = 1; i <= 3; i++) {
        NEED(aclrtMemsetAsync(large, 64, i, 64, first));
        NEED(aclrtMemsetAsync(large, 64 * MIB, i, 64 * MIB, first));
        NEED(aclrtRecordEvent(event, first));
        NEED(aclrtSynchronizeEvent(event));
        NEED(aclrtMemcpy(&last, 1, (char *)large + 64 * MIB - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST));
        wrong += last != i;
    }
    CHECK(wrong == 0);
    NEED(aclrtDestroyEvent(event));
    NEED(aclrtDestroyStream(first));
    NEED(aclrtDestroyStream(second));
    NEED(aclrtFree(large));
}

static void test_destroying(void)
{
    aclrtStream stream = new_stream();
    void *memory = device_memory(64);
    NEED(aclrtMemset(memory, 64, 0, 64));
    shut(gate, stream);
    NEED(aclrtMemsetAsync(memory, 64, 7, 64, stream));
    pthread_t opener = open_soon();
    CHECK_CODE(aclrtDestroyStream(stream), 0); /* waits */
    CHECK(first_word(memory) == 0x07070707);
    pthread_join(opener, NULL);
    stream = new_stream();
    shut(gate, stream);
    CHECK_CODE(aclrtDestroyStreamForce(stream), 0); /* does not */
    CHECK_CODE(aclrtSynchronizeStream(stream), 107017);
    NEED(aclrtFree(memory));
}

static void test_errors_of_tasks(void)
{
    aclrtStream stream = new_stream();
    void *memory = device_memory(64 * MIB);
    uint32_t *host = host_memory(64);
    shut(gate, stream);
    NEED(aclrtMemcpyAsync(memory, 64, host, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    NEED(aclrtFree(memory)); /* too early: the copy will find nothing */
    open_gate(gate);
    CHECK(aclrtSynchronizeStream(stream) != 0);
    CHECK_CODE(aclrtSynchronizeStream(stream), 0); /* told once */
    NEED(aclrtDestroyStream(stream));
    NEED(aclrtFreeHost(host));
}

/* What a wait for a value takes for true, each way of comparing. */
static int passes(uint64_t memory, uint64_t value, uint32_t flag)
{
    aclrtStream stream = new_stream();
    NEED(aclrtMemcpy(gate, 64, &memory, sizeof(memory), ACL_MEMCPY_HOST_TO_DEVICE));
    NEED(aclrtValueWait(gate, value, flag, stream));
    int done = aclrtSynchronizeStreamWithTimeout(stream, 25) == ACL_SUCCESS;
    NEED(aclrtDestroyStreamForce(stream));
    return done;
}

static void test_values(void)
{
    uint64_t host = 0;
    CHECK_CODE(aclrtValueWait(NULL, 0, 0, NULL), 100000);
    CHECK_CODE(aclrtValueWait(gate, 0, 4, NULL), 107000);
    CHECK_CODE(aclrtValueWrite(gate, 0, 1, NULL), 107000);
    CHECK_CODE(aclrtValueWrite(&host, 0, 0, NULL), 107000);
    CHECK(passes(5, 5, ACL_STREAM_WAIT_VALUE_GEQ) && passes(6, 5, ACL_STREAM_WAIT_VALUE_GEQ));
    CHECK(!passes(4, 5, ACL_STREAM_WAIT_VALUE_GEQ));
    CHECK(passes(1, UINT64_MAX, ACL_STREAM_WAIT_VALUE_GEQ)); /* 1 - -1 is not negative */
    CHECK(!passes(UINT64_MAX, 1, ACL_STREAM_WAIT_VALUE_GEQ));
    CHECK(passes(5, 5, ACL_STREAM_WAIT_VALUE_EQ) && !passes(6, 5, ACL_STREAM_WAIT_VALUE_EQ));
    CHECK(passes(6, 4, ACL_STREAM_WAIT_VALUE_AND) && !passes(3, 4, ACL_STREAM_WAIT_VALUE_AND));
    CHECK(passes(6, 12, ACL_STREAM_WAIT_VALUE_AND) && !passes(6, 0, ACL_STREAM_WAIT_VALUE_AND));
    CHECK(passes(1ULL << 63, UINT64_MAX << 63, ACL_STREAM_WAIT_VALUE_AND));
    CHECK(passes(1, 2, ACL_STREAM_WAIT_VALUE_NOR) && !passes(UINT64_MAX, 2, ACL_STREAM_WAIT_VALUE_NOR));
    CHECK(!passes(~5ULL, 5, ACL_STREAM_WAIT_VALUE_NOR) && passes(~5ULL, 4, ACL_STREAM_WAIT_VALUE_NOR));
    NEED(aclrtValueWrite(gate, 0x1122334455667788ULL, 0, NULL));
    NEED(aclrtSynchronizeStream(NULL));
    NEED(aclrtMemcpy(&host, sizeof(host), gate, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(host == 0x1122334455667788ULL);
}

int main(void)
{
    setenv("SOFTHAL_DEVICE_MEMORY", "256M", 0);
    NEED(aclInit(NULL));
    NEED(aclrtSetDevice(0));
    gate = new_gate();
    test_handles();
    test_asynchrony();
    test_pageable();
    test_pageable_not_late();
    test_events();
    test_event_covers_all_before();
    test_destroying();
    test_errors_of_tasks();
    test_values();
    NEED(aclrtFree(gate));
    NEED(aclrtResetDevice(0));
    NEED(aclFinalize());
    return finish();
}
