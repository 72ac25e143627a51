"""The two readings of every rule agree, on samples and on every witness."""

from __future__ import annotations

from random import Random

import pytest

from halcert.model.concrete import World
from halcert.model.proofs.agreement import Comparison, Sample
from halcert.model.proofs.run import representatives
from halcert.model.proofs.words import DEVICES, PIDS, empty_word
from halcert.model.proofs.work import invariants
from halcert.spec.catalogue import interfaces
from halcert.spec.language import Kind

CASES = [
    pytest.param(interface, profile, id=f"{name}-{profile.name}")
    for profile in representatives()
    for name, interface in interfaces().items()
]

EVERY = 4
"""One of so many interfaces is asked what samples see."""


@pytest.mark.parametrize("interface, profile", CASES)
def test_the_readings_agree_on_samples(interface, profile):
    record = Comparison(interface, profile, invariants(), seed=7).record(samples=12)
    assert record.status == "proved", record.note


@pytest.mark.parametrize("profile", representatives(), ids=lambda each: each.name)
def test_samples_see_most_conditions_true_and_false(profile):
    seen = set()
    for name, interface in list(interfaces().items())[::EVERY]:
        reading = Comparison(interface, profile).reading
        rules = [r for kind in (Kind.REJECTS, Kind.UNDEFINED) for r in reading.rules(kind)]
        for number in range(25):
            sample = Sample(Random(f"{name} {number}"), reading.view, reading.call, reading.result)
            seen |= {(r.id, bool(sample.value(reading.holds(r)))) for r in rules}
    both = {rule for rule, _ in seen if {(rule, True), (rule, False)} <= seen}
    assert len(both) > 0.5 * len({rule for rule, _ in seen})


def test_products_that_differ_in_name_only_share_proofs():
    assert [each.name for each in representatives()] == ["ascend910b", "ascend950"]


def test_the_initial_states_are_the_same():
    view = World.start(DEVICES, PIDS).views[0]
    symbolic = empty_word().views[0]
    for name in view.__struct_fields__:
        if name != "contents":
            rows = {tuple(getattr(r, c) for c in r.__struct_fields__) for r in getattr(view, name)}
            assert {line.values for line in getattr(symbolic, name).lines} == rows
