/*
 * launch_kernel.c - the sum of two matrices with buffers on both sides and copies between them.
 *
 *     launch_kernel KERNEL_BINARY simple|placeholder INPUT_X INPUT_Y OUTPUT_Z
 *
 * With place-holders the length of the data and the number of tiles travel behind the parameters.
 */
#include "client.h"

enum { LENGTH = 8 * 2048, TILES = 8 };
static const size_t bytes = (size_t)LENGTH * sizeof(uint16_t);

static int load_file(const char *path, void *into)
{
    FILE *file = fopen(path, "rb");
    size_t done = file == NULL ? 0 : fread(into, 1, bytes, file);
    if (file != NULL) {
        fclose(file);
    }
    return done == bytes ? 0 : -1;
}

static int put_number(aclrtArgsHandle args, aclrtParamHandle handle, int32_t value)
{
    void *buffer = NULL;
    CHECK_ERROR(aclrtKernelArgsGetPlaceHolderBuffer(args, handle, sizeof(value), &buffer));
    memcpy(buffer, &value, sizeof(value));
    return 0;
}

static int start(aclrtBinHandle binary, aclrtStream stream, void *const *device, int placeholders)
{
    aclrtFuncHandle function = NULL;
    aclrtArgsHandle args = NULL;
    aclrtParamHandle handle = NULL;
    aclrtParamHandle length = NULL;
    aclrtParamHandle tiles = NULL;
    CHECK_ERROR(aclrtBinaryGetFunction(binary, "add_custom", &function));
    CHECK_ERROR(aclrtKernelArgsInit(function, &args));
    for (int i = 0; i < 3; i++) {
        uint64_t value = address(device[i]);
        CHECK_ERROR(aclrtKernelArgsAppend(args, &value, sizeof(value), &handle));
    }
    if (placeholders) {
        CHECK_ERROR(aclrtKernelArgsAppendPlaceHolder(args, &length));
        CHECK_ERROR(aclrtKernelArgsAppendPlaceHolder(args, &tiles));
        /* The buffers lie behind all parameters, so they come last. */
        if (put_number(args, length, LENGTH) != 0 || put_number(args, tiles, TILES) != 0) {
            return -1;
        }
    }
    CHECK_ERROR(aclrtKernelArgsFinalize(args));
    CHECK_ERROR(aclrtLaunchKernelWithConfig(function, 8, stream, NULL, args, NULL));
    return 0;
}

static int compute(struct session *session, char **arguments)
{
    void *host[3];
    void *device[3];
    aclrtBinHandle binary = NULL;
    for (int i = 0; i < 3; i++) {
        CHECK_ERROR(aclrtMallocHost(&host[i], bytes));
        CHECK_ERROR(aclrtMalloc(&device[i], bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    for (int i = 0; i < 2; i++) {
        if (load_file(arguments[3 + i], host[i]) != 0) {
            return -1;
        }
        CHECK_ERROR(aclrtMemcpy(device[i], bytes, host[i], bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    CHECK_ERROR(aclrtBinaryLoadFromFile(arguments[1], NULL, &binary));
    if (start(binary, session->stream, device, strcmp(arguments[2], "placeholder") == 0) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtSynchronizeStream(session->stream));
    CHECK_ERROR(aclrtMemcpy(host[2], bytes, device[2], bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    FILE *file = fopen(arguments[5], "wb");
    int written = file != NULL && fwrite(host[2], 1, bytes, file) == bytes && fclose(file) == 0;
    CHECK_ERROR(aclrtBinaryUnLoad(binary));
    for (int i = 2; i >= 0; i--) {
        CHECK_ERROR(aclrtFree(device[i]));
    }
    for (int i = 2; i >= 0; i--) {
        CHECK_ERROR(aclrtFreeHost(host[i]));
    }
    return written ? 0 : -1;
}

int main(int count, char **arguments)
{
    struct session session;
    if (count != 6) {
        fprintf(stderr, "usage: %s KERNEL_BINARY simple|placeholder INPUT_X INPUT_Y OUTPUT_Z\n", arguments[0]);
        return 2;
    }
    int result = session_begin(&session);
    result = result == 0 ? compute(&session, arguments) : result;
    result = session_end(&session) != 0 ? -1 : result;
    return result == 0 ? 0 : 1;
}
