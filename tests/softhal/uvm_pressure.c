/*
 * uvm_pressure.c - devices of 8 MiB and working sets many times as large: nothing is lost, whatever goes where.
 * Every page has its own pattern, so that a stale, missing or misplaced one is seen.
 */
#include <time.h>

#include "uvm.h"

enum { PAGES = 40, FRAMES = 4 };

static void write_all(char *block, unsigned round)
{
    for (unsigned i = 0; i < PAGES; i++) {
        CHECK_CODE(device_mark(i % 2, block + i * PAGE, round * 50 + i), 0);
    }
}

static void read_all(const char *block, unsigned round, unsigned device)
{
    int right = 0;
    for (unsigned i = 0; i < PAGES; i++) {
        right += device_shows(device, block + i * PAGE, round * 50 + i);
    }
    CHECK(right == PAGES);
}

static void counters_are_sound(void)
{
    for (unsigned device = 0; device < 2; device++) {
        CHECK(device_total(device) == FRAMES * PAGE && device_free(device) <= device_total(device));
    }
}

/* Ten times what the device has, written and read in turns by both devices and the host. */
static void working_set(void)
{
    char *block = managed(PAGES);
    for (unsigned round = 0; round < 3; round++) {
        write_all(block, round);
        counters_are_sound();
        read_all(block, round, 0);
        read_all(block, round, 1);
        int right = 0;
        for (unsigned i = 0; i < PAGES; i++) {
            right += host_shows(block + i * PAGE, round * 50 + i);
        }
        CHECK(right == PAGES);
        read_all(block, round, 0);
        /* The host changes what was swapped out: it must not come back as it was. */
        for (unsigned i = 0; i < PAGES; i++) {
            host_mark(block + i * PAGE, round * 50 + i + 1);
        }
        right = 0;
        for (unsigned i = 0; i < PAGES; i++) {
            right += device_shows(1, block + i * PAGE, round * 50 + i + 1);
        }
        CHECK(right == PAGES);
    }
    CHECK_CODE(halMemFree(block), 0);
    CHECK(device_free(0) == device_total(0) && device_free(1) == device_total(1));
}

/* Replicas of more pages than a device has: some are dropped, and made again. */
static void replicas(void)
{
    char *block = managed(PAGES);
    for (unsigned i = 0; i < PAGES; i++) {
        host_mark(block + i * PAGE, i);
    }
    CHECK_CODE(advise(block, PAGES, READ_MOSTLY, NOWHERE), 0);
    CHECK_CODE(prefetch(block, PAGES, ON_DEVICE(0)), 0);
    CHECK_CODE(prefetch(block, PAGES, ON_DEVICE(1)), 0);
    read_all(block, 0, 0);
    read_all(block, 0, 1);
    CHECK(attribute(block, PAGES * PAGE, MEM_RANGE_ATTR_READ_MOSTLY) == 1);
    CHECK(attribute(block, PAGES * PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == 1);
    counters_are_sound();
    CHECK_CODE(halMemFree(block), 0);
}

static void attributes_survive(void)
{
    char *block = managed(PAGES);
    CHECK_CODE(advise(block, PAGES, PREFER_LOCATION, ON_DEVICE(0)), 0);
    for (unsigned i = 0; i < PAGES; i++) {
        CHECK_CODE(device_mark(0, block + i * PAGE, i), 0);
    }
    CHECK_CODE(prefetch(block, PAGES, ON_DEVICE(0)), 0);
    read_all(block, 0, 0);
    CHECK(attribute(block, PAGES * PAGE, MEM_RANGE_ATTR_PREFERRED_LOC) == 0);
    CHECK(attribute(block, PAGES * PAGE, MEM_RANGE_ATTR_LAST_PREFETCH_LOC) == 0);
    CHECK_CODE(halMemFree(block), 0);
}

/* What is used again and again stays; others go.  Where a page is shows in the direction of a prefetch. */
static void the_used_stay(void)
{
    char *block = managed(PAGES);
    CHECK_CODE(device_mark(0, block, 99), 0);
    for (unsigned i = 1; i < PAGES; i++) {
        CHECK_CODE(device_mark(0, block + i * PAGE, i), 0);
        CHECK(device_shows(0, block, 99));
    }
    CHECK_CODE(prefetch(block, 1, ON_HOST), 0); /* it was on the device */
    CHECK_CODE(prefetch(block + PAGE, 1, ON_HOST), 0xfffe); /* and this one not any more */
    CHECK_CODE(halMemFree(block), 0);
}

/* Ordinary memory of the device goes before managed pages. */
static void ordinary_memory(void)
{
    char *block = managed(FRAMES);
    void *ordinary = NULL;
    for (unsigned i = 0; i < FRAMES; i++) {
        CHECK_CODE(device_mark(0, block + i * PAGE, i), 0);
    }
    CHECK(device_free(0) == 0);
    CHECK_CODE(halMemAlloc(&ordinary, 3 * PAGE, DEV | MEM_PAGE_HUGE), 0);
    CHECK(holds_data(ordinary, 3 * PAGE));
    for (unsigned i = 0; i < FRAMES; i++) {
        CHECK(device_shows(0, block + i * PAGE, i));
    }
    CHECK_CODE(halMemAlloc(&ordinary, 2 * PAGE, DEV | MEM_PAGE_HUGE), 6);
    CHECK_CODE(halMemFree(block), 0);
    CHECK_CODE(halMemAgentClose(0, 0), 0);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK(device_free(0) == device_total(0));
}

/* Freed blocks are kept for later, but not if a managed page needs the memory. */
static void kept_blocks(void)
{
    void *ordinary = NULL;
    CHECK_CODE(halMemAlloc(&ordinary, 4 * PAGE, DEV | MEM_PAGE_HUGE), 0);
    char *block = managed(1);
    CHECK_CODE(device_mark(0, block, 1), 6);
    CHECK_CODE(halMemFree(ordinary), 0);
    CHECK_CODE(device_mark(0, block, 1), 0);
    CHECK(device_shows(0, block, 1));
    CHECK_CODE(halMemFree(block), 0);
}

/* The host has no memory left either: an access fails with what was there intact. */
static void everything_is_full(void)
{
    enum { HOST_PAGES = 64 };
    char *block = managed(HOST_PAGES + 2 * FRAMES + 1);
    unsigned done = 0;
    int code = 0;
    while (code == 0 && done < HOST_PAGES + 2 * FRAMES) {
        code = device_mark(done % 2, block + done * PAGE, done);
        done += code == 0;
    }
    CHECK(done == HOST_PAGES + 2 * FRAMES);
    CHECK_CODE(device_mark(0, block + done * PAGE, 1), 6);
    CHECK_CODE(drvMemsetD8(address_of(block) + done * PAGE, 1, 1, 1), 6);
    CHECK(untouched(block + done * PAGE));
    CHECK_CODE(advise(block + (done - 1) * PAGE, 1, READ_MOSTLY, NOWHERE), 6);
    int right = 0;
    for (unsigned i = 0; i < done; i++) {
        right += copy_shows(block + i * PAGE, i);
    }
    CHECK(right == (int)done);
    CHECK_CODE(halMemFree(block), 0);
    CHECK(device_free(0) == device_total(0));
}

/* With the scan on, pages leave a device above its watermark although nobody asks for its memory. */
static void scanned(void)
{
    char *block = managed(FRAMES);
    for (unsigned i = 0; i < FRAMES; i++) {
        CHECK_CODE(device_mark(0, block + i * PAGE, i), 0);
    }
    struct timespec pause = {0, 10000000};
    int tries = 0;
    while (device_free(0) < 2 * PAGE && tries++ < 500) {
        nanosleep(&pause, NULL);
    }
    CHECK(device_free(0) >= 2 * PAGE);
    for (unsigned i = 0; i < FRAMES; i++) {
        CHECK(copy_shows(block + i * PAGE, i) && device_shows(1, block + i * PAGE, i));
    }
    CHECK_CODE(halMemFree(block), 0);
}

int main(int count, char **arguments)
{
    if (is_v3()) {
        return finish();
    }
    int scan = count > 1 && strcmp(arguments[1], "scan") == 0;
    setenv("SOFTHAL_DEVICE_MEMORY", "8M", 1);
    setenv("SOFTHAL_HOST_MEMORY", "128M", 1);
    setenv("SOFTHAL_UVM_WATERMARKS", "50,75", 1);
    setenv("SOFTHAL_UVM_SCAN", scan ? "5" : "0", 1);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    working_set();
    replicas();
    attributes_survive();
    if (scan) {
        scanned();
        return finish();
    }
    the_used_stay();
    ordinary_memory();
    kept_blocks();
    everything_is_full();
    /* The same with the scan, which needs a process of its own. */
    char domain[80];
    snprintf(domain, sizeof(domain), "%s-scan", getenv("SOFTHAL_DOMAIN"));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("SOFTHAL_DOMAIN", domain, 1);
        execl("/proc/self/exe", arguments[0], "scan", (char *)NULL);
        _exit(127);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return finish();
}
