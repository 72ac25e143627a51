"""What halMemCtl takes and gives, for all of its types together."""

from __future__ import annotations

from typing import Any, ClassVar

from typing_extensions import Self

from halcert.spec.language import U32, U64, Address, BitWord, DeviceId, Field, Flag, Record, Size

MOST_BYTES = 4096
"""More bytes than this nobody passes to halMemCtl."""


class Features(BitWord):
    """Features that can be asked for (``CTRL_SUPPORT_*``)."""

    layout: ClassVar[dict[str, Field]] = {
        "numa_ts": Flag(0),
        "bar": Flag(1),
        "register": Flag(2),
        "huge_bar": Flag(3),
        "giant": Flag(4),
        "exbus": Flag(5),
        "rest": Field(6, 58),
    }

    numa_ts: bool
    bar: bool
    register: bool
    huge_bar: bool
    giant: bool
    exbus: bool
    rest: int


class ControlIn(Record, frozen=True):
    """What the call takes; which members there are depends on the type."""

    value: Address
    """The number, where the type takes one: an address, but for type 3."""
    devid: DeviceId
    """Device."""
    support_feature: Features
    """Features that are asked for."""
    addr_type: U32
    """Kind of window."""
    ptr: Address
    """Start of a range."""
    len: Size
    """Size of the range, where a window is unmapped."""
    size: Size
    """Size of the range, where the control CPU's memory is concerned."""
    flag: U64
    """Flag for mapping."""
    count: U32
    """Number of ranges to be repaired."""
    raw: U32
    """Number of bytes that are passed, if bytes are passed; else 0."""

    @classmethod
    def from_plain(cls, value: Any) -> Self:
        """Build the input from a mapping, bytes, or null."""
        if isinstance(value, bytes):
            value = {"raw": len(value)}
        return super().from_plain(value)

    @classmethod
    def to_plain(cls, members: dict[str, Any]) -> Any:
        """Return a mapping of members, or bytes if bytes are passed."""
        return bytes(members["raw"]) if "raw" in members else members

    def possible(self) -> bool:
        """Tell whether a program passes that many bytes."""
        return self.raw <= MOST_BYTES


class ControlSize(Record, frozen=True):
    """The size of what is passed: said by the caller, or left to be what it is."""

    value: Size
    """The size that the caller says, in bytes."""

    @classmethod
    def from_plain(cls, value: Any) -> Self:
        """Build the size from a number or null."""
        return cls(given=value is not None, value=value or 0)

    @classmethod
    def to_plain(cls, members: dict[str, Any]) -> Any:
        """Return the number."""
        return members.get("value", 0)


class ControlOut(Record, frozen=True):
    """What the call gives; which members there are depends on the type."""

    value: U64
    """The number, where the type gives one."""
    support_feature: Features
    """Those of the features asked for that there are."""


def says_size(passed: ControlIn, said: ControlSize, size: int) -> bool:
    """Tell whether the size of what is passed is said to be this many bytes."""
    if said.given:
        return said.value == size
    return passed.given and (passed.raw == 0 or passed.raw == size)
