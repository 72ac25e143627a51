/* uvm_fault.c - page faults of the CPU in managed memory. */
#include <sys/mman.h>

#include "uvm.h"

/* The page becomes one that the access can go on with; false if it cannot. */
static bool serve(uvm_number number, bool write)
{
    switch (uvm_peek(number)->state) {
        case UVM_HOST:
            return true; /* another thread was faster */
        case UVM_READ_MOSTLY:
            if (!write) {
                return uvm_protect(number, PROT_READ) == 0;
            }
            if (FAULT(uvm_mostly_survives)) {
                return uvm_protect(number, PROT_READ | PROT_WRITE) == 0;
            }
            return uvm_do(uvm_end_read_mostly, number, HOST_NODE) == DRV_ERROR_NONE;
        default:
            return uvm_do(uvm_to_host, number, 0) == DRV_ERROR_NONE;
    }
}

bool uvm_cpu_fault(uint64_t address, bool write)
{
    /* In a child the window is inherited by name only; nothing is mapped there. */
    if (state.forked || !uvm_has(address)) {
        return false;
    }
    uvm_lock();
    bool served = uvm_allocated(address) && serve(uvm_number_of(address), write);
    if (served && FAULT(uvm_fault_clears_prefer)) {
        uvm_page(uvm_number_of(address))->preferred.type = DRV_UVM_LOCATION_TYPE_INVALID;
    }
    uvm_unlock();
    return served;
}
