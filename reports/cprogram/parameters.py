"""Parameters of the usual forms as C: numbers, outputs, structures, names and arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halcert.reports.cprogram.arguments import ArgumentWriter
from halcert.reports.cprogram.expressions import (
    Uses,
    Variable,
    flag_word,
    is_pointer,
    literal,
    string,
)
from halcert.reports.cprogram.layouts import C_SCALARS
from halcert.reports.tracetext import types_of
from halcert.reports.values import is_reference
from halcert.spec.abi.declarations import ALL_LAYOUTS
from halcert.spec.abi.meanings import name_in
from halcert.spec.abi.parameters import NAME_SIZE, PLACE_LIMIT, Parameter, place_sizes
from halcert.spec.abi.structs import SCALARS, Layout, width_of
from halcert.spec.language import BitWord
from halcert.spec.language.domain import domain_of

MOST_WRITTEN = 16
"""Elements of an array that are written out even if they are all the same."""


class ParameterWriter(ArgumentWriter):
    """Writes parameters of the forms that both libraries have."""

    _roles: Mapping[str, Any]

    def _value(self, parameter: Parameter, value: Any) -> str:
        if is_pointer(parameter.c_type):
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
        self._declare(kind, name, untouched(kind, parameter.kind, self._uses))
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
        self._show_members(parameter.name, ALL_LAYOUTS[parameter.kind], name)
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
        members = self._members(ALL_LAYOUTS[layout], value)
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
            return f"{{{', '.join(self._members(ALL_LAYOUTS[member.kind], value)) or '0'}}}"
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
            text = self._bytes_of(value).text
            if "altered" not in value:
                return text
            self._uses.helpers.add("altered")
            return f"altered({text}, {int(value['altered'])})"
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
        items = [
            self._pointer(each)
            if is_pointer(c_type)
            else self._number(each, parameter.kind, c_type)
            for each in value
        ]
        name = self._variables.record(self._step, parameter.name)
        self._array(c_type, name, items)
        self._written.unchanged.append(name)
        return name

    def _in_records(self, parameter: Parameter, value: Any) -> str:
        if value is None:
            return "NULL"
        name = self._variables.record(self._step, parameter.name)
        self._use_struct(parameter.kind)
        layout = ALL_LAYOUTS[parameter.kind]
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
        sizes = place_sizes(self._step.args)
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


def _pointed_to(parameter: Parameter) -> str:
    """Return the type of what a parameter points to; the header may leave it open."""
    kind = parameter.c_type.removesuffix("*").rstrip()
    return C_SCALARS[parameter.kind] if kind == "void" else kind


def untouched(c_type: str, kind: str, uses: Uses) -> str:
    """Return what an output of a type, which is some scalar, holds before its call."""
    uses.helpers.add("untouched")
    plain = kind == "u64" and not is_pointer(c_type)
    return "UNTOUCHED" if plain else f"({c_type})UNTOUCHED"
