/* names.c - allocations shared by name between two and three processes. */
#include "peer.h"

static struct peer b, c;

static char *block_of(size_t size, int value)
{
    void *block = NULL;
    CHECK_CODE(halMemAlloc(&block, size, DEV | MEM_PAGE_HUGE), 0);
    CHECK_CODE(fill(address_of(block), (uint64_t)value, size), 0);
    return block;
}

static void sample_with_pid(void)
{
    struct call call = {0};
    int pids[32] = {0};
    struct DVattribute attribute;
    char *block = block_of(4 * MIB, 123);
    char *name = call.name;
    uint64_t own = 0;
    memset(name, 'z', 65);
    CHECK_CODE(halShmemCreateHandle(address_of(block), 4 * MIB, name, 64), 3);
    CHECK(name[0] == 'z');
    CHECK_CODE(halShmemCreateHandle(address_of(block) + 1, 4096, name, 65), 8);
    CHECK_CODE(halShmemCreateHandle(address_of(block), 4 * MIB, name, 65), 0);
    CHECK(strlen(name) == (is_v3() ? 50 : 64));
    CHECK_CODE(peer_do(&b, PEER_OPEN, &call), 8); /* not on the white list */
    CHECK_CODE(halShmemOpenHandleByDevId(0, name, &own), is_v3() ? 0 : 8);
    if (is_v3()) {
        CHECK(own != address_of(block) && load(own + 5) == 123);
        CHECK_CODE(halMemFree((void *)(uintptr_t)own), 3);
        CHECK_CODE(halShmemCloseHandle(own), 0);
    }
    pids[0] = c.pid;
    CHECK_CODE(halShmemSetPidHandle(name, pids, 0), 3);
    CHECK_CODE(halShmemSetPidHandle(name, pids, 32), 3);
    CHECK_CODE(halShmemSetPidHandle(name, pids + 1, 31), 8); /* zeros add nothing */
    CHECK_CODE(halShmemSetPidHandle(name, pids, 31), 0);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &call), 8);
    call.value = (uint64_t)b.pid;
    CHECK_CODE(peer_do(&b, PEER_SET_PID, &call), is_v3() ? 46 : 8); /* only the owner may */
    CHECK_CODE(peer_do(&b, PEER_DESTROY, &call), is_v3() ? 46 : 17);
    pids[0] = b.pid;
    CHECK_CODE(halShmemSetPidHandle(name, pids, 1), 0);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &call), 0);
    uint64_t at_b = call.address;
    CHECK(peer_load(&b, at_b) == 123 && peer_load(&b, at_b + 4 * MIB - 1) == 123);
    CHECK_CODE(peer_store(&b, at_b + 77, 45), 0);
    CHECK(load(address_of(block) + 77) == 45);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &call), 0);
    CHECK((call.address == at_b) == !is_v3()); /* v2 counts, v3 opens anew */
    uint64_t second = call.address;
    call.address = at_b + 4096;
    CHECK_CODE(peer_do(&b, PEER_CLOSE, &call), 8);
    call.address = second;
    CHECK_CODE(peer_do(&b, PEER_CLOSE, &call), 0);
    CHECK(peer_load(&b, at_b + 77) == 45);
    call.device = 1;
    CHECK_CODE(peer_do(&b, PEER_OPEN_DEVICE, &call), 0);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &call), is_v3() ? 0 : 8); /* v2: one address for a process */
    if (is_v3()) {
        CHECK_CODE(peer_do(&b, PEER_CLOSE, &call), 0);
    }
    call.device = 0;
    CHECK_CODE(peer_do(&b, PEER_INFO, &call), 0);
    CHECK(call.value == 0);
    CHECK_CODE(peer_do(&c, PEER_OPEN, &call), 0);
    CHECK(peer_load(&c, call.address + 77) == 45);
    CHECK_CODE(peer_do(&c, PEER_CLOSE, &call), 0);
    CHECK_CODE(peer_do(&c, PEER_CLOSE, &call), is_v3() ? 3 : 8);
    call.address = at_b;
    CHECK_CODE(peer_do(&b, PEER_CLOSE, &call), 0);
    CHECK(!is_v3() || peer_load(&b, at_b) < 0); /* v2 takes it for ordinary memory, and faults */
    CHECK_CODE(peer_do(&b, PEER_FREE, &call), 3); /* as the public sample does */
    CHECK_CODE(halShmemDestroyHandle(name), 0);
    CHECK_CODE(halShmemDestroyHandle(name), 8);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &call), 8);
    CHECK(load(address_of(block)) == 123);
    CHECK_CODE(drvMemGetAttribute(address_of(block), &attribute), 0);
    CHECK_CODE(halMemFree(block), 0);
}

static void without_list(void)
{
    struct call call = {0};
    uint64_t value = 9;
    int pid = b.pid;
    char *block = block_of(2 * MIB, 7);
    CHECK_CODE(halShmemCreateHandle(address_of(block), 2 * MIB, call.name, 65), 0);
    CHECK_CODE(halShmemSetAttribute(call.name, 1, 0), 0xfffe);
    CHECK_CODE(halShmemSetAttribute(call.name, 1, 2), 8);
    CHECK_CODE(halShmemSetAttribute(call.name, 2, 1), 0xfffe);
    CHECK_CODE(halShmemGetAttribute(call.name, 1, &value), 0);
    CHECK(value == 0);
    CHECK_CODE(halShmemSetAttribute(call.name, 1, 1), 0);
    CHECK_CODE(halShmemSetAttribute(call.name, 1, 1), 0);
    CHECK_CODE(halShmemGetAttribute(call.name, 1, &value), 0);
    CHECK(value == 1);
    CHECK_CODE(halShmemSetPidHandle(call.name, &pid, 1), 46);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &call), 0);
    CHECK(peer_load(&b, call.address) == 7);
    CHECK_CODE(peer_do(&b, PEER_CLOSE, &call), 0);
    uint64_t own = 0;
    CHECK_CODE(halShmemOpenHandleByDevId(0, call.name, &own), 0);
    CHECK(load(own) == 7);
    CHECK_CODE(halShmemCloseHandle(own), 0);
    CHECK(load(address_of(block)) == 7);
    CHECK_CODE(halShmemDestroyHandle(call.name), 0);
    CHECK_CODE(halShmemCreateHandle(address_of(block), 2 * MIB, call.name, 65), 0);
    CHECK_CODE(halShmemSetPidHandle(call.name, &pid, 1), 0);
    CHECK_CODE(halShmemSetAttribute(call.name, 1, 1), 46);
    CHECK_CODE(halShmemDestroyHandle(call.name), 0);
    CHECK_CODE(halMemFree(block), 0);
}

/* Names are told apart, and so are the processes on their lists. */
static void two_names(void)
{
    struct call first = {0};
    struct call second = {0};
    int pids[2] = {c.pid, b.pid};
    int shorter = b.pid / 10;
    char *one = block_of(2 * MIB, 21);
    char *two = block_of(2 * MIB, 22);
    CHECK_CODE(halShmemCreateHandle(address_of(one), 2 * MIB, first.name, 65), 0);
    CHECK_CODE(halShmemCreateHandle(address_of(two), 2 * MIB, second.name, 65), 0);
    CHECK(memcmp(first.name, second.name, 50) != 0);
    CHECK_CODE(halShmemSetPidHandle(second.name, &shorter, 1), 0);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &second), 8);
    CHECK_CODE(halShmemSetPidHandle(second.name, pids, 2), 0);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &first), 8);
    CHECK_CODE(halShmemSetPidHandle(first.name, pids, 2), 0);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &first), 0);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &second), 0);
    CHECK(peer_load(&b, first.address) == 21 && peer_load(&b, second.address) == 22);
    CHECK_CODE(peer_do(&b, PEER_CLOSE, &first), 0);
    CHECK(peer_load(&b, second.address) == 22);
    CHECK_CODE(peer_do(&b, PEER_CLOSE, &second), 0);
    CHECK_CODE(halShmemDestroyHandle(first.name), 0);
    CHECK_CODE(halShmemDestroyHandle(second.name), 0);
    CHECK_CODE(halMemFree(one), 0);
    CHECK_CODE(halMemFree(two), 0);
}

/* A name with one byte that is not as it was given is unknown, also where it is open. */
static void altered_names(void)
{
    struct call call = {0};
    uint64_t value = 0;
    struct ShmemGetInfo info;
    char *block = block_of(2 * MIB, 33);
    int pid = b.pid;
    CHECK_CODE(halShmemCreateHandle(address_of(block), 2 * MIB, call.name, 65), 0);
    CHECK_CODE(halShmemSetPidHandle(call.name, &pid, 1), 0);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &call), 0);
    for (size_t i = 0; i < strlen(call.name); i++) {
        struct call other = call;
        other.name[i] = other.name[i] == '0' ? '1' : '0';
        CHECK(peer_do(&b, PEER_OPEN, &other) != 0);
        CHECK(halShmemSetPidHandle(other.name, &pid, 1) != 0);
        CHECK(halShmemSetAttribute(other.name, 1, 1) != 0);
        CHECK(halShmemGetAttribute(other.name, 1, &value) != 0);
        CHECK(halShmemInfoGet(other.name, &info) != 0);
        CHECK(halShmemDestroyHandle(other.name) != 0);
    }
    CHECK_CODE(peer_do(&b, PEER_CLOSE, &call), 0);
    CHECK_CODE(halShmemDestroyHandle(call.name), 0);
    CHECK_CODE(halMemFree(block), 0);
}

/* The owner takes the memory away while another process has it open. */
static void owner_goes_first(void)
{
    struct call call = {0};
    uint64_t before = device_free(0);
    char *block = block_of(64 * MIB, 99);
    int pid = b.pid;
    CHECK_CODE(halShmemCreateHandle(address_of(block), 64 * MIB, call.name, 65), 0);
    CHECK_CODE(halShmemSetPidHandle(call.name, &pid, 1), 0);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &call), 0);
    CHECK_CODE(halMemFree(block), 0);
    CHECK_CODE(halMemFree(block), 3);
    /* v2 takes the pages from the opener; v3 lets it keep them, and only then are they free. */
    CHECK(peer_load(&b, call.address) == (is_v3() ? 99 : -8));
    CHECK(before - device_free(0) == (is_v3() ? 64 * MIB : 0));
    struct call late = call;
    CHECK_CODE(peer_do(&b, PEER_OPEN, &late), is_v3() ? 17 : 0); /* v2: known, the same address */
    char *other = block_of(64 * MIB, 11);
    CHECK(peer_load(&b, call.address) == (is_v3() ? 99 : -8)); /* never the new bytes */
    if (!is_v3()) {
        CHECK_CODE(peer_do(&b, PEER_CLOSE, &call), 0);
    }
    CHECK_CODE(peer_do(&b, PEER_CLOSE, &call), 0);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &late), 8);
    CHECK(load(address_of(other)) == 11);
    CHECK_CODE(halMemFree(other), 0);
    CHECK_CODE(halShmemDestroyHandle(call.name), 0);
    CHECK(device_free(0) == before);

    block = block_of(64 * MIB, 98);
    CHECK_CODE(halShmemCreateHandle(address_of(block), 64 * MIB, call.name, 65), 0);
    CHECK_CODE(halShmemSetPidHandle(call.name, &pid, 1), 0);
    CHECK_CODE(peer_do(&b, PEER_OPEN, &call), 0);
    CHECK_CODE(halShmemDestroyHandle(call.name), 0);
    CHECK_CODE(halShmemDestroyHandle(call.name), is_v3() ? 8 : 4);
    CHECK(peer_load(&b, call.address) == (is_v3() ? 98 : -8));
    CHECK_CODE(peer_do(&b, PEER_CLOSE, &call), 0);
    CHECK_CODE(halShmemDestroyHandle(call.name), 8);
    CHECK_CODE(halMemFree(block), 0);
    CHECK(device_free(0) == before);
}

/* b owns, this process opens, b dies. */
static void owner_dies(int sig)
{
    struct call call = {.size = 64 * MIB, .value = 55};
    int pid = getpid();
    uint64_t before = device_free(0);
    uint64_t here = 0;
    CHECK_CODE(peer_do(&c, PEER_CREATE, &call), 0);
    call.value = (uint64_t)pid;
    CHECK_CODE(peer_do(&c, PEER_SET_PID, &call), 0);
    CHECK_CODE(halShmemOpenHandleByDevId(0, call.name, &here), 0);
    CHECK(load(here + MIB) == 55);
    peer_end(&c, sig);
    CHECK(load(here + MIB) == (is_v3() ? 55 : -8));
    CHECK(before - device_free(0) == (is_v3() ? 64 * MIB : 0));
    CHECK_CODE(halShmemCloseHandle(here), 0);
    CHECK(device_free(0) == before);
    CHECK_CODE(halShmemOpenHandleByDevId(0, call.name, &here), 8);
}

static void bad_names(void)
{
    char text[80];
    uint64_t va = 0;
    memset(text, 'q', sizeof(text));
    CHECK_CODE(halShmemDestroyHandle(NULL), 3);
    CHECK_CODE(halShmemDestroyHandle(""), 3);
    CHECK_CODE(halShmemDestroyHandle(text), 3);
    CHECK_CODE(halShmemOpenHandleByDevId(0, "hello", &va), 3);
    CHECK_CODE(halShmemDestroyHandle("hello"), is_v3() ? 3 : 8);
    CHECK_CODE(halShmemOpenHandleByDevId(70, "hello", &va), 3);
    CHECK_CODE(halShmemOpenHandleV2(0, "hello", &va, 0), is_v3() ? 3 : 0xfffe);
    CHECK_CODE(halShmemOpenHandle("hello", &va), is_v3() ? 0xfffe : 3);
    CHECK_CODE(halShmemCloseHandle(0), is_v3() ? 3 : 8);
    CHECK_CODE(halShmemMapRouteCheck("hello", 0, 0), is_v3() ? 3 : 0xfffe);
}

int main(void)
{
    struct call call = {0};
    alarm(60);
    b = peer_start();
    c = peer_start();
    if (!is_v3()) {
        CHECK_CODE(halShmemCloseHandle(1), 17); /* the first call of a process */
    }
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK_CODE(peer_do(&b, PEER_OPEN_DEVICE, &call), 0);
    CHECK_CODE(peer_do(&c, PEER_OPEN_DEVICE, &call), 0);
    sample_with_pid();
    without_list();
    two_names();
    altered_names();
    owner_goes_first();
    bad_names();
    owner_dies(SIGKILL);
    peer_end(&b, 0);
    CHECK(device_free(0) == device_total(0) || device_free(0) + 64 * MIB >= device_total(0));
    return finish();
}
