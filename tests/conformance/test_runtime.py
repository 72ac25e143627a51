"""The runtime in the suite: every flow passes, and together they show its rules."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from halcert.adapters.acl import AclAdapter
from halcert.adapters.protocol import Options
from halcert.conformance.lab import Broken, Lab
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.streams import device_memory, fill_on, pool, stream, sync, take, use
from halcert.conformance.tally import Tally
from halcert.conformance.target import Target, describe, setting_of
from halcert.spec.catalogue import AREAS, areas_of
from halcert.spec.language import Strength
from halcert.spec.soma.memory import PAGE

PRODUCTS = ("ascend910b", "ascend950")
AREAS_OF_THE_RUNTIME = areas_of("acl")


def flows(area):
    return [name for name, scenario in SCENARIOS.items() if scenario.area == area]


def setting(stack, profile, area="runtime", **options):
    chosen = Options(**options)
    adapter = AclAdapter()
    _, devices = describe(adapter, Options())
    session = stack.enter_context(adapter.open(profile, chosen))
    return setting_of(Target("acl", chosen, profile, (area,), devices), session)


def run_flows(known, tally, area="runtime"):
    for name in flows(area):
        with Lab(known, name, tally) as lab:
            SCENARIOS[name].flow(lab)


@pytest.fixture(name="runtime", scope="module", params=PRODUCTS)
def _runtime(request):
    with ExitStack() as stack:
        yield request.param, setting(stack, request.param)


@pytest.mark.parametrize("area", AREAS_OF_THE_RUNTIME)
@pytest.mark.parametrize("profile", PRODUCTS)
def test_flows_pass_and_show_every_rule_that_must_hold(profile, area):
    tally = Tally()
    with ExitStack() as stack:
        run_flows(setting(stack, profile, area), tally, area)
    musts = [
        rule.id
        for rule in AREAS[area].rules()
        if rule.strength is Strength.MUST and rule.applies_to(profile)
    ]
    assert [rule for rule in musts if rule not in tally.shown] == []


def test_what_a_task_writes_is_not_looked_at_before_somebody_waited(runtime):
    _, known = runtime
    tally = Tally()
    with Lab(known, "test", tally) as lab:
        use(lab, 0)
        where, block = stream(lab), device_memory(lab, PAGE)
        fill_on(lab, where, block, PAGE, 7)
        other = stream(lab)
        fill_on(lab, other, block, PAGE, 8)
        assert lab.steps[-1].interface == "aclrtCreateStream"
        assert lab.call("aclrtFree", devPtr=block) is None
        sync(lab, where)
        fill_on(lab, other, block, PAGE, 8)
        assert lab.steps[-1].interface == "aclrtMemsetAsync"


@pytest.mark.parametrize(
    "area, fault",
    [
        ("runtime", "reuse_any_stream"),
        ("runtime", "grants_overlap"),
        ("runtime", "double_free"),
        ("runtime", "advise_place_swapped"),
        ("ipc", "close_destroys"),
        ("physical", "unmap_lost"),
        ("physical", "export_open_to_all"),
    ],
)
def test_flows_alone_find_faults_of_their_area(area, fault):
    with ExitStack() as stack:
        known = setting(stack, "ascend910b", area, fault=fault)
        with pytest.raises(Broken):
            run_flows(known, Tally(), area)


def test_a_pool_of_one_stream_is_not_another_streams(runtime):
    _, known = runtime
    with Lab(known, "test", Tally()) as lab:
        use(lab, 0)
        of, first, second = pool(lab, 0, 2 * PAGE), stream(lab), stream(lab)
        if of is None:
            return
        one, other = take(lab, first, of), take(lab, second, of)
        assert one is not None
        assert other is not None
        assert abs(one - other) >= PAGE
