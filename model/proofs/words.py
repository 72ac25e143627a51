"""Words: sequences of accepted calls from the initial state, run on terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from halcert.model.concrete.world import View, World
from halcert.model.symbolic.algebra import both, either, negation
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.row import Line
from halcert.model.symbolic.state import (
    TABLES,
    any_state,
    changed_tables,
    differs,
    known_state,
)
from halcert.model.symbolic.table import SymbolicTable
from halcert.model.symbolic.term import Bool, BoolLike, Term, when_forgetting
from halcert.model.symbolic.values import variables
from halcert.spec.language import Interface, Kind, Rule
from halcert.spec.profiles import Profile

DEVICES = (0, 1)
"""Ids of the devices that are present in the initial state."""


LAST = "last"
"""What the variables of the call after a word are named after, whatever the word."""


@dataclass(frozen=True)
class Operation:
    """An accepting rule that changes tables: one letter of the words."""

    interface: Interface
    rule: Rule


@dataclass(frozen=True)
class Taken:
    """A step of a word: the operation, the rules read at the call, and what makes it possible."""

    operation: Operation
    reading: Reading
    fact: BoolLike


@dataclass(frozen=True)
class Word:
    """A word with what it leads to.

    Attributes:
        steps: the calls.
        view: the state after them.
        facts: everything that has to hold for the word to be possible.
        before: the word without its last call.
    """

    steps: tuple[Taken, ...]
    view: Any
    facts: tuple[BoolLike, ...]
    before: Word | None = None

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


when_forgetting(empty_word.cache_clear)


def extended(word: Word, operation: Operation, profile: Profile, name: str = "") -> Word | None:
    """Return the word with one more call that changes something, or None if that cannot be."""
    reading = word.reading(operation.interface, profile, name)
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
    view = _tidied(outcome.after, fact)
    step = Taken(operation, reading, fact)
    return Word((*word.steps, step), view, (*word.facts, fact), word)


def in_order(word: Word, profile: Profile, order: dict[Operation, int]) -> BoolLike:
    """Return what makes the last two calls of a word come in the only order that is looked at.

    Calls that could as well be made the other way round are looked at in the order of the
    alphabet only.
    """
    if len(word.steps) <= 1:
        return True
    first, second = word.steps[-2:]
    if order[second.operation] >= order[first.operation]:
        return True
    start = word.before.before if word.before else None
    if start is None:
        return True
    number = len(word.steps)
    swapped = extended(start, second.operation, profile, str(number))
    if swapped is None:
        return True
    both_swapped = extended(swapped, first.operation, profile, str(number - 1))
    if both_swapped is None:
        return True
    return negation(both(*(step.fact for step in both_swapped.steps[-2:])))


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


def alphabet(operations: Iterable[Operation], profile: Profile) -> tuple[Operation, ...]:
    """Return the operations without those that do the same as an earlier one."""
    found: dict[Any, Operation] = {}
    for operation in operations:
        found.setdefault(_effect(operation, profile), operation)
    return tuple(found.values())


def operations_of(interfaces: Iterable[Interface], profile: Profile) -> Iterator[Operation]:
    """Iterate over the operations that change tables."""
    for interface in interfaces:
        for rule in interface.rules_of(Kind.ACCEPTS, profile.name):
            if any(name != "contents" for name in rule.changes):
                yield Operation(interface, rule)


def shrinks(operation: Operation, profile: Profile) -> bool:
    """Tell whether an operation does nothing but remove rows.

    What is reached after it is reached by a shorter word, too, but for rules that tell what was
    there before.
    """
    view, after = _sample(operation, profile)
    for name in changed_tables(view, after):
        if name == "contents":
            continue
        kept = {line.values for line in getattr(view, name).lines}
        if any(line.values not in kept for line in getattr(after, name).lines):
            return False
    return True


def _sample(operation: Operation, profile: Profile) -> tuple[Any, Any]:
    view = any_state("shape", 2)
    interface = operation.interface
    call = variables(interface.call, "call")
    result = variables(interface.result, "result")
    after = Reading(interface, profile, view, call, result).outcome(operation.rule).after
    return view, after


@lru_cache(maxsize=256)
def _effect(operation: Operation, profile: Profile) -> Any:
    """Return the shape of what an operation does to tables, whatever its parameters are called."""
    view, after = _sample(operation, profile)
    names: dict[Any, int] = {}
    shapes: dict[Term, Any] = {}
    changed = [name for name in changed_tables(view, after) if name != "contents"]
    return tuple((n, _shape(getattr(after, n), names, shapes)) for n in changed)


when_forgetting(_effect.cache_clear)


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
