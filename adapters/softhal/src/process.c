/*
 * process.c - the life of the process: implicit initialisation, fork, opening and closing devices.
 *
 * v2 keeps one management structure per pid (v2 devmm_svm_init.c, svm_module_ops.c): a forked child
 * is answered 8 by every call until it opens a device, and opening starts from nothing.
 */
#include <string.h>

#include "vmm.h"

struct state state = {.lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

void state_lock(void)
{
    pthread_mutex_lock(&state.lock);
}

void state_unlock(void)
{
    pthread_mutex_unlock(&state.lock);
}

static void before_fork(void)
{
    pthread_mutex_lock(&state.lock);
    uvm_lock();
}

static void in_parent(void)
{
    uvm_unlock();
    pthread_mutex_unlock(&state.lock);
}

static void in_child(void)
{
    pthread_mutex_t fresh_lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t fresh_idle = PTHREAD_COND_INITIALIZER;
    state.lock = fresh_lock;
    state.idle = fresh_idle;
    views_unlock_child();
    uvm_unlock_child();
    if (state.joined) {
        state.forked = true;
    }
    jobs_forget();
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

/* What a broken configuration or an unusable address space is answered with: v2 has no management
 * structure (4), v3 cannot initialise its host side (8). */
static drvError_t broken_code(void)
{
    return generation() == GEN_V2 ? DRV_ERROR_INVALID_HANDLE : DRV_ERROR_PARA_ERROR;
}

static drvError_t join_locked(void)
{
    if (state.joined) {
        return DRV_ERROR_NONE;
    }
    struct config *config = config_get();
    pthread_once(&fork_once, watch_forks);
    if (!config->valid) {
        return broken_code();
    }
    if (domain_attach(config) != 0) {
        config->valid = false;
        return broken_code();
    }
    if (windows_map() != 0) {
        config->valid = false;
        return broken_code();
    }
    state.joined = true;
    return DRV_ERROR_NONE;
}

/* A child opens: nothing that it inherited counts. */
static void start_over(void)
{
    conversions_forget();
    registrations_forget();
    pools_forget();
    uvm_forget();
    heaps_forget();
    handles_forget();
    peers_forget();
    views_forget();
    windows_drop();
    domain_forget();
    memset(state.device, 0, sizeof(state.device));
    state.joined = false;
    state.ready = false;
    state.forked = false;
    state.any_device_opened = false;
    state.host_used = false;
    state.user_malloc_attribute = false;
    state.registrations_recorded = false;
    state.last_opened = 0;
}

drvError_t enter(void)
{
    (void)config_get();
    state_lock();
    drvError_t code = DRV_ERROR_NONE;
    if (state.forked) {
        code = DRV_ERROR_PARA_ERROR;
    } else {
        code = join_locked();
    }
    if (code != DRV_ERROR_NONE) {
        state_unlock();
    } else {
        state.ready = true;
        uvm_stir();
    }
    return code;
}

drvError_t join(void)
{
    (void)config_get();
    state_lock();
    drvError_t code = join_locked();
    state_unlock();
    return code;
}

drvError_t enter_direct(void)
{
    (void)config_get();
    state_lock();
    drvError_t code = DRV_ERROR_NONE;
    if (state.forked) {
        code = DRV_ERROR_PARA_ERROR;
    } else if (!state.ready) {
        code = config_get()->valid ? DRV_ERROR_IOCRL_FAIL : broken_code();
    }
    if (code != DRV_ERROR_NONE) {
        state_unlock();
    }
    return code;
}

void leave(void)
{
    state_unlock();
}

bool device_is_open(unsigned device)
{
    return device < V2_MAX_AGENT && state.device[device].open;
}

void block_unuse(struct block *block)
{
    if (--block->users == 0) {
        pthread_cond_broadcast(&state.idle);
    }
}

/* Opening and closing of one device exclude each other, though both let go of the lock in between. */
static struct device_state *settled_device(uint32_t devid)
{
    while (state.device[devid].closing) {
        pthread_cond_wait(&state.idle, &state.lock);
    }
    return &state.device[devid];
}

static drvError_t open_device(uint32_t devid)
{
    unsigned limit = generation() == GEN_V2 ? V2_MAX_AGENT : V3_MAX_AGENT;
    if (devid >= limit) {
        return DRV_ERROR_INVALID_VALUE;
    }
    state_lock();
    if (state.forked) {
        start_over();
    }
    state_unlock();
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct device_state *device = settled_device(devid);
    if (device->blocked || devid >= config_get()->devices) {
        /* Blocked by a close that failed, or an id that cannot be converted. */
        code = DRV_ERROR_PARA_ERROR;
    } else {
        state.last_opened = devid;
    }
    if (code == DRV_ERROR_NONE && !device->open) {
        device->open = true;
        device->ever_open = true;
        state.any_device_opened = true;
        heaps_open_device(devid);
    }
    leave();
    return code;
}

static drvError_t close_device(uint32_t devid)
{
    bool v2 = generation() == GEN_V2;
    if (devid >= (unsigned)(v2 ? V2_MAX_AGENT : V3_MAX_AGENT)) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct device_state *device = settled_device(devid);
    if (devid >= config_get()->devices) {
        /* v2: an error of the first kernel step blocks the device for the rest of the process. */
        device->blocked = v2;
        code = DRV_ERROR_PARA_ERROR;
    } else if (device->open) {
        device->closing = true;
        leave();
        bool settled = jobs_settle(devid);
        state_lock();
        if (!settled) {
            device->blocked = true;
            code = DRV_ERROR_BUSY;
        } else if (device->open) {
            device->open = false;
            heaps_close_device(devid);
        }
        device->closing = false;
        pthread_cond_broadcast(&state.idle);
    }
    leave();
    return code;
}

drvError_t halMemAgentOpen(uint32_t devid, uint32_t flag)
{
    (void)config_get();
    return flag > 0 ? DRV_ERROR_NOT_SUPPORT : open_device(devid);
}

drvError_t halMemAgentClose(uint32_t devid, uint32_t flag)
{
    (void)config_get();
    return flag > 0 ? DRV_ERROR_NOT_SUPPORT : close_device(devid);
}

int drvMemDeviceOpen(uint32_t devid, int devfd)
{
    (void)devfd;
    return (int)open_device(devid);
}

int drvMemDeviceClose(uint32_t devid)
{
    return (int)close_device(devid);
}
