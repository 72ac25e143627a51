"""Counts of parallel parts of a run add up."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from halcert.conformance.choices import Choice
from halcert.conformance.tally import COUNTS, EVIDENCE_KEPT, Tally, by_rule
from halcert.model.concrete import Judgement, Violation, World
from halcert.results import Topic
from halcert.spec.language import Strength

WORLD = World({})
BROKEN = Violation("R", Strength.MUST, "code", "", "")
NUMBERS = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 9), max_size=4)
NAMES = [f"{sort}[{name}]" for sort in ("witness", "scenario") for name in "tuvwxyz"]
EVIDENCE = st.dictionaries(
    st.sampled_from("abcd"), st.lists(st.sampled_from(NAMES), max_size=3, unique=True)
)
TALLIES = st.builds(Tally, evidence=EVIDENCE, **dict.fromkeys(COUNTS, NUMBERS))


def copy(tally):
    return msgspec.convert(msgspec.to_builtins(tally), Tally)


@given(st.lists(TALLIES, max_size=5))
def test_every_count_is_the_sum_of_the_parts(parts):
    whole = Tally()
    for part in parts:
        whole.merge(part)
    for name in COUNTS:
        for key in "abcd":
            total = sum(getattr(part, name).get(key, 0) for part in parts)
            assert getattr(whole, name).get(key, 0) == total


@given(TALLIES, TALLIES)
def test_the_part_that_is_added_stays_as_it_was(one, other):
    before = copy(other)
    one.merge(other)
    one.show(["a"], "later")
    assert other == before


def test_what_a_call_answered_is_counted_for_every_rule_that_had_a_say():
    tally = Tally()
    tally.add("call", 3, Judgement(WORLD, None, ("shown",), ("held", "shown")), "a test")
    tally.add("call", 0, Judgement(WORLD, None, ("shown",)), "a test")
    tally.add("call", 3, Judgement(WORLD, None, ("shown",)), "a test")
    assert by_rule(tally.codes) == {"shown": {"3": 2, "0": 1}, "held": {"3": 1}}


@given(st.lists(TALLIES, max_size=4))
def test_the_first_few_tests_of_each_sort_are_named_each_once(parts):
    whole = Tally()
    for part in parts:
        whole.merge(part)
    for rule, tests in whole.evidence.items():
        known = list(dict.fromkeys(t for part in parts for t in part.evidence.get(rule, [])))
        for sort in ("witness", "scenario"):
            of_sort = [each for each in known if each.startswith(sort)]
            assert [each for each in tests if each.startswith(sort)] == of_sort[:EVIDENCE_KEPT]


@given(TALLIES)
def test_a_tally_survives_the_way_between_processes(tally):
    assert copy(tally) == tally


def test_a_success_counts_as_shown_and_as_accepted():
    tally = Tally()
    tally.add("call", 0, Judgement(WORLD, None, ("R", "S")), "test")
    assert tally.calls == {"call": 1}
    assert tally.shown == {"R": 1, "S": 1}
    assert tally.accepted == {"call": 1}
    assert tally.evidence == {"R": ["test"], "S": ["test"]}


def test_a_refusal_counts_the_rules_that_held_and_not_as_accepted():
    tally = Tally()
    tally.add("call", 3, Judgement(WORLD, None, ("R",), ("R",)), "test")
    assert tally.held == {"R": 1}
    assert tally.accepted == {}
    assert tally.choices == {}


def test_choices_are_told_by_topic_with_the_most_frequent_answer_first():
    tally = Tally()
    tally.chose([Choice(Topic.ADDRESS, "halMemAlloc", "below the one before")])
    tally.chose([Choice(Topic.CODE, "R S", "B")] + 2 * [Choice(Topic.CODE, "R S", "A")])
    codes, addresses = tally.observed()
    assert (codes.topic, codes.about, list(codes.seen.items())) == (
        Topic.CODE,
        "R S",
        [("A", 2), ("B", 1)],
    )
    assert addresses.seen == {"below the one before": 1}


def test_a_violation_shows_nothing():
    tally = Tally()
    tally.add("call", 0, Judgement(WORLD, BROKEN, ("S",), ("R",)), "test")
    assert tally.shown == {}
    assert tally.calls == {"call": 1}
