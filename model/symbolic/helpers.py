"""Functions that rules share, each read once for the same arguments.

A rule calls helpers (``promised``, ``within``, ...) that decide things themselves. Were they run
in line, their paths would multiply with those of the rule; so a rule is run as a copy of its
function, same code, in which the names of helpers mean themselves with their paths merged and
the answer kept. The spec is not touched, and the oracle runs the plain functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from halcert.model.symbolic.join import joined
from halcert.model.symbolic.paths import merged
from halcert.model.symbolic.term import Term

SPEC = "halcert.spec."
Memo = dict[Any, tuple[tuple[Any, ...], Any]]

_memos: list[Memo] = []


@contextmanager
def remembering(memo: Memo) -> Iterator[None]:
    """Keep the answers of helpers in ``memo`` while the block runs."""
    _memos.append(memo)
    try:
        yield
    finally:
        _memos.pop()


@cache
def with_helpers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with merged helpers in place of plain ones."""
    if not isinstance(function, FunctionType):
        return function
    space = dict(function.__globals__)
    for name in _names(function.__code__):
        value = space.get(name)
        if isinstance(value, FunctionType) and value.__module__.startswith(SPEC):
            space[name] = _merging(value)
    copy = FunctionType(
        function.__code__, space, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _names(code: CodeType) -> Iterator[str]:
    """Iterate over the global names that a function and the functions within it may use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


@cache
def _merging(helper: FunctionType) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        run = with_helpers(helper)
        if not _memos:
            return merged(lambda: run(*args, **named), joined)
        memo = _memos[-1]
        key = (helper, *map(_fingerprint, args), *((n, _fingerprint(v)) for n, v in named.items()))
        found = memo.get(key)
        if found is None:
            value = merged(lambda: run(*args, **named), joined)
            # The arguments are kept so that their identities stay taken.
            found = memo[key] = ((*args, *named.values()), value)
        return found[1]

    return call


def _fingerprint(value: Any) -> Any:
    if isinstance(value, Term):
        return value
    return (type(value), value) if isinstance(value, (int, str)) else id(value)
