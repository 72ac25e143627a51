/*
 * migrate.c - page faults of the CPU on managed pages that live on a device.
 *
 * On the real thing such an access brings the page home (unless it is locked to its device).  Here a page
 * is taken from the CPU with PROT_NONE when it moves to a device, and a SIGSEGV handler brings it back and
 * lets the instruction run again.  Every other fault goes to whatever handler was there before.
 *
 * The handler takes state.lock.  That is sound because the signal is synchronous and no code of this
 * driver touches a caller's memory while it holds that lock.
 */
#include <signal.h>
#include <sys/mman.h>

#include "internal.h"

static struct sigaction earlier;
static pthread_once_t installed = PTHREAD_ONCE_INIT;

static bool bring_home(uint64_t address)
{
    bool done = false;
    state_lock();
    if (state.ready && !state.forked) {
        struct block *block = live_block_at(address);
        if (block != NULL && kind_is_paged(block->heap->kind)) {
            done = page_to_host(block, address);
        }
    }
    state_unlock();
    return done;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!bring_home((uint64_t)(uintptr_t)info->si_addr)) {
        /* Not ours: the instruction runs again and meets the earlier handler. */
        (void)sigaction(number, &earlier, NULL);
    }
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGSEGV, &action, &earlier);
}

void cpu_access(uint64_t address, uint64_t size, bool allowed)
{
    if (!allowed) {
        pthread_once(&installed, install);
    }
    (void)mprotect((void *)(uintptr_t)address, size, allowed ? PROT_READ | PROT_WRITE : PROT_NONE);
}
