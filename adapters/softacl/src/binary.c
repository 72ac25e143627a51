/* binary.c - loaded binaries, and the kernels that are found in them by name. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static const struct softacl_kernel *kernels_of(void *library)
{
    return library == NULL ? NULL : dlsym(library, "softacl_kernels");
}

static const struct softacl_kernel *named(const struct softacl_kernel *kernels, const char *name)
{
    for (; kernels != NULL && kernels->name != NULL; kernels++) {
        if (strcmp(kernels->name, name) == 0) {
            return kernels;
        }
    }
    return NULL;
}

static const struct softacl_kernel *find_kernel(const struct binary *binary, const char *name)
{
    static void *everywhere; /* the plug-in for all binaries; loaded once, under the lock */
    const char *path = getenv("SOFTACL_KERNELS");
    if (everywhere == NULL && path != NULL && path[0] != '\0') {
        everywhere = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (binary->library != NULL) {
        return named(kernels_of(binary->library), name);
    }
    const struct softacl_kernel *found = named(kernels_of(everywhere), name);
    return found != NULL ? found : named(builtin_kernels(), name);
}

static bool readable(const char *path)
{
    FILE *file = fopen(path, "rb");
    bool ok = file != NULL && fgetc(file) != EOF;
    if (file != NULL) {
        fclose(file);
    }
    return ok;
}

/* What is no plug-in is a binary for a real device; of that only the names matter here. */
static void *open_plugin(const char *path)
{
    void *library = strchr(path, '/') != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library != NULL && kernels_of(library) == NULL) {
        dlclose(library);
        library = NULL;
    }
    return library;
}

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)
{
    if (binPath == NULL || binHandle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "binPath or binHandle is NULL");
    }
    if (options != NULL && options->numOpt > 0 && options->options == NULL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "the options are missing");
    }
    if (!readable(binPath)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "the binary cannot be read, or is empty");
    }
    struct binary *binary = calloc(1, sizeof(*binary));
    if (binary == NULL) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    binary->library = open_plugin(binPath);
    lock();
    object_add(&binary->object, OBJECT_BINARY);
    unlock();
    *binHandle = binary;
    return ACL_SUCCESS;
}

/* A function has one handle, however often it is asked for; locked. */
static struct function *function_of(struct binary *binary, const struct softacl_kernel *kernel)
{
    struct function *one = binary->functions;
    while (one != NULL && one->kernel != kernel) {
        one = one->next;
    }
    if (one == NULL) {
        one = calloc(1, sizeof(*one));
        if (one != NULL) {
            one->binary = binary;
            one->kernel = kernel;
            one->next = binary->functions;
            binary->functions = one;
            object_add(&one->object, OBJECT_FUNCTION);
        }
    }
    return one;
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName, aclrtFuncHandle *funcHandle)
{
    if (binHandle == NULL || kernelName == NULL || funcHandle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL");
    }
    lock();
    struct binary *binary = object_find(binHandle, OBJECT_BINARY);
    const struct softacl_kernel *kernel = binary == NULL ? NULL : find_kernel(binary, kernelName);
    struct function *function = NULL;
    aclError code = ACL_SUCCESS;
    if (binary == NULL) {
        code = fail(ACL_ERROR_RT_INVALID_HANDLE, "this is no loaded binary");
    } else if (current() == NULL) {
        code = fail(ACL_ERROR_RT_CONTEXT_NULL, "the thread has no context");
    } else if (kernel == NULL) {
        code = fail(ACL_ERROR_RT_PARAM_INVALID, "the binary has no function of this name");
    } else {
        function = function_of(binary, kernel);
        code = function == NULL ? ACL_ERROR_RT_MEMORY_ALLOCATION : ACL_SUCCESS;
    }
    unlock();
    if (code == ACL_SUCCESS) {
        *funcHandle = function;
    }
    return code;
}

/* A plug-in stays mapped: one of its kernels may be running. */
aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
    if (binHandle == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "binHandle is NULL");
    }
    lock();
    struct binary *binary = object_find(binHandle, OBJECT_BINARY);
    if (binary != NULL && !FAULT(unload_forgotten)) {
        object_remove(&binary->object);
        while (binary->functions != NULL) {
            struct function *next = binary->functions->next;
            object_remove(&binary->functions->object);
            free(binary->functions);
            binary->functions = next;
        }
        free(binary);
    }
    unlock();
    return binary == NULL ? fail(ACL_ERROR_RT_INVALID_HANDLE, "this is no loaded binary") : ACL_SUCCESS;
}
