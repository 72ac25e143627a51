"""C expressions: numbers as an engineer would write them, and what earlier calls gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from halcert.reports.references import PROCESS
from halcert.reports.tracetext import Names
from halcert.reports.values import is_reference
from halcert.results import TraceStep
from halcert.spec.abi.acl.parameters import HANDLES
from halcert.spec.abi.constants import AllocFlag, FlagBit
from halcert.spec.abi.declarations import ALL_FUNCTIONS, ALL_LAYOUTS
from halcert.spec.abi.functions import (
    CONTROL_VIEWS,
    INFO_VIEWS,
    Function,
    Parameter,
    Passing,
)
from halcert.spec.abi.structs import LAYOUTS, SCALARS, bounds_of
from halcert.spec.svm.flags import AllocFlags

UNITS = (("GIB", 1 << 30), ("MIB", 1 << 20), ("KIB", 1 << 10))
SMALL = 1 << 16
MANY = 4096
DEL = 0x7F
INT_MAX = (1 << 31) - 1
UINT_MAX = (1 << 32) - 1
DEVICE_MASK = int(AllocFlag.MEM_DEVID_MASK)
NAMED_BITS = (
    AllocFlag.MEM_TYPE_HBM,
    AllocFlag.MEM_PAGE_HUGE,
    AllocFlag.MEM_CONTIGUOUS_PHY,
    AllocFlag.MEM_ADVISE_P2P,
    AllocFlag.MEM_ADVISE_4G,
    AllocFlag.MEM_ADVISE_TS,
    AllocFlag.MEM_ADVISE_BAR,
    AllocFlag.MEM_READONLY,
    AllocFlag.MEM_HOST_RW_DEV_RO,
    AllocFlag.MEM_PAGE_GIANT,
    AllocFlag.MEM_DEV_CP_ONLY,
)
"""Single bits of the flag of halMemAlloc that have a name."""
TYPES = {
    int(flag): flag.name
    for flag in AllocFlag.__members__.values()
    if flag and int(flag) & ~(0xF << FlagBit.MEM_VIRT_BIT) == 0
}
"""Virtual memory types in their place in that flag; the first one is 0."""


def literal(value: int) -> str:
    """Return a number in C: in decimal where it is small, with a suffix where it is large."""
    if abs(value) <= SMALL:
        return str(value)
    if value <= INT_MAX:
        return f"{value:#x}"
    return f"{value:#x}U" if value <= UINT_MAX else f"{value:#x}ULL"


def is_pointer(c_type: str) -> bool:
    """Tell whether a type is one of pointers, be it by the name that a header gives it."""
    plain = c_type.removesuffix("const").rstrip()
    return plain.endswith("*") or plain.removeprefix("const ") in HANDLES


def string(content: bytes) -> str:
    """Return bytes as a string of C; each that is no plain letter or digit in octal."""
    plain = (
        chr(each) if chr(each).isalnum() and each < DEL else f"\\{each:03o}" for each in content
    )
    return f'"{"".join(plain)}"'


def size(value: int) -> tuple[str, bool]:
    """Return a number of bytes in units where that is exact, and whether it is."""
    for name, unit in UNITS:
        count, rest = divmod(value + unit // 2, unit)
        rest -= unit // 2
        if 0 < count < MANY and abs(rest) <= 64 and value > SMALL:  # noqa: PLR2004 - next to it
            text = name if count == 1 else f"{count} * {name}"
            text += f" {'+' if rest > 0 else '-'} {abs(rest)}" if rest else ""
            return text, True
    return (str(value) if 0 <= value < UNITS[1][1] else literal(value)), False


@dataclass
class Uses:
    """What a program uses and so has to declare.

    Attributes:
        functions: functions of the library, in the order of their use.
        structs: names of structures.
        constants: macros and enumeration constants, with their values.
        codes: return codes that are spoken of.
        helpers: names of pieces of the frame that are needed.
    """

    functions: list[Function] = field(default_factory=list)
    structs: set[str] = field(default_factory=set)
    constants: dict[str, int] = field(default_factory=dict)
    codes: set[int] = field(default_factory=set)
    helpers: set[str] = field(default_factory=set)

    def constant(self, name: str, value: int) -> str:
        """Use a constant by its name."""
        self.constants[name] = int(value)
        return name

    def add(self, other: Uses) -> None:
        """Use what others use, too."""
        self.functions += [each for each in other.functions if each not in self.functions]
        self.structs |= other.structs
        self.constants |= other.constants
        self.codes |= other.codes
        self.helpers |= other.helpers

    def size(self, value: int) -> str:
        """Use a number of bytes."""
        text, units = size(value)
        if units:
            self.helpers.add("units")
        return text


def flag_word(word: int, uses: Uses) -> str:
    """Return the flag of halMemAlloc as its parts: ``MEM_DEV | MEM_PAGE_HUGE | 1``."""
    flags = AllocFlags.from_plain(word)
    kind = flags.virt << FlagBit.MEM_VIRT_BIT
    left = word & ~kind & ~DEVICE_MASK & ~(0xFF << FlagBit.MEM_MODULE_ID_BIT)
    parts = [uses.constant(TYPES[kind], kind)] if kind in TYPES else []
    if not kind:
        parts.append(uses.constant("MEM_SVM", 0))
    elif kind not in TYPES:
        left |= kind
    for bit in NAMED_BITS:
        if left & bit:
            parts.append(uses.constant(bit.name, bit))
            left &= ~bit
    if left:
        parts.append(literal(left))
    if flags.module:
        place = uses.constant("MEM_MODULE_ID_BIT", FlagBit.MEM_MODULE_ID_BIT)
        parts.append(f"{flags.module}ULL << {place}")
    if flags.devid:
        parts.append(literal(flags.devid))
    return " | ".join(parts)


@dataclass(frozen=True)
class Variable:
    """What a call gave, as C has it: an expression and whether it is a pointer."""

    text: str
    pointer: bool = False
    narrow: bool = False
    bytes: str = ""
    """For what is no number: the type of which the variable is."""


ANSWER = "answer"
"""The output by which a call tells the truth value that it returns."""
BYTES = (Passing.OUT_NAME, Passing.OUT_BLOB)
"""How outputs are passed that are no numbers."""
PIDS = "shared->pids"
"""Where a program of several processes keeps their numbers."""


class Variables:
    """The variables that hold what calls gave."""

    def __init__(self, steps: Iterable[TraceStep], actors: Sequence[int] = ()) -> None:
        """Take the calls of the trace, and the numbers of the processes in their order."""
        self._steps = {step.number: step for step in steps}
        self._actors = tuple(actors)
        self._names = Names(tuple(self._steps.values()))

    def of(self, number: int, path: str) -> Variable:
        """Return the variable for an output.

        Raises:
            KeyError: no call of that number is made, or it gives nothing of that name.
        """
        if not number and path.startswith(PROCESS):
            if len(self._actors) == 1:
                return Variable("getpid()")
            return Variable(f"{PIDS}[{self._actors.index(int(path.removeprefix(PROCESS)))}]")
        step = self._steps[number]
        first, _, rest = path.partition(".")
        function = ALL_FUNCTIONS.get(step.interface)
        if function is None:
            return Variable(self.plain(step, first), pointer=True)
        if first == ANSWER and function.returns == "bool":
            return Variable(self.record(step, ANSWER), narrow=True)
        parameter = next((p for p in function.parameters if p.name == first), None)
        if parameter is None:
            raise KeyError(path)
        return self._of_parameter(step, parameter, rest)

    def given(self, field: str, value: Any, before: int) -> Variable:
        """Return the variable for the last output of a value that was given before a call.

        Raises:
            KeyError: none was.
        """
        return self.of(self.maker(field, value, before), field)

    def maker(self, field: str, value: Any, before: int) -> int:
        """Return the last call before another of its process that gave an output of a value.

        What calls of other processes gave is there only where an argument speaks of it.

        Raises:
            KeyError: none did.
        """
        actor = self._steps[before].actor
        for step in reversed(self._steps.values()):
            out = getattr(step.outcome, "out", {})
            if step.number < before and step.actor == actor and out.get(field) == value:
                return step.number
        raise KeyError(value)

    def _of_parameter(self, step: TraceStep, parameter: Parameter, rest: str) -> Variable:
        if parameter.passing in (Passing.OUT, Passing.INOUT):
            return Variable(
                self.plain(step, parameter.name),
                pointer=is_pointer(parameter.c_type.removesuffix("*").rstrip()),
                narrow=parameter.kind != "u64",
            )
        if parameter.passing is Passing.NEW_DMA:
            return self._of_descriptor(step, rest)
        whole = self.record(step, parameter.name)
        if parameter.passing in BYTES:
            kind = f"struct {parameter.kind}" if parameter.kind else "char"
            return Variable(whole, bytes=kind)
        if parameter.passing is Passing.OUT_PLACES:
            place, number = rest.split(".")
            return Variable(f"{whole}_{place}[{number}]", narrow=True)
        return self._of_record(step, parameter, whole, rest)

    def _of_record(self, step: TraceStep, parameter: Parameter, whole: str, rest: str) -> Variable:
        if parameter.passing is Passing.COPY_2D:
            if rest.partition(".")[0] == "dma":
                return self._of_descriptor(step, rest.partition(".")[2] or "dma")
            return self._member(whole, "MEMCPY2D", rest)
        if parameter.passing is Passing.INFO:
            view = INFO_VIEWS.get(int(step.args.get("type", 0)), INFO_VIEWS[0])
            member = next(m.name for m in LAYOUTS["MemInfo"].members if m.kind == view)
            return self._member(f"{whole}.{member}", view, rest)
        kind = parameter.kind
        if parameter.passing is Passing.CONTROL_OUT:
            kind = CONTROL_VIEWS.get(int(step.args.get("type", 0)), ("", ""))[1] or "u64"
        if kind in SCALARS:
            return Variable(whole, narrow=kind != "u64")
        return self._member(whole, kind, rest)

    def _of_descriptor(self, step: TraceStep, member: str) -> Variable:
        place = self.descriptor(step)
        if member == "dma":
            return Variable(f"&{place}", pointer=True)
        return self._member(place, "DMA_ADDR", member)

    @staticmethod
    def _member(whole: str, layout: str, name: str) -> Variable:
        member = ALL_LAYOUTS[layout].member(name)
        return Variable(f"{whole}.{member.c_path}", narrow=member.kind != "u64")

    def plain(self, step: TraceStep, name: str) -> str:
        """Return the name of the variable for a number."""
        return self._names.of_output(step.number, name).replace(".", "_")

    def record(self, step: TraceStep, name: str) -> str:
        """Return the name of the variable for a structure."""
        return f"{name}{step.number}"

    def descriptor(self, step: TraceStep) -> str:
        """Return the name of the descriptor that a call makes, or was given to make anew."""
        value = step.args.get("dma_addr")
        if "p_copy" in step.args:
            value = (step.args["p_copy"] or {}).get("dma")
        if isinstance(value, Mapping) and not is_reference(value):
            value = value.get("dma", True)
        if isinstance(value, Mapping):
            return self.of(int(value["$"]), str(value["field"])).text.removeprefix("&")
        if isinstance(value, int) and not isinstance(value, bool) and value:
            return f"forged{value}"
        return f"dma{step.number}"

    def mapped(self, address: Any) -> int:
        """Return the size of the memory that the program mapped at an address.

        Raises:
            KeyError: the address is none that a call gave.
        """
        if not isinstance(address, Mapping):
            raise KeyError(address)
        return int(self._steps[int(address["$"])].args["size"])

    def reference(self, value: Mapping[str, Any]) -> tuple[Variable, int]:
        """Return the variable that a reference means, and the distance to it.

        Raises:
            KeyError: it leads nowhere.
        """
        return self.of(int(value["$"]), str(value["field"])), int(value.get("plus", 0))


def as_number(variable: Variable, plus: int, c_type: str, uses: Uses) -> str:
    """Return a variable, some bytes further on, as an integer of a type."""
    base = f"({c_type}){variable.text}" if variable.pointer else variable.text
    return base + _distance(plus, uses)


def as_pointer(variable: Variable, plus: int, uses: Uses) -> str:
    """Return a variable, some bytes further on, as a pointer."""
    if variable.pointer:
        return f"(char *){variable.text}{_distance(plus, uses)}" if plus else variable.text
    return (
        f"(void *)({variable.text}{_distance(plus, uses)})" if plus else f"(void *){variable.text}"
    )


def _distance(plus: int, uses: Uses) -> str:
    if not plus:
        return ""
    return f" {'+' if plus > 0 else '-'} {uses.size(abs(plus))}"


def fits(value: int, kind: str) -> bool:
    """Tell whether a number fits a scalar."""
    low, high = bounds_of(kind)
    return low <= value <= high
