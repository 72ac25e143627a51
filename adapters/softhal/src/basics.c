/* basics.c - the small queries that any user of the driver makes first. */
#include <stdio.h>

#include "internal.h"

#define HAL_API_VERSION 0x072418

drvError_t drvGetDevNum(uint32_t *num_dev)
{
    if (num_dev == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    /* The number belongs to the domain, which may have been set up by another process. */
    drvError_t code = join();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    *num_dev = config_get()->devices;
    return DRV_ERROR_NONE;
}

drvError_t halGetAPIVersion(int *halAPIVersion)
{
    if (halAPIVersion == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    *halAPIVersion = HAL_API_VERSION;
    return DRV_ERROR_NONE;
}

drvError_t halGetHostID(uint32_t *host_id)
{
    if (host_id == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    *host_id = HOST_DEVID;
    return DRV_ERROR_NONE;
}

static const char *soc_name(void)
{
    static const char *const names[PROFILE_COUNT] = {
        [PROFILE_910B] = "Ascend910B1", [PROFILE_910_93] = "Ascend910_9391", [PROFILE_950] = "Ascend950PR_9599"};
    return names[config_get()->profile];
}

drvError_t halGetSocVersion(uint32_t devId, char *socVersion, uint32_t len)
{
    if (socVersion == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = join();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (devId >= config_get()->devices) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    int length = snprintf(socVersion, len, "%s", soc_name());
    return length >= 0 && (uint32_t)length < len ? DRV_ERROR_NONE : DRV_ERROR_INVALID_VALUE;
}

bool halSupportFeature(uint32_t devId, drvFeature_t type)
{
    (void)devId;
    switch (type) {
        case FEATURE_SVM_GET_USER_MALLOC_ATTR:
            /* Asking is what turns it on (v2): ordinary memory is then told from locked host memory. */
            state_lock();
            state.user_malloc_attribute = true;
            state_unlock();
            return true;
        case FEATURE_SVM_MEM_REGISTER_QUERY_AND_GET_ATTR:
            /* Likewise: registrations made from now on are remembered. */
            state_lock();
            state.registrations_recorded = generation() == GEN_V2;
            state_unlock();
            return true;
        case FEATURE_SVM_VMM_NORMAL_GRANULARITY:
        case FEATURE_SVM_MEM_HOST_UVA:
            return true;
        default:
            return false;
    }
}
