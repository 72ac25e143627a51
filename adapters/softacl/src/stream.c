/* stream.c - queues of tasks: their life, and the host's waiting for them. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "internal.h"

struct stream *stream_new(struct context *context)
{
    struct stream *stream = calloc(1, sizeof(*stream));
    struct timeline *line = timeline_new();
    if (stream == NULL || line == NULL) {
        free(stream);
        timeline_drop(line);
        return NULL;
    }
    stream->line = line;
    stream->context = context;
    stream->device = context->device;
    pthread_cond_init(&stream->work, NULL);
    object_add(&stream->object, OBJECT_STREAM);
    stream->next = rt.streams;
    rt.streams = stream;
    return stream;
}

void stream_free(struct stream *stream)
{
    clock_free(&stream->clock);
    timeline_drop(stream->line);
    pthread_cond_destroy(&stream->work);
    free(stream);
}

static void take_out(struct stream *stream)
{
    struct stream **link = &rt.streams;
    while (*link != stream) {
        link = &(*link)->next;
    }
    *link = stream->next;
    object_remove(&stream->object);
}

/* Its worker runs on by itself: it finishes what it is doing, skips the rest and takes the stream away. */
static void give_up(struct stream *stream)
{
    while (stream->users > 0) {
        stream->given_up = true;
        pthread_cond_broadcast(&rt.progress);
        pthread_cond_wait(&rt.progress, &rt.lock);
    }
    stream->given_up = true;
    stream->closing = true;
    if (!stream->started) {
        stream_free(stream);
        return;
    }
    rt.device[stream->device].running++;
    pthread_detach(stream->worker);
    pthread_cond_signal(&stream->work);
    pthread_cond_broadcast(&rt.progress);
}

void stream_end(struct stream *stream, bool wait)
{
    take_out(stream);
    if (!wait || FAULT(destroy_loses_work)) {
        give_up(stream);
        return;
    }
    while (stream->line->done < stream->line->issued || stream->users > 0) {
        pthread_cond_wait(&rt.progress, &rt.lock);
    }
    stream->closing = true;
    if (stream->started) {
        pthread_t worker = stream->worker;
        pthread_cond_signal(&stream->work);
        unlock();
        pthread_join(worker, NULL);
        lock();
    }
    stream_free(stream);
}

aclError enter_stream(aclrtStream handle, struct stream **stream)
{
    lock();
    struct context *context = current();
    *stream = handle == NULL ? NULL : object_find(handle, OBJECT_STREAM);
    aclError code = ACL_SUCCESS;
    if (handle != NULL && *stream == NULL) {
        code = fail(ACL_ERROR_RT_INVALID_HANDLE, "this is no live stream");
    } else if (context == NULL) {
        code = fail(ACL_ERROR_RT_CONTEXT_NULL, "the thread has no context");
    } else if (handle == NULL) {
        *stream = context->default_stream;
    } else if ((*stream)->context != context) {
        code = fail(ACL_ERROR_RT_STREAM_CONTEXT, "the stream belongs to another context");
    }
    if (code != ACL_SUCCESS) {
        unlock();
    }
    return code;
}

static struct timespec deadline_in(int32_t milliseconds)
{
    struct timespec when;
    clock_gettime(CLOCK_MONOTONIC, &when);
    when.tv_sec += milliseconds / 1000;
    when.tv_nsec += (long)(milliseconds % 1000) * 1000000L;
    when.tv_sec += when.tv_nsec / 1000000000L;
    when.tv_nsec %= 1000000000L;
    return when;
}

bool wait_for(const struct timeline *line, uint64_t position, int32_t timeout)
{
    struct timespec deadline = deadline_in(timeout < 0 ? 0 : timeout);
    while (line->done < position) {
        if (timeout < 0) {
            pthread_cond_wait(&rt.progress, &rt.lock);
        } else if (pthread_cond_timedwait(&rt.progress, &rt.lock, &deadline) == ETIMEDOUT) {
            return line->done >= position;
        }
    }
    return true;
}

aclError stream_wait(struct stream *stream, int32_t timeout)
{
    struct timeline *line = timeline_hold(stream->line);
    uint64_t position = line->issued;
    if (FAULT(sync_early) && position > 0) {
        position--;
    }
    stream->users++;
    bool reached = wait_for(line, position, timeout);
    aclError code = reached ? stream->error : ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    if (reached) {
        stream->error = ACL_SUCCESS;
        (void)clock_raise(&rt.host, line->number, position);
        pools_synchronised();
    }
    timeline_drop(line);
    stream->users--;
    pthread_cond_broadcast(&rt.progress);
    return code;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
    struct context *context = NULL;
    if (stream == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "stream is NULL");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct stream *made = stream_new(context);
    unlock();
    if (made == NULL) {
        return ACL_ERROR_RT_NO_STREAM_RESOURCE;
    }
    *stream = made;
    return ACL_SUCCESS;
}

static aclError destroy(aclrtStream handle, bool wait)
{
    struct stream *stream = NULL;
    if (handle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "stream is NULL");
    }
    aclError code = enter_stream(handle, &stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (stream == stream->context->default_stream) {
        code = ACL_ERROR_RT_PARAM_INVALID;
    } else {
        stream_end(stream, wait);
    }
    unlock();
    return code;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    return destroy(stream, true);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    return destroy(stream, false);
}

/* A stream of another context is allowed here. */
static aclError find_any(aclrtStream handle, struct stream **stream)
{
    lock();
    struct context *context = current();
    *stream = handle == NULL ? NULL : object_find(handle, OBJECT_STREAM);
    aclError code = ACL_SUCCESS;
    if (handle != NULL && *stream == NULL) {
        code = fail(ACL_ERROR_RT_INVALID_HANDLE, "this is no live stream");
    } else if (context == NULL) {
        code = fail(ACL_ERROR_RT_CONTEXT_NULL, "the thread has no context");
    } else if (handle == NULL) {
        *stream = context->default_stream;
    }
    if (code != ACL_SUCCESS) {
        unlock();
    }
    return code;
}

static aclError synchronize(aclrtStream handle, int32_t timeout)
{
    struct stream *stream = NULL;
    aclError code = find_any(handle, &stream);
    if (code == ACL_SUCCESS) {
        code = stream_wait(stream, timeout);
        unlock();
    }
    return code;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    return synchronize(stream, -1);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    if (timeout < -1 || timeout == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "timeout is neither -1 nor positive");
    }
    return synchronize(stream, timeout);
}

aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus *status)
{
    struct stream *stream = NULL;
    if (status == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "status is NULL");
    }
    aclError code = find_any(handle, &stream);
    if (code == ACL_SUCCESS) {
        bool done = stream->line->done >= stream->line->issued;
        *status = done ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
        unlock();
    }
    return code;
}
