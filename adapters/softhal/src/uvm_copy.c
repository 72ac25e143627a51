/*
 * uvm_copy.c - drvMemcpy and drvMemsetD8 in managed memory: page by page, in ascending order, until one fails.
 *
 * A copy moves no page: it reads and writes where the bytes are.  What has no page yet gets one of the host
 * when it is written.
 */
#include <string.h>

#include "uvm.h"
#include "vmm.h"

/* One side of a copy.  Not managed: `other` says what it is, and bytes are at `memory`. */
struct side {
    uint64_t address;
    bool managed;
    struct end other;
    char *memory;
};

static drvError_t open_side(struct side *side, uint64_t address, uint64_t size, bool is_source)
{
    memset(side, 0, sizeof(*side));
    side->address = address;
    side->managed = uvm_has(address);
    if (side->managed) {
        return DRV_ERROR_NONE;
    }
    drvError_t code = v2_resolve(address, size, is_source, &side->other);
    side->memory = side->other.managed ? memory_alias(side->other.address) : (char *)(uintptr_t)side->other.address;
    return code;
}

static bool on_device(const struct side *side)
{
    return side->managed ? uvm_peek(uvm_number_of(side->address))->state == UVM_DEVICE
                         : side->other.place == PLACE_DEVICE;
}

static drvError_t check_source(const struct side *from)
{
    if (!from->managed) {
        return DRV_ERROR_NONE;
    }
    if (!uvm_has(from->address) || !uvm_allocated(from->address)) {
        return DRV_ERROR_INVALID_HANDLE;
    }
    bool untouched = uvm_peek(uvm_number_of(from->address))->state == UVM_UNTOUCHED;
    return untouched && !FAULT(uvm_copy_untouched) ? DRV_ERROR_INVALID_HANDLE : DRV_ERROR_NONE;
}

static drvError_t prepare_target(const struct side *to)
{
    if (!to->managed) {
        return DRV_ERROR_NONE;
    }
    if (!uvm_has(to->address) || !uvm_allocated(to->address)) {
        return DRV_ERROR_PARA_ERROR;
    }
    uvm_number number = uvm_number_of(to->address);
    switch (uvm_peek(number)->state) {
        case UVM_UNTOUCHED:
            return uvm_do(uvm_to_host, number, 0);
        case UVM_READ_MOSTLY:
            return FAULT(uvm_copy_keeps_replicas) ? DRV_ERROR_NONE : uvm_do(uvm_end_read_mostly, number, HOST_NODE);
        default:
            return DRV_ERROR_NONE;
    }
}

static drvError_t move_part(const struct side *to, const struct side *from, uint64_t size)
{
    uvm_number target = to->managed ? uvm_number_of(to->address) : 0;
    uvm_number source = from->managed ? uvm_number_of(from->address) : 0;
    unsigned target_node = to->managed ? uvm_home(uvm_peek(target)) : HOST_NODE;
    unsigned source_node = from->managed ? uvm_home(uvm_peek(source)) : HOST_NODE;
    uint64_t target_into = to->address % HUGE_PAGE;
    uint64_t source_into = from->address % HUGE_PAGE;
    /* Between the device's own memory and a managed page on a device there is no path (v2 svm_master_memcpy.c). */
    if (to->managed != from->managed && on_device(to) && on_device(from)) {
        return DRV_ERROR_PARA_ERROR;
    }
    int result;
    if (!from->managed) {
        result = uvm_write(target, target_node, target_into, from->memory, size);
    } else if (!to->managed) {
        result = uvm_read(source, source_node, source_into, to->memory, size);
    } else if (FAULT(uvm_copy_device_device) && on_device(to) && on_device(from)) {
        result = 0;
    } else {
        char *view = uvm_view(source, source_node);
        result = view == NULL ? -1 : uvm_write(target, target_node, target_into, view + source_into, size);
        uvm_unview(view);
    }
    return result == 0 ? DRV_ERROR_NONE : DRV_ERROR_INVALID_HANDLE;
}

static void advance(struct side *side, uint64_t size)
{
    side->address += size;
    side->memory += side->managed ? 0 : size;
}

static uint64_t part_of(const struct side *side, uint64_t size)
{
    uint64_t rest = uvm_page_end(side->address) - side->address;
    return side->managed && rest < size ? rest : size;
}

static drvError_t copy_pages(struct side *to, struct side *from, uint64_t size)
{
    drvError_t code = DRV_ERROR_NONE;
    while (size > 0 && code == DRV_ERROR_NONE) {
        uint64_t part = part_of(from, part_of(to, size));
        uvm_lock();
        code = check_source(from);
        code = code == DRV_ERROR_NONE ? prepare_target(to) : code;
        code = code == DRV_ERROR_NONE ? move_part(to, from, part) : code;
        uvm_unlock();
        advance(to, part);
        advance(from, part);
        size -= part;
    }
    return code;
}

drvError_t uvm_copy(uint64_t dst, uint64_t src, uint64_t size)
{
    struct side to;
    struct side from;
    memset(&to, 0, sizeof(to));
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = open_side(&from, src, size, true);
    code = code == DRV_ERROR_NONE ? open_side(&to, dst, size, false) : code;
    leave();
    if (code == DRV_ERROR_NONE) {
        code = copy_pages(&to, &from, size);
    }
    state_lock();
    end_release(&to.other);
    end_release(&from.other);
    state_unlock();
    return code;
}

static drvError_t set_copy(uvm_number number, unsigned node, uint64_t into, uint8_t value, uint64_t size)
{
    char *view = uvm_view(number, node);
    if (view == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    memset(view + into, value, size);
    uvm_unview(view);
    return DRV_ERROR_NONE;
}

/* A page that is read mostly stays so: every copy is set. */
static drvError_t set_page(uint64_t address, uint8_t value, uint64_t size)
{
    uvm_number number = uvm_number_of(address);
    uint64_t into = address % HUGE_PAGE;
    if (!uvm_allocated(address)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (uvm_peek(number)->state == UVM_UNTOUCHED) {
        if (FAULT(uvm_set_untouched_lost)) {
            return DRV_ERROR_NONE;
        }
        drvError_t code = uvm_do(uvm_to_host, number, 0);
        if (code != DRV_ERROR_NONE) {
            return code;
        }
    }
    const struct uvm_page *page = uvm_peek(number);
    drvError_t code = set_copy(number, uvm_home(page), into, value, size);
    for (unsigned device = 0; device < MAX_DEVICES && page->state == UVM_READ_MOSTLY; device++) {
        if (code == DRV_ERROR_NONE && (page->copies >> device & 1) != 0 && !FAULT(uvm_set_first_copy)) {
            code = set_copy(number, device, into, value, size);
        }
    }
    return code;
}

drvError_t uvm_set(uint64_t address, uint8_t value, uint64_t size)
{
    drvError_t code = DRV_ERROR_NONE;
    while (size > 0 && code == DRV_ERROR_NONE) {
        uint64_t rest = uvm_page_end(address) - address;
        uint64_t part = size < rest ? size : rest;
        uvm_lock();
        code = set_page(address, value, part);
        uvm_unlock();
        address += part;
        size -= part;
        if (FAULT(uvm_set_first_page)) {
            break;
        }
    }
    return code;
}
