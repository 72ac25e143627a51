/*
 * uvm_query.c - halMemManagedRangeGetAttributes: what holds of every page of a range.
 *
 * An attribute of a range is a function of those of its pages.  Where the public driver and the reference
 * disagree the reference is followed: devices that differ have no common location.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "caprice.h"
#include "uvm.h"

enum { ATTRIBUTES_MAX = 8, ANSWER_SIZE = 4, ACCESSORS_MAX = MAX_DEVICES + 1 };

/* What the pages seen so far have in common. */
struct common {
    bool any, read_mostly, access_host;
    uint64_t access_by;
    struct shared_place {
        struct uvm_place place;
        bool same_type, same_id, on_host; /* on_host: the host or a node of it, everywhere */
    } preferred, prefetched;
};

static bool is_host(struct uvm_place place)
{
    return place.type == DRV_UVM_LOCATION_TYPE_HOST || place.type == DRV_UVM_LOCATION_TYPE_HOST_NUMA;
}

static void merge(struct shared_place *shared, struct uvm_place place, bool first)
{
    if (first) {
        *shared = (struct shared_place){place, true, true, is_host(place)};
    }
    shared->same_type = shared->same_type && shared->place.type == place.type;
    shared->same_id = shared->same_id && shared->place.id == place.id;
    shared->on_host = shared->on_host && is_host(place);
}

static void include(struct common *common, const struct uvm_page *page)
{
    bool first = !common->any;
    common->any = true;
    common->read_mostly = (first || common->read_mostly) && page->state == UVM_READ_MOSTLY;
    common->access_host = (first || common->access_host) && page->accessed_by_host;
    common->access_by = (first ? UINT64_MAX : common->access_by) & page->accessed_by;
    merge(&common->preferred, page->preferred, first);
    merge(&common->prefetched, page->prefetched, first);
}

static int32_t location(const struct shared_place *shared)
{
    if (shared->on_host) {
        return MEM_RANGE_CPU_DEVICE_ID;
    }
    bool device = shared->place.type == DRV_UVM_LOCATION_TYPE_DEVICE && shared->same_type && shared->same_id;
    return device ? shared->place.id : MEM_RANGE_INVALID_DEVICE_ID;
}

static int32_t location_type(const struct shared_place *shared)
{
    bool device = shared->place.type == DRV_UVM_LOCATION_TYPE_DEVICE;
    return shared->same_type && (!device || shared->same_id) ? shared->place.type : DRV_UVM_LOCATION_TYPE_INVALID;
}

static int32_t location_id(const struct shared_place *shared)
{
    bool numbered = shared->place.type == DRV_UVM_LOCATION_TYPE_DEVICE ||
                    shared->place.type == DRV_UVM_LOCATION_TYPE_HOST_NUMA;
    return numbered && shared->same_type && shared->same_id ? shared->place.id : MEM_RANGE_INVALID_DEVICE_ID;
}

/* Devices in ascending order, then the host; the rest names nobody. */
static void accessors(const struct common *common, int32_t *list)
{
    size_t used = 0;
    for (unsigned device = 0; device < MAX_DEVICES; device++) {
        if ((common->access_by >> device & 1) != 0) {
            list[used++] = (int32_t)device;
        }
    }
    if (common->access_host) {
        list[used++] = MEM_RANGE_CPU_DEVICE_ID;
    }
    while (used < ACCESSORS_MAX) {
        list[used++] = MEM_RANGE_INVALID_DEVICE_ID;
    }
}

static int32_t answer(const struct common *common, uint32_t attribute)
{
    switch (attribute) {
        case MEM_RANGE_ATTR_READ_MOSTLY:
            return common->read_mostly ? 1 : 0;
        case MEM_RANGE_ATTR_PREFERRED_LOC:
            return location(&common->preferred);
        case MEM_RANGE_ATTR_PREFERRED_LOC_TYPE:
            return location_type(&common->preferred);
        case MEM_RANGE_ATTR_PREFERRED_LOC_ID:
            return location_id(&common->preferred);
        case MEM_RANGE_ATTR_LAST_PREFETCH_LOC:
            return location(&common->prefetched);
        case MEM_RANGE_ATTR_LAST_PREFETCH_LOC_TYPE:
            return location_type(&common->prefetched);
        default:
            return location_id(&common->prefetched);
    }
}

/* Has the kernel write to memory of the caller, which it looks at before: no more than a pipe holds. */
static bool written_by_kernel(void *to, const void *from, size_t size)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    bool done = write(ends[1], from, size) == (ssize_t)size && read(ends[0], to, size) == (ssize_t)size;
    close(ends[0]);
    close(ends[1]);
    return done;
}

/*
 * Into the caller's memory, which the kernel of the real driver looks at before it writes.  So does ours, except
 * where a page fault is welcome: in memory of this driver.
 */
static bool give(void *to, const void *from, size_t size)
{
    if (written_by_kernel(to, from, size)) {
        return true;
    }
    if (!v2_is_svm((uint64_t)(uintptr_t)to)) {
        return false;
    }
    memcpy(to, from, size);
    return true;
}

static bool write_answer(const struct common *common, uint32_t attribute, char *data, size_t size)
{
    int32_t list[ACCESSORS_MAX];
    if (attribute != MEM_RANGE_ATTR_ACCESS_BY) {
        list[0] = answer(common, attribute);
        return give(data, list, sizeof(list[0]));
    }
    accessors(common, list);
    size_t first = size < sizeof(list) ? size : sizeof(list);
    bool done = give(data, list, first);
    const int32_t nobody = MEM_RANGE_INVALID_DEVICE_ID;
    for (size_t at = first; at < size && done; at += sizeof(nobody)) {
        done = give(data + at, &nobody, sizeof(nobody));
    }
    return done;
}

static drvError_t look(uint64_t address, uint64_t size, struct common *common)
{
    uint64_t start = uvm_page_start(address);
    uint64_t end = start + round_up(size, HUGE_PAGE);
    drvError_t code = DRV_ERROR_NONE;
    uvm_lock();
    if (uvm_allocated_until(start) < end) {
        code = DRV_ERROR_PARA_ERROR;
    }
    for (uint64_t at = start; at < end && code == DRV_ERROR_NONE; at += HUGE_PAGE) {
        if (FAULT(uvm_query_populates)) {
            (void)uvm_do(uvm_to_host, uvm_number_of(at), 0);
        }
        include(common, uvm_peek(uvm_number_of(at)));
        if (FAULT(uvm_attribute_of_first)) {
            break;
        }
    }
    uvm_unlock();
    return code;
}

static drvError_t check_entry(const void *data, size_t size, uint32_t attribute, uint64_t address)
{
    if (!uvm_has(address) || attribute >= MEM_RANGE_ATTR_MAX || data == NULL || size == 0 || attribute == 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    bool fits = attribute == MEM_RANGE_ATTR_ACCESS_BY ? size % ANSWER_SIZE == 0 : size == ANSWER_SIZE;
    return fits ? DRV_ERROR_NONE : DRV_ERROR_INVALID_VALUE;
}

drvError_t halMemManagedRangeGetAttributes(void **data, size_t *data_sizes, uint32_t *attributes, size_t attribute_num,
                                           DVdeviceptr ptr, size_t size)
{
    if (generation() == GEN_V3) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (attributes == NULL || attribute_num == 0 || size == 0 || data == NULL || data_sizes == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE && code != DRV_ERROR_PARA_ERROR) {
        return code;
    }
    if (code == DRV_ERROR_NONE) {
        leave();
    }
    for (size_t i = 0; i < attribute_num; i++) {
        drvError_t wrong = check_entry(data[i], data_sizes[i], attributes[i], ptr);
        if (wrong != DRV_ERROR_NONE) {
            return wrong;
        }
    }
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    uint64_t room = windows.uvm.base + windows.uvm.size - uvm_page_start(ptr);
    if (size > room) {
        return caprice_code(DRV_ERROR_INVALID_HANDLE, DRV_ERROR_PARA_ERROR);
    }
    if (attribute_num > ATTRIBUTES_MAX) {
        return DRV_ERROR_PARA_ERROR;
    }
    struct common common = {.any = false};
    code = look(ptr, size, &common);
    for (size_t i = 0; i < attribute_num && code == DRV_ERROR_NONE; i++) {
        code = write_answer(&common, attributes[i], data[i], data_sizes[i]) ? DRV_ERROR_NONE : DRV_ERROR_INVALID_VALUE;
    }
    return code;
}
