/* memory.c - allocation, copies, sets and queries: codes in their order, and the bytes. */
#include "harness.h"

static const size_t size = 3 * 4096 + 5;

static void fill(unsigned char *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(i * 31 + i / 251 + seed);
    }
}

static void test_allocation(void)
{
    void *memory = NULL;
    void *odd = (void *)77;
    CHECK_CODE(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
    CHECK_CODE(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
    CHECK_CODE(aclrtMalloc(&memory, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
    CHECK_CODE(aclrtMalloc(&odd, 1024 * MIB, ACL_MEM_MALLOC_HUGE_ONLY), 207001);
    CHECK(odd == (void *)77);
    const aclrtMemMallocPolicy policies[] = {ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY,
                                             ACL_MEM_MALLOC_NORMAL_ONLY, ACL_MEM_MALLOC_HUGE_FIRST_P2P};
    for (size_t i = 0; i < 4; i++) {
        CHECK_CODE(aclrtMalloc(&memory, size, policies[i]), 0);
        CHECK(address_of(memory) % 64 == 0);
        CHECK_CODE(aclrtFree(memory), 0);
    }
    CHECK_CODE(aclrtMallocAlign32(&memory, 100, ACL_MEM_MALLOC_NORMAL_ONLY), 0);
    CHECK_CODE(aclrtFree(memory), 0);
    CHECK_CODE(aclrtFree(NULL), 100000);
    memory = device_memory(64 * MIB);
    CHECK_CODE(aclrtFree(memory), 0);
    CHECK_CODE(aclrtFree(memory), 107000);
    CHECK_CODE(aclrtMallocHost(NULL, 1), 100000);
    CHECK_CODE(aclrtMallocHost(&memory, 0), 100000);
    memory = device_memory(64);
    CHECK_CODE(aclrtFreeHost(memory), 107000);
    CHECK_CODE(aclrtFreeHost(NULL), 100000);
    CHECK_CODE(aclrtFree(memory), 0);
}

static void test_second_device(void)
{
    aclrtPtrAttributes attributes;
    void *memory = NULL;
    NEED(aclrtSetDevice(1));
    size_t before = free_memory();
    memory = device_memory(64 * MIB);
    CHECK(free_memory() < before);
    CHECK_CODE(aclrtPointerGetAttributes(memory, &attributes), 0);
    CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE && attributes.location.id == 1);
    CHECK_CODE(aclrtFree(memory), 0);
    NEED(aclrtResetDevice(1));
    NEED(aclrtSetDevice(0));
    NEED(aclrtResetDevice(0)); /* makes it current again, and keeps the count */
}

static void test_attributes(void)
{
    aclrtPtrAttributes attributes;
    size_t free = 0;
    size_t total = 0;
    void *host = host_memory(64);
    CHECK_CODE(aclrtPointerGetAttributes(NULL, &attributes), 100000);
    CHECK_CODE(aclrtPointerGetAttributes(host, NULL), 100000);
    CHECK_CODE(aclrtPointerGetAttributes(host, &attributes), 0);
    CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST);
    CHECK_CODE(aclrtPointerGetAttributes(&free, &attributes), 0);
    CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    CHECK_CODE(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &total), 100000);
    CHECK_CODE(aclrtGetMemInfo(ACL_MEM_NORMAL, &free, &total), 107016);
    CHECK_CODE(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), 0);
    CHECK(total == 256 * MIB && free <= total);
    CHECK_CODE(aclrtFreeHost(host), 0);
}

static void test_copies(void)
{
    unsigned char *in = host_memory(size);
    unsigned char *out = host_memory(size);
    char *device = device_memory(size);
    CHECK_CODE(aclrtMemcpy(NULL, 0, NULL, 0, (aclrtMemcpyKind)9), 0);
    CHECK_CODE(aclrtMemcpy(NULL, 1, in, 1, ACL_MEMCPY_DEFAULT), 100000);
    CHECK_CODE(aclrtMemcpy(device, 1, NULL, 1, ACL_MEMCPY_DEFAULT), 100000);
    CHECK_CODE(aclrtMemcpy(device, 1, in, 1, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE), 100000);
    CHECK_CODE(aclrtMemcpy(device, 0, in, 1, ACL_MEMCPY_DEFAULT), 107000);
    CHECK_CODE(aclrtMemcpy(device, 1, in, 2, ACL_MEMCPY_DEFAULT), 107000);
    CHECK_CODE(aclrtMemcpy(in, 8, in, 8, ACL_MEMCPY_DEFAULT), 0);
    for (int kind = 0; kind <= ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE; kind++) { /* it says nothing */
        fill(in, size, (unsigned)kind);
        CHECK_CODE(aclrtMemcpy(device, size, in, size, (aclrtMemcpyKind)kind), 0);
        memset(out, 0, size);
        CHECK_CODE(aclrtMemcpy(out, size, device, size, (aclrtMemcpyKind)kind), 0);
        CHECK(memcmp(in, out, size) == 0);
    }
    CHECK_CODE(aclrtMemset(NULL, 0, 1, 0), 0);
    CHECK_CODE(aclrtMemset(NULL, 1, 1, 1), 100000);
    CHECK_CODE(aclrtMemset(device, 1, 1, 2), 107000);
    CHECK_CODE(aclrtMemset(device, size, 0x1ab, size), 0);
    CHECK_CODE(aclrtMemcpy(out, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    CHECK(out[0] == 0xab && out[size - 1] == 0xab);
    CHECK_CODE(aclrtFree(device), 0);
    CHECK_CODE(aclrtFreeHost(in), 0);
    CHECK_CODE(aclrtFreeHost(out), 0);
}

static void test_copies_on_a_stream(void)
{
    aclrtStream stream = new_stream();
    unsigned char *in = host_memory(size);
    unsigned char *out = host_memory(size);
    unsigned char plain[64] = {0};
    char *device = device_memory(size);
    char *second = device_memory(size);
    CHECK_CODE(aclrtMemcpyAsync(NULL, 0, NULL, 0, (aclrtMemcpyKind)9, NULL), 0);
    CHECK_CODE(aclrtMemcpyAsync(NULL, 1, in, 1, ACL_MEMCPY_DEFAULT, stream), 100000);
    CHECK_CODE(aclrtMemcpyAsync(device, 1, in, 1, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE, stream), 100000);
    CHECK_CODE(aclrtMemcpyAsync(device, 1, in, 2, ACL_MEMCPY_HOST_TO_DEVICE, (aclrtStream)plain), 107017);
    CHECK_CODE(aclrtMemcpyAsync(device, 1, in, 2, ACL_MEMCPY_HOST_TO_DEVICE, stream), 107000);
    CHECK_CODE(aclrtMemcpyAsync(out, size, in, size, ACL_MEMCPY_HOST_TO_HOST, stream), 207000);
    CHECK_CODE(aclrtMemcpyAsync(device, size, plain, 8, ACL_MEMCPY_DEVICE_TO_HOST, stream), 107000);
    CHECK_CODE(aclrtMemcpyAsync(plain, 8, device, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream), 107000);
    CHECK_CODE(aclrtMemcpyAsync(plain, 8, in, 8, ACL_MEMCPY_DEFAULT, stream), 207000);
    fill(in, size, 5);
    CHECK_CODE(aclrtMemcpyAsync(device, size, in, size, ACL_MEMCPY_HOST_TO_DEVICE, stream), 0);
    CHECK_CODE(aclrtMemcpyAsync(second, size, device, size, ACL_MEMCPY_DEVICE_TO_DEVICE, stream), 0);
    CHECK_CODE(aclrtMemcpyAsync(out, size, second, size, ACL_MEMCPY_HOST_TO_DEVICE, stream), 0); /* corrected */
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    CHECK(memcmp(in, out, size) == 0);
    CHECK_CODE(aclrtMemsetAsync(NULL, 0, 0, 0, (aclrtStream)plain), 0);
    CHECK_CODE(aclrtMemsetAsync(device, 1, 0, 1, (aclrtStream)plain), 107017);
    CHECK_CODE(aclrtMemsetAsync(device, 1, 0, 2, stream), 107000);
    CHECK_CODE(aclrtMemsetAsync(device, size, 0x1ab, size, stream), 0);
    CHECK_CODE(aclrtMemcpyAsync(out, size, device, size, ACL_MEMCPY_DEFAULT, NULL), 0);
    CHECK_CODE(aclrtSynchronizeDevice(), 0);
    CHECK_CODE(aclrtMemcpy(out, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    CHECK(out[0] == 0xab && out[size - 1] == 0xab);
    CHECK_CODE(aclrtDestroyStream(stream), 0);
    CHECK_CODE(aclrtFree(device), 0);
    CHECK_CODE(aclrtFree(second), 0);
    CHECK_CODE(aclrtFreeHost(in), 0);
    CHECK_CODE(aclrtFreeHost(out), 0);
}

static void test_rectangles(void)
{
    enum { WIDTH = 100, HEIGHT = 7, WIDE = 128, WIDER = 256 };
    aclrtStream stream = new_stream();
    unsigned char *in = host_memory((size_t)WIDER * HEIGHT);
    unsigned char *out = host_memory((size_t)WIDER * HEIGHT);
    char *device = device_memory((size_t)WIDER * HEIGHT);
    char *other = device_memory((size_t)WIDER * HEIGHT);
    CHECK_CODE(aclrtMemcpy2d(NULL, 0, NULL, 0, 0, 1, ACL_MEMCPY_DEFAULT), 0);
    CHECK_CODE(aclrtMemcpy2d(NULL, WIDE, in, WIDE, WIDTH, 1, ACL_MEMCPY_DEFAULT), 100000);
    CHECK_CODE(aclrtMemcpy2d(device, 10, in, WIDE, WIDTH, 1, ACL_MEMCPY_DEFAULT), 100000);
    CHECK_CODE(aclrtMemcpy2d(device, WIDE, in, WIDE, WIDTH, 1, ACL_MEMCPY_HOST_TO_HOST), 100000);
    CHECK_CODE(aclrtMemcpy2d(device, WIDE, in, WIDE, WIDTH, 5242881, ACL_MEMCPY_DEFAULT), 107000);
    CHECK_CODE(aclrtMemcpy2d(device, WIDE, other, WIDE, WIDTH, 1, ACL_MEMCPY_DEVICE_TO_DEVICE), 207000);
    CHECK_CODE(aclrtMemcpy2d(device, WIDE, other, WIDE, WIDTH, 1, ACL_MEMCPY_HOST_TO_DEVICE), 107000);
    fill(in, (size_t)WIDER * HEIGHT, 9);
    CHECK_CODE(aclrtMemcpy2d(device, WIDE, in, WIDER, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    CHECK_CODE(aclrtMemcpy2dAsync(other, WIDER, device, WIDE, WIDTH, HEIGHT, ACL_MEMCPY_DEVICE_TO_DEVICE, stream), 0);
    CHECK_CODE(aclrtMemcpy2dAsync(out, WIDER, other, WIDER, WIDTH, HEIGHT, ACL_MEMCPY_DEVICE_TO_HOST, stream), 0);
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    int wrong = 0;
    for (size_t row = 0; row < HEIGHT; row++) {
        wrong += memcmp(in + row * WIDER, out + row * WIDER, WIDTH) != 0;
        wrong += out[row * WIDER + WIDTH] != 0;
    }
    CHECK(wrong == 0);
    CHECK_CODE(aclrtDestroyStream(stream), 0);
    CHECK_CODE(aclrtFree(device), 0);
    CHECK_CODE(aclrtFree(other), 0);
    CHECK_CODE(aclrtFreeHost(in), 0);
    CHECK_CODE(aclrtFreeHost(out), 0);
}

static void test_codes(void)
{
    /* 11 of the driver, for an address without memory, has no counterpart. */
    aclrtPtrAttributes attributes;
    char *memory = device_memory(64 * MIB);
    CHECK_CODE(aclrtFree(memory), 0);
    CHECK_CODE(aclrtPointerGetAttributes(is_950() ? memory : memory + ((size_t)1 << 40), &attributes), 507899);
    (void)aclrtFree(NULL);
    const char *message = aclGetRecentErrMsg();
    CHECK(message != NULL && strstr(message, "100000") != NULL);
    CHECK(aclGetRecentErrMsg() == NULL);
}

int main(void)
{
    setenv("SOFTHAL_DEVICE_MEMORY", "256M", 0);
    NEED(aclInit(NULL));
    NEED(aclrtSetDevice(0));
    test_allocation();
    test_attributes();
    test_copies();
    test_copies_on_a_stream();
    test_rectangles();
    test_codes();
    test_second_device();
    NEED(aclrtResetDevice(0));
    NEED(aclFinalize());
    return finish();
}
