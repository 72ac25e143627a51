/* pools.c - SOMA: order of the checks, what malloc, free and trim do to memory and counters, both generations. */
#include "harness.h"

#define PAGE (2 * MIB)
#define POOL_BYTES (16 * MIB)

static soma_mem_pool_t pool_of(uint64_t id, uint32_t device)
{
    soma_mem_pool_t pool = {.poolId = id, .devId = device};
    return pool;
}

/* v2 has a window for pools, which sanitized builds move; v3 wants a reservation. */
static uint64_t window_start(void)
{
    static const uint64_t candidates[] = {0xC0000000000ULL, 0x2E0000000000ULL};
    for (int i = 0; i < 2; i++) {
        struct DVattribute attribute = {0};
        if (drvMemGetAttribute(candidates[i], &attribute) == 0 && attribute.memType == DV_MEM_SOMA) {
            return candidates[i];
        }
    }
    return 0;
}

static uint64_t addresses(uint64_t size)
{
    static uint64_t next;
    void *address = NULL;
    if (is_v3()) {
        return halMemAddressReserve(&address, size, 0, NULL, MEM_HUGE_PAGE_TYPE) == 0 ? address_of(address) : 0;
    }
    next = next == 0 ? window_start() : next;
    uint64_t given = next;
    next += size;
    return given;
}

static soma_mem_pool_prop prop_of(uint64_t va, uint64_t size)
{
    soma_mem_pool_prop prop;
    memset(&prop, 0, sizeof(prop));
    prop.handle_type = MEM_HANDLE_TYPE_POSIX;
    prop.mem_prop.side = MEM_DEV_SIDE;
    prop.mem_prop.module_id = ASCENDCL_MODULE_ID;
    prop.mem_prop.pg_type = MEM_HUGE_PAGE_TYPE;
    prop.mem_prop.mem_type = MEM_HBM_TYPE;
    prop.va = va;
    prop.maxSize = size;
    return prop;
}

static void test_first_call(void)
{
    /* The very first memory call of a process, with the public address of the window. */
    if (!is_v3()) {
        CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop_of(0xC0000000000ULL, PAGE)), 17);
        CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop_of(0, PAGE)), 3);
    }
}

static void test_create_checks(void)
{
    uint64_t va = addresses(POOL_BYTES);
    soma_mem_pool_prop prop = prop_of(va, POOL_BYTES);
    CHECK(va != 0);
    prop.handle_type = MEM_HANDLE_TYPE_FABRIC;
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop), 3);
    prop = prop_of(va, POOL_BYTES);
    prop.mem_prop.side = MEM_HOST_SIDE;
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop), 3);
    prop = prop_of(va, POOL_BYTES);
    prop.mem_prop.module_id = APP_MODULE_ID;
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop), 3);
    prop = prop_of(va, POOL_BYTES);
    prop.mem_prop.pg_type = MEM_NORMAL_PAGE_TYPE;
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop), 3);
    prop = prop_of(va, POOL_BYTES);
    prop.mem_prop.mem_type = MEM_DDR_TYPE;
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop), 3);
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop_of(0, POOL_BYTES)), 3);
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop_of(va, 0)), 3);
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop_of(va, POOL_BYTES - 4096)), 3);
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop_of(va + 4096, PAGE)), 3);
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop_of(va, UINT64_MAX - PAGE + 1)), 3);
    CHECK_CODE(halMemPoolCreate(pool_of(1, 64), prop), 3);
    prop = prop_of(va, POOL_BYTES);
    CHECK_CODE(halMemPoolCreate(pool_of(1, 64), prop), is_v3() ? 3 : 8);
    /* The device of the properties is compared by v3 only. */
    prop.mem_prop.devid = 1;
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop), is_v3() ? 3 : 0);
    if (!is_v3()) {
        CHECK_CODE(halMemPoolCreate(pool_of(2, 0), prop), 8); /* addresses of another pool */
        CHECK_CODE(halMemPoolDestroy(pool_of(1, 0)), 0);
    }
    prop.mem_prop.devid = 0;
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop), 0);
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop_of(addresses(POOL_BYTES), POOL_BYTES)), 38);
    if (is_v3()) {
        CHECK_CODE(halMemAddressFree((void *)(uintptr_t)va), 13);
    }
    CHECK_CODE(halMemPoolDestroy(pool_of(1, 0)), 0);
    CHECK_CODE(halMemPoolDestroy(pool_of(1, 0)), is_v3() ? 11 : 8);
    CHECK_CODE(halMemPoolDestroy(pool_of(1, 64)), is_v3() ? 11 : 3);
    CHECK_CODE(halMemPoolDestroy(pool_of(1, 1)), is_v3() ? 11 : 3); /* that device is not open */
}

/* An address outside the pool window of v2 and outside every reservation of v3. */
static void test_foreign_addresses(void)
{
    void *plain = NULL;
    void *reserved = NULL;
    CHECK_CODE(halMemAlloc(&plain, PAGE, HOST), 0);
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop_of(address_of(plain), PAGE)), 3);
    CHECK_CODE(halMemFree(plain), 0);
    CHECK_CODE(halMemAddressReserve(&reserved, PAGE, 0, NULL, MEM_HUGE_PAGE_TYPE), 0);
    CHECK_CODE(halMemPoolCreate(pool_of(1, 0), prop_of(address_of(reserved), PAGE)), is_v3() ? 0 : 3);
    CHECK_CODE(is_v3() ? halMemPoolDestroy(pool_of(1, 0)) : halMemAddressFree(reserved), 0);
    if (is_v3()) {
        CHECK_CODE(halMemAddressFree(reserved), 3); /* went with the pool */
    }
}

static void test_memory(void)
{
    uint64_t va = addresses(POOL_BYTES);
    uint64_t other_va = addresses(POOL_BYTES);
    soma_mem_pool_t pool = pool_of(7, 0);
    soma_mem_pool_t other = pool_of(8, 0);
    uint64_t before = device_free(0);
    CHECK_CODE(halMemPoolCreate(pool, prop_of(va, POOL_BYTES)), 0);
    CHECK_CODE(halMemPoolCreate(other, prop_of(other_va, POOL_BYTES)), 0);
    CHECK(device_free(0) == before); /* address space only */
    CHECK(drvMemsetD8(va, 8, 1, 8) != 0);

    CHECK_CODE(halMemPoolMalloc(pool, va, 2 * PAGE, 0), 0);
    CHECK(device_free(0) == before - 2 * PAGE);
    CHECK(holds_data((void *)(uintptr_t)va, 2 * PAGE));
    CHECK(drvMemsetD8(va + 2 * PAGE, 8, 1, 8) != 0);
    CHECK(drvMemsetD8(va + PAGE, 2 * PAGE, 1, 2 * PAGE) != 0);
    CHECK_CODE(halMemPoolMalloc(pool, va + PAGE, PAGE, 0), 13);
    CHECK_CODE(halMemPoolMalloc(pool, va + 2 * PAGE, 4096, 0), 3);
    CHECK_CODE(halMemPoolMalloc(pool, va + 2 * PAGE, 0, 0), 3);
    CHECK_CODE(halMemPoolMalloc(pool, va + POOL_BYTES - PAGE, 2 * PAGE, 0), 3);
    CHECK_CODE(halMemPoolMalloc(pool, other_va, PAGE, 0), 3);
    CHECK_CODE(halMemPoolMalloc(pool_of(9, 0), va, PAGE, 0), 11);
    CHECK_CODE(halMemPoolMalloc(pool_of(7, 1), va, PAGE, 0), 11);
    CHECK_CODE(halMemPoolFree(pool, va + PAGE, PAGE, 4), 3);
    CHECK_CODE(halMemPoolFree(pool, va, PAGE, 4), 3);

    /* Freed memory stays in the pool, with what is in it, and can be used again in other pieces. */
    CHECK_CODE(drvMemsetD8(va, 2 * PAGE, 0x5a, 2 * PAGE), 0);
    CHECK_CODE(halMemPoolFree(pool, va, 2 * PAGE, 4), 0);
    CHECK_CODE(halMemPoolFree(pool, va, 2 * PAGE, 4), 3);
    CHECK(device_free(0) == before - 2 * PAGE);
    CHECK(drvMemsetD8(va, 8, 1, 8) != 0);
    CHECK_CODE(halMemPoolMalloc(pool, va + PAGE, 2 * PAGE, 0), 0);
    CHECK(device_free(0) == before - 3 * PAGE);
    unsigned char byte = 0;
    CHECK_CODE(drvMemcpy(address_of(&byte), 1, va + PAGE, 1), 0);
    CHECK(byte == 0x5a);

    /* A pool that is destroyed takes its live memory along. */
    CHECK_CODE(halMemPoolMalloc(other, other_va, PAGE, 0), 0);
    CHECK_CODE(drvMemsetD8(other_va, PAGE, 3, PAGE), 0);
    CHECK_CODE(halMemPoolDestroy(pool), 0);
    CHECK(device_free(0) == before - PAGE);
    CHECK(drvMemsetD8(va + PAGE, 8, 1, 8) != 0);
    CHECK_CODE(drvMemcpy(address_of(&byte), 1, other_va, 1), 0);
    CHECK(byte == 3);
    CHECK_CODE(halMemPoolDestroy(other), 0);
    CHECK(device_free(0) == before);
}

static void test_exhaustion(void)
{
    uint64_t size = device_total(0) + 4 * PAGE;
    uint64_t va = addresses(size);
    uint64_t before = device_free(0);
    soma_mem_pool_t pool = pool_of(11, 0);
    CHECK_CODE(halMemPoolCreate(pool, prop_of(va, size)), 0); /* more than there is */
    CHECK_CODE(halMemPoolMalloc(pool, va, before / PAGE * PAGE, 0), 0);
    CHECK_CODE(halMemPoolMalloc(pool, va + before / PAGE * PAGE, PAGE, 0), 6);
    CHECK(drvMemsetD8(va + before / PAGE * PAGE, 8, 1, 8) != 0);
    CHECK_CODE(halMemPoolFree(pool, va, before / PAGE * PAGE, 4), 0);
    CHECK_CODE(halMemPoolMalloc(pool, va, PAGE, 0), 0); /* from what the pool kept */
    CHECK_CODE(halMemPoolDestroy(pool), 0);
    CHECK(device_free(0) == before);
}

static void test_trim(void)
{
    uint64_t va = addresses(POOL_BYTES);
    soma_mem_pool_t pool = pool_of(12, 0);
    uint64_t before = device_free(0);
    uint64_t keep = 3 * PAGE;
    unsigned char byte = 0;
    CHECK_CODE(halMemPoolCreate(pool, prop_of(va, POOL_BYTES)), 0);
    if (is_v3()) {
        CHECK_CODE(halMemPoolTrim(pool, NULL, 0, 0), 0xfffe);
        CHECK_CODE(halMemPoolDestroy(pool), 0);
        return;
    }
    for (uint64_t i = 0; i < 6; i++) {
        CHECK_CODE(halMemPoolMalloc(pool, va + i * PAGE, PAGE, 0), 0);
    }
    CHECK_CODE(drvMemsetD8(va, 2 * PAGE, 0x77, 2 * PAGE), 0);
    for (uint64_t i = 2; i < 6; i++) {
        CHECK_CODE(halMemPoolFree(pool, va + i * PAGE, PAGE, 4), 0);
    }
    CHECK_CODE(halMemPoolTrim(pool, NULL, 2 * PAGE, 4 * PAGE), 3);
    keep = 4096;
    CHECK_CODE(halMemPoolTrim(pool, &keep, 2 * PAGE, 4 * PAGE), 8);
    CHECK(keep == 4096);
    keep = 3 * PAGE;
    CHECK_CODE(halMemPoolTrim(pool, &keep, 2 * PAGE + 1, 4 * PAGE), 8);
    CHECK_CODE(halMemPoolTrim(pool_of(13, 0), &keep, 2 * PAGE, 4 * PAGE), 8);
    CHECK_CODE(halMemPoolTrim(pool, &keep, 2 * PAGE, 4 * PAGE), 0);
    CHECK(keep == 3 * PAGE);
    CHECK(device_free(0) == before - 3 * PAGE);
    keep = 0;
    CHECK_CODE(halMemPoolTrim(pool, &keep, 2 * PAGE, PAGE), 0);
    CHECK(keep == 2 * PAGE); /* what is used stays, and is told */
    CHECK(device_free(0) == before - 2 * PAGE);
    CHECK_CODE(drvMemcpy(address_of(&byte), 1, va + 2 * PAGE - 1, 1), 0);
    CHECK(byte == 0x77);
    CHECK_CODE(halMemPoolDestroy(pool), 0);
    CHECK(device_free(0) == before);
}

static uint64_t attribute(soma_mem_pool_t pool, enum soma_mem_pool_attr attr)
{
    uint64_t value = 0xa5a5;
    CHECK_CODE(halMemPoolGetAttr(pool, attr, &value), 0);
    return value;
}

static void test_attributes(void)
{
    uint64_t va = addresses(POOL_BYTES);
    soma_mem_pool_t pool = pool_of(14, 0);
    uint64_t value = 4 * MIB;
    CHECK_CODE(halMemPoolCreate(pool, prop_of(va, POOL_BYTES)), 0);
    if (!is_v3()) {
        CHECK_CODE(halMemPoolSetAttr(pool, SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), 0xfffe);
        CHECK_CODE(halMemPoolGetAttr(pool, SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), 0xfffe);
        CHECK_CODE(halMemPoolAsyncConfig(pool, va, PAGE, SOMA_ASYNC_MALLOC), 0xfffe);
        CHECK_CODE(halMemPoolDestroy(pool), 0);
        return;
    }
    CHECK_CODE(halMemPoolSetAttr(pool, SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD, NULL), 3);
    CHECK_CODE(halMemPoolGetAttr(pool, SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD, NULL), 3);
    CHECK_CODE(halMemPoolSetAttr(pool_of(99, 0), (enum soma_mem_pool_attr)9, &value), 3);
    CHECK_CODE(halMemPoolSetAttr(pool, (enum soma_mem_pool_attr)9, &value), 0xfffe);
    CHECK_CODE(halMemPoolGetAttr(pool, (enum soma_mem_pool_attr)9, &value), 3);
    CHECK_CODE(halMemPoolGetAttr(pool_of(99, 0), SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), 3);
    CHECK(attribute(pool, SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD) == 0);
    CHECK_CODE(halMemPoolSetAttr(pool, SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), 0);
    CHECK(attribute(pool, SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD) == 4 * MIB);
    value = 4096;
    CHECK_CODE(halMemPoolSetAttr(pool, SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), 3);
    value = 1ULL << 63;
    CHECK_CODE(halMemPoolSetAttr(pool, SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), 3);
    CHECK(attribute(pool, SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD) == 4 * MIB);
    value = 0;
    CHECK_CODE(halMemPoolSetAttr(pool, SOMA_MEM_POOL_ATTR_USED_MEM_CURRENT, &value), 3);
    CHECK_CODE(halMemPoolSetAttr(pool, SOMA_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, &value), 3);

    CHECK_CODE(halMemPoolMalloc(pool, va, 3 * PAGE, 0), 0);
    CHECK_CODE(halMemPoolMalloc(pool, va + 3 * PAGE, PAGE, 0), 0);
    CHECK_CODE(halMemPoolFree(pool, va, 3 * PAGE, 4), 0);
    CHECK(attribute(pool, SOMA_MEM_POOL_ATTR_USED_MEM_CURRENT) == PAGE);
    CHECK(attribute(pool, SOMA_MEM_POOL_ATTR_USED_MEM_HIGH) == 4 * PAGE);
    CHECK(attribute(pool, SOMA_MEM_POOL_ATTR_RESERVED_MEM_CURRENT) == 4 * PAGE);
    CHECK(attribute(pool, SOMA_MEM_POOL_ATTR_RESERVED_MEM_HIGH) == 4 * PAGE);
    value = PAGE;
    CHECK_CODE(halMemPoolSetAttr(pool, SOMA_MEM_POOL_ATTR_USED_MEM_HIGH, &value), 3);
    value = 0;
    CHECK_CODE(halMemPoolSetAttr(pool, SOMA_MEM_POOL_ATTR_USED_MEM_HIGH, &value), 0);
    uint64_t mark = attribute(pool, SOMA_MEM_POOL_ATTR_USED_MEM_HIGH);
    CHECK(mark == 0 || mark == PAGE); /* which of them is not documented */
    CHECK_CODE(halMemPoolMalloc(pool, va, PAGE, 0), 0);
    CHECK(attribute(pool, SOMA_MEM_POOL_ATTR_USED_MEM_HIGH) == 2 * PAGE);

    /* What the host announces. */
    CHECK_CODE(halMemPoolAsyncConfig(pool_of(99, 0), va, PAGE, 5), 3);
    CHECK_CODE(halMemPoolAsyncConfig(pool_of(14, 1), va, PAGE, SOMA_ASYNC_MALLOC), 3);
    CHECK_CODE(halMemPoolAsyncConfig(pool, va, PAGE, 5), 0xfffe);
    CHECK_CODE(halMemPoolAsyncConfig(pool, va, 4096, SOMA_ASYNC_MALLOC), 3);
    CHECK_CODE(halMemPoolAsyncConfig(pool, va, POOL_BYTES + PAGE, SOMA_ASYNC_MALLOC), 3);
    CHECK_CODE(halMemPoolAsyncConfig(pool, va, PAGE, SOMA_ASYNC_FREE), 3);
    CHECK_CODE(halMemPoolAsyncConfig(pool, va, 2 * PAGE, SOMA_ASYNC_MALLOC), 0);
    CHECK_CODE(halMemPoolAsyncConfig(pool, va + PAGE, PAGE, SOMA_ASYNC_MALLOC), 3);
    CHECK_CODE(halMemPoolAsyncConfig(pool, va, PAGE, SOMA_ASYNC_FREE), 8);
    CHECK_CODE(halMemPoolAsyncConfig(pool, va, 2 * PAGE, SOMA_ASYNC_FREE), 0);
    CHECK_CODE(halMemPoolDestroy(pool), 0);
}

static void test_other_interfaces(void)
{
    uint64_t va = addresses(POOL_BYTES);
    soma_mem_pool_t pool = pool_of(15, 0);
    struct DVattribute attr = {.devId = 77};
    uint64_t before = device_free(0);
    char name[65];
    CHECK_CODE(halMemPoolCreate(pool, prop_of(va, POOL_BYTES)), 0);
    CHECK_CODE(halMemPoolMalloc(pool, va, 2 * PAGE, 0), 0);
    CHECK_CODE(drvMemGetAttribute(va, &attr), 0);
    CHECK(attr.memType == (is_v3() ? DV_MEM_LOCK_DEV : DV_MEM_SOMA) && attr.devId == (is_v3() ? 0 : 77));
    CHECK(halShmemCreateHandle(va, PAGE, name, sizeof(name)) != 0);
    CHECK(halMemPoolMalloc(pool, va + 2 * PAGE, PAGE, 0) == 0 && halMemPoolFree(pool, va + 2 * PAGE, PAGE, 4) == 0);
    if (is_v3()) {
        CHECK_CODE(halMemFree((void *)(uintptr_t)va), 3);
    } else {
        CHECK_CODE(halMemFree((void *)(uintptr_t)(va + PAGE)), 8);
        CHECK_CODE(halMemFree((void *)(uintptr_t)va), 0);
        CHECK(device_free(0) == before - PAGE); /* what was free inside the pool is not touched */
        CHECK_CODE(halMemFree((void *)(uintptr_t)va), 8);
        CHECK_CODE(halMemAddressFree((void *)(uintptr_t)va), 3);
    }
    /* Closing the device ends its pools. */
    CHECK_CODE(halMemAgentClose(0, 0), 0);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK(drvMemsetD8(va, 8, 1, 8) != 0);
    CHECK_CODE(halMemPoolMalloc(pool, va, PAGE, 0), 11);
    CHECK(device_free(0) == before);
    CHECK_CODE(halMemPoolCreate(pool, prop_of(va, POOL_BYTES)), 0);
    CHECK_CODE(halMemPoolDestroy(pool), 0);
}

int main(void)
{
    setenv("SOFTHAL_DEVICE_MEMORY", "64M", 0);
    test_first_call();
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    test_create_checks();
    test_foreign_addresses();
    test_memory();
    test_exhaustion();
    test_trim();
    test_attributes();
    test_other_interfaces();
    CHECK_CODE(halMemAgentClose(0, 0), 0);
    return finish();
}
