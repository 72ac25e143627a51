/*
 * domain.c - the memory of a device belongs to the device, not to a process: its counters live in a
 * small file in /dev/shm that all processes of a domain share.
 *
 * Joining and leaving are serialised by flock on that file; the counters by a robust mutex in it.  A
 * process owns one slot and counts there what it holds.  Slots whose process is gone (by pid and
 * start time, so that a recycled pid is no disguise) are taken back when somebody joins and when
 * memory is short.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "domain.h"

#define DOMAIN_MAGIC 0x736f667468616c31ULL
#define DOMAIN_VERSION 4U
#define DOMAIN_FOLDER "/dev/shm"
#define ABANDONED_SECONDS 60

struct domain *domain;
static struct slot *own;
static pid_t own_pid;
static char domain_path[160];

static bool slot_is_alive(const struct slot *slot)
{
    if (slot->pid == getpid()) { /* ours, or of the program that this process was before an exec */
        return slot->image == own_image();
    }
    return slot->pid != 0 && process_started(slot->pid) == slot->started;
}

void domain_sum_up(void)
{
    memset(domain->used, 0, sizeof(domain->used));
    for (int s = 0; s < SLOTS; s++) {
        if (domain->slots[s].pid == 0) {
            continue;
        }
        for (int n = 0; n < NODES; n++) {
            for (int c = 0; c < CLASS_COUNT; c++) {
                domain->used[n][c] += domain->slots[s].used[n][c];
            }
        }
    }
    for (uint32_t i = 0; i < domain->share_high; i++) {
        const struct share *share = &domain->shares[i];
        if (share->id != 0) {
            domain->used[share->node][share->charged_class] += share->charged;
        }
    }
}

/* Frees the slots of processes that are gone; the lock must be held. */
static bool reclaim(void)
{
    bool any = false;
    if (FAULT(leak_dead_process)) {
        return false;
    }
    for (int s = 0; s < SLOTS; s++) {
        struct slot *slot = &domain->slots[s];
        if (slot->pid != 0 && slot != own && !slot_is_alive(slot)) {
            shares_leave(s, -1);
            peerings_leave(s);
            memset(slot, 0, sizeof(*slot));
            any = true;
        }
    }
    if (any) {
        domain_sum_up();
    }
    return any;
}

void domain_lock(void)
{
    if (pthread_mutex_lock(&domain->lock) == EOWNERDEAD) {
        /* Somebody died between two writes: slots and settled shares are the truth, the sum is not. */
        shares_mend();
        domain_sum_up();
        pthread_mutex_consistent(&domain->lock);
    }
}

void domain_unlock(void)
{
    pthread_mutex_unlock(&domain->lock);
}

/* The file may hold what killed processes left; a hole is cheaper than writing zeroes over the tables. */
static void domain_create(const struct config *config, int fd)
{
    pthread_mutexattr_t attributes;
    if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)sizeof(struct domain)) != 0) {
        memset(domain, 0, sizeof(struct domain));
    }
    domain->profile = (uint32_t)config->profile;
    domain->devices = config->devices;
    memcpy(domain->capacity, config->capacity, sizeof(domain->capacity));
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&domain->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    domain->version = DOMAIN_VERSION;
    domain->magic = DOMAIN_MAGIC;
}

/* Takes the recorded sizes; a process of another profile, or that explicitly wants other sizes, is refused. */
static bool domain_adopt(struct config *config)
{
    bool same_memory = true;
    for (unsigned i = 0; i < domain->devices && i < config->devices; i++) {
        same_memory = same_memory && domain->capacity[i] == config->capacity[i];
    }
    const char *what = NULL;
    if ((uint32_t)config->profile != domain->profile) {
        what = "SOFTHAL_PROFILE";
    } else if (config->explicit_devices && config->devices != domain->devices) {
        what = "SOFTHAL_DEVICES";
    } else if (config->explicit_memory && !same_memory) {
        what = "SOFTHAL_DEVICE_MEMORY";
    } else if (config->explicit_host && config->capacity[HOST_NODE] != domain->capacity[HOST_NODE]) {
        what = "SOFTHAL_HOST_MEMORY";
    }
    if (what != NULL) {
        complain("%s differs from what domain '%s' is running with (%s, %u devices); choose another SOFTHAL_DOMAIN",
                 what, config->domain, profile_name((enum profile)domain->profile), domain->devices);
        return false;
    }
    config->devices = domain->devices;
    memcpy(config->capacity, domain->capacity, sizeof(config->capacity));
    return true;
}

/* Opens the file and holds it with flock.  The file may be unlinked while we wait: then try again. */
static int open_locked(void)
{
    for (;;) {
        struct stat by_fd;
        struct stat by_path;
        int fd = open(domain_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0) {
            return -1;
        }
        if (flock(fd, LOCK_EX) == 0 && fstat(fd, &by_fd) == 0 && stat(domain_path, &by_path) == 0 &&
            by_fd.st_ino == by_path.st_ino) {
            return fd;
        }
        close(fd);
    }
}

static bool anybody_alive(const struct domain *some)
{
    for (int s = 0; s < SLOTS; s++) {
        if (slot_is_alive(&some->slots[s])) {
            return true;
        }
    }
    return false;
}

/* Takes one other domain away if all its processes were killed a while ago. */
static void sweep_one(const char *path)
{
    struct stat by_fd;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &by_fd) == 0 &&
        by_fd.st_size == (off_t)sizeof(struct domain) && time(NULL) - by_fd.st_mtime > ABANDONED_SECONDS) {
        struct domain *other = mmap(NULL, sizeof(*other), PROT_READ, MAP_SHARED, fd, 0);
        if (other != MAP_FAILED) {
            if (!anybody_alive(other)) {
                unlink(path);
            }
            munmap(other, sizeof(*other));
        }
        flock(fd, LOCK_UN);
    }
    close(fd);
}

/* Whoever is killed cannot tidy up; whoever comes later does. */
static void sweep(void)
{
    char prefix[32];
    char path[320];
    DIR *folder = opendir(DOMAIN_FOLDER);
    snprintf(prefix, sizeof(prefix), "softhal-%u-", (unsigned)getuid());
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        snprintf(path, sizeof(path), DOMAIN_FOLDER "/%s", entry->d_name);
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && strcmp(path, domain_path) != 0) {
            sweep_one(path);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

static bool claim_slot(void)
{
    domain_lock();
    reclaim();
    for (int s = 0; s < SLOTS && own == NULL; s++) {
        if (domain->slots[s].pid == 0) {
            own = &domain->slots[s];
            memset(own, 0, sizeof(*own)); /* its last owner may have died while tidying it up */
            own_pid = getpid();
            own->started = process_started(own_pid);
            own->image = own_image();
            own->pid = own_pid;
        }
    }
    domain_unlock();
    return own != NULL;
}

int domain_attach(struct config *config)
{
    snprintf(domain_path, sizeof(domain_path), DOMAIN_FOLDER "/softhal-%u-%s", (unsigned)getuid(), config->domain);
    int fd = open_locked();
    if (fd < 0 || ftruncate(fd, (off_t)sizeof(struct domain)) != 0) {
        complain("%s cannot be used: %s", domain_path, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    void *memory = mmap(NULL, sizeof(struct domain), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    bool ok = memory != MAP_FAILED;
    if (ok) {
        domain = memory;
        bool known = domain->magic == DOMAIN_MAGIC && domain->version == DOMAIN_VERSION;
        /* The seeded leak must survive a domain without live processes, or nobody could see it. */
        if (known && (anybody_alive(domain) || FAULT(leak_dead_process))) {
            ok = domain_adopt(config);
        } else {
            domain_create(config, fd);
        }
        if (ok && !claim_slot()) {
            complain("domain '%s' is full: %d processes", config->domain, (int)SLOTS);
            ok = false;
        }
    }
    if (!ok && domain != NULL) {
        munmap(domain, sizeof(struct domain));
        domain = NULL;
    }
    flock(fd, LOCK_UN); /* the mapping keeps the open file, and with it the lock, alive */
    close(fd);
    if (ok) {
        sweep();
    }
    return ok ? 0 : -1;
}

void domain_enter(void)
{
    domain_lock();
    (void)reclaim();
}

int own_slot(void)
{
    return (int)(own - domain->slots);
}

int slot_pid(int slot)
{
    return domain->slots[slot].pid;
}

uint64_t slot_started(int slot)
{
    return domain->slots[slot].started;
}

void domain_forget(void)
{
    if (domain != NULL) {
        munmap(domain, sizeof(struct domain));
    }
    domain = NULL;
    own = NULL;
}

static uint64_t used_of(unsigned node)
{
    return domain->used[node][CLASS_SMALL] + domain->used[node][CLASS_HUGE] + domain->used[node][CLASS_GIANT];
}

static bool fits(unsigned node, uint64_t bytes)
{
    uint64_t used = used_of(node);
    return used <= domain->capacity[node] && bytes <= domain->capacity[node] - used;
}

int domain_take(unsigned node, enum page_class class, uint64_t bytes)
{
    domain_lock();
    bool ok = fits(node, bytes) || (reclaim() && fits(node, bytes));
    if (ok) {
        own->used[node][class] += bytes;
        domain->used[node][class] += bytes;
    }
    domain_unlock();
    return ok ? 0 : -1;
}

void domain_give(unsigned node, enum page_class class, uint64_t bytes)
{
    domain_lock();
    own->used[node][class] -= bytes;
    domain->used[node][class] -= bytes;
    domain_unlock();
}

uint64_t domain_in_use(unsigned node)
{
    domain_lock();
    uint64_t used = used_of(node);
    domain_unlock();
    return used;
}

#ifdef SOFTHAL_FAULTS
void domain_overrun(unsigned node, enum page_class class, uint64_t bytes)
{
    domain_lock();
    own->used[node][class] += bytes;
    domain->used[node][class] += bytes;
    domain_unlock();
}
#endif

void slot_uncharge(unsigned node, enum page_class class, uint64_t bytes)
{
    own->used[node][class] -= bytes;
}

void domain_usage(unsigned node, struct usage *usage)
{
    domain_lock();
    reclaim();
    usage->capacity = domain->capacity[node];
    memcpy(usage->used, domain->used[node], sizeof(usage->used));
    domain_unlock();
}

/* An orderly exit gives everything back; the last one takes the file away.  After all other destructors of
 * the driver: they may still use the domain. */
static void __attribute__((destructor(101))) domain_detach(void)
{
    if (domain == NULL || own == NULL || own_pid != getpid()) {
        return;
    }
    int fd = open_locked();
    domain_lock();
    shares_leave(own_slot(), -1);
    peerings_leave(own_slot());
    memset(own, 0, sizeof(*own));
    domain_sum_up();
    domain_unlock();
    own = NULL;
    if (fd >= 0) {
        if (!FAULT(leak_dead_process) && !anybody_alive(domain)) {
            unlink(domain_path);
        }
        close(fd);
    }
}
