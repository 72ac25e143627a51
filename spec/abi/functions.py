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
INOUT          number, null: NULL              number; null
IN_RECORD      mapping of members; null: NULL  none
OUT_RECORD     true, false                     mapping of all members; null
IN_ARRAY       list of numbers; null: NULL     none
IN_RECORDS     list of mappings of members;    none
               null: NULL
RECORD_VALUE   mapping of members; null: all   none
               are 0
NAME           bytes of a string in            none
               hexadecimal; null: NULL
OUT_NAME       true, false                     bytes before the first null byte, in
                                               hexadecimal; null
BLOB           bytes in hexadecimal, filled    none
               up with zeros; null: NULL
OUT_BLOB       true, false                     all bytes in hexadecimal; null
OUT_PLACES     list of true, false (NULL);     list with the numbers in each place; null for
               null: NULL                      what was NULL
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

*Handles* are numbers: the pointers that the library gave, passed on as they are.

*Names* are strings that need not be text. A place for a name has 65 bytes. What is 65 bytes or
longer is passed with a null byte behind it, too late for a call that looks at 65.

*Outputs* lie in memory that was filled with the byte 0xA5 before the call, and are read whatever
the call answered, so that what was left alone can be told from what was written. That memory ends
at an inaccessible page, so writing past it ends the process. Numbers are signed where C says so.

*Places.* An array of pointers to places for numbers. A place has as many bytes as ``data_sizes``
or ``dataSizes`` says for it (at most ``PLACE_LIMIT``), 4 if it says nothing; its output holds the
whole numbers.

*Answers.* A function that returns a truth value or a text gives it as the output ``answer`` with
code 0: 1 or 0, or the bytes of the text in hexadecimal, null for NULL.

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

from halcert.spec.abi.constants import CtrlType, InfoType
from halcert.spec.abi.parameters import PLACE_LIMIT, Direction, Function, Parameter, Passing
from halcert.spec.abi.sharing_functions import SHARING_FUNCTIONS
from halcert.spec.abi.soma_functions import SOMA_FUNCTIONS
from halcert.spec.abi.svm_functions import SVM_FUNCTIONS
from halcert.spec.abi.uvm_functions import UVM_FUNCTIONS
from halcert.spec.abi.vmm_functions import VMM_FUNCTIONS

__all__ = [
    "CONTROL_VIEWS",
    "FUNCTIONS",
    "INFO_INPUTS",
    "INFO_VIEWS",
    "PLACE_LIMIT",
    "Direction",
    "Function",
    "Parameter",
    "Passing",
]

FUNCTIONS = {
    function.symbol: function
    for function in (
        *SVM_FUNCTIONS,
        *VMM_FUNCTIONS,
        *UVM_FUNCTIONS,
        *SHARING_FUNCTIONS,
        *SOMA_FUNCTIONS,
    )
}
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
