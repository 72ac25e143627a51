"""Functions of the runtime: memory that is allocated, copied, registered, managed or pooled."""

from __future__ import annotations

from halcert.spec.abi.acl.parameters import value
from halcert.spec.abi.parameters import Function, Parameter, Passing, array, out

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
        "aclrtMallocHost", "aclError", (out("void **", "hostPtr", "u64"), value("size_t", "size"))
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
        (value("void *", "ptr"), value("uint64_t", "size"), value("uint32_t", "flag")),
    ),
    Function(
        "aclrtHostGetDevicePointer",
        "aclError",
        (value("void *", "pHost"), out("void **", "pDevice", "u64"), value("uint32_t", "flag")),
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
        (out("void **", "ptr", "u64"), value("uint64_t", "size"), value("uint32_t", "flag")),
    ),
    Function(
        "aclrtMemManagedAdvise",
        "aclError",
        (
            value("const void *const", "ptr"),
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
        (value("void *", "ptr"), value("aclrtStream", "stream")),
    ),
    Function(
        "aclrtMemPoolTrimTo",
        "aclError",
        (value("aclrtMemPool", "memPool"), value("size_t", "minBytesToKeep")),
    ),
)
