/* A library with the HAL's ABI that does, on request, what no library should do. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MEDDLE 0xBAD1DEAULL /* a destination for which inputs are changed */

enum deed { ECHO = 1, SEGV, ABORT, LEAVE, HANG, PRINT, CLOSE, OVERRUN, SCRIBBLE, CHATTER, NAP, DIE, SEVER,
            ORPHAN, TWIN, PATRICIDE, UNDERRUN };

static void scribble_on(const char *name)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof(line), maps) != NULL) {
        unsigned long start = 0, end = 0;
        if (strstr(line, name) != NULL && sscanf(line, "%lx-%lx", &start, &end) == 2) {
            memset((void *)start, 0xff, 4096);
        }
    }
    fclose(maps);
}

int halMemAlloc(void **pp, unsigned long long size, unsigned long long flag)
{
    switch (size) {
    case SEGV:
        *(volatile int *)8 = 1;
        break;
    case ABORT:
        fprintf(stderr, "naughty: invariant broken\n");
        abort();
    case LEAVE:
        exit((int)flag);
    case HANG:
        for (;;) {
            pause();
        }
    case PRINT:
        printf("to stdout\n");
        fflush(stdout);
        for (unsigned long long i = 0; i < flag; i++) {
            fprintf(stderr, "line %llu\n", i);
        }
        break;
    case CLOSE:
        for (int fd = 0; fd < 1024; fd++) {
            close(fd);
        }
        break;
    case SEVER:
        for (int fd = 0; fd < 1024; fd++) {
            close(fd);
        }
        for (;;) {
            pause();
        }
    case ORPHAN: /* leaves a child and one that has left the group behind, and crashes */
        if (fork() == 0) {
            if (fork() == 0) {
                setsid();
            }
            for (;;) {
                pause();
            }
        }
        *(volatile int *)8 = 1;
        break;
    case TWIN: /* returns in the child, too */
        fork();
        break;
    case PATRICIDE:
        kill(getppid(), SIGKILL);
        for (;;) {
            pause();
        }
    case UNDERRUN:
        pp[-1] = NULL;
        break;
    case OVERRUN:
        pp[1] = NULL;
        break;
    case SCRIBBLE:
        scribble_on("halcert-journal");
        break;
    case CHATTER:
        for (int fd = 3; fd < 1024; fd++) {
            (void)!send(fd, "not a frame, not at all", 23, MSG_NOSIGNAL);
        }
        break;
    case NAP:
        usleep((useconds_t)flag);
        break;
    case DIE:
        raise((int)flag);
        break;
    case ECHO:
        *pp = (void *)flag;
        break;
    default:
        return 6;
    }
    return 0;
}

int halMemFree(void *pp)
{
    return (int)((uintptr_t)pp & 0xff);
}

int halMemGetAddressRange(uint64_t ptr, uint64_t *pbase, size_t *psize)
{
    if (pbase != NULL) {
        *pbase = ptr;
    }
    if (psize != NULL) {
        *psize = ~ptr;
    }
    return 0;
}

int drvMemGetAttribute(uint64_t vptr, uint32_t *attr)
{
    if (attr != NULL) {
        attr[0] = (uint32_t)vptr;
        attr[4] = (uint32_t)(vptr >> 32);
    }
    return 0;
}

int halMemcpy2D(void *p_copy)
{
    return p_copy == NULL;
}

int halMemcpyBatch(uint64_t *dst, uint64_t *src, size_t *size, size_t count)
{
    uint64_t sum = 0;
    if (dst == NULL || src == NULL || size == NULL) {
        return 8;
    }
    if (count > 0 && dst[0] == MEDDLE) {
        size[0] ^= 1;
    }
    for (size_t i = 0; i < count; i++) {
        sum += dst[i] + 3 * src[i] + 5 * size[i];
    }
    return (int)(sum & 0x7fffffff);
}

/* Every word of every record counts, with its place. */
int halMemSetAccess(void *ptr, size_t size, uint32_t *desc, size_t count)
{
    uint32_t sum = (uint32_t)(uintptr_t)ptr + (uint32_t)size;
    if (desc == NULL) {
        return -1;
    }
    for (size_t i = 0; i < 5 * count; i++) {
        sum = 31 * sum + desc[i];
    }
    if (ptr == (void *)MEDDLE && count > 0) {
        desc[5 * count - 1] ^= 1;
    }
    return (int)(sum & 0x7fffffff);
}

static unsigned char properties[32];

int halMemCreate(void **handle, size_t size, const void *prop, uint64_t flag)
{
    if (prop == NULL) {
        return 3;
    }
    memcpy(properties, prop, sizeof(properties));
    if (handle != NULL) {
        *handle = (void *)(size ^ flag);
    }
    return 0;
}

int halMemGetAllocationPropertiesFromHandle(void *prop, void *handle)
{
    if (prop == NULL || handle == NULL) {
        return 3;
    }
    memcpy(prop, properties, sizeof(properties));
    return 0;
}

int halMemcpy(uint64_t dst, size_t dst_size, uint64_t src, size_t count, const uint32_t *info)
{
    (void)dst_size, (void)src, (void)count;
    if (dst == MEDDLE) {
        *(uint32_t *)(uintptr_t)info ^= 1;
    }
    return info == NULL ? -1 : (int)(info[0] + 10 * info[1] + 100 * info[2] + 1000 * info[4]);
}

int halMemCtl(int type, void *in, size_t in_size, void *out, size_t *out_size)
{
    (void)type;
    if (in != NULL && out != NULL) {
        memcpy(out, in, in_size);
    }
    if (out_size != NULL) {
        *out_size = in_size;
    }
    return in == NULL;
}

int halMemGetInfo(uint32_t device, unsigned type, void *info)
{
    if (info == NULL) {
        return 3;
    }
    if (type == 5) {
        uint64_t *addresses = *(uint64_t **)info;
        uint32_t *words = info;
        words[4] = 0;
        for (uint32_t i = 0; addresses != NULL && i < words[2]; i++) {
            words[4] += (uint32_t)addresses[i];
        }
    }
    if (type == 6) {
        ((int32_t *)info)[0] = 2;
        ((int32_t *)info)[1] = -7;
    }
    return (int)device;
}

int drvMemConvertAddr(uint64_t src, uint64_t dst, uint32_t len, uint32_t *dma)
{
    (void)src, (void)dst;
    if (dma == NULL) {
        return 3;
    }
    dma[8] = len;
    dma[9] = dma[2]; /* virt_id = offsetAddr.devid */
    return 0;
}

int drvMemDestroyAddr(const uint32_t *dma)
{
    return dma == NULL ? 3 : (int)dma[9];
}

int halMemDestroyAddrBatch(uint32_t **dma, uint32_t num)
{
    int sum = 0;
    for (uint32_t i = 0; dma != NULL && i < num; i++) {
        sum += dma[i] == NULL ? 1000 : (int)dma[i][9];
    }
    return sum;
}

int drvMemDeviceOpen(uint32_t devid, int devfd)
{
    return (int)devid + devfd;
}

_Bool halSupportFeature(uint32_t devid, uint32_t type)
{
    return devid == type;
}

int drvGetDevNum(uint32_t *num)
{
    *num = 3;
    return 0;
}

__attribute__((constructor)) static void born(void)
{
    const char *wish = getenv("NAUGHTY_AT_LOAD");
    if (wish != NULL && strcmp(wish, "abort") == 0) {
        fprintf(stderr, "naughty: not today\n");
        abort();
    }
    if (wish != NULL && strcmp(wish, "twin") == 0) {
        fork();
    }
}

__attribute__((destructor)) static void gone(void)
{
    const char *path = getenv("NAUGHTY_FAREWELL");
    if (path != NULL) {
        close(open(path, O_CREAT | O_WRONLY, 0600));
    }
}
