/* errors.c - the driver's codes as the runtime's, and the last message (runtime errcode_manage.cc). */
#include <stdio.h>

#include "internal.h"

/* Codes that have no name in softhal.h, because that driver does not give them. */
enum {
    DRV_INVALID_MALLOC_TYPE = 5,
    DRV_REPEATED_INIT = 10,
    DRV_SOCKET_CLOSE = 25,
    DRV_SEND_MESG = 27,
    DRV_BUS_DOWN = 33,
    DRV_OVER_LIMIT = 37,
    DRV_MALLOC_FAIL = 40,
    DRV_DEV_PROCESS_HANG = 43,
    DRV_NO_EVENT_RESOURCES = 47,
    DRV_NO_STREAM_RESOURCES = 48,
    DRV_NO_NOTIFY_RESOURCES = 49,
    DRV_NO_MODEL_RESOURCES = 50,
    DRV_MEMORY_OPT_FAIL = 58,
    DRV_COPY_USER_FAIL = 74,
    DRV_QUEUE_EMPTY = 75,
    DRV_QUEUE_FULL = 76,
    DRV_CDQ_ABNORMAL = 82,
    DRV_CDQ_NOT_EXIST = 83,
    DRV_NO_CDQ_RESOURCES = 84,
    DRV_RESUME = 89
};

static const struct {
    int driver;
    aclError code;
} codes[] = {
    {DRV_ERROR_NONE, ACL_SUCCESS},
    {DRV_ERROR_NO_DEVICE, ACL_ERROR_RT_NO_DEVICE},
    {DRV_ERROR_INVALID_DEVICE, ACL_ERROR_RT_INVALID_DEVICEID},
    {DRV_ERROR_INVALID_VALUE, ACL_ERROR_RT_PARAM_INVALID},
    {DRV_ERROR_INVALID_HANDLE, ACL_ERROR_RT_INVALID_HANDLE},
    {DRV_INVALID_MALLOC_TYPE, ACL_ERROR_RT_INVALID_MALLOC_TYPE},
    {DRV_ERROR_OUT_OF_MEMORY, ACL_ERROR_RT_MEMORY_ALLOCATION},
    {DRV_REPEATED_INIT, ACL_ERROR_RT_REPEATED_INIT},
    {DRV_ERROR_NO_RESOURCES, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL},
    {DRV_ERROR_WAIT_TIMEOUT, ACL_ERROR_RT_REPORT_TIMEOUT},
    {DRV_ERROR_IOCRL_FAIL, ACL_ERROR_RT_DRV_INTERNAL_ERROR},
    {DRV_SOCKET_CLOSE, ACL_ERROR_RT_SOCKET_CLOSE},
    {DRV_SEND_MESG, ACL_ERROR_RT_SEND_MSG},
    {DRV_BUS_DOWN, ACL_ERROR_RT_LOST_HEARTBEAT},
    {DRV_OVER_LIMIT, ACL_ERROR_RT_OVER_LIMIT},
    {DRV_MALLOC_FAIL, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL},
    {DRV_DEV_PROCESS_HANG, ACL_ERROR_RT_INTERNAL_ERROR},
    {DRV_ERROR_OPER_NOT_PERMITTED, ACL_ERROR_RT_NO_PERMISSION},
    {DRV_NO_EVENT_RESOURCES, ACL_ERROR_RT_NO_EVENT_RESOURCE},
    {DRV_NO_STREAM_RESOURCES, ACL_ERROR_RT_NO_STREAM_RESOURCE},
    {DRV_NO_NOTIFY_RESOURCES, ACL_ERROR_RT_NO_NOTIFY_RESOURCE},
    {DRV_NO_MODEL_RESOURCES, ACL_ERROR_RT_NO_MODEL_RESOURCE},
    {DRV_MEMORY_OPT_FAIL, ACL_ERROR_RT_PARAM_INVALID},
    {DRV_COPY_USER_FAIL, ACL_ERROR_RT_COPY_DATA},
    {DRV_QUEUE_EMPTY, ACL_ERROR_RT_QUEUE_EMPTY},
    {DRV_QUEUE_FULL, ACL_ERROR_RT_QUEUE_FULL},
    {DRV_CDQ_ABNORMAL, ACL_ERROR_RT_CDQ_BATCH_ABNORMAL},
    {DRV_CDQ_NOT_EXIST, ACL_ERROR_RT_PARAM_INVALID},
    {DRV_NO_CDQ_RESOURCES, ACL_ERROR_RT_NO_CDQ_RESOURCE},
    {DRV_RESUME, ACL_ERROR_RT_TIMEOUT},
    {DRV_ERROR_NOT_SUPPORT, ACL_ERROR_RT_FEATURE_NOT_SUPPORT},
};

static _Thread_local char message[200];
static _Thread_local bool message_read = true;

aclError acl_of(drvError_t code)
{
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        if (codes[i].driver == (int)code) {
            bool wrong = FAULT(code_no_memory) && code == DRV_ERROR_OUT_OF_MEMORY;
            return wrong ? ACL_ERROR_RT_DRV_INTERNAL_ERROR : codes[i].code;
        }
    }
    return FAULT(code_unlisted) ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

aclError fail(aclError code, const char *why)
{
    snprintf(message, sizeof(message), "%d: %s", code, why);
    message_read = false;
    return code;
}

const char *aclGetRecentErrMsg(void)
{
    const char *answer = message_read ? NULL : message;
    message_read = true;
    return answer;
}
