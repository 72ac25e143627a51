/* orders.c - which of several failing checks of halMemAlloc decides, and whether the pointer was cleared. */
#include "harness.h"

#define TS MEM_ADVISE_TS
#define CONT MEM_CONTIGUOUS_PHY
#define HUGE MEM_PAGE_HUGE
#define GIANT MEM_PAGE_GIANT
#define RO MEM_READONLY
#define DEV_RO MEM_HOST_RW_DEV_RO
#define CP MEM_DEV_CP_ONLY

enum { KEPT, CLEARED };

static void expect(uint64_t size, uint64_t flag, int code, int after, int line)
{
    void *const before = (void *)(uintptr_t)0x77;
    void *block = before;
    char what[120];
    int got = (int)halMemAlloc(&block, size, flag);
    int as_told = got == 0 || block == (after == KEPT ? before : NULL);
    snprintf(what, sizeof(what), "size %#llx flag %#llx: %d (expected %d)", (unsigned long long)size,
             (unsigned long long)flag, got, code);
    check(got == code && as_told, what, line);
    if (got == 0) {
        CHECK_CODE(halMemFree(block), 0);
    }
}
#define EXPECT(size, flag, code, after) expect((size), (flag), (code), (after), __LINE__)

static void v2_before_open(void)
{
    EXPECT(4096, DEV, 42, CLEARED);
    EXPECT(600 * MIB, DEV, 6, CLEARED);
    EXPECT(4096, DVPP, 6, CLEARED);
    EXPECT(4096, DEV | DEV_RO, 6, CLEARED);
    EXPECT(4096, DEV | RO, 0xfffe, KEPT);
    EXPECT(4096, DEV | GIANT, 0xfffe, KEPT);
    EXPECT(4096, 0x1000, 42, CLEARED);
    EXPECT(4096, DVPP | 64, 0xfffe, KEPT);
}

static void v2_open(void)
{
    EXPECT(5 * MIB, DEV | GIANT | CONT, 3, KEPT);
    EXPECT(4 * MIB, DEV | GIANT | CONT, 0xfffe, KEPT);
    EXPECT(1, DEV | GIANT | HUGE | TS, 0xfffe, KEPT);
    EXPECT(1, DEV | GIANT | HUGE, 3, KEPT);
    EXPECT(0, DEV | RO | DEV_RO, 8, KEPT);
    EXPECT(4096, 0x1000 | RO | DEV_RO, 0xfffe, KEPT);
    EXPECT(0, HOST_UVA | HUGE, 0xfffe, KEPT);
    EXPECT(4096, HOST_UVA | TS, 0, KEPT);
    EXPECT(4096, HOST | HUGE | CONT | CP, 0, KEPT);
    EXPECT(4096, HOST | RO, 0xfffe, KEPT);
    EXPECT(0, HOST | 66, 2, CLEARED);
    EXPECT(0, DEV, 3, CLEARED);
    EXPECT((8ULL << 40) + 1, DEV, 6, CLEARED);
    EXPECT(5 * MIB, CONT, 3, KEPT);
    EXPECT(4 * MIB, CONT, 0, KEPT);
    EXPECT(5 * MIB, DVPP | CONT | HUGE, 0, KEPT);
    EXPECT(4096, DEV | RO, 0, KEPT);
    EXPECT(4096, 0x2000, 0xfffe, KEPT);
    EXPECT(129 * GIB, SVM, 6, CLEARED);
    EXPECT(100 * GIB, SVM, 0, KEPT);
    EXPECT(4096, DEV | 1, 42, CLEARED);
}

static void v2_after_close(void)
{
    EXPECT(4096, DEV, 42, CLEARED);
    EXPECT(600 * MIB, DEV, 42, CLEARED);
    EXPECT(4096, DEV | RO, 6, CLEARED);
    EXPECT(4096, DEV | DEV_RO, 6, CLEARED);
    EXPECT(4096, DVPP, 6, CLEARED);
}

static void v3_open(void)
{
    EXPECT(0, DEV | 65, 3, KEPT);
    EXPECT(1, DEV | 65 | TS, 2, KEPT);
    EXPECT(1, SVM, 0xfffe, KEPT);
    EXPECT(1, UVM, 0xfffe, KEPT);
    EXPECT(1, DEV | TS | HUGE | GIANT, 0xfffe, KEPT);
    EXPECT(1, DEV | RO, 0xfffe, KEPT);
    EXPECT(1, HOST | HUGE, 0xfffe, KEPT);
    EXPECT(1, HOST_UVA | CONT, 0xfffe, KEPT);
    EXPECT(1, DEV | HUGE | GIANT | CONT, 0xfffe, KEPT);
    EXPECT(1, DEV | HUGE | GIANT, 3, KEPT);
    EXPECT(1, HOST | CP, 3, KEPT);
    EXPECT(1, DEV | CP | HUGE, 0xfffe, KEPT);
    EXPECT(1, DVPP | CP, 0, KEPT);
    EXPECT(1, HOST | DEV_RO, 0xfffe, KEPT);
    EXPECT(1, DEV | DEV_RO | GIANT, 0xfffe, KEPT);
    EXPECT(1, DEV | DEV_RO, 0, KEPT);
    EXPECT((208ULL << 40) + 1, DEV, 6, KEPT);
    EXPECT((208ULL << 40) + 1, DEV | 1, 11, KEPT);
    EXPECT(4096, HOST | 66, 0, KEPT);
}

int main(void)
{
    if (!is_v3()) {
        v2_before_open();
    }
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    if (is_v3()) {
        v3_open();
        return finish();
    }
    v2_open();
    CHECK_CODE(halMemAgentClose(0, 0), 0);
    v2_after_close();
    return finish();
}
