"""Words: sequences of accepted calls from the initial state, run on terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from halcert.model.concrete.world import World
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.state import (
    TABLES,
    View,
    any_state,
    changed_tables,
    differs,
    known_state,
)
from halcert.model.symbolic.table import Line, SymbolicTable
from halcert.model.symbolic.term import Bool, BoolLike, Term, both, either, negation
from halcert.model.symbolic.values import variables
from halcert.spec.language import Interface, Kind, Rule
from halcert.spec.profiles import Profile

DEVICES = (0, 1)
"""Ids of the devices that are present in the initial state."""


@dataclass(frozen=True)
class Operation:
    """An accepting rule that changes tables: one letter of the words."""

    interface: Interface
    rule: Rule


@dataclass(frozen=True)
class Taken:
    """A step of a word: the accepting rule, and the rules read at the call."""

    rule: Rule
    reading: Reading


@dataclass(frozen=True)
class Word:
    """A word with what it leads to.

    Attributes:
        steps: the calls.
        view: the state after them.
        facts: everything that has to hold for the word to be possible.
    """

    steps: tuple[Taken, ...]
    view: Any
    facts: tuple[BoolLike, ...]

    def reading(self, interface: Interface, profile: Profile, name: str = "") -> Reading:
        """Return the rules of an interface read after the word."""
        number = name or str(len(self.steps) + 1)
        call = variables(interface.call, f"{number}:{interface.name}")
        result = variables(interface.result, f"{number}:{interface.name}=")
        return Reading(interface, profile, self.view, call, result)


@lru_cache(maxsize=1)
def empty_word() -> Word:
    """Return the word without calls."""
    return Word((), known_state(World.start(DEVICES).views[0]), ())


def extended(word: Word, operation: Operation, profile: Profile) -> Word | None:
    """Return the word with one more call that changes something, or None if that cannot be."""
    reading = word.reading(operation.interface, profile)
    outcome = reading.outcome(operation.rule)
    fact = both(
        reading.acceptable,
        reading.result.bounds,
        *(each.kept for each in reading.on_success),
        outcome.applies,
        outcome.scope,
        _changes(word.view, outcome.after),
    )
    if fact is False:
        return None
    step = Taken(operation.rule, reading)
    facts = (*word.facts, fact)
    return Word((*word.steps, step), _tidied(outcome.after, fact), facts)


def _changes(before: Any, after: Any) -> BoolLike:
    changed = [name for name in changed_tables(before, after) if name != "contents"]
    return either(*(differs(getattr(before, name), getattr(after, name)) for name in changed))


def _tidied(view: Any, fact: BoolLike) -> Any:
    """Drop lines of which the fact says in so many words that they are not there."""
    parts = set(fact.args if isinstance(fact, Bool) and fact.op == "and" else (fact,))
    tables: dict[str, SymbolicTable] = {}
    for name in TABLES:
        table = getattr(view, name)
        lines = [Line(_under(line.live, parts), line.values) for line in table.lines]
        if any(new.live is not old.live for new, old in zip(lines, table.lines, strict=True)):
            tables[name] = SymbolicTable(
                table.row_type, [line for line in lines if line.live is not False]
            )
    return View(**{n: tables.get(n, getattr(view, n)) for n in TABLES}, contents=view.contents)


def _under(value: BoolLike, facts: set[Any]) -> BoolLike:
    if value in facts:
        return True
    return False if negation(value) in facts else value


# --------------------------------------------------------------------------------------- alphabet


def alphabet(interfaces: tuple[Interface, ...], profile: Profile) -> tuple[Operation, ...]:
    """Return the operations that change tables; of those that do the same, the first."""
    found: dict[Any, Operation] = {}
    for operation in _operations(interfaces, profile):
        found.setdefault(_effect(operation, profile), operation)
    return tuple(found.values())


def _operations(interfaces: tuple[Interface, ...], profile: Profile) -> Iterator[Operation]:
    for interface in interfaces:
        for rule in interface.rules_of(Kind.ACCEPTS, profile.name):
            if any(name != "contents" for name in rule.changes):
                yield Operation(interface, rule)


def _effect(operation: Operation, profile: Profile) -> Any:
    """Return the shape of what an operation does to tables, whatever its parameters are called."""
    view = any_state("shape", 2)
    interface = operation.interface
    call = variables(interface.call, "call")
    result = variables(interface.result, "result")
    after = Reading(interface, profile, view, call, result).outcome(operation.rule).after
    names: dict[Any, int] = {}
    shapes: dict[Term, Any] = {}
    changed = [name for name in changed_tables(view, after) if name != "contents"]
    return tuple((n, _shape(getattr(after, n), names, shapes)) for n in changed)


def _shape(table: SymbolicTable, names: dict[Any, int], shapes: dict[Term, Any]) -> Any:
    def shape(value: Any) -> Any:
        if not isinstance(value, Term):
            return value
        if value not in shapes:
            if value.op in ("int", "bool"):
                own = value.args[0].startswith("shape")
                shapes[value] = value.args[0] if own else names.setdefault(value, len(names))
            else:
                shapes[value] = hash((value.op, *(shape(each) for each in value.args)))
        return shapes[value]

    return tuple((shape(line.live), tuple(map(shape, line.values))) for line in table.lines)
