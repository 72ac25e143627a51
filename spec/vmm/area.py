"""The area: its interfaces and invariants in one place."""

from __future__ import annotations

from halcert.spec.language import Area
from halcert.spec.vmm.access import MemGetAccess, MemSetAccess
from halcert.spec.vmm.addresses import MemAddressFree, MemGetAddressReserveRange
from halcert.spec.vmm.ask import (
    MemGetAllocationGranularity,
    MemGetAllocationPropertiesFromHandle,
)
from halcert.spec.vmm.create import MemCreate
from halcert.spec.vmm.invariants import INVARIANTS
from halcert.spec.vmm.map import MemMap, MemUnmap
from halcert.spec.vmm.references import MemRelease, MemRetainAllocationHandle
from halcert.spec.vmm.reserve import MemAddressReserve
from halcert.spec.vmm.theorems import THEOREMS

INTERFACES = tuple(
    call.interface
    for call in (
        MemAddressReserve,
        MemAddressFree,
        MemGetAddressReserveRange,
        MemCreate,
        MemRelease,
        MemMap,
        MemUnmap,
        MemSetAccess,
        MemGetAccess,
        MemRetainAllocationHandle,
        MemGetAllocationGranularity,
        MemGetAllocationPropertiesFromHandle,
    )
)

VMM_AREA = Area(
    name="vmm",
    title="VMM: reserving addresses, creating physical memory, mapping and access",
    interfaces=INTERFACES,
    invariants=INVARIANTS,
    theorems=THEOREMS,
    uses=("svm",),
)
