"""Parameters whose form depends on more than their C type.

Matrix copies, info and control, and places whose sizes another parameter gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import iter_unpack
from typing import Any

from halcert.adapters.memory import Guarded
from halcert.adapters.records import RecordReader, RecordWriter, Refused, Resolve, checked
from halcert.adapters.slots import Arguments, Descriptors, NewDmaSlot, Slot
from halcert.spec.abi.functions import CONTROL_VIEWS, INFO_INPUTS, INFO_VIEWS, PLACE_LIMIT
from halcert.spec.abi.parameters import place_sizes
from halcert.spec.abi.structs import LAYOUTS, SCALARS, Layout, Member, width_of
from halcert.spec.language.interface import POISON


class Copy2DSlot(Slot):
    """The parameter of halMemcpy2D, with the descriptor that it may point to."""

    gives = True

    def __init__(self, descriptors: Descriptors, resolve: Resolve) -> None:
        layout = LAYOUTS["MEMCPY2D"]
        self._memory = Guarded(layout.size)
        self._blank = bytes(layout.size)
        self._writer = RecordWriter(layout, resolve)
        self._reader = RecordReader(layout)
        self._dma = NewDmaSlot(descriptors, resolve)
        self._given = False

    def load(self, value: Any, args: Arguments) -> int:
        self._given = value is not None
        if not self._given:
            return 0
        if not isinstance(value, Mapping):
            raise Refused(f"{value!r} is no mapping of members")
        self._memory.view[:] = self._blank
        dma = self._dma.load(value.get("dma"), args)
        self._writer.write(self._memory.view, {**value, "dma": dma})
        return self._memory.address

    def read(self) -> dict[str, Any] | None:
        if not self._given:
            return None
        return {**self._reader.read(self._memory.view), "dma": self._dma.read()}

    def intact(self) -> bool:
        return self._memory.intact() and (not self._given or self._dma.intact())


class InfoSlot(Slot):
    """The union of halMemGetInfo, as the type of the call understands it."""

    gives = True

    def __init__(self, resolve: Resolve) -> None:
        size = LAYOUTS["MemInfo"].size
        self._memory = Guarded(size)
        self._addresses = Guarded(8)
        self._poison = bytes([POISON]) * size
        self._resolve = resolve
        self._view = ""
        self._writers = {n: RecordWriter(LAYOUTS[n], resolve) for n in set(INFO_VIEWS.values())}
        self._readers = {n: RecordReader(LAYOUTS[n]) for n in self._writers}

    def load(self, value: Any, args: Arguments) -> int:
        if value is False:
            self._view = ""
            return 0
        if value is not True and not isinstance(value, Mapping):
            raise Refused(f"{value!r} is neither true, false nor a mapping of members")
        kind = checked(args.get("type"), "u32", self._resolve)
        self._view = INFO_VIEWS.get(kind, INFO_VIEWS[0])
        inputs: dict[str, Any] = dict.fromkeys(INFO_INPUTS.get(self._view, ()), 0)
        given: dict[str, Any] = {} if value is True else dict(value)
        if isinstance(given.get("addr"), list | tuple):
            given["addr"] = self._place(given["addr"])
        elif given.get("addr", 0) is None:
            given["addr"] = 0
        self._memory.view[:] = self._poison
        self._writers[self._view].write(self._memory.view, inputs | given)
        return self._memory.address

    def _place(self, addresses: Any) -> int:
        self._addresses.fit(8 * len(addresses))
        for index, address in enumerate(addresses):
            number = checked(address, "u64", self._resolve)
            self._addresses.view[8 * index : 8 * index + 8] = number.to_bytes(8, "little")
        return self._addresses.address

    def read(self) -> dict[str, Any] | None:
        if not self._view:
            return None
        members = self._readers[self._view].read(self._memory.view)
        # An address of this worker's own memory; it would differ from run to run.
        members.pop("addr", None)
        return members

    def intact(self) -> bool:
        return self._memory.intact()


def _layout_of(kind: str) -> Layout:
    found = LAYOUTS.get(kind)
    if found is not None:
        return found
    kind = kind or "u64"
    return Layout(kind, width_of(kind), (Member("value", 0, kind),), "A single number.")


class ControlInSlot(Slot):
    """What halMemCtl takes, by type."""

    def __init__(self, resolve: Resolve) -> None:
        self._memory = Guarded(8)
        self._resolve = resolve
        self.natural = 0
        """Size of what was passed last; the default of the size parameter."""

    def load(self, value: Any, args: Arguments) -> int:
        if value is None:
            self.natural = 0
            return 0
        if isinstance(value, bytes):
            content = value
        elif isinstance(value, Mapping):
            kind = checked(args.get("type"), "i32", self._resolve)
            layout = _layout_of(CONTROL_VIEWS.get(kind, ("", ""))[0])
            blank = bytearray(layout.size)
            RecordWriter(layout, self._resolve).write(memoryview(blank), value)
            content = bytes(blank)
        else:
            raise Refused(f"{value!r} is neither a mapping of members, bytes nor null")
        self.natural = len(content)
        self._memory.fit(len(content))
        self._memory.view[:] = content
        return self._memory.address


class ControlSizeSlot(Slot):
    """The size of what halMemCtl takes."""

    def __init__(self, passed: ControlInSlot, resolve: Resolve) -> None:
        self._passed = passed
        self._resolve = resolve

    def load(self, value: Any, _args: Arguments) -> int:
        return self._passed.natural if value is None else checked(value, "u64", self._resolve)


class ControlOutSlot(Slot):
    """What halMemCtl gives, by type."""

    gives = True

    def __init__(self, resolve: Resolve) -> None:
        self._memory = Guarded(8)
        self._resolve = resolve
        self._layout: Layout | None = None

    def load(self, value: Any, args: Arguments) -> int:
        if value is False:
            self._layout = None
            return 0
        if value is not True:
            raise Refused(f"{value!r} is neither true nor false")
        kind = checked(args.get("type"), "i32", self._resolve)
        self._layout = _layout_of(CONTROL_VIEWS.get(kind, ("", ""))[1])
        self._memory.fit(self._layout.size)
        self._memory.view[:] = bytes([POISON]) * self._layout.size
        return self._memory.address

    def read(self) -> dict[str, Any] | None:
        return None if self._layout is None else RecordReader(self._layout).read(self._memory.view)

    def intact(self) -> bool:
        return self._memory.intact()


class PlacesSlot(Slot):
    """An array of pointers to places for numbers, each of a size that another array says."""

    gives = True

    def __init__(self, kind: str, resolve: Resolve) -> None:
        self._kind = kind
        self._pointers = Guarded(8)
        self._places: list[Guarded] = []
        self._given: list[Guarded | None] | None = None
        self._resolve = resolve

    def load(self, value: Any, args: Arguments) -> int:
        self._given = None
        if value is None:
            return 0
        if not isinstance(value, list | tuple):
            raise Refused(f"{value!r} is no list")
        sizes = self._resolve(place_sizes(args)) or ()
        width = width_of(self._kind)
        given: list[Guarded | None] = []
        for index, item in enumerate(value):
            size = checked(sizes[index], "u64", self._resolve) if index < len(sizes) else width
            if size > PLACE_LIMIT:
                raise Refused(f"a place of {size} bytes is longer than {PLACE_LIMIT}")
            given.append(self._place(index, size) if _wanted(item) else None)
        self._pointers.fit(8 * len(given))
        for index, place in enumerate(given):
            address = 0 if place is None else place.address
            self._pointers.view[8 * index : 8 * index + 8] = address.to_bytes(8, "little")
        self._given = given
        return self._pointers.address

    def _place(self, index: int, size: int) -> Guarded:
        while len(self._places) <= index:
            self._places.append(Guarded(8))
        place = self._places[index]
        place.fit(size)
        place.view[:] = bytes([POISON]) * size
        return place

    def read(self) -> list[list[int] | None] | None:
        if self._given is None:
            return None
        return [None if place is None else self._numbers(place) for place in self._given]

    def _numbers(self, place: Guarded) -> list[int]:
        whole = len(place.view) // width_of(self._kind) * width_of(self._kind)
        return [number for (number,) in iter_unpack("<" + SCALARS[self._kind], place.view[:whole])]

    def intact(self) -> bool:
        return all(place is None or place.intact() for place in self._given or ())


def _wanted(item: Any) -> bool:
    if item.__class__ is not bool:
        raise Refused(f"{item!r} is neither true nor false")
    return bool(item)
