/* lifecycle.c - modules, the start of a process, opening and closing devices, forks. */
#include "kernel.h"

static void the_node_belongs_to_one_module(void)
{
    int fd = open("/dev/davinci_manager", O_RDWR);
    struct argument a = device_argument(0);
    CHECK(fd >= 0);
    ANSWERS(ioctl(fd, 0x41584d65UL, &a) == 0 ? 0 : errno, ENODEV);
    CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EBADF);
    ANSWERS(ioctl(fd, 0x5a00UL, NULL) == 0 ? 0 : errno, EINVAL);
    ANSWERS(ioctl(fd, 0x5a00UL, (void *)16) == 0 ? 0 : errno, EFAULT);
    char choice[260] = "no such module";
    ANSWERS(ioctl(fd, 0x5a00UL, choice) == 0 ? 0 : errno, EINVAL);
    memset(choice, 'x', sizeof(choice));
    ANSWERS(ioctl(fd, 0x5a00UL, choice) == 0 ? 0 : errno, EINVAL);
    memset(choice, 0, sizeof(choice));
    ANSWERS(ioctl(fd, 0x5a00UL, choice) == 0 ? 0 : errno, EINVAL);
    strcpy(choice, "DEVMNG");
    ANSWERS(ioctl(fd, 0x5a00UL, choice) == 0 ? 0 : errno, 0);
    ANSWERS(ioctl(fd, 0x5a00UL, choice) == 0 ? 0 : errno, ENOSYS);
    ANSWERS(ioctl(fd, 0x5a01UL, choice) == 0 ? 0 : errno, 0);
    ANSWERS(ioctl(fd, 0x4d6cUL, choice) == 0 ? 0 : errno, ENODEV);
    close(fd);
    CHECK(access("/dev/davinci_manager", R_OK | W_OK) == 0);
}

static void devices_are_told(void)
{
    int fd = node("uda", 0, 0);
    uint32_t user[5];
    struct {
        uint32_t start, end;
        uint64_t at;
    } list = {0, 4, 0};
    uint8_t entries[4][8];
    memset(entries, 0, sizeof(entries));
    list.at = (uintptr_t)entries;
    ANSWERS(send_to(fd, 0x80145500UL, 0, user), 0);
    CHECK(user[0] == 1);
    ANSWERS(send_to(fd, 0xc0105502UL, 0, &list), 0);
    CHECK((entries[0][0] & 1) == 1 && (entries[1][0] & 1) == 1 && (entries[2][0] & 1) == 0);
    CHECK(entries[1][4] == 1);
    uint32_t pair[2] = {1, 9};
    ANSWERS(send_to(fd, 0xc0085503UL, 0, pair), 0);
    CHECK(pair[1] == 1);
    pair[0] = 7;
    ANSWERS(send_to(fd, 0xc0085503UL, 0, pair), ENODEV);
    close(fd);
    fd = node("DEVMNG", 0, 0);
    uint32_t flag[2] = {0, 0};
    ANSWERS(send_to(fd, 0x4d00UL, 59, flag), 0);
    CHECK(flag[1] == 0x5a6b7c8d);
    close(fd);
}

static void commands_need_an_initialised_process(void)
{
    struct argument a = device_argument(0);
    svm = node("SVM", 0, O_SYNC);
    ANSWERS(ask(26, &a), EINVAL);
    ANSWERS(ask(47, &a), EINVAL);
    ANSWERS(tell(105, &a), EINVAL);
    ANSWERS(ioctl(svm, 0xc1585500UL, &a) == 0 ? 0 : errno, EINVAL);
    ANSWERS(ioctl(svm, 0xc1584d1aUL, NULL) == 0 ? 0 : errno, EINVAL);
    ANSWERS(tell(102, &a), EOPNOTSUPP);
    put4(&a, 0, 1);
    ANSWERS(ask(104, &a), EINVAL);
    close(svm);
    ANSWERS(begin_process(), 0);
    a = device_argument(0);
    ANSWERS(tell(101, &a), EALREADY);
    ANSWERS(tell(71, &a), EOPNOTSUPP);
    ANSWERS(tell(38, &a), EOPNOTSUPP);
    CHECK(mmap((void *)0x500000000000, 4096, PROT_READ, MAP_SHARED, svm, 0) == MAP_FAILED);
}

static void device_ids_are_checked(void)
{
    struct argument a = device_argument(1124);
    ANSWERS(ask(26, &a), ENODEV);
    a = device_argument(2);
    ANSWERS(ask(26, &a), EINVAL);
    a = device_argument(HOST);
    ANSWERS(ask(26, &a), EINVAL);
    a = device_argument(64);
    ANSWERS(ask(26, &a), EINVAL);
}

static void a_device_is_opened_and_closed(void)
{
    struct argument a = device_argument(0);
    ANSWERS(ask(39, &a), ESRCH);
    ANSWERS(ask(26, &a), 0);
    CHECK(get8(&a, 0) == 4 * GIB || get8(&a, 0) == 16 * GIB);
    CHECK(get4(&a, 24) == 1);
    ANSWERS(ask(26, &a), 0);
    ANSWERS(ask(39, &a), 0);
    CHECK(get4(&a, 8) == 0);
    ANSWERS(device_memory(NORMAL_START, 4 * MIB, 0), 0);
    uint64_t before = free_on(0);
    ANSWERS(close_device(0), 0);
    ANSWERS(open_device(0), 0);
    CHECK(free_on(0) == before + 4 * MIB);
    ANSWERS(heap(1, HUGE, SUB_DEVICE, NORMAL_START, GIB, 0), 0);
}

static int uses_the_parents_node(uint64_t at)
{
    (void)at;
    struct argument a = device_argument(0);
    return ask(47, &a) == EINVAL ? 0 : 1;
}

static int begins_anew(uint64_t at)
{
    (void)at;
    return begin_process() == 0 && open_device(0) == 0 &&
                   device_memory(NORMAL_START, 2 * MIB, 0) == 0 &&
                   put_bytes(NORMAL_START, 4096, 3) == 0 && holds(NORMAL_START, 4096, 3)
               ? 0
               : 1;
}

static void a_child_is_a_process_of_its_own(void)
{
    uint64_t before = free_on(0);
    CHECK(survives(uses_the_parents_node, 0));
    CHECK(survives(begins_anew, 0));
    CHECK(free_on(0) == before);
}

static int peers(uint32_t what, uint32_t device, uint32_t peer, int *told)
{
    static int urd = -1;
    uint32_t in[8] = {what, device, peer};
    uint64_t a[8] = {0, 0x45 | 40ULL << 32, 0, 0, (uintptr_t)in, sizeof(in), (uintptr_t)in, sizeof(in)};
    urd = urd < 0 ? node("URD", 0, 0) : urd;
    int failed = ioctl(urd, 0x5601UL, a) == 0 ? 0 : errno;
    *told = (int)in[4];
    return failed;
}

static void devices_reach_each_other_both_ways(void)
{
    enum { ENABLE, DISABLE, ASK, ASK_WAY, ASK_ABILITIES };
    int told = -1;
    ANSWERS(peers(ASK_WAY, 0, 1, &told), 0);
    CHECK(told == 1);
    ANSWERS(peers(ASK_WAY, 0, 7, &told), EINVAL);
    ANSWERS(peers(ASK_WAY, 7, 0, &told), EFAULT);
    ANSWERS(peers(DISABLE, 0, 1, &told), ESRCH);
    ANSWERS(peers(ENABLE, 0, 0, &told), EINVAL);
    ANSWERS(peers(ENABLE, 0, 1, &told), 0);
    ANSWERS(peers(ENABLE, 0, 1, &told), 0);
    ANSWERS(peers(ASK, 0, 1, &told), 0);
    CHECK(told == 0);
    ANSWERS(peers(ENABLE, 1, 0, &told), 0);
    ANSWERS(peers(DISABLE, 0, 1, &told), 0);
    ANSWERS(peers(ASK, 1, 0, &told), 0);
    CHECK(told == 1);
    ANSWERS(peers(DISABLE, 0, 1, &told), 0);
    ANSWERS(peers(DISABLE, 0, 1, &told), ESRCH);
    ANSWERS(peers(ASK, 0, 1, &told), 0);
    CHECK(told == 0);
    ANSWERS(peers(ASK_ABILITIES, 0, 0, &told), 0);
    ANSWERS(peers(9, 0, 1, &told), EINVAL);
}

int main(void)
{
    the_node_belongs_to_one_module();
    devices_are_told();
    commands_need_an_initialised_process();
    device_ids_are_checked();
    a_device_is_opened_and_closed();
    a_child_is_a_process_of_its_own();
    devices_reach_each_other_both_ways();
    return finish();
}
