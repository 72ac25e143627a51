/*
 * multistream.c - one stream waits for a value in memory, another one writes it: two threads, two streams, and what
 * the first thread sees after its wait is what the second one did before its write.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "client.h"

static const uint64_t wanted = 100;

struct shared {
    void *memory;
    atomic_int flag;
    int seen, waiter_result, writer_result;
};

static int wait_for_value(struct shared *shared)
{
    aclrtStream stream = NULL;
    CHECK_ERROR(aclrtSetDevice(0));
    CHECK_ERROR(aclrtCreateStream(&stream));
    CHECK_ERROR(aclrtValueWait(shared->memory, wanted, ACL_STREAM_WAIT_VALUE_EQ, stream));
    CHECK_ERROR(aclrtSynchronizeStream(stream));
    shared->seen = atomic_load(&shared->flag);
    CHECK_ERROR(aclrtDestroyStreamForce(stream));
    return 0;
}

static int write_value(struct shared *shared)
{
    aclrtStream stream = NULL;
    CHECK_ERROR(aclrtSetDevice(0));
    CHECK_ERROR(aclrtCreateStream(&stream));
    const struct timespec pause = {0, 100000000L};
    nanosleep(&pause, NULL);
    atomic_store(&shared->flag, 123);
    CHECK_ERROR(aclrtValueWrite(shared->memory, wanted, 0, stream));
    CHECK_ERROR(aclrtSynchronizeStream(stream));
    CHECK_ERROR(aclrtDestroyStreamForce(stream));
    return 0;
}

static void *waiter(void *argument)
{
    struct shared *shared = argument;
    shared->waiter_result = wait_for_value(shared);
    return NULL;
}

static void *writer(void *argument)
{
    struct shared *shared = argument;
    shared->writer_result = write_value(shared);
    return NULL;
}

static int run(struct shared *shared)
{
    pthread_t threads[2];
    CHECK_ERROR(aclInit(NULL));
    CHECK_ERROR(aclrtSetDevice(0));
    CHECK_ERROR(aclrtMalloc(&shared->memory, MEBIBYTE, ACL_MEM_MALLOC_HUGE_FIRST));
    /* New memory may hold anything, also the value that is waited for. */
    CHECK_ERROR(aclrtMemset(shared->memory, MEBIBYTE, 0, sizeof(wanted)));
    if (pthread_create(&threads[0], NULL, waiter, shared) != 0 || pthread_create(&threads[1], NULL, writer, shared) != 0) {
        return -1;
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    CHECK_ERROR(aclrtFree(shared->memory));
    CHECK_ERROR(aclrtResetDeviceForce(0));
    CHECK_ERROR(aclFinalize());
    return 0;
}

int main(void)
{
    struct shared shared;
    memset(&shared, 0, sizeof(shared));
    int result = run(&shared);
    printf("seen after the wait: %d\n", shared.seen);
    return result == 0 && shared.waiter_result == 0 && shared.writer_result == 0 && shared.seen == 123 ? 0 : 1;
}
