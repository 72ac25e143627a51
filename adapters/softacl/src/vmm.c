/* vmm.c - address space, physical memory and mappings: the driver's calls with the runtime's properties. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags)
{
    void *address = NULL;
    if (virPtr == NULL || size == 0 || flags > 1) {
        return fail(ACL_ERROR_INVALID_PARAM, "virPtr is NULL, size is 0, or flags is neither 0 nor 1");
    }
    aclError code = acl_of(HAL(halMemAddressReserve, &address, size, alignment, expectPtr,
                               flags == 1 ? MEM_HUGE_PAGE_TYPE : MEM_NORMAL_PAGE_TYPE));
    if (code == ACL_SUCCESS) {
        *virPtr = address;
    }
    return code;
}

aclError aclrtReleaseMemAddress(void *virPtr)
{
    if (virPtr == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "virPtr is NULL");
    }
    return FAULT(release_address_lost) ? ACL_SUCCESS : acl_of(HAL(halMemAddressFree, virPtr));
}

/*
 * The two sides number kinds of memory differently.  NONE as a type: the one that the place has.  Kinds of which
 * there is no physical memory have no page, either.
 */
enum { NONE = -1 };
static const struct {
    int type, page;
} kinds[] = {
    [ACL_DDR_MEM] = {NONE, NONE},
    [ACL_HBM_MEM] = {NONE, NONE},
    [ACL_DDR_MEM_HUGE] = {MEM_DDR_TYPE, MEM_HUGE_PAGE_TYPE},
    [ACL_DDR_MEM_NORMAL] = {MEM_DDR_TYPE, MEM_NORMAL_PAGE_TYPE},
    [ACL_HBM_MEM_HUGE] = {MEM_HBM_TYPE, MEM_HUGE_PAGE_TYPE},
    [ACL_HBM_MEM_NORMAL] = {MEM_HBM_TYPE, MEM_NORMAL_PAGE_TYPE},
    [ACL_DDR_MEM_P2P_HUGE] = {MEM_P2P_DDR_TYPE, MEM_HUGE_PAGE_TYPE},
    [ACL_DDR_MEM_P2P_NORMAL] = {MEM_P2P_DDR_TYPE, MEM_NORMAL_PAGE_TYPE},
    [ACL_HBM_MEM_P2P_HUGE] = {NONE, NONE},
    [ACL_HBM_MEM_P2P_NORMAL] = {NONE, NONE},
    [ACL_HBM_MEM_HUGE1G] = {MEM_HBM_TYPE, MEM_GIANT_PAGE_TYPE},
    [ACL_HBM_MEM_P2P_HUGE1G] = {NONE, NONE},
    [ACL_MEM_NORMAL] = {NONE, MEM_NORMAL_PAGE_TYPE},
    [ACL_MEM_HUGE] = {NONE, MEM_HUGE_PAGE_TYPE},
    [ACL_MEM_HUGE1G] = {NONE, MEM_GIANT_PAGE_TYPE},
    [ACL_MEM_P2P_NORMAL] = {NONE, MEM_NORMAL_PAGE_TYPE},
    [ACL_MEM_P2P_HUGE] = {NONE, MEM_HUGE_PAGE_TYPE},
    [ACL_MEM_P2P_HUGE1G] = {NONE, MEM_GIANT_PAGE_TYPE},
};

static bool is_peer(aclrtMemAttr attr)
{
    return attr == ACL_MEM_P2P_NORMAL || attr == ACL_MEM_P2P_HUGE || attr == ACL_MEM_P2P_HUGE1G;
}

/* A kind without a type means the memory that the place has: high-bandwidth on devices, DDR on the host. */
static int type_of(aclrtMemAttr attr, bool device)
{
    if (kinds[attr].type != NONE) {
        return kinds[attr].type;
    }
    if (is_peer(attr)) {
        return device ? MEM_P2P_HBM_TYPE : MEM_P2P_DDR_TYPE;
    }
    return device ? MEM_HBM_TYPE : MEM_DDR_TYPE;
}

static bool attr_ok(aclrtMemAttr attr, bool device)
{
    if ((unsigned)attr > ACL_MEM_P2P_HUGE1G || kinds[attr].page == NONE) {
        return false;
    }
    bool of_host = kinds[attr].type == MEM_DDR_TYPE || kinds[attr].type == MEM_P2P_DDR_TYPE;
    return !device || !of_host || FAULT(physical_ddr_on_device);
}

/* The numbers of the runtime's places are those of the driver's sides, but for NUMA. */
static uint32_t side_of(aclrtMemLocationType type)
{
    return type == ACL_MEM_LOCATION_TYPE_HOST_NUMA ? MEM_HOST_NUMA_SIDE : (uint32_t)type;
}

static bool convert(const aclrtPhysicalMemProp *prop, struct drv_mem_prop *result)
{
    bool device = prop->location.type == ACL_MEM_LOCATION_TYPE_DEVICE;
    if (!attr_ok(prop->memAttr, device)) {
        return false;
    }
    memset(result, 0, sizeof(*result));
    result->side = side_of(prop->location.type);
    result->devid = device && FAULT(physical_first_device) ? 0 : prop->location.id;
    result->module_id = APP_MODULE_ID;
    result->pg_type = (uint32_t)kinds[prop->memAttr].page;
    result->mem_type = (uint32_t)type_of(prop->memAttr, device);
    result->reserve = prop->reserve;
    return true;
}

static bool place_ok(const aclrtPhysicalMemProp *prop)
{
    return prop->location.type == ACL_MEM_LOCATION_TYPE_DEVICE || prop->location.type == ACL_MEM_LOCATION_TYPE_HOST ||
           prop->location.type == ACL_MEM_LOCATION_TYPE_HOST_NUMA;
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags)
{
    struct drv_mem_prop wanted;
    drv_mem_handle_t *made = NULL;
    if (handle == NULL || prop == NULL || size == 0 || flags != 0 || prop->handleType != ACL_MEM_HANDLE_TYPE_NONE ||
        prop->allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED || !place_ok(prop) || !convert(prop, &wanted)) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument or a property is not acceptable");
    }
    if (wanted.side == MEM_DEV_SIDE && !device_exists(wanted.devid)) {
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "there is no such device");
    }
    aclError code = acl_of(HAL(halMemCreate, &made, size, &wanted, 0));
    if (code == ACL_SUCCESS) {
        *handle = made;
    }
    return code;
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
    if (handle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "handle is NULL");
    }
    return FAULT(free_physical_lost) ? ACL_SUCCESS : acl_of(HAL(halMemRelease, handle));
}

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags)
{
    if (virPtr == NULL || handle == NULL || size == 0 || flags != 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "virPtr or handle is NULL, size is 0, or flags is not 0");
    }
    return acl_of(HAL(halMemMap, virPtr, size, FAULT(map_offset_ignored) ? 0 : offset, handle, flags));
}

aclError aclrtUnmapMem(void *virPtr)
{
    if (virPtr == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "virPtr is NULL");
    }
    return FAULT(unmap_lost) ? ACL_SUCCESS : acl_of(HAL(halMemUnmap, virPtr));
}

aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count)
{
    if (virPtr == NULL || desc == NULL || count == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "virPtr or desc is NULL, or count is 0");
    }
    struct drv_mem_access_desc *wanted = calloc(count, sizeof(*wanted));
    if (wanted == NULL) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for so many places");
    }
    if (FAULT(access_places_shifted)) {
        memcpy(wanted, desc, count * sizeof(*wanted));
    }
    for (size_t i = 0; i < count && !FAULT(access_places_shifted); i++) {
        wanted[i].type = (drv_mem_access_type)desc[i].flags;
        wanted[i].location.id = desc[i].location.id;
        wanted[i].location.side = side_of(desc[i].location.type);
    }
    size_t told = FAULT(access_first_only) ? 1 : count;
    aclError code = FAULT(access_not_given) ? ACL_SUCCESS : acl_of(HAL(halMemSetAccess, virPtr, size, wanted, told));
    free(wanted);
    return code;
}

aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location, uint64_t *flag)
{
    if (virPtr == NULL || location == NULL || flag == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL");
    }
    struct drv_mem_location place = {.id = location->id, .side = side_of(location->type)};
    return acl_of(HAL(halMemGetAccess, virPtr, &place, flag));
}

aclError aclrtMemRetainAllocationHandle(void *virPtr, aclrtDrvMemHandle *handle)
{
    drv_mem_handle_t *found = NULL;
    if (virPtr == NULL || handle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL");
    }
    aclError code = acl_of(HAL(halMemRetainAllocationHandle, &found, virPtr));
    if (code == ACL_SUCCESS) {
        if (FAULT(retain_not_counted)) {
            (void)HAL(halMemRelease, found);
        }
        *handle = found;
    }
    return code;
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option,
                                          size_t *granularity)
{
    struct drv_mem_prop wanted;
    if (prop == NULL || granularity == NULL || !convert(prop, &wanted)) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL, or memAttr does not suit the place");
    }
    if (wanted.side == MEM_DEV_SIDE && !device_exists(wanted.devid)) {
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "there is no such device");
    }
    aclError code =
        acl_of(HAL(halMemGetAllocationGranularity, &wanted, (drv_mem_granularity_options)option, granularity));
    if (code == ACL_SUCCESS && FAULT(granularity_halved)) {
        *granularity /= 2;
    }
    return code;
}

/* Several kinds mean the same to the driver; the plainest of them is told. */
static aclrtMemAttr attr_of(const struct drv_mem_prop *prop)
{
    static const aclrtMemAttr plain[] = {ACL_HBM_MEM_HUGE,     ACL_HBM_MEM_NORMAL,     ACL_HBM_MEM_HUGE1G,
                                         ACL_MEM_NORMAL,       ACL_MEM_HUGE,           ACL_MEM_HUGE1G,
                                         ACL_MEM_P2P_NORMAL,   ACL_MEM_P2P_HUGE,       ACL_MEM_P2P_HUGE1G};
    bool device = prop->side == MEM_DEV_SIDE;
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        if (kinds[plain[i]].page == (int)prop->pg_type && type_of(plain[i], device) == (int)prop->mem_type) {
            return plain[i];
        }
    }
    return ACL_MEM_HUGE;
}

aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp *prop)
{
    struct drv_mem_prop found;
    if (handle == NULL || prop == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL");
    }
    aclError code = acl_of(HAL(halMemGetAllocationPropertiesFromHandle, &found, handle));
    if (code == ACL_SUCCESS) {
        memset(prop, 0, sizeof(*prop));
        prop->handleType = ACL_MEM_HANDLE_TYPE_NONE;
        prop->allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
        prop->memAttr = attr_of(&found);
        prop->location.id = FAULT(props_device_lost) ? 0 : found.devid;
        prop->location.type = found.side == MEM_DEV_SIDE         ? ACL_MEM_LOCATION_TYPE_DEVICE
                              : found.side == MEM_HOST_NUMA_SIDE ? ACL_MEM_LOCATION_TYPE_HOST_NUMA
                                                                 : ACL_MEM_LOCATION_TYPE_HOST;
        prop->reserve = found.reserve;
    }
    return code;
}
