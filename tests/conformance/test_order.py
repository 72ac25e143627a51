"""Tests of several sorts in one order."""

from hypothesis import given
from hypothesis import strategies as st

from halcert.adapters.protocol import Options
from halcert.conformance.campaign import directed
from halcert.conformance.order import in_turn, spread
from halcert.conformance.target import Target
from halcert.conformance.witness import witness_activities

LISTS = st.lists(st.integers(), max_size=8)
RUNTIME = Target("acl", Options(), "ascend910b", ("soma", "runtime", "ipc", "physical"), (0, 1))


def test_groups_take_turns_and_the_longest_ends_alone():
    assert list(in_turn([["a", "b", "c"], [], ["x"], ["p", "q"]])) == list("axpbqc")


@given(LISTS, LISTS)
def test_each_group_keeps_its_order_and_is_spread_over_the_whole(few, many):
    few, many = [("few", n) for n in few], [("many", n) for n in many]
    merged = list(spread(few, many))
    assert [each for each in merged if each[0] == "few"] == few
    assert [each for each in merged if each[0] == "many"] == many
    for place in range(len(merged)):
        seen = sum(each[0] == "few" for each in merged[:place])
        assert abs(seen - place * len(few) / len(merged)) <= 1


def test_a_flow_of_the_last_area_need_not_wait_for_the_flows_of_the_others():
    tests = directed(RUNTIME, 0, [])
    first = {each.area for each in tests[: len(RUNTIME.areas)]}
    assert first == set(RUNTIME.areas)


def test_no_flow_waits_until_every_rule_was_shown():
    tests = directed(RUNTIME, 0, witness_activities(RUNTIME.areas, RUNTIME.profile))
    flows = [n for n, each in enumerate(tests) if each.kind == "scenario"]
    rules = [n for n, each in enumerate(tests) if each.kind == "witness" and ":" not in each.name]
    assert max(flows) < max(rules)
    assert len([n for n in flows if n < min(rules)]) < len(flows)
