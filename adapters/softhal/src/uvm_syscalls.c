/*
 * uvm_syscalls.c - system calls that are given addresses of managed memory.
 *
 * The kernel raises no signal for an address that it cannot use, it answers EFAULT.  So a filter (seccomp, which
 * needs no privilege) stops reads and writes with such an address before they begin, and SIGSYS lets us make the
 * call in the program's place: where it answers EFAULT the page is brought home as for an access of the CPU, and
 * the call is made again.  Calls with other addresses are not stopped, nor are those that this file makes: the
 * filter knows them by where they come from.
 *
 * A filter stays with the process and its children, also behind exec, where the filters of all ancestors are
 * asked.  So what makes the calls lies at the same address in every process.  A filter can only look at the arguments
 * themselves: what lies behind a pointer (readv, sendmsg) is not seen.  Where there is no filter, EFAULT it is.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "uvm.h"

/* A function of the number and four arguments, which answers as the kernel does: its start, where the call comes
 * from, and its end.  It is not called where it is, but where it is copied to. */
extern const char softhal_direct[] LOCAL, softhal_direct_from[] LOCAL, softhal_direct_end[] LOCAL;

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
__asm__(".pushsection .text\n"
        ".globl softhal_direct, softhal_direct_from, softhal_direct_end\n"
        ".hidden softhal_direct, softhal_direct_from, softhal_direct_end\n"
        "softhal_direct:\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    syscall\n"
        "softhal_direct_from:\n"
        "    ret\n"
        "softhal_direct_end:\n"
        ".popsection\n");
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
__asm__(".pushsection .text\n"
        ".globl softhal_direct, softhal_direct_from, softhal_direct_end\n"
        ".hidden softhal_direct, softhal_direct_from, softhal_direct_end\n"
        "softhal_direct:\n"
        "    mov x8, x0\n"
        "    mov x0, x1\n"
        "    mov x1, x2\n"
        "    mov x2, x3\n"
        "    mov x3, x4\n"
        "    svc #0\n"
        "softhal_direct_from:\n"
        "    ret\n"
        "softhal_direct_end:\n"
        ".popsection\n");
#endif

/* Where no loader puts anything, on either machine. */
#define PLACE ((char *)0x5a0000000000)

typedef long direct_call(long number, long one, long two, long three, long four);
static direct_call *direct;

/* One of the calls that are stopped: read, write, pread64 or pwrite64. */
struct request {
    long number;
    int file;
    uint64_t address, size;
    int64_t offset;
};

enum { ATTEMPTS = 16 };
enum { STOPPED = 1 }; /* SYS_SECCOMP, which older headers lack */
#define AT_ONCE (64 * MIB) /* of a range of which more than its first page is wanted */

static struct sigaction earlier;

static bool has_offset(long number)
{
    return number == SYS_pread64 || number == SYS_pwrite64;
}

static long make(const struct request *request, uint64_t done)
{
    return direct(request->number, request->file, (long)(request->address + done),
                          (long)(request->size - done), (long)(request->offset + (int64_t)done));
}

/* A read of a file is a write to memory. */
static bool bring_home(const struct request *request, uint64_t done, bool all)
{
    bool write = request->number == SYS_read || request->number == SYS_pread64;
    uint64_t address = request->address + done;
    uint64_t rest = request->size - done;
    uint64_t end = all ? address + (rest < AT_ONCE ? rest : AT_ONCE) : address + 1;
    bool served = uvm_cpu_fault(address, write);
    for (uint64_t at = uvm_page_end(address); at < end && served; at += HUGE_PAGE) {
        served = uvm_cpu_fault(at, write);
    }
    return served;
}

/* Of a file nothing but its end or a page makes a call stop early; elsewhere the caller may be wanted sooner. */
static bool goes_on(const struct request *request)
{
    struct stat status;
    return fstat(request->file, &status) == 0 && S_ISREG(status.st_mode);
}

static long serve(const struct request *request)
{
    uint64_t done = 0;
    long result = 0;
    for (int attempt = 0; done < request->size || request->size == 0; attempt++) {
        result = make(request, done);
        if (result == -EFAULT && attempt < ATTEMPTS && bring_home(request, done, attempt > 0)) {
            continue;
        }
        if (result <= 0) {
            break;
        }
        done += (uint64_t)result;
        attempt = -1;
        if (done < request->size && !goes_on(request)) {
            break;
        }
    }
    return done > 0 ? (long)done : result;
}

static void on_stopped(int number, siginfo_t *info, void *context)
{
    int kept = errno;
    ucontext_t *at = context;
#if defined(__x86_64__)
    greg_t *registers = at->uc_mcontext.gregs;
    struct request request = {registers[REG_RAX], (int)registers[REG_RDI], (uint64_t)registers[REG_RSI],
                              (uint64_t)registers[REG_RDX], registers[REG_R10]};
#elif defined(__aarch64__)
    unsigned long long *registers = at->uc_mcontext.regs;
    struct request request = {(long)registers[8], (int)registers[0], registers[1], registers[2],
                              (int64_t)registers[3]};
#endif
    if (info->si_code != STOPPED || !uvm_has(request.address)) {
        signal_pass_on(&earlier, number, info, context);
        errno = kept;
        return;
    }
    request.offset = has_offset(request.number) ? request.offset : 0;
    bool served = config_get()->uvm_syscalls && !uvm_lock_is_mine();
    long result = served ? serve(&request) : make(&request, 0);
#if defined(__x86_64__)
    registers[REG_RAX] = result;
#elif defined(__aarch64__)
    registers[0] = (unsigned long long)result;
#endif
    errno = kept;
}

#define ARGUMENT_HIGH(index) (offsetof(struct seccomp_data, args) + 8 * (index) + 4)
#define CALLER offsetof(struct seccomp_data, instruction_pointer)
#define LOAD(place) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (place))
#define JUMP(test, value, yes, no) BPF_JUMP(BPF_JMP | (test) | BPF_K, (value), (yes), (no))

static int filter(void)
{
    uint64_t from = (uint64_t)(uintptr_t)(PLACE + (softhal_direct_from - softhal_direct));
    uint32_t low = (uint32_t)(windows.uvm.base >> 32);
    uint32_t high = (uint32_t)((windows.uvm.base + windows.uvm.size) >> 32);
    struct sock_filter steps[] = {
        LOAD(offsetof(struct seccomp_data, arch)),
        JUMP(BPF_JEQ, ARCHITECTURE, 0, 13),
        LOAD(offsetof(struct seccomp_data, nr)),
        JUMP(BPF_JEQ, SYS_read, 3, 0),
        JUMP(BPF_JEQ, SYS_write, 2, 0),
        JUMP(BPF_JEQ, SYS_pread64, 1, 0),
        JUMP(BPF_JEQ, SYS_pwrite64, 0, 8),
        LOAD(ARGUMENT_HIGH(1)),
        JUMP(BPF_JGE, low, 0, 6),
        JUMP(BPF_JGE, high, 5, 0),
        LOAD(CALLER),
        JUMP(BPF_JEQ, (uint32_t)from, 0, 2),
        LOAD(CALLER + 4),
        JUMP(BPF_JEQ, (uint32_t)(from >> 32), 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(steps) / sizeof(steps[0]), steps};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

static bool place_direct(void)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    char *place = mmap(PLACE, SMALL_PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (place != PLACE) {
        if (place != MAP_FAILED) {
            (void)munmap(place, SMALL_PAGE);
        }
        return false;
    }
    memcpy(place, softhal_direct, (size_t)(softhal_direct_end - softhal_direct));
    __builtin___clear_cache(place, place + SMALL_PAGE);
    void *function = place;
    memcpy(&direct, &function, sizeof(direct));
    return mprotect(place, SMALL_PAGE, PROT_READ | PROT_EXEC) == 0;
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = on_stopped, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    bool wanted = config_get()->uvm_syscalls;
    bool inherited = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
    if ((!wanted && !inherited) || !place_direct() || sigaction(SIGSYS, &action, &earlier) != 0) {
        return;
    }
    /* Without a privilege it is only for those that will never have one. */
    if (wanted && filter() != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        (void)filter();
    }
}

void uvm_serve_syscalls(void)
{
    static pthread_once_t installed = PTHREAD_ONCE_INIT;
    pthread_once(&installed, install);
}
