"""The functions of the memory interfaces: C prototypes, and the plain form of their parameters.

Everything above the adapters speaks of arguments and outputs in *plain form*: numbers, truth
values, lists and mappings that JSON can hold (and bytes, where a program loads memory). Arguments
are a mapping with one entry per parameter, outputs one with an entry per parameter that can
give something back. ``Passing`` says for each parameter which of these forms it has:

=============  ==============================  =================================================
passing        argument                        output
=============  ==============================  =================================================
VALUE          number; addresses are numbers   none
OUT            true: a place is given          number; null if no place was given
               false: NULL
IN_RECORD      mapping of members; null: NULL  none
OUT_RECORD     true, false                     mapping of all members; null
IN_ARRAY       list of numbers; null: NULL     none
NEW_DMA        true; or a mapping with         mapping with all members of both views of
               ``devid`` (the device of an     DMA_ADDR and ``dma``, the number by which later
               offset address, 0 if not        calls mean this descriptor; null
               named); or the number ``dma``
               of an earlier one, alone or
               in the mapping; false, 0 or
               null: NULL
DMA            the number of a descriptor; 0   none
               or null: NULL; or a mapping
               ``{"dma": n, "virt_id": 99}``:
               the call gets a copy with
               these members changed
DMA_ARRAY      list of those; null: NULL       none
COPY_2D        mapping, see below; null        mapping; null
INFO           true, false, or a mapping       mapping; null
CONTROL_IN     mapping, bytes or null          none
CONTROL_SIZE   number; null: the size of what  none
               is passed
CONTROL_OUT    true, false                     mapping; null
=============  ==============================  =================================================

*Records.* Members that an argument does not name are 0. A member that is an array is a list;
missing elements are 0, and a number alone means the first element. Unknown members are refused.

*Outputs* lie in memory that was filled with the byte 0xA5 before the call, and are read whatever
the call answered, so that what was left alone can be told from what was written. That memory ends
at an inaccessible page, so writing past it ends the process. Numbers are signed where C says so.

*halMemcpy2D.* The record is flat: ``type``, ``dst``, ``dpitch``, ``src``, ``spitch``, ``width``,
``height``, ``fixed_size``, ``direction``, ``resv``, ``resv1``, ``resv2`` and ``dma``, which is what
NEW_DMA takes. The output is the record after the call, with the descriptor (or null) as ``dma``.

*halMemGetInfo.* The member of the union is chosen by ``type`` (``INFO_VIEWS``). The argument may
set members that are inputs (``INFO_INPUTS``): for the address check ``addr`` (list of addresses,
null: NULL), ``cnt`` and ``mem_type``; for the token ``va`` and ``size``; they are 0 if not named.
The output is the chosen member, without ``addr``.

*halMemCtl.* What ``param_value`` and ``out_value`` point to depends on ``type``
(``CONTROL_VIEWS``). A type with a single number there takes and gives ``{"value": n}``. Bytes
are passed as they are. ``out_size_ret`` is an ordinary OUT.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from halcert.spec.abi.constants import CtrlType, InfoType


class Passing(Enum):
    """How a parameter is passed, and so what its plain form is."""

    VALUE = "value"
    OUT = "out"
    IN_RECORD = "in record"
    OUT_RECORD = "out record"
    IN_ARRAY = "in array"
    NEW_DMA = "new descriptor"
    DMA = "descriptor"
    DMA_ARRAY = "descriptors"
    COPY_2D = "matrix copy"
    INFO = "info"
    CONTROL_IN = "control input"
    CONTROL_SIZE = "control size"
    CONTROL_OUT = "control output"


class Direction(Enum):
    """Which way the data of a parameter goes."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"


_GIVES = {
    Passing.OUT: Direction.OUT,
    Passing.OUT_RECORD: Direction.OUT,
    Passing.CONTROL_OUT: Direction.OUT,
    Passing.NEW_DMA: Direction.INOUT,
    Passing.COPY_2D: Direction.INOUT,
    Passing.INFO: Direction.INOUT,
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter.

    Attributes:
        name: its name in the public header.
        c_type: its C type, with the header's type names; arrays as pointers.
        passing: how it is passed.
        kind: the scalar or layout that is passed or pointed to; empty where ``passing`` says all.
    """

    name: str
    c_type: str
    passing: Passing
    kind: str = ""

    @property
    def direction(self) -> Direction:
        """Which way its data goes."""
        return _GIVES.get(self.passing, Direction.IN)


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the library.

    Attributes:
        symbol: its name.
        returns: C type of what it returns.
        parameters: its parameters in the order of C.
    """

    symbol: str
    returns: str
    parameters: tuple[Parameter, ...]

    @property
    def prototype(self) -> str:
        """The C declaration."""
        inside = ", ".join(f"{p.c_type} {p.name}".replace("* ", "*") for p in self.parameters)
        return f"{self.returns} {self.symbol}({inside or 'void'})"


SCALAR_OF = {
    "DVdevice": "u32",
    "DVdeviceptr": "u64",
    "UINT32": "u32",
    "UINT8": "u8",
    "drvFeature_t": "u32",
    "int": "i32",
    "size_t": "u64",
    "uint32_t": "u32",
    "uint64_t": "u64",
    "unsigned int": "u32",
    "unsigned long long": "u64",
    "void *": "u64",
}
"""The scalar that a C type is."""


def _value(c_type: str, name: str) -> Parameter:
    return Parameter(name, c_type, Passing.VALUE, SCALAR_OF[c_type])


def _out(c_type: str, name: str, kind: str) -> Parameter:
    return Parameter(name, c_type, Passing.OUT, kind)


def _array(c_type: str, name: str) -> Parameter:
    return Parameter(name, c_type, Passing.IN_ARRAY, "u64")


def _dma(name: str, passing: Passing = Passing.DMA) -> Parameter:
    stars = "**" if passing is Passing.DMA_ARRAY else "*"
    return Parameter(name, f"struct DMA_ADDR {stars}", passing, "DMA_ADDR")


_INFO = Parameter("info", "struct MemInfo *", Passing.INFO, "MemInfo")
_ALL = (
    Function("drvGetDevNum", "drvError_t", (_out("uint32_t *", "num_dev", "u32"),)),
    Function("halGetAPIVersion", "drvError_t", (_out("int *", "halAPIVersion", "i32"),)),
    Function("halGetHostID", "drvError_t", (_out("uint32_t *", "host_id", "u32"),)),
    Function(
        "halSupportFeature", "bool", (_value("uint32_t", "devId"), _value("drvFeature_t", "type"))
    ),
    Function(
        "halMemAgentOpen", "drvError_t", (_value("uint32_t", "devid"), _value("uint32_t", "flag"))
    ),
    Function(
        "halMemAgentClose", "drvError_t", (_value("uint32_t", "devid"), _value("uint32_t", "flag"))
    ),
    Function("drvMemDeviceOpen", "int", (_value("uint32_t", "devid"), _value("int", "devfd"))),
    Function("drvMemDeviceClose", "int", (_value("uint32_t", "devid"),)),
    Function(
        "halMemAlloc",
        "drvError_t",
        (
            _out("void **", "pp", "u64"),
            _value("unsigned long long", "size"),
            _value("unsigned long long", "flag"),
        ),
    ),
    Function("halMemFree", "drvError_t", (_value("void *", "pp"),)),
    Function(
        "drvMemsetD8",
        "DVresult",
        (
            _value("DVdeviceptr", "dst"),
            _value("size_t", "destMax"),
            _value("UINT8", "value"),
            _value("size_t", "num"),
        ),
    ),
    Function(
        "drvMemcpy",
        "DVresult",
        (
            _value("DVdeviceptr", "dst"),
            _value("size_t", "dest_max"),
            _value("DVdeviceptr", "src"),
            _value("size_t", "byte_count"),
        ),
    ),
    Function(
        "halMemcpy",
        "drvError_t",
        (
            _value("void *", "dst"),
            _value("size_t", "dst_size"),
            _value("void *", "src"),
            _value("size_t", "count"),
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
            _array("uint64_t *", "dst"),
            _array("uint64_t *", "src"),
            _array("size_t *", "size"),
            _value("size_t", "count"),
        ),
    ),
    Function(
        "halMemCpyAsync",
        "DVresult",
        (
            _value("DVdeviceptr", "dst"),
            _value("size_t", "dest_max"),
            _value("DVdeviceptr", "src"),
            _value("size_t", "byte_count"),
            _out("uint64_t *", "copy_fd", "u64"),
        ),
    ),
    Function("halMemCpyAsyncWaitFinish", "DVresult", (_value("uint64_t", "copy_fd"),)),
    Function(
        "drvMemConvertAddr",
        "DVresult",
        (
            _value("DVdeviceptr", "p_src"),
            _value("DVdeviceptr", "p_dst"),
            _value("UINT32", "len"),
            _dma("dma_addr", Passing.NEW_DMA),
        ),
    ),
    Function("drvMemDestroyAddr", "DVresult", (_dma("ptr"),)),
    Function(
        "halMemDestroyAddrBatch",
        "DVresult",
        (_dma("ptr", Passing.DMA_ARRAY), _value("uint32_t", "num")),
    ),
    Function("halMemcpySumbit", "DVresult", (_dma("dma_addr"), _value("int", "flag"))),
    Function("halMemcpyWait", "DVresult", (_dma("dma_addr"),)),
    Function(
        "halMemAdvise",
        "drvError_t",
        (
            _value("DVdeviceptr", "ptr"),
            _value("size_t", "count"),
            _value("unsigned int", "type"),
            _value("DVdevice", "device"),
        ),
    ),
    Function(
        "drvMemPrefetchToDevice",
        "DVresult",
        (
            _value("DVdeviceptr", "dev_ptr"),
            _value("size_t", "len"),
            _value("DVdevice", "device"),
        ),
    ),
    Function(
        "drvMemAddressTranslate",
        "DVresult",
        (_value("DVdeviceptr", "vptr"), _out("UINT64 *", "pptr", "u64")),
    ),
    Function(
        "drvMemGetAttribute",
        "DVresult",
        (
            _value("DVdeviceptr", "vptr"),
            Parameter("attr", "struct DVattribute *", Passing.OUT_RECORD, "DVattribute"),
        ),
    ),
    Function(
        "halMemGetInfo",
        "DVresult",
        (_value("DVdevice", "device"), _value("unsigned int", "type"), _INFO),
    ),
    Function(
        "halMemGetInfoEx",
        "DVresult",
        (_value("DVdevice", "device"), _value("unsigned int", "type"), _INFO),
    ),
    Function(
        "halMemGetAddressRange",
        "drvError_t",
        (
            _value("DVdeviceptr", "ptr"),
            _out("DVdeviceptr *", "pbase", "u64"),
            _out("size_t *", "psize", "u64"),
        ),
    ),
    Function(
        "halMemCtl",
        "drvError_t",
        (
            _value("int", "type"),
            Parameter("param_value", "void *", Passing.CONTROL_IN),
            Parameter("param_value_size", "size_t", Passing.CONTROL_SIZE, "u64"),
            Parameter("out_value", "void *", Passing.CONTROL_OUT),
            _out("size_t *", "out_size_ret", "u64"),
        ),
    ),
)

FUNCTIONS = {function.symbol: function for function in _ALL}
"""Every function by its symbol."""

INFO_VIEWS: dict[int, str] = {
    **dict.fromkeys(range(InfoType.MEM_INFO_TYPE_MAX + 1), "MemPhyInfo"),
    InfoType.MEM_INFO_TYPE_ADDR_CHECK: "MemAddrInfo",
    InfoType.MEM_INFO_TYPE_CTRL_NUMA_INFO: "MemNumaInfo",
    InfoType.MEM_INFO_TYPE_AI_NUMA_INFO: "MemNumaInfo",
    InfoType.MEM_INFO_TYPE_BAR_NUMA_INFO: "MemNumaInfo",
    InfoType.MEM_INFO_TYPE_SVM_GRP_INFO: "MemSvmGrpInfo",
    InfoType.MEM_INFO_TYPE_UB_TOKEN_INFO: "MemUbTokenInfo",
    InfoType.MEM_INFO_TYPE_SYS_NUMA_INFO: "MemNumaInfo",
}
"""Which layout halMemGetInfo fills, by type; any other type is read as the first."""

INFO_INPUTS = {"MemAddrInfo": ("addr", "cnt", "mem_type"), "MemUbTokenInfo": ("va", "size")}
"""The members of those layouts that the caller sets."""

CONTROL_VIEWS: dict[int, tuple[str, str]] = {
    CtrlType.CTRL_TYPE_ADDR_MAP: ("AddrMapInPara", "AddrMapOutPara"),
    CtrlType.CTRL_TYPE_ADDR_UNMAP: ("AddrUnmapInPara", ""),
    CtrlType.CTRL_TYPE_SUPPORT_FEATURE: ("supportFeaturePara", "supportFeaturePara"),
    CtrlType.CTRL_TYPE_GET_DOUBLE_PGTABLE_OFFSET: ("u32", "u64"),
    CtrlType.CTRL_TYPE_MEM_REPAIR: ("MemRepairInPara", ""),
    CtrlType.CTRL_TYPE_GET_ADDR_MODULE_ID: ("u64", "u32"),
    CtrlType.CTRL_TYPE_PROCESS_CP_MMAP: ("ProcessCpMmap", "u64"),
    CtrlType.CTRL_TYPE_PROCESS_CP_MUNMAP: ("ProcessCpMunmap", ""),
    CtrlType.CTRL_TYPE_GET_DCACHE_ADDR: ("", "u64"),
}
"""What goes in and what comes out of halMemCtl, by type: a layout, a scalar, or nothing.

Where nothing is declared (and for unknown types) a place that is given all the same is eight
bytes, and is read as ``u64``.
"""
