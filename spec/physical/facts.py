"""What the API reference states about addresses and physical memory of the runtime."""

from __future__ import annotations

from halcert.spec.fact import Fact
from halcert.spec.physical.outcomes import (
    ACCESS,
    ADDRESSES,
    ASKING,
    EXPORTING,
    MAPPING,
    PHYSICAL,
)

PHYSICAL_FACTS: tuple[Fact, ...] = (
    Fact(
        "FACT-PHYSICAL-01",
        ADDRESSES,
        "Addresses are reserved with a size above 0 and no alignment; how many there are is open.",
        (
            "PHYSICAL-RESERVE-002",
            "PHYSICAL-RESERVE-004",
            "PHYSICAL-RESERVE-012",
            "PHYSICAL-RESERVE-020",
            "PHYSICAL-RESERVE-021",
            "PHYSICAL-RESERVE-022",
        ),
    ),
    Fact(
        "FACT-PHYSICAL-02",
        ADDRESSES,
        (
            "An address can be asked for, as an experiment: between 16 and 24 TiB, a multiple of "
            "its size up to 1 GiB, and nobody else's; otherwise the call fails."
        ),
        (
            "PHYSICAL-RESERVE-005",
            "PHYSICAL-RESERVE-006",
            "PHYSICAL-RESERVE-009",
            "PHYSICAL-RESERVE-011",
            "PHYSICAL-RESERVE-025",
        ),
    ),
    Fact(
        "FACT-PHYSICAL-03",
        ADDRESSES,
        "Ascend 950 chooses addresses itself.",
        ("PHYSICAL-RESERVE-010",),
    ),
    Fact(
        "FACT-PHYSICAL-04",
        ADDRESSES,
        "Addresses are given back after what is mapped there was unmapped.",
        ("PHYSICAL-RELEASE-002", "PHYSICAL-RELEASE-003", "PHYSICAL-RELEASE-010"),
    ),
    Fact(
        "FACT-PHYSICAL-05",
        PHYSICAL,
        "Physical memory of a device or of the host is had by a handle; flags must be 0.",
        (
            "PHYSICAL-MALLOC-002",
            "PHYSICAL-MALLOC-003",
            "PHYSICAL-MALLOC-004",
            "PHYSICAL-MALLOC-007",
            "PHYSICAL-MALLOC-008",
            "PHYSICAL-MALLOC-015",
            "PHYSICAL-MALLOC-020",
            "PHYSICAL-MALLOC-021",
        ),
    ),
    Fact(
        "FACT-PHYSICAL-06",
        PHYSICAL,
        (
            "The kinds of memory that can be asked for are listed; those that say DDR are of the "
            "host alone, those of 1 GiB of devices alone, and some products lack some."
        ),
        (
            "PHYSICAL-MALLOC-005",
            "PHYSICAL-MALLOC-006",
            "PHYSICAL-MALLOC-009",
            "PHYSICAL-MALLOC-016",
        ),
    ),
    Fact(
        "FACT-PHYSICAL-07",
        PHYSICAL,
        "Sizes are multiples of the granularity that can be asked for.",
        ("PHYSICAL-MALLOC-012",),
    ),
    Fact(
        "FACT-PHYSICAL-08",
        PHYSICAL,
        "Memory that is freed while it is mapped goes when it is unmapped; then nobody uses it.",
        ("PHYSICAL-FREE-003", "PHYSICAL-FREE-010"),
    ),
    Fact(
        "FACT-PHYSICAL-09",
        MAPPING,
        (
            "All of a handle is mapped at reserved addresses, from anywhere in them, on whole "
            "pages and without offset or flags."
        ),
        (
            "PHYSICAL-MAP-002",
            "PHYSICAL-MAP-003",
            "PHYSICAL-MAP-004",
            "PHYSICAL-MAP-005",
            "PHYSICAL-MAP-006",
            "PHYSICAL-MAP-007",
            "PHYSICAL-MAP-009",
            "PHYSICAL-MAP-012",
            "PHYSICAL-MAP-016",
            "PHYSICAL-MAP-020",
        ),
    ),
    Fact(
        "FACT-PHYSICAL-10",
        MAPPING,
        "One reservation holds no memory of two devices at a time, nor imported beside one's own.",
        ("PHYSICAL-MAP-014",),
    ),
    Fact(
        "FACT-PHYSICAL-11",
        MAPPING,
        "Unmapping ends what mapping began.",
        ("PHYSICAL-UNMAP-002", "PHYSICAL-UNMAP-010"),
    ),
    Fact(
        "FACT-PHYSICAL-12",
        ACCESS,
        "Access is given to a mapping as a whole, for devices and the host; it can be asked for.",
        (
            "PHYSICAL-SETACC-004",
            "PHYSICAL-SETACC-006",
            "PHYSICAL-SETACC-007",
            "PHYSICAL-SETACC-011",
            "PHYSICAL-SETACC-020",
            "PHYSICAL-GETACC-002",
            "PHYSICAL-GETACC-003",
            "PHYSICAL-GETACC-004",
            "PHYSICAL-GETACC-010",
            "PHYSICAL-GETACC-011",
        ),
    ),
    Fact(
        "FACT-PHYSICAL-13",
        ASKING,
        (
            "The start of a mapping leads to its handle, which is freed once more then; an older "
            "driver does not tell."
        ),
        (
            "PHYSICAL-RETAIN-002",
            "PHYSICAL-RETAIN-003",
            "PHYSICAL-RETAIN-004",
            "PHYSICAL-RETAIN-010",
            "PHYSICAL-RETAIN-011",
        ),
    ),
    Fact(
        "FACT-PHYSICAL-14",
        ASKING,
        "The granularity of physical memory with given properties can be asked for.",
        (
            "PHYSICAL-GRAN-002",
            "PHYSICAL-GRAN-004",
            "PHYSICAL-GRAN-008",
            "PHYSICAL-GRAN-009",
            "PHYSICAL-GRAN-020",
            "PHYSICAL-GRAN-021",
        ),
    ),
    Fact(
        "FACT-PHYSICAL-15",
        ASKING,
        "The properties of memory that the process allocated can be asked for.",
        ("PHYSICAL-PROPS-003", "PHYSICAL-PROPS-010", "PHYSICAL-PROPS-011"),
    ),
    Fact(
        "FACT-PHYSICAL-16",
        EXPORTING,
        "Device memory is exported once, as a number or as bytes; the type of a number is none.",
        (
            "PHYSICAL-EXPORT-002",
            "PHYSICAL-EXPORT-004",
            "PHYSICAL-EXPORT-007",
            "PHYSICAL-EXPORT-020",
            "PHYSICAL-EXPORT-021",
            "PHYSICAL-EXPORT2-003",
            "PHYSICAL-EXPORT2-006",
            "PHYSICAL-EXPORT2-020",
            "PHYSICAL-EXPORT2-021",
        ),
    ),
    Fact(
        "FACT-PHYSICAL-17",
        EXPORTING,
        "Its exporter names the processes that may import it, or says with a flag that all may.",
        (
            "PHYSICAL-PERMIT-003",
            "PHYSICAL-PERMIT-004",
            "PHYSICAL-PERMIT-008",
            "PHYSICAL-PERMIT-020",
            "PHYSICAL-PERMIT2-004",
            "PHYSICAL-PERMIT2-008",
            "PHYSICAL-PERMIT2-020",
            "PHYSICAL-IMPORT-005",
            "PHYSICAL-IMPORT2-005",
        ),
    ),
    Fact(
        "FACT-PHYSICAL-18",
        EXPORTING,
        (
            "Another process imports it once while it is there, on a device, and gets a handle "
            "of its own; bytes on the device that it works with, without flags."
        ),
        (
            "PHYSICAL-IMPORT-002",
            "PHYSICAL-IMPORT-004",
            "PHYSICAL-IMPORT-006",
            "PHYSICAL-IMPORT-007",
            "PHYSICAL-IMPORT-008",
            "PHYSICAL-IMPORT-020",
            "PHYSICAL-IMPORT-021",
            "PHYSICAL-IMPORT2-002",
            "PHYSICAL-IMPORT2-006",
            "PHYSICAL-IMPORT2-007",
            "PHYSICAL-IMPORT2-008",
            "PHYSICAL-IMPORT2-020",
            "PHYSICAL-IMPORT2-021",
        ),
    ),
    Fact(
        "FACT-PHYSICAL-19",
        EXPORTING,
        "Atlas A3 alone shares with other machines.",
        ("PHYSICAL-IMPORT2-010",),
    ),
)
