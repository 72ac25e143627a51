"""What the module description states, sentence by sentence, and the rules that carry it.

This is the way from a sentence in a document to the rules, and from a rule back to the sentences
behind it. The words are ours; ``place`` says where the description says it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from halcert.spec.runtime.statements import RUNTIME_STATEMENTS
from halcert.spec.sharing.statements import SHARING_STATEMENTS
from halcert.spec.soma.statements import SOMA_STATEMENTS
from halcert.spec.svm.statements import SVM_STATEMENTS
from halcert.spec.uvm.statements import UVM_STATEMENTS
from halcert.spec.vmm.statements import VMM_STATEMENTS


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of the module description.

    Attributes:
        id: ``SEED-AREA-NN``, never reused.
        place: chapter and paragraph of the description.
        text: what it says, in our words.
        rules: ids of the rules that carry it.
    """

    id: str
    place: str
    text: str
    rules: tuple[str, ...]


STATEMENTS: tuple[Statement, ...] = tuple(
    Statement(*each)
    for each in (
        *RUNTIME_STATEMENTS,
        *SHARING_STATEMENTS,
        *SOMA_STATEMENTS,
        *SVM_STATEMENTS,
        *UVM_STATEMENTS,
        *VMM_STATEMENTS,
    )
)
"""All statements, area by area, each in the order of the description."""


def statements_of(rule_id: str) -> Iterator[Statement]:
    """Iterate over the statements that a rule carries."""
    return (each for each in STATEMENTS if rule_id in each.rules)


def sentences_by_rule() -> dict[str, list[str]]:
    """Return, for each rule that carries statements, what they say and where."""
    found: dict[str, list[str]] = {}
    for statement in STATEMENTS:
        for rule_id in statement.rules:
            found.setdefault(rule_id, []).append(f"{statement.place}: {statement.text}")
    return found
