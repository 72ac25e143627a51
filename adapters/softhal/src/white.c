/*
 * white.c - white lists: which processes may open a share.
 *
 * One hash table for all shares of the domain, by share and pid.  An entry is dead once its share is, and
 * is used again then.  An entry counts for a process only if that process was there before it was made,
 * so a later process that got the same number is a stranger (v2 svm_shmem_node.c, v3 mwl_core.c).
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "domain.h"

static bool is_dead(const struct white *white)
{
    return domain->shares[white->share & (SHARES - 1)].id != white->share;
}

static uint32_t first_place(uint64_t share, int pid)
{
    uint64_t key = share * 0x9e3779b97f4a7c15ULL + (uint64_t)(uint32_t)pid * 0xff51afd7ed558ccdULL;
    return (uint32_t)(key >> 40) & (WHITE_ENTRIES - 1);
}

static uint64_t now_in_ticks(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    uint64_t per_second = (uint64_t)sysconf(_SC_CLK_TCK);
    return (uint64_t)now.tv_sec * per_second + (uint64_t)now.tv_nsec * per_second / 1000000000U;
}

static struct white *find(uint64_t share, int pid, struct white **room)
{
    uint32_t at = first_place(share, pid);
    *room = NULL;
    for (uint32_t step = 0; step < WHITE_ENTRIES; step++, at = (at + 1) & (WHITE_ENTRIES - 1)) {
        struct white *white = &domain->whites[at];
        if (white->share == share && white->pid == pid) {
            return white;
        }
        if (*room == NULL && (white->share == 0 || is_dead(white))) {
            *room = white;
        }
        if (white->share == 0) {
            break;
        }
    }
    return NULL;
}

/* Dead entries make every search longer; when most of the table was used once, the living are entered anew. */
static void rebuild(void)
{
    struct white *living = malloc(sizeof(domain->whites));
    uint32_t count = 0;
    if (living == NULL) {
        return;
    }
    for (uint32_t i = 0; i < WHITE_ENTRIES; i++) {
        if (domain->whites[i].share != 0 && !is_dead(&domain->whites[i])) {
            living[count++] = domain->whites[i];
        }
    }
    memset(domain->whites, 0, sizeof(domain->whites));
    for (uint32_t i = 0; i < count; i++) {
        struct white *room = NULL;
        (void)find(living[i].share, living[i].pid, &room);
        *room = living[i];
    }
    domain->white_filled = count;
    free(living);
}

int white_add(struct share *share, int pid)
{
    struct white *room = NULL;
    struct white *white = find(share->id, pid, &room);
    if (white != NULL) {
        white->stamp = now_in_ticks();
        return 0;
    }
    if (domain->white_filled > WHITE_ENTRIES / 4 * 3) {
        rebuild();
        (void)find(share->id, pid, &room);
    }
    if (room == NULL) {
        return -1;
    }
    domain->white_filled += room->share == 0 ? 1 : 0;
    room->pid = pid;
    room->stamp = now_in_ticks();
    room->share = share->id;
    share->white_count++;
    return 0;
}

/* Seeded fault: numbers are compared as text, and only as far as the shorter one goes. */
static bool any_prefix(const struct share *share, int pid)
{
    for (uint32_t i = 0; i < WHITE_ENTRIES; i++) {
        const struct white *white = &domain->whites[i];
        for (int rest = pid; white->share == share->id && rest > 0; rest /= 10) {
            if (white->pid == rest) {
                return true;
            }
        }
    }
    return false;
}

bool white_allows(const struct share *share)
{
    struct white *room = NULL;
    int pid = slot_pid(own_slot());
    const struct white *white = find(share->id, pid, &room);
    if (FAULT(white_prefix) && any_prefix(share, pid)) {
        return true;
    }
    return white != NULL && slot_started(own_slot()) <= white->stamp;
}

bool share_permits(const struct share *share)
{
    if (share->no_white_list != 0 || FAULT(white_ignored)) {
        return true;
    }
    return (generation() == GEN_V3 && share->owner == own_slot()) || white_allows(share);
}
