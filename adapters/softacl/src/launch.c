/* launch.c - kernels on a stream: their parameters are taken at the call, their blocks run on the worker. */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

struct launch {
    struct task task;
    const struct softacl_kernel *kernel;
    uint32_t blocks;
    size_t parameters; /* bytes of the values; what place-holders point to is behind them */
    size_t size;
    unsigned count;
    struct parameter *list;
    const struct args *live; /* seeded fault: the caller's list, as it is when the kernel runs */
    _Alignas(8) unsigned char bytes[];
};

static int load(void *device, uint64_t address, void *to, size_t size)
{
    return device_load((int32_t)(intptr_t)device, address, to, size) == DRV_ERROR_NONE ? 0 : -1;
}

static int store(void *device, uint64_t address, const void *from, size_t size)
{
    return device_store((int32_t)(intptr_t)device, address, from, size) == DRV_ERROR_NONE ? 0 : -1;
}

/* What place-holders point to has to be in the device's memory while the kernel runs. */
static drvError_t place_buffers(struct launch *launch, int32_t device, void **buffers)
{
    uint64_t flag = (uint64_t)MEM_DEV_VAL << MEM_VIRT_BIT | MEM_TYPE_HBM | (uint64_t)(uint32_t)device |
                    (uint64_t)RUNTIME_MODULE_ID << MEM_MODULE_ID_BIT;
    *buffers = NULL;
    if (launch->size == launch->parameters) {
        return DRV_ERROR_NONE;
    }
    drvError_t code = HAL(halMemAlloc, buffers, launch->size, flag);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    uint64_t base = (uint64_t)(uintptr_t)*buffers;
    for (unsigned i = 0; i < launch->count; i++) {
        const struct parameter *one = &launch->list[i];
        if (one->placeholder && one->buffer_size != 0) {
            uint64_t address = base + one->buffer_offset;
            memcpy(launch->bytes + one->offset, &address, sizeof(address));
        }
    }
    return HAL(drvMemcpy, base, launch->size, (uint64_t)(uintptr_t)launch->bytes, launch->size);
}

static int run_blocks(const struct launch *launch, int32_t device)
{
    const unsigned char *bytes = launch->live != NULL ? launch->live->bytes : launch->bytes;
    struct softacl_block block = {
        .count = launch->blocks,
        .args = bytes + (FAULT(args_shifted) ? 8 : 0),
        .args_size = launch->parameters,
        .device = (void *)(intptr_t)device,
        .load = load,
        .store = store,
    };
    uint32_t end = launch->blocks - (FAULT(last_block_lost) && launch->blocks > 1 ? 1 : 0);
    int result = 0;
    for (uint32_t i = 0; i < end && result == 0; i++) {
        block.index = i;
        result = launch->kernel->run(&block);
    }
    return result;
}

static aclError run_launch(struct task *task, struct stream *stream)
{
    struct launch *launch = (struct launch *)task;
    void *buffers = NULL;
    if (launch->parameters < launch->kernel->args_size) {
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    drvError_t code = place_buffers(launch, stream->device, &buffers);
    int result = code == DRV_ERROR_NONE ? run_blocks(launch, stream->device) : 0;
    if (buffers != NULL) {
        (void)HAL(halMemFree, buffers);
    }
    return code != DRV_ERROR_NONE ? acl_of(code) : result == 0 ? ACL_SUCCESS : ACL_ERROR_RT_AICORE_EXCEPTION;
}

static void drop_launch(struct task *task)
{
    free(((struct launch *)task)->list);
}

static size_t size_of(const struct args *args)
{
    size_t size = args->used;
    for (unsigned i = 0; i < args->count; i++) {
        size_t end = args->parameters[i].buffer_offset + args->parameters[i].buffer_size;
        size = end > size ? end : size;
    }
    return size;
}

/* Everything that the kernel needs, so that the caller may use its list again at once. */
static struct launch *capture(const struct args *args, const struct softacl_kernel *kernel, uint32_t blocks)
{
    size_t size = size_of(args);
    /* A kernel may be handed one parameter too far under a seeded fault. */
    struct launch *launch = calloc(1, sizeof(*launch) + size + 8);
    struct parameter *list = calloc(args->count + 1U, sizeof(*list));
    if (launch == NULL || list == NULL) {
        free(launch);
        free(list);
        return NULL;
    }
    memcpy(list, args->parameters, args->count * sizeof(*list));
    memcpy(launch->bytes, args->bytes, size);
    launch->task.run = run_launch;
    launch->task.drop = drop_launch;
    launch->kernel = kernel;
    launch->blocks = blocks;
    launch->list = list;
    launch->count = args->count;
    launch->size = size;
    launch->live = FAULT(args_read_late) ? args : NULL;
    for (unsigned i = 0; i < args->count; i++) {
        launch->parameters += (list[i].size + 7) / 8 * 8;
    }
    return launch;
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve)
{
    if (funcHandle == NULL || numBlocks == 0 || argsHandle == NULL || reserve != NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "a handle is NULL, numBlocks is 0, or reserve is not NULL");
    }
    if (cfg != NULL && cfg->numAttrs > 0 && cfg->attrs == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "the attributes are missing");
    }
    lock();
    const struct function *function = object_find(funcHandle, OBJECT_FUNCTION);
    const struct args *args = object_find(argsHandle, OBJECT_ARGS);
    const struct softacl_kernel *kernel = function == NULL ? NULL : function->kernel;
    bool stale = kernel == NULL || args == NULL || (stream != NULL && object_find(stream, OBJECT_STREAM) == NULL);
    unlock();
    if (stale) {
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "a handle is not alive");
    }
    if (!args->finalized) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "the parameters are not finalized");
    }
    struct launch *launch = capture(args, kernel, numBlocks);
    return launch == NULL ? ACL_ERROR_RT_MEMORY_ALLOCATION : submit(stream, &launch->task);
}
