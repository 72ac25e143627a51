"""Layouts of the structures that the runtime's memory interfaces take and give, on 64-bit Linux."""

from __future__ import annotations

from halcert.spec.abi.structs import Layout, Member


def _type(name: str, size: int, doc: str, *members: Member) -> Layout:
    return Layout(name, size, members, doc, typedef=True)


_ALL = (
    _type(
        "aclrtMemLocation",
        8,
        "Where memory is. Number and type stand the other way round than for managed memory.",
        Member("id", 0, "u32"),
        Member("type", 4, "u32"),
    ),
    _type(
        "aclrtMemManagedLocation",
        8,
        "Where managed memory can be.",
        Member("type", 0, "u32"),
        Member("id", 4, "i32"),
    ),
    _type(
        "aclrtPtrAttributes",
        28,
        "What an address leads to.",
        Member("id", 0, "u32", path="location.id"),
        Member("type", 4, "u32", path="location.type"),
        Member("pageSize", 8, "u32"),
        Member("rsv", 12, "u32", 4),
    ),
    _type(
        "aclrtPhysicalMemProp",
        32,
        "What physical memory is asked for, or what a handle stands for.",
        Member("handleType", 0, "u32"),
        Member("allocationType", 4, "u32"),
        Member("memAttr", 8, "u32"),
        Member("id", 12, "u32", path="location.id"),
        Member("type", 16, "u32", path="location.type"),
        Member("reserve", 24, "u64"),
    ),
    _type(
        "aclrtMemAccessDesc",
        24,
        "Who gets which right to mapped memory.",
        Member("flags", 0, "u32"),
        Member("id", 4, "u32", path="location.id"),
        Member("type", 8, "u32", path="location.type"),
        Member("rsv", 12, "u8", 12),
    ),
    _type(
        "aclrtMemFabricHandle",
        128,
        "A shareable handle for other machines, too; opaque.",
        Member("data", 0, "u8", 128),
    ),
    _type(
        "aclrtMemPoolProps",
        56,
        "What a pool is made of.",
        Member("allocType", 0, "u32"),
        Member("handleType", 4, "u32"),
        Member("id", 8, "u32", path="location.id"),
        Member("type", 12, "u32", path="location.type"),
        Member("maxSize", 16, "u64"),
        Member("reserved", 24, "u8", 32),
    ),
)

ACL_LAYOUTS = {layout.name: layout for layout in _ALL}
"""Every layout by its name."""
