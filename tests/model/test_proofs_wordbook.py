"""Words that are written down are tried before any are searched for, and prove nothing else."""

from __future__ import annotations

import msgspec
import pytest

from halcert.model.proofs import wordbook
from halcert.model.proofs.content import content_of
from halcert.model.proofs.run import representatives
from halcert.model.proofs.search import Search
from halcert.model.proofs.wordbook import Noted, area_of, steps_of, text_of
from halcert.model.proofs.work import SEARCH, Recall, Task, carry_out
from halcert.spec.catalogue import AREAS, interfaces, rule
from halcert.spec.profiles import PROFILES

RULE = "SVM-TRANS-010"
WORD = "svm: SVM-OPEN-010 SVM-ALLOC-040"
TRANSLATE = Task(
    SEARCH, "ascend910b", ("svm",), ("drvMemAddressTranslate",), only=RULE, recall=Recall.WORDS
)


@pytest.fixture
def written(monkeypatch):
    """Have something written down for the rule, and count the words that are searched."""
    book, runs = {}, []
    run = Search.run

    def counted(self, wanted, *args, **more):
        runs.append([each.id for each in wanted])
        return run(self, wanted, *args, **more)

    monkeypatch.setattr(wordbook, "written", lambda _: book)
    monkeypatch.setattr("halcert.model.proofs.work.written", lambda _: book)
    monkeypatch.setattr(Search, "run", counted)
    return book, runs


def statuses(found):
    return {each.kind: each.status for each in found.records}


def test_a_written_word_is_enough(written):
    book, runs = written
    book[RULE] = Noted(reach=WORD, alone=WORD)
    found = carry_out(TRANSLATE)
    assert runs == []
    assert statuses(found) == {"reachable": "proved", "not shadowed": "proved"}
    assert [step.interface for step in found.witnesses[0].steps] == [
        "halMemAgentOpen",
        "halMemAlloc",
        "drvMemAddressTranslate",
    ]


@pytest.mark.parametrize(
    "word", ["svm: SVM-OPEN-010", "svm: SVM-OPEN-010 SVM-NOTHING-001", "svm: SVM-ALLOC-040"]
)
def test_a_word_after_which_the_rule_does_not_decide_is_searched_for_anew(written, word):
    book, runs = written
    book[RULE] = Noted(reach=word, alone=word)
    found = carry_out(TRANSLATE)
    assert runs[0] == [RULE]
    assert statuses(found) == {"reachable": "proved", "not shadowed": "proved"}
    assert len(found.witnesses[0].steps) == 3


def test_what_is_searched_for_is_what_can_be_written_down(written):
    _, runs = written
    found = carry_out(msgspec.structs.replace(TRANSLATE, recall=Recall.NOTHING))
    assert runs
    assert area_of(found.noted[RULE].alone) == "svm"
    assert steps_of(found.noted[RULE].alone) == steps_of(WORD)


def test_a_rule_is_not_spared_that_no_valid_state_lets_decide_alone(written):
    book, runs = written
    book[RULE] = Noted(reach=WORD, spared=True)
    found = carry_out(TRANSLATE)
    assert statuses(found)["not shadowed"] == "proved"
    assert found.noted[RULE].alone == WORD
    assert runs == []


def test_the_process_of_a_call_is_told_where_it_is_not_the_first():
    assert steps_of("sharing: A-1 B-2@1") == ((0, "A-1"), (1, "B-2"))
    assert area_of("sharing: A-1 B-2@1") == "sharing"


def test_a_word_is_read_as_it_is_written():
    found = carry_out(msgspec.structs.replace(TRANSLATE, recall=Recall.NOTHING))
    text = found.noted[RULE].alone
    spelled = wordbook.Spelling(AREAS["svm"].interfaces, PROFILES["ascend910b"]).word(
        steps_of(text)
    )
    assert text_of("svm", spelled) == text


def test_everything_written_down_speaks_of_rules_that_there_are():
    book = msgspec.json.decode(wordbook.PLACE.read_bytes(), type=wordbook.Book)
    assert set(book) == {each.name for each in representatives()}
    for profile, rules in book.items():
        for rule_id, noted in rules.items():
            words = [each for each in (noted.reach, noted.alone, *noted.shown.values()) if each]
            named = {rule_id, *(step for word in words for _, step in steps_of(word))}
            assert all(rule(each) and rule(each).applies_to(profile) for each in named), rule_id
            assert {area_of(each) for each in words} <= set(AREAS)


def test_a_book_is_read_as_it_was_written(tmp_path):
    book = {
        "ascend950": {"B-2": Noted(alone="svm: A-1"), "A-1": Noted(reach="svm: B-2", spared=True)}
    }
    wordbook.write(book, tmp_path / "words.json")
    text = (tmp_path / "words.json").read_text()
    assert msgspec.json.decode(text, type=wordbook.Book) == book
    assert text.index("A-1") < text.index("B-2")


@pytest.mark.parametrize("same", [True, False])
def test_slips_are_looked_for_again_when_the_rules_say_something_else(written, same):
    book, _ = written
    rule_id, change = "SVM-TRANS-011", "NotEq of result.pptr != poison(64)"
    known = content_of(interfaces()[TRANSLATE.subjects[0]])
    book[rule_id] = Noted(vain=(change,), content=known if same else "something else")
    found = carry_out(msgspec.structs.replace(TRANSLATE, only=rule_id)).noted[rule_id]
    assert (change in found.vain) is same
    assert found.content == known
