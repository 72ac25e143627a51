"""The model acting as an implementation: the suite's check of itself.

It answers every call with something that the rules allow: refusals where a rule refuses, and
otherwise results that are chosen, not computed - each output is tried with values that the
state suggests until every promise about it holds. Addresses, numbers of copies and descriptors
are its own choice, as in any implementation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from types import CodeType, TracebackType
from typing import Any

import msgspec
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
from halcert.conformance.book import resolve
from halcert.conformance.managed_answers import attributes_told
from halcert.conformance.values import constants_of
from halcert.model.concrete import Oracle, World
from halcert.model.concrete.compiled import Compiled
from halcert.model.concrete.rope import parts
from halcert.model.concrete.world import FIRST_PID
from halcert.spec.abi.codes import DrvError
from halcert.spec.catalogue import interfaces
from halcert.spec.language import (
    FAILURE,
    SUCCESS,
    BitWord,
    Call,
    Record,
    Returned,
    Rule,
    align_up,
    poison,
)
from halcert.spec.language import Sequence as ArraySequence
from halcert.spec.language.domain import Domain, annotations_of, domain_of
from halcert.spec.profiles import GIB, PROFILES, Profile
from halcert.spec.runtime.managed import MemAllocManaged
from halcert.spec.runtime.order import session
from halcert.spec.runtime.range_attributes import ManagedGetAttrs, asked_of_the_driver
from halcert.spec.runtime.releases import bytes_in_use
from halcert.spec.sharing.create import UNTOUCHED
from halcert.spec.sharing.memory import is_held
from halcert.spec.sharing.process import KILLED, HostExit, HostRest
from halcert.spec.soma.memory import used_bytes
from halcert.spec.state import DEFERRED
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.flags import MAPPED, OPENED, POOL, UVM
from halcert.spec.uvm.attributes import MemManagedRangeGetAttributes
from halcert.spec.uvm.pages import PAGE, WINDOW, WINDOW_END

DEVICES = (0, 1)
CAPACITY = 4 * GIB
"""Bytes that each device of the model says it has."""
FIRST_ADDRESS = 0x12C000000000
GAP = 2 * GIB
"""Address space between two things that the model gives (bytes)."""
HANDLES = 1 << 20
"""Numbers that each process of the model has to give."""


class Unanswerable(Exception):
    """No result that was tried keeps every promise."""


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

    def __init__(self, profile: Profile) -> None:
        """Start with nothing open and nothing allocated."""
        self.profile = profile
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
        self.alive = True
        self.pid = FIRST_PID + process

    def call(self, request: Request, timeout: float | None = None) -> Reply:  # noqa: ARG002
        """Make one call."""
        began = time.monotonic_ns()
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
        try:
            result = self._choice(rules, call, view, code=0).solved(rules.ensures[SUCCESS])
        except Unanswerable:
            may = rules.permitting(call, view)
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
        choice = Choice(
            rules, call, view, session.profile, code, self._next, self._handles, session.held
        )
        if code == 0 and isinstance(size, int):
            self._next += align_up(size, GIB) + GAP
        return choice

    def _managed(
        self, rules: Compiled, call: MemAlloc | MemAllocManaged, view: Any, code: int
    ) -> Choice:
        """Choose the first free addresses that managed memory has, a page behind the others."""
        size = align_up(call.size, PAGE)
        place = self._next_managed
        if place + size > WINDOW_END:
            place = WINDOW
            for block in view.blocks:
                if block.base < place + size and place < block.base + block.extent:
                    place = block.base + block.extent + PAGE
        if code == 0:
            self._next_managed = place + size + PAGE
        session = self._session
        return Choice(rules, call, view, session.profile, code, place, self._handles, session.held)


@dataclass
class Choice:
    """The choice of a result: outputs by path, and what to try for each.

    Attributes:
        rules: the rules of the interface.
        call: the call.
        view: the state before it.
        profile: the product.
        code: return code of the result.
        address: an address that nothing uses.
        handle: a number that nothing uses.
        held: bytes of a device that processes hold.
    """

    rules: Compiled
    call: Call
    view: Any
    profile: Profile
    code: int
    address: int
    handle: int
    held: Callable[[int], int]
    chosen: dict[str, Any] = field(default_factory=dict)

    def solved(self, promises: Sequence[tuple[Rule, Any, Callable[..., bool]]]) -> Returned:
        """Return a result that keeps the promises.

        Raises:
            Unanswerable: nothing that was tried does.
        """
        paths = dict(_paths(self.rules.interface.result))
        for path, kind in paths.items():
            self.chosen[path] = self._first(path, kind)
        due = [each for each in promises if self._kept(each) is not None]
        for _ in range(3):
            broken = [each for each in due if not self._kept(each)]
            if not broken:
                return self._made()
            for promise in broken:
                self._repair(promise, paths, due)
        raise Unanswerable(f"{due[0][0].id} and others cannot be kept together")

    def _kept(self, promise: tuple[Rule, Any, Callable[..., bool]]) -> bool | None:
        """Return whether a promise is kept; None if it does not apply."""
        _, when, check = promise
        made = self._made()
        if when is not None and not when(self.call, self.view, made):
            return None
        return bool(check(self.call, self.view, made))

    def _repair(self, promise: Any, paths: dict[str, Any], due: Sequence[Any]) -> None:
        read = _names_in(promise[0].function.__code__)
        touched = [path for path in paths if path.rsplit(".", 1)[-1] in read] or list(paths)
        for together in (1, 2):
            for some in combinations(touched, together):
                before = {path: self.chosen[path] for path in some}
                for values in product(*(self._candidates(paths[path]) for path in some)):
                    self.chosen.update(zip(some, values, strict=True))
                    if self._kept(promise) and _no_worse(self, due, promise):
                        return
                self.chosen.update(before)

    def _candidates(self, kind: Any) -> Iterator[Any]:
        domain = domain_of(kind) or Domain(0, 2**64 - 1)
        seen: set[int] = set()
        bits = [part.place(1) for part in kind.layout.values()] if _is_word(kind) else []
        for value in (*bits, *self._suggested()):
            if domain.low <= value <= domain.high and value not in seen:
                seen.add(value)
                yield value

    def _suggested(self) -> Iterator[int]:
        yield from (0, 1, self.address, self.handle)
        me = self.view.caller.at(0).pid
        yield from (each.base for each in self.view.holdings if each.pid == me)
        yield from (each.number for each in self.view.numbers)
        for one in self.view.registrations:
            yield from (one.dst + value - one.src for value in _numbers(self.call))
        yield from _numbers(self.call)
        for value in _numbers(self.call):
            block = self.view.blocks.covering(value)
            if block.exists:
                yield from _numbers(block)
                yield align_up(block.size, GIB)
                yield value - block.base
            yield from _numbers(self.view.handles.at(value))
            if self.view.stream_pools.at(value).exists:
                yield from _numbers(self.view.stream_pools.at(value))
                yield bytes_in_use(self.view, value)
            if self.view.pools.at(value).exists:
                yield from _numbers(self.view.pools.at(value))
                yield used_bytes(self.view, value)
        yield from constants_of(self.rules.interface, self.profile)
        yield from (poison(32), poison(64), self.profile.host_id)
        yield len(self.view.hardware)
        yield session(self.view).current - 1
        yield from (NARROW, NARROW + 1)

    def _first(self, path: str, kind: Any) -> Any:  # noqa: PLR0911 - one line for each output
        """Return what is tried first for an output."""
        name = path.rsplit(".", 1)[-1]
        if kind is bytes:
            return self._bytes()
        if isinstance(self.call, MemManagedRangeGetAttributes):
            return attributes_told(self.call, self.view) if self.code == 0 else ArraySequence(None)
        if isinstance(self.call, ManagedGetAttrs):
            asked = asked_of_the_driver(self.call)
            return attributes_told(asked, self.view) if self.code == 0 else ArraySequence(None)
        if self.code == 0 and name in ("total", "huge_total"):
            return CAPACITY if name == "total" else 0
        if self.code == 0 and name == "free":
            device = getattr(self.call, "device", session(self.view).current - 1)
            return CAPACITY - self.held(device)
        if name == "answer":
            return 1
        if name.endswith(("_free", "_total")):
            return 0
        domain = domain_of(kind)
        if self.code == 0 and domain is not None and domain.role in ("address", "handle"):
            return self.address if domain.role == "address" else self.handle
        if domain is not None and domain.role == "name":
            return UNTOUCHED if self.code else self._token()
        width = 64 if domain is None or domain.high > 2**32 else 32
        return kind.from_plain(0) if _is_word(kind) else poison(width)

    def _token(self) -> int:
        """Return the token of a name that nothing has."""
        return int.from_bytes(f"model {self.address:x} {self.handle}".encode(), "little")

    def _bytes(self) -> bytes:
        """Return the bytes that an observing rule asks for; undefined ones are zero."""
        for _, extent_of in self.rules.observes:
            memory, offset, length = extent_of(self.call, self.view, None)
            data = bytearray(length)
            for part in parts(self.view.contents.rope(memory), offset, offset + length):
                data[part.start - offset : part.end - offset] = part.render()
            return bytes(data)
        return b""

    def _made(self) -> Returned:
        made: Returned = _build(self.rules.interface.result, "", self.chosen, self.code)
        return made


NARROW = poison(64) - poison(32)
"""What a place of 8 bytes holds once its first 4 bytes were set to 0."""


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


def _is_word(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BitWord)


def _no_worse(choice: Choice, due: Sequence[Any], promise: Any) -> bool:
    """Tell whether the promises before this one are still kept."""
    for each in due:
        if each is promise:
            return True
        if not choice._kept(each):  # noqa: SLF001 - part of the same search
            return False
    return True


def _names_in(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names_in(constant)
    return names


def _paths(cls: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Iterate over the outputs of a result, members of records by their path."""
    hints = annotations_of(cls)
    for name in cls.__struct_fields__:
        if name in ("code", "given"):
            continue
        kind = hints[name]
        if isinstance(kind, type) and issubclass(kind, Record):
            yield from _paths(kind, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", kind


def _build(cls: Any, prefix: str, chosen: dict[str, Any], code: int) -> Any:
    hints = annotations_of(cls)
    values: dict[str, Any] = {}
    for name in cls.__struct_fields__:
        kind = hints[name]
        if name in ("code", "given"):
            values[name] = code if name == "code" else True
        elif isinstance(kind, type) and issubclass(kind, Record):
            values[name] = _build(kind, f"{prefix}{name}.", chosen, code)
        else:
            value = chosen[f"{prefix}{name}"]
            values[name] = (
                kind.from_plain(value) if _is_word(kind) and isinstance(value, int) else value
            )
    return cls(**values)


def _numbers(value: Any) -> Iterator[int]:
    """Iterate over the integers in a call or a row."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int):
        yield int(value)
    elif isinstance(value, BitWord):
        yield value.word
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _numbers(getattr(value, name))


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
