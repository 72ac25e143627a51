"""Byte patterns: what programs write so that any stale, shifted or foreign byte is seen.

A pattern is an endless stream of bytes named by a number. Neighbouring offsets and neighbouring
patterns differ almost everywhere, and no pattern is periodic within any length that a test uses.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

STRIDE = 0x1000000000001
"""Words by which a pattern is ahead of the one with the number below."""
ODD = 0x9E3779B97F4A7C15
MIX = 0xD6E8FEB86659FD93
PAGE = 4096
"""Bytes of a pattern that are made at a time where few are asked for."""
_ODD = np.uint64(ODD)
_MIX = np.uint64(MIX)


def pattern_bytes(pattern: int, offset: int, length: int) -> bytes:
    """Return ``length`` bytes of a pattern from ``offset`` (bytes) on."""
    page, start = divmod(offset, PAGE)
    if start + length <= PAGE:
        return _page(pattern, page)[start : start + length]
    return _made(pattern, offset, length)


@lru_cache(maxsize=64)
def _page(pattern: int, page: int) -> bytes:
    # What is written is read soon after, often in parts.
    return _made(pattern, page * PAGE, PAGE)


def _made(pattern: int, offset: int, length: int) -> bytes:
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
