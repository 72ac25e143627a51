"""Making failing traces small, with a repetition that the test plays itself."""

from __future__ import annotations

import pytest

from halcert.conformance import reduce
from halcert.conformance.book import references
from halcert.conformance.lab import Broken
from halcert.conformance.reduce import reduced
from halcert.model.concrete import Violation
from halcert.results import TraceStep
from halcert.spec.language import Strength

LONG = 30.0


def broken(steps, rule="RULE", shape="refused"):
    violation = Violation(rule, Strength.MUST, shape, "success", "failure")
    return Broken(violation, steps[-1].interface, steps)


def step(number, name="call", **args):
    return TraceStep(number, name, args)


def ref(number, plus=0):
    return {"$": number, "field": "pp", "plus": plus}


def failing_when(condition):
    """Return a repetition that fails when the condition holds of the steps."""
    seen = []

    def again(steps):
        seen.append(list(steps))
        return broken(steps) if condition(steps) else None

    again.seen = seen
    return again


def numbers(found):
    return [each.number for each in found.steps]


@pytest.mark.parametrize("needed", [set(), {1}, {3, 7}, {2, 9, 17}, {19}, set(range(1, 20, 2))])
def test_only_the_calls_that_are_needed_stay(needed):
    steps = [step(number) for number in range(1, 21)]
    again = failing_when(lambda kept: needed <= {each.number for each in kept})
    assert numbers(reduced(broken(steps), again, LONG)) == sorted(needed | {20})


def test_the_call_that_fails_stays_the_last_one():
    again = failing_when(lambda _: True)
    assert numbers(reduced(broken([step(1), step(2), step(3)]), again, LONG)) == [3]
    assert all(kept[-1].number == 3 for kept in again.seen)


def test_a_call_never_stays_without_those_it_depends_on():
    steps = [
        step(1, "alloc", size=0),
        step(2, "alloc", size=0),
        step(3, "set", dst=ref(1)),
        step(4, "copy", dst=ref(2), src=ref(1)),
        step(5, "list", all=[ref(2, 3)]),
        step(6, "free", pp=ref(2)),
    ]
    again = failing_when(lambda kept: any(each.interface == "free" for each in kept))
    found = reduced(broken(steps), again, LONG)
    assert numbers(found) == [2, 6]
    for kept in again.seen:
        present = {each.number for each in kept}
        assert all(references(each.args) <= present for each in kept)


def test_arguments_become_as_simple_as_the_failure_allows():
    steps = [step(1, size=123_457, flag=0b0111, value=200, at=ref(0, 77), big=[9, 9, 9])]
    again = failing_when(lambda kept: kept[0].args["size"] >= 100 and kept[0].args["flag"] & 2)
    args = reduced(broken(steps), again, LONG).steps[0].args
    assert args == {"size": 128, "flag": 2, "value": 0, "at": ref(0, 0), "big": [0]}


def test_members_of_structures_become_simple_too():
    steps = [step(1, p_copy={"height": 5, "width": 4097, "given": True}, none=None)]
    again = failing_when(lambda kept: kept[0].args["p_copy"]["width"] > 4096)
    args = reduced(broken(steps), again, LONG).steps[0].args
    assert args == {"p_copy": {"height": 0, "width": 4097, "given": True}, "none": None}


@pytest.mark.parametrize(
    "other", [{"rule": "OTHER"}, {"shape": "crashed"}, {"rule": "OTHER", "shape": "content"}]
)
def test_a_smaller_trace_with_another_cause_is_not_taken(other):
    steps = [step(number) for number in range(1, 9)]

    def again(kept):
        if {2, 5} <= {each.number for each in kept}:
            return broken(kept)
        return broken(kept, **other)

    assert numbers(reduced(broken(steps), again, LONG)) == [2, 5, 8]


def test_a_failure_of_another_interface_is_another_cause():
    steps = [step(1, "first"), step(2, "second")]
    found = reduced(broken(steps), lambda _: broken([step(1, "first")]), LONG)
    assert numbers(found) == [1, 2]


def test_a_repetition_that_fails_earlier_is_taken_as_short_as_it_was():
    steps = [step(number) for number in range(1, 9)]
    found = reduced(broken(steps), lambda kept: broken(kept[:1]), LONG)
    assert len(found.steps) == 1


def test_a_failure_that_never_comes_again_stays_as_it_was_met():
    first = broken([step(1, size=5), step(2, size=5)])
    assert reduced(first, lambda _: None, LONG) is first


def test_what_fails_once_only_is_not_taken():
    chances = iter([True])

    def again(steps):
        needed = {each.number for each in steps} >= {2, 3}
        return broken(steps) if needed or next(chances, False) else None

    assert numbers(reduced(broken([step(1), step(2), step(3)]), again, LONG)) == [2, 3]


def test_no_time_means_no_repetition():
    again = failing_when(lambda _: True)
    first = broken([step(1), step(2)])
    assert reduced(first, again, 0) is first
    assert again.seen == []


def test_the_best_so_far_is_returned_when_time_runs_out(monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr(reduce.time, "monotonic", lambda: next(clock))
    steps = [step(number) for number in range(1, 65)]
    again = failing_when(lambda kept: {50, 51} <= {each.number for each in kept})
    found = reduced(broken(steps), again, 12)
    assert len(again.seen) <= 12
    assert {50, 51, 64} <= set(numbers(found))
    assert len(found.steps) < 64


def test_a_long_trace_takes_few_repetitions_for_what_is_not_needed():
    steps = [step(number) for number in range(1, 257)]
    again = failing_when(lambda kept: {100} <= {each.number for each in kept})
    assert numbers(reduced(broken(steps), again, LONG)) == [100, 256]
    assert len(again.seen) < 200


# ---------------------------------------------------------------------- processes and threads


def of(actor, number, name="call", **args):
    return TraceStep(number, name, args, actor=actor)


def actors(found):
    return [each.actor for each in found.steps]


def test_a_process_that_is_not_needed_goes_with_all_of_its_calls():
    steps = [of(0, 1), of(1, 2), of(2, 3), of(1, 4), of(0, 5)]
    again = failing_when(lambda kept: any(each.actor == 1 for each in kept))
    found = reduced(broken(steps), again, LONG)
    assert set(actors(found)) <= {0, 1}
    assert len(found.steps) == 2


def test_one_process_makes_the_calls_of_another_if_it_fails_all_the_same():
    steps = [of(0, 1, "alloc"), of(1, 2, "free", pp=ref(1)), of(1, 3, "last")]
    names = {"alloc", "free", "last"}
    again = failing_when(lambda kept: {each.interface for each in kept} == names)
    assert actors(reduced(broken(steps), again, LONG)) == [0, 0, 0]


def test_processes_that_are_needed_stay():
    steps = [of(0, 1), of(1, 2)]
    again = failing_when(lambda kept: len({each.actor for each in kept}) == 2)
    assert actors(reduced(broken(steps), again, LONG)) == [0, 1]


def test_the_arguments_of_threads_stay_as_they_were_chosen():
    steps = [TraceStep(number, "call", {"size": 77}, thread=number) for number in (1, 2, 3)]
    again = failing_when(lambda kept: len(kept) >= 2)
    found = reduced(broken(steps), again, LONG)
    assert [each.args for each in found.steps] == [{"size": 77}, {"size": 77}]
