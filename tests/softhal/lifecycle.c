/* lifecycle.c - open, allocate, set, copy, query, free, close, and the codes of wrong calls. */
#include "harness.h"

static void every_kind(void)
{
    const struct {
        uint64_t flag;
        size_t size;
        int v2, v3;
        uint32_t type;
    } kinds[] = {
        {DEV, 5000, 0, 0, 0x10},           {DEV | MEM_PAGE_HUGE, 3 * MIB, 0, 0, 0x10},
        {DVPP, 70000, 0, 0, 0x20},         {HOST, 10000, 0, 0, 0x8},
        {HOST_UVA, 10000, 0, 0, 0x8},      {SVM, 10000, 0, 0xfffe, 0x1},
        {UVM, 3 * MIB, 0, 0xfffe, 0x200},  {DEV | MEM_PAGE_GIANT, GIB, 0, 0, 0x10},
        {DEV | MEM_DEV_CP_ONLY, 4096, 0, 0, 0x10},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        void *block = NULL;
        int expected = is_v3() ? kinds[i].v3 : kinds[i].v2;
        CHECK_CODE(halMemAlloc(&block, kinds[i].size, kinds[i].flag), expected);
        if (expected != 0) {
            continue;
        }
        DVdeviceptr base = 0;
        size_t size = 0;
        struct DVattribute attribute;
        memset(&attribute, 0x55, sizeof(attribute));
        int cp_only = is_v3() && (kinds[i].flag & MEM_DEV_CP_ONLY) != 0;
        CHECK_CODE(halMemGetAddressRange(address_of(block) + 100, &base, &size), 0);
        CHECK(base == address_of(block) && size >= kinds[i].size);
        CHECK_CODE(drvMemGetAttribute(address_of(block), &attribute), cp_only ? 8 : 0);
        CHECK(cp_only || is_v3() || attribute.memType == kinds[i].type);
        size_t length = kinds[i].size < MIB ? kinds[i].size : MIB + 5;
        CHECK(cp_only || holds_data(block, length));
        CHECK_CODE(drvMemsetD8(address_of(block), length, 0xa5, length), cp_only ? 8 : 0);
        CHECK_CODE(halMemFree((char *)block + 1), 3);
        CHECK_CODE(halMemFree(block), 0);
        CHECK_CODE(halMemFree(block), 3);
        CHECK_CODE(halMemGetAddressRange(address_of(block), &base, &size), 3);
    }
}

static void host_memory_is_ordinary(void)
{
    char *host = NULL;
    char *device = NULL;
    CHECK_CODE(halMemAlloc((void **)&host, 8192, HOST), 0);
    CHECK_CODE(halMemAlloc((void **)&device, 8192, DEV), 0);
    memset(host, 7, 8192);
    CHECK_CODE(drvMemcpy(address_of(device), 8192, address_of(host), 8192), 0);
    memset(host, 0, 8192);
    CHECK_CODE(drvMemcpy(address_of(host), 8192, address_of(device), 8192), 0);
    CHECK(host[0] == 7 && host[8191] == 7);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) { /* device memory cannot be read by the CPU, in whatever process */
        _exit(*(volatile char *)device);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(status != 0);
    CHECK_CODE(halMemFree(host), 0);
    CHECK_CODE(halMemFree(device), 0);
}

static void wrong_arguments(void)
{
    void *block = (void *)(uintptr_t)0x1234;
    char bytes[16] = "0123456789";
    int v3 = is_v3();
    CHECK_CODE(halMemAlloc(NULL, 4096, DEV), 3);
    CHECK_CODE(halMemAlloc(&block, 0, DEV), 3);
    CHECK(block == (v3 ? (void *)(uintptr_t)0x1234 : NULL));
    block = (void *)(uintptr_t)0x1234;
    CHECK_CODE(halMemAlloc(&block, 4096, 0x1400), 0xfffe);
    CHECK(block == (void *)(uintptr_t)0x1234);
    CHECK_CODE(halMemAlloc(&block, UINT64_MAX, DEV), 6);
    CHECK_CODE(halMemAlloc(&block, 4096, DEV | 70), 2);
    CHECK_CODE(halMemAlloc(&block, 4096, DEV | 1), v3 ? 11 : 42);
    CHECK_CODE(halMemAlloc(&block, 4096, DEV | MEM_PAGE_GIANT | MEM_PAGE_HUGE), 3);
    CHECK_CODE(halMemAlloc(&block, 4096, HOST | MEM_PAGE_GIANT), 0xfffe);
    CHECK_CODE(halMemFree(NULL), 3);
    CHECK_CODE(halMemFree(bytes), 3);
    CHECK_CODE(drvMemcpy(0, 1, address_of(bytes), 1), 3);
    CHECK_CODE(drvMemcpy(address_of(bytes), 1, address_of(bytes) + 2, 2), 3);
    CHECK_CODE(drvMemcpy(address_of(bytes), 1, address_of(bytes) + 2, 0), 0);
    CHECK_CODE(drvMemsetD8(address_of(bytes), 3, 'x', 4), 3);
    CHECK_CODE(drvMemsetD8(address_of(bytes), 4, 'x', 4), 0);
    CHECK(memcmp(bytes, "xxxx456789", 10) == 0);
    CHECK_CODE(halMemcpyBatch(NULL, NULL, NULL, 1), 8);
    CHECK_CODE(halMemAgentOpen(0, 1), 0xfffe);
    CHECK_CODE(halMemAgentOpen(66, 0), 3);
    CHECK_CODE(halMemAgentClose(66, 0), 2);
    CHECK_CODE(halMemCtl(99, NULL, 0, NULL, NULL), 0xfffe);
    CHECK_CODE(halMemGetInfo(0, 2, NULL), 3);
    CHECK_CODE(drvMemAddressTranslate(address_of(bytes), NULL), v3 ? 0xfffe : 3);
}

static void rows_and_batches(void)
{
    char *device = NULL;
    char from[64];
    char to[64];
    for (int i = 0; i < 64; i++) {
        from[i] = (char)i;
    }
    CHECK_CODE(halMemAlloc((void **)&device, 65536, DEV), 0);
    CHECK_CODE(drvMemsetD8(address_of(device), 65536, 0, 65536), 0);
    struct MEMCPY2D copy;
    memset(&copy, 0, sizeof(copy));
    copy.copy2d.dst = (unsigned long long *)(void *)device;
    copy.copy2d.src = (unsigned long long *)(void *)from;
    copy.copy2d.dpitch = 32;
    copy.copy2d.spitch = 16;
    copy.copy2d.width = 8;
    copy.copy2d.height = 4;
    copy.copy2d.direction = 1;
    CHECK_CODE(halMemcpy2D(&copy), 0);
    CHECK_CODE(drvMemcpy(address_of(to), 64, address_of(device) + 64, 64), 0);
    CHECK(to[0] == 32 && to[7] == 39 && to[8] == 0 && to[32] == 48 && to[40] == 0);
    uint64_t dst[2] = {address_of(device), address_of(device) + 100};
    uint64_t src[2] = {address_of(from), address_of(from) + 10};
    size_t size[2] = {10, 20};
    CHECK_CODE(halMemcpyBatch(dst, src, size, 2), 0);
    CHECK_CODE(drvMemcpy(address_of(to), 20, address_of(device) + 100, 20), 0);
    CHECK(memcmp(to, from + 10, 20) == 0);
    CHECK_CODE(halMemFree(device), 0);
}

static void asynchronous(void)
{
    char *device = NULL;
    uint64_t fd = 0;
    char *host = malloc(4 * MIB);
    CHECK_CODE(halMemAlloc((void **)&device, 64 * MIB, DEV | MEM_PAGE_HUGE), 0);
    memset(host, 3, 4 * MIB);
    if (is_v3()) {
        CHECK_CODE(halMemCpyAsync(address_of(device), 10, address_of(host), 10, &fd), 0xfffe);
    } else {
        struct DMA_ADDR dma;
        memset(&dma, 0, sizeof(dma));
        CHECK_CODE(halMemCpyAsync(address_of(device), 4 * MIB, address_of(host), 4 * MIB, &fd), 0);
        CHECK_CODE(halMemFree(device), 13);
        CHECK_CODE(halMemCpyAsyncWaitFinish(fd), 0);
        CHECK_CODE(halMemCpyAsyncWaitFinish(0), 11);
        CHECK_CODE(drvMemConvertAddr(address_of(device), address_of(host), 4096, &dma), 0);
        CHECK_CODE(halMemFree(device), 13);
        memset(host, 0, 4096);
        CHECK_CODE(halMemcpySumbit(&dma, 0), 0);
        CHECK(host[0] == 3 && host[4095] == 3);
        CHECK_CODE(halMemcpySumbit(&dma, 1), 0);
        CHECK_CODE(halMemcpyWait(&dma), 0);
        CHECK_CODE(drvMemDestroyAddr(&dma), 0);
        CHECK_CODE(drvMemDestroyAddr(&dma), 8);
    }
    CHECK_CODE(halMemFree(device), 0);
    free(host);
}

static void svm_pages(void)
{
    char *block = NULL;
    uint64_t physical = 0;
    struct DVattribute attribute = {0};
    if (is_v3()) {
        return;
    }
    CHECK_CODE(halMemAlloc((void **)&block, 8192, SVM), 0);
    CHECK_CODE(drvMemPrefetchToDevice(address_of(block), 8192, 0), 8);
    CHECK_CODE(drvMemAddressTranslate(address_of(block), &physical), 8);
    CHECK_CODE(drvMemsetD8(address_of(block), 100, 9, 100), 0);
    CHECK_CODE(drvMemGetAttribute(address_of(block), &attribute), 0);
    CHECK(attribute.memType == 0x2 && block[99] == 9);
    block[4096] = 1; /* touched by the CPU */
    CHECK_CODE(drvMemGetAttribute(address_of(block) + 4096, &attribute), 0);
    CHECK(attribute.memType == 0x2);
    CHECK_CODE(drvMemPrefetchToDevice(address_of(block), 8192, 0), 0);
    CHECK_CODE(drvMemGetAttribute(address_of(block), &attribute), 0);
    CHECK(attribute.memType == 0x4 && attribute.devId == 0);
    CHECK(block[99] == 9 && block[100] == 0); /* the CPU brings the page home */
    CHECK_CODE(drvMemGetAttribute(address_of(block), &attribute), 0);
    CHECK(attribute.memType == 0x2);
    CHECK_CODE(drvMemPrefetchToDevice(address_of(block), 8192, 0), 0);
    CHECK_CODE(drvMemAddressTranslate(address_of(block), &physical), 0);
    CHECK_CODE(halMemFree(block), 13);
    CHECK_CODE(halMemAlloc((void **)&block, 8192, SVM), 0);
    CHECK_CODE(halMemAdvise(address_of(block), 8192, 1, 0), 0);
    CHECK_CODE(halMemAdvise(address_of(block), 8192, 4, 0), 3);
    CHECK_CODE(halMemFree(block), 0);
}

static void control(void)
{
    uint64_t address = 0;
    uint32_t module = 0;
    size_t size = 0;
    void *block = NULL;
    CHECK_CODE(halMemAlloc(&block, 4096, DEV | (7ULL << 56)), 0);
    address = address_of(block);
    CHECK_CODE(halMemCtl(5, &address, 8, &module, &size), 0);
    CHECK(module == 7 && size == 4);
    address = 12;
    CHECK_CODE(halMemCtl(5, &address, 8, &module, &size), 0);
    CHECK(module == 0xffff);
    struct supportFeaturePara in = {~0ULL, 0};
    struct supportFeaturePara out = {0, 0};
    CHECK_CODE(halMemCtl(2, &in, sizeof(in), &out, &size), 0);
    CHECK((out.support_feature & 0x10) != 0);
    CHECK_CODE(halMemFree(block), 0);
}

static void large_block(void)
{
    void *block = NULL;
    DVdeviceptr base = 0;
    size_t size = 0;
    uint64_t before = device_free(0);
    CHECK_CODE(halMemAlloc(&block, 600 * MIB + 1, DEV | MEM_PAGE_HUGE), 0);
    CHECK(before - device_free(0) == 602 * MIB);
    CHECK_CODE(halMemGetAddressRange(address_of(block), &base, &size), 0);
    CHECK(size == (is_v3() ? 600 * MIB + 1 : GIB));
    CHECK_CODE(halMemFree(block), 0);
    CHECK(device_free(0) == before);
}

int main(void)
{
    uint32_t devices = 0;
    uint64_t fd = 0;
    CHECK_CODE(drvGetDevNum(&devices), 0);
    /* v2: a call that goes straight to the driver does not initialise the process; counting devices neither. */
    CHECK_CODE(halMemCpyAsync(1, 1, 1, 1, &fd), is_v3() ? 0xfffe : 17);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK(devices == 2);
    every_kind();
    host_memory_is_ordinary();
    wrong_arguments();
    rows_and_batches();
    asynchronous();
    svm_pages();
    control();
    large_block();
    CHECK_CODE(halMemAgentClose(0, 0), 0);
    CHECK_CODE(halMemAgentClose(0, 0), 0);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK(device_free(0) == device_total(0));
    return finish();
}
