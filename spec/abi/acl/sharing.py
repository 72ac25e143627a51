"""Functions of the runtime: address space, physical memory, and sharing."""

from __future__ import annotations

from halcert.spec.abi.acl.parameters import value
from halcert.spec.abi.parameters import Function, Parameter, Passing, array, out

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
        (value("void *", "virPtr"), out("aclrtDrvMemHandle *", "handle", "u64")),
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
