/*
 * physical_memory.c - one piece of physical memory, mapped by two processes.
 *
 *     physical_memory KERNEL_BINARY a|b FOLDER withpid|withoutpid
 */
#include "messages.h"

static const int32_t wanted = 123;

static aclrtPhysicalMemProp huge_pages(void)
{
    aclrtPhysicalMemProp prop;
    memset(&prop, 0, sizeof(prop));
    prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    prop.memAttr = ACL_HBM_MEM_HUGE;
    prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    return prop;
}

static int map(aclrtDrvMemHandle handle, size_t size, void **at)
{
    aclrtMemAccessDesc access;
    memset(&access, 0, sizeof(access));
    access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    access.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    CHECK_ERROR(aclrtReserveMemAddress(at, size, 0, NULL, 1));
    CHECK_ERROR(aclrtMapMem(*at, size, 0, handle, 0));
    CHECK_ERROR(aclrtMemSetAccess(*at, size, &access, 1));
    return 0;
}

static int unmap(aclrtDrvMemHandle handle, void *at)
{
    CHECK_ERROR(aclrtUnmapMem(at));
    CHECK_ERROR(aclrtReleaseMemAddress(at));
    CHECK_ERROR(aclrtFreePhysical(handle));
    return 0;
}

static int owner(const char *binary_path, const char *folder, int with_pid, struct session *session, size_t size)
{
    aclrtPhysicalMemProp prop = huge_pages();
    aclrtDrvMemHandle handle = NULL;
    aclrtBinHandle binary = NULL;
    void *at = NULL;
    uint64_t share = 0;
    int32_t peer = 0;
    char word = 0;
    CHECK_ERROR(aclrtMallocPhysical(&handle, size, &prop, 0));
    if (map(handle, size, &at) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtBinaryLoadFromFile(binary_path, NULL, &binary));
    const uint64_t parameters[] = {address(at), (uint64_t)wanted};
    if (launch(binary, "DeviceWrite", 1, session->stream, parameters, 2) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtSynchronizeStream(session->stream));
    CHECK_ERROR(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE,
                                                with_pid ? ACL_RT_VMM_EXPORT_FLAG_DEFAULT
                                                         : ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION,
                                                &share));
    if (with_pid) {
        if (hear(folder, "pid", &peer, sizeof(peer)) != 0) {
            return -1;
        }
        CHECK_ERROR(aclrtMemSetPidToShareableHandle(share, &peer, 1));
    }
    if (tell(folder, "share", &share, sizeof(share)) != 0 || hear(folder, "done", &word, 1) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtBinaryUnLoad(binary));
    return unmap(handle, at);
}

static int user(const char *folder, size_t size)
{
    aclrtDrvMemHandle handle = NULL;
    void *at = NULL;
    int32_t *values = malloc(size);
    uint64_t share = 0;
    int32_t pid = 0;
    CHECK_ERROR(aclrtDeviceGetBareTgid(&pid));
    if (values == NULL || tell(folder, "pid", &pid, sizeof(pid)) != 0 ||
        hear(folder, "share", &share, sizeof(share)) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtMemImportFromShareableHandle(share, 0, &handle));
    if (map(handle, size, &at) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtMemcpy(values, size, at, size, ACL_MEMCPY_DEVICE_TO_HOST));
    int32_t value = values[0];
    printf("b sees %d\n", value);
    free(values);
    if (unmap(handle, at) != 0 || tell(folder, "done", "x", 1) != 0) {
        return -1;
    }
    return value == wanted ? 0 : -1;
}

static int granularity(size_t *size)
{
    aclrtPhysicalMemProp prop = huge_pages();
    CHECK_ERROR(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, size));
    return 0;
}

int main(int count, char **arguments)
{
    struct session session;
    size_t size = 0;
    if (count != 5) {
        return 2;
    }
    int result = session_begin(&session);
    result = result == 0 ? granularity(&size) : result;
    if (result == 0) {
        int with_pid = strcmp(arguments[4], "withpid") == 0;
        result = arguments[2][0] == 'a' ? owner(arguments[1], arguments[3], with_pid, &session, size)
                                        : user(arguments[3], size);
    }
    result = session_end(&session) != 0 ? -1 : result;
    return result == 0 ? 0 : 1;
}
