"""Terms in which some variables have values: built again, so that they simplify."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from halcert.model.symbolic.algebra import (
    add,
    bits_of_both,
    both,
    choose,
    either,
    equal,
    less,
    modulo,
    negation,
    quotient,
    same_truth,
    times,
)
from halcert.model.symbolic.term import Term, unknown


class Substitution:
    """Puts values in place of variables; what was built once is remembered."""

    def __init__(self, values: Mapping[Any, int | bool]) -> None:
        """Take the values of some variables."""
        self._built: dict[Term, Any] = dict(values)

    def __call__(self, value: Any) -> Any:
        """Return the term with the values in it, or the value that it has then."""
        if not isinstance(value, Term):
            return value
        built = self._built
        stack = [value]
        while stack:
            term = stack[-1]
            if term in built:
                stack.pop()
                continue
            waiting = [each for each in term.args if isinstance(each, Term) and each not in built]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            built[term] = self._rebuilt(term)
        return built[value]

    def _rebuilt(self, term: Term) -> Any:
        args = [self._built[each] if isinstance(each, Term) else each for each in term.args]
        if all(new is old for new, old in zip(args, term.args, strict=True)):
            return term
        return _BUILDERS[term.op](*args)


_BUILDERS: dict[str, Callable[..., Any]] = {
    "add": add,
    "times": times,
    "mod": modulo,
    "div": quotient,
    "bits": bits_of_both,
    "lt": less,
    "eq": equal,
    "iff": same_truth,
    "not": negation,
    "and": both,
    "or": either,
    "ite": choose,
    "apply": unknown,
}
