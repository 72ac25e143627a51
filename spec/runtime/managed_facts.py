"""What the API reference states about advice, prefetching and attributes of managed memory."""

from __future__ import annotations

from halcert.spec.fact import Fact
from halcert.spec.sources import API

MANAGED_FACTS: tuple[Fact, ...] = (
    Fact(
        "FACT-RUNTIME-76",
        API.at("managed memory, advice"),
        (
            "Six advices can be given about managed memory, in whole pages, for devices, the "
            "host and its nodes."
        ),
        (
            "RUNTIME-ADVISE-003",
            "RUNTIME-ADVISE-009",
            "RUNTIME-ADVISE-014",
            "RUNTIME-ADVISE-015",
            "RUNTIME-ADVISE-016",
            "RUNTIME-ADVISE-020",
            "RUNTIME-ADVISE-021",
            "RUNTIME-ADVISE-022",
            "RUNTIME-ADVISE-023",
            "RUNTIME-ADVISE-024",
            "RUNTIME-ADVISE-025",
        ),
    ),
    Fact(
        "FACT-RUNTIME-77",
        API.at("managed memory, prefetching"),
        (
            "A stream brings pages to a device or to the host; that the call succeeds says "
            "that the task was taken."
        ),
        (
            "RUNTIME-FETCH-002",
            "RUNTIME-FETCH-003",
            "RUNTIME-FETCH-004",
            "RUNTIME-FETCH-009",
            "RUNTIME-FETCH-010",
            "RUNTIME-FETCH-020",
        ),
    ),
    Fact(
        "FACT-RUNTIME-78",
        API.at("managed memory, prefetching"),
        (
            "A batch brings several ranges, each to the place whose index is the last that is "
            "not above its own."
        ),
        (
            "RUNTIME-BATCH-002",
            "RUNTIME-BATCH-003",
            "RUNTIME-BATCH-005",
            "RUNTIME-BATCH-006",
            "RUNTIME-BATCH-012",
            "RUNTIME-BATCH-013",
            "RUNTIME-BATCH-020",
        ),
    ),
    Fact(
        "FACT-RUNTIME-79",
        API.at("managed memory, attributes"),
        (
            "Eight attributes of a range can be asked for, each of a size of its own; three "
            "are kept for later."
        ),
        (
            "RUNTIME-RANGE-002",
            "RUNTIME-RANGE-004",
            "RUNTIME-RANGE-006",
            "RUNTIME-RANGE-020",
            "RUNTIME-RANGE-021",
            "RUNTIME-RANGE-022",
            "RUNTIME-RANGE-023",
            "RUNTIME-RANGE-024",
            "RUNTIME-RANGES-003",
            "RUNTIME-RANGES-005",
            "RUNTIME-RANGES-007",
            "RUNTIME-RANGES-020",
            "RUNTIME-RANGES-021",
            "RUNTIME-RANGES-022",
        ),
    ),
)
