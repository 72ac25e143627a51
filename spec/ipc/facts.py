"""What the API reference states about memory of the runtime for other processes."""

from __future__ import annotations

from halcert.spec.fact import Fact
from halcert.spec.runtime.memory import KEYS

IPC_FACTS: tuple[Fact, ...] = (
    Fact(
        "FACT-IPC-01",
        KEYS,
        "Device memory of aclrtMalloc gets a key, by which another process opens it.",
        ("IPC-KEY-007", "IPC-KEY-020", "IPC-IMPORT-020", "IPC-IMPORT-021"),
    ),
    Fact(
        "FACT-IPC-02",
        KEYS,
        "A key is a string; its place has 65 bytes.",
        ("IPC-KEY-004", "IPC-KEY-021"),
    ),
    Fact(
        "FACT-IPC-03",
        KEYS,
        "Processes that were named open a key; with a flag of the export all do.",
        ("IPC-PERMIT-003", "IPC-PERMIT-004", "IPC-PERMIT-020", "IPC-IMPORT-005"),
    ),
    Fact(
        "FACT-IPC-04",
        KEYS,
        "A flag of the import lets the device reach the memory of another one.",
        ("IPC-IMPORT-009",),
    ),
    Fact(
        "FACT-IPC-05",
        KEYS,
        "Who opened a key closes it before its maker does.",
        ("IPC-CLOSE-003", "IPC-CLOSE-004", "IPC-CLOSE-005", "IPC-CLOSE-020", "IPC-CLOSE-021"),
    ),
    Fact(
        "FACT-IPC-06",
        KEYS,
        "Memory is shared once it holds what others are to see, and freed after its key.",
        ("IPC-KEY-009", "RUNTIME-FREE-006"),
    ),
    Fact(
        "FACT-IPC-07",
        KEYS,
        "A key that does not exist is not opened.",
        ("IPC-IMPORT-004",),
    ),
)
