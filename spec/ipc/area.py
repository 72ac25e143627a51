"""The area: its interfaces in one place."""

from __future__ import annotations

from halcert.spec.ipc.keys import (
    IpcMemClose,
    IpcMemGetExportKey,
    IpcMemImportByKey,
    IpcMemSetImportPid,
)
from halcert.spec.ipc.theorems import THEOREMS
from halcert.spec.language import Area

INTERFACES = tuple(
    call.interface
    for call in (IpcMemGetExportKey, IpcMemSetImportPid, IpcMemImportByKey, IpcMemClose)
)

BOTH = ((0, "RUNTIME-SET-010"), (1, "RUNTIME-SET-010"))
"""The calls after which two processes work with a device."""
MEMORY = (*BOTH, (0, "RUNTIME-MALLOC-010"))
"""The calls after which one of them has memory."""
KEY = (*MEMORY, (0, "IPC-KEY-020"))
"""The calls after which there is a key for it."""
DOUBTED = (*KEY, (0, "IPC-PERMIT-030"))
"""The calls after which nobody knows if the other one may open it (SVM v2)."""
SHARED = (*KEY, (1, "IPC-IMPORT-020"))
"""The calls after which the other one has it, too."""

IPC_AREA = Area(
    name="ipc",
    title="IPC: memory of the runtime for other processes",
    interfaces=INTERFACES,
    theorems=THEOREMS,
    uses=("runtime",),
    processes=2,
    library="acl",
    beginnings=(BOTH, MEMORY, KEY, DOUBTED, SHARED),
)
