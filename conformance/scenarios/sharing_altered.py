"""Names of which a byte is not as it was given: they are no names."""

from __future__ import annotations

from halcert.conformance.lab import Lab
from halcert.conformance.scenarios.sharing import (
    CACHED,
    OPENER,
    OWNER,
    anyone,
    ask,
    begin,
    destroy,
    fill,
    named,
    open_and_wind_up,
    open_name,
    permit,
)
from halcert.spec.sharing.names import LONGEST, altered

PLACES = (0, 7, 23, 25, 35, LONGEST - 1)
"""Bytes to alter: the first and the last one of 64, and the last ones of what the public SVM v2
makes a name of, the numbers of owner, name, device and server. It compares names as a whole."""


def names_altered_in_one_byte(lab: Lab) -> None:
    """Whatever byte of a name is altered, it is unknown to all calls; as it was given it is not."""
    begin(lab, OWNER, OPENER)
    found = named(lab, CACHED)
    if found is None:
        return
    address, token = found
    fill(lab, address, CACHED, 77)
    others = [altered(token, place) for place in _places(lab, len(token) // 2)]
    for other in others:
        anyone(lab, other)
        ask(lab, other, OWNER)
    permit(lab, token, OPENER)
    # The public SVM v2 looks at the number of the name alone where a process has it open: nobody
    # has, so far.
    for other in others:
        permit(lab, other, OPENER)
        open_name(lab, other)
        destroy(lab, other)
    open_and_wind_up(lab, address, token)


def _places(lab: Lab, length: int) -> list[int]:
    """Return which bytes are altered.

    The public SVM v3 looks for little more than the number of a name; it refuses a name that ends
    otherwise.
    """
    chosen = PLACES if lab.setting.profile.generation == "v2" else PLACES[-1:]
    return sorted({place * length // LONGEST for place in chosen})
