/* threads.c - several threads of the host at once: streams, events, one pool, ordinary memory, contexts. */
#include <pthread.h>
#include <stdatomic.h>

#include "harness.h"

enum { THREADS = 4, ROUNDS = 60 };

static aclrtMemPool pool;
static aclrtEvent shared_event;
static atomic_int wrong, failed;

/* Counts a call that must succeed; a few thousand lines of output would help nobody. */
static int done(aclError code)
{
    if (code != ACL_SUCCESS) {
        atomic_fetch_add(&failed, 1);
    }
    return code == ACL_SUCCESS;
}

/* One block of the pool: filled, waited for by events of all, read back and freed. */
static void one_round(aclrtStream stream, unsigned char *host, int value)
{
    void *block = NULL;
    aclError code = aclrtMemPoolMallocAsync(&block, PAGE, pool, stream);
    if (code == ACL_ERROR_RT_INTERNAL_ERROR) { /* the others have it all */
        done(aclrtSynchronizeStream(stream));
        return;
    }
    done(code);
    done(aclrtMemsetAsync(block, PAGE, value, PAGE, stream));
    done(aclrtRecordEvent(shared_event, stream));
    done(aclrtStreamWaitEvent(stream, shared_event));
    done(aclrtMemcpyAsync(host, 64, (char *)block + PAGE - 64, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    done(aclrtMemPoolFreeAsync(block, stream));
    done(aclrtSynchronizeStream(stream));
    for (int i = 0; i < 64; i++) {
        atomic_fetch_add(&wrong, host[i] == (unsigned char)value ? 0 : 1);
    }
}

static void *work(void *argument)
{
    int number = (int)(intptr_t)argument;
    aclrtStream stream = NULL;
    void *host = NULL;
    if (!done(aclrtSetDevice(0)) || !done(aclrtCreateStream(&stream)) || !done(aclrtMallocHost(&host, 64))) {
        return NULL;
    }
    for (int round = 0; round < ROUNDS; round++) {
        void *memory = NULL;
        one_round(stream, host, number * ROUNDS + round);
        if (done(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST))) {
            done(aclrtFree(memory));
        }
        if (round % 16 == 0) {
            aclrtStream short_lived = NULL;
            done(aclrtCreateStream(&short_lived));
            done(aclrtMemsetAsync(host, 64, 0, 64, short_lived));
            done(round % 32 == 0 ? aclrtDestroyStream(short_lived) : aclrtDestroyStreamForce(short_lived));
            done(aclrtSynchronizeDevice());
        }
    }
    done(aclrtFreeHost(host));
    done(aclrtDestroyStream(stream));
    done(aclrtResetDevice(0));
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    aclrtMemPoolProps props;
    uint32_t on = 1;
    setenv("SOFTHAL_DEVICE_MEMORY", "256M", 0);
    memset(&props, 0, sizeof(props));
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    props.maxSize = 8 * PAGE;
    NEED(aclInit(NULL));
    NEED(aclrtSetDevice(0));
    NEED(aclrtMemPoolCreate(&pool, &props));
    NEED(aclrtCreateEvent(&shared_event));
    for (int attr = 1; attr <= 3; attr++) {
        NEED(aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)attr, &on));
    }
    for (intptr_t i = 0; i < THREADS; i++) {
        NEED(pthread_create(&threads[i], NULL, work, (void *)i));
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK(atomic_load(&failed) == 0);
    CHECK(atomic_load(&wrong) == 0);
    uint64_t used = 1;
    CHECK_CODE(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used), 0);
    CHECK(used == 0);
    NEED(aclrtDestroyEvent(shared_event));
    NEED(aclrtMemPoolDestroy(pool));
    NEED(aclrtResetDevice(0));
    NEED(aclFinalize());
    return finish();
}
