/* sharing.c - memory that a process lends to others: by number, by name, and what deaths do. */
#include "handles.h"

#define BASE NORMAL_START
#define THERE (NORMAL_START + 8 * GIB)
#define SIZE (4 * MIB)

/* ------------------------------------------------------------------------------ what both can do */

static int export_memory(const struct made *made, uint32_t *share)
{
    struct argument a = device_argument(made->device);
    put4(&a, 0, made->side);
    put4(&a, 4, made->id);
    int failed = ask(54, &a);
    *share = get4(&a, 8);
    return failed;
}

static int import_memory(uint32_t share, uint32_t device, struct made *made)
{
    struct argument a = device_argument(device);
    put4(&a, 0, share);
    put4(&a, 8, 0);
    put4(&a, 12, 0);
    int failed = ask(55, &a);
    made->id = get4(&a, 20);
    made->side = get4(&a, 24);
    made->page = get4(&a, 32);
    made->pages = get8(&a, 40);
    made->device = device;
    return failed;
}

static int admit(uint32_t share, int *pids, uint32_t count)
{
    struct argument a = device_argument(0);
    put4(&a, 0, share);
    put4(&a, 4, count);
    put8(&a, 8, (uintptr_t)pids);
    return tell(56, &a);
}

static int open_name(const char *name, uint64_t at)
{
    struct argument a = device_argument(0);
    put8(&a, 0, at);
    strncpy((char *)a.bytes + 16 + 8, name, 64);
    return tell(21, &a);
}

static int close_name(uint64_t at)
{
    struct argument a = device_argument(0);
    put8(&a, 0, at);
    return tell(22, &a);
}

static int64_t opens_name(const char *name)
{
    int failed = heap(0, HUGE, SUB_DEVICE, THERE, GIB, 0);
    failed = failed != 0 ? failed : allocate(THERE, SIZE);
    failed = failed != 0 ? failed : advise(THERE, SIZE, HUGE_ADVICE, 0);
    failed = failed != 0 ? failed : open_name(name, THERE);
    if (failed != 0) {
        release(THERE);
        heap(1, HUGE, SUB_DEVICE, THERE, GIB, 0);
    }
    return failed;
}

static struct made imported;

static int64_t imports(uint32_t share)
{
    int failed = import_memory(share, 1, &imported);
    if (failed == 0) {
        failed = reserve(THERE, 64 * MIB);
        failed = failed != 0 ? failed : bind(THERE, SIZE, &imported);
    }
    return failed;
}

/* ---------------------------------------------------------------------------- the other process */

static int64_t act(const struct order *what)
{
    switch (what->letter) {
    case 'b':
        return begin_process() != 0 || open_device(0) != 0 || open_device(1) != 0;
    case 'p':
        return getpid();
    case 'i':
        return imports((uint32_t)what->a);
    case 'o':
        return opens_name(what->text);
    case 'w':
        return put_bytes(THERE + what->a, 64, (unsigned char)what->b);
    case 'r':
        return holds(THERE + what->a, 64, (unsigned char)what->b);
    case 'u':
        return unbind(THERE) != 0 || forget(&imported) != 0;
    case 'c':
        return close_name(THERE);
    case 'm':
        return device_memory(BASE, what->a, 0);
    default:
        return -2;
    }
}

static int64_t ask_peer(const struct peer *peer, int letter, uint64_t a, uint64_t b)
{
    struct order what = {.letter = letter, .a = a, .b = b};
    return order(peer, &what);
}

static int64_t ask_to_open(const struct peer *peer, const char *name)
{
    struct order what = {.letter = 'o'};
    strncpy(what.text, name, sizeof(what.text) - 1);
    return order(peer, &what);
}

/* -------------------------------------------------------------------------------------- by number */

static void numbers_are_lent(const char *program)
{
    struct made made;
    struct made mine;
    uint32_t share = 99;
    struct peer peer = start_peer(program, "peer");
    int pid = (int)ask_peer(&peer, 'p', 0, 0);
    int nobody = 0;
    ANSWERS((int)ask_peer(&peer, 'b', 0, 0), 0);
    ANSWERS(create(&made, SIZE, 0, 1), 0);
    ANSWERS(reserve(BASE, 64 * MIB), 0);
    ANSWERS(bind(BASE, SIZE, &made), 0);
    ANSWERS(put_bytes(BASE, 64, 71), 0);
    ANSWERS(export_memory(&made, &share), 0);
    CHECK(share == 0);
    ANSWERS(export_memory(&made, &share), EINVAL);
    share = 0;
    ANSWERS((int)ask_peer(&peer, 'i', 9, 0), EFAULT);
    ANSWERS((int)ask_peer(&peer, 'i', share, 0), EACCES);
    ANSWERS(import_memory(share, 0, &mine), EACCES);
    ANSWERS(admit(share, NULL, 1), EINVAL);
    ANSWERS(admit(share, &pid, 0), EINVAL);
    ANSWERS(admit(share, &nobody, 1), EINVAL);
    ANSWERS(admit(9, &pid, 1), EFAULT);
    ANSWERS(admit(share, &pid, 1), 0);
    ANSWERS((int)ask_peer(&peer, 'i', share, 0), 0);
    CHECK(ask_peer(&peer, 'r', 0, 71) == 1);
    ANSWERS((int)ask_peer(&peer, 'w', 128, 72), 0);
    CHECK(holds(BASE + 128, 64, 72));
    struct argument a = device_argument(0);
    put4(&a, 0, share);
    put4(&a, 8, 1);
    ANSWERS(tell(57, &a), EPERM); /* pids were told */
    put4(&a, 4, 9);
    ANSWERS(tell(57, &a), EOPNOTSUPP);
    a = device_argument(0);
    put4(&a, 0, share);
    ANSWERS(ask(58, &a), 0);
    CHECK(get4(&a, 12) == 0);
    ANSWERS(ask(59, &a), 0);
    put4(&a, 0, 44);
    ANSWERS(ask(59, &a), EFAULT);
    put4(&a, 4, 9);
    ANSWERS(ask(59, &a), ENODEV);
    /* The memory lives as long as somebody has it. */
    uint64_t held = free_on(0);
    ANSWERS(unbind(BASE), 0);
    ANSWERS(forget(&made), 0);
    CHECK(free_on(0) == held);
    CHECK(ask_peer(&peer, 'r', 128, 72) == 1);
    put4(&a, 0, share);
    put4(&a, 4, 0);
    ANSWERS(ask(59, &a), 0); /* so does its number */
    ANSWERS((int)ask_peer(&peer, 'u', 0, 0), 0);
    CHECK(free_on(0) == held + SIZE);
    ANSWERS(ask(59, &a), EFAULT);
    end_peer(&peer);
    ANSWERS(release(BASE), 0);
    ANSWERS(heap(1, HUGE, SUB_RESERVE, BASE, GIB, 0), 0);
}

static void memory_can_be_open_to_all(const char *program)
{
    struct made made;
    uint32_t share;
    int pid = 5;
    struct peer peer = start_peer(program, "peer");
    struct argument a = device_argument(0);
    ANSWERS((int)ask_peer(&peer, 'b', 0, 0), 0);
    ANSWERS(create(&made, SIZE, 0, 1), 0);
    ANSWERS(export_memory(&made, &share), 0);
    put4(&a, 0, share);
    put4(&a, 8, 2);
    ANSWERS(tell(57, &a), EINVAL);
    put4(&a, 8, 0);
    ANSWERS(tell(57, &a), EOPNOTSUPP);
    put4(&a, 8, 1);
    ANSWERS(tell(57, &a), 0);
    ANSWERS(admit(share, &pid, 1), EPERM);
    ANSWERS((int)ask_peer(&peer, 'i', share, 0), 0);
    uint64_t before = free_on(0);
    /* A process that dies gives back what it held. */
    kill(peer.pid, SIGKILL);
    end_peer(&peer);
    ANSWERS(forget(&made), 0);
    CHECK(free_on(0) == before + SIZE);
}

/* ---------------------------------------------------------------------------------------- by name */

static int name_memory(uint64_t at, uint64_t size, char *name)
{
    struct argument a = device_argument(0);
    put8(&a, 0, at);
    put8(&a, 8, size);
    put4(&a, 84, 65);
    int failed = ask(27, &a);
    memcpy(name, a.bytes + 16 + 16, 65);
    return failed;
}

static int admit_to_name(const char *name, int pid)
{
    struct argument a = device_argument(0);
    strncpy((char *)a.bytes + 16, name, 64);
    put4(&a, 68, (uint32_t)pid);
    put4(&a, 196, 1);
    put4(&a, 200, 0xffffffff);
    return tell(32, &a);
}

static int end_name(const char *name)
{
    struct argument a = device_argument(0);
    strncpy((char *)a.bytes + 16, name, 64);
    return tell(28, &a);
}

static void names_are_opened(const char *program)
{
    char name[65];
    char other[65];
    struct peer peer = start_peer(program, "peer");
    int pid = (int)ask_peer(&peer, 'p', 0, 0);
    ANSWERS((int)ask_peer(&peer, 'b', 0, 0), 0);
    ANSWERS(name_memory(BASE, SIZE, name), EINVAL);
    ANSWERS(device_memory(BASE, SIZE, 0), 0);
    ANSWERS(put_bytes(BASE, 64, 81), 0);
    ANSWERS(name_memory(BASE, 64 * MIB, name), EINVAL);
    ANSWERS(name_memory(BASE, SIZE, name), 0);
    ANSWERS(name_memory(BASE, SIZE, other), 0);
    CHECK(strlen(name) == 64 && strcmp(name, other) != 0);
    ANSWERS((int)ask_to_open(&peer, name), EINVAL);
    ANSWERS(admit_to_name("nobody", pid), EINVAL);
    ANSWERS(admit_to_name(name, getpid()), EINVAL);
    ANSWERS(admit_to_name(name, pid), 0);
    ANSWERS((int)ask_to_open(&peer, "nobody"), EINVAL);
    ANSWERS((int)ask_to_open(&peer, name), 0);
    CHECK(ask_peer(&peer, 'r', 0, 81) == 1);
    ANSWERS((int)ask_peer(&peer, 'w', 64, 82), 0);
    CHECK(holds(BASE + 64, 64, 82));
    struct argument a = device_argument(0);
    strncpy((char *)a.bytes + 16, name, 64);
    ANSWERS(ask(29, &a), 0);
    CHECK(get4(&a, 68) == 1 && get4(&a, 72) == 0 && get8(&a, 80) == SIZE);
    ANSWERS((int)ask_peer(&peer, 'c', 0, 0), 0);
    ANSWERS((int)ask_peer(&peer, 'c', 0, 0), EPERM);
    ANSWERS(end_name(name), 0);
    ANSWERS(end_name(name), EINVAL);
    ANSWERS(end_name(other), 0);
    a = device_argument(0);
    ANSWERS(tell(33, &a), EOPNOTSUPP);
    end_peer(&peer);
}

static void names_have_attributes(void)
{
    char name[65];
    struct argument a = device_argument(0);
    ANSWERS(name_memory(BASE, SIZE, name), 0);
    put4(&a, 0, 2);
    put8(&a, 8, 1);
    strncpy((char *)a.bytes + 16 + 16, name, 64);
    ANSWERS(tell(34, &a), EOPNOTSUPP);
    put4(&a, 0, 1);
    put8(&a, 8, 0);
    ANSWERS(tell(34, &a), EOPNOTSUPP);
    put8(&a, 8, 1);
    ANSWERS(tell(34, &a), 0);
    ANSWERS(admit_to_name(name, 5), EPERM);
    put8(&a, 8, 0);
    ANSWERS(ask(35, &a), 0);
    CHECK(get8(&a, 8) == 1);
    ANSWERS(release(BASE), 0);
    a = device_argument(0);
    strncpy((char *)a.bytes + 16, name, 64);
    ANSWERS(ask(29, &a), EINVAL); /* the memory has gone */
    ANSWERS(heap(1, HUGE, SUB_DEVICE, BASE, GIB, 0), 0);
}

static void the_dead_give_back(const char *program)
{
    uint64_t before = free_on(0);
    struct peer peer = start_peer(program, "peer");
    ANSWERS((int)ask_peer(&peer, 'b', 0, 0), 0);
    ANSWERS((int)ask_peer(&peer, 'm', 64 * MIB, 0), 0);
    CHECK(free_on(0) == before - 64 * MIB);
    kill(peer.pid, SIGKILL);
    end_peer(&peer);
    CHECK(free_on(0) == before);
}

static void names_end_with_their_device(void)
{
    char name[65];
    struct made made;
    ANSWERS(device_memory(BASE, SIZE, 0), 0);
    ANSWERS(name_memory(BASE, SIZE, name), 0);
    ANSWERS(close_device(0), 0);
    ANSWERS(end_name(name), EINVAL);
    ANSWERS(import_memory(0, 0, &made), ESRCH);
}

int main(int count, char **arguments)
{
    if (count == 4) {
        return serve_orders(arguments, act);
    }
    CHECK(begin_process() == 0);
    ANSWERS(open_device(0), 0);
    ANSWERS(open_device(1), 0);
    numbers_are_lent(arguments[0]);
    memory_can_be_open_to_all(arguments[0]);
    names_are_opened(arguments[0]);
    names_have_attributes();
    the_dead_give_back(arguments[0]);
    names_end_with_their_device();
    return finish();
}
