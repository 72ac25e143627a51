"""How the time of a run is divided among areas."""

import pytest

from halcert.conformance.activity import Activity
from halcert.conformance.shares import (
    Changed,
    Fair,
    areas_of_path,
    percent,
    read_numstat,
    weights,
)
from halcert.results import baseline_of

AREAS = ("svm", "vmm", "uvm")


def test_every_area_gets_some_of_the_time():
    shares = percent(weights(AREAS, changes=[Changed("src/svm/free.c", 100_000)]))
    assert sum(shares.values()) == 100
    assert min(shares.values()) >= 10
    assert max(shares, key=shares.get) == "svm"


def test_areas_of_which_nothing_is_known_get_alike():
    assert percent(weights(AREAS)) == {"svm": 34, "vmm": 33, "uvm": 33}


def test_an_area_gets_more_the_more_of_it_was_changed():
    changes = [Changed("src/svm/a.c", 10), Changed("src/vmm/b.c", 90)]
    found = weights(AREAS, changes=changes)
    assert found["vmm"] > found["svm"] > found["uvm"]


def test_a_file_that_tells_no_area_counts_for_all():
    found = weights(AREAS, changes=[Changed("Makefile", 7)])
    assert len(set(found.values())) == 1


def test_an_area_that_fails_gets_more_than_one_that_failed_lately_than_one_that_did_not(make):
    failing = make.baseline(make.finding())
    mended = baseline_of([make.certificate()], make.terms().today, failing)
    areas = ("svm", "vmm")
    now, lately, never = (
        weights(areas, each)["svm"] for each in (failing, mended, make.baseline())
    )
    assert now > lately > never


def test_an_area_with_rules_that_the_baseline_does_not_know_gets_more(make):
    whole = make.baseline()
    rules = {rule: verdict for rule, verdict in whole.rules.items() if rule != "SVM-FREE-002"}
    partial = make.baseline()
    partial.rules.clear()
    partial.rules.update(rules)
    assert weights(("svm",), partial)["svm"] > weights(("svm",), whole)["svm"]


@pytest.mark.parametrize(
    "path, areas",
    [
        ("src/ascend_hal/svm/v3/free.c", ("svm",)),
        ("src/svm_uvm_common.h", ("svm", "uvm")),
        ("src/VMM.c", ("vmm",)),
        ("src/usvmx.c", ()),
    ],
)
def test_the_path_of_a_file_names_its_areas(path, areas):
    assert areas_of_path(path, ()) == areas


def test_patterns_come_before_what_a_path_names():
    assert areas_of_path("src/svm/managed.c", [("src/svm/managed*", "uvm")]) == ("uvm",)


def test_what_git_says_of_a_change_is_read():
    text = "3\t4\tsrc/{old => svm}/a.c\n-\t-\tfirmware.bin\n\n1\t0\told name => new/vmm.c\n"
    assert read_numstat(text) == [
        Changed("src/svm/a.c", 7),
        Changed("firmware.bin", 100),
        Changed("new/vmm.c", 1),
    ]


def test_what_is_no_output_of_git_is_told_with_its_line():
    with pytest.raises(ValueError, match="line 2"):
        read_numstat("1\t2\ta.c\nsrc/svm/a.c | 3 +++\n")


def flow(area, number):
    return Activity(f"scenario[{area}-{number}]", "scenario", area)


def test_tests_of_each_area_keep_their_order_and_the_areas_share_the_time():
    fair = Fair({"svm": 1.0, "vmm": 3.0})
    queue = [flow("svm", n) for n in range(40)] + [flow("vmm", n) for n in range(40)]
    made = []
    for activity in fair.ordered(queue):
        made.append(activity)
        fair.ended(activity, 1.0)
    assert sorted(made, key=queue.index) == queue
    assert [each for each in made if each.area == "svm"] == queue[:40]
    first = [each.area for each in made[:40]]
    assert first.count("vmm") == pytest.approx(30, abs=2)


def test_an_area_with_slow_tests_gets_no_more_time_for_it():
    fair = Fair({"svm": 1.0, "vmm": 1.0})
    queue = [flow("svm", n) for n in range(100)] + [flow("vmm", n) for n in range(100)]
    time = {"svm": 0.0, "vmm": 0.0}
    for activity in fair.ordered(queue):
        seconds = 10.0 if activity.area == "svm" else 0.5
        fair.ended(activity, seconds)
        time[activity.area] += seconds
        if sum(time.values()) > 90:
            break
    assert time["svm"] == pytest.approx(time["vmm"], abs=11)


def test_turns_of_machines_go_by_weight_and_each_is_another_one():
    fair = Fair({"svm": 1.0, "vmm": 2.0, "uvm": 1.0})

    def turn(number):
        return Activity(f"machine[{number}]", "machine", AREAS[number % 3], number, 4.0)

    made = []
    for activity in fair.turns(turn, AREAS):
        fair.ended(activity, 4.0)
        made.append(activity)
        if len(made) == 80:
            break
    assert len({each.name for each in made}) == 80
    assert sum(each.area == "vmm" for each in made) == pytest.approx(40, abs=2)
    assert {each.area for each in made} == set(AREAS)


def test_what_is_under_way_counts_so_that_areas_run_side_by_side():
    fair = Fair({"svm": 1.0, "vmm": 1.0})
    turns = fair.turns(lambda n: Activity(f"machine[{n}]", "machine", AREAS[n % 2]), AREAS[:2])
    assert {next(turns).area, next(turns).area} == {"svm", "vmm"}
