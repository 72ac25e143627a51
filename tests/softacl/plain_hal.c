/*
 * plain_hal.c - just enough of a driver for the thread sanitizer, which cannot live with the address windows of the
 * software driver: device memory is the heap's, and addresses of pools have memory from the start.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "softhal.h"

#define SIZE_MAX_INFO (256UL << 20)

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static void *host_blocks[64]; /* everything else is a device's */

static int note(void *from, void *to)
{
    int found = 0;
    pthread_mutex_lock(&guard);
    for (int i = 0; i < 64 && !found; i++) {
        if (host_blocks[i] == from) {
            host_blocks[i] = to;
            found = 1;
        }
    }
    pthread_mutex_unlock(&guard);
    return found;
}

drvError_t drvGetDevNum(uint32_t *num_dev)
{
    *num_dev = 1;
    return DRV_ERROR_NONE;
}

drvError_t halMemAgentOpen(uint32_t devid, uint32_t flag)
{
    return devid == 0 && flag == 0 ? DRV_ERROR_NONE : DRV_ERROR_PARA_ERROR;
}

drvError_t halMemAgentClose(uint32_t devid, uint32_t flag)
{
    return halMemAgentOpen(devid, flag);
}

drvError_t halMemAlloc(void **pp, unsigned long long size, unsigned long long flag)
{
    *pp = malloc(size);
    if (*pp != NULL && (flag >> MEM_VIRT_BIT & MEM_VIRT_MASK) == MEM_HOST_VAL) {
        (void)note(NULL, *pp);
    }
    return *pp == NULL ? DRV_ERROR_OUT_OF_MEMORY : DRV_ERROR_NONE;
}

drvError_t halMemFree(void *pp)
{
    (void)note(pp, NULL);
    free(pp);
    return DRV_ERROR_NONE;
}

DVresult drvMemsetD8(DVdeviceptr dst, size_t destMax, uint8_t value, size_t num)
{
    (void)destMax;
    memset((void *)(uintptr_t)dst, value, num);
    return DRV_ERROR_NONE;
}

DVresult drvMemcpy(DVdeviceptr dst, size_t dest_max, DVdeviceptr src, size_t byte_count)
{
    (void)dest_max;
    memcpy((void *)(uintptr_t)dst, (void *)(uintptr_t)src, byte_count);
    return DRV_ERROR_NONE;
}

DVresult drvMemGetAttribute(DVdeviceptr vptr, struct DVattribute *attr)
{
    void *pointer = (void *)(uintptr_t)vptr;
    memset(attr, 0, sizeof(*attr));
    attr->memType = note(pointer, pointer) ? DV_MEM_LOCK_HOST : DV_MEM_LOCK_DEV;
    return DRV_ERROR_NONE;
}

DVresult halMemGetInfo(DVdevice device, unsigned int type, struct MemInfo *info)
{
    (void)device;
    (void)type;
    info->phy_info.total = SIZE_MAX_INFO;
    info->phy_info.free = SIZE_MAX_INFO;
    return DRV_ERROR_NONE;
}

drvError_t halMemGetAllocationGranularity(const struct drv_mem_prop *prop, drv_mem_granularity_options option,
                                          size_t *granularity)
{
    (void)prop;
    (void)option;
    *granularity = 2U << 20;
    return DRV_ERROR_NONE;
}

drvError_t halMemAddressReserve(void **ptr, size_t size, size_t alignment, void *addr, uint64_t flag)
{
    (void)alignment;
    (void)addr;
    (void)flag;
    *ptr = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return *ptr == MAP_FAILED ? DRV_ERROR_OUT_OF_MEMORY : DRV_ERROR_NONE;
}

drvError_t halMemPoolCreate(soma_mem_pool_t pool, soma_mem_pool_prop prop)
{
    (void)prop;
    return pool.devId == 0 ? DRV_ERROR_NONE : DRV_ERROR_PARA_ERROR;
}

drvError_t halMemPoolDestroy(soma_mem_pool_t pool)
{
    return pool.devId == 0 ? DRV_ERROR_NONE : DRV_ERROR_PARA_ERROR;
}

drvError_t halMemPoolMalloc(soma_mem_pool_t pool, uint64_t va, uint64_t size, int32_t policy)
{
    (void)pool;
    (void)va;
    (void)size;
    (void)policy;
    return DRV_ERROR_NONE;
}

drvError_t halMemPoolFree(soma_mem_pool_t pool, uint64_t va, uint64_t size, int32_t policy)
{
    return halMemPoolMalloc(pool, va, size, policy);
}
