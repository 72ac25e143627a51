/*
 * uvm_advise.c - halMemManagedAdvise.
 *
 * The start is rounded down and the size up to pages, each by itself, as the public driver does; so only
 * aligned requests cover what one expects.  Pages are advised one after the other, and those before a page
 * that fails keep the advice.
 */
#include "caprice.h"
#include "uvm.h"

struct request {
    uint64_t address, size;
    uint32_t advise;
    struct drv_uvm_location location;
};

static bool device_number(int id)
{
    return (id >= 0 && id < MAX_DEVICES) || FAULT(uvm_location_unchecked);
}

/* Which places an advice takes; what it does not look at may be anything. */
static bool location_fits(uint32_t advise, struct drv_uvm_location location)
{
    bool numa = location.type == DRV_UVM_LOCATION_TYPE_HOST_NUMA;
    bool device = location.type == DRV_UVM_LOCATION_TYPE_DEVICE;
    switch (advise) {
        case READ_MOSTLY:
        case UNSET_PREFER_LOCATION:
            return true;
        case UNSET_READ_MOSTLY:
            return device ? device_number(location.id) : !numa || uvm_node_online(location.id);
        case PREFER_LOCATION:
            return (device && device_number(location.id)) || location.type == DRV_UVM_LOCATION_TYPE_HOST ||
                   (numa && uvm_node_online(location.id));
        case ACCESS_BY_LOCATION:
        case UNSET_ACCESS_BY_LOCATION:
            return (device && device_number(location.id)) || location.type == DRV_UVM_LOCATION_TYPE_HOST;
        default:
            return false;
    }
}

static unsigned node_of(struct uvm_place place)
{
    return place.type == DRV_UVM_LOCATION_TYPE_DEVICE ? place.id : HOST_NODE;
}

/* Where it is preferred is also where it is accessed from: the page is made there, unless it is somewhere. */
static drvError_t prepare(uvm_number number)
{
    const struct uvm_page *page = uvm_peek(number);
    unsigned node = node_of(page->preferred);
    bool wanted = node == HOST_NODE ? page->accessed_by_host : (page->accessed_by >> node & 1) != 0;
    if (page->preferred.type == DRV_UVM_LOCATION_TYPE_INVALID || !wanted) {
        return DRV_ERROR_NONE;
    }
    if (page->state == UVM_READ_MOSTLY && node != HOST_NODE) {
        return uvm_do(uvm_replicate, number, node);
    }
    if (page->state != UVM_UNTOUCHED) {
        return DRV_ERROR_NONE;
    }
    return node == HOST_NODE ? uvm_do(uvm_to_host, number, 0) : uvm_do(uvm_to_device, number, node);
}

static drvError_t prefer(uvm_number number, struct uvm_page *page, struct uvm_place place)
{
    bool same = page->preferred.type == place.type && page->preferred.id == place.id;
    page->preferred = place;
    return same ? DRV_ERROR_NONE : prepare(number);
}

static drvError_t access_by(uvm_number number, struct uvm_page *page, unsigned node)
{
    bool there = node == HOST_NODE ? page->accessed_by_host : (page->accessed_by >> node & 1) != 0;
    if (FAULT(uvm_access_replaces)) {
        page->accessed_by = 0;
        page->accessed_by_host = false;
    }
    page->accessed_by_host = page->accessed_by_host || node == HOST_NODE;
    page->accessed_by |= node == HOST_NODE ? 0 : 1ULL << node;
    return there || node != node_of(page->preferred) ? DRV_ERROR_NONE : prepare(number);
}

static drvError_t no_access_by(struct uvm_page *page, unsigned node)
{
    page->accessed_by_host = page->accessed_by_host && node != HOST_NODE;
    page->accessed_by &= node == HOST_NODE ? UINT64_MAX : ~(1ULL << node);
    if (FAULT(uvm_unset_access_all)) {
        page->accessed_by = 0;
        page->accessed_by_host = false;
    }
    return DRV_ERROR_NONE;
}

/* The preferred location of a page, if it has one, decides which copy is kept, else the caller. */
static drvError_t no_read_mostly(uvm_number number, const struct uvm_page *page, struct uvm_place place)
{
    bool set = page->preferred.type != DRV_UVM_LOCATION_TYPE_INVALID;
    unsigned node = node_of(set ? page->preferred : place);
    return page->state == UVM_READ_MOSTLY ? uvm_do(uvm_end_read_mostly, number, node) : DRV_ERROR_NONE;
}

static drvError_t advise_page(uvm_number number, const struct request *request)
{
    struct uvm_page *page = uvm_page(number);
    struct uvm_place place = uvm_place_of(request->location);
    if (page == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    switch (request->advise) {
        case READ_MOSTLY:
            return uvm_do(uvm_make_read_mostly, number, 0);
        case UNSET_READ_MOSTLY:
            return no_read_mostly(number, page, place);
        case PREFER_LOCATION:
            return prefer(number, page, place);
        case UNSET_PREFER_LOCATION:
            page->preferred = (struct uvm_place){DRV_UVM_LOCATION_TYPE_INVALID, 0};
            return DRV_ERROR_NONE;
        case ACCESS_BY_LOCATION:
            return access_by(number, page, node_of(place));
        default:
            return no_access_by(page, node_of(place));
    }
}

/* By caprice: memory is short, or a place is not preferred while the only copy of the page is elsewhere.  For one
 * page only, since of several the first ones would be advised before the refusal. */
static bool refused(const struct request *request)
{
    uint64_t end = request->address + request->size;
    if (uvm_page_start(request->address) + HUGE_PAGE < end || !uvm_allocated(request->address)) {
        return false;
    }
    const struct uvm_page *page = uvm_peek(uvm_number_of(request->address));
    bool elsewhere = request->advise == PREFER_LOCATION && (page->state == UVM_HOST || page->state == UVM_DEVICE) &&
                     uvm_home(page) != node_of(uvm_place_of(request->location));
    return caprice_short() || (elsewhere && caprice_reads(READING_PREFERS_PRESENT));
}

static drvError_t advise(const struct request *request)
{
    uint64_t at = uvm_page_start(request->address);
    uint64_t pages = request->size / HUGE_PAGE + (request->size % HUGE_PAGE != 0 && !FAULT(uvm_range_short) ? 1 : 0);
    drvError_t code = refused(request) ? DRV_ERROR_OUT_OF_MEMORY : DRV_ERROR_NONE;
    for (uint64_t i = 0; i < pages && (code == DRV_ERROR_NONE || FAULT(uvm_advise_behind_hole)); i++) {
        uint64_t address = at + i * HUGE_PAGE;
        if (uvm_allocated(address)) {
            drvError_t result = advise_page(uvm_number_of(address), request);
            code = code == DRV_ERROR_NONE ? result : code;
        } else if (!FAULT(uvm_hole_ignored)) {
            code = DRV_ERROR_PARA_ERROR;
        }
    }
    return code;
}

drvError_t halMemManagedAdvise(DVdeviceptr ptr, size_t size, uint32_t advice, struct drv_uvm_location location)
{
    const struct request request = {ptr, size, advice, location};
    if (generation() == GEN_V3) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    /* The window is where it is whether the process has initialised or not. */
    drvError_t code = join();
    if (code == DRV_ERROR_NONE && (size == 0 || !uvm_request_fits(ptr, size))) {
        return DRV_ERROR_INVALID_VALUE;
    }
    code = enter_direct();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    leave();
    if (!location_fits(advice, location)) {
        return DRV_ERROR_PARA_ERROR;
    }
    uvm_lock();
    code = advise(&request);
    uvm_unlock();
    return code;
}
