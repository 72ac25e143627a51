"""Calls: one closure per function, from plain arguments to the C call and back."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping
from typing import Any

from halcert.adapters.device import DEVICE_CALLS
from halcert.adapters.host import HOST_CALLS, Mappings
from halcert.adapters.records import Refused
from halcert.adapters.slots import (
    C_TYPES,
    BytesSlot,
    Descriptors,
    DmaArraySlot,
    DmaSlot,
    InArraySlot,
    InOutSlot,
    InRecordSlot,
    InRecordsSlot,
    NewDmaSlot,
    OutBytesSlot,
    OutRecordSlot,
    OutSlot,
    RecordValueSlot,
    Slot,
    ValueSlot,
    by_value,
)
from halcert.adapters.special_slots import (
    ControlInSlot,
    ControlOutSlot,
    ControlSizeSlot,
    Copy2DSlot,
    InfoSlot,
    PlacesSlot,
)
from halcert.spec.abi.declarations import ALL_FUNCTIONS, ALL_LAYOUTS
from halcert.spec.abi.parameters import NAME_SIZE, Function, Parameter, Passing
from halcert.spec.abi.structs import bounds_of
from halcert.spec.sharing.names import altered

Outcome = tuple[int, dict[str, Any], int, int]
"""Return code, outputs, and when the call was entered and left."""
Invoke = Callable[[Mapping[str, Any]], Outcome]

RETURNS: dict[str, Any] = {"bool": ctypes.c_uint8, "const char *": ctypes.c_char_p}
"""What functions return that do not return a code."""
ANSWERS = {"bool": "code", "const char *": "None if code is None else code.hex()"}
"""That in plain form."""
REMEMBERED = 1 << 16
"""How many earlier outputs a reference can name."""


def source_of(function: Function, slots: Mapping[str, Slot]) -> str:
    """Return the Python source of ``invoke``, which makes the calls of a function.

    Loops over parameters would cost more than the fastest C calls do; so there are none, and
    numbers that need no conversion are only compared with their bounds.
    """
    names = [parameter.name for parameter in function.parameters]
    takes = f"{function.symbol} takes {', '.join(names)}"
    lines = [
        "def invoke(args):",
        f"    if len(args) != {len(names)}:",
        f"        raise Refused({takes!r})",
    ]
    for index, parameter in enumerate(function.parameters):
        lines.append(f"    a{index} = args[{parameter.name!r}]")
        step = f"a{index} = load{index}(a{index}, args)"
        if parameter.passing is Passing.VALUE:
            low, high = bounds_of(parameter.kind)
            lines.append(
                f"    if a{index}.__class__ is not int or not {low} <= a{index} <= {high}:"
            )
            step = f"    {step}"
        lines.append(f"    {step}")
    gives = [(i, name) for i, name in enumerate(names) if slots[name].gives]
    outputs = [f"{name!r}: read{i}()" for i, name in gives]
    checks = [
        f"    if not intact{i}(): raise Spoiled({_spoiled(name, slots[name])!r})"
        for i, name in enumerate(names)
        if slots[name].gives or slots[name].lends
    ]
    if function.returns in ANSWERS:
        outputs.append(f"'answer': {ANSWERS[function.returns]}")
    code = "0" if function.returns in ANSWERS else "code"
    return "\n".join(
        [
            *lines,
            "    began = clock()",
            f"    code = entry({', '.join(f'a{index}' for index in range(len(names)))})",
            "    ended = clock()",
            *checks,
            f"    return {code}, {{{', '.join(outputs)}}}, began, ended",
        ]
    )


def _c_type(parameter: Parameter) -> Any:
    if parameter.passing is Passing.RECORD_VALUE:
        return by_value(parameter.kind)
    scalar = parameter.passing in (Passing.VALUE, Passing.CONTROL_SIZE)
    return C_TYPES[parameter.kind if scalar else "u64"]


class SymbolMissing(Exception):
    """The library has no such symbol."""


def _spoiled(name: str, slot: Slot) -> str:
    return f"in front of output {name}" if slot.gives else f"to argument {name}, an input"


class Spoiled(Exception):
    """The library wrote where it may not: to an input, or in front of an output."""


class Memory:
    """What the calls of a process share: its library, earlier outputs, descriptors, mappings."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.descriptors = Descriptors()
        self.mappings = Mappings()
        self._outputs: dict[int, dict[str, Any]] = {}

    def remember(self, number: int, out: dict[str, Any]) -> None:
        """Keep the outputs of a call for later references."""
        self._outputs[number] = out
        if len(self._outputs) > REMEMBERED:
            del self._outputs[next(iter(self._outputs))]

    def resolve(self, value: Any) -> Any:
        """Replace a reference by what it stands for."""
        if not isinstance(value, Mapping) or "$" not in value:
            return value
        found: Any = self._outputs.get(value["$"])
        if found is None:
            raise Refused(f"there are no outputs of call {value['$']}")
        for name in value["field"].split("."):
            if not isinstance(found, Mapping) or name not in found:
                raise Refused(f"call {value['$']} has no output {value['field']!r}")
            found = found[name]
        if isinstance(found, str) and "altered" in value:
            try:
                return altered(found, value["altered"])
            except ValueError as error:
                raise Refused(f"call {value['$']}, {value['field']!r}: {error}") from error
        plus = value.get("plus", 0)
        return found + plus if plus else found


class Caller:
    """Makes calls for one thread; owns the memory that the calls get pointers to."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._invokes: dict[str, Invoke] = {}

    def invoke(self, interface: str, args: Mapping[str, Any]) -> Outcome:
        """Make one call.

        Raises:
            Refused: the arguments do not fit the interface.
            SymbolMissing: the library has no such symbol.
            Spoiled: the call wrote to an input or in front of an output.
        """
        invoke = self._invokes.get(interface)
        if invoke is None:
            invoke = self._invokes[interface] = self._compile(interface)
        return invoke(args)

    def _compile(self, interface: str) -> Invoke:
        if interface in HOST_CALLS:
            return self._compile_host(interface)
        if interface in DEVICE_CALLS:
            return self._compile_device(interface)
        function = ALL_FUNCTIONS.get(interface)
        if function is None:
            raise Refused(f"there is no interface {interface!r}")
        slots = self._slots(function)
        scope: dict[str, Any] = {
            "Refused": Refused,
            "Spoiled": Spoiled,
            "clock": time.monotonic_ns,
            "entry": self._entry(function),
        }
        for index, parameter in enumerate(function.parameters):
            scope[f"load{index}"] = slots[parameter.name].load
            scope[f"read{index}"] = slots[parameter.name].read
            scope[f"intact{index}"] = slots[parameter.name].intact
        exec(source_of(function, slots), scope)  # noqa: S102 - made of our own declaration
        return scope["invoke"]  # type: ignore[no-any-return]

    def _compile_host(self, interface: str) -> Invoke:
        call = HOST_CALLS[interface]
        resolve = self._memory.resolve
        mappings = self._memory.mappings

        def invoke(args: Mapping[str, Any]) -> Outcome:
            values = {name: resolve(value) for name, value in args.items()}
            began = time.monotonic_ns()
            code, out = call(mappings, **values)
            return code, out, began, time.monotonic_ns()

        return invoke

    def _compile_device(self, interface: str) -> Invoke:
        agent = DEVICE_CALLS[interface]
        resolve = self._memory.resolve
        try:
            entry = self._memory.library[agent.symbol]
        except AttributeError:
            raise SymbolMissing(agent.symbol) from None
        agent.declare(entry)

        def invoke(args: Mapping[str, Any]) -> Outcome:
            values = {name: resolve(value) for name, value in args.items()}
            began = time.monotonic_ns()
            code, out = agent.call(entry, **values)
            return code, out, began, time.monotonic_ns()

        return invoke

    def _entry(self, function: Function) -> Callable[..., int]:
        try:
            entry = self._memory.library[function.symbol]
        except AttributeError:
            raise SymbolMissing(function.symbol) from None
        entry.argtypes = [_c_type(parameter) for parameter in function.parameters]
        entry.restype = RETURNS.get(function.returns, ctypes.c_int32)
        return entry

    def _slots(self, function: Function) -> dict[str, Slot]:
        slots: dict[str, Slot] = {}
        for parameter in function.parameters:
            slots[parameter.name] = self._slot(parameter, slots)
        return slots

    def _slot(self, parameter: Parameter, before: Mapping[str, Slot]) -> Slot:
        kind, passing = parameter.kind, parameter.passing
        resolve, descriptors = self._memory.resolve, self._memory.descriptors
        if passing is Passing.CONTROL_SIZE:
            passed = next(s for s in before.values() if isinstance(s, ControlInSlot))
            return ControlSizeSlot(passed, resolve)
        makers: dict[Passing, Callable[[], Slot]] = {
            Passing.VALUE: lambda: ValueSlot(kind, resolve),
            Passing.OUT: lambda: OutSlot(kind),
            Passing.INOUT: lambda: InOutSlot(kind, resolve),
            Passing.IN_RECORD: lambda: InRecordSlot(kind, resolve),
            Passing.OUT_RECORD: lambda: OutRecordSlot(kind),
            Passing.IN_ARRAY: lambda: InArraySlot(kind, resolve),
            Passing.IN_RECORDS: lambda: InRecordsSlot(kind, resolve),
            Passing.RECORD_VALUE: lambda: RecordValueSlot(kind, resolve),
            Passing.OUT_PLACES: lambda: PlacesSlot(kind, resolve),
            Passing.NAME: lambda: BytesSlot(0, resolve),
            Passing.OUT_NAME: lambda: OutBytesSlot(NAME_SIZE, string=True),
            Passing.BLOB: lambda: BytesSlot(ALL_LAYOUTS[kind].size, resolve),
            Passing.OUT_BLOB: lambda: OutBytesSlot(ALL_LAYOUTS[kind].size, string=False),
            Passing.NEW_DMA: lambda: NewDmaSlot(descriptors, resolve),
            Passing.DMA: lambda: DmaSlot(descriptors, resolve),
            Passing.DMA_ARRAY: lambda: DmaArraySlot(descriptors, resolve),
            Passing.COPY_2D: lambda: Copy2DSlot(descriptors, resolve),
            Passing.INFO: lambda: InfoSlot(resolve),
            Passing.CONTROL_IN: lambda: ControlInSlot(resolve),
            Passing.CONTROL_OUT: lambda: ControlOutSlot(resolve),
        }
        return makers[passing]()
