"""The table from statements of documents to rules, proofs, tests and verdicts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import msgspec

from halcert.results import Certificate, ProofNote
from halcert.results.matrix import Matrix, TracedRule, TracedStatement
from halcert.spec.catalogue import AREAS, rule, rules
from halcert.spec.chapters import CHAPTERS, Chapter
from halcert.spec.facts import FACTS
from halcert.spec.language import Kind, Rule
from halcert.spec.runtime.sources import RUNTIME
from halcert.spec.sources import SENSE, V2, V3
from halcert.spec.statements import STATEMENTS

COLUMNS = (
    "statement",
    "document",
    "place",
    "text",
    "rule",
    "strength",
    "obligations",
    "vectors",
    "scenarios",
    "verdict",
)
OBSERVED = (SENSE, V2, V3, RUNTIME)
"""Sources that are no documents: rules that come from these alone have rows of their own."""
SCENARIO = "scenario["
NO_PROOFS = "not proved yet: halcert prove"
NO_RUN = "not run yet: halcert certify"
NO_VECTORS = "not searched for yet: halcert vectors"


def matrix(
    proofs: Mapping[str, ProofNote] | None = None,
    certificate: Certificate | None = None,
    vectors: Mapping[str, Sequence[str]] | None = None,
) -> Matrix:
    """Return the table.

    Args:
        proofs: what was proved, by rule, interface and theorem; None if nothing was.
        certificate: the last run; None if there was none.
        vectors: ids of the vectors by rule; None if there are none yet.
    """
    tracer = _Tracer(proofs, certificate, vectors)
    rows = [*tracer.seeds(), *tracer.facts(), *tracer.observations(), *_left_out()]
    return Matrix(tuple(rows))


class _Tracer:
    def __init__(
        self,
        proofs: Mapping[str, ProofNote] | None,
        certificate: Certificate | None,
        vectors: Mapping[str, Sequence[str]] | None,
    ) -> None:
        self._proofs = proofs
        self._vectors = vectors
        self._results = None if certificate is None else {r.id: r for r in certificate.rules}
        self._traced = cache(self._trace)

    def seeds(self) -> Iterable[TracedStatement]:
        """Iterate over the statements of the descriptions."""
        for each in STATEMENTS:
            document = chapter_of(each.place).document
            traced = self._rules(each.rules)
            yield TracedStatement(each.id, document, each.place, each.text, traced)

    def facts(self) -> Iterable[TracedStatement]:
        """Iterate over the facts of headers and API references."""
        for each in FACTS:
            source, traced = each.source, self._rules(each.rules)
            yield TracedStatement(
                each.id, source.document, source.place, each.text, traced, each.reason
            )

    def observations(self) -> Iterable[TracedStatement]:
        """Iterate over what was observed or goes without saying, interface by interface."""
        for interface in dict.fromkeys(each.interface for each in rules()):
            found = [r for r in rules() if r.interface == interface and observed_only(r)]
            if found:
                documents = dict.fromkeys(s.document for r in found for s in r.sources)
                yield TracedStatement(
                    interface,
                    "; ".join(documents),
                    interface,
                    "What no document states: observed in the public sources, or common sense.",
                    self._rules([r.id for r in found]),
                )

    def _rules(self, ids: Sequence[str]) -> tuple[TracedRule, ...]:
        return tuple(self._traced(each) for each in ids)

    def _trace(self, rule_id: str) -> TracedRule:
        found = rule(rule_id)
        if found is None:
            raise KeyError(rule_id)
        cells = {
            "obligations": self._obligations(found),
            "vectors": tuple((self._vectors or {}).get(rule_id, ())),
            "scenarios": self._scenarios(rule_id),
        }
        verdict = self._verdict(rule_id)
        empty = [name for name, cell in cells.items() if not cell]
        reasons = {name: self._reason(name, found) for name in empty}
        if not verdict:
            reasons["verdict"] = self._reason("verdict", found)
        return TracedRule(
            id=rule_id,
            strength=found.strength.value,
            summary=found.summary,
            verdict=verdict,
            open=reasons,
            **cells,
        )

    def _obligations(self, found: Rule) -> tuple[str, ...]:
        notes = self._proofs or {}
        return tuple(
            f"{each.name}: {each.status}"
            for subject in (found.id, found.interface)
            if subject in notes
            for each in notes[subject].obligations
        )

    def _scenarios(self, rule_id: str) -> tuple[str, ...]:
        result = (self._results or {}).get(rule_id)
        tests = result.evidence if result is not None else ()
        return tuple(each for each in tests if each.startswith(SCENARIO))

    def _verdict(self, rule_id: str) -> str:
        result = (self._results or {}).get(rule_id)
        return result.verdict.value if result is not None else ""

    def _reason(self, cell: str, found: Rule) -> str:
        if found.kind is Kind.UNDEFINED and cell != "obligations":
            return "nothing is promised, so nothing is tried"
        if cell == "obligations":
            if self._proofs is None:
                return NO_PROOFS
            universal = found.kind is Kind.UNIVERSAL
            return "judged from several calls together" if universal else NO_PROOFS
        if cell == "vectors":
            return self._no_vectors(found)
        if self._results is None:
            return NO_RUN
        if cell == "verdict":
            return "the last run was for other areas or another product"
        return "shown by other tests" if self._verdict(found.id) == "conforms" else "not shown"

    def _no_vectors(self, found: Rule) -> str:
        if found.kind is Kind.UNIVERSAL:
            return "judged from several calls together"
        return NO_VECTORS if self._vectors is None else "no word of calls that is short enough"


def observed_only(found: Rule) -> bool:
    """Tell whether no document is behind a rule."""
    documents = {each.document for each in OBSERVED}
    return all(each.document in documents for each in found.sources)


def chapter_of(place: str) -> Chapter:
    """Return the chapter that a place lies in.

    Raises:
        KeyError: no chapter is called that way.
    """
    for each in CHAPTERS:
        if place.startswith(each.title):
            return each
    raise KeyError(place)


def _left_out() -> Iterable[TracedStatement]:
    """Iterate over chapters that no statement carries: left out, or not specified yet."""
    for each in CHAPTERS:
        if each.area not in AREAS:
            reason = each.reason or f"the area {each.area} is not specified yet"
            yield TracedStatement("-", each.document, each.title, each.title, (), reason)


# ---------------------------------------------------------------------------------------- written


def matrix_json(table: Matrix) -> str:
    """Return the table as JSON."""
    encoded = msgspec.json.encode(table, order="deterministic")
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def cells_of(table: Matrix) -> Iterable[tuple[str, ...]]:
    """Iterate over the rows of the table as texts: one for each rule of each statement."""
    for row in table.statements:
        head = (row.id, row.document, row.place, row.text)
        if not row.rules:
            yield (*head, *["-"] * (len(COLUMNS) - len(head) - 1), row.reason)
        for each in row.rules:
            yield (
                *head,
                each.id,
                each.strength,
                _cell(each, "obligations", "; ".join(each.obligations)),
                _cell(each, "vectors", " ".join(each.vectors)),
                _cell(each, "scenarios", " ".join(each.scenarios)),
                _cell(each, "verdict", each.verdict),
            )


def _cell(each: TracedRule, name: str, text: str) -> str:
    return text or f"({each.open[name]})"


def matrix_csv(table: Matrix) -> str:
    """Return the table as CSV, with a line for each rule of each statement."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(cells_of(table))
    return text.getvalue()
