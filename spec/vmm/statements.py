"""What the module description states about VMM.

Each entry is the id, the place, the statement in our words, and the ids of the rules that carry
it.
"""

from __future__ import annotations

from halcert.spec.svm.statements import Stated

VMM_STATEMENTS: tuple[Stated, ...] = (
    (
        "SEED-VMM-01",
        "VMM, overview",
        (
            "Addresses and physical memory can be had separately, and mappings between them "
            "made and taken away as needed."
        ),
        ("VMM-RESERVE-030", "VMM-CREATE-030", "VMM-MAP-030", "VMM-UNMAP-010"),
    ),
    (
        "SEED-VMM-02",
        "VMM addresses",
        "halMemAddressReserve takes a stretch of the reserved address range and gives its address.",
        ("VMM-RESERVE-030", "VMM-RESERVE-031", "VMM-RESERVE-032"),
    ),
    (
        "SEED-VMM-03",
        "VMM addresses",
        "Reserving addresses takes no physical pages.",
        ("VMM-RESERVE-030", "SVM-ANY-003"),
    ),
    (
        "SEED-VMM-04",
        "VMM addresses",
        "halMemAddressFree gives back the addresses and nothing else.",
        ("VMM-AFREE-010", "VMM-AFREE-002", "VMM-AFREE-003", "VMM-AFREE-004"),
    ),
    (
        "SEED-VMM-05",
        "VMM physical memory",
        (
            "halMemCreate takes physical memory of the size and properties that are asked for "
            "on the device."
        ),
        ("VMM-CREATE-030", "VMM-PROPS-011", "VMM-PROPS-012", "SVM-ANY-002"),
    ),
    (
        "SEED-VMM-06",
        "VMM physical memory",
        "It gives an opaque handle, by which later calls mean the memory.",
        ("VMM-CREATE-031", "VMM-CREATE-032", "VMM-MAP-030"),
    ),
    (
        "SEED-VMM-07",
        "VMM physical memory",
        "halMemRelease frees the physical memory that the handle stands for.",
        ("VMM-RELEASE-010", "SVM-ANY-003"),
    ),
    (
        "SEED-VMM-08",
        "VMM mapping",
        "halMemMap makes the addresses that are passed lead to the physical memory.",
        ("VMM-MAP-030", "VMM-MAP-011", "VMM-MAP-012", "SVM-SET-010", "SVM-COPY-021"),
    ),
    (
        "SEED-VMM-09",
        "VMM mapping",
        "halMemUnmap takes the mapping away.",
        ("VMM-UNMAP-010", "VMM-UNMAP-003", "VMM-UNMAP-005"),
    ),
    (
        "SEED-VMM-10",
        "VMM, use",
        (
            "A program gets addresses and physical memory once and maps them as it needs them, "
            "using the same physical memory again."
        ),
        ("VMM-MAP-030", "VMM-UNMAP-010", "VMM-RELEASE-010"),
    ),
    (
        "SEED-VMM-11",
        "VMM, use",
        (
            "The order is: halMemAddressReserve for addresses, halMemCreate for physical memory, "
            "halMemMap for the mapping between them."
        ),
        ("VMM-RESERVE-030", "VMM-CREATE-030", "VMM-MAP-030", "VMM-MAP-006", "VMM-MAP-007"),
    ),
)
