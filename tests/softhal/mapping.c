/* mapping.c - reserve, create, map, access, unmap, release: life cycle, aliasing, orders and codes. */
#include "harness.h"
#include "vmm.h"

static void life_cycle(uint32_t side)
{
    struct drv_mem_prop prop = property(side, 0, MEM_HUGE_PAGE_TYPE);
    struct drv_mem_prop got;
    drv_mem_handle_t *handle = NULL;
    drv_mem_handle_t *again = NULL;
    struct DVattribute attribute;
    DVdeviceptr base = 0;
    size_t size = 0;
    uint64_t before = device_free(0);
    char *va = reserve(8 * MIB);
    CHECK_CODE(halMemGetAddressRange(address_of(va), &base, &size), 3);
    CHECK_CODE(drvMemGetAttribute(address_of(va), &attribute), is_v3() ? 8 : 0);
    CHECK_CODE(drvMemsetD8(address_of(va), 64, 1, 64), 8);
    CHECK_CODE(halMemCreate(&handle, 4 * MIB, &prop, 0), 0);
    CHECK(before - device_free(0) == (side == MEM_DEV_SIDE ? 4 * MIB : 0));
    CHECK_CODE(halMemMap(va + 2 * MIB, 4 * MIB, 0, handle, 0), 0);
    CHECK_CODE(halMemGetAddressRange(address_of(va) + 3 * MIB, &base, &size), 0);
    CHECK(base == address_of(va) + 2 * MIB && size == 4 * MIB);
    CHECK_CODE(halMemGetAddressRange(address_of(va) + 6 * MIB, &base, &size), 3);
    memset(&attribute, 0x55, sizeof(attribute));
    CHECK_CODE(drvMemGetAttribute(address_of(va) + 2 * MIB, &attribute), 0);
    CHECK(attribute.memType == (side == MEM_DEV_SIDE ? 0x10U : 0x8U));
    CHECK(attribute.devId == (side == MEM_DEV_SIDE ? 0U : 65U));
    CHECK(holds_data(va + 2 * MIB, 3 * MIB + 77));
    CHECK_CODE(drvMemsetD8(address_of(va) + 2 * MIB, 4 * MIB, 0x5a, 4 * MIB), 0);
    if (side == MEM_DEV_SIDE) {
        CHECK(!readable(va + 2 * MIB));
        CHECK_CODE(drvMemsetD8(address_of(va) + 2 * MIB, 6 * MIB, 0x5a, 5 * MIB), is_v3() ? 3 : 8);
    } else {
        CHECK(va[2 * MIB] == 0x5a && va[6 * MIB - 1] == 0x5a);
        va[6 * MIB - 1] = 1;
    }
    CHECK(!readable(va) && !readable(va + 6 * MIB));
    CHECK_CODE(halMemFree(va), 3);
    CHECK_CODE(halMemFree(va + 2 * MIB), 3);
    CHECK_CODE(halMemAddressFree(va), 13);
    CHECK_CODE(halMemRetainAllocationHandle(&again, va + 2 * MIB), 0);
    CHECK(again == handle);
    CHECK_CODE(halMemRetainAllocationHandle(&again, va + 4 * MIB), is_v3() ? 0 : 11);
    if (is_v3()) {
        CHECK_CODE(halMemRelease(handle), 0);
    }
    CHECK_CODE(halMemGetAllocationPropertiesFromHandle(&got, handle), 0);
    CHECK(memcmp(&got, &prop, sizeof(got)) == 0);
    CHECK_CODE(halMemRelease(handle), 0);
    CHECK_CODE(halMemRelease(handle), 0);
    if (!is_v3()) {
        CHECK_CODE(halMemRelease(handle), 3); /* would take the mapping's own reference */
    }
    unsigned char byte = 0;
    CHECK_CODE(drvMemcpy(address_of(&byte), 1, address_of(va) + 2 * MIB, 1), 0);
    CHECK(byte == 0x5a);
    CHECK(before - device_free(0) == (side == MEM_DEV_SIDE ? 4 * MIB : 0));
    CHECK_CODE(halMemUnmap(va + 4 * MIB), 8);
    CHECK_CODE(halMemUnmap(va + 2 * MIB), 0);
    CHECK_CODE(halMemUnmap(va + 2 * MIB), 8);
    CHECK(device_free(0) == before);
    CHECK_CODE(halMemAddressFree(va + 2 * MIB), 3);
    CHECK_CODE(halMemAddressFree(va), 0);
    CHECK_CODE(halMemAddressFree(va), 3);
}

static void aliases(void)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    drv_mem_handle_t *one = NULL;
    drv_mem_handle_t *two = NULL;
    unsigned char bytes[4] = {0};
    char *a = reserve(4 * MIB);
    char *b = reserve(2 * MIB);
    CHECK_CODE(halMemCreate(&one, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemCreate(&two, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemMap(a, 2 * MIB, 0, one, 0), 0);
    CHECK_CODE(halMemMap(a + 2 * MIB, 2 * MIB, 0, two, 0), 0);
    CHECK_CODE(halMemMap(b, 2 * MIB, 0, one, 0), 0);
    CHECK_CODE(drvMemsetD8(address_of(a), 4 * MIB, 0x11, 4 * MIB), 0); /* over both handles */
    CHECK_CODE(drvMemsetD8(address_of(b) + 100, 10, 0x22, 10), 0);
    CHECK_CODE(drvMemcpy(address_of(bytes), 4, address_of(a) + 99, 4), 0);
    CHECK(bytes[0] == 0x11 && bytes[1] == 0x22 && bytes[2] == 0x22);
    CHECK_CODE(drvMemcpy(address_of(b), 2 * MIB, address_of(a) + 2 * MIB, 2 * MIB), 0);
    CHECK_CODE(drvMemcpy(address_of(bytes), 4, address_of(a) + 99, 4), 0);
    CHECK(bytes[1] == 0x11);
    /* A copy that begins in one handle and ends in the next. */
    unsigned char *line = malloc(8192);
    memset(line, 0x33, 8192);
    CHECK_CODE(drvMemcpy(address_of(a) + 2 * MIB - 4096, 8192, address_of(line), 8192), 0);
    CHECK_CODE(drvMemcpy(address_of(bytes), 4, address_of(b) + 2 * MIB - 4, 4), 0);
    CHECK(bytes[0] == 0x33 && bytes[3] == 0x33);
    CHECK_CODE(drvMemcpy(address_of(bytes), 4, address_of(a) + 2 * MIB + 4095, 2), 0);
    CHECK(bytes[0] == 0x33 && bytes[1] == 0x11);
    free(line);
    /* The bytes belong to the handle: they outlive every mapping. */
    CHECK_CODE(halMemUnmap(a), 0);
    CHECK_CODE(halMemUnmap(b), 0);
    CHECK_CODE(halMemMap(b, 2 * MIB, 0, one, 0), 0);
    CHECK_CODE(drvMemcpy(address_of(bytes), 1, address_of(b) + 2 * MIB - 1, 1), 0);
    CHECK(bytes[0] == 0x33);
    CHECK_CODE(halMemUnmap(b), 0);
    CHECK_CODE(halMemUnmap(a + 2 * MIB), 0);
    CHECK_CODE(halMemRelease(one), 0);
    CHECK_CODE(halMemRelease(two), 0);
    CHECK_CODE(halMemAddressFree(a), 0);
    CHECK_CODE(halMemAddressFree(b), 0);
}

static void host_aliases(void)
{
    struct drv_mem_prop prop = property(MEM_HOST_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    drv_mem_handle_t *handle = NULL;
    char *a = reserve(2 * MIB);
    char *b = reserve(2 * MIB);
    CHECK_CODE(halMemCreate(&handle, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemMap(a, 2 * MIB, 0, handle, 0), 0);
    CHECK_CODE(halMemMap(b, 2 * MIB, 0, handle, 0), 0);
    a[5] = 7;
    b[2 * MIB - 1] = 8;
    CHECK(b[5] == 7 && a[2 * MIB - 1] == 8);
    CHECK_CODE(halMemUnmap(a), 0);
    CHECK(!readable(a) && b[5] == 7);
    CHECK_CODE(halMemUnmap(b), 0);
    CHECK_CODE(halMemRelease(handle), 0);
    CHECK_CODE(halMemAddressFree(a), 0);
    CHECK_CODE(halMemAddressFree(b), 0);
}

/* What was exported has as many references as other memory. */
static void references_of_exported_memory(void)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    drv_mem_handle_t *handle = NULL;
    drv_mem_handle_t *again = NULL;
    uint64_t token = 0;
    uint64_t before = device_free(0);
    char *va = reserve(2 * MIB);
    CHECK_CODE(halMemCreate(&handle, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemMap(va, 2 * MIB, 0, handle, 0), 0);
    CHECK_CODE(halMemExportToShareableHandle(handle, MEM_HANDLE_TYPE_NONE, 0, &token), 0);
    CHECK_CODE(halMemRetainAllocationHandle(&again, va), 0);
    CHECK_CODE(halMemRelease(handle), 0);
    CHECK_CODE(halMemRelease(again), 0);
    CHECK(before - device_free(0) == 2 * MIB);
    CHECK_CODE(halMemUnmap(va), 0);
    CHECK(device_free(0) == before);
    CHECK_CODE(halMemAddressFree(va), 0);
}

static void access_rights(void)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    struct drv_mem_access_desc desc = {MEM_ACCESS_TYPE_READWRITE, {0, MEM_DEV_SIDE}, {0, 0}};
    struct drv_mem_location host = {0, MEM_HOST_SIDE};
    struct drv_mem_location peer = {1, MEM_DEV_SIDE};
    drv_mem_handle_t *handle = NULL;
    uint64_t flags = 77;
    char *va = reserve(8 * MIB);
    CHECK_CODE(halMemCreate(&handle, 4 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemSetAccess(va + 2 * MIB, 4 * MIB, &desc, 1), 8);
    CHECK_CODE(halMemMap(va + 2 * MIB, 4 * MIB, 0, handle, 0), 0);
    CHECK_CODE(halMemSetAccess(NULL, 4 * MIB, &desc, 1), 3);
    CHECK_CODE(halMemSetAccess(va + 2 * MIB, 4 * MIB, NULL, 1), 3);
    CHECK_CODE(halMemSetAccess(va + 2 * MIB, 4 * MIB, &desc, 0), 3);
    CHECK_CODE(halMemSetAccess(va + 2 * MIB, 4 * MIB, &desc, 1), 0);
    CHECK_CODE(halMemSetAccess(va + 2 * MIB, 2 * MIB, &desc, 1), is_v3() ? 8 : 13);
    CHECK_CODE(halMemSetAccess(va + 2 * MIB, 6 * MIB, &desc, 1), 8);
    desc.type = MEM_ACCESS_TYPE_READ;
    CHECK_CODE(halMemSetAccess(va + 2 * MIB, 4 * MIB, &desc, 1), 0xfffe);
    desc.type = MEM_ACCESS_TYPE_READWRITE;
    CHECK_CODE(halMemGetAccess(va + 2 * MIB, &host, &flags), 0);
    CHECK(flags == MEM_ACCESS_TYPE_NONE && !readable(va + 2 * MIB));
    desc.location = host;
    CHECK_CODE(halMemSetAccess(va + 2 * MIB, 4 * MIB, &desc, 1), 0);
    CHECK_CODE(halMemGetAccess(va + 6 * MIB - 1, &host, &flags), 0);
    CHECK(flags == MEM_ACCESS_TYPE_READWRITE);
    va[6 * MIB - 1] = 9;
    unsigned char byte = 0;
    CHECK_CODE(drvMemcpy(address_of(&byte), 1, address_of(va) + 6 * MIB - 1, 1), 0);
    CHECK(byte == 9);
    CHECK_CODE(halMemGetAccess(va + 2 * MIB, &peer, &flags), 0);
    CHECK(flags == MEM_ACCESS_TYPE_NONE);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    desc.location = peer;
    CHECK_CODE(halMemSetAccess(va + 2 * MIB, 4 * MIB, &desc, 1), 0);
    CHECK_CODE(halMemGetAccess(va + 2 * MIB, &peer, &flags), 0);
    CHECK(flags == MEM_ACCESS_TYPE_READWRITE);
    CHECK_CODE(halMemGetAccess(va + 2 * MIB, &host, &flags), 0);
    CHECK(flags == MEM_ACCESS_TYPE_READWRITE);
    CHECK_CODE(halMemGetAccess(va + 6 * MIB, &peer, &flags), 8);
    CHECK_CODE(halMemUnmap(va + 2 * MIB), 0);
    CHECK(!readable(va + 2 * MIB));
    CHECK_CODE(halMemMap(va + 2 * MIB, 4 * MIB, 0, handle, 0), 0);
    CHECK_CODE(halMemGetAccess(va + 2 * MIB, &peer, &flags), 0);
    CHECK(flags == MEM_ACCESS_TYPE_NONE && !readable(va + 2 * MIB));
    CHECK_CODE(halMemUnmap(va + 2 * MIB), 0);
    CHECK_CODE(halMemRelease(handle), 0);
    CHECK_CODE(halMemAddressFree(va), 0);
}

static void map_codes(void)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    drv_mem_handle_t *one = NULL;
    drv_mem_handle_t *two = NULL;
    drv_mem_handle_t *other = NULL;
    void *block = NULL;
    char *va = reserve(12 * MIB);
    int v3 = is_v3();
    CHECK_CODE(halMemCreate(&one, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemCreate(&two, 4 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemMap(NULL, 2 * MIB, 0, one, 0), 3);
    CHECK_CODE(halMemMap(va, 0, 0, one, 0), 3);
    CHECK_CODE(halMemMap(va, 2 * MIB, 2 * MIB, one, 0), 3);
    CHECK_CODE(halMemMap(va, 2 * MIB, 0, NULL, 0), 3);
    CHECK_CODE(halMemMap(va, 2 * MIB, 0, one, 1), 3);
    CHECK_CODE(halMemMap(va + 4096, 2 * MIB, 0, one, 0), 8);
    CHECK_CODE(halMemMap(va, 4 * MIB, 0, one, 0), v3 ? 3 : 8);
    CHECK_CODE(halMemMap(va + 10 * MIB, 4 * MIB, 0, two, 0), 8);
    CHECK_CODE(halMemAlloc(&block, 4 * MIB, DEV | MEM_PAGE_HUGE), 0);
    CHECK_CODE(halMemMap(block, 2 * MIB, 0, one, 0), 8);
    CHECK_CODE(halMemUnmap(block), 8);
    CHECK_CODE(halMemAddressFree(block), 3);
    CHECK_CODE(halMemRetainAllocationHandle(&other, block), v3 ? 8 : 11);
    CHECK_CODE(halMemFree(block), 0);
    CHECK_CODE(halMemMap(va + 4 * MIB, 4 * MIB, 0, two, 0), 0);
    for (size_t at = 2; at <= 6; at += 2) { /* from before, exactly, and from inside */
        CHECK_CODE(halMemMap(va + at * MIB, 4 * MIB, 0, two, 0), v3 ? 12 : 17);
    }
    CHECK_CODE(halMemMap(va + 6 * MIB, 2 * MIB, 0, one, 0), v3 ? 12 : 17);
    CHECK_CODE(halMemMap(va + 8 * MIB, 2 * MIB, 0, one, 0), 0);
    CHECK_CODE(halMemUnmap(va + 8 * MIB), 0);
    CHECK_CODE(halMemUnmap(va + 4 * MIB), 0);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    prop.devid = 1;
    CHECK_CODE(halMemCreate(&other, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemMap(va, 2 * MIB, 0, other, 0), v3 ? 0 : 8); /* v2 reservations stay with a device */
    CHECK_CODE(halMemUnmap(va), v3 ? 0 : 8);
    CHECK_CODE(halMemRelease(other), 0);
    CHECK_CODE(halMemRelease(one), 0);
    CHECK_CODE(halMemRelease(two), 0);
    CHECK_CODE(halMemAddressFree(va), 0);
    CHECK_CODE(halMemUnmap(va), v3 ? 3 : 8);
}

static void create_codes(void)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    drv_mem_handle_t *none = NULL;
    drv_mem_handle_t *handle = NULL;
    size_t granularity = 0;
    int v3 = is_v3();
    CHECK_CODE(halMemCreate(NULL, 2 * MIB, &prop, 0), 3);
    CHECK_CODE(halMemCreate(&none, 2 * MIB, NULL, 0), 3);
    CHECK_CODE(halMemCreate(&none, 2 * MIB, &prop, 1), 3);
    CHECK_CODE(halMemCreate(&none, 0, &prop, 0), 3);
    CHECK_CODE(halMemCreate(&none, 2 * MIB + 4096, &prop, 0), v3 ? 3 : 8);
    CHECK_CODE(halMemCreate(&none, 2 * MIB - 1, &prop, 0), v3 ? 3 : 8);
    CHECK_CODE(halMemCreate(&none, 2 * device_total(0), &prop, 0), 6);
    CHECK_CODE(halMemGetAllocationGranularity(NULL, 2, NULL), 0xfffe);
    CHECK_CODE(halMemGetAllocationGranularity(&prop, MEM_ALLOC_GRANULARITY_MINIMUM, &granularity), 0);
    CHECK(granularity == 2 * MIB);
    prop.pg_type = MEM_GIANT_PAGE_TYPE;
    CHECK_CODE(halMemGetAllocationGranularity(&prop, MEM_ALLOC_GRANULARITY_RECOMMENDED, &granularity), 0);
    CHECK(granularity == GIB);
    CHECK_CODE(halMemCreate(&handle, 2 * MIB, &prop, 0), v3 ? 3 : 0);
    if (!v3) {
        CHECK_CODE(halMemRelease(handle), 0);
    }
    prop = property(MEM_HOST_SIDE, 1, MEM_HUGE_PAGE_TYPE);
    CHECK_CODE(halMemCreate(&none, 2 * MIB, &prop, 0), 0xfffe);
    prop = property(MEM_DEV_SIDE, 0, MEM_NORMAL_PAGE_TYPE);
    prop.module_id = 7;
    CHECK_CODE(halMemCreate(&handle, 8192, &prop, 0), 0);
    CHECK_CODE(halMemRelease(handle), 0);
    prop.module_id = 33;
    CHECK_CODE(halMemCreate(&none, 8192, &prop, 0), v3 ? 3 : 8);
    prop.reserve = 1;
    CHECK_CODE(halMemCreate(&none, 2 * MIB, &prop, 0), 3);
    CHECK(none == NULL);
    CHECK_CODE(halMemRelease(NULL), 3);
}

static void reserve_codes(void)
{
    void *va = (void *)(uintptr_t)0x99;
    void *second = NULL;
    int v3 = is_v3();
    CHECK_CODE(halMemAddressReserve(NULL, 2 * MIB, 0, NULL, 0), 3);
    CHECK_CODE(halMemAddressReserve(&va, 0, 0, NULL, 0), 3);
    CHECK_CODE(halMemAddressReserve(&va, 2 * MIB, 4096, NULL, 0), 3);
    CHECK_CODE(halMemAddressReserve(&va, 2 * MIB, 0, (void *)4096, 0), 3);
    CHECK_CODE(halMemAddressReserve(&va, 2 * MIB, 0, NULL, 3), 3);
    CHECK(va == (void *)(uintptr_t)0x99);
    CHECK_CODE(halMemAddressReserve(&va, 1ULL << 60, 0, NULL, 0), 6);
    CHECK(va == (v3 ? (void *)(uintptr_t)0x99 : NULL));
    CHECK_CODE(halMemAddressReserve(&va, 3 * GIB, 0, NULL, 0), 0);
    CHECK(address_of(va) % GIB == 0);
    CHECK_CODE(halMemAddressReserve(&second, GIB, 0, va, 0), 13);
    CHECK_CODE(halMemAddressFree((char *)va + GIB), 3);
    CHECK_CODE(halMemAddressFree(va), 0);
    CHECK_CODE(halMemAddressReserve(&second, GIB, 0, va, 0), 0);
    CHECK(second == va);
    CHECK_CODE(halMemAddressFree(second), 0);
    if (!v3) {
        /* 20 TiB; sanitized builds have their window elsewhere. */
        int moved = address_of(second) > (24ULL << 40);
        char *wish = (char *)(uintptr_t)((moved ? 36ULL : 20ULL) << 40);
        CHECK_CODE(halMemAddressReserve(&va, 4 * MIB, 0, wish, 0), 0);
        CHECK(va == wish);
        CHECK_CODE(halMemAddressReserve(&second, 2 * MIB, 0, wish + 2 * MIB, 0), 13);
        CHECK_CODE(halMemAddressReserve(&second, 2 * MIB, 0, wish + 4 * MIB, 0), 0);
        CHECK_CODE(halMemAddressFree(second), 0);
        CHECK_CODE(halMemAddressFree(va), 0);
        CHECK_CODE(halMemAddressReserve(&va, 2 * MIB, 0, (void *)(uintptr_t)(1ULL << 40), 0), 13);
        CHECK_CODE(halMemAddressReserve(&va, 2 * MIB, 0, (void *)(uintptr_t)(512 * MIB), 0), 6);
        CHECK_CODE(halMemAddressReserve(&va, 129 * GIB, 0, NULL, 0), 6);
        CHECK_CODE(halMemAddressReserve(&va, 2 * MIB, 0, NULL, 0x200), 0xfffe);
        CHECK_CODE(halMemGetAddressReserveRange(&va, NULL, 0, 0), 0xfffe);
    }
}

/* Outside the windows, at an address of the caller's. */
static void dynamic_space(void)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    drv_mem_handle_t *handle = NULL;
    void *wish = (void *)(uintptr_t)(64ULL << 40);
    void *va = NULL;
    CHECK_CODE(halMemAddressReserve(&va, GIB, 0, wish, MEM_RSV_TYPE_REMOTE_MAP), 0);
    CHECK(va == wish);
    CHECK_CODE(halMemAddressReserve(&va, GIB, 0, wish, MEM_RSV_TYPE_REMOTE_MAP), is_v3() ? 13 : 6);
    CHECK_CODE(halMemCreate(&handle, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemMap((char *)wish + 4 * MIB, 2 * MIB, 0, handle, 0), 0);
    CHECK(holds_data((char *)wish + 4 * MIB, MIB + 3));
    CHECK_CODE(halMemAddressFree(wish), is_v3() ? 13 : 17);
    CHECK_CODE(halMemUnmap((char *)wish + 4 * MIB), 0);
    CHECK_CODE(halMemRelease(handle), 0);
    CHECK_CODE(halMemAddressFree(wish), 0);
    CHECK_CODE(halMemAddressFree(wish), 3);
}

static void closing_takes_mappings_along(void)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 1, MEM_HUGE_PAGE_TYPE);
    drv_mem_handle_t *handle = NULL;
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    uint64_t before = device_free(1);
    char *va = reserve(2 * MIB);
    CHECK_CODE(halMemCreate(&handle, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemMap(va, 2 * MIB, 0, handle, 0), 0);
    CHECK_CODE(halMemAgentClose(1, 0), 0);
    CHECK_CODE(halMemUnmap(va), 8);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    CHECK(device_free(1) == before);
    CHECK_CODE(halMemAddressFree(va), 0);
    (void)halMemRelease(handle);
}

/* Each handle has bytes, counters and properties of its own. */
static void neighbours(void)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 1, MEM_NORMAL_PAGE_TYPE);
    struct drv_mem_prop got;
    drv_mem_handle_t *one = NULL;
    drv_mem_handle_t *two = NULL;
    unsigned char byte = 0;
    uint64_t first = device_free(0);
    uint64_t second = device_free(1);
    char *a = reserve(4 * MIB);
    char *b = reserve(2 * MIB);
    prop.module_id = 0;
    CHECK_CODE(halMemCreate(&one, 4 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemCreate(&two, 2 * MIB, &prop, 0), 0);
    CHECK(device_free(0) == first && second - device_free(1) == 6 * MIB);
    CHECK_CODE(halMemGetAllocationPropertiesFromHandle(&got, one), 0);
    CHECK(memcmp(&got, &prop, sizeof(got)) == 0);
    CHECK_CODE(halMemMap(a, 4 * MIB, 0, one, 0), 0);
    CHECK_CODE(halMemMap(b, 2 * MIB, 0, two, 0), 0);
    CHECK_CODE(drvMemsetD8(address_of(b), 2 * MIB, 0x21, 2 * MIB), 0);
    CHECK_CODE(drvMemsetD8(address_of(a), 4 * MIB, 0x12, 4 * MIB), 0);
    CHECK_CODE(drvMemcpy(address_of(&byte), 1, address_of(b), 1), 0);
    CHECK(byte == 0x21);
    CHECK_CODE(halMemUnmap(a), 0);
    CHECK_CODE(halMemUnmap(b), 0);
    CHECK_CODE(halMemRelease(one), 0);
    CHECK_CODE(halMemRelease(two), 0);
    CHECK(device_free(1) == second);
    CHECK_CODE(halMemAddressFree(a), 0);
    CHECK_CODE(halMemAddressFree(b), 0);
}

/* A right concerns the mapping named, whichever of the reservation that is, and nobody else's right. */
static void rights_of_the_second(void)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    struct drv_mem_access_desc desc = {MEM_ACCESS_TYPE_READWRITE, {1, MEM_DEV_SIDE}, {0, 0}};
    struct drv_mem_location peer = {1, MEM_DEV_SIDE};
    drv_mem_handle_t *one = NULL;
    drv_mem_handle_t *two = NULL;
    uint64_t flags = 77;
    char *va = reserve(8 * MIB);
    CHECK_CODE(halMemCreate(&one, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemCreate(&two, 4 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemMap(va, 2 * MIB, 0, one, 0), 0);
    CHECK_CODE(halMemMap(va + 2 * MIB, 4 * MIB, 0, two, 0), 0);
    CHECK_CODE(halMemMap(va + 6 * MIB, 2 * MIB, 0, one, 0), 0);
    CHECK_CODE(halMemSetAccess(va + 2 * MIB, 4 * MIB, &desc, 1), 0);
    for (size_t at = 0; at < 8; at += 2) {
        CHECK_CODE(halMemGetAccess(va + at * MIB, &peer, &flags), 0);
        CHECK(flags == (at == 2 || at == 4 ? MEM_ACCESS_TYPE_READWRITE : MEM_ACCESS_TYPE_NONE));
    }
    desc.location.id = 0;
    desc.location.side = MEM_HOST_SIDE;
    CHECK_CODE(halMemSetAccess(va + 2 * MIB, 4 * MIB, &desc, 1), 0);
    CHECK_CODE(halMemGetAccess(va + 2 * MIB, &peer, &flags), 0);
    CHECK(flags == MEM_ACCESS_TYPE_READWRITE);
    CHECK(!readable(va) && readable(va + 6 * MIB - 1) && !readable(va + 6 * MIB));
    for (size_t at = 0; at < 3; at++) {
        CHECK_CODE(halMemUnmap(va + (at == 0 ? 0 : at * 4 - 2) * MIB), 0);
    }
    CHECK_CODE(halMemRelease(one), 0);
    CHECK_CODE(halMemRelease(two), 0);
    CHECK_CODE(halMemAddressFree(va), 0);
}

/* Release, unmap and address free in every order: the space goes last, the memory with the last of the others. */
static void take_down(const char *order)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    drv_mem_handle_t *handle = NULL;
    uint64_t before = device_free(0);
    char *va = reserve(2 * MIB);
    int mapped = 1;
    int held = 1;
    int reserved = 1;
    CHECK_CODE(halMemCreate(&handle, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemMap(va, 2 * MIB, 0, handle, 0), 0);
    for (; *order != 0; order++) {
        if (*order == 'r') {
            CHECK_CODE(halMemRelease(handle), 0);
            held = 0;
        } else if (*order == 'u') {
            CHECK_CODE(halMemUnmap(va), 0);
            mapped = 0;
        } else {
            CHECK_CODE(halMemAddressFree(va), mapped ? (is_v3() ? 3 : 13) : 0);
            reserved = mapped;
        }
        CHECK(before - device_free(0) == (mapped || held ? 2 * MIB : 0));
    }
    CHECK_CODE(halMemAddressFree(va), reserved ? 0 : 3);
}

/* A forked child has nothing of its parent's, and cannot hurt it. */
static void child_starts_over(void)
{
    struct drv_mem_prop prop = property(MEM_HOST_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    drv_mem_handle_t *handle = NULL;
    char name[65];
    void *block = NULL;
    void *dst = NULL;
    uint64_t opened = 0;
    char *va = reserve(2 * MIB);
    CHECK_CODE(halMemCreate(&handle, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemMap(va, 2 * MIB, 0, handle, 0), 0);
    CHECK_CODE(halMemAlloc(&block, 2 * MIB, DEV | MEM_PAGE_HUGE), 0);
    CHECK_CODE(halShmemCreateHandle(address_of(block), 2 * MIB, name, 65), 0);
    CHECK_CODE(halShmemSetAttribute(name, 1, 1), 0);
    CHECK_CODE(halShmemOpenHandleByDevId(0, name, &opened), 0);
    CHECK_CODE(halHostRegister(block, 2 * MIB, DEV_SVM_MAP_HOST, 0, &dst), 0);
    va[9] = 9;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        void *space = NULL;
        drv_mem_handle_t *mine = NULL;
        int ok = halMemUnmap(va) == 8 && halMemAgentOpen(0, 0) == 0 && halMemUnmap(va) != 0 &&
                 halMemRelease(handle) == 3 && halHostUnregisterEx(block, 0, DEV_SVM_MAP_HOST) != 0 &&
                 halMemAddressReserve(&space, 2 * MIB, 0, NULL, 0) == 0 && halMemCreate(&mine, 2 * MIB, &prop, 0) == 0 &&
                 halMemMap(space, 2 * MIB, 0, mine, 0) == 0;
        if (ok) {
            memset(space, 0x77, 2 * MIB);
            ok = holds_data(space, 4096) && halMemUnmap(space) == 0 && halMemRelease(mine) == 0;
        }
        _exit(ok ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(va[9] == 9 && va[10] == 0);
    CHECK_CODE(halHostUnregisterEx(block, 0, DEV_SVM_MAP_HOST), 0);
    CHECK_CODE(halShmemCloseHandle(opened), 0);
    CHECK_CODE(halShmemDestroyHandle(name), 0);
    CHECK_CODE(halMemFree(block), 0);
    CHECK_CODE(halMemUnmap(va), 0);
    CHECK_CODE(halMemRelease(handle), 0);
    CHECK_CODE(halMemAddressFree(va), 0);
}

static void many(void)
{
    enum { COUNT = 512 };
    static drv_mem_handle_t *handle[COUNT];
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    uint64_t before = device_free(0);
    int wrong = 0;
    for (int round = 0; round < 2; round++) {
        char *va = reserve(COUNT * 2 * MIB);
        for (int i = 0; i < COUNT; i++) {
            wrong += halMemCreate(&handle[i], 2 * MIB, &prop, 0) != 0;
            wrong += halMemMap(va + (uint64_t)((i * 7) % COUNT) * 2 * MIB, 2 * MIB, 0, handle[i], 0) != 0;
        }
        for (int i = 0; i < COUNT; i++) {
            wrong += halMemUnmap(va + (uint64_t)i * 2 * MIB) != 0;
            wrong += halMemRelease(handle[i]) != 0;
        }
        CHECK(wrong == 0 && device_free(0) == before);
        CHECK_CODE(halMemAddressFree(va), 0);
    }
}

int main(void)
{
    alarm(60);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    life_cycle(MEM_DEV_SIDE);
    life_cycle(MEM_HOST_SIDE);
    aliases();
    host_aliases();
    references_of_exported_memory();
    access_rights();
    const char *const orders[] = {"ruf", "rfu", "urf", "ufr", "fru", "fur"};
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        take_down(orders[i]);
    }
    neighbours();
    rights_of_the_second();
    map_codes();
    create_codes();
    reserve_codes();
    dynamic_space();
    closing_takes_mappings_along();
    child_starts_over();
    many();
    return finish();
}
