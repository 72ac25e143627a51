"""What the module description states about UVM, and the description of a sample that uses it.

Each entry is the id, the place, the statement in our words, and the ids of the rules that carry
it.
"""

from __future__ import annotations

from halcert.spec.svm.statements import Stated

UVM_STATEMENTS: tuple[Stated, ...] = (
    (
        "SEED-UVM-01",
        "UVM, overview",
        "Host and devices see managed memory under one address, wherever its bytes are kept.",
        ("SVM-LOAD-011", "UVM-DLOAD-011", "SVM-STORE-010", "UVM-DSTORE-010"),
    ),
    (
        "SEED-UVM-02",
        "UVM, overview",
        "Data moves between memory of the host and of devices as it is accessed, by itself.",
        ("SVM-LOAD-010", "SVM-STORE-010", "UVM-DLOAD-010", "UVM-DSTORE-010"),
    ),
    (
        "SEED-UVM-03",
        "UVM, overview",
        "Memory of another place may be accessed directly, without a copy.",
        ("UVM-DLOAD-010", "SVM-LOAD-010"),
    ),
    (
        "SEED-UVM-04",
        "UVM, overview, ease of use",
        "Processor and device access managed memory without any call that copies.",
        ("SVM-STORE-010", "SVM-LOAD-011", "UVM-DSTORE-010", "UVM-DLOAD-011"),
    ),
    (
        "SEED-UVM-05",
        "UVM, overview, oversubscription",
        "A device can work on more data than its memory holds; cold pages are swapped out.",
        ("UVM-DSTORE-010", "UVM-DLOAD-011"),
    ),
    (
        "SEED-UVM-06",
        "UVM, overview, performance",
        "Data can be prefetched to where it will be needed, while other work goes on.",
        ("UVM-FETCH-030", "UVM-BATCH-030"),
    ),
    (
        "SEED-UVM-07",
        "UVM, limits of use",
        "Only Ascend 910B and 910_93 have managed memory.",
        (
            "SVM-ALLOC-016",
            "UVM-ADVISE-001",
            "UVM-FETCH-001",
            "UVM-BATCH-001",
            "UVM-RANGE-001",
            "RUNTIME-ADVISE-005",
            "RUNTIME-FETCH-008",
            "RUNTIME-BATCH-010",
            "RUNTIME-RANGE-003",
            "RUNTIME-RANGES-004",
        ),
    ),
    (
        "SEED-UVM-08",
        "UVM, allocation and free",
        "halMemAlloc with the MEM_UVM flag allocates managed memory, halMemFree frees it.",
        ("SVM-ALLOC-040", "SVM-ALLOC-048", "SVM-FREE-010", "SVM-FREE-002"),
    ),
    (
        "SEED-UVM-09",
        "UVM, allocation and free, lazy allocation",
        "Allocating sets addresses aside; no physical page comes with it.",
        ("SVM-ALLOC-040", "SVM-COPY-022", "SVM-HCOPY-032"),
    ),
    (
        "SEED-UVM-10",
        "UVM, allocation and free, on demand",
        "The first read or write of a page brings a physical page, which may be a huge one.",
        (
            "SVM-LOAD-010",
            "SVM-STORE-010",
            "UVM-DLOAD-010",
            "UVM-DSTORE-010",
            "SVM-ATTR-017",
        ),
    ),
    (
        "SEED-UVM-11",
        "UVM, allocation and free, release",
        "halMemFree gives addresses and pages back before it returns, and removes the mappings.",
        ("SVM-FREE-010", "SVM-ANY-003", "UVM-RANGE-012", "UVM-ADVISE-009"),
    ),
    (
        "SEED-UVM-12",
        "UVM, memory attributes",
        "halMemManagedAdvise sets or takes back an attribute of a range of managed memory.",
        (
            "UVM-ADVISE-030",
            "UVM-ADVISE-031",
            "UVM-ADVISE-032",
            "UVM-ADVISE-033",
            "UVM-ADVISE-034",
            "UVM-ADVISE-035",
        ),
    ),
    (
        "SEED-UVM-13",
        "UVM, memory attributes, READ_MOSTLY",
        "Read-mostly pages have read-only copies on the host and several devices at once.",
        ("UVM-ADVISE-030", "UVM-DLOAD-010", "UVM-DLOAD-011", "UVM-RANGE-031"),
    ),
    (
        "SEED-UVM-14",
        "UVM, memory attributes, READ_MOSTLY",
        "A write leaves the copy of the writer alone; the others go, and so does the attribute.",
        ("SVM-STORE-010", "UVM-DSTORE-010", "SVM-COPY-021", "UVM-RANGE-031"),
    ),
    (
        "SEED-UVM-15",
        "UVM, memory attributes, READ_MOSTLY",
        "Setting it does not look at the location and makes a first copy on the host.",
        ("UVM-ADVISE-030", "UVM-RANGE-031"),
    ),
    (
        "SEED-UVM-16",
        "UVM, memory attributes, UNSET_READ_MOSTLY",
        (
            "Taking it back leaves the copy at the location, or on the host if there is none, and "
            "frees the others."
        ),
        ("UVM-ADVISE-031", "UVM-RANGE-031"),
    ),
    (
        "SEED-UVM-17",
        "UVM, memory attributes, PREFER_LOCATION",
        "Pages prefer the host or a device; memory can be made ready there before it is needed.",
        ("UVM-ADVISE-032", "UVM-RANGE-032", "UVM-RANGE-034", "UVM-RANGE-035"),
    ),
    (
        "SEED-UVM-18",
        "UVM, memory attributes, PREFER_LOCATION, not read-mostly",
        "Pages that are mapped at the preferred place stay as they are.",
        ("UVM-ADVISE-032",),
    ),
    (
        "SEED-UVM-19",
        "UVM, memory attributes, PREFER_LOCATION, not read-mostly",
        "Preferring a place is an error where pages are mapped elsewhere.",
        ("UVM-ADVISE-027", "UVM-ADVISE-041", "UVM-ADVISE-032"),
    ),
    (
        "SEED-UVM-20",
        "UVM, memory attributes, PREFER_LOCATION, not read-mostly",
        "Pages that are mapped nowhere get memory at the preferred place, for reading and writing.",
        ("UVM-ADVISE-032", "UVM-ADVISE-023"),
    ),
    (
        "SEED-UVM-21",
        "UVM, memory attributes, PREFER_LOCATION, read-mostly",
        "Preferring the host does nothing further.",
        ("UVM-ADVISE-032",),
    ),
    (
        "SEED-UVM-22",
        "UVM, memory attributes, PREFER_LOCATION, read-mostly",
        "Preferring a device gives it a read-only copy, unless it has one.",
        ("UVM-ADVISE-032", "UVM-DLOAD-011"),
    ),
    (
        "SEED-UVM-23",
        "UVM, memory attributes, UNSET_PREFER_LOCATION",
        "The preferred location is taken back.",
        ("UVM-ADVISE-033", "UVM-RANGE-032"),
    ),
    (
        "SEED-UVM-24",
        "UVM, memory attributes, ACCESS_BY_LOCATION",
        "It says that a device is going to access the range, and asks for a remote mapping.",
        ("UVM-ADVISE-034", "UVM-RANGE-033"),
    ),
    (
        "SEED-UVM-25",
        "UVM, memory attributes, ACCESS_BY_LOCATION",
        "Where it names the preferred location, memory is made ready there beforehand.",
        ("UVM-ADVISE-034", "UVM-ADVISE-032", "SVM-COPY-021"),
    ),
    (
        "SEED-UVM-26",
        "UVM, memory attributes, ACCESS_BY_LOCATION, note",
        "A2 and A3 cannot map memory of another place: pages still move to where they are used.",
        ("UVM-ADVISE-034", "UVM-DLOAD-010", "SVM-LOAD-010"),
    ),
    (
        "SEED-UVM-27",
        "UVM, memory attributes, UNSET_ACCESS_BY_LOCATION",
        "That a location accesses the range is taken back.",
        ("UVM-ADVISE-035", "UVM-RANGE-033"),
    ),
    (
        "SEED-UVM-28",
        "UVM, page faults",
        (
            "An access to an address that is not mapped, or not for writing, is served by moving "
            "the data, rebuilding the mapping and keeping copies alike."
        ),
        (
            "SVM-LOAD-010",
            "SVM-STORE-010",
            "UVM-DLOAD-010",
            "UVM-DSTORE-010",
            "SVM-LOAD-011",
            "UVM-DLOAD-011",
        ),
    ),
    (
        "SEED-UVM-29",
        "UVM, page faults, host",
        "The host faults on pages that are not mapped, and on writes to read-mostly pages.",
        ("SVM-LOAD-010", "SVM-STORE-010", "SVM-FILL-010"),
    ),
    (
        "SEED-UVM-30",
        "UVM, page faults, device",
        "A device faults on pages that are not mapped, and on writes to read-mostly pages.",
        ("UVM-DLOAD-010", "UVM-DSTORE-010"),
    ),
    (
        "SEED-UVM-31",
        "UVM, oversubscription",
        "Pages that are not active are moved to the host, so that devices do not run out.",
        ("UVM-DSTORE-010", "UVM-DLOAD-010", "UVM-DLOAD-011", "SVM-LOAD-011"),
    ),
    (
        "SEED-UVM-32",
        "UVM, oversubscription, cold pages",
        "Which pages are cold is found by young bits; how fast depends on how full memory is.",
        ("UVM-DLOAD-011", "SVM-LOAD-011"),
    ),
    (
        "SEED-UVM-33",
        "UVM, oversubscription, swapping out",
        "Cold data is moved to the host by DMA and its memory on the device is free again.",
        ("UVM-DSTORE-010", "UVM-DLOAD-011", "SVM-ANY-003"),
    ),
    (
        "SEED-UVM-34",
        "UVM, prefetching",
        "halMemManagedPrefetch brings data to the device that is named.",
        ("UVM-FETCH-030", "UVM-DLOAD-011", "UVM-RANGE-036"),
    ),
    (
        "SEED-UVM-35",
        "UVM, prefetching",
        "Many pages can be brought at once, which is faster than one after the other.",
        ("UVM-FETCH-030", "UVM-BATCH-030"),
    ),
    (
        "SEED-UVM-36",
        "UVM, prefetching, scenario",
        "Data that is mostly read goes to several devices at once, each with a copy of its own.",
        ("UVM-ADVISE-030", "UVM-FETCH-030", "UVM-DLOAD-011"),
    ),
    (
        "SEED-UVM-37",
        "UVM, prefetching, step 1",
        "halMemAlloc gives an address of managed memory.",
        ("SVM-ALLOC-040", "SVM-ALLOC-048"),
    ),
    (
        "SEED-UVM-38",
        "UVM, prefetching, step 2",
        "halMemManagedAdvise sets READ_MOSTLY, takes pages on the host and maps them.",
        ("UVM-ADVISE-030", "UVM-RANGE-031", "SVM-COPY-021"),
    ),
    (
        "SEED-UVM-39",
        "UVM, prefetching, step 3",
        "halMemManagedPrefetch brings the data from the host to the device.",
        ("UVM-FETCH-030", "UVM-DLOAD-011"),
    ),
    (
        "SEED-UVM-40",
        "UVM sample, mechanism",
        "Host and kernels use managed memory by the same pointer, without copies in between.",
        ("SVM-STORE-010", "SVM-LOAD-011", "UVM-DSTORE-010", "UVM-DLOAD-011"),
    ),
    (
        "SEED-UVM-41",
        "UVM sample, mechanism",
        "Pages are mapped when they are accessed, to memory of the side that accesses them.",
        ("SVM-LOAD-010", "SVM-STORE-010", "UVM-DLOAD-010", "UVM-DSTORE-010"),
    ),
    (
        "SEED-UVM-42",
        "UVM sample, mechanism",
        (
            "Where another one accesses a page it moves there, and the mapping and the memory of "
            "the one before are gone."
        ),
        ("UVM-DLOAD-010", "UVM-DSTORE-010", "SVM-LOAD-010", "SVM-STORE-010", "SVM-ANY-003"),
    ),
    (
        "SEED-UVM-43",
        "UVM sample, products",
        "Products without managed memory say so when it is asked for.",
        ("SVM-ALLOC-016",),
    ),
    (
        "SEED-UVM-44",
        "UVM sample, results",
        "What a kernel wrote is there for the host once the kernel is done, without a copy.",
        ("UVM-DSTORE-010", "SVM-LOAD-011"),
    ),
)
