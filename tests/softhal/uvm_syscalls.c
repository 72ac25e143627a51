/*
 * uvm_syscalls.c - reads and writes of files with managed memory, wherever its pages are; as programs do that fill
 * their inputs from a file.  Where the system has no filters for us, there is EFAULT instead, and that is checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "uvm.h"

enum { FILTERED = 2 }; /* SECCOMP_MODE_FILTER */

static char sent[3 * PAGE], got[3 * PAGE];

static int file_of(const char *bytes, size_t size)
{
    char name[] = "/tmp/softhal-test-XXXXXX";
    int file = mkstemp(name);
    unlink(name);
    CHECK(write(file, bytes, size) == (ssize_t)size && lseek(file, 0, SEEK_SET) == 0);
    return file;
}

static int same(const char *page, size_t from, size_t size)
{
    return memcmp(page, sent + from, size) == 0;
}

static void reads(void)
{
    char *block = managed(4);
    int file = file_of(sent, sizeof(sent));
    CHECK(read(file, block, 100) == 100 && same(block, 0, 100)); /* untouched */
    CHECK(pread(file, block + PAGE - 50, 100, 7) == 100 && same(block + PAGE - 50, 7, 100));
    CHECK_CODE(device_mark(0, block + PAGE, 3), 0);
    CHECK(pread(file, block + PAGE + 4096, 4096, 11) == 4096 && same(block + PAGE + 4096, 11, 4096));
    CHECK((unsigned char)block[PAGE] == byte_of(3, 0)); /* the rest of the page came along */
    CHECK_CODE(advise(block, 4, READ_MOSTLY, NOWHERE), 0);
    CHECK_CODE(prefetch(block, 4, ON_DEVICE(1)), 0);
    CHECK(pread(file, block, 10, sizeof(sent)) == 0 && read_mostly(block)); /* nothing was read */
    CHECK(pread(file, block, 10, 20) == 10 && same(block, 20, 10) && !read_mostly(block));
    CHECK(read_mostly(block + PAGE));
    CHECK_CODE(device_mark(1, block, 4), 0);
    CHECK_CODE(device_mark(0, block + 2 * PAGE, 5), 0);
    CHECK(pread(file, block, sizeof(sent), 0) == (ssize_t)sizeof(sent) && same(block, 0, sizeof(sent)));
    CHECK(device_shows(0, block + 3 * PAGE, 0) == 0 && untouched(block + 3 * PAGE) == 0);
    close(file);
    CHECK_CODE(halMemFree(block), 0);
}

static void writes(void)
{
    char *block = managed(3);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_CODE(device_mark(i % 2, block + i * PAGE, 6 + i), 0);
    }
    int file = file_of("", 0);
    CHECK(write(file, block, sizeof(got)) == (ssize_t)sizeof(got));
    CHECK(pread(file, got, sizeof(got), 0) == (ssize_t)sizeof(got));
    for (unsigned i = 0; i < 3; i++) {
        CHECK(host_shows(got + i * PAGE, 6 + i));
    }
    CHECK_CODE(advise(block, 3, READ_MOSTLY, NOWHERE), 0);
    CHECK(pwrite(file, block + 10, 20, 5) == 20 && read_mostly(block)); /* a read of the page */
    close(file);
    CHECK_CODE(halMemFree(block), 0);
}

/* No more than there is: a pipe does not wait for the rest of a range. */
static void pipes(void)
{
    char *block = managed(1);
    int ends[2];
    CHECK(pipe(ends) == 0 && write(ends[1], sent, 300) == 300);
    CHECK(read(ends[0], block, PAGE) == 300 && same(block, 0, 300));
    CHECK_CODE(device_mark(0, block, 9), 0);
    CHECK(write(ends[1], block, 1) == 1 && read(ends[0], got, 1) == 1 && (unsigned char)got[0] == byte_of(9, 0));
    close(ends[0]);
    close(ends[1]);
    CHECK_CODE(halMemFree(block), 0);
}

static void refused(void)
{
    char *block = managed(1);
    int file = file_of(sent, 100);
    CHECK(read(-1, block, 1) == -1 && errno == EBADF);
    CHECK(read(file, block + PAGE, 1) == -1 && errno == EFAULT); /* not allocated */
    CHECK(read(file, block, 0) == 0 && untouched(block));
    pid_t child = fork();
    if (child == 0) {
        _exit(pread(file, block, 1, 0) == -1 && errno == EFAULT ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(file);
    CHECK_CODE(halMemFree(block), 0);
}

/* The driver's own calls: bytes of a device into managed memory, with and without a page there. */
static void by_the_driver(void)
{
    char *block = managed(2);
    CHECK_CODE(device_mark(0, block, 2), 0);
    drvError_t code = softhal_device_load(0, address_of(block), block + PAGE, 1);
    CHECK(code == DRV_ERROR_NONE || code == DRV_ERROR_INVALID_HANDLE);
    block[PAGE] = 1;
    CHECK_CODE(softhal_device_load(0, address_of(block), block + PAGE, 1), 0);
    CHECK((unsigned char)block[PAGE] == byte_of(2, 0));
    CHECK_CODE(halMemFree(block), 0);
}

static int switched_off(void)
{
    char *block = managed(1);
    int file = file_of(sent, 100);
    CHECK(read(file, block, 1) == -1 && errno == EFAULT);
    block[0] = 1; /* touched before, it is there */
    CHECK(read(file, block, 1) == 1 && same(block, 0, 1));
    close(file);
    return finish();
}

/* Runs this program again, with system calls served or not. */
static int again(const char *program, const char *how)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char domain[80];
        snprintf(domain, sizeof(domain), "%s-%s", getenv("SOFTHAL_DOMAIN"), how);
        setenv("SOFTHAL_DOMAIN", domain, 1);
        setenv("SOFTHAL_UVM_SYSCALLS", strcmp(how, "on") == 0 ? "1" : "0", 1);
        execl(program, program, how, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

int main(int count, char **arguments)
{
    if (is_v3()) {
        return finish();
    }
    for (size_t i = 0; i < sizeof(sent); i++) {
        sent[i] = (char)byte_of(77, i);
    }
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    if (count > 1 && strcmp(arguments[1], "off") == 0) {
        return switched_off();
    }
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    CHECK_CODE(halMemFree(managed(1)), 0);
    by_the_driver();
    if (prctl(PR_GET_SECCOMP) == FILTERED) {
        reads();
        writes();
        pipes();
        refused();
    }
    CHECK_CODE(halMemAgentClose(1, 0), 0);
    CHECK_CODE(halMemAgentClose(0, 0), 0);
    if (count > 1) {
        return finish();
    }
    /* Programs that this one starts have its filter, too. */
    CHECK(again(arguments[0], "on") == 0);
    CHECK(again(arguments[0], "off") == 0);
    return finish();
}
