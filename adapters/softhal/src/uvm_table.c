/*
 * uvm_table.c - which managed pages there are, and the record of each.
 *
 * The window has 1.5 million pages.  Records come in leaves of 1 GiB of address space, made when something
 * is done with a page for the first time; a large allocation costs nothing by itself.  Leaves are mapped
 * and not allocated, because a page fault may need one at any moment.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "uvm.h"

#define LEAF_PAGES 512U
#define LEAVES 3072U
#define LEAF_SIZE (LEAF_PAGES * sizeof(struct uvm_page))

struct span {
    uint64_t start, size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic pthread_t holder; /* 0: nobody; no thread has that name on Linux */
static struct uvm_page *leaves[LEAVES];
static const struct uvm_page untouched;
static struct span *spans; /* the allocations, sorted */
static size_t span_count, span_room;
static bool device_open[MAX_DEVICES];

void uvm_lock(void)
{
    pthread_mutex_lock(&lock);
    atomic_store_explicit(&holder, pthread_self(), memory_order_relaxed);
}

void uvm_unlock(void)
{
    atomic_store_explicit(&holder, 0, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

bool uvm_lock_is_mine(void)
{
    return atomic_load_explicit(&holder, memory_order_relaxed) == pthread_self();
}

void uvm_unlock_child(void)
{
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    lock = fresh;
    atomic_store(&holder, 0);
    uvm_scan_after_fork();
}

bool uvm_has(uint64_t address)
{
    return window_has(&windows.uvm, address);
}

uvm_number uvm_number_of(uint64_t address)
{
    return (uvm_number)((address - windows.uvm.base) / HUGE_PAGE);
}

uint64_t uvm_address_of(uvm_number number)
{
    return windows.uvm.base + number * HUGE_PAGE;
}

bool uvm_request_fits(uint64_t address, uint64_t size)
{
    return uvm_has(address) && size <= windows.uvm.base + windows.uvm.size - address;
}

uint64_t uvm_page_start(uint64_t address)
{
    return address / HUGE_PAGE * HUGE_PAGE;
}

uint64_t uvm_page_end(uint64_t address)
{
    return uvm_page_start(address) + HUGE_PAGE;
}

struct uvm_page *uvm_page(uvm_number number)
{
    struct uvm_page **leaf = &leaves[number / LEAF_PAGES];
    if (*leaf == NULL) {
        void *got = mmap(NULL, LEAF_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got == MAP_FAILED) {
            return NULL;
        }
        *leaf = got;
    }
    return &(*leaf)[number % LEAF_PAGES];
}

const struct uvm_page *uvm_peek(uvm_number number)
{
    const struct uvm_page *leaf = leaves[number / LEAF_PAGES];
    return leaf == NULL ? &untouched : &leaf[number % LEAF_PAGES];
}

void uvm_each_used(uint64_t address, uint64_t size, void (*visit)(uvm_number number, unsigned argument),
                   unsigned argument)
{
    uvm_number number = uvm_number_of(address);
    uvm_number end = number + (uvm_number)(size / HUGE_PAGE);
    while (number < end) {
        const struct uvm_page *page = uvm_peek(number);
        if (page == &untouched) {
            number = (number / LEAF_PAGES + 1) * LEAF_PAGES;
            continue;
        }
        if (memcmp(page, &untouched, sizeof(*page)) != 0) {
            visit(number, argument);
        }
        number++;
    }
}

/* Index of the first allocation that ends behind address. */
static size_t span_index(uint64_t address)
{
    size_t low = 0;
    size_t high = span_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (spans[middle].start + spans[middle].size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint64_t uvm_allocated_until(uint64_t address)
{
    uint64_t end = 0;
    for (size_t i = span_index(address); i < span_count && spans[i].start <= (end == 0 ? address : end); i++) {
        end = spans[i].start + spans[i].size;
    }
    return end;
}

bool uvm_allocated(uint64_t address)
{
    size_t index = span_index(address);
    return index < span_count && spans[index].start <= address;
}

int uvm_add(uint64_t start, uint64_t size)
{
    /* Nobody touches the pages unseen. */
    cpu_access(start, size, false);
    uvm_serve_syscalls();
    uvm_lock();
    bool room = span_count < span_room;
    if (!room) {
        size_t wanted = span_room == 0 ? 64 : span_room * 2;
        struct span *bigger = realloc(spans, wanted * sizeof(*spans));
        room = bigger != NULL;
        spans = room ? bigger : spans;
        span_room = room ? wanted : span_room;
    }
    if (room) {
        size_t index = span_index(start);
        memmove(&spans[index + 1], &spans[index], (span_count - index) * sizeof(*spans));
        spans[index] = (struct span){start, size};
        span_count++;
    }
    uvm_unlock();
    return room ? 0 : -1;
}

void uvm_remove(uint64_t start, uint64_t size)
{
    uvm_lock();
    size_t index = span_index(start);
    if (index < span_count && spans[index].start == start) {
        uvm_each_used(start, size, uvm_forget_page, 0);
        span_count--;
        memmove(&spans[index], &spans[index + 1], (span_count - index) * sizeof(*spans));
    }
    uvm_unlock();
}

void uvm_forget(void)
{
    for (size_t i = 0; i < LEAVES; i++) {
        if (leaves[i] != NULL) {
            munmap(leaves[i], LEAF_SIZE);
            leaves[i] = NULL;
        }
    }
    uvm_frames_forget();
    span_count = 0;
    memset(device_open, 0, sizeof(device_open));
}

bool uvm_is_open(unsigned device)
{
    return device < MAX_DEVICES && device_open[device];
}

void uvm_open_device(unsigned device)
{
    uvm_lock();
    device_open[device] = true;
    uvm_unlock();
}

/* A page comes home; its bytes are lost if the host has no memory for them. */
static void leave_device(uvm_number number, unsigned device)
{
    const struct uvm_page *page = uvm_peek(number);
    if ((page->copies >> device & 1) != 0 && !uvm_swap_out(number, device)) {
        struct uvm_page kept = *page;
        uvm_forget_page(number, 0);
        struct uvm_page *fresh = uvm_page(number);
        fresh->preferred = kept.preferred;
        fresh->prefetched = kept.prefetched;
        fresh->accessed_by = kept.accessed_by;
        fresh->accessed_by_host = kept.accessed_by_host;
    }
}

void uvm_close_device(unsigned device)
{
    uvm_lock();
    device_open[device] = false;
    for (size_t i = 0; i < span_count && uvm_frame_count(device) > 0; i++) {
        uvm_each_used(spans[i].start, spans[i].size, leave_device, device);
    }
    uvm_unlock();
}

/*
 * Memory of blocks that were freed may still be kept for later, and giving it back needs state.lock.  So the
 * step is left, and begun again afterwards; nothing of it has happened.  Whoever holds state.lock already
 * (a page fault while the driver writes a result) does without.
 */
drvError_t uvm_do(uvm_step *step, uvm_number number, unsigned argument)
{
    drvError_t code = step(number, argument);
    if (code != DRV_ERROR_OUT_OF_MEMORY) {
        return code;
    }
    uvm_unlock();
    bool drained = false;
    if (pthread_mutex_trylock(&state.lock) == 0) {
        drained = cache_drain(NODES);
        state_unlock();
    }
    uvm_lock();
    return drained && uvm_allocated(uvm_address_of(number)) ? step(number, argument) : code;
}

bool uvm_node_online(int node)
{
    return node == 0; /* this host has one node */
}

struct uvm_place uvm_place_of(struct drv_uvm_location location)
{
    struct uvm_place place = {DRV_UVM_LOCATION_TYPE_INVALID, 0};
    if (location.type <= DRV_UVM_LOCATION_TYPE_HOST_NUMA) {
        place.type = (uint8_t)location.type;
    }
    if (location.type == DRV_UVM_LOCATION_TYPE_DEVICE || location.type == DRV_UVM_LOCATION_TYPE_HOST_NUMA) {
        place.id = (uint8_t)location.id % MAX_DEVICES;
    }
    return place;
}
