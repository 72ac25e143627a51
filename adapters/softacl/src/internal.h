/*
 * internal.h - what the files of the software runtime share.
 *
 * Locking: rt.lock guards everything: objects, contexts, streams and their queues, events, pools.  It is not
 * held while a task runs, nor while memory of the caller is read or written, nor during driver calls that move
 * bytes.  rt.progress is signalled whenever a task has ended and whenever somebody may wait in vain.
 */
#ifndef SOFTACL_INTERNAL_H
#define SOFTACL_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>

#include "acl/acl.h"
#include "faults.h"
#include "hal.h"

#define LOCAL __attribute__((visibility("hidden")))
#define MIB (1ULL << 20)
#define POOL_PAGE (2 * MIB)

enum { MAX_DEVICES = 64 };

/* ---------------------------------------------------------------- codes (errors.c) */
/* What a driver's answer is to the caller of the runtime. */
LOCAL aclError acl_of(drvError_t code);
/* Keeps a line for aclGetRecentErrMsg and gives the code back. */
LOCAL aclError fail(aclError code, const char *why);

/* ---------------------------------------------------------------- objects behind handles (objects.c) */
enum object_kind { OBJECT_CONTEXT, OBJECT_STREAM, OBJECT_EVENT, OBJECT_POOL, OBJECT_BINARY, OBJECT_FUNCTION, OBJECT_ARGS };
/* First member of everything that a handle stands for. */
struct object {
    struct object *next;
    enum object_kind kind;
    uint64_t serial; /* never used twice, unlike the address */
};
LOCAL void object_add(struct object *object, enum object_kind kind);
LOCAL void object_remove(struct object *object);
/* The object behind a handle; NULL if there is none, or of another kind.  Never looks at foreign memory. */
LOCAL void *object_find(const void *handle, enum object_kind kind);
LOCAL void objects_forget(void);

/* ---------------------------------------------------------------- order (clock.c) */
/* The tasks of a stream are numbered from 1; the numbers outlive the stream. */
struct timeline {
    unsigned references;
    uint64_t number;
    uint64_t issued, done;
};
LOCAL struct timeline *timeline_new(void);
LOCAL struct timeline *timeline_hold(struct timeline *line);
LOCAL void timeline_drop(struct timeline *line);
/* For each timeline, up to which task everything is known to come first. */
struct mark {
    uint64_t number, position;
};
struct clock {
    struct mark *marks; /* sorted by number */
    size_t count, room;
};
LOCAL uint64_t clock_get(const struct clock *clock, uint64_t number);
/* Both answer false without memory; then nothing has been learned, which is always safe. */
LOCAL bool clock_raise(struct clock *clock, uint64_t number, uint64_t position);
LOCAL bool clock_join(struct clock *clock, const struct clock *other);
LOCAL void clock_free(struct clock *clock);

/* ---------------------------------------------------------------- devices and contexts (device.c, context.c) */
struct context {
    struct object object;
    int32_t device;
    bool primary;
    struct stream *default_stream;
};
struct device {
    unsigned references; /* of aclrtSetDevice */
    unsigned contexts;   /* made by aclrtCreateContext */
    bool open;
    unsigned running; /* workers of streams that were given up */
    struct context *primary;
};
struct runtime {
    pthread_mutex_t lock;
    pthread_cond_t progress;
    struct device device[MAX_DEVICES];
    struct stream *streams;
    struct clock host; /* what the host has seen the end of */
};
LOCAL extern struct runtime rt;
LOCAL void lock(void);
LOCAL void unlock(void);
/* The context of the calling thread; NULL if it has none, or it is gone.  Locked. */
LOCAL struct context *current(void);
LOCAL void set_current(struct context *context);
LOCAL bool device_exists(int64_t device);
LOCAL aclError device_open(int32_t device);
/* Closes the device if nobody needs it any more. */
LOCAL void device_close_unused(int32_t device);
LOCAL struct context *context_new(int32_t device, bool primary);
LOCAL void context_end(struct context *context, bool wait);
/* Locks, and answers 107002 (unlocked again) if the thread has no context. */
LOCAL aclError enter(struct context **context);

/* ---------------------------------------------------------------- streams (stream.c, worker.c) */
struct task {
    struct task *next;
    /* Runs on the worker, unlocked. */
    aclError (*run)(struct task *task, struct stream *stream);
    void (*drop)(struct task *task); /* NULL: free() */
    bool always;                     /* also on a stream that was given up */
};
struct stream {
    struct object object;
    struct stream *next;
    struct context *context;
    int32_t device;
    struct timeline *line;
    struct clock clock; /* what comes before the next task, its own tasks included */
    struct task *head, *tail;
    aclError error; /* the first one since the last synchronisation */
    bool started, closing, given_up;
    unsigned users;
    pthread_t worker;
    pthread_cond_t work;
};
LOCAL struct stream *stream_new(struct context *context);
/* Takes a stream out; waits for its tasks, or gives it up.  Locked, but lets go of the lock. */
LOCAL void stream_end(struct stream *stream, bool wait);
/* Appends a task; false if no worker could be started (the task is dropped). */
LOCAL bool stream_push(struct stream *stream, struct task *task);
LOCAL bool worker_start(struct stream *stream);
/* At the end of the process, before the driver's own: ends the tasks under way and gives up the others. */
LOCAL void workers_end(void);
LOCAL void stream_free(struct stream *stream);
/* The stream a call means (NULL: the default one), locked.  107017, 107002, 107003: unlocked. */
LOCAL aclError enter_stream(aclrtStream handle, struct stream **stream);
/* The same, and appends the task; drops it on any error.  Unlocked afterwards. */
LOCAL aclError submit(aclrtStream handle, struct task *task);
/* Waits until a position is reached; false after the time (milliseconds; -1: none).  Locked. */
LOCAL bool wait_for(const struct timeline *line, uint64_t position, int32_t timeout);
/* Waits for a stream and learns from it; its first error.  Locked. */
LOCAL aclError stream_wait(struct stream *stream, int32_t timeout);
/* A task that waits for a position of another stream.  NULL without memory. */
LOCAL struct task *wait_task(struct timeline *line, uint64_t position);

/* ---------------------------------------------------------------- memory (query.c) */
enum place { AT_HOST, AT_DEVICE, AT_UNREGISTERED, AT_MANAGED };
/* Where an address is; the driver's answer on failure. */
LOCAL aclError locate(const void *address, enum place *place);
LOCAL aclError locate_fully(const void *address, aclrtPtrAttributes *attributes);
/* Loads and stores of a device. */
LOCAL drvError_t device_load(int32_t device, uint64_t address, void *to, uint64_t size);
LOCAL drvError_t device_store(int32_t device, uint64_t address, const void *from, uint64_t size);
/* Is the range, by its address for the device, host memory that is mapped for it? (register.c) */
LOCAL bool mapped_for_device(int32_t device, uint64_t address, uint64_t size);
/* Is this a product of the newer driver generation? */
LOCAL bool is_950(void);

/* ---------------------------------------------------------------- pools (pool.c, segments.c, pool_calls.c) */
/* aclrtFree: true if the address belongs to a pool, with the answer. */
LOCAL bool pool_takes_free(void *address, aclError *code);
/* What a synchronisation may give back; locked. */
LOCAL void pools_synchronised(void);
LOCAL void pools_forget_device(int32_t device);

/* ---------------------------------------------------------------- after a fork (ipc.c, register.c) */
LOCAL void openings_forget(int32_t device);
LOCAL void registrations_forget(int32_t device);

#endif
