"""All facts that headers and API references state, and what no rule carries on purpose."""

from __future__ import annotations

from halcert.spec.fact import Fact
from halcert.spec.ipc.facts import IPC_FACTS
from halcert.spec.physical.facts import PHYSICAL_FACTS
from halcert.spec.runtime.facts import RUNTIME_FACTS
from halcert.spec.sharing.facts import SHARING_FACTS
from halcert.spec.soma.facts import SOMA_FACTS
from halcert.spec.svm.facts import SVM_FACTS
from halcert.spec.uvm.facts import UVM_FACTS
from halcert.spec.vmm.facts import VMM_FACTS

FACTS: tuple[Fact, ...] = (
    *SVM_FACTS,
    *VMM_FACTS,
    *SHARING_FACTS,
    *UVM_FACTS,
    *SOMA_FACTS,
    *RUNTIME_FACTS,
    *IPC_FACTS,
    *PHYSICAL_FACTS,
)
"""All facts, area by area."""
