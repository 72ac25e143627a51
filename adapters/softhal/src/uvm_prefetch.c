/*
 * uvm_prefetch.c - halMemManagedPrefetch and halMemManagedPrefetchBatch.
 *
 * Pages move one after the other; those that nobody touched yet are passed over.  That a prefetch was
 * asked for is noted when the whole of it is done.
 */
#include "caprice.h"
#include "uvm.h"

enum { PREFETCH_COUNT_MAX = 4096, PREFETCH_LOCATIONS_MAX = 64 };

static drvError_t to_device(uvm_number number, unsigned device)
{
    const struct uvm_page *page = uvm_peek(number);
    if (page->state == UVM_DEVICE && !uvm_is_open(device)) {
        return DRV_ERROR_NONE; /* where it is is as good */
    }
    if (FAULT(uvm_prefetch_loses) && page->state == UVM_HOST && !uvm_is_open(device)) {
        uvm_discard(number, HOST_NODE);
        return DRV_ERROR_NONE;
    }
    return page->state == UVM_READ_MOSTLY ? uvm_do(uvm_replicate, number, device) : uvm_do(uvm_to_device, number, device);
}

static drvError_t to_host(uvm_number number, bool any_node)
{
    switch (uvm_peek(number)->state) {
        case UVM_DEVICE:
            return uvm_do(uvm_to_host, number, 0);
        default:
            /* It is there; the public driver has a way from node to node only. */
            return any_node != caprice_reads(READING_THERE_ALREADY) ? DRV_ERROR_NOT_SUPPORT : DRV_ERROR_NONE;
    }
}

static drvError_t prefetch_page(uvm_number number, struct drv_uvm_location location)
{
    if (uvm_peek(number)->state == UVM_UNTOUCHED) {
        return DRV_ERROR_NONE;
    }
    switch (location.type) {
        case DRV_UVM_LOCATION_TYPE_DEVICE:
            return to_device(number, (unsigned)location.id);
        case DRV_UVM_LOCATION_TYPE_HOST:
            return to_host(number, true);
        case DRV_UVM_LOCATION_TYPE_HOST_NUMA:
            return to_host(number, false);
        default:
            return DRV_ERROR_NOT_SUPPORT;
    }
}

static void note(uint64_t start, uint64_t end, struct drv_uvm_location location)
{
    for (uint64_t at = start; at < end; at += HUGE_PAGE) {
        struct uvm_page *page = uvm_allocated(at) ? uvm_page(uvm_number_of(at)) : NULL;
        if (page != NULL) {
            page->prefetched = uvm_place_of(location);
        }
    }
}

/* Seeded fault: the bytes of the range arrive one page further on. */
static void shift_pages(uint64_t start, uint64_t end)
{
    for (uint64_t at = end - HUGE_PAGE; FAULT(uvm_prefetch_shifted) && at > start; at -= HUGE_PAGE) {
        uvm_number number = uvm_number_of(at);
        unsigned node = uvm_home(uvm_peek(number));
        char *view = uvm_view(number - 1, uvm_home(uvm_peek(number - 1)));
        if (view != NULL && uvm_peek(number)->state == UVM_DEVICE) {
            (void)uvm_write(number, node, 0, view, HUGE_PAGE);
        }
        uvm_unview(view);
    }
}

/* What the kernel does with one range, once user space has let it through. */
static drvError_t prefetch(uint64_t address, uint64_t size, struct drv_uvm_location location)
{
    uint64_t window_end = windows.uvm.base + windows.uvm.size;
    if (size > window_end - address) {
        return FAULT(uvm_prefetch_wraps) ? DRV_ERROR_NONE : DRV_ERROR_IOCRL_FAIL;
    }
    if (location.type == DRV_UVM_LOCATION_TYPE_HOST_NUMA && !uvm_node_online(location.id)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (location.type == DRV_UVM_LOCATION_TYPE_DEVICE && (location.id < 0 || location.id >= MAX_DEVICES)) {
        return DRV_ERROR_PARA_ERROR;
    }
    uint64_t start = uvm_page_start(address);
    uint64_t end = round_up(address + size, HUGE_PAGE);
    uvm_lock();
    bool sound = end > start && uvm_allocated_until(start) >= end; /* nothing else is to be refused */
    drvError_t code = sound && caprice_short() ? DRV_ERROR_OUT_OF_MEMORY : DRV_ERROR_NONE;
    if (sound && (address | size) % HUGE_PAGE != 0 && caprice_reads(READING_WHOLE_PAGES)) {
        code = caprice_code(DRV_ERROR_INVALID_VALUE, DRV_ERROR_PARA_ERROR);
    }
    for (uint64_t at = start; at < end && code == DRV_ERROR_NONE; at += HUGE_PAGE) {
        code = uvm_allocated(at) ? prefetch_page(uvm_number_of(at), location) : DRV_ERROR_PARA_ERROR;
    }
    if (code == DRV_ERROR_NONE || FAULT(uvm_noted_on_failure)) {
        note(start, end, location);
    }
    if (code == DRV_ERROR_NONE && location.type == DRV_UVM_LOCATION_TYPE_DEVICE && end > start) {
        shift_pages(start, end);
    }
    uvm_unlock();
    return code;
}

/* User space looks at both ends; that the sum may have wrapped in between is for the kernel to see. */
static bool ends_fit(uint64_t address, uint64_t size)
{
    return uvm_has(address) && uvm_has(address + size - 1);
}

DVresult halMemManagedPrefetch(DVdeviceptr ptr, size_t size, struct drv_uvm_location location, unsigned int flags)
{
    if (generation() == GEN_V3) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE && code != DRV_ERROR_PARA_ERROR) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (code == DRV_ERROR_NONE) {
        leave();
    }
    if (!ends_fit(ptr, size)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (location.type == DRV_UVM_LOCATION_TYPE_DEVICE && (location.id < 0 || location.id >= MAX_DEVICES)) {
        return caprice_code(DRV_ERROR_INVALID_VALUE, DRV_ERROR_PARA_ERROR);
    }
    if (flags != 0 && !FAULT(uvm_flags_ignored)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    return code == DRV_ERROR_NONE ? prefetch(ptr, size, location) : code;
}

DVresult halMemManagedPrefetchBatch(DVdeviceptr *ptrs, size_t *sizes, size_t count,
                                    struct drv_uvm_location *prefetchLocs, size_t *prefetchLocIdxs,
                                    size_t numPrefetchLocs, unsigned long long flags)
{
    (void)flags; /* reserved; not looked at */
    if (generation() == GEN_V3) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (ptrs == NULL || sizes == NULL || prefetchLocs == NULL || prefetchLocIdxs == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE && code != DRV_ERROR_PARA_ERROR) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (code == DRV_ERROR_NONE) {
        leave();
    }
    for (size_t i = 0; i < count; i++) {
        if (!ends_fit(ptrs[i], sizes[i])) {
            return DRV_ERROR_INVALID_VALUE;
        }
    }
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (count > PREFETCH_COUNT_MAX || numPrefetchLocs > PREFETCH_LOCATIONS_MAX || numPrefetchLocs == 0 ||
        numPrefetchLocs > count || prefetchLocIdxs[0] != 0) {
        return DRV_ERROR_PARA_ERROR;
    }
    size_t which = 0;
    for (size_t i = 0; i < count && code == DRV_ERROR_NONE; i++) {
        if (which + 1 < numPrefetchLocs && i >= prefetchLocIdxs[which + 1] && !FAULT(uvm_batch_first_location)) {
            which++;
        }
        code = prefetch(ptrs[i], sizes[i], prefetchLocs[which]);
        if (FAULT(uvm_batch_changes_input)) {
            prefetchLocs[which].id = -1;
        }
    }
    return code;
}
