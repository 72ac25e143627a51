/* settings.h - what the environment says about the machine that is played. */
#ifndef KERNELSIM_SETTINGS_H
#define KERNELSIM_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

enum { DEVICES_MOST = 64, HOST_ID = 65, HOST_AGENT_ID = 64 };

struct product {
    const char *name;
    int generation;           /* of the memory module: 2 or 3 */
    bool coherent;            /* a link on which devices use host memory as their own; else PCIe */
    unsigned accelerators;    /* that reach host memory, a bit for each kind */
    uint64_t dvpp_heap;       /* bytes of the heap for image memory of a device */
    bool host_uva;            /* has the window of host memory at device addresses */
    uint64_t small_share;     /* 1/n of a device's memory is shown as small pages */
};

struct settings {
    const struct product *product;
    unsigned devices;
    uint64_t device_memory[DEVICES_MOST];
    uint64_t host_memory;
    char domain[128];
    int trace; /* descriptor for a line on each command; -1: none */
};

/* The settings; the first call reads the environment. */
const struct settings *settings(void);

/* Tell of a command, if anybody wants to know. */
void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
