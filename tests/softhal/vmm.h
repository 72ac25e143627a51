/* vmm.h - helpers of the tests for mappings and sharing. */
#ifndef SOFTHAL_TEST_VMM_H
#define SOFTHAL_TEST_VMM_H

#include <setjmp.h>
#include <signal.h>

#include "harness.h"

static inline struct drv_mem_prop property(uint32_t side, uint32_t devid, uint32_t pages)
{
    struct drv_mem_prop prop;
    memset(&prop, 0, sizeof(prop));
    prop.side = side;
    prop.devid = devid;
    prop.pg_type = pages;
    prop.module_id = 33;
    return prop;
}

static inline char *reserve(size_t size)
{
    void *va = NULL;
    CHECK_CODE(halMemAddressReserve(&va, size, 0, NULL, 0), 0);
    return va;
}

static sigjmp_buf after_fault;

static inline void on_fault(int number)
{
    (void)number;
    siglongjmp(after_fault, 1);
}

/* Can the CPU load from there? */
static inline int readable(const volatile char *address)
{
    struct sigaction action;
    struct sigaction before;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_fault;
    sigaction(SIGSEGV, &action, &before);
    volatile int result = 0;
    if (sigsetjmp(after_fault, 1) == 0) {
        (void)*address;
        result = 1;
    }
    sigaction(SIGSEGV, &before, NULL);
    return result;
}

#endif
