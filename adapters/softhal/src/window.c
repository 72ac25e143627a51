/*
 * window.c - the virtual-address map and the memory behind it.
 *
 * All memory that the driver hands out is one sparse memfd in which the offset of a byte is its
 * virtual address, so there is no second allocator for physical memory.  The windows of the public
 * address map (v2 svm_define.h, v3 va_mng.h) are held with PROT_NONE mappings: a CPU access to device
 * memory faults, as it does on the real thing.  Host memory is mapped into its window readable and
 * writable.  The driver itself reaches every byte through an alias mapping elsewhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vmm.h"
#include "window.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/*
 * AddressSanitizer keeps its shadow below 16 TiB + 2 GiB on x86-64 and below 32 TiB + 64 GiB on
 * aarch64.  The public driver moves its SVM window to 33 TiB for such builds; the other windows
 * follow it here.
 */
#ifdef MOVED_WINDOWS
#define SVM_BASE 0x210000000000ULL
#define HOST_UVA_BASE 0x290000000000ULL
#define HOST_UVA_SECOND 0x2a0000000000ULL
#define UVM_BASE 0x2b0000000000ULL
#define SOMA_BASE 0x2e0000000000ULL
#define REGISTER_BASE 0x320000000000ULL
#else
#define SVM_BASE 0x100000000000ULL
#define HOST_UVA_BASE 0x80000000000ULL
#define HOST_UVA_SECOND 0x70000000000ULL
#define UVM_BASE 0x90000000000ULL
#define SOMA_BASE 0xC0000000000ULL
#define REGISTER_BASE 0xFEE00000000ULL
#endif

/* Virtual addresses first, physical handles from the middle on (peers.c). */
#define BACKING_SIZE (1LL << 61)
#define CHUNK (GIB)

struct windows windows;

static int backing = -1;
static char *alias;
static struct window alias_window;

bool window_has(const struct window *window, uint64_t address)
{
    return address >= window->base && address - window->base < window->size;
}

static void *pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* Without these a child would write into its parent's device, and a core file would be terabytes. */
static void set_advice(void *start, uint64_t size)
{
    (void)madvise(start, size, MADV_DONTFORK);
    (void)madvise(start, size, MADV_DONTDUMP);
}

bool window_hold(struct window *window, uint64_t base, uint64_t size)
{
    void *got = mmap(pointer(base), size, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) {
        return false;
    }
    if (got != pointer(base)) { /* a kernel that does not know MAP_FIXED_NOREPLACE takes it as a hint */
        munmap(got, size);
        return false;
    }
    set_advice(got, size);
    window->base = base;
    window->size = size;
    return true;
}

static bool hold_v2(void)
{
    if (!window_hold(&windows.svm, SVM_BASE, 8 * TIB) || !window_hold(&windows.uvm, UVM_BASE, 3 * TIB) ||
        !window_hold(&windows.soma, SOMA_BASE, 2 * TIB) || !window_hold(&windows.registers, REGISTER_BASE, 8 * GIB)) {
        return false;
    }
    windows.dvpp = windows.svm.base;
    windows.read_only = windows.svm.base + 2 * TIB;
    windows.dev_read_only = windows.read_only + 256 * GIB;
    windows.general = windows.dev_read_only + 512 * GIB;
    /* The only window that may be missing: MEM_HOST_UVA then answers busy. */
    if (!window_hold(&windows.host_uva, HOST_UVA_BASE, TIB)) {
        (void)window_hold(&windows.host_uva, HOST_UVA_SECOND, TIB);
    }
    return true;
}

static bool hold_v3(void)
{
    windows.general = SVM_BASE;
    return window_hold(&windows.svm, SVM_BASE, 16 * TIB) && window_hold(&windows.registers, REGISTER_BASE, 8 * GIB);
}

static bool map_alias(void)
{
    uint64_t low = windows.svm.base;
    uint64_t high = windows.svm.base + windows.svm.size;
    if (windows.uvm.size != 0) {
        low = windows.uvm.base < low ? windows.uvm.base : low;
        high = windows.uvm.base + windows.uvm.size > high ? windows.uvm.base + windows.uvm.size : high;
    }
    if (windows.soma.size != 0 && windows.soma.base + windows.soma.size > high) {
        high = windows.soma.base + windows.soma.size;
    }
    alias = window_map_new(high - low, low);
    if (alias == NULL) {
        return false;
    }
    alias_window.base = low;
    alias_window.size = high - low;
    return true;
}

static void release(struct window *window)
{
    if (window->size != 0) {
        munmap(pointer(window->base), window->size);
        window->size = 0;
    }
}

int backing_fd(void)
{
    return backing;
}

int windows_map(void)
{
    backing = memfd_create("softhal", MFD_CLOEXEC);
    bool ok = backing >= 0 && ftruncate(backing, BACKING_SIZE) == 0 &&
              (generation() == GEN_V2 ? hold_v2() : hold_v3()) && map_alias();
    if (!ok) {
        complain("the address windows cannot be mapped: %s", strerror(errno));
        release(&windows.svm);
        release(&windows.uvm);
        release(&windows.soma);
        release(&windows.registers);
        release(&windows.host_uva);
        windows_drop();
    }
    return ok ? 0 : -1;
}

/* Forgets windows that are not mapped in this process (any more): after a fork they are absent. */
void windows_drop(void)
{
    if (backing >= 0) {
        close(backing);
    }
    backing = -1;
    alias = NULL;
    memset(&windows, 0, sizeof(windows));
    memset(&alias_window, 0, sizeof(alias_window));
}

int window_map_at(char *at, uint64_t size, int fd, uint64_t offset)
{
    void *got = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, (off_t)offset);
    if (got == MAP_FAILED) {
        return -1;
    }
    set_advice(got, size);
    return 0;
}

char *window_map_new(uint64_t size, uint64_t offset)
{
    void *got = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, backing, (off_t)offset);
    if (got == MAP_FAILED) {
        return NULL;
    }
    set_advice(got, size);
    return got;
}

int memory_expose(uint64_t address, uint64_t size)
{
    return window_map_at(pointer(address), size, backing, address);
}

void memory_hide(uint64_t address, uint64_t size)
{
    void *got = mmap(pointer(address), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (got != MAP_FAILED) {
        set_advice(got, size);
    }
}

void memory_discard(uint64_t address, uint64_t size)
{
    (void)fallocate(backing, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)address, (off_t)size);
}

char *window_alias(uint64_t address)
{
    return window_has(&alias_window, address) ? alias + (address - alias_window.base) : NULL;
}

bool memory_touched(uint64_t address, uint64_t size)
{
    off_t data = lseek(backing, (off_t)address, SEEK_DATA);
    return data >= 0 && (uint64_t)data < address + size;
}

/* How much of a transfer of size bytes at address can be done in one go, and where. */
static size_t piece(uint64_t address, uint64_t size, struct location *location)
{
    memory_locate(address, location);
    uint64_t most = location->run < CHUNK ? location->run : CHUNK;
    return (size_t)(size < most ? size : most);
}

int memory_write(uint64_t address, const void *from, uint64_t size)
{
    const char *bytes = from;
    while (size > 0) {
        struct location to;
        size_t length = piece(address, size, &to);
        ssize_t done = pwrite(to.fd, bytes, length, (off_t)to.offset);
        if (done <= 0) {
            if (done < 0 && errno == EINTR) {
                continue;
            }
            return -1;
        }
        bytes += done;
        address += (uint64_t)done;
        size -= (uint64_t)done;
    }
    return 0;
}

int memory_read(uint64_t address, void *to, uint64_t size)
{
    char *bytes = to;
    while (size > 0) {
        struct location from;
        size_t length = piece(address, size, &from);
        ssize_t done = pread(from.fd, bytes, length, (off_t)from.offset);
        if (done <= 0) {
            if (done < 0 && errno == EINTR) {
                continue;
            }
            return -1;
        }
        bytes += done;
        address += (uint64_t)done;
        size -= (uint64_t)done;
    }
    return 0;
}
