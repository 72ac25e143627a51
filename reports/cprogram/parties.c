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

//// run_processes: turns
/* Runs functions in processes that load the library themselves; the first of them that ends
   otherwise than well decides. */
typedef void (*process_function)(void);
static void load(const char *path);

static void kill_all(int count, const pid_t *pids)
{
    for (int i = 0; i < count; i++)
        if (pids[i] > 0)
            kill(pids[i], SIGKILL);
}

static int run_processes(int count, const process_function *functions, const char *path)
{
    pid_t made[sizeof shared->pids / sizeof *shared->pids];
    int result = NO_FAULT, status = 0;
    pid_t ended;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        not_tried("no shared memory");
    for (int i = 0; i < count; i++) {
        made[i] = fork();
        if (made[i] == 0) {
            snprintf(who, sizeof who, "[process %d] ", i);
            setvbuf(stdout, NULL, _IOLBF, 0);
            watch();
            load(path);
            functions[i]();
            exit(NO_FAULT);
        }
        if (made[i] < 0) {
            kill_all(i, made);
            not_tried("no process can be started");
        }
        shared->pids[i] = made[i];
    }
    atomic_store(&shared->turn, 1);
    while ((ended = wait(&status)) > 0) {
        for (int i = 0; i < count; i++)
            made[i] = made[i] == ended ? 0 : made[i];
        if (ended == atomic_load(&shared->leaving)) {
            done(1);
        } else if (result == NO_FAULT && (!WIFEXITED(status) || WEXITSTATUS(status) != NO_FAULT)) {
            result = WIFEXITED(status) ? WEXITSTATUS(status) : FAULT;
            kill_all(count, made);
        }
    }
    return result;
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
