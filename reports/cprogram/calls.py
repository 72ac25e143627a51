"""A call of the library as C: what it needs, the call itself, and what it gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from halcert.reports.cprogram.arguments import ArgumentWriter, CallText
from halcert.reports.cprogram.expressions import (
    Uses,
    Variable,
    flag_word,
    literal,
    string,
)
from halcert.reports.cprogram.layouts import C_SCALARS
from halcert.reports.tracetext import types_of
from halcert.reports.values import is_reference
from halcert.results import TraceStep
from halcert.spec.abi.functions import (
    CONTROL_VIEWS,
    FUNCTIONS,
    INFO_INPUTS,
    INFO_VIEWS,
    PLACE_LIMIT,
    Parameter,
    Passing,
)
from halcert.spec.abi.meanings import name_in
from halcert.spec.abi.parameters import NAME_SIZE, SCALAR_OF
from halcert.spec.abi.structs import LAYOUTS, SCALARS, Layout, width_of
from halcert.spec.language import BitWord
from halcert.spec.language.domain import domain_of

BYTES = "$bytes"


class CallWriter(ArgumentWriter):
    """Writes calls of the library's functions."""

    _roles: Mapping[str, Any]

    def write(self, step: TraceStep) -> CallText:
        """Return a call.

        Raises:
            KeyError: it refers to something that no call gives.
        """
        self._step, self._written = step, CallText()
        self._roles = types_of(step.interface).arguments
        function = FUNCTIONS[step.interface]
        self._use_function(function)
        arguments = [self._argument(each, step.args[each.name]) for each in function.parameters]
        self._written.call = f"{function.symbol}({', '.join(arguments)})"
        return self._written

    # -------------------------------------------------------------------------------- arguments

    def _argument(self, parameter: Parameter, value: Any) -> str:
        written = _PASSED.get(parameter.passing)
        if written is None:
            raise ValueError(f"{self._step.interface} takes {parameter.passing.value}")
        return written(self, parameter, value)

    def _value(self, parameter: Parameter, value: Any) -> str:
        if parameter.c_type.endswith("*"):
            return self._pointer(value)
        if is_reference(value):
            return self._number(value, parameter.kind, parameter.c_type)
        name = name_in(self._step.interface, parameter.name, value)
        if name:
            return self._uses.constant(name, value)
        kind = self._roles.get(parameter.name)
        if isinstance(kind, type) and issubclass(kind, BitWord):
            return flag_word(value, self._uses)
        domain = domain_of(kind)
        if domain is not None and domain.role == "size":
            return self._uses.size(value)
        return literal(value)

    def _out(self, parameter: Parameter, value: Any) -> str:
        if not value:
            return "NULL"
        name = self._variables.plain(self._step, parameter.name)
        kind = _pointed_to(parameter)
        self._declare(kind, name, untouched(kind, self._uses))
        variable = self._variables.of(self._step.number, parameter.name)
        self._written.shown.append((name, variable))
        return f"&{name}"

    def _in_out(self, parameter: Parameter, value: Any) -> str:
        """Return a place with a number in it, where the call leaves another one."""
        if value is None:
            return "NULL"
        name = self._variables.plain(self._step, parameter.name)
        kind = _pointed_to(parameter)
        self._declare(kind, name, self._number(value, parameter.kind, kind))
        variable = self._variables.of(self._step.number, parameter.name)
        self._written.shown.append((name, variable))
        return f"&{name}"

    def _blank_record(self, layout: str, name: str) -> str:
        """Declare an output structure that holds what every output holds before its call."""
        self._use_struct(layout)
        self._written.variables.append((f"struct {layout}", name))
        self._uses.helpers.add("untouched")
        self._written.before.append(f"memset(&{name}, UNTOUCHED_BYTE, sizeof {name});")
        return f"&{name}"

    def _use_struct(self, layout: str) -> None:
        self._uses.structs.add(layout)

    def _out_record(self, parameter: Parameter, value: Any) -> str:
        if not value:
            return "NULL"
        name = self._variables.record(self._step, parameter.name)
        place = self._blank_record(parameter.kind, name)
        self._show_members(parameter.name, LAYOUTS[parameter.kind], name)
        return place

    def _show_members(self, path: str, layout: Layout, whole: str) -> None:
        """Show the plain members of a structure that the specification speaks of."""
        known = types_of(self._step.interface).outputs.get(path)
        told = getattr(known, "__struct_fields__", ())
        for member in layout.members:
            if member.name in told and member.count == 1 and member.kind in SCALARS:
                text = f"{whole}.{member.c_path}"
                self._written.shown.append((text, Variable(text, narrow=member.kind != "u64")))

    def _in_record(self, parameter: Parameter, value: Any) -> str:
        if value is None:
            return "NULL"
        name = self._variables.record(self._step, parameter.name)
        self._input(parameter.kind, name, value)
        self._written.unchanged.append(name)
        return f"&{name}"

    def _input(self, layout: str, name: str, value: Mapping[str, Any]) -> None:
        self._use_struct(layout)
        members = self._members(LAYOUTS[layout], value)
        self._written.before.append(f"struct {layout} {name} = {{{', '.join(members) or '0'}}};")

    def _members(self, layout: Layout, value: Mapping[str, Any]) -> list[str]:
        found = []
        for name, each in value.items():
            member = layout.member(name)
            found.append(f".{member.c_path} = {self._member(layout, name, each)}")
        return found

    def _member(self, layout: Layout, name: str, value: Any) -> str:
        member = layout.member(name)
        if isinstance(value, list | tuple):
            return f"{{{', '.join(self._member(layout, name, each) for each in value) or '0'}}}"
        if isinstance(value, Mapping) and not is_reference(value):
            return f"{{{', '.join(self._members(LAYOUTS[member.kind], value)) or '0'}}}"
        named = "" if is_reference(value) else name_in(layout.name, name, int(value))
        if named:
            return self._uses.constant(named, value)
        return self._number(value, member.kind, C_SCALARS[member.kind])

    # ------------------------------------------------------------------- names and opaque bytes

    def _out_name(self, parameter: Parameter, value: Any) -> str:
        if not value:
            return "NULL"
        name = self._variables.record(self._step, parameter.name)
        self._uses.helpers |= {"untouched", "gave_name"}
        self._written.variables.append(("char", f"{name}[{NAME_SIZE}]"))
        self._written.before.append(f"memset({name}, UNTOUCHED_BYTE, sizeof {name});")
        self._written.named.append((parameter.name, name))
        return name

    def _name(self, parameter: Parameter, value: Any) -> str:  # noqa: ARG002 - one of several
        if value is None:
            return "NULL"
        if is_reference(value):
            return self._bytes_of(value).text
        return string(bytes.fromhex(value))

    def _out_blob(self, parameter: Parameter, value: Any) -> str:
        if not value:
            return "NULL"
        name = self._variables.record(self._step, parameter.name)
        return self._blank_record(parameter.kind, name)

    def _blob(self, parameter: Parameter, value: Any) -> str:
        if value is None:
            return "NULL"
        if is_reference(value):
            return f"&{self._bytes_of(value).text}"
        self._use_struct(parameter.kind)
        name = self._variables.record(self._step, parameter.name)
        content = ", ".join(map(str, bytes.fromhex(value))) or "0"
        self._written.before.append(f"struct {parameter.kind} {name} = {{{{{content}}}}};")
        return f"&{name}"

    def _bytes_of(self, reference: Mapping[str, Any]) -> Variable:
        """Return the variable for bytes that a call gave."""
        variable, plus = self._variables.reference(reference)
        if plus or not variable.bytes:
            raise ValueError("it goes into the middle of a name")
        return variable

    # ------------------------------------------------------------------------ arrays and records

    def _in_array(self, parameter: Parameter, value: Any) -> str:
        if value is None:
            return "NULL"
        c_type = _pointed_to(parameter)
        items = [self._number(each, parameter.kind, c_type) for each in value]
        name = self._variables.record(self._step, parameter.name)
        self._array(c_type, name, items)
        self._written.unchanged.append(name)
        return name

    def _in_records(self, parameter: Parameter, value: Any) -> str:
        if value is None:
            return "NULL"
        name = self._variables.record(self._step, parameter.name)
        self._use_struct(parameter.kind)
        layout = LAYOUTS[parameter.kind]
        items = [f"{{{', '.join(self._members(layout, each)) or '0'}}}" for each in value]
        self._array(f"struct {parameter.kind}", name, items or ["{0}"])
        self._written.unchanged.append(name)
        return name

    def _record_value(self, parameter: Parameter, value: Any) -> str:
        name = self._variables.record(self._step, parameter.name)
        self._input(parameter.kind, name, value or {})
        return name

    def _out_places(self, parameter: Parameter, value: Any) -> str:
        """Return an array of places for numbers, each as large as the call is told it is."""
        if value is None:
            return "NULL"
        name = self._variables.record(self._step, parameter.name)
        c_type = C_SCALARS[parameter.kind]
        width = width_of(parameter.kind)
        args = self._step.args
        sizes = args.get("data_sizes", args.get("dataSizes")) or []
        places = []
        for index, given in enumerate(value):
            if not given:
                places.append("NULL")
                continue
            size = min(int(sizes[index]), PLACE_LIMIT) if index < len(sizes) else width
            self._place(c_type, f"{name}_{index}", max(1, -(-size // width)))
            places.append(f"{name}_{index}")
        self._array("void *", name, places)
        self._written.unchanged.append(name)
        return name

    def _place(self, c_type: str, name: str, count: int) -> None:
        self._uses.helpers.add("untouched")
        self._written.variables.append((c_type, f"{name}[{count}]"))
        self._written.before.append(f"memset({name}, UNTOUCHED_BYTE, sizeof {name});")
        for number in range(count):
            shown = Variable(f"(uint32_t){name}[{number}]", narrow=True)
            self._written.shown.append((f"{name}[{number}]", shown))

    def _array(self, c_type: str, name: str, items: Sequence[str]) -> None:
        space = "" if c_type.endswith("*") else " "
        if len(set(items)) == 1 and len(items) > MOST_WRITTEN:
            self._uses.helpers.add("repeated")
            self._written.before += [
                f"static {c_type}{space}{name}[{len(items)}];",
                f"for (size_t i = 0; i < {len(items)}; i++)",
                f"    {name}[i] = {items[0]};",
            ]
            return
        inside = f"{{{', '.join(items)}}}" if items else "{0}"
        self._written.before.append(f"{c_type}{space}{name}[] = {inside};")

    # ------------------------------------------------------------------------------ descriptors

    def _new_dma(self, parameter: Parameter, value: Any) -> str:  # noqa: ARG002 - one of several
        if not value:
            return "NULL"
        return self._descriptor_place(value)

    def _descriptor_place(self, value: Any) -> str:
        members: Mapping[str, Any] = {}
        fresh = value is True
        if isinstance(value, Mapping) and not is_reference(value):
            members = {name: each for name, each in value.items() if name != "dma"}
            fresh = value.get("dma", True) is True
        name = self._variables.descriptor(self._step)
        if fresh:
            self._blank_record("DMA_ADDR", name)
            members = {"devid": 0, **members}
        elif name.startswith("forged"):
            self._forged(name)
        layout = LAYOUTS["DMA_ADDR"]
        for member, each in members.items():
            text = self._member(layout, member, each)
            self._written.before.append(f"{name}.{layout.member(member).c_path} = {text};")
        for member in ("fixed_size", "virt_id"):
            text = f"{name}.{member}"
            self._written.shown.append((text, Variable(text, narrow=True)))
        return f"&{name}"

    def _forged(self, name: str) -> None:
        self._use_struct("DMA_ADDR")
        self._written.variables.append(("struct DMA_ADDR", name))

    def _dma(self, parameter: Parameter, value: Any) -> str:
        return self._descriptor(f"{parameter.name}{self._step.number}", value)

    def _descriptor(self, name: str, value: Any) -> str:
        """Return a pointer to an earlier descriptor, or to a changed copy of it."""
        if not value:
            return "NULL"
        changed: Mapping[str, Any] = {}
        if isinstance(value, Mapping) and not is_reference(value):
            changed = {key: each for key, each in value.items() if key != "dma"}
            value = value.get("dma", 0)
        if is_reference(value):
            variable, _ = self._variables.reference(value)
            place = variable.text
        elif value:
            place = f"&forged{value}"
            self._forged(f"forged{value}")
        else:
            return "NULL"
        if not changed:
            return place
        self._use_struct("DMA_ADDR")
        self._written.before.append(f"struct DMA_ADDR {name} = {place.removeprefix('&')};")
        layout = LAYOUTS["DMA_ADDR"]
        for member, each in changed.items():
            text = self._member(layout, member, each)
            self._written.before.append(f"{name}.{layout.member(member).c_path} = {text};")
        return f"&{name}"

    def _dma_array(self, parameter: Parameter, value: Any) -> str:
        if value is None:
            return "NULL"
        name = self._variables.record(self._step, parameter.name)
        items = [self._descriptor(f"{name}_{place}", each) for place, each in enumerate(value)]
        self._array("struct DMA_ADDR *", name, items)
        return name

    # ------------------------------------------------------------------------- by type of call

    def _copy_2d(self, parameter: Parameter, value: Any) -> str:
        if value is None:
            return "NULL"
        name = self._variables.record(self._step, parameter.name)
        members = {key: each for key, each in value.items() if key != "dma"}
        chosen = value.get("dma")
        place = ""
        if chosen:
            earlier = int(members.get("type", 0)) == DESTROYS
            place = (
                self._descriptor(f"{name}_dma", chosen)
                if earlier
                else self._descriptor_place(chosen)
            )
        self._input(parameter.kind, name, members)
        if place and place != "NULL":
            path = LAYOUTS["MEMCPY2D"].member("dma").c_path
            self._written.before.append(f"{name}.{path} = (uint64_t){place};")
        return f"&{name}"

    def _info(self, parameter: Parameter, value: Any) -> str:
        if value is False or value is None:
            return "NULL"
        view = INFO_VIEWS.get(int(self._step.args.get("type", 0)), INFO_VIEWS[0])
        member = next(m.name for m in LAYOUTS["MemInfo"].members if m.kind == view)
        name = self._variables.record(self._step, parameter.name)
        place = self._blank_record("MemInfo", name)
        given = {} if value is True else dict(value)
        inputs = dict.fromkeys(INFO_INPUTS.get(view, ()), 0) | given
        layout = LAYOUTS[view]
        for key, each in inputs.items():
            target = f"{name}.{member}.{layout.member(key).c_path}"
            if isinstance(each, list | tuple):
                array = f"{key}{self._step.number}"
                items = [self._number(item, "u64", "uint64_t") for item in each]
                self._array("uint64_t", array, items)
                self._written.before.append(f"{target} = (uint64_t){array};")
            else:
                text = self._member(layout, key, each or 0)
                self._written.before.append(f"{target} = {text};")
        self._show_members(parameter.name, layout, f"{name}.{member}")
        return place

    def _control_kind(self, place: int) -> str:
        return CONTROL_VIEWS.get(int(self._step.args.get("type", 0)), ("", ""))[place]

    def _control_in(self, parameter: Parameter, value: Any) -> str:
        if value is None:
            return "NULL"
        name = self._variables.record(self._step, parameter.name)
        if isinstance(value, Mapping) and BYTES in value:
            value = bytes.fromhex(str(value[BYTES]))
        if isinstance(value, bytes):
            self._array("uint8_t", name, [str(each) for each in value])
            return name
        kind = self._control_kind(0) or "u64"
        if kind in SCALARS:
            c_type = C_SCALARS[kind]
            number = self._number(value.get("value", 0), kind, c_type)
            self._written.before.append(f"{c_type} {name} = {number};")
        else:
            self._input(kind, name, value)
        return f"&{name}"

    def _control_size(self, parameter: Parameter, value: Any) -> str:  # noqa: ARG002 - one of several
        if value is not None:
            return self._number(value, "u64", "size_t")
        if self._step.args.get("param_value") is None:
            return "0"
        return f"sizeof {self._variables.record(self._step, 'param_value')}"

    def _control_out(self, parameter: Parameter, value: Any) -> str:
        if not value:
            return "NULL"
        name = self._variables.record(self._step, parameter.name)
        kind = self._control_kind(1) or "u64"
        if kind not in SCALARS:
            place = self._blank_record(kind, name)
            self._show_members(parameter.name, LAYOUTS[kind], name)
            return place
        self._declare(C_SCALARS[kind], name, untouched(C_SCALARS[kind], self._uses))
        self._written.shown.append((name, Variable(name, narrow=kind != "u64")))
        return f"&{name}"


DESTROYS = 2
"""Type of halMemcpy2D that destroys a descriptor."""
MOST_WRITTEN = 16
"""Elements of an array that are written out even if they are all the same."""
_PASSED: dict[Passing, Callable[[CallWriter, Parameter, Any], str]] = {
    Passing.VALUE: CallWriter._value,  # noqa: SLF001 - the table is the class's own
    Passing.OUT: CallWriter._out,  # noqa: SLF001 - likewise
    Passing.INOUT: CallWriter._in_out,  # noqa: SLF001 - likewise
    Passing.IN_RECORD: CallWriter._in_record,  # noqa: SLF001 - likewise
    Passing.OUT_RECORD: CallWriter._out_record,  # noqa: SLF001 - likewise
    Passing.IN_ARRAY: CallWriter._in_array,  # noqa: SLF001 - likewise
    Passing.IN_RECORDS: CallWriter._in_records,  # noqa: SLF001 - likewise
    Passing.RECORD_VALUE: CallWriter._record_value,  # noqa: SLF001 - likewise
    Passing.NAME: CallWriter._name,  # noqa: SLF001 - likewise
    Passing.OUT_NAME: CallWriter._out_name,  # noqa: SLF001 - likewise
    Passing.BLOB: CallWriter._blob,  # noqa: SLF001 - likewise
    Passing.OUT_BLOB: CallWriter._out_blob,  # noqa: SLF001 - likewise
    Passing.OUT_PLACES: CallWriter._out_places,  # noqa: SLF001 - likewise
    Passing.NEW_DMA: CallWriter._new_dma,  # noqa: SLF001 - likewise
    Passing.DMA: CallWriter._dma,  # noqa: SLF001 - likewise
    Passing.DMA_ARRAY: CallWriter._dma_array,  # noqa: SLF001 - likewise
    Passing.COPY_2D: CallWriter._copy_2d,  # noqa: SLF001 - likewise
    Passing.INFO: CallWriter._info,  # noqa: SLF001 - likewise
    Passing.CONTROL_IN: CallWriter._control_in,  # noqa: SLF001 - likewise
    Passing.CONTROL_SIZE: CallWriter._control_size,  # noqa: SLF001 - likewise
    Passing.CONTROL_OUT: CallWriter._control_out,  # noqa: SLF001 - likewise
}


def _pointed_to(parameter: Parameter) -> str:
    """Return the type of what a parameter points to; the header may leave it open."""
    kind = parameter.c_type.removesuffix("*").rstrip()
    return C_SCALARS[parameter.kind] if kind == "void" else kind


def untouched(c_type: str, uses: Uses) -> str:
    """Return what an output of a type holds before its call."""
    uses.helpers.add("untouched")
    if c_type.endswith("*"):
        return f"({c_type})UNTOUCHED"
    return "UNTOUCHED" if SCALAR_OF.get(c_type, "u64") == "u64" else f"({c_type})UNTOUCHED"
