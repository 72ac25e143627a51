"""Functions of the runtime: the process, devices, streams, events and kernels."""

from __future__ import annotations

from halcert.spec.abi.acl.parameters import value
from halcert.spec.abi.parameters import Function, Parameter, Passing, array, out

# The process, devices and contexts.
DEVICE_CALLS = (
    Function("aclInit", "aclError", (Parameter("configPath", "const char *", Passing.NAME),)),
    Function("aclFinalize", "aclError", ()),
    Function("aclFinalizeReference", "aclError", (out("uint64_t *", "refCount", "u64"),)),
    Function("aclGetRecentErrMsg", "const char *", ()),
    Function("aclrtGetDeviceCount", "aclError", (out("uint32_t *", "count", "u32"),)),
    Function("aclrtSetDevice", "aclError", (value("int32_t", "deviceId"),)),
    Function("aclrtGetDevice", "aclError", (out("int32_t *", "deviceId", "i32"),)),
    Function("aclrtResetDevice", "aclError", (value("int32_t", "deviceId"),)),
    Function("aclrtResetDeviceForce", "aclError", (value("int32_t", "deviceId"),)),
    Function("aclrtSynchronizeDevice", "aclError", ()),
    Function("aclrtGetSocName", "const char *", ()),
    Function("aclrtGetRunMode", "aclError", (out("aclrtRunMode *", "runMode", "u32"),)),
    Function("aclrtDeviceGetBareTgid", "aclError", (out("int32_t *", "pid", "i32"),)),
    Function(
        "aclrtCreateContext",
        "aclError",
        (out("aclrtContext *", "context", "u64"), value("int32_t", "deviceId")),
    ),
    Function("aclrtDestroyContext", "aclError", (value("aclrtContext", "context"),)),
    Function("aclrtSetCurrentContext", "aclError", (value("aclrtContext", "context"),)),
    Function("aclrtGetCurrentContext", "aclError", (out("aclrtContext *", "context", "u64"),)),
)

# Streams and events.
STREAM_CALLS = (
    Function("aclrtCreateStream", "aclError", (out("aclrtStream *", "stream", "u64"),)),
    Function("aclrtDestroyStream", "aclError", (value("aclrtStream", "stream"),)),
    Function("aclrtDestroyStreamForce", "aclError", (value("aclrtStream", "stream"),)),
    Function("aclrtSynchronizeStream", "aclError", (value("aclrtStream", "stream"),)),
    Function(
        "aclrtSynchronizeStreamWithTimeout",
        "aclError",
        (value("aclrtStream", "stream"), value("int32_t", "timeout")),
    ),
    Function(
        "aclrtStreamQuery",
        "aclError",
        (value("aclrtStream", "stream"), out("aclrtStreamStatus *", "status", "u32")),
    ),
    Function("aclrtCreateEvent", "aclError", (out("aclrtEvent *", "event", "u64"),)),
    Function("aclrtDestroyEvent", "aclError", (value("aclrtEvent", "event"),)),
    Function(
        "aclrtRecordEvent",
        "aclError",
        (value("aclrtEvent", "event"), value("aclrtStream", "stream")),
    ),
    Function(
        "aclrtStreamWaitEvent",
        "aclError",
        (value("aclrtStream", "stream"), value("aclrtEvent", "event")),
    ),
    Function("aclrtSynchronizeEvent", "aclError", (value("aclrtEvent", "event"),)),
    Function(
        "aclrtSynchronizeEventWithTimeout",
        "aclError",
        (value("aclrtEvent", "event"), value("int32_t", "timeout")),
    ),
    Function(
        "aclrtQueryEventStatus",
        "aclError",
        (value("aclrtEvent", "event"), out("aclrtEventRecordedStatus *", "status", "u32")),
    ),
    Function(
        "aclrtValueWrite",
        "aclError",
        (
            value("void *", "devAddr"),
            value("uint64_t", "value"),
            value("uint32_t", "flag"),
            value("aclrtStream", "stream"),
        ),
    ),
    Function(
        "aclrtValueWait",
        "aclError",
        (
            value("void *", "devAddr"),
            value("uint64_t", "value"),
            value("uint32_t", "flag"),
            value("aclrtStream", "stream"),
        ),
    ),
)

# Kernels.
KERNEL_CALLS = (
    Function(
        "aclrtBinaryLoadFromFile",
        "aclError",
        (
            Parameter("binPath", "const char *", Passing.NAME),
            value("aclrtBinaryLoadOptions *", "options"),
            out("aclrtBinHandle *", "binHandle", "u64"),
        ),
    ),
    Function(
        "aclrtBinaryGetFunction",
        "aclError",
        (
            value("const aclrtBinHandle", "binHandle"),
            Parameter("kernelName", "const char *", Passing.NAME),
            out("aclrtFuncHandle *", "funcHandle", "u64"),
        ),
    ),
    Function("aclrtBinaryUnLoad", "aclError", (value("aclrtBinHandle", "binHandle"),)),
    Function(
        "aclrtKernelArgsInit",
        "aclError",
        (value("aclrtFuncHandle", "funcHandle"), out("aclrtArgsHandle *", "argsHandle", "u64")),
    ),
    Function(
        "aclrtKernelArgsAppend",
        "aclError",
        (
            value("aclrtArgsHandle", "argsHandle"),
            array("void *", "param"),
            value("size_t", "paramSize"),
            out("aclrtParamHandle *", "paramHandle", "u64"),
        ),
    ),
    Function(
        "aclrtKernelArgsAppendPlaceHolder",
        "aclError",
        (value("aclrtArgsHandle", "argsHandle"), out("aclrtParamHandle *", "paramHandle", "u64")),
    ),
    Function(
        "aclrtKernelArgsGetPlaceHolderBuffer",
        "aclError",
        (
            value("aclrtArgsHandle", "argsHandle"),
            value("aclrtParamHandle", "paramHandle"),
            value("size_t", "dataSize"),
            out("void **", "bufferAddr", "u64"),
        ),
    ),
    Function(
        "aclrtKernelArgsParaUpdate",
        "aclError",
        (
            value("aclrtArgsHandle", "argsHandle"),
            value("aclrtParamHandle", "paramHandle"),
            array("void *", "param"),
            value("size_t", "paramSize"),
        ),
    ),
    Function("aclrtKernelArgsFinalize", "aclError", (value("aclrtArgsHandle", "argsHandle"),)),
    Function(
        "aclrtLaunchKernelWithConfig",
        "aclError",
        (
            value("aclrtFuncHandle", "funcHandle"),
            value("uint32_t", "numBlocks"),
            value("aclrtStream", "stream"),
            value("aclrtLaunchKernelCfg *", "cfg"),
            value("aclrtArgsHandle", "argsHandle"),
            value("void *", "reserve"),
        ),
    ),
)
