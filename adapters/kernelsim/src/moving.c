/* moving.c - pages that move between host and devices, and the CPU faults that bring them home. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "real.h"
#include "uvm.h"

static struct sigaction before;

/* The account that a place is on. A page's place is PLACE_NONE, PLACE_HOST or PLACE_DEVICE + id. */
static unsigned node_of(uint8_t place)
{
    return place >= PLACE_DEVICE ? (unsigned)(place - PLACE_DEVICE) : NODE_HOST;
}

static int move_page(struct block *block, uint64_t page, uint8_t to)
{
    uint8_t from = block->places[page];
    uint64_t size = block->heap->page;
    if (from == to) {
        return 0;
    }
    if (to != PLACE_NONE && !node_charge(node_of(to), size)) {
        return ENOMEM;
    }
    if (from != PLACE_NONE) {
        node_credit(node_of(from), size);
    }
    block->places[page] = to;
    return 0;
}

int pages_move(struct block *block, uint64_t address, uint64_t size, enum place place,
               uint32_t device)
{
    uint64_t page = block->heap->page;
    uint64_t first = (address - block->span.start) / page;
    uint64_t end = (address + size - block->span.start + page - 1) / page;
    uint64_t pages = block->span.size / page;
    end = end < pages ? end : pages;
    uint8_t to = place == PLACE_DEVICE ? (uint8_t)(PLACE_DEVICE + device) : (uint8_t)place;
    int failed = 0;
    uint64_t at = first;
    while (at < end && (failed = move_page(block, at, to)) == 0) {
        at++;
    }
    int access = place == PLACE_HOST ? PROT_READ | PROT_WRITE : PROT_NONE;
    if (at > first) {
        mprotect((char *)(uintptr_t)block->span.start + first * page, (at - first) * page, access);
    }
    return failed;
}

/* Serve the CPU's access to a page that is elsewhere; false if it is no such page. */
static bool serve(uint64_t address)
{
    space_lock();
    struct block *block = block_at(address);
    bool served = false;
    if (block != NULL && block->places != NULL) {
        uint64_t page = (address - block->span.start) / block->heap->page;
        if (block->advised != NULL) {
            served = uvm_touched(block, page);
            space_unlock();
            return served;
        }
        bool locked = block->heap->sub == SUB_SVM && block->device != NO_DEVICE;
        served = !locked && block->places[page] != PLACE_HOST &&
                 pages_move(block, address, 1, PLACE_HOST, NO_DEVICE) == 0;
    }
    space_unlock();
    return served;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    int kept = errno;
    bool served = info->si_code == SEGV_ACCERR && in_windows((uintptr_t)info->si_addr) &&
                  serve((uintptr_t)info->si_addr);
    errno = kept;
    if (served) {
        return;
    }
    if ((before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else {
        /* The access is made again and ends the process as it would have. */
        sigaction(SIGSEGV, &before, NULL);
    }
}

void faults_serve(void)
{
    static bool done;
    if (!done) {
        struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
        action.sa_sigaction = on_fault;
        sigemptyset(&action.sa_mask);
        sigaction(SIGSEGV, &action, &before);
        done = true;
    }
}
