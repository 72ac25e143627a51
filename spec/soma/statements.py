"""What the module description states about SOMA.

Each entry is the id, the place, the statement in our words, and the ids of the rules that carry
it.
"""

from __future__ import annotations

from halcert.spec.svm.statements import Stated

SOMA_STATEMENTS: tuple[Stated, ...] = (
    (
        "SEED-SOMA-01",
        "SOMA, overview",
        (
            "Pools of device memory are made and ended, memory is taken of them and given back in "
            "the order of streams, and their attributes are set and asked for."
        ),
        (
            "SOMA-CREATE-020",
            "SOMA-DESTROY-010",
            "SOMA-SETATTR-020",
            "SOMA-GETATTR-010",
            "RUNTIME-PMALLOC-021",
            "RUNTIME-PFREE-010",
        ),
    ),
    (
        "SEED-SOMA-02",
        "SOMA, limits of use",
        "A program has the use of pools through the runtime alone, not by calls of the host.",
        ("RUNTIME-POOL-020", "RUNTIME-PMALLOC-021", "RUNTIME-PFREE-010", "SOMA-MALLOC-010"),
    ),
    (
        "SEED-SOMA-03",
        "SOMA, limits of use",
        "Pools are there on some products only.",
        ("SOMA-CREATE-017", "SOMA-CREATE-020", "RUNTIME-POOL-008"),
    ),
    (
        "SEED-SOMA-04",
        "SOMA, pools",
        "Making a pool sets its number and its largest size, and takes no physical memory.",
        ("SOMA-CREATE-020", "SOMA-GETATTR-012", "SOMA-MALLOC-003"),
    ),
    (
        "SEED-SOMA-05",
        "SOMA, pools",
        "Ending a pool releases every block that came from it and gives all of it back.",
        ("SOMA-DESTROY-010", "SOMA-DESTROY-003", "SOMA-DESTROY-004", "RUNTIME-DPOOL-010"),
    ),
    (
        "SEED-SOMA-06",
        "SOMA, malloc and free",
        (
            "The device takes a range of a pool at an address, and names the pool, the address, "
            "the size and a policy."
        ),
        (
            "SOMA-MALLOC-001",
            "SOMA-MALLOC-002",
            "SOMA-MALLOC-003",
            "SOMA-MALLOC-004",
            "SOMA-MALLOC-010",
        ),
    ),
    (
        "SEED-SOMA-07",
        "SOMA, malloc and free",
        "Physical pages are put behind the range, so that it can be computed with at once.",
        ("SOMA-MALLOC-006", "SOMA-MALLOC-010"),
    ),
    (
        "SEED-SOMA-08",
        "SOMA, malloc and free",
        (
            "The device gives a range back to a pool, and names the pool, the address, the size "
            "and a policy."
        ),
        ("SOMA-FREE-001", "SOMA-FREE-002", "SOMA-FREE-010"),
    ),
    (
        "SEED-SOMA-09",
        "SOMA, malloc and free",
        "What is freed is not given back to the system but stays in the pool for later.",
        ("SOMA-FREE-010", "SOMA-GETATTR-012", "RUNTIME-PFREE-010"),
    ),
    (
        "SEED-SOMA-10",
        "SOMA, attributes",
        "Attributes of a pool, such as how much it may keep, can be set.",
        (
            "SOMA-SETATTR-003",
            "SOMA-SETATTR-005",
            "SOMA-SETATTR-006",
            "SOMA-SETATTR-020",
            "SOMA-SETATTR-021",
            "SOMA-SETATTR-022",
        ),
    ),
    (
        "SEED-SOMA-11",
        "SOMA, attributes",
        "The current value of an attribute can be asked for.",
        (
            "SOMA-GETATTR-004",
            "SOMA-GETATTR-010",
            "SOMA-GETATTR-011",
            "SOMA-GETATTR-012",
            "SOMA-GETATTR-013",
            "SOMA-GETATTR-014",
            "SOMA-GETATTR-015",
        ),
    ),
    (
        "SEED-SOMA-12",
        "SOMA, use, step 1",
        "halMemPoolCreate makes the pool before anything is taken of it.",
        ("SOMA-CREATE-020", "SOMA-MALLOC-001"),
    ),
    (
        "SEED-SOMA-13",
        "SOMA, use, step 2",
        "Before an operator runs memory is taken of the pool, and its address is known.",
        ("SOMA-MALLOC-010", "RUNTIME-PMALLOC-021", "RUNTIME-PMALLOC-022"),
    ),
    (
        "SEED-SOMA-14",
        "SOMA, use, step 3",
        "Once the operator is done its memory is given back to the pool.",
        ("SOMA-FREE-010", "RUNTIME-PFREE-010"),
    ),
)
