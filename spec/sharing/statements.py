"""What the module description states about sharing.

Each entry is the id, the place, the statement in our words, and the ids of the rules that carry
it.
"""

from __future__ import annotations

from halcert.spec.svm.statements import Stated

SHARING_STATEMENTS: tuple[Stated, ...] = (
    (
        "SEED-SHARING-01",
        "memory sharing",
        "Memory can be shared between devices, and between host and device.",
        ("SHARING-NAME-020", "SHARING-OPEN-020", "SHARING-REGISTER-030"),
    ),
    (
        "SEED-SHARING-02",
        "memory sharing, between devices",
        "A process makes a handle for device memory with halShmemCreateHandle.",
        ("SHARING-NAME-020", "SHARING-NAME-021", "SHARING-NAME-022"),
    ),
    (
        "SEED-SHARING-03",
        "memory sharing, between devices",
        (
            "Another process opens the handle with halShmemOpenHandleByDevId and gets an address "
            "of its own for the same physical memory."
        ),
        (
            "SHARING-OPEN-020",
            "SHARING-OPEN-021",
            "SHARING-OPEN-022",
            "SVM-SET-010",
            "SVM-COPY-021",
        ),
    ),
    (
        "SEED-SHARING-04",
        "memory sharing, between devices",
        "Destroying the handle and closing the address undo making and opening.",
        (
            "SHARING-UNNAME-010",
            "SHARING-OPEN-005",
            "SHARING-CLOSE-010",
            "SHARING-CLOSE-002",
            "SVM-ANY-003",
        ),
    ),
    (
        "SEED-SHARING-05",
        "memory sharing, between host and device",
        (
            "halHostRegister makes memory of one side reachable for the other, and "
            "halHostUnregister ends that."
        ),
        (
            "SHARING-REGISTER-030",
            "SHARING-REGISTER-031",
            "SHARING-UNREG-010",
            "SHARING-UNREG-001",
            "SHARING-DEVPTR-011",
        ),
    ),
    (
        "SEED-SHARING-06",
        "use of memory sharing",
        (
            "A process allocates device memory, makes a handle for it and hands the handle to "
            "another process by a way of its own."
        ),
        ("SVM-ALLOC-040", "SHARING-NAME-020", "SHARING-NAME-021"),
    ),
    (
        "SEED-SHARING-07",
        "use of memory sharing",
        "The other process opens the handle on its device and so has the memory mapped.",
        ("SHARING-OPEN-020", "SHARING-OPEN-008"),
    ),
    (
        "SEED-SHARING-08",
        "use of memory sharing",
        (
            "One device can use what another has computed without a copy: what is written "
            "through one address is read through the other."
        ),
        ("SVM-SET-010", "SVM-COPY-021", "SHARING-OPEN-020"),
    ),
)
