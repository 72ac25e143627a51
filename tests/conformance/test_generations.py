"""Flows of the driver on a product of the other generation than that of most tests."""

from __future__ import annotations

import pytest
from flows import flows_of

from halcert.adapters.hal import HalAdapter
from halcert.adapters.protocol import Options
from halcert.conformance.activity import NOTHING, Activity, perform
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.target import Target, setting_of
from halcert.spec.catalogue import areas_of

PRODUCT = "ascend950"


@pytest.mark.parametrize("area", areas_of("hal"))
def test_flows_break_no_rule_with_svm_v3(area):
    flows = [name for name in flows_of("hal") if SCENARIOS[name].area == area]
    assert flows
    with HalAdapter().open(PRODUCT) as session:
        setting = setting_of(Target("hal", Options(), PRODUCT, areas_of("hal"), (0, 1)), session)
        for name in flows:
            done = perform(setting, Activity(f"scenario[{name}]", "scenario", area), set(), NOTHING)
            assert (done.trouble, done.failures) == ("", ()), name
