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
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define DOMAIN_MAGIC 0x736f667468616c31ULL
#define DOMAIN_VERSION 2U
#define DOMAIN_FOLDER "/dev/shm"
#define ABANDONED_SECONDS 60
enum { SLOTS = 256 };

struct slot {
    int32_t pid;
    uint32_t unused;
    uint64_t started;
    uint64_t image; /* changes with every exec */
    uint64_t used[NODES][CLASS_COUNT];
};

struct domain {
    uint64_t magic;
    uint32_t version;
    uint32_t profile;
    uint32_t devices;
    uint32_t unused;
    uint64_t capacity[NODES];
    uint64_t used[NODES][CLASS_COUNT]; /* the sum over all slots */
    pthread_mutex_t lock;
    struct slot slots[SLOTS];
};

static struct domain *domain;
static struct slot *own;
static pid_t own_pid;
static char domain_path[160];

/* Start time of a process in clock ticks since boot; 0 if there is no such process any more. */
static uint64_t process_started(pid_t pid)
{
    char path[64];
    char text[1024];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    ssize_t length = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (length <= 0) {
        return 0;
    }
    text[length] = '\0';
    /* The second field is a name in parentheses that may itself hold any character. */
    const char *rest = strrchr(text, ')');
    if (rest == NULL) {
        return 0;
    }
    char run_state = '?';
    long threads = 0;
    unsigned long long started = 0;
    int fields = sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu",
                        &run_state, &threads, &started);
    if (fields != 3) {
        return 0;
    }
    /* A killed process that its parent has not waited for holds no memory any more. */
    bool gone = (run_state == 'Z' || run_state == 'X') && threads <= 1;
    return gone ? 0 : started;
}

/* The kernel gives every program image random bytes of its own. */
static uint64_t own_image(void)
{
    uint64_t image = 0;
    const void *random = (const void *)getauxval(AT_RANDOM);
    if (random != NULL) {
        memcpy(&image, random, sizeof(image));
    }
    return image;
}

static bool slot_is_alive(const struct slot *slot)
{
    if (slot->pid == getpid()) { /* ours, or of the program that this process was before an exec */
        return slot->image == own_image();
    }
    return slot->pid != 0 && process_started(slot->pid) == slot->started;
}

static void sum_up(void)
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
            memset(slot, 0, sizeof(*slot));
            any = true;
        }
    }
    if (any) {
        sum_up();
    }
    return any;
}

static void domain_lock(void)
{
    if (pthread_mutex_lock(&domain->lock) == EOWNERDEAD) {
        /* Somebody died between two counters: the slots are the truth, the sum is not. */
        sum_up();
        pthread_mutex_consistent(&domain->lock);
    }
}

static void domain_unlock(void)
{
    pthread_mutex_unlock(&domain->lock);
}

static void domain_create(const struct config *config)
{
    pthread_mutexattr_t attributes;
    memset(domain, 0, sizeof(*domain));
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
            domain_create(config);
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

void domain_usage(unsigned node, struct usage *usage)
{
    domain_lock();
    reclaim();
    usage->capacity = domain->capacity[node];
    memcpy(usage->used, domain->used[node], sizeof(usage->used));
    domain_unlock();
}

/* An orderly exit gives everything back; the last one takes the file away. */
static void __attribute__((destructor)) domain_detach(void)
{
    if (domain == NULL || own == NULL || own_pid != getpid()) {
        return;
    }
    int fd = open_locked();
    domain_lock();
    memset(own, 0, sizeof(*own));
    sum_up();
    domain_unlock();
    own = NULL;
    if (fd >= 0) {
        if (!FAULT(leak_dead_process) && !anybody_alive(domain)) {
            unlink(domain_path);
        }
        close(fd);
    }
}
