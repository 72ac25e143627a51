/*
 * uvm_store.c - where the copies of managed pages are, and how bytes get from one to another.
 *
 * The host's copy lies in the driver's memory at the offset of its address, which the window shows to the
 * CPU; that of a device lies at an offset that no address has.  The file is sparse: of a page only those
 * parts cost memory that were written, and only those are moved.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uvm.h"
#include "vmm.h"
#include "window.h"

/* Above all addresses and below the physical handles (peers.c). */
#define COPIES_BASE (1ULL << 50)
#define COPIES_OF_DEVICE (4 * TIB)

uint64_t uvm_offset(uvm_number number, unsigned node)
{
    if (node == HOST_NODE) {
        return uvm_address_of(number);
    }
    return COPIES_BASE + node * COPIES_OF_DEVICE + number * HUGE_PAGE;
}

char *uvm_view(uvm_number number, unsigned node)
{
    return window_map_new(HUGE_PAGE, uvm_offset(number, node));
}

void uvm_unview(char *view)
{
    if (view != NULL) {
        (void)munmap(view, HUGE_PAGE);
    }
}

void uvm_discard(uvm_number number, unsigned node)
{
    memory_discard(uvm_offset(number, node), HUGE_PAGE);
}

/* The target is empty.  What cannot be read or written (no memory in the system) is lost, as on any machine
 * that runs out of memory in the middle of a move. */
void uvm_transfer(uvm_number number, unsigned from, unsigned to)
{
    uint64_t source = uvm_offset(number, from);
    uint64_t target = uvm_offset(number, to);
    char *view = uvm_view(number, from);
    uint64_t at = 0;
    while (view != NULL && at < HUGE_PAGE) {
        off_t data = lseek(backing_fd(), (off_t)(source + at), SEEK_DATA);
        if (data < 0 || (uint64_t)data >= source + HUGE_PAGE) {
            break;
        }
        at = (uint64_t)data - source;
        off_t hole = lseek(backing_fd(), data, SEEK_HOLE);
        uint64_t end = hole < 0 || (uint64_t)hole > source + HUGE_PAGE ? HUGE_PAGE : (uint64_t)hole - source;
        while (at < end) {
            ssize_t done = pwrite(backing_fd(), view + at, end - at, (off_t)(target + at));
            if (done < 0 && errno == EINTR) {
                continue;
            }
            if (done <= 0) {
                break;
            }
            at += (uint64_t)done;
        }
        at = end;
    }
    uvm_unview(view);
}

int uvm_protect(uvm_number number, int protection)
{
    return mprotect((void *)(uintptr_t)uvm_address_of(number), HUGE_PAGE, protection);
}

int uvm_write(uvm_number number, unsigned node, uint64_t into, const void *from, uint64_t size)
{
    const char *bytes = from;
    uint64_t offset = uvm_offset(number, node) + into;
    while (size > 0) {
        ssize_t done = pwrite(backing_fd(), bytes, size, (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return -1;
        }
        bytes += done;
        offset += (uint64_t)done;
        size -= (uint64_t)done;
    }
    return 0;
}

int uvm_read(uvm_number number, unsigned node, uint64_t into, void *to, uint64_t size)
{
    char *bytes = to;
    uint64_t offset = uvm_offset(number, node) + into;
    while (size > 0) {
        ssize_t done = pread(backing_fd(), bytes, size, (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return -1;
        }
        bytes += done;
        offset += (uint64_t)done;
        size -= (uint64_t)done;
    }
    return 0;
}
