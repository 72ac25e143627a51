"""What a piece of work depends on: the files that its answer is made from, as a digest.

A file depends on those that it imports. The files of an interface are the one that holds its
class and all behind it; every proof depends besides on the invariants of all areas, which say
which states are valid, on which tables the calls of its library fill, and on the proofs and
readings themselves. A search makes words of the calls of every interface, so it depends on all of
them. Files that only tell where rules come from change no proof.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

import halcert
import halcert.model
import halcert.spec
from halcert.model.proofs import specimens, wordbook
from halcert.model.proofs.filled import filled_at
from halcert.model.proofs.work import INTERFACE, SEARCH, THEOREMS, Task
from halcert.spec.catalogue import AREAS, interfaces, with_used
from halcert.spec.profiles import PROFILES

SPEC = Path(halcert.spec.__path__[0])
MODEL = Path(halcert.model.__path__[0])
PREFIX = "halcert.spec"
ALWAYS = ("state", "profiles", "language", "abi", "pattern", "universal")
"""Modules of the spec on which every proof depends."""
_DEFINITION = re.compile(r"^(?:@|def |class )", re.MULTILINE)


def key_of(task: Task) -> str:
    """Return the name under which the findings of a piece of work are kept."""
    digest = hashlib.sha256(halcert.__version__.encode())
    if task.kind != THEOREMS:  # says the same of its interfaces, whatever else is proved
        task = msgspec.structs.replace(task, areas=())
    digest.update(msgspec.json.encode(task))
    digest.update(_model().encode())
    digest.update(msgspec.json.encode(_filled(task)))
    if task.kind == SEARCH:  # what is tried first decides which witness is kept
        digest.update(wordbook.PLACE.read_bytes())
        digest.update(specimens.PLACE.read_bytes())
    for module in sorted(_modules(task)):
        digest.update(module.encode())
        digest.update(_content(module).encode())
    return digest.hexdigest()[:40]


def rules_digest() -> str:
    """Return a digest of everything that the words of calls depend on."""
    return key_of(Task("search", "", tuple(AREAS)))[:32]


def _filled(task: Task) -> dict[str, list[str]]:
    """Return which tables can have rows at the calls that a piece of work speaks of.

    That depends on other interfaces of the library; those of a search are all read anyway.
    """
    if task.kind == SEARCH:
        return {}
    names, known = task.subjects or tuple(interfaces(with_used(task.areas))), interfaces()
    return {
        f"{name} {product}": sorted(filled_at(known[name], PROFILES[product]))
        for product in (task.profile, *task.also)
        for name in names
    }


def _modules(task: Task) -> frozenset[str]:
    """Return the modules of the spec that a piece of work reads."""
    known = interfaces()
    if task.kind == INTERFACE:
        names, areas = tuple(task.subjects), frozenset[str]()
    elif task.kind == THEOREMS:
        names, areas = tuple(interfaces(with_used(task.areas))), frozenset(with_used(task.areas))
    else:
        names, areas = tuple(known), frozenset(AREAS)
    roots = _always() | {_short(known[name].call.__module__) for name in names}
    if task.kind == THEOREMS:
        roots |= {_short(t.prove.__module__) for area in task.areas for t in AREAS[area].theorems}
    # Of the lists of areas only what they say counts, not all that stands in what they list.
    lists = {f"{name}.area" for name in areas} | ({"catalogue"} if areas else set())
    return _closure(roots) | lists


@cache
def _always() -> frozenset[str]:
    """Return the modules that every proof reads: the language, the tables, the invariants."""
    found = {each for each in _all_modules() if each.partition(".")[0] in ALWAYS}
    found |= {_short(i.holds.__module__) for area in AREAS.values() for i in area.invariants}
    return frozenset(found)


@cache
def _all_modules() -> frozenset[str]:
    found = set()
    for path in SPEC.rglob("*.py"):
        parts = path.relative_to(SPEC).with_suffix("").parts
        found.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return frozenset(found)


@cache
def _closure(roots: frozenset[str]) -> frozenset[str]:
    """Return modules with all that they import, directly or not."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    return frozenset(found)


@cache
def _imports(module: str) -> frozenset[str]:
    """Return the modules of the spec that a module of the spec imports."""
    found = set()
    for node in _outermost(ast.parse(_head(_path(module).read_text(encoding="utf-8")))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PREFIX):
            name = _short(node.module or "")
            inner = {f"{name}.{each.name}".lstrip(".") for each in node.names}
            found |= (inner | {name}) & _all_modules()
        if isinstance(node, ast.Import):
            found |= {_short(each.name) for each in node.names if each.name.startswith(PREFIX)}
    return frozenset(found - {module})


def _head(text: str) -> str:
    """Return what stands before the first function or class: all imports do, the linter sees to it.

    To parse the rest would take most of the time that it takes to find what has changed.
    """
    return _DEFINITION.split(text, maxsplit=1)[0]


def _outermost(tree: ast.Module | ast.If) -> Iterator[ast.stmt]:
    """Iterate over what a module does when it is imported; no function imports anything."""
    for statement in tree.body:
        yield statement
        if isinstance(statement, ast.If):  # for type checkers only
            yield from _outermost(statement)


def _short(module: str) -> str:
    """Return the name of a module within the spec."""
    return module.removeprefix(PREFIX).lstrip(".")


def _path(module: str) -> Path:
    place = SPEC.joinpath(*module.split(".")) if module else SPEC
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


@cache
def _content(module: str) -> str:
    return hashlib.sha256(_path(module).read_bytes()).hexdigest()


@cache
def _model() -> str:
    """Return a digest of the readings and the proofs."""
    found = hashlib.sha256()
    for path in sorted(MODEL.rglob("*.py")):
        found.update(path.relative_to(MODEL).as_posix().encode())
        found.update(path.read_bytes())
    return found.hexdigest()
