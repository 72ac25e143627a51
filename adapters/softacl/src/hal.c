/* hal.c - loading the driver, once. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static struct hal table;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void *beside_us(const char *relative)
{
    Dl_info here;
    char path[4096];
    if (dladdr((void *)(uintptr_t)hal, &here) == 0 || here.dli_fname == NULL) {
        return NULL;
    }
    const char *slash = strrchr(here.dli_fname, '/');
    int folder = slash == NULL ? 1 : (int)(slash - here.dli_fname);
    const char *start = slash == NULL ? "." : here.dli_fname;
    if (snprintf(path, sizeof(path), "%.*s/%s", folder, start, relative) >= (int)sizeof(path)) {
        return NULL;
    }
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *open_driver(void)
{
    const char *path = getenv("SOFTACL_HAL");
    if (path != NULL && path[0] != '\0') {
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    void *driver = beside_us("libsofthal.so");
    driver = driver == NULL ? beside_us("../softhal/libsofthal.so") : driver;
    return driver == NULL ? dlopen("libascend_hal.so", RTLD_NOW | RTLD_LOCAL) : driver;
}

/* A function pointer and a data pointer are of one size here; ISO C has no other way to convert. */
static void find(void *driver, const char *name, void *place)
{
    void *symbol = dlsym(driver, name);
    memcpy(place, &symbol, sizeof(symbol));
}

static void load(void)
{
    void *driver = open_driver();
    if (driver == NULL) {
        const char *reason = dlerror();
        fprintf(stderr, "softacl: no driver: %s\n", reason == NULL ? "not found" : reason);
        return;
    }
#define X(name) find(driver, #name, &table.name);
    HAL_TABLE(X)
#undef X
    find(driver, "halMemManagedAdvise", &table.halMemManagedAdvise);
    find(driver, "halMemManagedPrefetch", &table.halMemManagedPrefetch);
    find(driver, "halMemManagedPrefetchBatch", &table.halMemManagedPrefetchBatch);
    find(driver, "halMemManagedRangeGetAttributes", &table.halMemManagedRangeGetAttributes);
    find(driver, "drvDeviceGetBareTgid", &table.drvDeviceGetBareTgid);
    find(driver, "softhal_device_load", &table.softhal_device_load);
    find(driver, "softhal_device_store", &table.softhal_device_store);
    (void)atexit(workers_end);
}

const struct hal *hal(void)
{
    (void)pthread_once(&loaded, load);
    return &table;
}
