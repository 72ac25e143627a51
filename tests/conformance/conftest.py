from __future__ import annotations

from contextlib import ExitStack
from functools import cache

import pytest

from halcert.adapters.acl import AclAdapter
from halcert.adapters.hal import HalAdapter
from halcert.adapters.protocol import Options
from halcert.conformance.lab import Lab, Setting
from halcert.conformance.tally import Tally
from halcert.conformance.target import Target, setting_of
from halcert.spec.catalogue import areas_of

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
        yield setting_of(Target("hal", None, "ascend910b", areas_of("hal"), devices), session)


@pytest.fixture(scope="session")
def bundled(driver: Setting):
    """The bundled driver and the bundled runtime, by the adapters that call them."""
    adapter = AclAdapter()
    devices = tuple(range(adapter.describe().devices or 0))
    with adapter.open("ascend910b") as session:
        target = Target("acl", None, "ascend910b", areas_of("acl"), devices)
        yield {"hal": driver, "acl": setting_of(target, session)}


@pytest.fixture
def driver_lab(driver: Setting):
    with Lab(driver, "test", Tally()) as made:
        yield made


@pytest.fixture(scope="session")
def driver_with():
    """The bundled software driver with a seeded fault; one session for each."""
    adapter = HalAdapter()
    devices = tuple(range(adapter.describe().devices or 0))
    with ExitStack() as stack:

        @cache
        def setting(fault: str) -> Setting:
            options = Options(fault=fault)
            session = stack.enter_context(adapter.open("ascend910b", options))
            return setting_of(Target("hal", options, "ascend910b", ("svm",), devices), session)

        yield setting
