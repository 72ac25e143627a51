/*
 * async.c - copies that run while the caller goes on (v2 only): a queue and one worker thread.
 *
 * A job is outstanding from its start until somebody has waited for it; until then it pins its blocks
 * and keeps the device from being closed.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "caprice.h"
#include "internal.h"

#define OUTSTANDING_MAX 65535U
#define SETTLE_STEPS 100
#define SETTLE_STEP_NANOSECONDS 10000000L
#define FAULT_DELAY_MICROSECONDS 50000

struct job {
    struct job *next;   /* in the queue of the worker */
    struct job *sibling; /* in the list of all outstanding ones */
    struct end to, from; /* their blocks are pinned, not used */
    uint64_t size;
    drvError_t code;
    bool done, abandoned;
};

static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_arrived = PTHREAD_COND_INITIALIZER;
static pthread_cond_t work_done = PTHREAD_COND_INITIALIZER;
static struct job *queue_head, *queue_tail;
static struct job *outstanding;
static unsigned outstanding_count;
static bool worker_running;

static void unpin_locked(struct end *to, struct end *from)
{
    end_unpin(to);
    end_unpin(from);
}

/* Takes a job out of the list of outstanding ones; false if it is not there. */
static bool unlist(const struct job *job)
{
    struct job **link = &outstanding;
    while (*link != NULL && *link != job) {
        link = &(*link)->sibling;
    }
    if (*link == NULL) {
        return false;
    }
    *link = job->sibling;
    outstanding_count--;
    return true;
}

/* The job leaves the list and its blocks in one step, so that a close sees both or neither. */
static bool retire(struct job *job)
{
    state_lock();
    pthread_mutex_lock(&jobs_lock);
    bool listed = unlist(job);
    pthread_mutex_unlock(&jobs_lock);
    if (listed) {
        unpin_locked(&job->to, &job->from);
    }
    state_unlock();
    return listed;
}

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&jobs_lock);
    for (;;) {
        while (queue_head == NULL) {
            pthread_cond_wait(&work_arrived, &jobs_lock);
        }
        struct job *job = queue_head;
        queue_head = job->next;
        pthread_mutex_unlock(&jobs_lock);
        if (FAULT(async_wait_early)) {
            usleep(FAULT_DELAY_MICROSECONDS);
        }
        drvError_t code = move_bytes(&job->to, &job->from, job->size);
        pthread_mutex_lock(&jobs_lock);
        /* A failing transfer is an internal error (DMA). */
        job->code = code == DRV_ERROR_NONE ? DRV_ERROR_NONE : DRV_ERROR_INNER_ERR;
        job->done = true;
        pthread_cond_broadcast(&work_done);
        if (job->abandoned) {
            pthread_mutex_unlock(&jobs_lock);
            (void)retire(job);
            free(job);
            pthread_mutex_lock(&jobs_lock);
        }
    }
    return NULL;
}

static bool start_worker(void)
{
    pthread_t thread;
    if (!worker_running && pthread_create(&thread, NULL, worker, NULL) == 0) {
        pthread_detach(thread);
        worker_running = true;
    }
    return worker_running;
}

/* The forked child has no worker, and the jobs were its parent's. */
void jobs_forget(void)
{
    pthread_mutex_t fresh_lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t fresh_condition = PTHREAD_COND_INITIALIZER;
    jobs_lock = fresh_lock;
    work_arrived = fresh_condition;
    work_done = fresh_condition;
    queue_head = NULL;
    queue_tail = NULL;
    outstanding = NULL;
    outstanding_count = 0;
    worker_running = false;
}

static bool device_closing(const struct end *end)
{
    return end->place == PLACE_DEVICE && state.device[end->device].closing;
}

/* Enters the job in both lists; false if there are too many or no thread can be had. */
static bool enqueue(struct job *job)
{
    pthread_mutex_lock(&jobs_lock);
    bool ok = outstanding_count < OUTSTANDING_MAX && start_worker();
    if (ok) {
        job->sibling = outstanding;
        outstanding = job;
        outstanding_count++;
        if (queue_head == NULL) {
            queue_head = job;
        } else {
            queue_tail->next = job;
        }
        queue_tail = job;
        pthread_cond_signal(&work_arrived);
    }
    pthread_mutex_unlock(&jobs_lock);
    return ok;
}

drvError_t job_start(struct end *to, struct end *from, uint64_t size, struct job **result)
{
    drvError_t code = device_closing(to) || device_closing(from) ? DRV_ERROR_IOCRL_FAIL : DRV_ERROR_NONE;
    struct job *job = code == DRV_ERROR_NONE ? calloc(1, sizeof(*job)) : NULL;
    if (code == DRV_ERROR_NONE && job == NULL) {
        code = DRV_ERROR_OUT_OF_MEMORY;
    }
    ends_pin(to, from, code == DRV_ERROR_NONE);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    job->to = *to;
    job->from = *from;
    job->size = size;
    if (!enqueue(job)) {
        unpin_locked(to, from);
        free(job);
        return DRV_ERROR_NO_RESOURCES;
    }
    *result = job;
    return DRV_ERROR_NONE;
}

/* Waits until a listed job is done; jobs_lock is held on entry and released. */
static drvError_t await(struct job *job)
{
    drvError_t code = DRV_ERROR_NONE;
    struct timespec limit;
    /* 5 s for each 64 KiB and 5 s more. */
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += (time_t)(5 * (job->size / (64 * KIB) + 1));
    while (!job->done && code == DRV_ERROR_NONE) {
        if (pthread_cond_timedwait(&work_done, &jobs_lock, &limit) == ETIMEDOUT && !job->done) {
            code = DRV_ERROR_WAIT_TIMEOUT;
        }
    }
    pthread_mutex_unlock(&jobs_lock);
    return code;
}

drvError_t job_wait(const struct job *wanted)
{
    pthread_mutex_lock(&jobs_lock);
    struct job *job = outstanding;
    while (job != NULL && (job != wanted || job->abandoned)) {
        job = job->sibling;
    }
    if (job == NULL) {
        /* Waiting twice, or for a number made up, has no promised answer: refuse it safely. */
        pthread_mutex_unlock(&jobs_lock);
        return DRV_ERROR_NOT_EXIST;
    }
    if (FAULT(async_wait_early) && !job->done) {
        job->abandoned = true;
        pthread_mutex_unlock(&jobs_lock);
        return DRV_ERROR_NONE;
    }
    drvError_t code = await(job);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = job->code;
    if (!retire(job)) {
        return DRV_ERROR_NOT_EXIST;
    }
    free(job);
    return code;
}

static bool concerns(const struct job *job, unsigned device)
{
    return (job->to.place == PLACE_DEVICE && job->to.device == device) ||
           (job->from.place == PLACE_DEVICE && job->from.device == device);
}

bool jobs_settle(unsigned device)
{
    for (int step = 0; step < SETTLE_STEPS; step++) {
        bool any = false;
        pthread_mutex_lock(&jobs_lock);
        for (const struct job *job = outstanding; job != NULL && !any; job = job->sibling) {
            any = concerns(job, device);
        }
        pthread_mutex_unlock(&jobs_lock);
        if (!any) {
            return true;
        }
        struct timespec pause_time = {0, SETTLE_STEP_NANOSECONDS};
        nanosleep(&pause_time, NULL);
    }
    return false;
}

/* A machine may have no asynchronous copies (SVM-ASYNC-010), or no memory to start one (SVM-ASYNC-009). */
static drvError_t caprice_async(void)
{
    if (caprice_reads(LACKS_ASYNC)) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    return caprice_short() ? DRV_ERROR_OUT_OF_MEMORY : DRV_ERROR_NONE;
}

DVresult halMemCpyAsync(DVdeviceptr dst, size_t dest_max, DVdeviceptr src, size_t byte_count, uint64_t *copy_fd)
{
    struct end to;
    struct end from;
    if (generation() == GEN_V3) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (dest_max < byte_count || copy_fd == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter_direct();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct job *job = NULL;
    code = byte_count == 0 ? DRV_ERROR_PARA_ERROR : resolve_pair(dst, src, byte_count, &to, &from);
    if (code == DRV_ERROR_NONE) {
        drvMemcpyKind_t direction = direction_of(&to, &from);
        if (direction == DRV_MEMCPY_HOST_TO_DEVICE || direction == DRV_MEMCPY_DEVICE_TO_HOST) {
            code = caprice_async();
            if (code == DRV_ERROR_NONE) {
                code = job_start(&to, &from, byte_count, &job);
            } else {
                ends_pin(&to, &from, false);
            }
        } else {
            ends_pin(&to, &from, false);
            code = DRV_ERROR_PARA_ERROR;
        }
    }
    leave();
    if (code == DRV_ERROR_NONE) {
        *copy_fd = (uint64_t)(uintptr_t)job;
    }
    return code;
}

DVresult halMemCpyAsyncWaitFinish(uint64_t copy_fd)
{
    if (generation() == GEN_V3) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    return copy_fd == 0 ? DRV_ERROR_NOT_EXIST : job_wait((const struct job *)(uintptr_t)copy_fd);
}
