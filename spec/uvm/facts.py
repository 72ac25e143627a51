"""What the headers and the API reference state about managed memory."""

from __future__ import annotations

from halcert.spec.fact import ABI, Fact
from halcert.spec.sources import API, DEFINES, HEADER, MODULE_DOC

UVM_FACTS: tuple[Fact, ...] = (
    Fact("FACT-UVM-01", DEFINES.at("flags"), "MEM_UVM is one of the kinds.", reason=ABI),
    Fact(
        "FACT-UVM-02",
        API.at("limits of managed memory"),
        "A process has 3 TiB of addresses for managed memory, from 9 TiB on.",
        ("SVM-ALLOC-048",),
    ),
    Fact(
        "FACT-UVM-03",
        API.at("limits of managed memory"),
        "What was just allocated holds no values that one could rely on.",
        ("SVM-ALLOC-040",),
    ),
    Fact(
        "FACT-UVM-04",
        HEADER.at("halMemManagedAdvise, ptr and size"),
        "Address and size are multiples of 2 MiB.",
        ("UVM-ADVISE-024", "UVM-FETCH-024", "UVM-BATCH-025"),
    ),
    Fact(
        "FACT-UVM-05",
        HEADER.at("halMemManagedAdvise"),
        "There may not be enough memory to follow advice.",
        ("UVM-ADVISE-023",),
    ),
    Fact(
        "FACT-UVM-06",
        API.at("aclrtMemManagedAdvise"),
        "Preferring a place is an error where memory is mapped elsewhere.",
        ("UVM-ADVISE-027",),
    ),
    Fact(
        "FACT-UVM-07",
        HEADER.at("halMemManagedPrefetch, flags"),
        "The flags are kept for later and must be 0.",
        ("UVM-FETCH-004", "UVM-BATCH-021"),
    ),
    Fact(
        "FACT-UVM-08",
        API.at("aclrtMemManagedPrefetchAsync"),
        "At least one byte is prefetched.",
        ("UVM-FETCH-020", "UVM-BATCH-022"),
    ),
    Fact(
        "FACT-UVM-09",
        API.at("batch prefetch"),
        "Places and indices say for each range of a batch where it goes.",
        ("UVM-BATCH-020", "UVM-BATCH-030"),
    ),
    Fact(
        "FACT-UVM-10",
        API.at("attributes of a range of managed memory"),
        "Eight attributes can be asked for; each answer has its size.",
        ("UVM-RANGE-008", "UVM-RANGE-010"),
    ),
    Fact(
        "FACT-UVM-11",
        API.at("attributes of a range of managed memory"),
        "An attribute is that of all pages of the range, or says that they differ.",
        (
            "UVM-RANGE-030",
            "UVM-RANGE-031",
            "UVM-RANGE-032",
            "UVM-RANGE-033",
            "UVM-RANGE-034",
            "UVM-RANGE-035",
        ),
    ),
    Fact(
        "FACT-UVM-12",
        API.at("attributes of a range of managed memory"),
        "The last place of a prefetch is the one that was asked for.",
        ("UVM-RANGE-036", "UVM-RANGE-037", "UVM-RANGE-038"),
    ),
    Fact(
        "FACT-UVM-13",
        API.at("managed memory"),
        "An access where the page is not brings the page there and takes it from elsewhere.",
        ("UVM-DLOAD-010", "UVM-DSTORE-010", "SVM-LOAD-010", "SVM-STORE-010"),
    ),
    Fact(
        "FACT-UVM-14",
        API.at("managed memory"),
        "Moving pages to and fro costs time.",
        reason="a matter of speed, of which no rule speaks",
    ),
    Fact(
        "FACT-UVM-15",
        MODULE_DOC.at("UVM, oversubscription"),
        "A device that is full makes room by swapping out, and is never overcommitted.",
        ("UVM-ANY-001", "UVM-ANY-002", "UVM-DSTORE-003", "UVM-DLOAD-003"),
    ),
    Fact(
        "FACT-UVM-16",
        MODULE_DOC.at("UVM, dependencies"),
        "Sharing is not among what managed memory extends.",
        reason="managed memory is not shared by the suite: nothing is promised about it",
    ),
)
