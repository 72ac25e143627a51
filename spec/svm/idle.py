"""What a driver answers to a process that it does not know yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import Call, may_reject
from halcert.spec.sources import V2, V3
from halcert.spec.state import USER, State

BOTH = (DrvError.IOCRL_FAIL, DrvError.NOT_EXIST, DrvError.PARA_ERROR)
"""What SVM v2 answers, and SVM v3: the last where it has a list of processes to go through."""


def idle(state: State) -> bool:
    """Tell whether a process never opened a device, and holds nothing that a call gave.

    Some calls introduce a process to the kernel's part of the driver: opening a device,
    allocating, reserving, making physical memory, most queries. Queries leave no trace in the
    tables, so a process for which this is true may be known all the same.
    """
    return not (
        state.devices.any(lambda device: device.ever)
        or state.blocks.any(lambda block: block.kind != USER)
        or state.reservations.any(lambda _reservation: True)
        or state.handles.any(lambda _handle: True)
    )


def process_may_be_unknown(call: Call, state: State) -> bool:
    """A process that has done nothing yet may have to introduce itself by another call first.

    So the call can fail in its own way, before anything but its plain arguments is looked at.
    """
    return idle(state)


def may_be_unknown(rule_id: str, profiles: Iterable[str] = ()) -> Callable[[Call, State], bool]:
    """Declare: the call does not introduce a process that the driver does not know.

    Args:
        rule_id: id of the rule.
        profiles: products; empty for all.
    """
    source = (V2,) if profiles else (V2, V3)
    codes = (DrvError.IOCRL_FAIL,) if profiles else BOTH
    declare = may_reject(rule_id, *codes, source=source, profiles=profiles, instead=True)
    return declare(process_may_be_unknown)
