/*
 * peers.c - memory that belongs to another process of the domain.
 *
 * The bytes of a process live in its memfd; whoever may see some of them opens that memfd through /proc
 * and keeps it open as long as it needs it.  So nothing lies around in a file system, and memory lives
 * exactly as long as somebody has it open: a killed process leaves nothing behind.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vmm.h"

/* Offsets of physical handles start above every virtual address. */
#define PHYSICAL_BASE (1ULL << 60)

struct peer {
    struct peer *next;
    int fd;
    uint64_t inode;
    unsigned users;
};

static struct peer *peers;
static uint64_t physical_next = PHYSICAL_BASE;
static uint64_t own_inode;

static uint64_t inode_of(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

uint64_t backing_inode(void)
{
    if (own_inode == 0) {
        own_inode = inode_of(backing_fd());
    }
    return own_inode;
}

int peer_open(int pid, int fd, uint64_t inode)
{
    char path[64];
    if (inode == backing_inode()) {
        return backing_fd();
    }
    for (struct peer *peer = peers; peer != NULL; peer = peer->next) {
        if (peer->inode == inode) {
            peer->users++;
            return peer->fd;
        }
    }
    struct peer *peer = calloc(1, sizeof(*peer));
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
    int got = peer == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    /* The number may mean something else by now. */
    if (got < 0 || inode_of(got) != inode) {
        if (got >= 0) {
            close(got);
        }
        free(peer);
        return -1;
    }
    peer->fd = got;
    peer->inode = inode;
    peer->users = 1;
    peer->next = peers;
    peers = peer;
    return got;
}

void peer_close(int fd)
{
    struct peer **link = &peers;
    while (*link != NULL && (*link)->fd != fd) {
        link = &(*link)->next;
    }
    struct peer *peer = *link;
    if (peer == NULL || --peer->users > 0) {
        return;
    }
    *link = peer->next;
    close(peer->fd);
    free(peer);
}

void peers_forget(void)
{
    while (peers != NULL) {
        struct peer *next = peers->next;
        close(peers->fd);
        free(peers);
        peers = next;
    }
    physical_next = PHYSICAL_BASE;
    own_inode = 0;
}

uint64_t physical_place(uint64_t size)
{
    uint64_t place = round_up(physical_next, size >= GIANT_PAGE ? GIANT_PAGE : HUGE_PAGE);
    physical_next = place + size;
    return place;
}

void physical_discard(int fd, uint64_t offset, uint64_t size)
{
    (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size);
}
