"""The functions of the runtime: C prototypes, and the plain form of their parameters."""

from __future__ import annotations

from halcert.spec.abi.parameters import Function, Parameter, Passing, array, out, value

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
        (
            out("aclrtContext *", "context", "u64"),
            value("int32_t", "deviceId"),
        ),
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
        (
            value("aclrtStream", "stream"),
            value("int32_t", "timeout"),
        ),
    ),
    Function(
        "aclrtStreamQuery",
        "aclError",
        (
            value("aclrtStream", "stream"),
            out("aclrtStreamStatus *", "status", "u32"),
        ),
    ),
    Function("aclrtCreateEvent", "aclError", (out("aclrtEvent *", "event", "u64"),)),
    Function("aclrtDestroyEvent", "aclError", (value("aclrtEvent", "event"),)),
    Function(
        "aclrtRecordEvent",
        "aclError",
        (
            value("aclrtEvent", "event"),
            value("aclrtStream", "stream"),
        ),
    ),
    Function(
        "aclrtStreamWaitEvent",
        "aclError",
        (
            value("aclrtStream", "stream"),
            value("aclrtEvent", "event"),
        ),
    ),
    Function("aclrtSynchronizeEvent", "aclError", (value("aclrtEvent", "event"),)),
    Function(
        "aclrtSynchronizeEventWithTimeout",
        "aclError",
        (
            value("aclrtEvent", "event"),
            value("int32_t", "timeout"),
        ),
    ),
    Function(
        "aclrtQueryEventStatus",
        "aclError",
        (
            value("aclrtEvent", "event"),
            out("aclrtEventRecordedStatus *", "status", "u32"),
        ),
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

# Memory.
MEMORY_CALLS = (
    Function(
        "aclrtMalloc",
        "aclError",
        (
            out("void **", "devPtr", "u64"),
            value("size_t", "size"),
            value("aclrtMemMallocPolicy", "policy"),
        ),
    ),
    Function(
        "aclrtMallocAlign32",
        "aclError",
        (
            out("void **", "devPtr", "u64"),
            value("size_t", "size"),
            value("aclrtMemMallocPolicy", "policy"),
        ),
    ),
    Function(
        "aclrtMallocCached",
        "aclError",
        (
            out("void **", "devPtr", "u64"),
            value("size_t", "size"),
            value("aclrtMemMallocPolicy", "policy"),
        ),
    ),
    Function("aclrtFree", "aclError", (value("void *", "devPtr"),)),
    Function(
        "aclrtMallocHost",
        "aclError",
        (
            out("void **", "hostPtr", "u64"),
            value("size_t", "size"),
        ),
    ),
    Function("aclrtFreeHost", "aclError", (value("void *", "hostPtr"),)),
    Function(
        "aclrtMemset",
        "aclError",
        (
            value("void *", "devPtr"),
            value("size_t", "maxCount"),
            value("int32_t", "value"),
            value("size_t", "count"),
        ),
    ),
    Function(
        "aclrtMemsetAsync",
        "aclError",
        (
            value("void *", "devPtr"),
            value("size_t", "maxCount"),
            value("int32_t", "value"),
            value("size_t", "count"),
            value("aclrtStream", "stream"),
        ),
    ),
    Function(
        "aclrtMemcpy",
        "aclError",
        (
            value("void *", "dst"),
            value("size_t", "destMax"),
            value("const void *", "src"),
            value("size_t", "count"),
            value("aclrtMemcpyKind", "kind"),
        ),
    ),
    Function(
        "aclrtMemcpyAsync",
        "aclError",
        (
            value("void *", "dst"),
            value("size_t", "destMax"),
            value("const void *", "src"),
            value("size_t", "count"),
            value("aclrtMemcpyKind", "kind"),
            value("aclrtStream", "stream"),
        ),
    ),
    Function(
        "aclrtMemcpy2d",
        "aclError",
        (
            value("void *", "dst"),
            value("size_t", "dpitch"),
            value("const void *", "src"),
            value("size_t", "spitch"),
            value("size_t", "width"),
            value("size_t", "height"),
            value("aclrtMemcpyKind", "kind"),
        ),
    ),
    Function(
        "aclrtMemcpy2dAsync",
        "aclError",
        (
            value("void *", "dst"),
            value("size_t", "dpitch"),
            value("const void *", "src"),
            value("size_t", "spitch"),
            value("size_t", "width"),
            value("size_t", "height"),
            value("aclrtMemcpyKind", "kind"),
            value("aclrtStream", "stream"),
        ),
    ),
    Function(
        "aclrtGetMemInfo",
        "aclError",
        (
            value("aclrtMemAttr", "attr"),
            out("size_t *", "free", "u64"),
            out("size_t *", "total", "u64"),
        ),
    ),
    Function(
        "aclrtPointerGetAttributes",
        "aclError",
        (
            value("const void *", "ptr"),
            Parameter(
                "attributes", "aclrtPtrAttributes *", Passing.OUT_RECORD, "aclrtPtrAttributes"
            ),
        ),
    ),
)

# Virtual memory management.
ADDRESS_CALLS = (
    Function(
        "aclrtReserveMemAddress",
        "aclError",
        (
            out("void **", "virPtr", "u64"),
            value("size_t", "size"),
            value("size_t", "alignment"),
            value("void *", "expectPtr"),
            value("uint64_t", "flags"),
        ),
    ),
    Function("aclrtReleaseMemAddress", "aclError", (value("void *", "virPtr"),)),
    Function(
        "aclrtMallocPhysical",
        "aclError",
        (
            out("aclrtDrvMemHandle *", "handle", "u64"),
            value("size_t", "size"),
            Parameter(
                "prop", "const aclrtPhysicalMemProp *", Passing.IN_RECORD, "aclrtPhysicalMemProp"
            ),
            value("uint64_t", "flags"),
        ),
    ),
    Function("aclrtFreePhysical", "aclError", (value("aclrtDrvMemHandle", "handle"),)),
    Function(
        "aclrtMapMem",
        "aclError",
        (
            value("void *", "virPtr"),
            value("size_t", "size"),
            value("size_t", "offset"),
            value("aclrtDrvMemHandle", "handle"),
            value("uint64_t", "flags"),
        ),
    ),
    Function("aclrtUnmapMem", "aclError", (value("void *", "virPtr"),)),
    Function(
        "aclrtMemSetAccess",
        "aclError",
        (
            value("void *", "virPtr"),
            value("size_t", "size"),
            Parameter("desc", "aclrtMemAccessDesc *", Passing.IN_RECORDS, "aclrtMemAccessDesc"),
            value("size_t", "count"),
        ),
    ),
    Function(
        "aclrtMemGetAccess",
        "aclError",
        (
            value("void *", "virPtr"),
            Parameter("location", "aclrtMemLocation *", Passing.IN_RECORD, "aclrtMemLocation"),
            out("uint64_t *", "flag", "u64"),
        ),
    ),
    Function(
        "aclrtMemRetainAllocationHandle",
        "aclError",
        (
            value("void *", "virPtr"),
            out("aclrtDrvMemHandle *", "handle", "u64"),
        ),
    ),
    Function(
        "aclrtMemGetAllocationGranularity",
        "aclError",
        (
            Parameter("prop", "aclrtPhysicalMemProp *", Passing.IN_RECORD, "aclrtPhysicalMemProp"),
            value("aclrtMemGranularityOptions", "option"),
            out("size_t *", "granularity", "u64"),
        ),
    ),
    Function(
        "aclrtMemGetAllocationPropertiesFromHandle",
        "aclError",
        (
            value("aclrtDrvMemHandle", "handle"),
            Parameter("prop", "aclrtPhysicalMemProp *", Passing.OUT_RECORD, "aclrtPhysicalMemProp"),
        ),
    ),
)

# Sharing with other processes.
SHARE_CALLS = (
    Function(
        "aclrtMemExportToShareableHandle",
        "aclError",
        (
            value("aclrtDrvMemHandle", "handle"),
            value("aclrtMemHandleType", "handleType"),
            value("uint64_t", "flags"),
            out("uint64_t *", "shareableHandle", "u64"),
        ),
    ),
    Function(
        "aclrtMemExportToShareableHandleV2",
        "aclError",
        (
            value("aclrtDrvMemHandle", "handle"),
            value("uint64_t", "flags"),
            value("aclrtMemSharedHandleType", "shareType"),
            Parameter("shareableHandle", "void *", Passing.OUT_BLOB, "aclrtMemFabricHandle"),
        ),
    ),
    Function(
        "aclrtMemImportFromShareableHandle",
        "aclError",
        (
            value("uint64_t", "shareableHandle"),
            value("int32_t", "deviceId"),
            out("aclrtDrvMemHandle *", "handle", "u64"),
        ),
    ),
    Function(
        "aclrtMemImportFromShareableHandleV2",
        "aclError",
        (
            Parameter("shareableHandle", "void *", Passing.BLOB, "aclrtMemFabricHandle"),
            value("aclrtMemSharedHandleType", "shareType"),
            value("uint64_t", "flags"),
            out("aclrtDrvMemHandle *", "handle", "u64"),
        ),
    ),
    Function(
        "aclrtMemSetPidToShareableHandle",
        "aclError",
        (
            value("uint64_t", "shareableHandle"),
            array("int32_t *", "pid", "i32"),
            value("size_t", "pidNum"),
        ),
    ),
    Function(
        "aclrtMemSetPidToShareableHandleV2",
        "aclError",
        (
            Parameter("shareableHandle", "void *", Passing.BLOB, "aclrtMemFabricHandle"),
            value("aclrtMemSharedHandleType", "shareType"),
            array("int32_t *", "pid", "i32"),
            value("size_t", "pidNum"),
        ),
    ),
    Function(
        "aclrtIpcMemGetExportKey",
        "aclError",
        (
            value("void *", "devPtr"),
            value("size_t", "size"),
            Parameter("key", "char *", Passing.OUT_NAME),
            value("size_t", "len"),
            value("uint64_t", "flags"),
        ),
    ),
    Function(
        "aclrtIpcMemSetImportPid",
        "aclError",
        (
            Parameter("key", "const char *", Passing.NAME),
            array("int32_t *", "pid", "i32"),
            value("size_t", "num"),
        ),
    ),
    Function(
        "aclrtIpcMemImportByKey",
        "aclError",
        (
            out("void **", "devPtr", "u64"),
            Parameter("key", "const char *", Passing.NAME),
            value("uint64_t", "flags"),
        ),
    ),
    Function("aclrtIpcMemClose", "aclError", (Parameter("key", "const char *", Passing.NAME),)),
)

# Host memory for devices.
HOST_CALLS = (
    Function(
        "aclrtHostRegister",
        "aclError",
        (
            value("void *", "ptr"),
            value("uint64_t", "size"),
            value("aclrtHostRegisterType", "type"),
            out("void **", "devPtr", "u64"),
        ),
    ),
    Function(
        "aclrtHostRegisterV2",
        "aclError",
        (
            value("void *", "ptr"),
            value("uint64_t", "size"),
            value("uint32_t", "flag"),
        ),
    ),
    Function(
        "aclrtHostGetDevicePointer",
        "aclError",
        (
            value("void *", "pHost"),
            out("void **", "pDevice", "u64"),
            value("uint32_t", "flag"),
        ),
    ),
    Function("aclrtHostUnregister", "aclError", (value("void *", "ptr"),)),
    Function(
        "aclrtHostMemMapCapabilities",
        "aclError",
        (
            value("uint32_t", "deviceId"),
            value("aclrtHacType", "hacType"),
            out("aclrtHostMemMapCapability *", "capabilities", "u32"),
        ),
    ),
)

# Managed memory (UVM).
MANAGED_CALLS = (
    Function(
        "aclrtMemAllocManaged",
        "aclError",
        (
            out("void **", "ptr", "u64"),
            value("uint64_t", "size"),
            value("uint32_t", "flag"),
        ),
    ),
    Function(
        "aclrtMemManagedAdvise",
        "aclError",
        (
            out("const void *const", "ptr", "u64"),
            value("uint64_t", "size"),
            value("aclrtMemManagedAdviseType", "advise"),
            Parameter(
                "location",
                "aclrtMemManagedLocation",
                Passing.RECORD_VALUE,
                "aclrtMemManagedLocation",
            ),
        ),
    ),
    Function(
        "aclrtMemManagedPrefetchAsync",
        "aclError",
        (
            value("const void *", "ptr"),
            value("size_t", "size"),
            Parameter(
                "location",
                "aclrtMemManagedLocation",
                Passing.RECORD_VALUE,
                "aclrtMemManagedLocation",
            ),
            value("uint32_t", "flags"),
            value("aclrtStream", "stream"),
        ),
    ),
    Function(
        "aclrtMemManagedPrefetchBatchAsync",
        "aclError",
        (
            array("const void **", "ptrs"),
            array("size_t *", "sizes"),
            value("size_t", "count"),
            Parameter(
                "prefetchLocs",
                "aclrtMemManagedLocation *",
                Passing.IN_RECORDS,
                "aclrtMemManagedLocation",
            ),
            array("size_t *", "prefetchLocIdxs"),
            value("size_t", "numPrefetchLocs"),
            value("uint64_t", "flags"),
            value("aclrtStream", "stream"),
        ),
    ),
    Function(
        "aclrtMemManagedGetAttr",
        "aclError",
        (
            value("aclrtMemManagedRangeAttribute", "attribute"),
            value("const void *", "ptr"),
            value("size_t", "size"),
            out("void *", "data", "i32"),
            value("size_t", "dataSize"),
        ),
    ),
    Function(
        "aclrtMemManagedGetAttrs",
        "aclError",
        (
            array("aclrtMemManagedRangeAttribute *", "attributes", "u32"),
            value("size_t", "numAttributes"),
            value("const void *", "ptr"),
            value("size_t", "size"),
            Parameter("data", "void **", Passing.OUT_PLACES, "i32"),
            array("size_t *", "dataSizes"),
        ),
    ),
)

# Pools of device memory (SOMA).
POOL_CALLS = (
    Function(
        "aclrtMemPoolCreate",
        "aclError",
        (
            out("aclrtMemPool *", "memPool", "u64"),
            Parameter(
                "poolProps", "const aclrtMemPoolProps *", Passing.IN_RECORD, "aclrtMemPoolProps"
            ),
        ),
    ),
    Function("aclrtMemPoolDestroy", "aclError", (value("const aclrtMemPool", "memPool"),)),
    Function(
        "aclrtMemPoolSetAttr",
        "aclError",
        (
            value("aclrtMemPool", "memPool"),
            value("aclrtMemPoolAttr", "attr"),
            array("void *", "value"),
        ),
    ),
    Function(
        "aclrtMemPoolGetAttr",
        "aclError",
        (
            value("aclrtMemPool", "memPool"),
            value("aclrtMemPoolAttr", "attr"),
            out("void *", "value", "u64"),
        ),
    ),
    Function(
        "aclrtMemPoolMallocAsync",
        "aclError",
        (
            out("void **", "ptr", "u64"),
            value("size_t", "size"),
            value("aclrtMemPool", "memPool"),
            value("aclrtStream", "stream"),
        ),
    ),
    Function(
        "aclrtMemPoolFreeAsync",
        "aclError",
        (
            value("void *", "ptr"),
            value("aclrtStream", "stream"),
        ),
    ),
    Function(
        "aclrtMemPoolTrimTo",
        "aclError",
        (
            value("aclrtMemPool", "memPool"),
            value("size_t", "minBytesToKeep"),
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
        (
            value("aclrtFuncHandle", "funcHandle"),
            out("aclrtArgsHandle *", "argsHandle", "u64"),
        ),
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
        (
            value("aclrtArgsHandle", "argsHandle"),
            out("aclrtParamHandle *", "paramHandle", "u64"),
        ),
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

ACL_FUNCTIONS = {
    function.symbol: function
    for function in (
        *DEVICE_CALLS,
        *STREAM_CALLS,
        *MEMORY_CALLS,
        *ADDRESS_CALLS,
        *SHARE_CALLS,
        *HOST_CALLS,
        *MANAGED_CALLS,
        *POOL_CALLS,
        *KERNEL_CALLS,
    )
}
"""Every function by its symbol."""
