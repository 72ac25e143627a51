"""What registering takes: the flag, and how source and map type go together."""

from __future__ import annotations

from typing import ClassVar

from halcert.spec.abi.constants import RegisterType
from halcert.spec.language import BitWord, Field, Flag, align_up
from halcert.spec.profiles import TIB, Profile
from halcert.spec.state import USER, Block, Registration, State
from halcert.spec.svm.flags import DEV, DVPP, HOST, HOST_UVA

LOCAL_TO_DEVICE = RegisterType.HOST_MEM_MAP_DEV
HOST_BLOCK_TO_DEVICE = RegisterType.HOST_SVM_MAP_DEV
DEVICE_BLOCK_TO_HOST = RegisterType.DEV_SVM_MAP_HOST
THROUGH = RegisterType.HOST_MEM_MAP_DEV_PCIE_TH
DEVICE_LOCAL_TO_HOST = RegisterType.DEV_MEM_MAP_HOST
DMA = RegisterType.HOST_MEM_MAP_DMA
IO = RegisterType.HOST_IO_MAP_DEV
UNKNOWN_TYPE = RegisterType.HOST_REGISTER_MAX_TPYE
FIRST_UNKNOWN_PROCESS = 6
"""First type of a process that there is not."""
MOST_AGENTS = 1124
"""First device id that no build of SVM v2 knows."""
DEVICES_V3 = 66
"""First device id that SVM v3 does not know."""
LARGEST_DMA = 8 * TIB
"""Most bytes that are registered for DMA at a time."""


class RegisterFlags(BitWord):
    """The flag of halHostRegister: what is mapped where, and for which process of the device."""

    layout: ClassVar[dict[str, Field]] = {
        "type": Field(0, 16),
        "process": Field(16, 6),
        "between": Field(22, 6),
        "readonly": Flag(28),
        "above": Field(29, 3),
    }

    type: int
    process: int
    between: int
    readonly: bool
    above: int


def goes_through(kind: int) -> bool:
    """Tell whether a map type lets devices through PCIe."""
    return kind == THROUGH or kind == IO


def plain_process(flag: RegisterFlags) -> bool:
    """Tell whether the upper half of a flag asks for nothing particular."""
    return flag.process == 0 and flag.between == 0 and not flag.readonly and flag.above == 0


def is_local(block: Block) -> bool:
    """Tell whether a block is the program's own memory."""
    return block.kind == USER


def is_host_block(block: Block) -> bool:
    """Tell whether a block is host memory of halMemAlloc."""
    return block.kind == HOST or block.kind == HOST_UVA


def is_device_block(block: Block) -> bool:
    """Tell whether a block is device memory of halMemAlloc."""
    return block.kind == DEV or block.kind == DVPP


def fits_source(block: Block, kind: int, profile: Profile) -> bool:
    """Tell whether memory is registered by a map type."""
    if profile.generation == "v3":
        if is_local(block) or is_host_block(block):
            return kind == THROUGH or (kind == IO and is_local(block))
        return is_device_block(block) and kind == DEVICE_BLOCK_TO_HOST
    if is_local(block):
        return kind == LOCAL_TO_DEVICE or goes_through(kind) or kind == DMA
    if is_host_block(block):
        return kind == HOST_BLOCK_TO_DEVICE or goes_through(kind) or kind == DMA
    return is_device_block(block) and (kind == DEVICE_BLOCK_TO_HOST or kind == DMA)


def told_source(block: Block) -> bool:
    """Tell whether the documents say how a block is registered."""
    plain = not block.readonly and not block.host_writes and not block.cp_only
    return is_local(block) or ((is_host_block(block) or is_device_block(block)) and plain)


def rounded(block: Block, size: int, profile: Profile) -> int:
    """Return what a size is rounded up to: whole pages of the memory (bytes)."""
    if block.granule == profile.page:
        return align_up(size, profile.page)
    return align_up(size, profile.huge)


def on_a_page(block: Block, address: int, profile: Profile) -> bool:
    """Tell whether an address is a multiple of the page size of its memory."""
    if block.granule == profile.page:
        return address % profile.page == 0
    return address % profile.huge == 0


def meets(one: Registration, src: int, size: int) -> bool:
    """Tell whether a registration shares a byte with a range."""
    return one.src < src + size and src < one.src + one.extent


def registered(state: State, src: int, size: int, kind: int, device: int) -> bool:
    """Tell whether a byte of a range is registered by a map type on a device."""
    return state.registrations.any(
        lambda one: one.kind == kind and one.device == device and meets(one, src, size)
    )
