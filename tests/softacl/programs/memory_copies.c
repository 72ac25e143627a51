/*
 * memory_copies.c - the number 123 on all its ways: within the host, to the device, back, and within the device,
 * at once and on a stream.  Kernels write and read it on the device.
 *
 *     memory_copies KERNEL_BINARY WAY      WAY: h2h h2d h2d_async d2h d2h_async d2d d2d_async
 */
#include "client.h"

static const int32_t wanted = 123;

static int on_device(aclrtBinHandle binary, const char *kernel, aclrtStream stream, void *memory, uint64_t second)
{
    const uint64_t parameters[] = {address(memory), second};
    return launch(binary, kernel, 1, stream, parameters, 2);
}

/* Reads the number by a kernel, which hands it back through memory of the device. */
static int read_back(aclrtBinHandle binary, aclrtStream stream, void *memory, int32_t *value)
{
    void *told = NULL;
    CHECK_ERROR(aclrtMalloc(&told, sizeof(*value), ACL_MEM_MALLOC_NORMAL_ONLY));
    if (on_device(binary, "DeviceRead", stream, memory, address(told)) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtSynchronizeStream(stream));
    CHECK_ERROR(aclrtMemcpy(value, sizeof(*value), told, sizeof(*value), ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_ERROR(aclrtFree(told));
    return 0;
}

static int copy(void *to, const void *from, aclrtMemcpyKind kind, aclrtStream stream, int later)
{
    if (later) {
        CHECK_ERROR(aclrtMemcpyAsync(to, MEBIBYTE, from, MEBIBYTE, kind, stream));
    } else {
        CHECK_ERROR(aclrtMemcpy(to, MEBIBYTE, from, MEBIBYTE, kind));
    }
    return 0;
}

static int host_to_host(int32_t *value)
{
    void *a = NULL;
    void *b = NULL;
    CHECK_ERROR(aclrtMallocHost(&a, MEBIBYTE));
    CHECK_ERROR(aclrtMallocHost(&b, MEBIBYTE));
    *(int32_t *)a = wanted;
    CHECK_ERROR(aclrtMemcpy(b, MEBIBYTE, a, MEBIBYTE, ACL_MEMCPY_HOST_TO_HOST));
    *value = *(int32_t *)b;
    CHECK_ERROR(aclrtFreeHost(a));
    CHECK_ERROR(aclrtFreeHost(b));
    return 0;
}

static int host_to_device(aclrtBinHandle binary, aclrtStream stream, int later, int32_t *value)
{
    void *host = NULL;
    void *device = NULL;
    CHECK_ERROR(aclrtMallocHost(&host, MEBIBYTE));
    CHECK_ERROR(aclrtMalloc(&device, MEBIBYTE, ACL_MEM_MALLOC_HUGE_FIRST));
    *(int32_t *)host = wanted;
    if (copy(device, host, ACL_MEMCPY_HOST_TO_DEVICE, stream, later) != 0) {
        return -1;
    }
    if (later) { /* the source is needed until then */
        CHECK_ERROR(aclrtSynchronizeStream(stream));
    }
    if (read_back(binary, stream, device, value) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtFreeHost(host));
    CHECK_ERROR(aclrtFree(device));
    return 0;
}

static int device_to_host(aclrtBinHandle binary, aclrtStream stream, int later, int32_t *value)
{
    void *host = NULL;
    void *device = NULL;
    CHECK_ERROR(aclrtMallocHost(&host, MEBIBYTE));
    CHECK_ERROR(aclrtMalloc(&device, MEBIBYTE, ACL_MEM_MALLOC_HUGE_FIRST));
    if (on_device(binary, "DeviceWrite", stream, device, (uint64_t)wanted) != 0) {
        return -1;
    }
    if (!later) { /* a copy at once does not wait for streams */
        CHECK_ERROR(aclrtSynchronizeStream(stream));
    }
    if (copy(host, device, ACL_MEMCPY_DEVICE_TO_HOST, stream, later) != 0) {
        return -1;
    }
    if (later) {
        CHECK_ERROR(aclrtSynchronizeStream(stream));
    }
    *value = *(int32_t *)host;
    CHECK_ERROR(aclrtFreeHost(host));
    CHECK_ERROR(aclrtFree(device));
    return 0;
}

static int device_to_device(aclrtBinHandle binary, aclrtStream stream, int later, int32_t *value)
{
    void *a = NULL;
    void *b = NULL;
    CHECK_ERROR(aclrtMalloc(&a, MEBIBYTE, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_ERROR(aclrtMalloc(&b, MEBIBYTE, ACL_MEM_MALLOC_HUGE_FIRST));
    if (on_device(binary, "DeviceWrite", stream, a, (uint64_t)wanted) != 0) {
        return -1;
    }
    if (!later) {
        CHECK_ERROR(aclrtSynchronizeStream(stream));
    }
    if (copy(b, a, ACL_MEMCPY_DEVICE_TO_DEVICE, stream, later) != 0 || read_back(binary, stream, b, value) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtFree(a));
    CHECK_ERROR(aclrtFree(b));
    return 0;
}

int main(int count, char **arguments)
{
    struct session session;
    aclrtBinHandle binary = NULL;
    int32_t value = 0;
    const char *way = count == 3 ? arguments[2] : "";
    int later = strstr(way, "_async") != NULL;
    int result = session_begin(&session);
    if (result == 0) {
        CLEAN_UP(aclrtBinaryLoadFromFile(arguments[1], NULL, &binary), &result);
    }
    if (result == 0) {
        result = strncmp(way, "h2h", 3) == 0   ? host_to_host(&value)
                 : strncmp(way, "h2d", 3) == 0 ? host_to_device(binary, session.stream, later, &value)
                 : strncmp(way, "d2h", 3) == 0 ? device_to_host(binary, session.stream, later, &value)
                 : strncmp(way, "d2d", 3) == 0 ? device_to_device(binary, session.stream, later, &value)
                                               : -1;
    }
    if (binary != NULL) {
        CLEAN_UP(aclrtBinaryUnLoad(binary), &result);
    }
    result = session_end(&session) != 0 ? -1 : result;
    printf("%s: %d\n", way, value);
    return result == 0 && value == wanted ? 0 : 1;
}
