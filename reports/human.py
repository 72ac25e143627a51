"""Numbers for people: sizes, addresses, durations."""

from __future__ import annotations

UNITS = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
TOP = 2**64
NEAR = 4096
"""Up to this distance a number is shown by the round number that it is next to."""
SMALL = 1 << 16
"""Plain numbers below this are read in decimal."""
_MINUTE = 60.0
_HOUR = 3600.0


def size(value: int) -> str:
    """Return a size that loses no byte: ``2MiB``, ``2MiB+1``, ``123456 (120.6KiB)``."""
    near = _near_a_power(value)
    if near:
        return near
    for unit, factor in UNITS:
        if value >= factor and value % factor == 0 and value // factor < NEAR:
            return f"{value // factor}{unit}"
    return _next_to(value) or _approximate(value)


def _near_a_power(value: int) -> str:
    for name, power in (("2^64", TOP), ("2^63", TOP // 2)):
        distance = value - power
        if -NEAR <= distance <= NEAR:
            return f"{name}{distance:+d}" if distance else name
    return ""


def _next_to(value: int) -> str:
    for unit, factor in UNITS[:3]:
        count = (value + factor // 2) // factor
        distance = value - count * factor
        if 0 < count < NEAR and 0 < abs(distance) <= NEAR:
            return f"{count}{unit}{distance:+d}"
    pages = (value + 2048) // NEAR
    distance = value - pages * NEAR
    if 0 < pages <= 2 * 128 and abs(distance) <= 1:
        return f"{pages * 4}KiB{distance:+d}"
    return ""


def _approximate(value: int) -> str:
    for unit, factor in UNITS:
        if value >= 10 * factor:
            return f"{value} ({value / factor:.1f}{unit})"
    return str(value)


def distance(value: int) -> str:
    """Return what is added to a name: ``+16``, ``-1``, ``+2MiB``; nothing for zero."""
    if value == 0:
        return ""
    return f"{'+' if value > 0 else '-'}{size(abs(value))}"


def address(value: int) -> str:
    """Return an address in hexadecimal, or NULL."""
    return f"{value:#x}" if value else "NULL"


def number(value: int) -> str:
    """Return a number in the base in which it is likely to be read."""
    return str(value) if abs(value) < SMALL else f"{value:#x}"


def seconds(value: float) -> str:
    """Return a duration: ``12 ms``, ``3.4 s``, ``5 min 07 s``, ``2 h 03 min``."""
    if value < 1:
        return f"{value * 1000:.0f} ms"
    if value < _MINUTE:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < _HOUR:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def count(number_of: int, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 rule``, ``1,234 rules``."""
    return f"{number_of:,} {one if number_of == 1 else many or one + 's'}"
