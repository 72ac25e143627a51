"""What the header, the module description and the API reference state about pools of the driver."""

from __future__ import annotations

from halcert.spec.fact import ABI, Fact
from halcert.spec.sources import API, DEFINES, HEADER, MODULE_DOC

SOMA_FACTS: tuple[Fact, ...] = (
    Fact(
        "FACT-SOMA-01",
        HEADER.at("halMemPoolCreate, va"),
        "The addresses of a pool were reserved by halMemAddressReserve.",
        ("SOMA-CREATE-010", "SOMA-CREATE-020"),
    ),
    Fact(
        "FACT-SOMA-02",
        HEADER.at("drv_mem_prop, reserve"),
        "The reserved member is 0.",
        ("SOMA-CREATE-015",),
    ),
    Fact(
        "FACT-SOMA-03",
        HEADER.at("halMemPoolDestroy"),
        "A pool is ended by its number and its device.",
        ("SOMA-DESTROY-003", "SOMA-DESTROY-004", "SOMA-DESTROY-010"),
    ),
    Fact(
        "FACT-SOMA-04",
        MODULE_DOC.at("SOMA, malloc and free"),
        "A malloc and a free follow a policy, and none is named.",
        ("SOMA-MALLOC-005", "SOMA-FREE-003"),
    ),
    Fact(
        "FACT-SOMA-05",
        HEADER.at("halMemPoolTrim, reservedSize"),
        "The call takes how much is to be kept, and tells how much is left.",
        ("SOMA-TRIM-010", "SOMA-TRIM-011", "SOMA-TRIM-012"),
    ),
    Fact(
        "FACT-SOMA-06",
        API.at("memory pools, aclrtMemPoolTrimTo"),
        "Free memory goes until no more is left than was to be kept; what is in use stays.",
        ("SOMA-TRIM-010", "SOMA-TRIM-011", "SOMA-TRIM-012", "SOMA-TRIM-014"),
    ),
    Fact(
        "FACT-SOMA-07",
        HEADER.at("halMemPoolAsyncConfig, flag"),
        "A range is announced for a malloc with 0 and for a free with 1.",
        ("SOMA-CONFIG-003", "SOMA-CONFIG-010", "SOMA-CONFIG-011"),
    ),
    Fact(
        "FACT-SOMA-08",
        API.at("memory pools, attributes"),
        "The release threshold can be set and is 0 at first; what was set last counts.",
        ("SOMA-SETATTR-020", "SOMA-GETATTR-011"),
    ),
    Fact(
        "FACT-SOMA-09",
        API.at("memory pools, attributes"),
        "How much there is and how much is in use can only be asked for.",
        ("SOMA-SETATTR-005", "SOMA-GETATTR-010", "SOMA-GETATTR-012", "SOMA-GETATTR-014"),
    ),
    Fact(
        "FACT-SOMA-10",
        API.at("memory pools, attributes"),
        "The high-water marks can be set to 0 alone.",
        (
            "SOMA-SETATTR-006",
            "SOMA-SETATTR-021",
            "SOMA-SETATTR-022",
            "SOMA-GETATTR-013",
            "SOMA-GETATTR-015",
        ),
    ),
    Fact(
        "FACT-SOMA-11",
        HEADER.at("soma_mem_pool_t, soma_mem_pool_prop, soma_mem_pool_attr"),
        "Structures, values of attributes and of properties.",
        reason=ABI,
    ),
    Fact(
        "FACT-SOMA-12",
        DEFINES.at("memSource"),
        "Memory of pools is a source of its own.",
        reason=ABI,
    ),
)
