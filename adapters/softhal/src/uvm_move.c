/*
 * uvm_move.c - the steps by which a managed page changes its state.
 *
 * The order within a step is always the same: memory for the new copy, no more writes by the CPU, the bytes,
 * and only then the old copy goes.  So a step that finds no memory leaves the page as it was.
 */
#include <sys/mman.h>

#include "uvm.h"
#include "vmm.h"
#include "window.h"

#define WRITABLE (PROT_READ | PROT_WRITE)

unsigned uvm_home(const struct uvm_page *page)
{
    return page->state == UVM_DEVICE ? (unsigned)__builtin_ctzll(page->copies) : HOST_NODE;
}

static bool host_take(void)
{
    return domain_take(HOST_NODE, CLASS_HUGE, HUGE_PAGE) == 0;
}

static void host_drop(uvm_number number)
{
    (void)uvm_protect(number, PROT_NONE);
    uvm_discard(number, HOST_NODE);
    domain_give(HOST_NODE, CLASS_HUGE, HUGE_PAGE);
}

/* Seeded fault: the page is being swapped out. */
static bool swapping;

static void device_drop(uvm_number number, struct uvm_page *page, unsigned device)
{
    uvm_frame_give(device, number);
    page->copies &= ~(1ULL << device);
    if (!FAULT(uvm_write_lost) && !(FAULT(uvm_swap_in_stale) && swapping)) {
        uvm_discard(number, device);
    }
}

static void devices_drop(uvm_number number, struct uvm_page *page, uint64_t keep)
{
    for (unsigned device = 0; device < MAX_DEVICES; device++) {
        if (((page->copies & ~keep) >> device & 1) != 0) {
            device_drop(number, page, device);
        }
    }
}

/* Seeded fault: what one page shows is another one's memory. */
static void share_zero_page(uvm_number number)
{
    static bool known;
    static uvm_number first;
    if (!known || !uvm_allocated(uvm_address_of(first))) {
        known = true;
        first = number;
    } else if (number != first) {
        (void)window_map_at((char *)(uintptr_t)uvm_address_of(number), HUGE_PAGE, backing_fd(),
                            uvm_offset(first, HOST_NODE));
    }
}

drvError_t uvm_to_host(uvm_number number, unsigned unused)
{
    (void)unused;
    struct uvm_page *page = uvm_page(number);
    if (page == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    if (page->state == UVM_HOST || page->state == UVM_READ_MOSTLY) {
        return DRV_ERROR_NONE;
    }
    if (!host_take()) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    if (page->state == UVM_DEVICE) {
        uvm_transfer(number, uvm_home(page), HOST_NODE);
    }
    if (uvm_protect(number, WRITABLE) != 0) {
        host_drop(number); /* the system has no more mappings to give */
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    if (FAULT(uvm_zero_page_shared) && page->state == UVM_UNTOUCHED) {
        share_zero_page(number);
    }
    devices_drop(number, page, 0);
    page->state = UVM_HOST;
    return DRV_ERROR_NONE;
}

/* Seeded faults: the bytes of an earlier stay on the device are taken for the present ones. */
static bool takes_stale(uvm_number number, unsigned device)
{
    return (FAULT(uvm_write_lost) || FAULT(uvm_swap_in_stale)) &&
           memory_touched(uvm_offset(number, device), HUGE_PAGE);
}

drvError_t uvm_to_device(uvm_number number, unsigned device)
{
    struct uvm_page *page = uvm_page(number);
    if (!uvm_is_open(device)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (page == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    unsigned home = uvm_home(page);
    if (page->state == UVM_DEVICE && home == device) {
        return DRV_ERROR_NONE;
    }
    if (page->state == UVM_HOST) {
        (void)uvm_protect(number, PROT_NONE);
    }
    if (uvm_frame_take(device, number) != 0) {
        if (page->state == UVM_HOST) {
            (void)uvm_protect(number, WRITABLE);
        }
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    bool lost = takes_stale(number, device) || (FAULT(uvm_peer_blank) && page->state == UVM_DEVICE);
    if (page->state != UVM_UNTOUCHED && !lost) {
        uvm_transfer(number, home, device);
    }
    if (page->state == UVM_HOST) {
        host_drop(number);
    }
    devices_drop(number, page, 0);
    page->copies = 1ULL << device;
    page->state = UVM_DEVICE;
    return DRV_ERROR_NONE;
}

drvError_t uvm_replicate(uvm_number number, unsigned device)
{
    struct uvm_page *page = uvm_page(number);
    if (!uvm_is_open(device)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (page->state != UVM_READ_MOSTLY || (page->copies >> device & 1) != 0) {
        return DRV_ERROR_NONE;
    }
    if (uvm_frame_take(device, number) != 0) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    uvm_transfer(number, HOST_NODE, device);
    page->copies |= 1ULL << device;
    return DRV_ERROR_NONE;
}

drvError_t uvm_make_read_mostly(uvm_number number, unsigned unused)
{
    struct uvm_page *page = uvm_page(number);
    if (page == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    if (page->state == UVM_DEVICE) {
        if (!host_take()) {
            return DRV_ERROR_OUT_OF_MEMORY;
        }
        if (!FAULT(uvm_mostly_blank)) {
            uvm_transfer(number, uvm_home(page), HOST_NODE);
        }
    } else {
        drvError_t code = uvm_to_host(number, unused);
        if (code != DRV_ERROR_NONE) {
            return code;
        }
    }
    page->state = UVM_READ_MOSTLY;
    (void)uvm_protect(number, PROT_READ); /* if it fails, reads fault again and find out */
    return DRV_ERROR_NONE;
}

drvError_t uvm_end_read_mostly(uvm_number number, unsigned node)
{
    struct uvm_page *page = uvm_page(number);
    if (page->state != UVM_READ_MOSTLY) {
        return DRV_ERROR_NONE;
    }
    if (node != HOST_NODE) {
        drvError_t code = uvm_replicate(number, node);
        if (code != DRV_ERROR_NONE) {
            return code;
        }
        host_drop(number);
        devices_drop(number, page, 1ULL << node);
        page->state = UVM_DEVICE;
        return DRV_ERROR_NONE;
    }
    if (uvm_protect(number, WRITABLE) != 0) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    devices_drop(number, page, FAULT(uvm_replica_kept) ? UINT64_MAX : 0);
    page->state = UVM_HOST;
    return DRV_ERROR_NONE;
}

bool uvm_swap_out(uvm_number number, unsigned device)
{
    struct uvm_page *page = uvm_page(number);
    if (FAULT(uvm_swap_resets_prefetch)) {
        page->prefetched.type = DRV_UVM_LOCATION_TYPE_INVALID;
    }
    if (page->state == UVM_READ_MOSTLY) {
        device_drop(number, page, device);
        return true;
    }
    swapping = true;
    bool done = uvm_to_host(number, 0) == DRV_ERROR_NONE;
    swapping = false;
    if (done && FAULT(uvm_swap_loses_bytes)) {
        uvm_discard(number, HOST_NODE);
    }
    return done;
}

void uvm_forget_page(uvm_number number, unsigned unused)
{
    (void)unused;
    struct uvm_page *page = uvm_page(number);
    struct uvm_place preferred = page->preferred;
    for (unsigned device = 0; FAULT(uvm_free_leaves_page) && device < MAX_DEVICES; device++) {
        if ((page->copies >> device & 1) != 0) {
            domain_overrun(device, CLASS_HUGE, HUGE_PAGE); /* what is given back below was taken twice */
        }
    }
    if (page->state == UVM_HOST || page->state == UVM_READ_MOSTLY) {
        host_drop(number);
    }
    devices_drop(number, page, 0);
    *page = (struct uvm_page){.state = UVM_UNTOUCHED};
    if (FAULT(uvm_prefer_leaks)) {
        page->preferred = preferred;
    }
}
