"""What the judge knows of managed memory grows with the pages that are touched, not its size."""

from __future__ import annotations

import pytest

from halcert.conformance.lab import Lab
from halcert.conformance.managed import allocate_managed, ask, fill
from halcert.conformance.scenarios.svm import open_all
from halcert.conformance.tally import Tally
from halcert.spec.profiles import TIB
from halcert.spec.uvm.pages import PAGE

TOUCHED = 100


@pytest.mark.parametrize("size", [TOUCHED * 2 * PAGE, TIB])
def test_pages_that_nobody_touches_cost_nothing(driver, size):
    apart = size // TOUCHED // PAGE * PAGE
    with Lab(driver, "test", Tally()) as lab:
        open_all(lab)
        base = allocate_managed(lab, size)
        assert base is not None
        for page in range(TOUCHED):
            fill(lab, base + page * apart, PAGE, page, page % 2)
        ask(lab, base, size)
        assert len(list(lab.view().pages)) <= 2 * TOUCHED + 1
