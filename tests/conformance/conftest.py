from __future__ import annotations

import pytest

from halcert.adapters.hal import HalAdapter
from halcert.conformance.campaign import Target, setting_of
from halcert.conformance.lab import Lab, Setting
from halcert.conformance.tally import Tally
from halcert.spec.catalogue import AREAS

from .fake import lab_for


@pytest.fixture
def lab():
    with lab_for() as made:
        yield made


@pytest.fixture(scope="session")
def driver():
    """The bundled software driver, as the labs of a run know it."""
    adapter = HalAdapter()
    devices = tuple(range(adapter.describe().devices or 0))
    with adapter.open("ascend910b") as session:
        yield setting_of(Target("hal", None, "ascend910b", tuple(AREAS), devices), session)


@pytest.fixture
def driver_lab(driver: Setting):
    with Lab(driver, "test", Tally()) as made:
        yield made
