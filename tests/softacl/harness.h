/* harness.h - just enough to write tests of the runtime: CHECK reports in TAP, finish() gives the exit status. */
#ifndef SOFTACL_HARNESS_H
#define SOFTACL_HARNESS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"

#define MIB ((size_t)1 << 20)
#define PAGE (2 * MIB)

static int checks_done, checks_failed;

static inline void check(int ok, const char *text, int line)
{
    checks_done++;
    checks_failed += ok ? 0 : 1;
    printf("%sok %d - line %d: %s\n", ok ? "" : "not ", checks_done, line, text);
    fflush(stdout);
}
#define CHECK(condition) check((condition), #condition, __LINE__)
#define CHECK_CODE(call, expected) check_code((int)(call), (int)(expected), #call, __LINE__)

static inline void check_code(int got, int expected, const char *text, int line)
{
    char what[400];
    snprintf(what, sizeof(what), "%s is %d (expected %d)", text, got, expected);
    check(got == expected, what, line);
}

/* For what must work or nothing that follows makes sense. */
static inline void need(int got, const char *text, int line)
{
    check_code(got, 0, text, line);
    if (got != 0) {
        printf("Bail out! line %d\n", line);
        exit(1);
    }
}
#define NEED(call) need((int)(call), #call, __LINE__)

static inline int finish(void)
{
    printf("1..%d\n", checks_done);
    return checks_failed == 0 ? 0 : 1;
}

static inline int is_950(void)
{
    const char *profile = getenv("SOFTHAL_PROFILE");
    return profile != NULL && strcmp(profile, "ascend950") == 0;
}

static inline uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static inline void pause_ms(long milliseconds)
{
    const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

static inline void *device_memory(size_t size)
{
    void *memory = NULL;
    NEED(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

static inline void *host_memory(size_t size)
{
    void *memory = NULL;
    NEED(aclrtMallocHost(&memory, size));
    memset(memory, 0, size);
    return memory;
}

static inline aclrtStream new_stream(void)
{
    aclrtStream stream = NULL;
    NEED(aclrtCreateStream(&stream));
    return stream;
}

/* A stream that does nothing more until the gate is opened by the host. */
static inline void *new_gate(void)
{
    void *gate = device_memory(64);
    NEED(aclrtMemset(gate, 64, 0, 64));
    return gate;
}

static inline void shut(void *gate, aclrtStream stream)
{
    NEED(aclrtMemset(gate, 64, 0, 64));
    NEED(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
}

static inline void open_gate(void *gate)
{
    uint64_t one = 1;
    NEED(aclrtMemcpy(gate, 64, &one, sizeof(one), ACL_MEMCPY_HOST_TO_DEVICE));
}

static inline uint32_t first_word(const void *memory)
{
    uint32_t word = 0;
    (void)aclrtMemcpy(&word, sizeof(word), memory, sizeof(word), ACL_MEMCPY_DEVICE_TO_HOST);
    return word;
}

static inline size_t free_memory(void)
{
    size_t free = 0;
    size_t total = 0;
    NEED(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    return free;
}

/* A file that is no plug-in: its kernels are the built-in ones. */
static inline const char *plain_binary(void)
{
    static char path[64];
    if (path[0] == '\0') {
        snprintf(path, sizeof(path), "/tmp/softacl-test-%d.o", (int)getpid());
        FILE *file = fopen(path, "wb");
        if (file == NULL || fputs("binary", file) < 0 || fclose(file) != 0) {
            exit(1);
        }
    }
    return path;
}

static inline aclError launch(aclrtFuncHandle function, uint32_t blocks, aclrtStream stream, const uint64_t *values,
                              size_t count)
{
    aclrtArgsHandle args = NULL;
    aclrtParamHandle handle = NULL;
    aclError code = aclrtKernelArgsInit(function, &args);
    for (size_t i = 0; i < count && code == ACL_SUCCESS; i++) {
        uint64_t value = values[i];
        code = aclrtKernelArgsAppend(args, &value, sizeof(value), &handle);
    }
    code = code == ACL_SUCCESS ? aclrtKernelArgsFinalize(args) : code;
    return code == ACL_SUCCESS ? aclrtLaunchKernelWithConfig(function, blocks, stream, NULL, args, NULL) : code;
}

#endif
