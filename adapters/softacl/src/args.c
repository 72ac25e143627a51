/* args.c - lists of parameters for a launch, and the bytes that place-holders stand for. */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static _Thread_local struct args *mine;
static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void forget(void *list)
{
    struct args *args = list;
    lock();
    if (args->listed && object_find(args, OBJECT_ARGS) != NULL) {
        object_remove(&args->object);
    }
    unlock();
    free(args);
}

static void make_key(void)
{
    (void)pthread_key_create(&key, forget);
}

/* The list of this thread; a thread has one, and beginning anew empties it. */
static struct args *list_of_thread(void)
{
    (void)pthread_once(&key_once, make_key);
    if (mine == NULL) {
        mine = calloc(1, sizeof(*mine));
        (void)pthread_setspecific(key, mine);
    }
    return mine;
}

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle)
{
    if (funcHandle == NULL || argsHandle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "funcHandle or argsHandle is NULL");
    }
    struct args *args = list_of_thread();
    if (args == NULL) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    lock();
    if (object_find(funcHandle, OBJECT_FUNCTION) == NULL) {
        unlock();
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "this is no function of a loaded binary");
    }
    if (!args->listed) {
        object_add(&args->object, OBJECT_ARGS);
        args->listed = true;
    }
    unlock();
    args->finalized = false;
    args->buffers_begun = false;
    args->used = 0;
    args->count = 0;
    memset(args->bytes, 0, sizeof(args->bytes));
    *argsHandle = args;
    return ACL_SUCCESS;
}

static struct args *find(aclrtArgsHandle handle)
{
    lock();
    struct args *args = object_find(handle, OBJECT_ARGS);
    unlock();
    return args;
}

static size_t aligned(size_t size)
{
    return (size + 7) / 8 * 8;
}

/* Takes room for one more parameter; NULL with the reason. */
static struct parameter *append(struct args *args, size_t size, aclError *code)
{
    if (args->finalized || args->buffers_begun) {
        *code = fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the list is complete");
    } else if (args->count == ARGS_PARAMETERS || size > ARGS_BYTES || aligned(size) > ARGS_BYTES - args->used) {
        *code = fail(ACL_ERROR_RT_PARAM_INVALID, "too many parameters, or too large");
    } else {
        struct parameter *parameter = &args->parameters[args->count++];
        *parameter = (struct parameter){.offset = args->used, .size = size};
        args->used += aligned(size);
        return parameter;
    }
    return NULL;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize, aclrtParamHandle *paramHandle)
{
    aclError code = ACL_SUCCESS;
    if (argsHandle == NULL || param == NULL || paramSize == 0 || paramHandle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL, or paramSize is 0");
    }
    struct args *args = find(argsHandle);
    if (args == NULL) {
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "this is no list of parameters");
    }
    struct parameter *parameter = append(args, paramSize, &code);
    if (parameter != NULL) {
        memcpy(args->bytes + parameter->offset, param, paramSize);
        *paramHandle = parameter;
    }
    return code;
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle)
{
    aclError code = ACL_SUCCESS;
    if (argsHandle == NULL || paramHandle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL");
    }
    struct args *args = find(argsHandle);
    if (args == NULL) {
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "this is no list of parameters");
    }
    struct parameter *parameter = append(args, sizeof(uint64_t), &code);
    if (parameter != NULL) {
        parameter->placeholder = true;
        *paramHandle = parameter;
    }
    return code;
}

/* A parameter of this list; NULL if the handle is none. */
static struct parameter *parameter_of(struct args *args, aclrtParamHandle handle)
{
    for (unsigned i = 0; i < args->count; i++) {
        if (&args->parameters[i] == handle) {
            return &args->parameters[i];
        }
    }
    return NULL;
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize,
                                             void **bufferAddr)
{
    if (argsHandle == NULL || paramHandle == NULL || dataSize == 0 || bufferAddr == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL, or dataSize is 0");
    }
    struct args *args = find(argsHandle);
    struct parameter *parameter = args == NULL ? NULL : parameter_of(args, paramHandle);
    if (args == NULL) {
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "this is no list of parameters");
    }
    if (args->finalized) {
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the list is complete");
    }
    if (parameter == NULL || !parameter->placeholder || parameter->buffer_size != 0 || dataSize > ARGS_BYTES ||
        aligned(dataSize) > ARGS_BYTES - args->used) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "this is no place-holder without a buffer, or dataSize is too large");
    }
    parameter->buffer_offset = args->used;
    parameter->buffer_size = dataSize;
    args->used += FAULT(placeholder_overlap) ? 0 : aligned(dataSize);
    args->buffers_begun = true;
    *bufferAddr = args->bytes + parameter->buffer_offset;
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param,
                                   size_t paramSize)
{
    if (argsHandle == NULL || paramHandle == NULL || param == NULL || paramSize == 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL, or paramSize is 0");
    }
    struct args *args = find(argsHandle);
    struct parameter *parameter = args == NULL ? NULL : parameter_of(args, paramHandle);
    if (args == NULL) {
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "this is no list of parameters");
    }
    if (parameter == NULL || parameter->placeholder || paramSize != parameter->size) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "this is no parameter of the list of this size");
    }
    memcpy(args->bytes + parameter->offset, param, paramSize);
    args->finalized = false; /* documented: to be finalized once more */
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
    struct context *context = NULL;
    if (argsHandle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "argsHandle is NULL");
    }
    struct args *args = find(argsHandle);
    if (args == NULL) {
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "this is no list of parameters");
    }
    aclError code = enter(&context);
    if (code == ACL_SUCCESS) {
        unlock();
        args->finalized = true;
    }
    return code;
}
