"""What the tables of the area satisfy in every state that calls can reach."""

from __future__ import annotations

from halcert.spec.language import Invariant
from halcert.spec.state import ANYWHERE, ON_DEVICE, ON_HOST, UNSET, USER, Block, State
from halcert.spec.svm.flags import DEV, DVPP, GRANT, HOST, HOST_UVA, MAPPED, OPENED, POOL, SVM, UVM
from halcert.spec.svm.memory import within

MOST_DEVICES = 64
"""Devices that a machine can have; their ids are below this."""


def _blocks_are_disjoint(state: State) -> bool:
    return state.blocks.disjoint()


def _well_formed(block: Block) -> bool:
    return (
        block.base > 0
        and block.size > 0
        and block.extent >= block.size
        and block.base + block.size <= 2**64
        and (
            block.kind == SVM
            or block.kind == DEV
            or block.kind == HOST
            or block.kind == DVPP
            or block.kind == HOST_UVA
            or block.kind == UVM
            or block.kind == MAPPED
            or block.kind == OPENED
            or block.kind == POOL
            or block.kind == GRANT
            or block.kind == USER
        )
    )


def _blocks_are_well_formed(state: State) -> bool:
    return state.blocks.all(_well_formed)


def _objects_are_unshared(state: State) -> bool:
    return state.blocks.distinct(_own_memory) and state.blocks.all(
        lambda block: block.memory > 0 and block.memory < state.contents.fresh()
    )


def _own_memory(block: Block) -> int:
    """Return the memory object of a block; for mapped or opened memory a number that none has."""
    return -block.base if block.kind == MAPPED or block.kind == OPENED else block.memory


def _device_memory_is_on_open_devices(state: State) -> bool:
    return state.blocks.all(
        lambda block: (
            (
                block.kind != DEV
                and block.kind != DVPP
                and block.kind != OPENED
                and block.kind != POOL
                and block.kind != GRANT
                and (block.kind != MAPPED or block.place != ON_DEVICE)
            )
            or state.devices.at(block.device).open
        )
    )


def _places_are_for_svm(state: State) -> bool:
    return state.blocks.all(
        lambda block: (
            (block.place == UNSET and block.kind != MAPPED)
            or (block.kind == SVM and block.place > UNSET and block.place <= ANYWHERE)
            or (block.kind == MAPPED and (block.place == ON_HOST or block.place == ON_DEVICE))
        )
    )


def _open_devices_are_present(state: State) -> bool:
    return state.devices.all(
        lambda device: state.hardware.at(device.id).exists and (device.ever or not device.open)
    )


def _present_devices_are_known(state: State) -> bool:
    return state.hardware.all(
        lambda device: (
            device.id >= 0 and device.id < MOST_DEVICES and state.devices.at(device.id).exists
        )
    )


def _control_memory_is_device_memory(state: State) -> bool:
    return state.blocks.all(
        lambda block: not block.cp_only or block.kind == DEV or block.kind == DVPP
    )


def _descriptors_are_matrices(state: State) -> bool:
    return state.descriptors.all(
        lambda made: (
            made.width > 0
            and made.height > 0
            and made.dpitch >= made.width
            and made.spitch >= made.width
            and made.first >= 0
            and made.length > 0
            and made.first + made.length <= made.width * made.height
            and made.target_span == made.dpitch * (made.height - 1) + made.width
            and made.source_span == made.spitch * (made.height - 1) + made.width
        )
    )


def _copied(block: Block, address: int, length: int) -> bool:
    return (
        within(block, address, length)
        and block.kind != MAPPED
        and block.kind != OPENED
        and block.kind != POOL
    )


def _copies_use_live_memory(state: State) -> bool:
    return state.copies.all(
        lambda copy: (
            copy.fd > 0
            and copy.length > 0
            and _copied(state.blocks.covering(copy.target), copy.target, copy.length)
            and _copied(state.blocks.covering(copy.source), copy.source, copy.length)
        )
    )


def _descriptors_use_live_memory(state: State) -> bool:
    return state.descriptors.all(
        lambda made: (
            _copied(state.blocks.covering(made.target), made.target, made.target_span)
            and _copied(state.blocks.covering(made.source), made.source, made.source_span)
        )
    )


INVARIANTS = (
    Invariant("SVM-INV-001", "Live blocks share no byte.", _blocks_are_disjoint, ("blocks",)),
    Invariant(
        "SVM-INV-002",
        "A live block has a size, does not wrap and is of a kind that can be allocated.",
        _blocks_are_well_formed,
        ("blocks",),
    ),
    Invariant(
        "SVM-INV-003",
        "Every live block that is neither mapped nor opened has a memory object of its own.",
        _objects_are_unshared,
        ("blocks", "contents"),
    ),
    Invariant(
        "SVM-INV-004",
        "Device memory is on a device that the process has open.",
        _device_memory_is_on_open_devices,
        ("blocks", "devices"),
    ),
    Invariant(
        "SVM-INV-005",
        "Only MEM_SVM blocks have pages in changing places; mapped memory is in a known one.",
        _places_are_for_svm,
        ("blocks",),
    ),
    Invariant(
        "SVM-INV-006",
        "A device that is open is present and was opened.",
        _open_devices_are_present,
        ("devices", "hardware"),
    ),
    Invariant(
        "SVM-INV-007",
        "A copy under way is of live memory that is not mapped, opened or a pool's.",
        _copies_use_live_memory,
        ("copies", "blocks"),
    ),
    Invariant(
        "SVM-INV-008",
        "A descriptor speaks of live memory that is not mapped, opened or a pool's.",
        _descriptors_use_live_memory,
        ("descriptors", "blocks"),
    ),
    Invariant(
        "SVM-INV-009",
        "A process knows of every device that is present, and ids are small.",
        _present_devices_are_known,
        ("devices", "hardware"),
    ),
    Invariant(
        "SVM-INV-010",
        "Memory for the control CPU alone is device memory.",
        _control_memory_is_device_memory,
        ("blocks",),
    ),
    Invariant(
        "SVM-INV-011",
        "A descriptor stands for bytes of a matrix.",
        _descriptors_are_matrices,
        ("descriptors",),
    ),
)
