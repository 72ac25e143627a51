"""Layouts of the structures that the memory interfaces take and give, on 64-bit Linux.

A layout is data: the marshalling, the comparison with a header and the manual derive from it.
Members of unions and of nested structures are written flat; ``path`` then says how C reaches
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import calcsize

SCALARS = {"u8": "B", "i32": "i", "u32": "I", "u64": "Q"}
"""The numbers that structures and parameters are made of, with their ``struct`` format.

Pointers within structures and ``size_t`` are ``u64``, enumerations are ``u32``.
"""


def width_of(scalar: str) -> int:
    """Return the size of a scalar in bytes."""
    return calcsize(SCALARS[scalar])


def bounds_of(scalar: str) -> tuple[int, int]:
    """Return the smallest and the largest value of a scalar."""
    bits = 8 * width_of(scalar)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if scalar[0] == "i" else (0, (1 << bits) - 1)


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a structure.

    Attributes:
        name: name in the plain form.
        offset: where it lies, in bytes.
        kind: a scalar, or the name of another layout.
        count: number of elements; 1 for a plain member, whose plain value is not a list.
        path: how C reaches it; empty if by its name.
    """

    name: str
    offset: int
    kind: str
    count: int = 1
    path: str = ""

    @property
    def c_path(self) -> str:
        """The designator for ``offsetof``."""
        return self.path or self.name


@dataclass(frozen=True, slots=True)
class Layout:
    """One structure.

    Attributes:
        name: its C name, without ``struct``.
        size: its size in bytes.
        members: its members; those of a union share their place.
        doc: what it is for.
        typedef: the name is that of a type, not of a structure.
    """

    name: str
    size: int
    members: tuple[Member, ...]
    doc: str
    typedef: bool = False

    @property
    def c_name(self) -> str:
        """The C type."""
        return self.name if self.typedef else f"struct {self.name}"

    def member(self, name: str) -> Member:
        """Return a member by name.

        Raises:
            KeyError: there is none of that name.
        """
        for member in self.members:
            if member.name == name:
                return member
        raise KeyError(name)


def _layout(name: str, size: int, doc: str, *members: Member) -> Layout:
    return Layout(name, size, members, doc)


def _type(name: str, size: int, doc: str, *members: Member) -> Layout:
    return Layout(name, size, members, doc, typedef=True)


def _copy_2d(start: int, prefix: str) -> tuple[Member, ...]:
    names = ("dst", "dpitch", "src", "spitch", "width", "height", "fixed_size")
    return (
        *(Member(n, start + 8 * i, "u64", path=prefix + n) for i, n in enumerate(names)),
        Member("direction", start + 56, "u32", path=prefix + "direction"),
        Member("resv1", start + 60, "u32", path=prefix + "resv1"),
        Member("resv2", start + 64, "u64", path=prefix + "resv2"),
    )


_ALL = (
    _layout(
        "drv_mem_prop",
        32,
        "What physical memory is asked for, or what a handle stands for.",
        Member("side", 0, "u32"),
        Member("devid", 4, "u32"),
        Member("module_id", 8, "u32"),
        Member("pg_type", 12, "u32"),
        Member("mem_type", 16, "u32"),
        Member("reserve", 24, "u64"),
    ),
    _layout(
        "memcpy_info",
        24,
        "Direction and device of a copy by halMemcpy.",
        Member("dir", 0, "u32"),
        Member("devid", 4, "u32"),
        Member("reserve", 8, "u64", 2),
    ),
    _layout(
        "DVattribute",
        52,
        "What an address leads to.",
        Member("memType", 0, "u32"),
        Member("resv1", 4, "u32"),
        Member("resv2", 8, "u32"),
        Member("devId", 12, "u32"),
        Member("pageSize", 16, "u32"),
        Member("resv", 20, "u32", 8),
    ),
    _layout("drvMem2D", 72, "A copy of a matrix.", *_copy_2d(0, "")),
    _layout(
        "drvMem2DAsync",
        80,
        "A copy of a matrix that the device makes later.",
        *_copy_2d(0, "copy2dInfo."),
        Member("dmaAddr", 72, "u64"),
    ),
    _layout(
        "MEMCPY2D",
        88,
        "The parameter of halMemcpy2D.",
        Member("type", 0, "u32"),
        Member("resv", 4, "u32"),
        *_copy_2d(8, "copy2d."),
        Member("dma", 80, "u64", path="copy2dAsync.dmaAddr"),
    ),
    _layout(
        "MemPhyInfo",
        48,
        "Sizes of physical memory: pages of 4 KiB, of 2 MiB and 1 GiB together, of 1 GiB.",
        Member("total", 0, "u64"),
        Member("free", 8, "u64"),
        Member("huge_total", 16, "u64"),
        Member("huge_free", 24, "u64"),
        Member("giant_total", 32, "u64"),
        Member("giant_free", 40, "u64"),
    ),
    _layout(
        "MemAddrInfo",
        24,
        "Addresses to be checked, and the answer.",
        Member("addr", 0, "u64"),
        Member("cnt", 8, "u32"),
        Member("mem_type", 12, "u32"),
        Member("flag", 16, "u32"),
    ),
    _layout(
        "MemNumaInfo",
        260,
        "NUMA nodes of a device.",
        Member("node_cnt", 0, "u32"),
        Member("node_id", 4, "i32", 64),
    ),
    _layout("MemSvmGrpInfo", 32, "Name of a sharing group.", Member("name", 0, "u8", 32)),
    _layout(
        "MemUbTokenInfo",
        24,
        "A range, and the token by which others reach it.",
        Member("va", 0, "u64"),
        Member("size", 8, "u64"),
        Member("token_id", 16, "u32"),
        Member("token_value", 20, "u32"),
    ),
    _layout(
        "MemInfo",
        264,
        "The union that halMemGetInfo fills; the type says which member is meant.",
        Member("phy_info", 0, "MemPhyInfo"),
        Member("addr_info", 0, "MemAddrInfo"),
        Member("numa_info", 0, "MemNumaInfo"),
        Member("grp_info", 0, "MemSvmGrpInfo"),
        Member("ub_token_info", 0, "MemUbTokenInfo"),
    ),
    _layout(
        "drv_mem_location",
        8,
        "A device or the host.",
        Member("id", 0, "u32"),
        Member("side", 4, "u32"),
    ),
    _layout(
        "drv_mem_access_desc",
        20,
        "What a device or the host may do with a mapping.",
        Member("type", 0, "u32"),
        Member("id", 4, "u32", path="location.id"),
        Member("side", 8, "u32", path="location.side"),
        Member("rsv", 12, "u32", 2),
    ),
    _layout(
        "supportFeaturePara",
        16,
        "Features asked for, or those of them that there are.",
        Member("support_feature", 0, "u64"),
        Member("devid", 8, "u32"),
    ),
    _layout(
        "AddrMapInPara",
        8,
        "The device window to be mapped.",
        Member("addr_type", 0, "u32"),
        Member("devid", 4, "u32"),
    ),
    _layout(
        "AddrMapOutPara",
        16,
        "Where a device window is mapped.",
        Member("ptr", 0, "u64"),
        Member("len", 8, "u64"),
    ),
    _layout(
        "AddrUnmapInPara",
        24,
        "The device window to be unmapped.",
        Member("addr_type", 0, "u32"),
        Member("devid", 4, "u32"),
        Member("ptr", 8, "u64"),
        Member("len", 16, "u64"),
    ),
    _layout(
        "MemRepairAddr", 16, "A faulty range.", Member("ptr", 0, "u64"), Member("len", 8, "u64")
    ),
    _layout(
        "MemRepairInPara",
        328,
        "Faulty ranges to be repaired.",
        Member("devid", 0, "u32"),
        Member("count", 4, "u32"),
        Member("repairAddrs", 8, "MemRepairAddr", 20),
    ),
    _layout(
        "ProcessCpMmap",
        32,
        "A range to be mapped in the device's own process.",
        Member("devid", 0, "u32"),
        Member("ptr", 8, "u64"),
        Member("size", 16, "u64"),
        Member("flag", 24, "u64"),
    ),
    _layout(
        "ProcessCpMunmap",
        24,
        "A range to be unmapped there.",
        Member("devid", 0, "u32"),
        Member("ptr", 8, "u64"),
        Member("size", 16, "u64"),
    ),
    _layout(
        "DMA_ADDR",
        40,
        "A converted copy, ready for the device. The two views of the union share their place.",
        Member("src", 0, "u64", path="phyAddr.src"),
        Member("dst", 8, "u64", path="phyAddr.dst"),
        Member("len", 16, "u32", path="phyAddr.len"),
        Member("flag", 20, "u8", path="phyAddr.flag"),
        Member("priv", 24, "u64", path="phyAddr.priv"),
        Member("offset", 0, "u64", path="offsetAddr.offset"),
        Member("devid", 8, "u32", path="offsetAddr.devid"),
        Member("fixed_size", 32, "u32"),
        Member("virt_id", 36, "u32"),
    ),
    _layout(
        "ShmemGetInfo",
        36,
        "What is told of a name.",
        Member("phyDevid", 0, "u32"),
        Member("reserve", 4, "u32", 8),
    ),
    _layout(
        "ShareHandleGetInfo",
        36,
        "What is told of a shareable handle.",
        Member("phyDevid", 0, "u32"),
        Member("reserve", 4, "u32", 8),
    ),
    _layout(
        "ShareHandleAttr",
        36,
        "An attribute of a shareable handle.",
        Member("enableFlag", 0, "u32"),
        Member("rsv", 4, "u32", 8),
    ),
    _layout(
        "HandleAttr",
        36,
        "An attribute of physical memory.",
        Member("mem_map_route", 0, "u32"),
        Member("rsv", 4, "u32", 8),
    ),
    _layout(
        "MemShareHandle",
        128,
        "A shareable handle for other machines, too; opaque.",
        Member("share_info", 0, "u8", 128),
    ),
    _layout(
        "drv_uvm_location",
        8,
        "A place for pages of managed memory: a device, the host, or a NUMA node of the host.",
        Member("type", 0, "u32"),
        Member("id", 4, "i32"),
    ),
    _type(
        "soma_mem_pool_t",
        16,
        "Which pool.",
        Member("poolId", 0, "u64"),
        Member("devId", 8, "u32"),
    ),
    _type(
        "soma_mem_pool_prop",
        56,
        "What a pool is made of.",
        Member("handle_type", 0, "u32"),
        *(
            Member(name, 8 + 4 * index, "u32", path=f"mem_prop.{name}")
            for index, name in enumerate(("side", "devid", "module_id", "pg_type", "mem_type"))
        ),
        Member("reserve", 32, "u64", path="mem_prop.reserve"),
        Member("va", 40, "u64"),
        Member("maxSize", 48, "u64"),
    ),
    _layout(
        "mem_module_usage",
        112,
        "Memory that a module occupies.",
        Member("name", 0, "u8", 32),
        Member("cur_mem_size", 32, "u64"),
        Member("mem_peak_size", 40, "u64"),
        Member("reserved", 48, "u64", 8),
    ),
)

LAYOUTS = {layout.name: layout for layout in _ALL}
"""Every layout by its C name."""
