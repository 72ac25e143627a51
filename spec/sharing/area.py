"""The area: its interfaces, invariants and theorems in one place."""

from __future__ import annotations

from halcert.spec.language import Area
from halcert.spec.sharing.create import ShmemCreateHandle, ShmemDestroyHandle
from halcert.spec.sharing.invariants import INVARIANTS
from halcert.spec.sharing.open import ShmemCloseHandle, ShmemOpenHandleByDevId
from halcert.spec.sharing.permit import (
    ShmemGetAttribute,
    ShmemInfoGet,
    ShmemSetAttribute,
    ShmemSetPidHandle,
    ShmemSetPodPid,
)
from halcert.spec.sharing.process import HostExit, HostRest

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
        ShmemCloseHandle,
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

OPEN_TO_ALL = (
    *NAMED,
    (0, "SHARING-SETATTR-020"),
    (1, "SVM-OPEN-010"),
    (1, "SHARING-OPEN-020"),
)
"""The same where anyone may open it."""

SHARING_AREA = Area(
    name="sharing",
    title="Sharing between processes, and between host and device",
    interfaces=INTERFACES,
    invariants=INVARIANTS,
    processes=2,
    beginnings=(BLOCK, NAMED, PERMITTED, SHARED, OPEN_TO_ALL),
)
