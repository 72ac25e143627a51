//// base
enum { NO_FAULT = 0, FAULT = 1, NOT_TRIED = 2 };

static _Thread_local char who[32];   /* process and thread, where there are several */
static _Thread_local int number;     /* the call that is being made */
static const char *volatile text = ""; /* the same in words */
static bool quiet;                   /* all was shown before: tell only what is new */

__attribute__((noreturn, format(printf, 1, 2)))
static void not_tried(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    printf("\n%sCOULD NOT BE TRIED: ", who);
    vprintf(format, rest);
    printf("\n");
    va_end(rest);
    fflush(stdout);
    _exit(NOT_TRIED);
}

static void say(const char *words)
{
    ssize_t written = write(STDOUT_FILENO, words, strlen(words));
    (void)written;
}

/* A call that crashes or does not return is named, then the program ends. */
static void ended_in_a_call(int signal)
{
    say(signal == SIGALRM ? "\nFAULT: no answer from " : "\nFAULT: crashed in ");
    say(text);
    say(signal == SIGSEGV   ? "\n  SIGSEGV\n"
        : signal == SIGBUS  ? "\n  SIGBUS\n"
        : signal == SIGABRT ? "\n  SIGABRT\n"
                            : "\n");
    _exit(FAULT);
}

static void watch(void)
{
    const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGALRM};
    struct sigaction action = {.sa_handler = ended_in_a_call};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

//// calling
static void calling(int call, const char *words)
{
    number = call;
    text = words;
    printf("%s%d  %s\n", who, call, words);
    if (!quiet)
        fflush(stdout);
    alarm(SECONDS_FOR_A_CALL);
}

//// fault
__attribute__((noreturn, format(printf, 2, 3)))
static void fault(const char *rule, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    printf("\n%sFAULT in call %d, %s\n  ", who, number, text);
    vprintf(format, rest);
    printf("\n  rule: %s\n", rule);
    va_end(rest);
    fflush(stdout);
    _exit(FAULT);
}

//// units
#define KIB (1ULL << 10)
#define MIB (1ULL << 20)
#define GIB (1ULL << 30)

//// untouched
/* What every place for an output holds before its call. */
#define UNTOUCHED 0xa5a5a5a5a5a5a5a5ULL
#define UNTOUCHED_BYTE 0xa5

//// returned
static void returned(int code)
{
    alarm(0);
    printf("%s     -> %s\n", who, name_of(code));
}

//// accessed
/* The program's own access to memory: 0 or errno. */
static void accessed(int code)
{
    alarm(0);
    if (code != 0)
        not_tried("%s", strerror(code));
}

//// gave: untouched
static void gave(const char *name, uint64_t value)
{
    if (value == UNTOUCHED || value == (uint32_t)UNTOUCHED)
        printf("%s     %s is untouched\n", who, name);
    else
        printf("%s     %s = %#llx\n", who, name, (unsigned long long)value);
}

//// codes: fault
/* The codes that the rules allow. */
enum { END_OF_CODES = -1 };
#define CODES(...) ((const int[]){__VA_ARGS__, END_OF_CODES})
#define NO_CODE ((const int[]){END_OF_CODES})
#define ANY_CODE NULL

static bool is_one_of(int code, const int *codes)
{
    if (codes == ANY_CODE)
        return true;
    for (; *codes != END_OF_CODES; codes++)
        if (*codes == code)
            return true;
    return false;
}

__attribute__((noreturn))
static void wrong_code(int code, bool success, const int *codes, const char *rule)
{
    printf("\n%sallowed: %s", who, success ? "success" : "");
    const char *joint = success ? " or failure with " : "failure with ";
    for (; codes != ANY_CODE && *codes != END_OF_CODES; codes++, joint = " or ")
        printf("%s%s", joint, name_of(*codes));
    if (codes == ANY_CODE)
        printf("%sany code", joint);
    fault(rule, "came: %s", name_of(code));
}

//// must_succeed: codes
/* A refusal with one of the excuses is no fault, but then nothing can be shown. */
static void must_succeed(int code, const int *excuses, const char *rule)
{
    if (code == 0)
        return;
    if (!is_one_of(code, excuses))
        wrong_code(code, true, excuses, rule);
    not_tried("call %d was refused with %s, which is allowed", number, name_of(code));
}

//// must_fail: codes
static void must_fail(int code, const int *codes, const char *rule)
{
    if (code == 0 || !is_one_of(code, codes))
        wrong_code(code, false, codes, rule);
}

//// may_fail: codes
static void may_fail(int code, const int *codes, const char *rule)
{
    if (code != 0 && !is_one_of(code, codes))
        wrong_code(code, true, codes, rule);
}

//// must_hold: fault
#define must_hold(condition, rule) \
    ((condition) ? (void)0 : fault(rule, "this does not hold: %s", #condition))

//// choices
/* The first call that chose otherwise than in the trace, where it was free to; 0 if none did. */
static _Thread_local int first_choice;

//// compare_choice: choices
#define compare_choice(condition) \
    ((condition) || first_choice != 0 ? (void)0 : (void)(first_choice = number))

//// must_hold_if_alike: choices must_hold
/* What need not hold after another choice is told, and the calls go on. */
#define OTHERWISE "call %d chose otherwise than in the trace, so this need not hold: %s"
#define must_hold_if_alike(condition, rule) \
    ((condition) || first_choice == 0 \
         ? must_hold(condition, rule) \
         : (void)printf("%s     " OTHERWISE "\n", who, first_choice, #condition))

//// must_hold_if_alike_at_last: must_hold_if_alike
/* The same in the last call, of which the program cannot say then whether the fault shows. */
#define must_hold_if_alike_at_last(condition, rule) \
    ((condition) || first_choice == 0 ? must_hold(condition, rule) \
                                      : not_tried(OTHERWISE, first_choice, #condition))

//// guarded
/* Returns a copy in front of a page that nobody may touch: whoever goes past its end crashes. */
static void *guarded(const void *value, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    char *made = mmap(NULL, room + page, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (made == MAP_FAILED || mprotect(made + room, page, PROT_NONE) != 0)
        not_tried("no memory");
    return memcpy(made + room - size, value, size);
}

//// must_be_unchanged: fault
static void must_be_unchanged(const void *input, const void *sent, size_t size, const char *name,
                              const char *rule)
{
    if (memcmp(input, sent, size) != 0)
        fault(rule, "the call wrote to %s, which it was only to read", name);
}

//// must_add_up: fault
/* Of calls that are equal exactly so many can succeed, whatever their order. */
static void must_add_up(int call, const char *words, int count, const int *codes, int most,
                        const char *rule)
{
    int succeeded = 0;
    for (int i = 0; i < count; i++)
        succeeded += codes[i] == 0;
    number = call;
    text = words;
    if (succeeded != most)
        fault(rule, "%d of %d equal calls succeeded, %d can", succeeded, count, most);
}

//// live: fault
/* What is allocated at the moment: no two blocks share a byte. */
static struct {
    char *start;
    uint64_t size;
} live[1024];
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;

//// now_live: live
static void now_live(void *start, uint64_t size, const char *rule)
{
    size_t place = 0;
    pthread_mutex_lock(&live_lock);
    for (size_t i = 0; i < sizeof live / sizeof *live; i++) {
        char *other = live[i].start;
        if (other == NULL)
            place = i;
        else if (other < (char *)start + size && (char *)start < other + live[i].size)
            fault(rule, "block %p shares bytes with live block %p", start, (void *)other);
    }
    live[place].start = start;
    live[place].size = size;
    pthread_mutex_unlock(&live_lock);
}

//// no_longer_live: live
static void no_longer_live(void *start)
{
    pthread_mutex_lock(&live_lock);
    for (size_t i = 0; i < sizeof live / sizeof *live; i++)
        if (live[i].start == start)
            live[i].start = NULL;
    pthread_mutex_unlock(&live_lock);
}

//// gave_name: untouched
static void gave_name(const char *label, const char *name)
{
    if ((unsigned char)name[0] == UNTOUCHED_BYTE)
        printf("%s     %s is untouched\n", who, label);
    else {
        printf("%s     %s = \"", who, label);
        for (int i = 0; i < 65 && name[i] != 0; i++)
            printf(name[i] > ' ' && name[i] <= '~' ? "%c" : "\\%03o", (unsigned char)name[i]);
        printf("\"\n");
    }
}

//// altered
/* Returns a name that differs from another one in a byte. */
static const char *altered(const char *name, size_t place)
{
    static _Thread_local char other[65];
    if (strlen(name) <= place)
        not_tried("call %d needs a name of more than %zu bytes", number, place);
    strcpy(other, name);
    other[place] = other[place] == '0' ? '1' : '0';
    return other;
}

//// is_untouched: untouched
static bool is_untouched(const void *place, size_t size)
{
    const unsigned char *bytes = place;
    while (size > 0 && *bytes == UNTOUCHED_BYTE)
        bytes++, size--;
    return size == 0;
}
