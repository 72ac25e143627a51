/* worker.c - the thread that executes the tasks of one stream, in their order. */
#include <stdlib.h>

#include "internal.h"

static void drop(struct task *task)
{
    if (task->drop != NULL) {
        task->drop(task);
    }
    free(task);
}

static aclError execute(struct stream *stream, struct task *task)
{
    bool skip = stream->given_up && !task->always;
    unlock();
    aclError code = skip ? ACL_SUCCESS : task->run(task, stream);
    drop(task);
    lock();
    return code;
}

static void *work(void *argument)
{
    struct stream *stream = argument;
    lock();
    for (;;) {
        while (stream->head == NULL && !stream->closing) {
            pthread_cond_wait(&stream->work, &rt.lock);
        }
        struct task *task = stream->head;
        if (task == NULL) {
            break;
        }
        stream->head = task->next;
        stream->tail = stream->head == NULL ? NULL : stream->tail;
        aclError code = execute(stream, task);
        if (code != ACL_SUCCESS && stream->error == ACL_SUCCESS && !FAULT(async_error_lost)) {
            stream->error = code;
        }
        stream->line->done++;
        pthread_cond_broadcast(&rt.progress);
    }
    if (stream->given_up) {
        rt.device[stream->device].running--;
        stream_free(stream);
        pthread_cond_broadcast(&rt.progress);
    }
    unlock();
    return NULL;
}

static bool something_runs(void)
{
    for (const struct stream *stream = rt.streams; stream != NULL; stream = stream->next) {
        if (stream->line->done < stream->line->issued) {
            return true;
        }
    }
    for (int i = 0; i < MAX_DEVICES; i++) {
        if (rt.device[i].running > 0) {
            return true;
        }
    }
    return false;
}

void workers_end(void)
{
    lock();
    for (struct stream *stream = rt.streams; stream != NULL; stream = stream->next) {
        stream->given_up = true;
    }
    pthread_cond_broadcast(&rt.progress);
    while (something_runs()) {
        pthread_cond_wait(&rt.progress, &rt.lock);
    }
    unlock();
}

bool worker_start(struct stream *stream)
{
    if (!stream->started) {
        stream->started = pthread_create(&stream->worker, NULL, work, stream) == 0;
    }
    return stream->started;
}

bool stream_push(struct stream *stream, struct task *task)
{
    if (!worker_start(stream)) {
        drop(task);
        return false;
    }
    task->next = NULL;
    if (stream->tail == NULL) {
        stream->head = task;
    } else {
        stream->tail->next = task;
    }
    stream->tail = task;
    stream->line->issued++;
    (void)clock_raise(&stream->clock, stream->line->number, stream->line->issued);
    pthread_cond_signal(&stream->work);
    return true;
}

aclError submit(aclrtStream handle, struct task *task)
{
    struct stream *stream = NULL;
    aclError code = task == NULL ? ACL_ERROR_RT_MEMORY_ALLOCATION : enter_stream(handle, &stream);
    if (code != ACL_SUCCESS) {
        if (task != NULL) {
            drop(task);
        }
        return code;
    }
    bool pushed = stream_push(stream, task);
    unlock();
    return pushed ? ACL_SUCCESS : ACL_ERROR_RT_NO_STREAM_RESOURCE;
}
