"""The stateful machine: hypothesis chooses calls that fit the state, the lab judges them.

One machine serves all areas: what it may call is what the areas specify, how often is a swarm
of weights drawn anew for each example, so that rare combinations get their turn. The run of
each example ends with a look at everything that is still there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from halcert.conformance.draw import TAPE, TapeDraw
from halcert.conformance.keys import give_up_keys, let_go_of_keys
from halcert.conformance.lab import Broken, Lab, Setting
from halcert.conformance.observe import audit, check_all, check_block
from halcert.conformance.physical import give_back_physical
from halcert.conformance.pools import wind_up_pools
from halcert.conformance.sharing_values import give_back
from halcert.conformance.streams import begin_streams, wind_up_streams
from halcert.conformance.values import arguments
from halcert.spec.catalogue import AREAS, interfaces, with_used
from halcert.spec.state import USER, Block
from halcert.spec.svm.flags import DEV, DVPP, GRANT, MAPPED, OPENED, POOL

FREQUENT = (
    "halMemAlloc",
    "drvMemcpy",
    "drvMemsetD8",
    "halMemFree",
    "host.map",
    "host.store",
    "halMemAddressReserve",
    "halMemCreate",
    "halMemMap",
    "halMemManagedAdvise",
    "halMemManagedPrefetch",
    "device.store",
    "device.load",
    "halShmemCreateHandle",
    "halShmemSetPidHandle",
    "halShmemOpenHandleByDevId",
    "halMemExportToShareableHandle",
    "halMemSetPidToShareableHandle",
    "halMemImportFromShareableHandle",
    "halMemPoolCreate",
    "halMemPoolMalloc",
    "aclrtCreateStream",
    "aclrtMemcpyAsync",
    "aclrtMemsetAsync",
    "aclrtMemPoolMallocAsync",
    "aclrtMemPoolFreeAsync",
    "aclrtSynchronizeStream",
    "aclrtMalloc",
    "aclrtHostRegister",
    "aclrtValueWrite",
    "aclrtValueWait",
    "aclrtIpcMemGetExportKey",
    "aclrtIpcMemSetImportPid",
    "aclrtIpcMemImportByKey",
    "aclrtIpcMemClose",
    "aclrtReserveMemAddress",
    "aclrtMallocPhysical",
    "aclrtMapMem",
    "aclrtMemExportToShareableHandle",
    "aclrtMemSetPidToShareableHandle",
    "aclrtMemImportFromShareableHandle",
)
"""Calls that make the state other calls need; they keep some weight in every swarm."""
CLOSING = (
    "halMemAgentClose",
    "drvMemDeviceClose",
    "host.exit",
    "aclFinalize",
    "aclrtResetDevice",
    "aclrtResetDeviceForce",
)


class OutOfTime(BaseException):
    """The time for the machine is over."""


TAPES = st.binary(min_size=TAPE, max_size=TAPE)


@dataclass
class Hunt:
    """What a run of the machine is after, and what it found.

    Attributes:
        lab: makes a fresh lab.
        deadline: when to stop, on the monotonic clock.
        shrink_seconds: how long hypothesis may look for smaller examples of what it found.
        known: causes found before; an example that meets one just ends.
        area: area that it is about: most calls are of that area, others those that it uses;
            empty for calls of all areas alike.
        found: the smallest example of each new cause.
    """

    lab: Callable[[], Lab]
    deadline: float
    shrink_seconds: float = 0.0
    known: set[tuple[str, str, str]] = field(default_factory=set)
    area: str = ""
    found: Broken | None = None

    def met(self, broken: Broken) -> None:
        """Take a failure: keep the smallest of the first new cause.

        Raises:
            Broken: to make hypothesis look for a smaller example.
            OutOfTime: when there is no time for that.
        """
        if broken.cause in self.known:
            return
        if self.found is None:
            self.found = broken
            self.deadline = min(self.deadline, time.monotonic() + self.shrink_seconds)
        elif broken.cause != self.found.cause:
            return
        elif len(broken.steps) < len(self.found.steps):
            self.found = broken
        if self.shrink_seconds <= 0:
            raise OutOfTime
        raise broken


class Machine(RuleBasedStateMachine):
    """Calls of all interfaces in an order that hypothesis chooses.

    Attributes:
        hunt: what the run is after.
    """

    hunt: ClassVar[Hunt]

    def __init__(self) -> None:
        super().__init__()
        if time.monotonic() > self.hunt.deadline:
            raise OutOfTime
        self.lab = self.hunt.lab()
        self.over = False
        self.weighted: list[str] = []
        self.seats: list[int] = [0]
        self.later = 1

    @initialize(tape=TAPES)
    def begin(self, tape: bytes) -> None:
        """Draw the swarm and open devices."""
        draw = TapeDraw(tape)
        self.weighted = [
            name
            for name, weight in _weights(draw, self.hunt.area, self.lab.setting).items()
            for _ in range(weight)
            if self.lab.setting.session.offers(name)
        ]
        most = AREAS[self.hunt.area].processes if self.hunt.area else 1
        count = draw.pick((most, most, most + 1)) if most > 1 else 1
        self.seats, self.later = list(range(count)), count
        self._guarded(lambda: self._begin_all(draw))

    def _begin_all(self, draw: TapeDraw) -> None:
        for seat in self.seats:
            self.lab.actor(seat)
        for seat in self.seats:
            with self.lab.seat(seat):
                self._open(draw)

    def _open(self, draw: TapeDraw) -> None:
        begin_streams(draw, self.lab)
        for device in self.lab.setting.devices:
            if not draw.chance(15):
                self.lab.call("halMemAgentOpen", devid=device, flag=0)
                audit(self.lab, device)

    @rule(tape=TAPES)
    def step(self, tape: bytes) -> None:
        """Make one call."""
        if time.monotonic() > self.hunt.deadline:
            raise OutOfTime
        if not self.over and self.weighted:
            draw = TapeDraw(tape)
            self._guarded(lambda: self._seated(draw))

    def _seated(self, draw: TapeDraw) -> None:
        """Let one of the processes make a call; a process that ends has a successor."""
        seat = draw.pick(self.seats) if len(self.seats) > 1 else self.seats[0]
        with self.lab.seat(seat):
            self._one(draw)
        if self.lab.has_ended(seat):
            place = self.seats.index(seat)
            self.seats[place], self.later = self.later, self.later + 1
            with self.lab.seat(self.seats[place]):
                self._open(draw)

    def _one(self, draw: TapeDraw) -> None:
        lab = self.lab
        name = draw.pick(self.weighted)
        args = arguments(draw, lab, lab.setting.interfaces[name])
        result = lab.call(name, **args)
        if result is None or lab.has_ended(lab.process):
            return
        if result.code != 0 and draw.chance(50):
            for block in touched_blocks(lab, args):
                check_block(lab, block)
        if draw.chance(10):
            audit(lab, *lab.setting.devices)

    def teardown(self) -> None:
        """Look at everything that is left, then end the processes."""
        try:
            if not self.over:
                self._guarded(self._wind_up)
        finally:
            self.lab.close()

    def _wind_up(self) -> None:
        for seat in self.seats:
            with self.lab.seat(seat):
                let_go_of_keys(self.lab)
        for seat in self.seats:
            with self.lab.seat(seat):
                give_up_keys(self.lab)
                give_back(self.lab)
                wind_up(self.lab)

    def _guarded(self, action: Callable[[], Any]) -> None:
        try:
            action()
        except Broken as broken:
            self.over = True
            self.hunt.met(broken)


def machine_for(hunt: Hunt) -> type[Machine]:
    """Return the machine class for a hunt."""
    return type("Machine", (Machine,), {"hunt": hunt})


def _weights(draw: TapeDraw, area: str, setting: Setting) -> dict[str, int]:
    """Choose how often to call each interface when an area is looked at."""
    within = with_used((area,)) if area else tuple(AREAS)
    names = sorted(set(interfaces(within)) & set(setting.interfaces))
    others = set(names) - set(interfaces((area,))) if area else set()
    return {name: _weight(draw, name, other=name in others) for name in names}


def _weight(draw: TapeDraw, name: str, *, other: bool) -> int:
    if name in CLOSING:
        return draw.pick((0, 0, 0, 1))
    if name in FREQUENT:
        return draw.pick((1, 2, 4)) if other else draw.pick((2, 4, 8))
    return draw.pick((0, 0, 0, 1)) if other else draw.pick((0, 1, 1, 3))


def touched_blocks(lab: Lab, args: dict[str, Any]) -> list[Block]:
    """Return the live blocks that arguments point into."""
    blocks = [
        lab.view().blocks.covering(value)
        for value in args.values()
        if isinstance(value, int) and not isinstance(value, bool)
    ]
    return [block for block in blocks if block.exists]


def wind_up(lab: Lab) -> None:
    """Check all bytes, free everything, and see that devices get their memory back."""
    devices = lab.setting.devices
    wind_up_streams(lab)
    check_all(lab)
    audit(lab, *devices)
    give_back_physical(lab)
    wind_up_pools(lab)
    for block in lab.blocks():
        if block.kind == MAPPED:
            lab.call("halMemUnmap", ptr=block.base)
        elif block.kind not in (USER, OPENED, POOL, GRANT):
            lab.call("halMemFree", pp=block.base)
    view: Any = lab.view()
    for handle in view.handles:
        for _ in range(handle.held):
            lab.call("halMemRelease", handle=handle.id)
    for place in view.reservations:
        lab.call("halMemAddressFree", ptr=place.base)
    for device in devices:
        if lab.view().devices.at(device).open and not _holds(lab, device):
            lab.call("halMemAgentClose", devid=device, flag=0)
            lab.call("halMemAgentOpen", devid=device, flag=0)
            audit(lab, device)


def _holds(lab: Lab, device: int) -> bool:
    kinds = (DEV, DVPP, MAPPED, POOL)
    view = lab.view()
    return view.blocks.any(
        lambda block: block.kind in kinds and block.device == device
    ) or view.handles.any(lambda handle: handle.device == device)


def hunt_with_machine(hunt: Hunt, seed: int, *, steps: int = 30, examples: int = 100_000) -> None:
    """Run the machine until the hunt's deadline or until it has found something."""
    machine = hypothesis.seed(seed)(machine_for(hunt))
    phases = (Phase.generate, Phase.shrink) if hunt.shrink_seconds > 0 else (Phase.generate,)
    settings = hypothesis.settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        phases=phases,
        verbosity=Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(machine, settings=settings)
    except OutOfTime:
        return
    except Exception:
        if hunt.found is None and time.monotonic() <= hunt.deadline:
            raise
