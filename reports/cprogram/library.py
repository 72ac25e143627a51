"""What a program declares of the library that it calls, as its header has it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from halcert.reports.cprogram.expressions import Uses
from halcert.reports.cprogram.layouts import C_SCALARS, declaration, needed
from halcert.spec.abi.acl.codes import AclError, acl_symbol_of
from halcert.spec.abi.acl.parameters import HANDLES
from halcert.spec.abi.codes import DrvError, symbol_of
from halcert.spec.abi.constants import FlagBit
from halcert.spec.abi.declarations import ACL, ALL_LAYOUTS, HAL, Declaration
from halcert.spec.abi.parameters import SCALAR_OF

WIDE_MACROS = (
    "MEM_DEV",
    "MEM_SVM",
    "MEM_HOST",
    "MEM_DVPP",
    "MEM_RESERVE",
    "MEM_UVM",
    "MEM_TYPE",
    "MEM_PAGE",
    "MEM_CONT",
    "MEM_ADVISE",
    "MEM_READONLY",
)
"""Parts of the flag of halMemAlloc, which has 64 bits."""
STANDARD = frozenset(
    {"int", "size_t", "uint32_t", "uint64_t", "unsigned int", "unsigned long long", "void *"}
)
"""Names of types that need no declaration."""
ENUM = "enum "
CODE = "aclError"
RUNTIME_NAME = re.compile(r"\bacl\w+\b(?!\()")
"""A name of the runtime that is no function's: of a type; those that are no pointers or structures
are enumerations, whose values are passed as numbers."""
HEADERS = {HAL.library: "ascend_hal.h", ACL.library: ACL.header}
"""The header that users include, which for the driver is more than the one that is compared."""
USUAL_CODES: dict[str, tuple[int, ...]] = {
    HAL.library: (
        DrvError.NONE,
        DrvError.NO_DEVICE,
        DrvError.INVALID_DEVICE,
        DrvError.INVALID_VALUE,
        DrvError.INVALID_HANDLE,
        DrvError.OUT_OF_MEMORY,
        DrvError.PARA_ERROR,
        DrvError.BUSY,
        DrvError.NOT_SUPPORT,
    ),
    ACL.library: (
        AclError.SUCCESS,
        AclError.INVALID_PARAM,
        AclError.UNINITIALIZE,
        AclError.RT_PARAM_INVALID,
        AclError.RT_CONTEXT_NULL,
        AclError.RT_INVALID_HANDLE,
        AclError.BAD_ALLOC,
        AclError.RT_FEATURE_NOT_SUPPORT,
        AclError.RT_MEMORY_ALLOCATION,
        AclError.RT_INTERNAL_ERROR,
        AclError.RT_DRV_INTERNAL_ERROR,
    ),
}
"""Codes that a program can name whatever it is about."""


def library_of(interfaces: Iterable[str]) -> Declaration:
    """Return the declaration of the library that has the functions among some interfaces.

    Raises:
        ValueError: there are functions of several libraries.
    """
    called = set(interfaces)
    found = [each for each in (HAL, ACL) if called & each.functions.keys()]
    if len(found) > 1:
        names = " and ".join(each.library for each in found)
        raise ValueError(f"it calls functions of {names}, and a program loads one library")
    return found[0] if found else HAL


def declarations(uses: Uses) -> dict[str, Any]:
    """Return what a program declares of the library, as its template wants it.

    Raises:
        ValueError: it calls functions of several libraries.
    """
    library = library_of(function.symbol for function in uses.functions)
    codes = sorted({*map(int, USUAL_CODES[library.library]), *uses.codes})
    symbol = acl_symbol_of if library is ACL else symbol_of
    constants = sorted(uses.constants.items(), key=lambda item: (item[1], item[0]))
    return {
        "library": library.library,
        "header": HEADERS[library.library],
        "runtime": library is ACL,
        "enums": _enums(uses),
        "typedefs": _typedefs(uses),
        "structs": _structs(uses),
        "codes": [(symbol(code), code) for code in codes],
        "functions": uses.functions,
        "constants": [(name, _macro(name, value)) for name, value in constants],
        "named": "returned" in uses.helpers,
    }


def _prototypes(uses: Uses) -> str:
    return " ".join(function.prototype for function in uses.functions)


def _typedefs(uses: Uses) -> list[tuple[str, str]]:
    """Return the header's names for numbers that the functions use."""
    words = _prototypes(uses)
    if RUNTIME_NAME.search(words):
        return _typedefs_of_the_runtime(words)
    known = {**SCALAR_OF, "UINT64": "u64"}
    opaque = [
        (f"struct {name}", name)
        for name in (c_type.removesuffix("*").rstrip() for c_type in SCALAR_OF)
        if f"{name} *" in SCALAR_OF and name != "void" and re.search(rf"\b{name}\b", words)
    ]
    named = [(f"struct {name}", name) for name in _bare_structs(words)]
    return (
        opaque
        + named
        + [
            (C_SCALARS[kind], name)
            for name, kind in known.items()
            if name not in STANDARD
            and not name.endswith("*")
            and not name.startswith(ENUM)
            and re.search(rf"\b{name}\b", words)
        ]
    )


def _typedefs_of_the_runtime(words: str) -> list[tuple[str, str]]:
    structs = _bare_structs(words)
    names = sorted({*RUNTIME_NAME.findall(words)} - {*structs, CODE})
    kinds = ((name, "void *" if name in HANDLES else C_SCALARS["u32"]) for name in names)
    return [(f"struct {name}", name) for name in structs] + [(kind, name) for name, kind in kinds]


def _bare_structs(words: str) -> list[str]:
    """Return the structures that prototypes name without the word."""
    return sorted(set(re.findall(r"(?<!struct )\b(\w+)\b", words)) & set(ALL_LAYOUTS))


def _enums(uses: Uses) -> list[str]:
    """Return the enumerations that functions take; their values are passed as numbers."""
    words = _prototypes(uses)
    return sorted(set(re.findall(rf"\b{ENUM}(\w+)", words)))


def _structs(uses: Uses) -> list[str]:
    words = _prototypes(uses)
    mentioned = {*re.findall(r"struct (\w+)", words), *_bare_structs(words), *uses.structs}
    order = [each for name in sorted(mentioned) for each in needed(name)]
    return [declaration(name) for name in dict.fromkeys(order)]


def _macro(name: str, value: int) -> str:
    if name.startswith(WIDE_MACROS) and name != FlagBit.MEM_MODULE_ID_BIT.name:
        return f"{value:#x}ULL"
    return str(value)
