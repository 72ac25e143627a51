"""Words of bit fields, such as the flag of halMemAlloc.

A rule reads ``call.flag.virt`` instead of shifting and masking. Concretely the fields are cut
out of the integer once; symbolically each field is a variable of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, cast

from typing_extensions import Self


@dataclass(frozen=True, slots=True)
class Field:
    """A field of ``width`` bits starting at bit ``low``."""

    low: int
    width: int

    def place(self, value: int) -> int:
        """Return the value moved to its place in the word."""
        return value << self.low


class Flag(Field):
    """A field of one bit, read as a truth value."""

    def __init__(self, low: int) -> None:
        """Take the number of the bit."""
        super().__init__(low, 1)


class BitWord:
    """Base of a word type: a subclass lists its fields in ``layout``.

    Bits that no field names are kept in ``rest`` so that a word survives a round trip.
    """

    layout: ClassVar[dict[str, Field]]
    word: int

    def __init__(self, word: int) -> None:
        """Cut the word into its fields."""
        self.word = word
        for name, part in self.layout.items():
            value = (word >> part.low) & ((1 << part.width) - 1)
            setattr(self, name, bool(value) if isinstance(part, Flag) else value)

    @classmethod
    def from_plain(cls, word: int) -> Self:
        """Return the (shared) decoded word for an integer."""
        return cast("Self", _decoded(cls, word))  # type: ignore[arg-type]

    @classmethod
    def width(cls) -> int:
        """Return the number of bits of the word."""
        return max(part.low + part.width for part in cls.layout.values())

    @classmethod
    def compose(cls, **values: int | bool) -> int:
        """Return the integer with the named fields set and all other bits zero."""
        return sum(cls.layout[name].place(int(value)) for name, value in values.items())

    def __eq__(self, other: object) -> bool:
        """Compare by the whole word."""
        return isinstance(other, BitWord) and self.word == other.word

    def __hash__(self) -> int:
        """Hash by the whole word."""
        return hash(self.word)

    def __repr__(self) -> str:
        """Return the hexadecimal word."""
        return f"{type(self).__name__}({self.word:#x})"


@lru_cache(maxsize=4096)
def _decoded(cls: type[BitWord], word: int) -> Any:
    return cls(word)
