/* kernel.h - speaks to the driver's node as its user-space library does, without that library.
 *
 * Arguments are written field by field at the offsets that the kernel reads, so that a wrong layout
 * on either side shows. Results are errno values, 0 for success. CHECK reports in TAP.
 */
#ifndef CLIENTS_KERNEL_H
#define CLIENTS_KERNEL_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define KIB (1ULL << 10)
#define MIB (1ULL << 20)
#define GIB (1ULL << 30)
#define TIB (1ULL << 40)
#define HOST 65
#define SVM_START 0x100000000000ULL
#define UVM_START 0x90000000000ULL
#define SOMA_START 0xC0000000000ULL
#define NORMAL_START 0x12C000000000ULL

static int checks_done, checks_failed;
static int svm = -1; /* the memory module's node */

static inline void check(int ok, const char *text, int line)
{
    checks_done++;
    checks_failed += ok ? 0 : 1;
    printf("%sok %d - line %d: %s\n", ok ? "" : "not ", checks_done, line, text);
    fflush(stdout);
}
#define CHECK(condition) check((condition), #condition, __LINE__)

static inline void check_answer(int got, int expected, const char *text, int line)
{
    char what[400];
    snprintf(what, sizeof(what), "%s is %d (expected %d)", text, got, expected);
    check(got == expected, what, line);
}
#define ANSWERS(call, expected) check_answer((call), (expected), #call, __LINE__)

static inline int finish(void)
{
    printf("1..%d\n", checks_done);
    return checks_failed == 0 ? 0 : 1;
}

/* ------------------------------------------------------------------------------------- the node */

static inline int node(const char *module, int device, int flags)
{
    struct {
        char name[256];
        int device;
    } choice = {.device = device};
    int fd = open("/dev/davinci_manager", O_RDWR | O_CLOEXEC | flags);
    if (fd < 0) {
        return -1;
    }
    strncpy(choice.name, module, sizeof(choice.name) - 1);
    if (ioctl(fd, 0x5a00UL, &choice) != 0) {
        int kept = errno;
        close(fd);
        errno = kept;
        return -1;
    }
    return fd;
}

/* ------------------------------------------------------------------------------------ arguments */

/* The argument of every command of the memory module: a head, and data from byte 16 on. */
struct argument {
    unsigned char bytes[344];
};

static inline struct argument device_argument(uint32_t device)
{
    struct argument argument;
    memset(&argument, 0, sizeof(argument));
    memcpy(argument.bytes + 4, &device, 4); /* what stands before it is the kernel's */
    return argument;
}

static inline void put8(struct argument *a, int offset, uint64_t value)
{
    memcpy(a->bytes + 16 + offset, &value, 8);
}

static inline void put4(struct argument *a, int offset, uint32_t value)
{
    memcpy(a->bytes + 16 + offset, &value, 4);
}

static inline uint64_t get8(const struct argument *a, int offset)
{
    uint64_t value;
    memcpy(&value, a->bytes + 16 + offset, 8);
    return value;
}

static inline uint32_t get4(const struct argument *a, int offset)
{
    uint32_t value;
    memcpy(&value, a->bytes + 16 + offset, 4);
    return value;
}

static inline int send_to(int fd, unsigned long base, unsigned number, void *argument)
{
    return ioctl(fd, base | number, argument) == 0 ? 0 : errno;
}

/* Commands that tell something, and commands that do not. */
static inline int ask(unsigned number, struct argument *argument)
{
    return send_to(svm, 0xc1584d00UL, number, argument);
}

static inline int tell(unsigned number, struct argument *argument)
{
    return send_to(svm, 0x41584d00UL, number, argument);
}

/* ----------------------------------------------------------------------------- what tests begin with */

static inline int begin_process(void)
{
    struct {
        uint64_t va, size;
    } segments[16];
    struct argument a = device_argument(0);
    svm = node("SVM", 0, O_SYNC);
    if (svm < 0 || tell(101, &a) != 0) {
        return -1;
    }
    a = device_argument(0);
    put4(&a, 0, 16);
    put8(&a, 16, (uintptr_t)segments);
    if (ask(104, &a) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < get4(&a, 0); i++) {
        void *at = (void *)(uintptr_t)segments[i].va;
        void *got = mmap(at, segments[i].size, PROT_READ | PROT_WRITE, MAP_SHARED, svm, 0);
        if (got != at || madvise(at, segments[i].size, MADV_DONTDUMP) != 0) {
            return -1;
        }
    }
    a = device_argument(0);
    return ask(36, &a);
}

static inline int open_device(uint32_t device)
{
    struct argument a = device_argument(device);
    return ask(26, &a);
}

static inline int close_device(uint32_t device)
{
    struct argument a = device_argument(device);
    int failed = tell(64, &a);
    return failed != 0 ? failed : tell(42, &a);
}

enum { PINNED = (int)0xEFEF0001, HUGE = (int)0xEFEF0002, CHUNK = (int)0xEFEF0003 };
enum { SUB_SVM, SUB_DEVICE, SUB_HOST, SUB_DVPP, SUB_READ_ONLY, SUB_RESERVE };

static inline int heap(uint32_t operation, uint32_t type, uint32_t sub, uint64_t at, uint64_t size,
                       uint32_t device)
{
    struct argument a = device_argument(device);
    put4(&a, 0, operation);
    put4(&a, 4, type);
    put4(&a, 8, sub);
    put4(&a, 12, (uint32_t)((at - SVM_START) / GIB));
    put8(&a, 16, size);
    return tell(37, &a);
}

static inline int allocate(uint64_t at, uint64_t size)
{
    struct argument a = device_argument(0);
    put8(&a, 0, at);
    put8(&a, 8, size);
    return tell(3, &a);
}

static inline int release(uint64_t at)
{
    struct argument a = device_argument(0);
    put8(&a, 0, at);
    return tell(4, &a);
}

static inline int advise(uint64_t at, uint64_t size, uint32_t advice, uint32_t device)
{
    struct argument a = device_argument(device);
    put8(&a, 0, at);
    put8(&a, 8, size);
    put4(&a, 16, advice);
    return tell(13, &a);
}

#define POPULATE 0x8
#define HUGE_ADVICE 0x4

/* Device memory of whole 2 MiB pages at an address, in a heap of its own. */
static inline int device_memory(uint64_t at, uint64_t size, uint32_t device)
{
    int failed = heap(0, HUGE, SUB_DEVICE, at, (size + GIB - 1) / GIB * GIB, device);
    failed = failed != 0 ? failed : allocate(at, size);
    return failed != 0 ? failed : advise(at, size, POPULATE | HUGE_ADVICE, device);
}

static inline int copy(uint64_t to, uint64_t from, uint64_t size)
{
    struct argument a = device_argument(0);
    put8(&a, 0, to);
    put8(&a, 8, from);
    put8(&a, 16, size);
    put4(&a, 28, 4);
    return ask(5, &a);
}

static inline int used(uint32_t device, uint64_t *total, uint64_t *unused)
{
    struct argument a = device_argument(device);
    int failed = ask(47, &a);
    *total = get8(&a, 8) + get8(&a, 24);
    *unused = get8(&a, 16) + get8(&a, 32);
    return failed;
}

static inline uint64_t free_on(uint32_t device)
{
    uint64_t total = 0;
    uint64_t left = 0;
    return used(device, &total, &left) == 0 ? left : UINT64_MAX;
}

/* Bytes of a device as the host reads them by a copy; 1 if all have a value. */
static inline int holds(uint64_t at, size_t size, unsigned char value)
{
    unsigned char *bytes = malloc(size);
    int ok = bytes != NULL && copy((uintptr_t)bytes, at, size) == 0;
    for (size_t i = 0; ok && i < size; i++) {
        ok = bytes[i] == value;
    }
    free(bytes);
    return ok;
}

static inline int put_bytes(uint64_t at, size_t size, unsigned char value)
{
    unsigned char *bytes = malloc(size);
    memset(bytes, value, size);
    int failed = copy(at, (uintptr_t)bytes, size);
    free(bytes);
    return failed;
}

/* Whether a child that does something at an address lives; it ends with the function's result. */
static inline int survives(int (*act)(uint64_t), uint64_t at)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        _exit(act(at));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ------------------------------------------------------------------------------- two processes */

/* Another process of the same program, which takes one letter at a time and answers a number. */
struct peer {
    pid_t pid;
    int to, from;
};

static inline struct peer start_peer(const char *program, const char *role)
{
    int to[2];
    int from[2];
    struct peer peer = {-1, -1, -1};
    if (pipe(to) != 0 || pipe(from) != 0) {
        return peer;
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(to[1]);
        close(from[0]);
        char in[16];
        char out[16];
        snprintf(in, sizeof(in), "%d", to[0]);
        snprintf(out, sizeof(out), "%d", from[1]);
        execl(program, program, role, in, out, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    return (struct peer){child, to[1], from[0]};
}

struct order {
    int letter;
    uint64_t a, b;
    char text[80];
};

static inline int64_t order(const struct peer *peer, const struct order *what)
{
    int64_t answer = -1;
    if (write(peer->to, what, sizeof(*what)) != (ssize_t)sizeof(*what) ||
        read(peer->from, &answer, sizeof(answer)) != (ssize_t)sizeof(answer)) {
        return -1;
    }
    return answer;
}

static inline void end_peer(const struct peer *peer)
{
    close(peer->to);
    close(peer->from);
    waitpid(peer->pid, NULL, 0);
}

/* Be the other process, to its end. */
static inline int serve_orders(char **arguments, int64_t (*act)(const struct order *))
{
    int in = atoi(arguments[2]);
    int out = atoi(arguments[3]);
    struct order what;
    while (read(in, &what, sizeof(what)) == (ssize_t)sizeof(what)) {
        int64_t answer = act(&what);
        if (write(out, &answer, sizeof(answer)) != (ssize_t)sizeof(answer)) {
            return 1;
        }
    }
    return 0;
}

#endif
