/* uvm_calls.c - the calls of managed memory: checks in order, ranges, attributes, and who is refused. */
#include <signal.h>

#include "uvm.h"

#define BEYOND (1ULL << 62)

static uint64_t window_base, window_end;

/* Managed memory starts at the base of its window here; the window has 3 TiB. */
static void find_window(void)
{
    char *block = managed(1);
    window_base = address_of(block);
    window_end = window_base + (3ULL << 40);
    CHECK_CODE(halMemFree(block), 0);
}

/* Before anything else in the process. */
static void not_initialised(void)
{
    CHECK_CODE(halMemManagedAdvise(0x1000, PAGE, READ_MOSTLY, NOWHERE), 3);
    uint64_t inside = 0x90000000000ULL;
    if (halMemManagedAdvise(inside, 0, READ_MOSTLY, NOWHERE) == 3) {
        int code = (int)halMemManagedAdvise(inside, PAGE, READ_MOSTLY, NOWHERE);
        CHECK(code == 17 || code == 3); /* 3: the sanitizer has moved the window */
    }
    CHECK_CODE(halMemManagedPrefetch(0x1000, PAGE, ON_HOST, 0), 3);
}

static void allocating(void)
{
    void *block = &block;
    CHECK_CODE(halMemAlloc(NULL, PAGE, UVM), 3);
    CHECK_CODE(halMemAlloc(&block, PAGE, UVM | MEM_READONLY), 0xfffe);
    CHECK_CODE(halMemAlloc(&block, PAGE, UVM | MEM_HOST_RW_DEV_RO), 0xfffe);
    CHECK_CODE(halMemAlloc(&block, PAGE, UVM | MEM_CONTIGUOUS_PHY | MEM_PAGE_HUGE), 3);
    CHECK_CODE(halMemAlloc(&block, 4 * MIB + 1, UVM | MEM_CONTIGUOUS_PHY), 3);
    CHECK_CODE(halMemAlloc(&block, PAGE, UVM | MEM_PAGE_GIANT), 0xfffe);
    CHECK_CODE(halMemAlloc(&block, 5 * MIB, UVM | MEM_PAGE_GIANT | MEM_CONTIGUOUS_PHY), 3);
    CHECK(block == &block);
    CHECK_CODE(halMemAlloc(&block, 0, UVM | 66), 2);
    CHECK(block == NULL);
    CHECK_CODE(halMemAlloc(&block, 0, UVM), 3);
    CHECK_CODE(halMemAlloc(&block, (8ULL << 40) + 1, UVM), 6);
    CHECK_CODE(halMemAlloc(&block, (3ULL << 40) + 1, UVM), 6);
    CHECK_CODE(halMemAlloc(&block, 1, UVM | 65 | MEM_CONTIGUOUS_PHY), 0);
    DVdeviceptr base = 0;
    size_t size = 0;
    struct DVattribute attr;
    CHECK_CODE(halMemGetAddressRange(address_of(block) + PAGE - 1, &base, &size), 0);
    CHECK(base == address_of(block) && size == PAGE && base % PAGE == 0);
    memset(&attr, 0x11, sizeof(attr));
    CHECK_CODE(drvMemGetAttribute(window_end - 1, &attr), 0);
    CHECK(attr.memType == DV_MEM_UVM && attr.pageSize == PAGE && attr.devId == 0x11111111);
    CHECK_CODE(halMemFree((char *)block + 1), 3);
    CHECK_CODE(halMemFree(block), 0);
    CHECK_CODE(halMemFree(block), 3);
    CHECK_CODE(halMemGetAddressRange(address_of(block), &base, &size), 3);
    CHECK_CODE(halMemAddressFree(block), 3);
    CHECK_CODE(halMemUnmap(block), 8);
}

static void advising(void)
{
    char *block = managed(3);
    uint64_t at = address_of(block);
    CHECK_CODE(halMemManagedAdvise(at, 0, 9, NOWHERE), 3);
    CHECK_CODE(halMemManagedAdvise(window_base - 1, 1, READ_MOSTLY, NOWHERE), 3);
    CHECK_CODE(halMemManagedAdvise(window_end, 1, READ_MOSTLY, NOWHERE), 3);
    CHECK_CODE(halMemManagedAdvise(window_end - PAGE, PAGE + 1, READ_MOSTLY, NOWHERE), 3);
    CHECK_CODE(halMemManagedAdvise(at, UINT64_MAX, READ_MOSTLY, NOWHERE), 3);
    CHECK_CODE(halMemManagedAdvise(window_end - PAGE, PAGE, READ_MOSTLY, NOWHERE), 8);
    CHECK_CODE(halMemManagedAdvise(at, PAGE, 6, ON_HOST), 8);
    static const struct {
        struct drv_uvm_location location;
        int unset_mostly, prefer, access;
    } rows[] = {
        {{DRV_UVM_LOCATION_TYPE_INVALID, 0}, 0, 8, 8},    {{DRV_UVM_LOCATION_TYPE_DEVICE, 0}, 0, 0, 0},
        {{DRV_UVM_LOCATION_TYPE_DEVICE, 63}, 0, 0, 0},    {{DRV_UVM_LOCATION_TYPE_DEVICE, 64}, 8, 8, 8},
        {{DRV_UVM_LOCATION_TYPE_DEVICE, -1}, 8, 8, 8},    {{DRV_UVM_LOCATION_TYPE_HOST, 99}, 0, 0, 0},
        {{DRV_UVM_LOCATION_TYPE_HOST_NUMA, 0}, 0, 0, 8},  {{DRV_UVM_LOCATION_TYPE_HOST_NUMA, -1}, 8, 8, 8},
        {{DRV_UVM_LOCATION_TYPE_HOST_NUMA, 99}, 8, 8, 8}, {{4, 0}, 0, 8, 8},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CHECK_CODE(advise(block, 1, UNSET_READ_MOSTLY, rows[i].location), rows[i].unset_mostly);
        CHECK_CODE(advise(block, 1, PREFER_LOCATION, rows[i].location), rows[i].prefer);
        CHECK_CODE(advise(block, 1, UNSET_PREFER_LOCATION, rows[i].location), 0);
        CHECK_CODE(advise(block, 1, ACCESS_BY_LOCATION, rows[i].location), rows[i].access);
        CHECK_CODE(advise(block, 1, UNSET_ACCESS_BY_LOCATION, rows[i].location), rows[i].access);
    }
    CHECK(untouched(block));
    /* Start down, size up, each by itself. */
    CHECK_CODE(halMemManagedAdvise(at + 1, PAGE + 1, PREFER_LOCATION, ON_DEVICE(1)), 0);
    CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == 1);
    CHECK(attribute(block + 2 * PAGE, PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == -2);
    CHECK_CODE(halMemManagedAdvise(at + PAGE / 2, PAGE, PREFER_LOCATION, ON_DEVICE(0)), 0);
    CHECK(attribute(block, PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == 0);
    CHECK(attribute(block + PAGE, PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == 1);
    CHECK_CODE(halMemFree(block), 0);
}

/* Several allocations are one range if no page is missing between them; a hole ends the call there. */
static void over_a_hole(void)
{
    char *block = managed(2);
    char *middle = managed(1);
    char *behind = managed(1);
    CHECK(middle == block + 2 * PAGE && behind == middle + PAGE);
    CHECK_CODE(advise(block, 4, PREFER_LOCATION, ON_DEVICE(1)), 0);
    CHECK(attribute(block, 4 * PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == 1);
    CHECK_CODE(halMemFree(middle), 0);
    CHECK_CODE(advise(block, 4, PREFER_LOCATION, ON_DEVICE(0)), 8);
    CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == 0);
    CHECK(attribute(behind, PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == 1);
    CHECK(attribute(block, 4 * PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == 1008);
    host_mark(block, 3);
    host_mark(behind, 4);
    CHECK_CODE(prefetch(block, 4, ON_DEVICE(0)), 8);
    CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == -2);
    CHECK(attribute(behind, PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == -2);
    CHECK(copy_shows(block, 3) && copy_shows(behind, 4));
    CHECK_CODE(drvMemsetD8(address_of(block), 4 * PAGE, 1, 4 * PAGE), 8);
    CHECK(copy_shows(behind, 4));
    CHECK_CODE(halMemFree(block), 0);
    CHECK_CODE(halMemFree(behind), 0);
}

static void prefetch_checks(void)
{
    char *block = managed(2);
    uint64_t at = address_of(block);
    host_mark(block, 3);
    host_mark(block + PAGE, 4);
    CHECK_CODE(halMemManagedPrefetch(window_base - 1, 2, ON_DEVICE(0), 1), 3);
    CHECK_CODE(halMemManagedPrefetch(window_end - 1, 2, ON_DEVICE(0), 0), 3);
    CHECK_CODE(halMemManagedPrefetch(window_base, 0, ON_DEVICE(0), 0), 3);
    CHECK_CODE(halMemManagedPrefetch(at, PAGE, ON_DEVICE(-1), 1), 3);
    CHECK_CODE(halMemManagedPrefetch(at, PAGE, ON_DEVICE(64), 1), 3);
    CHECK_CODE(halMemManagedPrefetch(at, PAGE, ON_DEVICE(0), 1), 0xfffe);
    CHECK_CODE(halMemManagedPrefetch(at + PAGE, UINT64_MAX - PAGE / 2, ON_DEVICE(0), 0), 17);
    CHECK_CODE(halMemManagedPrefetch(at, PAGE, ON_NODE(-1), 0), 8);
    CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == -2);
    /* The range covers every page that it touches; an empty one in the middle of a page that page. */
    CHECK_CODE(halMemManagedPrefetch(at + PAGE - 1, 2, ON_DEVICE(0), 0), 0);
    CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == 0);
    CHECK_CODE(halMemManagedPrefetch(at + PAGE, 0, ON_DEVICE(1), 0), 0);
    CHECK(attribute(block + PAGE, PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == 0);
    CHECK_CODE(halMemManagedPrefetch(at + PAGE + 5, 0, ON_DEVICE(1), 0), 0);
    CHECK(attribute(block + PAGE, PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == 1);
    CHECK(copy_shows(block, 3) && copy_shows(block + PAGE, 4));
    CHECK_CODE(halMemFree(block), 0);
}

/* To a device that is not open: an error, or nothing lost. */
static void device_not_open(void)
{
    char *block = managed(4);
    for (unsigned i = 0; i < 3; i++) {
        host_mark(block + i * PAGE, 3 + i);
    }
    CHECK_CODE(prefetch(block + PAGE, 1, ON_DEVICE(0)), 0);
    CHECK_CODE(advise(block + 2 * PAGE, 1, READ_MOSTLY, NOWHERE), 0);
    CHECK_CODE(prefetch(block, 1, ON_DEVICE(9)), 8);
    CHECK_CODE(prefetch(block + PAGE, 1, ON_DEVICE(9)), 0);
    CHECK_CODE(prefetch(block + 2 * PAGE, 1, ON_DEVICE(9)), 8);
    CHECK_CODE(prefetch(block + 3 * PAGE, 1, ON_DEVICE(9)), 0);
    CHECK_CODE(advise(block + 2 * PAGE, 1, UNSET_READ_MOSTLY, ON_DEVICE(9)), 8);
    CHECK(read_mostly(block + 2 * PAGE) == 1);
    CHECK_CODE(advise(block + 3 * PAGE, 1, ACCESS_BY_LOCATION, ON_DEVICE(9)), 0);
    CHECK_CODE(advise(block + 3 * PAGE, 1, PREFER_LOCATION, ON_DEVICE(9)), 8);
    CHECK(attribute(block + 3 * PAGE, PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == 9 && untouched(block + 3 * PAGE));
    for (unsigned i = 0; i < 3; i++) {
        CHECK(copy_shows(block + i * PAGE, 3 + i) && host_shows(block + i * PAGE, 3 + i));
    }
    char byte = 0;
    CHECK_CODE(softhal_device_load(9, address_of(block), &byte, 1), 8);
    CHECK_CODE(halMemFree(block), 0);
}

static void batches(void)
{
    enum { ENTRIES = 5 };
    char *block = managed(ENTRIES);
    DVdeviceptr ptrs[4097];
    size_t sizes[4097];
    size_t starts[65] = {0, 2, 3};
    struct drv_uvm_location places[65] = {ON_DEVICE(1), ON_HOST, ON_DEVICE(0)};
    for (int i = 0; i < ENTRIES; i++) {
        char *page = block + i * PAGE;
        host_mark(page, 3 + (unsigned)i);
        CHECK_CODE(device_mark(0, page, 3 + (unsigned)i), 0);
        ptrs[i] = address_of(page);
        sizes[i] = PAGE;
    }
    CHECK_CODE(halMemManagedPrefetchBatch(ptrs, sizes, ENTRIES, places, starts, 3, 0), 0);
    static const int expected[ENTRIES] = {1, 1, -1, 0, 0};
    for (int i = 0; i < ENTRIES; i++) {
        CHECK(attribute(block + i * PAGE, PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == expected[i]);
        CHECK(copy_shows(block + i * PAGE, 3 + (unsigned)i));
        CHECK(device_shows(1, block + i * PAGE, 3 + (unsigned)i));
    }
    CHECK(places[0].id == 1 && places[0].type == DRV_UVM_LOCATION_TYPE_DEVICE && starts[1] == 2 && sizes[4] == PAGE);
    /* The third entry is refused: those before it are done, those behind are not. */
    places[1] = ON_NODE(99);
    places[0] = ON_DEVICE(0);
    CHECK_CODE(halMemManagedPrefetchBatch(ptrs, sizes, ENTRIES, places, starts, 3, 0), 8);
    CHECK(attribute(block, PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == 0);
    CHECK(attribute(block + 2 * PAGE, PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == -1);
    sizes[4] = BEYOND;
    CHECK_CODE(halMemManagedPrefetchBatch(ptrs, sizes, ENTRIES, places, starts, 1, 0), 3);
    for (int i = 0; i < 4097; i++) {
        ptrs[i] = address_of(block);
        sizes[i] = PAGE;
    }
    CHECK_CODE(halMemManagedPrefetchBatch(ptrs, sizes, 4097, places, starts, 1, 0), 8);
    CHECK_CODE(halMemManagedPrefetchBatch(ptrs, sizes, 4097, places, starts, 65, 0), 8);
    CHECK_CODE(halMemFree(block), 0);
}

static void attribute_checks(void)
{
    char *block = managed(2);
    uint64_t at = address_of(block);
    int32_t number = 5;
    int32_t many[4];
    void *data[9] = {&number, many, &number, &number, &number, &number, &number, &number, &number};
    size_t sizes[9] = {4, 16, 4, 4, 4, 4, 4, 4, 4};
    uint32_t which[9] = {1, 3, 1, 1, 1, 1, 1, 1, 1};
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, NULL, 1, at, PAGE), 3);
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 0, at, PAGE), 3);
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 1, at, 0), 3);
    CHECK_CODE(halMemManagedRangeGetAttributes(NULL, sizes, which, 1, at, PAGE), 3);
    CHECK_CODE(halMemManagedRangeGetAttributes(data, NULL, which, 1, at, PAGE), 3);
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 1, window_base - 1, PAGE), 3);
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 9, at, PAGE), 8);
    which[1] = 9;
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 2, at, PAGE), 3);
    which[1] = 0;
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 2, at, PAGE), 3);
    which[1] = 3;
    sizes[1] = 6;
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 2, at, PAGE), 3);
    sizes[0] = 8;
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 1, at, PAGE), 3);
    CHECK(number == 5);
    sizes[0] = 4;
    sizes[1] = 16;
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 1, window_end - PAGE, PAGE + 1), 4);
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 1, at, UINT64_MAX), 4);
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 2, at + 7, 2 * PAGE), 0);
    CHECK(number == 0 && many[0] == -2 && many[3] == -2);
    CHECK(untouched(block) && untouched(block + PAGE));
    CHECK_CODE(advise(block, 2, ACCESS_BY_LOCATION, ON_HOST), 0);
    CHECK_CODE(advise(block, 2, ACCESS_BY_LOCATION, ON_DEVICE(5)), 0);
    CHECK_CODE(advise(block, 2, ACCESS_BY_LOCATION, ON_DEVICE(2)), 0);
    CHECK_CODE(advise(block, 1, ACCESS_BY_LOCATION, ON_DEVICE(3)), 0);
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 2, at, 2 * PAGE), 0);
    CHECK(many[0] == 2 && many[1] == 5 && many[2] == -1 && many[3] == -2);
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 2, at, PAGE), 0);
    CHECK(many[0] == 2 && many[1] == 3 && many[2] == 5 && many[3] == -1);
    int32_t all[70];
    data[1] = all;
    sizes[1] = sizeof(all);
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 2, at, PAGE), 0);
    CHECK(all[0] == 2 && all[3] == -1 && all[4] == -2 && all[64] == -2 && all[69] == -2);
    sizes[1] = 4;
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 2, at, PAGE), 0);
    CHECK(all[0] == 2 && all[1] == 3);
    /* Results may go to managed memory itself; where nobody may write they are refused. */
    data[0] = block + PAGE + 64;
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 2, at, PAGE), 0);
    CHECK(!untouched(block + PAGE) && block[PAGE + 64] == 0);
    data[0] = (void *)(uintptr_t)0x10;
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 2, at, PAGE), 3);
    data[0] = &number;
    data[1] = many;
    sizes[1] = 16;
    CHECK_CODE(advise(block, 1, UNSET_ACCESS_BY_LOCATION, ON_DEVICE(3)), 0);
    CHECK_CODE(halMemManagedRangeGetAttributes(data, sizes, which, 2, at, PAGE), 0);
    CHECK(many[0] == 2 && many[1] == 5 && many[2] == -1 && many[3] == -2);
    CHECK_CODE(halMemFree(block), 0);
}

/* The attribute of a range, for every pair of places. */
static void mixed_ranges(void)
{
    static const struct {
        struct drv_uvm_location one, other;
        int loc, type, id;
    } rows[] = {
        {{0, 0}, {0, 0}, -2, 0, -2}, {{1, 0}, {0, 0}, -2, 0, -2}, {{1, 0}, {1, 0}, 0, 1, 0},
        {{1, 1}, {1, 1}, 1, 1, 1},   {{1, 0}, {1, 1}, -2, 0, -2}, {{2, 0}, {2, 9}, -1, 2, -2},
        {{2, 0}, {1, 0}, -2, 0, -2}, {{2, 0}, {3, 0}, -1, 0, -2}, {{3, 0}, {3, 0}, -1, 3, 0},
        {{3, 0}, {0, 0}, -2, 0, -2}, {{0, 0}, {1, 0}, -2, 0, -2}, {{3, 0}, {1, 0}, -2, 0, -2},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *block = managed(2);
        for (int page = 0; page < 2; page++) {
            struct drv_uvm_location place = page == 0 ? rows[i].one : rows[i].other;
            if (place.type != DRV_UVM_LOCATION_TYPE_INVALID) {
                CHECK_CODE(advise(block + page * PAGE, 1, PREFER_LOCATION, place), 0);
                CHECK_CODE(prefetch(block + page * PAGE, 1, place), 0);
            }
        }
        CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == rows[i].loc);
        CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_PREFERRED_LOC_TYPE) == rows[i].type);
        CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_PREFERRED_LOC_ID) == rows[i].id);
        CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == rows[i].loc);
        CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC_TYPE) == rows[i].type);
        CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC_ID) == rows[i].id);
        CHECK(untouched(block) && untouched(block + PAGE));
        CHECK_CODE(halMemFree(block), 0);
    }
    char *block = managed(2);
    CHECK_CODE(advise(block, 1, READ_MOSTLY, NOWHERE), 0);
    CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_READ_MOSTLY) == 0 && read_mostly(block) == 1);
    CHECK_CODE(halMemFree(block), 0);
}

static void sets_and_copies(void)
{
    char *block = managed(1);
    char bytes[64] = {1};
    uint64_t at = address_of(block);
    CHECK_CODE(drvMemsetD8(at, 10, 1, 11), 3);
    CHECK_CODE(drvMemsetD8(at, 10, 1, 0), 3);
    CHECK_CODE(drvMemsetD8(window_end - 1, 2, 1, 2), 3);
    CHECK_CODE(drvMemcpy(at, 10, address_of(bytes), 11), 3);
    CHECK_CODE(drvMemcpy(at, 10, address_of(bytes), 0), 0);
    CHECK_CODE(drvMemcpy(window_end - 1, 2, address_of(bytes), 2), 3);
    CHECK_CODE(drvMemcpy(address_of(bytes), 2, window_end - 1, 2), 3);
    CHECK_CODE(drvMemcpy(at, 64, 0x10, 64), 4);
    /* A source without a page goes before a destination that is not allocated. */
    CHECK_CODE(drvMemcpy(at + PAGE, 64, at + PAGE, 64), 4);
    CHECK_CODE(halMemcpy(block, 64, bytes, 64, NULL), 0);
    CHECK(block[0] == 1);
    CHECK_CODE(halMemFree(block), 0);
}

/* Calls that know nothing of managed pages refuse them and leave them as they are. */
static void other_calls(void)
{
    char *block = managed(1);
    char bytes[64] = {1};
    void *device = NULL;
    uint64_t at = address_of(block);
    uint64_t to = address_of(bytes);
    uint64_t fd = 0;
    uint64_t physical = 0;
    size_t size = 64;
    char name[65] = "";
    struct DMA_ADDR dma;
    struct memcpy_info info = {.dir = DRV_MEMCPY_DEVICE_TO_HOST, .devid = 0};
    struct MEMCPY2D area;
    memset(&dma, 0, sizeof(dma));
    memset(&area, 0, sizeof(area));
    area.copy2d.src = (unsigned long long *)(void *)block;
    area.copy2d.dst = (unsigned long long *)(void *)bytes;
    area.copy2d.spitch = area.copy2d.dpitch = area.copy2d.width = 8;
    area.copy2d.height = 8;
    area.copy2d.direction = DRV_MEMCPY_DEVICE_TO_HOST;
    CHECK_CODE(device_mark(0, block, 3), 0);
    CHECK_CODE(halMemcpy(bytes, 64, block, 64, &info), 8);
    CHECK_CODE(halMemcpy2D(&area), 8);
    CHECK_CODE(halMemcpyBatch(&to, &at, &size, 1), 8);
    CHECK_CODE(halMemCpyAsync(to, 64, at, 64, &fd), 8);
    CHECK_CODE(drvMemConvertAddr(at, to, 64, &dma), 8);
    CHECK_CODE(drvMemPrefetchToDevice(at, PAGE, 0), 8);
    CHECK_CODE(drvMemAddressTranslate(at, &physical), 8);
    CHECK_CODE(halMemAdvise(at, PAGE, ADVISE_DEV_MEM, 0), 8);
    CHECK_CODE(halHostRegister(block, PAGE, HOST_SVM_MAP_DEV, 0, &device), 8);
    CHECK(halShmemCreateHandle(at, PAGE, name, sizeof(name)) != 0);
    CHECK(copy_shows(block, 3) && device_shows(1, block, 3) && host_shows(block, 3));
    CHECK_CODE(halMemFree(block), 0);
}

/* Ordinary memory of a device, as the agent reaches it. */
static void agent_elsewhere(void)
{
    void *block = NULL;
    void *host = NULL;
    char bytes[16] = "managed or not";
    char back[16] = {0};
    CHECK_CODE(halMemAlloc(&block, 4096, DEV | 1), 0);
    CHECK_CODE(halMemAlloc(&host, 4096, HOST), 0);
    CHECK_CODE(softhal_device_store(1, address_of(block) + 7, bytes, 16), 0);
    CHECK_CODE(softhal_device_load(1, address_of(block) + 7, back, 16), 0);
    CHECK(memcmp(bytes, back, 16) == 0);
    CHECK_CODE(softhal_device_load(0, address_of(block), back, 16), 8);
    CHECK_CODE(softhal_device_load(1, address_of(host), back, 16), 8);
    CHECK_CODE(softhal_device_load(1, address_of(block), NULL, 16), 3);
    CHECK_CODE(softhal_device_load(1, address_of(block), back, 0), 3);
    CHECK_CODE(halMemFree(block), 0);
    CHECK_CODE(halMemFree(host), 0);
}

/* In a child of its own, with no handler of a sanitizer. */
static int dies_reading(const volatile char *place)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        (void)*place;
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return (WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM) || (WIFEXITED(status) && WEXITSTATUS(status) != 0);
}

static void in_a_child(void)
{
    char *block = managed(1);
    host_mark(block, 3);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int bad = halMemManagedAdvise(address_of(block), PAGE, READ_MOSTLY, NOWHERE) != 8;
        bad += prefetch(block, 1, ON_DEVICE(0)) != 8;
        bad += attribute(block, PAGE, MEM_RANGE_ATTR_READ_MOSTLY) != 1008;
        bad += !dies_reading(block);
        /* Opening starts from nothing. */
        bad += halMemAgentOpen(0, 0) != 0;
        void *own = NULL;
        bad += halMemAlloc(&own, PAGE, UVM) != 0;
        host_mark(own, 4);
        bad += !device_shows(0, own, 4) || !host_shows(own, 4);
        bad += halMemFree(own) != 0;
        _exit(bad);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(host_shows(block, 3));
    CHECK_CODE(halMemFree(block), 0);
}

/* A device that closes gives its pages back to the host. */
static void closing(void)
{
    char *block = managed(2);
    CHECK_CODE(device_mark(1, block, 3), 0);
    host_mark(block + PAGE, 4);
    CHECK_CODE(advise(block + PAGE, 1, READ_MOSTLY, NOWHERE), 0);
    CHECK_CODE(prefetch(block + PAGE, 1, ON_DEVICE(1)), 0);
    CHECK_CODE(halMemAgentClose(1, 0), 0);
    CHECK(copy_shows(block, 3) && host_shows(block, 3) && host_shows(block + PAGE, 4));
    CHECK(read_mostly(block + PAGE) == 1);
    char byte = 0;
    CHECK_CODE(softhal_device_load(1, address_of(block), &byte, 1), 8);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    CHECK(device_shows(1, block, 3) && device_shows(1, block + PAGE, 4));
    CHECK_CODE(halMemFree(block), 0);
    CHECK(device_free(1) == device_total(1));
}

static void refused_on_v3(void)
{
    void *block = &block;
    int32_t value = 0;
    void *data = &value;
    size_t width = 4;
    uint32_t which = 1;
    struct drv_uvm_location place = ON_HOST;
    DVdeviceptr ptr = 0x90000000000ULL;
    size_t size = PAGE;
    size_t start = 0;
    CHECK_CODE(halMemAlloc(NULL, PAGE, UVM), 3);
    CHECK_CODE(halMemAlloc(&block, 0, UVM), 3);
    CHECK_CODE(halMemAlloc(&block, PAGE, UVM), 0xfffe);
    CHECK_CODE(halMemManagedAdvise(ptr, size, READ_MOSTLY, place), 0xfffe);
    CHECK_CODE(halMemManagedPrefetch(ptr, size, place, 0), 0xfffe);
    CHECK_CODE(halMemManagedPrefetchBatch(&ptr, &size, 1, &place, &start, 1, 0), 0xfffe);
    CHECK_CODE(halMemManagedRangeGetAttributes(&data, &width, &which, 1, ptr, size), 0xfffe);
}

int main(void)
{
    if (is_v3()) {
        refused_on_v3();
        CHECK_CODE(halMemAgentOpen(0, 0), 0);
        CHECK_CODE(halMemAgentOpen(1, 0), 0);
        agent_elsewhere();
        return finish();
    }
    not_initialised();
    find_window();
    allocating();
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    advising();
    over_a_hole();
    prefetch_checks();
    device_not_open();
    batches();
    attribute_checks();
    mixed_ranges();
    sets_and_copies();
    other_calls();
    agent_elsewhere();
    in_a_child();
    closing();
    return finish();
}
