/*
 * pool_flow.c - buffers from a pool, in the order of one stream: allocate, copy, compute, free, all without the
 * host waiting in between.
 *
 *     pool_flow KERNEL_BINARY
 */
#include "client.h"

enum { BUFFERS = 4, LENGTH = 8 * 2048, PAGE = 2 << 20 };
static const size_t bytes = (size_t)LENGTH * sizeof(uint16_t);
static const uint16_t one = 0x3c00, two = 0x4000, three = 0x4200;

static uint64_t attribute(aclrtMemPool pool, aclrtMemPoolAttr attr)
{
    uint64_t value = UINT64_MAX;
    return aclrtMemPoolGetAttr(pool, attr, &value) == ACL_SUCCESS ? value : UINT64_MAX;
}

/* Two-megabyte pages, none shared. */
static int well_placed(void *const *buffers)
{
    for (int i = 0; i < BUFFERS; i++) {
        for (int j = 0; j < i; j++) {
            uint64_t a = address(buffers[i]);
            uint64_t b = address(buffers[j]);
            if ((a > b ? a - b : b - a) < PAGE) {
                return 0;
            }
        }
        if (address(buffers[i]) % PAGE != 0) {
            return 0;
        }
    }
    return 1;
}

static int compute(aclrtBinHandle binary, aclrtMemPool pool, aclrtStream stream, uint16_t *const *host)
{
    void *buffers[BUFFERS];
    for (int i = 0; i < BUFFERS; i++) {
        CHECK_ERROR(aclrtMemPoolMallocAsync(&buffers[i], bytes, pool, stream));
    }
    for (int i = 0; i < 2; i++) {
        CHECK_ERROR(aclrtMemcpyAsync(buffers[i], bytes, host[i], bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    }
    const uint64_t parameters[] = {address(buffers[0]), address(buffers[1]), address(buffers[2])};
    if (launch(binary, "add_custom", 8, stream, parameters, 3) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtMemcpyAsync(host[2], bytes, buffers[2], bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    for (int i = 0; i < BUFFERS; i++) {
        CHECK_ERROR(aclrtMemPoolFreeAsync(buffers[i], stream));
    }
    CHECK_ERROR(aclrtSynchronizeStream(stream));
    uint64_t reserved = attribute(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT);
    printf("used %llu, reserved %llu\n", (unsigned long long)attribute(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT),
           (unsigned long long)reserved);
    return well_placed(buffers) && reserved <= (uint64_t)BUFFERS * PAGE &&
                   attribute(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT) == 0
               ? 0
               : -1;
}

static int run(const char *path, uint16_t *const *host)
{
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    aclrtBinHandle binary = NULL;
    aclrtMemPool pool = NULL;
    aclrtMemPoolProps props;
    memset(&props, 0, sizeof(props));
    props.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    props.maxSize = (size_t)16 * PAGE;
    CHECK_ERROR(aclrtSetDevice(0));
    CHECK_ERROR(aclrtCreateContext(&context, 0));
    CHECK_ERROR(aclrtCreateStream(&stream));
    CHECK_ERROR(aclrtBinaryLoadFromFile(path, NULL, &binary));
    aclError code = aclrtMemPoolCreate(&pool, &props);
    if (code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT || code == ACL_ERROR_RT_PARAM_INVALID) {
        printf("[SKIP] pools are not there, aclrtMemPoolCreate answers %d\n", code);
        return 0;
    }
    CHECK_ERROR(code);
    int result = compute(binary, pool, stream, host);
    CHECK_ERROR(aclrtMemPoolDestroy(pool));
    CHECK_ERROR(aclrtBinaryUnLoad(binary));
    CHECK_ERROR(aclrtDestroyStream(stream));
    CHECK_ERROR(aclrtDestroyContext(context));
    CHECK_ERROR(aclrtResetDevice(0));
    for (int i = 0; i < LENGTH && result == 0; i++) {
        result = host[2][i] == three ? 0 : -1;
    }
    return result;
}

int main(int count, char **arguments)
{
    uint16_t *host[3];
    if (count != 2 || aclInit(NULL) != ACL_SUCCESS) {
        return 2;
    }
    for (int i = 0; i < 3; i++) {
        host[i] = calloc(LENGTH, sizeof(uint16_t));
        for (int j = 0; j < LENGTH; j++) {
            host[i][j] = i == 0 ? one : i == 1 ? two : 0;
        }
    }
    int result = run(arguments[1], host);
    CLEAN_UP(aclFinalize(), &result);
    for (int i = 0; i < 3; i++) {
        free(host[i]);
    }
    return result == 0 ? 0 : 1;
}
