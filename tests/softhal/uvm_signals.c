/*
 * uvm_signals.c - page faults that are served, and those that are not: they end as they would have without the
 * driver.  Everything that is to crash does so in a child, which is a program of its own after exec.
 */
#include <setjmp.h>
#include <signal.h>

#include "uvm.h"

static sigjmp_buf back;
static volatile sig_atomic_t caught;
static volatile char *patched;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    (void)info;
    caught += number == SIGSEGV;
    siglongjmp(back, 1);
}

static void on_plain_fault(int number)
{
    caught += number == SIGSEGV;
    siglongjmp(back, 1);
}

/* 1 if reading there raises a signal that reaches the program. */
static int faults(const volatile char *place)
{
    volatile int before = caught;
    if (sigsetjmp(back, 1) == 0) {
        (void)*place;
        return 0;
    }
    return caught == before + 1;
}

/* A handler that was there before the driver's gets what is not the driver's. */
static int with_handler(int plain)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_flags = plain ? 0 : SA_SIGINFO;
    if (plain) {
        action.sa_handler = on_plain_fault;
    } else {
        action.sa_sigaction = on_fault;
    }
    sigaction(SIGSEGV, &action, NULL);
    char *page = managed(2);
    host_mark(page, 3);
    CHECK(host_shows(page, 3) && caught == 0);
    CHECK(faults((char *)0x40));
    CHECK(faults((char *)0x40)); /* again: the handler is still behind the driver's */
    host_mark(page + PAGE, 4);   /* and the driver's is still in front */
    CHECK(host_shows(page + PAGE, 4));
    CHECK(faults(page + 2 * PAGE));
    if (sigsetjmp(back, 1) == 0) {
        raise(SIGSEGV); /* one that somebody sent is passed on as well */
        CHECK(0);
    }
    CHECK(caught == 4);
    CHECK_CODE(halMemFree(page), 0);
    CHECK(faults(page) && faults(page + PAGE));
    return finish();
}

static int host_full(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = on_fault;
    sigaction(SIGSEGV, &action, NULL);
    setenv("SOFTHAL_HOST_MEMORY", "4M", 1);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    char *page = managed(4);
    CHECK_CODE(device_mark(0, page + 2 * PAGE, 5), 0);
    host_mark(page, 3);
    host_mark(page + PAGE, 4);
    CHECK(faults(page + 3 * PAGE));
    CHECK(faults(page + 2 * PAGE)); /* it cannot come home, and stays where it is */
    CHECK(device_shows(0, page + 2 * PAGE, 5));
    CHECK_CODE(prefetch(page, 1, ON_DEVICE(0)), 0);
    CHECK(host_shows(page + 2 * PAGE, 5) && device_shows(0, page, 3));
    return finish();
}

/* No other handler: the process ends by the signal. */
static int crash(const char *how)
{
    char *page = managed(1);
    *page = 1;
    if (strcmp(how, "wild") == 0) {
        patched = (char *)0x40;
    } else if (strcmp(how, "freed") == 0) {
        patched = page;
        (void)halMemFree(page);
    } else if (strcmp(how, "sent") == 0) {
        raise(SIGSEGV);
        return 0;
    } else {
        signal(SIGSEGV, SIG_DFL); /* whoever takes the handler away takes the service away */
        patched = managed(1);
    }
    *patched = 1;
    return 0;
}

/* Runs this program again with an argument. */
static int again(const char *argument)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char domain[80];
        snprintf(domain, sizeof(domain), "%s-%s", getenv("SOFTHAL_DOMAIN"), argument);
        setenv("SOFTHAL_DOMAIN", domain, 1);
        setenv("ASAN_OPTIONS", "handle_segv=0", 1); /* so that it dies as a program without sanitizer would */
        execl("/proc/self/exe", "uvm_signals", argument, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

static int died(const char *argument)
{
    int status = again(argument);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

int main(int count, char **arguments)
{
    if (is_v3()) {
        return finish();
    }
    if (count > 1) {
        const char *what = arguments[1];
        if (strcmp(what, "siginfo") == 0 || strcmp(what, "plain") == 0) {
            return with_handler(what[0] == 'p');
        }
        return strcmp(what, "full") == 0 ? host_full() : crash(what);
    }
    CHECK(again("siginfo") == 0);
    CHECK(again("plain") == 0);
    CHECK(again("full") == 0);
    CHECK(died("wild"));
    CHECK(died("freed"));
    CHECK(died("sent"));
    CHECK(died("taken"));
    return finish();
}
