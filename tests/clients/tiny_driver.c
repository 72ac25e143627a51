/* tiny_driver.c - as much of a driver's library as it takes to count devices and to be refused. */
#include "kernel.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int drvGetDevNum(uint32_t *count)
{
    uint8_t entries[64][8] = {{0}};
    struct {
        uint32_t start, end;
        uint64_t at;
    } list = {0, 64, (uintptr_t)entries};
    int fd = node("uda", 0, 0);
    if (fd < 0 || send_to(fd, 0xc0105502UL, 0, &list) != 0) {
        return 1;
    }
    close(fd);
    *count = 0;
    for (int i = 0; i < 64; i++) {
        *count += entries[i][0] & 1;
    }
    return 0;
}

EXPORT int halMemAgentOpen(uint32_t device, uint32_t flag)
{
    (void)flag;
    int failed = svm < 0 ? begin_process() : 0;
    return failed != 0 || open_device(device) != 0 ? 8 : 0;
}

EXPORT int drvMemAddressTranslate(uint64_t address, uint64_t *physical)
{
    struct argument a = device_argument(0);
    if (device_memory(NORMAL_START, 2 * MIB, 0) != 0) {
        return 6;
    }
    put8(&a, 0, address);
    int failed = ask(17, &a);
    *physical = get8(&a, 8);
    return failed == 0 ? 0 : 8;
}
