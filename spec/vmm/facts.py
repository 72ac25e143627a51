"""What the headers and the API reference state about VMM."""

from __future__ import annotations

from halcert.spec.fact import Fact
from halcert.spec.sources import API, DEFINES, HEADER

VMM_FACTS: tuple[Fact, ...] = (
    Fact(
        "FACT-VMM-01",
        HEADER.at("halMemAddressReserve"),
        "Addresses are reserved, at most 128 GiB at a time.",
        ("VMM-RESERVE-010", "VMM-RESERVE-020", "VMM-RESERVE-030"),
    ),
    Fact(
        "FACT-VMM-02",
        HEADER.at("halMemAddressReserve, alignment"),
        "The alignment is kept for later and must be 0.",
        ("VMM-RESERVE-003",),
    ),
    Fact(
        "FACT-VMM-03",
        HEADER.at("halMemAddressReserve, addr"),
        "An address may be asked for; it is aligned, and it is given or the call fails.",
        ("VMM-RESERVE-004", "VMM-RESERVE-006", "VMM-RESERVE-021", "VMM-RESERVE-035"),
    ),
    Fact(
        "FACT-VMM-04",
        API.at("aclrtReserveMemAddress"),
        "Asking for an address is experimental, and Ascend 950 need not support it.",
        ("VMM-RESERVE-022",),
    ),
    Fact(
        "FACT-VMM-05",
        HEADER.at("halMemAddressFree"),
        "The address is the one that was given, and nothing is mapped there any more.",
        ("VMM-AFREE-002", "VMM-AFREE-003", "VMM-AFREE-004", "VMM-AFREE-005", "VMM-AFREE-010"),
    ),
    Fact(
        "FACT-VMM-06",
        HEADER.at("halMemGetAddressReserveRange"),
        "The addresses that are kept for the control CPU are told once a device is open.",
        ("VMM-RANGE-006", "VMM-RANGE-010", "VMM-RANGE-011", "VMM-RANGE-012"),
    ),
    Fact(
        "FACT-VMM-07",
        HEADER.at("halMemCreate"),
        "Memory of the size and properties that are asked for has a handle.",
        ("VMM-CREATE-030", "VMM-CREATE-031"),
    ),
    Fact(
        "FACT-VMM-08",
        HEADER.at("halMemCreate, flag"),
        "The flag is kept for later and must be 0.",
        ("VMM-CREATE-003",),
    ),
    Fact(
        "FACT-VMM-09",
        HEADER.at("halMemCreate, size"),
        "The size is a multiple of the granularity.",
        ("VMM-CREATE-013", "VMM-CREATE-014"),
    ),
    Fact(
        "FACT-VMM-10",
        DEFINES.at("giant pages"),
        "Whether a device has giant pages is to be asked for before they are used.",
        ("VMM-CREATE-021", "VMM-GRAN-011"),
    ),
    Fact(
        "FACT-VMM-11",
        HEADER.at("halMemRelease"),
        "Each handle that was got is released once.",
        ("VMM-RELEASE-010", "VMM-RELEASE-003"),
    ),
    Fact(
        "FACT-VMM-12",
        HEADER.at("halMemMap"),
        "Reserved addresses are made to lead to the memory of a handle.",
        ("VMM-MAP-006", "VMM-MAP-007", "VMM-MAP-008", "VMM-MAP-030"),
    ),
    Fact(
        "FACT-VMM-13",
        HEADER.at("halMemMap, offset and flag"),
        "Offset and flag are kept for later and must be 0.",
        ("VMM-MAP-003", "VMM-MAP-004"),
    ),
    Fact(
        "FACT-VMM-14",
        HEADER.at("halMemMap, size"),
        "Address and size are whole pages; with giant pages, whole GiBs.",
        ("VMM-MAP-009",),
    ),
    Fact(
        "FACT-VMM-15",
        HEADER.at("halMemMap, size"),
        "All of the memory is mapped.",
        ("VMM-MAP-017",),
    ),
    Fact(
        "FACT-VMM-16",
        HEADER.at("halMemMap, note on access"),
        "The owner of the memory may read and write it from then on.",
        ("VMM-GETACC-011",),
    ),
    Fact(
        "FACT-VMM-17",
        HEADER.at("halMemUnmap"),
        "A mapping is taken away as a whole, by its start.",
        ("VMM-UNMAP-003", "VMM-UNMAP-004", "VMM-UNMAP-005", "VMM-UNMAP-010"),
    ),
    Fact(
        "FACT-VMM-18",
        HEADER.at("halMemSetAccess"),
        "Locations are given access to a mapping; the host has id 0.",
        (
            "VMM-SETACC-007",
            "VMM-SETACC-011",
            "VMM-SETACC-012",
            "VMM-SETACC-013",
            "VMM-SETACC-014",
            "VMM-SETACC-030",
        ),
    ),
    Fact(
        "FACT-VMM-19",
        HEADER.at("halMemSetAccess, size"),
        "The range is that of a whole mapping.",
        ("VMM-SETACC-013", "VMM-SETACC-016"),
    ),
    Fact(
        "FACT-VMM-20",
        HEADER.at("halMemSetAccess"),
        "Not every machine has a way for a location to reach the memory.",
        ("VMM-SETACC-019",),
    ),
    Fact(
        "FACT-VMM-21",
        DEFINES.at("drv_mem_access_type"),
        "Access is none, for reading, or for reading and writing.",
        ("VMM-SETACC-006",),
    ),
    Fact(
        "FACT-VMM-22",
        HEADER.at("halMemGetAccess"),
        "The access of a location to what is mapped at an address is told.",
        ("VMM-GETACC-004", "VMM-GETACC-007", "VMM-GETACC-008", "VMM-GETACC-010", "VMM-GETACC-012"),
    ),
    Fact(
        "FACT-VMM-23",
        HEADER.at("halMemRetainAllocationHandle"),
        "The handle of what is mapped at an address is got once more, and released once more.",
        (
            "VMM-RETAIN-003",
            "VMM-RETAIN-004",
            "VMM-RETAIN-005",
            "VMM-RETAIN-006",
            "VMM-RETAIN-010",
            "VMM-RETAIN-011",
        ),
    ),
    Fact(
        "FACT-VMM-24",
        HEADER.at("halMemGetAllocationGranularity"),
        "The least or the recommended granularity of memory with some properties is told.",
        ("VMM-GRAN-020", "VMM-GRAN-021"),
    ),
    Fact(
        "FACT-VMM-25",
        HEADER.at("halMemGetAllocationPropertiesFromHandle"),
        "A handle leads to the properties that its memory was created with.",
        ("VMM-PROPS-010", "VMM-PROPS-011", "VMM-PROPS-012", "VMM-PROPS-013"),
    ),
)
