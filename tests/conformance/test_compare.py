"""Comparing two implementations: what counts as a difference, and what does not."""

import io
import json

import jsonschema
import pytest
from rich.console import Console

from halcert.conformance.compare import choice_of, compared, sides
from halcert.conformance.contrasts import LEFT_ALONE, Contrasts
from halcert.conformance.run import target_of
from halcert.reports import stable_json
from halcert.reports.comparison import comparison_summary
from halcert.reports.schemas import SCHEMAS
from halcert.results import Answered, TraceStep
from halcert.results.comparison import Aspect
from halcert.spec.catalogue import areas_of, interfaces
from halcert.spec.language import poison
from halcert.spec.svm.flags import DEV, AllocFlags

KNOWN = interfaces()
MIB = 2**20


def taken(interface, *pairs, rules=(), flag=0, at=1):
    """The differences of pairs of answers to one interface."""
    contrasts = Contrasts()
    for left, right in pairs:
        steps = (TraceStep(1, "host.map", {"size": 1}),) * (at - 1)
        steps += (TraceStep(at, interface, {"flag": flag}, left),)
        contrasts.take(KNOWN[interface], left, right, rules, steps, "a test")
    return contrasts.found()


def test_equal_answers_do_not_differ():
    same = Answered(0, {"pp": 2 * MIB})
    assert taken("halMemAlloc", (same, same)) == ()


def test_codes_differ_with_the_rules_that_leave_the_choice():
    (found,) = taken(
        "halMemFree",
        (Answered(3), Answered(8)),
        (Answered(3), Answered(3)),
        rules=("SVM-FREE-001", "SVM-FREE-002"),
    )
    assert (found.aspect, found.count, found.of) == (Aspect.CODE, 1, 2)
    assert found.rules == ("SVM-FREE-001", "SVM-FREE-002")
    assert found.left != found.right


def test_a_success_beside_a_failure_differs_in_the_code_alone():
    pair = Answered(0, {"pp": 2 * MIB}), Answered(6, {"pp": 0})
    assert [each.aspect for each in taken("halMemAlloc", pair)] == [Aspect.CODE]


def test_addresses_differ_in_what_all_of_them_are_a_multiple_of():
    pairs = [
        (Answered(0, {"pp": left * MIB}), Answered(0, {"pp": right}))
        for left, right in ((4, 8 * MIB), (8, 4096), (2, 3 * 4096))
        for _ in range(3)
    ]
    (found,) = taken("halMemAlloc", *pairs)
    assert found.aspect is Aspect.ALIGNMENT
    assert (found.left, found.right, found.count) == (str(2 * MIB), "4096", 9)


def test_a_few_addresses_do_not_tell_an_alignment():
    pair = Answered(0, {"pp": 4 * MIB}), Answered(0, {"pp": 4096})
    assert taken("halMemAlloc", *[pair] * 7) == ()
    assert len(taken("halMemAlloc", *[pair] * 8)) == 1


def test_other_addresses_with_the_same_alignment_do_not_differ():
    pair = Answered(0, {"pp": 6 * MIB}), Answered(0, {"pp": 10 * MIB})
    assert taken("halMemAlloc", pair) == ()


def test_alignments_are_told_apart_by_kind_of_memory_not_by_device():
    contrasts = Contrasts()
    dev, huge = AllocFlags.compose(virt=DEV), AllocFlags.compose(virt=DEV, huge=True)
    other = AllocFlags.compose(virt=DEV, devid=1, module=3)
    for flag, right in ((dev, 4096), (huge, 4 * MIB), (other, 4096)) * 4:
        left = Answered(0, {"pp": 4 * MIB})
        step = TraceStep(1, "halMemAlloc", {"flag": flag}, left)
        contrasts.take(
            KNOWN["halMemAlloc"], left, Answered(0, {"pp": right}), (), (step,), "a test"
        )
    (found,) = contrasts.found()
    assert (found.count, found.left, found.right) == (8, str(4 * MIB), "4096")


def test_reports_that_differ_each_time_are_one_difference():
    pairs = [(Answered(0, {"psize": n}), Answered(0, {"psize": 2 * n})) for n in (1, 2, 3)]
    (found,) = taken("halMemGetAddressRange", *pairs)
    assert (found.aspect, found.what, found.count) == (Aspect.REPORT, "psize", 3)


def test_an_output_that_was_left_alone_is_called_so():
    pair = Answered(3, {"psize": poison(64)}), Answered(3, {"psize": 0})
    (found,) = taken("halMemGetAddressRange", pair)
    assert (found.left, found.right, found.when) == (LEFT_ALONE, "0", "the call fails")


def test_an_output_for_which_there_was_no_place_is_not_compared():
    pair = Answered(0, {"psize": None}), Answered(0, {"psize": 7})
    assert taken("halMemGetAddressRange", pair) == ()


def test_handles_are_not_compared():
    pair = Answered(0, {"handle": 17}), Answered(0, {"handle": 99})
    assert taken("halMemCreate", pair) == ()


def test_bytes_differ_in_content():
    pair = Answered(0, {"data": bytes(16)}), Answered(0, {"data": bytes(15) + b"x"})
    assert [each.aspect for each in taken("host.load", pair)] == [Aspect.CONTENT]


def test_the_shortest_example_is_kept():
    contrasts = Contrasts()
    for length in (4, 2, 3):
        step = TraceStep(1, "halMemFree", {}, Answered(3))
        contrasts.take(
            KNOWN["halMemFree"], Answered(3), Answered(8), (), (step,) * length, str(length)
        )
    (found,) = contrasts.found()
    assert (len(found.example), found.origin) == (2, "2")


def test_a_symbol_that_one_side_lacks_is_told():
    contrasts = Contrasts()
    contrasts.lacks("halMemFree", left=True, right=False)
    (found,) = contrasts.found()
    assert (found.left, found.right) == ("is there", "is missing")


@pytest.mark.parametrize(
    "text, adapter, library, profile",
    [
        ("model", "model", None, "ascend910b"),
        ("hal,profile=ascend950", "hal", None, "ascend950"),
        ("./a/libascend_hal.so", "hal", "./a/libascend_hal.so", "ascend910b"),
        ("lib.so,adapter=own", "own", "lib.so", "ascend910b"),
        ("fault=x", "hal", None, "ascend910b"),
    ],
)
def test_a_side_is_named_in_few_words(text, adapter, library, profile):
    choice = choice_of(text, ())
    assert (choice.adapter, choice.library, choice.profile) == (adapter, library, profile)
    assert choice.fault == ("x" if "fault" in text else None)


def test_two_sides_are_compared_in_what_both_can_call():
    one, other = sides("model", "hal", ())
    assert one.areas == other.areas == areas_of("hal")
    one, other = sides("acl", "model", ("runtime",))
    assert one.areas == other.areas == ("runtime",)


def found(left, right, budget=8.0, begin=lambda _activity, _pair: None):
    targets = tuple(map(target_of, sides(left, right, ("vmm",))))
    command = "halcert compare"
    return compared((left, right), targets, seed=0, budget=budget, command=command, begin=begin)


def said(comparison, tmp_path, width=80):
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=True, color_system=None)
    comparison_summary(comparison, console, tmp_path / "comparison.json")
    return file.getvalue()


@pytest.mark.slow
def test_an_implementation_does_not_differ_from_itself():
    comparison = found("hal", "hal")
    assert comparison.compared > 50
    assert [each for each in comparison.contrasts if each.aspect is not Aspect.CONTENT] == []
    assert comparison.faults == ()


@pytest.mark.slow
def test_two_products_differ_and_both_are_allowed(tmp_path):
    comparison = found("hal", "hal,profile=ascend950")
    assert comparison.faults == ()
    assert comparison.contrasts
    checker = jsonschema.Draft202012Validator(SCHEMAS["comparison"]())
    assert list(checker.iter_errors(json.loads(stable_json(comparison)))) == []
    text = said(comparison, tmp_path)
    for contrast in comparison.contrasts:
        assert contrast.interface in text


@pytest.mark.slow
def test_what_one_side_may_not_do_is_told_as_a_fault(tmp_path):
    def end_with_the_first_fault(_activity, pair):
        if pair.faults:
            raise KeyboardInterrupt

    comparison = found("hal", "fault=unmap_interior", 100.0, end_with_the_first_fault)
    assert {fault.side for fault in comparison.faults} == {"right"}
    assert "right breaks" in said(comparison, tmp_path)
