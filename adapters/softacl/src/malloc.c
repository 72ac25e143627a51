/* malloc.c - device and host memory. */
#include "internal.h"

#define HUGE_FIRST_ABOVE MIB
#define ROUNDING 32ULL

/* Bytes behind every allocation for instructions that read ahead; the newer products need none. */
static size_t padding(aclrtMemMallocPolicy policy)
{
    bool giant = policy == ACL_MEM_MALLOC_HUGE1G_ONLY || policy == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
    return is_950() || giant ? 0 : ROUNDING;
}

static drvError_t allocate(void **address, uint64_t size, int32_t device, uint64_t bits)
{
    uint64_t module = (uint64_t)APP_MODULE_ID << MEM_MODULE_ID_BIT;
    uint64_t flag = (uint64_t)MEM_DEV_VAL << MEM_VIRT_BIT | MEM_TYPE_HBM | (uint64_t)(uint32_t)device | module | bits;
    return HAL(halMemAlloc, address, size, flag);
}

/* Page size and peer access, as the policy says; a policy that nobody knows is the first one. */
static drvError_t by_policy(void **address, uint64_t size, int32_t device, aclrtMemMallocPolicy policy)
{
    switch (policy) {
        case ACL_MEM_MALLOC_HUGE_ONLY:
            return allocate(address, size, device, MEM_PAGE_HUGE);
        case ACL_MEM_MALLOC_NORMAL_ONLY:
            return allocate(address, size, device, 0);
        case ACL_MEM_MALLOC_HUGE_ONLY_P2P:
            return allocate(address, size, device, MEM_PAGE_HUGE | MEM_ADVISE_P2P);
        case ACL_MEM_MALLOC_NORMAL_ONLY_P2P:
            return allocate(address, size, device, MEM_ADVISE_P2P);
        case ACL_MEM_MALLOC_HUGE1G_ONLY:
            return allocate(address, size, device, MEM_PAGE_GIANT);
        case ACL_MEM_MALLOC_HUGE1G_ONLY_P2P:
            return allocate(address, size, device, MEM_PAGE_GIANT | MEM_ADVISE_P2P);
        default:
            break;
    }
    uint64_t peer = policy == ACL_MEM_MALLOC_HUGE_FIRST_P2P ? MEM_ADVISE_P2P : 0;
    drvError_t code = DRV_ERROR_OUT_OF_MEMORY;
    if (size > HUGE_FIRST_ABOVE) {
        code = allocate(address, size, device, MEM_PAGE_HUGE | peer);
    }
    return code == DRV_ERROR_NONE ? code : allocate(address, size, device, peer);
}

static aclError device_memory(void **address, size_t size, aclrtMemMallocPolicy policy, size_t behind)
{
    struct context *context = NULL;
    void *made = NULL;
    if (address == NULL || size == 0 || size > SIZE_MAX - ROUNDING - behind) {
        return fail(ACL_ERROR_INVALID_PARAM, "devPtr is NULL, or size is 0 or too large");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    int32_t device = FAULT(malloc_first_device) ? 0 : context->device;
    unlock();
    uint64_t rounded = (size + ROUNDING - 1) / ROUNDING * ROUNDING + behind;
    code = acl_of(by_policy(&made, rounded, device, policy));
    if (code == ACL_SUCCESS) {
        *address = made;
    }
    return code;
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return device_memory(devPtr, size, policy, padding(policy));
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return device_memory(devPtr, size, policy, 0);
}

aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return device_memory(devPtr, size, policy, padding(policy));
}

aclError aclrtFree(void *devPtr)
{
    aclError code = ACL_SUCCESS;
    if (devPtr == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    }
    if (pool_takes_free(devPtr, &code)) {
        return code;
    }
    code = acl_of(HAL(halMemFree, devPtr));
    return FAULT(free_error_lost) ? ACL_SUCCESS : code;
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    struct context *context = NULL;
    void *made = NULL;
    if (hostPtr == NULL || size == 0 || size > SIZE_MAX - ROUNDING) {
        return fail(ACL_ERROR_INVALID_PARAM, "hostPtr is NULL, or size is 0");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    uint32_t device = (uint32_t)context->device;
    unlock();
    uint64_t module = (uint64_t)APP_MODULE_ID << MEM_MODULE_ID_BIT;
    uint64_t rounded = (size + ROUNDING - 1) / ROUNDING * ROUNDING;
    code = acl_of(HAL(halMemAlloc, &made, rounded, (uint64_t)MEM_HOST_VAL << MEM_VIRT_BIT | device | module));
    if (code == ACL_SUCCESS) {
        *hostPtr = made;
    }
    return code;
}

aclError aclrtFreeHost(void *hostPtr)
{
    enum place place = AT_HOST;
    if (hostPtr == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "hostPtr is NULL");
    }
    if (locate(hostPtr, &place) != ACL_SUCCESS) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "the driver does not know this memory");
    }
    if (place != AT_HOST && place != AT_UNREGISTERED && !FAULT(free_host_any)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "this is no host memory");
    }
    return acl_of(HAL(halMemFree, hostPtr));
}
