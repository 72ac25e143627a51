"""No statement of a document without a rule or a reason, no rule without a source."""

import re
from operator import attrgetter

from every import for_every

from halcert.spec.catalogue import AREA_NAMES, AREAS, rule, rules
from halcert.spec.chapters import CHAPTERS
from halcert.spec.facts import FACTS
from halcert.spec.runtime.sources import ACL_HEADER
from halcert.spec.sources import API, DEFINES, HEADER, MODULE_DOC
from halcert.spec.statements import STATEMENTS

DOCUMENTS = {each.document for each in (ACL_HEADER, API, DEFINES, HEADER, MODULE_DOC)}
CARRIERS = {each for stated in (*STATEMENTS, *FACTS) for each in stated.rules}


def test_ids_of_facts_are_well_formed_unique_and_ascend_within_an_area():
    ids = [each.id for each in FACTS]
    assert all(re.fullmatch(r"FACT-[A-Z]+-\d{2}", each) for each in ids)
    assert len(set(ids)) == len(ids)
    for area in {each.split("-")[1] for each in ids}:
        own = [each for each in ids if each.split("-")[1] == area]
        assert own == sorted(own)


@for_every(FACTS)
def test_a_fact_has_a_place_in_a_document_and_a_sentence(fact):
    assert fact.source.document in DOCUMENTS
    assert fact.source.place
    assert fact.text.endswith(".")


@for_every(FACTS)
def test_a_fact_is_carried_by_rules_or_left_out_for_a_reason(fact):
    assert bool(fact.rules) != bool(fact.reason)
    assert [each for each in fact.rules if rule(each) is None] == []
    assert len(set(fact.rules)) == len(fact.rules)


@for_every(list(rules()))
def test_a_rule_that_cites_a_document_carries_one_of_its_statements(found):
    if any(each.document in DOCUMENTS for each in found.sources):
        assert found.id in CARRIERS


def test_every_statement_stands_in_one_chapter_of_its_area():
    for each in STATEMENTS:
        found = [chapter for chapter in CHAPTERS if each.place.startswith(chapter.title)]
        assert len(found) == 1, each.id
        assert found[0].area == each.id.split("-")[1].lower()


@for_every(CHAPTERS, name=attrgetter("title"))
def test_a_chapter_is_carried_by_statements_or_left_out_for_a_reason(chapter):
    assert bool(chapter.area) != bool(chapter.reason)
    assert chapter.area in ("", *AREA_NAMES)
    if chapter.area in AREAS:
        assert any(each.place.startswith(chapter.title) for each in STATEMENTS)
