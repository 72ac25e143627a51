/* share.c - physical memory for other processes. */
#include <string.h>

#include "internal.h"

/* Flags of the runtime: 1 lets every process import. */
static aclError open_to_all(uint64_t share)
{
    struct ShareHandleAttr attribute;
    memset(&attribute, 0, sizeof(attribute));
    attribute.enableFlag = 1;
    return acl_of(HAL(halMemShareHandleSetAttribute, share, SHR_HANDLE_ATTR_NO_WLIST_IN_SERVER, attribute));
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags,
                                         uint64_t *shareableHandle)
{
    uint64_t share = 0;
    if (handle == NULL || shareableHandle == NULL || handleType != ACL_MEM_HANDLE_TYPE_NONE) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL, or handleType is not that for none");
    }
    if (flags > ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "flags is neither 0 nor 1");
    }
    bool every = flags == ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION && !FAULT(export_flag_lost);
    aclError code = acl_of(HAL(halMemExportToShareableHandle, handle, MEM_HANDLE_TYPE_NONE, 0, &share));
    if (code == ACL_SUCCESS && (every || FAULT(export_open_to_all))) {
        code = open_to_all(share);
    }
    if (code == ACL_SUCCESS) {
        *shareableHandle = share;
    }
    return code;
}

static bool type_ok(aclrtMemSharedHandleType type)
{
    return type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT || type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC;
}

static aclError export_fabric(aclrtDrvMemHandle handle, uint64_t flags, void *result)
{
    struct MemShareHandle token;
    uint32_t server = 0;
    uint64_t share = 0;
    memset(&token, 0, sizeof(token));
    aclError code = acl_of(HAL(halMemExportToShareableHandleV2, handle, MEM_HANDLE_TYPE_FABRIC, 0, &token));
    if (code == ACL_SUCCESS && flags == ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION) {
        code = acl_of(HAL(halMemTransShareableHandle, MEM_HANDLE_TYPE_FABRIC, &token, &server, &share));
        code = code == ACL_SUCCESS ? open_to_all(share) : code;
    }
    if (code == ACL_SUCCESS) {
        memcpy(result, &token, sizeof(token));
    }
    return code;
}

aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags, aclrtMemSharedHandleType shareType,
                                           void *shareableHandle)
{
    if (handle == NULL || shareableHandle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL");
    }
    if (flags > ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION || !type_ok(shareType)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "flags or shareType is unknown");
    }
    if (shareType == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC) {
        return export_fabric(handle, flags, shareableHandle);
    }
    uint64_t share = 0;
    aclError code = aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, flags, &share);
    if (code == ACL_SUCCESS) {
        memcpy(shareableHandle, &share, sizeof(share));
    }
    return code;
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle *handle)
{
    drv_mem_handle_t *imported = NULL;
    struct context *context = NULL;
    if (handle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "handle is NULL");
    }
    if (!device_exists(deviceId)) {
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "there is no such device");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    unlock();
    code = acl_of(HAL(halMemImportFromShareableHandle, shareableHandle, (uint32_t)deviceId, &imported));
    if (code == ACL_SUCCESS) {
        *handle = imported;
    }
    return code;
}

aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle, aclrtMemSharedHandleType shareType, uint64_t flags,
                                             aclrtDrvMemHandle *handle)
{
    struct context *context = NULL;
    drv_mem_handle_t *imported = NULL;
    if (shareableHandle == NULL || handle == NULL || flags != 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL, or flags is not 0");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    int32_t device = context->device;
    unlock();
    if (!type_ok(shareType)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "shareType is unknown");
    }
    if (shareType == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT) {
        uint64_t share = 0;
        memcpy(&share, shareableHandle, sizeof(share));
        return aclrtMemImportFromShareableHandle(share, device, handle);
    }
    struct MemShareHandle token;
    memcpy(&token, shareableHandle, sizeof(token));
    code = acl_of(HAL(halMemImportFromShareableHandleV2, MEM_HANDLE_TYPE_FABRIC, &token, (uint32_t)device, &imported));
    if (code == ACL_SUCCESS) {
        *handle = imported;
    }
    return code;
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum)
{
    if (pid == NULL || pidNum == 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "pid is NULL, or pidNum is 0");
    }
    uint32_t count = (uint32_t)pidNum;
    count -= count > 1 && count <= 64 && FAULT(last_pid_lost) ? 1 : 0;
    return acl_of(HAL(halMemSetPidToShareableHandle, shareableHandle, pid, count));
}

aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle, aclrtMemSharedHandleType shareType, int32_t *pid,
                                           size_t pidNum)
{
    uint32_t server = 0;
    uint64_t share = 0;
    if (shareableHandle == NULL || pid == NULL || pidNum == 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL, or pidNum is 0");
    }
    if (!type_ok(shareType)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "shareType is unknown");
    }
    if (shareType == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT) {
        memcpy(&share, shareableHandle, sizeof(share));
    } else {
        struct MemShareHandle token;
        memcpy(&token, shareableHandle, sizeof(token));
        aclError code = acl_of(HAL(halMemTransShareableHandle, MEM_HANDLE_TYPE_FABRIC, &token, &server, &share));
        if (code != ACL_SUCCESS) {
            return code;
        }
    }
    return aclrtMemSetPidToShareableHandle(share, pid, pidNum);
}
