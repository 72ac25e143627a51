/*
 * probe.c - shows each seeded fault through the public interface alone.  Against the normal build every
 * check holds; with a fault on, at least one fails (or the process crashes, or the alarm ends it).
 */
#include <pthread.h>
#include <signal.h>

#include "harness.h"

static char *alloc(size_t size, uint64_t flag)
{
    void *block = NULL;
    CHECK_CODE(halMemAlloc(&block, size, flag), 0);
    return block;
}

/* First, while this process has not used the driver: children must be strangers to it. */
static void killed_process(void)
{
    int ready[2];
    char byte = 0;
    CHECK(pipe(ready) == 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        void *block = NULL;
        int ok = halMemAgentOpen(0, 0) == 0 && halMemAlloc(&block, GIB, DEV | MEM_PAGE_HUGE) == 0;
        ok = write(ready[1], ok ? "y" : "n", 1) == 1;
        pause();
        _exit(ok);
    }
    CHECK(read(ready[0], &byte, 1) == 1 && byte == 'y');
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK(device_free(0) == device_total(0));
}

static void argument_checks(void)
{
    void *block = (void *)(uintptr_t)0x1234;
    DVdeviceptr base = 0;
    static uint64_t addresses[4097];
    static size_t sizes[4097];
    CHECK_CODE(halMemAlloc(NULL, 4096, DEV), 3);
    CHECK_CODE(halMemAlloc(&block, 0, DEV), 3);
    CHECK(block == NULL);
    CHECK_CODE(halMemAlloc(&block, UINT64_MAX, DEV), 6);
    CHECK_CODE(halMemAlloc(&block, 4096, HOST | MEM_PAGE_GIANT), 0xfffe);
    CHECK_CODE(drvMemcpy(0, 1, address_of(&base), 1), 3);
    CHECK_CODE(drvMemsetD8(address_of(&base), 1, 1, 0), 3);
    CHECK_CODE(halMemGetInfo(0, 2, NULL), 3);
    CHECK_CODE(halMemGetAddressRange(address_of(&base), NULL, NULL), 3);
    char *device = alloc(4096, DEV);
    for (int i = 0; i < 4097; i++) {
        addresses[i] = address_of(device);
        sizes[i] = 1;
    }
    uint64_t *sources = malloc(sizeof(addresses));
    static char bytes[4097];
    for (int i = 0; i < 4097; i++) {
        sources[i] = address_of(&bytes[i]);
    }
    CHECK_CODE(halMemcpyBatch(addresses, sources, sizes, 4097), 0xfffe);
    CHECK_CODE(halMemcpyBatch(addresses, sources, sizes, 2), 0);
    CHECK(sizes[0] == 1 && sizes[1] == 1);
    free(sources);
    CHECK_CODE(halMemFree(device), 0);
}

static void freeing(void)
{
    char *block = alloc(40 * MIB, DEV | MEM_PAGE_HUGE);
    DVdeviceptr base = 0;
    size_t size = 0;
    CHECK_CODE(halMemGetAddressRange(address_of(block) + 40 * MIB, &base, &size), 3);
    CHECK_CODE(halMemGetAddressRange(address_of(block), &base, &size), 0);
    CHECK(base == address_of(block) && size == 40 * MIB);
    CHECK_CODE(halMemFree(block + 4096), 3);
    CHECK_CODE(halMemGetAddressRange(address_of(block), &base, &size), 0);
    CHECK_CODE(halMemFree(block), 0);
    CHECK_CODE(halMemFree(block), 3);
    CHECK_CODE(halMemGetAddressRange(address_of(block), &base, &size), 3);
    block = alloc(8192, DEV);
    char *neighbour = alloc(8192, DEV);
    CHECK_CODE(halMemFree(block), 0);
    CHECK_CODE(drvMemsetD8(address_of(block), 16, 1, 16), 8);
    CHECK_CODE(halMemFree(neighbour), 0);
}

static void setting(void)
{
    unsigned char bytes[65536 + 4096];
    char *block = alloc(sizeof(bytes), DEV);
    CHECK_CODE(drvMemsetD8(address_of(block), sizeof(bytes), 0x11, sizeof(bytes)), 0);
    CHECK_CODE(drvMemsetD8(address_of(block) + 10, 100, 0x22, 100), 0);
    CHECK_CODE(drvMemsetD8(address_of(block), 10, 0x33, 20), 3);
    CHECK_CODE(drvMemcpy(address_of(bytes), sizeof(bytes), address_of(block), sizeof(bytes)), 0);
    CHECK(bytes[0] == 0x11 && bytes[9] == 0x11 && bytes[10] == 0x22 && bytes[109] == 0x22 && bytes[110] == 0x11);
    CHECK_CODE(drvMemsetD8(address_of(block), sizeof(bytes), 0x44, 65537), 0);
    CHECK_CODE(halMemFree(block), 0);

    /* What no cache keeps is placed anew: a longer block may lie where a shorter one was freed. */
    char *shorter = alloc(40 * MIB, DEV);
    CHECK_CODE(halMemFree(shorter), 0);
    char *longer = alloc(80 * MIB, DEV);
    CHECK(longer == shorter);
    CHECK_CODE(drvMemsetD8(address_of(longer), 80 * MIB, 7, 80 * MIB), 0);
    CHECK_CODE(halMemFree(longer), 0);
}

static void copying(void)
{
    char in[16384];
    char out[16384];
    char *block = alloc(16384, DEV);
    for (size_t i = 0; i < sizeof(in); i++) {
        in[i] = (char)(i * 7 + i / 256);
    }
    CHECK(holds_data(block, 8192 + 100));
    CHECK(holds_data(block, 12288));
    CHECK_CODE(drvMemcpy(address_of(block), 10, address_of(in), 20), 3);
    struct MEMCPY2D copy;
    memset(&copy, 0, sizeof(copy));
    copy.copy2d.dst = (unsigned long long *)(void *)block;
    copy.copy2d.src = (unsigned long long *)(void *)in;
    copy.copy2d.dpitch = 64;
    copy.copy2d.spitch = 48;
    copy.copy2d.width = 16;
    copy.copy2d.height = 3;
    copy.copy2d.direction = 1;
    CHECK_CODE(halMemcpy2D(&copy), 0);
    CHECK_CODE(drvMemcpy(address_of(out), 256, address_of(block), 256), 0);
    CHECK(memcmp(out, in, 16) == 0 && memcmp(out + 64, in + 48, 16) == 0 && memcmp(out + 128, in + 96, 16) == 0);
    copy.copy2d.dpitch = 1ULL << 63;
    copy.copy2d.height = 4;
    CHECK_CODE(halMemcpy2D(&copy), 3);
    uint64_t dst[3] = {address_of(block), address_of(block) + 1000, address_of(block) + 2000};
    uint64_t src[3] = {address_of(in), address_of(in) + 300, address_of(in) + 600};
    size_t size[3] = {100, 200, 300};
    CHECK_CODE(halMemcpyBatch(dst, src, size, 3), 0);
    CHECK(size[0] == 100);
    CHECK_CODE(drvMemcpy(address_of(out), 2400, address_of(block), 2400), 0);
    CHECK(memcmp(out + 1000, in + 300, 200) == 0 && memcmp(out + 2000, in + 600, 300) == 0);
    uint64_t fd = 0;
    CHECK_CODE(drvMemcpy(address_of(block), 16384, address_of(in), 16383), 0);
    memset(out, 0, sizeof(out));
    CHECK_CODE(halMemCpyAsync(address_of(out), sizeof(out), address_of(block), 16383, &fd), 0);
    CHECK_CODE(halMemCpyAsyncWaitFinish(fd), 0);
    CHECK(memcmp(in, out, 16383) == 0);
    CHECK_CODE(halMemFree(block), 0);
}

static void counters(void)
{
    uint64_t before = device_free(0);
    uint64_t other = device_free(1);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    char *block = alloc(64 * MIB, DEV | MEM_PAGE_HUGE);
    CHECK(before - device_free(0) == 64 * MIB);
    CHECK_CODE(halMemFree(block), 0);
    CHECK(device_free(0) == before);
    block = alloc(64 * MIB, DEV | MEM_PAGE_HUGE | 1);
    CHECK(other - device_free(1) == 64 * MIB && device_free(0) == before);
    struct DVattribute attribute = {0};
    CHECK_CODE(drvMemGetAttribute(address_of(block), &attribute), 0);
    CHECK(attribute.devId == 1 && attribute.pageSize == 2 * MIB);
    CHECK(address_of(block) % (2 * MIB) == 0);
    CHECK_CODE(halMemFree(block), 0);
    void *none = NULL;
    CHECK_CODE(halMemAlloc(&none, 2 * device_total(0), DEV | MEM_PAGE_HUGE), 6);
    CHECK_CODE(halMemAlloc(&none, 2 * device_total(0), DEV | MEM_PAGE_HUGE), 6);
    CHECK(none == NULL);
    CHECK(device_free(0) >= before); /* more, if the refusal emptied the cache */
    before = device_free(0);
    char *odd = alloc(4096, DEV | MEM_PAGE_HUGE);
    DVdeviceptr base = 0;
    size_t size = 0;
    CHECK_CODE(halMemGetAddressRange(address_of(odd), &base, &size), 0);
    CHECK(size == 2 * MIB && base % (2 * MIB) == 0);
    CHECK_CODE(halMemFree(odd), 0);
    /* The 2 MiB block is cached now; asking for everything must find it. */
    char *all = alloc(before, DEV | MEM_PAGE_HUGE);
    CHECK_CODE(halMemFree(all), 0);
}

static void distinct_blocks(void)
{
    char *block[20];
    for (int i = 0; i < 20; i++) {
        block[i] = alloc(4096, DEV | (7ULL << 56));
        for (int j = 0; j < i; j++) {
            CHECK(block[i] != block[j]);
        }
    }
    uint64_t address = address_of(block[3]);
    uint32_t module = 0;
    size_t size = 0;
    CHECK_CODE(halMemCtl(5, &address, 8, &module, &size), 0);
    CHECK(module == 7);
    for (int i = 0; i < 20; i++) {
        CHECK_CODE(halMemFree(block[i]), 0);
    }
}

static void pinned_and_closed(void)
{
    char host[64];
    struct DMA_ADDR dma;
    memset(&dma, 0, sizeof(dma));
    char *block = alloc(64 * MIB, DEV | MEM_PAGE_HUGE);
    CHECK_CODE(drvMemConvertAddr(address_of(host), address_of(block), 64, &dma), 0);
    CHECK_CODE(halMemFree(block), 13);
    CHECK_CODE(drvMemDestroyAddr(&dma), 0);
    CHECK_CODE(halMemFree(block), 0);
    block = alloc(4096, DEV);
    CHECK_CODE(halMemAgentClose(0, 0), 0);
    DVdeviceptr base = 0;
    CHECK_CODE(halMemGetAddressRange(address_of(block), &base, NULL), 3);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
}

static pthread_barrier_t start;
static void *given[2];
static int code[2];

static void *race_alloc(void *index)
{
    pthread_barrier_wait(&start);
    code[(uintptr_t)index] = (int)halMemAlloc(&given[(uintptr_t)index], 4096, DEV);
    return NULL;
}

static void *race_free(void *index)
{
    pthread_barrier_wait(&start);
    code[(uintptr_t)index] = (int)halMemFree(given[0]);
    return NULL;
}

static void both(void *(*run)(void *))
{
    pthread_t thread[2];
    for (uintptr_t i = 0; i < 2; i++) {
        pthread_create(&thread[i], NULL, run, (void *)i);
    }
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
}

static void races(void)
{
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 20; i++) {
        both(race_alloc);
        CHECK(code[0] == 0 && code[1] == 0 && given[0] != given[1]);
        halMemFree(given[1]);
        both(race_free);
        CHECK((code[0] == 0) + (code[1] == 0) == 1);
    }
}

static void forked_child(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        void *block = NULL;
        _exit(halMemAlloc(&block, 4096, DEV) == 8 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    alarm(10);
    killed_process();
    argument_checks();
    freeing();
    copying();
    counters();
    distinct_blocks();
    pinned_and_closed();
    races();
    forked_child();
    setting();
    return finish();
}
