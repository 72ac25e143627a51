/* event.c - points in streams that other streams and the host can wait for. */
#include <stdlib.h>

#include "internal.h"

struct event {
    struct object object;
    struct timeline *line; /* NULL until it is recorded */
    uint64_t position;
    struct clock clock;
};
struct waiting {
    struct task task;
    struct timeline *line;
    uint64_t position;
};

static aclError nothing(struct task *task, struct stream *stream)
{
    (void)task;
    (void)stream;
    return ACL_SUCCESS;
}

static aclError run_wait(struct task *task, struct stream *stream)
{
    const struct waiting *waiting = (struct waiting *)task;
    lock();
    while (waiting->line->done < waiting->position && !stream->given_up) {
        pthread_cond_wait(&rt.progress, &rt.lock);
    }
    unlock();
    return ACL_SUCCESS;
}

static void drop_wait(struct task *task)
{
    lock();
    timeline_drop(((struct waiting *)task)->line);
    unlock();
}

struct task *wait_task(struct timeline *line, uint64_t position)
{
    struct waiting *waiting = calloc(1, sizeof(*waiting));
    if (waiting == NULL) {
        return NULL;
    }
    waiting->task.run = run_wait;
    waiting->task.drop = drop_wait;
    waiting->line = timeline_hold(line);
    waiting->position = position;
    return &waiting->task;
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
    struct context *context = NULL;
    if (event == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "event is NULL");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct event *made = calloc(1, sizeof(*made));
    if (made != NULL) {
        object_add(&made->object, OBJECT_EVENT);
        *event = made;
    }
    unlock();
    return made == NULL ? ACL_ERROR_RT_NO_EVENT_RESOURCE : ACL_SUCCESS;
}

/* A live event, locked; 100000 for NULL, 107017 for a stale handle. */
static aclError find(aclrtEvent handle, struct event **event)
{
    if (handle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "event is NULL");
    }
    lock();
    *event = object_find(handle, OBJECT_EVENT);
    if (*event == NULL) {
        unlock();
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "this is no live event");
    }
    return ACL_SUCCESS;
}

aclError aclrtDestroyEvent(aclrtEvent handle)
{
    struct event *event = NULL;
    aclError code = find(handle, &event);
    if (code == ACL_SUCCESS) {
        object_remove(&event->object);
        timeline_drop(event->line);
        clock_free(&event->clock);
        free(event);
        unlock();
    }
    return code;
}

static void capture(struct event *event, struct stream *stream)
{
    timeline_drop(event->line);
    event->line = timeline_hold(stream->line);
    event->position = stream->line->issued;
    event->clock.count = 0;
    (void)clock_join(&event->clock, &stream->clock);
}

/* Both directions between an event and a stream ask for the same things. */
static aclError find_both(aclrtEvent handle, aclrtStream stream_handle, struct event **event, struct stream **stream)
{
    aclError code = find(handle, event);
    if (code != ACL_SUCCESS) {
        return code;
    }
    unlock();
    code = enter_stream(stream_handle, stream);
    if (code == ACL_SUCCESS && object_find(handle, OBJECT_EVENT) == NULL) {
        unlock();
        code = ACL_ERROR_RT_INVALID_HANDLE;
    }
    return code;
}

aclError aclrtRecordEvent(aclrtEvent handle, aclrtStream stream_handle)
{
    struct event *event = NULL;
    struct stream *stream = NULL;
    struct task *task = calloc(1, sizeof(*task));
    aclError code = task == NULL ? ACL_ERROR_RT_NO_EVENT_RESOURCE : find_both(handle, stream_handle, &event, &stream);
    if (code != ACL_SUCCESS) {
        free(task);
        return code;
    }
    task->run = nothing;
    task->always = true;
    if (!stream_push(stream, task)) {
        code = ACL_ERROR_RT_NO_EVENT_RESOURCE;
    } else if (event->line == NULL || !FAULT(event_first_record)) {
        capture(event, stream);
        if (FAULT(event_record_early)) {
            event->position = event->position > 2 ? event->position - 2 : 0;
        }
    }
    unlock();
    return code;
}

aclError aclrtStreamWaitEvent(aclrtStream stream_handle, aclrtEvent handle)
{
    struct event *event = NULL;
    struct stream *stream = NULL;
    aclError code = find_both(handle, stream_handle, &event, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (event->line != NULL) { /* what was never recorded holds nobody up */
        struct task *task = wait_task(event->line, FAULT(event_wait_lost) ? 0 : event->position);
        bool pushed = task != NULL && stream_push(stream, task);
        code = pushed ? ACL_SUCCESS : ACL_ERROR_RT_NO_EVENT_RESOURCE;
        if (pushed) {
            (void)clock_join(&stream->clock, &event->clock);
        }
    }
    unlock();
    return code;
}

static aclError synchronize(aclrtEvent handle, int32_t timeout)
{
    struct event *event = NULL;
    aclError code = find(handle, &event);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (current() == NULL) {
        code = fail(ACL_ERROR_RT_CONTEXT_NULL, "the thread has no context");
    } else if (event->line != NULL) {
        /* Destroying the event meanwhile is allowed. */
        struct timeline *line = timeline_hold(event->line);
        uint64_t position = event->position;
        if (wait_for(line, position, timeout)) {
            (void)clock_raise(&rt.host, line->number, position);
            pools_synchronised();
        } else {
            code = ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
        }
        timeline_drop(line);
    }
    unlock();
    return code;
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    return synchronize(event, -1);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    if (timeout < -1) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "timeout is below -1");
    }
    return synchronize(event, timeout);
}

aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus *status)
{
    struct event *event = NULL;
    if (status == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "status is NULL");
    }
    aclError code = find(handle, &event);
    if (code == ACL_SUCCESS) {
        bool done = event->line != NULL && event->line->done >= event->position;
        *status = done ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
        unlock();
    }
    return code;
}
