"""Values of terms when the variables have values: the terms' own meaning, without a solver."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from halcert.model.symbolic.term import Term

Functions = Mapping[str, Callable[..., int]]


class Evaluator:
    """Evaluates terms under one assignment; variables that it lacks are zero or false.

    Unknown functions have a meaning only where ``functions`` gives one, by the longest prefix of
    their name.
    """

    def __init__(
        self, assignment: Mapping[Term, int | bool], functions: Functions | None = None
    ) -> None:
        """Take the values of the variables, and of unknown functions by name."""
        self._values: dict[Term, Any] = dict(assignment)
        self._functions: Functions = functions or {}

    def __call__(self, value: Any) -> Any:
        """Return the value of a term; what is known already is returned as it is."""
        if not isinstance(value, Term):
            return value
        stack = [value]
        while stack:
            term = stack[-1]
            if term in self._values:
                stack.pop()
                continue
            waiting = [
                each for each in term.args if isinstance(each, Term) and each not in self._values
            ]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            self._values[term] = self._computed(term)
        return self._values[value]

    def _computed(self, term: Term) -> Any:
        if term.op in ("int", "bool"):
            return 0 if term.op == "int" else False
        if term.op == "apply":
            return self._function(term.args[0])(*map(self._known, term.args[1:]))
        return _MEANING[term.op](*map(self._known, term.args))

    def _known(self, value: Any) -> Any:
        return self._values[value] if isinstance(value, Term) else value

    def _function(self, name: str) -> Callable[..., int]:
        found = self._functions.get(name)
        if found is None:
            raise KeyError(f"nothing is known of the function {name!r}")
        return found


_MEANING: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "times": operator.mul,
    "mod": operator.mod,
    "div": operator.floordiv,
    "bits": operator.and_,
    "lt": operator.lt,
    "eq": operator.eq,
    "iff": operator.eq,
    "not": operator.not_,
    "and": lambda *values: all(values),
    "or": lambda *values: any(values),
    "ite": lambda condition, yes, no: yes if condition else no,
}
