"""Theorems: safety properties stated over the state before and after a call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from time import perf_counter
from typing import Any

from halcert.model.concrete.world import World
from halcert.model.proofs.checks import STATUS, note_of
from halcert.model.proofs.filled import filled_at
from halcert.model.proofs.records import (
    INDUCTIVE,
    PROVED,
    REFUTED,
    THEOREM,
    Record,
)
from halcert.model.proofs.situation import ROWS, Situation
from halcert.model.proofs.words import DEVICES
from halcert.model.symbolic.algebra import both, less, negation
from halcert.model.symbolic.helpers import remembering, with_helpers
from halcert.model.symbolic.paths import assumptions, merged
from halcert.model.symbolic.reading import Accepted
from halcert.model.symbolic.solver import Answer
from halcert.model.symbolic.term import Bool, BoolLike, integer
from halcert.spec.catalogue import interfaces, with_used
from halcert.spec.language import Area, Invariant, Theorem
from halcert.spec.language.domain import domain_of
from halcert.spec.profiles import Profile


def start_records(area: Area, profile: Profile, start: float) -> list[Record]:
    """Return for each invariant whether it holds initially."""
    view = World.start(DEVICES).views[0]
    records = []
    for each in area.invariants:
        holds = bool(each.holds(view))
        note = "" if holds else "it does not hold in the initial state"
        status = PROVED if holds else REFUTED
        seconds = round(perf_counter() - start, 4)
        records.append(
            Record(INDUCTIVE, each.id, area.name, profile.generation, status, seconds, note)
        )
        start = perf_counter()
    return records


class Statements:
    """The theorems of one area for one product.

    A statement is a function over ``before``, ``after``, ``call``, ``result`` and ``profile``;
    any further parameter is a number that may be anything within the domain of its annotation.
    It has to hold for every call of the interfaces that it names that is accepted, or fails and
    leaves something, in any valid state; if it names none, of all interfaces of the area and of
    the areas that it uses.
    """

    def __init__(
        self,
        area: Area,
        profile: Profile,
        invariants: tuple[Invariant, ...],
        rows: int = ROWS,
        *,
        second: bool = False,
    ) -> None:
        """Take what is proved, what makes a state valid, and whether two solvers are asked."""
        self.area = area
        self.profile = profile
        self.situations = {
            each.name: Situation(
                each, profile, invariants, rows, filled_at(each, profile), second=second
            )
            for each in (*area.interfaces, *interfaces(with_used(area.uses)).values())
        }

    def records(self) -> list[Record]:
        """Settle every theorem."""
        return [self.record(theorem) for theorem in self.area.theorems]

    def record(self, theorem: Theorem) -> Record:
        """Settle one theorem."""
        start = perf_counter()
        worst, text = Answer.NO, ""
        for name, situation in self.situations.items():
            if theorem.interfaces and name not in theorem.interfaces:
                continue
            reading = situation.reading
            for outcome in (*reading.accepts, *reading.leaves):
                answer, note = self._refuted(theorem, situation, outcome)
                if answer is not Answer.NO:
                    worst = answer
                    text = f"{outcome.rule.id} breaks it: {theorem.summary}\n{note}"
                if answer is Answer.YES:
                    return self._record(theorem, answer, text, start)
        return self._record(theorem, worst, text, start)

    def _refuted(
        self, theorem: Theorem, situation: Situation, outcome: Accepted
    ) -> tuple[Answer, str]:
        free, bounds = _free(theorem.prove)
        given = {
            "before": situation.reading.view,
            "after": outcome.after,
            "call": situation.reading.call.value,
            "result": situation.reading.result.value,
            "profile": self.profile,
            **free,
        }
        names = inspect.signature(theorem.prove).parameters
        run = with_helpers(theorem.prove)
        with assumptions() as assumed, remembering(situation.reading.memo):
            value = merged(lambda: run(**{name: given[name] for name in names}))
        claim: BoolLike = value if isinstance(value, Bool) else bool(value)
        answer, note = situation.refutes(
            claim, situation.accepted(outcome), bounds, *assumed, extra=tuple(free.values())
        )
        return answer, note

    def _record(self, theorem: Theorem, answer: Answer, text: str, start: float) -> Record:
        remarks = [each for s in self.situations.values() for each in s.remarks]
        note = note_of(answer, text, remarks)
        for situation in self.situations.values():
            situation.remarks.clear()
        return Record(
            THEOREM,
            theorem.id,
            self.area.name,
            self.profile.generation,
            STATUS[answer],
            round(perf_counter() - start, 4),
            note,
        )


GIVEN = ("before", "after", "call", "result", "profile")


def _free(statement: Callable[..., Any]) -> tuple[dict[str, Any], BoolLike]:
    """Return a variable for each further parameter of a statement, and their bounds."""
    hints = inspect.get_annotations(statement, eval_str=True)
    free: dict[str, Any] = {}
    bounds: list[BoolLike] = []
    for name in inspect.signature(statement).parameters:
        if name not in GIVEN:
            term = integer(f"any {name}")
            free[name] = term
            domain = domain_of(hints[name])
            if domain is not None:
                bounds += [negation(less(term, domain.low)), negation(less(domain.high, term))]
    return free, both(*bounds)
