/*
 * killed.c - owners and openers of shared memory die by SIGKILL at random points; whoever is left must find
 * nothing of them: no memory accounted, no name that opens, no lock that hangs.
 */
#include <ctype.h>
#include <sys/mman.h>
#include <time.h>

#include "peer.h"

enum { ROUNDS = 200 };

static unsigned seed = 12345;
static volatile int *met; /* shared: how often an opener really had the owner's memory */

static void pause_shortly(unsigned most_microseconds)
{
    struct timespec time = {0, (long)((unsigned)rand_r(&seed) % most_microseconds) * 1000};
    nanosleep(&time, NULL);
}

/* Waits until an opener really has the owner's memory, or for seconds that no slow start needs. */
static void wait_for_meeting(int met_before)
{
    struct timespec time = {0, 100 * 1000};
    for (int i = 0; i < 20000 && *met == met_before; i++) {
        nanosleep(&time, NULL);
    }
}

/* Works on its own and with the partner's shares until it is killed; all codes are fine, hanging is not. */
static void owner(int to_opener, int opener)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    struct ShareHandleAttr everybody = {1, {0}};
    (void)halMemAgentOpen(0, 0);
    for (;;) {
        struct call call = {0};
        void *block = NULL;
        drv_mem_handle_t *handle = NULL;
        if (halMemAlloc(&block, 64 * MIB, DEV | MEM_PAGE_HUGE) != 0 ||
            halShmemCreateHandle(address_of(block), 64 * MIB, call.name, 65) != 0 ||
            halShmemSetPidHandle(call.name, &opener, 1) != 0 || halMemCreate(&handle, 4 * MIB, &prop, 0) != 0 ||
            halMemExportToShareableHandle(handle, MEM_HANDLE_TYPE_NONE, 0, &call.value) != 0 ||
            halMemShareHandleSetAttribute(call.value, 0, everybody) != 0) {
            _exit(3);
        }
        if (write(to_opener, &call, sizeof(call)) != (ssize_t)sizeof(call)) {
            _exit(0);
        }
        (void)halShmemDestroyHandle(call.name);
        (void)halMemFree(block);
        (void)halMemRelease(handle);
    }
}

static void opener(int from_owner)
{
    struct call call;
    (void)halMemAgentOpen(0, 0);
    while (read(from_owner, &call, sizeof(call)) == (ssize_t)sizeof(call)) {
        uint64_t va = 0;
        drv_mem_handle_t *handle = NULL;
        void *space = NULL;
        if (halShmemOpenHandleByDevId(0, call.name, &va) == 0) {
            *met += drvMemsetD8(va, 16, 1, 16) == 0;
        }
        if (halMemImportFromShareableHandle(call.value, 0, &handle) == 0 &&
            halMemAddressReserve(&space, 4 * MIB, 0, NULL, 0) == 0 && halMemMap(space, 4 * MIB, 0, handle, 0) == 0) {
            (void)drvMemsetD8(address_of(space), 16, 1, 16);
            (void)halMemUnmap(space);
        }
        if (handle != NULL) {
            (void)halMemRelease(handle);
        }
        if (space != NULL) {
            (void)halMemAddressFree(space);
        }
        if (va != 0) {
            (void)halShmemCloseHandle(va);
        }
    }
    pause();
}

static pid_t start(int is_owner, int in, int out, pid_t partner)
{
    pid_t child = fork();
    if (child == 0) {
        if (is_owner) {
            close(in);
            owner(out, partner);
        } else {
            close(out);
            opener(in);
        }
        _exit(0);
    }
    return child;
}

int main(void)
{
    /* A helper that never touches the driver starts them, so that this process can watch the counters. */
    int orders[2];
    int answers[2];
    char byte = 0;
    alarm(100);
    CHECK(pipe(orders) == 0 && pipe(answers) == 0);
    void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    met = shared;
    fflush(stdout);
    pid_t helper = fork();
    if (helper == 0) {
        close(orders[1]);
        close(answers[0]);
        while (read(orders[0], &byte, 1) == 1) {
            int line[2];
            int status = 0;
            if (pipe(line) != 0) {
                _exit(1);
            }
            pid_t opens = start(0, line[0], line[1], 0);
            pid_t owns = start(1, line[0], line[1], opens);
            close(line[0]);
            close(line[1]);
            if (isupper(byte)) {
                wait_for_meeting(*met);
            }
            pause_shortly(12000);
            pid_t first = tolower(byte) == 'o' ? owns : opens;
            kill(first, SIGKILL);
            pause_shortly(3000);
            kill(first == owns ? opens : owns, SIGKILL);
            waitpid(opens, &status, 0);
            waitpid(owns, &status, 0);
            byte = WIFEXITED(status) && WEXITSTATUS(status) == 3 ? 'w' : 'k';
            if (write(answers[1], &byte, 1) != 1) {
                _exit(1);
            }
        }
        _exit(0);
    }
    close(orders[0]);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    int wrong = 0;
    int refused = 0;
    for (int i = 0; i < ROUNDS; i++) {
        byte = "oOpP"[i % 4]; /* small letters: killed anywhere, on the way to work too; capitals: at work */
        if (write(orders[1], &byte, 1) != 1 || read(answers[0], &byte, 1) != 1) {
            wrong++;
            break;
        }
        refused += byte == 'w';
        wrong += device_free(0) != device_total(0);
    }
    CHECK(wrong == 0);
    CHECK(refused == 0);
    CHECK(*met >= ROUNDS / 2); /* the processes were killed at work, not on their way to it */
    /* And a healthy pair afterwards. */
    void *block = NULL;
    char name[65];
    CHECK_CODE(halMemAlloc(&block, 64 * MIB, DEV | MEM_PAGE_HUGE), 0);
    CHECK_CODE(halShmemCreateHandle(address_of(block), 64 * MIB, name, 65), 0);
    CHECK_CODE(halShmemDestroyHandle(name), 0);
    CHECK_CODE(halMemFree(block), 0);
    CHECK(device_free(0) == device_total(0));
    close(orders[1]);
    waitpid(helper, NULL, 0);
    return finish();
}
