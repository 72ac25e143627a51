/* Which blocks of a library were executed.
 *
 * The compiler calls __sanitizer_cov_trace_pc at the start of every block of the sources that it
 * is asked to trace. Every byte of the file that HALCERT_COVERAGE names stands for a byte of the
 * library; the one behind the call becomes 1. Children write into the same file.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char __ehdr_start __attribute__((visibility("hidden")));

static uint8_t *marks;
static uintptr_t room;

__attribute__((constructor(101))) static void begin(void)
{
    const char *path = getenv("HALCERT_COVERAGE");
    int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    struct stat found;
    if (file < 0)
        return;
    if (fstat(file, &found) == 0) {
        void *at = mmap(NULL, (size_t)found.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (at != MAP_FAILED) {
            room = (uintptr_t)found.st_size;
            marks = at;
        }
    }
    close(file);
}

void __sanitizer_cov_trace_pc(void)
{
    uintptr_t place = (uintptr_t)__builtin_return_address(0) - (uintptr_t)&__ehdr_start;
    if (marks != NULL && place < room)
        marks[place] = 1;
}
