"""The code of a rule, as it stands in the specification, with the helpers that it uses."""

from __future__ import annotations

import ast
import inspect
import io
import keyword
import linecache
import textwrap
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from types import CodeType, FunctionType
from typing import Any

from halcert.spec.language import Rule

LANGUAGE = "halcert.spec.language"
"""What rules are written in is known to readers of rules; it is not repeated with each."""
MOST_HELPERS = 8
SMALL = 2**16


@dataclass(frozen=True)
class Code:
    """A piece of source code.

    Attributes:
        title: what it is: condition, effect, applies when, or the name of a helper.
        text: the code without decorators; empty if the source is not at hand.
        place: module and line.
    """

    title: str
    text: str
    place: str


TITLES = {
    "accepts": "effect",
    "leaves": "effect",
    "ensures": "promise",
    "observes": "bytes that are read",
}


def code_of(rule: Rule) -> tuple[Code, ...]:
    """Return the function of a rule, what limits it, and the helpers that they call."""
    pieces = [_piece(rule.function, TITLES.get(rule.kind.value, "condition"))]
    roots = [rule.function]
    if rule.when is not None:
        pieces.append(_piece(rule.when, "applies when"))
        roots.append(rule.when)
    pieces += [_piece(helper, helper.__name__) for helper in _helpers(roots)]
    constants = _constants([*roots, *_helpers(roots)])
    if constants:
        text = "\n".join(f"{name} = {value}" for name, value in sorted(constants.items()))
        pieces.append(Code("constants", text, ""))
    return tuple(pieces)


@cache
def _piece(function: Callable[..., Any], title: str) -> Code:
    try:
        lines, first = _lines_of(function)
    except (OSError, TypeError):
        return Code(title, "", "")
    text = textwrap.dedent("".join(lines)).rstrip()
    return Code(title, text, f"{function.__module__}, line {first}")


def _lines_of(function: Callable[..., Any]) -> tuple[list[str], int]:
    """Return the lines of a function without its decorators, and the number of the first.

    Raises:
        OSError: the source is not at hand.
        TypeError: it was not written in Python.
    """
    file = inspect.getsourcefile(function)
    code = getattr(inspect.unwrap(function), "__code__", None)
    span = _spans(file).get(code.co_firstlineno) if file and code else None
    if file is None or span is None:  # a lambda, or what is called in another way
        return inspect.getsourcelines(function)
    first, last = span
    return linecache.getlines(file)[first - 1 : last], first


@cache
def _spans(file: str) -> dict[int, tuple[int, int]]:
    """Return where functions of a file begin and end, by the line of their first decorator.

    ``inspect`` reads a file token by token for each function, which takes a second for all rules.
    """
    found = {}
    waiting: list[ast.AST] = [ast.parse("".join(linecache.getlines(file)))]
    for node in waiting:
        waiting += [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
        if isinstance(node, ast.FunctionDef):
            begin = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found[begin] = (node.lineno, node.end_lineno or node.lineno)
    return found


def _helpers(roots: list[Callable[..., Any]]) -> list[FunctionType]:
    """Return the functions of the specification that the roots call, nearest first."""
    found: list[FunctionType] = []
    queue = [root for root in roots if isinstance(root, FunctionType)]
    for function in queue:
        for _, value in _globals_of(function):
            helper = inspect.unwrap(value) if callable(value) else None
            if (
                isinstance(helper, FunctionType)
                and helper not in roots
                and helper not in found
                and _is_spec(helper.__module__)
                and len(found) < MOST_HELPERS
            ):
                found.append(helper)
                queue.append(helper)
    return found


def _constants(functions: list[Callable[..., Any]]) -> dict[str, str]:
    found = {}
    for function in functions:
        if isinstance(function, FunctionType):
            for name, value in _globals_of(function):
                if name.isupper() and type(value) is int:
                    found[name] = str(value) if value < SMALL else f"{value:#x}"
    return found


def _is_spec(module: str) -> bool:
    return module.startswith("halcert.spec.") and not module.startswith(LANGUAGE)


def _globals_of(function: FunctionType) -> Iterator[tuple[str, Any]]:
    for name in dict.fromkeys(_names_of(function.__code__)):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def _names_of(code: CodeType) -> Iterator[str]:
    """Iterate over the global names of a code object and of the lambdas within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_of(constant)


# --------------------------------------------------------------------------------- highlighting

_CLASSES = {tokenize.STRING: "s", tokenize.COMMENT: "c", tokenize.NUMBER: "n"}


@cache
def highlighted(text: str) -> str:
    """Return Python code as HTML: keywords, strings, comments and numbers in spans."""
    lines = text.splitlines(keepends=True)
    out: list[str] = []
    row, column = 1, 0
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return escape(text)
    for token in tokens:
        out.append(escape(_between(lines, (row, column), token.start)))
        out.append(_span(token))
        row, column = token.end
    return "".join(out).rstrip()


def _span(token: tokenize.TokenInfo) -> str:
    if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.NEWLINE):
        return escape(token.string)
    name = _CLASSES.get(token.type)
    if name is None and token.type == tokenize.NAME and keyword.iskeyword(token.string):
        name = "k"
    return f'<span class="{name}">{escape(token.string)}</span>' if name else escape(token.string)


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return what lies between two places of the text: blanks and line breaks."""
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]] if start[0] <= len(lines) else ""
    parts = [lines[start[0] - 1][start[1] :] if start[0] <= len(lines) else ""]
    parts += lines[start[0] : end[0] - 1]
    if end[0] <= len(lines):
        parts.append(lines[end[0] - 1][: end[1]])
    return "".join(parts)
