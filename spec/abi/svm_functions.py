"""The functions of the SVM core."""

from __future__ import annotations

from halcert.spec.abi.parameters import Function, Parameter, Passing, array, dma, out, value

_INFO = Parameter("info", "struct MemInfo *", Passing.INFO, "MemInfo")
SVM_FUNCTIONS = (
    Function("drvGetDevNum", "drvError_t", (out("uint32_t *", "num_dev", "u32"),)),
    Function("halGetAPIVersion", "drvError_t", (out("int *", "halAPIVersion", "i32"),)),
    Function("halGetHostID", "drvError_t", (out("uint32_t *", "host_id", "u32"),)),
    Function(
        "halSupportFeature", "bool", (value("uint32_t", "devId"), value("drvFeature_t", "type"))
    ),
    Function(
        "halMemAgentOpen", "drvError_t", (value("uint32_t", "devid"), value("uint32_t", "flag"))
    ),
    Function(
        "halMemAgentClose", "drvError_t", (value("uint32_t", "devid"), value("uint32_t", "flag"))
    ),
    Function("drvMemDeviceOpen", "int", (value("uint32_t", "devid"), value("int", "devfd"))),
    Function("drvMemDeviceClose", "int", (value("uint32_t", "devid"),)),
    Function(
        "halMemAlloc",
        "drvError_t",
        (
            out("void **", "pp", "u64"),
            value("unsigned long long", "size"),
            value("unsigned long long", "flag"),
        ),
    ),
    Function("halMemFree", "drvError_t", (value("void *", "pp"),)),
    Function(
        "drvMemsetD8",
        "DVresult",
        (
            value("DVdeviceptr", "dst"),
            value("size_t", "destMax"),
            value("UINT8", "value"),
            value("size_t", "num"),
        ),
    ),
    Function(
        "drvMemcpy",
        "DVresult",
        (
            value("DVdeviceptr", "dst"),
            value("size_t", "dest_max"),
            value("DVdeviceptr", "src"),
            value("size_t", "byte_count"),
        ),
    ),
    Function(
        "halMemcpy",
        "drvError_t",
        (
            value("void *", "dst"),
            value("size_t", "dst_size"),
            value("void *", "src"),
            value("size_t", "count"),
            Parameter("info", "struct memcpy_info *", Passing.IN_RECORD, "memcpy_info"),
        ),
    ),
    Function(
        "halMemcpy2D",
        "drvError_t",
        (Parameter("p_copy", "struct MEMCPY2D *", Passing.COPY_2D, "MEMCPY2D"),),
    ),
    Function(
        "halMemcpyBatch",
        "DVresult",
        (
            array("uint64_t *", "dst"),
            array("uint64_t *", "src"),
            array("size_t *", "size"),
            value("size_t", "count"),
        ),
    ),
    Function(
        "halMemCpyAsync",
        "DVresult",
        (
            value("DVdeviceptr", "dst"),
            value("size_t", "dest_max"),
            value("DVdeviceptr", "src"),
            value("size_t", "byte_count"),
            out("uint64_t *", "copy_fd", "u64"),
        ),
    ),
    Function("halMemCpyAsyncWaitFinish", "DVresult", (value("uint64_t", "copy_fd"),)),
    Function(
        "drvMemConvertAddr",
        "DVresult",
        (
            value("DVdeviceptr", "p_src"),
            value("DVdeviceptr", "p_dst"),
            value("UINT32", "len"),
            dma("dma_addr", Passing.NEW_DMA),
        ),
    ),
    Function("drvMemDestroyAddr", "DVresult", (dma("ptr"),)),
    Function(
        "halMemDestroyAddrBatch",
        "DVresult",
        (dma("ptr", Passing.DMA_ARRAY), value("uint32_t", "num")),
    ),
    Function("halMemcpySumbit", "DVresult", (dma("dma_addr"), value("int", "flag"))),
    Function("halMemcpyWait", "DVresult", (dma("dma_addr"),)),
    Function(
        "halMemAdvise",
        "drvError_t",
        (
            value("DVdeviceptr", "ptr"),
            value("size_t", "count"),
            value("unsigned int", "type"),
            value("DVdevice", "device"),
        ),
    ),
    Function(
        "drvMemPrefetchToDevice",
        "DVresult",
        (
            value("DVdeviceptr", "dev_ptr"),
            value("size_t", "len"),
            value("DVdevice", "device"),
        ),
    ),
    Function(
        "drvMemAddressTranslate",
        "DVresult",
        (value("DVdeviceptr", "vptr"), out("UINT64 *", "pptr", "u64")),
    ),
    Function(
        "drvMemGetAttribute",
        "DVresult",
        (
            value("DVdeviceptr", "vptr"),
            Parameter("attr", "struct DVattribute *", Passing.OUT_RECORD, "DVattribute"),
        ),
    ),
    Function(
        "halMemGetInfo",
        "DVresult",
        (value("DVdevice", "device"), value("unsigned int", "type"), _INFO),
    ),
    Function(
        "halMemGetInfoEx",
        "DVresult",
        (value("DVdevice", "device"), value("unsigned int", "type"), _INFO),
    ),
    Function(
        "halMemGetAddressRange",
        "drvError_t",
        (
            value("DVdeviceptr", "ptr"),
            out("DVdeviceptr *", "pbase", "u64"),
            out("size_t *", "psize", "u64"),
        ),
    ),
    Function(
        "halMemCtl",
        "drvError_t",
        (
            value("int", "type"),
            Parameter("param_value", "void *", Passing.CONTROL_IN),
            Parameter("param_value_size", "size_t", Passing.CONTROL_SIZE, "u64"),
            Parameter("out_value", "void *", Passing.CONTROL_OUT),
            out("size_t *", "out_size_ret", "u64"),
        ),
    ),
)
