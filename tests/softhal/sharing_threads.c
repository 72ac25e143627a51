/* sharing_threads.c - mappings, names and registrations made and taken back by several threads at once. */
#include <pthread.h>
#include <stdatomic.h>

#include "vmm.h"

enum { WORKERS = 4, ROUNDS = 60 };

static atomic_int wrong;
static drv_mem_handle_t *common;
static char *common_va;

static void expect(int code, int first, int second)
{
    if (code != first && code != second) {
        atomic_fetch_add(&wrong, 1);
        printf("# code %d, not %d or %d\n", code, first, second);
    }
}

/* Everybody maps the common handle, writes a line of its own, and reads it through the common mapping. */
static void through_aliases(unsigned me)
{
    unsigned char line[64];
    unsigned char back[64];
    void *va = NULL;
    drv_mem_handle_t *retained = NULL;
    memset(line, (int)me + 1, sizeof(line));
    expect((int)halMemAddressReserve(&va, 2 * MIB, 0, NULL, 0), 0, 0);
    expect((int)halMemMap(va, 2 * MIB, 0, common, 0), 0, 0);
    expect((int)drvMemcpy(address_of(va) + me * 64, 64, address_of(line), 64), 0, 0);
    expect((int)drvMemcpy(address_of(back), 64, address_of(common_va) + me * 64, 64), 0, 0);
    if (memcmp(line, back, 64) != 0) {
        atomic_fetch_add(&wrong, 1);
    }
    expect((int)halMemRetainAllocationHandle(&retained, va), 0, 0);
    expect((int)halMemUnmap(va), 0, 0);
    expect((int)halMemRelease(retained), 0, 0);
    expect((int)halMemAddressFree(va), 0, 0);
}

/* A slot that all threads fight for: one wins the map, one the unmap, nobody gets anything in between. */
static void over_one_slot(void)
{
    int taken = is_v3() ? 12 : 17;
    int busy = is_v3() ? 3 : 8;
    int code = (int)halMemMap(common_va + 4 * MIB, 2 * MIB, 0, common, 0);
    expect(code, 0, taken);
    if (code == 0) {
        expect((int)drvMemsetD8(address_of(common_va) + 4 * MIB + MIB, 64, 1, 64), 0, busy);
        expect((int)halMemUnmap(common_va + 4 * MIB), 0, is_v3() ? 8 : 13);
    }
}

static void with_names(void)
{
    char name[65];
    void *block = NULL;
    void *dst = NULL;
    uint64_t va = 0;
    expect((int)halMemAlloc(&block, 40 * MIB, DEV | MEM_PAGE_HUGE), 0, 0);
    expect((int)halShmemCreateHandle(address_of(block), 40 * MIB, name, 65), 0, 0);
    expect((int)halShmemSetAttribute(name, 1, 1), 0, 0);
    expect((int)halShmemOpenHandleByDevId(0, name, &va), 0, 0);
    expect((int)drvMemsetD8(va, 4096, 7, 4096), 0, 0);
    expect((int)halHostRegister(block, 2 * MIB, DEV_SVM_MAP_HOST, 0, &dst), 0, 0);
    if (dst != block || *(volatile char *)block != 7) {
        atomic_fetch_add(&wrong, 1);
    }
    expect((int)halShmemCloseHandle(va), 0, 0);
    expect((int)halHostUnregisterEx(block, 0, DEV_SVM_MAP_HOST), 0, 0);
    expect((int)halShmemDestroyHandle(name), 0, 0);
    expect((int)halMemFree(block), 0, 0);
}

static void *work(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        through_aliases((unsigned)(uintptr_t)argument);
        over_one_slot();
        with_names();
    }
    return NULL;
}

int main(void)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    pthread_t thread[WORKERS];
    alarm(100);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    common_va = reserve(8 * MIB);
    CHECK_CODE(halMemCreate(&common, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemMap(common_va, 2 * MIB, 0, common, 0), 0);
    for (uintptr_t i = 0; i < WORKERS; i++) {
        CHECK(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(thread[i], NULL);
    }
    CHECK(atomic_load(&wrong) == 0);
    (void)halMemUnmap(common_va + 4 * MIB);
    CHECK_CODE(halMemUnmap(common_va), 0);
    CHECK_CODE(halMemRelease(common), 0);
    CHECK_CODE(halMemAddressFree(common_va), 0);
    CHECK(device_free(0) == device_total(0));
    return finish();
}
