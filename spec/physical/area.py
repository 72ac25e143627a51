"""The area: its interfaces in one place."""

from __future__ import annotations

from halcert.spec.language import Area
from halcert.spec.physical.access import MemGetAccess, MemSetAccess
from halcert.spec.physical.addresses import ReleaseMemAddress, ReserveMemAddress
from halcert.spec.physical.ask import GetAllocationGranularity, GetAllocationProperties
from halcert.spec.physical.export import ExportToShareableHandle, ExportToShareableHandleV2
from halcert.spec.physical.imports import ImportFromShareableHandle, ImportFromShareableHandleV2
from halcert.spec.physical.mapping import MapMem, UnmapMem
from halcert.spec.physical.memory import FreePhysical, MallocPhysical, RetainAllocationHandle
from halcert.spec.physical.permit import SetPidToShareableHandle, SetPidToShareableHandleV2
from halcert.spec.physical.theorems import THEOREMS

INTERFACES = tuple(
    call.interface
    for call in (
        ReserveMemAddress,
        ReleaseMemAddress,
        MallocPhysical,
        FreePhysical,
        MapMem,
        UnmapMem,
        MemSetAccess,
        MemGetAccess,
        RetainAllocationHandle,
        GetAllocationGranularity,
        GetAllocationProperties,
        ExportToShareableHandle,
        ExportToShareableHandleV2,
        SetPidToShareableHandle,
        SetPidToShareableHandleV2,
        ImportFromShareableHandle,
        ImportFromShareableHandleV2,
    )
)

SET = ((0, "RUNTIME-SET-010"),)
"""The call after which a process works with a device."""
MEMORY = (*SET, (0, "PHYSICAL-MALLOC-020"))
"""The calls after which there is physical memory."""
MAPPED = (*MEMORY, (0, "PHYSICAL-RESERVE-020"), (0, "PHYSICAL-MAP-020"))
"""The calls after which it is mapped."""
BOTH = (*SET, (1, "RUNTIME-SET-010"))
"""The calls after which two processes work with a device."""
EXPORTED = (*BOTH, (0, "PHYSICAL-MALLOC-020"), (0, "PHYSICAL-EXPORT-020"))
"""The calls after which physical memory has a number."""
IMPORTED = (*EXPORTED, (1, "PHYSICAL-IMPORT-020"))
"""The calls after which the other one has imported it."""
UNSURE = (*EXPORTED, (0, "PHYSICAL-PERMIT-030"))
"""The calls after which nobody knows if the other one may import it (SVM v2)."""
RESERVED = (*IMPORTED, (1, "PHYSICAL-RESERVE-020"))
"""The calls after which it can map it."""
RETAINED = (*MAPPED, (0, "PHYSICAL-RETAIN-010"))
"""The calls after which physical memory is held twice."""
SENT = (*BOTH, (0, "PHYSICAL-MALLOC-020"), (0, "PHYSICAL-EXPORT2-020"))
"""The calls after which physical memory is known by opaque bytes."""
SENT_IN_DOUBT = (*SENT, (0, "PHYSICAL-PERMIT2-030"))
"""The calls after which nobody knows if the other one may import it (SVM v2)."""
RECEIVED = (*SENT, (1, "PHYSICAL-IMPORT2-020"))
"""The calls after which the other one has imported it."""

PHYSICAL_AREA = Area(
    name="physical",
    title="Physical memory of the runtime: addresses, mapping, and sharing between processes",
    interfaces=INTERFACES,
    theorems=THEOREMS,
    uses=("runtime",),
    processes=2,
    library="acl",
    beginnings=(
        SET,
        MEMORY,
        MAPPED,
        RETAINED,
        BOTH,
        EXPORTED,
        UNSURE,
        IMPORTED,
        RESERVED,
        SENT,
        SENT_IN_DOUBT,
        RECEIVED,
    ),
)
