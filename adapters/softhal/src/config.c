/* config.c - configuration from the environment and, for keys that are absent there, a small file. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caprice.h"

static struct config config;
static pthread_once_t config_once = PTHREAD_ONCE_INIT;

#define X(id, name, ...) [PROFILE_##id] = name,
static const char *const profile_names[PROFILE_COUNT] = {
#include "../../products.h"
};
#undef X

/* Largest capacity of one node: keeps sums of all counters far from 2^64. */
#define MAX_CAPACITY (64 * TIB)

void complain(const char *format, ...)
{
    va_list arguments;
    char line[256];
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    fprintf(stderr, "softhal: %s\n", line);
}

const char *profile_name(enum profile profile)
{
    return profile_names[profile];
}

/* The value of key in the file, in a buffer of the caller; NULL if it is not there. */
static const char *from_file(const char *path, const char *key, char *buffer, size_t size)
{
    FILE *file = path != NULL && path[0] != '\0' ? fopen(path, "re") : NULL;
    if (file == NULL) {
        return NULL;
    }
    char line[256];
    const char *found = NULL;
    while (found == NULL && fgets(line, sizeof(line), file) != NULL) {
        char *text = line + strspn(line, " \t");
        size_t length = strcspn(text, "=");
        if (text[0] == '#' || text[length] != '=') {
            continue;
        }
        char *value = text + length + 1;
        value += strspn(value, " \t");
        value[strcspn(value, "\r\n")] = '\0';
        while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) {
            length--;
        }
        if (strlen(key) == length && strncmp(text, key, length) == 0) {
            snprintf(buffer, size, "%s", value);
            found = buffer;
        }
    }
    fclose(file);
    return found;
}

static const char *setting(const char *key, char *buffer, size_t size)
{
    const char *value = getenv(key);
    if (value != NULL && value[0] != '\0') {
        snprintf(buffer, size, "%s", value);
        return buffer;
    }
    return from_file(getenv("SOFTHAL_CONFIG"), key, buffer, size);
}

/* Parses "4G" and the like; *end is left behind what was read.  False on anything unclear. */
static bool parse_size(const char *text, const char **end, uint64_t *size)
{
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    char *rest = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &rest, 10);
    uint64_t unit = 1;
    if (*rest == 'K' || *rest == 'k') {
        unit = KIB;
    } else if (*rest == 'M' || *rest == 'm') {
        unit = MIB;
    } else if (*rest == 'G' || *rest == 'g') {
        unit = GIB;
    } else if (*rest == 'T' || *rest == 't') {
        unit = TIB;
    }
    *end = unit == 1 ? rest : rest + 1;
    if (errno != 0 || number == 0 || number > MAX_CAPACITY / unit) {
        return false;
    }
    *size = number * unit;
    return true;
}

static bool bad(const char *key, const char *value, const char *expected)
{
    complain("%s=%s is not valid: expected %s", key, value, expected);
    return false;
}

static bool read_profile(void)
{
    char value[128];
    const char *text = setting("SOFTHAL_PROFILE", value, sizeof(value));
    if (text == NULL) {
        return true;
    }
    for (int i = 0; i < PROFILE_COUNT; i++) {
        if (strcmp(text, profile_names[i]) == 0) {
            config.profile = (enum profile)i;
            return true;
        }
    }
    return bad("SOFTHAL_PROFILE", text, "ascend910b, ascend910_93 or ascend950");
}

static bool read_devices(void)
{
    char value[128];
    const char *text = setting("SOFTHAL_DEVICES", value, sizeof(value));
    config.explicit_devices = text != NULL;
    if (text == NULL) {
        return true;
    }
    char *end = NULL;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || number < 1 || number > MAX_DEVICES) {
        return bad("SOFTHAL_DEVICES", text, "a number from 1 to 64");
    }
    config.devices = (unsigned)number;
    return true;
}

/* One size for all devices, or one per device separated by commas (the last one is repeated). */
static bool read_device_memory(void)
{
    char value[1024];
    const char *text = setting("SOFTHAL_DEVICE_MEMORY", value, sizeof(value));
    config.explicit_memory = text != NULL;
    uint64_t size = 4 * GIB;
    const char *rest = text;
    for (unsigned i = 0; i < config.devices; i++) {
        if (rest != NULL) {
            const char *end = rest;
            if (!parse_size(rest, &end, &size) || (*end != '\0' && *end != ',')) {
                return bad("SOFTHAL_DEVICE_MEMORY", text, "sizes such as 4G or 512M, separated by commas");
            }
            rest = *end == ',' ? end + 1 : NULL;
        }
        config.capacity[i] = size;
    }
    return true;
}

static bool read_host_memory(void)
{
    char value[128];
    const char *text = setting("SOFTHAL_HOST_MEMORY", value, sizeof(value));
    config.explicit_host = text != NULL;
    config.capacity[HOST_NODE] = 8 * GIB;
    if (text == NULL) {
        return true;
    }
    const char *end = text;
    if (!parse_size(text, &end, &config.capacity[HOST_NODE]) || *end != '\0') {
        return bad("SOFTHAL_HOST_MEMORY", text, "a size such as 8G");
    }
    return true;
}

static bool parse_number(const char *text, char **end, unsigned most, unsigned *number)
{
    errno = 0;
    unsigned long value = strtoul(text, end, 10);
    *number = (unsigned)value;
    return text[0] >= '0' && text[0] <= '9' && errno == 0 && value <= most;
}

static bool read_caprice(void)
{
    char value[128];
    char *end = NULL;
    const char *text = setting("SOFTHAL_CAPRICE", value, sizeof(value));
    config.capricious = text != NULL;
    if (text != NULL && (!parse_number(text, &end, UINT_MAX, &config.caprice) || *end != '\0')) {
        return bad("SOFTHAL_CAPRICE", text, "a seed, a number below 2^32");
    }
    return true;
}

static bool read_watermarks(void)
{
    char value[128];
    char *end = NULL;
    const char *text = setting("SOFTHAL_UVM_WATERMARKS", value, sizeof(value));
    caprice_watermarks(&config);
    if (text == NULL) {
        return true;
    }
    if (!parse_number(text, &end, 100, &config.uvm_low) || *end != ',' ||
        !parse_number(end + 1, &end, 100, &config.uvm_high) || *end != '\0' || config.uvm_low > config.uvm_high) {
        return bad("SOFTHAL_UVM_WATERMARKS", text, "two percentages in ascending order, such as 75,90");
    }
    return true;
}

static bool read_scan(void)
{
    char value[128];
    char *end = NULL;
    const char *text = setting("SOFTHAL_UVM_SCAN", value, sizeof(value));
    caprice_scan(&config);
    if (text != NULL && (!parse_number(text, &end, 3600000, &config.uvm_scan) || *end != '\0')) {
        return bad("SOFTHAL_UVM_SCAN", text, "milliseconds, 0 for no scan");
    }
    return true;
}

static bool read_syscalls(void)
{
    char value[128];
    const char *text = setting("SOFTHAL_UVM_SYSCALLS", value, sizeof(value));
    config.uvm_syscalls = text == NULL || strcmp(text, "1") == 0;
    if (text != NULL && !config.uvm_syscalls && strcmp(text, "0") != 0) {
        return bad("SOFTHAL_UVM_SYSCALLS", text, "0 or 1");
    }
    return true;
}

static bool read_domain(void)
{
    char value[128];
    const char *text = setting("SOFTHAL_DOMAIN", value, sizeof(value));
    if (text == NULL) {
        text = "default";
    }
    if (strlen(text) >= sizeof(config.domain) || strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                              "0123456789_.-") != strlen(text)) {
        return bad("SOFTHAL_DOMAIN", text, "up to 63 letters, digits, '_', '.' and '-'");
    }
    snprintf(config.domain, sizeof(config.domain), "%s", text);
    return true;
}

static bool read_fault(void)
{
#ifdef SOFTHAL_FAULTS
    const char *name = getenv("SOFTHAL_FAULT");
    if (!softhal_fault_select(name)) {
        return bad("SOFTHAL_FAULT", name, "a name from softhal_fault_list()");
    }
#endif
    return true;
}

static void config_read(void)
{
    const char *path = getenv("SOFTHAL_CONFIG");
    config.profile = PROFILE_910B;
    config.devices = 2;
    config.valid = true;
    if (path != NULL && path[0] != '\0') {
        FILE *file = fopen(path, "re");
        if (file == NULL) {
            complain("SOFTHAL_CONFIG=%s cannot be read: %s", path, strerror(errno));
            config.valid = false;
            return;
        }
        fclose(file);
    }
    config.valid = read_profile() && read_devices() && read_device_memory() && read_host_memory() && read_domain() &&
                   read_caprice() && read_watermarks() && read_scan() && read_syscalls() && read_fault();
}

struct config *config_get(void)
{
    pthread_once(&config_once, config_read);
    return &config;
}

enum generation generation(void)
{
    return config_get()->profile == PROFILE_950 ? GEN_V3 : GEN_V2;
}
