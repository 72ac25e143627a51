"""A call of the library as C: what it needs, the call itself, and what it gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from halcert.reports.cprogram.arguments import CallText
from halcert.reports.cprogram.expressions import Variable
from halcert.reports.cprogram.layouts import C_SCALARS
from halcert.reports.cprogram.parameters import ParameterWriter, untouched
from halcert.reports.tracetext import types_of
from halcert.reports.values import is_reference
from halcert.results import TraceStep
from halcert.spec.abi.declarations import ALL_FUNCTIONS
from halcert.spec.abi.functions import (
    CONTROL_VIEWS,
    INFO_INPUTS,
    INFO_VIEWS,
    Parameter,
    Passing,
)
from halcert.spec.abi.structs import LAYOUTS, SCALARS

BYTES = "$bytes"


class CallWriter(ParameterWriter):
    """Writes calls of the library's functions."""

    def write(self, step: TraceStep) -> CallText:
        """Return a call.

        Raises:
            KeyError: it refers to something that no call gives.
        """
        self._step, self._written = step, CallText()
        self._roles = types_of(step.interface).arguments
        function = ALL_FUNCTIONS[step.interface]
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
        self._declare(C_SCALARS[kind], name, untouched(C_SCALARS[kind], kind, self._uses))
        self._written.shown.append((name, Variable(name, narrow=kind != "u64")))
        return f"&{name}"


DESTROYS = 2
"""Type of halMemcpy2D that destroys a descriptor."""
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
