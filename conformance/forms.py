"""The plain form of arguments: what a free choice of members becomes before it is passed.

Generators and witnesses choose every member that a record of the spec has. What an interface
really takes depends on the call (a union, a place for a descriptor); this module leaves out
what has no place there. It changes nothing that is in the right form already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from halcert.conformance.book import REFERENCE
from halcert.spec.abi.declarations import ALL_FUNCTIONS
from halcert.spec.abi.functions import (
    CONTROL_VIEWS,
    INFO_INPUTS,
    INFO_VIEWS,
    Passing,
)
from halcert.spec.abi.structs import LAYOUTS
from halcert.spec.language import InNumber, InOut
from halcert.spec.sharing.blobs import Blob
from halcert.spec.sharing.names import Name

Arguments = dict[str, Any]
CONVERTS = 1
"""Type of halMemcpy2D that makes a descriptor."""
DESTROYS = 2
"""Type of halMemcpy2D that destroys one."""


def plain(interface: str, args: Mapping[str, Any]) -> Arguments:
    """Return the arguments of a call in the form in which adapters take them."""
    function = ALL_FUNCTIONS.get(interface)
    if function is None:
        return dict(args)
    forms = {p.name: _FORMS.get(p.passing) for p in function.parameters}
    found: Arguments = {}
    for name, value in args.items():
        form = forms.get(name)
        found[name] = value if form is None else form(value, args)
    return found


def _info(value: Any, args: Mapping[str, Any]) -> Any:
    if value is None or isinstance(value, bool):
        return value or False
    view = INFO_VIEWS.get(int(args.get("type", 0)), INFO_VIEWS[0])
    members = INFO_INPUTS.get(view, ())
    return {name: each for name, each in value.items() if name in members}


def _control_in(value: Any, args: Mapping[str, Any]) -> Any:
    if not isinstance(value, Mapping):
        return value
    if value.get("raw"):
        return bytes(min(int(value["raw"]), 4096))
    layout = CONTROL_VIEWS.get(int(args.get("type", 0)), ("", ""))[0]
    if layout not in LAYOUTS:
        return {"value": value.get("value", 0)}
    members = {member.name for member in LAYOUTS[layout].members}
    return {name: each for name, each in value.items() if name in members}


def _control_size(value: Any, _args: Mapping[str, Any]) -> Any:
    return value.get("value") if isinstance(value, Mapping) and REFERENCE not in value else value


def _control_out(value: Any, _args: Mapping[str, Any]) -> Any:
    return value is not None and value is not False


def _new_descriptor(value: Any, _args: Mapping[str, Any]) -> Any:
    if not isinstance(value, Mapping) or REFERENCE in value:
        return value
    named = {"dma": value["dma"]} if value.get("dma") else {}
    return {**named, "devid": value.get("devid", 0)}


def _descriptor(value: Any, _args: Mapping[str, Any]) -> Any:
    if not isinstance(value, Mapping) or REFERENCE in value:
        return value
    number = value.get("dma", 0)
    virtual = value.get("virt_id", 0)
    return {"dma": number, "virt_id": virtual} if virtual and number else number


def _descriptors(value: Any, args: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        value = value.get("refs")
    return None if value is None else [_descriptor(each, args) for each in value]


def _records(value: Any, _args: Mapping[str, Any]) -> Any:
    return None if value is None else [each or {} for each in value]


def _copy_2d(value: Any, args: Mapping[str, Any]) -> Any:
    if not isinstance(value, Mapping):
        return value
    members = dict(value)
    chosen = members.pop("dma", None)
    kind = int(members.get("type", 0))
    if kind == CONVERTS and chosen is not None:
        members["dma"] = _new_descriptor(chosen, args)
    elif kind == DESTROYS and chosen is not None:
        members["dma"] = _descriptor(chosen, args)
    return members


def _name(value: Any, _args: Mapping[str, Any]) -> Any:
    plain = not isinstance(value, Mapping) or REFERENCE in value
    return value if plain else Name.to_plain(dict(value))


def _in_array(value: Any, _args: Mapping[str, Any]) -> Any:
    return InNumber.to_plain(dict(value)) if isinstance(value, Mapping) else value


def _in_out(value: Any, _args: Mapping[str, Any]) -> Any:
    plain = not isinstance(value, Mapping) or REFERENCE in value
    return value if plain else InOut.to_plain(dict(value))


def _blob(value: Any, _args: Mapping[str, Any]) -> Any:
    plain = not isinstance(value, Mapping) or REFERENCE in value
    return value if plain else Blob.to_plain(dict(value))


_FORMS: dict[Passing, Callable[[Any, Mapping[str, Any]], Any]] = {
    Passing.INFO: _info,
    Passing.CONTROL_IN: _control_in,
    Passing.CONTROL_SIZE: _control_size,
    Passing.CONTROL_OUT: _control_out,
    Passing.NEW_DMA: _new_descriptor,
    Passing.DMA: _descriptor,
    Passing.DMA_ARRAY: _descriptors,
    Passing.COPY_2D: _copy_2d,
    Passing.IN_RECORDS: _records,
    Passing.OUT_RECORD: _control_out,
    Passing.NAME: _name,
    Passing.BLOB: _blob,
    Passing.INOUT: _in_out,
    Passing.IN_ARRAY: _in_array,
}
