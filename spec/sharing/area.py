"""The area: its interfaces, invariants and theorems in one place."""

from __future__ import annotations

from halcert.spec.language import Area
from halcert.spec.sharing.create import ShmemCreateHandle, ShmemDestroyHandle
from halcert.spec.sharing.export import (
    MemExportToShareableHandle,
    MemExportToShareableHandleV2,
    MemTransShareableHandle,
)
from halcert.spec.sharing.handle_permit import (
    MemSetPidToShareableHandle,
    MemShareHandleGetAttribute,
    MemShareHandleInfoGet,
    MemShareHandleSetAttribute,
)
from halcert.spec.sharing.imports import (
    MemImportFromShareableHandle,
    MemImportFromShareableHandleV2,
)
from halcert.spec.sharing.invariants import INVARIANTS
from halcert.spec.sharing.open import ShmemCloseHandle, ShmemOpenHandleByDevId
from halcert.spec.sharing.open_otherwise import (
    ShmemMapRouteCheck,
    ShmemOpenHandle,
    ShmemOpenHandleV2,
)
from halcert.spec.sharing.peers import (
    DeviceCanAccessPeer,
    DeviceDisableP2P,
    DeviceEnableP2P,
    GetP2PStatus,
)
from halcert.spec.sharing.permit import (
    ShmemGetAttribute,
    ShmemInfoGet,
    ShmemSetAttribute,
    ShmemSetPidHandle,
    ShmemSetPodPid,
)
from halcert.spec.sharing.process import HostExit, HostRest
from halcert.spec.sharing.register import HostRegister
from halcert.spec.sharing.routes import MemHandleGetAttribute, MemHandleSetAttribute
from halcert.spec.sharing.theorems import theorems_of
from halcert.spec.sharing.unregister import (
    HostRegisterCapabilities,
    HostUnregister,
    HostUnregisterEx,
    MemHostGetDevPointer,
    SupportFeature,
)

INTERFACES = tuple(
    call.interface
    for call in (
        ShmemCreateHandle,
        ShmemDestroyHandle,
        ShmemSetPidHandle,
        ShmemSetPodPid,
        ShmemSetAttribute,
        ShmemGetAttribute,
        ShmemInfoGet,
        ShmemOpenHandleByDevId,
        ShmemOpenHandle,
        ShmemOpenHandleV2,
        ShmemCloseHandle,
        ShmemMapRouteCheck,
        MemExportToShareableHandle,
        MemExportToShareableHandleV2,
        MemTransShareableHandle,
        MemSetPidToShareableHandle,
        MemShareHandleSetAttribute,
        MemShareHandleGetAttribute,
        MemShareHandleInfoGet,
        MemImportFromShareableHandle,
        MemImportFromShareableHandleV2,
        MemHandleSetAttribute,
        MemHandleGetAttribute,
        DeviceEnableP2P,
        DeviceDisableP2P,
        GetP2PStatus,
        DeviceCanAccessPeer,
        HostRegister,
        HostUnregister,
        HostUnregisterEx,
        MemHostGetDevPointer,
        HostRegisterCapabilities,
        SupportFeature,
        HostExit,
        HostRest,
    )
)

BLOCK = ((0, "SVM-OPEN-010"), (0, "SVM-ALLOC-040"))
"""The calls after which there is device memory."""
NAMED = (*BLOCK, (0, "SHARING-NAME-020"))
"""The calls after which it has a name."""
PERMITTED = (*NAMED, (1, "SVM-OPEN-010"), (0, "SHARING-PERMIT-020"))
"""The calls after which another process may open it."""
SHARED = (*PERMITTED, (1, "SHARING-OPEN-020"))
"""The calls after which it has it open."""

DOUBTED = (*NAMED, (1, "SVM-OPEN-010"), (0, "SHARING-PERMIT-030"))
"""The calls after which nobody knows if another process may open it (SVM v2)."""
OPEN_TO_ALL = (
    *NAMED,
    (0, "SHARING-SETATTR-020"),
    (1, "SVM-OPEN-010"),
    (1, "SHARING-OPEN-020"),
)
"""The same where anyone may open it."""

EXPORTED = ((0, "SVM-OPEN-010"), (0, "VMM-CREATE-030"), (0, "SHARING-EXPORT-020"))
"""The calls after which physical memory has a number."""
IMPORTABLE = (*EXPORTED, (1, "SVM-OPEN-010"), (0, "SHARING-HPERMIT-020"))
"""The calls after which another process may import it."""
UNSURE = (*EXPORTED, (1, "SVM-OPEN-010"), (0, "SHARING-HPERMIT-030"))
"""The calls after which nobody knows if another process may import it (SVM v2)."""
IMPORTED = (*IMPORTABLE, (1, "SHARING-IMPORT-020"))
"""The calls after which it has."""
WRAPPED = (
    (0, "SVM-OPEN-010"),
    (0, "VMM-CREATE-030"),
    (0, "SHARING-EXPORT2-020"),
)
"""The calls after which physical memory is known by opaque bytes."""
RESERVED = (*IMPORTED, (1, "VMM-RESERVE-030"))
"""The calls after which it can map it."""
RETAINED = (
    *EXPORTED,
    (0, "VMM-RESERVE-030"),
    (0, "VMM-MAP-030"),
    (0, "VMM-RETAIN-010"),
)
"""The calls after which its exporter has two references."""
SENT = (
    *WRAPPED,
    (0, "SHARING-TRANS-010"),
    (0, "SHARING-HSETATTR-010"),
    (1, "SVM-OPEN-010"),
)
"""The calls after which anyone may import physical memory by opaque bytes."""
SENT_IN_DOUBT = (
    *WRAPPED,
    (0, "SHARING-TRANS-010"),
    (0, "SHARING-HPERMIT-030"),
    (1, "SVM-OPEN-010"),
)
"""The calls after which nobody knows if another process may (SVM v2)."""
RECEIVED = (*SENT, (1, "SHARING-IMPORT2-020"))
"""The calls after which another process has."""
MAPPED = (*RECEIVED, (1, "VMM-RESERVE-030"), (1, "VMM-MAP-030"))
"""The calls after which it has mapped it."""

RECORDING = ((0, "SVM-OPEN-010"), (0, "SHARING-FEATURE-010"))
"""The calls after which registrations are recorded (SVM v2)."""
RECORDED = (*RECORDING, (0, "SVM-HMAP-010"), (0, "SHARING-REGISTER-030"))
"""The calls after which memory of the program is registered, and that is recorded."""
HOST_REGISTERED = (
    (0, "SVM-OPEN-010"),
    (0, "SVM-HMAP-010"),
    (0, "SHARING-REGISTER-030"),
)
"""The same where nothing is recorded."""
REGISTERED = (*BLOCK, (0, "SHARING-REGISTER-030"))
"""The calls after which memory is registered."""

SHARING_AREA = Area(
    name="sharing",
    title="Sharing between processes, and between host and device",
    interfaces=INTERFACES,
    invariants=INVARIANTS,
    theorems=theorems_of(INTERFACES),
    uses=("svm", "vmm"),
    processes=2,
    beginnings=(
        BLOCK,
        NAMED,
        PERMITTED,
        DOUBTED,
        SHARED,
        OPEN_TO_ALL,
        EXPORTED,
        IMPORTABLE,
        UNSURE,
        IMPORTED,
        RESERVED,
        RETAINED,
        WRAPPED,
        SENT,
        SENT_IN_DOUBT,
        RECEIVED,
        MAPPED,
        RECORDING,
        REGISTERED,
        HOST_REGISTERED,
        RECORDED,
    ),
)
