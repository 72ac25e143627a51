"""halMemcpy2D: copying a matrix, at once or by a DMA descriptor."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import Copy2DType, CopyKind
from halcert.spec.language import (
    Call,
    Returned,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, MIB, TIB, Profile
from halcert.spec.sources import DEFINES, HEADER, SENSE, V2, V3
from halcert.spec.state import USER, Block, Descriptor, State
from halcert.spec.svm.copy import copy_ends
from halcert.spec.svm.flags import SVM
from halcert.spec.svm.matrix import (
    Matrix,
    MatrixOut,
    executes,
    idle,
    matrix_copied,
    meant,
    span,
)
from halcert.spec.svm.memory import (
    arriving,
    convertible,
    device_side,
    host_side,
    ordinary,
    write_races,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
SYNC = Copy2DType.DEVMM_MEMCPY2D_SYNC
CONVERT = Copy2DType.DEVMM_MEMCPY2D_ASYNC_CONVERT
DESTROY = Copy2DType.DEVMM_MEMCPY2D_ASYNC_DESTROY
TO_DEVICE = CopyKind.DRV_MEMCPY_HOST_TO_DEVICE
TO_HOST = CopyKind.DRV_MEMCPY_DEVICE_TO_HOST
MOST_ROWS = 5 * MIB
LAST_ADDRESS_V3 = 224 * TIB
"""Where the addresses end that SVM v3 manages."""


def _sync(call: Memcpy2D) -> bool:
    return call.p_copy.type == SYNC


def _converts(call: Memcpy2D) -> bool:
    return call.p_copy.type == CONVERT


def _destroys(call: Memcpy2D) -> bool:
    return call.p_copy.type == DESTROY


def _moves(call: Memcpy2D) -> bool:
    return _sync(call) or _converts(call)


def _looked_at(call: Memcpy2D, profile: Profile) -> bool:  # v3 checks for every type
    return call.p_copy.given and (_moves(call) or profile.generation == "v3")


def _wraps(what: Matrix) -> bool:
    return what.height != 1 and (what.src + what.spitch >= 2**64 or what.dst + what.dpitch >= 2**64)


def _too_many_rows(call: Memcpy2D, profile: Profile) -> bool:
    asked = _converts(call) or profile.generation == "v3"
    return asked and call.p_copy.height > MOST_ROWS


def _promised(call: Memcpy2D, state: State) -> bool:
    what = call.p_copy
    target, source = copy_ends(state, what.dst, what.src)
    return (
        ordinary(target, what.dst, span(what.dpitch, what.width, what.height))
        and ordinary(source, what.src, span(what.spitch, what.width, what.height))
        and target.kind != SVM
        and source.kind != SVM
        and (not _converts(call) or (convertible(target) and convertible(source)))
    )


def _passes_all_addresses(block: Block, address: int, pitch: int, last: int) -> bool:
    """Tell whether a whole last row, from ``last`` on, ends behind the addresses of its memory."""
    return address + last + pitch > (2**64 if block.kind == USER else LAST_ADDRESS_V3)


def _barred(call: Memcpy2D, state: State) -> bool:
    target, source = copy_ends(state, call.p_copy.dst, call.p_copy.src)
    return target.cp_only or source.cp_only


def _both_on_devices(call: Memcpy2D, state: State) -> bool:
    target, source = copy_ends(state, call.p_copy.dst, call.p_copy.src)
    return device_side(target) and device_side(source)


def _as_declared(call: Memcpy2D, state: State) -> bool:
    target, source = copy_ends(state, call.p_copy.dst, call.p_copy.src)
    if call.p_copy.direction == TO_DEVICE:
        return host_side(source) and device_side(target)
    return device_side(source) and host_side(target)


def _right_device(call: Memcpy2D, state: State) -> bool:
    target, source = copy_ends(state, call.p_copy.dst, call.p_copy.src)
    return executes(call.p_copy.dma.devid, target, source)


def _described(what: Matrix, dma: int, length: int) -> Descriptor:
    return Descriptor(
        id=dma,
        target=what.dst,
        source=what.src,
        dpitch=what.dpitch,
        spitch=what.spitch,
        width=what.width,
        height=what.height,
        target_span=span(what.dpitch, what.width, what.height),
        source_span=span(what.spitch, what.width, what.height),
        first=what.fixed_size,
        length=length,
        device=what.dma.devid,
        submitted=False,
    )


@interface("halMemcpy2D", area="svm", source=HEADER)
class Memcpy2D(Call, frozen=True):
    """Copy a matrix between host and device, or prepare that as a DMA descriptor."""

    p_copy: Matrix

    class Result(Returned, frozen=True):
        """The structure after the call."""

        p_copy: MatrixOut

    @rejects("SVM-C2D-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def nothing_given(call) -> bool:
        """There must be a structure."""
        return not call.p_copy.given

    @rejects("SVM-C2D-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def destination_is_null(call, profile: Profile) -> bool:
        """There must be a destination."""
        return _looked_at(call, profile) and call.p_copy.dst == 0

    @rejects("SVM-C2D-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def source_is_null(call, profile: Profile) -> bool:
        """There must be a source."""
        return _looked_at(call, profile) and call.p_copy.src == 0

    @rejects("SVM-C2D-004", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def rows_are_empty(call, profile: Profile) -> bool:
        """A row has at least one byte."""
        return _looked_at(call, profile) and call.p_copy.width == 0

    @rejects("SVM-C2D-005", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_rows(call, profile: Profile) -> bool:
        """There is at least one row."""
        return _looked_at(call, profile) and call.p_copy.height == 0

    @rejects("SVM-C2D-006", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def destination_rows_overlap(call, profile: Profile) -> bool:
        """The rows of the destination are at least their width apart."""
        return _looked_at(call, profile) and call.p_copy.dpitch < call.p_copy.width

    @rejects("SVM-C2D-007", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def source_rows_overlap(call, profile: Profile) -> bool:
        """The rows of the source are at least their width apart."""
        return _looked_at(call, profile) and call.p_copy.spitch < call.p_copy.width

    @rejects("SVM-C2D-008", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def other_direction(call, profile: Profile) -> bool:
        """The direction is host to device or device to host."""
        way = call.p_copy.direction
        return _looked_at(call, profile) and way != TO_DEVICE and way != TO_HOST

    @rejects("SVM-C2D-009", INVALID_VALUE, NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def second_row_wraps(call, profile: Profile) -> bool:
        """The second row does not lie behind the end of the address space.

        Where neither address is the module's, SVM v2 finds that first and answers NOT_SUPPORT.
        """
        return _looked_at(call, profile) and _wraps(call.p_copy)

    @rejects("SVM-C2D-010", INVALID_VALUE, NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def too_many_rows(call, profile: Profile) -> bool:
        """There are at most 5 Mi rows; SVM v2 asks that of descriptors only.

        Where neither address is the module's, SVM v2 finds that first and answers NOT_SUPPORT.
        """
        return call.p_copy.given and _too_many_rows(call, profile)

    @rejects("SVM-C2D-011", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def unknown_type(call) -> bool:
        """The type is one of three."""
        return call.p_copy.given and call.p_copy.type >= Copy2DType.DEVMM_MEMCPY2D_TYPE_MAX

    @rejects("SVM-C2D-012", INVALID_VALUE, strength=SHOULD, source=(DEFINES, V2, V3))
    def all_converted(call) -> bool:
        """Something is left to be converted."""
        what = call.p_copy
        return what.given and _converts(call) and what.fixed_size >= what.width * what.height

    @rejects("SVM-C2D-013", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_descriptor(call) -> bool:
        """There is a descriptor to be filled or destroyed."""
        what = call.p_copy
        return what.given and (_converts(call) or _destroys(call)) and not what.dma.given

    @rejects("SVM-C2D-014", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device that is to make the copy is below the number of devices."""
        what = call.p_copy
        return what.given and _converts(call) and what.dma.devid >= profile.device_limit

    @rejects("SVM-C2D-015", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def descriptor_of_no_device(call, profile: Profile) -> bool:
        """The descriptor to be destroyed names a device below the number of devices."""
        what = call.p_copy
        return what.given and _destroys(call) and what.dma.virt_id >= profile.device_limit

    @rejects("SVM-C2D-016", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def both_on_the_host(call, state: State) -> bool:
        """One of the two matrices is on a device."""
        target, source = copy_ends(state, call.p_copy.dst, call.p_copy.src)
        return _moves(call) and host_side(target) and host_side(source) and _promised(call, state)

    @rejects("SVM-C2D-017", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def between_devices(call, state: State) -> bool:
        """One of the two matrices is on the host."""
        return _moves(call) and _both_on_devices(call, state) and _promised(call, state)

    @rejects("SVM-C2D-018", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def between_devices_v3(call, state: State) -> bool:
        """One of the two matrices is on the host."""
        return (
            _moves(call)
            and _both_on_devices(call, state)
            and not _barred(call, state)
            and _promised(call, state)
        )

    @rejects("SVM-C2D-019", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def real_direction_differs(call, state: State) -> bool:
        """The direction that is given is the real one."""
        target, source = copy_ends(state, call.p_copy.dst, call.p_copy.src)
        return (
            _moves(call)
            and (call.p_copy.direction == TO_DEVICE or call.p_copy.direction == TO_HOST)
            and host_side(target) != host_side(source)
            and not _as_declared(call, state)
            and not _barred(call, state)
            and _promised(call, state)
        )

    @rejects("SVM-C2D-020", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def other_device(call, state: State, profile: Profile) -> bool:
        """The device that is to make the copy is the one whose memory it moves."""
        return (
            _converts(call)
            and call.p_copy.dma.devid < profile.device_limit
            and _as_declared(call, state)
            and not _right_device(call, state)
            and not _barred(call, state)
            and _promised(call, state)
        )

    @rejects("SVM-C2D-021", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def device_alone_may_access(call, state: State) -> bool:
        """Memory for the device's control CPU alone cannot be copied."""
        return _moves(call) and _barred(call, state) and _promised(call, state)

    @undefined("SVM-C2D-022", source=(HEADER, V2, V3))
    def not_promised(call, state: State, profile: Profile) -> bool:
        """Copying a matrix that is not all in one live, accessible block on each side."""
        what = call.p_copy
        return (
            what.given
            and _moves(call)
            and what.dst != 0
            and what.src != 0
            and not _wraps(what)
            and not _too_many_rows(call, profile)
            and not _promised(call, state)
        )

    @undefined("SVM-C2D-023", source=SENSE, profiles=GEN2)
    def races_with_a_copy(call, state: State) -> bool:
        """Copying a matrix where a copy under way reads or writes."""
        what = call.p_copy
        return (
            _sync(call)
            and _promised(call, state)
            and (
                write_races(state, what.dst, span(what.dpitch, what.width, what.height))
                or arriving(state, what.src, span(what.spitch, what.width, what.height))
            )
        )

    @undefined("SVM-C2D-024", source=SENSE)
    def descriptor_is_reused(call) -> bool:
        """Filling a descriptor that was filled before."""
        return _converts(call) and (call.p_copy.dma.dma != 0 or call.p_copy.dma.altered)

    @undefined("SVM-C2D-025", source=V2, profiles=GEN2)
    def other_device_v2(call, state: State, profile: Profile) -> bool:
        """Having a device make the copy that has no part in it."""
        known = call.p_copy.dma.devid < profile.device_limit
        return (
            _converts(call)
            and known
            and _as_declared(call, state)
            and not _right_device(call, state)
        )

    @undefined("SVM-C2D-026", source=HEADER.at("drvMemDestroyAddr"))
    def no_such_descriptor(call, state: State, profile: Profile) -> bool:
        """Destroying what is not a descriptor, or one whose copy is under way."""
        dma = call.p_copy.dma
        return _destroys(call) and meant(dma, profile) and not idle(state, dma)

    @may_reject("SVM-C2D-027", DrvError.OUT_OF_MEMORY, source=(V2, V3))
    def memory_may_be_short(call) -> bool:
        """Making a descriptor needs memory."""
        return _converts(call)

    @undefined("SVM-C2D-028", source=V3, profiles=GEN3)
    def pitch_is_boundless(call, state: State) -> bool:
        """Copying rows so far apart that the rest of the last one has no addresses.

        SVM v3 takes memory for the host's where whole rows do not fit in its own addresses.
        """
        what = call.p_copy
        target, source = copy_ends(state, what.dst, what.src)
        target_last = span(what.dpitch, what.width, what.height) - what.width
        source_last = span(what.spitch, what.width, what.height) - what.width
        return (
            what.given
            and _moves(call)
            and _promised(call, state)
            and (
                _passes_all_addresses(target, what.dst, what.dpitch, target_last)
                or _passes_all_addresses(source, what.src, what.spitch, source_last)
            )
        )

    @accepts("SVM-C2D-030", strength=MUST, source=HEADER, changes=("contents",), when=_sync)
    def copies(call, state: State) -> State:
        """Row by row the destination holds the bytes of the source; all other bytes stay."""
        what = call.p_copy
        made = _described(what, 0, what.width * what.height).but(first=0)
        return state.but(contents=matrix_copied(state, made))

    @accepts("SVM-C2D-031", strength=MUST, source=HEADER, changes=("descriptors",), when=_converts)
    def makes_a_descriptor(call, state: State, result: Result, profile: Profile) -> State:
        """There is a descriptor for the next bytes of the matrix; nothing is copied yet."""
        what, made = call.p_copy, result.p_copy.dma
        rest = what.width * what.height - what.fixed_size
        length = made.fixed_size if profile.generation == "v2" else rest
        return state.but(descriptors=state.descriptors.insert(_described(what, made.dma, length)))

    @accepts("SVM-C2D-032", strength=MUST, source=HEADER, changes=("descriptors",), when=_destroys)
    def destroys_the_descriptor(call, state: State) -> State:
        """The descriptor is gone, and with it its hold on the memory."""
        return state.but(descriptors=state.descriptors.delete(call.p_copy.dma.dma))

    @ensures("SVM-C2D-033", strength=MUST, source=DEFINES, when=_converts, profiles=GEN2)
    def converts_a_part(call, result: Result) -> bool:
        """The descriptor says how many of the bytes that were left it stands for."""
        what, size = call.p_copy, result.p_copy.dma.fixed_size
        return size > 0 and what.fixed_size + size <= what.width * what.height

    @ensures("SVM-C2D-034", strength=SHOULD, source=(DEFINES, V2, V3), when=_converts)
    def names_its_device(call, result: Result) -> bool:
        """The descriptor says which device makes the copy."""
        return result.p_copy.dma.virt_id == call.p_copy.dma.devid

    @ensures("SVM-C2D-035", strength=MUST, source=SENSE, when=_converts)
    def is_a_new_descriptor(call, state: State, result: Result) -> bool:
        """The descriptor is none of those that are there already."""
        return not state.descriptors.at(result.p_copy.dma.dma).exists
