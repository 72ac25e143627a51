/* domain.c - joining, leaving, and noticing who died. */
#include "domain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "real.h"
#include "store.h"

#define LAYOUT (UINT64_C(0x6b73696d00000000) + sizeof(struct domain))

static struct domain *tables;
static unsigned own = MEMBERS_MOST;
static pid_t own_pid;
static pthread_mutex_t joining = PTHREAD_MUTEX_INITIALIZER;

uint64_t process_start(pid_t pid)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    int fd = real_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) {
        return 0;
    }
    ssize_t length = read(fd, text, sizeof(text) - 1);
    real_close(fd);
    if (length <= 0) {
        return 0;
    }
    text[length] = '\0';
    /* The name is in parentheses and may hold anything, so fields are counted from its end. */
    const char *at = strrchr(text, ')');
    if (at == NULL || at[2] == 'Z' || at[2] == 'X') {
        return 0;
    }
    at += 2;
    for (int field = 3; field < 22 && at != NULL; field++) {
        at = strchr(at + 1, ' ');
    }
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}

static bool alive(const struct member *member)
{
    return member->pid != 0 && process_start(member->pid) == member->start;
}

/* Drop whatever a member holds; the lock is held. */
static void bury(struct domain *domain, unsigned member)
{
    names_bury(domain, domain->members[member].pid, domain->members[member].start);
    for (uint32_t hold = 1; hold < HOLDS_MOST; hold++) {
        if (domain->holds[hold].object != NOTHING && domain->holds[hold].member == member) {
            hold_drop(domain, hold);
        }
    }
    for (unsigned node = 0; node < NODES; node++) {
        domain->nodes[node].used -= domain->members[member].loose[node];
    }
    domain->members[member] = (struct member){0};
    domain->live--;
}

bool domain_sweep(struct domain *domain)
{
    bool found = false;
    for (unsigned i = 0; i < MEMBERS_MOST; i++) {
        if (i != own && domain->members[i].pid != 0 && !alive(&domain->members[i])) {
            bury(domain, i);
            found = true;
        }
    }
    return found;
}

struct domain *domain_lock(void)
{
    if (pthread_mutex_lock(&tables->lock) == EOWNERDEAD) {
        pthread_mutex_consistent(&tables->lock);
        domain_sweep(tables);
    }
    return tables;
}

void domain_unlock(void)
{
    pthread_mutex_unlock(&tables->lock);
}

bool domain_joined(void)
{
    return own < MEMBERS_MOST && own_pid == getpid();
}

static void begin(struct domain *domain)
{
    const struct settings *set = settings();
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&domain->lock, &kind);
    pthread_mutexattr_destroy(&kind);
    for (unsigned i = 0; i < set->devices; i++) {
        domain->nodes[i].size = set->device_memory[i];
    }
    domain->nodes[NODE_HOST].size = set->host_memory;
    store_begin(domain);
    domain->layout = LAYOUT;
}

/* Open the store through a member that is alive; -1 if none is. */
static int store_of_others(const struct domain *domain)
{
    for (unsigned i = 0; i < MEMBERS_MOST; i++) {
        const struct member *member = &domain->members[i];
        if (member->pid != 0 && alive(member)) {
            char path[64];
            snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)member->pid, member->store);
            int fd = real_open(path, O_RDWR | O_CLOEXEC, 0);
            if (fd >= 0) {
                return fd;
            }
        }
    }
    return -1;
}

static int map_tables(int fd)
{
    if (ftruncate(fd, sizeof(struct domain)) != 0) {
        return errno;
    }
    void *at = real_mmap(NULL, sizeof(struct domain), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        return errno;
    }
    real_madvise(at, sizeof(struct domain), MADV_DONTFORK);
    tables = at;
    return 0;
}

static int enter(struct domain *domain)
{
    unsigned free = 0;
    while (free < MEMBERS_MOST && domain->members[free].pid != 0) {
        free++;
    }
    if (free == MEMBERS_MOST) {
        return EBUSY;
    }
    own_pid = getpid();
    domain->members[free] = 
        (struct member){.pid = own_pid, .start = process_start(own_pid), .store = store_fd()};
    domain->live++;
    own = free;
    return 0;
}

/* With the file locked: use the tables that are there, or begin afresh where nobody lives. */
static int join_locked(int fd)
{
    int failed = map_tables(fd);
    if (failed != 0) {
        return failed;
    }
    int store = -1;
    if (tables->layout == LAYOUT) {
        domain_lock();
        domain_sweep(tables);
        store = tables->live > 0 ? store_of_others(tables) : -1;
        domain_unlock();
    }
    bool fresh = store < 0;
    if (fresh) {
        if (ftruncate(fd, 0) != 0 || ftruncate(fd, sizeof(struct domain)) != 0) {
            return errno;
        }
    }
    failed = store_map(store);
    if (failed != 0) {
        return failed;
    }
    if (fresh) {
        begin(tables);
    }
    domain_lock();
    failed = enter(tables);
    domain_unlock();
    return failed;
}

int domain_join(void)
{
    int failed = 0;
    pthread_mutex_lock(&joining);
    if (!domain_joined()) {
        char path[192];
        snprintf(path, sizeof(path), "/dev/shm/kernelsim-%u-%s", (unsigned)getuid(),
                 settings()->domain);
        int fd = real_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0) {
            failed = errno;
        } else {
            failed = flock(fd, LOCK_EX) != 0 ? errno : join_locked(fd);
            /* The tables stay mapped, which keeps the file open, and the lock with it. */
            flock(fd, LOCK_UN);
            real_close(fd);
        }
        if (failed != 0) {
            fprintf(stderr, "kernelsim: %s: %s\n", path, strerror(failed));
        }
    }
    pthread_mutex_unlock(&joining);
    return failed;
}

void domain_forget(void)
{
    pthread_mutex_init(&joining, NULL);
    own = MEMBERS_MOST;
    tables = NULL;
    store_forget();
}

void domain_leave(void)
{
    if (!domain_joined()) {
        return;
    }
    struct domain *domain = domain_lock();
    bury(domain, own);
    own = MEMBERS_MOST;
    domain_unlock();
}

unsigned own_member(void)
{
    return own;
}
