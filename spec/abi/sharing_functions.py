"""The functions of sharing: names, shareable handles, registration, peer access."""

from __future__ import annotations

from halcert.spec.abi.parameters import Function, Parameter, Passing, array, out, value

_NAME = Parameter("name", "const char *", Passing.NAME)
_PID = array("int *", "pid", "i32")
_DEVICE = value("DVdevice", "dev_id")
_VPTR = out("DVdeviceptr *", "vptr", "u64")
_BLOB = Parameter("share_handle", "struct MemShareHandle *", Passing.BLOB, "MemShareHandle")
_TOKEN = value("uint64_t", "shareable_handle")
_HANDLE = value("drv_mem_handle_t *", "handle")
_NEW_HANDLE = out("drv_mem_handle_t **", "handle", "u64")
_KIND = value("drv_mem_handle_type", "handle_type")

NAME_FUNCTIONS = (
    Function(
        "halShmemCreateHandle",
        "DVresult",
        (
            value("DVdeviceptr", "vptr"),
            value("size_t", "byte_count"),
            Parameter("name", "char *", Passing.OUT_NAME),
            value("uint32_t", "name_len"),
        ),
    ),
    Function("halShmemDestroyHandle", "DVresult", (_NAME,)),
    Function("halShmemSetPidHandle", "DVresult", (_NAME, _PID, value("int", "num"))),
    Function(
        "halShmemSetPodPid",
        "DVresult",
        (_NAME, value("uint32_t", "sdid"), _PID, value("int", "num")),
    ),
    Function("halShmemOpenHandle", "DVresult", (_NAME, _VPTR)),
    Function("halShmemOpenHandleByDevId", "DVresult", (_DEVICE, _NAME, _VPTR)),
    Function(
        "halShmemOpenHandleV2", "DVresult", (_DEVICE, _NAME, _VPTR, value("uint64_t", "flag"))
    ),
    Function("halShmemCloseHandle", "DVresult", (value("DVdeviceptr", "vptr"),)),
    Function(
        "halShmemMapRouteCheck",
        "DVresult",
        (_NAME, value("uint32_t", "dst_devid"), value("uint32_t", "map_route")),
    ),
    Function(
        "halShmemSetAttribute",
        "DVresult",
        (_NAME, value("uint32_t", "type"), value("uint64_t", "attr")),
    ),
    Function(
        "halShmemGetAttribute",
        "DVresult",
        (_NAME, value("enum ShmemAttrType", "type"), out("uint64_t *", "attr", "u64")),
    ),
    Function(
        "halShmemInfoGet",
        "DVresult",
        (
            _NAME,
            Parameter("info", "struct ShmemGetInfo *", Passing.OUT_RECORD, "ShmemGetInfo"),
        ),
    ),
)

HANDLE_FUNCTIONS = (
    Function(
        "halMemExportToShareableHandle",
        "drvError_t",
        (_HANDLE, _KIND, value("uint64_t", "flags"), out("uint64_t *", "shareable_handle", "u64")),
    ),
    Function(
        "halMemExportToShareableHandleV2",
        "drvError_t",
        (
            _HANDLE,
            _KIND,
            value("uint64_t", "flags"),
            Parameter(
                "share_handle", "struct MemShareHandle *", Passing.OUT_BLOB, "MemShareHandle"
            ),
        ),
    ),
    Function(
        "halMemImportFromShareableHandle",
        "drvError_t",
        (_TOKEN, value("uint32_t", "devid"), _NEW_HANDLE),
    ),
    Function(
        "halMemImportFromShareableHandleV2",
        "drvError_t",
        (_KIND, _BLOB, value("uint32_t", "devid"), _NEW_HANDLE),
    ),
    Function(
        "halMemTransShareableHandle",
        "drvError_t",
        (
            _KIND,
            _BLOB,
            out("uint32_t *", "server_id", "u32"),
            out("uint64_t *", "shareable_handle", "u64"),
        ),
    ),
    Function(
        "halMemSetPidToShareableHandle", "drvError_t", (_TOKEN, _PID, value("uint32_t", "pid_num"))
    ),
    Function(
        "halMemShareHandleSetAttribute",
        "drvError_t",
        (
            value("uint64_t", "handle"),
            value("enum ShareHandleAttrType", "type"),
            Parameter("attr", "struct ShareHandleAttr", Passing.RECORD_VALUE, "ShareHandleAttr"),
        ),
    ),
    Function(
        "halMemShareHandleGetAttribute",
        "drvError_t",
        (
            value("uint64_t", "handle"),
            value("enum ShareHandleAttrType", "type"),
            Parameter("attr", "struct ShareHandleAttr *", Passing.OUT_RECORD, "ShareHandleAttr"),
        ),
    ),
    Function(
        "halMemShareHandleInfoGet",
        "drvError_t",
        (
            value("uint64_t", "handle"),
            Parameter(
                "info", "struct ShareHandleGetInfo *", Passing.OUT_RECORD, "ShareHandleGetInfo"
            ),
        ),
    ),
    Function(
        "halMemHandleSetAttribute",
        "drvError_t",
        (
            _HANDLE,
            value("enum HandleAttrType", "type"),
            Parameter("attr", "struct HandleAttr", Passing.RECORD_VALUE, "HandleAttr"),
        ),
    ),
    Function(
        "halMemHandleGetAttribute",
        "drvError_t",
        (
            _HANDLE,
            value("enum HandleAttrType", "type"),
            Parameter("attr", "struct HandleAttr *", Passing.OUT_RECORD, "HandleAttr"),
        ),
    ),
)

REGISTER_FUNCTIONS = (
    Function(
        "halHostRegister",
        "drvError_t",
        (
            value("void *", "src_ptr"),
            value("UINT64", "size"),
            value("UINT32", "flag"),
            value("UINT32", "devid"),
            out("void **", "dst_ptr", "u64"),
        ),
    ),
    Function(
        "halHostUnregister", "drvError_t", (value("void *", "src_ptr"), value("UINT32", "devid"))
    ),
    Function(
        "halHostUnregisterEx",
        "drvError_t",
        (value("void *", "src_ptr"), value("UINT32", "devid"), value("UINT32", "flag")),
    ),
    Function(
        "halMemHostGetDevPointer",
        "drvError_t",
        (
            value("void *", "src_ptr"),
            value("uint32_t", "devid"),
            out("void **", "dst_ptr", "u64"),
        ),
    ),
    Function(
        "halHostRegisterCapabilities",
        "drvError_t",
        (
            value("uint32_t", "devid"),
            value("uint32_t", "acc_module_type"),
            out("uint32_t *", "mem_map_cap", "u32"),
        ),
    ),
)

_PAIR = (value("uint32_t", "dev"), value("uint32_t", "peer_dev"))

PEER_FUNCTIONS = (
    Function("halDeviceEnableP2P", "drvError_t", (*_PAIR, value("uint32_t", "flag"))),
    Function("halDeviceDisableP2P", "drvError_t", (*_PAIR, value("uint32_t", "flag"))),
    Function("drvGetP2PStatus", "drvError_t", (*_PAIR, out("uint32_t *", "status", "u32"))),
    Function(
        "halDeviceCanAccessPeer", "drvError_t", (out("int *", "can_access_peer", "i32"), *_PAIR)
    ),
)
SHARING_FUNCTIONS = (*NAME_FUNCTIONS, *HANDLE_FUNCTIONS, *REGISTER_FUNCTIONS, *PEER_FUNCTIONS)
