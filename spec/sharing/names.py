"""Names of shared memory, as calls take and give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import Self

from halcert.spec.language import Record, Token

LONGEST = 64
"""Bytes of the longest name, without the null byte."""
TOO_LONG = 2 ** (8 * LONGEST)
"""Tokens from here on are of strings that do not end in time."""
SHARES = ("shareable_handle", "shareableHandle")
"""Outputs, of either library, that are numbers of shares; all processes have these in common."""
FILLER = 0x2E
"""The byte that stands for zero in a string that was made of a number."""
ZERO, ONE = b"01"


class Name(Record, frozen=True):
    """A string that need not be text, or null. What is in it is the implementation's affair."""

    token: Token
    """The bytes before the null byte as a number, the first one lowest."""

    @classmethod
    def from_plain(cls, value: Any) -> Self:
        """Build the record from its JSON form: hexadecimal digits, or null."""
        if not isinstance(value, str):
            return cls(False, 0)
        return cls(True, int.from_bytes(bytes.fromhex(value), "little"))

    @classmethod
    def to_plain(cls, members: dict[str, Any]) -> Any:
        """Return the JSON form: the reference to a name that a call gave, or digits."""
        token = members.get("token", 0)
        if isinstance(token, Mapping):
            return {**token, "field": str(token["field"]).removesuffix(".token")}
        return string_of(token).hex()


def string_of(token: int) -> bytes:
    """Return a string for a number: its bytes, none of them null."""
    content = token.to_bytes((token.bit_length() + 7) // 8, "little")
    return bytes(each or FILLER for each in content)


def altered(digits: str, place: int) -> str:
    """Return a name that differs from another one in a byte: that is a 0 there, or a 1 for a 0.

    Args:
        digits: the name, in hexadecimal digits.
        place: number of the byte, from 0.

    Raises:
        ValueError: those are no digits, or the name has no such byte.
    """
    content = bytearray.fromhex(digits)
    if not 0 <= place < len(content):
        raise ValueError(f"there is no byte {place}")
    content[place] = ZERO if content[place] != ZERO else ONE
    return content.hex()


def is_string(name: Name) -> bool:
    """Tell whether a name is a string of 1 to 64 bytes."""
    return name.given and name.token > 0 and name.token < TOO_LONG
