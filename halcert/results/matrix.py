"""The way from what documents state to verdicts: one row for each statement, as plain data."""

from __future__ import annotations

import msgspec

FORMAT = "halcert-matrix/1"


class TracedRule(msgspec.Struct, frozen=True):
    """A rule and what became of it.

    Attributes:
        id: id of the rule.
        strength: MUST, SHOULD, MAY or UNDEFINED.
        summary: the rule in plain English.
        obligations: what was to be proved of the rule and of its interface, each with its status.
        vectors: ids of the generated tests that end in the rule.
        scenarios: names of the flows that showed the rule in the last run.
        verdict: what the last run says of the rule.
        open: why a cell is empty, by the name of the cell.
    """

    id: str
    strength: str
    summary: str
    obligations: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    verdict: str = ""
    open: dict[str, str] = {}


class TracedStatement(msgspec.Struct, frozen=True):
    """Something that a document states, or that was observed, and the rules that carry it.

    Attributes:
        id: id of the statement; for observations the name of the interface.
        document: where it stands.
        place: the place in it.
        text: what it says, in our words.
        rules: the rules that carry it.
        reason: why no rule does; empty where one does.
    """

    id: str
    document: str
    place: str
    text: str
    rules: tuple[TracedRule, ...] = ()
    reason: str = ""


class Matrix(msgspec.Struct, frozen=True):
    """The whole table.

    Attributes:
        statements: one row for each statement, document by document.
        halcert: version of halcert.
        spec: digest of the specification.
        proofs: where the proofs are from; empty if there are none.
        certificate: which run the verdicts are from; empty if there is none.
        format: name and version of the format.
    """

    statements: tuple[TracedStatement, ...]
    halcert: str = ""
    spec: str = ""
    proofs: str = ""
    certificate: str = ""
    format: str = FORMAT
