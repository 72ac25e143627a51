"""Proofs as the reports read them: one note for each rule, with its obligations and witness."""

from __future__ import annotations

from collections.abc import Iterable

from halcert.model.proofs.records import Record
from halcert.model.proofs.witness import Witness
from halcert.results import Obligation, ProofNote, TraceStep


def notes_of(records: Iterable[Record], witnesses: Iterable[Witness]) -> list[ProofNote]:
    """Return a note for every rule, interface, invariant and theorem that was looked at."""
    shortest = _shortest(witnesses)
    by_subject: dict[str, list[Obligation]] = {}
    for record in records:
        obligation = Obligation(
            f"{record.kind} ({record.generation})",
            record.status,
            record.seconds,
            record.note,
            record.scope,
        )
        by_subject.setdefault(record.subject, []).append(obligation)
    return [
        ProofNote(
            subject,
            tuple(sorted(found, key=lambda each: each.name)),
            plan(shortest[subject]) if subject in shortest else (),
        )
        for subject, found in by_subject.items()
    ]


def _shortest(witnesses: Iterable[Witness]) -> dict[str, Witness]:
    found: dict[str, Witness] = {}
    for each in witnesses:
        old = found.get(each.rule)
        if each.kind == "rule" and (old is None or _rank(each) < _rank(old)):
            found[each.rule] = each
    return found


def _rank(witness: Witness) -> tuple[int, str]:
    return len(witness.steps), witness.profile


def plan(witness: Witness) -> tuple[TraceStep, ...]:
    """Return the calls of a witness as the steps of a trace that is only a plan."""
    return tuple(
        TraceStep(number, step.interface, step.args, actor=step.actor)
        for number, step in enumerate(witness.steps, start=1)
    )
