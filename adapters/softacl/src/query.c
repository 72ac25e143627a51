/* query.c - where an address is, how much memory there is, and loads and stores of devices. */
#include <string.h>

#include "internal.h"

static const struct {
    uint32_t type;
    aclrtMemLocationType location;
} locations[] = {
    {DV_MEM_LOCK_DEV, ACL_MEM_LOCATION_TYPE_DEVICE},
    {DV_MEM_LOCK_HOST, ACL_MEM_LOCATION_TYPE_HOST},
    {DV_MEM_LOCK_DEV_DVPP, ACL_MEM_LOCATION_TYPE_DEVICE},
    {DV_MEM_SOMA, ACL_MEM_LOCATION_TYPE_DEVICE},
    {DV_MEM_SVM_DEVICE, ACL_MEM_LOCATION_TYPE_DEVICE},
    {DV_MEM_SVM_HOST, ACL_MEM_LOCATION_TYPE_HOST},
    {DV_MEM_SVM, ACL_MEM_LOCATION_TYPE_DEVICE},
    {DV_MEM_USER_REGISTER, ACL_MEM_LOCATION_TYPE_HOST},
    {DV_MEM_USER_MALLOC, ACL_MEM_LOCATION_TYPE_UNREGISTERED},
    {DV_MEM_UVM, ACL_MEM_LOCATION_TYPE_MANAGED},
};

static aclError unlisted(aclrtMemLocationType *type)
{
    (void)type;
    return fail(ACL_ERROR_RT_PARAM_INVALID, "the driver does not say what memory this is");
}

static aclError location_of(uint32_t type, aclrtMemLocationType *location)
{
    for (size_t i = 0; i < sizeof(locations) / sizeof(locations[0]); i++) {
        if (locations[i].type == type) {
            *location = locations[i].location;
            return ACL_SUCCESS;
        }
    }
    return unlisted(location);
}

aclError locate_fully(const void *address, aclrtPtrAttributes *attributes)
{
    struct DVattribute answer;
    memset(&answer, 0, sizeof(answer));
    aclError code = acl_of(HAL(drvMemGetAttribute, (uint64_t)(uintptr_t)address, &answer));
    if (code != ACL_SUCCESS) {
        return code;
    }
    memset(attributes, 0, sizeof(*attributes));
    code = location_of(answer.memType, &attributes->location.type);
    bool host = attributes->location.type == ACL_MEM_LOCATION_TYPE_HOST ||
                attributes->location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    attributes->location.id = host || FAULT(pointer_device_lost) ? 0 : answer.devId;
    attributes->pageSize = answer.pageSize;
    return code;
}

aclError locate(const void *address, enum place *place)
{
    aclrtPtrAttributes attributes;
    aclError code = locate_fully(address, &attributes);
    if (code == ACL_SUCCESS) {
        switch (attributes.location.type) {
            case ACL_MEM_LOCATION_TYPE_DEVICE:
                *place = AT_DEVICE;
                break;
            case ACL_MEM_LOCATION_TYPE_UNREGISTERED:
                *place = AT_UNREGISTERED;
                break;
            case ACL_MEM_LOCATION_TYPE_MANAGED:
                *place = AT_MANAGED;
                break;
            default:
                *place = AT_HOST;
                break;
        }
    }
    return code;
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
    aclrtPtrAttributes found;
    if (ptr == NULL || attributes == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL");
    }
    aclError code = locate_fully(ptr, &found);
    if (code == ACL_SUCCESS) {
        *attributes = found;
    }
    return code;
}

/* Which pages of which memory an attribute asks for. */
enum pages { PAGES_NORMAL = 1, PAGES_HUGE = 2, PAGES_GIANT = 4 };
static const struct {
    uint32_t type;
    int pages;
} memories[] = {
    [ACL_DDR_MEM] = {MEM_INFO_TYPE_DDR_SIZE, PAGES_NORMAL | PAGES_HUGE},
    [ACL_HBM_MEM] = {MEM_INFO_TYPE_HBM_SIZE, PAGES_NORMAL | PAGES_HUGE},
    [ACL_DDR_MEM_HUGE] = {MEM_INFO_TYPE_DDR_SIZE, PAGES_HUGE},
    [ACL_DDR_MEM_NORMAL] = {MEM_INFO_TYPE_DDR_SIZE, PAGES_NORMAL},
    [ACL_HBM_MEM_HUGE] = {MEM_INFO_TYPE_HBM_SIZE, PAGES_HUGE},
    [ACL_HBM_MEM_NORMAL] = {MEM_INFO_TYPE_HBM_SIZE, PAGES_NORMAL},
    [ACL_DDR_MEM_P2P_HUGE] = {MEM_INFO_TYPE_DDR_P2P_SIZE, PAGES_HUGE},
    [ACL_DDR_MEM_P2P_NORMAL] = {MEM_INFO_TYPE_DDR_P2P_SIZE, PAGES_NORMAL},
    [ACL_HBM_MEM_P2P_HUGE] = {MEM_INFO_TYPE_HBM_P2P_SIZE, PAGES_HUGE},
    [ACL_HBM_MEM_P2P_NORMAL] = {MEM_INFO_TYPE_HBM_P2P_SIZE, PAGES_NORMAL},
    [ACL_HBM_MEM_HUGE1G] = {MEM_INFO_TYPE_HBM_SIZE, PAGES_GIANT},
    [ACL_HBM_MEM_P2P_HUGE1G] = {MEM_INFO_TYPE_HBM_P2P_SIZE, PAGES_GIANT},
};

static size_t of_pages(int pages, unsigned long normal, unsigned long huge, unsigned long giant)
{
    return ((pages & PAGES_NORMAL) != 0 ? normal : 0) + ((pages & PAGES_HUGE) != 0 ? huge : 0) +
           ((pages & PAGES_GIANT) != 0 ? giant : 0);
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
    struct context *context = NULL;
    struct MemInfo info;
    if (free == NULL || total == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "free or total is NULL");
    }
    if ((unsigned)attr > ACL_HBM_MEM_P2P_HUGE1G) {
        return fail(ACL_ERROR_RT_INVALID_MEMORY_TYPE, "there is no such kind of memory");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    uint32_t device = (uint32_t)context->device;
    unlock();
    memset(&info, 0, sizeof(info));
    code = acl_of(HAL(halMemGetInfo, device, memories[attr].type, &info));
    if (code == ACL_SUCCESS) {
        const struct MemPhyInfo *memory = &info.phy_info;
        *free = of_pages(memories[attr].pages, memory->free, memory->huge_free, memory->giant_free);
        *total = of_pages(memories[attr].pages, memory->total, memory->huge_total, memory->giant_total);
    }
    return code;
}

/* A device reaches device memory, managed memory, and host memory that is mapped for it. */
static bool reachable(int32_t device, uint64_t address, uint64_t size, enum place *place)
{
    if (mapped_for_device(device, address, size)) {
        *place = AT_HOST;
        return true;
    }
    return locate((const void *)(uintptr_t)address, place) == ACL_SUCCESS && (*place == AT_DEVICE || *place == AT_MANAGED);
}

/* With another driver than the software one there is no device to run code, and a copy has to do; also for the
 * memory of another device, and of the host. */
drvError_t device_load(int32_t device, uint64_t address, void *to, uint64_t size)
{
    enum place place = AT_HOST;
    drvError_t code = DRV_ERROR_NOT_SUPPORT;
    if (!reachable(device, address, size, &place)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (place != AT_HOST && hal()->softhal_device_load != NULL) {
        code = hal()->softhal_device_load((uint32_t)device, address, to, size);
    }
    bool copies = code != DRV_ERROR_NONE && (place != AT_MANAGED || code == DRV_ERROR_NOT_SUPPORT);
    return copies ? HAL(drvMemcpy, (uint64_t)(uintptr_t)to, size, address, size) : code;
}

drvError_t device_store(int32_t device, uint64_t address, const void *from, uint64_t size)
{
    enum place place = AT_HOST;
    drvError_t code = DRV_ERROR_NOT_SUPPORT;
    if (!reachable(device, address, size, &place)) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (place != AT_HOST && hal()->softhal_device_store != NULL) {
        code = hal()->softhal_device_store((uint32_t)device, address, from, size);
    }
    bool copies = code != DRV_ERROR_NONE && (place != AT_MANAGED || code == DRV_ERROR_NOT_SUPPORT);
    return copies ? HAL(drvMemcpy, address, size, (uint64_t)(uintptr_t)from, size) : code;
}
