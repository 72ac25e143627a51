/* harness.h - just enough to write tests: CHECK reports in TAP, finish() gives the exit status. */
#ifndef SOFTHAL_HARNESS_H
#define SOFTHAL_HARNESS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "softhal.h"

#define KIB (1ULL << 10)
#define MIB (1ULL << 20)
#define GIB (1ULL << 30)
#define DEV 0x400ULL
#define HOST 0x800ULL
#define DVPP 0xC00ULL
#define HOST_UVA 0x1800ULL
#define UVM 0x1C00ULL
#define SVM 0x0ULL

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

static inline int finish(void)
{
    printf("1..%d\n", checks_done);
    return checks_failed == 0 ? 0 : 1;
}

static inline int is_v3(void)
{
    const char *profile = getenv("SOFTHAL_PROFILE");
    return profile != NULL && strcmp(profile, "ascend950") == 0;
}

static inline uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static inline uint64_t device_free(uint32_t device)
{
    struct MemInfo info;
    memset(&info, 0, sizeof(info));
    return halMemGetInfo(device, 2, &info) == 0 ? info.phy_info.free + info.phy_info.huge_free : 0;
}

static inline uint64_t device_total(uint32_t device)
{
    struct MemInfo info;
    memset(&info, 0, sizeof(info));
    return halMemGetInfo(device, 2, &info) == 0 ? info.phy_info.total + info.phy_info.huge_total : 0;
}

/* Copies in, sets, copies out; 1 if every byte is as expected. */
static inline int holds_data(void *block, size_t size)
{
    unsigned char *in = malloc(size);
    unsigned char *out = malloc(size);
    int ok = in != NULL && out != NULL;
    for (size_t i = 0; ok && i < size; i++) {
        in[i] = (unsigned char)(i * 31 + i / 251);
    }
    ok = ok && drvMemcpy(address_of(block), size, address_of(in), size) == 0;
    ok = ok && drvMemcpy(address_of(out), size, address_of(block), size) == 0;
    /* Not against `in`: a copy in the wrong direction would have changed it. */
    for (size_t i = 0; ok && i < size; i++) {
        ok = out[i] == (unsigned char)(i * 31 + i / 251);
    }
    free(in);
    free(out);
    return ok;
}

#endif
