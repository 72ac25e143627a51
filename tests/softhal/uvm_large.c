/* uvm_large.c - an allocation of 1 TiB of which 1000 pages are touched costs what 1000 pages cost. */
#include <sys/resource.h>
#include <time.h>

#include "uvm.h"

enum { TOUCHED = 1000 };
#define TIB (1ULL << 40)

static long resident_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Every so many pages one, by host and device in turns. */
static void touch(size_t size, const char *name)
{
    char *block = NULL;
    double began = seconds();
    CHECK_CODE(halMemAlloc((void **)&block, size, UVM), 0);
    size_t stride = size / TOUCHED / PAGE * PAGE;
    int right = 0;
    for (unsigned i = 0; i < TOUCHED; i++) {
        char *page = block + i * stride;
        unsigned char byte = (unsigned char)(i + 1);
        if (i % 2 == 0) {
            *(volatile char *)page = (char)byte;
        } else {
            (void)softhal_device_store(0, address_of(page), &byte, 1);
        }
    }
    for (unsigned i = 0; i < TOUCHED; i++) {
        right += block[i * stride] == (char)(i + 1);
    }
    CHECK(right == TOUCHED);
    CHECK(attribute(block, size, MEM_RANGE_ATTR_READ_MOSTLY) == 0);
    CHECK_CODE(halMemFree(block), 0);
    printf("# %s: %.3f s, %ld KiB\n", name, seconds() - began, resident_kib());
}

int main(void)
{
    if (is_v3()) {
        return finish();
    }
    setenv("SOFTHAL_DEVICE_MEMORY", "1G", 1);
    setenv("SOFTHAL_HOST_MEMORY", "4G", 1);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    double began = seconds();
    touch(TOUCHED * PAGE, "1000 pages");
    double small = seconds() - began;
    began = seconds();
    touch(TIB, "1 TiB");
    double large = seconds() - began;
    /* The walk over its address space is a few milliseconds; sanitizers make it a few times as many. */
    CHECK(large < small * 2 + 0.3);
    void *all = NULL;
    CHECK_CODE(halMemAlloc(&all, 3 * TIB, UVM), 0);
    CHECK_CODE(halMemFree(all), 0);
    return finish();
}
