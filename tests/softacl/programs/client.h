/* client.h - what every example application needs: checked calls, files, half precision numbers. */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

#define MEBIBYTE ((size_t)1 << 20)

/* Leaves the enclosing function with -1 if a call fails. */
#define CHECK_ERROR(call) \
    do { \
        aclError code_ = (call); \
        if (code_ != ACL_SUCCESS) { \
            fprintf(stderr, "[ERROR] %s:%d %s answers %d\n", __FILE__, __LINE__, #call, code_); \
            return -1; \
        } \
    } while (0)

/* For clean-up: goes on, but remembers. */
static inline void keep_error(const char *what, aclError code, int *result)
{
    if (code != ACL_SUCCESS) {
        fprintf(stderr, "[ERROR] %s answers %d\n", what, code);
        *result = -1;
    }
}
#define CLEAN_UP(call, result) keep_error(#call, (call), (result))

struct session {
    aclrtStream stream;
};

static inline int session_begin(struct session *session)
{
    CHECK_ERROR(aclInit(NULL));
    CHECK_ERROR(aclrtSetDevice(0));
    CHECK_ERROR(aclrtCreateStream(&session->stream));
    return 0;
}

static inline int session_end(struct session *session)
{
    int result = 0;
    CLEAN_UP(aclrtDestroyStreamForce(session->stream), &result);
    CLEAN_UP(aclrtResetDeviceForce(0), &result);
    CLEAN_UP(aclFinalize(), &result);
    return result;
}

/* Launches a kernel of a binary on parameters of 8 bytes each. */
static inline int launch(aclrtBinHandle binary, const char *name, uint32_t blocks, aclrtStream stream,
                         const uint64_t *parameters, size_t count)
{
    aclrtFuncHandle function = NULL;
    aclrtArgsHandle args = NULL;
    aclrtParamHandle handle = NULL;
    CHECK_ERROR(aclrtBinaryGetFunction(binary, name, &function));
    CHECK_ERROR(aclrtKernelArgsInit(function, &args));
    for (size_t i = 0; i < count; i++) {
        uint64_t value = parameters[i];
        CHECK_ERROR(aclrtKernelArgsAppend(args, &value, sizeof(value), &handle));
    }
    CHECK_ERROR(aclrtKernelArgsFinalize(args));
    CHECK_ERROR(aclrtLaunchKernelWithConfig(function, blocks, stream, NULL, args, NULL));
    return 0;
}

static inline uint64_t address(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

#endif
