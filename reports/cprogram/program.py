"""A trace as one C program that shows the fault to whoever has the library and a compiler."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from halcert.reports.cprogram.expressions import Uses
from halcert.reports.cprogram.frame import pieces
from halcert.reports.cprogram.functions import FunctionWriter
from halcert.reports.cprogram.layouts import C_SCALARS, declaration, needed
from halcert.reports.escape import one_line
from halcert.results import Missing
from halcert.results.story import Story
from halcert.spec.abi.acl.functions import ACL_FUNCTIONS
from halcert.spec.abi.codes import DrvError, symbol_of
from halcert.spec.abi.constants import FlagBit
from halcert.spec.abi.parameters import SCALAR_OF
from halcert.spec.abi.structs import LAYOUTS
from halcert.spec.catalogue import rule as rule_named

TEMPLATE = "program.c.j2"
WIDTH = 92
BESIDE = " *            "
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
SECONDS = 10
"""How long a call may take before it counts as hung."""
ROUNDS = 300
"""How often a program with threads is run, since what it shows may depend on luck."""
STANDARD = frozenset(
    {"int", "size_t", "uint32_t", "uint64_t", "unsigned int", "unsigned long long", "void *"}
)
"""Names of types that need no declaration."""
ENUM = "enum "
USUAL_CODES = (
    DrvError.NONE,
    DrvError.NO_DEVICE,
    DrvError.INVALID_DEVICE,
    DrvError.INVALID_VALUE,
    DrvError.INVALID_HANDLE,
    DrvError.OUT_OF_MEMORY,
    DrvError.PARA_ERROR,
    DrvError.BUSY,
    DrvError.NOT_SUPPORT,
)
"""Codes that a program can name whatever it is about."""


def c_program(story: Story, name: str = "counterexample") -> str:
    """Return the C program for the story of a trace.

    Args:
        story: the story.
        name: name of the program, for the line that compiles it.

    Raises:
        ValueError: none of its calls can be made, or they are the runtime's.
    """
    if any(each.step.interface in ACL_FUNCTIONS for each in story.steps):
        raise ValueError("calls of the runtime have no form in C; replay repeats them")
    if not any(each.made for each in story.steps):
        raise ValueError("there is no call in it that can be made")
    return _Program(story, name).text()


class _Program:
    def __init__(self, story: Story, name: str) -> None:
        self._story = story
        self._name = name
        self._functions = FunctionWriter(story)
        self._uses = self._functions.uses
        self._missing = any(isinstance(each.step.outcome, Missing) for each in story.steps)

    def text(self) -> str:
        """Return the program."""
        functions = self._functions
        bodies = functions.bodies()
        header = self._story.header
        verdict = self._story.broken
        broken = rule_named(verdict.rule) if verdict else None
        text: str = template(TEMPLATE).render(
            name=self._name,
            written=comment(_made_by(self._story), " * "),
            verdict=verdict,
            title=comment(_title(self._story), " * "),
            allowed=comment(verdict.allowed, BESIDE) if verdict else "",
            came=comment(verdict.came, BESIDE) if verdict else "",
            sources=comment("; ".join(map(str, broken.sources)), BESIDE) if broken else "",
            settings=comment(
                " ".join(f"{k}={v}" for k, v in sorted(header.environment.items())), " * "
            ),
            bodies=bodies,
            variables=list(dict.fromkeys(v for body in bodies for v in body.variables)),
            mains=[body for body in bodies if body.name.startswith("process")],
            threaded=functions.threaded,
            forked=functions.forked,
            repeated=functions.threaded,
            shared=[(each.c_type, each.declared) for each in functions.crossings],
            rounds=ROUNDS,
            pieces=pieces(self._helpers()),
            missing_is_fault=self._missing,
            **declarations(self._uses),
        )
        return text

    def _helpers(self) -> set[str]:
        used = set(self._uses.helpers)
        if self._functions.forked:
            used.add("turns")
        if self._missing:
            used.add("fault")
        return used


def declarations(uses: Uses) -> dict[str, Any]:
    """Return what a program declares of the library, as its template wants it."""
    codes = sorted({*map(int, USUAL_CODES), *uses.codes})
    constants = sorted(uses.constants.items(), key=lambda item: (item[1], item[0]))
    return {
        "seconds": SECONDS,
        "enums": _enums(uses),
        "typedefs": _typedefs(uses),
        "structs": _structs(uses),
        "codes": [(symbol_of(code), code) for code in codes],
        "functions": uses.functions,
        "constants": [(name, _macro(name, value)) for name, value in constants],
        "named": "returned" in uses.helpers,
    }


def _prototypes(uses: Uses) -> str:
    return " ".join(function.prototype for function in uses.functions)


def _typedefs(uses: Uses) -> list[tuple[str, str]]:
    """Return the header's names for numbers that the functions use."""
    words = _prototypes(uses)
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


def _bare_structs(words: str) -> list[str]:
    """Return the structures that prototypes name without the word."""
    return sorted(set(re.findall(r"(?<!struct )\b(\w+)\b", words)) & set(LAYOUTS))


def _enums(uses: Uses) -> list[str]:
    """Return the enumerations that functions take; their values are passed as numbers."""
    words = _prototypes(uses)
    return sorted(set(re.findall(rf"\b{ENUM}(\w+)", words)))


def _structs(uses: Uses) -> list[str]:
    words = _prototypes(uses)
    mentioned = {*re.findall(r"struct (\w+)", words), *_bare_structs(words), *uses.structs}
    order = [each for name in sorted(mentioned) for each in needed(name)]
    return [declaration(name) for name in dict.fromkeys(order)]


def _title(story: Story) -> str:
    verdict = story.broken
    if verdict is None:
        return f"{one_line(story.header.origin) or 'A trace'}: no rule is broken in it."
    rule = rule_named(verdict.rule)
    return f"{verdict.rule} ({verdict.strength}): {rule.summary if rule else ''}"


def _made_by(story: Story) -> str:
    header = story.header
    version = f" {header.halcert}" if header.halcert else ""
    place = header.origin or "a trace"
    return f"Written by halcert{version} from {place}, for {header.profile or 'ascend910b'}."


def comment(text: str, prefix: str) -> str:
    """Return a text fit for a comment, its further lines behind a prefix."""
    safe = one_line(text).replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")
    return f"\n{prefix}".join(textwrap.wrap(safe, WIDTH - len(prefix)) or [""])


def _macro(name: str, value: int) -> str:
    if name.startswith(WIDE_MACROS) and name != FlagBit.MEM_MODULE_ID_BIT.name:
        return f"{value:#x}ULL"
    return str(value)


@cache
def template(name: str) -> Template:
    """Return a template for C."""
    environment = Environment(
        loader=PackageLoader("halcert.reports", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - C, not HTML
    )
    return environment.get_template(name)
