"""What all calls in C have in common: their text, and addresses and numbers as arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from halcert.reports.cprogram.expressions import (
    Uses,
    Variable,
    Variables,
    as_number,
    as_pointer,
    literal,
)
from halcert.reports.values import is_reference
from halcert.results import TraceStep
from halcert.spec.abi.functions import Function


@dataclass
class CallText:
    """A call in C.

    Attributes:
        before: declarations and assignments that it needs.
        call: the call as an expression.
        shown: what it gave: label and expression of each number.
        unchanged: names of arrays and structures that the call must leave alone.
        variables: declarations of what it gives, for places outside of the function.
    """

    before: list[str] = field(default_factory=list)
    call: str = ""
    shown: list[tuple[str, Variable]] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    variables: list[tuple[str, str]] = field(default_factory=list)


class ArgumentWriter:
    """Writes arguments; keeps count of what the program uses."""

    def __init__(self, variables: Variables, uses: Uses) -> None:
        """Take the variables of the program and what it uses."""
        self._variables = variables
        self._uses = uses
        self._written = CallText()
        self._step = TraceStep(0, "", {})

    def _use_function(self, function: Function) -> None:
        if function not in self._uses.functions:
            self._uses.functions.append(function)

    def _number(self, value: Any, kind: str, c_type: str) -> str:
        if is_reference(value):
            variable, plus = self._variables.reference(value)
            text = as_number(variable, plus, c_type, self._uses)
            return f"({c_type})({text})" if kind != "u64" and not variable.narrow else text
        return literal(int(value))

    def _pointer(self, value: Any) -> str:
        if is_reference(value):
            return as_pointer(*self._variables.reference(value), self._uses)
        return f"(void *){value:#x}" if value else "NULL"

    def _declare(self, c_type: str, name: str, value: str) -> None:
        self._written.variables.append((c_type, name))
        self._written.before.append(f"{name} = {value};")
