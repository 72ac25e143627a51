"""How parameters of the C functions are declared, and how each way of passing looks in C."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Passing(Enum):
    """How a parameter is passed, and so what its plain form is."""

    VALUE = "value"
    OUT = "out"
    INOUT = "in and out"
    IN_RECORD = "in record"
    OUT_RECORD = "out record"
    IN_ARRAY = "in array"
    IN_RECORDS = "in records"
    RECORD_VALUE = "record by value"
    NAME = "name"
    OUT_NAME = "place for a name"
    BLOB = "opaque bytes"
    OUT_BLOB = "place for opaque bytes"
    OUT_PLACES = "places"
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
    Passing.OUT_NAME: Direction.OUT,
    Passing.OUT_BLOB: Direction.OUT,
    Passing.OUT_PLACES: Direction.OUT,
    Passing.INOUT: Direction.INOUT,
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


NAME_SIZE = 65
"""Bytes of a place for a name, with the null byte."""
PLACE_LIMIT = 4096
"""The most bytes of one of several places for numbers; all devices and the host need 260."""

_SIZES_OF_PLACES = ("data_sizes", "dataSizes")
"""What the argument is called that says how large places are: by the driver, by the runtime."""


def place_sizes(args: Mapping[str, Any]) -> Any:
    """Return what a call says of how many bytes its places for numbers have, or nothing."""
    return next((args[each] for each in _SIZES_OF_PLACES if each in args), None) or ()


SCALAR_OF = {
    "DVdevice": "u32",
    "DVdeviceptr": "u64",
    "UINT32": "u32",
    "UINT64": "u64",
    "UINT8": "u8",
    "drvFeature_t": "u32",
    "drv_mem_addr_reserve_type": "u32",
    "drv_mem_granularity_options": "u32",
    "drv_mem_handle_type": "u32",
    "enum HandleAttrType": "u32",
    "enum ShareHandleAttrType": "u32",
    "enum ShmemAttrType": "u32",
    "drv_mem_handle_t *": "u64",
    "enum soma_mem_pool_attr": "u32",
    "int": "i32",
    "int32_t": "i32",
    "size_t": "u64",
    "uint32_t": "u32",
    "uint64_t": "u64",
    "unsigned int": "u32",
    "unsigned long long": "u64",
    "void *": "u64",
}
"""The scalar that a C type is."""


def value(c_type: str, name: str) -> Parameter:
    """Return a parameter that is passed by value."""
    return Parameter(name, c_type, Passing.VALUE, SCALAR_OF[c_type])


def out(c_type: str, name: str, kind: str) -> Parameter:
    """Return a place for a number."""
    return Parameter(name, c_type, Passing.OUT, kind)


def array(c_type: str, name: str, kind: str = "u64") -> Parameter:
    """Return an array of numbers that the call takes."""
    return Parameter(name, c_type, Passing.IN_ARRAY, kind)


def dma(name: str, passing: Passing = Passing.DMA) -> Parameter:
    """Return a DMA descriptor, or an array of them."""
    stars = "**" if passing is Passing.DMA_ARRAY else "*"
    return Parameter(name, f"struct DMA_ADDR {stars}", passing, "DMA_ADDR")
