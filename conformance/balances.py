"""What the accounts demand of a device that tells its free memory, as promises of the call.

They compare it with what the same device told first, in the same run.
"""

from __future__ import annotations

from collections.abc import Mapping

from halcert.conformance.lab import Lab
from halcert.conformance.outcomes import result_of
from halcert.results import Answered, TraceStep
from halcert.results.story import Formula, Promise
from halcert.spec.language import Call
from halcert.spec.runtime.ask import GetMemInfo
from halcert.spec.runtime.order import session
from halcert.spec.svm.info import MemGetInfo
from halcert.spec.universal import LIVE_MEMORY_IS_ACCOUNTED

FREE: Mapping[type[Call], tuple[str, ...]] = {
    MemGetInfo: ("info.free", "info.huge_free"),
    GetMemInfo: ("free",),
}
"""Outputs that together tell the free memory of a device."""


class Balances:
    """Remembers which call told the free memory of each device first."""

    def __init__(self, lab: Lab) -> None:
        """Take the lab whose accounts are kept."""
        self._lab = lab
        self._starts: dict[int, int] = {}

    def promises(self, step: TraceStep, call: Call) -> tuple[Promise, ...]:
        """Return what the accounts demand of a device that tells its free memory."""
        outcome = step.outcome
        device = self._device(step, call)
        if device is None or not isinstance(outcome, Answered) or outcome.code:
            return ()
        start = self._starts.get(device)
        if start is None:
            return ()
        lab, result = self._lab, result_of(call, outcome)
        views = lab.world.views
        found = []
        for balance in lab.accounts.after(call, result, lab.view(step.actor), views, step.actor):
            names = FREE[type(call)]
            now = tuple(Formula("output", (step.number, name)) for name in names)
            then = tuple(Formula("output", (start, name)) for name in names)
            held = Formula("add", (*now, Formula("number", (balance.held,))))
            sides = (held, Formula("add", then))
            if balance.rule is not LIVE_MEMORY_IS_ACCOUNTED:
                sides = sides[::-1]
            condition = Formula("le", sides)
            found.append(Promise(balance.rule.id, balance.rule.summary, True, condition))
        return tuple(found)

    def note(self, step: TraceStep, call: Call) -> None:
        """Take note of a call that was judged: it may tell free memory first."""
        device = self._device(step, call)
        if device is None or device in self._starts:
            return
        if self._lab.accounts.free_at_start(device) is not None:
            self._starts[device] = step.number

    def _device(self, step: TraceStep, call: Call) -> int | None:
        """Return the device whose free memory a call tells, or None if it is no such call."""
        if isinstance(call, MemGetInfo):
            return call.device
        if isinstance(call, GetMemInfo):
            return session(self._lab.view(step.actor)).current - 1
        return None
