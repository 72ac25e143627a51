"""Rules about managed memory that are judged from several observations together."""

from __future__ import annotations

from halcert.spec.language import Kind, Rule, Strength
from halcert.spec.profiles import MIB, UVM_PRODUCTS
from halcert.spec.sources import MODULE_DOC
from halcert.spec.universal import NOTHING_LEAKS
from halcert.spec.uvm.pages import PAGE

SWAPS = MODULE_DOC.at("UVM, oversubscription")
PLENTY = 256 * MIB
"""Managed memory in use for which any host has room (bytes)."""


def _may_be_short(room: int, used: int) -> bool:
    return room < 2 * PAGE or used > PLENTY


DEVICE_SWAPS = Rule(
    id="UVM-ANY-001",
    kind=Kind.UNIVERSAL,
    strength=Strength.MUST,
    function=_may_be_short,
    summary="A device that managed pages have filled serves the next one by swapping one out.",
    detail=(
        "Arguments are bytes: what managed pages can have of the device, and how much managed "
        "memory is in use, so that the host has room for all of it."
    ),
    sources=(SWAPS,),
    profiles=frozenset(UVM_PRODUCTS),
    interface="managed memory",
)
PAGES_FIT = Rule(
    id="UVM-ANY-002",
    kind=Kind.UNIVERSAL,
    strength=Strength.MUST,
    function=NOTHING_LEAKS.function,
    summary="Managed pages take no more of a device than was left of it.",
    detail=(
        "Arguments are bytes: free at the start, free now, what may be held or cached, with no "
        "more managed pages than there was room for."
    ),
    sources=(SWAPS,),
    profiles=frozenset(UVM_PRODUCTS),
    interface="managed memory",
)
UNIVERSAL = (DEVICE_SWAPS, PAGES_FIT)
