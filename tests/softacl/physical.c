/* physical.c - addresses, physical memory, mappings, and sharing physical memory, through the interface alone. */
#include <sys/wait.h>

#include "harness.h"

static aclrtPhysicalMemProp of_device(uint32_t device)
{
    aclrtPhysicalMemProp prop;
    memset(&prop, 0, sizeof(prop));
    prop.memAttr = ACL_HBM_MEM_HUGE;
    prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = device;
    return prop;
}

static aclrtDrvMemHandle physical(size_t size, uint32_t device)
{
    aclrtPhysicalMemProp prop = of_device(device);
    aclrtDrvMemHandle handle = NULL;
    NEED(aclrtMallocPhysical(&handle, size, &prop, 0));
    return handle;
}

static void *reserve(size_t size)
{
    void *at = NULL;
    NEED(aclrtReserveMemAddress(&at, size, 0, NULL, 0));
    return at;
}

static void test_addresses(void)
{
    void *at = NULL;
    CHECK_CODE(aclrtReserveMemAddress(NULL, PAGE, 0, NULL, 0), 100000);
    CHECK_CODE(aclrtReserveMemAddress(&at, 0, 0, NULL, 0), 100000);
    CHECK_CODE(aclrtReserveMemAddress(&at, PAGE, 0, NULL, 2), 100000);
    CHECK_CODE(aclrtReserveMemAddress(&at, PAGE, 64, NULL, 0), 107000);
    NEED(aclrtReserveMemAddress(&at, PAGE, 0, NULL, 1));
    CHECK_CODE(aclrtReleaseMemAddress(NULL), 100000);
    CHECK_CODE(aclrtReleaseMemAddress(at), 0);
    CHECK(aclrtReleaseMemAddress(at) != 0);
}

static void test_kinds(void)
{
    static const aclrtMemAttr none[] = {ACL_DDR_MEM, ACL_HBM_MEM, ACL_HBM_MEM_P2P_HUGE, ACL_HBM_MEM_P2P_NORMAL,
                                        ACL_HBM_MEM_P2P_HUGE1G};
    static const aclrtMemAttr host[] = {ACL_DDR_MEM_HUGE, ACL_DDR_MEM_NORMAL, ACL_DDR_MEM_P2P_HUGE,
                                        ACL_DDR_MEM_P2P_NORMAL};
    aclrtPhysicalMemProp prop = of_device(0);
    aclrtDrvMemHandle handle = NULL;
    size_t granularity = 0;
    CHECK_CODE(aclrtMallocPhysical(&handle, PAGE, &prop, 1), 100000);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        prop.memAttr = none[i];
        CHECK_CODE(aclrtMallocPhysical(&handle, PAGE, &prop, 0), 100000);
        CHECK_CODE(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity),
                   100000);
    }
    for (size_t i = 0; i < sizeof(host) / sizeof(host[0]); i++) {
        prop.memAttr = host[i];
        CHECK_CODE(aclrtMallocPhysical(&handle, PAGE, &prop, 0), 100000);
    }
    prop = of_device(9);
    CHECK_CODE(aclrtMallocPhysical(&handle, PAGE, &prop, 0), 107001);
    CHECK_CODE(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity), 107001);
    prop = of_device(0);
    CHECK_CODE(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity), 0);
    CHECK(granularity == PAGE);
    prop.location.type = ACL_MEM_LOCATION_TYPE_MANAGED;
    CHECK_CODE(aclrtMallocPhysical(&handle, PAGE, &prop, 0), 100000);
}

static void test_properties(uint32_t device)
{
    aclrtPhysicalMemProp found;
    size_t free = free_memory();
    aclrtDrvMemHandle handle = physical(4 * PAGE, device);
    CHECK_CODE(aclrtMemGetAllocationPropertiesFromHandle(handle, &found), 0);
    CHECK(found.memAttr == ACL_HBM_MEM_HUGE && found.location.type == ACL_MEM_LOCATION_TYPE_DEVICE);
    CHECK(found.location.id == device);
    CHECK(free_memory() + 4 * PAGE <= free);
    CHECK_CODE(aclrtFreePhysical(handle), 0);
    CHECK(free_memory() == free);
    CHECK_CODE(aclrtFreePhysical(NULL), 100000);
}

static void test_mapping(void)
{
    size_t free = free_memory();
    char *at = reserve(2 * PAGE);
    aclrtDrvMemHandle handle = physical(PAGE, 0);
    aclrtDrvMemHandle again = NULL;
    uint32_t word = 0x1234;
    CHECK_CODE(aclrtMapMem(at, PAGE, 0, NULL, 0), 100000);
    CHECK_CODE(aclrtMapMem(at, PAGE, 0, handle, 1), 100000);
    CHECK_CODE(aclrtMapMem(at, PAGE, PAGE, handle, 0), 107000);
    CHECK_CODE(aclrtMapMem(at + PAGE, PAGE, 0, handle, 0), 0);
    CHECK_CODE(aclrtMemcpy(at + PAGE, PAGE, &word, sizeof(word), ACL_MEMCPY_HOST_TO_DEVICE), 0);
    CHECK(first_word(at + PAGE) == 0x1234);
    CHECK_CODE(aclrtMemRetainAllocationHandle(at + PAGE, &again), 0);
    CHECK(again == handle);
    CHECK_CODE(aclrtUnmapMem(at + PAGE), 0);
    CHECK(aclrtUnmapMem(at + PAGE) != 0);
    CHECK_CODE(aclrtFreePhysical(handle), 0);
    CHECK_CODE(aclrtMapMem(at, PAGE, 0, handle, 0), 0);
    CHECK(first_word(at) == 0x1234);
    CHECK_CODE(aclrtFreePhysical(handle), 0);
    CHECK(first_word(at) == 0x1234);
    CHECK_CODE(aclrtUnmapMem(at), 0);
    CHECK_CODE(aclrtReleaseMemAddress(at), 0);
    CHECK(free_memory() == free);
}

static void test_access(void)
{
    void *at = reserve(PAGE);
    aclrtDrvMemHandle handle = physical(PAGE, 0);
    aclrtMemAccessDesc desc[2];
    aclrtMemLocation other = {.id = 1, .type = ACL_MEM_LOCATION_TYPE_DEVICE};
    uint64_t flag = 0;
    NEED(aclrtMapMem(at, PAGE, 0, handle, 0));
    memset(desc, 0, sizeof(desc));
    for (int i = 0; i < 2; i++) {
        desc[i].flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
        desc[i].location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        desc[i].location.id = (uint32_t)i;
    }
    CHECK_CODE(aclrtMemSetAccess(NULL, PAGE, desc, 1), 107000);
    CHECK_CODE(aclrtMemSetAccess(at, PAGE, NULL, 1), 107000);
    CHECK_CODE(aclrtMemSetAccess(at, PAGE, desc, 0), 107000);
    CHECK_CODE(aclrtMemGetAccess(at, &other, &flag), 0);
    CHECK(flag != ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
    CHECK_CODE(aclrtMemSetAccess(at, PAGE, desc, 2), 0);
    CHECK_CODE(aclrtMemGetAccess(at, &other, &flag), 0);
    CHECK(flag == ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
    CHECK_CODE(aclrtUnmapMem(at), 0);
    CHECK_CODE(aclrtFreePhysical(handle), 0);
    CHECK_CODE(aclrtReleaseMemAddress(at), 0);
}

/* What a child is told when it imports. */
static int imported_by_child(uint64_t share, int listed, uint64_t allowed)
{
    int ready[2], go[2];
    char word = 'x';
    if (pipe(ready) != 0 || pipe(go) != 0) {
        exit(1);
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        aclrtDrvMemHandle handle = NULL;
        aclError code = aclrtSetDevice(0);
        if (write(ready[1], &word, 1) != 1 || read(go[0], &word, 1) != 1) {
            _exit(2);
        }
        code = code == ACL_SUCCESS ? aclrtMemImportFromShareableHandle(share, 0, &handle) : 2;
        _exit(code == ACL_SUCCESS ? 0 : 1);
    }
    if (read(ready[0], &word, 1) != 1) {
        exit(1);
    }
    if (listed) {
        int32_t pids[] = {(int32_t)getppid(), (int32_t)child};
        CHECK_CODE(aclrtMemSetPidToShareableHandle(share, pids, 2), (int)allowed);
    }
    if (write(go[1], &word, 1) != 1) {
        exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

static void test_sharing(void)
{
    aclrtDrvMemHandle handle = physical(PAGE, 0);
    uint64_t share = 0;
    CHECK_CODE(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_POSIX, 0, &share), 100000);
    CHECK_CODE(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 2, &share), 107000);
    NEED(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &share));
    CHECK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &share) != 0);
    CHECK(imported_by_child(share, 0, 0) == 1);
    CHECK(imported_by_child(share, 1, 0) == 0);
    CHECK_CODE(aclrtFreePhysical(handle), 0);
}

int main(void)
{
    setenv("SOFTHAL_DEVICE_MEMORY", "256M", 0);
    NEED(aclInit(NULL));
    NEED(aclrtSetDevice(1));
    test_properties(1);
    NEED(aclrtSetDevice(0));
    test_addresses();
    test_kinds();
    test_properties(0);
    test_mapping();
    test_access();
    test_sharing();
    NEED(aclrtResetDevice(1));
    NEED(aclrtResetDevice(0));
    NEED(aclFinalize());
    return finish();
}
