"""What the module description states about the SVM core.

Each entry is the id, the place, the statement in our words, and the ids of the rules that carry
it.
"""

from __future__ import annotations

Stated = tuple[str, str, str, tuple[str, ...]]
"""Id, place, text and rules of a statement."""

SVM_STATEMENTS: tuple[Stated, ...] = (
    (
        "SEED-SVM-01",
        "SVM, overview",
        (
            "The module manages the memory of devices: it is initialised, memory is "
            "allocated, freed, copied and asked about."
        ),
        (
            "SVM-OPEN-010",
            "SVM-ALLOC-040",
            "SVM-FREE-010",
            "SVM-HCOPY-031",
            "SVM-ATTR-010",
            "SVM-INFO-020",
        ),
    ),
    (
        "SEED-SVM-02",
        "SVM initialisation, paragraph 1",
        "When a process sets a device, halMemAgentOpen initialises the module for that process.",
        ("SVM-OPEN-010", "SVM-OPEN-003"),
    ),
    (
        "SEED-SVM-03",
        "SVM initialisation, paragraph 1",
        (
            "Initialising sets up the bookkeeping on the host and brings the module on the "
            "host and the one on the device together; only then is there memory of the "
            "device."
        ),
        ("SVM-OPEN-010", "SVM-ALLOC-030", "VMM-CREATE-015", "SVM-CLOSE-010"),
    ),
    (
        "SEED-SVM-04",
        "Allocation, free and set, paragraph 1",
        (
            "halMemAlloc takes a stretch of the address range that is reserved for the "
            "process and gives its address."
        ),
        ("SVM-ALLOC-040", "SVM-ALLOC-041", "SVM-ALLOC-042", "SVM-ALLOC-044"),
    ),
    (
        "SEED-SVM-05",
        "Allocation, free and set, paragraph 1",
        (
            "Allocating also takes physical pages and enters them in the page tables, so that "
            "the memory can be used at once."
        ),
        ("SVM-ALLOC-040", "SVM-SET-010", "SVM-HCOPY-031", "SVM-ATTR-011", "SVM-INFO-023"),
    ),
    (
        "SEED-SVM-06",
        "Allocation, free and set, paragraph 1",
        "Freeing removes the pages from the page tables and frees them.",
        ("SVM-FREE-010", "SVM-FREE-002", "SVM-ANY-003"),
    ),
    (
        "SEED-SVM-07",
        "Allocation, free and set, paragraph 1",
        (
            "Freeing gives the addresses back to the reserved range, from which they can be "
            "taken again."
        ),
        ("SVM-FREE-010", "SVM-FREE-002", "SVM-RANGE-002", "SVM-ALLOC-042"),
    ),
    (
        "SEED-SVM-08",
        "Allocation, free and set, paragraph 1",
        "drvMemsetD8 sets device memory of the size that is given to the value that is given.",
        ("SVM-SET-010", "SVM-SET-001", "SVM-SET-003"),
    ),
    (
        "SEED-SVM-09",
        "Query, paragraph 1",
        "The attributes of an address can be asked for, and information about memory as a whole.",
        ("SVM-ATTR-010", "SVM-INFO-020", "SVM-RANGE-010"),
    ),
    (
        "SEED-SVM-10",
        "Query, attributes of memory",
        "drvMemGetAttribute tells the attributes of the memory that an address leads to.",
        (
            "SVM-ATTR-011",
            "SVM-ATTR-012",
            "SVM-ATTR-013",
            "SVM-ATTR-015",
            "SVM-ATTR-016",
            "SVM-ATTR-018",
        ),
    ),
    (
        "SEED-SVM-11",
        "Query, attributes of memory",
        "Among them is the size of the physical pages.",
        ("SVM-ATTR-023", "SVM-ATTR-024", "SVM-ATTR-017"),
    ),
    (
        "SEED-SVM-12",
        "Query, information about memory",
        "halMemGetInfo tells about the physical memory of a device.",
        ("SVM-INFO-020", "SVM-INFO-021", "SVM-INFO-022", "SVM-INFO-023", "SVM-ANY-002"),
    ),
    (
        "SEED-SVM-13",
        "Copy, paragraph 1",
        "halMemcpy moves data between the host and a device.",
        ("SVM-HCOPY-031", "SVM-COPY-021"),
    ),
    (
        "SEED-SVM-14",
        "Copy, paragraph 1",
        "It also moves data between different devices.",
        ("SVM-HCOPY-031", "SVM-COPY-021"),
    ),
    (
        "SEED-SVM-15",
        "Copy, paragraph 1",
        "A copy from host to device takes the bytes of host memory to device memory.",
        ("SVM-HCOPY-031", "SVM-LOAD-011", "SVM-STORE-010"),
    ),
    (
        "SEED-SVM-16",
        "Copy, paragraph 1",
        (
            "The copy is synchronous: the caller is held until all of the data is copied, and "
            "goes on only then."
        ),
        ("SVM-HCOPY-031", "SVM-COPY-021"),
    ),
    (
        "SEED-SVM-17",
        "Allocate and copy, scenario",
        "Before an operator runs, the process on the host initialises the module.",
        ("SVM-OPEN-010", "SVM-ALLOC-030"),
    ),
    (
        "SEED-SVM-18",
        "Allocate and copy, step 1",
        "halMemAlloc allocates host memory and gives its address.",
        ("SVM-ALLOC-040", "SVM-ALLOC-041", "SVM-ATTR-013", "SVM-STORE-010", "SVM-LOAD-011"),
    ),
    (
        "SEED-SVM-19",
        "Allocate and copy, step 2",
        "halMemAlloc allocates device memory and gives its address.",
        ("SVM-ALLOC-040", "SVM-ALLOC-041", "SVM-ATTR-011", "SVM-ATTR-018"),
    ),
    (
        "SEED-SVM-20",
        "Allocate and copy, step 3",
        "halMemcpy brings the data from the host memory to the device memory, synchronously.",
        ("SVM-HCOPY-031", "SVM-HCOPY-030"),
    ),
)
