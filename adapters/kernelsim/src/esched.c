/* esched.c - the module that carries messages. A message is served at once, and its answer waits for
 * the thread that is named in its head. Results of this module are codes of the library. */
#include "esched.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "node.h"
#include "settings.h"

enum { ADD_GROUP = 1, SUBSCRIBE = 4, WAIT = 7, SUBMIT = 8, ATTACH = 9, DETACH = 10, SET_MAXIMUM = 11,
       QUERY = 12, TRACE = 13 };
enum { CODE_BAD = 3, CODE_UNKNOWN = 9, CODE_TIMEOUT = 16, CODE_IS_THERE = 71 };
enum { GROUPS = 64, NAME = 16, HEAD = 8, REMOTE_GROUP = 32, LOCAL = 0 };

/* Which thread is to get the answer. */
struct head {
    unsigned device : 6, pid : 22, engine : 4;
    unsigned group : 6, thread : 8, event : 6, subject : 12;
};
_Static_assert(sizeof(struct head) == HEAD, "as the driver lays it out");

struct attach { uint32_t device, unused; uint64_t time; };
struct group { uint32_t device, id, mode, threads; char name[NAME]; };
struct query { uint32_t device, target, type, unused; uint64_t in; uint32_t in_size, unused2;
               uint64_t out; uint32_t out_size, unused3; };
struct asked { int32_t pid; char name[NAME]; };
struct submit { uint32_t device, unused, engine, policy; int32_t pid; uint32_t group, thread, event,
                subject, target, size, unused2; uint64_t content; uint32_t count, unused3;
                uint64_t time, time_of_day, private_data; };
struct wait { uint32_t device, group, thread; int32_t timeout; uint32_t room, unused; uint64_t to;
              int32_t pid, host_pid; uint32_t of_group, event, subject, size; uint64_t content, time,
              times[4]; };
_Static_assert(sizeof(struct submit) == 88 && sizeof(struct wait) == 104, "as the driver lays them out");

/* An answer that nobody fetched yet. */
struct letter {
    struct letter *next;
    uint32_t device, group, thread, event, subject;
    uint64_t time;
    size_t size;
    unsigned char content[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct letter *letters;
static char names[DEVICES_MOST + 2][GROUPS][NAME];

static void make_clock(void)
{
    pthread_condattr_t kind;
    pthread_condattr_init(&kind);
    pthread_condattr_setclock(&kind, CLOCK_MONOTONIC);
    pthread_cond_init(&arrived, &kind);
    pthread_condattr_destroy(&kind);
}

static uint64_t microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static unsigned table_of(uint32_t device)
{
    return device < DEVICES_MOST ? device : DEVICES_MOST;
}

static long attach(void *argument)
{
    struct attach told;
    if (!user_read(&told, argument, sizeof(told))) {
        return CODE_BAD;
    }
    told.time = microseconds();
    return user_write(argument, &told, sizeof(told)) ? 0 : CODE_BAD;
}

/* What a process had on a device goes with it. */
static long detach(const void *argument)
{
    struct attach told;
    if (!user_read(&told, argument, sizeof(told.device))) {
        return CODE_BAD;
    }
    memset(names[table_of(told.device)], 0, sizeof(names[0]));
    return 0;
}

static long add_group(const void *argument)
{
    struct group group;
    if (!user_read(&group, argument, sizeof(group)) || group.id >= GROUPS) {
        return CODE_BAD;
    }
    char *name = names[table_of(group.device)][group.id];
    if (*name != '\0') {
        return CODE_IS_THERE;
    }
    memcpy(name, *group.name != '\0' ? group.name : "-", NAME);
    return 0;
}

/* Groups of a device's process are all there; own ones are known once they were added. */
static long query(const void *argument)
{
    struct query query;
    struct asked asked;
    uint32_t id = REMOTE_GROUP;
    if (!user_read(&query, argument, sizeof(query)) ||
        !user_read(&asked, (void *)(uintptr_t)query.in, sizeof(asked))) {
        return CODE_BAD;
    }
    if (query.type == LOCAL) {
        id = 0;
        while (id < GROUPS && strncmp(names[table_of(query.device)][id], asked.name, NAME) != 0) {
            id++;
        }
        if (id == GROUPS) {
            return CODE_UNKNOWN;
        }
    }
    return user_write((void *)(uintptr_t)query.out, &id, sizeof(id)) ? 0 : CODE_BAD;
}

/* Serve a message and lay its answer out: a code, and the content as it stands then. */
static struct letter *answer_to(const struct submit *submit, unsigned char *message)
{
    size_t size = submit->size - HEAD;
    struct head head;
    struct letter *letter = malloc(sizeof(*letter) + sizeof(int32_t) + size);
    if (letter == NULL) {
        return NULL;
    }
    memcpy(&head, message, HEAD);
    int32_t code = agent_serve(submit->device, submit->subject, message + HEAD, size);
    *letter = (struct letter){NULL, submit->device, head.group, head.thread, head.event,
                              head.subject, submit->time, sizeof(code) + size};
    memcpy(letter->content, &code, sizeof(code));
    memcpy(letter->content + sizeof(code), message + HEAD, size);
    /* What only is to be done comes back without its content. */
    bool code_only = submit->subject == FIRST_SUBJECT || submit->subject == FIRST_SUBJECT + 1;
    letter->size = code_only ? sizeof(code) : letter->size;
    return letter;
}

static long submit(const void *argument)
{
    struct submit submit;
    enum { LONGEST = 4096 };
    if (!user_read(&submit, argument, sizeof(submit)) || submit.size < HEAD || submit.size > LONGEST) {
        return CODE_BAD;
    }
    unsigned char message[LONGEST];
    if (!user_read(message, (void *)(uintptr_t)submit.content, submit.size)) {
        return CODE_BAD;
    }
    struct letter *letter = answer_to(&submit, message);
    if (letter == NULL) {
        return CODE_BAD;
    }
    pthread_mutex_lock(&lock);
    struct letter **end = &letters;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = letter;
    pthread_cond_broadcast(&arrived);
    pthread_mutex_unlock(&lock);
    return 0;
}

static struct letter *take(const struct wait *wait)
{
    for (struct letter **at = &letters; *at != NULL; at = &(*at)->next) {
        struct letter *letter = *at;
        if (letter->device == wait->device && letter->group == wait->group &&
            letter->thread == wait->thread) {
            *at = letter->next;
            return letter;
        }
    }
    return NULL;
}

static struct letter *take_in_time(const struct wait *wait)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += wait->timeout / 1000;
    until.tv_nsec += (long)(wait->timeout % 1000) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    struct letter *letter;
    int late = 0;
    while ((letter = take(wait)) == NULL && wait->timeout != 0 && late != ETIMEDOUT) {
        late = wait->timeout < 0 ? pthread_cond_wait(&arrived, &lock)
                                 : pthread_cond_timedwait(&arrived, &lock, &until);
    }
    return letter;
}

static long deliver(struct wait *wait, const struct letter *letter, void *argument)
{
    size_t size = letter->size < wait->room ? letter->size : wait->room;
    wait->pid = wait->host_pid = getpid();
    wait->of_group = letter->group;
    wait->event = letter->event;
    wait->subject = letter->subject;
    wait->size = (uint32_t)size;
    wait->content = wait->to;
    wait->time = letter->time;
    wait->times[3] = letter->time;
    return user_write((void *)(uintptr_t)wait->to, letter->content, size) &&
                   user_write(argument, wait, sizeof(*wait))
               ? 0
               : CODE_BAD;
}

static long wait_for(void *argument)
{
    struct wait wait;
    if (!user_read(&wait, argument, sizeof(wait))) {
        return CODE_BAD;
    }
    pthread_mutex_lock(&lock);
    struct letter *letter = take_in_time(&wait);
    pthread_mutex_unlock(&lock);
    if (letter == NULL) {
        return CODE_TIMEOUT;
    }
    long code = deliver(&wait, letter, argument);
    free(letter);
    return code;
}

static long command(struct file *file, unsigned long request, void *argument)
{
    (void)file;
    pthread_once(&once, make_clock);
    if (((request >> 8) & 0xff) != 'W' || argument == NULL) {
        return -EINVAL;
    }
    switch (request & 0xff) {
    case ATTACH:
        return attach(argument);
    case ADD_GROUP:
        return add_group(argument);
    case QUERY:
        return query(argument);
    case SUBMIT:
        return submit(argument);
    case WAIT:
        return wait_for(argument);
    case DETACH:
        return detach(argument);
    case SUBSCRIBE:
    case SET_MAXIMUM:
    case TRACE:
        return 0;
    default:
        return -EOPNOTSUPP;
    }
}

void esched_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    once = (pthread_once_t)PTHREAD_ONCE_INIT;
    letters = NULL;
    memset(names, 0, sizeof(names));
}

const struct module module_esched = {.name = "ESCHED", .command = command};
