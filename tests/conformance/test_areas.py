"""Areas stand on their own: each runs without the others, but for what it uses."""

from __future__ import annotations

import pytest

from halcert.conformance.activity import Activity, Effort, perform
from halcert.conformance.campaign import directed, turns
from halcert.conformance.draw import RandomDraw
from halcert.conformance.experiments import EXPERIMENTS
from halcert.conformance.lab import Lab
from halcert.conformance.machine import Hunt, machine_for
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.tally import Tally
from halcert.conformance.target import Target, setting_of
from halcert.conformance.witness import Named
from halcert.results import Answered, TraceStep
from halcert.spec.catalogue import AREAS, interfaces, with_used
from halcert.spec.universal import CALLS_ARE_ATOMIC

ALONE = [(area,) for area in AREAS]


def target(areas):
    return Target("model", None, "ascend910b", tuple(areas), (0, 1))


class Offering:
    """A session that offers everything, or nothing."""

    def __init__(self, answer):
        self.answer = answer

    def offers(self, _interface):
        return self.answer


@pytest.mark.parametrize("areas", [*ALONE, tuple(AREAS)], ids="+".join)
def test_a_run_has_the_flows_the_threads_and_the_turns_of_its_areas_only(areas):
    activities = [*directed(target(areas), 0, []), *turns(target(areas), 0, 6)]
    assert {each.area for each in activities} == set(areas)
    names = {each.name for each in activities}
    for name, scenario in SCENARIOS.items():
        assert (f"scenario[{name}]" in names) == (scenario.area in areas)
    for name, experiment in EXPERIMENTS.items():
        assert (f"concurrent[{name}]" in names) == (experiment.area in areas)


def test_a_witness_belongs_to_the_area_of_its_rule():
    step = TraceStep(1, "halMemFree", {"pp": 0}, Answered(0, {}))
    tests = [Named("SVM-FREE-001", (step,)), Named("VMM-MAP-001:2", (step,), "above")]
    found = directed(target(AREAS), 0, tests)
    areas = {each.name: each.area for each in found if each.kind == "witness"}
    assert areas == {"witness[SVM-FREE-001]": "svm", "witness[VMM-MAP-001:2]": "vmm"}


def test_an_area_brings_in_what_it_uses_and_nothing_else():
    assert with_used(("vmm",)) == ("svm", "vmm")
    assert with_used(("svm",)) == ("svm",)
    assert "halMemAlloc" in setting_of(target(("vmm",)), Offering(True)).interfaces
    assert "halMemMap" not in setting_of(target(("svm",)), Offering(True)).interfaces


def test_what_is_not_offered_is_called_only_if_its_area_was_asked_for():
    found = setting_of(target(("vmm",)), Offering(False)).interfaces
    assert "halMemAlloc" not in found
    assert "halMemMap" in found


@pytest.mark.parametrize("areas", ALONE, ids="+".join)
def test_the_machine_calls_its_own_area_most(bundled, areas):
    driver = bundled[AREAS[areas[0]].library]

    class Recording(Lab):
        def call(self, interface, process=0, **args):
            called.append(interface)
            return super().call(interface, process, **args)

    called: list[str] = []
    hunt = Hunt(lambda: Recording(driver, "test", Tally()), float("inf"), area=areas[0])
    machine = machine_for(hunt)()
    draw = RandomDraw(5)
    try:
        machine.begin(bytes(draw.integer(0, 255) for _ in range(96)))
        assert set(machine.weighted) <= set(interfaces(with_used(areas)))
        own = [name for name in machine.weighted if name in interfaces(areas)]
        assert len(own) >= len(machine.weighted) / 3
    finally:
        machine.teardown()
    assert called


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
@pytest.mark.parametrize("seed", range(3))
def test_threads_on_the_driver_are_explained_by_some_order(bundled, name, seed):
    tally = Tally()
    with Lab(bundled[AREAS[EXPERIMENTS[name].area].library], "test", tally) as lab:
        EXPERIMENTS[name].run(lab, RandomDraw(seed))
    assert tally.shown[CALLS_ARE_ATOMIC.id] > 1


def left_to_do(own):
    """What has an end of its own, but flows of the runtime: test_runtime.py has each area alone."""
    done = "scenario" if own.adapter == "acl" else ""
    return [activity for activity in directed(own, 0, []) if activity.kind != done]


def alone(areas):
    library = AREAS[areas[0]].library
    return Target(library, None, "ascend910b", areas, (0, 1))


@pytest.mark.parametrize("areas", [each for each in ALONE if left_to_do(alone(each))], ids="+".join)
def test_nothing_goes_wrong_with_the_suite_itself_when_an_area_runs_alone(bundled, areas):
    own = alone(areas)
    driver = bundled[own.adapter]
    assert own.devices == driver.devices
    setting = setting_of(own, driver.session)
    for activity in left_to_do(own):
        quick = Activity(activity.name, activity.kind, activity.area, 1, seconds=0.2)
        done = perform(setting, quick, set(), Effort(0, 0, 0))
        assert (done.trouble, done.failures) == ("", ())
