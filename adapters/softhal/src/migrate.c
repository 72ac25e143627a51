/*
 * migrate.c - page faults of the CPU on managed pages.
 *
 * On the real thing an access to a page that lives on a device, or nowhere yet, brings it to the host.  Here
 * such a page is closed to the CPU (PROT_NONE), and a SIGSEGV handler serves the access and lets the
 * instruction run again.  This needs no privilege.  Its limit: a system call that is given such an address
 * fails with EFAULT, as the kernel raises no signal for it; what is done about that for managed memory is in
 * uvm_syscalls.c.
 *
 * Every other fault goes to whatever handler was there before.  The handler takes locks of the driver; that
 * is sound because the signal is synchronous, and none of its code touches managed memory while it holds
 * the lock that is taken here (see internal.h and uvm.h).
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "internal.h"

static struct sigaction earlier;
static pthread_once_t installed = PTHREAD_ONCE_INIT;

static bool bring_home(uint64_t address)
{
    bool done = false;
    state_lock();
    if (state.ready && !state.forked) {
        struct block *block = live_block_at(address);
        if (block != NULL && block->heap->kind == KIND_SVM) {
            done = page_to_host(block, address);
        }
    }
    state_unlock();
    return done;
}

#if defined(__aarch64__)
#define ESR_MAGIC_NUMBER 0x45535201U
#define ESR_WRITE (1ULL << 6)

struct record_head {
    uint32_t magic, size;
};
#endif

/* Was it a store?  The processor says so in the signal frame. */
static bool is_write(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
    const unsigned char *at = (const unsigned char *)context->uc_mcontext.__reserved;
    const unsigned char *end = at + sizeof(context->uc_mcontext.__reserved);
    struct record_head head;
    while ((size_t)(end - at) >= sizeof(head) + sizeof(uint64_t)) {
        memcpy(&head, at, sizeof(head));
        if (head.magic == ESR_MAGIC_NUMBER) {
            uint64_t syndrome;
            memcpy(&syndrome, at + sizeof(head), sizeof(syndrome));
            return (syndrome & ESR_WRITE) != 0;
        }
        if (head.magic == 0 || head.size < sizeof(head) || head.size > (size_t)(end - at)) {
            break;
        }
        at += head.size;
    }
    return true;
#else
#error "the driver knows x86-64 and aarch64"
#endif
}

void signal_pass_on(const struct sigaction *other, int number, siginfo_t *info, void *context)
{
    bool plain = other->sa_handler != SIG_DFL && other->sa_handler != SIG_IGN;
    bool function = (other->sa_flags & SA_SIGINFO) != 0 || plain;
    if (!function) {
        /* The instruction runs again and ends the process; a signal that somebody sent must be sent again. */
        (void)sigaction(number, other, NULL);
        if (info->si_code <= 0) {
            (void)raise(number);
        }
        return;
    }
    sigset_t before;
    sigset_t blocked = other->sa_mask;
    if ((other->sa_flags & SA_NODEFER) == 0) {
        sigaddset(&blocked, number);
    }
    (void)pthread_sigmask(SIG_BLOCK, &blocked, &before);
    if ((other->sa_flags & SA_SIGINFO) != 0) {
        other->sa_sigaction(number, info, context);
    } else {
        other->sa_handler(number);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    int kept = errno;
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    bool access = info->si_code > 0;
    if (!access || !(uvm_cpu_fault(address, is_write(context)) || bring_home(address))) {
        signal_pass_on(&earlier, number, info, context);
    }
    errno = kept;
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
