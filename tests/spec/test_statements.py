"""From the sentences of the module description to the rules, and back."""

import re

from every import for_every

from halcert.spec.catalogue import rule
from halcert.spec.language import Strength
from halcert.spec.statements import STATEMENTS, statements_of


def test_ids_are_well_formed_unique_and_ascending():
    ids = [each.id for each in STATEMENTS]
    assert all(re.fullmatch(r"SEED-[A-Z]+-\d{2}", each) for each in ids)
    assert ids == sorted(set(ids))


@for_every(STATEMENTS)
def test_a_statement_is_carried_by_rules_that_exist(statement):
    assert statement.rules
    assert [each for each in statement.rules if rule(each) is None] == []
    assert len(set(statement.rules)) == len(statement.rules)


@for_every(STATEMENTS)
def test_a_statement_is_carried_by_a_rule_that_a_certificate_needs(statement):
    strengths = {rule(each).strength for each in statement.rules}
    assert Strength.MUST in strengths or statement.id == "SEED-SVM-11"
    assert Strength.UNDEFINED not in strengths


@for_every(STATEMENTS)
def test_a_statement_has_a_place_and_a_sentence(statement):
    assert statement.place
    assert statement.text.endswith(".")


def test_a_rule_leads_back_to_its_sentences():
    assert [each.id for each in statements_of("SVM-SET-010")] == [
        "SEED-SHARING-03",
        "SEED-SHARING-08",
        "SEED-SVM-05",
        "SEED-SVM-08",
        "SEED-VMM-08",
    ]
    assert list(statements_of("SVM-COPY-014")) == []
