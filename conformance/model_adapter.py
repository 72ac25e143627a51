"""The model acting as an implementation: the suite's check of itself.

It answers every call with something that the rules allow: refusals where a rule refuses, and
otherwise results that are chosen, not computed. Addresses, numbers of copies and descriptors are
its own choice, as in any implementation.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random
from types import TracebackType
from typing import Any

from typing_extensions import Self

from halcert.adapters.protocol import (
    DEFAULT_OPTIONS,
    Answered,
    Description,
    Garbled,
    Options,
    Reply,
    Request,
)
from halcert.conformance.answers import Choice, Unanswerable
from halcert.conformance.book import resolve
from halcert.model.concrete import Oracle, World
from halcert.model.concrete.compiled import Compiled
from halcert.model.concrete.world import FIRST_PID
from halcert.spec.abi.codes import DrvError
from halcert.spec.catalogue import interfaces
from halcert.spec.language import (
    FAILURE,
    SUCCESS,
    BitWord,
    Call,
    Record,
    Rule,
    align_up,
)
from halcert.spec.language import Sequence as ArraySequence
from halcert.spec.profiles import GIB, PROFILES, Profile
from halcert.spec.runtime.managed import MemAllocManaged
from halcert.spec.sharing.memory import is_held
from halcert.spec.sharing.process import KILLED, HostExit, HostRest
from halcert.spec.state import DEFERRED
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.flags import MAPPED, OPENED, POOL, UVM
from halcert.spec.uvm.pages import PAGE, WINDOW, WINDOW_END

DEVICES = (0, 1)
FIRST_ADDRESS = 0x12C000000000
GAP = 2 * GIB
"""Address space between two things that the model gives (bytes)."""
HANDLES = 1 << 20
"""Numbers that each process of the model has to give."""
REFUSED = 0.1
"""Share of the calls that may be refused which a model with whims refuses."""


class ModelAdapter:
    """Opens sessions with the model."""

    name = "model"

    def describe(self, options: Options = DEFAULT_OPTIONS) -> Description:  # noqa: ARG002
        """Tell what a session would talk to."""
        return Description(
            adapter=self.name, implementation="the model itself", devices=len(DEVICES)
        )

    def open(self, profile: str, options: Options = DEFAULT_OPTIONS) -> ModelSession:  # noqa: ARG002
        """Open a session for a product."""
        return ModelSession(PROFILES[profile])


class ModelSession:
    """A model of a machine; its processes share its devices."""

    def __init__(self, profile: Profile, whims: Random | None = None, spread: int = 0) -> None:
        """Start with nothing open and nothing allocated.

        Args:
            profile: the product.
            whims: what decides whether a call is refused that may be; none ever is without it.
                With whims managed memory has no gaps, and what is asked for may be lacking.
            spread: each call has so much of the address space for what it gives, so that
                addresses depend on numbers of calls alone, as far as that goes (bytes).
        """
        self.profile = profile
        self.whims = whims
        self.spread = spread
        self.interfaces = interfaces()
        self.oracle = Oracle(self.interfaces.values(), profile)
        self.world = World({})
        self._count = 0

    def offers(self, interface: str) -> bool:
        """Tell whether an interface can be called."""
        return interface in self.interfaces

    def spawn(self) -> ModelActor:
        """Start a process."""
        number, self._count = self._count, self._count + 1
        self.world = self.world.joined(number, FIRST_PID + number, DEVICES)
        return ModelActor(self, number)

    def afresh(self) -> None:
        """Forget all processes, and count them from the first one again."""
        self.world, self._count = World({}), 0

    def held(self, device: int) -> int:
        """Return the bytes of a device that processes hold, with what several share once."""
        found: dict[int, int] = {}
        for view in self.world.views.values():
            found |= _held(view, device)
        return sum(found.values())

    def ended(self, process: int) -> None:
        """Forget a process and everything it had; the others see that it is gone."""
        if process not in self.world.views:
            return
        world = self.world
        for call in (HostExit(how=KILLED), HostRest(milliseconds=0)):
            done = type(call).Result(code=0)
            world = self.oracle.judge(world, call, done, process=process).world
        self.world = World({p: view for p, view in world.views.items() if p != process})

    def close(self) -> None:
        """End all processes."""
        self.world = World({})

    def __enter__(self) -> Self:
        """Return the session."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the session."""
        self.close()


class ModelActor:
    """A process of the model."""

    def __init__(self, session: ModelSession, process: int) -> None:
        """Take the machine and the number of the process."""
        self._session = session
        self._process = process
        self._outputs: dict[int, dict[str, Any]] = {}
        self._next = FIRST_ADDRESS
        self._next_managed = WINDOW
        self._handles = process * HANDLES
        self._number = 0
        self.alive = True
        self.pid = FIRST_PID + process

    def call(self, request: Request, timeout: float | None = None) -> Reply:  # noqa: ARG002
        """Make one call."""
        began = time.monotonic_ns()
        self._number = request.number
        try:
            args = resolve(request.args, self._outputs)
            code, out = self._answer(request.interface, args)
        except (Unanswerable, KeyError) as error:
            return Garbled(f"{request.interface}: {error}")
        self._outputs[request.number] = out
        return Answered(code, out, began, time.monotonic_ns())

    def batch(self, requests: Sequence[Request], timeout: float | None = None) -> list[Reply]:
        """Make calls in order."""
        return [self.call(request, timeout) for request in requests]

    def threads(
        self, programs: Sequence[Sequence[Request]], timeout: float | None = None
    ) -> list[list[Reply]]:
        """Make the calls of several threads, in turn."""
        replies: list[list[Reply]] = [[] for _ in programs]
        for turn in range(max(map(len, programs), default=0)):
            for thread, program in enumerate(programs):
                if turn < len(program):
                    replies[thread].append(self.call(program[turn], timeout))
        return replies

    def kill(self) -> None:
        """End the process."""
        self.alive = False
        self._session.ended(self._process)

    def close(self) -> None:
        """End the process."""
        self.kill()

    def _answer(self, name: str, args: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        session = self._session
        oracle = session.oracle
        call = session.interfaces[name].parse(args)
        view = session.world.views[self._process]
        rules = oracle.rules(name)
        held = rules.holding(call, view)
        if held or oracle.undefined(name, call, session.world, self._process):
            return self._refuse(rules, call, view, held)
        may = rules.permitting(call, view)
        if may and session.whims is not None and session.whims.random() < REFUSED:
            return self._refuse(rules, call, view, may)
        try:
            result = self._choice(rules, call, view, code=0).solved(rules.ensures[SUCCESS])
        except Unanswerable:
            if not may:
                raise
            return self._refuse(rules, call, view, may)
        judged = oracle.judge(session.world, call, result, process=self._process)
        if judged.violation is not None:
            raise Unanswerable(f"{judged.violation.rule}: {judged.violation.allowed}")
        session.world = judged.world
        return 0, plain_outputs(result)

    def _refuse(
        self, rules: Compiled, call: Call, view: Any, held: list[Rule]
    ) -> tuple[int, dict[str, Any]]:
        codes = [code for rule in held for code in rule.codes] or [DrvError.INVALID_VALUE]
        result = self._choice(rules, call, view, code=int(codes[0])).solved(rules.ensures[FAILURE])
        session = self._session
        if rules.leaves:
            judged = session.oracle.judge(session.world, call, result, process=self._process)
            session.world = judged.world
        return result.code, plain_outputs(result)

    def _choice(self, rules: Compiled, call: Call, view: Any, code: int) -> Choice:
        self._handles += 1
        session = self._session
        size = getattr(call, "size", 0)
        if isinstance(call, MemAllocManaged) or (
            isinstance(call, MemAlloc) and call.flag.virt == UVM
        ):
            return self._managed(rules, call, view, code)
        if session.spread:
            own = FIRST_ADDRESS + (self._number - 1) * session.spread
            self._next = max(self._next, own)
        answer = 1 if session.whims is None else session.whims.randrange(2)
        choice = Choice(
            rules,
            call,
            view,
            session.profile,
            code,
            self._next,
            self._handles,
            session.held,
            answer,
        )
        if code == 0 and isinstance(size, int):
            self._next += align_up(size, GIB) + GAP
        return choice

    def _managed(
        self, rules: Compiled, call: MemAlloc | MemAllocManaged, view: Any, code: int
    ) -> Choice:
        """Choose the first free addresses that managed memory has, a page behind the others."""
        size, gap = align_up(call.size, PAGE), 0 if self._session.whims else PAGE
        place = self._next_managed
        if place + size > WINDOW_END:
            place = WINDOW
            for block in view.blocks:
                if block.base < place + size and place < block.base + block.extent:
                    place = block.base + block.extent + gap
        if code == 0:
            self._next_managed = place + size + gap
        session = self._session
        return Choice(rules, call, view, session.profile, code, place, self._handles, session.held)


def _held(view: Any, device: int) -> dict[int, int]:
    """Return the bytes of a device that a process holds, by memory object."""
    found = {
        block.memory: block.extent
        for block in view.blocks
        if block.device == device and block.kind not in (MAPPED, OPENED, POOL)
    }
    found |= {
        handle.memory: handle.size
        for handle in view.handles
        if handle.device == device
        and not handle.lost
        and (not handle.imported or is_held(view, handle.share))
    }
    found |= {
        view.blocks.at(pool.base).memory: pool.held_most
        for pool in view.pools
        if pool.device == device
    }
    found |= {
        share.memory: share.extent
        for share in view.shares
        if share.device == device and share.fate == DEFERRED
    }
    return found


def plain_outputs(result: Any) -> dict[str, Any]:
    """Return the outputs of a result in JSON form."""
    return {name: _plain(getattr(result, name)) for name in result.__struct_fields__[1:]}


def _plain(value: Any) -> Any:
    if isinstance(value, ArraySequence):
        return [_plain(each) for each in value] if value.given else None
    if isinstance(value, BitWord):
        return value.word
    if isinstance(value, Record):
        return value.to_plain(
            {name: _plain(getattr(value, name)) for name in value.__struct_fields__[1:]}
        )
    return value
