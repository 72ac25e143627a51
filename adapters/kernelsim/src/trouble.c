/* trouble.c - KERNELSIM_FAULT=KIND:NUMBER makes commands fail, or take their time.
 *
 * KIND           what happens
 * out-of-memory  every NUMBER-th command that takes memory answers ENOMEM
 * interrupted    every NUMBER-th command answers EINTR
 * again          every NUMBER-th command answers EAGAIN
 * fails-once     the NUMBER-th command of a process answers EFAULT
 * slow           every command takes NUMBER milliseconds more
 * lost           from the NUMBER-th command of a process on, those about devices answer ENODEV
 *
 * KERNELSIM_FAULT=mistakes makes the kernel as wrong as its public modules are; see kernel_errs().
 */
#include "trouble.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assumed.h"

enum kind { NONE, OUT_OF_MEMORY, INTERRUPTED, AGAIN, FAILS_ONCE, SLOW, LOST, MISTAKES };

static const char *const names[] = {
    "", "out-of-memory", "interrupted", "again", "fails-once", "slow", "lost"};
static const char mistakes[] = "mistakes";

static enum kind kind;
static unsigned long number;
static unsigned long commands;
static unsigned long takers;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_setting(void)
{
    const char *text = getenv("KERNELSIM_FAULT");
    if (text == NULL || *text == '\0') {
        return;
    }
    if (strcmp(text, mistakes) == 0) {
        kind = MISTAKES;
        return;
    }
    size_t length = strcspn(text, ":");
    char *end = NULL;
    number = text[length] == ':' ? strtoul(text + length + 1, &end, 10) : 0;
    for (int i = OUT_OF_MEMORY; i <= LOST; i++) {
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) {
            kind = (enum kind)i;
        }
    }
    if (kind == NONE || number == 0 || *end != '\0') {
        fprintf(stderr, "kernelsim: KERNELSIM_FAULT=%s: expected a kind and a number, as in lost:40\n",
                text);
        kind = NONE;
    }
}

static void take_time(void)
{
    struct timespec pause = {(time_t)(number / 1000), (long)(number % 1000) * 1000000};
    nanosleep(&pause, NULL);
}

static int failure(bool takes, bool device)
{
    bool turn = commands % number == 0;
    switch (kind) {
    case OUT_OF_MEMORY:
        return takes && takers % number == 0 ? ENOMEM : 0;
    case INTERRUPTED:
        return turn ? EINTR : 0;
    case AGAIN:
        return turn ? EAGAIN : 0;
    case FAILS_ONCE:
        return commands == number ? EFAULT : 0;
    case LOST:
        return device && commands >= number ? ENODEV : 0;
    default:
        take_time();
        return 0;
    }
}

int trouble_on_device(bool takes)
{
    pthread_once(&once, read_setting);
    return kind == INTERRUPTED || kind == AGAIN ? 0 : trouble_now(takes, true);
}

int trouble_now(bool takes, bool device)
{
    pthread_once(&once, read_setting);
    if (kind == NONE || kind == MISTAKES) {
        return 0;
    }
    commands++;
    takers += takes ? 1 : 0;
    int failed = failure(takes, device);
    if (failed != 0) {
        note_trouble(kind == LOST);
    }
    return failed;
}

bool kernel_errs(void)
{
    pthread_once(&once, read_setting);
    return kind == MISTAKES;
}
