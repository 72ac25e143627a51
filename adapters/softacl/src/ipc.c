/*
 * ipc.c - allocations for other processes, by name.
 *
 * Closing means two things: who opened a name closes the oldest of its openings, anybody else destroys the name.
 * So the process remembers which names it opened.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { KEY_MAX = 256 };

struct opening {
    struct opening *next;
    char key[KEY_MAX];
    uint64_t address;
    uint32_t device;
};
static struct opening *openings; /* the oldest first; guarded by rt.lock */

aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags)
{
    struct context *context = NULL;
    if (devPtr == NULL || key == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "devPtr or key is NULL");
    }
    if (size == 0 || len == 0 || flags > ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "size or len is 0, or flags is neither 0 nor 1");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    unlock();
    code = acl_of(HAL(halShmemCreateHandle, (uint64_t)(uintptr_t)devPtr, size, key, (uint32_t)len));
    if (code == ACL_SUCCESS && flags == ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION) {
        code = acl_of(HAL(halShmemSetAttribute, key, SHMEM_ATTR_TYPE_NO_WLIST_IN_SERVER, 1));
    }
    return code;
}

aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)
{
    if (key == NULL || pid == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "key or pid is NULL");
    }
    if (num == 0 || num > INT32_MAX) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "num is 0, or too large");
    }
    return acl_of(HAL(halShmemSetPidHandle, key, pid, (int)num));
}

/* The newest of the driver's ways that it has. */
static drvError_t open_name(uint32_t device, const char *key, DVdeviceptr *address)
{
    drvError_t code = HAL(halShmemOpenHandleV2, device, key, address, 0);
    code = code == DRV_ERROR_NOT_SUPPORT ? HAL(halShmemOpenHandleByDevId, device, key, address) : code;
    return code == DRV_ERROR_NOT_SUPPORT ? HAL(halShmemOpenHandle, key, address) : code;
}

static void remember(struct opening *opening)
{
    struct opening **link = &openings;
    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = opening;
}

aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags)
{
    struct context *context = NULL;
    DVdeviceptr address = 0;
    if (devPtr == NULL || key == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "devPtr or key is NULL");
    }
    if (flags > ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS || strlen(key) >= KEY_MAX) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "flags is neither 0 nor 1, or the key is too long");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    uint32_t device = (uint32_t)context->device;
    struct opening *opening = calloc(1, sizeof(*opening));
    code = opening == NULL ? ACL_ERROR_RT_MEMORY_ALLOCATION : acl_of(open_name(device, key, &address));
    if (code == ACL_SUCCESS) {
        memcpy(opening->key, key, strlen(key) + 1);
        opening->address = address;
        opening->device = device;
        remember(opening);
        *devPtr = (void *)(uintptr_t)address;
    } else {
        free(opening);
    }
    unlock();
    return code;
}

aclError aclrtIpcMemClose(const char *key)
{
    struct context *context = NULL;
    if (key == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "key is NULL");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct opening **link = &openings;
    while (*link != NULL && strcmp((*link)->key, key) != 0) {
        link = &(*link)->next;
    }
    struct opening *opening = *link;
    if (opening == NULL || FAULT(close_destroys)) {
        code = acl_of(HAL(halShmemDestroyHandle, key));
    } else {
        code = acl_of(HAL(halShmemCloseHandle, opening->address));
        *link = opening->next;
        free(opening);
    }
    unlock();
    return code;
}

void openings_forget(int32_t device)
{
    struct opening **link = &openings;
    while (*link != NULL) {
        struct opening *opening = *link;
        if (opening->device == (uint32_t)device) {
            *link = opening->next;
            free(opening);
        } else {
            link = &opening->next;
        }
    }
}
