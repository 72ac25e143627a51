"""drvMemConvertAddr, drvMemDestroyAddr, halMemDestroyAddrBatch: DMA descriptors."""

from __future__ import annotations

from typing import Any

from typing_extensions import Self

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    U32,
    Address,
    Call,
    Elements,
    Record,
    Returned,
    Sequence,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sources import DEFINES, HEADER, SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.svm.copy import copy_ends
from halcert.spec.svm.idle import may_be_unknown
from halcert.spec.svm.matrix import (
    DescriptorOut,
    DescriptorRef,
    MadeDescriptor,
    executes,
    idle,
    line,
    meant,
)
from halcert.spec.svm.memory import (
    convertible,
    device_side,
    host_side,
    ordinary,
    pageless,
    same_device,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
PARA_ERROR = DrvError.PARA_ERROR


def _promised(call: ConvertAddr, state: State) -> bool:
    target, source = copy_ends(state, call.p_dst, call.p_src)
    return (
        ordinary(target, call.p_dst, call.len)
        and ordinary(source, call.p_src, call.len)
        and not pageless(target)
        and convertible(target)
        and convertible(source)
    )


def _barred(call: ConvertAddr, state: State) -> bool:
    target, source = copy_ends(state, call.p_dst, call.p_src)
    return target.cp_only or source.cp_only


def _right_device(call: ConvertAddr, state: State) -> bool:
    target, source = copy_ends(state, call.p_dst, call.p_src)
    return executes(call.dma_addr.devid, target, source)


def _one_device(call: ConvertAddr, state: State) -> bool:
    target, source = copy_ends(state, call.p_dst, call.p_src)
    return device_side(target) and same_device(target, source)


def _on_the_host(call: ConvertAddr, state: State) -> bool:
    target, source = copy_ends(state, call.p_dst, call.p_src)
    return host_side(target) and host_side(source)


@interface("drvMemConvertAddr", area="svm", source=HEADER)
class ConvertAddr(Call, frozen=True):
    """Prepare a copy that a device makes later."""

    p_src: Address
    p_dst: Address
    len: U32
    dma_addr: DescriptorRef

    class Result(Returned, frozen=True):
        """The descriptor."""

        dma_addr: DescriptorOut

    @rejects("SVM-CONV-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_descriptor(call) -> bool:
        """There must be a place for the descriptor."""
        return not call.dma_addr.given

    @rejects("SVM-CONV-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device that is to make the copy is below the number of devices."""
        return call.dma_addr.devid >= profile.device_limit

    @rejects("SVM-CONV-003", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def source_is_null(call) -> bool:
        """There must be a source."""
        return call.p_src == 0

    @rejects("SVM-CONV-004", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def destination_is_null(call) -> bool:
        """There must be a destination."""
        return call.p_dst == 0

    @rejects("SVM-CONV-005", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def nothing_to_copy_v3(call) -> bool:
        """At least one byte is copied."""
        return call.len == 0

    @rejects("SVM-CONV-006", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def nothing_to_copy(call) -> bool:
        """At least one byte is copied."""
        return call.len == 0

    @rejects("SVM-CONV-007", PARA_ERROR, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def within_a_device(call, state: State) -> bool:
        """Source and destination are not on one device."""
        return _one_device(call, state) and not _barred(call, state) and _promised(call, state)

    @rejects("SVM-CONV-008", PARA_ERROR, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def within_the_host(call, state: State) -> bool:
        """Source and destination are not both on the host."""
        return _on_the_host(call, state) and _promised(call, state)

    @rejects("SVM-CONV-009", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def other_device(call, state: State, profile: Profile) -> bool:
        """The device that is to make the copy is one of those whose memory it moves."""
        return (
            call.dma_addr.devid < profile.device_limit
            and not _right_device(call, state)
            and not _one_device(call, state)
            and not _on_the_host(call, state)
            and not _barred(call, state)
            and _promised(call, state)
        )

    @rejects("SVM-CONV-010", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def device_alone_may_access(call, state: State) -> bool:
        """Memory for the device's control CPU alone cannot be copied."""
        return _barred(call, state) and _promised(call, state)

    @rejects("SVM-CONV-011", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def source_has_no_pages(call, state: State) -> bool:
        """A MEM_SVM block that nobody wrote cannot be copied from."""
        _target, source = copy_ends(state, call.p_dst, call.p_src)
        return pageless(source) and _promised(call, state)

    @undefined("SVM-CONV-012", source=(HEADER, V2, V3))
    def not_promised(call, state: State, profile: Profile) -> bool:
        """Preparing a copy of bytes that are not all in one live block on each side."""
        ends = call.p_src != 0 and call.p_dst != 0
        return (ends or profile.generation == "v2") and not _promised(call, state)

    @undefined("SVM-CONV-013", source=V2, profiles=GEN2)
    def other_device_v2(call, state: State, profile: Profile) -> bool:
        """Having a device make the copy that has no part in it."""
        _target, source = copy_ends(state, call.p_dst, call.p_src)
        return (
            call.dma_addr.devid < profile.device_limit
            and not _right_device(call, state)
            and not _one_device(call, state)
            and not _on_the_host(call, state)
            and not pageless(source)
        )

    @undefined("SVM-CONV-014", source=SENSE)
    def descriptor_is_reused(call) -> bool:
        """Filling a descriptor that was filled before."""
        return call.dma_addr.dma != 0 or call.dma_addr.altered

    @may_reject("SVM-CONV-015", DrvError.OUT_OF_MEMORY, source=(V2, V3))
    def memory_may_be_short(call) -> bool:
        """Making a descriptor needs memory."""
        return True

    @may_reject("SVM-CONV-016", source=(V2, V3))
    def devices_may_be_apart(call, state: State) -> bool:
        """Two devices may have no way to copy between them."""
        target, source = copy_ends(state, call.p_dst, call.p_src)
        return device_side(target) and device_side(source)

    process_may_be_unknown = may_be_unknown("SVM-CONV-017")

    @accepts("SVM-CONV-020", strength=MUST, source=HEADER, changes=("descriptors",))
    def makes_a_descriptor(call, state: State, result: Result, profile: Profile) -> State:
        """There is a descriptor, which holds on to device memory; nothing is copied yet."""
        made = result.dma_addr
        size = made.fixed_size if profile.generation == "v2" else call.len
        row = line(made.dma, call.p_dst, call.p_src, call.len, size, call.dma_addr.devid)
        return state.but(descriptors=state.descriptors.insert(row))

    @ensures("SVM-CONV-021", strength=MUST, source=DEFINES, profiles=GEN2)
    def converts_a_part(call, result: Result) -> bool:
        """The descriptor says how many of the bytes it stands for."""
        return result.dma_addr.fixed_size > 0 and result.dma_addr.fixed_size <= call.len

    @ensures("SVM-CONV-022", strength=SHOULD, source=(DEFINES, V2, V3))
    def names_its_device(call, result: Result) -> bool:
        """The descriptor says which device makes the copy."""
        return result.dma_addr.virt_id == call.dma_addr.devid

    @ensures("SVM-CONV-023", strength=MUST, source=SENSE)
    def is_a_new_descriptor(call, state: State, result: Result) -> bool:
        """The descriptor is none of those that are there already."""
        return not state.descriptors.at(result.dma_addr.dma).exists


@interface("drvMemDestroyAddr", area="svm", source=HEADER)
class DestroyAddr(Call, frozen=True):
    """Give a descriptor back."""

    ptr: MadeDescriptor

    @rejects("SVM-DESTROY-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_descriptor(call) -> bool:
        """There must be a descriptor."""
        return not call.ptr.given

    @rejects("SVM-DESTROY-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def descriptor_of_no_device(call, profile: Profile) -> bool:
        """The descriptor names a device below the number of devices."""
        return call.ptr.virt_id >= profile.device_limit

    @undefined("SVM-DESTROY-003", source=HEADER)
    def no_such_descriptor(call, state: State, profile: Profile) -> bool:
        """Destroying what is not a descriptor, or one whose copy is under way."""
        return meant(call.ptr, profile) and not idle(state, call.ptr)

    @accepts("SVM-DESTROY-010", strength=MUST, source=HEADER, changes=("descriptors",))
    def destroys(call, state: State) -> State:
        """The descriptor is gone, and with it its hold on the memory."""
        return state.but(descriptors=state.descriptors.delete(call.ptr.dma))


class DescriptorRefs(Record, frozen=True):
    """An array of pointers to descriptors."""

    refs: Sequence[MadeDescriptor]

    @classmethod
    def from_plain(cls, value: Any) -> Self:
        """Build the array from a list of what names a descriptor, or null."""
        refs = None if value is None else map(MadeDescriptor.from_plain, value)
        return cls(given=value is not None, refs=Sequence(refs))

    @classmethod
    def to_plain(cls, members: dict[str, Any]) -> Any:
        """Return the list of what names a descriptor."""
        return members.get("refs", [])


def _named(call: DestroyAddrBatch) -> Elements[MadeDescriptor]:
    return Elements(call.num, call.ptr.refs)


def _without(state: State, ref: DescriptorRef) -> State:
    return state.but(descriptors=state.descriptors.delete(ref.dma))


@interface("halMemDestroyAddrBatch", area="svm", source=HEADER)
class DestroyAddrBatch(Call, frozen=True):
    """Give several descriptors back."""

    ptr: DescriptorRefs
    num: U32

    @rejects("SVM-DBATCH-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_array(call) -> bool:
        """There must be an array."""
        return not call.ptr.given

    @rejects("SVM-DBATCH-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_descriptors(call) -> bool:
        """There is at least one descriptor."""
        return call.num == 0

    @rejects("SVM-DBATCH-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def null_among_them(call) -> bool:
        """No element of the array is null."""
        return _named(call).any(lambda ref: not ref.given)

    @rejects("SVM-DBATCH-004", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def descriptor_of_no_device(call, profile: Profile) -> bool:
        """Every descriptor names a device below the number of devices."""
        return _named(call).any(lambda ref: ref.virt_id >= profile.device_limit)

    @undefined("SVM-DBATCH-005", source=SENSE)
    def array_is_short(call) -> bool:
        """Saying that there are more descriptors than the array has elements."""
        return call.ptr.given and len(call.ptr.refs.items) < call.num

    @undefined("SVM-DBATCH-006", source=HEADER)
    def no_such_descriptor(call, state: State, profile: Profile) -> bool:
        """Destroying what is not a descriptor, or one whose copy is under way."""
        return _named(call).any(lambda ref: meant(ref, profile) and not idle(state, ref))

    @undefined("SVM-DBATCH-007", source=SENSE)
    def destroyed_twice(call) -> bool:
        """Destroying a descriptor twice."""
        real = _named(call).all(lambda ref: ref.given)
        return real and not _named(call).disjoint(lambda ref: (ref.dma, 1))

    @undefined("SVM-DBATCH-008", source=V2, profiles=GEN2)
    def several_devices(call, state: State) -> bool:
        """Destroying descriptors of several devices at once."""
        made = state.descriptors
        return _named(call).any(
            lambda one: _named(call).any(
                lambda other: made.at(one.dma).device != made.at(other.dma).device
            )
        )

    @accepts("SVM-DBATCH-010", strength=MUST, source=HEADER, changes=("descriptors",))
    def destroys(call, state: State) -> State:
        """All of the descriptors are gone, and with them their hold on the memory."""
        return _named(call).fold(_without, state)
