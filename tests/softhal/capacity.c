/* capacity.c - the memory of a device is shared by processes, limited, and comes back after SIGKILL. */
#include <signal.h>

#include "harness.h"

#define STEP (64 * MIB)

static unsigned fill(uint32_t device, void **blocks, unsigned limit)
{
    unsigned count = 0;
    while (count < limit && halMemAlloc(&blocks[count], STEP, DEV | MEM_PAGE_HUGE | device) == 0) {
        count++;
    }
    return count;
}

int main(void)
{
    static void *blocks[4096];
    int ready[2];
    int go[2];
    char byte = 0;
    CHECK(pipe(ready) == 0 && pipe(go) == 0);
    fflush(stdout);
    pid_t child = fork(); /* before the driver is used: an independent process */
    if (child == 0) {
        int ok = halMemAgentOpen(0, 0) == 0 && read(go[0], &byte, 1) == 1;
        void *block = NULL;
        ok = ok && halMemAlloc(&block, GIB, DEV | MEM_PAGE_HUGE) == 0;
        ok = ok && write(ready[1], ok ? "y" : "n", 1) == 1;
        pause();
        _exit(1);
    }
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    uint64_t total = device_total(0);
    CHECK(device_free(0) == total);

    unsigned all = fill(0, blocks, 4096);
    CHECK(all == total / STEP);
    CHECK(device_free(0) == total % STEP);
    void *more = NULL;
    CHECK_CODE(halMemAlloc(&more, STEP, DEV | MEM_PAGE_HUGE), 6);
    CHECK_CODE(halMemAlloc(&more, total * 2, DEV | MEM_PAGE_HUGE), 6);
    for (unsigned i = 0; i < all; i++) {
        CHECK(halMemFree(blocks[i]) == 0);
    }
    CHECK(device_free(0) == total);

    CHECK(write(go[1], "g", 1) == 1 && read(ready[0], &byte, 1) == 1 && byte == 'y');
    CHECK(device_free(0) == total - GIB);
    CHECK_CODE(halMemAlloc(&more, total - GIB + 2 * MIB, DEV | MEM_PAGE_HUGE), 6);
    kill(child, SIGKILL);
    /* Not waited for yet: the memory of a dead process must not depend on its parent. */
    for (int i = 0; i < 200 && device_free(0) != total; i++) {
        usleep(10000);
    }
    CHECK(device_free(0) == total);
    CHECK_CODE(halMemAlloc(&more, total - GIB + 2 * MIB, DEV | MEM_PAGE_HUGE), 0);
    CHECK_CODE(halMemFree(more), 0);
    waitpid(child, NULL, 0);

    /* Small blocks stay cached after a free, and the cache gives way when memory is short. */
    void *small[8];
    for (int i = 0; i < 8; i++) {
        CHECK_CODE(halMemAlloc(&small[i], MIB, DEV), 0);
    }
    for (int i = 0; i < 8; i++) {
        CHECK_CODE(halMemFree(small[i]), 0);
    }
    CHECK(device_free(0) < total);
    CHECK_CODE(halMemAlloc(&more, total - 2 * MIB, DEV | MEM_PAGE_HUGE), 0);
    CHECK_CODE(halMemFree(more), 0);
    return finish();
}
