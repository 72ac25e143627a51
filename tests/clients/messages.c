/* messages.c - the third generation: messages to devices, host commands, keys, and who is pinned. */
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "kernel.h"

#define DEVICE_AT 0x130000000000ULL
#define HOST_AT 0x100000000000ULL
#define MAP_AT 0x140000000000ULL
#define SIZE (4 * MIB)

static int events = -1;
static int host = -1;
static int device[2] = {-1, -1};

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/* --------------------------------------------------------------------------------------- messages */

static int submit(int fd, uint32_t to, uint32_t subject, void *content, uint32_t size)
{
    unsigned char message[128] = {0};
    unsigned char a[88] = {0};
    uint32_t word = 7 | 5u << 6 | 27u << 14 | subject << 20; /* group 7, thread 5 get the answer */
    uint64_t at = (uintptr_t)message;
    uint32_t length = 8 + size;
    int64_t time = now();
    memcpy(message + 4, &word, 4);
    memcpy(message + 8, content, size);
    memcpy(a, &to, 4);
    memcpy(a + 32, &subject, 4);
    memcpy(a + 40, &length, 4);
    memcpy(a + 48, &at, 8);
    memcpy(a + 64, &time, 8);
    return ioctl(fd, 0xc0085708UL, a);
}

static int fetch(int fd, uint32_t from, uint32_t group, uint32_t thread, int patience, void *answer,
                 uint32_t room, uint32_t *size)
{
    unsigned char a[104] = {0};
    uint64_t at = (uintptr_t)answer;
    memcpy(a, &from, 4);
    memcpy(a + 4, &group, 4);
    memcpy(a + 8, &thread, 4);
    memcpy(a + 12, &patience, 4);
    memcpy(a + 16, &room, 4);
    memcpy(a + 24, &at, 8);
    int code = ioctl(fd, 0xc0085707UL, a);
    memcpy(size, a + 52, 4);
    return code;
}

/* Send a message to a device and take its answer; the code of the answer, -1 if none came. */
static int message(uint32_t to, uint32_t number, void *content, uint32_t size)
{
    unsigned char answer[132];
    uint32_t got = 0;
    int code;
    if (submit(events, to, 128 + number, content, size) != 0 ||
        fetch(events, to, 7, 5, 1000, answer, sizeof(answer), &got) != 0) {
        return -1;
    }
    memcpy(&code, answer, 4);
    if (got == 4 + size) {
        memcpy(content, answer + 4, size);
    }
    return code;
}

static int populate(uint32_t to, uint64_t at, uint64_t size)
{
    uint64_t content[4] = {at, size, 1, 0};
    return message(to, 2, content, sizeof(content));
}

static int depopulate(uint32_t to, uint64_t at, uint64_t size, int *busy)
{
    uint64_t content[4] = {at, size, 0, 0};
    int code = message(to, 3, content, sizeof(content));
    *busy = (int)content[2];
    return code;
}

static int show(uint32_t to, uint32_t number, uint64_t at, uint64_t size, uint32_t from,
                uint64_t source)
{
    uint64_t content[8] = {at, size, 0, 0x3ff | (uint64_t)from << 32, (uint32_t)getpid(), source, size};
    return message(to, number, content, sizeof(content));
}

/* --------------------------------------------------------------------------------------- commands */

static int give(int fd, uint32_t request, void *argument)
{
    return ioctl(fd, (unsigned long)request, argument) == 0 ? 0 : errno;
}

static int copy_between(uint64_t to, uint32_t to_side, uint64_t from, uint32_t from_side, uint64_t size)
{
    uint64_t a[7] = {from, to, size, from_side | (uint64_t)to_side << 32, 0, 1, 0};
    return give(device[0], 0xc038550a, a);
}

static uint64_t free_now(uint32_t id)
{
    static int urd = -1;
    uint32_t in[2] = {id, 2};
    uint64_t out[6] = {0};
    uint64_t a[8] = {0};
    urd = urd < 0 ? node("URD", 0, 0) : urd;
    a[1] = 0x47 | 0x27ULL << 32;
    a[4] = (uintptr_t)in;
    a[5] = sizeof(in);
    a[6] = (uintptr_t)out;
    a[7] = sizeof(out);
    return give(urd, 0x5601, a) == 0 ? out[1] + out[3] : UINT64_MAX;
}

static void groups_are_known_once_they_are_added(void)
{
    struct {
        int32_t pid;
        char name[16];
    } asked = {getpid(), "mine"};
    uint32_t id = 99;
    uint64_t query[6] = {0, 0, (uintptr_t)&asked, sizeof(asked), (uintptr_t)&id, sizeof(id)};
    unsigned char group[32] = {0};
    unsigned char left[16] = {0};
    uint32_t number = 33;
    memcpy(group + 4, &number, 4);
    strcpy((char *)group + 16, "mine");
    CHECK(ioctl(events, 0xc008570cUL, query) != 0);
    CHECK(ioctl(events, 0xc0085701UL, group) == 0);
    CHECK(ioctl(events, 0xc0085701UL, group) == 71);
    CHECK(ioctl(events, 0xc008570cUL, query) == 0 && id == 33);
    CHECK(ioctl(events, 0xc008570aUL, left) == 0);
    CHECK(ioctl(events, 0xc008570cUL, query) != 0);
    CHECK(ioctl(events, 0xc0085701UL, group) == 0);
    query[1] = 1;
    CHECK(ioctl(events, 0xc008570cUL, query) == 0);
}

static void *answer_late(void *unused)
{
    uint64_t content[4] = {1, 0x100000000000, GIB, 0};
    (void)unused;
    usleep(50000);
    submit(events, 0, 141, content, sizeof(content));
    return NULL;
}

static void answers_wait_for_their_thread(void)
{
    unsigned char answer[64];
    uint32_t size = 0;
    pthread_t thread;
    int64_t began = now();
    CHECK(fetch(events, 0, 7, 5, 30, answer, sizeof(answer), &size) == 16);
    CHECK(now() - began >= 30000);
    pthread_create(&thread, NULL, answer_late, NULL);
    CHECK(fetch(events, 0, 7, 5, 5000, answer, sizeof(answer), &size) == 0);
    pthread_join(thread, NULL);
    CHECK(size == 36);
    CHECK(fetch(events, 0, 7, 6, 0, answer, sizeof(answer), &size) == 16);
}

static void device_memory_is_made_by_messages(void)
{
    uint64_t before = free_now(0);
    uint64_t fill[3] = {DEVICE_AT, 4096, 0x5a};
    unsigned char mine[4096];
    int busy = 0;
    CHECK(populate(0, DEVICE_AT, SIZE) == 0);
    CHECK(free_now(0) == before - SIZE);
    CHECK(populate(0, DEVICE_AT + MIB, SIZE) == 17);
    CHECK(populate(0, DEVICE_AT + GIB, 64 * GIB) == 6);
    CHECK(message(0, 0, fill, sizeof(fill)) == 0);
    ANSWERS(copy_between((uintptr_t)mine, HOST, DEVICE_AT, 0, 4096), 0);
    CHECK(mine[0] == 0x5a && mine[4095] == 0x5a);
    uint64_t local[3] = {DEVICE_AT, DEVICE_AT + MIB, 4096};
    CHECK(message(0, 1, local, sizeof(local)) == 0);
    memset(mine, 0, sizeof(mine));
    ANSWERS(copy_between((uintptr_t)mine, HOST, DEVICE_AT + MIB, 0, 4096), 0);
    CHECK(mine[4095] == 0x5a);
    local[1] = DEVICE_AT + 4095;
    CHECK(message(0, 1, local, sizeof(local)) == 3);
    local[1] = DEVICE_AT;
    CHECK(message(0, 1, local, sizeof(local)) == 3);
    fill[0] = DEVICE_AT + GIB;
    CHECK(message(0, 0, fill, sizeof(fill)) == 3);
    CHECK(depopulate(0, DEVICE_AT + MIB, SIZE, &busy) == 3);
    CHECK(depopulate(0, DEVICE_AT, SIZE, &busy) == 0 && busy == 0);
    CHECK(free_now(0) == before);
}

static void what_is_shown_stays_until_it_is_hidden(void)
{
    uint64_t before = free_now(0);
    unsigned char mine[64];
    int busy = 0;
    memset(mine, 7, sizeof(mine));
    CHECK(populate(0, DEVICE_AT, SIZE) == 0);
    CHECK(show(0, 6, MAP_AT, SIZE, 0, DEVICE_AT) == 0);
    CHECK(show(1, 6, MAP_AT, SIZE, 0, DEVICE_AT) == 0);
    CHECK(show(0, 6, MAP_AT, SIZE, 0, DEVICE_AT) == 17);
    CHECK(show(0, 6, MAP_AT + GIB, SIZE, 0, DEVICE_AT + GIB) == 3);
    ANSWERS(copy_between(MAP_AT, 0, (uintptr_t)mine, HOST, 64), 0);
    memset(mine, 0, sizeof(mine));
    ANSWERS(copy_between((uintptr_t)mine, HOST, MAP_AT, 1, 64), 0);
    CHECK(mine[63] == 7);
    CHECK(depopulate(0, DEVICE_AT, SIZE, &busy) == 0 && busy == 1);
    CHECK(free_now(0) == before - SIZE);
    CHECK(show(0, 7, MAP_AT, SIZE, 0, DEVICE_AT) == 0);
    CHECK(show(0, 7, MAP_AT, SIZE, 0, DEVICE_AT) == 3);
    CHECK(show(1, 7, MAP_AT, SIZE, 0, DEVICE_AT) == 0);
    CHECK(free_now(0) == before);
}

static void host_memory_is_made_by_commands(void)
{
    uint64_t a[9] = {HOST_AT, 8192, 1};
    uint64_t b[8] = {HOST_AT, 8192};
    volatile unsigned char *bytes = (volatile unsigned char *)(uintptr_t)HOST_AT;
    int pages = node("svm_mmap", 0, 0);
    CHECK(ioctl(pages, 0x5521UL, a) != 0 && errno == EOPNOTSUPP);
    CHECK(mmap((void *)0x1000000, MIB, PROT_READ, MAP_SHARED, pages, 0) == MAP_FAILED);
    CHECK(mmap((void *)(uintptr_t)HOST_AT, GIB, PROT_READ | PROT_WRITE, MAP_SHARED, pages, 0) ==
          (void *)(uintptr_t)HOST_AT);
    ANSWERS(give(host, 0xc048551e, a), 0);
    bytes[4097] = 6;
    CHECK(bytes[4097] == 6);
    ANSWERS(give(host, 0xc048551e, a), EINVAL);
    a[4] = 9;
    ANSWERS(give(host, 0xc048551e, a), EINVAL);
    ANSWERS(give(host, 0x4040551f, b), 0);
    ANSWERS(give(host, 0x4040551f, b), EFAULT);
}

static void devices_reach_what_was_registered(void)
{
    static unsigned char mine[8192];
    uint64_t a[5] = {0, (uintptr_t)mine, sizeof(mine), 1, 0};
    ANSWERS(give(device[0], 0x4028550f, a), 0);
    ANSWERS(give(device[0], 0x4028550f, a), EBUSY);
    ANSWERS(give(device[0], 0x40205510, a), 0);
    ANSWERS(give(device[0], 0x40205510, a), EINVAL);
    ANSWERS(give(host, 0x4028550f, a), EINVAL);
    memset(mine, 9, sizeof(mine));
    CHECK(show(0, 6, 0x40000000000ULL, sizeof(mine), HOST, (uintptr_t)mine) == 0);
    CHECK(populate(0, DEVICE_AT, SIZE) == 0);
    uint64_t local[3] = {0x40000000000ULL, DEVICE_AT, 64};
    CHECK(message(0, 1, local, sizeof(local)) == 0);
    unsigned char seen[64] = {0};
    ANSWERS(copy_between((uintptr_t)seen, HOST, DEVICE_AT, 0, 64), 0);
    CHECK(seen[0] == 9);
    CHECK(show(0, 7, 0x40000000000ULL, sizeof(mine), HOST, (uintptr_t)mine) == 0);
}

static void rows_and_batches_are_copied(void)
{
    unsigned char mine[64];
    uint64_t rows[9] = {(uintptr_t)mine, DEVICE_AT, 16, 32, 8, 4, HOST, 0, 0};
    uint64_t from[2] = {(uintptr_t)mine, (uintptr_t)mine + 8};
    uint64_t to[2] = {DEVICE_AT + 256, DEVICE_AT + 512};
    uint64_t sizes[2] = {8, 8};
    uint64_t batch[7] = {(uintptr_t)from, (uintptr_t)to, (uintptr_t)sizes, 2, HOST, 0, 0};
    for (int i = 0; i < 64; i++) {
        mine[i] = (unsigned char)i;
    }
    ANSWERS(give(device[0], 0xc038550b, rows), 0);
    ANSWERS(give(device[0], 0xc038550c, batch), 0);
    uint64_t wait[2] = {(uint32_t)batch[5], 0};
    ANSWERS(give(device[0], 0x4010550d, wait), 0);
    memset(mine, 0, sizeof(mine));
    ANSWERS(copy_between((uintptr_t)mine, HOST, DEVICE_AT + 32, 0, 8), 0);
    CHECK(mine[0] == 16);
    ANSWERS(copy_between((uintptr_t)mine, HOST, DEVICE_AT + 512, 0, 8), 0);
    CHECK(mine[0] == 8);
    rows[4] = 99;
    ANSWERS(give(device[0], 0xc038550b, rows), EINVAL);
    batch[3] = 0;
    ANSWERS(give(device[0], 0xc038550c, batch), EINVAL);
    batch[3] = 5000;
    ANSWERS(give(device[0], 0xc038550c, batch), EOPNOTSUPP);
}

static void keys_belong_to_who_made_them(void)
{
    uint64_t made[5] = {0, DEVICE_AT, SIZE, 0, 0};
    uint64_t source[8] = {0};
    uint64_t task[4] = {0};
    ANSWERS(give(device[0], 0xc0285500, made), 0);
    CHECK((made[3] >> 48) == 0x3ff);
    source[0] = made[3];
    ANSWERS(give(device[0], 0xc0405503, source), 0);
    CHECK((source[1] >> 32) == 0 && (int32_t)source[2] == getpid());
    CHECK(source[3] == DEVICE_AT && source[4] == SIZE);
    task[1] = made[3];
    task[2] = 0x3ff | 4711ULL << 32;
    task[0] = 2;
    ANSWERS(give(host, 0x40205502, task), ENOSPC);
    task[0] = 0;
    ANSWERS(give(host, 0x40205502, task), 0);
    task[0] = 2;
    ANSWERS(give(host, 0x40205502, task), 0);
    task[0] = 3;
    ANSWERS(give(host, 0x40205502, task), EOPNOTSUPP);
    made[1] += 4096;
    ANSWERS(give(device[0], 0xc0285500, made), EINVAL);
    ANSWERS(give(device[0], 0x40105501, &source[0]), 0);
    ANSWERS(give(device[0], 0x40105501, &source[0]), EINVAL);
}

static int name_part(uint64_t at, uint64_t *key)
{
    uint64_t made[5] = {0, at, MIB, 0, 0};
    int failed = give(device[0], 0xc0285500, made);
    *key = made[3];
    return failed;
}

static void pools_keep_their_threshold(void)
{
    uint64_t a[4] = {5, DEVICE_AT, SIZE, 0};
    CHECK(message(0, 16, a, sizeof(a)) == 0);
    CHECK(message(0, 16, a, sizeof(a)) == 3);
    uint64_t set[4] = {5, 1, 2 * MIB, 0};
    CHECK(message(0, 18, set, sizeof(set)) == 0);
    CHECK(message(1, 18, set, sizeof(set)) == 3);
    for (uint64_t attribute = 1; attribute <= 5; attribute++) {
        uint64_t told[4] = {5, attribute, 77, 0};
        CHECK(message(0, 19, told, sizeof(told)) == 0);
        CHECK(told[2] == (attribute == 1 ? 2 * MIB : 0));
    }
    CHECK(message(0, 17, a, sizeof(a)) == 0);
    CHECK(a[1] == DEVICE_AT);
    CHECK(message(0, 19, set, sizeof(set)) == 3);
}

static void keys_for_everyone_have_no_list(void)
{
    uint64_t task[4] = {0, 0, 0x3ff | (uint64_t)(uint32_t)-2 << 32, 0};
    CHECK(name_part(DEVICE_AT, &task[1]) == 0);
    ANSWERS(give(host, 0x40205502, task), 0);
    ANSWERS(give(host, 0x40205502, task), 0);
    task[2] = 0x3ff | 4711ULL << 32;
    ANSWERS(give(host, 0x40205502, task), EPERM);
    task[0] = 2;
    ANSWERS(give(host, 0x40205502, task), 0);
    ANSWERS(give(device[0], 0x40105501, &task[1]), 0);
}

static void pinned_memory_stays_as_long_as_it_is_seen(void)
{
    unsigned char mine[64];
    uint64_t key;
    int busy = 0;
    uint64_t fill[3] = {DEVICE_AT + MIB, MIB, 0x3c};
    CHECK(name_part(DEVICE_AT + MIB, &key) == 0);
    uint64_t pin[4] = {MAP_AT, 2 * MIB, key, 0};
    ANSWERS(give(device[1], 0x40205504, pin), EINVAL);
    pin[1] = MIB;
    CHECK(show(1, 6, MAP_AT, MIB, 0, 0) == 3);
    ANSWERS(give(device[1], 0x40205504, pin), 0);
    ANSWERS(give(device[1], 0x40205504, pin), EINVAL);
    uint64_t seen[8] = {MAP_AT, MIB};
    CHECK(message(1, 6, seen, sizeof(seen)) == 0);
    CHECK(message(0, 0, fill, sizeof(fill)) == 0);
    ANSWERS(copy_between((uintptr_t)mine, HOST, MAP_AT + MIB - 64, 1, 64), 0);
    CHECK(mine[0] == 0x3c && mine[63] == 0x3c);
    CHECK(depopulate(0, DEVICE_AT, SIZE, &busy) == 0);
    uint64_t late[4] = {MAP_AT + GIB, MIB, key, 0};
    ANSWERS(give(device[1], 0x40205504, late), EOWNERDEAD);
    memset(mine, 0, sizeof(mine));
    ANSWERS(copy_between((uintptr_t)mine, HOST, MAP_AT, 1, 64), 0);
    CHECK(mine[0] == 0x3c);
    ANSWERS(give(device[0], 0x40105501, &key), 0);
    uint64_t before = free_now(0);
    CHECK(show(1, 7, MAP_AT, MIB, 0, 0) == 0);
    ANSWERS(give(device[1], 0x40185505, pin), 0);
    ANSWERS(give(device[1], 0x40185505, pin), EINVAL);
    CHECK(free_now(0) == before + SIZE);
    CHECK(populate(0, DEVICE_AT, SIZE) == 0);
}

/* Ask whose process on a device has a number; its number, or the errno below zero. */
static int64_t master_of(uint32_t on, int32_t slave)
{
    uint32_t a[10] = {(uint32_t)slave, 0, 0, on};
    int fd = node("apm", 0, 0);
    int failed = give(fd, 0xc0285506, a);
    close(fd);
    return failed != 0 ? -failed : (int32_t)a[1];
}

/* Copy from memory that another process named, by the host; its first byte, or the errno below zero. */
static int64_t first_byte(int32_t owner, uint64_t address)
{
    unsigned char mine[64] = {0};
    uint64_t a[7] = {address, (uintptr_t)mine, 64, (uint64_t)HOST << 32, (uint32_t)owner, 1, 0};
    int failed = give(host, 0xc038550a, a);
    return failed != 0 ? -failed : mine[63];
}

/* Make memory and a key for everyone; the key, or -1. */
static int64_t share_some(void)
{
    uint64_t task[4] = {0, 0, 0x3ff | (uint64_t)(uint32_t)-2 << 32, 0};
    events = node("ESCHED", 0, O_NONBLOCK);
    device[0] = node("svm", 0, 0);
    bool made = populate(0, DEVICE_AT, SIZE) == 0 && name_part(DEVICE_AT, &task[1]) == 0 &&
                give(host, 0x40205502, task) == 0;
    return made ? (int64_t)task[1] : -1;
}

static int64_t act(const struct order *what)
{
    uint64_t pin[4] = {MAP_AT, MIB, what->a, 0};
    if (host < 0) {
        host = node("svm", HOST, 0);
        device[1] = node("svm", 1, 0);
    }
    switch (what->letter) {
    case 'p':
        return getpid();
    case 'k':
        return give(device[1], 0x40205504, pin);
    case 'm':
        return share_some();
    case 'b':
        return first_byte((int32_t)what->a, what->b);
    default:
        return give(device[1], 0x40185505, pin);
    }
}

static int64_t ask_peer(const struct peer *peer, int letter, uint64_t a, uint64_t b)
{
    struct order what = {letter, a, b, ""};
    return order(peer, &what);
}

static void copies_name_who_made_the_memory(const char *program)
{
    struct peer peer = start_peer(program, "peer");
    int32_t pid = (int32_t)ask_peer(&peer, 'p', 0, 0);
    uint64_t fill[3] = {DEVICE_AT, SIZE, 0x4d};
    uint64_t task[4] = {0, 0, 0x3ff | (uint64_t)(uint32_t)pid << 32, 0};
    unsigned char mine[64] = {0};
    uint64_t hosts[7] = {(uintptr_t)mine, (uintptr_t)mine, 8, HOST | (uint64_t)HOST << 32, 0, 1, 0};
    CHECK(message(0, 0, fill, sizeof(fill)) == 0);
    CHECK(name_part(DEVICE_AT + MIB, &task[1]) == 0);
    ANSWERS(give(host, 0x40205502, task), 0);
    CHECK(master_of(0, pid) == pid);
    CHECK(master_of(99, pid) == -ENODEV);
    CHECK(master_of(0, 0) == -ESRCH);
    CHECK(ask_peer(&peer, 'b', (uint64_t)getpid(), DEVICE_AT + MIB) == -EINVAL);
    CHECK(ask_peer(&peer, 'k', task[1], 0) == 0);
    CHECK(ask_peer(&peer, 'b', (uint64_t)getpid(), DEVICE_AT + MIB + 4096) == 0x4d);
    CHECK(ask_peer(&peer, 'b', (uint64_t)getpid(), DEVICE_AT + 2 * MIB - 32) == -EINVAL);
    CHECK(ask_peer(&peer, 'b', (uint64_t)getpid(), DEVICE_AT) == -EINVAL);
    CHECK(ask_peer(&peer, 'u', 0, 0) == 0);
    CHECK(ask_peer(&peer, 'b', (uint64_t)getpid(), DEVICE_AT + MIB) == -EINVAL);
    CHECK(first_byte(getpid(), DEVICE_AT) == 0x4d);
    ANSWERS(give(host, 0xc038550a, hosts), EINVAL);
    ANSWERS(give(device[0], 0x40105501, &task[1]), 0);
    end_peer(&peer);
    CHECK(master_of(0, pid) == -ESRCH);
}

static void keys_of_the_dead_lead_nowhere(const char *program)
{
    struct peer peer = start_peer(program, "peer");
    uint64_t told[8] = {(uint64_t)ask_peer(&peer, 'm', 0, 0)};
    ANSWERS(give(device[1], 0xc0405503, told), 0);
    kill(peer.pid, SIGKILL);
    end_peer(&peer);
    ANSWERS(give(device[1], 0xc0405503, told), EINVAL);
}

static void numbers_of_keys_go_round(void)
{
    uint64_t first;
    uint64_t second;
    CHECK(name_part(DEVICE_AT, &first) == 0);
    ANSWERS(give(device[0], 0x40105501, &first), 0);
    CHECK(name_part(DEVICE_AT, &second) == 0);
    CHECK(first != second);
    ANSWERS(give(device[0], 0x40105501, &second), 0);
}

static void closing_gives_back(void)
{
    int busy = 0;
    uint64_t before;
    CHECK(depopulate(0, DEVICE_AT, SIZE, &busy) == 0);
    before = free_now(0);
    CHECK(populate(0, DEVICE_AT, SIZE) == 0);
    close(device[0]);
    CHECK(free_now(0) == before);
}

int main(int count, char **arguments)
{
    if (count == 4) {
        return serve_orders(arguments, act);
    }
    events = node("ESCHED", 0, O_NONBLOCK);
    host = node("svm", HOST, 0);
    device[0] = node("svm", 0, 0);
    device[1] = node("svm", 1, 0);
    CHECK(events >= 0 && host >= 0 && device[0] >= 0 && device[1] >= 0);
    CHECK(node("svm", 9, 0) < 0 && errno == EINVAL);
    groups_are_known_once_they_are_added();
    answers_wait_for_their_thread();
    device_memory_is_made_by_messages();
    what_is_shown_stays_until_it_is_hidden();
    host_memory_is_made_by_commands();
    devices_reach_what_was_registered();
    rows_and_batches_are_copied();
    keys_belong_to_who_made_them();
    pools_keep_their_threshold();
    keys_for_everyone_have_no_list();
    pinned_memory_stays_as_long_as_it_is_seen();
    copies_name_who_made_the_memory(arguments[0]);
    keys_of_the_dead_lead_nowhere(arguments[0]);
    numbers_of_keys_go_round();
    closing_gives_back();
    return finish();
}
