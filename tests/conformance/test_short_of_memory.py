"""Flows go on where an allocation failed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flows import flows_of

from halcert.adapters.kernelsim import TROUBLE
from halcert.adapters.protocol import Actor, Answered, Reply, Request, Session
from halcert.conformance.lab import Lab
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.tally import Tally

TAKE = {
    "halMemAlloc": ("pp",),
    "halMemCreate": ("handle",),
    "halMemAddressReserve": ("ptr",),
    "halMemPoolCreate": (),
}
"""Calls that take memory, and their outputs."""
OUT_OF_MEMORY = 6


class Wanting:
    """A process in which every n-th call that takes memory finds none, as the stand-in can play."""

    def __init__(self, actor: Actor, every: int) -> None:
        """Take the process that makes all other calls."""
        self.actor, self.every, self.asked = actor, every, 0

    def __getattr__(self, name: str) -> Any:
        """Be that process for the rest."""
        return getattr(self.actor, name)

    def call(self, request: Request, timeout: float | None = None) -> Reply:
        """Make one call, or fail as was wished."""
        if request.interface in TAKE:
            self.asked += 1
            if self.asked % self.every == 0:
                left = {name: 0 if request.args[name] else None for name in TAKE[request.interface]}
                return Answered(OUT_OF_MEMORY, left, 0, 0, TROUBLE)
        return self.actor.call(request, timeout)


class WantingSession:
    """The software driver, in processes that are short of memory."""

    def __init__(self, session: Session, every: int) -> None:
        """Take the driver."""
        self.session, self.every = session, every

    def __getattr__(self, name: str) -> Any:
        """Be that driver for the rest."""
        return getattr(self.session, name)

    def spawn(self) -> Wanting:
        """Start a process."""
        return Wanting(self.session.spawn(), self.every)


def carry_out_where_wanting(name, driver, every):
    """Carry out a flow of which each so many-th call that takes memory finds none."""
    session = WantingSession(driver.session, every)
    with Lab(replace(driver, session=session), name, Tally()) as lab:
        SCENARIOS[name].flow(lab)


@pytest.mark.parametrize("name", flows_of("hal"))
def test_flows_go_on_where_memory_is_wanting(name, driver):
    carry_out_where_wanting(name, driver, 1)
    carry_out_where_wanting(name, driver, 2)
