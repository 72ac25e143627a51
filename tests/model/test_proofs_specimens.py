"""Witnesses that are written down are carried out again, and only believed as far as that goes."""

from __future__ import annotations

import json

import msgspec
import pytest

from halcert.model.proofs import specimens
from halcert.model.proofs.content import content_of
from halcert.model.proofs.run import representatives
from halcert.model.proofs.search import Search
from halcert.model.proofs.specimens import ALONE, Page, Specimen, spoken
from halcert.model.proofs.work import SEARCH, Recall, Task, carry_out
from halcert.spec.catalogue import interfaces, rule

NAME = "drvMemAddressTranslate"
RULE = "SVM-TRANS-010"
PRODUCT = "ascend910b"
TRANSLATE = Task(SEARCH, PRODUCT, ("svm",), (NAME,))


@pytest.fixture(scope="module")
def searched():
    """Return what a search gives, with what can be written down."""
    return carry_out(msgspec.structs.replace(TRANSLATE, recall=Recall.WORDS))


@pytest.fixture
def written(monkeypatch, searched):
    """Have the found pages written down, and note which rules are searched for."""
    pages, sought = dict(searched.pages), []
    recall = Search.recall

    def noted(self, wanted, known):
        sought.extend(each.id for each in wanted)
        return recall(self, wanted, known)

    monkeypatch.setattr(specimens, "written", lambda _: pages)
    monkeypatch.setattr(Search, "recall", noted)
    return pages, sought


def statuses(found):
    return {(each.id, each.status) for each in found.records}


def by_id(found):
    return {each.id: each for each in found.witnesses}


def changed(page, rule_id, **changes):
    """Return a page with the first specimen of a rule changed."""
    place = next(n for n, each in enumerate(page.specimens) if each.rule == rule_id)
    found = list(page.specimens)
    found[place] = msgspec.structs.replace(found[place], **changes)
    return msgspec.structs.replace(page, specimens=tuple(found))


def test_what_is_written_down_gives_what_a_search_gave(written, searched):
    _, sought = written
    found = carry_out(TRANSLATE)
    assert statuses(found) == statuses(searched)
    assert by_id(found) == by_id(searched)
    assert sought == []


def test_one_rule_can_be_asked_about(written, searched):
    found = carry_out(msgspec.structs.replace(TRANSLATE, only=RULE))
    assert {each.rule for each in found.witnesses} == {RULE}
    assert {each.subject for each in found.records} == {RULE}
    assert by_id(found).items() <= by_id(searched).items()


def test_a_page_of_other_rules_does_not_count(written, searched):
    pages, sought = written
    pages[NAME] = msgspec.structs.replace(pages[NAME], content="something else")
    found = carry_out(TRANSLATE)
    assert by_id(found) == by_id(searched)
    assert RULE in sought


@pytest.mark.parametrize(
    "calls",
    [
        ("halMemAlloc size=4096 =pp=0x12c000000000", f"{NAME} vptr=0x12c000000000"),
        (f"{NAME} vptr=0x12c000000000 =nothing=1", "halMemNothing"),
        ("halMemAlloc =pp=0x12c000000000", f"{NAME} vptr=0x12c000000000"),
    ],
    ids=["shows another rule", "calls what there is not", "begins with what is refused"],
)
def test_calls_that_do_not_show_the_rule_are_searched_for_anew(written, searched, calls):
    pages, sought = written
    pages[NAME] = changed(pages[NAME], RULE, calls=calls)
    found = carry_out(TRANSLATE)
    assert by_id(found) == by_id(searched)
    assert statuses(found) == statuses(searched)
    assert RULE in sought


def test_a_rule_that_calls_do_not_let_decide_alone_is_searched_for(written, searched):
    """Two rules hold of a call; that they are told to show each alone makes it no less so."""
    pages, sought = written
    page = pages[NAME]
    alone = next(each for each in page.specimens if each.note == ALONE)
    reach = next(e for e in page.specimens if e.rule == alone.rule and not e.note)
    lie = msgspec.structs.replace(alone, calls=reach.calls)
    rest = tuple(each for each in page.specimens if each is not alone)
    pages[NAME] = msgspec.structs.replace(page, specimens=(*rest, lie))
    assert statuses(carry_out(TRANSLATE)) == statuses(searched)
    assert alone.rule in sought


def test_a_book_is_read_as_it_was_written(tmp_path, monkeypatch):
    calls = ("halMemAlloc size=4096 =pp=0x12c000000000", "halMemFree@1 pp=0x12c000000000")
    pages = {
        "halMemFree": Page("a1", (Specimen("B-2", "", calls), Specimen("A-1", "x, at", calls[1:]))),
        "halMemAlloc": Page("b2", (Specimen("C-3", "", calls[:1]),)),
    }
    place = tmp_path / "witnesses.json"
    specimens.write({"ascend950": pages}, place)
    monkeypatch.setattr(specimens, "PLACE", place)
    specimens.written.cache_clear()
    assert specimens.written("ascend950") == pages
    assert specimens.written("ascend910b") == {}
    specimens.written.cache_clear()
    assert len(json.loads(place.read_text())["ascend950"]["beginnings"]) == 1


def test_a_call_is_told_with_its_process_and_results():
    told = spoken(f"halMemAlloc@2 flag.virt=3 size=0x12c000000000 name.token={2**500} =pp=1")
    assert told.interface == "halMemAlloc"
    assert told.process == 2
    assert told.values == {
        "flag.virt": 3,
        "size": 0x12C0_0000_0000,
        "name.token": 2**500,
        "=pp": 1,
    }


@pytest.mark.parametrize("product", [each.name for each in representatives()])
def test_what_is_written_down_is_of_todays_rules(product):
    """If this fails: halcert prove --record-witnesses model/proofs/witnesses.json."""
    pages, known = specimens.written(product), interfaces()
    with_rules = {n for n, i in known.items() if any(r.applies_to(product) for r in i.rules)}
    assert set(pages) == with_rules
    stale = [name for name in pages if pages[name].content != content_of(known[name])]
    assert stale == []
    for name, page in pages.items():
        for each in page.specimens:
            found = rule(each.rule)
            assert found is not None
            assert found.interface == name
            assert found.applies_to(product)
