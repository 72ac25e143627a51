"""The flows that the documents describe, each written once and run everywhere.

A scenario is a function of a lab. It makes calls that the documents promise to work and leaves
the judging to the oracle; what a product lacks shows in the results and ends the flow early.
"""

from halcert.conformance.scenarios.control import CONTROL_SCENARIOS
from halcert.conformance.scenarios.endurance import ENDURANCE_SCENARIOS
from halcert.conformance.scenarios.ipc import IPC_SCENARIOS
from halcert.conformance.scenarios.mapping import MAPPING_SCENARIOS
from halcert.conformance.scenarios.peering import PEERING
from halcert.conformance.scenarios.physical import PHYSICAL_SCENARIOS
from halcert.conformance.scenarios.registering import REGISTERING
from halcert.conformance.scenarios.registry import SCENARIOS, Scenario, scenarios_of
from halcert.conformance.scenarios.runtime import RUNTIME_SCENARIOS
from halcert.conformance.scenarios.sharing import NAME_FLOWS, names_never_come_back
from halcert.conformance.scenarios.sharing_altered import names_altered_in_one_byte
from halcert.conformance.scenarios.sharing_ends import NAME_ENDS
from halcert.conformance.scenarios.sharing_physical import PHYSICAL_ENDS, PHYSICAL_FLOWS
from halcert.conformance.scenarios.soma import SOMA_SCENARIOS
from halcert.conformance.scenarios.svm import SVM_SCENARIOS
from halcert.conformance.scenarios.transfer import TRANSFER_SCENARIOS
from halcert.conformance.scenarios.uvm import UVM_SCENARIOS
from halcert.conformance.scenarios.uvm_pressure import UVM_PRESSURE_SCENARIOS
from halcert.conformance.scenarios.uvm_ranges import UVM_RANGE_SCENARIOS
from halcert.conformance.scenarios.uvm_states import UVM_STATE_SCENARIOS
from halcert.conformance.scenarios.vmm import VMM_SCENARIOS

_EARLY_OF_SHARING = (
    *("names-with-a-white-list", "names-that-anyone-opens", "white-lists", "opened-again"),
    *("memory-with-a-white-list", "imported-again", "ways-to-memory", "owner-destroys-first"),
    "exporter-releases-every-reference",
    *("registering-every-sort", "registering-and-freeing"),
    *("peers-in-both-directions", "peers-of-two-processes"),
)
"""The first flows of each sort: together they are short, and find more than those of one sort."""
_SHARING_SCENARIOS = {
    **scenarios_of("sharing", *NAME_FLOWS, names_altered_in_one_byte, *PHYSICAL_FLOWS),
    **{
        name: Scenario("sharing", flow)
        for name, flow in {**NAME_ENDS, **PHYSICAL_ENDS, **REGISTERING, **PEERING}.items()
    },
    **scenarios_of("sharing", names_never_come_back),
}
SHARING_SCENARIOS = {
    name: _SHARING_SCENARIOS[name] for name in (*_EARLY_OF_SHARING, *_SHARING_SCENARIOS)
}
for _flows in (
    SVM_SCENARIOS,
    ENDURANCE_SCENARIOS,
    CONTROL_SCENARIOS,
    TRANSFER_SCENARIOS,
    MAPPING_SCENARIOS,
    VMM_SCENARIOS,
    SHARING_SCENARIOS,
    UVM_SCENARIOS,
    UVM_RANGE_SCENARIOS,
    UVM_PRESSURE_SCENARIOS,
    UVM_STATE_SCENARIOS,
    SOMA_SCENARIOS,
    RUNTIME_SCENARIOS,
    IPC_SCENARIOS,
    PHYSICAL_SCENARIOS,
):
    SCENARIOS.update(_flows)

__all__ = ["SCENARIOS", "Scenario"]
