/*
 * letting_go.c - the last process that holds memory of a dead one is killed while it lets go, after any number
 * of instructions; nothing of the memory may stay accounted.
 */
#include <limits.h>
#include <sys/ptrace.h>

#include "peer.h"

/* Stops when it has the memory mapped, before it lets go of it, and after that. */
static void hold(uint64_t token)
{
    drv_mem_handle_t *handle = NULL;
    void *space = NULL;
    if (halMemAgentOpen(0, 0) != 0 || halMemImportFromShareableHandle(token, 0, &handle) != 0 ||
        halMemAddressReserve(&space, 4 * MIB, 0, NULL, 0) != 0 || halMemMap(space, 4 * MIB, 0, handle, 0) != 0 ||
        ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
        _exit(1);
    }
    raise(SIGSTOP);
    (void)device_free(0); /* notices the death of the exporter */
    if (is_v3()) {        /* an import is counted while it is mapped */
        raise(SIGSTOP);
        (void)halMemUnmap(space);
    } else {
        (void)halMemUnmap(space);
        raise(SIGSTOP);
        (void)halMemRelease(handle);
    }
    raise(SIGSTOP);
    _exit(1);
}

static int stops(pid_t process, int *status)
{
    return waitpid(process, status, 0) == process && WIFSTOPPED(*status);
}

/* Kills a holder after at most so many instructions of letting go; returns how many it made, or -1. */
static long one_after(long most)
{
    struct call shared = {.size = 4 * MIB, .value = 1};
    struct peer owner = peer_start();
    int status = 0;
    long made = 0;
    int ready = peer_do(&owner, PEER_OPEN_DEVICE, &shared) == 0 && peer_do(&owner, PEER_EXPORT, &shared) == 0;
    pid_t holder = ready ? fork() : -1;
    if (holder == 0) {
        hold(shared.value);
    }
    ready = holder > 0 && stops(holder, &status);
    peer_end(&owner, SIGKILL);
    ready = ready && ptrace(PTRACE_CONT, holder, NULL, NULL) == 0 && stops(holder, &status);
    for (; ready && made < most; made++) {
        ready = ptrace(PTRACE_SINGLESTEP, holder, NULL, NULL) == 0 && stops(holder, &status);
        if (!ready || WSTOPSIG(status) == SIGSTOP) {
            break;
        }
    }
    if (holder > 0) {
        kill(holder, SIGKILL);
        waitpid(holder, NULL, 0);
    }
    return ready ? made : -1;
}

/* Processes are started by a helper that never touches the driver. */
static void serve(int orders, int answers)
{
    long most = 0;
    while (read(orders, &most, sizeof(most)) == (ssize_t)sizeof(most)) {
        long made = one_after(most);
        if (write(answers, &made, sizeof(made)) != (ssize_t)sizeof(made)) {
            break;
        }
    }
    _exit(0);
}

int main(void)
{
    int orders[2];
    int answers[2];
    long all = LONG_MAX;
    const int points = is_v3() ? 60 : 30; /* as close as what leaves the tables unsettled is long */
    int lost = 0;
    int troubles = 0;
    alarm(100);
    CHECK(pipe(orders) == 0 && pipe(answers) == 0);
    fflush(stdout);
    pid_t helper = fork();
    if (helper == 0) {
        close(orders[1]);
        close(answers[0]);
        serve(orders[0], answers[1]);
    }
    close(orders[0]);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    for (int i = 0; i <= points && troubles == 0; i++) {
        long made = -1;
        long most = i == 0 ? LONG_MAX : all / points * i;
        troubles += write(orders[1], &most, sizeof(most)) != (ssize_t)sizeof(most) ||
                    read(answers[0], &made, sizeof(made)) != (ssize_t)sizeof(made) || made < 0;
        all = i == 0 ? made : all;
        lost += device_free(0) != device_total(0);
    }
    CHECK(troubles == 0);
    CHECK(all > points);
    CHECK(lost == 0);
    close(orders[1]);
    waitpid(helper, NULL, 0);
    return finish();
}
