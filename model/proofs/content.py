"""What the rules of an interface say, as a digest of their code and of all that it calls.

Comments, documentation, sources and the order of rules are no part of it: whoever rewords a rule
has not changed it.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from halcert.spec.language import Interface, Rule

SPEC = "halcert.spec."
LENGTH = 12
"""Digits that are enough for the few forms that an interface ever has."""


@cache
def content_of(interface: Interface) -> str:
    """Return a digest of what the rules of an interface say."""
    digest = hashlib.sha256()
    for text in sorted(_rule(each) for each in interface.rules):
        digest.update(text.encode())
    return digest.hexdigest()[:LENGTH]


def _rule(rule: Rule) -> str:
    """Return everything of a rule that judges calls, as text."""
    told = (
        rule.id,
        rule.kind.value,
        rule.strength.value,
        *sorted(rule.profiles),
        *map(int, rule.codes),
        rule.on,
        rule.choice,
        rule.instead,
    )
    functions = [rule.function] if rule.when is None else [rule.function, rule.when]
    return "\n".join([*map(str, told), *(text for each in functions for text in _texts(each))])


def _texts(root: Callable[..., Any]) -> Iterator[str]:
    """Iterate over the text of a function, and of what it uses from the spec."""
    queue, found = [root], {root}
    for function in queue:
        yield _text(function)
        for name, value in sorted(_used_by(function).items()):
            plain = inspect.unwrap(value) if callable(value) else value
            if isinstance(plain, FunctionType):
                if plain.__module__.startswith(SPEC) and plain not in found:
                    found.add(plain)
                    queue.append(plain)
            elif isinstance(plain, (int, str, tuple, frozenset)):
                yield f"{name} = {sorted(plain) if isinstance(plain, frozenset) else plain!r}"


@cache
def _text(function: Callable[..., Any]) -> str:
    """Return the code of a function without anything that only people read."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):  # made by a program, whose text is not at hand
        return repr(getattr(function, "__qualname__", ""))
    try:
        node = ast.parse(text).body[0]
    except SyntaxError:  # a lambda within an expression
        return text
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
        if ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.unparse(node)


def _used_by(function: Callable[..., Any]) -> dict[str, Any]:
    """Return what a function finds under names that are not its own."""
    plain = inspect.unwrap(function)
    if not isinstance(plain, FunctionType):
        return {}
    space = plain.__globals__
    found = {name: space[name] for name in _names(plain.__code__) if name in space}
    closed = zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True)
    return {**found, **{name: cell.cell_contents for name, cell in closed}}


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
