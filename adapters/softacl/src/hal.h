/*
 * hal.h - the driver underneath, found at run time: $SOFTACL_HAL, or libsofthal.so beside this library, or
 * libascend_hal.so.  What a driver does not have is answered 0xfffe, as by one that has it and cannot.
 */
#ifndef SOFTACL_HAL_H
#define SOFTACL_HAL_H

#include <sys/types.h>

#include "softhal.h"

/* The declarations are those of softhal.h; the table only names what is used. */
#define HAL_TABLE(X) \
    X(drvGetDevNum) X(halSupportFeature) X(halMemAgentOpen) X(halMemAgentClose) X(halGetSocVersion) \
    X(halMemAlloc) X(halMemFree) X(drvMemsetD8) X(drvMemcpy) X(halMemcpy2D) X(drvMemGetAttribute) X(halMemGetInfo) \
    X(halMemAddressReserve) X(halMemAddressFree) X(halMemCreate) X(halMemRelease) X(halMemMap) X(halMemUnmap) \
    X(halMemSetAccess) X(halMemGetAccess) X(halMemRetainAllocationHandle) X(halMemGetAllocationGranularity) \
    X(halMemGetAllocationPropertiesFromHandle) X(halMemExportToShareableHandle) X(halMemExportToShareableHandleV2) \
    X(halMemImportFromShareableHandle) X(halMemImportFromShareableHandleV2) X(halMemTransShareableHandle) \
    X(halMemSetPidToShareableHandle) X(halMemShareHandleSetAttribute) X(halShmemCreateHandle) \
    X(halShmemDestroyHandle) X(halShmemSetPidHandle) X(halShmemOpenHandle) X(halShmemOpenHandleByDevId) \
    X(halShmemOpenHandleV2) X(halShmemCloseHandle) X(halShmemSetAttribute) X(halHostRegister) \
    X(halHostUnregisterEx) X(halMemHostGetDevPointer) X(halHostRegisterCapabilities) X(halMemPoolCreate) \
    X(halMemPoolDestroy) X(halMemPoolMalloc) X(halMemPoolFree) X(halMemPoolTrim) X(halMemPoolAsyncConfig) \
    X(halMemPoolSetAttr) X(halMemPoolGetAttr)

/* Managed memory: the driver's place has the members in this order. */
struct managed_place {
    uint32_t type;
    int32_t id;
};
struct hal {
#define X(name) __typeof__(name) *name;
    HAL_TABLE(X)
#undef X
    drvError_t (*halMemManagedAdvise)(DVdeviceptr ptr, size_t size, uint32_t advise, struct managed_place place);
    drvError_t (*halMemManagedPrefetch)(DVdeviceptr ptr, size_t size, struct managed_place place, unsigned int flags);
    drvError_t (*halMemManagedPrefetchBatch)(DVdeviceptr *ptrs, size_t *sizes, size_t count,
                                             struct managed_place *places, size_t *indices, size_t place_count,
                                             unsigned long long flags);
    drvError_t (*halMemManagedRangeGetAttributes)(void **data, size_t *data_sizes, uint32_t *attributes, size_t count,
                                                  DVdeviceptr ptr, size_t size);
    pid_t (*drvDeviceGetBareTgid)(void);
    /* The software driver's devices; NULL with any other. */
    drvError_t (*softhal_device_load)(uint32_t device, DVdeviceptr address, void *buffer, uint64_t size);
    drvError_t (*softhal_device_store)(uint32_t device, DVdeviceptr address, const void *buffer, uint64_t size);
};

__attribute__((visibility("hidden"))) const struct hal *hal(void);

/* Calls the driver; a function that is not there is not supported. */
#define HAL(name, ...) (hal()->name == NULL ? DRV_ERROR_NOT_SUPPORT : hal()->name(__VA_ARGS__))

#endif
