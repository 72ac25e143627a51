/*
 * uvm_agent.c - the device agent: loads and stores as a program on a device makes them.
 *
 * In managed memory each access is preceded by what the page fault of a device does.  Elsewhere a device
 * reaches its own memory.
 */
#include "uvm.h"

static drvError_t for_load(uvm_number number, unsigned device)
{
    bool mostly = uvm_peek(number)->state == UVM_READ_MOSTLY;
    return mostly ? uvm_replicate(number, device) : uvm_to_device(number, device);
}

static drvError_t for_store(uvm_number number, unsigned device)
{
    bool mostly = uvm_peek(number)->state == UVM_READ_MOSTLY;
    return mostly ? uvm_end_read_mostly(number, device) : uvm_to_device(number, device);
}

/* Seeded faults that an access may meet: where its bytes really are taken from or put. */
static unsigned misplaced(uvm_number number, unsigned device, bool store)
{
    const struct uvm_page *page = uvm_peek(number);
    uint64_t capacity = config_get()->capacity[device];
    if (FAULT(uvm_replica_kept) && !store && page->state == UVM_HOST && (page->copies >> device & 1) != 0) {
        return device;
    }
    if (FAULT(uvm_swap_drops_write) && store && page->state == UVM_DEVICE &&
        capacity - domain_in_use(device) < HUGE_PAGE && uvm_swap_out(number, device)) {
        return device;
    }
    return NODES;
}

static drvError_t access_page(unsigned device, uint64_t address, char *buffer, uint64_t size, bool store)
{
    uvm_number number = uvm_number_of(address);
    uint64_t into = address % HUGE_PAGE;
    if (!uvm_allocated(address) || !uvm_is_open(device)) {
        return DRV_ERROR_PARA_ERROR;
    }
    unsigned node = store ? NODES : misplaced(number, device, false);
    if (node == NODES) {
        drvError_t code = uvm_do(store ? for_store : for_load, number, device);
        if (code != DRV_ERROR_NONE) {
            return code;
        }
        uvm_frame_touch(device, number);
        node = store ? misplaced(number, device, true) : NODES;
        node = node == NODES ? device : node;
    }
    int result = store ? uvm_write(number, node, into, buffer, size) : uvm_read(number, node, into, buffer, size);
    return result == 0 ? DRV_ERROR_NONE : DRV_ERROR_INVALID_HANDLE;
}

/* Anything that is not managed: memory of this very device. */
static drvError_t access_own(unsigned device, uint64_t address, char *buffer, uint64_t size, bool store)
{
    struct end end;
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = generation() == GEN_V2 ? v2_resolve(address, size, !store, &end)
                                  : v3_resolve(address, size, V3_COPY_SYNC, &end);
    leave();
    if (code != DRV_ERROR_NONE) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (end.place != PLACE_DEVICE || end.device != device) {
        code = DRV_ERROR_PARA_ERROR;
    } else if ((store ? memory_write(address, buffer, size) : memory_read(address, buffer, size)) != 0) {
        code = DRV_ERROR_INVALID_HANDLE;
    }
    state_lock();
    end_release(&end);
    state_unlock();
    return code;
}

static drvError_t device_access(unsigned device, uint64_t address, char *buffer, uint64_t size, bool store)
{
    if (buffer == NULL || size == 0 || size - 1 > UINT64_MAX - address) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    bool open = device_is_open(device);
    leave();
    if (!open) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (!uvm_has(address)) {
        return access_own(device, address, buffer, size, store);
    }
    while (size > 0 && code == DRV_ERROR_NONE) {
        uint64_t rest = uvm_page_end(address) - address;
        uint64_t part = size < rest ? size : rest;
        uvm_lock();
        code = uvm_has(address) ? access_page(device, address, buffer, part, store) : DRV_ERROR_PARA_ERROR;
        uvm_unlock();
        address += part;
        buffer += part;
        size -= part;
    }
    return code;
}

drvError_t softhal_device_load(uint32_t device, DVdeviceptr address, void *buffer, uint64_t size)
{
    return device_access(device, address, buffer, size, false);
}

drvError_t softhal_device_store(uint32_t device, DVdeviceptr address, const void *buffer, uint64_t size)
{
    return device_access(device, address, (char *)(uintptr_t)buffer, size, true);
}
