/*
 * uvm_scan.c - the thread that looks for pages that a device has not used for a while.
 *
 * Above the lower watermark it looks rarely and takes only what is old; above the upper one it looks often
 * and takes what was not used between two looks.  It sleeps while no managed page is on a device.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "uvm.h"

/* Looks between which a device under mild pressure is left alone, and what counts as old there. */
#define RARELY 4U
#define OLD_WHEN_RARE 3U
#define OLD_WHEN_OFTEN 1U

static pthread_mutex_t wake_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool running, ending, work;

static uint64_t mark(uint64_t capacity, unsigned percent)
{
    return capacity / 100 * percent + capacity % 100 * percent / 100;
}

/* One tick; false if there is no page to watch. */
static bool look_at_devices(unsigned tick)
{
    const struct config *config = config_get();
    bool any = false;
    uvm_lock();
    for (unsigned device = 0; device < config->devices; device++) {
        if (uvm_frame_count(device) == 0) {
            continue;
        }
        any = true;
        uint64_t low = mark(config->capacity[device], config->uvm_low);
        uint64_t high = mark(config->capacity[device], config->uvm_high);
        uint64_t used = domain_in_use(device);
        if (used > high) {
            uvm_scan(device, OLD_WHEN_OFTEN, low);
        } else if (used > low && tick % RARELY == 0) {
            uvm_scan(device, OLD_WHEN_RARE, low);
        }
    }
    uvm_unlock();
    return any;
}

static struct timespec after(unsigned milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += (long)milliseconds * 1000000L;
    time.tv_sec += time.tv_nsec / 1000000000L;
    time.tv_nsec %= 1000000000L;
    return time;
}

static void *scan(void *unused)
{
    unsigned period = config_get()->uvm_scan;
    pthread_mutex_lock(&wake_lock);
    for (unsigned tick = 0; !ending; tick++) {
        struct timespec until = after(period);
        while (!ending && pthread_cond_timedwait(&wake, &wake_lock, &until) != ETIMEDOUT) {
        }
        if (ending) {
            break;
        }
        work = false;
        pthread_mutex_unlock(&wake_lock);
        bool any = look_at_devices(tick);
        pthread_mutex_lock(&wake_lock);
        while (!any && !work && !ending) {
            pthread_cond_wait(&wake, &wake_lock);
        }
    }
    pthread_mutex_unlock(&wake_lock);
    return unused;
}

static void start(void)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all); /* the program's signals are for its own threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    running = pthread_create(&thread, NULL, scan, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void uvm_scan_wake(void)
{
    if (config_get()->uvm_scan == 0) {
        return;
    }
    pthread_mutex_lock(&wake_lock);
    if (!running && !ending) {
        start();
    }
    if (!work) {
        work = true;
        pthread_cond_signal(&wake);
    }
    pthread_mutex_unlock(&wake_lock);
}

void uvm_scan_after_fork(void)
{
    pthread_mutex_t fresh_lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t fresh_wake = PTHREAD_COND_INITIALIZER;
    wake_lock = fresh_lock;
    wake = fresh_wake;
    running = false;
    work = false;
}

/* Before the domain is left (domain.c), or the thread would look at counters that are gone. */
static void __attribute__((destructor)) end_scan(void)
{
    pthread_mutex_lock(&wake_lock);
    ending = true;
    bool join = running;
    running = false;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&wake_lock);
    if (join) {
        pthread_join(thread, NULL);
    }
}
