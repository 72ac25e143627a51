"""Structures in memory: from their plain form to bytes, and back."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from halcert.spec.abi.declarations import ALL_LAYOUTS as LAYOUTS
from halcert.spec.abi.structs import SCALARS, Layout, Member, bounds_of, width_of


class Refused(Exception):
    """An argument is not of the form that its parameter takes."""


Resolve = Callable[[Any], Any]
"""Replaces a reference to an earlier output by what it stands for; leaves anything else."""


def checked(value: Any, scalar: str, resolve: Resolve) -> int:
    """Return a number that fits a scalar.

    Raises:
        Refused: it is no number, or does not fit.
    """
    if value.__class__ is not int:
        value = resolve(value)
    low, high = bounds_of(scalar)
    if value.__class__ is bool or not isinstance(value, int) or not low <= value <= high:
        raise Refused(f"{value!r} is no {scalar}")
    return int(value)


class RecordWriter:
    """Writes the plain form of a structure into memory."""

    def __init__(self, layout: Layout, resolve: Resolve) -> None:
        self._layout = layout
        self._members = {member.name: member for member in layout.members}
        self._resolve = resolve

    def write(self, view: memoryview, value: Mapping[str, Any]) -> None:
        """Write the members that the mapping names; leave the others."""
        for name, item in value.items():
            member = self._members.get(name)
            if member is None:
                raise Refused(f"{self._layout.name} has no member {name!r}")
            self._write_member(view, member, item)

    def _write_member(self, view: memoryview, member: Member, value: Any) -> None:
        if member.count == 1:
            self._write_element(view, member, 0, value)
            return
        items: Sequence[Any] = value if isinstance(value, list | tuple) else (value,)
        if len(items) > member.count:
            raise Refused(f"{self._layout.name}.{member.name} has {member.count} elements")
        for index, item in enumerate(items):
            self._write_element(view, member, index, item)

    def _write_element(self, view: memoryview, member: Member, index: int, value: Any) -> None:
        nested = LAYOUTS.get(member.kind)
        if nested is None:
            place = member.offset + index * width_of(member.kind)
            number = checked(value, member.kind, self._resolve)
            struct.pack_into("<" + SCALARS[member.kind], view, place, number)
            return
        if not isinstance(value, Mapping):
            raise Refused(f"{self._layout.name}.{member.name} takes mappings")
        start = member.offset + index * nested.size
        RecordWriter(nested, self._resolve).write(view[start : start + nested.size], value)


class RecordReader:
    """Reads a structure of numbers from memory into its plain form."""

    def __init__(self, layout: Layout) -> None:
        # Plain members are read in one sweep. Those that share their place with an earlier one
        # (the second view of a union) need a sweep of their own; arrays become lists.
        plain = sorted((m for m in layout.members if m.count == 1), key=lambda m: m.offset)
        self._sweeps: list[tuple[tuple[str, ...], struct.Struct]] = []
        while plain:
            sweep, plain = _without_overlap(plain)
            self._sweeps.append((tuple(m.name for m in sweep), _sweep_format(sweep)))
        self._arrays = [
            (m.name, struct.Struct(f"<{m.offset}x{m.count}{SCALARS[m.kind]}"))
            for m in layout.members
            if m.count > 1
        ]

    def read(self, view: memoryview) -> dict[str, Any]:
        """Return all members."""
        result: dict[str, Any] = {}
        for names, sweep in self._sweeps:
            result.update(zip(names, sweep.unpack_from(view), strict=True))
        for name, array in self._arrays:
            result[name] = list(array.unpack_from(view))
        return result


def _without_overlap(members: Sequence[Member]) -> tuple[list[Member], list[Member]]:
    taken: list[Member] = []
    left: list[Member] = []
    end = 0
    for member in members:
        if member.offset < end:
            left.append(member)
        else:
            taken.append(member)
            end = member.offset + width_of(member.kind)
    return taken, left


def _sweep_format(members: Sequence[Member]) -> struct.Struct:
    parts = ["<"]
    end = 0
    for member in members:
        parts.append(f"{member.offset - end}x{SCALARS[member.kind]}")
        end = member.offset + width_of(member.kind)
    return struct.Struct("".join(parts))
