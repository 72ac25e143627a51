//// together
/* Runs functions in threads that start at the same time. */
typedef void (*thread_function)(void);
static pthread_barrier_t start;
static const thread_function *thread_functions;

static void *run_thread(void *place)
{
    size_t which = (size_t)place;
    snprintf(who, sizeof who, "[thread %zu] ", which + 1);
    pthread_barrier_wait(&start);
    thread_functions[which]();
    return NULL;
}

static void together(size_t count, const thread_function *functions)
{
    pthread_t threads[64];
    thread_functions = functions;
    pthread_barrier_init(&start, NULL, (unsigned)count);
    for (size_t i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run_thread, (void *)i) != 0)
            not_tried("no thread can be started");
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    alarm(0);
}

//// rest
/* Waits, so that what ended processes held can be taken back. */
static int rest(uint64_t milliseconds)
{
    alarm(0);
    usleep((useconds_t)(1000 * milliseconds));
    return 0;
}

//// turns
/* Processes make their calls in the order of the trace: each waits for its turn. */
static void turn(int wanted)
{
    int now, seen = 0;
    for (int waited = 0; (now = atomic_load(&shared->turn)) != wanted; waited++) {
        if (now != seen)
            waited = 0;
        seen = now;
        if (waited > 1000 * 10 * SECONDS_FOR_A_CALL)
            not_tried("call of another process did not end");
        usleep(100);
    }
}

static void done(int parties)
{
    if (atomic_fetch_add(&shared->arrived, 1) + 1 < parties)
        return;
    atomic_store(&shared->arrived, 0);
    atomic_fetch_add(&shared->turn, 1);
}

//// leave
/* Ends this process: by itself, or as if it had been killed. */
__attribute__((noreturn))
static void leave(int killed)
{
    alarm(0);
    fflush(stdout);
    atomic_store(&shared->leaving, getpid());
    if (killed)
        raise(SIGKILL);
    exit(NO_FAULT);
}
