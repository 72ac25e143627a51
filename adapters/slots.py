"""Parameters in C: for each way of passing, how an argument becomes what C takes, and back.

A slot belongs to one parameter of one function in one thread, owns the memory that the call gets
pointers to, and is used again for every call.
"""

from __future__ import annotations

import ctypes
import itertools
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

from halcert.adapters.memory import Guarded
from halcert.adapters.records import RecordReader, RecordWriter, Refused, Resolve, checked
from halcert.spec.abi.declarations import ALL_LAYOUTS as LAYOUTS
from halcert.spec.abi.structs import SCALARS, width_of
from halcert.spec.language.interface import POISON

Arguments = Mapping[str, Any]
C_TYPES: dict[str, Any] = {
    "bool": ctypes.c_uint8,
    "i32": ctypes.c_int32,
    "u8": ctypes.c_uint8,
    "u32": ctypes.c_uint32,
    "u64": ctypes.c_uint64,
}


class Slot(ABC):
    """One parameter of one function."""

    gives: ClassVar[bool] = False
    """Whether the parameter gives something back."""
    lends: ClassVar[bool] = False
    """Whether the parameter points to memory that the call may read but not change."""

    @abstractmethod
    def load(self, value: Any, args: Arguments) -> Any:
        """Turn the argument into what C takes; ``args`` are all arguments of the call."""

    def read(self) -> Any:
        """Return the output in plain form, after the call."""
        return None

    def intact(self) -> bool:
        """Return whether the call changed no input and wrote nothing in front of the output."""
        return True


def _truth(value: Any) -> bool:
    if value.__class__ is not bool:
        raise Refused(f"{value!r} is neither true nor false")
    return bool(value)


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise Refused(f"{value!r} is no mapping of members")
    return value


class ValueSlot(Slot):
    """A number passed by value."""

    def __init__(self, kind: str, resolve: Resolve) -> None:
        self._kind = kind
        self._resolve = resolve

    def load(self, value: Any, _args: Arguments) -> int:
        return checked(value, self._kind, self._resolve)


class OutSlot(Slot):
    """A place for a number."""

    gives = True

    def __init__(self, kind: str) -> None:
        self._memory = Guarded(width_of(kind))
        self._address = self._memory.address
        self._cell: memoryview[int] = self._memory.view.cast(SCALARS[kind])  # type: ignore[call-overload]
        self._memory.view[:] = bytes([POISON]) * width_of(kind)
        self._poison = self._cell[0]
        self._given = False

    def load(self, value: Any, _args: Arguments) -> int:
        self._given = value is True or _truth(value)
        if not self._given:
            return 0
        self._cell[0] = self._poison
        return self._address

    def read(self) -> int | None:
        return self._cell[0] if self._given else None

    def intact(self) -> bool:
        return self._memory.intact()


class InOutSlot(OutSlot):
    """A place with a number in it."""

    def __init__(self, kind: str, resolve: Resolve) -> None:
        super().__init__(kind)
        self._kind = kind
        self._resolve = resolve

    def load(self, value: Any, args: Arguments) -> int:
        if value is None:
            return super().load(False, args)
        address = super().load(True, args)
        self._cell[0] = checked(value, self._kind, self._resolve)
        return address


class InRecordSlot(Slot):
    """A structure that the call takes."""

    lends = True

    def __init__(self, kind: str, resolve: Resolve) -> None:
        layout = LAYOUTS[kind]
        self._memory = Guarded(layout.size)
        self._blank = bytes(layout.size)
        self._writer = RecordWriter(layout, resolve)
        self._sent = b""

    def load(self, value: Any, _args: Arguments) -> int:
        self._sent = b""
        if value is None:
            return 0
        self._memory.view[:] = self._blank
        self._writer.write(self._memory.view, _mapping(value))
        self._sent = bytes(self._memory.view)
        return self._memory.address

    def intact(self) -> bool:
        return not self._sent or self._memory.view == self._sent


class OutRecordSlot(Slot):
    """A place for a structure."""

    gives = True

    def __init__(self, kind: str) -> None:
        layout = LAYOUTS[kind]
        self._memory = Guarded(layout.size)
        self._poison = bytes([POISON]) * layout.size
        self._reader = RecordReader(layout)
        self._given = False

    def load(self, value: Any, _args: Arguments) -> int:
        self._given = _truth(value)
        if not self._given:
            return 0
        self._memory.view[:] = self._poison
        return self._memory.address

    def read(self) -> dict[str, Any] | None:
        return self._reader.read(self._memory.view) if self._given else None

    def intact(self) -> bool:
        return self._memory.intact()


class InArraySlot(Slot):
    """An array of numbers that the call takes."""

    lends = True

    def __init__(self, kind: str, resolve: Resolve) -> None:
        self._kind = kind
        self._width = width_of(kind)
        self._memory = Guarded(self._width)
        self._resolve = resolve
        self._sent = b""

    def load(self, value: Any, _args: Arguments) -> int:
        self._sent = b""
        if value is None:
            return 0
        if not isinstance(value, list | tuple):
            raise Refused(f"{value!r} is no list")
        self._memory.fit(len(value) * self._width)
        items = [checked(item, self._kind, self._resolve) for item in value]
        self._sent = bytes((C_TYPES[self._kind] * len(items))(*items))
        self._memory.view[:] = self._sent
        return self._memory.address

    def intact(self) -> bool:
        return not self._sent or self._memory.view == self._sent


class InRecordsSlot(Slot):
    """An array of structures that the call takes."""

    lends = True

    def __init__(self, kind: str, resolve: Resolve) -> None:
        layout = LAYOUTS[kind]
        self._size = layout.size
        self._sent = b""
        self._memory = Guarded(self._size)
        self._writer = RecordWriter(layout, resolve)

    def load(self, value: Any, _args: Arguments) -> int:
        self._sent = b""
        if value is None:
            return 0
        if not isinstance(value, list | tuple):
            raise Refused(f"{value!r} is no list")
        self._memory.fit(len(value) * self._size)
        self._memory.view[:] = bytes(len(value) * self._size)
        for index, item in enumerate(value):
            place = self._memory.view[index * self._size : (index + 1) * self._size]
            self._writer.write(place, _mapping(item))
        self._sent = bytes(self._memory.view)
        return self._memory.address

    def intact(self) -> bool:
        return not self._sent or self._memory.view == self._sent


class RecordValueSlot(Slot):
    """A structure that the call takes by value."""

    def __init__(self, kind: str, resolve: Resolve) -> None:
        layout = LAYOUTS[kind]
        self._value = by_value(kind)()
        self._view = memoryview(self._value).cast("B")
        self._blank = bytes(layout.size)
        self._writer = RecordWriter(layout, resolve)

    def load(self, value: Any, _args: Arguments) -> Any:
        self._view[:] = self._blank
        self._writer.write(self._view, _mapping({} if value is None else value))
        return self._value


@cache
def by_value(kind: str) -> type[ctypes.Structure]:
    """Return the type by which C passes a structure as it is."""
    fields = [("bytes", ctypes.c_uint32 * (LAYOUTS[kind].size // 4))]
    return type(kind, (ctypes.Structure,), {"_fields_": fields})


class BytesSlot(Slot):
    """A string that need not be text, or opaque bytes of a known length."""

    def __init__(self, length: int, resolve: Resolve) -> None:
        self._length = length
        self._memory = Guarded(1)
        self._resolve = resolve

    def load(self, value: Any, _args: Arguments) -> int:
        value = self._resolve(value)
        if value is None:
            return 0
        if not isinstance(value, str):
            raise Refused(f"{value!r} is no string of hexadecimal digits")
        content = bytes.fromhex(value)
        content += bytes(max(self._length - len(content), 0)) if self._length else b"\0"
        self._memory.fit(len(content))
        self._memory.view[:] = content
        return self._memory.address


class OutBytesSlot(Slot):
    """A place for a name, or for opaque bytes."""

    gives = True

    def __init__(self, length: int, *, string: bool) -> None:
        self._memory = Guarded(length)
        self._poison = bytes([POISON]) * length
        self._string = string
        self._given = False

    def load(self, value: Any, _args: Arguments) -> int:
        self._given = _truth(value)
        if not self._given:
            return 0
        self._memory.view[:] = self._poison
        return self._memory.address

    def read(self) -> str | None:
        if not self._given:
            return None
        content = bytes(self._memory.view)
        return (content.partition(b"\0")[0] if self._string else content).hex()


class Descriptors:
    """The DMA descriptors of a process; a call means one by its number."""

    layout = LAYOUTS["DMA_ADDR"]

    def __init__(self) -> None:
        self._counter = itertools.count(1)
        self._memory: dict[int, Guarded] = {}
        self._reader = RecordReader(self.layout)

    def new(self) -> int:
        """Make a descriptor that holds poison, and return its number."""
        number = next(n for n in self._counter if n not in self._memory)
        self._memory[number] = Guarded(self.layout.size)
        self._memory[number].view[:] = bytes([POISON]) * self.layout.size
        return number

    def memory(self, number: int) -> Guarded:
        """Return the memory of a descriptor; one that no call made is blank, as if forged."""
        found = self._memory.get(number)
        if found is None:
            found = self._memory[number] = Guarded(self.layout.size)
            found.view[:] = bytes(self.layout.size)
        return found

    def read(self, number: int) -> dict[str, Any] | None:
        """Return a descriptor in plain form; None for number 0."""
        if number == 0:
            return None
        return {"dma": number, **self._reader.read(self.memory(number).view)}


class NewDmaSlot(Slot):
    """A place for a DMA descriptor: a new one, or an earlier one that is to be used again."""

    gives = True

    def __init__(self, descriptors: Descriptors, resolve: Resolve) -> None:
        self._descriptors = descriptors
        self._resolve = resolve
        self._writer = RecordWriter(Descriptors.layout, resolve)
        self._number = 0

    def load(self, value: Any, _args: Arguments) -> int:
        members, self._number, fresh = named_descriptor(value, self._resolve)
        if fresh:
            self._number = self._descriptors.new()
            members = {"devid": 0, **members}
        if self._number == 0:
            return 0
        memory = self._descriptors.memory(self._number)
        self._writer.write(memory.view, members)
        return memory.address

    def read(self) -> dict[str, Any] | None:
        return self._descriptors.read(self._number)

    def intact(self) -> bool:
        return self._number == 0 or self._descriptors.memory(self._number).intact()


class DmaSlot(Slot):
    """An earlier DMA descriptor."""

    def __init__(self, descriptors: Descriptors, resolve: Resolve) -> None:
        self._descriptors = descriptors
        self._resolve = resolve
        self._writer = RecordWriter(Descriptors.layout, resolve)
        self._copies: list[Any] = []

    def load(self, value: Any, _args: Arguments) -> int:
        return self.load_all([value])[0]

    def load_all(self, values: Sequence[Any]) -> list[int]:
        """Return the addresses of several descriptors of one call."""
        self._copies.clear()
        return [self._load_one(value) for value in values]

    def _load_one(self, value: Any) -> int:
        members, number, fresh = named_descriptor(value, self._resolve)
        if fresh:
            raise Refused(f"{value!r} names no earlier descriptor")
        if number == 0:
            return 0
        memory = self._descriptors.memory(number)
        if not members:
            return memory.address
        # Only this call is to see the change: it gets a copy.
        copy = (ctypes.c_ubyte * len(memory.view)).from_buffer_copy(memory.view)
        self._writer.write(memoryview(copy).cast("B"), members)
        self._copies.append(copy)
        return ctypes.addressof(copy)


class DmaArraySlot(Slot):
    """An array of pointers to DMA descriptors."""

    lends = True

    def __init__(self, descriptors: Descriptors, resolve: Resolve) -> None:
        self._each = DmaSlot(descriptors, resolve)
        self._array = InArraySlot("u64", resolve)

    def load(self, value: Any, args: Arguments) -> int:
        if value is None:
            return 0
        if not isinstance(value, list | tuple):
            raise Refused(f"{value!r} is no list")
        return self._array.load(self._each.load_all(value), args)

    def intact(self) -> bool:
        return self._array.intact()


def named_descriptor(value: Any, resolve: Resolve) -> tuple[Mapping[str, Any], int, bool]:
    """Return the members that are set, the number of the descriptor, and whether it is new."""
    value = resolve(value)
    members: Mapping[str, Any] = {}
    if isinstance(value, Mapping):
        members = {name: item for name, item in value.items() if name != "dma"}
        value = resolve(value.get("dma", True))
    if value is True:
        return members, 0, True
    number = 0 if value is None or value is False else checked(value, "u32", resolve)
    return members, number, False
