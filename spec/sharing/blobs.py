"""Opaque bytes that stand for physical memory (``struct MemShareHandle``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import Self

from halcert.spec.language import Bytes128, Record

LENGTH = 128


class Blob(Record, frozen=True):
    """128 bytes, or null. What is in them is the implementation's affair."""

    content: Bytes128
    """The bytes as a number, the first one lowest."""

    @classmethod
    def from_plain(cls, value: Any) -> Self:
        """Build the record from its JSON form: hexadecimal digits, or null."""
        if not isinstance(value, str):
            return cls(False, 0)
        return cls(True, int.from_bytes(bytes.fromhex(value)[:LENGTH], "little"))

    @classmethod
    def to_plain(cls, members: dict[str, Any]) -> Any:
        """Return the JSON form: the reference to bytes that a call gave, or digits."""
        content = members.get("content", 0)
        if isinstance(content, Mapping):
            return {**content, "field": str(content["field"]).removesuffix(".content")}
        return int(content).to_bytes(LENGTH, "little").hex()
