/* leaving.c - a process may end while its streams have work. */
#include <sys/wait.h>

#include "harness.h"

enum { TIMES = 10 };

/* Ends with tasks under way, and a stream that waits for ever. */
static void leave_with_work(void)
{
    NEED(aclrtSetDevice(0));
    char *block = device_memory(24 * MIB);
    void *gate = new_gate();
    aclrtStream busy = new_stream();
    aclrtStream waiting = new_stream();
    shut(gate, waiting);
    NEED(aclrtMemsetAsync(block, PAGE, 2, PAGE, waiting));
    for (int i = 0; i < 4; i++) {
        NEED(aclrtMemsetAsync(block + PAGE, 22 * MIB, i, 22 * MIB, busy));
    }
    exit(0);
}

int main(void)
{
    for (int i = 0; i < TIMES; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            if (freopen("/dev/null", "w", stdout) == NULL) {
                exit(1);
            }
            leave_with_work();
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return finish();
}
