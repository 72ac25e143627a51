/*
 * async.c - copies that run while the caller goes on (v2 only): a queue and one worker thread.
 *
 * A task is outstanding from its start until somebody has waited for it; until then it pins its blocks
 * and keeps the device from being closed.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define OUTSTANDING_MAX 65535U
#define SETTLE_STEPS 100
#define SETTLE_STEP_NANOSECONDS 10000000L
#define FAULT_DELAY_MICROSECONDS 50000

struct task {
    struct task *next;   /* in the queue of the worker */
    struct task *sibling; /* in the list of all outstanding ones */
    struct end to, from; /* their blocks are pinned, not used */
    uint64_t size;
    drvError_t code;
    bool done, abandoned;
};

static pthread_mutex_t tasks_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_arrived = PTHREAD_COND_INITIALIZER;
static pthread_cond_t work_done = PTHREAD_COND_INITIALIZER;
static struct task *queue_head, *queue_tail;
static struct task *outstanding;
static unsigned outstanding_count;
static bool worker_running;

static void unpin_ends(struct task *task)
{
    state_lock();
    if (task->to.block != NULL) {
        block_unpin(task->to.block);
    }
    if (task->from.block != NULL) {
        block_unpin(task->from.block);
    }
    state_unlock();
}

static void unlist(const struct task *task)
{
    struct task **link = &outstanding;
    while (*link != NULL && *link != task) {
        link = &(*link)->sibling;
    }
    if (*link != NULL) {
        *link = task->sibling;
        outstanding_count--;
    }
}

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&tasks_lock);
    for (;;) {
        while (queue_head == NULL) {
            pthread_cond_wait(&work_arrived, &tasks_lock);
        }
        struct task *task = queue_head;
        queue_head = task->next;
        pthread_mutex_unlock(&tasks_lock);
        if (FAULT(async_wait_early)) {
            usleep(FAULT_DELAY_MICROSECONDS);
        }
        drvError_t code = move_bytes(&task->to, &task->from, task->size);
        pthread_mutex_lock(&tasks_lock);
        /* A failing transfer is an internal error (DMA). */
        task->code = code == DRV_ERROR_NONE ? DRV_ERROR_NONE : DRV_ERROR_INNER_ERR;
        task->done = true;
        pthread_cond_broadcast(&work_done);
        if (task->abandoned) {
            pthread_mutex_unlock(&tasks_lock);
            unpin_ends(task);
            free(task);
            pthread_mutex_lock(&tasks_lock);
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

/* The forked child has no worker, and the tasks were its parent's. */
void tasks_forget(void)
{
    pthread_mutex_t fresh_lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t fresh_condition = PTHREAD_COND_INITIALIZER;
    tasks_lock = fresh_lock;
    work_arrived = fresh_condition;
    work_done = fresh_condition;
    queue_head = NULL;
    queue_tail = NULL;
    outstanding = NULL;
    outstanding_count = 0;
    worker_running = false;
}

drvError_t task_start(const struct end *to, const struct end *from, uint64_t size, struct task **result)
{
    struct task *task = calloc(1, sizeof(*task));
    if (task == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    task->to = *to;
    task->from = *from;
    task->size = size;
    pthread_mutex_lock(&tasks_lock);
    if (outstanding_count >= OUTSTANDING_MAX || !start_worker()) {
        pthread_mutex_unlock(&tasks_lock);
        free(task);
        return DRV_ERROR_NO_RESOURCES;
    }
    task->sibling = outstanding;
    outstanding = task;
    outstanding_count++;
    if (queue_head == NULL) {
        queue_head = task;
    } else {
        queue_tail->next = task;
    }
    queue_tail = task;
    pthread_cond_signal(&work_arrived);
    pthread_mutex_unlock(&tasks_lock);
    *result = task;
    return DRV_ERROR_NONE;
}

/* Waits for a task and ends it; the task must be outstanding. */
static drvError_t finish(struct task *task)
{
    if (FAULT(async_wait_early) && !task->done) {
        unlist(task);
        task->abandoned = true;
        pthread_mutex_unlock(&tasks_lock);
        return DRV_ERROR_NONE;
    }
    /* 5 s for each 64 KiB and 5 s more. */
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += (time_t)(5 * (task->size / (64 * KIB) + 1));
    while (!task->done) {
        if (pthread_cond_timedwait(&work_done, &tasks_lock, &limit) == ETIMEDOUT && !task->done) {
            pthread_mutex_unlock(&tasks_lock);
            return DRV_ERROR_WAIT_TIMEOUT;
        }
    }
    unlist(task);
    drvError_t code = task->code;
    pthread_mutex_unlock(&tasks_lock);
    unpin_ends(task);
    free(task);
    return code;
}

drvError_t task_wait(const struct task *wanted)
{
    pthread_mutex_lock(&tasks_lock);
    struct task *task = outstanding;
    while (task != NULL && task != wanted) {
        task = task->sibling;
    }
    if (task == NULL) {
        /* Waiting twice, or for a number made up, has no promised answer: refuse it safely. */
        pthread_mutex_unlock(&tasks_lock);
        return DRV_ERROR_NOT_EXIST;
    }
    return finish(task);
}

static bool concerns(const struct task *task, unsigned device)
{
    return (task->to.place == PLACE_DEVICE && task->to.device == device) ||
           (task->from.place == PLACE_DEVICE && task->from.device == device);
}

bool tasks_settle(unsigned device)
{
    for (int step = 0; step < SETTLE_STEPS; step++) {
        bool any = false;
        pthread_mutex_lock(&tasks_lock);
        for (const struct task *task = outstanding; task != NULL && !any; task = task->sibling) {
            any = concerns(task, device);
        }
        pthread_mutex_unlock(&tasks_lock);
        if (!any) {
            return true;
        }
        struct timespec pause_time = {0, SETTLE_STEP_NANOSECONDS};
        nanosleep(&pause_time, NULL);
    }
    return false;
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
    code = byte_count == 0 ? DRV_ERROR_PARA_ERROR : resolve_pair(dst, src, byte_count, &to, &from);
    if (code == DRV_ERROR_NONE) {
        drvMemcpyKind_t direction = direction_of(&to, &from);
        if (direction != DRV_MEMCPY_HOST_TO_DEVICE && direction != DRV_MEMCPY_DEVICE_TO_HOST) {
            code = DRV_ERROR_PARA_ERROR;
        }
        ends_pin(&to, &from, code == DRV_ERROR_NONE);
    }
    leave();
    struct task *task = NULL;
    if (code == DRV_ERROR_NONE) {
        code = task_start(&to, &from, byte_count, &task);
        if (code != DRV_ERROR_NONE) {
            struct task unstarted = {.to = to, .from = from};
            unpin_ends(&unstarted);
        }
    }
    if (code == DRV_ERROR_NONE) {
        *copy_fd = (uint64_t)(uintptr_t)task;
    }
    return code;
}

DVresult halMemCpyAsyncWaitFinish(uint64_t copy_fd)
{
    if (generation() == GEN_V3) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    return copy_fd == 0 ? DRV_ERROR_NOT_EXIST : task_wait((const struct task *)(uintptr_t)copy_fd);
}
