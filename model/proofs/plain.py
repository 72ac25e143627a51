"""The calls of a witness as plain data: arguments in JSON form, and what the spec says of them.

An address or handle that an earlier call gave becomes a reference to it, so that a witness is
good for any implementation, whatever it gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from halcert.model.proofs.witness import (
    ACCEPTED,
    EITHER,
    REJECTED,
    UNDEFINED,
    Expected,
    Step,
    process_number,
)
from halcert.model.proofs.words import PIDS
from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.term import Term
from halcert.model.symbolic.values import SymbolicSequence
from halcert.spec.language import BitWord, Kind, Record

RANGES = ("blocks", "reservations")
"""Tables of what addresses lead to."""
PASSED_ON = ("address", "handle", "name")
"""Roles of what calls give for later ones."""


class Played(NamedTuple):
    """A call of variables, and what each process sees after it."""

    reading: Reading
    views: tuple[Any, ...]


class Given(NamedTuple):
    """What a call gave: an address with the bytes behind it, or a handle."""

    step: int
    field: str
    role: str
    value: int
    reach: int


def plain_steps(calls: Iterable[Played], last: Reading, value: Evaluator) -> tuple[Step, ...]:
    """Return the calls before the last one, and the last one, with the values that they have."""
    steps: list[Step] = []
    given: list[Given] = []
    for number, (reading, views) in enumerate(calls, 1):
        steps.append(plain_step(reading, value, given, last=False))
        given += gifts(number, reading, views, value)
    return (*steps, plain_step(last, value, given, last=True))


def plain_step(reading: Reading, value: Evaluator, given: Sequence[Given], *, last: bool) -> Step:
    """Return a call as plain data; ``given`` is what earlier calls gave."""
    args = {
        name: _plain(getattr(reading.call.value, name), value, given, reading)
        for name in reading.call.value.__struct_fields__
    }
    expected = _expected(reading, value, last=last)
    return Step(reading.interface.name, args, expected, reading.process)


def gifts(number: int, reading: Reading, views: Iterable[Any], value: Evaluator) -> Iterator[Given]:
    """Iterate over what a call gave for later ones.

    Args:
        number: which call it is, from 1.
        reading: the call.
        views: what each process sees after it.
        value: the values of the variables.
    """
    passed_on = [leaf for leaf in reading.result.leaves if leaf.domain.role in PASSED_ON]
    if not passed_on:
        return
    reach = {
        value(line.values[table.shape.key]): value(line.values[table.shape.extent])
        for table in (getattr(view, name) for view in views for name in RANGES)
        for line in table.lines
    }
    for leaf in passed_on:
        role = leaf.domain.role
        found = value(leaf.term)
        field = ".".join(map(str, leaf.path))
        yield Given(number, field, role, found, reach.get(found, 0) if role == "address" else 0)


def _plain(part: Any, value: Evaluator, given: Sequence[Given], reading: Reading) -> Any:
    """Return the JSON form of an argument."""
    if isinstance(part, BitWord):
        fields = {name: value(getattr(part, name)) for name in part.layout}
        return part.compose(**fields)
    if isinstance(part, SymbolicSequence):
        if not value(part.given):
            return None
        items = part.places[: value(part.count)]
        return [_plain(item, value, given, reading) for item in items]
    if isinstance(part, Record):
        if not value(part.given):
            return None
        members = {
            name: _plain(getattr(part, name), value, given, reading)
            for name in part.__struct_fields__
            if name != "given"
        }
        return part.to_plain({name: each for name, each in members.items() if each or each == []})
    return _referred(value(part), _role(part, reading), given)


def _role(part: Any, reading: Reading) -> str:
    if not isinstance(part, Term):
        return ""
    return next((leaf.domain.role for leaf in reading.call.leaves if leaf.term is part), "")


def _referred(number: Any, role: str, given: Sequence[Given]) -> Any:
    """Return the value, or a reference to what gave it."""
    if role == "process" and number in PIDS:
        return process_number(PIDS.index(number))
    if isinstance(number, bool) or role not in PASSED_ON:
        return number
    near = [g for g in given if g.role == role and g.value <= number <= g.value + g.reach]
    if not near:
        return number
    best = max(near, key=lambda g: (g.value, g.step))
    reference: dict[str, Any] = {"$": best.step, "field": best.field}
    if number != best.value:
        reference["plus"] = number - best.value
    return reference


def _expected(reading: Reading, value: Evaluator, *, last: bool) -> Expected:
    """Return what the spec says of the call with these values."""
    held = [h.rule for h in reading.rejects if value(h.holds)]
    if not any(not rule.reads_state for rule in held):
        vague = [h.rule.id for h in reading.undefined_rules if value(h.holds)]
        if vague:
            return Expected(UNDEFINED, (), tuple(vague))
    named = [rule for rule in held if rule.codes] or held
    if held:
        codes = tuple(sorted({int(code) for rule in named for code in rule.codes}))
        return Expected(REJECTED, codes, tuple(rule.id for rule in named))
    outcome = tuple(rule.id for rule in _accepting(reading, value))
    may = [h.rule for h in reading.may if value(h.holds)]
    if may and last:
        codes = tuple(sorted({int(code) for rule in may for code in rule.codes}))
        return Expected(EITHER, codes, outcome)
    return Expected(ACCEPTED, (), outcome)


def _accepting(reading: Reading, value: Evaluator) -> Iterator[Any]:
    for rule in reading.rules(Kind.ACCEPTS):
        if value(reading.when(rule)):
            yield rule
            return
