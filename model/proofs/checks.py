"""The obligations of one interface that need no search: they speak of any valid state."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from time import perf_counter

from halcert.model.proofs.cone import invariant_holds
from halcert.model.proofs.records import (
    FRAMED,
    INDUCTIVE,
    PROVED,
    REFUTED,
    TOTAL,
    UNAMBIGUOUS,
    UNSETTLED,
    Record,
)
from halcert.model.proofs.situation import Situation
from halcert.model.symbolic.algebra import either, negation
from halcert.model.symbolic.reading import Accepted
from halcert.model.symbolic.solver import Answer
from halcert.model.symbolic.state import changed_tables, differs, keyed, named
from halcert.model.symbolic.term import BoolLike, integer

STATUS = {Answer.NO: PROVED, Answer.YES: REFUTED, Answer.UNKNOWN: UNSETTLED}
TIMED_OUT = "the solver found no answer in time"


class Checks:
    """The checks of one interface for one generation."""

    def __init__(self, situation: Situation) -> None:
        """Take the situation in which everything is proved."""
        self.situation = situation
        self.reading = situation.reading

    def run(self) -> Iterator[Record]:
        """Settle every obligation."""
        outcomes = self.reading.accepts
        yield self.total(outcomes)
        yield self.unambiguous(outcomes)
        for outcome in (*outcomes, *self.reading.leaves):
            yield self.framed(outcome)
            yield self.inductive(outcome)

    def total(self, outcomes: tuple[Accepted, ...]) -> Record:
        """Some outcome applies, whatever the state and arguments."""
        start = perf_counter()
        claim = either(
            self.reading.refused,
            *(held.holds for held in self.reading.undefined_rules),
            *(outcome.applies for outcome in outcomes),
        )
        answer, note = self.situation.refutes(claim, self.reading.call.bounds)
        text = f"no outcome applies:\n{note}"
        return self.record(TOTAL, self.reading.interface.name, answer, text, start)

    def unambiguous(self, outcomes: tuple[Accepted, ...]) -> Record:
        """No two accepting outcomes with different effects apply, unless they are a choice."""
        start = perf_counter()
        worst, text = Answer.NO, ""
        for one, other in combinations(outcomes, 2):
            if one.rule.choice and other.rule.choice:
                continue
            answer, note = self.situation.refutes(
                negation(_different(one, other)),
                self.reading.acceptable,
                one.applies,
                other.applies,
            )
            if answer is not Answer.NO:
                worst = answer
                text = f"{one.rule.id} and {other.rule.id} both apply and differ:\n{note}"
        return self.record(UNAMBIGUOUS, self.reading.interface.name, worst, text, start)

    def framed(self, outcome: Accepted) -> Record:
        """An outcome changes only the tables that it declares."""
        start = perf_counter()
        before = self.reading.view
        for name in changed_tables(before, outcome.after):
            if name in outcome.rule.changes:
                continue
            differ = _differ(name, before, outcome.after)
            answer, note = self.situation.refutes(
                negation(differ), self.situation.accepted(outcome)
            )
            if answer is not Answer.NO:
                text = f"{name} changes, which is not declared:\n{note}"
                return self.record(FRAMED, outcome.rule.id, answer, text, start)
        return self.record(FRAMED, outcome.rule.id, Answer.NO, "", start)

    def inductive(self, outcome: Accepted) -> Record:
        """The invariants hold after the call if they held before.

        Each is asked for on its own: together they take the solver many times as long.
        """
        start = perf_counter()
        changed = changed_tables(self.reading.view, outcome.after)
        touched = [i for i in self.situation.invariants if set(i.reads) & set(changed)]
        claims: list[tuple[str, BoolLike]] = [
            (f"{i.id} ({i.summary})", invariant_holds(i, outcome.after)) for i in touched
        ]
        claims += [
            ("that keys are unique", keyed(outcome.after, changed)),
            ("that names of memory objects are positive", named(outcome.after)),
        ]
        worst, text = Answer.NO, ""
        accepted = self.situation.accepted(outcome)
        for name, claim in claims:
            answer, note = self.situation.refutes(claim, accepted)
            if answer is Answer.YES:
                text = f"the call breaks {name}:\n{note}"
                return self.record(INDUCTIVE, outcome.rule.id, answer, text, start)
            if answer is Answer.UNKNOWN:
                worst, text = answer, name
        return self.record(INDUCTIVE, outcome.rule.id, worst, text, start)

    def record(self, kind: str, subject: str, answer: Answer, text: str, start: float) -> Record:
        """Return the record of an obligation whose negation got this answer."""
        note = note_of(answer, text, self.situation.remarks)
        return Record(
            kind=kind,
            subject=subject,
            area=self.reading.interface.area,
            generation=self.reading.profile.generation,
            status=STATUS[answer],
            seconds=round(perf_counter() - start, 4),
            note=note,
        )


def note_of(answer: Answer, text: str, remarks: list[str]) -> str:
    """Return the note of an obligation: a counterexample, or why it is not settled."""
    said = "; ".join(dict.fromkeys(remarks))
    remarks.clear()
    if answer is Answer.YES:
        return text
    if answer is Answer.UNKNOWN:
        reason = said or TIMED_OUT
        return f"{reason}: {text}" if text else reason
    return said


def _differ(name: str, before: object, after: object) -> BoolLike:
    """Return whether a part of the state differs; of contents, one arbitrary byte is asked."""
    one, other = getattr(before, name), getattr(after, name)
    if name != "contents":
        return differs(one, other)
    memory, offset = integer("some object"), integer("some offset")
    return either(
        one.byte(memory, offset) != other.byte(memory, offset), one.fresh() != other.fresh()
    )


def _different(one: Accepted, other: Accepted) -> BoolLike:
    """Return whether two outcomes lead to different states."""
    names = changed_tables(one.after, other.after)
    return either(*(_differ(name, one.after, other.after) for name in names))
