"""What the arguments of halMemCtl amount to, by type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halcert.spec.abi.constants import AddrMapType, CtrlType, Limit
from halcert.spec.abi.structs import LAYOUTS
from halcert.spec.profiles import GIB, Profile
from halcert.spec.state import State
from halcert.spec.svm.control_records import says_size
from halcert.spec.svm.flags import MAPPED, OPENED, POOL
from halcert.spec.svm.memory import bare, in_tail, may_be_inside

if TYPE_CHECKING:
    from halcert.spec.svm.control import MemCtl

ADDR_MAP = CtrlType.CTRL_TYPE_ADDR_MAP
ADDR_UNMAP = CtrlType.CTRL_TYPE_ADDR_UNMAP
FEATURES = CtrlType.CTRL_TYPE_SUPPORT_FEATURE
OFFSET = CtrlType.CTRL_TYPE_GET_DOUBLE_PGTABLE_OFFSET
REPAIR = CtrlType.CTRL_TYPE_MEM_REPAIR
MODULE = CtrlType.CTRL_TYPE_GET_ADDR_MODULE_ID
CP_MAP = CtrlType.CTRL_TYPE_PROCESS_CP_MMAP
CP_UNMAP = CtrlType.CTRL_TYPE_PROCESS_CP_MUNMAP
DCACHE = CtrlType.CTRL_TYPE_GET_DCACHE_ADDR
UNKNOWN = CtrlType.CTRL_TYPE_MAX

DCACHE_START = 0xFF000000000
DCACHE_SIZE = 64 * GIB
"""Where SVM v2 keeps the window of the device's control CPU, and its size in bytes."""
U32_SIZE = 4
U64_SIZE = 8
UNMAP_SIZE = LAYOUTS["AddrUnmapInPara"].size
REPAIR_SIZE = LAYOUTS["MemRepairInPara"].size
CP_MAP_SIZE = LAYOUTS["ProcessCpMmap"].size
CP_UNMAP_SIZE = LAYOUTS["ProcessCpMunmap"].size


def says(call: MemCtl, size: int) -> bool:
    """Tell whether the size of the input is said to be this many bytes."""
    return says_size(call.param_value, call.param_value_size, size)


def is_type(call: MemCtl, kind: int) -> bool:
    """Tell whether the call is of a type."""
    return call.type == kind


def asks_features(call: MemCtl) -> bool:
    """Tell whether features are asked for."""
    return call.type == FEATURES


def asks_offset(call: MemCtl) -> bool:
    """Tell whether the offset of page tables is asked for."""
    return call.type == OFFSET


def asks_module(call: MemCtl) -> bool:
    """Tell whether the module of an address is asked for."""
    return call.type == MODULE


def asks_window(call: MemCtl) -> bool:
    """Tell whether the control CPU's window is asked for."""
    return call.type == DCACHE


def of_a_window(call: MemCtl) -> bool:
    """Tell whether a window of a device is to be mapped or unmapped."""
    return call.type == ADDR_MAP or call.type == ADDR_UNMAP


def of_the_control_cpu(call: MemCtl) -> bool:
    """Tell whether the control CPU's memory is to be mapped or unmapped."""
    return call.type == CP_MAP or call.type == CP_UNMAP


def is_aic(call: MemCtl) -> bool:
    """Tell whether the window is one of the cores' registers."""
    kind = call.param_value.addr_type
    return (
        kind == AddrMapType.ADDR_MAP_TYPE_REG_AIC_CTRL
        or kind == AddrMapType.ADDR_MAP_TYPE_REG_AIC_PMU_CTRL
    )


def repairs(call: MemCtl) -> bool:
    """Tell whether the arguments are those of a repair."""
    count = call.param_value.count
    return (
        is_type(call, REPAIR)
        and says(call, REPAIR_SIZE)
        and not (call.out_value or call.out_size_ret)
        and count != 0
        and count <= Limit.MEM_REPAIR_MAX_CNT
    )


def maps(call: MemCtl) -> bool:
    """Tell whether the arguments are those of mapping a window."""
    known = call.param_value.addr_type < AddrMapType.ADDR_MAP_TYPE_MAX
    return is_type(call, ADDR_MAP) and call.out_value and known


def unmaps(call: MemCtl) -> bool:
    """Tell whether the arguments are those of unmapping a window that can be unmapped."""
    known = call.param_value.addr_type < AddrMapType.ADDR_MAP_TYPE_MAX
    return is_type(call, ADDR_UNMAP) and says(call, UNMAP_SIZE) and known and not is_aic(call)


def serves_the_control_cpu(call: MemCtl) -> bool:
    """Tell whether the arguments are those of mapping or unmapping for the control CPU."""
    what, places = call.param_value, call.out_value and call.out_size_ret
    if call.type == CP_MAP:
        return places and says(call, CP_MAP_SIZE) and what.flag == 0 and in_dcache(call)
    if call.type == CP_UNMAP:
        none = not (call.out_value or call.out_size_ret)
        return none and says(call, CP_UNMAP_SIZE) and what.size == 0 and in_dcache(call)
    return False


def in_dcache(call: MemCtl) -> bool:
    """Tell whether the range lies in the control CPU's window."""
    start = call.param_value.ptr
    size = call.param_value.size if call.type == CP_MAP else 1
    return start >= DCACHE_START and start + size <= DCACHE_START + DCACHE_SIZE


def single_value_given(call: MemCtl) -> bool:
    """Tell whether there is a place for an answer of 8 bytes."""
    plain = call.type > FEATURES and call.type < UNKNOWN and call.type != MODULE
    return call.out_value and plain


def size_given(call: MemCtl) -> bool:
    """Tell whether there is a place for the size of the answer."""
    return call.out_size_ret


def features_and_size_given(call: MemCtl) -> bool:
    """Tell whether features are asked for with a place for a size."""
    return call.type == FEATURES and call.out_size_ret


def told_apart(call: MemCtl, state: State, profile: Profile) -> bool:
    """Tell whether it is clear if an address is in a block."""
    address = call.param_value.value
    block = state.blocks.covering(address)
    if (
        block.kind == MAPPED
        or block.kind == OPENED
        or block.kind == POOL
        or bare(state, address, 1)
    ):
        return False
    return not in_tail(block, address) and not may_be_inside(state, address, profile)
