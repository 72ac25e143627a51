"""Mutated rules: what a slip of the pen could make of a rule, one small change at a time.

A mutated rule is a new function, compiled from the changed syntax tree of the old one; the files
stay as they are. The proofs and the generated tests have to notice such changes.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import Interface, Kind, Rule

CONDITIONS = (Kind.REJECTS, Kind.MAY_REJECT, Kind.UNDEFINED, Kind.ENSURES)
EFFECTS = (Kind.ACCEPTS, Kind.LEAVES)
SWAPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


@dataclass(frozen=True)
class Mutation:
    """A rule that was changed in one place.

    Attributes:
        id: id of the rule and what was changed: ``SVM-FREE-002:constant 1 + 1``.
        interface: the interface with the changed rule in place of the old one.
        rule: the rule before the change.
        changed: the rule after the change; None where it was dropped.
        change: what was changed, in words.
    """

    id: str
    interface: Interface
    rule: Rule
    changed: Rule | None
    change: str


def mutations(interface: Interface, rule: Rule) -> Iterator[Mutation]:
    """Iterate over the changes of one rule of an interface."""
    seen: set[str] = set()
    for change, changed in _changes(rule):
        number = sum(each == change or each.startswith(f"{change} (") for each in seen)
        name = f"{change} ({number + 1})" if number else change
        seen.add(name)
        kept = (changed if each.id == rule.id else each for each in interface.rules)
        rules = tuple(each for each in kept if each is not None)
        changed_interface = replace(interface, rules=rules)
        yield Mutation(f"{rule.id}:{name}", changed_interface, rule, changed, name)


def _changes(rule: Rule) -> Iterator[tuple[str, Rule | None]]:
    yield "dropped", None
    if rule.kind in CONDITIONS:
        yield "negated", replace(rule, function=_negated(rule.function))
    if rule.kind in EFFECTS and not _is_idle(rule.function):
        yield "effect dropped", replace(rule, function=_idle(rule.function))
    if rule.when is not None:
        yield "guard dropped", replace(rule, when=None)
        yield "guard negated", replace(rule, when=_negated(rule.when))
    if rule.codes:
        yield "code moved", replace(rule, codes=_moved(rule.codes))
    for change, function in _rewritten(rule.function):
        yield change, replace(rule, function=function)


def _moved(codes: tuple[int, ...]) -> tuple[int, ...]:
    """Return other codes: for each the next one that there is and that is not among them."""
    known = sorted(int(each) for each in DrvError if each)
    left = [each for each in known if each not in codes]
    return tuple(next((each for each in left if each > code), left[0]) for code in codes)


def _negated(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that says the contrary."""
    tree = _tree_of("made", function, "not inner({names})")
    return compiled(tree, {"inner": function}, "made")


def _idle(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return an effect that leaves the state as it was."""
    return compiled(_tree_of("made", function, "state"), {}, "made")


def _is_idle(function: Callable[..., Any]) -> bool:
    """Tell whether an effect leaves the state as it is anyway."""
    text = textwrap.dedent(inspect.getsource(function)).rstrip()
    returns = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Return)]
    return all(isinstance(each.value, ast.Name) and each.value.id == "state" for each in returns)


def _tree_of(name: str, function: Callable[..., Any], value: str) -> ast.Module:
    parameters = list(inspect.signature(function).parameters)
    if "state" not in parameters and value == "state":
        parameters.append("state")
    names = ", ".join(parameters)
    return ast.parse(f"def {name}({names}):\n    return {value.format(names=names)}\n")


def compiled(tree: ast.Module, scope: dict[str, Any], name: str) -> Callable[..., Any]:
    """Return the function that a syntax tree defines, with what it finds under other names."""
    ast.fix_missing_locations(tree)
    exec(compile(tree, f"<mutated {name}>", "exec"), scope)  # noqa: S102 - our own text
    made: Callable[..., Any] = scope[name]
    return made


# ------------------------------------------------------------------------------ within the text


def _rewritten(function: Callable[..., Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Iterate over copies of a function, each with one place of its text changed."""
    if function.__code__.co_freevars:  # made by another function, which is not at hand
        return
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return
    tree = ast.parse(text)
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        return
    count = sum(1 for _ in _places(tree, function))
    for number in range(count):
        copy = ast.parse(text)
        definition = copy.body[0]
        assert isinstance(definition, ast.FunctionDef)  # noqa: S101 - seen above
        definition.decorator_list = []
        definition.returns = None
        for argument in definition.args.args:
            argument.annotation = None
        place = list(_places(copy, function))[number]
        change = place.change()
        yield change, compiled(copy, dict(function.__globals__), definition.name)


@dataclass
class _Place:
    """A place in a syntax tree that can be changed."""

    words: str
    set: Callable[[], None]

    def change(self) -> str:
        """Change it, and say how."""
        self.set()
        return self.words


def _places(tree: ast.Module, function: Callable[..., Any]) -> Iterator[_Place]:
    """Iterate over the places of a function that can be changed, in the order of the text."""
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)  # noqa: S101 - the caller has seen to it
    for statement in definition.body:
        for node in ast.walk(statement):
            for name, value in ast.iter_fields(node):
                yield from _at(node, name, value, function)


def _at(node: ast.AST, name: str, value: Any, function: Callable[..., Any]) -> Iterator[_Place]:
    if isinstance(value, list):
        for place, each in enumerate(value):
            yield from _of(each, _Slot(node, name, place), function)
    elif isinstance(value, ast.AST):
        yield from _of(value, _Slot(node, name), function)


@dataclass(frozen=True)
class _Slot:
    """Where a node hangs."""

    node: ast.AST
    name: str
    place: int | None = None

    def put(self, value: ast.AST) -> None:
        """Hang another node there."""
        if self.place is None:
            setattr(self.node, self.name, value)
        else:
            getattr(self.node, self.name)[self.place] = value


def _of(value: Any, slot: _Slot, function: Callable[..., Any]) -> Iterator[_Place]:
    if isinstance(value, ast.BoolOp):
        for place, each in enumerate(value.values):
            rest = [other for other in value.values if other is not each]
            text = ast.unparse(each)
            made = rest[0] if len(rest) == 1 else ast.BoolOp(value.op, rest)
            yield _Place(f"without {place + 1}: {text}", lambda made=made: slot.put(made))  # type: ignore[misc]
    elif isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        yield _Place(f"{ast.unparse(value)} turned", lambda: slot.put(value.operand))
    elif isinstance(value, ast.cmpop) and type(value) in SWAPS:
        other = SWAPS[type(value)]()
        text = ast.unparse(slot.node)
        yield _Place(f"{type(value).__name__} of {text}", lambda: slot.put(other))
    elif isinstance(value, (ast.BitAnd, ast.BitOr)):
        turned = ast.BitOr() if isinstance(value, ast.BitAnd) else ast.BitAnd()
        yield _Place(
            f"{type(value).__name__} of {ast.unparse(slot.node)}", lambda: slot.put(turned)
        )
    elif _is_number(value, function):
        for distance in (1, -1):
            moved = ast.BinOp(value, ast.Add(), ast.Constant(distance))
            text = ast.unparse(value)
            yield _Place(f"{text} {distance:+}", lambda moved=moved: slot.put(moved))  # type: ignore[misc]


def _is_number(value: Any, function: Callable[..., Any]) -> bool:
    """Tell whether a node is a number, or the name of one."""
    if isinstance(value, ast.Constant):
        return type(value.value) is int
    if isinstance(value, ast.Name) and isinstance(value.ctx, ast.Load):
        return type(function.__globals__.get(value.id)) is int
    return False
