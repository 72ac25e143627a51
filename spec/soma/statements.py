"""What the module description states about SOMA.

Each entry is the id, the place, the statement in our words, and the ids of the rules that carry
it.
"""

from __future__ import annotations

from halcert.spec.svm.statements import Stated

SOMA_STATEMENTS: tuple[Stated, ...] = (
    (
        "SEED-SOMA-01",
        "SOMA, limits of use",
        "Pools are there on some products only.",
        ("SOMA-CREATE-017", "SOMA-CREATE-020"),
    ),
    (
        "SEED-SOMA-02",
        "SOMA, pools",
        "Making a pool sets its number and its largest size, and takes no physical memory.",
        ("SOMA-CREATE-020", "SOMA-GETATTR-012"),
    ),
    (
        "SEED-SOMA-03",
        "SOMA, pools",
        "Ending a pool releases every block that came from it and gives all of it back.",
        ("SOMA-DESTROY-010",),
    ),
    (
        "SEED-SOMA-04",
        "SOMA, malloc and free",
        "The device takes a range of a pool at an address, with a size and a policy.",
        ("SOMA-MALLOC-010", "SOMA-MALLOC-001", "SOMA-MALLOC-003"),
    ),
    (
        "SEED-SOMA-05",
        "SOMA, malloc and free",
        "Physical pages are put behind the range, so that it can be computed with at once.",
        ("SOMA-MALLOC-010",),
    ),
    (
        "SEED-SOMA-06",
        "SOMA, malloc and free",
        "What is freed is not given back to the system but stays in the pool for later.",
        ("SOMA-FREE-010", "SOMA-GETATTR-012"),
    ),
    (
        "SEED-SOMA-07",
        "SOMA, attributes",
        "Attributes of a pool, such as how much it may keep, can be set.",
        ("SOMA-SETATTR-020", "SOMA-SETATTR-021", "SOMA-SETATTR-022"),
    ),
    (
        "SEED-SOMA-08",
        "SOMA, attributes",
        "The current value of an attribute can be asked for.",
        ("SOMA-GETATTR-011", "SOMA-GETATTR-013", "SOMA-GETATTR-014", "SOMA-GETATTR-015"),
    ),
)
