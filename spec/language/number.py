"""Arithmetic that rules share; the same expressions work on integers and on z3 terms.

Numbers are mathematical integers: an address plus a size never wraps, so an implementation in
which it does is visibly wrong.
"""

from __future__ import annotations


def align_down(value: int, granule: int) -> int:
    """Return the largest multiple of ``granule`` (bytes) that is not above ``value``."""
    return value - value % granule


def align_up(value: int, granule: int) -> int:
    """Return the smallest multiple of ``granule`` (bytes) that is not below ``value``."""
    return value + (-value) % granule


def is_multiple(value: int, granule: int) -> bool:
    """Tell whether ``value`` is a multiple of ``granule`` (bytes)."""
    return value % granule == 0
