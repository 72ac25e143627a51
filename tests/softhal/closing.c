/* closing.c - devices are closed and opened again under threads that allocate, copy, convert and free. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "harness.h"

enum { WORKERS = 4 };
static atomic_int stop;
static atomic_int wrong;

/* Any call may find its device or its block gone; what matters is that nothing else happens. */
static void note(int code, const int *allowed, int count)
{
    for (int i = 0; i < count; i++) {
        if (code == allowed[i]) {
            return;
        }
    }
    atomic_fetch_add(&wrong, 1);
    printf("# code %d\n", code);
}

static void *work(void *argument)
{
    static const int gone[] = {0, 3, 4, 6, 8, 11, 13, 17, 42, 0xfffe};
    unsigned seed = (unsigned)(uintptr_t)argument;
    unsigned char bytes[9000];
    memset(bytes, 1, sizeof(bytes));
    while (!atomic_load(&stop)) {
        void *block = NULL;
        uint64_t fd = 0;
        struct DMA_ADDR dma;
        memset(&dma, 0, sizeof(dma));
        uint64_t flag = DEV | ((rand_r(&seed) & 1) != 0 ? MEM_PAGE_HUGE : 0);
        int code = (int)halMemAlloc(&block, (rand_r(&seed) % 3) * 20 * MIB + 9000, flag);
        note(code, gone, 10);
        if (code != 0) {
            continue;
        }
        /* Not drvMemcpy: v2 takes an address whose heap is gone for ordinary memory, and faults. */
        uint64_t dst[1] = {address_of(block)};
        uint64_t src[1] = {address_of(bytes)};
        size_t size[1] = {9000};
        note((int)halMemcpyBatch(dst, src, size, 1), gone, 10);
        code = (int)halMemCpyAsync(address_of(block), 9000, address_of(bytes), 9000, &fd);
        note(code, gone, 10);
        if (code == 0) {
            note((int)halMemCpyAsyncWaitFinish(fd), gone, 10);
        }
        code = (int)drvMemConvertAddr(address_of(block), address_of(bytes), 100, &dma);
        note(code, gone, 10);
        if (code == 0) {
            note((int)drvMemDestroyAddr(&dma), gone, 10);
        }
        note((int)halMemFree(block), gone, 10);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[WORKERS];
    struct timespec pause_time = {0, 3000000};
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    for (uintptr_t i = 0; i < WORKERS; i++) {
        CHECK(pthread_create(&thread[i], NULL, work, (void *)(i + 1)) == 0);
    }
    for (int i = 0; i < 150; i++) {
        nanosleep(&pause_time, NULL);
        CHECK_CODE(halMemAgentClose(0, 0), 0);
        CHECK_CODE(halMemAgentOpen(0, 0), 0);
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(thread[i], NULL);
    }
    CHECK(atomic_load(&wrong) == 0);
    CHECK_CODE(halMemAgentClose(0, 0), 0);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK(device_free(0) == device_total(0));
    return finish();
}
