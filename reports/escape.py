"""Making any text fit to be shown: notes of crashed libraries hold whatever was in memory."""

from __future__ import annotations

import re
from typing import Any

import msgspec

# What a terminal obeys, what XML cannot hold, and what turns the direction of the text around it.
_UNFIT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff\ufffe\uffff]"
)
_BREAKS = re.compile(r"\s*[\n\t]\s*")
_MOST = 0xFF


def _visible(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\x{number:02x}" if number <= _MOST else f"\\u{number:04x}"


def printable(text: str) -> str:
    r"""Return the text with what cannot be shown written as ``\x1b``; line breaks stay."""
    return _UNFIT.sub(_visible, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return the text fit to be shown within one line."""
    return printable(_BREAKS.sub(" ", text.strip()))


def shortened(text: str, limit: int) -> str:
    """Return the text with its middle cut out if it is longer than ``limit``."""
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    tail = limit - head
    return f"{text[:head]} [... {len(text) - limit} characters ...] {text[-tail:]}"


def encodable(value: Any) -> Any:
    """Return the JSON form of a value, with lone surrogates made visible.

    Such characters come from bytes that are no UTF-8, and JSON cannot hold them.
    """
    plain = msgspec.to_builtins(value, str_keys=True)
    return _without_surrogates(plain)


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", _visible, value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value
