"""The area: its interfaces, invariants and theorems in one place."""

from __future__ import annotations

from halcert.spec.language import Area
from halcert.spec.uvm.advise import MemManagedAdvise
from halcert.spec.uvm.attributes import MemManagedRangeGetAttributes
from halcert.spec.uvm.batch import MemManagedPrefetchBatch
from halcert.spec.uvm.device import DeviceLoad, DeviceStore
from halcert.spec.uvm.invariants import INVARIANTS
from halcert.spec.uvm.prefetch import MemManagedPrefetch
from halcert.spec.uvm.theorems import THEOREMS
from halcert.spec.uvm.universal import UNIVERSAL

INTERFACES = tuple(
    call.interface
    for call in (
        MemManagedAdvise,
        MemManagedPrefetch,
        MemManagedPrefetchBatch,
        MemManagedRangeGetAttributes,
        DeviceStore,
        DeviceLoad,
    )
)

UVM_AREA = Area(
    name="uvm",
    title="UVM: managed memory that moves its pages",
    interfaces=INTERFACES,
    invariants=INVARIANTS,
    theorems=THEOREMS,
    universal=UNIVERSAL,
    uses=("svm",),
)
