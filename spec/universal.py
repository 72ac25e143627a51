"""Rules that speak of every call, not of one interface.

They are judged from several observations together; the suite's own oracles do that, with the
conditions that stand here.
"""

from __future__ import annotations

from halcert.spec.language import Kind, Rule, Strength
from halcert.spec.sources import MODULE_DOC, SENSE


def _same(before: int, after: int) -> bool:
    return before == after


def _accounted(free_at_start: int, free: int, live: int) -> bool:
    return free <= free_at_start - live


def _had_again(held_then: int, held_now: int) -> bool:
    return held_now > held_then


def _returned(free_at_start: int, free: int, held: int) -> bool:
    return free >= free_at_start - held


REFUSAL_HAS_NO_EFFECT = Rule(
    id="SVM-ANY-001",
    kind=Kind.UNIVERSAL,
    strength=Strength.MUST,
    function=_same,
    summary="A call that is refused changes nothing that can be observed.",
    sources=(SENSE,),
    interface="any",
)
LIVE_MEMORY_IS_ACCOUNTED = Rule(
    id="SVM-ANY-002",
    kind=Kind.UNIVERSAL,
    strength=Strength.SHOULD,
    function=_accounted,
    summary="Memory of a device that is held is not reported as free.",
    detail="Arguments are bytes: free at the start, free now, held by live blocks.",
    sources=(MODULE_DOC.at("SVM, query"),),
    interface="any",
)
NOTHING_LEAKS = Rule(
    id="SVM-ANY-003",
    kind=Kind.UNIVERSAL,
    strength=Strength.MUST,
    function=_returned,
    summary="Memory of a device that nobody holds is free again, at the latest once it is closed.",
    detail="Arguments are bytes: free at the start, free now, what may still be held or cached.",
    sources=(MODULE_DOC.at("SVM, free"), SENSE),
    interface="any",
)
MEMORY_CAN_BE_HAD_AGAIN = Rule(
    id="SVM-ANY-005",
    kind=Kind.UNIVERSAL,
    strength=Strength.SHOULD,
    function=_had_again,
    summary="What could be had once can be had again with no more memory and addresses held.",
    detail="Arguments are bytes held when it succeeded and now; frees that caches may keep count.",
    sources=(SENSE,),
    interface="any",
)
CALLS_ARE_ATOMIC = Rule(
    id="SVM-ANY-004",
    kind=Kind.UNIVERSAL,
    strength=Strength.MUST,
    function=_same,
    summary="Calls made at the same time answer as if they had been made one after the other.",
    sources=(SENSE,),
    interface="any",
)
UNIVERSAL = (
    REFUSAL_HAS_NO_EFFECT,
    LIVE_MEMORY_IS_ACCOUNTED,
    NOTHING_LEAKS,
    CALLS_ARE_ATOMIC,
    MEMORY_CAN_BE_HAD_AGAIN,
)
