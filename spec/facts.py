"""All facts that headers and API references state, and what no rule carries on purpose."""

from __future__ import annotations

from halcert.spec.fact import Fact
from halcert.spec.sharing.facts import SHARING_FACTS
from halcert.spec.svm.facts import SVM_FACTS
from halcert.spec.uvm.facts import UVM_FACTS
from halcert.spec.vmm.facts import VMM_FACTS

FACTS: tuple[Fact, ...] = (*SVM_FACTS, *VMM_FACTS, *SHARING_FACTS, *UVM_FACTS)
"""All facts, area by area."""
