"""halMemcpyBatch: many copies in one call."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import Limit
from halcert.spec.language import (
    Address,
    Call,
    Elements,
    Sequence,
    Size,
    Strength,
    accepts,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.svm.copy import copied, copy_ends
from halcert.spec.svm.flags import SVM
from halcert.spec.svm.memory import byte_number, copy_races, device_side, host_side, ordinary

MUST = Strength.MUST
SHOULD = Strength.SHOULD
PARA_ERROR = DrvError.PARA_ERROR
NOT_SUPPORT = DrvError.NOT_SUPPORT
MOST = Limit.DEVMM_MEMCPY_BATCH_MAX_COUNT


def _copies(call: MemcpyBatch) -> Elements[int]:
    return Elements(call.count, call.dst, call.src, call.size)


def _promised(state: State, dst: int, src: int, size: int) -> bool:
    target, source = copy_ends(state, dst, src)
    return (
        ordinary(target, dst, size)
        and ordinary(source, src, size)
        and target.kind != SVM
        and source.kind != SVM
    )


def _all_promised(call: MemcpyBatch, state: State) -> bool:
    return _copies(call).all(lambda dst, src, size: _promised(state, dst, src, size))


def _on_the_host(state: State, dst: int, src: int) -> bool:
    target, source = copy_ends(state, dst, src)
    return host_side(target) and host_side(source)


def _any_on_the_host(call: MemcpyBatch, state: State) -> bool:
    return _copies(call).any(lambda dst, src, _size: _on_the_host(state, dst, src))


def _between_devices(state: State, dst: int, src: int) -> bool:
    target, source = copy_ends(state, dst, src)
    return device_side(target) and device_side(source)


def _first_between_devices(call: MemcpyBatch, state: State) -> bool:
    first = Elements(1, call.dst, call.src)
    return first.any(lambda dst, src: _between_devices(state, dst, src))


def _any_barred(call: MemcpyBatch, state: State) -> bool:
    return Elements(call.count, call.dst, call.src).any(
        lambda dst, src: state.blocks.covering(dst).cp_only or state.blocks.covering(src).cp_only
    )


def _differ(state: State, one: int, other: int) -> bool:
    first, second = state.blocks.covering(one), state.blocks.covering(other)
    return host_side(first) != host_side(second) or first.device != second.device


def _mixed(call: MemcpyBatch, state: State) -> bool:
    """Tell whether the copies have different directions or devices."""
    first = Elements(1, call.dst, call.src)
    return first.any(
        lambda dst, src: _copies(call).any(
            lambda to, start, _size: _differ(state, dst, to) or _differ(state, src, start)
        )
    )


@interface("halMemcpyBatch", area="svm", source=HEADER)
class MemcpyBatch(Call, frozen=True):
    """Make several copies in one direction between the host and one device, and wait for them."""

    dst: Sequence[Address]
    src: Sequence[Address]
    size: Sequence[Size]
    count: Size

    @rejects("SVM-BATCH-001", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def no_destinations(call) -> bool:
        """There must be an array of destinations."""
        return not call.dst.given

    @rejects("SVM-BATCH-002", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def no_sources(call) -> bool:
        """There must be an array of sources."""
        return not call.src.given

    @rejects("SVM-BATCH-003", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def no_sizes(call) -> bool:
        """There must be an array of sizes."""
        return not call.size.given

    @rejects("SVM-BATCH-004", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def no_copies(call) -> bool:
        """There is at least one copy."""
        return call.count == 0

    @rejects("SVM-BATCH-005", NOT_SUPPORT, strength=MUST, source=(HEADER, V2, V3))
    def too_many_copies(call) -> bool:
        """There are at most 4096 copies."""
        return call.count > MOST

    @rejects("SVM-BATCH-006", DrvError.INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def empty_copy(call) -> bool:
        """Every copy has at least one byte."""
        return _copies(call).any(lambda _dst, _src, size: size == 0)

    @rejects(
        "SVM-BATCH-007",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def within_the_host(call, state: State) -> bool:
        """No copy is from host to host."""
        return _any_on_the_host(call, state) and _all_promised(call, state)

    @rejects(
        "SVM-BATCH-008",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def between_devices(call, state: State) -> bool:
        """The first copy is not from device to device."""
        return (
            _first_between_devices(call, state)
            and not _any_on_the_host(call, state)
            and _all_promised(call, state)
        )

    @rejects("SVM-BATCH-009", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def mixed(call, state: State) -> bool:
        """All copies have one direction and one device."""
        return (
            _mixed(call, state)
            and not _any_on_the_host(call, state)
            and _all_promised(call, state)
            and not _any_barred(call, state)
        )

    @rejects("SVM-BATCH-010", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def device_alone_may_access(call, state: State) -> bool:
        """Memory for the device's control CPU alone cannot be copied."""
        return _any_barred(call, state) and _all_promised(call, state)

    @undefined("SVM-BATCH-011", source=SENSE)
    def arrays_are_short(call) -> bool:
        """Saying that there are more copies than the arrays have elements."""
        given = call.dst.given and call.src.given and call.size.given
        return (
            given
            and call.count <= MOST
            and (
                len(call.dst.items) < call.count
                or len(call.src.items) < call.count
                or len(call.size.items) < call.count
            )
        )

    @undefined("SVM-BATCH-012", source=(HEADER, V2, V3))
    def not_promised(call, state: State) -> bool:
        """Copying bytes that are not all in one live, accessible block on each side."""
        return not _all_promised(call, state)

    @undefined("SVM-BATCH-013", source=V2.at("a batch stops where it fails"), profiles=GEN2)
    def mixed_v2(call, state: State) -> bool:
        """Mixing directions or devices after a first copy between host and device."""
        return (
            _mixed(call, state)
            and not _first_between_devices(call, state)
            and not _any_on_the_host(call, state)
        )

    @undefined("SVM-BATCH-015", source=SENSE)
    def destinations_meet(call, state: State) -> bool:
        """Copying to the same bytes twice, be it through different addresses."""
        return not Elements(call.count, call.dst, call.size).disjoint(
            lambda dst, size: (byte_number(state, dst), size)
        )

    @undefined("SVM-BATCH-016", source=SENSE, profiles=GEN2)
    def races_with_a_copy(call, state: State) -> bool:
        """Copying where a copy under way reads or writes."""
        return _copies(call).any(lambda dst, src, size: copy_races(state, dst, src, size))

    @may_reject("SVM-BATCH-017", NOT_SUPPORT, source=HEADER)
    def virtual_machines_may_not(call) -> bool:
        """Virtual machines may not support batches."""
        return True

    @rejects(
        "SVM-BATCH-018",
        NOT_SUPPORT,
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def within_the_host_v3(call, state: State) -> bool:
        """No copy is from host to host.

        If the others are not, and both ends are of halMemAlloc, that they differ is found first.
        """
        return (
            _any_on_the_host(call, state)
            and _all_promised(call, state)
            and not _any_barred(call, state)
        )

    @rejects(
        "SVM-BATCH-019",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def between_devices_v3(call, state: State) -> bool:
        """The copies are not from device to device."""
        return (
            _first_between_devices(call, state)
            and not _mixed(call, state)
            and _all_promised(call, state)
            and not _any_barred(call, state)
        )

    @accepts("SVM-BATCH-020", strength=MUST, source=HEADER, changes=("blocks", "contents"))
    def copies(call, state: State) -> State:
        """Every destination holds the bytes of its source on return; all other bytes stay."""
        return _copies(call).fold(copied, state)
