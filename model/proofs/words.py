"""Words: sequences of accepted calls from the initial state, run on terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Any

from halcert.model.concrete.world import FIRST_PID, HOST_TABLES, View, World
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
PIDS = (FIRST_PID, FIRST_PID + 1, FIRST_PID + 2)
"""Numbers of the processes that live in the initial state."""


BEGINNING = (Kind.ACCEPTS, Kind.LEAVES)
"""Kinds of rules that a word may be told to begin with."""
LAST = "last"
"""What the variables of the call after a word are named after, whatever the word."""


@dataclass(frozen=True)
class Operation:
    """A rule that changes tables, in some process: one letter of the words.

    The rule accepts the call, or says what a call leaves that fails. Words are searched among
    calls that are accepted; only what they are told to begin with may fail.
    """

    interface: Interface
    rule: Rule
    process: int = 0

    @property
    def fails(self) -> bool:
        """The call fails."""
        return self.rule.kind is Kind.LEAVES


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
        views: the state after them, as each process sees it.
        facts: everything that has to hold for the word to be possible.
        before: the word without its last call.
        given: how many of the calls at its start were not chosen, but given.
    """

    steps: tuple[Taken, ...]
    views: tuple[Any, ...]
    facts: tuple[BoolLike, ...]
    before: Word | None = None
    given: int = 0

    def reading(
        self, interface: Interface, profile: Profile, name: str = "", process: int = 0
    ) -> Reading:
        """Return the rules of an interface read after the word, at a call of a process."""
        number = name or str(len(self.steps) + 1)
        call = variables(interface.call, f"{number}:{interface.name}")
        result = variables(interface.result, f"{number}:{interface.name}=")
        return Reading(interface, profile, self.views[process], call, result, process)

    def callers(self, most: int) -> range:
        """Return the processes that may call next: those that did, and one that did not yet.

        Which of the processes that did nothing comes next makes no difference.
        """
        return range(min(self._used + 1, most, len(self.views)))

    @cached_property
    def fails(self) -> bool:
        """Some call of the word fails, which nobody can bring about."""
        return any(step.operation.fails for step in self.steps)

    @cached_property
    def _used(self) -> int:
        return 1 + max((step.reading.process for step in self.steps), default=-1)


@lru_cache(maxsize=1)
def empty_word() -> Word:
    """Return the word without calls."""
    views = World.start(DEVICES, PIDS).views
    known = [known_state(view) for view in views.values()]
    common = {name: getattr(known[0], name) for name in (*HOST_TABLES, "contents")}
    return Word((), tuple(view.but(**common) for view in known), ())


when_forgetting(empty_word.cache_clear)


def extended(word: Word, operation: Operation, profile: Profile, name: str = "") -> Word | None:
    """Return the word with one more call that changes something, or None if that cannot be."""
    if operation.process not in word.callers(len(PIDS)):
        return None
    reading = word.reading(operation.interface, profile, name, operation.process)
    outcome = reading.outcome(operation.rule)
    fact = both(
        reading.failed if operation.fails else both(reading.acceptable, reading.promised),
        outcome.applies,
        outcome.scope,
        _changes(reading.view, outcome.after),
    )
    if fact is False:
        return None
    view = _tidied(outcome.after, fact)
    step = Taken(operation, reading, fact)
    return Word(
        (*word.steps, step),
        _seen(word.views, operation.process, view),
        (*word.facts, fact),
        word,
        word.given,
    )


def begun(
    beginning: tuple[tuple[int, str], ...], calls: Iterable[Interface], profile: Profile
) -> Word:
    """Return the word of calls that are given by process and id of the rule.

    Raises:
        ValueError: one of the calls is not possible.
    """
    word = empty_word()
    known = beginnings_of(calls, profile)
    for process, rule_id in beginning:
        longer = followed(word, process, rule_id, known, profile)
        if longer is None:
            raise ValueError(f"{rule_id} is not possible in process {process}")
        word = longer
    return replace(word, given=len(word.steps))


def beginnings_of(calls: Iterable[Interface], profile: Profile) -> dict[str, Operation]:
    """Return the operations that a given word may be made of, by id of the rule."""
    return {each.rule.id: each for each in operations_of(calls, profile, BEGINNING)}


def followed(
    word: Word, process: int, rule_id: str, known: Mapping[str, Operation], profile: Profile
) -> Word | None:
    """Return the word with a call that is given by process and id of the rule, if it can be."""
    found = known.get(rule_id)
    return extended(word, replace(found, process=process), profile) if found else None


def _seen(views: tuple[Any, ...], process: int, view: Any) -> tuple[Any, ...]:
    """Return what all processes see after one of them has made a call."""
    common = {name: getattr(view, name) for name in (*HOST_TABLES, "contents")}
    return tuple(view if p == process else old.but(**common) for p, old in enumerate(views))


def in_order(word: Word, profile: Profile, order: dict[Operation, int]) -> BoolLike:
    """Return what makes the last two calls of a word come in the only order that is looked at.

    Calls that could as well be made the other way round are looked at in the order of the
    alphabet only.
    """
    if len(word.steps) - word.given <= 1:
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


def alphabet(
    operations: Iterable[Operation], profile: Profile, processes: int = 1
) -> tuple[Operation, ...]:
    """Return the operations without those that do the same as an earlier one.

    Where there are several processes, each of them can do each.
    """
    found: dict[Any, Operation] = {}
    for operation in operations:
        found.setdefault(_effect(operation, profile), operation)
    return tuple(
        replace(operation, process=process)
        for process in range(processes)
        for operation in found.values()
    )


def operations_of(
    interfaces: Iterable[Interface], profile: Profile, kinds: tuple[Kind, ...] = (Kind.ACCEPTS,)
) -> Iterator[Operation]:
    """Iterate over the operations of some kinds that change tables."""
    for interface in interfaces:
        for kind in kinds:
            for rule in interface.rules_of(kind, profile.name):
                if any(name != "contents" for name in rule.changes):
                    yield Operation(interface, rule)


def shrinks(operation: Operation, profile: Profile) -> bool:
    """Tell whether an operation does nothing but remove rows.

    What is reached after it is reached by a shorter word, too, but for rules that tell what was
    there before.
    """
    return _shrinks(replace(operation, process=0), profile)


@cache
def _shrinks(operation: Operation, profile: Profile) -> bool:
    view = any_state("shape", 2)
    after = sample(operation, profile, view)
    for name in changed_tables(view, after):
        if name == "contents":
            continue
        kept = {line.values for line in getattr(view, name).lines}
        if any(line.values not in kept for line in getattr(after, name).lines):
            return False
    return True


def sample(operation: Operation, profile: Profile, view: Any) -> Any:
    """Return what an operation makes of a state, whether it is possible there or not."""
    interface = operation.interface
    call = variables(interface.call, "call")
    result = variables(interface.result, "result")
    return Reading(interface, profile, view, call, result).outcome(operation.rule).after


@lru_cache(maxsize=256)
def _effect(operation: Operation, profile: Profile) -> Any:
    """Return the shape of what an operation does to tables, whatever its parameters are called."""
    view = any_state("shape", 2)
    after = sample(operation, profile, view)
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
