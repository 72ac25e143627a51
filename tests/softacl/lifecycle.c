/* lifecycle.c - initialisation, devices, contexts: counting, order of checks, what is stale when. */
#include <pthread.h>

#include "harness.h"

static void test_init(void)
{
    uint64_t count = 77;
    CHECK_CODE(aclFinalize(), 0); /* before any init the first one is let through */
    CHECK_CODE(aclFinalize(), 100037);
    CHECK_CODE(aclInit("/nonexistent/acl.json"), 100003);
    CHECK_CODE(aclInit(NULL), 0);
    CHECK_CODE(aclInit(NULL), 100002);
    CHECK_CODE(aclFinalizeReference(&count), 0);
    CHECK(count == 1);
    CHECK_CODE(aclFinalizeReference(&count), 0);
    CHECK(count == 0);
    CHECK_CODE(aclFinalizeReference(&count), 100037);
    CHECK_CODE(aclInit(""), 0);
    CHECK_CODE(aclInit(NULL), 100002);
    CHECK_CODE(aclFinalize(), 0); /* whatever the count */
    CHECK_CODE(aclFinalize(), 100037);
    CHECK_CODE(aclInit(NULL), 0);
}

static void *without_context(void *argument)
{
    void *memory = NULL;
    aclrtStream stream = NULL;
    int32_t device = -1;
    CHECK_CODE(aclrtGetDevice(&device), 107002);
    CHECK_CODE(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), 107002);
    CHECK_CODE(aclrtMallocHost(&memory, 64), 107002);
    CHECK_CODE(aclrtCreateStream(&stream), 107002);
    CHECK_CODE(aclrtSynchronizeStream(NULL), 107002);
    CHECK_CODE(aclrtMemset(argument, 64, 0, 64), 107002);
    CHECK_CODE(aclrtMemset(NULL, 0, 0, 0), 0);
    CHECK_CODE(aclrtFree(argument), 0); /* needs none */
    return NULL;
}

static void test_devices(void)
{
    int32_t device = -1;
    uint32_t count = 0;
    aclrtRunMode mode = ACL_DEVICE;
    CHECK_CODE(aclrtGetDeviceCount(NULL), 100000);
    CHECK_CODE(aclrtGetDeviceCount(&count), 0);
    CHECK(count == 2);
    CHECK_CODE(aclrtSetDevice(-1), 107001);
    CHECK_CODE(aclrtSetDevice(2), 107001);
    CHECK_CODE(aclrtGetDevice(&device), 107002);
    CHECK_CODE(aclrtResetDevice(0), 507007);
    CHECK_CODE(aclrtSetDevice(0), 0);
    CHECK_CODE(aclrtSetDevice(0), 0);
    CHECK_CODE(aclrtSetDevice(1), 0);
    CHECK_CODE(aclrtGetDevice(NULL), 100000);
    CHECK_CODE(aclrtGetDevice(&device), 0);
    CHECK(device == 1);
    CHECK_CODE(aclrtGetRunMode(NULL), 100000);
    CHECK_CODE(aclrtGetRunMode(&mode), 0);
    CHECK(mode == ACL_HOST);
    CHECK(aclrtGetSocName() != NULL);
    CHECK_CODE(aclrtResetDevice(1), 0);
    CHECK_CODE(aclrtGetDevice(&device), 107002); /* its context went with it */
    CHECK_CODE(aclrtResetDevice(1), 507007);
    CHECK_CODE(aclrtResetDevice(0), 0);
    CHECK_CODE(aclrtSetDevice(0), 0);
    CHECK_CODE(aclrtResetDeviceForce(0), 0); /* both references */
    CHECK_CODE(aclrtResetDeviceForce(0), 507007);
    CHECK_CODE(aclrtResetDevice(0), 507007);
}

static void test_memory_goes_with_the_device(void)
{
    CHECK_CODE(aclrtSetDevice(0), 0);
    size_t before = free_memory();
    void *memory = device_memory(64 * MIB);
    CHECK(free_memory() <= before - 64 * MIB);
    CHECK_CODE(aclrtResetDevice(0), 0);
    CHECK_CODE(aclrtSetDevice(0), 0);
    CHECK(free_memory() == before);
    CHECK(aclrtFree(memory) != 0);
    memory = device_memory(64);
    pthread_t thread;
    pthread_create(&thread, NULL, without_context, memory);
    pthread_join(thread, NULL);
    CHECK_CODE(aclrtResetDevice(0), 0);
}

static void test_contexts(void)
{
    aclrtContext primary = NULL;
    aclrtContext own = NULL;
    aclrtContext now = NULL;
    CHECK_CODE(aclrtSetDevice(0), 0);
    CHECK_CODE(aclrtGetCurrentContext(&primary), 0);
    CHECK_CODE(aclrtCreateContext(NULL, 0), 100000);
    CHECK_CODE(aclrtCreateContext(&own, 7), 107001);
    CHECK_CODE(aclrtCreateContext(&own, 0), 0);
    CHECK_CODE(aclrtGetCurrentContext(&now), 0);
    CHECK(now == own);
    aclrtStream stream = new_stream();
    CHECK_CODE(aclrtSetCurrentContext(NULL), 100000);
    CHECK_CODE(aclrtSetCurrentContext(primary), 0);
    CHECK_CODE(aclrtDestroyStream(stream), 107003);
    CHECK_CODE(aclrtMemsetAsync(&now, 1, 0, 1, stream), 107003);
    CHECK_CODE(aclrtSynchronizeStream(stream), 0); /* allowed from any context */
    CHECK_CODE(aclrtSetCurrentContext(own), 0);
    CHECK_CODE(aclrtDestroyContext(NULL), 100000);
    CHECK_CODE(aclrtDestroyContext(own), 0);
    CHECK(aclrtDestroyContext(own) != 0);
    CHECK_CODE(aclrtGetCurrentContext(&now), 107002);
    CHECK(aclrtSetCurrentContext(own) != 0);
    CHECK_CODE(aclrtSetCurrentContext(primary), 0);
    CHECK_CODE(aclrtSynchronizeStream(stream), 107017); /* went with its context */
    CHECK_CODE(aclrtResetDeviceForce(0), 0);
    CHECK_CODE(aclFinalize(), 0);
}

int main(void)
{
    setenv("SOFTHAL_DEVICE_MEMORY", "256M", 0);
    test_init();
    test_devices();
    test_memory_goes_with_the_device();
    test_contexts();
    return finish();
}
