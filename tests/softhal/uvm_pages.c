/* uvm_pages.c - what becomes of one managed page: accesses, sets, copies, advice and prefetch in each state. */
#include "uvm.h"

/* States of a page, and a page put into each; what it holds is marked with its seed. */
enum state { UNTOUCHED, HOST_PAGE, DEVICE_0, MOSTLY, MOSTLY_0, STATES };

static void put(char *page, enum state state, unsigned seed)
{
    switch (state) {
        case UNTOUCHED:
            break;
        case HOST_PAGE:
            host_mark(page, seed);
            break;
        case DEVICE_0:
            CHECK_CODE(device_mark(0, page, seed), 0);
            break;
        case MOSTLY:
            host_mark(page, seed);
            CHECK_CODE(advise(page, 1, READ_MOSTLY, NOWHERE), 0);
            break;
        default:
            CHECK_CODE(device_mark(0, page, seed), 0);
            CHECK_CODE(advise(page, 1, READ_MOSTLY, NOWHERE), 0);
            break;
    }
}

static int is_mostly(enum state state)
{
    return state == MOSTLY || state == MOSTLY_0;
}

static void accesses(enum state state)
{
    char *page = managed(5);
    for (int i = 0; i < 5; i++) {
        put(page + i * PAGE, state, 3);
    }
    CHECK(untouched(page) == (state == UNTOUCHED));
    /* Reads, here and there. */
    CHECK(state == UNTOUCHED || host_shows(page, 3));
    CHECK(state == UNTOUCHED || device_shows(0, page, 3));
    CHECK(state == UNTOUCHED || device_shows(1, page, 3));
    CHECK(state == UNTOUCHED || host_shows(page, 3));
    CHECK(read_mostly(page) == is_mostly(state));
    /* Each may write, and all see it; that ends read mostly. */
    host_mark(page + PAGE, 4);
    CHECK(read_mostly(page + PAGE) == 0);
    CHECK(device_shows(0, page + PAGE, 4) && device_shows(1, page + PAGE, 4) && host_shows(page + PAGE, 4));
    CHECK_CODE(device_mark(0, page + 2 * PAGE, 5), 0);
    CHECK(read_mostly(page + 2 * PAGE) == 0);
    CHECK(host_shows(page + 2 * PAGE, 5) && device_shows(1, page + 2 * PAGE, 5) && device_shows(0, page + 2 * PAGE, 5));
    CHECK_CODE(device_mark(1, page + 3 * PAGE, 6), 0);
    CHECK(device_shows(0, page + 3 * PAGE, 6) && device_shows(1, page + 3 * PAGE, 6) && host_shows(page + 3 * PAGE, 6));
    /* Bytes that were not written stay. */
    if (state != UNTOUCHED) {
        char byte = 77;
        CHECK_CODE(softhal_device_store(1, address_of(page) + 4 * PAGE + 1000, &byte, 1), 0);
        CHECK(device_shows(0, page + 4 * PAGE, 3) && page[4 * PAGE + 1000] == 77 && host_shows(page + 4 * PAGE, 3));
    }
    CHECK_CODE(halMemFree(page), 0);
}

static void back_and_forth(void)
{
    char *page = managed(1);
    for (unsigned seed = 1; seed < 8; seed += 3) {
        host_mark(page, seed);
        CHECK(device_shows(0, page, seed));
        CHECK_CODE(device_mark(0, page, seed + 1), 0);
        CHECK(host_shows(page, seed + 1));
        CHECK_CODE(device_mark(1, page, seed + 2), 0);
        CHECK(device_shows(0, page, seed + 2) && copy_shows(page, seed + 2));
    }
    CHECK_CODE(halMemFree(page), 0);
}

static void setting(enum state state)
{
    char *page = managed(2);
    char bytes[8];
    put(page, state, 3);
    put(page + PAGE, state, 3);
    CHECK_CODE(drvMemsetD8(address_of(page) + PAGE - 100, 200, 0x5a, 200), 0);
    CHECK(state == UNTOUCHED || copy_shows(page + PAGE, 3) == 0); /* the first spot was set */
    CHECK_CODE(softhal_device_load(0, address_of(page) + PAGE - 4, bytes, 8), 0);
    CHECK(memcmp(bytes, "ZZZZZZZZ", 8) == 0);
    CHECK_CODE(softhal_device_load(1, address_of(page) + PAGE + 92, bytes, 8), 0);
    CHECK(memcmp(bytes, "ZZZZZZZZ", 8) == 0);
    CHECK(page[PAGE - 1] == 0x5a && page[PAGE + 199 - 100] == 0x5a);
    CHECK(state == UNTOUCHED || (unsigned char)page[4095] == byte_of(3, 4095));
    CHECK_CODE(halMemFree(page), 0);
}

static void copying(enum state state)
{
    static char bytes[PAGE];
    char *page = managed(2);
    char *device = NULL;
    char *host = NULL;
    put(page, state, 3);
    put(page + PAGE, state, 3);
    CHECK_CODE(halMemAlloc((void **)&device, PAGE, DEV | MEM_PAGE_HUGE), 0);
    CHECK_CODE(halMemAlloc((void **)&host, PAGE, HOST), 0);
    /* As the source it is left where it is; untouched it is none. */
    CHECK_CODE(drvMemcpy(address_of(bytes), PAGE, address_of(page), PAGE), state == UNTOUCHED ? 4 : 0);
    CHECK(state == UNTOUCHED || host_shows(bytes, 3));
    CHECK_CODE(drvMemcpy(address_of(device), PAGE, address_of(page), PAGE),
               state == UNTOUCHED ? 4 : state == DEVICE_0 ? 8 : 0);
    CHECK_CODE(drvMemcpy(address_of(host), PAGE, address_of(page), PAGE), state == UNTOUCHED ? 4 : 0);
    CHECK(state == UNTOUCHED || host_shows(host, 3));
    CHECK(untouched(page) == (state == UNTOUCHED));
    CHECK(read_mostly(page) == is_mostly(state));
    /* As the destination it is written where it is; a page that is read mostly becomes one of the host. */
    host_mark(bytes, 9);
    CHECK_CODE(drvMemcpy(address_of(page), PAGE, address_of(bytes), PAGE), 0);
    CHECK(copy_shows(page, 9) && device_shows(0, page, 9) && device_shows(1, page, 9) && host_shows(page, 9));
    CHECK(read_mostly(page) == 0);
    host_mark(bytes, 10);
    CHECK_CODE(drvMemcpy(address_of(device), PAGE, address_of(bytes), PAGE), 0);
    CHECK_CODE(drvMemcpy(address_of(page) + PAGE, PAGE, address_of(device), PAGE), state == DEVICE_0 ? 8 : 0);
    CHECK(copy_shows(page + PAGE, state == DEVICE_0 ? 3 : 10));
    CHECK_CODE(halMemFree(page), 0);
    CHECK_CODE(halMemFree(device), 0);
    CHECK_CODE(halMemFree(host), 0);
}

static void copying_within(enum state to, enum state from)
{
    char *target = managed(1);
    char *source = managed(1);
    put(target, to, 3);
    put(source, from, 4);
    CHECK_CODE(drvMemcpy(address_of(target), PAGE, address_of(source), PAGE), from == UNTOUCHED ? 4 : 0);
    if (from != UNTOUCHED) {
        CHECK(copy_shows(target, 4) && copy_shows(source, 4));
        CHECK(device_shows(1, target, 4) && host_shows(target, 4) && host_shows(source, 4));
    } else {
        CHECK(untouched(target) == (to == UNTOUCHED));
    }
    CHECK_CODE(halMemFree(target), 0);
    CHECK_CODE(halMemFree(source), 0);
}

static void read_mostly_advice(enum state state)
{
    char *page = managed(4);
    for (int i = 0; i < 4; i++) {
        put(page + i * PAGE, state, 3);
    }
    CHECK_CODE(advise(page, 4, READ_MOSTLY, (struct drv_uvm_location){77, -5}), 0);
    CHECK(attribute(page, 4 * PAGE, MEM_RANGE_ATTR_READ_MOSTLY) == 1);
    CHECK(!untouched(page) && (state == UNTOUCHED || copy_shows(page, 3)));
    CHECK(state == UNTOUCHED || (host_shows(page, 3) && device_shows(0, page, 3) && device_shows(1, page, 3)));
    CHECK(read_mostly(page) == 1);
    CHECK_CODE(advise(page, 1, UNSET_READ_MOSTLY, ON_HOST), 0);
    CHECK_CODE(advise(page + PAGE, 1, UNSET_READ_MOSTLY, ON_DEVICE(0)), 0);
    CHECK_CODE(advise(page + 2 * PAGE, 1, UNSET_READ_MOSTLY, ON_DEVICE(1)), 0);
    CHECK_CODE(advise(page + 3 * PAGE, 1, UNSET_READ_MOSTLY, NOWHERE), 0);
    /* Where the page is now: prefetching to the host is refused if it is there already. */
    CHECK_CODE(prefetch(page, 1, ON_HOST), 0xfffe);
    CHECK_CODE(prefetch(page + 3 * PAGE, 1, ON_HOST), 0xfffe);
    CHECK_CODE(prefetch(page + PAGE, 1, ON_HOST), 0);
    CHECK_CODE(prefetch(page + 2 * PAGE, 1, ON_HOST), 0);
    for (int i = 0; i < 4; i++) {
        CHECK(read_mostly(page + i * PAGE) == 0);
        CHECK(state == UNTOUCHED || (copy_shows(page + i * PAGE, 3) && host_shows(page + i * PAGE, 3)));
        CHECK(state == UNTOUCHED || device_shows(1, page + i * PAGE, 3));
    }
    /* Once more on a page that is not read mostly: nothing. */
    CHECK_CODE(advise(page, 4, UNSET_READ_MOSTLY, ON_DEVICE(1)), 0);
    CHECK_CODE(halMemFree(page), 0);
}

/* The preferred location of the page goes before the one that is given. */
static void preferred_decides(void)
{
    char *page = managed(2);
    host_mark(page, 3);
    host_mark(page + PAGE, 3);
    CHECK_CODE(advise(page, 1, PREFER_LOCATION, ON_HOST), 0);
    CHECK_CODE(advise(page + PAGE, 1, PREFER_LOCATION, ON_DEVICE(1)), 0);
    CHECK_CODE(advise(page, 2, READ_MOSTLY, NOWHERE), 0);
    CHECK_CODE(advise(page, 1, UNSET_READ_MOSTLY, ON_DEVICE(0)), 0);
    CHECK_CODE(advise(page + PAGE, 1, UNSET_READ_MOSTLY, ON_HOST), 0);
    CHECK_CODE(prefetch(page, 1, ON_HOST), 0xfffe);
    CHECK_CODE(prefetch(page + PAGE, 1, ON_HOST), 0);
    CHECK(host_shows(page, 3) && host_shows(page + PAGE, 3));
    CHECK_CODE(halMemFree(page), 0);
}

/* Only both together, preferred here and accessed from here, make a page; and only one that is nowhere. */
static void preferred_and_accessed(enum state state, struct drv_uvm_location location, int prefer_first)
{
    char *page = managed(1);
    uint32_t first = prefer_first ? PREFER_LOCATION : ACCESS_BY_LOCATION;
    uint32_t second = prefer_first ? ACCESS_BY_LOCATION : PREFER_LOCATION;
    put(page, state, 3);
    CHECK_CODE(advise(page, 1, first, location), 0);
    CHECK(untouched(page) == (state == UNTOUCHED));
    CHECK_CODE(advise(page, 1, second, location), 0);
    CHECK(!untouched(page));
    CHECK(state == UNTOUCHED || copy_shows(page, 3));
    CHECK(read_mostly(page) == is_mostly(state));
    CHECK_CODE(advise(page, 1, second, location), 0);
    int on_host = state == HOST_PAGE || is_mostly(state) || (state == UNTOUCHED && location.type == DRV_UVM_LOCATION_TYPE_HOST);
    CHECK_CODE(prefetch(page, 1, ON_HOST), on_host ? 0xfffe : 0);
    CHECK(state == UNTOUCHED || (host_shows(page, 3) && device_shows(1, page, 3)));
    CHECK(attribute(page, PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == (location.type == DRV_UVM_LOCATION_TYPE_HOST ? -1 : location.id));
    CHECK_CODE(halMemFree(page), 0);
}

static void different_places(void)
{
    char *page = managed(1);
    CHECK_CODE(advise(page, 1, ACCESS_BY_LOCATION, ON_DEVICE(0)), 0);
    CHECK_CODE(advise(page, 1, PREFER_LOCATION, ON_DEVICE(1)), 0);
    CHECK(untouched(page));
    CHECK_CODE(advise(page, 1, PREFER_LOCATION, ON_NODE(0)), 0);
    CHECK(untouched(page));
    CHECK_CODE(advise(page, 1, ACCESS_BY_LOCATION, ON_HOST), 0);
    CHECK(!untouched(page));
    CHECK_CODE(prefetch(page, 1, ON_HOST), 0xfffe);
    CHECK_CODE(halMemFree(page), 0);
}

static void prefetching(enum state state)
{
    char *page = managed(6);
    for (int i = 0; i < 6; i++) {
        put(page + i * PAGE, state, 3 + (unsigned)i);
    }
    int stays = state == HOST_PAGE || is_mostly(state);
    CHECK_CODE(prefetch(page, 1, ON_HOST), stays ? 0xfffe : 0);
    CHECK(attribute(page, PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == (stays ? -2 : -1));
    CHECK_CODE(prefetch(page + PAGE, 1, ON_NODE(0)), 0);
    CHECK(attribute(page + PAGE, PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == -1);
    CHECK_CODE(prefetch(page + 2 * PAGE, 1, ON_DEVICE(0)), 0);
    CHECK_CODE(prefetch(page + 3 * PAGE, 1, ON_DEVICE(1)), 0);
    CHECK(attribute(page + 3 * PAGE, PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC_ID) == 1);
    CHECK_CODE(prefetch(page + 4 * PAGE, 1, NOWHERE), state == UNTOUCHED ? 0 : 0xfffe);
    CHECK_CODE(prefetch(page + 5 * PAGE, 1, ON_NODE(7)), 8);
    CHECK(untouched(page + 3 * PAGE) == (state == UNTOUCHED));
    for (int i = 0; i < 6 && state != UNTOUCHED; i++) {
        unsigned seed = 3 + (unsigned)i;
        char *one = page + i * PAGE;
        CHECK(copy_shows(one, seed));
        CHECK(device_shows(0, one, seed) && device_shows(1, one, seed) && host_shows(one, seed));
        CHECK(read_mostly(one) == is_mostly(state));
    }
    CHECK_CODE(halMemFree(page), 0);
}

/* A run of pages, among them untouched ones: all that can move do, none is lost or exchanged. */
static void prefetching_many(void)
{
    enum { MANY = 21 };
    char *block = managed(MANY);
    for (unsigned i = 0; i < MANY; i++) {
        if (i % 4 != 2) {
            put(block + i * PAGE, i % 3 == 0 ? DEVICE_0 : HOST_PAGE, i + 1);
        }
    }
    CHECK_CODE(prefetch(block, MANY, ON_DEVICE(1)), 0);
    CHECK(attribute(block, MANY * PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == 1);
    for (unsigned i = 0; i < MANY; i++) {
        char *page = block + i * PAGE;
        CHECK(i % 4 == 2 ? untouched(page) : copy_shows(page, i + 1) && device_shows(0, page, i + 1) && host_shows(page, i + 1));
    }
    CHECK_CODE(halMemFree(block), 0);
}

/* The flow of the documents: weights are filled, then advised, then sent to two devices.  And advised first. */
static void weights(int fill_first)
{
    char *block = managed(2);
    if (fill_first) {
        host_mark(block, 3);
        host_mark(block + PAGE, 4);
    }
    CHECK_CODE(advise(block, 2, READ_MOSTLY, NOWHERE), 0);
    if (!fill_first) {
        host_mark(block, 3);
        host_mark(block + PAGE, 4);
    }
    CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_READ_MOSTLY) == fill_first);
    CHECK_CODE(prefetch(block, 2, ON_DEVICE(0)), 0);
    CHECK_CODE(prefetch(block, 2, ON_DEVICE(1)), 0);
    CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == 1);
    CHECK(device_shows(0, block, 3) && device_shows(1, block, 3) && host_shows(block, 3));
    CHECK(device_shows(1, block + PAGE, 4) && device_shows(0, block + PAGE, 4) && host_shows(block + PAGE, 4));
    CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_READ_MOSTLY) == fill_first);
    CHECK_CODE(device_mark(1, block, 5), 0);
    CHECK(device_shows(0, block, 5) && host_shows(block, 5) && host_shows(block + PAGE, 4));
    CHECK(attribute(block, 2 * PAGE, MEM_RANGE_ATTR_READ_MOSTLY) == 0 && read_mostly(block + PAGE) == fill_first);
    CHECK_CODE(halMemFree(block), 0);
}

static void separate_pages(void)
{
    char *one = managed(2);
    char *other = managed(1);
    CHECK(one[10] == 0 || one[10] != 0); /* touched, and not written */
    CHECK(other[10] == 0 || other[10] != 0);
    host_mark(one, 3);
    host_mark(one + PAGE, 4);
    host_mark(other, 5);
    CHECK(host_shows(one, 3) && host_shows(one + PAGE, 4) && host_shows(other, 5));
    CHECK_CODE(halMemFree(one), 0);
    CHECK(host_shows(other, 5));
    CHECK_CODE(halMemFree(other), 0);
}

/* Nothing of an allocation is left when it is freed, and the next one at its place knows nothing of it. */
static void freeing(void)
{
    uint64_t before = device_free(0);
    char *block = managed(3);
    put(block, DEVICE_0, 3);
    put(block + PAGE, MOSTLY_0, 4);
    put(block + 2 * PAGE, HOST_PAGE, 5);
    CHECK(device_free(0) + 2 * PAGE == before);
    CHECK_CODE(advise(block, 3, PREFER_LOCATION, ON_DEVICE(0)), 0);
    CHECK_CODE(advise(block, 3, ACCESS_BY_LOCATION, ON_DEVICE(1)), 0);
    CHECK_CODE(prefetch(block, 3, ON_DEVICE(0)), 0);
    CHECK_CODE(halMemFree(block), 0);
    CHECK(device_free(0) == before);
    char *again = managed(3);
    CHECK(again == block); /* the driver reuses addresses at once, which makes this test one */
    CHECK(untouched(again) && untouched(again + PAGE) && untouched(again + 2 * PAGE));
    CHECK(attribute(again, 3 * PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == -2);
    CHECK(attribute(again, 3 * PAGE, MEM_RANGE_ATTR_ACCESS_BY) == -2);
    CHECK(attribute(again, 3 * PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == -2);
    CHECK(attribute(again, 3 * PAGE, MEM_RANGE_ATTR_READ_MOSTLY) == 0);
    CHECK_CODE(halMemFree(again), 0);
}

/* What neither accesses nor moves change. */
static void attributes_stay(void)
{
    char *page = managed(1);
    CHECK_CODE(advise(page, 1, PREFER_LOCATION, ON_DEVICE(1)), 0);
    CHECK_CODE(advise(page, 1, ACCESS_BY_LOCATION, ON_DEVICE(0)), 0);
    host_mark(page, 3);
    CHECK_CODE(prefetch(page, 1, ON_DEVICE(0)), 0);
    CHECK(host_shows(page, 3) && device_shows(1, page, 3) && device_shows(0, page, 3) && host_shows(page, 3));
    CHECK_CODE(drvMemsetD8(address_of(page), 10, 1, 10), 0);
    CHECK(attribute(page, PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == 1);
    CHECK(attribute(page, PAGE, MEM_RANGE_ATTR_ACCESS_BY) == 0);
    CHECK(attribute(page, PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == 0);
    CHECK_CODE(halMemFree(page), 0);
}

static void unallocated(void)
{
    char *page = managed(1);
    char byte = 1;
    CHECK_CODE(halMemFree(page), 0);
    CHECK_CODE(softhal_device_load(0, address_of(page), &byte, 1), 8);
    CHECK_CODE(softhal_device_store(0, address_of(page), &byte, 1), 8);
    CHECK_CODE(drvMemsetD8(address_of(page), 1, 1, 1), 8);
    CHECK_CODE(drvMemcpy(address_of(page), 1, address_of(&byte), 1), 8);
    CHECK_CODE(drvMemcpy(address_of(&byte), 1, address_of(page), 1), 4);
    CHECK_CODE(advise(page, 1, READ_MOSTLY, NOWHERE), 8);
    CHECK_CODE(prefetch(page, 1, ON_DEVICE(0)), 8);
    CHECK(attribute(page, PAGE, MEM_RANGE_ATTR_READ_MOSTLY) == 1008);
    CHECK_CODE(halMemFree(page), 3);
}

int main(void)
{
    if (is_v3()) {
        return finish();
    }
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    for (enum state state = UNTOUCHED; state < STATES; state++) {
        accesses(state);
        setting(state);
        copying(state);
        read_mostly_advice(state);
        for (int order = 0; order < 2; order++) {
            preferred_and_accessed(state, ON_HOST, order);
            preferred_and_accessed(state, ON_DEVICE(1), order);
        }
        prefetching(state);
        for (enum state other = UNTOUCHED; other < STATES; other++) {
            copying_within(state, other);
        }
    }
    back_and_forth();
    preferred_decides();
    different_places();
    prefetching_many();
    weights(1);
    weights(0);
    separate_pages();
    freeing();
    attributes_stay();
    unallocated();
    CHECK_CODE(halMemAgentClose(1, 0), 0);
    CHECK_CODE(halMemAgentClose(0, 0), 0);
    return finish();
}
