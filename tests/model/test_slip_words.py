"""Words that show slips of the pen are searched for as words by which rules decide."""

from __future__ import annotations

from halcert.model.proofs.mutations import mutations
from halcert.model.proofs.slip_words import Question
from halcert.model.proofs.slips import Slip
from halcert.model.proofs.wordbook import area_of, steps_of
from halcert.model.proofs.work import SEARCH, Task, _Further
from halcert.spec.catalogue import interfaces, rule
from halcert.spec.language import Kind
from halcert.spec.profiles import PROFILES

PRODUCT = "ascend910b"
TASK = Task(SEARCH, PRODUCT, ("svm",), ("halMemFree",))


def slip(rule_id, change):
    right = rule(rule_id)
    found = next(
        each for each in mutations(interfaces()[right.interface], right) if each.change == change
    )
    wrong = next(each for each in found.interface.rules if each.id == rule_id)
    return Slip(right, wrong, found, ())


def test_a_question_holds_where_right_and_wrong_differ():
    asked = Question(0, slip("SVM-FREE-001", "0 +1"))
    parse = interfaces()["halMemFree"].parse
    assert [asked.rule.function(parse({"pp": n})) for n in (0, 1, 2)] == [True, True, False]


def test_a_question_accepts_nothing_and_has_a_name_of_its_own():
    asked = Question(3, slip("SVM-FREE-001", "0 +1"))
    assert asked.interface.name == "halMemFree?3"
    assert not any(each.kind is Kind.ACCEPTS for each in asked.interface.rules)
    assert asked.rule in asked.interface.rules
    assert rule("SVM-FREE-001") not in asked.interface.rules


def test_a_word_is_found_after_which_a_call_shows_a_slip():
    asked = slip("SVM-FREE-004", "without 1: _stays_locked(state, block, profile)")
    (found,) = _Further(TASK, PROFILES[PRODUCT], ("svm",))([asked])
    assert found.changed is asked.changed
    assert area_of(found.word) == "svm"
    assert all(rule(each) for _, each in steps_of(found.word))
