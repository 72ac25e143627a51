/* device.c - devices: who needs them, and when the driver opens and closes them. */
#include <string.h>
#include <unistd.h>

#include "internal.h"

static int64_t device_count(void)
{
    uint32_t count = 0;
    return HAL(drvGetDevNum, &count) == DRV_ERROR_NONE ? (int64_t)count : 0;
}

bool device_exists(int64_t device)
{
    return device >= 0 && device < device_count() && device < MAX_DEVICES;
}

aclError device_open(int32_t device)
{
    if (rt.device[device].open) {
        return ACL_SUCCESS;
    }
    if (HAL(halMemAgentOpen, (uint32_t)device, 0) != DRV_ERROR_NONE) {
        return fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "the driver cannot open the device");
    }
    /* Asking turns it on: ordinary memory is then told from memory of the driver's (v2). */
    (void)HAL(halSupportFeature, (uint32_t)device, FEATURE_SVM_GET_USER_MALLOC_ATTR);
    (void)HAL(halSupportFeature, (uint32_t)device, FEATURE_SVM_MEM_REGISTER_QUERY_AND_GET_ATTR);
    rt.device[device].open = true;
    return ACL_SUCCESS;
}

void device_close_unused(int32_t device)
{
    struct device *state = &rt.device[device];
    if (!state->open || state->references > 0 || state->contexts > 0) {
        return;
    }
    while (state->running > 0) {
        pthread_cond_wait(&rt.progress, &rt.lock);
    }
    pools_forget_device(device);
    openings_forget(device);
    registrations_forget(device);
    state->open = false;
    if (!FAULT(reset_keeps_device)) {
        (void)HAL(halMemAgentClose, (uint32_t)device, 0);
    }
}

aclError aclrtSetDevice(int32_t deviceId)
{
    if (!device_exists(deviceId)) {
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "there is no such device");
    }
    lock();
    struct device *device = &rt.device[deviceId];
    aclError code = device_open(deviceId);
    if (code == ACL_SUCCESS && device->primary == NULL) {
        device->primary = context_new(deviceId, true);
        code = device->primary == NULL ? ACL_ERROR_RT_DEV_SETUP_ERROR : ACL_SUCCESS;
    }
    if (code == ACL_SUCCESS) {
        device->references++;
        set_current(device->primary);
    }
    device_close_unused(deviceId);
    unlock();
    return code;
}

static aclError reset(int32_t id, bool force)
{
    if (!device_exists(id)) {
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "there is no such device");
    }
    lock();
    struct device *device = &rt.device[id];
    if (device->references == 0) {
        unlock();
        return fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "the device is not set");
    }
    device->references = force && !FAULT(reset_force_counts) ? 0 : device->references - 1;
    if (device->references == 0) {
        struct context *primary = device->primary;
        device->primary = NULL;
        context_end(primary, !force);
        device_close_unused(id);
    }
    unlock();
    return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId)
{
    return reset(deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
    return reset(deviceId, true);
}

aclError aclrtGetDevice(int32_t *deviceId)
{
    struct context *context = NULL;
    if (deviceId == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "deviceId is NULL");
    }
    aclError code = enter(&context);
    if (code == ACL_SUCCESS) {
        *deviceId = context->device;
        unlock();
    }
    return code;
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
    if (count == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "count is NULL");
    }
    return acl_of(HAL(drvGetDevNum, count));
}

/* The first stream of a context, made up to a point, on which something is pending. */
static struct stream *pending(const struct context *context, uint64_t until)
{
    struct stream *one = rt.streams;
    while (one != NULL && (one->context != context || one->object.serial > until || one->line->done == one->line->issued)) {
        one = one->next;
    }
    return one;
}

/* First error of the streams of a context on which nothing is pending. */
static aclError collect(const struct context *context, aclError first)
{
    for (struct stream *one = rt.streams; one != NULL; one = one->next) {
        if (one->context == context && one->line->done == one->line->issued) {
            first = first == ACL_SUCCESS ? one->error : first;
            one->error = ACL_SUCCESS;
            (void)clock_raise(&rt.host, one->line->number, one->line->issued);
        }
    }
    return first;
}

aclError aclrtSynchronizeDevice(void)
{
    struct context *context = NULL;
    struct stream *stream = NULL;
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    /* Streams that are made while one is waited for are not meant. */
    uint64_t until = 0;
    for (const struct stream *one = rt.streams; one != NULL; one = one->next) {
        until = one->object.serial > until ? one->object.serial : until;
    }
    while ((stream = pending(context, until)) != NULL) {
        aclError found = stream_wait(stream, -1);
        code = code == ACL_SUCCESS ? found : code;
    }
    code = collect(context, code);
    pools_synchronised();
    unlock();
    return code;
}

static char soc_name[64];
static pthread_once_t soc_once = PTHREAD_ONCE_INIT;

static void ask_soc(void)
{
    if (HAL(halGetSocVersion, 0, soc_name, sizeof(soc_name)) != DRV_ERROR_NONE) {
        soc_name[0] = '\0';
    }
}

const char *aclrtGetSocName(void)
{
    (void)pthread_once(&soc_once, ask_soc);
    return soc_name[0] == '\0' ? NULL : soc_name;
}

bool is_950(void)
{
    const char *name = aclrtGetSocName();
    return name != NULL && strstr(name, "950") != NULL;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    if (runMode == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "runMode is NULL");
    }
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
    if (pid == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "pid is NULL");
    }
    *pid = hal()->drvDeviceGetBareTgid != NULL ? (int32_t)hal()->drvDeviceGetBareTgid() : (int32_t)getpid();
    return ACL_SUCCESS;
}
