/* admitted.c - white lists, and what becomes of shared things when their owner dies. */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "domain.h"

/* Now, in the clock in which the system tells when processes started. */
static uint64_t ticks(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    uint64_t each = (uint64_t)sysconf(_SC_CLK_TCK);
    return (uint64_t)now.tv_sec * each + (uint64_t)now.tv_nsec * each / 1000000000;
}

uint64_t admitted_since(const struct domain *domain, uint32_t first, int32_t pid)
{
    for (uint32_t at = first; at != 0; at = domain->admitted[at].next) {
        if (domain->admitted[at].pid == pid) {
            return domain->admitted[at].since;
        }
    }
    return 0;
}

int admit(struct domain *domain, uint32_t *first, int32_t pid)
{
    for (uint32_t at = *first; at != 0; at = domain->admitted[at].next) {
        if (domain->admitted[at].pid == pid) {
            domain->admitted[at].since = ticks();
            return 0;
        }
    }
    uint32_t fresh = domain->free_admitted;
    if (fresh == 0) {
        return ENOMEM;
    }
    domain->free_admitted = domain->admitted[fresh].next;
    domain->admitted[fresh] = (struct admitted){pid, *first, ticks()};
    *first = fresh;
    return 0;
}

void admit_nobody(struct domain *domain, uint32_t *first)
{
    while (*first != 0) {
        uint32_t gone = *first;
        *first = domain->admitted[gone].next;
        domain->admitted[gone] = (struct admitted){0, domain->free_admitted, 0};
        domain->free_admitted = gone;
    }
}

void share_bury(struct domain *domain, uint32_t row)
{
    struct share *share = &domain->shares[row];
    admit_nobody(domain, &share->admitted);
    share->used = false;
}

void names_bury(struct domain *domain, int32_t pid, uint64_t start)
{
    for (unsigned i = 0; i < NAMES_MOST; i++) {
        struct name *name = &domain->names[i];
        if (name->used && name->pid == pid && name->start == start) {
            admit_nobody(domain, &name->admitted);
            name->used = false;
        }
    }
}
