"""Structures as C declares them, from the layouts of the specification.

A layout lists its members flat, with the path by which C reaches them. Here they become nested
structures again; members that share their place become an anonymous union.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from halcert.spec.abi.declarations import ALL_LAYOUTS
from halcert.spec.abi.structs import Layout, Member, width_of

C_SCALARS = {"u8": "uint8_t", "i32": "int32_t", "u32": "uint32_t", "u64": "uint64_t"}
INDENT = "    "


@dataclass
class _Node:
    """A member, or a structure within a structure."""

    name: str
    member: Member | None = None
    inner: list[_Node] = field(default_factory=list)

    @property
    def start(self) -> int:
        if self.member is not None:
            return self.member.offset
        return min(each.start for each in self.inner)

    @property
    def alignment(self) -> int:
        if self.member is None:
            return max(each.alignment for each in self.inner)
        layout = ALL_LAYOUTS.get(self.member.kind)
        if layout is None:
            return width_of(self.member.kind)
        return max(each.alignment for each in _tree(layout))

    @property
    def end(self) -> int:
        if self.member is not None:
            layout = ALL_LAYOUTS.get(self.member.kind)
            width = layout.size if layout else width_of(self.member.kind)
            return self.member.offset + width * self.member.count
        last = max(each.end for each in self.inner)
        return self.start + _up(last - self.start, self.alignment)


def _up(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment


def _tree(layout: Layout) -> list[_Node]:
    roots: list[_Node] = []
    for member in layout.members:
        *outer, name = member.c_path.split(".")
        level = roots
        for part in outer:
            found = next((n for n in level if n.name == part and n.member is None), None)
            if found is None:
                found = _Node(part)
                level.append(found)
            level = found.inner
        level.append(_Node(name, member))
    return roots


def declaration(name: str) -> str:
    """Return the C declaration of a structure, with its size asserted."""
    layout = ALL_LAYOUTS[name]
    inside = _lines(_tree(layout), 0, layout.size, INDENT)
    lines = [f"struct {name} {{", *inside, "};"]
    lines.append(f'_Static_assert(sizeof(struct {name}) == {layout.size}, "struct {name}");')
    return "\n".join(lines)


def needed(name: str) -> Iterator[str]:
    """Iterate over the structures that a structure is made of, those that come first first."""
    for member in ALL_LAYOUTS[name].members:
        if member.kind in ALL_LAYOUTS:
            yield from needed(member.kind)
    yield name


def _lines(nodes: Sequence[_Node], start: int, end: int, indent: str) -> list[str]:
    lines: list[str] = []
    place = start
    for cluster in _clusters(nodes):
        first = min(node.start for node in cluster)
        alignment = max(node.alignment for node in cluster)
        if _up(place, alignment) != first:
            lines.append(f"{indent}uint8_t reserved_{place}[{first - place}];")
        if len(cluster) == 1:
            lines += _one(cluster[0], indent)
        else:
            inside = [line for node in cluster for line in _one(node, indent + INDENT)]
            lines += [f"{indent}union {{", *inside, f"{indent}}};"]
        place = max(node.end for node in cluster)
    alignment = max(node.alignment for node in nodes)
    if _up(place, alignment) < end:
        lines.append(f"{indent}uint8_t reserved_{place}[{end - place}];")
    return lines


def _clusters(nodes: Sequence[_Node]) -> list[list[_Node]]:
    clusters: list[list[_Node]] = []
    for node in sorted(nodes, key=lambda node: node.start):
        if clusters and node.start < max(each.end for each in clusters[-1]):
            clusters[-1].append(node)
        else:
            clusters.append([node])
    return clusters


def _one(node: _Node, indent: str) -> list[str]:
    if node.member is None:
        inside = _lines(node.inner, node.start, node.end, indent + INDENT)
        return [f"{indent}struct {{", *inside, f"{indent}}} {node.name};"]
    kind = node.member.kind
    c_type = C_SCALARS.get(kind) or f"struct {kind}"
    count = f"[{node.member.count}]" if node.member.count > 1 else ""
    return [f"{indent}{c_type} {node.name}{count};"]
