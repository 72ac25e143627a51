"""Byte patterns: what programs write so that any stale, shifted or foreign byte is seen.

A pattern is an endless stream of bytes named by a number. Neighbouring offsets and neighbouring
patterns differ almost everywhere, and no pattern is periodic within any length that a test uses.
"""

from __future__ import annotations

import numpy as np

STRIDE = 0x1000000000001
"""Words by which a pattern is ahead of the one with the number below."""
ODD = 0x9E3779B97F4A7C15
MIX = 0xD6E8FEB86659FD93
_ODD = np.uint64(ODD)
_MIX = np.uint64(MIX)


def pattern_bytes(pattern: int, offset: int, length: int) -> bytes:
    """Return ``length`` bytes of a pattern from ``offset`` (bytes) on."""
    first = offset // 8
    last = (offset + length + 7) // 8
    words = np.arange(first, last, dtype=np.uint64)
    words += np.uint64(pattern * STRIDE & (2**64 - 1))
    words *= _ODD
    words ^= words >> np.uint64(32)
    words *= _MIX
    words ^= words >> np.uint64(32)
    start = offset - first * 8
    return words.tobytes()[start : start + length]
