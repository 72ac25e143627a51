"""Matrices and DMA descriptors: what the copying interfaces share beyond plain ranges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import Self

from halcert.spec.abi.constants import Copy2DType
from halcert.spec.language import (
    U32,
    U64,
    Address,
    Contents,
    DeviceId,
    Given,
    Handle,
    Record,
    Rounds,
    Size,
    repeat,
)
from halcert.spec.profiles import Profile
from halcert.spec.state import Block, Descriptor, State
from halcert.spec.svm.memory import device_side


class DescriptorRef(Record, frozen=True):
    """A DMA descriptor as a call names it: an earlier one, or a place for a new one."""

    dma: Handle
    """Number of an earlier descriptor; 0 for a new one."""
    devid: DeviceId
    """Device that is to make the copy; read where a descriptor is made."""
    virt_id: U32
    """What the caller put in the place of the device id for destroying; 0 if nothing."""
    altered: Given
    """Whether the caller changed a member that only the driver may write."""

    @classmethod
    def from_plain(cls, value: Any) -> Self:
        """Build the reference from a number, true, a mapping, or null."""
        members = {"dma": value} if not isinstance(value, Mapping) else value
        named = members.get("dma", True)
        return cls(
            given=bool(named),
            dma=0 if named is True or named is None else int(named),
            devid=members.get("devid", 0),
            virt_id=members.get("virt_id", 0),
            altered=any(name != "dma" and name != "devid" for name in members),
        )

    @classmethod
    def to_plain(cls, members: dict[str, Any]) -> Any:
        """Return a mapping, in which a change of members shows."""
        names = ("dma", "devid", "virt_id")
        plain: dict[str, Any] = {name: members[name] for name in names if name in members}
        if members.get("altered") and "virt_id" not in members:
            plain["fixed_size"] = 0
        return plain or {"devid": 0}

    def possible(self) -> bool:
        """Tell whether the members go together: who sets ``virt_id`` alters the descriptor."""
        return self.altered or self.virt_id == 0


class MadeDescriptor(DescriptorRef, frozen=True):
    """An earlier DMA descriptor as a call names it."""

    def possible(self) -> bool:
        """Tell whether a caller can mean it: an earlier descriptor has a number."""
        return (not self.given or self.dma != 0) and self.devid == 0 and super().possible()


class DescriptorOut(Record, frozen=True):
    """A DMA descriptor as it stands after a call."""

    dma: Handle
    """The number by which later calls mean it."""
    fixed_size: U32
    """Bytes that were converted."""
    virt_id: U32
    """Device that later calls must name."""


class Matrix(Record, frozen=True):
    """What is to be copied (``struct MEMCPY2D``)."""

    type: U32
    """Copy at once, make a descriptor, or destroy one."""
    dst: Address
    """First byte of the destination."""
    dpitch: Size
    """Bytes from one row of the destination to the next."""
    src: Address
    """First byte of the source."""
    spitch: Size
    """Bytes from one row of the source to the next."""
    width: Size
    """Bytes of a row."""
    height: Rounds
    """Number of rows."""
    fixed_size: U64
    """Bytes that earlier descriptors stand for already."""
    direction: U32
    """Direction of the copy."""
    dma: DescriptorRef
    """The descriptor, unless the copy is made at once."""

    def possible(self) -> bool:
        """Tell whether a caller can mean it: what is destroyed has a number."""
        return (
            self.type != Copy2DType.DEVMM_MEMCPY2D_ASYNC_DESTROY
            or not self.dma.given
            or self.dma.dma != 0
        )


class MatrixOut(Record, frozen=True):
    """The structure as it stands after the call."""

    dma: DescriptorOut
    """The descriptor."""


def meant(ref: DescriptorRef, profile: Profile) -> bool:
    """Tell whether a call names a descriptor, live or not, by what could be its members."""
    return ref.given and ref.virt_id < profile.device_limit


def usable(state: State, ref: DescriptorRef) -> bool:
    """Tell whether a call names a live descriptor that nobody tampered with."""
    return state.descriptors.at(ref.dma).exists and not ref.altered


def idle(state: State, ref: DescriptorRef) -> bool:
    """Tell whether a call names a live descriptor whose copy is not under way."""
    return usable(state, ref) and not state.descriptors.at(ref.dma).submitted


def span(pitch: int, width: int, height: int) -> int:
    """Return the bytes from the start of a matrix to the end of its last row."""
    return pitch * (height - 1) + width


def _cut(value: int, low: int, high: int) -> int:
    if value < low:
        return low
    if value > high:
        return high
    return value


def matrix_copied(state: State, made: Descriptor) -> Contents:
    """Return the contents after the bytes that a descriptor stands for were copied."""
    target = state.blocks.covering(made.target)
    source = state.blocks.covering(made.source)

    def copy_row(contents: Contents, row: int) -> Contents:
        start = _cut(made.first - row * made.width, 0, made.width)
        end = _cut(made.first + made.length - row * made.width, 0, made.width)
        if start == end:
            return contents
        return contents.copy(
            target.memory,
            made.target - target.base + row * made.dpitch + start,
            source.memory,
            made.source - source.base + row * made.spitch + start,
            end - start,
        )

    return repeat(made.height, copy_row, state.contents)


def matrix_forgotten(state: State, made: Descriptor) -> Contents:
    """Return the contents after the bytes that a descriptor writes became undefined."""
    target = state.blocks.covering(made.target)

    def forget_row(contents: Contents, row: int) -> Contents:
        start = _cut(made.first - row * made.width, 0, made.width)
        end = _cut(made.first + made.length - row * made.width, 0, made.width)
        if start == end:
            return contents
        place = made.target - target.base + row * made.dpitch
        return contents.forget(target.memory, place + start, end - start)

    return repeat(made.height, forget_row, state.contents)


def line(dma: int, dst: int, src: int, length: int, converted: int, device: int) -> Descriptor:
    """Return the descriptor of a copy of plain bytes."""
    return Descriptor(
        id=dma,
        target=dst,
        source=src,
        dpitch=length,
        spitch=length,
        width=length,
        height=1,
        target_span=length,
        source_span=length,
        first=0,
        length=converted,
        device=device,
        submitted=False,
    )


def executes(device: int, target: Block, source: Block) -> bool:
    """Tell whether a device is one of those whose memory a copy moves."""
    return (device_side(target) and target.device == device) or (
        device_side(source) and source.device == device
    )
