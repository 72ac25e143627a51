"""halMemcpySumbit and halMemcpyWait: making the copies that descriptors stand for."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import SubmitType
from halcert.spec.language import I32, Call, Strength, accepts, interface, rejects, undefined
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import Descriptor, State
from halcert.spec.svm.matrix import (
    MadeDescriptor,
    idle,
    matrix_copied,
    matrix_forgotten,
    meant,
    usable,
)
from halcert.spec.svm.memory import arriving, write_races

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
SYNC = SubmitType.MEMCPY_SUMBIT_SYNC
ASYNC = SubmitType.MEMCPY_SUMBIT_ASYNC


def _races(state: State, made: Descriptor) -> bool:
    return write_races(state, made.target, made.target_span) or arriving(
        state, made.source, made.source_span
    )


def _submits_and_waits(call: MemcpySumbit) -> bool:
    return call.flag == SYNC


def _submits(call: MemcpySumbit) -> bool:
    return call.flag == ASYNC


@interface("halMemcpySumbit", area="svm", source=HEADER)
class MemcpySumbit(Call, frozen=True):
    """Have a device make the copy that a descriptor stands for."""

    dma_addr: MadeDescriptor
    flag: I32

    @rejects(
        "SVM-SUBMIT-001",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def no_submission(call) -> bool:
        """Ascend 950 does not submit descriptors."""
        return True

    @rejects("SVM-SUBMIT-002", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def no_descriptor(call) -> bool:
        """There must be a descriptor."""
        return not call.dma_addr.given

    @rejects("SVM-SUBMIT-003", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def unknown_mode(call) -> bool:
        """The flag says to wait or not to wait."""
        return call.flag < SYNC or call.flag > ASYNC

    @rejects("SVM-SUBMIT-004", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def descriptor_of_no_device(call, profile: Profile) -> bool:
        """The descriptor names a device below the number of devices."""
        return call.dma_addr.virt_id >= profile.device_limit

    @undefined("SVM-SUBMIT-005", source=HEADER, profiles=GEN2)
    def no_such_descriptor(call, state: State, profile: Profile) -> bool:
        """Submitting what is not a descriptor, or one whose copy is under way."""
        return meant(call.dma_addr, profile) and not idle(state, call.dma_addr)

    @undefined("SVM-SUBMIT-006", source=SENSE, profiles=GEN2)
    def races_with_a_copy(call, state: State) -> bool:
        """Submitting a copy where another one under way reads or writes."""
        return _races(state, state.descriptors.at(call.dma_addr.dma))

    @accepts(
        "SVM-SUBMIT-010",
        strength=MUST,
        source=HEADER,
        changes=("contents",),
        when=_submits_and_waits,
        profiles=GEN2,
    )
    def copies(call, state: State) -> State:
        """The destination holds the bytes of the source on return; all other bytes stay."""
        made = state.descriptors.at(call.dma_addr.dma)
        return state.but(contents=matrix_copied(state, made))

    @accepts(
        "SVM-SUBMIT-011",
        strength=MUST,
        source=HEADER,
        changes=("descriptors", "contents"),
        when=_submits,
        profiles=GEN2,
    )
    def starts(call, state: State) -> State:
        """The copy is under way; the destination is undefined until somebody waits for it."""
        made = state.descriptors.at(call.dma_addr.dma)
        return state.but(
            descriptors=state.descriptors.put(made.but(submitted=True)),
            contents=matrix_forgotten(state, made),
        )


@interface("halMemcpyWait", area="svm", source=HEADER)
class MemcpyWait(Call, frozen=True):
    """Wait for the copy of a descriptor that was submitted without waiting."""

    dma_addr: MadeDescriptor

    @rejects(
        "SVM-WAIT-001",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def no_submission(call) -> bool:
        """Ascend 950 does not submit descriptors."""
        return True

    @rejects("SVM-WAIT-002", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def no_descriptor(call) -> bool:
        """There must be a descriptor."""
        return not call.dma_addr.given

    @rejects("SVM-WAIT-003", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def descriptor_of_no_device(call, profile: Profile) -> bool:
        """The descriptor names a device below the number of devices."""
        return call.dma_addr.virt_id >= profile.device_limit

    @undefined("SVM-WAIT-004", source=HEADER, profiles=GEN2)
    def nothing_to_wait_for(call, state: State, profile: Profile) -> bool:
        """Waiting for a descriptor whose copy is not under way."""
        ref = call.dma_addr
        under_way = usable(state, ref) and state.descriptors.at(ref.dma).submitted
        return meant(ref, profile) and not under_way

    @accepts(
        "SVM-WAIT-010",
        strength=MUST,
        source=HEADER,
        changes=("descriptors", "contents"),
        profiles=GEN2,
    )
    def finishes(call, state: State) -> State:
        """The destination holds the bytes of the source, and the descriptor is idle again."""
        made = state.descriptors.at(call.dma_addr.dma)
        return state.but(
            descriptors=state.descriptors.put(made.but(submitted=False)),
            contents=matrix_copied(state, made),
        )
