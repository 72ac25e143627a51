/*
 * register.c - host memory that devices may use.
 *
 * The driver knows the mappings.  The runtime keeps a table besides: pinned memory that is not mapped is in it
 * alone, and which kind of mapping the driver took has to be said again when it ends.
 */
#include <stdlib.h>

#include "internal.h"

struct registered {
    struct registered *next;
    uint64_t start, size;
    uint64_t device_address; /* 0: pinned only */
    uint32_t type, device;
};
static struct registered *table; /* guarded by rt.lock */

static struct registered *overlapping(uint64_t start, uint64_t size, uint32_t device)
{
    struct registered *one = table;
    while (one != NULL && (one->device != device || one->start >= start + size || start >= one->start + one->size)) {
        one = one->next;
    }
    return FAULT(register_overlap) ? NULL : one;
}

/* Over PCIe, or through a coherent link, or (for the driver's own host memory) by its address. */
static drvError_t map_some_way(void *address, uint64_t size, uint32_t bits, struct registered *entry)
{
    static const uint32_t types[] = {HOST_MEM_MAP_DEV_PCIE_TH, HOST_MEM_MAP_DEV, HOST_SVM_MAP_DEV};
    drvError_t code = DRV_ERROR_NOT_SUPPORT;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        void *mapped = NULL;
        drvError_t now = HAL(halHostRegister, address, size, types[i] | bits, entry->device, &mapped);
        if (now == DRV_ERROR_NONE) {
            entry->type = types[i];
            entry->device_address = (uint64_t)(uintptr_t)mapped;
            return now;
        }
        code = now == DRV_ERROR_NOT_SUPPORT && i > 0 ? code : now;
        if (now != DRV_ERROR_NOT_SUPPORT && (i == 0 || now != DRV_ERROR_PARA_ERROR)) {
            break;
        }
    }
    return code;
}

static aclError map_for_device(void *address, uint64_t size, bool io, bool read_only, struct registered *entry)
{
    uint32_t bits = read_only ? MEM_REGISTER_READ_ONLY : 0;
    drvError_t code = DRV_ERROR_NONE;
    if (io) {
        void *mapped = NULL;
        code = HAL(halHostRegister, address, size, HOST_IO_MAP_DEV | bits, entry->device, &mapped);
        entry->type = HOST_IO_MAP_DEV;
        entry->device_address = (uint64_t)(uintptr_t)mapped;
    } else {
        code = map_some_way(address, size, bits, entry);
    }
    return code == DRV_ERROR_BUSY ? ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED : acl_of(code);
}

static struct registered *entry_new(const void *address, uint64_t size, int32_t device)
{
    struct registered *entry = calloc(1, sizeof(*entry));
    if (entry != NULL) {
        entry->start = (uint64_t)(uintptr_t)address;
        entry->size = size;
        entry->device = (uint32_t)device;
    }
    return entry;
}

static aclError enter_entry(struct registered *entry, aclError code)
{
    if (code == ACL_SUCCESS) {
        entry->next = table;
        table = entry;
    } else {
        free(entry);
    }
    return code;
}

aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)
{
    struct context *context = NULL;
    if (ptr == NULL || devPtr == NULL || size == 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "ptr or devPtr is NULL, or size is 0");
    }
    if (((unsigned)type & ~(unsigned)(ACL_HOST_REGISTER_IOMEMORY | ACL_HOST_REGISTER_READONLY)) != 0) {
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "type is unknown");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct registered *entry = entry_new(ptr, size, context->device);
    if (entry == NULL) {
        code = ACL_ERROR_RT_MEMORY_ALLOCATION;
    } else if (overlapping(entry->start, size, entry->device) != NULL) {
        code = enter_entry(entry, ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    } else {
        bool io = ((unsigned)type & ACL_HOST_REGISTER_IOMEMORY) != 0;
        bool read_only = ((unsigned)type & ACL_HOST_REGISTER_READONLY) != 0;
        code = map_for_device(ptr, size, io, read_only, entry);
        uint64_t address = entry->device_address;
        code = enter_entry(entry, code);
        if (code == ACL_SUCCESS) {
            *devPtr = (void *)(uintptr_t)address;
        }
    }
    unlock();
    return code;
}

aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)
{
    const uint32_t all = ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;
    struct context *context = NULL;
    if (ptr == NULL || size == 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "ptr is NULL, or size is 0");
    }
    if (flag == 0 || (flag & ~all) != 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "flag is 0 or unknown");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct registered *entry = entry_new(ptr, size, context->device);
    if (entry == NULL) {
        code = ACL_ERROR_RT_MEMORY_ALLOCATION;
    } else if (overlapping(entry->start, size, entry->device) != NULL) {
        code = enter_entry(entry, ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    } else {
        bool mapped = (flag & ~(uint32_t)ACL_HOST_REG_PINNED) != 0;
        code = mapped ? map_for_device(ptr, size, (flag & ACL_HOST_REG_IOMEMORY) != 0,
                                       (flag & ACL_HOST_REG_READONLY) != 0, entry)
                      : ACL_SUCCESS;
        code = enter_entry(entry, code);
    }
    unlock();
    return code;
}

static struct registered *holding(uint64_t address, uint32_t device)
{
    struct registered *one = table;
    while (one != NULL && (one->device != device || address < one->start || address - one->start >= one->size)) {
        one = one->next;
    }
    return one;
}

aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag)
{
    struct context *context = NULL;
    uint64_t address = (uint64_t)(uintptr_t)pHost;
    if (pHost == NULL || pDevice == NULL || flag != 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL, or flag is not 0");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    const struct registered *entry = holding(address, (uint32_t)context->device);
    if (entry == NULL || entry->device_address == 0) {
        code = fail(ACL_ERROR_RT_PARAM_INVALID, "this memory is not mapped for the device");
    } else {
        uint64_t offset = FAULT(device_pointer_base) ? 0 : address - entry->start;
        *pDevice = (void *)(uintptr_t)(entry->device_address + offset);
    }
    unlock();
    return code;
}

bool mapped_for_device(int32_t device, uint64_t address, uint64_t size)
{
    lock();
    const struct registered *one = table;
    while (one != NULL && (one->device != (uint32_t)device || one->device_address == 0 || address < one->device_address ||
                           address - one->device_address >= one->size ||
                           size > one->size - (address - one->device_address))) {
        one = one->next;
    }
    unlock();
    return one != NULL;
}

static aclError end_mapping(const struct registered *entry)
{
    if (entry->device_address == 0) {
        return ACL_SUCCESS;
    }
    drvError_t code = HAL(halHostUnregisterEx, (void *)(uintptr_t)entry->start, entry->device, entry->type);
    return code == DRV_ERROR_NOT_EXIST ? ACL_ERROR_HOST_MEMORY_NOT_REGISTERED : acl_of(code);
}

aclError aclrtHostUnregister(void *ptr)
{
    struct context *context = NULL;
    if (ptr == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "ptr is NULL");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct registered **link = &table;
    while (*link != NULL &&
           ((*link)->start != (uint64_t)(uintptr_t)ptr || (*link)->device != (uint32_t)context->device)) {
        link = &(*link)->next;
    }
    struct registered *entry = *link;
    code = entry == NULL ? ACL_ERROR_HOST_MEMORY_NOT_REGISTERED : end_mapping(entry);
    if (entry != NULL && code == ACL_SUCCESS) {
        *link = entry->next;
        free(entry);
    }
    unlock();
    return code;
}

aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType, aclrtHostMemMapCapability *capabilities)
{
    uint32_t answer = 0;
    if (capabilities == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "capabilities is NULL");
    }
    aclError code = acl_of(HAL(halHostRegisterCapabilities, deviceId, (uint32_t)hacType, &answer));
    if (code == ACL_SUCCESS) {
        *capabilities = answer != 0 ? ACL_RT_HOST_MEM_MAP_SUPPORTED : ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
    }
    return code;
}

void registrations_forget(int32_t device)
{
    struct registered **link = &table;
    while (*link != NULL) {
        struct registered *entry = *link;
        if (entry->device == (uint32_t)device) {
            *link = entry->next;
            free(entry);
        } else {
            link = &entry->next;
        }
    }
}
