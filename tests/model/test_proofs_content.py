"""What the rules of an interface say is told apart from how they are worded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from halcert.model.proofs.content import content_of
from halcert.model.proofs.mutations import mutations
from halcert.spec.catalogue import interfaces

FREE = interfaces()["halMemFree"]


def with_first(**changes):
    first, *others = FREE.rules
    return replace(FREE, rules=(replace(first, **changes), *others))


def test_interfaces_say_different_things():
    found = {content_of(each) for each in interfaces().values()}
    assert len(found) == len(interfaces())


@pytest.mark.parametrize("changes", [{"summary": "other words"}, {"sources": ()}])
def test_other_words_say_the_same(changes):
    assert content_of(with_first(**changes)) == content_of(FREE)


def test_the_order_of_rules_says_nothing():
    assert content_of(replace(FREE, rules=FREE.rules[::-1])) == content_of(FREE)


def test_a_condition_that_was_changed_says_something_else():
    for mutation in mutations(FREE, FREE.rules[1]):
        assert content_of(mutation.interface) != content_of(FREE), mutation.id


def test_a_helper_that_was_changed_counts(monkeypatch):
    rule = next(each for each in FREE.rules if "allocated" in _helpers(each))
    before = content_of(replace(FREE, rules=(rule,)))
    other = interfaces()["halMemAlloc"].rules[0].function
    monkeypatch.setitem(rule.function.__globals__, "allocated", other)
    assert content_of(replace(FREE, rules=(rule,))) != before


def _helpers(rule):
    return rule.function.__code__.co_names
