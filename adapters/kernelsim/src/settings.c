/* settings.c - reads KERNELSIM_* once. A value that cannot be used is told, and the default holds. */
#include "settings.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real.h"

#define X(id, title, generation, coherent, accelerators, dvpp, uva, share) \
    {title, generation, coherent, accelerators, dvpp, uva, share},
static const struct product products[] = {
#include "../../products.h"
};
#undef X

static struct settings chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void bad(const char *name, const char *text, const char *expected)
{
    fprintf(stderr, "kernelsim: %s=%s: expected %s\n", name, text, expected);
}

/* A number of bytes with an optional suffix; 0 if it is none. *end is what follows. */
static uint64_t bytes_of(const char *text, const char **end)
{
    char *after;
    uint64_t value = strtoull(text, &after, 0);
    const char *suffixes = "KMGT";
    const char *found = *after != '\0' ? strchr(suffixes, *after) : NULL;
    if (found != NULL) {
        value <<= 10 * (found - suffixes + 1);
        after++;
    }
    *end = after;
    return after == text ? 0 : value;
}

static void read_device_memory(void)
{
    const char *text = getenv("KERNELSIM_DEVICE_MEMORY");
    uint64_t last = 4 * GIB;
    for (unsigned i = 0; i < DEVICES_MOST; i++) {
        if (text != NULL && *text != '\0') {
            const char *end;
            uint64_t value = bytes_of(text, &end);
            if (value < 64 * MIB || (*end != '\0' && *end != ',')) {
                bad("KERNELSIM_DEVICE_MEMORY", text, "bytes of at least 64M, or a list of them");
                text = NULL;
            } else {
                last = value & ~(2 * MIB - 1);
                text = *end == ',' ? end + 1 : NULL;
            }
        }
        chosen.device_memory[i] = last;
    }
}

static void read_all(void)
{
    chosen.product = &products[0];
    const char *profile = getenv("KERNELSIM_PROFILE");
    if (profile != NULL && *profile != '\0') {
        const struct product *found = NULL;
        for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
            found = strcmp(products[i].name, profile) == 0 ? &products[i] : found;
        }
        if (found == NULL) {
            bad("KERNELSIM_PROFILE", profile, "ascend910b, ascend910_93 or ascend950");
        } else {
            chosen.product = found;
        }
    }
    chosen.devices = 2;
    const char *devices = getenv("KERNELSIM_DEVICES");
    if (devices != NULL && *devices != '\0') {
        long value = strtol(devices, NULL, 10);
        if (value < 1 || value > DEVICES_MOST) {
            bad("KERNELSIM_DEVICES", devices, "1 to 64");
        } else {
            chosen.devices = (unsigned)value;
        }
    }
    read_device_memory();
    chosen.host_memory = 8 * GIB;
    const char *host = getenv("KERNELSIM_HOST_MEMORY");
    if (host != NULL && *host != '\0') {
        const char *end;
        uint64_t value = bytes_of(host, &end);
        if (value < 64 * MIB || *end != '\0') {
            bad("KERNELSIM_HOST_MEMORY", host, "bytes of at least 64M");
        } else {
            chosen.host_memory = value;
        }
    }
    const char *domain = getenv("KERNELSIM_DOMAIN");
    snprintf(chosen.domain, sizeof(chosen.domain), "%s",
             domain != NULL && *domain != '\0' ? domain : "default");
    for (char *at = chosen.domain; *at != '\0'; at++) {
        *at = *at == '/' ? '_' : *at;
    }
    const char *file = getenv("KERNELSIM_TRACE");
    chosen.trace = -1;
    if (file != NULL && *file != '\0') {
        chosen.trace = real_open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    }
}

const struct settings *settings(void)
{
    pthread_once(&once, read_all);
    return &chosen;
}

void trace(const char *format, ...)
{
    if (settings()->trace < 0) {
        return;
    }
    char line[320];
    va_list arguments;
    va_start(arguments, format);
    int head = snprintf(line, sizeof(line), "%d ", (int)getpid());
    int length = vsnprintf(line + head, sizeof(line) - (size_t)head, format, arguments) + head;
    va_end(arguments);
    length = length < (int)sizeof(line) ? length : (int)sizeof(line) - 1;
    if (write(settings()->trace, line, (size_t)length) < 0) {
        return; /* nobody can be told */
    }
}
